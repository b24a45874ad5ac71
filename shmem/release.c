/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Each release under way has a thread, which is joined by the next release after its end, or by
 * px_release_wait: a library that is unloaded leaves no thread behind. */

#include "shmem/release.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/lock.h"

/* From how many bytes on a thread is worth it, and how many there are at most. */
enum { LARGE = 8 << 20, MOST_THREADS = 4 };

/* One mapping on its way back to the system. */
struct release {
    struct release *next;
    pthread_t thread;
    pid_t pid; /* whose thread it is: a forked child has none */
    void *base;
    size_t size;
    int fd;
};

/* The releases under way. */
static struct px_lock lock = PX_LOCK_INIT;
static struct release *running; /* under the lock, as the next */
static unsigned n_running;

static void give_back(void *base, size_t size, int fd)
{
    if (base) {
        (void) munmap(base, size); /* our own mapping: cannot fail */
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void *in_thread(void *arg)
{
    const struct release *release = arg;

    give_back(release->base, release->size, release->fd);
    return NULL;
}

/* Takes the releases whose thread has ended off the list, and frees them. */
static void join_ended_locked(void)
{
    struct release **at = &running;

    px_assert(px_lock_held(&lock));
    while (*at) {
        struct release *release = *at;

        if (release->pid == getpid() && pthread_tryjoin_np(release->thread, NULL)) {
            at = &release->next;
        } else {
            *at = release->next;
            n_running--;
            free(release);
        }
    }
}

/* 0, or an error number: it has to be done here. */
static int start(struct release *release)
{
    sigset_t every;
    sigset_t before;
    int rc;

    (void) sigfillset(&every);
    (void) pthread_sigmask(SIG_BLOCK, &every, &before);
    rc = pthread_create(&release->thread, NULL, in_thread, release);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* Begins a release in a thread. False: it has to be done here. */
static bool begin_locked(void *base, size_t size, int fd)
{
    struct release *release = n_running < MOST_THREADS ? malloc(sizeof(*release)) : NULL;

    px_assert(px_lock_held(&lock));
    if (!release) {
        return false;
    }
    *release =
        (struct release){.next = running, .pid = getpid(), .base = base, .size = size, .fd = fd};
    if (start(release)) {
        free(release);
        return false;
    }
    running = release;
    n_running++;
    return true;
}

void px_release(void *base, size_t size, int fd, size_t used)
{
    bool begun = false;

    if (used >= LARGE) {
        px_lock_take(&lock);
        join_ended_locked();
        begun = begin_locked(base, size, fd);
        px_lock_give(&lock);
    }
    if (!begun) {
        give_back(base, size, fd);
    }
}

/* The list is taken as a whole, and joined without the lock. */
void px_release_wait(void)
{
    struct release *all;

    px_lock_take(&lock);
    all = running;
    running = NULL;
    n_running = 0;
    px_lock_give(&lock);
    while (all) {
        struct release *release = all;

        if (release->pid == getpid()) {
            (void) pthread_join(release->thread, NULL);
        }
        all = release->next;
        free(release);
    }
}
