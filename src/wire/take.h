/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_TAKE_H
#define PX_WIRE_TAKE_H

#include "codec.h"

/* Reads raw numbers and texts from the front of a message, for unpack.c and view.c. A failure
 * (PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_NOMEM in those that
 * copy) is left in the input (px_in.status); the result is then 0 or NULL, and what an argument
 * points at is unchanged. */

/* An unsigned number of variable length. The inline function reads the common case, numbers below
 * 128. */
uint64_t px_take_long_flex(struct px_in *in);

static inline uint64_t px_take_flex(struct px_in *in)
{
    return in->at < in->end && *in->at < 128 ? *in->at++ : px_take_long_flex(in);
}

/* As px_take_flex; PMIX_ERR_UNPACK_FAILURE if the number is larger than max. */
uint64_t px_take_bounded(struct px_in *in, uint64_t max);

/* A number that is stored at val in `size` bytes: 2, 4 or 8. PMIX_ERR_UNPACK_FAILURE if it does
 * not fit. */
void px_take_unsigned(struct px_in *in, size_t size, void *val);
void px_take_signed(struct px_in *in, size_t size, void *val);

/* One byte as it is. */
uint8_t px_take_byte(struct px_in *in);

/* A number of bytes, zig-zag coded or not, all of which are there. */
size_t px_take_length(struct px_in *in, bool zigzag);

/* Borrows the characters of a string. NULL for the NULL pointer (*ret_size 0); otherwise the only
 * NUL is the last of *ret_size bytes. */
const char *px_take_chars(struct px_in *in, size_t *ret_size);

/* Borrows the bytes of a byte object. An empty object gives a valid pointer and the length 0. */
const void *px_take_view(struct px_in *in, size_t *ret_len);

/* A string as a copy. px_take_string: malloc'd, the caller's. px_take_fixed: into an array of
 * `room` zeroed bytes; the text has to fit with its NUL. */
char *px_take_string(struct px_in *in);
void px_take_fixed(struct px_in *in, size_t room, char *ret);

/* Passes over processes as long as they are written as nearly all are, a namespace of less than 64
 * bytes, its NUL among them, and a rank, and are not near the end. Returns how many, n at most. */
size_t px_take_short_procs(struct px_in *in, size_t n);

/* Copies size bytes into malloc'd memory of the caller's; NULL if size is 0. The caller has
 * compared size with what is left. */
char *px_take_copy(struct px_in *in, size_t size);

/* A PMIX_FLOAT or PMIX_DOUBLE, stored at val: decimal text, or 8 raw bytes if the input is
 * exact. */
void px_take_real(struct px_in *in, pmix_data_type_t type, void *val);

/* A pid: a type code, then a number. Peers may use any integer type. PMIX_ERR_UNPACK_FAILURE if it
 * does not fit 32 bits. */
void px_take_pid(struct px_in *in, pid_t *ret);

#endif
