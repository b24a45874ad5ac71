/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asleep.h"
#include "fault.h"

#include "src/base/atomic.h"
#include "src/base/clock.h"
#include "src/base/epoch.h"
#include "src/loop/callers.h"

/* Looks after which a thread is taken to be stopped for ever. */
enum { MANY = 200 };

/* A thread whose call ends, and what it does then. */
struct thread {
    pthread_t thread;
    void (*then)(struct thread *thread);
    bool slot; /* it has one in the table of readers */
    struct px_caller caller;
    uint64_t left; /* atomic: when its call ended */
    uint64_t over; /* atomic: 1: it is to end */
    int pipe[2];
    struct fault fault;
};

static void *run(void *arg)
{
    struct thread *t = arg;

    if (t->slot) {
        (void) px_reader_join();
    }
    t->caller = px_caller_self();
    px_store_release(&t->left, px_clock_ns()); /* pairs with start */
    t->then(t);
    return NULL;
}

/* Returns when the thread's call has ended. */
static void start(struct thread *t)
{
    assert_int_equal(pthread_create(&t->thread, NULL, run, t), 0);
    while (px_load_acquire(&t->left) == 0) { /* pairs with run */
        (void) sched_yield();
    }
}

static void join(struct thread *t)
{
    assert_int_equal(pthread_join(t->thread, NULL), 0);
}

static bool ask(struct px_callers *callers, const struct thread *t)
{
    return px_callers_returned(callers, &t->caller, px_load_acquire(&t->left), px_clock_ns());
}

static void await_returned(struct px_callers *callers, const struct thread *t)
{
    while (!ask(callers, t)) {
        (void) sched_yield();
    }
}

static void sleep_in_read(struct thread *t)
{
    char byte;

    assert_int_equal(read(t->pipe[0], &byte, 1), 1);
}

static void work(struct thread *t)
{
    while (px_load_acquire(&t->over) == 0) {
    }
}

static void stop(struct thread *t)
{
    fault_stop(&t->fault);
    work(t);
}

static void nothing(struct thread *t)
{
    (void) t;
}

/* One look is enough, and it is about the earlier calls of the thread, too. */
static void asleep_in_a_system_call(void **state)
{
    struct px_callers callers = {0};
    struct thread t = {.then = sleep_in_read};
    uint64_t now;

    (void) state;
    assert_int_equal(pipe(t.pipe), 0);
    start(&t);
    await_sleep((pid_t) t.caller.tid);
    now = px_clock_ns();
    assert_true(px_callers_returned(&callers, &t.caller, px_load_acquire(&t.left), now));
    assert_true(px_callers_returned(&callers, &t.caller, px_load_acquire(&t.left) - 1, 0));
    assert_false(px_callers_returned(&callers, &t.caller, now + 1, now)); /* seen already */
    assert_int_equal(write(t.pipe[1], "x", 1), 1);
    join(&t);
    assert_int_equal(close(t.pipe[0]), 0);
    assert_int_equal(close(t.pipe[1]), 0);
}

/* Until the thread has run for long enough to prove something. */
static void await_run(const struct thread *t)
{
    struct timespec from;
    struct timespec to;

    assert_int_equal(clock_gettime(t->caller.clock, &from), 0);
    do {
        assert_int_equal(clock_gettime(t->caller.clock, &to), 0);
    } while ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec < PX_CALLER_RUN_NS);
}

/* A thread that works has to have worked since the first look. */
static void working(void **state)
{
    struct px_callers callers = {0};
    struct thread t = {.then = work, .slot = true};
    uint64_t now;

    (void) state;
    start(&t);
    assert_false(ask(&callers, &t));
    await_returned(&callers, &t);
    for (int i = 0; i < 8; i++) { /* of no call that ended just now it is known */
        await_run(&t);
        now = px_clock_ns();
        assert_false(px_callers_returned(&callers, &t.caller, now, now));
    }
    px_store_release(&t.over, 1); /* pairs with work */
    join(&t);
}

/* It sleeps, but in no system call, and does not run, however often it is looked at. */
static void stopped(void **state)
{
    struct px_callers callers = {0};
    struct thread t = {.then = stop};

    (void) state;
    if (!fault_open(&t.fault)) {
        skip();
    }
    start(&t);
    fault_await(&t.fault);
    for (int i = 0; i < MANY; i++) {
        assert_false(ask(&callers, &t));
    }
    fault_let_go(&t.fault);
    await_returned(&callers, &t);
    px_store_release(&t.over, 1); /* pairs with work */
    join(&t);
    fault_close(&t.fault);
}

/* A thread that has ended is known by that nobody has its id, and who gets the id is another one.
 */
static void ended(void **state)
{
    struct px_callers callers = {0};
    struct thread t = {.then = nothing, .slot = true};

    (void) state;
    start(&t);
    join(&t);
    await_returned(&callers, &t);
}

/* What is remembered of a thread is not believed of one with its id that has run for less. */
static void another_thread_of_the_id(void **state)
{
    struct px_callers callers = {0};
    struct thread t = {.then = work};
    struct px_caller_state *known;

    (void) state;
    start(&t);
    known = &callers.at[t.caller.tid % PX_CALLERS];
    *known = (struct px_caller_state){.tid = t.caller.tid, .since = px_clock_ns()};
    known->ran = UINT64_MAX - PX_CALLER_RUN_NS;
    assert_false(ask(&callers, &t));
    await_returned(&callers, &t);
    px_store_release(&t.over, 1); /* pairs with work */
    join(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asleep_in_a_system_call),
        cmocka_unit_test(working),
        cmocka_unit_test(stopped),
        cmocka_unit_test(ended),
        cmocka_unit_test(another_thread_of_the_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
