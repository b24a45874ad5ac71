/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that has closed its input is noticed when something is to be written to it. */

#include "local_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/quiet_write.h"

/* Freed when its parts are. */
struct px_local_push {
    pmix_byte_object_t bytes; /* borrowed */
    bool last;
    bool taken;           /* by one process */
    size_t n_waiting;     /* parts, and who adds them */
    pmix_status_t failed; /* why one could not be added */
    pmix_op_cbfunc_t cbfunc;
    void *cbdata;
};

/* What one process has to take of a push. In px_local_input.waiting. */
struct push_part {
    struct px_list link;
    struct px_local_push *push;
    size_t done;
};

/* ---- pushes */

struct px_local_push *px_local_push_begin(const pmix_byte_object_t *bytes, bool last,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_local_push *push = calloc(1, sizeof(*push));

    if (push) {
        push->bytes = *bytes;
        push->last = last;
        push->n_waiting = 1;
        push->cbfunc = cbfunc;
        push->cbdata = cbdata;
    }
    return push;
}

/* One part is over; the last one answers and frees the push. */
static void leave(struct px_local_push *push)
{
    pmix_status_t rc = push->failed  ? push->failed
                       : push->taken ? PMIX_SUCCESS
                                     : PMIX_ERR_IOF_COMPLETE;

    px_assert(push->n_waiting > 0);
    if (--push->n_waiting == 0) {
        push->cbfunc(rc, push->cbdata);
        free(push);
    }
}

void px_local_push_end(struct px_local_push *push)
{
    leave(push);
}

/* Takes a part off its input. */
static void part_end(struct push_part *part, bool taken)
{
    struct px_local_push *push = part->push;

    push->taken |= taken;
    px_list_remove(&part->link);
    free(part);
    leave(push);
}

/* ---- writing */

/* Writes of a part what the pipe takes. True if the part is over, which `last` closes the input
 * behind. */
static bool write_part(struct px_local_input *input, struct push_part *part)
{
    const struct px_local_push *push = part->push;

    while (part->done < push->bytes.size) {
        ssize_t n = px_quiet_write(input->io.fd, push->bytes.bytes + part->done,
                                   push->bytes.size - part->done);

        if (n < 0 && errno == EAGAIN) {
            return false;
        }
        if (n < 0 && errno != EINTR) {
            px_local_input_close(input); /* nobody reads */
            return false;
        }
        part->done += n > 0 ? (size_t) n : 0;
    }
    return true;
}

/* Writes what the pipe takes of all that waits, and waits for the rest. */
static void write_all(struct px_local_input *input)
{
    bool going = true;

    while (going && !px_list_empty(&input->waiting)) {
        struct push_part *part = px_container_of(input->waiting.next, struct push_part, link);
        bool last = part->push->last;

        going = write_part(input, part);
        if (going) {
            part_end(part, true);
        }
        if (going && last) {
            px_local_input_close(input);
        }
    }
    if (px_io_want_loop(&input->io, px_list_empty(&input->waiting) ? 0 : PX_IO_WRITE)) {
        px_local_input_close(input);
    }
}

static void input_ready(struct px_io *io, int what)
{
    (void) what;
    write_all(px_container_of(io, struct px_local_input, io));
}

void px_local_push_add(struct px_local_push *push, struct px_local_input *input)
{
    struct push_part *part;

    if (input->io.fd < 0) {
        return;
    }
    part = calloc(1, sizeof(*part));
    if (!part) {
        push->failed = PMIX_ERR_NOMEM;
        return;
    }
    part->push = push;
    push->n_waiting++;
    px_list_append(&input->waiting, &part->link);
    write_all(input);
}

/* ---- the input */

void px_local_input_init(struct px_local_input *input)
{
    *input = (struct px_local_input){.io.fd = -1};
    px_list_init(&input->waiting);
}

int px_local_input_open(struct px_local_input *input, int *ret)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0) {
        return PMIX_ERR_JOB_SYS_OP_FAILED;
    }
    (void) fcntl(fds[1], F_SETFL, O_NONBLOCK);
    input->io.fd = fds[1];
    *ret = fds[0];
    return PMIX_SUCCESS;
}

int px_local_input_watch(struct px_local_input *input, struct px_loop *loop)
{
    return input->io.fd < 0 ? PMIX_SUCCESS
                            : px_io_start_loop(loop, &input->io, input->io.fd, 0, input_ready);
}

/* The callbacks of the pushes only post their answers. */
void px_local_input_close(struct px_local_input *input)
{
    if (input->io.fd >= 0) {
        px_io_stop_loop(&input->io);
        (void) close(input->io.fd);
        input->io.fd = -1;
    }
    while (!px_list_empty(&input->waiting)) {
        part_end(px_container_of(input->waiting.next, struct push_part, link), false);
    }
}
