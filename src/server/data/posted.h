/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_POSTED_H
#define PX_SERVER_POSTED_H

/* What a local process has posted, in bytes, for its quota (src/server/peers/quota.h): its modex
 * log, and the values that only this node has. A value that is in both counts once. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include "src/base/map.h"
#include "src/server/peers/quota.h"

struct px_kval_name;
struct px_local_proc;
struct px_server;

/* Embedded in the record of the process (struct px_local_proc). Zeros: nothing. */
struct px_posted {
    struct px_map here; /* name (px_kval_name) to bytes, of values that are not in the log */
    size_t here_bytes;
    struct px_usage usage;
    struct px_user *user; /* with whom `usage` is counted; NULL: nothing was ever posted */
};

/* The bytes that count now of the value of that name. */
size_t px_posted_size(const struct px_local_proc *rank, const struct px_kval_name *name);

/* How many bytes the process may post besides those it has. 0 also without memory. */
size_t px_posted_room(struct px_server *s, struct px_local_proc *rank);

/* True if the process may post so many bytes more than it has. False also without memory. */
bool px_posted_allows(struct px_server *s, struct px_local_proc *rank, size_t more);

/* A value has become one of this node only, of that length; or it is that no longer. Both are
 * without an effect on the count until px_posted_recount. Without memory the value does not count.
 */
void px_posted_here(struct px_local_proc *rank, const void *name, size_t name_len, size_t len);
void px_posted_not_here(struct px_local_proc *rank, const void *name, size_t name_len);

/* Brings the count up to date after changes of the log and of what is here. */
void px_posted_recount(struct px_server *s, struct px_local_proc *rank);

/* The log is going to be dropped: its values stay in the store, and count on. */
void px_posted_keep_log(struct px_local_proc *rank);

/* The store is going to be freed, and with it everything that the process has posted. */
void px_posted_fini(struct px_local_proc *rank);

#endif
