/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STORE_H
#define PX_GDS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

struct px_batch;
struct px_segment;
struct px_segment_hints;
struct px_store;

/* One namespace's data: the only datastore, in one format (docs/segment-format.md). A store is
 * either the writer's (created here) or a reader's (opened from a descriptor). The writer's is
 * readable too.
 *
 * Threads: one writer at a time (the owner serialises); any number of readers in any thread, in
 * callbacks and in other processes; readers never lock, wait, allocate (but for results) or make a
 * system call. */

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

/* --- for the files of this folder --- */

/* The invariants of the struct that do not need a walk through the segment. Writer's thread, or one
 * that nobody else uses. */
bool px_store_is_valid(const struct px_store *store);

/* Makes an empty store. `before`: of which it is to be the next generation, or NULL. As
 * px_store_create. */
int px_store_make(const struct px_store_opts *opts, const struct px_store *before,
                  struct px_store **ret);

/* Makes a reader's store of a segment, which it takes over (closes it on failure). As
 * px_store_open. */
int px_store_read_segment(struct px_segment *seg, struct px_store **ret);

#endif
