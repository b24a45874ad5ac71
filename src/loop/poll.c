/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Descriptors by epoll, level-triggered (poll.h). What is ready is fetched as a batch; a callback
 * may stop any watcher, so a watcher that is stopped is taken out of the batch. */

#include "src/loop/poll.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/status.h"
#include "src/loop/watch.h"

int px_poll_open(struct px_poll *poll)
{
    px_loan_init(&poll->loan);
    poll->fd = epoll_create1(EPOLL_CLOEXEC);
    return poll->fd >= 0 ? PX_OK : PX_ERR_OUT_OF_RESOURCE;
}

void px_poll_close(struct px_poll *poll)
{
    if (poll->fd >= 0) {
        (void) close(poll->fd);
        poll->fd = -1;
        px_loan_fini(&poll->loan);
    }
}

int px_poll_pause_ms(const struct px_poll *poll)
{
    uint64_t now;
    uint64_t ms;

    if (poll->first == NULL) {
        return -1;
    }
    now = px_clock_ns();
    if (poll->first->due_ns <= now) {
        return 0;
    }
    ms = (poll->first->due_ns - now - 1) / 1000000 + 1;
    return ms < INT_MAX ? (int) ms : INT_MAX;
}

/* Fetches what the kernel reports. If a watcher was stopped during the sleep, all of it is dropped,
 * as if a signal had come instead; the kernel will report the others again. Returns as epoll_wait.
 */
static int fetch(struct px_poll *poll, int pause_ms, pthread_mutex_t *lock)
{
    uint64_t n_forgotten = poll->n_forgotten;
    int n;

    if (pause_ms == 0 || lock == NULL) {
        return epoll_wait(poll->fd, poll->batch, PX_POLL_BATCH, pause_ms);
    }
    poll->until_ns = poll->first != NULL ? poll->first->due_ns : UINT64_MAX;
    (void) pthread_mutex_unlock(lock);
    n = epoll_wait(poll->fd, poll->batch, PX_POLL_BATCH, pause_ms);
    (void) pthread_mutex_lock(lock);
    if (n > 0 && poll->n_forgotten != n_forgotten) {
        errno = EINTR;
        return -1;
    }
    return n;
}

/* The kernel goes round its list of ready descriptors: after n_watched / PX_POLL_BATCH looks each
 * of them has been fetched once. If a look is dropped, its descriptors are at the end of that list
 * again, so the count of looks starts again. */
void px_poll_wait(struct px_poll *poll, int pause_ms, pthread_mutex_t *lock)
{
    int n;

    poll->at = 0;
    poll->n = 0;
    n = fetch(poll, pause_ms, lock);
    px_assert(n >= 0 || errno == EINTR);
    if (n < 0) {
        poll->n_looks = 0;
        return;
    }
    poll->n = n;
    poll->n_looks++;
    if (poll->n < PX_POLL_BATCH || poll->n_looks > poll->n_watched / PX_POLL_BATCH) {
        poll->turn++;
        poll->n_looks = 0;
    }
}

bool px_poll_is_late(const struct px_poll *poll)
{
    return poll->first != NULL && poll->first->due_ns < poll->until_ns;
}

/* What a watcher is told. An error or a peer that is gone concerns readers and writers. */
static int found(uint32_t events)
{
    int what = (events & EPOLLIN ? PX_IO_READ : 0) | (events & EPOLLOUT ? PX_IO_WRITE : 0);

    return events & (EPOLLERR | EPOLLHUP) ? PX_IO_READ | PX_IO_WRITE : what;
}

/* Fires the timers that were due when it began. */
static void fire_timers(struct px_poll *poll)
{
    uint64_t now = poll->first != NULL ? px_clock_ns() : 0;

    while (poll->first != NULL && poll->first->due_ns <= now) {
        struct px_timer *timer = poll->first;

        px_timer_stop_loop(timer);
        timer->fire(timer);
    }
}

void px_poll_handle(struct px_poll *poll)
{
    while (poll->at < poll->n) {
        const struct epoll_event *event = &poll->batch[poll->at++];
        struct px_io *io = event->data.ptr;
        int what = io != NULL ? found(event->events) & io->want : 0;

        if (what != 0) {
            io->ready(io, what);
        }
    }
    fire_timers(poll);
}

int px_poll_watch(struct px_poll *poll, struct px_io *io, int before)
{
    struct epoll_event event = {.data.ptr = io};

    px_assert(io->want != 0);
    event.events = (io->want & PX_IO_READ ? EPOLLIN : 0) | (io->want & PX_IO_WRITE ? EPOLLOUT : 0);
    if (epoll_ctl(poll->fd, before != 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, io->fd, &event) != 0) {
        return PX_ERR_NOMEM;
    }
    poll->n_watched += before == 0;
    return PX_OK;
}

int px_poll_mute(struct px_poll *poll, struct px_io *io)
{
    struct epoll_event event = {.data.ptr = io};

    px_assert(io->want != 0);
    return epoll_ctl(poll->fd, EPOLL_CTL_MOD, io->fd, &event) != 0 ? PX_ERR_NOMEM : PX_OK;
}

void px_poll_forget(struct px_poll *poll, struct px_io *io)
{
    (void) epoll_ctl(poll->fd, EPOLL_CTL_DEL, io->fd, NULL);
    px_assert(poll->n_watched > 0);
    poll->n_watched--;
    poll->n_forgotten++;
    for (int i = poll->at; i < poll->n; i++) {
        if (poll->batch[i].data.ptr == io) {
            poll->batch[i].data.ptr = NULL;
        }
    }
}
