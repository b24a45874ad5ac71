/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Brings job information of the host or of the wire into a store, in one publication: everything is
 * read first, so no reader sees a part of a registration, or one that turns out to be malformed.
 *
 * Both sources end in job_publish. They differ in strictness: a host learns of a value of a
 * wrong type by the status of its call. A peer of another implementation may know types that
 * we do not know, so its values are stored as they are. */

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
#include "gds/publication.h"

/* --- from facts to the store --- */

/* Adds the nodes to the batch, which gives each its index in the store, and the readers' own
 * node. */
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

/* Adds the values [from, to) to the batch. The index of a node is translated to that of the
 * store. */
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

/* Adds the placement of every rank that was named. */
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

/* Adds the session number to the job, and the mark of foreign nodes. */
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

/* Derives, fills the batch and publishes it. The order of values: derived ones first, then the
 * host's, which therefore replace them. The memory of all values is that of the job and of the
 * infos, which have to live until then. On failure the store is unchanged. */
static int job_publish(struct px_job *job, struct px_store *store)
{
    size_t said = job->n_values;
    int rc = job->batch ? px_job_derive(job) : PMIX_ERR_NOMEM;

    rc = rc ? rc : put_marks(job);
    rc = rc ? rc : put_nodes(job);
    rc = rc ? rc : put_values(job, said, job->n_values);
    rc = rc ? rc : put_values(job, 0, said);
    rc = rc ? rc : put_places(job);
    return rc ? rc : px_store_publish(store, job->batch);
}

/* --- from the host --- */

/* Slurm 22.05 gives every process the number of the node that it registers from. If another node
 * has the number of the readers' own node, the number is our own node's; the other one gets its
 * position in the list. Only for registrations of the host: on the wire numbers are final. */
static void settle_ids(struct px_job *job)
{
    for (size_t i = 0; job->local_node != PX_NO_NODE && i < job->n_nodes; i++) {
        if (i != job->local_node && job->nodes[i].nodeid == job->nodes[job->local_node].nodeid) {
            job->nodes[i].nodeid = PX_NO_NODEID;
        }
    }
}

/* PMIX_ERR_EXISTS if the job is registered completely and in another session: a job does not change
 * its session, so this is another job of the same name. */
static int check_session(const struct px_job *job)
{
    uint32_t former = px_job_session_of(job->store);

    return (px_store_flags(job->store) & PX_STORE_JOB_COMPLETE) && former != PX_SESSION_DEFAULT &&
                   job->session != former
               ? PMIX_ERR_EXISTS
               : PMIX_SUCCESS;
}

/* A registration with PMIX_REGISTER_NODATA, or without infos, stores nothing. */
int px_jobinfo_store_or_tell(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                             const char *hostname, struct px_jobinfo_fault *ret_fault)
{
    struct px_job_infos top = px_job_infos_make(info, ninfo);
    const pmix_value_t *no_data = px_job_infos_find(&top, PMIX_REGISTER_NODATA);
    struct px_job job;
    int rc;

    if (!ninfo || (no_data && px_value_true(no_data))) {
        return PMIX_SUCCESS;
    }
    px_job_init(&job, store, hostname, true);
    job.fault = ret_fault;
    rc = px_job_read_maps(&job, &top);
    rc = rc ? rc : check_session(&job);
    rc = rc ? rc : px_job_read(&job, &top);
    settle_ids(&job);
    rc = rc ? rc : job_publish(&job, store);
    px_job_fini(&job);
    return rc;
}

int px_jobinfo_store(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                     const char *hostname)
{
    struct px_jobinfo_fault fault = {.key = ""};

    return px_jobinfo_store_or_tell(store, info, ninfo, hostname, &fault);
}

/* --- from the wire --- */

/* Infos unpacked from a stream, growing; owned. */
struct infos {
    pmix_info_t *at;
    size_t n;
    size_t room;
};

/* Unpacks KVALs up to the end of the stream. On failure the infos so far stay owned by `infos`. */
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

/* The values of one process, from its PMIX_PROC_BLOB. */
struct blob {
    uint32_t rank;
    struct infos infos;
};

/* Unpacks the buffer of one process: a rank, then KVALs. */
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

/* Unpacks the buffers of all processes. *ret_n counts the one that failed as well, so that its
 * infos are freed. */
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

/* True if the stream has what its maps say in another form too, or has too little of them: then
 * they are only values. That the server's maps of several registrations may contradict each other
 * does no harm then. */
static bool has_more_than_maps(const struct infos *infos)
{
    bool nodes = px_info_find(infos->at, infos->n, PMIX_NODE_MAP) ||
                 px_info_find(infos->at, infos->n, PMIX_NODE_MAP_RAW);
    bool procs = px_info_find(infos->at, infos->n, PMIX_PROC_MAP) ||
                 px_info_find(infos->at, infos->n, PMIX_PROC_MAP_RAW);

    return !nodes || !procs || px_info_find(infos->at, infos->n, PMIX_NODE_INFO_ARRAY);
}

/* Reads the unpacked infos and blobs as a registration that is not strict, and publishes it. */
static int store_stream(struct px_store *store, const char *hostname, const struct infos *infos,
                        const struct blob *blobs, size_t n_blobs)
{
    struct px_job_infos top = px_job_infos_make(infos->at, infos->n);
    struct px_job job;
    int rc;

    px_job_init(&job, store, hostname, false);
    job.maps_are_values = has_more_than_maps(infos);
    rc = px_job_read_maps(&job, &top);
    rc = rc ? rc : px_job_read(&job, &top);
    for (size_t i = 0; !rc && i < n_blobs; i++) {
        rc = px_job_read_proc(&job, blobs[i].rank, blobs[i].infos.at, blobs[i].infos.n);
    }
    rc = rc ? rc : job_publish(&job, store);
    px_job_fini(&job);
    return rc;
}

/* Blobs are read into infos of their own first; then blobs and map blobs are dropped, since they
 * are not values of the job. */
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
