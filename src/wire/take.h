/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_TAKE_H
#define PX_WIRE_TAKE_H

#include "codec.h"

/* Raw numbers and texts off the front of a message. All return 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER or PMIX_ERR_UNPACK_FAILURE, those that copy
 * PMIX_ERR_NOMEM too; outputs are set on success only, but the input may have moved after a
 * failure. */

/* An unsigned number; most are below 128. */
int px_take_long_flex(struct px_in *in, uint64_t *ret);

static inline int px_take_flex(struct px_in *in, uint64_t *ret)
{
    if (in->at < in->end && *in->at < 128) {
        *ret = *in->at++;
        return 0;
    }
    return px_take_long_flex(in, ret);
}

/* The same, at most max. */
int px_take_bounded(struct px_in *in, uint64_t max, uint64_t *ret);

/* A number of `size` bytes in memory: 2, 4 or 8. */
int px_take_unsigned(struct px_in *in, size_t size, void *val);
int px_take_signed(struct px_in *in, size_t size, void *val);

int px_take_byte(struct px_in *in, uint8_t *ret);

/* A count of bytes that are all there, zig-zag or not. */
int px_take_length(struct px_in *in, bool zigzag, size_t *ret);

/* Borrows the characters of a string: NULL for the NULL pointer, else NUL-terminated exactly at its
 * size. */
int px_take_chars(struct px_in *in, const char **ret, size_t *ret_size);

/* The same copied: malloc'd (or NULL), and into an array of `room` characters, which keeps its
 * zeros behind it. */
int px_take_string(struct px_in *in, char **ret);
int px_take_fixed(struct px_in *in, size_t room, char *ret);

/* malloc'd copy of size bytes, size > 0; no input is involved. */
int px_take_copy(const void *from, size_t size, char **ret);

/* PMIX_FLOAT or PMIX_DOUBLE. */
int px_take_real(struct px_in *in, pmix_data_type_t type, void *val);

/* Peers may use any integer type for a pid, and say which. */
int px_take_pid(struct px_in *in, pid_t *ret);

#endif
