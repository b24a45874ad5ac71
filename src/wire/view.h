/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_VIEW_H
#define PX_WIRE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_in;

/* Reading in place: one unpack operation each, of exactly one value, whose bytes are borrowed from
 * the input and valid as long as that is. Checks and statuses are those of px_unpack_one; on
 * failure the outputs are unset. */

/* A BYTE_OBJECT: its bytes, as they lie in the input. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len);

/* A BUFFER: a reader of its content, with the kind that the buffer declares. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner);

/* One key-value pair (KVAL) read in place by px_unpack_kval_view, which accepts exactly what
 * px_unpack_kval accepts. The key is borrowed from the input, and so are the characters of a
 * string or the bytes of a byte object. Any other value is made as px_unpack_kval makes it; if
 * `owned`, the caller releases it with PMIx_Value_destruct. */
struct px_kval_view {
    const char *key; /* never NULL */
    size_t key_len;
    pmix_value_t value;
    bool owned;
};

/* A KVAL: see struct px_kval_view for what of it is borrowed. */
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret);

#endif
