/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_VALUE_SUPPORT_H
#define PX_TEST_VALUE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pmix.h>

#include "src/value/types.h"

/* A time limit, and the seed: PX_TEST_SEED or a fixed one, printed as a TAP comment. */
void support_start(void);

uint64_t random_below(uint64_t n);

/* Fills an element of any type with random content that it owns. Arrays nest up to `levels`. */
void random_element(const struct px_type *type, void *ret_element, unsigned levels);

/* From now on the n-th allocation of the library fails (1 is the next); 0 turns it off. Only in
 * programs that are linked with PX_WRAP_ALLOC. */
void fail_allocation(unsigned n);
/* Whether the allocation that was to fail was reached. */
bool allocation_failed(void);

/* Runs `try` with the first, second, ... allocation failing until it succeeds untouched. try
 * returns whether it succeeded. */
void with_each_allocation_failing(bool (*try)(void *arg), void *arg);

#endif
