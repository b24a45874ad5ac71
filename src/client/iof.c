/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Forwarded output. Our number of a subscription travels with the request and comes back with the
 * output, so output can arrive before the confirmation, and before the call has returned: it is
 * kept until the application has been told the number. Output for number 0, which a server sends
 * to tools unasked, and for a subscription without a function goes to our own standard output or
 * error. */

#include "iof.h"

#include <stdlib.h>
#include <unistd.h>

#include "request.h"
#include "src/base/bytes.h"
#include "src/loop/after.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"

/* Output that waits for its subscription. Loop thread. */
struct output {
    struct px_list link;
    pmix_iof_channel_t channel;
    pmix_proc_t source;
    pmix_byte_object_t bytes;
    pmix_info_t *info;
    size_t ninfo;
};

/* One subscription. In px_session.iof_handlers from before the request is sent until it is
 * deregistered or refused. */
struct px_iof_handler {
    struct px_list link;         /* session lock */
    struct px_after after;       /* tells the application */
    struct px_list early;        /* loop thread: struct output, until `ready` */
    pmix_status_t status;        /* of the reply */
    pmix_hdlr_reg_cbfunc_t told; /* is told the number */
    void *told_cbdata;
    struct px_server_peer *server; /* the server it was made at, primary or not by now */
    size_t id;
    size_t remote; /* the server's number of it, once `ready` */
    bool ready;    /* the application knows the number */
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

/* Frees what the output holds, but not the structure. */
static void output_fini(struct output *out)
{
    PMIx_Byte_object_destruct(&out->bytes);
    PMIx_Info_free(out->info, out->ninfo);
}

/* Hands output to the subscription's function, or writes it out. Without the lock. */
static void hand_over(size_t id, pmix_iof_cbfunc_t cbfunc, struct output *out)
{
    if (cbfunc != NULL) {
        cbfunc(id, out->channel, &out->source, &out->bytes, out->info, out->ninfo);
    } else {
        write_out(out->channel, &out->bytes);
    }
}

/* Keeps output for a subscription that the application does not know yet, and takes what it holds;
 * lost if memory is out. */
static void keep_early(struct px_iof_handler *pull, struct output *out)
{
    struct output *kept = malloc(sizeof(*kept));

    if (kept != NULL) {
        *kept = *out;
        px_list_append(&pull->early, &kept->link);
        *out = (struct output){0};
    }
}

/* Layout: PROC source, IOF_CHANNEL, SIZE number, INFOs, BYTE_OBJECT. The subscription must be of
 * this server: numbers are ours, but servers may send anything. Its function is called without the
 * lock. */
void px_client_iof_in(struct px_server_peer *server, struct px_in *in)
{
    struct px_session *session = server->session;
    pmix_iof_cbfunc_t cbfunc = NULL;
    struct output out = {.info = NULL};
    struct px_iof_handler *pull;
    bool known;
    size_t id;

    px_assert(px_loop_inside(server->session->ctx->loop));
    (void) px_unpack_one(in, PMIX_PROC, &out.source);
    (void) px_unpack_one(in, PMIX_IOF_CHANNEL, &out.channel);
    (void) px_unpack_size(in, &id);
    (void) px_unpack_infos(in, &out.info, &out.ninfo);
    if (px_unpack_one(in, PMIX_BYTE_OBJECT, &out.bytes) == 0) {
        px_lock_take(&session->lock);
        pull = find_pull_locked(session, id);
        pull = pull != NULL && pull->server == server ? pull : NULL;
        known = pull != NULL || (id == 0 && session->is_tool);
        cbfunc = pull != NULL ? pull->cbfunc : NULL;
        if (pull != NULL && !pull->ready) {
            keep_early(pull, &out);
            known = false;
        }
        px_lock_give(&session->lock);
        if (known) {
            hand_over(id, cbfunc, &out);
        }
    }
    output_fini(&out);
}

/* Frees a subscription that is in no list any more. */
static void pull_free(struct px_iof_handler *pull)
{
    px_list_for(struct output, out, &pull->early, link) {
        output_fini(out);
        free(out);
    }
    free(pull);
}

void px_iof_handlers_fini(struct px_session *session)
{
    while (!px_list_empty(&session->iof_handlers)) {
        pull_free(
            px_container_of(px_list_shift(&session->iof_handlers), struct px_iof_handler, link));
    }
}

/* Takes the subscription off the session's list. */
static void pull_remove(struct px_session *session, struct px_iof_handler *pull)
{
    px_lock_take(&session->lock);
    px_list_remove(&pull->link);
    px_lock_give(&session->lock);
}

/* The function of a subscription that still is; false: there is no such one. */
static bool find_function(struct px_session *session, size_t id, pmix_iof_cbfunc_t *ret)
{
    struct px_iof_handler *pull;

    px_lock_take(&session->lock);
    pull = find_pull_locked(session, id);
    if (pull != NULL) {
        *ret = pull->cbfunc;
    }
    px_lock_give(&session->lock);
    return pull != NULL;
}

/* Tells the application our number of a subscription, or that it was refused; then it gets the
 * output that came before. It may deregister the subscription at any time from then on. Loop
 * thread. */
static void pull_tell(struct px_after *after)
{
    struct px_iof_handler *pull = px_container_of(after, struct px_iof_handler, after);
    struct px_session *session = pull->server->session;
    pmix_hdlr_reg_cbfunc_t told = pull->told;
    void *told_cbdata = pull->told_cbdata;
    pmix_status_t status = pull->status;
    pmix_iof_cbfunc_t cbfunc;
    size_t id = pull->id;
    struct px_list early;

    px_list_init(&early);
    while (!px_list_empty(&pull->early)) {
        px_list_append(&early, px_list_shift(&pull->early));
    }
    if (status == PMIX_SUCCESS) {
        px_lock_take(&session->lock);
        pull->ready = true;
        px_lock_give(&session->lock);
    } else {
        pull_remove(session, pull);
        pull_free(pull);
    }
    told(status, id, told_cbdata);
    px_list_for(struct output, out, &early, link) {
        if (find_function(session, id, &cbfunc)) {
            hand_over(id, cbfunc, out);
        }
        output_fini(out);
        free(out);
    }
}

/* The server has confirmed or refused a subscription. Loop thread. */
static void pull_done(const struct px_completion *inner, struct px_reply *reply)
{
    struct px_iof_handler *pull = inner->target;

    pull->remote = reply->number;
    pull->status = reply->status;
    px_after_done(&pull->after);
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
    px_list_init(&pull->early);
    px_after_init(&pull->after, session->ctx->loop, pull_tell);
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
    struct px_completion to = {.done = pull_done};
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
    pull->told = regcbfunc;
    pull->told_cbdata = regcbdata;
    args.id = pull->id;
    to.target = pull;
    rc = px_request_send_at(server, &px_request_iof_pull, &args.head, &to);
    if (rc != 0) {
        pull_remove(session, pull);
        pull_free(pull);
        return rc;
    }
    px_after_return(&pull->after);
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
        pull_free(pull);
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
