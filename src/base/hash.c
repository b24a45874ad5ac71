/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Multiply-and-fold over 8-byte words. Chosen for short keys: one multiplication per 8 bytes, no
 * tables. */

#include "src/base/hash.h"

#include <stdbool.h>
#include <string.h>

static const uint64_t prime_a = 0x9e3779b97f4a7c15u;
static const uint64_t prime_b = 0xd6e8feb86659fd93u;

/* 8 bytes at any alignment, little-endian. */
static uint64_t load_word(const unsigned char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The last len < 8 bytes before `end`, as the low bytes of a word. If `whole`, the 8 bytes before
 * `end` may be read, which saves the loop. */
static uint64_t load_tail(const unsigned char *end, size_t len, bool whole)
{
    uint64_t word = 0;

    if (whole) {
        return load_word(end - 8) >> (64 - 8 * len);
    }
    for (size_t i = 0; i < len; i++) {
        word |= (uint64_t) end[(ptrdiff_t) i - (ptrdiff_t) len] << (8 * i);
    }
    return word;
}

uint64_t px_hash_bytes(const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    bool whole = len >= 8;
    uint64_t h = (uint64_t) len * prime_b;

    for (; len >= 8; len -= 8, p += 8) {
        h = px_hash_mix(h, load_word(p));
    }
    if (len) {
        h = px_hash_mix(h, load_tail(p + len, len, whole));
    }
    return px_hash_mix(h, prime_a);
}
