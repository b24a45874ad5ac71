/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A pipe, a socket or a terminal is watched, and read when it is readable; any other file is read
 * at once, since a loop cannot watch it. A terminal that may not be read, since this process is in
 * its background, is looked at from time to time. The descriptor is the application's and keeps its
 * mode: one read each time that it is readable does not wait. */

#include "own_input.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chain.h"
#include "src/base/bytes.h"
#include "src/base/terminal.h"
#include "src/value/directives.h"
#include "src/value/infos.h"

/* The most bytes of a piece: PRRTE 2.0 copies each into a buffer of 8,192 bytes, its daemons read
 * 4,096. */
enum { PIECE = 4096 };

/* How often a terminal that may not be read is looked at again. */
enum { LOOK_MS = 200 };

/* The input being read. In px_ctx.input from its beginning until it ends; freed when the last
 * piece has been answered. Loop thread. */
struct px_input {
    struct px_task task; /* begins */
    struct px_ctx *ctx;
    px_push_fn push;
    void *where;                  /* for `push` */
    struct px_iof_push_args args; /* owned; without PMIX_IOF_PUSH_STDIN */
    struct px_completion to;      /* of the call */
    struct px_io io;
    struct px_timer timer; /* while the terminal may not be read */
    bool watched;          /* by `io`; else it is read at once */
    bool sent;             /* a piece is on its way */
    bool last;             /* it is the end of the input */
    bool over;             /* nothing more is read */
    char piece[PIECE];
};

/* Frees an input that is not read, with its arguments. */
static void input_free(struct px_input *input)
{
    px_args_fini(&px_request_iof_push, &input->args.head);
    free(input);
}

/* Tells handlers of this process. */
static void report(const struct px_input *input, pmix_status_t code)
{
    px_events_raise(input->ctx->events, code, &input->ctx->self, NULL);
}

/* Nothing more is read. The structure is freed, unless a piece is on its way. */
static void input_end(struct px_input *input)
{
    if (!input->over) {
        input->over = true;
        px_io_stop_loop(&input->io);
        px_timer_stop_loop(&input->timer);
        input->ctx->input = NULL;
    }
    if (!input->sent) {
        input_free(input);
    }
}

/* The input could not be pushed to its end. */
static void input_fail(struct px_input *input)
{
    report(input, PMIX_ERR_IOF_FAILURE);
    input_end(input);
}

static void read_piece(struct px_input *input);
static void look_again(struct px_timer *timer);

/* Waits until the input is readable, and may be read; an input that cannot be watched is read now.
 */
static void await_piece(struct px_input *input)
{
    if (!input->watched) {
        read_piece(input);
    } else if (!px_may_read(STDIN_FILENO)) {
        (void) px_io_want_loop(&input->io, 0);
        px_timer_start_loop(input->ctx->loop, &input->timer, LOOK_MS, look_again);
    } else if (px_io_want_loop(&input->io, PX_IO_READ) != 0) {
        input_fail(input);
    }
}

static void look_again(struct px_timer *timer)
{
    await_piece(px_container_of(timer, struct px_input, timer));
}

/* The host has taken a piece, or has not. */
static void piece_done(const struct px_completion *to, struct px_reply *reply)
{
    struct px_input *input = to->target;
    pmix_status_t status = reply->status;

    input->sent = false;
    if (input->over || status == PMIX_ERR_IOF_COMPLETE) {
        input_end(input);
    } else if (status != PMIX_SUCCESS) {
        input_fail(input);
    } else if (input->last) {
        report(input, PMIX_ERR_IOF_COMPLETE);
        input_end(input);
    } else {
        await_piece(input);
    }
}

/* Sends a piece of n bytes; 0: the end of the input. */
static void send_piece(struct px_input *input, char *bytes, size_t n)
{
    struct px_completion to = {.done = piece_done, .target = input};
    struct px_args *head = &input->args.head;
    struct px_iof_push_args args;
    bool yes = true;
    int rc = 0;

    input->last = n == 0;
    if (input->last) {
        rc = px_infos_append(&head->info, &head->ninfo, PMIX_IOF_COMPLETE, &yes, PMIX_BOOL);
    }
    args = input->args;
    args.bytes = (pmix_byte_object_t){.bytes = n > 0 ? bytes : NULL, .size = n};
    input->sent = true;
    rc = rc != 0 ? rc : input->push(input->where, &args, &to);
    if (rc != 0) {
        input->sent = false;
        input_fail(input);
    }
}

