/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values that follow from the placement: sizes, local peers, leaders, ranks. A derived value never
 * replaces one that the host gave: derived values go into the batch first, and later entries win. A
 * value of an earlier registration is replaced only if this one has a process map of its own.
 *
 *   level        key                 value, and when it is derived
 *   node         PMIX_LOCAL_SIZE     ranks on the node; these six need a whole placement
 *                PMIX_NODE_SIZE      the same: the ranks of this job
 *                PMIX_LOCALLDR       lowest rank on the node
 *                PMIX_LOCAL_PEERS    ranks on the node as text
 *   process      PMIX_LOCAL_RANK,    position in the node's list
 *                PMIX_NODE_RANK
 *   job          PMIX_NUM_NODES      nodes of the job; with a node map or a whole placement
 *                PMIX_NODE_LIST      names of the nodes; with a node map
 *                PMIX_JOB_SIZE,      the host's size, else the number of ranks that it named
 *                PMIX_MAX_PROCS
 *                PMIX_JOB_NUM_APPS   highest application number + 1
 *   session      PMIX_UNIV_SIZE      as PMIX_JOB_SIZE
 *   application  PMIX_APPNUM, PMIX_APP_SIZE, PMIX_APPLDR
 *   process      PMIX_APP_RANK, PMIX_GLOBAL_RANK */

#include "derive.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/assert.h"
#include "gds/level.h"
#include "gds/slice.h"

/* True if an earlier registration stored the value and this one must not derive it again. */
static bool keep_stored(const struct px_job *job, enum px_level level, uint32_t index,
                        const char *key)
{
    struct px_slice slice;

    return !job->has_proc_map &&
           px_store_find(job->store, level, index, key, strlen(key), &slice) == PMIX_SUCCESS;
}

/* Adds one derived number at a level above processes, unless it is stored already. For a node
 * `index` is that in job->nodes, which the store does not know, so nodes are not checked. */
static int derive(struct px_job *job, enum px_level level, uint32_t index, const char *key,
                  pmix_data_type_t type, uint32_t v)
{
    if (level != PX_LEVEL_NODE && keep_stored(job, level, index, key)) {
        return PMIX_SUCCESS;
    }
    return px_job_add_value(job, level, index, key, px_job_u32(job, type, v));
}

/* --- nodes --- */

/* Fills the rank lists of the nodes, in ascending order. */
static int collect_ranks(struct px_job *job)
{
    for (size_t r = 0; r < job->n_ranks; r++) {
        uint32_t node = job->ranks[r].node;

        if (node != PX_NO_NODE && px_ranks_add(&job->nodes[node].ranks, (uint32_t) r)) {
            return PMIX_ERR_NOMEM;
        }
    }
    return PMIX_SUCCESS;
}

/* The same for a process, unless the host gave it the value. Each rank comes at most once for a
 * key. */
static int derive_proc(struct px_job *job, uint32_t rank, struct px_job_key *key,
                       pmix_data_type_t type, uint32_t v)
{
    pmix_value_t value;

    px_assert(rank < job->n_ranks);
    if ((job->ranks[rank].said & px_key_role_bit(key->role)) ||
        keep_stored(job, PX_LEVEL_PROC, rank, key->name)) {
        return PMIX_SUCCESS;
    }
    value = (pmix_value_t){.type = type};
    if (type == PMIX_UINT16) {
        value.data.uint16 = (uint16_t) v;
    } else {
        value.data.uint32 = v;
    }
    return px_job_add_proc_value(job, rank, key, &value);
}

/* Local rank and node rank: the position in the list of the node. Both are 16 bits wide, so further
 * processes of a node get none. */
static int derive_local_ranks(struct px_job *job, const struct px_ranks *ranks)
{
    struct px_job_key local = {.name = PMIX_LOCAL_RANK, .role = PX_KEY_ROLE_LOCAL_RANK};
    struct px_job_key node = {.name = PMIX_NODE_RANK, .role = PX_KEY_ROLE_NODE_RANK};
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ranks->n && i < UINT16_MAX; i++) {
        uint32_t r = ranks->at[i];

        rc = derive_proc(job, r, &local, PMIX_UINT16, (uint32_t) i);
        rc = rc ? rc : derive_proc(job, r, &node, PMIX_UINT16, (uint32_t) i);
    }
    return rc;
}

/* True if the node of every rank is known: from a process map, or because as many ranks are placed
 * as the job has. Otherwise a node's list may be incomplete, and nothing is derived from it.
 * Without a job size, all ranks up to the highest named one have to be placed. */
static bool layout_is_whole(const struct px_job *job)
{
    size_t placed = 0;

    if (job->has_proc_map) {
        return true;
    }
    for (size_t r = 0; r < job->n_ranks; r++) {
        placed += job->ranks[r].node != PX_NO_NODE;
    }
    return placed && (job->job_size ? placed >= job->job_size : placed == job->n_ranks);
}

/* Values of one node: local size, node size, leader, ranks, and the list of local peers unless the
 * host gave one or forbade it (PX_STORE_NO_REBUILD). */
