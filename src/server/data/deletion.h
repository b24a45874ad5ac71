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

struct px_batch;
struct px_deletion;
struct px_deletion_rest;
struct px_in;
struct px_kval;
struct px_kval_reader;
struct px_local_proc;
struct px_nspace;
struct px_server;

/* The deletions of one commit, of keys under which its process has a value. Zeros: none. The keys
 * are borrowed from the commit's message. They are handled in pieces: the first n_done are done.
 * Released with px_deletions_fini once the reader of a piece is destroyed. */
struct px_deletions {
    struct px_deletion *at;
    size_t n, room;
    size_t n_done, n_piece; /* n_piece: the end of the piece under way, at least n_done */
    size_t bytes;           /* of memory, about */
    uint32_t *slots; /* by the hash of the key: 1 + index, or 0. At least half of them are empty */
    size_t n_slots;  /* a power of two, or 0 */
    struct px_deletion_rest *rests; /* of the piece under way */
};

/* Reads the next key of one block of a commit, which is not at its end. It is noted only if the
 * process has a value under it. scope: that of the block, one that deletes. The reader may be
 * destroyed afterwards. 0, PMIX_ERR_NOMEM, PMIX_ERR_NOT_SUPPORTED (a qualified value) or the status
 * of unpacking. */
int px_deletions_read(struct px_deletions *all, struct px_kval_reader *reader,
                      const struct px_local_proc *rank, pmix_scope_t scope, struct px_in *in);

/* Begins the next piece: at most so many deletions, and hardly more bytes of values that stay for
 * this node. Adds to the reader's batch what they make of the process's values in the store: gone,
 * or hidden from this node, or for this node only. What is the host's is passed over. The batch is
 * to be published, and px_deletions_log called, in the same turn: the values are borrowed from the
 * store. Statuses as px_kval_reader_add. */
int px_deletions_add(struct px_deletions *all, size_t most, size_t most_bytes,
                     struct px_kval_reader *reader, const struct px_local_proc *rank);

/* When the batch is published: takes the deleted values of the piece out of the process's modex
 * log, and tells the clients that keep what they have read. The piece is done then. 0 or
 * PMIX_ERR_NOMEM. */
int px_deletions_log(struct px_server *s, struct px_deletions *all, struct px_local_proc *rank);

/* Frees the list, not the keys. */
void px_deletions_fini(struct px_deletions *all);

/* True if an entry of another server's data says that the key is gone. */
bool px_kval_deletes(const struct px_kval *kval);

/* Adds such an entry for a process of another node to the batch, if the store has the value.
 * Statuses as px_kval_reader_add. */
int px_deletion_add_remote(struct px_kval_reader *reader, struct px_nspace *ns, uint32_t rank,
                           const struct px_kval *kval);

/* The same for a key that everything which its process has committed does not have. The key is
 * borrowed until the batch is published. */
int px_deletion_add_missing(struct px_kval_reader *reader, struct px_nspace *ns, uint32_t rank,
                            const char *key);

/* When a batch with such entries is published: tells the clients that keep what they have read. One
 * walk over the peers for up to 256 entries. */
void px_deletions_tell(struct px_server *s, const struct px_nspace *ns,
                       const struct px_batch *batch);

#endif
