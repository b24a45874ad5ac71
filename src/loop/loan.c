/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Loans of a watcher (loan.h). The kernel's list keeps the descriptor during a loan, but reports
 * only the end of the stream for it. When the loan ends, the list reports bytes that have arrived
 * and were not read. If the loop changes the watcher's events during a loan, both threads may
 * be woken for the same bytes; the second one to read gets none. */

#include "src/loop/loan.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/bell.h"
#include "src/base/bytes.h"
#include "src/base/status.h"
#include "src/loop/loop.h"
#include "src/loop/poll.h"
#include "src/loop/wait.h"
#include "src/loop/watch.h"

/* Attempts to become the loop's thread before a wait; and milliseconds until the kernel is asked
 * again to watch a descriptor. */
enum { TRIES = 16, AGAIN_MS = 1 };

void px_loan_init(struct px_loan *loan)
{
    *loan = (struct px_loan){.bell_fd = -1};
}

void px_loan_fini(struct px_loan *loan)
{
    px_assert(loan->waiter == NULL);
    if (loan->bell_fd >= 0) {
        (void) close(loan->bell_fd);
    }
}

void px_loan_offer(struct px_io *io)
{
    struct px_loan *loan = &px_loop_poll(io->loop)->loan;

    px_assert(px_loop_inside(io->loop));
    if (loan->bell_fd < 0) {
        loan->bell_fd = px_bell_open();
    }
    if (loan->offered == NULL && loan->bell_fd >= 0) {
        loan->offered = io;
    }
}

bool px_loan_is_over(struct px_loop *loop)
{
    struct px_wait *waiter = px_loop_poll(loop)->loan.waiter;

    px_assert(px_loop_inside(loop));
    return waiter != NULL && pthread_equal(waiter->thread, pthread_self()) &&
           px_wait_is_done(waiter);
}

void px_loan_ring(const struct px_loan *loan)
{
    px_assert(loan->bell_fd >= 0);
    px_bell_ring(loan->bell_fd);
}

void px_loan_withdraw(struct px_loan *loan, const struct px_io *io)
{
    if (loan->offered == io) {
        px_timer_stop_loop(&loan->again);
        loan->offered = NULL;
    }
    if (loan->lent == io) {
        loan->lent = NULL;
        px_loan_ring(loan);
    }
}

/* Begins a loan. False: no watcher is offered, it cannot be lent now, or the wait is over. */
static bool begin(struct px_loop *loop, struct px_loan *loan, struct px_wait *wait)
{
    struct px_io *io = loan->offered;

    px_assert(px_loop_inside(loop));
    if (io == NULL || loan->waiter != NULL || io->want != PX_IO_READ || px_wait_is_done(wait) ||
        px_poll_mute(px_loop_poll(loop), io) != PX_OK) {
        return false;
    }
    loan->lent = io;
    loan->waiter = wait;
    px_wait_wakes(wait, loop);
    return true;
}

static void try_again(struct px_timer *timer);

/* Has the kernel report what the watcher wants. A kernel that refuses is asked until it does: the
 * owner of the watcher relies on it. */
static void put_back(struct px_loan *loan, struct px_io *io)
{
    if (px_poll_watch(px_loop_poll(io->loop), io, io->want) != PX_OK) {
        px_timer_start_loop(io->loop, &loan->again, AGAIN_MS, try_again);
    }
}

static void try_again(struct px_timer *timer)
{
    struct px_loan *loan = px_container_of(timer, struct px_loan, again);

    px_assert(loan->offered != NULL);
    if (loan->lent == NULL) {
        put_back(loan, loan->offered);
    }
}

/* Ends the loan. */
static void end(struct px_loop *loop, struct px_loan *loan)
{
    px_assert(px_loop_inside(loop));
    if (loan->lent != NULL) {
        put_back(loan, loan->lent);
    }
    loan->lent = NULL;
    loan->waiter = NULL;
}

/* Sleeps until the descriptor is readable, the bell is rung, or a signal comes. True: the
 * descriptor is readable, or its stream has ended. */
static bool sleep_on(int fd, int bell_fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = bell_fd, .events = POLLIN}};

    if (poll(fds, 2, -1) <= 0) {
        return false;
    }
    if (fds[1].revents != 0) {
        px_bell_reset(bell_fd);
    }
    return fds[0].revents != 0;
}

/* The loan from its begin to its end; inside the loop except while it sleeps. */
static void borrow(struct px_loop *loop, struct px_loan *loan, struct px_wait *wait)
{
    while (loan->lent != NULL && !px_wait_is_done(wait)) {
        int fd = loan->lent->fd;
        bool ready;

        px_loop_leave(loop);
        ready = sleep_on(fd, loan->bell_fd);
        (void) px_loop_enter(loop, true); /* as it was before */
        if (ready && loan->lent != NULL) {
            loan->lent->ready(loan->lent, PX_IO_READ);
        }
        if (!px_wait_is_done(wait)) {
            px_loop_run_queued(loop);
        }
    }
}

/* Becomes the loop's thread. The attempts last as long as a progress thread that has just ended an
 * earlier wait takes to fall asleep; one that is at work is not waited for. */
static bool enter(struct px_loop *loop, struct px_wait *wait)
{
    for (int i = 0; i < TRIES && !px_wait_is_done(wait); i++) {
        if (px_loop_enter(loop, false)) {
            return true;
        }
        (void) sched_yield();
    }
    return false;
}

/* The thread cannot be cancelled meanwhile: it would neither put the watcher back nor release the
 * loop. */
void px_loan_wait(struct px_loop *loop, struct px_wait *wait)
{
    struct px_loan *loan = &px_loop_poll(loop)->loan;
    int cancel;

    if (!enter(loop, wait)) {
        return;
    }
    (void) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (begin(loop, loan, wait)) {
        borrow(loop, loan, wait);
        end(loop, loan);
    }
    px_loop_leave(loop);
    (void) pthread_setcancelstate(cancel, NULL);
}
