/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BUF_H
#define PX_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

/* A growing byte buffer, the base of every message and of every text that is built. The first
 * failure is kept, and appending after it does nothing, so a message is built without a check at
 * each step and its status is read once at the end. A zeroed struct is an empty buffer. Its owner
 * calls px_buf_fini or takes the bytes. Not thread-safe. */
struct px_buf {
    unsigned char *data;  /* malloc'd, or NULL */
    size_t len;           /* bytes used */
    size_t cap;           /* bytes allocated */
    int status;           /* 0, or the first failure: the content is not to be used */
    struct px_lent *lent; /* takes the first large piece; NULL: everything is appended */
};

/* Adds n uninitialised bytes, counted as used, and returns their address, which is valid until the
 * next append. NULL: memory is out (PX_ERR_NOMEM), or the buffer has failed before. */
void *px_buf_extend(struct px_buf *buf, size_t n);

/* Makes room for n more bytes, no more than those, so that appending them allocates nothing.
 * Without memory the buffer fails (PX_ERR_NOMEM). */
void px_buf_reserve(struct px_buf *buf, size_t n);

/* Appends n bytes of src; src may be NULL if n is 0. */
void px_buf_append(struct px_buf *buf, const void *src, size_t n);

/* Appends a string without its NUL. */
void px_buf_text(struct px_buf *buf, const char *text);

/* Appends a string as an item of a comma-separated list: after a comma unless the buffer is
 * empty. */
void px_buf_item(struct px_buf *buf, const char *text);

/* Appends one byte. */
void px_buf_byte(struct px_buf *buf, unsigned char b);

/* Marks the buffer as failed, unless it has failed before or status is 0. Returns the buffer's
 * status. */
static inline int px_buf_fail(struct px_buf *buf, int status)
{
    buf->status = buf->status ? buf->status : status;
    return buf->status;
}

/* True if every append succeeded. */
static inline bool px_buf_ok(const struct px_buf *buf)
{
    return buf->status == 0;
}

/* Gives the bytes to the caller, who frees them with free(), and empties the buffer. NULL and 0 for
 * a buffer that is empty. Does not check the status. */
void *px_buf_take(struct px_buf *buf, size_t *ret_len);

/* Appends a NUL and gives the text to the caller, who frees it with free(). NULL: an append failed
 * or memory is out. The buffer is empty in any case. */
char *px_buf_take_text(struct px_buf *buf);

/* Frees the bytes; the buffer is empty and usable again. Takes NULL. */
void px_buf_fini(struct px_buf *buf);

#endif
