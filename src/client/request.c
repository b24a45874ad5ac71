/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests to servers: begin, send, read the reply's status, complete. Callers are API calls in any
 * thread; replies and completions run on the loop thread. The second half serves
 * px_role_ops.request, for which the tables of src/request say how arguments are packed and replies
 * are read. */

#include "request.h"

#include <stdlib.h>

#include "events.h"
#include "iof.h"
#include "src/event/own_input.h"
#include "query.h"
#include "src/base/log.h"
#include "sync.h"
#include "src/value/directives.h"
#include "src/context/log_channels.h"
#include "src/wire/command_name.h"
#include "src/wire/messages.h"
#include "src/request/reply.h"

/* How much longer than the server's own time-out this process waits for the reply. */
enum { GRACE_MS = 1000 };

/* Tells "never had one" from "lost it" by the pointer to the primary server, which a lost one
 * keeps. */
int px_msg_server(struct px_session *session, struct px_link_server **ret)
{
    struct px_link_server *server = px_session_server(session);

    if (server == NULL) {
        /* pairs with px_session_set_primary_locked */
        return px_load_ptr_acquire(&session->primary) == NULL ? PMIX_ERR_UNREACH
                                                              : PMIX_ERR_LOST_CONNECTION;
    }
    *ret = server;
    return 0;
}

/* The server is fixed here: a message is sent there even if another becomes primary meanwhile. */
int px_msg_start(struct px_session *session, enum px_command command, struct px_msg *ret)
{
    struct px_link_server *server;
    int rc = px_msg_server(session, &server);

    return rc == 0 ? px_msg_start_at(server, command, ret) : rc;
}

/* Begins a message to a server, whose packer adds the command. 0 or PMIX_ERR_LOST_CONNECTION. */
static int msg_open(struct px_link_server *server, enum px_command command, struct px_msg *ret)
{
    if (px_load_acquire(&server->lost) != 0) { /* pairs with link_lost */
        return PMIX_ERR_LOST_CONNECTION;
    }
    *ret = (struct px_msg){.session = server->session,
                           .server = server,
                           .kind = px_server_kind(server),
                           .command = (uint8_t) command};
    return 0;
}

int px_msg_start_at(struct px_link_server *server, enum px_command command, struct px_msg *ret)
{
    int rc = msg_open(server, command, ret);

    if (rc == 0) {
        (void) px_pack_command(&ret->buf, ret->kind, (uint8_t) command);
    }
    return rc;
}

/* A failure of packing shows in the buffer, so packers need not check each step. */
int px_msg_send(struct px_msg *msg, uint64_t timeout_ms, px_reply_fn fn, void *arg)
{
    int rc = msg->buf.status;

    px_log(PX_LOG_CLIENT, 2, "asks %s:%u: %s, %zu bytes", msg->server->proc.nspace,
           msg->server->proc.rank, px_command_name(msg->command), msg->buf.len);
    if (rc == 0) {
        rc = px_link_request_take(msg->server->link, &msg->buf, timeout_ms, fn, arg);
    }
    px_buf_fini(&msg->buf);
    return rc;
}

pmix_status_t px_reply_status(int status, struct px_in *reply)
{
    pmix_status_t said;

    if (status != 0) {
        return status;
    }
    if (reply == NULL || px_unpack_status(reply, &said) != 0) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    return said == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : said;
}

/* --- requests that src/request describes --- */

/* A described request under way. Allocated when it is sent, freed by on_reply. */
struct server_call {
    struct px_session *session;
    const struct px_reply_type *type;
    struct px_completion to;
    uint8_t command; /* for messages to people */
};

/* Stores the job information that follows in the reply to a spawn. An error of it becomes the
 * status of the reply, except that the segment is still missing: gets ask for that later. */
static void store_spawned(struct px_session *session, struct px_in *in, struct px_reply *reply)
{
    if (reply->status == PMIX_SUCCESS && reply->proc.nspace[0] != '\0' && px_in_left(in) > 0) {
        int rc = px_session_store_job(session, reply->proc.nspace, in);

        /* would block: the segment did not arrive; a get will ask for it */
        reply->status = rc == 0 || rc == PMIX_ERR_WOULD_BLOCK ? PMIX_SUCCESS : rc;
    }
}

/* Reads the reply of a described request and calls the completion, which owns nothing of it. Loop
 * thread. */
static void on_reply(void *arg, int status, struct px_in *in)
{
    struct server_call *call = arg;
    struct px_reply reply = {.status = px_reply_status(status, in)};

    px_assert(px_loop_inside(call->session->ctx->loop));
    px_log(PX_LOG_CLIENT, 2, "%s is answered: %s", px_command_name(call->command),
           PMIx_Error_string(reply.status));
    px_reply_unpack(in, call->type, &reply);
    if (call->type == &px_reply_spawn) {
        store_spawned(call->session, in, &reply);
    }
    call->to.done(&call->to, &reply);
    if (call->type != &px_reply_op) { /* which is a status alone */
        px_reply_fini(&reply);
    }
    free(call);
}

/* Sends a message whose reply is of a described type. 0: the completion is called once; else it is
 * not. Frees the message's buffer in any case. */
