/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_FETCH_H
#define PX_CLIENT_GET_FETCH_H

#include "get_request.h"

/* Does that process run on another node, as far as we know? `space` may be NULL. Inside a
 * read-side critical section. */
bool px_client_is_far(const struct px_space *space, pmix_rank_t rank);

/* A get whose value has to come from the server: PX_GET_ALL, or a key that get_here has
 * not found. */

/* Asks and waits; the request and what it borrows are used until this returns. A status for the
 * caller, with *value set or **value filled if it is 0; value: NULL when nothing is wanted but a
 * refresh. PMIX_ERR_WOULD_BLOCK on the progress thread, PMIX_ERR_UNREACH in a forked child. */
int px_client_fetch(struct px_session *session, struct px_get_request *request,
                    pmix_value_t **value);

/* Asks; works on a copy of the request. 0: cbfunc is called on the loop thread, or an error. */
int px_client_fetch_nb(struct px_session *session, const struct px_get_request *request,
                       pmix_value_cbfunc_t cbfunc, void *cbdata);

#endif
