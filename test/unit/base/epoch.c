/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A grace is over when nobody who was inside at its beginning is inside any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/epoch.h"

enum { N_THREADS = 2000 };

static void *visit(void *arg)
{
    px_reader_enter();
    px_reader_leave();
    if (arg != NULL) {
        *(uint64_t *) arg = px_reader_self->tid;
    }
    return NULL;
}

/* True once something has registered this process for membarrier. */
static bool is_registered(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* Another thread that has read and now waits. */
struct waiter {
    pthread_barrier_t steps;
    struct px_reader *slot;
};

static void *wait_outside(void *arg)
{
    struct waiter *waiter = arg;

    (void) visit(NULL);
    waiter->slot = px_reader_self;
    pthread_barrier_wait(&waiter->steps); /* outside */
    pthread_barrier_wait(&waiter->steps); /* grace periods are over */
    return NULL;
}

/* The process is not registered for membarrier as long as no other thread has read, the others have
 * ended, or the only other one waits. It is registered when another thread may read. */
static void asks_only_for_others(void **state)
{
    struct waiter waiter;
    pthread_t thread;
    uint64_t tid = 0;
    bool begun;

    (void) state;
    (void) visit(NULL);
    assert_true(px_grace_begin(NULL));
    assert_true(px_grace_over());
    assert_int_equal(pthread_create(&thread, NULL, visit, &tid), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    while (!px_thread_has_ended(tid)) { /* the kernel knows a joined thread a moment longer */
        (void) sched_yield();
    }
    assert_true(px_grace_begin(NULL));
    assert_true(px_grace_over());
    assert_int_equal(pthread_barrier_init(&waiter.steps, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_outside, &waiter), 0);
    pthread_barrier_wait(&waiter.steps);
    assert_ptr_not_equal(waiter.slot, px_reader_self);
    assert_true(px_grace_begin(waiter.slot));
    assert_true(px_grace_over());
    assert_false(is_registered());
    begun = px_grace_begin(NULL);
    assert_int_equal(begun, is_registered());
    pthread_barrier_wait(&waiter.steps);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&waiter.steps);
    if (!begun) {
        skip(); /* no membarrier here */
    }
}

static void *inside(void *arg)
{
    pthread_barrier_t *steps = arg;

    px_reader_enter();
    pthread_barrier_wait(steps); /* inside */
    pthread_barrier_wait(steps); /* seen */
    px_reader_leave();
    pthread_barrier_wait(steps); /* outside */
    return NULL;
}

static void waits_for_readers(void **state)
{
    pthread_barrier_t steps;
    pthread_t thread;
    bool begun;

    (void) state;
    assert_int_equal(pthread_barrier_init(&steps, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, inside, &steps), 0);
    pthread_barrier_wait(&steps);
    begun = px_grace_begin(NULL);
    assert_int_equal(begun, is_registered());
    assert_int_equal(begun && px_grace_over(), 0);
    pthread_barrier_wait(&steps);
    pthread_barrier_wait(&steps);
    assert_true(px_grace_over());
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&steps);
    if (!begun) {
        skip(); /* no membarrier here */
    }
}

/* More threads than slots, one after the other: slots are used again. */
static void slots_come_back(void **state)
{
    pthread_t thread;
    bool begun;
    int i;

    (void) state;
    for (i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&thread, NULL, visit, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    begun = px_grace_begin(NULL);
    assert_true(begun || !is_registered()); /* no membarrier here, else a crowd */
    assert_true(px_grace_over());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_only_for_others), /* first: a process stays registered */
        cmocka_unit_test(waits_for_readers),
        cmocka_unit_test(slots_come_back),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