static int send_for_reply(struct px_msg *msg, uint64_t timeout_ms, const struct px_reply_type *type,
                          const struct px_completion *to)
{
    struct server_call *call = malloc(sizeof(*call));
    int rc;

    if (call == NULL) {
        px_buf_fini(&msg->buf);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct server_call){
        .session = msg->session, .type = type, .to = *to, .command = msg->command};
    rc = px_msg_send(msg, timeout_ms, on_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

pmix_status_t px_msg_send_op(struct px_msg *msg, uint64_t timeout_ms, pmix_op_cbfunc_t cbfunc,
                             void *cbdata)
{
    struct px_completion to = px_completion_of(&px_reply_op, (px_callback) cbfunc, cbdata);

    return send_for_reply(msg, timeout_ms, &px_reply_op, &to);
}

/* One of ours has all commands, whatever its release. */
bool px_request_is_supported(const struct px_link_server *server, const struct px_request *request)
{
    return server->ours || px_server_at_least(server, request->since, 0, 0);
}

int px_msg_describe(struct px_link_server *server, const struct px_request *request,
                    const struct px_args *args, struct px_msg *ret)
{
    bool older = request->older != NULL && !px_server_at_least(server, 4, 2, 4);
    int rc = msg_open(server, request->command, ret);

    if (rc == 0 && !px_request_is_supported(server, request)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc == 0) {
        (void) px_args_pack(&ret->buf, ret->kind, older ? request->older : request, args);
    }
    return rc;
}

int px_client_timeout(const pmix_info_t *info, size_t ninfo, uint64_t *ret_ms)
{
    uint64_t ms;
    int rc = px_timeout_read(info, ninfo, &ms);

    if (rc == 0) {
        *ret_ms = ms > 0 ? ms + GRACE_MS : 0;
    }
    return rc;
}

int px_request_send_within(struct px_link_server *server, const struct px_request *request,
                           const struct px_args *args, uint64_t timeout_ms,
                           const struct px_completion *to)
{
    struct px_msg msg;
    int rc = px_msg_describe(server, request, args, &msg);

    return rc == 0 ? send_for_reply(&msg, timeout_ms, request->reply, to) : rc;
}

/* For a request with a time limit, the link's time-out is longer than the server's, whose reply
 * says more. */
int px_request_send_at(struct px_link_server *server, const struct px_request *request,
                       const struct px_args *args, const struct px_completion *to)
{
    uint64_t timeout_ms;
    int rc = px_args_limit(request, args, &timeout_ms);

    timeout_ms += rc == 0 && timeout_ms > 0 ? GRACE_MS : 0;
    return rc == 0 ? px_request_send_within(server, request, args, timeout_ms, to) : rc;
}

int px_request_send(struct px_session *session, const struct px_request *request,
                    const struct px_args *args, const struct px_completion *to)
{
    struct px_link_server *server;
    int rc = px_msg_server(session, &server);

    return rc == 0 ? px_request_send_at(server, request, args, to) : rc;
}

/* Sends a heartbeat, a message of its own kind without a reply; its one byte only keeps it from
 * being empty. PMIX_OPERATION_SUCCEEDED once it is queued, PMIX_ERR_NOT_SUPPORTED (a required
 * directive), PMIX_ERR_UNREACH, PMIX_ERR_NOMEM. */
static pmix_status_t send_heartbeat(struct px_session *session, const struct px_args *args)
{
    struct px_link_server *server = px_session_server(session);
    struct px_buf buf = {0};
    int rc;

    if (!px_directives_met(&px_call_monitor, PX_ATTR_ALL, args->info, args->ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (server == NULL) {
        return PMIX_ERR_UNREACH;
    }
    px_buf_byte(&buf, 0);
    rc = px_link_post_take(server->link, PX_TAG_HEARTBEAT, &buf);
    return rc == 0 ? PMIX_OPERATION_SUCCEEDED : rc;
}

/* px_push_fn of a session: to the server that was the primary one at the beginning. */
static pmix_status_t push_at(void *server, const struct px_iof_push_args *args,
                             const struct px_completion *to)
{
    return px_request_send_at(server, &px_request_iof_push, &args->head, to);
}

static pmix_status_t push(struct px_session *session, const struct px_iof_push_args *args,
                          const struct px_completion *to)
{
    struct px_link_server *server;
    int rc = px_msg_server(session, &server);

    return rc == 0 ? px_push_input(session->ctx, args, push_at, server, to) : rc;
}

/* These requests need more than a message: a cache, our own handlers, or our own numbers. */
pmix_status_t px_client_request(struct px_ctx *ctx, const struct px_request *request,
                                const struct px_args *args, const struct px_completion *to)
{
    struct px_session *session = px_session(ctx);

    if (request->member) {
        return px_client_collective(session, request, (const struct px_coll_args *) args, to);
    }
    if (request == &px_request_query) {
        return px_client_query(session, (const struct px_query_args *) args, to);
    }
    if (request == &px_request_notify) {
        return px_client_notify(session, (const struct px_notify_args *) args, to);
    }
    if (request == &px_request_register_codes) {
        return px_client_register_codes(session, (const struct px_codes_args *) args, to);
    }
    if (request == &px_request_iof_deregister) {
        return px_client_iof_deregister(session, (const struct px_iof_deregister_args *) args, to);
    }
    if (request == &px_request_iof_push) {
        return push(session, (const struct px_iof_push_args *) args, to);
    }
    if (request == &px_request_log && !px_session_is_served(session)) {
        const struct px_log_args *log = (const struct px_log_args *) args;

        return px_log_here(&ctx->self, true, log->data, log->ndata, args->info, args->ninfo);
    }
    if (request == &px_request_monitor &&
        px_info_find(&((const struct px_monitor_args *) args)->monitor, 1, PMIX_SEND_HEARTBEAT)) {
        return send_heartbeat(session, args);
    }
    return px_request_send(session, request, args, to);
}
