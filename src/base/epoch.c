/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Grace periods. The barrier that readers do not execute is executed for them by membarrier(2) in
 * the freeing thread, which is rare. A process registers for membarrier when it first has something
 * to free that another living thread may read: with several threads that takes the kernel some ten
 * milliseconds, and no read shall wait for it. If the kernel refuses, or there are more threads
 * than slots, px_grace_begin fails and nothing is freed. Slots are never freed, so an ending thread
 * needs no destructor, which would outlive an unloaded library. */
#include "src/base/epoch.h"
#include "src/base/lock.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct px_reader *px_reader_self;

static struct px_reader slots[PX_READERS] __attribute__((aligned(64)));
static struct px_reader crowd = {.number =
                                     PX_READERS}; /* shared by the threads beyond PX_READERS */
static uint64_t n_slots;                          /* atomic: slots below may be in use */
static uint64_t crowded;                          /* atomic: 1 once a thread uses `crowd` */
static struct px_lock lock = PX_LOCK_INIT;
static bool prepared;     /* lock: the fork handler is registered */
static uint64_t n_marked; /* of the freeing thread: the slots below have a mark */

static uint64_t my_tid(void)
{
    return (uint64_t) syscall(SYS_gettid);
}

bool px_thread_has_ended(uint64_t tid)
{
    return syscall(SYS_tgkill, getpid(), (long) tid, 0) != 0 && errno == ESRCH;
}

/* Fork handler of the child: its only thread has a new kernel id. The slots of the other threads
 * count as ended and are reused. */
static void in_child(void)
{
    px_lock_init(&lock);
    if (px_reader_self && px_reader_self != &crowd) {
        px_reader_self->tid = my_tid();
    }
}

/* Slot for a new thread: that of an ended thread, else the next unused one. NULL: all are in
 * use. */
static struct px_reader *take_slot_locked(void)
{
    uint64_t n = px_load_relaxed(&n_slots);
    uint64_t i;

    px_assert(px_lock_held(&lock));
    for (i = 0; i < n; i++) {
        if (px_thread_has_ended(slots[i].tid)) {
            /* What the thread before has read comes before all that this one stores here. pairs
             * with px_reader_leave_as */
            (void) px_load_acquire(&slots[i].inside);
            px_store_relaxed(&slots[i].inside, 0);
            px_store_relaxed(&slots[i].calls, 0);
            return &slots[i];
        }
    }
    if (n == PX_READERS) {
        return NULL;
    }
    slots[n].number = n;
    px_store_release(&n_slots, n + 1); /* pairs with px_grace_begin */
    return &slots[n];
}

struct px_reader *px_reader_join(void)
{
    int saved = errno;
    struct px_reader *self;

    px_lock_take(&lock);
    if (!prepared) {
        prepared = true;
        (void) pthread_atfork(NULL, NULL, in_child); /* a child that lacks it frees nothing */
    }
    self = take_slot_locked();
    if (self) {
        self->tid = my_tid();
    } else {
        px_store_release(&crowded, 1); /* pairs with px_grace_begin and px_grace_over */
        self = &crowd;
    }
    px_lock_give(&lock);
    px_reader_self = self;
    errno = saved;
    return self;
}

/* True if the kernel executed the command. */
static bool membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* True if every slot is this thread's, that of `waiting`, or an ended thread's. A thread that takes
 * one later does so under the lock, behind this look at the slots: it finds what this thread has
 * stored before, without a membarrier. */
static bool no_other_reader(const struct px_reader *waiting)
{
    bool none = px_load_acquire(&crowded) == 0; /* pairs with px_reader_join */
    uint64_t i;

    px_lock_take(&lock);
    for (i = 0; none && i < px_load_relaxed(&n_slots); i++) {
        /* The loads of an ended thread come before the free. pairs with px_reader_leave_as */
        (void) px_load_acquire(&slots[i].inside);
        none = &slots[i] == px_reader_self || &slots[i] == waiting ||
               px_thread_has_ended(slots[i].tid);
    }
    px_lock_give(&lock);
    return none;
}

/* If other threads may read, the process is registered for membarrier, once; then every slot's
 * state is copied to its mark. */
bool px_grace_begin(const struct px_reader *waiting)
{
    uint64_t i;

    px_assert(px_reader_self == NULL || px_reader_is(px_reader_self, 0));
    px_assert(waiting == NULL || px_reader_is(waiting, 0));
    n_marked = 0;
    if (no_other_reader(waiting)) {
        return true;
    }
    if (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
        (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) ||
         !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))) {
        return false;
    }
    n_marked = px_load_acquire(&n_slots); /* pairs with take_slot_locked */
    for (i = 0; i < n_marked; i++) {
        slots[i].mark = px_load_acquire(&slots[i].inside); /* pairs with px_reader_leave_as */
    }
    return px_load_acquire(&crowded) == 0; /* pairs with px_reader_join */
}

/* A mark is cleared when its reader was seen outside. A reader that entered again may delay the
 * end, never advance it. */
bool px_grace_over(void)
{
    bool over = px_load_acquire(&crowded) == 0; /* pairs with px_reader_join */
    uint64_t i;

    for (i = 0; i < n_marked; i++) {
        slots[i].mark =
            slots[i].mark && px_load_acquire(&slots[i].inside); /* pairs with px_reader_leave_as */
        over = over && slots[i].mark == 0;
    }
    return over;
}

/* Counts are read after a full barrier: a call that is not counted yet sees what the caller
 * stored. */
bool px_calls_over(const struct px_reader *but)
{
    uint64_t barrier = 0;
    bool over;
    uint64_t n;
    uint64_t i;

    (void) px_fetch_add(&barrier, 1); /* what the caller stored is seen before counts are read */
    px_fence_behind();
    over = px_load_acquire(&crowd.calls) == 0; /* pairs with px_call_end */
    n = px_load_acquire(&n_slots);             /* pairs with take_slot_locked */
    for (i = 0; over && i < n; i++) {
        /* pairs with px_call_begin and px_call_end */
        over = &slots[i] == but || px_load_acquire(&slots[i].calls) == 0 ||
               px_thread_has_ended(slots[i].tid);
    }
    return over;
}
