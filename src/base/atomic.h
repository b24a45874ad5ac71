/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ATOMIC_H
#define PX_BASE_ATOMIC_H

/* The one door to libatomic_ops. The memory order stands in the name; words are those of the shared
 * segment and of process-private flags. All operations are lock-free and address-free (configure
 * refuses a machine where they are not), so they are valid across processes and in a read-only
 * mapping. */

#include <stdint.h>

#include <atomic_ops.h>

_Static_assert(sizeof(AO_t) == 8, "shared words are 64 bits");
_Static_assert(sizeof(unsigned int) == 4, "AO_int is 32 bits");

static inline uint64_t px_load_acquire(const uint64_t *p)
{
    return AO_load_acquire((const volatile AO_t *) p);
}

static inline uint64_t px_load_relaxed(const uint64_t *p)
{
    return AO_load((const volatile AO_t *) p);
}

static inline void px_store_release(uint64_t *p, uint64_t v)
{
    AO_store_release((volatile AO_t *) p, v);
}

static inline void px_store_relaxed(uint64_t *p, uint64_t v)
{
    AO_store((volatile AO_t *) p, v);
}

static inline uint32_t px_load32_relaxed(const uint32_t *p)
{
    return AO_int_load((const volatile unsigned int *) p);
}

static inline void px_store32_relaxed(uint32_t *p, uint32_t v)
{
    AO_int_store((volatile unsigned int *) p, v);
}

/* Returns the value before the addition. Acquire and release: what comes before it in this thread
 * stays before, what comes after stays after, but on some machines (POWER, RISC-V, ARM without LSE)
 * a load behind it may still be done before its store is seen: see px_fence_behind.
 * Process-private counters only. */
static inline uint64_t px_fetch_add(uint64_t *p, uint64_t n)
{
    return AO_fetch_and_add_full((volatile AO_t *) p, n);
}

/* True when *p was `old` and is now `new_value`. Acquire and release, as px_fetch_add.
 * Process-private words only. */
static inline int px_cas(uint64_t *p, uint64_t old, uint64_t new_value)
{
    return AO_compare_and_swap_full((volatile AO_t *) p, old, new_value);
}

/* Behind a px_cas or px_fetch_add of this thread, whether it succeeded or not: its store is seen by
 * all before anything that comes after is loaded. On x86 the instruction itself has done that. */
static inline void px_fence_behind(void)
{
#if defined(__x86_64__)
    AO_compiler_barrier();
#else
    AO_nop_full();
#endif
}

/* A pointer published once to other threads of this process. */
static inline void *px_load_ptr_acquire(void *const *p)
{
    return (void *) (uintptr_t) AO_load_acquire((const volatile AO_t *) (const void *) p);
}

static inline void px_store_ptr_release(void **p, void *v)
{
    AO_store_release((volatile AO_t *) (void *) p, (AO_t) (uintptr_t) v);
}

#endif
