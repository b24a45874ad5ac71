/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_UNPACK_H
#define PX_WIRE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_in;

/* Unpacking: reads values of any data type in the encoding of codec.h. Values are made in plain
 * malloc memory that the caller owns and releases as their type requires. Each function returns the
 * status of the input: 0, or its first failure, after which nothing is left to be read; so the
 * status of the last of several calls is that of all. Any thread. */

/* One unpack operation into room for *n values; *n becomes the number of values stored. 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_TYPE_MISMATCH (described buffers),
 * PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_NOT_SUPPORTED (wire_hooks.h),
 * PMIX_ERR_NOMEM: *n is unchanged, and the elements at vals own nothing.
 * PMIX_ERR_UNPACK_INADEQUATE_SPACE is no failure of the input, which is behind the whole operation:
 * the first *n values are stored, the others are dropped. */
int px_unpack(struct px_in *in, pmix_data_type_t type, void *vals, size_t *n);

/* As px_unpack, for an operation that must have exactly one value; PMIX_ERR_UNPACK_FAILURE
 * otherwise. */
int px_unpack_one(struct px_in *in, pmix_data_type_t type, void *val);

/* Passes over one TOPO without parsing it, which px_unpack_one refuses in messages of peers. */
int px_unpack_past_topo(struct px_in *in);

/* Reads one value without a frame, as px_pack_raw writes it. On failure val is zeros. For
 * PMIX_UNDEF nothing is read and val is unchanged. */
int px_unpack_raw(struct px_in *in, pmix_data_type_t type, void *val);

/* Reads the frame of an operation on values of a type; *ret_n is their number, not yet compared
 * with what is left. Statuses as px_unpack. */
int px_unpack_frame(struct px_in *in, pmix_data_type_t type, size_t *ret_n);

/* Reads the frame of an operation that must have one value; PMIX_ERR_UNPACK_FAILURE otherwise.
 * Callers use px_unpack_single (frame.h), which reads the common frame of a plain buffer inline. */
int px_unpack_any_single(struct px_in *in, pmix_data_type_t type);

/* Checks that n elements of `size` bytes in memory may be allocated for what is left of the input.
 * Each element takes at least a byte of it, and the memory stays in proportion to the bytes. 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_OUT_OF_RESOURCE (more
 * than in->most). */
int px_unpack_room(struct px_in *in, size_t n, size_t size);

/* Counts n elements that are about to be made (in->made), by the time that they take rather than by
 * their memory: 100,000 names are a long request, and a million short strings would take longer. 0
 * or PMIX_ERR_OUT_OF_RESOURCE (more than in->most). */
int px_unpack_count(struct px_in *in, pmix_data_type_t type, size_t n);

/* Checks n processes, as elements without a frame, and passes over them. */
void px_unpack_past_procs(struct px_in *in, size_t n);

/* True if the n elements are many processes, and the input has somebody who reads them later. */
bool px_unpack_owes(const struct px_in *in, pmix_data_type_t type, size_t n);

/* Checks n processes, as elements without a frame, and leaves to in->owed to store them in `to`.
 * Returns as px_unpack_raw. */
int px_unpack_procs_later(struct px_in *in, pmix_proc_t *to, size_t n);
/* Reads n processes, as elements without a frame, into memory of any content, as many as there are
 * before a failure, and returns their number. */
size_t px_unpack_procs_now(struct px_in *in, pmix_proc_t *to, size_t n);

#endif
