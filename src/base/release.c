/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Each release under way has a thread, which is joined by the next release after its end, or by
 * px_release_wait: a library that is unloaded leaves no thread behind. */

#include "release.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/lock.h"
#include "src/base/thread.h"

/* From how many bytes on a thread is worth it, and how many there are at most. */
enum { LARGE = 8 << 20, MOST_THREADS = 4 };

/* Memory on its way back to the system. */
struct giving {
    struct giving *next;
    pthread_t thread;
    void (*give_back)(const void *what);
    max_align_t what[];
};

/* The releases under way. */
static struct px_lock lock = PX_LOCK_INIT;
static struct giving *running; /* under the lock, as the next */
static unsigned n_running;
static bool prepared; /* lock: the fork handler is registered */

/* True in the threads of this file: a release that one of them makes starts no further thread. */
static __thread bool is_giver;

/* Fork handler, in the child. Threads that release memory exist in the parent only, so the child
 * forgets their list. The lock is initialized because a thread of the parent may have held it at
 * the time of the fork. */
static void in_child(void)
{
    px_lock_init(&lock);
    running = NULL;
    n_running = 0;
}

static void *in_thread(void *arg)
{
    const struct giving *giving = arg;

    is_giver = true;
    giving->give_back(giving->what);
    return NULL;
}

/* Takes the releases whose thread has ended off the list, and frees them. */
static void join_ended_locked(void)
{
    struct giving **at = &running;

    px_assert(px_lock_held(&lock));
    while (*at) {
        struct giving *giving = *at;

        if (pthread_tryjoin_np(giving->thread, NULL)) {
            at = &giving->next;
        } else {
            *at = giving->next;
            n_running--;
            free(giving);
        }
    }
}

/* Begins a release in a thread. False: it has to be done here. */
static bool begin_locked(void (*give_back)(const void *what), const void *what, size_t len)
{
    struct giving *giving = n_running < MOST_THREADS ? malloc(sizeof(*giving) + len) : NULL;

    px_assert(px_lock_held(&lock));
    if (!giving) {
        return false;
    }
    *giving = (struct giving){.next = running, .give_back = give_back};
    memcpy(giving->what, what, len);
    if (px_thread_start(in_thread, giving, &giving->thread)) {
        free(giving);
        return false;
    }
    running = giving;
    n_running++;
    return true;
}

void px_release(void (*give_back)(const void *what), const void *what, size_t len, size_t bytes)
{
    bool begun = false;

    if (bytes >= LARGE && !is_giver) {
        px_lock_take(&lock);
        prepared = prepared || pthread_atfork(NULL, NULL, in_child) == 0;
        join_ended_locked();
        begun = prepared && begin_locked(give_back, what, len);
        px_lock_give(&lock);
    }
    if (!begun) {
        give_back(what);
    }
}

/* A block of malloc. */
struct released_block {
    unsigned char *at;
    size_t bytes;
};

/* For px_release. The pages inside go first: to free the block then takes no time, during which
 * malloc may be locked. */
static void free_block(const void *what)
{
    const struct released_block *block = what;
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t) block->at + page - 1) & ~(page - 1);
    uintptr_t to = ((uintptr_t) block->at + block->bytes) & ~(page - 1);

    (void) madvise(block->at + (from - (uintptr_t) block->at), to - from, MADV_DONTNEED);
    free(block->at);
}

void px_release_block(void *block, size_t bytes)
{
    struct released_block what = {block, bytes};

    if (block && bytes >= LARGE) {
        px_release(free_block, &what, sizeof(what), bytes);
    } else {
        free(block);
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

        (void) pthread_join(giving->thread, NULL);
        all = giving->next;
        free(giving);
    }
}
