/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Forwarded output. Our number of a subscription travels with the request and comes back with the
 * output, so output can arrive before the confirmation, and before the call has returned: it is
 * kept until the application has been told the number. Output for number 0, which a server sends
 * to tools unasked, and for a subscription without a function goes to our own standard output or
 * error.
 *
 * A subscription is at the server that was the primary one when it was made. When that is lost or
 * left, it is made anew at the next primary one, under the same number of ours. */

#include "iof.h"

#include <stdlib.h>
#include <unistd.h>

#include "request.h"
#include "src/client/data/space.h"
#include "src/base/bytes.h"
#include "src/base/output.h"
#include "src/base/output_format.h"
#include "src/context/output_sink.h"
#include "src/event/chain.h"
#include "src/loop/after.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"

/* Output as it was received. Loop thread. */
struct received {
    struct px_list link;  /* while it waits for its subscription */
    struct px_output out; /* borrows the members below */
    pmix_byte_object_t bytes;
    pmix_info_t *info;
};

enum pull_state {
    PULL_ASKED,    /* the application does not know its number yet */
    PULL_MADE,     /* its server, which may be lost, has confirmed it */
    PULL_RENEWING, /* its server is asked for it in place of one that is lost */
    PULL_NOWHERE,  /* its server has refused it, or was lost before it answered */
};

/* Where a subscription is. */
struct pull_place {
    struct px_link_server *server; /* primary or not by now */
    size_t remote;                 /* the server's number of it, in PULL_MADE */
    enum pull_state state;
};

/* One subscription. In px_session.iof_handlers from before the request is sent until it is refused
 * or its deregistration has ended. Freed on the loop thread once the request was sent. */
