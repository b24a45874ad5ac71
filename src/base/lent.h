/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LENT_H
#define PX_BASE_LENT_H

/* A large piece of a message that is not copied into its buffer. Not thread-safe. */

#include "src/base/buf.h"

/* Smaller pieces are copied: that takes less than another slice of a message. */
enum { PX_LENT_FROM = 1 << 18 };

/* Bytes that belong behind the first `at` bytes of a buffer. Zeros: none. */
struct px_lent {
    const void *bytes; /* borrowed */
    size_t len;
    size_t at;
};

/* The part of px_buf_lend for a buffer that has buf->lent. Only px_buf_lend calls it. */
void px_buf_lend_large(struct px_buf *buf, const void *src, size_t n);

/* Appends n bytes of src. If the buffer has buf->lent, the first large piece is noted there instead
 * of copied, and src has to outlive the message. */
static inline void px_buf_lend(struct px_buf *buf, const void *src, size_t n)
{
    if (buf->lent) {
        px_buf_lend_large(buf, src, n);
    } else {
        px_buf_append(buf, src, n);
    }
}

#endif
