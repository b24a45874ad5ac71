/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REQUEST_H
#define PX_CLIENT_REQUEST_H

#include "session.h"
#include "src/request/schema.h"
#include "src/wire/message.h"

/* A request to the primary server being put together. */
struct px_msg {
    struct px_session *session;
    struct px_server_peer *server;
    struct px_buf buf;
    enum px_wire_kind kind;
};

/* The primary server. 0, PMIX_ERR_UNREACH when there is none, PMIX_ERR_LOST_CONNECTION when it has
 * gone. */
int px_msg_server(struct px_session *session, struct px_server_peer **ret);

/* Starts with the command. PMIX_ERR_UNREACH when there is no server, PMIX_ERR_LOST_CONNECTION when
 * it has gone, PMIX_ERR_WOULD_BLOCK never. Nothing to release on failure. */
int px_msg_start(struct px_session *session, enum px_command command, struct px_msg *ret);
/* The same for one server, primary or not. PMIX_ERR_LOST_CONNECTION when it has gone. */
int px_msg_start_at(struct px_server_peer *server, enum px_command command, struct px_msg *ret);
void px_msg_drop(struct px_msg *msg);

/* Sends and forgets the buffer, whatever happens. `packed` is the outcome of packing: an error is
 * returned as it is. fn as in request.h. */
int px_msg_send(struct px_msg *msg, int packed, uint64_t timeout_ms, px_reply_fn fn, void *arg);

/* A reply of the STATUS alone. cbfunc may be NULL. */
pmix_status_t px_msg_send_op(struct px_msg *msg, int packed, uint64_t timeout_ms,
                             pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Sends what src/request describes, to the primary server or to one of them. 0: the completion is
 * called, once, on the loop thread. PMIX_ERR_UNREACH, PMIX_ERR_LOST_CONNECTION,
 * PMIX_ERR_NOT_SUPPORTED (the server is too old), PMIX_ERR_NOMEM, or what px_pack says. */
int px_request_send(struct px_session *session, const struct px_request *request,
                    const struct px_args *args, const struct px_completion *to);
int px_request_send_at(struct px_server_peer *server, const struct px_request *request,
                       const struct px_args *args, const struct px_completion *to);

/* Does the server have the command, and its types? */
bool px_request_is_known(const struct px_server_peer *server, const struct px_request *request);

/* px_role_ops.request. */
pmix_status_t px_client_request(struct px_ctx *ctx, const struct px_request *request,
                                const struct px_args *args, const struct px_completion *to);

/* The STATUS in front of a reply, or what went wrong before; closes a descriptor that nobody
 * expects. */
pmix_status_t px_reply_status(int status, struct px_in *reply, int fd);

/* Packs processes, groups and ranks in them replaced by the members. PMIX_ERR_NOT_FOUND: a rank
 * that a group does not have. */
int px_msg_pack_procs(struct px_msg *msg, const pmix_proc_t *procs, size_t n);

/* Milliseconds after which we give up on our own: the server's time-out and some grace; 0:
 * never. */
uint64_t px_client_timeout_ms(const pmix_info_t *info, size_t ninfo);

#endif
