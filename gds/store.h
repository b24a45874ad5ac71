/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STORE_H
#define PX_GDS_STORE_H

/* A store: the data of one namespace. It is the only datastore, in one format
 * (docs/segment-format.md). A store is the writer's, created here, or a reader's, opened from a
 * descriptor; the writer's can be read too. Threads: one writer at a time, which the owner sees to;
 * any number of readers in any thread, in callbacks and in other processes. Readers never lock,
 * wait, allocate (but for results) or make a system call. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

struct px_segment;
struct px_segment_hints;
struct px_store;

/* Where a value is at home. With the level goes an index: session id, 0 for the job, application
 * number, node index, rank. The numbers are part of the segment format. */
enum px_level {
    PX_LEVEL_SESSION,
    PX_LEVEL_JOB,
    PX_LEVEL_APP,
    PX_LEVEL_NODE,
    PX_LEVEL_PROC,
    PX_N_LEVELS
};

/* "None" or "not given", for indices and numbers of the host. */
enum {
    PX_NO_NODE = UINT32_MAX,
    PX_NO_APP = UINT32_MAX,
    PX_NO_NODEID = UINT32_MAX,
    PX_NO_SESSION = UINT32_MAX
};

/* --- life --- */

/* How a store is to be made. Everything is borrowed for the call; the hints are copied, because the
 * next generations follow them too. */
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
    size_t move_piece; /* with `moves`: bytes that one px_store_compact copies; 0: 1 MiB */
};

/* Makes an empty store and its writer; the caller destroys it. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_NOT_SUPPORTED (no memfd: ask again with shared = false),
 * PMIX_ERR_BAD_PARAM (the name is empty or too long). */
int px_store_create(const struct px_store_opts *opts, struct px_store **ret);

/* Maps a segment read-only at any address and makes a reader's store of it; the caller destroys
 * that. Takes over fd, which is closed in every case. Checks seals, magic, version, fingerprint,
 * byte order and bounds before it believes anything. 0, PMIX_ERR_NOMEM, PMIX_ERR_NOT_SUPPORTED
 * (another format: use messages), PMIX_ERR_NO_PERMISSIONS (not sealed), PMIX_ERR_UNPACK_FAILURE
 * (damaged). */
int px_store_open(int fd, struct px_store **ret);

/* Applies the hints to a reader's mapping: how it is paged, and how much of what is in use is
 * mapped at once. May be called again when the segment has grown. One thread. */
void px_store_prefault(struct px_store *store, const struct px_segment_hints *hints);

/* Unmaps and frees a store with all earlier generations chained to it. The writer's store marks its
 * segment dead first, so that readers stop waiting for more. No thread may be reading it, nor use
 * pointers from px_slice_pointer. Takes NULL. */
void px_store_destroy(struct px_store *store);

/* The descriptor to hand to readers, or -1 for a private store. Borrowed until the next
 * publication, which may move the store; sealed against writing. Writer's thread. */
int px_store_fd(const struct px_store *store);

/* The name of the namespace, owned by the store. Any thread. */
const char *px_store_nspace(const struct px_store *store);

/* What a store says about itself; a copy. */
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
/* Fills *ret with the present values, which may be of neighbouring publications. Any thread. */
void px_store_info(const struct px_store *store, struct px_store_info *ret);

/* One number that this process keeps with the store, for use by src/nspace/resolve.c. Initially 0.
 * Any thread; whoever loads a number also sees what was stored before it. */
uint64_t px_store_cookie(const struct px_store *store);
/* Replaces the number; of two threads that do so at once either may win. */
void px_store_set_cookie(const struct px_store *store, uint64_t mark);

/* Bits that the server sets for its readers at any time, kept across generations
 * (docs/segment-format.md, section 13). */
enum px_store_flag {
    PX_STORE_JOB_COMPLETE = 1, /* job information is all here: missing keys are missing for good */
    PX_STORE_HOST_QUERIES = 2, /* the host answers queries: resolve calls go over the socket */
    PX_STORE_NO_REBUILD = 4,   /* do not rebuild local peers from the map */
    PX_STORE_PEERS_DECLINED = 8,  /* but it does not answer PMIx_Resolve_peers */
    PX_STORE_NODES_DECLINED = 16, /* but it does not answer PMIx_Resolve_nodes */
    PX_STORE_HOST_BITS = PX_STORE_HOST_QUERIES | PX_STORE_PEERS_DECLINED | PX_STORE_NODES_DECLINED,
};
/* Replaces all flags; does nothing in a reader's store. Writer's thread. */
void px_store_set_flags(struct px_store *store, uint32_t flags);
/* The flags as they are now. Any thread. */
uint32_t px_store_flags(const struct px_store *store);

/* --- for the files of this folder --- */

/* True if the invariants of the struct hold, as far as no walk through the segment is needed.
 * Writer's thread, or one that nobody else uses. */
bool px_store_is_valid(const struct px_store *store);

/* Makes an empty store as px_store_create does, with exactly the size asked for. `before`: the
 * store of which it is to be the next generation, or NULL. */
int px_store_make(const struct px_store_opts *opts, const struct px_store *before,
                  struct px_store **ret);

/* Makes a reader's store of a mapped segment, which it takes over (closes it on failure). Statuses
 * of px_store_open. */
int px_store_read_segment(struct px_segment *seg, struct px_store **ret);

#endif