/* Reads once, and sends the bytes. A failed read is the end of the input for the targets. */
static void read_piece(struct px_input *input)
{
    ssize_t n = read(STDIN_FILENO, input->piece, sizeof(input->piece));

    while (n < 0 && errno == EINTR) {
        n = read(STDIN_FILENO, input->piece, sizeof(input->piece));
    }
    if (n < 0 && input->watched && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return;
    }
    (void) px_io_want_loop(&input->io, 0);
    if (n < 0) {
        report(input, PMIX_ERR_IOF_FAILURE);
    }
    send_piece(input, input->piece, n > 0 ? (size_t) n : 0);
}

/* There is something to be read, or the input has ended. */
static void input_ready(struct px_io *io, int what)
{
    struct px_input *input = px_container_of(io, struct px_input, io);

    (void) what;
    if (px_may_read(STDIN_FILENO)) {
        read_piece(input);
    } else {
        await_piece(input);
    }
}

/* True if the loop can wait for the descriptor. */
static bool is_watchable(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd) == 1);
}

/* Begins to read, unless the input is being read already. Ends the call first. */
static void begin(struct px_task *task)
{
    struct px_input *input = px_container_of(task, struct px_input, task);
    struct px_ctx *ctx = input->ctx;
    struct px_completion to = input->to;
    struct px_reply reply = {.status = ctx->input != NULL ? PMIX_ERR_EXISTS : PMIX_SUCCESS};

    to.done(&to, &reply);
    if (reply.status != PMIX_SUCCESS) {
        input_free(input);
        return;
    }
    ctx->input = input;
    input->watched = is_watchable(STDIN_FILENO);
    if (input->watched &&
        px_io_start_loop(ctx->loop, &input->io, STDIN_FILENO, 0, input_ready) != 0) {
        input_fail(input);
    } else if (input->args.bytes.size > 0) {
        send_piece(input, input->args.bytes.bytes, input->args.bytes.size);
    } else {
        await_piece(input);
    }
}

/* Makes the input, and begins to read on the loop thread. */
static pmix_status_t start(struct px_ctx *ctx, const struct px_iof_push_args *args, px_push_fn push,
                           void *where, const struct px_completion *to)
{
    struct px_input *input = calloc(1, sizeof(*input));
    int rc;

    if (input == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_args_copy(&px_request_iof_push, &input->args.head, &args->head);
    if (rc != 0) {
        input_free(input);
        return rc;
    }
    px_infos_drop(input->args.head.info, &input->args.head.ninfo, PMIX_IOF_PUSH_STDIN);
    input->ctx = ctx;
    input->push = push;
    input->where = where;
    input->to = *to;
    input->task.run = begin;
    px_loop_post(ctx->loop, &input->task);
    return PMIX_SUCCESS;
}

void px_input_lost(struct px_ctx *ctx, const void *where)
{
    px_assert(px_loop_inside(ctx->loop));
    if (ctx->input != NULL && ctx->input->where == where) {
        input_fail(ctx->input);
    }
}

/* On the loop thread. */
static void stop_input(void *arg)
{
    struct px_ctx *ctx = arg;

    if (ctx->input != NULL) {
        input_end(ctx->input);
    }
}

void px_input_stop(struct px_ctx *ctx)
{
    (void) px_loop_run(ctx->loop, stop_input, ctx);
}

pmix_status_t px_push_input(struct px_ctx *ctx, const struct px_iof_push_args *args,
                            px_push_fn push, void *where, const struct px_completion *to)
{
    struct px_iof_push_directives directives;
    int rc = px_iof_push_read(args->head.info, args->head.ninfo, &directives);

    if (rc == 0 && directives.push_stdin) {
        return start(ctx, args, push, where, to);
    }
    if (rc == 0 && directives.complete) {
        px_input_stop(ctx);
        if (args->nprocs == 0 && args->bytes.size == 0) {
            return PMIX_OPERATION_SUCCEEDED;
        }
    }
    return rc == 0 ? push(where, args, to) : rc;
}
