/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REQUESTS_H
#define PX_SERVER_REQUESTS_H

#include "host_upcall.h"

struct px_ctx;
struct px_in;
struct px_peer;

/* Requests that are the host's to serve. Whoever asks, a peer by a message or this process by a
 * call, the way is the same: the arguments are read or copied (src/request), completed, and handed
 * to the host; its answer goes to whoever asked. */

/* What the server does for a request beyond what its description says. */
struct px_service {
    const struct px_request *request;
    /* Completes or checks the arguments before the requester's ids are added; NULL: nothing to do.
     * peer: who asks; NULL: this process. 0, or the status that the request is refused with. */
    int (*prepare)(struct px_upcall *up, struct px_peer *peer);
    /* Asks the host: what its entry returned, PMIX_ERR_NOT_SUPPORTED when it has none. One that is
     * served here returns PMIX_OPERATION_SUCCEEDED or an error. Loop thread. */
    pmix_status_t (*call)(struct px_upcall *up);
    px_upcall_fn done; /* NULL: px_upcall_answer */
    bool anonymous;    /* the requester's ids are not among the directives */
};

/* The row of a command, or NULL: it has a handler of its own (dispatch.c), or nobody serves it. */
const struct px_service *px_service_of(unsigned command);

/* A peer's request. A px_handler. */
int px_service_start(const struct px_service *service, struct px_peer *peer, uint32_t tag,
                     struct px_in *in);

/* One of this process: px_role_ops.request. */
pmix_status_t px_self_request(struct px_ctx *ctx, const struct px_request *request,
                              const struct px_args *args, const struct px_completion *to);

#endif
