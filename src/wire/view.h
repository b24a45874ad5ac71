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

/* What is to be freed of a value that was read in place. */
enum px_view_owns {
    PX_VIEW_NOTHING,
    PX_VIEW_BLOCK, /* the array that data.darray points at is one block, and owns nothing */
    PX_VIEW_VALUE, /* PMIx_Value_destruct; there may be nothing to be freed */
    PX_N_VIEW_OWNS
};

/* One key-value pair (KVAL) read in place by px_unpack_kval_view, which accepts exactly what
 * px_unpack_kval accepts. The key is borrowed from the input, and so are the characters of a
 * string, the bytes of a byte object, and the strings of an array of strings. Any other value is
 * made as px_unpack_kval makes it. The caller releases it with px_view_free. */
struct px_kval_view {
    const char *key; /* never NULL */
    size_t key_len;
    pmix_value_t value;
    enum px_view_owns owns;
};

/* A KVAL: see struct px_kval_view for what of it is borrowed. */
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret);

/* Frees what a value owns that was read in place. */
void px_view_free(pmix_value_t *value, enum px_view_owns owns);

#endif
