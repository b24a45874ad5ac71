/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REQUEST_H
#define PX_CLIENT_REQUEST_H

/* Messages to servers: a request is packed into a px_msg, sent, and answered once on the loop
 * thread, by a reply, a time-out or the loss of the connection. Requests that are described in
 * src/request (most of the interface) go through px_request_send; px_msg is for the others. */

#include "session.h"
#include "src/request/schema.h"
#include "src/wire/message.h"

/* A request that is being packed, on the caller's stack. px_msg_send ends it. */
struct px_msg {
    struct px_session *session;
    struct px_link_server *server;
    struct px_buf buf;
    enum px_wire_kind kind;
    uint8_t command; /* for messages to people */
};

/* The primary server, borrowed. 0, PMIX_ERR_UNREACH (there is none), PMIX_ERR_LOST_CONNECTION (it
 * was lost, or this is a forked child). */
int px_msg_server(struct px_session *session, struct px_link_server **ret);

/* Begins a request to the primary server with its command. 0, PMIX_ERR_UNREACH,
 * PMIX_ERR_LOST_CONNECTION as px_msg_server. Nothing to release on failure. Failures of packing
 * show in px_msg_send. */
int px_msg_start(struct px_session *session, enum px_command command, struct px_msg *ret);
/* The same for a given server, primary or not. 0 or PMIX_ERR_LOST_CONNECTION. */
int px_msg_start_at(struct px_link_server *server, enum px_command command, struct px_msg *ret);

/* Sends the request and frees its buffer, in any case; a failure of packing is returned as it is.
 * timeout_ms: 0 for none. 0: fn(arg) is called once on the loop thread with the reply or an error,
 * as px_link_request_take does; else it is not called. */
int px_msg_send(struct px_msg *msg, uint64_t timeout_ms, px_reply_fn fn, void *arg);

/* px_msg_send for a reply that consists of its STATUS alone. cbfunc is called with it on the loop
 * thread unless this fails; it may be NULL. */
pmix_status_t px_msg_send_op(struct px_msg *msg, uint64_t timeout_ms, pmix_op_cbfunc_t cbfunc,
                             void *cbdata);

/* Begins a request to a server and packs it by its description, in the layout of the server's
 * release. 0, PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOT_SUPPORTED (the server's release lacks the
 * command): nothing to release on failure. */
int px_msg_describe(struct px_link_server *server, const struct px_request *request,
                    const struct px_args *args, struct px_msg *ret);

/* Sends a request that src/request describes, to the primary server or to a given one. Arguments
 * are borrowed for the call. 0: the completion is called once, on the loop thread.
 * PMIX_ERR_UNREACH, PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOT_SUPPORTED (the server's release lacks
 * the command), PMIX_ERR_NOMEM, or an error of packing: it is not called. */
int px_request_send(struct px_session *session, const struct px_request *request,
                    const struct px_args *args, const struct px_completion *to);
/* The same to a given server, primary or not. */
int px_request_send_at(struct px_link_server *server, const struct px_request *request,
                       const struct px_args *args, const struct px_completion *to);
/* The same with this time limit (0: none) in place of that of the arguments: without a reply in
 * this time the request ends with PMIX_ERR_TIMEOUT. */
int px_request_send_within(struct px_link_server *server, const struct px_request *request,
                           const struct px_args *args, uint64_t timeout_ms,
                           const struct px_completion *to);

/* True if the server has the command: its release has it, or it is one of ours (it gave us a
 * segment). */
bool px_request_is_supported(const struct px_link_server *server, const struct px_request *request);

/* px_role_ops.request: serves what src/request describes. Queries, events, subscriptions,
 * collectives and groups have code of their own; everything else is sent as it is. */
pmix_status_t px_client_request(struct px_ctx *ctx, const struct px_request *request,
                                const struct px_args *args, const struct px_completion *to);

/* The outcome of a request: the error `status` of the link, or the STATUS at the head of the reply
 * (PMIX_ERR_UNPACK_FAILURE without one; PMIX_OPERATION_SUCCEEDED becomes PMIX_SUCCESS). */
pmix_status_t px_reply_status(int status, struct px_in *reply);

/* The time after which this process gives up on a request: the caller's PMIX_TIMEOUT and one second
 * of grace for the server's own time-out, in milliseconds; 0: no limit. 0 or PMIX_ERR_BAD_PARAM
 * (the directive has a value of a wrong type). */
int px_client_timeout(const pmix_info_t *info, size_t ninfo, uint64_t *ret_ms);

#endif
