/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server is a former server if four things hold: its connection is lost; it is not the primary
 * server; its data was dropped (px_session_forget_lost); and no output is subscribed to at it. A
 * former server is taken out of the session's list. Threads follow that list without the lock, so
 * one may still have a pointer to the server; therefore it keeps its `next`, and is not freed yet.
 * A thread has such a pointer only in a call of the library or as a reader. When every thread has
 * been seen outside of both since the server was taken out, and the tasks have run that these calls
 * had posted, it is freed. This runs on the loop thread, which between two tasks has such a pointer
 * only in the standard input that is pushed; that ends before. A finalize is not counted as a call;
 * it follows the list after the context went down, and px_former_stop comes before. */

#include "former.h"

#include "src/client/iof.h"
#include "src/client/session.h"
#include "src/base/epoch.h"
#include "src/event/own_input.h"

/* One attempt to free former servers. On the stack of the caller, who waits. */
struct release {
    struct px_session *session;
    const struct px_reader *caller;
    struct px_link_server *over; /* by px_link_server.former: no call has a pointer to them */
};

/* Takes former servers out of the session's list. Session lock. */
static void take_out_locked(struct px_session *session)
{
    struct px_link_server *before = NULL;
    struct px_link_server *next;

    px_assert(px_lock_held(&session->lock));
    for (struct px_link_server *at = px_server_first(session); at != NULL; at = next) {
        next = px_server_next(at);
        if (!at->forgotten || at == session->primary || px_iof_is_asked_locked(session, at)) {
            before = at;
            continue;
        }
        /* pairs with px_server_next, px_server_first */
        px_store_ptr_release(before != NULL ? &before->next : &session->servers, next);
        at->former = session->former;
        session->former = at;
    }
}

/* Takes former servers out, and moves them to `over` if all calls that may use them have ended. For
 * px_loop_run. */
static void await_calls(void *arg)
{
    struct release *release = arg;
    struct px_session *session = release->session;
    bool over = false;

    px_assert(px_loop_inside(session->ctx->loop));
    if (px_ctx_peek() == NULL) {
        return; /* px_session_destroy frees them */
    }
    px_lock_take(&session->lock);
    take_out_locked(session);
    px_lock_give(&session->lock);
    if (session->former != NULL && px_calls_over(release->caller)) {
        over = px_session_await_readers(release->caller);
    }
    if (over) {
        release->over = session->former;
        session->former = NULL;
    }
}

/* Behind the tasks that those calls have posted. For px_loop_run. */
static void free_former(void *arg)
{
    struct release *release = arg;

    for (const struct px_link_server *at = release->over; at != NULL; at = at->former) {
        px_input_lost(release->session->ctx, at);
    }
    release->session->speaker = NULL;
    px_servers_free(&release->over);
}

void px_former_free(struct px_session *session)
{
    struct release release = {.session = session, .caller = px_reader_self};

    /* in a forked child: nothing is freed */
    (void) px_loop_run(session->ctx->loop, await_calls, &release);
    if (release.over != NULL) {
        (void) px_loop_run(session->ctx->loop, free_former, &release);
    }
}

/* For px_loop_run. */
static void pass(void *arg)
{
    (void) arg;
}

void px_former_stop(struct px_session *session)
{
    px_assert(px_ctx_peek() == NULL);
    (void) px_loop_run(session->ctx->loop, pass, NULL); /* after a free_former that goes on */
}
