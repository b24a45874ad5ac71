/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Forwarded output. Our number of a subscription travels with the request and comes back with the
 * output, so output can arrive before the confirmation. Output for number 0, which a server sends
 * to tools unasked, and for a subscription without a function goes to our own standard output or
 * error. */

#include "iof.h"

#include <stdlib.h>
#include <unistd.h>

#include "request.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"

/* One subscription. In px_session.iof_handlers from before the request is sent until it is
 * deregistered or refused. */
struct px_iof_handler {
    struct px_list link;           /* session lock */
    struct px_server_peer *server; /* the server it was made at, primary or not by now */
    size_t id;
    size_t remote; /* the server's number of it, once `ready` */
    bool ready;
    pmix_iof_channel_t channel;
    pmix_iof_cbfunc_t cbfunc;
};

/* The subscription with our number, or NULL. Session lock. */
static struct px_iof_handler *find_pull_locked(struct px_session *session, size_t id)
{
    px_assert(px_lock_held(&session->lock));
    px_list_for(struct px_iof_handler, pull, &session->iof_handlers, link) {
        if (pull->id == id) {
            return pull;
        }
    }
    return NULL;
}

/* Writes output to our own standard output or, for any other channel, standard error. What the
 * descriptor does not take is lost. */
static void write_out(pmix_iof_channel_t channel, const pmix_byte_object_t *bytes)
{
    int fd = (channel & PMIX_FWD_STDOUT_CHANNEL) != 0 ? STDOUT_FILENO : STDERR_FILENO;
    size_t done = 0;

    while (done < bytes->size) {
        ssize_t n = write(fd, bytes->bytes + done, bytes->size - done);

        if (n <= 0) {
            return;
        }
        done += (size_t) n;
    }
}

/* Layout: PROC source, IOF_CHANNEL, SIZE number, INFOs, BYTE_OBJECT. The subscription must be of
 * this server: numbers are ours, but servers may send anything. Its function is called without the
 * lock. */
void px_client_iof_in(struct px_server_peer *server, struct px_in *in)
{
    struct px_session *session = server->session;
    pmix_byte_object_t bytes = {0};
    pmix_iof_channel_t channel;
    pmix_iof_cbfunc_t cbfunc = NULL;
    pmix_info_t *info = NULL;
    struct px_iof_handler *pull;
    pmix_proc_t source;
    size_t ninfo = 0;
    size_t id;
    bool known;

    px_assert(px_loop_inside(server->session->ctx->loop));
    (void) px_unpack_one(in, PMIX_PROC, &source);
    (void) px_unpack_one(in, PMIX_IOF_CHANNEL, &channel);
    (void) px_unpack_size(in, &id);
    (void) px_unpack_infos(in, &info, &ninfo);
    if (px_unpack_one(in, PMIX_BYTE_OBJECT, &bytes) == 0) {
        px_lock_take(&session->lock);
        pull = find_pull_locked(session, id);
        pull = pull != NULL && pull->server == server ? pull : NULL;
        known = pull != NULL || (id == 0 && session->is_tool);
        cbfunc = pull != NULL ? pull->cbfunc : NULL;
        px_lock_give(&session->lock);
        if (cbfunc != NULL) {
            cbfunc(id, channel, &source, &bytes, info, ninfo);
        } else if (known) {
            write_out(channel, &bytes);
        }
    }
    PMIx_Byte_object_destruct(&bytes);
    PMIx_Info_free(info, ninfo);
}

void px_iof_handlers_fini(struct px_session *session)
{
    while (!px_list_empty(&session->iof_handlers)) {
        free(px_container_of(px_list_shift(&session->iof_handlers), struct px_iof_handler, link));
    }
}

/* The server has confirmed or refused a subscription; the application is told with our number. Loop
 * thread. */
static void pull_done(const struct px_completion *inner, struct px_reply *reply)
{
    struct px_iof_handler *pull = inner->target;
    struct px_session *session = pull->server->session;
    pmix_hdlr_reg_cbfunc_t regcbfunc = (pmix_hdlr_reg_cbfunc_t) inner->callback;
    size_t id = pull->id;
    bool good = reply->status == PMIX_SUCCESS;

    px_lock_take(&session->lock);
    pull->remote = reply->number;
    pull->ready = good;
    if (!good) {
        px_list_remove(&pull->link);
    }
    px_lock_give(&session->lock);
    if (!good) {
        free(pull);
    }
    regcbfunc(reply->status, id, inner->cbdata);
}

/* A subscription with a new number, in the session's list, where output may find it at once.
 * Numbers begin at 1, since 0 stands for output that nobody asked for. NULL: no memory. */
static struct px_iof_handler *pull_create(struct px_session *session, struct px_server_peer *server)
{
    struct px_iof_handler *pull = calloc(1, sizeof(*pull));

    if (pull == NULL) {
        return NULL;
    }
    pull->server = server;
    px_lock_take(&session->lock);
    session->last_pull++;
    pull->id = session->last_pull;
    px_list_append(&session->iof_handlers, &pull->link);
    px_lock_give(&session->lock);
    return pull;
}

/* The subscription is in the list before the request is sent, since output may arrive before the
 * reply. */
pmix_status_t px_client_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *given,
                                 pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                                 void *regcbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_completion to = {pull_done, NULL, (px_callback) regcbfunc, regcbdata};
    struct px_iof_pull_args args = *given;
    struct px_server_peer *server;
    struct px_iof_handler *pull;
    int rc = px_msg_server(session, &server);

    if (rc != 0) {
        return rc;
    }
    pull = pull_create(session, server);
    if (pull == NULL) {
        return PMIX_ERR_NOMEM;
    }
    pull->channel = args.channel;
    pull->cbfunc = cbfunc;
    args.id = pull->id;
    to.target = pull;
    rc = px_request_send_at(server, &px_request_iof_pull, &args.head, &to);
    if (rc != 0) {
        px_lock_take(&session->lock);
        px_list_remove(&pull->link);
        px_lock_give(&session->lock);
        free(pull);
    }
    return rc;
}

/* Removes a confirmed subscription; returns its server and the server's number. NULL: there is no
 * such one. */
static struct px_server_peer *take_pull(struct px_session *session, size_t id, size_t *ret_remote)
{
    struct px_server_peer *server = NULL;
    struct px_iof_handler *pull;

    px_lock_take(&session->lock);
    pull = find_pull_locked(session, id);
    if (pull != NULL && pull->ready) {
        *ret_remote = pull->remote;
        server = pull->server;
        px_list_remove(&pull->link);
        free(pull);
    }
    px_lock_give(&session->lock);
    return server;
}

/* The subscription is removed first: output that is still on its way finds none and is dropped. */
pmix_status_t px_client_iof_deregister(struct px_session *session,
                                       const struct px_iof_deregister_args *given,
                                       const struct px_completion *to)
{
    struct px_iof_deregister_args args = *given;
    struct px_server_peer *server = take_pull(session, given->id, &args.id);
    int rc;

    if (server == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = px_request_send_at(server, &px_request_iof_deregister, &args.head, to);
    /* It has ended with its server. */
    return rc == PMIX_ERR_LOST_CONNECTION ? PMIX_OPERATION_SUCCEEDED : rc;
}
