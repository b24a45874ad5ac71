/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_WIRE_HEX_H
#define PX_TEST_WIRE_HEX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/buf.h"

/* The content of a buffer as lower-case digits, malloc'd. */
static inline char *hex_of(const void *bytes, size_t len)
{
    char *text = malloc(len * 2 + 1);

    for (size_t i = 0; i < len; i++) {
        snprintf(text + i * 2, 3, "%02x", ((const unsigned char *) bytes)[i]);
    }
    text[len * 2] = '\0';
    return text;
}

/* The opposite: appends; spaces are skipped. */
static inline void unhex(const char *text, struct px_buf *buf)
{
    unsigned byte;

    while (*text) {
        if (*text == ' ') {
            text++;
            continue;
        }
        sscanf(text, "%2x", &byte);
        px_buf_byte(buf, (unsigned char) byte);
        text += 2;
    }
}

static inline void assert_hex(const struct px_buf *buf, const char *expected)
{
    char *text = hex_of(buf->data, buf->len);
    struct px_buf bytes = {0};
    char *wanted;

    unhex(expected, &bytes);
    wanted = hex_of(bytes.data, bytes.len);
    assert_true(px_buf_ok(buf));
    assert_string_equal(text, wanted);
    free(text);
    free(wanted);
    px_buf_fini(&bytes);
}

#endif
