/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REQUESTS_H
#define PX_SERVER_REQUESTS_H

/* Requests that the host serves. They take one path, whether a peer asks by a message or this
 * process by a call: the arguments are read or copied (src/request), completed, and passed to
 * the host; its answer goes to the requester. Loop thread, except px_self_request. */

#include "host_upcall.h"

struct px_coll_ops;
struct px_ctx;
struct px_in;
struct px_peer;

/* What the server does for one command beyond its description (struct px_request). Constant; the
 * rows are in requests.c. */
struct px_service {
    const struct px_request *request;
    /* Completes or checks the arguments before the requester's ids are added; NULL: none needed.
     * `peer` is the requester; NULL: this process. 0, or the status that refuses the request. Loop
     * thread; for a request of this process its calling thread. */
    int (*prepare)(struct px_upcall *up, struct px_peer *peer);
    /* Does a part of what may be done of a long request before `prepare`, in a turn of the loop of
     * its own; false: nothing was left. NULL: nothing is. Loop thread. */
    bool (*ahead)(struct px_upcall *up);
    /* Calls the host. The status of its function, or PMIX_ERR_NOT_SUPPORTED without one. A request
     * that is served here ends with PMIX_OPERATION_SUCCEEDED or an error. Loop thread. */
    pmix_status_t (*call)(struct px_upcall *up);
    /* Does a part of what an answer takes before `done`; true: there is more, for a later turn of
     * the loop. NULL: nothing is done. Loop thread, once the host has answered. */
    bool (*part)(struct px_upcall *up);
    px_upcall_fn done; /* the host has answered; NULL: px_upcall_answer */
    bool anonymous;    /* the requester's ids are not among the directives */
    /* The operation of a collective (collective.h), which gathers the calls of its members; the
     * members above are not used. NULL: none. */
    const struct px_coll_ops *coll;
};

/* The service of a command, or NULL if it is unknown or has a handler of its own (dispatch.c). */
const struct px_service *px_service_of(unsigned command);

/* Serves a peer's request from its message. 0: the peer is or will be answered by the upcall or the
 * collective; or the status of unpacking or preparing, with which the dispatcher answers. */
int px_service_start(const struct px_service *service, struct px_peer *peer, uint32_t tag,
                     struct px_in *in);

/* Serves a request of this process (px_role_ops.request); `args` is copied. PMIX_SUCCESS: `to`
 * is called once on the loop thread. Otherwise it is not called: an error, or the result of a
 * request that is done at once (px_self_iof_deregister). Any thread. */
pmix_status_t px_self_request(struct px_ctx *ctx, const struct px_request *request,
                              const struct px_args *args, const struct px_completion *to);

#endif
