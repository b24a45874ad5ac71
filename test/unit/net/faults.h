/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_NET_FAULTS_H
#define PX_TEST_UNIT_NET_FAULTS_H

/* Allocators that fail when told to, for programs linked with PX_WRAP_ALLOC. Any thread. Included
 * by one source file of a program. */

#include <stdbool.h>
#include <stddef.h>

#include "src/base/atomic.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *mem, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *mem, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

static uint64_t scarce_count;  /* allocations since scarce_from */
static uint64_t scarce_number; /* the one that fails; 0: none */

/* The n-th allocation from now fails; 0: none does. */
static inline void scarce_from(uint64_t n)
{
    px_store_release(&scarce_number, 0);
    px_store_release(&scarce_count, 0);
    px_store_release(&scarce_number, n);
}

/* Whether it came to that. */
static inline bool scarce_reached(void)
{
    return px_load_acquire(&scarce_count) >= px_load_acquire(&scarce_number);
}

static bool scarce_now(void)
{
    uint64_t number = px_load_acquire(&scarce_number);

    return number && px_fetch_add(&scarce_count, 1) + 1 == number;
}

void *__wrap_malloc(size_t n)
{
    return scarce_now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return scarce_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *mem, size_t n)
{
    return scarce_now() ? NULL : __real_realloc(mem, n);
}

char *__wrap_strdup(const char *text)
{
    return scarce_now() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n)
{
    return scarce_now() ? NULL : __real_strndup(text, n);
}

#endif
