/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Job information from the host or from the wire into a store, in one publication: everything is
 * read first, and nothing of a registration that turns out wrong is seen by anybody. */

#include "jobinfo.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/array.h"
#include "src/value/infos.h"
#include "derive.h"
#include "info_arrays.h"
#include "job_pack.h"
#include "names.h"
#include "src/wire/messages.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"

/* --- from facts to the store --- */

static int put_nodes(struct px_job *job)
{
    struct px_batch *batch = job->batch;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < job->n_nodes; i++) {
        struct px_job_node *node = &job->nodes[i];
        struct px_node_def def = {
            .name = node->name, .aliases = node->aliases, .nodeid = node->nodeid};

        rc = px_batch_node(batch, job->store, &def, &node->batch_index);
    }
    if (!rc && job->local_node != PX_NO_NODE) {
        rc = px_batch_local_node(batch, job->nodes[job->local_node].batch_index);
    }
    return rc;
}

static int put_values(const struct px_job *job, size_t from, size_t to)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = from; !rc && i < to; i++) {
        const struct px_job_value *fact = &job->values[i];
        struct px_store_entry entry = {
            .level = fact->level,
            .index = fact->index,
            .key = fact->key,
            .value = fact->value,
            .scope = PMIX_SCOPE_UNDEF,
        };

        if (fact->level == PX_LEVEL_NODE) {
            entry.index = job->nodes[fact->index].batch_index;
        }
        rc = px_batch_add(job->batch, &entry);
    }
    return rc;
}

static int put_places(const struct px_job *job)
{
    int rc = PMIX_SUCCESS;

    for (size_t r = 0; !rc && r < job->n_ranks; r++) {
        uint32_t node = job->ranks[r].node;

        if (job->ranks[r].seen) {
            rc = px_batch_place_rank(job->batch, (uint32_t) r,
                                     node == PX_NO_NODE ? node : job->nodes[node].batch_index,
                                     job->ranks[r].app);
        }
    }
    return rc;
}

static int put_marks(struct px_job *job)
{
    int rc = PMIX_SUCCESS;

    if (job->session != PX_SESSION_DEFAULT) {
        rc = px_job_add_value(job, PX_LEVEL_JOB, 0, PMIX_SESSION_ID,
                              px_job_u32(job, PMIX_UINT32, job->session));
    }
    for (uint32_t i = 0; !rc && i < job->n_nodes; i++) {
        if (job->nodes[i].foreign) {
            rc = px_job_add_value(job, PX_LEVEL_NODE, i, PX_KEY_FOREIGN_NODE,
                                  px_job_u32(job, PMIX_BOOL, 1));
        }
    }
    return rc;
}

/* jobinfo.c: derives and publishes. */
static int job_publish(struct px_job *job, struct px_store *store)
{
    size_t said = job->n_values;
    int rc = job->batch ? px_job_derive(job) : PMIX_ERR_NOMEM;

    rc = rc ? rc : put_marks(job);
    rc = rc ? rc : put_nodes(job);
    /* What was said comes after what follows from it, and so wins; of processes only what was not
     * said is derived. */
    rc = rc ? rc : put_values(job, said, job->n_values);
    rc = rc ? rc : put_values(job, 0, said);
    rc = rc ? rc : put_places(job);
    return rc ? rc : px_store_publish(store, job->batch);
}

/* --- from the host --- */

/* Slurm 22.05 says of every process that it runs on the node with the id of the node that says so.
 * A number that two nodes would share is our own node's; the others keep their place in the
 * list. */
static void settle_ids(struct px_job *job)
{
    for (size_t i = 0; job->local_node != PX_NO_NODE && i < job->n_nodes; i++) {
        if (i != job->local_node && job->nodes[i].nodeid == job->nodes[job->local_node].nodeid) {
            job->nodes[i].nodeid = PX_NO_NODEID;
        }
    }
}

/* A job does not move to another session: that would be another job of the same name. */
static int check_session(const struct px_job *job)
{
    uint32_t former = px_job_session_of(job->store);

    return (px_store_flags(job->store) & PX_STORE_JOB_COMPLETE) && former != PX_SESSION_DEFAULT &&
                   job->session != former
               ? PMIX_ERR_EXISTS
               : PMIX_SUCCESS;
}

