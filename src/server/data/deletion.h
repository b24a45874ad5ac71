/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_DELETION_H
#define PX_SERVER_DELETION_H

/* Values that go away: what PMIx_Put with one of the scopes PMIX_DEL_LOCAL, PMIX_DEL_REMOTE and
 * PMIX_DEL_GLOBAL asks of a commit, and what other servers say of their processes
 * (docs/decisions/0024-deletion.md). Loop thread. */

#include <pmix.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/map.h"

struct px_deletion;
struct px_in;
struct px_kval;
struct px_kval_reader;
struct px_local_proc;
struct px_nspace;
struct px_server;

/* The deletions of one commit. Zeros: none. They borrow from the commit's message and its reader;
 * released with px_deletions_fini once the reader is destroyed. */
struct px_deletions {
    struct px_deletion *at;
    size_t n;
    size_t room;
    struct px_map names; /* key to 1 + index */
};

/* True if the scope says that a key goes away, and servers are told of it. */
static inline bool px_commit_deletes(pmix_scope_t scope)
{
    return scope == PMIX_DEL_LOCAL || scope == PMIX_DEL_REMOTE || scope == PMIX_DEL_GLOBAL;
}

/* Reads the keys of one block of a commit, to its end. scope: that of the block, one that deletes.
 * 0, PMIX_ERR_NOMEM, PMIX_ERR_NOT_SUPPORTED (a qualified value) or the status of unpacking. */
int px_deletions_read(struct px_deletions *all, struct px_kval_reader *reader, pmix_scope_t scope,
                      struct px_in *in);

/* Adds to the reader's batch what the deletions make of the process's values in the store: gone, or
 * hidden from this node, or for this node only. What is not there, or is the host's, is passed
 * over. Statuses as px_kval_reader_add. */
int px_deletions_add(struct px_deletions *all, struct px_kval_reader *reader,
                     const struct px_local_proc *rank);

/* When the batch is published: takes the deleted values out of the process's modex log, and tells
 * the clients that keep what they have read. 0 or PMIX_ERR_NOMEM. */
int px_deletions_log(struct px_server *s, const struct px_deletions *all,
                     struct px_local_proc *rank);

/* Frees the list, not the keys. */
void px_deletions_fini(struct px_deletions *all);

/* True if an entry of another server's data says that the key is gone. */
bool px_kval_deletes(const struct px_kval *kval);

/* Adds such an entry for a process of another node to the batch, if the store has the value, and
 * tells the clients that keep what they have read. Statuses as px_kval_reader_add. */
int px_deletion_add_remote(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                           uint32_t rank, const struct px_kval *kval);

/* The same for a key that everything which its process has committed does not have. The key is
 * borrowed until the batch is published. */
int px_deletion_add_missing(struct px_server *s, struct px_kval_reader *reader,
                            struct px_nspace *ns, uint32_t rank, const char *key);

#endif
