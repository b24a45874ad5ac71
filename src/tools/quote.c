/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Strings of anybody for people or for JSON: control characters never reach a terminal, and JSON is
 * always valid UTF-8. */

#include <stddef.h>

#include "quote.h"

/* Bytes of the well-formed UTF-8 character at the front, or 0. */
static size_t utf8_len(const unsigned char *p, size_t len)
{
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

    if (n == 1) {
        return 1;
    }
    if (p[0] < 0xc2 || p[0] > 0xf4 || n > len) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) {
        return 0; /* too long a form, half of a pair, or beyond the last character */
    }
    return n;
}

void px_escape(FILE *to, const char *value, size_t len, bool as_json)
{
    const unsigned char *p = (const unsigned char *) value;
    size_t i = 0;

    while (i < len) {
        size_t n = utf8_len(p + i, len - i);

        if (n == 0) {
            fprintf(to, as_json ? "\\ufffd" : "\\x%02x", p[i]);
            n = 1;
        } else if (p[i] == '"' || p[i] == '\\') {
            fprintf(to, "\\%c", p[i]);
        } else if (p[i] < 0x20 || p[i] == 0x7f || (p[i] == 0xc2 && n == 2 && p[i + 1] < 0xa0)) {
            fprintf(to, as_json ? "\\u%04x" : "\\x%02x", p[i + n - 1]);
        } else {
            fwrite(p + i, 1, n, to);
        }
        i += n;
    }
}

void px_quote(FILE *to, const char *value, size_t len, bool as_json)
{
    putc('"', to);
    px_escape(to, value, len, as_json);
    putc('"', to);
}
