/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"
#include "test/unit/loop/asleep.h"

static void done_before_the_wait(void **state)
{
    struct px_wait wait;

    (void) state;
    px_wait_init(&wait);
    px_wait_done(&wait, -7);
    assert_int_equal(px_wait_for(&wait), -7);
}

static void *do_it(void *arg)
{
    px_wait_done(arg, 9);
    return NULL;
}

/* The waiter's frame is gone at once: a touch behind the post would be seen by a
 * sanitizer. */
static void wait_on_the_stack(pthread_t *thread)
{
    struct px_wait wait;

    px_wait_init(&wait);
    assert_int_equal(pthread_create(thread, NULL, do_it, &wait), 0);
    assert_int_equal(px_wait_for(&wait), 9);
}

static void done_by_another_thread(void **state)
{
    (void) state;
    for (int i = 0; i < 500; i++) {
        pthread_t thread;

        wait_on_the_stack(&thread);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
}

struct sleeper {
    struct px_wait wait;
    pid_t tid;
};

static void *wake_the_sleeper(void *arg)
{
    struct sleeper *sleeper = arg;

    await_sleep(sleeper->tid);
    px_wait_done(&sleeper->wait, 11);
    return NULL;
}

/* Who waits with a loop that has no thread runs it, and sleeps in it; what ends the wait is no task
 * of the loop. */
static void done_while_the_waiter_drives(void **state)
{
    struct sleeper sleeper = {.tid = thread_id()};
    struct px_loop *loop;
    pthread_t thread;

    (void) state;
    assert_int_equal(px_loop_create(true, &loop), 0);
    px_wait_init(&sleeper.wait);
    assert_int_equal(pthread_create(&thread, NULL, wake_the_sleeper, &sleeper), 0);
    assert_int_equal(px_loop_wait(loop, &sleeper.wait), 11);
    assert_int_equal(pthread_join(thread, NULL), 0);
    px_loop_destroy(loop);
}

enum { CHAIN = 40 };

/* A task that posts itself again, behind one that holds the loop until it is being destroyed. */
struct chain {
    struct px_task hold;
    struct px_task again;
    struct px_loop *loop;
    sem_t go;
    pid_t destroyer;
    int ran; /* loop thread */
};

static void hold(struct px_task *task)
{
    struct chain *chain = px_container_of(task, struct chain, hold);

    while (sem_wait(&chain->go) != 0) {
    }
}

static void post_again(struct px_task *task)
{
    struct chain *chain = px_container_of(task, struct chain, again);

    chain->ran++;
    if (chain->ran < CHAIN) {
        px_loop_post(chain->loop, task);
    }
}

static void *let_go(void *arg)
{
    struct chain *chain = arg;

    await_sleep(chain->destroyer);
    (void) sem_post(&chain->go);
    return NULL;
}

static void what_comes_at_the_end_runs(void **state)
{
    struct chain chain = {.hold = {NULL, hold}, .again = {NULL, post_again}};
    pthread_t thread;

    (void) state;
    chain.destroyer = thread_id();
    assert_int_equal(sem_init(&chain.go, 0, 0), 0);
    assert_int_equal(px_loop_create(false, &chain.loop), 0);
    px_loop_post(chain.loop, &chain.hold);
    px_loop_post(chain.loop, &chain.again);
    assert_int_equal(pthread_create(&thread, NULL, let_go, &chain), 0);
    px_loop_destroy(chain.loop);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(chain.ran, CHAIN);
    (void) sem_destroy(&chain.go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(done_before_the_wait),
        cmocka_unit_test(done_by_another_thread),
        cmocka_unit_test(done_while_the_waiter_drives),
        cmocka_unit_test(what_comes_at_the_end_runs),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
