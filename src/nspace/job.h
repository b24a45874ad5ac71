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

/* Job information on its way into a store. A registration is read into a struct px_job as a whole,
 * then missing values are derived, then everything is published in one step. Private to this
 * folder. A px_job lives on the stack of one call, and is used by that thread only.
 *
 * The steps, and the files that do them:
 *   jobinfo.c       takes infos from the host or unpacks them from a message; runs the other steps
 *   names.c         first pass: session, node map (maps.c), sizes, process map, own node
 *   info_arrays.c   second pass: every value to its home; types are checked (key_types.c)
 *   derive.c        adds values that follow from the placement
 *   jobinfo.c       fills the batch (gds/batch.h) and publishes it
 * job_pack.c is the opposite direction, from the store to a message. resolve.c, proc_infos.c,
 * proc_sets.c, query_args.c and ranks.c stand apart: they answer questions about namespaces. */

/* Limits of a registration: nesting of arrays, number of ranks. They bound the work that malformed
 * input can cause. */
enum { PX_JOB_MAX_DEPTH = 64, PX_JOB_NO_ARRAY = 0, PX_JOB_MAX_RANKS = 1 << 24 };
/* Size of the table of remembered keys (struct px_job_key): depths and positions. */
enum { PX_JOB_KNOWN_DEPTHS = 4, PX_JOB_KNOWN_KEYS = 32 };

/* The session number if the host never gives one. */
#define PX_SESSION_DEFAULT UINT32_MAX

/* Source of the job's session number. A later one in this list has precedence; of equal ones the
 * first that was read. */
enum px_session_by {
    PX_SESSION_BY_NOBODY,
    PX_SESSION_BY_ARRAY,  /* a session array, or what was registered before */
    PX_SESSION_BY_HOLDER, /* a session array that contains a job array */
    PX_SESSION_BY_NAME    /* PMIX_SESSION_ID among the job's values */
};

/* One value at one home above processes; values of processes go into the batch at once. Key and
 * value are borrowed from the caller, or in memory of the job. */
struct px_job_value {
    enum px_level level;
    uint32_t index; /* of a node: in job->nodes */
    const char *key;
    const pmix_value_t *value;
};

/* One node that the registration names. Strings are in memory of the job. */
struct px_job_node {
    const char *name;
    const char **aliases;  /* NULL-terminated, or NULL */
    uint32_t nodeid;       /* PX_NO_NODEID: not given */
    bool foreign;          /* the session has it; this job does not use it, as far as was read */
    bool said_peers;       /* the host gave PMIX_LOCAL_PEERS */
    struct px_ranks ranks; /* filled when deriving */
    uint32_t batch_index;  /* its index in the batch and the store; set when publishing */
};

/* Placement of one rank. */
struct px_job_rank {
    uint32_t node; /* in job->nodes, or PX_NO_NODE */
    uint32_t app;  /* PX_NO_APP: not given */
    bool seen;     /* the registration names the rank */
    uint8_t said;  /* px_key_role_bit of each value that the host gave: not derived */
};

/* Keys that direct the reading itself; all others have the role NONE. */
enum px_key_role {
    PX_KEY_ROLE_NONE,
    PX_KEY_ROLE_SESSION_ARRAY,
    PX_KEY_ROLE_JOB_ARRAY,
    PX_KEY_ROLE_APP_ARRAY,
    PX_KEY_ROLE_NODE_ARRAY,
    PX_KEY_ROLE_PROC_ARRAY, /* must be the last of the arrays */
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
    PX_KEY_ROLE_NODE_MAP, /* compressed or raw; the next one likewise */
    PX_KEY_ROLE_PROC_MAP,
    PX_KEY_ROLE_GLOBAL_RANK, /* the first of those derived for each process: see px_key_role_bit */
    PX_KEY_ROLE_APP_RANK,
    PX_KEY_ROLE_LOCAL_RANK,
    PX_KEY_ROLE_NODE_RANK,
    PX_N_KEY_ROLES
};

/* The bit of a role in px_job_rank.said; 0 for roles that are not derived for processes. */
static inline uint8_t px_key_role_bit(enum px_key_role role)
{
    return role < PX_KEY_ROLE_GLOBAL_RANK ? 0 : (uint8_t) (1u << (role - PX_KEY_ROLE_GLOBAL_RANK));
}

/* Bytes of a key that are compared as words. */
enum { PX_KEY_HEAD = 2 * sizeof(uint64_t) };

/* The properties of a key, remembered for a depth and position of the info arrays, because all
 * process arrays have the same keys at the same positions (key_properties.c).
 *
 * role, realm, declared and per_node follow from the name alone. filed and number belong to the
 * batch, app_placed to the values read so far; they too are lost when another key takes the place,
 * which costs a search and does no harm. */
struct px_job_key {
    const char *name;    /* borrowed from the infos; NULL: nothing is remembered here */
    uint64_t head[2];    /* the first bytes of the name with its NUL, then zeros */
    uint64_t mask[2];    /* 0xff for each byte of the name in head */
    bool longer;         /* the name does not fit into head */
    bool filed;          /* the batch knows the key */
    uint32_t number;     /* its number in the batch, if filed */
    uint32_t app_placed; /* 1 + an application that has a value under it; 0: not known */
    enum px_key_role role;
    enum px_realm realm;
    pmix_data_type_t declared; /* type of its values; PMIX_UNDEF: any */
    bool per_node;             /* the job's key, with a value for each node */
};

/* One registration under way. Owns everything that it points to, except the store and what is said
 * to be borrowed.
 *
 * Strings and values may be in memory of the caller (infos of the host, of the stream), in pieces
 * of the job (px_job_alloc), or be nodes' names. All of them stay valid until the publication,
 * which copies everything into the store; then the job is freed as a whole. */
