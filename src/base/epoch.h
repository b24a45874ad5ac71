/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_EPOCH_H
#define PX_BASE_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

/* Epoch-based reclamation, as in RCU: it decides when memory that threads of this process read
 * without a lock may be freed. A reader marks its read-side critical section by two stores to a
 * word of its own, without a barrier. A thread that frees memory first makes it unreachable,
 * then begins a grace period and polls, without blocking, until every reader that was inside at
 * the beginning has left. Slots of ended threads are reused.
 *
 * The same slots count the calls of the library that each thread is in, so that finalize can
 * wait for them (px_calls_over). */

/* Number of slots. Further threads share one more slot; after its first use no grace period
 * ends. */
enum { PX_READERS = 512 };

/* The slot of one thread, one cache line. Slots are static and never freed. */
struct px_reader {
    uint64_t inside; /* atomic, stored by its thread */
    uint64_t mark;   /* of the freeing thread: inside when the grace period began */
    uint64_t tid;    /* lock of epoch.c: kernel id of the thread; 0: unused */
    uint64_t number; /* index below PX_READERS, unique; constant once its thread has the slot */
    uint64_t calls;  /* atomic: calls of the library under way in the thread; may be nested */
    uint64_t unused[3];
};

/* Slot of the calling thread; NULL before its first px_reader_join. */
extern __thread struct px_reader *px_reader_self __attribute__((tls_model("initial-exec")));

/* Assigns a slot to the calling thread and returns it: an unused one, one of an ended thread, or
 * the slot that all further threads share. Never NULL; errno is preserved. */
struct px_reader *px_reader_join(void);

/* For assertions of the slot's own thread: true if it is inside (1) or outside (0) a read-side
 * critical section. Always true for the shared slot, whose state belongs to several threads. */
static inline bool px_reader_is(const struct px_reader *self, uint64_t inside)
{
    return self->number == PX_READERS || px_load_relaxed(&self->inside) == inside;
}

/* Enters a read-side critical section. Not nested. Objects that are loaded inside stay valid until
 * the leave. pairs with px_grace_begin */
static inline void px_reader_enter_as(struct px_reader *self)
{
    px_assert(px_reader_is(self, 0));
    px_store_relaxed(&self->inside, 1);
    __asm__ __volatile__("" ::: "memory"); /* px_grace_begin makes it a barrier */
}

/* The same for a thread that does not have its slot at hand. */
static inline void px_reader_enter(void)
{
    px_reader_enter_as(px_reader_self ? px_reader_self : px_reader_join());
}

/* Leaves the read-side critical section. */
static inline void px_reader_leave_as(struct px_reader *self)
{
    px_assert(px_reader_is(self, 1));
    px_store_release(&self->inside, 0); /* pairs with px_grace_begin and px_grace_over */
}

static inline void px_reader_leave(void)
{
    px_reader_leave_as(px_reader_self);
}

/* Counts a call of the library in this thread; calls may be nested. Memory that the call uses is
 * not freed before px_calls_over is true. Full barrier: later loads are done after the count is
 * visible. */
static inline void px_call_begin(void)
{
    struct px_reader *self = px_reader_self ? px_reader_self : px_reader_join();

    (void) px_fetch_add(&self->calls, 1); /* pairs with px_calls_over */
    px_fence_behind();
}

/* Ends the innermost px_call_begin of this thread. */
static inline void px_call_end(void)
{
    px_assert(px_reader_self && px_load_relaxed(&px_reader_self->calls) != 0);
    (void) px_fetch_add(&px_reader_self->calls, UINT64_MAX); /* pairs with px_calls_over */
}

/* True if this process has no thread with that kernel id any more. Changes errno. */
bool px_thread_has_ended(uint64_t tid);

/* True if no call that began before is still under way, but for those of one thread (NULL: of
 * none). The caller has stored, before, a state that makes new calls return at once, or find what
 * they use without what he is to free. Calls of ended threads do not count. Never waits. */
bool px_calls_over(const struct px_reader *but);

/* Begins a grace period after an object was made unreachable. The calling thread is outside of
 * every critical section, and so is `waiting`, the slot of a thread that waits for the calling one
 * until the grace period is over; NULL: none does. False: this kernel or the number of threads does
 * not allow to tell when readers have left; the object must be kept. One grace period at a time in
 * a process. */
bool px_grace_begin(const struct px_reader *waiting);

/* True if every reader that was inside when the grace period began has left since. Never waits. */
bool px_grace_over(void);

#endif
