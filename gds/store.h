/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STORE_H
#define PX_GDS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

/* One namespace's data: the only datastore, in one format (docs/segment-format.md). A store is
 * either the writer's (created here) or a reader's (opened from a descriptor). The writer's is
 * readable too.
 *
 * Threads: one writer at a time (the owner serialises); any number of readers in any thread, in
 * callbacks and in other processes; readers never lock, wait, allocate (but for results) or make a
 * system call. */

struct px_store;
struct px_batch;
struct px_segment_hints;

enum px_level {
    PX_LEVEL_SESSION,
    PX_LEVEL_JOB,
    PX_LEVEL_APP,
    PX_LEVEL_NODE,
    PX_LEVEL_PROC,
    PX_N_LEVELS
};

enum {
    PX_NO_NODE = UINT32_MAX,
    PX_NO_APP = UINT32_MAX,
    PX_NO_NODEID = UINT32_MAX,
    PX_NO_SESSION = UINT32_MAX
};

/* --- life --- */

struct px_store_opts {
    const char *nspace;
    bool shared;           /* a sealed memfd; otherwise process memory in the same format */
    uint64_t virtual_size; /* bytes; 0: the default; lowered by the store when address space is
                              limited */
    const struct px_segment_hints *hints; /* how it gets memory (shmem/segment.h), or NULL */
    uid_t uid;                            /* whose namespace it is */
    gid_t gid;
    bool moves; /* the store may change its generation: then one thread uses it, what was
                   borrowed from it is good until px_store_compact, and publishing is not
                   bound by virtual_size */
    /* with `moves`: what may be dead before px_store_compact leaves it behind */
    uint64_t garbage_bytes;
};

/* Makes an empty store and its writer. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_NOT_SUPPORTED (no memfd: ask again with shared = false), PMIX_ERR_BAD_PARAM. */
int px_store_create(const struct px_store_opts *opts, struct px_store **ret);

/* Maps a segment read-only at any address. Takes over fd (closes it, always). Verifies seals,
 * magic, version, fingerprint, byte order and bounds before believing anything. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_NOT_SUPPORTED (another format: use messages), PMIX_ERR_NO_PERMISSIONS (not sealed),
 * PMIX_ERR_UNPACK_FAILURE (damaged). */
int px_store_open(int fd, struct px_store **ret);

/* Does what the hints say to a reader's mapping: how it is paged, how much of it at once. Again,
 * when it has grown: to what is new. One thread. */
void px_store_prefault(struct px_store *store, const struct px_segment_hints *hints);

/* Unmaps and frees, with all that is chained to it. The writer's marks the segment dead first, so
 * that readers know. Takes NULL. */
void px_store_destroy(struct px_store *store);

/* Puts a store in front of a list of stores that are kept; it is taken out of it. */
void px_store_chain(struct px_store **list, struct px_store *store);
struct px_store *px_store_unchain(struct px_store **list);

/* Housekeeping of a store that moves, to be called when nothing borrowed from it is in use: slices,
 * names, values that a batch refers to. Moves to a new generation when more than a quarter and more
 * than garbage_bytes of the segment is dead, and forgets old ones, but for those of which
 * px_slice_pointer has given pointers away. Readers of an old generation see that it has been
 * superseded (px_store_info) and keep what they have mapped. Want of memory is no error: things
 * stay as they are. */
void px_store_compact(struct px_store *store);

/* A private store that has refused a publication because it was full: the same in a larger one,
 * which takes its place; the caller keeps the old one for as long as somebody may read it. The
 * writer's thread. 0, PMIX_ERR_OUT_OF_RESOURCE (that was not the reason, or no room). */
int px_store_enlarge(const struct px_store *store, struct px_store **ret);

/* Whether the store is of a later generation than this. */
bool px_store_is_later(const struct px_store *store, uint32_t generation);

/* Whether pointers into the store were given away (px_slice_pointer). Any thread. */
bool px_store_is_pinned(const struct px_store *store);

/* Descriptor to hand to readers (borrowed until the next publication; sealed against writing), or
 * -1 for a private store. */
int px_store_fd(const struct px_store *store);

const char *px_store_nspace(const struct px_store *store);