struct px_job {
    const struct px_store *store;
    const char *hostname; /* name of the readers' own node, borrowed, or NULL */
    bool strict;          /* from the host, not from the wire: wrong types are refused */
    bool maps_are_values; /* maps are stored, and nothing is learnt from them */

    struct px_batch *batch;      /* values of processes, later everything; NULL: memory was out */
    struct px_job_value *values; /* above processes, in the order of reading */
    size_t n_values;
    size_t values_cap;
    struct px_map placed; /* application values out of process arrays that were added already */

    struct px_job_node *nodes;
    size_t n_nodes;
    size_t nodes_cap;
    struct px_map node_names;  /* name or alias -> index + 1 */
    uint32_t local_node;       /* in nodes, or PX_NO_NODE */
    struct px_ranks map_order; /* nodes of the node map, in its order */

    struct px_job_rank *ranks; /* by rank, without gaps */
    size_t n_ranks;
    size_t ranks_cap;

    uint32_t session; /* id, or PX_SESSION_DEFAULT */
    enum px_session_by session_by;
    uint32_t n_apps;   /* highest app number seen + 1 */
    uint32_t job_size; /* as the host gave it, else 0 */
    uint32_t offset;   /* PMIX_NPROC_OFFSET, else 0 */
    bool has_proc_map;
    bool has_node_map;
    bool whole; /* set when deriving: the node of every rank is known */

    struct px_jobinfo_fault *fault; /* borrowed: where the first wrong info is noted; or NULL */

    void **owned; /* malloc'd pieces; freed with the job */
    size_t n_owned;
    size_t owned_cap;
    char *chunk; /* free part of the newest piece; small allocations come from it */
    size_t chunk_left;
    size_t chunk_size; /* size of the next piece; they double */

    struct px_job_key known[PX_JOB_KNOWN_DEPTHS][PX_JOB_KNOWN_KEYS];
};

/* Begins a registration into a store, which may have the job already. Never fails: a missing batch
 * is reported when publishing. `hostname` is borrowed until px_job_fini, which must follow;
 * `strict` refuses values of a wrong type. */
void px_job_init(struct px_job *job, const struct px_store *store, const char *hostname,
                 bool strict);
/* Frees everything; the store is not touched. */
void px_job_fini(struct px_job *job);

/* Zeroed memory that lives as long as the job; NULL: memory is out. */
void *px_job_alloc(struct px_job *job, size_t size);
/* A copy with the lifetime of the job; NULL: memory is out. */
char *px_job_strdup(struct px_job *job, const char *text);
/* A number as a value of that type (16 or 32 bits) with the lifetime of the job; NULL: memory is
 * out. */
pmix_value_t *px_job_u32(struct px_job *job, pmix_data_type_t type, uint32_t v);
/* A string value whose text is borrowed; NULL: memory is out. */
pmix_value_t *px_job_text(struct px_job *job, const char *text);

/* Adds a value above processes; `value` NULL is taken for an allocation that failed. 0 or
 * PMIX_ERR_NOMEM. */
int px_job_add_value(struct px_job *job, enum px_level level, uint32_t index, const char *key,
                     const pmix_value_t *value);

/* Adds a value of a process to the batch; of several for one rank and key the last is stored. `key`
 * is one that px_job_key returned. The value is borrowed unless it is a scalar. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
int px_job_add_proc_value(struct px_job *job, uint32_t rank, struct px_job_key *key,
                          const pmix_value_t *value);

/* Notes an info that made the reading fail, unless one within it is noted already. Returns rc. */
int px_job_wrong(struct px_job *job, const pmix_info_t *info, int rc);

/* Finds a node by name or alias, or adds it. 0 or PMIX_ERR_NOMEM. */
int px_job_node(struct px_job *job, const char *name, uint32_t *ret_index);
/* Adds an alias to a node. A name that is known already, or empty, is ignored. 0 or
 * PMIX_ERR_NOMEM. */
int px_job_alias(struct px_job *job, uint32_t index, const char *alias);
/* Index of the node with that name or alias; PX_NO_NODE: there is none. */
uint32_t px_job_node_by_name(const struct px_job *job, const char *name);
/* Index of the node with that number. A node without a number has its index as one. */
uint32_t px_job_node_by_id(const struct px_job *job, uint32_t nodeid);

/* The entry of a rank, added if it is new, and marked as seen; valid until the next call. 0,
 * PMIX_ERR_BAD_PARAM (the rank is PX_JOB_MAX_RANKS or more), PMIX_ERR_NOMEM. */
int px_job_rank(struct px_job *job, uint32_t rank, struct px_job_rank **ret);
/* Notes that the application exists; numbers from UINT16_MAX on are ignored. */
void px_job_app(struct px_job *job, uint32_t appnum);

/* As px_job_key_fill, for the info at position `at` of an array at that depth: the properties are
 * remembered there, and two words are compared if the key is the same again. Valid until the next
 * call. NULL: the key is malformed. */
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

/* The host's info array, borrowed. Nearly all infos of a large job are process arrays, in one
 * contiguous run; a search for other keys skips that run. */
struct px_job_infos {
    const pmix_info_t *at;
    size_t n;
    size_t procs; /* index of the first array of the run, which has n_procs */
    size_t n_procs;
};

/* The index to continue with at i: behind the run if i is its first array. */
static inline size_t px_job_infos_next(const struct px_job_infos *top, size_t i)
{
    return i == top->procs ? i + top->n_procs : i;
}

#endif
