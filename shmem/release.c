/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Each release under way has a thread, which is joined by the next release after its end, or by
 * px_release_wait: a library that is unloaded leaves no thread behind. */

#include "shmem/release.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "shmem/segment.h"
#include "src/base/assert.h"
#include "src/base/lock.h"
#include "src/base/thread.h"

/* From how many bytes on a thread is worth it, and how many there are at most. */
enum { LARGE = 8 << 20, MOST_THREADS = 4 };

/* One segment on its way back to the system. */
struct giving {
    struct giving *next;
    pthread_t thread;
    pid_t pid; /* whose thread it is: a forked child has none */
    struct px_segment seg;
    void (*give_back)(const struct px_segment *seg);
};

/* The releases under way. */
static struct px_lock lock = PX_LOCK_INIT;
static struct giving *running; /* under the lock, as the next */
static unsigned n_running;

static void *in_thread(void *arg)
{
    const struct giving *giving = arg;

    giving->give_back(&giving->seg);
    return NULL;
}

/* Takes the releases whose thread has ended off the list, and frees them. */
static void join_ended_locked(void)
{
    struct giving **at = &running;

    px_assert(px_lock_held(&lock));
    while (*at) {
        struct giving *giving = *at;

        if (giving->pid == getpid() && pthread_tryjoin_np(giving->thread, NULL)) {
            at = &giving->next;
        } else {
            *at = giving->next;
            n_running--;
            free(giving);
        }
    }
}

/* Begins a release in a thread. False: it has to be done here. */
static bool begin_locked(const struct px_segment *seg,
                         void (*give_back)(const struct px_segment *seg))
{
    struct giving *giving = n_running < MOST_THREADS ? malloc(sizeof(*giving)) : NULL;

    px_assert(px_lock_held(&lock));
    if (!giving) {
        return false;
    }
    *giving =
        (struct giving){.next = running, .pid = getpid(), .seg = *seg, .give_back = give_back};
    if (px_thread_start(in_thread, giving, &giving->thread)) {
        free(giving);
        return false;
    }
    running = giving;
    n_running++;
    return true;
}

void px_release(const struct px_segment *seg, void (*give_back)(const struct px_segment *seg))
{
    bool begun = false;

    if (seg->populated >= LARGE) {
        px_lock_take(&lock);
        join_ended_locked();
        begun = begin_locked(seg, give_back);
        px_lock_give(&lock);
    }
    if (!begun) {
        give_back(seg);
    }
}

/* The list is taken as a whole, and joined without the lock. */
void px_release_wait(void)
{
    struct giving *all;

    px_lock_take(&lock);
    all = running;
    running = NULL;
    n_running = 0;
    px_lock_give(&lock);
    while (all) {
        struct giving *giving = all;

        if (giving->pid == getpid()) {
            (void) pthread_join(giving->thread, NULL);
        }
        all = giving->next;
        free(giving);
    }
}
