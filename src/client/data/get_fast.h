/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_FAST_H
#define PX_CLIENT_GET_FAST_H

/* The fast path of PMIx_Get: a value of our own job from its segment, without locks, messages or
 * directives that change where to look. Results that took longer to find are cached per thread
 * (gds/thread_cache.h) with the snapshot that they depend on. */

#include "gds/state.h"
#include "src/client/session.h"

struct px_slice;

/* The state that a lookup depends on, taken before the lookup: the fast store, its sequence, and
 * the number of private changes. A cached result is valid while all three are the same. */
struct px_snapshot {
    const struct px_store *fast_store; /* NULL: the fast path is off */
    uint64_t sequence;                 /* of the fast store: its newest publication */
    uint64_t changes;                  /* px_session.changes */
};

/* Takes the snapshot for a fast store (NULL: none). Inside a read-side critical section; the
 * snapshot is valid until its end. */
static inline void px_snapshot_take(const struct px_session *session,
                                    const struct px_store *fast_store, struct px_snapshot *ret)
{
    ret->fast_store = fast_store;
    ret->sequence = 0;
    if (fast_store != NULL) {
        ret->sequence =
            px_load_acquire(&px_store_header(fast_store)->sequence); /* pairs with publish_all */
    }
    ret->changes = px_load_acquire(&session->changes); /* pairs with px_session_changed_locked */
}

/* Caches for this thread what px_store_get found for a rank (or PMIX_RANK_WILDCARD) of our own
 * namespace, without directives: a scalar, or the lasting value of px_slice_pointer that was made
 * of it (else NULL). px_client_get_fast returns it again until the snapshot changes. In the same
 * critical section as px_snapshot_take. */
void px_client_cache_result(const struct px_session *session, const struct px_snapshot *then,
                            const struct px_slice *slice, pmix_rank_t rank, const char *key,
                            const pmix_value_t *lasting);

/* Caches for this thread that no store of ours knows the key. Long keys are not cached. */
void px_client_cache_absent(const struct px_snapshot *then, pmix_rank_t rank, const char *key);

/* px_role_ops.get, a px_get_fn: tries the fast path, then px_client_get. */
pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value);

#endif
