/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_MUTATE_H
#define PX_TEST_MUTATE_H

/* Changed copies of known inputs, for fuzz targets in builds without libFuzzer. One thread. */

#include <stddef.h>

enum { MUTATE_LARGEST = 1 << 16 };

/* Keeps a copy of an input; those that are longer than MUTATE_LARGEST are left out. */
void mutate_know(const unsigned char *bytes, size_t len);
/* Frees them. */
void mutate_forget(void);

/* Writes one of the known inputs into ret, which has MUTATE_LARGEST bytes, with some changes: bits,
 * bytes and numbers, pieces that are left out, doubled, or another input's. Returns its length. The
 * same for the same seed, number and known inputs. */
size_t mutate(unsigned long seed, unsigned long number, unsigned char *ret);

#endif
