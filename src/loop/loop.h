/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_LOOP_H
#define PX_LOOP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The progress thread: one libevent base, one thread that runs tasks, timers and descriptor
 * watchers. Tasks may be posted from any thread; all else happens on the loop's thread (names end
 * in _loop there). After fork() the child has no progress thread: px_loop_alive() says so by
 * comparing the pid. */

struct px_loop;
struct px_wait;

/* A unit of work, embedded in the request that owns it. The loop touches it no more once run() is
 * called. */
struct px_task {
    struct px_task *next;
    void (*run)(struct px_task *task);
};

/* Makes a loop; with `external` no thread is started and px_loop_progress() drives it.
 * 0, PX_ERR_NOMEM or PX_ERR_OUT_OF_RESOURCE. */
int px_loop_create(bool external, struct px_loop **ret_loop);

/* Runs what is queued, ends the thread, frees. Not from the loop's own thread. Takes NULL. */
void px_loop_destroy(struct px_loop *loop);

/* Any thread, never fails, FIFO. The caller is not made to wait. */
void px_loop_post(struct px_loop *loop, struct px_task *task);

/* Runs fn on the loop's thread and waits for it; at once when the caller is on it. An externally
 * driven loop is driven here. 0, or PX_ERR_UNREACH in a forked child (fn is not called). */
int px_loop_run(struct px_loop *loop, void (*fn)(void *arg), void *arg);

/* True on the thread that runs the loop (inside a callback). */
bool px_loop_inside(const struct px_loop *loop);

/* True in the process that created the loop (false in a forked child). */
bool px_loop_alive(const struct px_loop *loop);

/* One non-blocking round, for externally driven loops. Harmless when a thread drives the loop. */
void px_loop_progress(struct px_loop *loop);

/* px_wait_for, but the caller drives an externally driven loop meanwhile, and sleeps in it when
 * there is nothing to do. Several threads may wait at once. Not on the loop's own thread. */
int px_loop_wait(struct px_loop *loop, struct px_wait *wait);

/* Ends the sleep of who drives, or the next one. Any thread. */
void px_loop_wake(struct px_loop *loop);

/* --- loop thread only --- */

/* One-shot timer embedded in its owner. Zero-initialise before first use. Nothing is held any more
 * when fire is called: it may start the timer again or free the owner. */
struct px_timer {
    struct px_loop *loop;
    void *event;
    void (*fire)(struct px_timer *timer);
};

/* (Re)arms. 0 or PX_ERR_NOMEM. */
int px_timer_start_loop(struct px_loop *loop, struct px_timer *timer, uint64_t ms,
                        void (*fire)(struct px_timer *));

/* Disarms and frees what start took; harmless when not armed. */
void px_timer_stop_loop(struct px_timer *timer);

enum { PX_IO_READ = 1, PX_IO_WRITE = 2 };

/* Watches a descriptor, level-triggered, until told otherwise. `want` may be 0. Zero-initialise
 * before use. */
struct px_io {
    struct px_loop *loop;
    void *event;
    int fd;
    int want;
    void (*ready)(struct px_io *io, int what);
};

/* Both: 0 or PX_ERR_NOMEM. `ready` may stop the watcher and free its owner. */
int px_io_start_loop(struct px_loop *loop, struct px_io *io, int fd, int want,
                     void (*ready)(struct px_io *, int what));
int px_io_want_loop(struct px_io *io, int want);
void px_io_stop_loop(struct px_io *io);

#endif
