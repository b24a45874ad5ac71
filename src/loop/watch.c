/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Timers and watchers of descriptors (watch.h), on what the loop sleeps on (poll.h). All of it is
 * the loop thread's. */

#include "src/loop/watch.h"

#include <stddef.h>

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/status.h"
#include "src/loop/loop.h"
#include "src/loop/poll.h"
#include "src/loop/timers.h"

/* --- timers --- */

void px_timer_start_loop(struct px_loop *loop, struct px_timer *timer, uint64_t ms,
                         void (*fire)(struct px_timer *))
{
    uint64_t now = px_clock_ns();

    px_assert(px_loop_may_touch(loop));
    px_timer_stop_loop(timer);
    timer->loop = loop;
    timer->fire = fire;
    timer->due_ns = ms < (UINT64_MAX - now) / 1000000 ? now + ms * 1000000 : UINT64_MAX;
    px_timers_add(&px_loop_poll(loop)->first, timer);
}

void px_timer_stop_loop(struct px_timer *timer)
{
    px_assert(!timer->loop || px_loop_may_touch(timer->loop));
    if (timer->loop) {
        px_timers_remove(&px_loop_poll(timer->loop)->first, timer);
        timer->loop = NULL;
    }
}

/* --- descriptors --- */

int px_io_start_loop(struct px_loop *loop, struct px_io *io, int fd, int want,
                     void (*ready)(struct px_io *, int what))
{
    int rc;

    px_assert(px_loop_may_touch(loop) && !io->loop);
    io->loop = loop;
    io->fd = fd;
    io->want = 0;
    io->ready = ready;
    rc = px_io_want_loop(io, want);
    if (rc) {
        io->loop = NULL;
    }
    return rc;
}

int px_io_want_loop(struct px_io *io, int want)
{
    int before = io->want;
    int rc = PX_OK;

    px_assert(!io->loop || px_loop_may_touch(io->loop));
    if (!io->loop || before == want) {
        return PX_OK;
    }
    io->want = want;
    if (want != 0) {
        rc = px_poll_watch(px_loop_poll(io->loop), io, before);
    }
    if (before != 0 && (want == 0 || rc != PX_OK)) {
        px_loan_withdraw(&px_loop_poll(io->loop)->loan, io);
        px_poll_forget(px_loop_poll(io->loop), io);
    }
    io->want = rc == PX_OK ? want : 0;
    return rc;
}

void px_io_stop_loop(struct px_io *io)
{
    (void) px_io_want_loop(io, 0);
    io->loop = NULL;
}
