/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The standard input of the processes of this node: a queue of bytes for each, and the pushes that
 * are answered when their bytes have been taken. Writing never blocks. Main thread. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes.h"

#define MAX_WAITING ((size_t) 64 << 20) /* bytes that one process may leave unread */

/* A delivery that has bytes in this queue. */
struct owed {
    struct owed *next;
    struct px_run_push *push;
};

struct px_run_input {
    struct px_run_input *next;
    int fd; /* write end, non-blocking */
    const struct px_run_proc *proc;
    char *bytes;
    size_t start;
    size_t end;
    size_t cap;
    bool closing;  /* when all has been written */
    uint64_t push; /* number of the last that it was asked for */
    struct owed *owed;
};

static struct px_run_input *inputs;

struct px_run_input *px_run_input_open(const struct px_run_proc *proc, int fd)
{
    struct px_run_input *in = calloc(1, sizeof(*in));

    if (in == NULL) {
        close(fd);
        return NULL;
    }
    in->fd = fd;
    in->proc = proc;
    in->next = inputs;
    inputs = in;
    return in;
}

struct px_run_input *px_run_input_find(const struct px_run_proc *proc)
{
    struct px_run_input *in = inputs;

    while (in != NULL && in->proc != proc) {
        in = in->next;
    }
    return in;
}

bool px_run_input_is_new_to(struct px_run_input *in, uint64_t push)
{
    bool is_new = in->push != push;

    in->push = push;
    return is_new;
}

bool px_run_input_is_empty(const struct px_run_input *in)
{
    return in->start == in->end;
}

static void settle(struct px_run_input *in, pmix_status_t status)
{
    while (in->owed != NULL) {
        struct owed *o = in->owed;

        in->owed = o->next;
        px_run_push_settle(o->push, status);
        free(o);
    }
}

/* The queue is gone when this returns. */
static void finish(struct px_run_input *in, pmix_status_t status)
{
    struct px_run_input **link = &inputs;

    while (*link != in) {
        link = &(*link)->next;
    }
    *link = in->next;
    px_run_stdin_forget(in);
    close(in->fd);
    settle(in, status);
    free(in->bytes);
    free(in);
}

static bool make_room(struct px_run_input *in, size_t n)
{
    if (in->start > 0) {
        memmove(in->bytes, in->bytes + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end + n > in->cap) {
        char *more = realloc(in->bytes, 2 * (in->end + n));

        if (more == NULL) {
            return false;
        }
        in->bytes = more;
        in->cap = 2 * (in->end + n);
    }
    return true;
}

static void write_some(struct px_run_input *in)
{
    while (in->start < in->end) {
        ssize_t n = write(in->fd, in->bytes + in->start, in->end - in->start);

        if (n < 0 && errno == EAGAIN) {
            return;
        }
        if (n < 0 && errno != EINTR) {
            finish(in, PMIX_ERR_IOF_COMPLETE); /* the process does not read any more */
            return;
        }
        in->start += n > 0 ? (size_t) n : 0;
    }
    if (in->closing) {
        finish(in, PMIX_SUCCESS);
    } else {
        settle(in, PMIX_SUCCESS);
    }
}

pmix_status_t px_run_input_put(struct px_run_input *in, const char *bytes, size_t n, bool last,
                               struct px_run_push *push)
{
    struct owed *o = NULL;

    if (in->closing) {
        return PMIX_ERR_IOF_COMPLETE;
    }
    if (n > MAX_WAITING - (in->end - in->start)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (push != NULL) {
        o = malloc(sizeof(*o));
    }
    if ((push != NULL && o == NULL) || !make_room(in, n)) {
        free(o);
        return PMIX_ERR_NOMEM;
    }
    if (o != NULL) {
        *o = (struct owed){in->owed, push};
        in->owed = o;
    }
    if (n > 0) {
        memcpy(in->bytes + in->end, bytes, n);
        in->end += n;
    }
    in->closing = last;
    write_some(in);
    return PMIX_SUCCESS;
}

void px_run_input_ended(const struct px_run_proc *proc)
{
    struct px_run_input *in = px_run_input_find(proc);

    if (in != NULL) {
        finish(in, PMIX_ERR_IOF_COMPLETE);
    }
}

/* ---- for the loop */

size_t px_run_inputs_n(void)
{
    size_t n = 0;

    for (const struct px_run_input *in = inputs; in != NULL; in = in->next) {
        n++;
    }
    return n;
}

void px_run_inputs_poll(struct pollfd *p)
{
    for (const struct px_run_input *in = inputs; in != NULL; in = in->next, p++) {
        *p = (struct pollfd){.fd = px_run_input_is_empty(in) ? -1 : in->fd, .events = POLLOUT};
    }
}

void px_run_inputs_move(const struct pollfd *p)
{
    for (struct px_run_input *in = inputs; in != NULL; p++) {
        struct px_run_input *next = in->next;

        if (p->fd >= 0 && p->revents != 0) {
            write_some(in);
        }
        in = next;
    }
}

void px_run_inputs_close(void)
{
    while (inputs != NULL) {
        finish(inputs, PMIX_ERR_IOF_COMPLETE);
    }
}
