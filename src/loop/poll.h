/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_POLL_H
#define PX_LOOP_POLL_H

/* What a loop sleeps on: the kernel's list of watched descriptors (epoll), and the armed timers.
 * Owned by its loop; loop thread only (px_loop_may_touch). */

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct px_io;
struct px_timer;

/* Descriptors that are handled between two looks at the kernel's list. */
enum { PX_POLL_BATCH = 64 };

struct px_poll {
    int fd;        /* epoll; -1: not open */
    int n_watched; /* descriptors in that list */
    int n_looks;   /* since the turn began */
    uint64_t turn; /* px_loop_turn */
    int at;        /* next of the batch to be handled */
    int n;
    struct epoll_event
        batch[PX_POLL_BATCH]; /* data.ptr: struct px_io *, NULL when it was stopped */
    struct px_timer *first;   /* the heap of armed timers (timers.h) */
};

/* 0, or PX_ERR_OUT_OF_RESOURCE: no descriptor, or no memory in the kernel. */
int px_poll_open(struct px_poll *poll);

/* Does nothing if it is not open. */
void px_poll_close(struct px_poll *poll);

/* Looks at what is ready; sleeps until something is, or until the earliest timer, if `sleep`. A
 * signal ends the sleep, too. px_poll_handle has to follow. */
void px_poll_wait(struct px_poll *poll, bool sleep);

/* Calls back the watchers that are ready, then the timers that are due. Timers that are started
 * meanwhile have to wait for the next round. */
void px_poll_handle(struct px_poll *poll);

/* Watches for what io->want says, which is not 0, in place of what it waited for (`before`, 0:
 * nothing). 0 or PX_ERR_NOMEM. */
int px_poll_watch(struct px_poll *poll, struct px_io *io, int before);

/* Ends a watch; what was found ready and is not handled yet is forgotten. */
void px_poll_forget(struct px_poll *poll, struct px_io *io);

#endif
