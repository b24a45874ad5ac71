/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ATOMIC_H
#define PX_BASE_ATOMIC_H

/* Atomic operations: the only file that uses libatomic_ops. The memory order of an operation is in
 * its name. The operands are words of the shared segment and flags of the process. All operations
 * are lock-free and address-free (configure refuses a machine where they are not), so they are
 * valid across processes and in a read-only mapping. */

#include <stdint.h>

#include <atomic_ops.h>

_Static_assert(sizeof(AO_t) == 8, "shared words are 64 bits");

/* Load: what another thread wrote before its release store of this value is visible after it. */
static inline uint64_t px_load_acquire(const uint64_t *p)
{
    return AO_load_acquire((const volatile AO_t *) p);
}

/* Load without order: a whole value, and nothing about other memory. */
static inline uint64_t px_load_relaxed(const uint64_t *p)
{
    return AO_load((const volatile AO_t *) p);
}

/* Store: everything that this thread wrote before is visible to a thread that loads the value with
 * px_load_acquire. */
static inline void px_store_release(uint64_t *p, uint64_t v)
{
    AO_store_release((volatile AO_t *) p, v);
}

/* Store without order. */
static inline void px_store_relaxed(uint64_t *p, uint64_t v)
{
    AO_store((volatile AO_t *) p, v);
}

/* Adds n and returns the value before the addition. Acquire and release: earlier accesses of this
 * thread stay before it, later ones after it. On some machines (POWER, RISC-V, ARM without LSE) a
 * later load may still be done before the store of the sum is visible; use px_fence_behind there.
 * For counters of the process only, not for shared words. */
static inline uint64_t px_fetch_add(uint64_t *p, uint64_t n)
{
    return AO_fetch_and_add_full((volatile AO_t *) p, n);
}

/* Compare and swap. True if *p was `old` and is now `new_value`. Order as px_fetch_add. For words
 * of the process only. */
static inline int px_cas(uint64_t *p, uint64_t old, uint64_t new_value)
{
#if defined(__riscv)
    AO_nop_full(); /* gcc 12 emits the acquire only, and earlier stores may come after the swap */
#endif
    return AO_compare_and_swap_full((volatile AO_t *) p, old, new_value);
}

/* To be called after a px_cas or px_fetch_add of this thread, whether the px_cas succeeded or not:
 * its store is visible to all threads before any later load is done. On x86 the locked instruction
 * has done so already, and only the compiler has to be held. */
static inline void px_fence_behind(void)
{
#if defined(__x86_64__)
    AO_compiler_barrier();
#else
    AO_nop_full();
#endif
}

/* A pointer that one thread publishes to other threads of this process: load by the readers, store
 * by the writer. */
static inline void *px_load_ptr_acquire(void *const *p)
{
    return (void *) (uintptr_t) AO_load_acquire((const volatile AO_t *) (const void *) p);
}

static inline void px_store_ptr_release(void **p, void *v)
{
    AO_store_release((volatile AO_t *) (void *) p, (AO_t) (uintptr_t) v);
}

#endif