struct px_iof_handler {
    struct px_list link;          /* session lock */
    struct px_after after;        /* tells the application */
    struct px_task task;          /* ends a subscription whose server is lost */
    struct px_list early;         /* loop thread: struct received, until the number is known */
    struct px_iof_pull_args args; /* owned, constant: what was asked for */
    pmix_status_t status;         /* of the reply */
    pmix_hdlr_reg_cbfunc_t told;  /* is told the number */
    void *told_cbdata;
    struct px_session *session;
    size_t id;
    struct pull_place at;     /* session lock; changed on the loop thread */
    bool ending;              /* session lock: is being deregistered */
    struct px_completion end; /* of the deregistration */
    struct px_sink *sink;     /* owned */
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

bool px_iof_is_asked_locked(struct px_session *session, const struct px_link_server *server)
{
    px_assert(px_lock_held(&session->lock));
    px_list_for(struct px_iof_handler, pull, &session->iof_handlers, link) {
        if (pull->at.server == server) {
            return true;
        }
    }
    return false;
}

/* Writes output to our own standard output or, for any other channel, standard error. */
static void write_out(const struct px_output *out)
{
    int fd = (out->channel & PMIX_FWD_STDOUT_CHANNEL) != 0 ? STDOUT_FILENO : STDERR_FILENO;

    (void) px_output_all(fd, out->bytes->bytes, out->bytes->size); /* after an error it is lost */
}

/* Frees what the output holds, but not the structure. */
static void received_fini(struct received *received)
{
    PMIx_Byte_object_destruct(&received->bytes);
    PMIx_Info_free(received->info, received->out.ninfo);
}

/* Keeps output for a subscription that the application does not know yet, and takes what it holds;
 * lost if memory is out. */
static void keep_early(struct px_iof_handler *pull, struct received *received)
{
    struct received *kept = malloc(sizeof(*kept));

    if (kept != NULL) {
        *kept = *received;
        kept->out.bytes = &kept->bytes;
        px_list_append(&pull->early, &kept->link);
        *received = (struct received){.info = NULL};
    }
}

/* Layout: PROC source, IOF_CHANNEL, SIZE number, INFOs, BYTE_OBJECT. The subscription must be of
 * this server: numbers are ours, but servers may send anything. Its function is called without the
 * lock; the subscription is freed on this thread only. */
void px_client_iof_in(struct px_link_server *server, struct px_in *in)
{
    struct px_session *session = server->session;
    struct received received = {.info = NULL};
    struct px_output *out = &received.out;
    struct px_iof_handler *pull;
    size_t id;

    px_assert(px_loop_inside(server->session->ctx->loop));
    (void) px_unpack_one(in, PMIX_PROC, &out->source);
    (void) px_unpack_one(in, PMIX_IOF_CHANNEL, &out->channel);
    (void) px_unpack_size(in, &id);
    (void) px_unpack_infos(in, &received.info, &out->ninfo);
    if (px_unpack_one(in, PMIX_BYTE_OBJECT, &received.bytes) == 0) {
        out->info = received.info;
        out->bytes = &received.bytes;
        px_lock_take(&session->lock);
        pull = find_pull_locked(session, id);
        pull = pull != NULL && pull->at.server == server ? pull : NULL;
        px_lock_give(&session->lock);
        if (pull != NULL && pull->at.state == PULL_ASKED) {
            keep_early(pull, &received);
        } else if (pull != NULL) {
            px_sink_put(pull->sink, id, out);
        } else if (id == 0 && session->is_tool) {
            write_out(out);
        }
    }
    received_fini(&received);
}

/* Frees a subscription that is in no list any more. */
static void pull_free(struct px_iof_handler *pull)
{
    px_list_for(struct received, received, &pull->early, link) {
        received_fini(received);
        free(received);
    }
    px_sink_destroy(pull->sink);
    px_args_fini(&px_request_iof_pull, &pull->args.head);
    free(pull);
}

/* Ends all subscriptions of a session and delivers the output that they hold back. No call of the
 * application is in the library. Loop thread. */
static void end_all(void *arg)
{
    struct px_session *session = arg;

    while (!px_list_empty(&session->iof_handlers)) {
        struct px_iof_handler *pull =
            px_container_of(px_list_shift(&session->iof_handlers), struct px_iof_handler, link);

        px_sink_flush(pull->sink, pull->id);
        pull_free(pull);
    }
}

void px_iof_handlers_fini(struct px_session *session)
{
    if (!px_list_empty(&session->iof_handlers)) {
        (void) px_loop_run(session->ctx->loop, end_all, session);
    }
}

/* Takes the subscription off the session's list. */
static void pull_remove(struct px_iof_handler *pull)
{
    px_lock_take(&pull->session->lock);
    px_list_remove(&pull->link);
    px_lock_give(&pull->session->lock);
}

/* The server has answered: it has the subscription under the number `remote`, or not at all. Loop
 * thread. True if it is to be ended meanwhile. */
static bool pull_settle(struct px_iof_handler *pull, pmix_status_t status, size_t remote)
{
    bool ending;

    px_lock_take(&pull->session->lock);
    pull->at.state = status == PMIX_SUCCESS ? PULL_MADE : PULL_NOWHERE;
    pull->at.remote = remote;
    ending = pull->ending;
    px_lock_give(&pull->session->lock);
    return ending;
}

/* Tells the application our number of a subscription, or that it was refused; then it gets the
 * output that came before. It may deregister the subscription at any time from then on. Loop
 * thread. */
static void pull_tell(struct px_after *after)
{
    struct px_iof_handler *pull = px_container_of(after, struct px_iof_handler, after);
    pmix_hdlr_reg_cbfunc_t told = pull->told;
    void *told_cbdata = pull->told_cbdata;
    pmix_status_t status = pull->status;
    size_t id = pull->id;

    if (status != PMIX_SUCCESS) {
        pull_remove(pull);
        pull_free(pull);
        told(status, id, told_cbdata);
        return;
    }
    (void) pull_settle(pull, status, pull->at.remote); /* nobody can end it yet */
    told(status, id, told_cbdata);
    while (!px_list_empty(&pull->early)) {
        struct received *received =
            px_container_of(px_list_shift(&pull->early), struct received, link);

        px_sink_put(pull->sink, id, &received->out);
        received_fini(received);
        free(received);
    }
}

/* The server has confirmed or refused a subscription. Loop thread. */
static void pull_done(const struct px_completion *inner, struct px_reply *reply)
{
    struct px_iof_handler *pull = inner->target;

    pull->at.remote = reply->number;
    pull->status = reply->status;
    px_after_done(&pull->after);
}

/* A file could not be written: the application is told by an event. Loop thread. */
static void file_failed(void *arg, const pmix_proc_t *source)
{
    struct px_session *session = arg;

    px_events_raise(session->ctx->events, PMIX_ERR_IOF_FAILURE, &session->ctx->self, source);
}

/* What this process has of the origin's namespace already: nobody is asked. Loop thread. */
static void locate(void *arg, struct px_output_origin *origin)
{
    const struct px_space *space = px_space_named(arg, origin->proc->nspace);

    px_origin_read(space != NULL ? px_space_job(space) : NULL, origin);
}

/* Makes a subscription with a new number and puts it into the session's list; output may come for
 * it from then on. Numbers begin at 1, since servers send output without a subscription under 0.
 * Statuses as px_args_copy and px_sink_create. */
static int pull_create(struct px_link_server *server, const struct px_iof_pull_args *args,
                       pmix_iof_cbfunc_t cbfunc, struct px_iof_handler **ret)
{
    struct px_session *session = server->session;
    const struct px_sink_owner owner = {file_failed, locate, session};
    struct px_iof_handler *pull = calloc(1, sizeof(*pull));
    int rc;

    if (pull == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&pull->early);
    pull->session = session;
    pull->at.server = server;
    rc = px_args_copy(&px_request_iof_pull, &pull->args.head, &args->head);
    rc = rc != 0 ? rc
                 : px_sink_create(session->ctx->loop, args->head.info, args->head.ninfo, cbfunc,
                                  &owner, &pull->sink);
    if (rc != 0) {
        pull_free(pull);
        return rc;
    }
    px_after_init(&pull->after, session->ctx->loop, pull_tell);
    px_lock_take(&session->lock);
    session->last_pull++;
    pull->id = session->last_pull;
    pull->args.id = pull->id;
    px_list_append(&session->iof_handlers, &pull->link);
    px_lock_give(&session->lock);
    *ret = pull;
    return 0;
}

/* The subscription is in the list before the request is sent, since output may arrive before the
 * reply. */
pmix_status_t px_client_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                                 pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                                 void *regcbdata)
{
    struct px_completion to = {.done = pull_done};
    struct px_link_server *server;
    struct px_iof_handler *pull;
    int rc = px_msg_server(px_session(ctx), &server);

    rc = rc == 0 ? pull_create(server, args, cbfunc, &pull) : rc;
    if (rc != 0) {
        return rc;
    }
    pull->told = regcbfunc;
    pull->told_cbdata = regcbdata;
    to.target = pull;
    rc = px_request_send_at(server, &px_request_iof_pull, &pull->args.head, &to);
    if (rc != 0) {
        pull_remove(pull);
        pull_free(pull);
        return rc;
    }
    px_after_return(&pull->after);
    return rc;
}

