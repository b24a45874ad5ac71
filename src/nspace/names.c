/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first pass over the host's infos: session, node map, sizes and process map. Each is a walk of
 * its own, because a later one depends on the earlier ones.
 *
 * The session of the job is needed first: job arrays inside of other sessions' arrays belong to
 * jobs of the same name there, and their maps are not to be read. The node map comes before the
 * process map, whose fields are positions in it. Process arrays are not read in this pass. */

#include "names.h"

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/value/infos.h"
#include "maps.h"
#include "gds/nodes.h"

/* The run is the longest sequence of process arrays. */
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

/* Searches before and after the run. */
const pmix_value_t *px_job_infos_find(const struct px_job_infos *top, const char *key)
{
    const pmix_value_t *found = px_info_find(top->at, top->procs, key);
    size_t after = top->procs + top->n_procs;

    return found || after == top->n ? found : px_info_find(top->at + after, top->n - after, key);
}

/* A node that is found so gets the readers' host name as an alias: the host knows it by another
 * name. */
int px_job_own_node(struct px_job *job, const struct px_job_infos *top)
{
    const pmix_value_t *id = px_job_infos_find(top, PMIX_NODEID);
    const char *peers = px_value_text(px_job_infos_find(top, PMIX_LOCAL_PEERS));
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

/* The store knows the node if an earlier registration identified it. */
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

/* Called for each value of the walk, with the role of its key. */
typedef int (*read_fn)(struct px_job *job, enum px_key_role role, const pmix_value_t *value,
                       unsigned depth);

/* Calls `read` for every value, those in job arrays included. Other arrays are passed as values. */
static int walk(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth,
                read_fn read)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        const struct px_job_key *key = px_job_key(job, &info[i], depth, i);
        const pmix_info_t *inner;
        size_t n;

        if (key && key->role == PX_KEY_ROLE_JOB_ARRAY) {
            rc = px_info_open(&info[i].value, &inner, &n);
            rc = rc ? rc : walk(job, inner, n, depth + 1, read);
        } else if (key) {
            rc = read(job, key->role, &info[i].value, depth);
        }
        rc = rc ? px_job_wrong(job, &info[i], rc) : rc;
    }
    return rc;
}

/* Of a session array, walks the job arrays only: the session's own maps are not the job's. An array
 * of another session is skipped, because a job of the same name there is another job. */
static int walk_session(struct px_job *job, const pmix_value_t *array, unsigned depth, read_fn read)
{
    const pmix_info_t *inner;
    const pmix_info_t *at = NULL;
    const pmix_value_t *id;
    size_t n;
    uint32_t v;
    int rc = px_info_open(array, &inner, &n);

    id = rc ? NULL : px_info_find(inner, n, PMIX_SESSION_ID);
    if (rc || (id && !px_value_u32(id, &v) && v != job->session)) {
        return rc;
    }
    while (!rc && (at = px_infos_next(inner, n, at, PMIX_JOB_INFO_ARRAY)) != NULL) {
        rc = walk(job, at, 1, depth + 1, read);
    }
    return rc;
}

/* Takes the session number if its source has precedence over the present one. */
static void offer_session(struct px_job *job, enum px_session_by by, const pmix_value_t *id)
{
    uint32_t v;

    if (by > job->session_by && id && !px_value_u32(id, &v)) {
        job->session = v;
        job->session_by = by;
    }
}

/* read_fn of the first walk: finds the session of the job. */
static int read_session(struct px_job *job, enum px_key_role role, const pmix_value_t *value,
                        unsigned depth)
{
    const pmix_info_t *inner;
    size_t n;
    bool holds;
    int rc;

    (void) depth;
    if (role == PX_KEY_ROLE_SESSION_ID) {
        offer_session(job, PX_SESSION_BY_NAME, value);
    }
    if (role != PX_KEY_ROLE_SESSION_ARRAY) {
        return PMIX_SUCCESS;
    }
    rc = px_info_open(value, &inner, &n);
    if (!rc) {
        holds = px_info_find(inner, n, PMIX_JOB_INFO_ARRAY) != NULL;
        offer_session(job, holds ? PX_SESSION_BY_HOLDER : PX_SESSION_BY_ARRAY,
                      px_info_find(inner, n, PMIX_SESSION_ID));
    }
    return rc;
}

/* read_fn of the second walk: node map and sizes. A size that is no number is ignored here, and
 * refused by the second pass. */
static int read_names(struct px_job *job, enum px_key_role role, const pmix_value_t *value,
                      unsigned depth)
{
    switch (role) {
    case PX_KEY_ROLE_SESSION_ARRAY:
        return walk_session(job, value, depth, read_names);
    case PX_KEY_ROLE_JOB_SIZE:
        (void) px_value_u32(value, &job->job_size);
        return PMIX_SUCCESS;
    case PX_KEY_ROLE_NPROC_OFFSET:
        (void) px_value_u32(value, &job->offset);
        return PMIX_SUCCESS;
    case PX_KEY_ROLE_NODE_MAP:
        return job->maps_are_values ? PMIX_SUCCESS : px_job_node_map(job, value);
    default:
        return PMIX_SUCCESS;
    }
}

/* read_fn of the third walk: the process map, which needs the order of the nodes. */
static int read_proc_maps(struct px_job *job, enum px_key_role role, const pmix_value_t *value,
                          unsigned depth)
{
    return role == PX_KEY_ROLE_SESSION_ARRAY ? walk_session(job, value, depth, read_proc_maps)
           : role == PX_KEY_ROLE_PROC_MAP && !job->maps_are_values ? px_job_proc_map(job, value)
                                                                   : PMIX_SUCCESS;
}

/* Walks the top level outside of the run of process arrays. */
static int read_all(struct px_job *job, const struct px_job_infos *top, read_fn read)
{
    size_t after = top->procs + top->n_procs;
    int rc = walk(job, top->at, top->procs, 0, read);

    return rc || after == top->n ? rc : walk(job, top->at + after, top->n - after, 0, read);
}

/* The host's name for the own node may be in the maps; else px_job_own_node tries number and
 * peers. */
int px_job_read_maps(struct px_job *job, const struct px_job_infos *top)
{
    int rc = read_all(job, top, read_session);

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
