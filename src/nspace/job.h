/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_JOB_H
#define PX_NSPACE_JOB_H

#include <string.h>

#include "gds/lookup.h"
#include "gds/store.h"
#include "ranks.h"
#include "src/base/map.h"
#include "key_properties.h"

/* Job information on its way into a store: first everything is read into a struct px_job, then what
 * is missing is derived, then all of it is published at once. Private to this folder. Lives for one
 * call, in one thread. */

enum { PX_JOB_MAX_DEPTH = 64, PX_JOB_NO_ARRAY = 0, PX_JOB_MAX_RANKS = 1 << 24 };
enum { PX_JOB_KNOWN_DEPTHS = 4, PX_JOB_KNOWN_KEYS = 32 };

/* The session of a host that never names one. */
#define PX_SESSION_DEFAULT UINT32_MAX

/* What says of which session the job is; the later one counts, of equals the first. */
enum px_session_by {
    PX_SESSION_BY_NOBODY,
    PX_SESSION_BY_ARRAY,  /* a session array, or what was registered before */
    PX_SESSION_BY_HOLDER, /* a session array with the job in it */
    PX_SESSION_BY_NAME    /* its number, beside the job's values */
};

/* One value at one place, but of a process: those go into the batch at once. Key and value are
 * borrowed from the caller, or from the job's own memory. */
struct px_job_value {
    enum px_level level;
    uint32_t index; /* of a node: in job->nodes */
    const char *key;
    const pmix_value_t *value;
};

struct px_job_node {
    const char *name;
    const char **aliases;  /* NULL-terminated, or NULL */
    uint32_t nodeid;       /* PX_NO_NODEID: not said */
    bool foreign;          /* the session's, not (yet) this job's */
    bool said_peers;       /* the host lists its processes */
    struct px_ranks ranks; /* filled when deriving */
    uint32_t batch_index;
};

struct px_job_rank {
    uint32_t node; /* in job->nodes, or PX_NO_NODE */
    uint32_t app;  /* PX_NO_APP: not said */
    bool seen;
    uint8_t said; /* bit of px_key_role_bit: the host gave the value, nothing is derived */
};

/* Keys that mean something to reading itself. */
enum px_key_role {
    PX_KEY_ROLE_NONE,
    PX_KEY_ROLE_SESSION_ARRAY,
    PX_KEY_ROLE_JOB_ARRAY,
    PX_KEY_ROLE_APP_ARRAY,
    PX_KEY_ROLE_NODE_ARRAY,
    PX_KEY_ROLE_PROC_ARRAY, /* the last of the arrays */
    PX_KEY_ROLE_NO_DATA,
    PX_KEY_ROLE_RANK,
    PX_KEY_ROLE_PROCID,
    PX_KEY_ROLE_HOSTNAME,
    PX_KEY_ROLE_NODEID,
    PX_KEY_ROLE_APPNUM,
    PX_KEY_ROLE_LOCAL_PEERS,
    PX_KEY_ROLE_SESSION_ID,
    PX_KEY_ROLE_JOB_SIZE,
    PX_KEY_ROLE_NPROC_OFFSET,
    PX_KEY_ROLE_NODE_MAP, /* as a text or raw, like the next */
    PX_KEY_ROLE_PROC_MAP,
    PX_KEY_ROLE_GLOBAL_RANK, /* the first of those that are derived for each process */
    PX_KEY_ROLE_APP_RANK,
    PX_KEY_ROLE_LOCAL_RANK,
    PX_KEY_ROLE_NODE_RANK,
    PX_N_KEY_ROLES
};

static inline uint8_t px_key_role_bit(enum px_key_role role)
{
    return role < PX_KEY_ROLE_GLOBAL_RANK ? 0 : (uint8_t) (1u << (role - PX_KEY_ROLE_GLOBAL_RANK));
}

enum { PX_KEY_HEAD = 2 * sizeof(uint64_t) };

struct px_job_key {
    const char *name; /* borrowed like a fact's key; NULL: nothing remembered */
    uint64_t head[2]; /* its first bytes with the NUL, then zeros */
    uint64_t mask[2]; /* which those are */
    bool longer;      /* than head */
    bool filed;       /* `number` is its number in the batch */
    uint32_t number;
    uint32_t app_placed; /* 1 + an application that has a value under it; 0: not known */
    enum px_key_role role;
    enum px_realm realm;
    pmix_data_type_t declared;
    bool per_node;
};

