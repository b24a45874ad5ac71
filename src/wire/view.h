/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_VIEW_H
#define PX_WIRE_VIEW_H

#include <stddef.h>

struct px_in;

/* Reading in place: one unpack operation each, of exactly one value, whose bytes are borrowed from
 * the input and valid as long as that is. Checks and statuses are those of px_unpack_one; on
 * failure the outputs are unset. */

/* A BYTE_OBJECT: its bytes, as they lie in the input. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len);

/* A BUFFER: a reader of its content, with the kind that the buffer declares. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner);

#endif
