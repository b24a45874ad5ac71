/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/context/context.h"

static void up_and_down(void **state)
{
    (void) state;
    assert_non_null(px_ctx());
    assert_null(px_ctx_enter());
    px_lock_take(&px_ctx()->lock);
    px_ctx_up(px_ctx());
    assert_ptr_equal(px_ctx_enter(), px_ctx());
    px_ctx_down(px_ctx());
    px_lock_give(&px_ctx()->lock);
    assert_null(px_ctx_enter());
}

struct job {
    struct px_task task;
    struct px_wait wait;
};

static void run(struct px_task *task)
{
    struct job *job = px_container_of(task, struct job, task);

    px_wait_done(&job->wait, 42);
}

/* The waiter turns a loop that has no thread of its own. */
static void waiting(void **state)
{
    struct px_ctx *ctx = px_ctx();
    struct job job = {.task.run = run};

    (void) state;
    for (int external = 0; external < 2; external++) {
        assert_int_equal(px_loop_create(external != 0, &ctx->loop), 0);
        ctx->external = external != 0;
        px_wait_init(&job.wait);
        px_loop_post(ctx->loop, &job.task);
        assert_int_equal(px_ctx_wait(ctx, &job.wait), 42);
        px_loop_destroy(ctx->loop);
        ctx->loop = NULL;
    }
}

/* --- nobody spins --- */

enum how { POSTED, DONE };

struct waiter {
    pthread_t thread;
    _Atomic int tid;
    struct job job;
    int status;
};

static void *wait_in_loop(void *arg)
{
    struct waiter *waiter = arg;

    px_wait_init(&waiter->job.wait);
    waiter->tid = (int) syscall(SYS_gettid);
    waiter->status = px_ctx_wait(px_ctx(), &waiter->job.wait);
    return NULL;
}

/* A thread that spins never sleeps, and the test's time is over. */
static void until_asleep(struct waiter *waiter)
{
    char path[64];
    char state = 0;

    while (state != 'S') {
        FILE *f;

        (void) snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter->tid);
        f = waiter->tid ? fopen(path, "re") : NULL;
        if (f) {
            assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
            (void) fclose(f);
        }
    }
}

static void start(struct waiter *waiter)
{
    waiter->job.task.run = run;
    waiter->tid = 0;
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_in_loop, waiter), 0);
    until_asleep(waiter);
}

static void finish(struct waiter *waiter, enum how how)
{
    if (how == POSTED) {
        px_loop_post(px_ctx()->loop, &waiter->job.task);
    } else {
        px_wait_done(&waiter->job.wait, 42);
    }
    (void) pthread_join(waiter->thread, NULL);
    assert_int_equal(waiter->status, 42);
}

/* Two wait, one of them in the loop; either may end first, by a task or without. */
static void waiters_sleep(void **state)
{
    struct px_ctx *ctx = px_ctx();
    struct waiter waiters[2];

    (void) state;
    assert_int_equal(px_loop_create(true, &ctx->loop), 0);
    ctx->external = true;
    for (int i = 0; i < 8; i++) {
        start(&waiters[0]);
        start(&waiters[1]);
        finish(&waiters[i & 1], i & 2 ? POSTED : DONE);
        until_asleep(&waiters[~i & 1]);
        finish(&waiters[~i & 1], i & 4 ? POSTED : DONE);
    }
    px_loop_destroy(ctx->loop);
    ctx->loop = NULL;
    ctx->external = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(up_and_down), cmocka_unit_test(waiting),
                                       cmocka_unit_test(waiters_sleep)};

    alarm(60);
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