static int derive_node(struct px_job *job, uint32_t index)
{
    const struct px_ranks *ranks = &job->nodes[index].ranks;
    uint32_t n = (uint32_t) ranks->n;
    char *peers;
    int rc = derive(job, PX_LEVEL_NODE, index, PMIX_LOCAL_SIZE, PMIX_UINT32, n);

    px_assert(job->whole && index < job->n_nodes);
    rc = rc ? rc : derive(job, PX_LEVEL_NODE, index, PMIX_NODE_SIZE, PMIX_UINT32, n);
    if (!rc && n) {
        rc = derive(job, PX_LEVEL_NODE, index, PMIX_LOCALLDR, PMIX_PROC_RANK, ranks->at[0]);
        rc = rc ? rc : derive_local_ranks(job, ranks);
    }
    if (rc || !n || job->nodes[index].said_peers ||
        (px_store_flags(job->store) & PX_STORE_NO_REBUILD)) {
        return rc;
    }
    peers = px_ranks_text(ranks);
    if (!peers) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_job_add_value(job, PX_LEVEL_NODE, index, PMIX_LOCAL_PEERS,
                          px_job_text(job, px_job_strdup(job, peers)));
    free(peers);
    return rc;
}

/* All nodes of the job, and their number. Nodes of the session that the job does not use are not
 * counted. */
static int derive_nodes(struct px_job *job)
{
    uint32_t used = 0;
    int rc = PMIX_SUCCESS;

    for (uint32_t i = 0; !rc && i < job->n_nodes; i++) {
        if (job->nodes[i].foreign) {
            continue;
        }
        used++;
        rc = job->whole ? derive_node(job, i) : PMIX_SUCCESS;
    }
    if (!rc && used && (job->has_node_map || job->whole)) {
        rc = derive(job, PX_LEVEL_JOB, 0, PMIX_NUM_NODES, PMIX_UINT32, used);
    }
    return rc;
}

/* PMIX_NODE_LIST, in the order of the node map; nothing without a map. */
static int derive_node_list(struct px_job *job)
{
    struct px_buf list = {0};
    const char *text;

    if (!job->has_node_map) {
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; i < job->map_order.n; i++) {
        px_buf_item(&list, job->nodes[job->map_order.at[i]].name);
    }
    px_buf_byte(&list, 0);
    text = px_buf_ok(&list) ? px_job_strdup(job, (const char *) list.data) : NULL;
    px_buf_fini(&list);
    return text ? px_job_add_value(job, PX_LEVEL_JOB, 0, PMIX_NODE_LIST, px_job_text(job, text))
                : PMIX_ERR_NOMEM;
}

/* --- applications --- */

/* Sizes, leaders and numbers of the applications, and the rank of each process in its own. A job
 * without application numbers has one application, 0. A process without an application number is of
 * application 0 if there is only one; else it is not counted. */
static int derive_apps(struct px_job *job, uint32_t job_size)
{
    uint32_t n = job->n_apps ? job->n_apps : 1;
    struct px_job_key app_rank = {.name = PMIX_APP_RANK, .role = PX_KEY_ROLE_APP_RANK};
    uint32_t *sizes = calloc(n, sizeof(*sizes));
    int rc = sizes ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    for (size_t r = 0; !rc && r < job->n_ranks; r++) {
        uint32_t app = job->ranks[r].app == PX_NO_APP && n == 1 ? 0 : job->ranks[r].app;

        if (!job->ranks[r].seen || app >= n) {
            continue;
        }
        job->ranks[r].app = app;
        if (!sizes[app]) {
            rc = derive(job, PX_LEVEL_APP, app, PMIX_APPLDR, PMIX_PROC_RANK, (uint32_t) r);
        }
        rc = rc ? rc : derive_proc(job, (uint32_t) r, &app_rank, PMIX_PROC_RANK, sizes[app]);
        sizes[app]++;
    }
    for (uint32_t app = 0; !rc && app < n; app++) {
        uint32_t size = n == 1 && job_size ? job_size : sizes[app];

        rc = derive(job, PX_LEVEL_APP, app, PMIX_APPNUM, PMIX_UINT32, app);
        rc = rc || !size ? rc : derive(job, PX_LEVEL_APP, app, PMIX_APP_SIZE, PMIX_UINT32, size);
    }
    rc = rc ? rc : derive(job, PX_LEVEL_JOB, 0, PMIX_JOB_NUM_APPS, PMIX_UINT32, n);
    free(sizes);
    return rc;
}

/* --- processes --- */

/* The global rank. Rank, node and application number of a process are no values: the store answers
 * them from the placement. */
static int derive_procs(struct px_job *job)
{
    struct px_job_key global = {.name = PMIX_GLOBAL_RANK, .role = PX_KEY_ROLE_GLOBAL_RANK};
    int rc = PMIX_SUCCESS;

    for (uint32_t r = 0; !rc && r < job->n_ranks; r++) {
        if (job->ranks[r].seen) {
            rc = derive_proc(job, r, &global, PMIX_PROC_RANK, r + job->offset);
        }
    }
    return rc;
}

/* Without any known rank and without a job size only the nodes are derived. */
int px_job_derive(struct px_job *job)
{
    uint32_t n = 0;
    int rc;

    px_assert(!job->whole); /* once */
    for (size_t r = 0; r < job->n_ranks; r++) {
        n += job->ranks[r].seen;
    }
    job->whole = layout_is_whole(job);
    rc = collect_ranks(job);
    rc = rc ? rc : derive_nodes(job);
    rc = rc ? rc : derive_node_list(job);
    n = job->job_size ? job->job_size : n;
    if (rc || !n) {
        return rc;
    }
    rc = derive(job, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, PMIX_UINT32, n);
    rc = rc ? rc : derive(job, PX_LEVEL_JOB, 0, PMIX_MAX_PROCS, PMIX_UINT32, n);
    rc = rc ? rc : derive(job, PX_LEVEL_SESSION, job->session, PMIX_UNIV_SIZE, PMIX_UINT32, n);
    rc = rc ? rc : derive_apps(job, n);
    return rc ? rc : derive_procs(job);
}
