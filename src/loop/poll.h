/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_POLL_H
#define PX_LOOP_POLL_H

/* What a loop sleeps on: the kernel's list of watched descriptors (epoll), the armed timers, and
 * what a waiting thread has borrowed of the former. Owned by its loop; loop thread only
 * (px_loop_may_touch). */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "src/loop/loan.h"

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
    uint64_t until_ns;        /* when the present sleep ends for a timer; UINT64_MAX: never */
    uint64_t n_forgotten;     /* px_poll_forget so far */
    struct px_loan loan;
};

/* 0, or PX_ERR_OUT_OF_RESOURCE: no descriptor, or no memory in the kernel. */
int px_poll_open(struct px_poll *poll);

/* Does nothing if it is not open. */
void px_poll_close(struct px_poll *poll);

/* Milliseconds until the earliest timer, rounded up so that it is due then; -1: there is none. */
int px_poll_pause_ms(const struct px_poll *poll);

/* Looks at what is ready; sleeps until something is, for pause_ms at most (-1: without end). A
 * signal ends the sleep, too. px_poll_handle has to follow. The lock is given up for the sleep, and
 * its next holder may use all functions but this one and px_poll_handle meanwhile; NULL: nobody. */
void px_poll_wait(struct px_poll *poll, int pause_ms, pthread_mutex_t *lock);

/* True if a timer is due before the present sleep ends. */
bool px_poll_is_late(const struct px_poll *poll);

/* Calls back the watchers that are ready, then the timers that are due. Timers that are started
 * meanwhile have to wait for the next round. */
void px_poll_handle(struct px_poll *poll);

/* Watches for what io->want says, which is not 0, in place of what it waited for (`before`, 0:
 * nothing). 0 or PX_ERR_NOMEM. */
int px_poll_watch(struct px_poll *poll, struct px_io *io, int before);

/* Watches for nothing but the descriptor's end, until px_poll_watch with what io->want says in both
 * places. 0 or PX_ERR_NOMEM. */
int px_poll_mute(struct px_poll *poll, struct px_io *io);

/* Ends a watch; what was found ready and is not handled yet is forgotten. */
void px_poll_forget(struct px_poll *poll, struct px_io *io);

#endif