/* --- the end of a subscription --- */

/* Ends a subscription: delivers the output that it holds back, frees it, and completes the call of
 * PMIx_IOF_deregister. It ends with its server. Loop thread. */
static void pull_end(struct px_iof_handler *pull, struct px_reply *reply)
{
    struct px_completion to = pull->end;

    if (reply->status == PMIX_ERR_LOST_CONNECTION) {
        reply->status = PMIX_SUCCESS;
    }
    px_sink_flush(pull->sink, pull->id);
    pull_remove(pull);
    pull_free(pull);
    to.done(&to, reply);
}

/* The server has answered a deregistration: all output that it sent before has been given out. Loop
 * thread. */
static void end_done(const struct px_completion *inner, struct px_reply *reply)
{
    pull_end(inner->target, reply);
}

/* As end_done, for a subscription whose server cannot be told any more. */
static void end_alone(struct px_task *task)
{
    struct px_reply reply = {.status = PMIX_SUCCESS};

    pull_end(px_container_of(task, struct px_iof_handler, task), &reply);
}

/* Tells a server that a subscription ends. 0: end_done follows. Else as px_request_send_at. */
static int send_end(struct px_iof_handler *pull, const struct pull_place *at,
                    const struct px_args *head)
{
    struct px_iof_deregister_args args = {*head, at->remote};
    struct px_completion inner = {.done = end_done, .target = pull};

    return px_request_send_at(at->server, &px_request_iof_deregister, &args.head, &inner);
}

/* The confirmed subscription with our number, which no other call ends: from now on it is being
 * ended, with that completion. *ret has its place at that time. NULL: there is none. */
