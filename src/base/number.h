/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_NUMBER_H
#define PX_BASE_NUMBER_H

/* Parsing of decimal numbers in text of any origin. */

#include <stddef.h>
#include <stdint.h>

/* Reads the decimal digits at the start of a text, without blanks or sign. Returns the position
 * after them. NULL: there is no digit, or the number exceeds `most`; *ret is unchanged. Any
 * thread. */
static inline const char *px_number_read(const char *text, uint64_t most, uint64_t *ret)
{
    const char *at = text;
    uint64_t n = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t) (*at - '0');

        if (digit > most || n > (most - digit) / 10) {
            return NULL;
        }
        n = n * 10 + digit;
    }
    if (at == text) {
        return NULL;
    }
    *ret = n;
    return at;
}

#endif
