/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_FUZZ_H
#define PX_TEST_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One target per program, under libFuzzer's name for it, so that the same source is replayed over
 * the committed corpus in make check (replay.c) and driven by libFuzzer in make fuzz. Aborts when a
 * property does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- for inputs that are a conversation --- */

/* Settings of the library that do not depend on the machine. */
static inline void fuzz_environment(void)
{
    (void) setenv("TMPDIR", "/nonexistent", 1);
    (void) setenv("HOME", "/nonexistent", 1);
}

/* What is left of an input. */
struct fuzz_input {
    const uint8_t *at;
    const uint8_t *end;
};

/* The next byte; 0 behind the end. */
static inline uint8_t fuzz_byte(struct fuzz_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* A step of a conversation: two bytes that say what it is, the length (two bytes, low one first)
 * and a payload, which may be cut by the end. */
struct fuzz_step {
    uint8_t who;
    uint8_t what;
    size_t len;
    const uint8_t *payload;
};

/* False: there is no step any more. */
static inline bool fuzz_next(struct fuzz_input *in, struct fuzz_step *ret)
{
    size_t left;

    if (in->end - in->at < 4) {
        return false;
    }
    ret->who = fuzz_byte(in);
    ret->what = fuzz_byte(in);
    ret->len = fuzz_byte(in);
    ret->len |= (size_t) fuzz_byte(in) << 8;
    left = (size_t) (in->end - in->at);
    ret->len = ret->len < left ? ret->len : left;
    ret->payload = in->at;
    in->at += ret->len;
    return true;
}

/* The number that a step's payload begins with, at most four bytes, low one first. */
static inline uint32_t fuzz_number(const struct fuzz_step *step)
{
    uint32_t number = 0;

    for (size_t i = 0; i < sizeof(number) && i < step->len; i++) {
        number |= (uint32_t) step->payload[i] << 8 * i;
    }
    return number;
}

#endif