static struct px_iof_handler *claim_end(struct px_session *session, size_t id,
                                        const struct px_completion *to, struct pull_place *ret)
{
    struct px_iof_handler *pull;

    px_lock_take(&session->lock);
    pull = find_pull_locked(session, id);
    if (pull != NULL && (pull->at.state == PULL_ASKED || pull->ending)) {
        pull = NULL;
    }
    if (pull != NULL) {
        pull->ending = true;
        pull->end = *to;
        *ret = pull->at;
    }
    px_lock_give(&session->lock);
    return pull;
}

/* The subscription stays until the server has answered: what it sent before is delivered, and
 * nothing comes after it. While another server is asked for it, its answer comes first. */
pmix_status_t px_client_iof_deregister(struct px_session *session,
                                       const struct px_iof_deregister_args *given,
                                       const struct px_completion *to)
{
    struct pull_place at = {.server = NULL};
    struct px_iof_handler *pull = claim_end(session, given->id, to, &at);
    int rc;

    if (pull == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (at.state == PULL_RENEWING) {
        return PMIX_SUCCESS; /* renewed ends it */
    }
    rc = at.state == PULL_MADE ? send_end(pull, &at, &given->head) : PMIX_ERR_LOST_CONNECTION;
    if (rc == PMIX_ERR_LOST_CONNECTION) {
        pull->task.run = end_alone;
        px_loop_post(session->ctx->loop, &pull->task);
        return PMIX_SUCCESS;
    }
    if (rc != 0) {
        px_lock_take(&session->lock);
        pull->ending = false;
        px_lock_give(&session->lock);
    }
    return rc;
}

/* --- another server --- */

/* The next server has confirmed or refused a subscription, which may be deregistered by now. The
 * application learns of a refusal by an event; with the next server it is tried again. Loop thread.
 */
static void renewed(const struct px_completion *inner, struct px_reply *reply)
{
    static const struct px_args nothing = {.info = NULL};
    struct px_iof_handler *pull = inner->target;
    struct px_ctx *ctx = pull->session->ctx;
    pmix_status_t status = reply->status;
    bool ending = pull_settle(pull, status, reply->number);

    if (ending && status == PMIX_SUCCESS) {
        status = send_end(pull, &pull->at, &nothing);
        ending = status != 0;
    }
    if (ending) {
        end_alone(&pull->task);
    } else if (status != PMIX_SUCCESS && status != PMIX_ERR_LOST_CONNECTION) {
        px_events_raise(ctx->events, PMIX_ERR_IOF_FAILURE, &pull->at.server->proc,
                        pull->args.procs);
    }
}

/* Asks a server for a subscription. Loop thread. */
static void renew(struct px_iof_handler *pull, struct px_link_server *server)
{
    struct px_completion to = {.done = renewed, .target = pull};
    struct px_reply reply = {.status = PMIX_SUCCESS};

    reply.status = px_request_send_at(server, &px_request_iof_pull, &pull->args.head, &to);
    if (reply.status != 0) {
        renewed(&to, &reply);
    }
}

/* A subscription that is without a server, and that nobody ends, for renew; NULL: none. */
static struct px_iof_handler *take_lost(struct px_session *session, struct px_link_server *server)
{
    struct px_iof_handler *found = NULL;

    px_lock_take(&session->lock);
    px_list_for(struct px_iof_handler, pull, &session->iof_handlers, link) {
        bool lost = px_load_acquire(&pull->at.server->lost) != 0; /* pairs with link_lost */

        if (!found && pull->at.server != server && !pull->ending &&
            (pull->at.state == PULL_NOWHERE || (pull->at.state == PULL_MADE && lost))) {
            pull->at.state = PULL_RENEWING;
            pull->at.server = server;
            found = pull;
        }
    }
    px_lock_give(&session->lock);
    return found;
}

/* Each is asked for once: afterwards it is of this server. */
void px_client_iof_repeat(struct px_link_server *server)
{
    struct px_iof_handler *pull = take_lost(server->session, server);

    px_assert(px_loop_inside(server->session->ctx->loop));
    while (pull != NULL) {
        renew(pull, server);
        pull = take_lost(server->session, server);
    }
}
