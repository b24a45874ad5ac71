/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_FETCH_H
#define PX_CLIENT_GET_FETCH_H

/* A get whose value has to come from the server: a key that the stores of this process do not have,
 * a refresh, or everything of a process (PX_GET_ALL). */

#include "get_request.h"

struct px_completion;

/* True if that process is known to run on another node. space: NULL for an unknown namespace.
 * Inside a read-side critical section. */
bool px_client_is_far(const struct px_space *space, pmix_rank_t rank);

/* Asks the server and waits; the request and what it borrows are used until this returns. The
 * status for the caller, with *value set or **value filled if it is 0. value: NULL when only a
 * refresh is wanted. PMIX_ERR_WOULD_BLOCK on the loop thread, PMIX_ERR_UNREACH in a forked child.
 */
int px_client_fetch(struct px_session *session, struct px_get_request *request,
                    pmix_value_t **value);

/* Asks the server; works on a copy of the request. 0: the completion is ended once on the loop
 * thread; else it is not. */
int px_client_fetch_nb(struct px_session *session, const struct px_get_request *request,
                       const struct px_completion *to);

#endif
