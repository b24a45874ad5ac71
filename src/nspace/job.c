/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Memory, nodes and ranks of one registration under way. Values are a flat list, because a later
 * one replaces an earlier one in the store anyhow; only nodes and ranks are looked up while
 * reading.
 *
 * Small allocations come from pieces that double in size; there is no single free. The array of
 * ranks grows to the highest rank that was named, at most PX_JOB_MAX_RANKS entries. */

#include "job.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "job_pack.h"
#include "jobinfo.h"
#include "gds/batch.h"

/* Sizes of the first and the largest piece of memory. Pieces grow, so that the memory of a large
 * job is returned to the system when it is freed. */
enum { CHUNK = 16384, CHUNK_MAX = 4194304 };

int px_job_wrong(struct px_job *job, const pmix_info_t *info, int rc)
{
    struct px_jobinfo_fault *fault = job->fault;
    struct px_job_key key = {.name = NULL};

    if (fault && !fault->key[0]) {
        PMIX_LOAD_KEY(fault->key, info->key);
        fault->type = info->value.type;
        fault->declared = px_job_key_fill(&key, info) ? key.declared : PMIX_UNDEF;
    }
    return rc;
}

/* The session of an earlier registration is kept unless this one names another. */
void px_job_init(struct px_job *job, const struct px_store *store, const char *hostname,
                 bool strict)
{
    uint32_t session = px_job_session_of(store);

    *job = (struct px_job){
        .store = store,
        .hostname = hostname && hostname[0] ? hostname : NULL,
        .strict = strict,
        .local_node = PX_NO_NODE,
        .session = session,
        .session_by = session == PX_SESSION_DEFAULT ? PX_SESSION_BY_NOBODY : PX_SESSION_BY_ARRAY,
        .chunk_size = CHUNK,
        .batch = px_batch_create(),
    };
}

/* Values and names need no loop: they are in owned pieces or borrowed. */
void px_job_fini(struct px_job *job)
{
    for (size_t i = 0; i < job->n_nodes; i++) {
        px_ranks_fini(&job->nodes[i].ranks);
    }
    for (size_t i = 0; i < job->n_owned; i++) {
        free(job->owned[i]);
    }
    px_ranks_fini(&job->map_order);
    px_map_fini(&job->placed);
    px_map_fini(&job->node_names);
    free(job->owned);
    free(job->values);
    free(job->nodes);
    free(job->ranks);
    px_batch_destroy(job->batch);
}

/* Zeroed memory that px_job_fini frees; NULL: memory is out. */
static void *keep_owned(struct px_job *job, size_t size)
{
    void *p;

    if (px_array_room(&job->owned, job->n_owned, &job->owned_cap, sizeof(*job->owned))) {
        return NULL;
    }
    p = calloc(1, size);
    if (p) {
        job->owned[job->n_owned++] = p;
    }
    return p;
}

/* A bump allocator with an alignment of 16 bytes; large requests get a piece of their own. The rest
 * of a piece that is too small is given up. */
void *px_job_alloc(struct px_job *job, size_t size)
{
    void *p;

    size = (size + 15) & ~(size_t) 15;
    if (size > CHUNK / 4) {
        return keep_owned(job, size);
    }
    if (size > job->chunk_left) {
        job->chunk_left = 0;
        job->chunk = keep_owned(job, job->chunk_size);
        if (!job->chunk) {
            return NULL;
        }
        job->chunk_left = job->chunk_size;
        job->chunk_size *= job->chunk_size < CHUNK_MAX ? 2 : 1;
    }
    p = job->chunk;
    job->chunk += size;
    job->chunk_left -= size;
    return p;
}

/* Names are short, so most copies come from the current piece. */
char *px_job_strdup(struct px_job *job, const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = px_job_alloc(job, len);

    return copy ? memcpy(copy, text, len) : NULL;
}

pmix_value_t *px_job_u32(struct px_job *job, pmix_data_type_t type, uint32_t v)
{
    pmix_value_t *value = px_job_alloc(job, sizeof(*value));

    if (value) {
        value->type = type;
        if (type == PMIX_UINT16) {
            value->data.uint16 = (uint16_t) v;
        } else {
            value->data.uint32 = v;
        }
    }
    return value;
}

pmix_value_t *px_job_text(struct px_job *job, const char *text)
{
    pmix_value_t *value = px_job_alloc(job, sizeof(*value));

    if (value) {
        value->type = PMIX_STRING;
        value->data.string = (char *) (uintptr_t) text;
    }
    return value;
}

/* Callers pass the result of px_job_u32 or px_job_text on unchecked; a NULL is reported here. */
int px_job_add_value(struct px_job *job, enum px_level level, uint32_t index, const char *key,
                     const pmix_value_t *value)
{
    px_assert(level != PX_LEVEL_PROC);
    if (!value ||
        px_array_room(&job->values, job->n_values, &job->values_cap, sizeof(*job->values))) {
        return PMIX_ERR_NOMEM;
    }
    job->values[job->n_values++] = (struct px_job_value){level, index, key, value};
    return PMIX_SUCCESS;
}

