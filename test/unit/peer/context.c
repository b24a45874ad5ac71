/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/peer/context.h"

static void up_and_down(void **state)
{
    (void) state;
    assert_non_null(px_ctx());
    assert_null(px_ctx_enter());
    px_ctx_up(px_ctx());
    assert_ptr_equal(px_ctx_enter(), px_ctx());
    px_ctx_down(px_ctx());
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(up_and_down), cmocka_unit_test(waiting)};

    alarm(60);
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
