/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Timers and watchers of descriptors (watch.h), on the loop's event base. All of it is the loop
 * thread's. */

#include "src/loop/watch.h"

#include <event2/event.h>

#include "src/base/assert.h"
#include "src/base/status.h"
#include "src/loop/loop.h"

/* --- timers --- */

/* Disarms before the callback, which may start the timer again or free its owner. */
static void timer_fired(evutil_socket_t fd, short what, void *arg)
{
    struct px_timer *timer = arg;

    (void) fd;
    (void) what;
    px_loop_awake(timer->loop);
    px_timer_stop_loop(timer);
    timer->fire(timer);
}

int px_timer_start_loop(struct px_loop *loop, struct px_timer *timer, uint64_t ms,
                        void (*fire)(struct px_timer *))
{
    const uint64_t longest_ms = (uint64_t) INT32_MAX * 1000;
    struct timeval when;

    px_assert(px_loop_may_touch(loop));
    timer->loop = loop;
    timer->fire = fire;
    if (!timer->event) {
        timer->event = event_new(px_loop_base(loop), -1, 0, timer_fired, timer);
    }
    if (!timer->event) {
        return PX_ERR_NOMEM;
    }
    ms = ms < longest_ms ? ms : longest_ms;
    when.tv_sec = (time_t) (ms / 1000);
    when.tv_usec = (suseconds_t) (ms % 1000 * 1000);
    if (event_add(timer->event, &when) != 0) {
        px_timer_stop_loop(timer);
        return PX_ERR_NOMEM;
    }
    return PX_OK;
}

void px_timer_stop_loop(struct px_timer *timer)
{
    px_assert(!timer->event || px_loop_may_touch(timer->loop));
    if (timer->event) {
        event_free(timer->event);
        timer->event = NULL;
    }
}

/* --- descriptors --- */

/* Translates libevent's bits; the callback may stop the watcher and free its owner. */
static void io_ready(evutil_socket_t fd, short what, void *arg)
{
    struct px_io *io = arg;
    int ready = (what & EV_READ ? PX_IO_READ : 0) | (what & EV_WRITE ? PX_IO_WRITE : 0);

    (void) fd;
    px_loop_awake(io->loop);
    io->ready(io, ready);
}

/* Registers the watcher for what is wanted. 0 or PX_ERR_NOMEM, then nothing is wanted. */
static int io_arm(struct px_io *io)
{
    short what = EV_PERSIST;

    if (!io->want) {
        return PX_OK;
    }
    what |= io->want & PX_IO_READ ? EV_READ : 0;
    what |= io->want & PX_IO_WRITE ? EV_WRITE : 0;
    if (event_assign(io->event, px_loop_base(io->loop), io->fd, what, io_ready, io) != 0 ||
        event_add(io->event, NULL) != 0) {
        io->want = 0;
        return PX_ERR_NOMEM;
    }
    return PX_OK;
}

int px_io_start_loop(struct px_loop *loop, struct px_io *io, int fd, int want,
                     void (*ready)(struct px_io *, int what))
{
    int rc;

    px_assert(px_loop_may_touch(loop));
    io->loop = loop;
    io->fd = fd;
    io->want = want;
    io->ready = ready;
    io->event = event_new(px_loop_base(loop), fd, EV_PERSIST | EV_READ, io_ready, io);
    if (!io->event) {
        return PX_ERR_NOMEM;
    }
    rc = io_arm(io);
    if (rc) {
        px_io_stop_loop(io);
    }
    return rc;
}

/* The event is assigned anew, since libevent fixes what it waits for at assignment. */
int px_io_want_loop(struct px_io *io, int want)
{
    px_assert(!io->event || px_loop_may_touch(io->loop));
    if (!io->event || io->want == want) {
        return PX_OK;
    }
    if (io->want) {
        (void) event_del(io->event);
    }
    io->want = want;
    return io_arm(io);
}

void px_io_stop_loop(struct px_io *io)
{
    px_assert(!io->event || px_loop_may_touch(io->loop));
    if (io->event) {
        event_free(io->event);
        io->event = NULL;
    }
}
