/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_EPOCH_H
#define PX_BASE_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

/* Memory that readers in other threads use without a lock, and that is to go while the process
 * lives. A reader says when it looks: two stores to a word of its own, no barrier. Who wants to
 * free something first makes it unreachable, then waits, without blocking, until every reader that
 * may have seen it was seen not to look. Slots of threads that have ended are used again. */

enum { PX_READERS = 512 };

struct px_reader {
    uint64_t inside; /* atomic, stored by its thread */
    uint64_t mark;   /* of who frees: it was inside when the grace began */
    uint64_t tid;    /* lock; 0: free */
    uint64_t number; /* constant once its thread knows it: no other has it, below PX_READERS */
    uint64_t calls;  /* atomic, added to by its thread: calls of the library under way */
    uint64_t unused[3];
};

extern __thread struct px_reader *px_reader_self __attribute__((tls_model("initial-exec")));

/* A slot for this thread; one that counts for all when there are no more. */
struct px_reader *px_reader_join(void);

/* Is its thread, which asks, inside (1) or outside (0) a read-side critical section? Of the slot
 * that threads share nobody can tell. */
static inline bool px_reader_is(const struct px_reader *self, uint64_t inside)
{
    return self->number == PX_READERS || px_load_relaxed(&self->inside) == inside;
}

/* Not nested. What is loaded between stays good until the leave. pairs with px_grace_begin */
static inline void px_reader_enter_as(struct px_reader *self)
{
    px_assert(px_reader_is(self, 0));
    px_store_relaxed(&self->inside, 1);
    __asm__ __volatile__("" ::: "memory"); /* px_grace_begin makes it a barrier */
}

static inline void px_reader_enter(void)
{
    px_reader_enter_as(px_reader_self ? px_reader_self : px_reader_join());
}

static inline void px_reader_leave_as(struct px_reader *self)
{
    px_assert(px_reader_is(self, 1));
    px_store_release(&self->inside, 0); /* pairs with px_grace_begin and px_grace_over */
}

static inline void px_reader_leave(void)
{
    px_reader_leave_as(px_reader_self);
}

/* A call of the library is under way in this thread; nested calls count. What the call uses is not
 * freed before px_calls_over. Full barrier: what is loaded after it is loaded after the count is
 * seen. */
static inline void px_call_begin(void)
{
    struct px_reader *self = px_reader_self ? px_reader_self : px_reader_join();

    (void) px_fetch_add(&self->calls, 1); /* pairs with px_calls_over */
    px_fence_behind();
}

static inline void px_call_end(void)
{
    px_assert(px_reader_self && px_load_relaxed(&px_reader_self->calls) != 0);
    (void) px_fetch_add(&px_reader_self->calls, UINT64_MAX); /* pairs with px_calls_over */
}

/* After what makes new calls end at once was stored: whether none that began before is under way.
 * Calls of threads that have ended do not count. Never waits. */
bool px_calls_over(void);

/* After something was made unreachable. False: it cannot be told here when it is out of use. One
 * grace at a time in a process. */
bool px_grace_begin(void);

/* Has every reader that was looking at the beginning stopped since? Never waits. */
bool px_grace_over(void);

#endif
