/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BYTES_H
#define PX_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes; who lends them says for how long. */
struct px_bytes {
    const void *ptr;
    size_t len;
};

/* 8 bytes in the machine's order. */
static inline uint64_t px_word_at(const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* memcmp() == 0 for names, most of which are too short for a call to pay. The last word may overlap
 * the one before. */
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

#define px_container_of(p, type, member) ((type *) (void *) ((char *) (p) -offsetof(type, member)))

#endif
