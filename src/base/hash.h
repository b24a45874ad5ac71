/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_HASH_H
#define PX_BASE_HASH_H

/* The hash functions of the segment format. Deterministic and the same in all processes; for tables
 * whose keys others choose see seed.h. */

#include <stddef.h>
#include <stdint.h>

/* Hash of a byte string. Part of the segment format (docs/segment-format.md): it reads 8 bytes
 * little-endian, so the result is the same on every machine, and it must not change within a
 * version of the format. */
uint64_t px_hash_bytes(const void *bytes, size_t len);

/* Odd multiplier of both functions; part of the format. */
#define PX_HASH_FACTOR UINT64_C(0xd6e8feb86659fd93)

/* Mixes two words, for keys made of numbers. If `a` counts up, the low bits of the result advance
 * in steps of about b ^ PX_HASH_FACTOR. */
static inline uint64_t px_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128) (a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ PX_HASH_FACTOR);

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

#endif
