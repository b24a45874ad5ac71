/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_WATCH_H
#define PX_LOOP_WATCH_H

/* What a loop watches beside its tasks: time and descriptors. Loop thread only. */

#include <stdint.h>

struct px_loop;

/* One-shot timer embedded in its owner. Zero-initialise it before the first use. When fire is
 * called the timer is not armed: fire may start it again or free the owner. Stop it before the
 * owner is freed or moved. */
struct px_timer {
    struct px_loop *loop; /* NULL: not armed */
    void (*fire)(struct px_timer *timer);
    uint64_t due_ns;                      /* as px_clock_ns */
    struct px_timer *child, *next, *back; /* timers.c */
};

/* Arms the timer to fire once in `ms` milliseconds, not before; a timer that is armed is set anew.
 * A time that the clock cannot hold never comes. */
void px_timer_start_loop(struct px_loop *loop, struct px_timer *timer, uint64_t ms,
                         void (*fire)(struct px_timer *));

/* Disarms the timer. Does nothing when it is not armed. */
void px_timer_stop_loop(struct px_timer *timer);

/* What a watcher waits for, and what `ready` is called with. */
enum { PX_IO_READ = 1, PX_IO_WRITE = 2 };

/* Watches a descriptor, level-triggered, until it is stopped; at most one watcher of a loop has the
 * same descriptor. Zero-initialise it before the first use. The descriptor stays the owner's: stop
 * the watcher before closing it. */
struct px_io {
    struct px_loop *loop; /* NULL: stopped */
    int fd;
    int want; /* PX_IO_ bits; 0: nothing at the moment */
    void (*ready)(struct px_io *io, int what);
};

/* Begins to watch; `ready` is called on the loop's thread with the PX_IO_ bits that are wanted and
 * hold, and may stop the watcher and free its owner. A peer that is gone, or an error, is all that
 * is wanted. want may be 0. 0 or PX_ERR_NOMEM (or a file that cannot be waited for), then the
 * watcher is stopped. */
int px_io_start_loop(struct px_loop *loop, struct px_io *io, int fd, int want,
                     void (*ready)(struct px_io *, int what));

/* Changes what is waited for; does nothing on a stopped watcher. 0, or PX_ERR_NOMEM: then it waits
 * for nothing. */
int px_io_want_loop(struct px_io *io, int want);

/* Ends the watch. Does nothing when it is stopped. */
void px_io_stop_loop(struct px_io *io);

#endif
