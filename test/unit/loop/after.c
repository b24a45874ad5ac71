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
#include <stdlib.h>

#include <cmocka.h>

#include "fault.h"

#include "src/base/atomic.h"
#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/epoch.h"
#include "src/loop/after.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"

enum { CALLS = 4 };

/* One call of the test. */
struct call {
    struct px_after after;
    struct px_wait wait; /* ended by `run` */
    int number;
};

static struct px_loop *loop;
static struct call calls[CALLS];
static int order; /* loop thread: the numbers of what has run, as digits */

static void ran(struct px_after *after)
{
    struct call *call = px_container_of(after, struct call, after);

    assert_true(px_loop_inside(loop));
    /* A while after the end of the call, unless that is known otherwise. */
    assert_true(after->queue->settled || after->queue->waiter ||
                pthread_equal(after->thread, pthread_self()) ||
                px_clock_ns() >= px_load_acquire(&after->left) + PX_AFTER_NS);
    order = order * 10 + call->number;
    px_wait_done(&call->wait, 0);
}

static int set_up(void **state)
{
    (void) state;
    order = 0;
    assert_int_equal(px_loop_create(false, &loop), 0);
    for (int i = 0; i < CALLS; i++) {
        calls[i] = (struct call){.number = i + 1};
        px_wait_init(&calls[i].wait);
        px_after_init(&calls[i].after, loop, ran);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    px_loop_destroy(loop);
    return 0;
}

/* Stores the order so far in *arg. */
static void read_order(void *arg)
{
    *(int *) arg = order;
}

static int order_now(void)
{
    int now;

    assert_int_equal(px_loop_run(loop, read_order, &now), 0);
    return now;
}

/* Stores how often the loop has looked at what it holds in *arg. */
static void read_looks(void *arg)
{
    *(unsigned *) arg = px_loop_afters(loop)->looks;
}

/* Has the loop look at what it holds until it sleeps between two looks. */
static void turn(void)
{
    unsigned looks;

    do {
        assert_int_equal(px_loop_run(loop, read_looks, &looks), 0);
    } while (looks < 70);
}

/* The result comes first, from another thread or from the loop; the loop turns, works, and holds.
 */
static void done_before_the_return(void **state)
{
    (void) state;
    px_after_done(&calls[0].after);
    turn();
    assert_int_equal(order_now(), 0);
    px_after_return(&calls[0].after);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
    assert_int_equal(order_now(), 1);
}

static void done_of(void *arg)
{
    px_after_done(arg);
}

static void done_after_the_return(void **state)
{
    (void) state;
    px_after_return(&calls[0].after);
    assert_int_equal(px_loop_run(loop, done_of, &calls[0].after), 0);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
}

/* What may not run does not keep others; of what may, the first that was done is the first. */
static void in_the_order_of_the_results(void **state)
{
    (void) state;
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(px_loop_run(loop, done_of, &calls[i].after), 0);
    }
    px_after_return(&calls[2].after);
    assert_int_equal(px_wait_for(&calls[2].wait), 0);
    assert_int_equal(order_now(), 3);
    px_after_return(&calls[0].after);
    px_after_return(&calls[1].after);
    assert_int_equal(px_wait_for(&calls[1].wait), 0);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
    assert_int_equal(order_now(), 312);
    px_after_return(&calls[3].after);
    assert_int_equal(px_wait_for(&calls[3].wait), 0);
}

/* A callback makes a call of its own, whose result is there at once, and ends an older one. */
static void calls_again(struct px_after *after)
{
    ran(after);
    px_after_init(&calls[1].after, loop, ran);
    px_after_done(&calls[1].after);
    assert_int_equal(order, 1);
    px_after_return(&calls[1].after);
    px_after_return(&calls[2].after);
    px_after_done(&calls[2].after);
    assert_int_equal(order, 1);
}

static void nothing_within_another(void **state)
{
    (void) state;
    calls[0].after.run = calls_again;
    px_after_return(&calls[0].after);
    px_after_done(&calls[0].after);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(px_wait_for(&calls[i].wait), 0);
    }
    assert_int_equal(order_now(), 123);
}

/* The thread of a call that ends within it, and its result is there. */
static void *begin_and_end(void *arg)
{
    (void) arg;
    (void) px_reader_join();
    px_after_init(&calls[0].after, loop, ran);
    px_after_done(&calls[0].after);
    return NULL;
}

static void a_thread_that_ended(void **state)
{
    pthread_t thread;

    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, begin_and_end, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
}

/* The thread of a call that says that it returns, and loses its processor before it does. */
static void *return_and_stop(void *arg)
{
    px_after_init(&calls[0].after, loop, ran);
    px_after_done(&calls[0].after);
    px_after_return(&calls[0].after);
    fault_stop(arg);
    return NULL;
}

