/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_LOAN_H
#define PX_LOOP_LOAN_H

/* A watcher that is lent to a waiting thread. A thread that waits for a reply of its server sleeps
 * on the connection itself, and handles what arrives as the progress thread would, while that one
 * sleeps: so a reply wakes one thread, and not two one after the other
 * (docs/decisions/0050-waiters-read-their-replies.md). Loops with a thread of their own.
 *
 * One watcher of a loop is offered, and one thread at a time borrows it. The borrower is the loop's
 * thread (px_loop_inside) whenever it handles something. Afterwards it also runs the queued tasks,
 * unless its wait is over. The progress thread does everything else: timers, other descriptors. */

#include <stdbool.h>

#include "src/loop/watch.h"

struct px_loop;
struct px_wait;

/* The loan of a loop. Owned by the loop; the thread that runs it. */
struct px_loan {
    struct px_io *offered;  /* the watcher that may be lent; NULL: none */
    struct px_io *lent;     /* the same during a loan, unless it was withdrawn; or NULL */
    struct px_timer again;  /* armed after the kernel has refused to watch it again */
    struct px_wait *waiter; /* the borrower's; NULL: there is no borrower */
    int bell_fd;            /* ends the borrower's sleep; -1 until the first offer, then constant */
};

/* Offers a watcher that is started, if none is offered yet, and there is a descriptor for the bell.
 * It is no more when it waits for nothing or is stopped. The thread that runs the loop. */
void px_loan_offer(struct px_io *io);

/* True if the calling thread runs the loop as a borrower, and its wait is over: a callback that
 * handles several messages then leaves the rest to the progress thread. */
bool px_loan_is_over(struct px_loop *loop);

/* --- for src/loop --- */

void px_loan_init(struct px_loan *loan);

/* Closes the bell. There is no borrower. */
void px_loan_fini(struct px_loan *loan);

/* Borrows the watcher that the loop offers, and calls it back until the wait is over or the watcher
 * is withdrawn. Has no effect if the progress thread does not sleep or another thread borrows. The
 * thread that waits, before px_wait_for; not inside. */
void px_loan_wait(struct px_loop *loop, struct px_wait *wait);

/* For a watcher that is stopped, or waits for nothing: ends its offer and its loan, and its
 * borrower's sleep. The thread that runs the loop. */
void px_loan_withdraw(struct px_loan *loan, const struct px_io *io);

/* Ends the borrower's present sleep, or its next one. Any thread, after a loan has begun. */
void px_loan_ring(const struct px_loan *loan);

#endif