/* The key is entered into the batch once; from then on it is a number. */
int px_job_add_proc_value(struct px_job *job, uint32_t rank, struct px_job_key *key,
                          const pmix_value_t *value)
{
    int rc = PMIX_SUCCESS;

    px_assert(rank < job->n_ranks);
    if (!key->filed) {
        rc = job->batch ? px_batch_key(job->batch, key->name, &key->number) : PMIX_ERR_NOMEM;
        key->filed = !rc;
    }
    job->ranks[rank].said |= px_key_role_bit(key->role);
    return rc ? rc : px_batch_add_proc(job->batch, key->number, rank, PMIX_SCOPE_UNDEF, value);
}

/* --- nodes --- */

/* The map has index + 1 as its value, because a map value is never NULL. */
uint32_t px_job_node_by_name(const struct px_job *job, const char *name)
{
    uintptr_t index = (uintptr_t) px_map_find(&job->node_names, name, strlen(name));

    return index ? (uint32_t) (index - 1) : PX_NO_NODE;
}

/* The node at that position is tried first: most hosts number nodes in order. */
uint32_t px_job_node_by_id(const struct px_job *job, uint32_t nodeid)
{
    if (nodeid < job->n_nodes &&
        (job->nodes[nodeid].nodeid == nodeid || job->nodes[nodeid].nodeid == PX_NO_NODEID)) {
        return nodeid;
    }
    for (size_t i = 0; i < job->n_nodes; i++) {
        if (job->nodes[i].nodeid == nodeid) {
            return (uint32_t) i;
        }
    }
    return PX_NO_NODE;
}

/* If the map cannot take the name the node is not added. */
int px_job_node(struct px_job *job, const char *name, uint32_t *ret_index)
{
    uint32_t index = px_job_node_by_name(job, name);

    if (index != PX_NO_NODE) {
        *ret_index = index;
        return PMIX_SUCCESS;
    }
    name = px_job_strdup(job, name);
    if (!name || px_array_room(&job->nodes, job->n_nodes, &job->nodes_cap, sizeof(*job->nodes)) ||
        px_map_set(&job->node_names, name, strlen(name), (void *) (uintptr_t) (job->n_nodes + 1))) {
        return PMIX_ERR_NOMEM;
    }
    job->nodes[job->n_nodes] = (struct px_job_node){.name = name, .nodeid = PX_NO_NODEID};
    *ret_index = (uint32_t) job->n_nodes++;
    return PMIX_SUCCESS;
}

/* The list is copied to append to it; nodes have few aliases. */
int px_job_alias(struct px_job *job, uint32_t index, const char *alias)
{
    struct px_job_node *node = &job->nodes[index];
    const char **list;
    size_t n = 0;

    px_assert(index < job->n_nodes);
    if (!alias[0] || px_job_node_by_name(job, alias) != PX_NO_NODE) {
        return PMIX_SUCCESS;
    }
    while (node->aliases && node->aliases[n]) {
        n++;
    }
    list = px_job_alloc(job, (n + 2) * sizeof(*list));
    alias = list ? px_job_strdup(job, alias) : NULL;
    if (!alias ||
        px_map_set(&job->node_names, alias, strlen(alias), (void *) (uintptr_t) (index + 1))) {
        return PMIX_ERR_NOMEM;
    }
    if (n) {
        memcpy(list, node->aliases, n * sizeof(*list));
    }
    list[n] = alias;
    node->aliases = list;
    return PMIX_SUCCESS;
}

/* --- ranks --- */

/* Ranks below it are added unseen, so that the array has no gaps. */
int px_job_rank(struct px_job *job, uint32_t rank, struct px_job_rank **ret)
{
    if (rank >= PX_JOB_MAX_RANKS) {
        return PMIX_ERR_BAD_PARAM;
    }
    while (job->n_ranks <= rank) {
        if (px_array_room(&job->ranks, job->n_ranks, &job->ranks_cap, sizeof(*job->ranks))) {
            return PMIX_ERR_NOMEM;
        }
        job->ranks[job->n_ranks++] = (struct px_job_rank){.node = PX_NO_NODE, .app = PX_NO_APP};
    }
    job->ranks[rank].seen = true;
    *ret = &job->ranks[rank];
    return PMIX_SUCCESS;
}

/* Applications are numbered without gaps up to the highest number that was named. */
void px_job_app(struct px_job *job, uint32_t appnum)
{
    if (appnum < UINT16_MAX && appnum >= job->n_apps) {
        job->n_apps = appnum + 1;
    }
}
