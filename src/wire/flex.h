/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_FLEX_H
#define PX_WIRE_FLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Integers of variable length ("flex"), the form of nearly all numbers on the wire: groups of 7
 * bits, lowest first; bit 7 set means that another byte follows. The ninth byte, if there is one,
 * holds the remaining 8 bits. Signed numbers are zig-zag coded first, so that small negative
 * numbers are short too. */

/* Bytes of the longest number. */
enum { PX_FLEX_MAX = 9 };

/* Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ... */
static inline uint64_t px_zigzag(int64_t v)
{
    return ((uint64_t) v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

/* The inverse of px_zigzag; defined for every 64-bit number. */
static inline int64_t px_unzigzag(uint64_t v)
{
    return (int64_t) ((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

/* Writes a number to memory with room for PX_FLEX_MAX bytes; returns the number of bytes
 * written. */
static inline size_t px_flex_put(unsigned char *to, uint64_t v)
{
    size_t n = 0;

    while (v > 127 && n < PX_FLEX_MAX - 1) {
        to[n++] = (unsigned char) (v | 128);
        v >>= 7;
    }
    to[n++] = (unsigned char) v;
    return n;
}

/* Reads one number from [at, end) and returns the number of bytes read. Returns 0, with *ret
 * unchanged, if the input ends before the number does. Accepts encodings longer than necessary. */
static inline size_t px_flex_get(const unsigned char *at, const unsigned char *end, uint64_t *ret)
{
    uint64_t v = 0;

    for (size_t n = 0; at + n < end; n++) {
        bool last = n == PX_FLEX_MAX - 1 || at[n] < 128;

        v |= (uint64_t) (n == PX_FLEX_MAX - 1 ? at[n] : at[n] & 127) << (7 * n);
        if (last) {
            *ret = v;
            return n + 1;
        }
    }
    return 0;
}

#endif
