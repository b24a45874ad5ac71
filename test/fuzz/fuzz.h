/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_FUZZ_H
#define PX_TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* One target per program, under libFuzzer's name for it, so that the same source is replayed over
 * the committed corpus in make check (replay.c) and driven by libFuzzer in make fuzz. Aborts when a
 * property does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