struct px_store_info {
    uint64_t used_bytes;
    uint64_t garbage_bytes; /* of them, what has been replaced */
    uint64_t sequence;      /* publications so far; goes on through the generations */
    uint64_t epoch;         /* of all generations; another one when the name is used again */
    uint32_t generation;
    uint32_t n_nodes;
    uint32_t n_apps;
    uint32_t n_ranks; /* highest rank placed or written + 1 */
    bool shared;
    bool dead;       /* the writer has gone on purpose */
    bool superseded; /* there is a newer generation */
};
void px_store_info(const struct px_store *store, struct px_store_info *ret);

/* A word that this process keeps with its store: 0 at first, then what somebody has found out and
 * need not find out again. Any thread. src/nspace/resolve.c */
uint64_t px_store_cookie(const struct px_store *store);
void px_store_set_cookie(const struct px_store *store, uint64_t mark);

/* Bits that the server sets for its readers (atomic, any time). */
enum px_store_flag {
    PX_STORE_JOB_COMPLETE = 1, /* job information is all here: missing keys are missing for good */
    PX_STORE_HOST_QUERIES = 2, /* the host answers queries: resolve calls go over the socket */
    PX_STORE_NO_REBUILD = 4,   /* do not rebuild local peers from the map */
    PX_STORE_PEERS_DECLINED = 8,  /* but it does not answer PMIx_Resolve_peers */
    PX_STORE_NODES_DECLINED = 16, /* but it does not answer PMIx_Resolve_nodes */
    PX_STORE_HOST_BITS = PX_STORE_HOST_QUERIES | PX_STORE_PEERS_DECLINED | PX_STORE_NODES_DECLINED,
};
void px_store_set_flags(struct px_store *store, uint32_t flags);
uint32_t px_store_flags(const struct px_store *store);

/* --- writing: collect, then publish all or nothing --- */

struct px_store_entry {
    enum px_level level;
    uint32_t index; /* rank, app number, node index (see px_batch_node), session id; 0 for job */
    const char *key;
    /* NULL: the key exists but its scope hides it from readers of this store. That never takes the
     * place of a value that they can see. */
    const pmix_value_t *value;
    pmix_scope_t scope;       /* PMIX_SCOPE_UNDEF for data of the host */
    const pmix_info_t *quals; /* qualified value: retrieved only with equal qualifiers */
    size_t n_quals;
};

struct px_node_def {
    const char *name;
    const char *const *aliases; /* NULL-terminated, or NULL */
    uint32_t nodeid;            /* PX_NO_NODEID: its index */
};

struct px_batch *px_batch_create(void);
void px_batch_destroy(struct px_batch *batch); /* takes NULL */

/* The entry is copied, at the process level with a scalar's value; what else it points at is
 * borrowed until the batch is destroyed. 0 or PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (key empty or over
 * PMIX_MAX_KEYLEN), PMIX_ERR_OUT_OF_RESOURCE (more than 1,024 keys that were made to collide). */
int px_batch_add(struct px_batch *batch, const struct px_store_entry *entry);

/* The same for many values of few keys: px_batch_key gives a key's number in this batch (the name
 * is borrowed), px_batch_add_proc adds a value of a rank (at most PMIX_RANK_VALID) under it.
 * px_batch_expect says how many ranks to make room for once a key turns out to have many. */
int px_batch_key(struct px_batch *batch, const char *key, uint32_t *ret);
int px_batch_add_proc(struct px_batch *batch, uint32_t key, uint32_t rank, pmix_scope_t scope,
                      const pmix_value_t *value);
void px_batch_expect(struct px_batch *batch, size_t n_ranks);

/* Defines or finds (by name or alias, in the store or the batch) a node; *ret_index is its index,
 * valid in px_store_entry.index and px_batch_place_rank. Strings are borrowed. */
int px_batch_node(struct px_batch *batch, const struct px_store *store,
                  const struct px_node_def *def, uint32_t *ret_index);

/* Says on which node, and of which app, a rank runs (PX_NO_NODE, PX_NO_APP: not said). */
int px_batch_place_rank(struct px_batch *batch, uint32_t rank, uint32_t node_index,
                        uint32_t appnum);

/* True for values that nothing but want of memory keeps from being published: scalars, strings and
 * bytes. */
bool px_value_is_simple(const pmix_value_t *value);

/* Which node is the readers' own. */
int px_batch_local_node(struct px_batch *batch, uint32_t node_index);

/* Plans exactly, reserves memory, writes, publishes with one release store, bumps the sequence. A
 * key that is there already is replaced; later entries of a batch win over earlier ones. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE (the store is as before), PMIX_ERR_UNKNOWN_DATA_TYPE. */
