/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "view.h"

#include "codec.h"
#include "frame.h"
#include "take.h"

/* The pointer is into the message. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len)
{
    const void *bytes;
    size_t len;

    (void) px_unpack_single(in, PMIX_BYTE_OBJECT);
    bytes = px_take_view(in, &len);
    if (in->status == PMIX_SUCCESS) {
        *ret_bytes = bytes;
        *ret_len = len;
    }
    return in->status;
}

/* Refuses a kind that does not exist, since the reader of the content relies on it. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner)
{
    const void *bytes;
    uint8_t kind;
    size_t len;

    (void) px_unpack_single(in, PMIX_BUFFER);
    kind = px_take_byte(in);
    if (kind != PX_WIRE_PLAIN && kind != PX_WIRE_DESCRIBED) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    bytes = px_take_view(in, &len);
    if (in->status == PMIX_SUCCESS) {
        *ret_inner = px_in_make(bytes, len, (enum px_wire_kind) kind);
    }
    return in->status;
}
