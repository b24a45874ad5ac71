/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* When the memory of a server that a tool has left is freed: not while it is the primary one, and
 * not while another thread is in a call, in which it may still have a pointer to the server.
 * Standard input that is pushed there ends before. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "unlaunched.h"
#include "src/base/epoch.h"
#include "src/client/tool/former.h"
#include "src/client/tool/primary.h"
#include "src/client/session.h"
#include "src/event/own_input.h"
#include "src/net/dial.h"

/* A server that says nothing; its end of the connection is *ret_end. */
static struct px_link_server *attach(int *ret_end)
{
    struct px_link_server *server = NULL;
    struct px_dialed dialed = {.index = 0};
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    dialed.fd = ends[0];
    *ret_end = ends[1];
    assert_int_equal(
        px_session_attach(px_session(ctx), &dialed, PX_WIRE_PLAIN,
                          &(struct px_server_known){.uri = "server.0;tcp4://127.0.0.1:1"}, &server),
        0);
    return server;
}

static void mark_forgotten(void *server)
{
    px_lock_take(&px_session(ctx)->lock);
    ((struct px_link_server *) server)->forgotten = true;
    px_lock_give(&px_session(ctx)->lock);
}

/* As px_session_forget_lost leaves it, by its thread. */
static void forget(struct px_link_server *server)
{
    assert_int_equal(px_loop_run(ctx->loop, mark_forgotten, server), 0);
}

static bool is_listed(const struct px_link_server *server)
{
    const struct px_link_server *at = px_server_first(px_session(ctx));

    while (at != NULL && at != server) {
        at = px_server_next(at);
    }
    return at != NULL;
}

static void pass(void *arg)
{
    (void) arg;
}

static pthread_barrier_t inside;
static pthread_barrier_t over;

/* A thread in a call of the library, from one barrier to the other. */
static void *call(void *arg)
{
    px_call_begin();
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&over);
    px_call_end();
    return arg;
}

static void freed_when_nobody_can_have_it(void **state)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *servers[2];
    pthread_t thread;
    int ends[2];

    (void) state;
    for (int i = 0; i < 2; i++) {
        servers[i] = attach(&ends[i]);
        forget(servers[i]);
    }
    assert_ptr_equal(session->primary, servers[0]);
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&over, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, call, NULL), 0);
    pthread_barrier_wait(&inside);
    px_call_begin();
    px_former_free(session);
    assert_true(is_listed(servers[0])); /* the primary one */
    assert_false(is_listed(servers[1]));
    assert_ptr_equal(session->former, servers[1]);
    px_former_free(session);
    assert_ptr_equal(session->former, servers[1]);
    pthread_barrier_wait(&over);
    pthread_join(thread, NULL);
    px_former_free(session);
    assert_null(session->former);
    assert_true(is_listed(servers[0]));
    px_call_end();
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
    }
    while (px_session_server(session) != NULL) { /* else the next test runs beside link_lost */
        (void) sched_yield();
    }
    assert_int_equal(px_loop_run(ctx->loop, pass, NULL), 0);
    pthread_barrier_destroy(&inside);
    pthread_barrier_destroy(&over);
}

static pmix_status_t push_nothing(void *where, const struct px_iof_push_args *args,
                                  const struct px_completion *to)
{
    (void) where;
    (void) args;
    (void) to;
    return PMIX_ERR_LOST_CONNECTION;
}

/* Reading has begun, or has not. */
static void push_began(const struct px_completion *to, struct px_reply *reply)
{
    *(pmix_status_t *) to->target = reply->status;
}

/* For px_loop_run. */
/* Pushes standard input, which is a pipe into which nobody writes, to a server. */
static void push_input(struct px_link_server *server)
{
    pmix_status_t status = PMIX_ERROR;
    struct px_completion to = {.done = push_began, .target = &status};
    struct px_iof_push_args args = {.nprocs = 0};
    bool yes = true;

    args.head.info = PMIx_Info_create(1);
    args.head.ninfo = 1;
    PMIx_Info_load(args.head.info, PMIX_IOF_PUSH_STDIN, &yes, PMIX_BOOL);
    assert_int_equal(px_push_input(ctx, &args, push_nothing, server, &to), PMIX_SUCCESS);
    assert_int_equal(px_loop_run(ctx->loop, pass, NULL), 0);
    assert_int_equal(status, PMIX_SUCCESS);
    assert_non_null(ctx->input);
    PMIx_Info_free(args.head.info, 1);
}

static void input_ends_before(void **state)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *servers[2];
    int own = dup(STDIN_FILENO);
    int ends[2];
    int input[2];

    (void) state;
    assert_int_equal(pipe(input), 0);
    assert_int_equal(dup2(input[0], STDIN_FILENO), STDIN_FILENO);
    for (int i = 0; i < 2; i++) {
        servers[i] = attach(&ends[i]);
    }
    push_input(servers[0]);
    forget(servers[1]);
    px_call_begin();
    px_former_free(session);
    assert_non_null(ctx->input); /* it goes elsewhere */
    px_call_end();
    px_store_release(&servers[0]->lost, 1); /* pairs with px_session_server */
    session->is_tool = true;
    px_lock_take(&session->lock);
    px_session_set_primary_locked(session, NULL);
    px_lock_give(&session->lock);
    assert_int_equal(px_loop_run(ctx->loop, px_session_forget_lost, session), 0);
    assert_null(ctx->input);
    push_input(servers[0]); /* by a call that had begun before */
    px_call_begin();
    px_former_free(session);
    assert_false(is_listed(servers[0]));
    assert_null(ctx->input);
    px_call_end();
    assert_int_equal(dup2(own, STDIN_FILENO), STDIN_FILENO);
    close(own);
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(input[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freed_when_nobody_can_have_it),
        cmocka_unit_test(input_ends_before),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