int px_store_publish(struct px_store *store, const struct px_batch *batch);

/* --- reading --- */

/* A value found in place: borrowed from the mapping, valid as long as the store. */
struct px_slice {
    const struct px_store *store;
    const void *payload; /* docs/segment-format.md, "payload" */
    size_t len;
    uint64_t word;     /* the value itself when it came from a column or is a scalar */
    uint64_t locator;  /* identifies the record for the pointer memo; 0 for column values */
    const void *quals; /* qualifiers of the value (px_slice_quals), or NULL */
    const char *name;  /* px_store_get: of its key, borrowed like the payload */
    pmix_data_type_t type;
    pmix_scope_t scope;
    uint8_t form; /* enum px_form */
    bool inlined; /* `word` holds the value */
    bool hidden;  /* px_store_each: the key exists, but not for readers of this store */
};

/* One level, one key, no rules. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_EXISTS_OUTSIDE_SCOPE,
 * PMIX_ERR_UNPACK_FAILURE (damaged segment); *ret is of use only with 0. */
int px_store_find(const struct px_store *store, enum px_level level, uint32_t index,
                  const char *key, size_t key_len, struct px_slice *ret);

/* False when nobody has ever had a value under the key. */
bool px_store_has_key(const struct px_store *store, const char *key, size_t key_len);

/* Everything at one level and index, reserved and posted alike, qualified values too, in no order;
 * hidden keys come with slice->hidden and type PMIX_UNDEF. A key that is published meanwhile may
 * come twice. Stops when fn returns non-zero and returns that. */
typedef int (*px_each_fn)(void *arg, const char *key, const struct px_slice *slice);
int px_store_each(const struct px_store *store, enum px_level level, uint32_t index, px_each_fn fn,
                  void *arg);

/* What to do with what was found. */
int px_slice_fill(const struct px_slice *slice,
                  pmix_value_t *ret); /* inner memory malloc'd; scalars: none */
int px_slice_value(const struct px_slice *slice,
                   pmix_value_t **ret); /* plain malloc, PMIx_Value_free releases */
/* As px_slice_fill, but strings and bytes stay where they are. *ret_owns: *ret has memory of its
 * own. */
int px_slice_borrow(const struct px_slice *slice, pmix_value_t *ret, bool *ret_owns);
/* A ready value whose strings and bytes aim into the mapping; owned by the store, valid until it is
 * destroyed, the same pointer each time. */
int px_slice_pointer(const struct px_slice *slice, const pmix_value_t **ret);

/* One of the three. 0, or what is wrong; then *ret stays as it was. */
enum px_return_mode {
    PX_RETURN_COPY,    /* *ret: a fresh value */
    PX_RETURN_FILL,    /* into **ret; what it points at is fresh */
    PX_RETURN_POINTER, /* *ret: one of px_slice_pointer */
};
int px_slice_give(const struct px_slice *slice, enum px_return_mode mode, pmix_value_t **ret);

/* The bytes of a string where they lie, *ret_len without their NUL; NULL when it is none, or a NULL
 * one. */
const char *px_slice_text(const struct px_slice *slice, size_t *ret_len);

/* The qualifiers of a qualified value: *ret is NULL when there are none; free with
 * PMIx_Info_free. */
int px_slice_quals(const struct px_slice *slice, pmix_info_t **ret, size_t *ret_n);

/* --- nodes --- */

struct px_node_view {
    const char *name; /* borrowed */
    uint32_t nodeid;
    uint32_t n_ranks; /* placed there */
};
uint32_t px_store_local_node(const struct px_store *store); /* or PX_NO_NODE */
int px_store_node(const struct px_store *store, uint32_t index, struct px_node_view *ret);
uint32_t px_store_node_by_name(const struct px_store *store,
                               const char *name); /* name or alias; or PX_NO_NODE */
uint32_t px_store_node_by_id(const struct px_store *store, uint32_t nodeid);
uint32_t px_store_node_of(const struct px_store *store, uint32_t rank);
uint32_t px_store_app_of(const struct px_store *store, uint32_t rank);
/* Ranks placed on a node, ascending, at most `room`; returns how many there are. */
uint32_t px_store_node_ranks(const struct px_store *store, uint32_t index, uint32_t *ret_ranks,
                             uint32_t room);
/* i-th alias of a node (borrowed), or NULL. */
const char *px_store_node_alias(const struct px_store *store, uint32_t index, uint32_t i);

#endif
