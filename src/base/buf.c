/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An append that needs room doubles the buffer, which begins with FIRST_CAP bytes; px_buf_reserve
 * makes room for exactly what its caller names. Sizes are bounded by a quarter of the address
 * space, so that no sum of two of them overflows. */

#include "src/base/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/status.h"

enum { FIRST_CAP = 128 };

/* Allocates `cap` bytes, not less than are used. False: memory is out; the buffer is unchanged. */
static bool resize(struct px_buf *buf, size_t cap)
{
    unsigned char *data = realloc(buf->data, cap);

    if (!data) {
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

/* Grows the buffer until n more bytes fit. False: memory is out or n is absurd; the buffer is
 * unchanged. */
static bool grow(struct px_buf *buf, size_t n)
{
    size_t cap = buf->cap < FIRST_CAP ? FIRST_CAP : buf->cap;

    if (n > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4) {
        return false;
    }
    while (cap < buf->len + n) {
        cap *= 2;
    }
    return resize(buf, cap);
}

void px_buf_reserve(struct px_buf *buf, size_t n)
{
    if (!px_buf_ok(buf) || buf->cap - buf->len >= n) {
        return;
    }
    if (n > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4 || !resize(buf, buf->len + n)) {
        (void) px_buf_fail(buf, PX_ERR_NOMEM);
    }
}

/* px_buf_extend where the bytes do not fit, or the buffer has failed. */
static __attribute__((noinline)) void *extend_more(struct px_buf *buf, size_t n)
{
    unsigned char *at;

    if (!px_buf_ok(buf)) {
        return NULL;
    }
    if (!grow(buf, n)) {
        (void) px_buf_fail(buf, PX_ERR_NOMEM);
        return NULL;
    }
    at = buf->data + buf->len;
    buf->len += n;
    return at;
}

/* A first extension by 0 bytes allocates as well, so that the result is NULL only after a
 * failure. */
static inline void *extend(struct px_buf *buf, size_t n)
{
    size_t len = buf->len;

    px_assert(len <= buf->cap);
    if (!px_buf_ok(buf) || buf->cap - len < n || !buf->data) {
        return extend_more(buf, n);
    }
    buf->len = len + n;
    return buf->data + len;
}

void *px_buf_extend(struct px_buf *buf, size_t n)
{
    return extend(buf, n);
}

void px_buf_append(struct px_buf *buf, const void *src, size_t n)
{
    void *at = extend(buf, n);

    if (at && n) {
        memcpy(at, src, n);
    }
}

void px_buf_byte(struct px_buf *buf, unsigned char b)
{
    unsigned char *at = extend(buf, 1);

    if (at) {
        *at = b;
    }
}

void px_buf_text(struct px_buf *buf, const char *text)
{
    px_buf_append(buf, text, strlen(text));
}

void px_buf_item(struct px_buf *buf, const char *text)
{
    if (buf->len > 0) {
        px_buf_byte(buf, ',');
    }
    px_buf_text(buf, text);
}

void *px_buf_take(struct px_buf *buf, size_t *ret_len)
{
    void *data = buf->data;

    *ret_len = buf->len;
    *buf = (struct px_buf){0};
    return data;
}

/* The buffer that failed is freed first; taking it then gives NULL. */
char *px_buf_take_text(struct px_buf *buf)
{
    size_t len;

    px_buf_byte(buf, 0);
    if (!px_buf_ok(buf)) {
        px_buf_fini(buf);
    }
    return px_buf_take(buf, &len);
}

void px_buf_fini(struct px_buf *buf)
{
    if (buf) {
        free(buf->data);
        *buf = (struct px_buf){0};
    }
}
