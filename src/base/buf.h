/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BUF_H
#define PX_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* A growing byte buffer. Appending after a failure does nothing, so a message is built without
 * checks at each step and px_buf_ok() is asked once at the end. A zeroed struct is an empty
 * buffer. */
struct px_buf {
    unsigned char *data; /* malloc'd, or NULL */
    size_t len;          /* bytes used */
    size_t cap;          /* bytes allocated */
    bool failed;         /* an append could not be done; the content is not to be used */
};

/* Room for n more bytes, uninitialised, counted as used; NULL when memory is out (then failed is
 * set). */
void *px_buf_extend(struct px_buf *buf, size_t n);

/* Copies n bytes to the end. */
void px_buf_append(struct px_buf *buf, const void *src, size_t n);

/* Copies a string without its NUL. */
void px_buf_text(struct px_buf *buf, const char *text);

/* The same as an item of a list: after a comma, unless it is the first. */
void px_buf_item(struct px_buf *buf, const char *text);

static inline void px_buf_byte(struct px_buf *buf, unsigned char b)
{
    px_buf_append(buf, &b, 1);
}

static inline bool px_buf_ok(const struct px_buf *buf)
{
    return !buf->failed;
}

/* Gives the bytes to the caller, who frees them with free(); the buffer is empty afterwards. */
void *px_buf_take(struct px_buf *buf, size_t *ret_len);

/* The bytes and a NUL as a string, likewise. NULL: memory was out. The buffer is empty in any
 * case. */
char *px_buf_take_text(struct px_buf *buf);

/* Frees the bytes; the buffer is empty and usable again. Takes NULL. */
void px_buf_fini(struct px_buf *buf);

#endif
