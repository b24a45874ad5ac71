/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first look at the host's infos: maps, sizes, numbers and names that decide where other values
 * belong. */

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/value/infos.h"

/* The longest run of process arrays. */
struct px_job_infos px_job_infos_make(const pmix_info_t *info, size_t ninfo)
{
    struct px_job_infos top = {.at = info, .n = ninfo};
    size_t start = 0;

    for (size_t i = 0; i < ninfo; i++) {
        if (memcmp(info[i].key, PMIX_PROC_DATA, sizeof(PMIX_PROC_DATA)) != 0) {
            start = i + 1;
        } else if (i + 1 - start > top.n_procs) {
            top.procs = start;
            top.n_procs = i + 1 - start;
        }
    }
    return top;
}

/* --- the readers' own node --- */

static const pmix_value_t *find_top(const struct px_job_infos *top, const char *key)
{
    for (size_t i = px_job_infos_next(top, 0); i < top->n; i = px_job_infos_next(top, i + 1)) {
        if (strncmp(top->at[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &top->at[i].value;
        }
    }
    return NULL;
}

int px_job_own_node(struct px_job *job, const struct px_job_infos *top)
{
    const pmix_value_t *id = find_top(top, PMIX_NODEID);
    const char *peers = px_value_text(find_top(top, PMIX_LOCAL_PEERS));
    struct px_ranks ranks = {0};
    uint32_t number;

    if (job->local_node == PX_NO_NODE && id && !px_value_u32(id, &number)) {
        job->local_node = px_job_node_by_id(job, number);
    }
    if (job->local_node == PX_NO_NODE && peers && !px_ranks_parse(&ranks, peers, strlen(peers)) &&
        ranks.n && ranks.at[0] < job->n_ranks) {
        job->local_node = job->ranks[ranks.at[0]].node;
    }
    px_ranks_fini(&ranks);
    if (job->local_node != PX_NO_NODE && job->hostname) {
        return px_job_alias(job, job->local_node, job->hostname);
    }
    return PMIX_SUCCESS;
}

int px_job_local_node(struct px_job *job, uint32_t *ret_index)
{
    uint32_t known = px_store_local_node(job->store);
    struct px_node_view view;
    int rc = PMIX_SUCCESS;

    if (job->local_node == PX_NO_NODE && known != PX_NO_NODE &&
        !px_store_node(job->store, known, &view)) {
        rc = px_job_node(job, view.name, &job->local_node);
    } else if (job->local_node == PX_NO_NODE && job->hostname) {
        rc = px_job_node(job, job->hostname, &job->local_node);
    }
    *ret_index = job->local_node;
    return rc;
}

/* --- first pass: maps, sizes, names --- */

typedef int (*read_fn)(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth);

static bool is_session(const pmix_info_t *info)
{
    return strcmp(info->key, PMIX_SESSION_INFO_ARRAY) == 0;
}

static bool is_job(const pmix_info_t *info)
{
    return strcmp(info->key, PMIX_JOB_INFO_ARRAY) == 0;
}

static void offer_session(struct px_job *job, enum px_session_by by, const pmix_value_t *id)
{
    uint32_t v;

    if (by > job->session_by && id && !px_value_u32(id, &v)) {
        job->session = v;
        job->session_by = by;
    }
}

static int find_session(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        const pmix_info_t *inner;
        size_t n;

        if (strcmp(info[i].key, PMIX_SESSION_ID) == 0) {
            offer_session(job, PX_SESSION_BY_NAME, &info[i].value);
        } else if (is_session(&info[i]) || is_job(&info[i])) {
            rc = px_info_open(&info[i].value, &inner, &n);
            if (!rc && is_job(&info[i])) {
                rc = find_session(job, inner, n, depth + 1);
            } else if (!rc) {
                bool holds = px_info_find(inner, n, PMIX_JOB_INFO_ARRAY) != NULL;

                offer_session(job, holds ? PX_SESSION_BY_HOLDER : PX_SESSION_BY_ARRAY,
                              px_info_find(inner, n, PMIX_SESSION_ID));
            }
        }
    }
    return rc;
}

static bool is_own_session(const struct px_job *job, const pmix_info_t *inner, size_t n)
{
    const pmix_value_t *id = px_info_find(inner, n, PMIX_SESSION_ID);
    uint32_t v;

    return !id || px_value_u32(id, &v) || v == job->session;
}

/* Of a job array everything, of a session array its job arrays: the session's own maps are not the
 * job's, and a job of the same name in another session is another job. */
static int read_inside(struct px_job *job, const pmix_info_t *array, unsigned depth, read_fn read)
{
    const pmix_info_t *inner;
    size_t n;
    int rc = px_info_open(&array->value, &inner, &n);

    if (rc || (is_session(array) && !is_own_session(job, inner, n))) {
        return rc;
    }
    for (size_t i = 0; !rc && i < n; i++) {
        if (!is_session(array) || is_job(&inner[i])) {
            rc = read(job, &inner[i], 1, depth + 1);
        }
    }
    return rc;
}

static int read_name(struct px_job *job, const pmix_info_t *info)
{
    uint32_t v;

    if (strcmp(info->key, PMIX_JOB_SIZE) == 0 && !px_value_u32(&info->value, &v)) {
        job->job_size = v;
    } else if (strcmp(info->key, PMIX_NPROC_OFFSET) == 0 && !px_value_u32(&info->value, &v)) {
        job->offset = v;
    } else if (strcmp(info->key, PMIX_NODE_MAP) == 0 || strcmp(info->key, PMIX_NODE_MAP_RAW) == 0) {
        return px_job_node_map(job, &info->value);
    }
    return PMIX_SUCCESS;
}

static int read_names(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        rc = is_session(&info[i]) || is_job(&info[i])
                 ? read_inside(job, &info[i], depth, read_names)
                 : read_name(job, &info[i]);
    }
    return rc;
}

static int read_proc_maps(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        if (strcmp(info[i].key, PMIX_PROC_MAP) == 0 ||
            strcmp(info[i].key, PMIX_PROC_MAP_RAW) == 0) {
            rc = px_job_proc_map(job, &info[i].value);
        } else if (is_session(&info[i]) || is_job(&info[i])) {
            rc = read_inside(job, &info[i], depth, read_proc_maps);
        }
    }
    return rc;
}

static int read_all(struct px_job *job, const struct px_job_infos *top, read_fn read)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = px_job_infos_next(top, 0); !rc && i < top->n;
         i = px_job_infos_next(top, i + 1)) {
        rc = read(job, &top->at[i], 1, 0);
    }
    return rc;
}

int px_job_read_maps(struct px_job *job, const struct px_job_infos *top)
{
    int rc = read_all(job, top, find_session);

    rc = rc ? rc : read_all(job, top, read_names);
    rc = rc ? rc : read_all(job, top, read_proc_maps);
    if (rc) {
        return rc;
    }
    if (job->hostname) {
        job->local_node = px_job_node_by_name(job, job->hostname);
    }
    return px_job_own_node(job, top);
}
