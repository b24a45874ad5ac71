/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_FAST_H
#define PX_CLIENT_GET_FAST_H

#include "gds/state.h"
#include "session.h"

struct px_slice;

/* What a thread was told and may be told again (get_fast.c). */

/* From before something is looked up: where a get looks first, and the state of all that it looks
 * at. */
struct px_snapshot {
    const struct px_store *fast_store; /* or NULL */
    uint64_t sequence;
    uint64_t changes;
};

/* Of this fast store, or NULL. Inside a read-side critical section, in which the snapshot is
 * good. */
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

/* That `value` is that of a slice of px_store_get for a rank (or WILDCARD) of our own namespace,
 * without directives that lead elsewhere: px_client_get_fast may say so again as long as nothing
 * changes. lasts: it is one of px_slice_pointer. In the same critical section as px_snapshot_take.
 */
void px_client_cache_result(const struct px_session *session, const struct px_snapshot *then,
                            const struct px_slice *slice, pmix_rank_t rank, const char *key,
                            const pmix_value_t *value, bool lasts);

/* The same of a key that none of our stores knows. */
void px_client_cache_absent(const struct px_snapshot *then, pmix_rank_t rank, const char *key);

pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value);

#endif
