/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_TAKE_H
#define PX_WIRE_TAKE_H

#include "codec.h"

/* Raw numbers and texts off the front of a message. All return 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER or PMIX_ERR_UNPACK_FAILURE, those that copy
 * PMIX_ERR_NOMEM too; outputs are set on success only, but the input may have moved after a
 * failure. */

/* Reads raw numbers and texts from the front of a message, for unpack.c and view.c. All return 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER or PMIX_ERR_UNPACK_FAILURE; those that copy also
 * PMIX_ERR_NOMEM. Outputs are set on success only, but after a failure the input may have moved:
 * callers read with a copy of it. */

/* An unsigned number of variable length. The inline function reads the common case, numbers below
 * 128. */
int px_take_long_flex(struct px_in *in, uint64_t *ret);

static inline int px_take_flex(struct px_in *in, uint64_t *ret)
{
    if (in->at < in->end && *in->at < 128) {
        *ret = *in->at++;
        return 0;
    }
    return px_take_long_flex(in, ret);
}

/* As px_take_flex; PMIX_ERR_UNPACK_FAILURE if the number is larger than max. */
int px_take_bounded(struct px_in *in, uint64_t max, uint64_t *ret);

/* A number that is stored at val in `size` bytes: 2, 4 or 8. PMIX_ERR_UNPACK_FAILURE if it does
 * not fit. */
int px_take_unsigned(struct px_in *in, size_t size, void *val);
int px_take_signed(struct px_in *in, size_t size, void *val);

/* One byte as it is. */
int px_take_byte(struct px_in *in, uint8_t *ret);

/* A number of bytes, zig-zag coded or not, all of which are there. */
int px_take_length(struct px_in *in, bool zigzag, size_t *ret);

/* Borrows the characters of a string. *ret is NULL for the NULL pointer (*ret_size 0); otherwise
 * the only NUL is the last of *ret_size bytes. */
int px_take_chars(struct px_in *in, const char **ret, size_t *ret_size);

/* The same as a copy. px_take_string: malloc'd, the caller's; *ret has to be NULL before the call
 * and stays NULL for the NULL pointer. px_take_fixed: into an array of `room` zeroed bytes; the
 * text has to fit with its NUL. */
int px_take_string(struct px_in *in, char **ret);
int px_take_fixed(struct px_in *in, size_t room, char *ret);

/* Copies size bytes (more than 0) into malloc'd memory of the caller's. PMIX_ERR_NOMEM. The caller
 * has compared size with what is left; the input does not move. */
int px_take_copy(const void *from, size_t size, char **ret);

/* A PMIX_FLOAT or PMIX_DOUBLE, stored at val: decimal text, or 8 raw bytes if the input is
 * exact. */
int px_take_real(struct px_in *in, pmix_data_type_t type, void *val);

/* A pid: a type code, then a number. Peers may use any integer type. PMIX_ERR_UNPACK_FAILURE if it
 * does not fit 32 bits. */
int px_take_pid(struct px_in *in, pid_t *ret);

#endif
