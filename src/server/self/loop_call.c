/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls that cross from the application's or the host's thread to the loop thread. A blocking
 * one keeps its task on the caller's stack; one with a callback allocates the task and copies
 * the arguments behind it. */

#include "loop_call.h"

#include <stdlib.h>
#include <string.h>

#include "src/loop/after.h"
#include "src/loop/wait.h"
#include "src/context/context.h"

struct px_server *px_server_of(struct px_ctx *ctx)
{
    return ctx ? ctx->server : NULL;
}

/* One blocking call, on the stack of the thread that waits in px_server_run. */
struct run {
    struct px_task task;
    struct px_wait wait;
    struct px_server *server;
    int (*fn)(struct px_server *s, void *arg);
    void *arg;
};

/* Loop thread. The object is gone as soon as px_wait_done returns. */
static void run_task(struct px_task *task)
{
    struct run *run = px_container_of(task, struct run, task);

    px_wait_done(&run->wait, run->fn(run->server, run->arg));
}

/* px_ctx_wait drives the loop from here if the library has no thread for it. */
int px_server_run(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg)
{
    struct run run = {.task.run = run_task, .server = s, .fn = fn, .arg = arg};

    if (px_loop_inside(s->loop)) {
        return fn(s, arg);
    }
    if (!px_loop_alive(s->loop)) {
        return PMIX_ERR_UNREACH;
    }
    px_wait_init(&run.wait);
    px_loop_post(s->loop, &run.task);
    return px_ctx_wait(s->ctx, &run.wait);
}

int px_server_read(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg)
{
    return px_loop_alive(s->loop) ? px_server_run(s, fn, arg) : fn(s, arg);
}

/* One call with a callback. Allocated by px_server_start_call, freed by call_back. */
struct later {
    struct px_task task;
    struct px_after after;
    struct px_server *server;
    int (*fn)(struct px_server *s, void *arg);
    pmix_op_cbfunc_t done;
    void *cbdata;
    pmix_status_t status; /* of fn */
    max_align_t arg[];    /* copy of the caller's arguments */
};

/* Loop thread: the caller has returned. Passes the result on and frees the call. */
static void call_back(struct px_after *after)
{
    struct later *later = px_container_of(after, struct later, after);

    later->done(later->status, later->cbdata);
    free(later);
}

/* Loop thread: runs the call. */
static void later_task(struct px_task *task)
{
    struct later *later = px_container_of(task, struct later, task);

    later->status = later->fn(later->server, later->arg);
    px_after_done(&later->after);
}

/* The task is posted even from the loop thread, so that `done` is not called from within. */
pmix_status_t px_server_start_call(struct px_server *s, int (*fn)(struct px_server *s, void *arg),
                                   void *arg, size_t arg_size, pmix_op_cbfunc_t done, void *cbdata)
{
    struct later *later;

    if (!done || !px_loop_alive(s->loop)) {
        return px_server_run(s, fn, arg);
    }
    later = calloc(1, sizeof(*later) + arg_size);
    if (!later) {
        return PMIX_ERR_NOMEM;
    }
    later->task.run = later_task;
    later->server = s;
    later->fn = fn;
    later->done = done;
    later->cbdata = cbdata;
    memcpy(later->arg, arg, arg_size);
    px_after_init(&later->after, s->loop, call_back);
    px_loop_post(s->loop, &later->task);
    px_after_return(&later->after);
    return PMIX_SUCCESS;
}

const char *px_server_hostname(const struct px_server *s)
{
    return s->hostname;
}
