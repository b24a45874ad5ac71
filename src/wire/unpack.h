/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_UNPACK_H
#define PX_WIRE_UNPACK_H

#include <stddef.h>

#include <pmix.h>

struct px_in;

/* One unpack operation into room for *n values; *n becomes the number unpacked. What it allocates
 * (strings, arrays) is plain malloc memory owned by the caller. Returns 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_INADEQUATE_SPACE (the fitting part is
 * delivered), PMIX_ERR_TYPE_MISMATCH (described buffers), PMIX_ERR_UNPACK_FAILURE,
 * PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_NOT_SUPPORTED (see wire_hooks.h), PMIX_ERR_NOMEM. With
 * inadequate space the input moves behind the whole operation. After another failure nothing is
 * left allocated, the input is where it was, and elements that had been read are zeros. */
int px_unpack(struct px_in *in, pmix_data_type_t type, void *vals, size_t *n);

/* Exactly one value. */
int px_unpack_one(struct px_in *in, pmix_data_type_t type, void *val);

int px_unpack_raw(struct px_in *in, pmix_data_type_t type, void *val);

/* The input moves past the frame; on failure it stays where it was. Statuses as px_unpack. */
int px_unpack_frame(struct px_in *in, pmix_data_type_t type, size_t *ret_n);

/* The frame of an operation that must be of one value; PMIX_ERR_UNPACK_FAILURE too. */
int px_unpack_any_single(struct px_in *in, pmix_data_type_t type);

/* May n elements of a C size be made out of what is left? Each takes a byte at least, and memory is
 * asked for only in proportion to the bytes that stand behind it. 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_FAILURE. */
int px_unpack_room(const struct px_in *in, size_t n, size_t size);

#endif
