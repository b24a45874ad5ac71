/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BYTES_H
#define PX_BASE_BYTES_H

/* Small helpers for raw memory: borrowed byte ranges, unaligned words, comparison of short names,
 * and the step from a member to its struct. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes. Their owner documents how long they are valid. */
struct px_bytes {
    const void *ptr;
    size_t len;
};

/* Reads 8 bytes at any alignment, in the byte order of the machine. */
static inline uint64_t px_word_at(const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* True if the bytes are equal. Inline, because most names are too short for a call of memcmp to pay
 * off. The last 8 bytes are compared as one word, which may overlap the word before. */
static inline bool px_same_bytes(const void *a, const void *b, size_t len)
{
    const char *x = a;
    const char *y = b;

    if (len < 8) {
        return memcmp(a, b, len) == 0;
    }
    for (size_t i = 0; i + 8 <= len; i += 8) {
        if (px_word_at(x + i) != px_word_at(y + i)) {
            return false;
        }
    }
    return px_word_at(x + len - 8) == px_word_at(y + len - 8);
}

/* Address of the struct of `type` whose `member` p points to. */
#define px_container_of(p, type, member) ((type *) (void *) ((char *) (p) -offsetof(type, member)))

#endif
