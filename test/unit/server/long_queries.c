/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries with very many keys, which the server answers in turns of its loop. The host has no
 * answer. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/request/schema.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/requests/server_query.h"
#include "src/server/state.h"

/* A turn is good for so many keys that look at little, with two qualifiers: user and group. */
enum { A_TURN = 500, MANY = 2000, MOST_TURNS = 50 };

/* Two queries, and the infos that each has after a turn. */
static struct seen {
    struct px_timer timer;
    sem_t over;
    unsigned n_over;
    struct px_upcall *up[2]; /* NULL: it has ended */
    pmix_status_t status[2];
    size_t n_infos[2];
    size_t in_turn[2][MOST_TURNS];
    size_t n_turns;
} seen;

static void on_end(struct px_upcall *up)
{
    size_t nth = up == seen.up[1];

    assert_ptr_equal(seen.up[nth], up);
    seen.status[nth] = up->reply.status;
    seen.n_infos[nth] = up->reply.ninfo;
    seen.up[nth] = NULL;
    seen.n_over++;
}

/* The nth query, of this process or of a peer, as the host answers it. */
static void ask(struct px_server *s, size_t nth, size_t n_keys, struct px_peer *peer)
{
    struct px_upcall *up = px_upcall_create_for(s, &px_request_query, NULL, NULL, on_end);
    struct px_query_args *args = up->args;

    args->queries = PMIx_Query_create(1);
    args->nqueries = 1;
    args->queries->keys = calloc(n_keys + 1, sizeof(char *));
    for (size_t i = 0; i < n_keys; i++) {
        args->queries->keys[i] = strdup(PMIX_QUERY_NAMESPACES);
    }
    seen.up[nth] = up;
    assert_int_equal(px_query_prepare(up, peer), 0);
    px_upcall_returned(up, PMIX_ERR_NOT_SUPPORTED);
}

static size_t n_now(size_t nth)
{
    return seen.up[nth] ? seen.up[nth]->reply.ninfo : seen.n_infos[nth];
}

static void on_turn(struct px_timer *timer)
{
    for (size_t i = 0; i < 2; i++) {
        seen.in_turn[i][seen.n_turns] = n_now(i);
    }
    seen.n_turns++;
    if (seen.n_over < 2 && seen.n_turns < MOST_TURNS) {
        px_timer_start_loop(px_ctx()->loop, timer, 0, on_turn);
    } else {
        (void) sem_post(&seen.over);
    }
}

/* The first is of a peer: nothing is done in the turn in which it was read. */
static void ask_two(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer peer = {.server = s, .uid = geteuid(), .gid = getegid()};

    (void) arg;
    memset(&seen, 0, sizeof(seen));
    (void) sem_init(&seen.over, 0, 0);
    ask(s, 0, MANY, &peer);
    assert_int_equal(n_now(0), 0);
    ask(s, 1, MANY, NULL);
    assert_int_equal(n_now(1), A_TURN);
    on_turn(&seen.timer);
}

static void one_part_in_each_turn(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, ask_two, NULL), 0);
    (void) sem_wait(&seen.over);
    (void) sem_destroy(&seen.over);
    assert_int_equal(seen.n_over, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(seen.status[i], PMIX_SUCCESS);
        assert_int_equal(seen.n_infos[i], MANY);
    }
    for (size_t i = 1; i < seen.n_turns; i++) {
        size_t first = seen.in_turn[0][i] - seen.in_turn[0][i - 1];
        size_t second = seen.in_turn[1][i] - seen.in_turn[1][i - 1];

        assert_true(first + second <= A_TURN);
    }
}

/* Few keys are answered at once. */
static void ask_little(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer peer = {.server = s, .uid = geteuid(), .gid = getegid()};

    (void) arg;
    memset(&seen, 0, sizeof(seen));
    ask(s, 0, 100, &peer);
    ask(s, 1, A_TURN, NULL);
    assert_int_equal(seen.n_over, 2);
    assert_int_equal(seen.n_infos[1], A_TURN);
}

static void a_short_query(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, ask_little, NULL), 0);
}

/* What is under way ends without an answer; what the host answers later, in one turn. */
static void ask_at_the_end(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    memset(&seen, 0, sizeof(seen));
    ask(s, 0, MANY, NULL);
    assert_int_equal(seen.n_over, 0);
    s->stopping = true;
    px_upcalls_abandon(s);
    assert_int_equal(seen.n_over, 1);
    assert_int_equal(seen.status[0], PMIX_ERR_LOST_CONNECTION);
    ask(s, 1, MANY, NULL);
    assert_int_equal(seen.n_over, 2);
    assert_int_equal(seen.n_infos[1], MANY);
    s->stopping = false;
}

static void the_end_of_the_server(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, ask_at_the_end, NULL), 0);
}

/* The peer has gone: nobody is answered, and nothing is looked at. */
static void ask_for_nobody(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_upcall up = {.server = s, .reply_to.peer = UINT64_MAX};
    struct px_query_args args = {.nqueries = 0};

    (void) arg;
    up.args = &args;
    assert_false(px_query_go_on(&up));
    assert_int_equal(up.reply.status, PMIX_ERR_LOST_CONNECTION);
    px_query_work_free(up.query);
}

static void a_peer_that_has_gone(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, ask_for_nobody, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_part_in_each_turn, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_short_query, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(the_end_of_the_server, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_peer_that_has_gone, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