struct px_job {
    const struct px_store *store;
    const char *hostname; /* the readers' own node, or NULL */
    bool strict;          /* the host's own registration: wrong types are refused */

    struct px_batch *batch; /* NULL: memory was out */
    struct px_job_value *values;
    size_t n_values;
    size_t values_cap;
    struct px_map placed; /* app-level facts that came with process arrays: first one wins */

    struct px_job_node *nodes;
    size_t n_nodes;
    size_t nodes_cap;
    struct px_map node_names;  /* name or alias -> index + 1 */
    uint32_t local_node;       /* in nodes, or PX_NO_NODE */
    struct px_ranks map_order; /* nodes of the node map, in its order */

    struct px_job_rank *ranks;
    size_t n_ranks;
    size_t ranks_cap;

    uint32_t session; /* id, or PX_SESSION_DEFAULT */
    enum px_session_by session_by;
    uint32_t n_apps;   /* highest app number seen + 1 */
    uint32_t job_size; /* as the host said; 0: not said */
    uint32_t offset;   /* PMIX_NPROC_OFFSET, 0 unless said */
    bool has_proc_map;
    bool has_node_map;
    bool whole; /* set when deriving: it is known where every rank runs */

    void **owned; /* malloc'd pieces that facts point at */
    size_t n_owned;
    size_t owned_cap;
    char *chunk; /* where small pieces come from */
    size_t chunk_left;
    size_t chunk_size; /* of the next piece: they grow */

    struct px_job_key known[PX_JOB_KNOWN_DEPTHS][PX_JOB_KNOWN_KEYS];
};

void px_job_init(struct px_job *job, const struct px_store *store, const char *hostname,
                 bool strict);
void px_job_fini(struct px_job *job);

/* Zeroed memory that lives as long as the job; NULL when out. */
void *px_job_alloc(struct px_job *job, size_t size);
char *px_job_strdup(struct px_job *job, const char *text);
pmix_value_t *px_job_u32(struct px_job *job, pmix_data_type_t type, uint32_t v);
pmix_value_t *px_job_text(struct px_job *job, const char *text); /* text is borrowed */

/* Not for the process level. 0 or PMIX_ERR_NOMEM. */
int px_job_add_value(struct px_job *job, enum px_level level, uint32_t index, const char *key,
                     const pmix_value_t *value);

/* The value of a process; of equal ranks the last counts. `key` is one that px_job_key gave. The
 * value is borrowed unless it is a scalar. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_job_add_proc_value(struct px_job *job, uint32_t rank, struct px_job_key *key,
                          const pmix_value_t *value);

/* Finds a node by name (or alias), or adds it. */
int px_job_node(struct px_job *job, const char *name, uint32_t *ret_index);
int px_job_alias(struct px_job *job, uint32_t index, const char *alias);
uint32_t px_job_node_by_name(const struct px_job *job, const char *name);
uint32_t px_job_node_by_id(const struct px_job *job, uint32_t nodeid);

/* The rank's place, made when it is new. NULL when memory is out or the rank is beyond
 * PX_JOB_MAX_RANKS. */
struct px_job_rank *px_job_rank(struct px_job *job, uint32_t rank);
void px_job_app(struct px_job *job, uint32_t appnum);

/* The same for an info at that depth and position, where the answer is kept. Good until the next
 * call. */
static inline struct px_job_key *px_job_key(struct px_job *job, const pmix_info_t *info,
                                            unsigned depth, size_t at)
{
    struct px_job_key *known = &job->known[depth % PX_JOB_KNOWN_DEPTHS][at % PX_JOB_KNOWN_KEYS];
    uint64_t head[2];

    memcpy(head, info->key, sizeof(head));
    if (known->name && !((head[0] ^ known->head[0]) & known->mask[0]) &&
        !((head[1] ^ known->head[1]) & known->mask[1]) &&
        (!known->longer || strcmp(known->name + PX_KEY_HEAD, info->key + PX_KEY_HEAD) == 0)) {
        return known;
    }
    return px_job_key_fill(known, info);
}

/* The host's infos. Of those nearly all are process arrays, in one run: who has no use for them
 * steps over it. */
struct px_job_infos {
    const pmix_info_t *at;
    size_t n;
    size_t procs; /* the run: n_procs arrays from here */
    size_t n_procs;
};

static inline size_t px_job_infos_next(const struct px_job_infos *top, size_t i)
{
    return i == top->procs ? i + top->n_procs : i;
}

#endif
