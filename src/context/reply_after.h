/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_REPLY_AFTER_H
#define PX_CONTEXT_REPLY_AFTER_H

/* The non-blocking form of a request (src/request/schema.h): a completion that keeps the reply
 * until the exported call has returned, and calls the application then (src/loop/after.h). Every
 * callback of the application that gets a reply is handed to a role in this way only. */

#include <pmix.h>

struct px_completion;
struct px_loop;

/* One non-blocking call. Freed when the application has been called, or by px_reply_after_end. */
struct px_reply_after;

/* Makes the record of a call, and its completion for the role: it may be ended in any thread. `to`
 * is the one that calls the application. NULL: no memory. px_reply_after_end must follow. */
struct px_reply_after *px_reply_after_begin(struct px_loop *loop, const struct px_completion *to,
                                            struct px_completion *ret);

/* The end of the call, the last thing that it does. accepted: what the role's operation returned;
 * PMIX_SUCCESS means that the completion is ended once, anything else that it never is. Returns
 * that. Takes NULL, of which it makes PMIX_ERR_NOMEM. */
pmix_status_t px_reply_after_end(struct px_reply_after *after, pmix_status_t accepted);

/* The same for a get, whose reply is a value and nothing else: smaller, since many are answered at
 * once. */
struct px_value_after;
struct px_value_after *px_value_after_begin(struct px_loop *loop, pmix_value_cbfunc_t cbfunc,
                                            void *cbdata, struct px_completion *ret);
pmix_status_t px_value_after_end(struct px_value_after *after, pmix_status_t accepted);

#endif
