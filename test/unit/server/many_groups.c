/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups that are many or large, without clients: ends of processes, for which many are looked at
 * in turns of the loop, and where a large one is. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/nspace/proc_sets.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/group_data.h"
#include "src/server/state.h"

enum { GROUPS = 3000, CHECKED = 1024, MEMBERS = 20000 };

/* Turns of the loop in each of which a process ends, until all groups have been looked at. */
static struct ends {
    struct px_timer timer;
    sem_t over;
    size_t n_left[GROUPS]; /* groups, after each turn */
    size_t n_turns;
} ends;

/* One who ends makes all groups be looked at, however often that is asked for in a turn. */
static void end_one(struct px_server *s)
{
    s->n_ends++;
    for (int i = 0; i < 3; i++) {
        px_colls_recount(s);
    }
    ends.n_left[ends.n_turns++] = s->proc_sets->n;
}

static void on_end(struct px_timer *timer)
{
    struct px_server *s = px_ctx()->server;

    end_one(s);
    if (s->proc_sets->n && ends.n_turns < GROUPS) {
        px_timer_start_loop(px_ctx()->loop, timer, 0, on_end);
    } else {
        (void) sem_post(&ends.over);
    }
}

/* Groups whose members are not of this server are forgotten. */
static void make_groups(void *arg)
{
    struct px_server *s = arg;
    pmix_proc_t member;

    PMIX_LOAD_PROCID(&member, "nobody", 0);
    for (int i = 0; i < GROUPS; i++) {
        (void) px_proc_set_add(s->proc_sets, PX_SET_GROUP, i % 2 ? "odd" : "even", &member, 1);
    }
    end_one(s);
    px_timer_start_loop(px_ctx()->loop, &ends.timer, 0, on_end);
}

static void an_end_for_many_groups(void **state)
{
    (void) state;
    (void) sem_init(&ends.over, 0, 0);
    ends.n_turns = 0;
    assert_int_equal(px_loop_run(px_ctx()->loop, make_groups, px_ctx()->server), 0);
    (void) sem_wait(&ends.over);
    (void) sem_destroy(&ends.over);
    assert_int_equal(ends.n_left[0], GROUPS - CHECKED);
    assert_true(ends.n_turns >= 3 && ends.n_turns < 10);
    for (size_t i = 1; i < ends.n_turns; i++) {
        assert_true(ends.n_left[i] + CHECKED >= ends.n_left[i - 1]);
    }
    assert_int_equal(ends.n_left[ends.n_turns - 1], 0);
}

/* The last of many is of another node, or none is. */
static void look_elsewhere(void *arg)
{
    struct px_proc_list *list = arg;
    struct px_server *s = px_ctx()->server;

    assert_false(px_procs_any_elsewhere(s, list));
    PMIX_LOAD_PROCID(&list->at[list->n - 1], "nobody", 0);
    assert_true(px_procs_any_elsewhere(s, list));
}

static void where_a_large_group_is(void **state)
{
    static pmix_proc_t procs[MEMBERS];
    struct px_proc_list list = {.at = procs, .n = MEMBERS};

    (void) state;
    for (size_t i = 0; i < MEMBERS; i++) {
        PMIX_LOAD_PROCID(&procs[i], JOB, 0);
    }
    assert_int_equal(px_loop_run(px_ctx()->loop, look_elsewhere, &list), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_end_for_many_groups, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(where_a_large_group_is, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