static void a_thread_that_does_not_run(void **state)
{
    struct fault fault;
    pthread_t thread;

    (void) state;
    if (!fault_open(&fault)) {
        skip();
    }
    assert_int_equal(pthread_create(&thread, NULL, return_and_stop, &fault), 0);
    fault_await(&fault);
    turn();
    assert_int_equal(order_now(), 0);
    fault_let_go(&fault);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    fault_close(&fault);
}

/* The thread of a call that goes on with something else until it is called back. */
static void *return_and_work(void *arg)
{
    px_after_init(&calls[0].after, loop, ran);
    px_after_done(&calls[0].after);
    px_after_return(&calls[0].after);
    while (px_load_acquire((uint64_t *) arg) == 0) {
    }
    return NULL;
}

static void a_thread_that_works(void **state)
{
    uint64_t over = 0;
    pthread_t thread;

    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, return_and_work, &over), 0);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
    px_store_release(&over, 1); /* pairs with return_and_work */
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void waits(void *arg)
{
    px_after_waits(*(pthread_t *) arg);
}

/* A thread that waits in another call has returned from those before, also if the kernel shows it
 * elsewhere; callbacks of other threads' calls stay held. */
static void a_thread_that_waits(void **state)
{
    pthread_t self = pthread_self();
    struct fault fault;
    pthread_t thread;

    (void) state;
    if (!fault_open(&fault)) {
        skip();
    }
    px_after_done(&calls[1].after); /* of this thread, under way */
    assert_int_equal(pthread_create(&thread, NULL, return_and_stop, &fault), 0);
    fault_await(&fault);
    turn();
    assert_int_equal(order_now(), 0);
    px_after_waits(thread); /* not on the loop's thread */
    assert_int_equal(px_loop_run(loop, waits, &self), 0);
    assert_int_equal(order_now(), 0);
    assert_int_equal(px_loop_run(loop, waits, &thread), 0);
    assert_int_equal(order_now(), 1);
    fault_let_go(&fault);
    assert_int_equal(px_wait_for(&calls[0].wait), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    fault_close(&fault);
    px_after_return(&calls[1].after);
    assert_int_equal(px_wait_for(&calls[1].wait), 0);
}

/* At the end what is held runs, and what is done later is not held. */
static void settled(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(loop, done_of, &calls[0].after), 0);
    px_after_settle(loop);
    assert_int_equal(order_now(), 1);
    assert_int_equal(px_loop_run(loop, done_of, &calls[1].after), 0);
    assert_int_equal(order_now(), 12);
    px_after_done(&calls[2].after);
    px_loop_destroy(loop);
    assert_int_equal(order, 123);
    assert_int_equal(px_loop_create(false, &loop), 0);
}

/* What is held when the loop ends is not lost. */
static void held_at_the_end(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(loop, done_of, &calls[0].after), 0);
    px_loop_destroy(loop);
    assert_int_equal(order, 1);
    assert_int_equal(px_loop_create(false, &loop), 0);
}

/* A loop that the application drives: PMIx_Progress runs what a call has left, and holds it until
 * then. */
static void driven_by_the_application(void **state)
{
    (void) state;
    px_loop_destroy(loop);
    assert_int_equal(px_loop_create(true, &loop), 0);
    px_after_init(&calls[0].after, loop, ran);
    px_after_done(&calls[0].after);
    for (int i = 0; i < 70; i++) {
        px_loop_progress(loop);
    }
    assert_int_equal(order, 0);
    px_after_return(&calls[0].after);
    px_loop_progress(loop);
    assert_int_equal(order, 1);
}

/* Threads that call and return, against a loop that is done before, within and after. */
struct own {
    struct px_after after;
    uint64_t *count; /* atomic */
};

static void own_ran(struct px_after *after)
{
    struct own *own = px_container_of(after, struct own, after);

    assert_true(px_load_acquire(&after->left) != 0);
    (void) px_fetch_add(own->count, 1);
    free(own);
}

enum { THREADS = 4, MANY = 5000 };

static void *call_often(void *arg)
{
    for (int i = 0; i < MANY; i++) {
        struct own *own = calloc(1, sizeof(*own));

        assert_non_null(own);
        own->count = arg;
        px_after_init(&own->after, loop, own_ran);
        px_after_done(&own->after);
        px_after_return(&own->after);
    }
    return NULL;
}

static void many_threads(void **state)
{
    pthread_t threads[THREADS];
    uint64_t count = 0;

    (void) state;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &count), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    px_after_settle(loop);
    assert_int_equal(px_load_acquire(&count), THREADS * MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(done_before_the_return, set_up, tear_down),
        cmocka_unit_test_setup_teardown(done_after_the_return, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_the_order_of_the_results, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_within_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_does_not_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_works, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_that_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(held_at_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(driven_by_the_application, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_threads, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