int px_jobinfo_store(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                     const char *hostname)
{
    struct px_job_infos top = px_job_infos_make(info, ninfo);
    const pmix_value_t *no_data = px_job_infos_find(&top, PMIX_REGISTER_NODATA);
    struct px_job job;
    int rc;

    if (!ninfo || (no_data && px_value_true(no_data))) {
        return PMIX_SUCCESS;
    }
    px_job_init(&job, store, hostname, true);
    rc = px_job_read_maps(&job, &top);
    rc = rc ? rc : check_session(&job);
    rc = rc ? rc : px_job_read(&job, &top);
    settle_ids(&job);
    rc = rc ? rc : job_publish(&job, store);
    px_job_fini(&job);
    px_store_compact(store);
    return rc;
}

/* --- from the wire --- */

struct infos {
    pmix_info_t *at;
    size_t n;
    size_t room;
};

static int infos_read(struct px_in *in, struct infos *infos)
{
    while (px_in_left(in)) {
        char *key = NULL;
        pmix_info_t *info;
        int rc;

        if (px_array_room(&infos->at, infos->n, &infos->room, sizeof(*infos->at))) {
            return PMIX_ERR_NOMEM;
        }
        info = &infos->at[infos->n];
        memset(info, 0, sizeof(*info));
        rc = px_unpack_kval(in, &key, &info->value);
        if (rc) {
            return rc;
        }
        if (!key || !key[0] || strlen(key) > PMIX_MAX_KEYLEN) {
            free(key);
            PMIx_Value_destruct(&info->value);
            return PMIX_ERR_UNPACK_FAILURE;
        }
        memcpy(info->key, key, strlen(key) + 1);
        free(key);
        infos->n++;
    }
    return PMIX_SUCCESS;
}

struct blob {
    uint32_t rank;
    struct infos infos;
};

static int read_blob(const pmix_value_t *value, enum px_wire_kind kind, struct blob *blob)
{
    struct px_in in;
    int rc;

    if (value->type != PMIX_BYTE_OBJECT || !value->data.bo.bytes) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    in = px_in_make(value->data.bo.bytes, value->data.bo.size, kind);
    rc = px_unpack_rank(&in, &blob->rank);
    return rc ? rc : infos_read(&in, &blob->infos);
}

/* Every process's own buffer, taken out of the stream. */
static int read_blobs(const struct infos *infos, enum px_wire_kind kind, struct blob *blobs,
                      size_t *ret_n)
{
    const pmix_info_t *at = NULL;
    int rc = PMIX_SUCCESS;

    *ret_n = 0;
    while (!rc && (at = px_infos_next(infos->at, infos->n, at, PMIX_PROC_BLOB)) != NULL) {
        rc = read_blob(&at->value, kind, &blobs[*ret_n]);
        (*ret_n)++;
    }
    return rc;
}

static int store_stream(struct px_store *store, const char *hostname, const struct infos *infos,
                        const struct blob *blobs, size_t n_blobs)
{
    struct px_job_infos top = px_job_infos_make(infos->at, infos->n);
    struct px_job job;
    int rc;

    px_job_init(&job, store, hostname, false);
    rc = px_job_read_maps(&job, &top);
    rc = rc ? rc : px_job_read(&job, &top);
    for (size_t i = 0; !rc && i < n_blobs; i++) {
        rc = px_job_read_proc(&job, blobs[i].rank, blobs[i].infos.at, blobs[i].infos.n);
    }
    rc = rc ? rc : job_publish(&job, store);
    px_job_fini(&job);
    px_store_compact(store);
    return rc;
}

int px_jobinfo_unpack(struct px_in *in, struct px_store *store, const char *hostname)
{
    struct infos infos = {0};
    struct blob *blobs = NULL;
    size_t n_blobs = 0;
    int rc = infos_read(in, &infos);

    if (!rc) {
        blobs = calloc(infos.n + 1, sizeof(*blobs));
        rc = blobs ? read_blobs(&infos, in->kind, blobs, &n_blobs) : PMIX_ERR_NOMEM;
    }
    if (!rc) {
        /* They were read, and are no values of the job. */
        px_infos_drop(infos.at, &infos.n, PMIX_PROC_BLOB);
        px_infos_drop(infos.at, &infos.n, PMIX_MAP_BLOB);
        rc = store_stream(store, hostname, &infos, blobs, n_blobs);
    }
    for (size_t i = 0; i < n_blobs; i++) {
        PMIx_Info_free(blobs[i].infos.at, blobs[i].infos.n);
    }
    free(blobs);
    PMIx_Info_free(infos.at, infos.n);
    return rc;
}
