/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* px_loop_run and px_loop_try_run: in which thread, and behind what. */

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/loop/loop.h"
#include "test/unit/loop/asleep.h"

/* A call of px_loop_run that looks where it is. */
struct nested {
    struct px_loop *loop;
    pthread_t where;
    bool inside;
};

static void look(void *arg)
{
    struct nested *nested = arg;

    nested->where = pthread_self();
    nested->inside = px_loop_inside(nested->loop);
}

static void run_inside(void *arg)
{
    struct nested *nested = arg;

    assert_int_equal(px_loop_run(nested->loop, look, nested), 0);
    assert_true(pthread_equal(nested->where, pthread_self()));
}

/* A call into the loop from the loop waits for nobody. */
static void run_within_a_run(void **state)
{
    struct nested nested;

    (void) state;
    for (int external = 0; external < 2; external++) {
        nested.inside = false;
        assert_int_equal(px_loop_create(external, &nested.loop), 0);
        assert_int_equal(px_loop_run(nested.loop, run_inside, &nested), 0);
        assert_true(nested.inside);
        px_loop_destroy(nested.loop);
    }
}

/* A loop that is run from within another one's callback does not take its place. */
struct outer {
    struct px_loop *loop;
    struct nested nested;
    bool still_inside;
};

static void run_another(void *arg)
{
    struct outer *outer = arg;

    assert_int_equal(px_loop_run(outer->nested.loop, look, &outer->nested), 0);
    outer->still_inside = px_loop_inside(outer->loop);
}

static void run_of_another_loop(void **state)
{
    struct outer outer = {.still_inside = false};

    (void) state;
    assert_int_equal(px_loop_create(false, &outer.loop), 0);
    assert_int_equal(px_loop_create(false, &outer.nested.loop), 0);
    assert_int_equal(px_loop_run(outer.loop, run_another, &outer), 0);
    assert_true(outer.still_inside && outer.nested.inside);
    px_loop_destroy(outer.nested.loop);
    px_loop_destroy(outer.loop);
}

/* A task that holds the loop until the caller of px_loop_run waits for it. */
struct held {
    struct px_task hold;
    struct px_task before;
    struct nested nested;
    sem_t begun;
    pid_t caller;
    bool ran; /* loop thread */
};

static void hold_until_it_waits(struct px_task *task)
{
    struct held *held = px_container_of(task, struct held, hold);

    (void) sem_post(&held->begun);
    await_sleep(held->caller);
}

static void come_before(struct px_task *task)
{
    px_container_of(task, struct held, before)->ran = true;
}

static void see_what_came_before(void *arg)
{
    struct held *held = arg;

    assert_true(held->ran);
    look(&held->nested);
}

/* A loop that is at work runs what it is given in its own thread, and in its turn. */
static void run_waits_for_its_turn(void **state)
{
    struct held held = {
        .hold = {NULL, hold_until_it_waits}, .before = {NULL, come_before}, .caller = thread_id()};

    (void) state;
    assert_int_equal(sem_init(&held.begun, 0, 0), 0);
    assert_int_equal(px_loop_create(false, &held.nested.loop), 0);
    px_loop_post(held.nested.loop, &held.hold);
    while (sem_wait(&held.begun) != 0) {
    }
    px_loop_post(held.nested.loop, &held.before);
    assert_false(px_loop_try_run(held.nested.loop, look, &held.nested));
    assert_int_equal(px_loop_run(held.nested.loop, see_what_came_before, &held), 0);
    assert_true(held.nested.inside);
    assert_false(pthread_equal(held.nested.where, pthread_self()));
    px_loop_destroy(held.nested.loop);
    (void) sem_destroy(&held.begun);
}

/* A loop that sleeps is not woken: the caller is its thread meanwhile. One without a thread is the
 * caller's to drive. */
static void run_at_once_while_the_loop_sleeps(void **state)
{
    struct nested nested = {.inside = false};
    int woken = 0;

    (void) state;
    assert_int_equal(px_loop_create(false, &nested.loop), 0);
    for (int i = 0; i < 100; i++) {
        while (!px_loop_try_run(nested.loop, look, &nested)) { /* it still begins */
            woken++;
            (void) sched_yield();
        }
        assert_true(nested.inside && pthread_equal(nested.where, pthread_self()));
        assert_false(px_loop_inside(nested.loop));
    }
    px_loop_destroy(nested.loop);
    assert_int_equal(px_loop_create(true, &nested.loop), 0);
    assert_false(px_loop_try_run(nested.loop, look, &nested));
    assert_int_equal(px_loop_run(nested.loop, look, &nested), 0);
    assert_true(pthread_equal(nested.where, pthread_self()));
    px_loop_destroy(nested.loop);
    print_message("the loop was awake %d times\n", woken);
}

enum { ROUNDS = 300 };

/* A task that another thread posts while a third one is the loop's. */
struct queued {
    struct px_task task;
    struct px_loop *loop;
    pid_t progress;
    bool ran; /* loop thread */
};

static void learn(struct px_task *task)
{
    struct queued *queued = px_container_of(task, struct queued, task);

    queued->progress = thread_id();
    queued->ran = true;
}

static void *post_it(void *arg)
{
    struct queued *queued = arg;

    px_loop_post(queued->loop, &queued->task);
    return NULL;
}

/* The loop's own thread has been woken for the task, and waits for this one. */
static void have_it_posted(void *arg)
{
    struct queued *queued = arg;
    pthread_t thread;

    queued->ran = false;
    assert_int_equal(pthread_create(&thread, NULL, post_it, queued), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    await_call(queued->progress, SYS_futex);
}

static void see_that_it_ran(void *arg)
{
    assert_true(((struct queued *) arg)->ran);
}

/* What was posted before runs before, also when nobody has come to it yet. */
static void run_behind_what_is_queued(void **state)
{
    struct queued queued = {.task = {NULL, learn}};

    (void) state;
    assert_int_equal(px_loop_create(false, &queued.loop), 0);
    px_loop_post(queued.loop, &queued.task);
    assert_int_equal(px_loop_run(queued.loop, see_that_it_ran, &queued), 0);
    for (int i = 0; i < ROUNDS; i++) {
        await_call(queued.progress, PROGRESS_SLEEPS);
        assert_true(px_loop_try_run(queued.loop, have_it_posted, &queued));
        assert_int_equal(px_loop_run(queued.loop, see_that_it_ran, &queued), 0);
    }
    px_loop_destroy(queued.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_within_a_run),
        cmocka_unit_test(run_of_another_loop),
        cmocka_unit_test(run_waits_for_its_turn),
        cmocka_unit_test(run_behind_what_is_queued),
        cmocka_unit_test(run_at_once_while_the_loop_sleeps),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
