/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_GDS_SUPPORT_H
#define PX_TEST_GDS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gds/lookup.h"
#include "gds/state.h"
#include "gds/store.h"
#include "gds/verify.h"
#include "gds/slice.h"

struct px_batch;

/* A new store named "job", shared or private. */
struct px_store *make_store(bool shared);

/* A reader of a shared store, by a descriptor of its own; a private store itself. */
struct px_store *open_reader(struct px_store *store);
void close_reader(struct px_store *store, struct px_store *reader);

/* Verifies every invariant, then destroys. */
void drop_store(struct px_store *store);
void assert_sound(const struct px_store *store);

/* Publishes one value by itself. */
int put_one(struct px_store *store, enum px_level level, uint32_t index, const char *key,
            const pmix_value_t *value, pmix_scope_t scope);

/* Adds to a batch, which must work. */
void add(struct px_batch *batch, enum px_level level, uint32_t index, const char *key,
         const pmix_value_t *value);

int find(const struct px_store *store, enum px_level level, uint32_t index, const char *key,
         struct px_slice *ret);

/* The word found, which must be there. */
uint64_t word(const struct px_store *store, enum px_level level, uint32_t index, const char *key);

/* The string found, which must be there. Borrowed. */
const char *text(const struct px_store *store, enum px_level level, uint32_t index,
                 const char *key);

static inline pmix_value_t u32(uint32_t v)
{
    return (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = v};
}

static inline pmix_value_t u16(uint16_t v)
{
    return (pmix_value_t){.type = PMIX_UINT16, .data.uint16 = v};
}

static inline pmix_value_t str(const char *v)
{
    return (pmix_value_t){.type = PMIX_STRING, .data.string = (char *) (uintptr_t) v};
}

static inline pmix_value_t bytes(const void *v, size_t n)
{
    return (pmix_value_t){.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *) (uintptr_t) v, .size = n}};
}

/* Calls of malloc, calloc and realloc in this process so far. */
extern size_t n_allocs;

/* From now on the n-th allocation (0: the next) and all later ones fail; negative: none. */
void fail_allocs_after(long n);

/* Random numbers that the seed repeats. */
uint32_t next_random(uint64_t *state);

#endif
