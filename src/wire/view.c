/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Unpacking without copies. A fence with data delivers up to a million small values at once, so
 * keys, strings and bytes are used where they lie in the message. The checks are the same as in
 * unpack.c. */

#include "view.h"

#include "codec.h"
#include "frame.h"
#include "src/value/types.h"
#include "take.h"
#include "unpack.h"

/* Borrows the bytes of a byte object. An empty object gives a valid pointer and the length 0. */
static const void *take_view(struct px_in *in, size_t *ret_len)
{
    const void *bytes;

    *ret_len = px_take_length(in, false);
    bytes = in->at;
    in->at += *ret_len;
    return bytes;
}

/* The pointer is into the message. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len)
{
    const void *bytes;
    size_t len;

    (void) px_unpack_single(in, PMIX_BYTE_OBJECT);
    bytes = take_view(in, &len);
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
    bytes = take_view(in, &len);
    if (in->status == PMIX_SUCCESS) {
        *ret_inner = px_in_make(bytes, len, (enum px_wire_kind) kind);
    }
    return in->status;
}

/* Makes a value that borrows its string or bytes. The type is inline and has one of these two wire
 * forms. */
static void view_bytes(struct px_in *in, const struct px_type *type, pmix_value_t *ret)
{
    const void *bytes;
    size_t size;

    *ret = (pmix_value_t){.type = type->type};
    if (type->form == PX_WIRE_FORM_STRING) {
        ret->data.string = (char *) (uintptr_t) px_take_chars(in, &size);
        return;
    }
    bytes = take_view(in, &size);
    if (size) {
        ret->data.bo.bytes = (char *) (uintptr_t) bytes;
        ret->data.bo.size = size;
    }
}

/* Reads the value of a KVAL: borrowed if it is a string or bytes, otherwise as px_unpack_raw makes
 * it. `owned` may be true for a value that owns nothing; destructing it is harmless. */
static void view_value(struct px_in *in, struct px_kval_view *ret)
{
    struct px_in at = *in;
    const struct px_type *type = px_type_info((pmix_data_type_t) px_take_bounded(&at, UINT16_MAX));

    if (type && type->where == PX_INLINE &&
        (type->form == PX_WIRE_FORM_STRING || type->form == PX_WIRE_FORM_BYTES)) {
        ret->owned = false;
        view_bytes(&at, type, &ret->value);
        *in = at;
        return;
    }
    ret->owned = type && type->form > PX_WIRE_FORM_REAL;
    (void) px_unpack_raw(in, PMIX_VALUE, &ret->value);
}

/* A key without a pointer and one longer than PMIX_MAX_KEYLEN are refused, as in px_unpack_kval. */
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret)
{
    struct px_kval_view kval;
    size_t size;

    (void) px_unpack_single(in, PMIX_KVAL);
    kval.key = px_take_chars(in, &size);
    if (!kval.key || size - 1 > PMIX_MAX_KEYLEN) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    kval.key_len = size - 1;
    view_value(in, &kval);
    if (in->status == PMIX_SUCCESS) {
        *ret = kval;
    }
    return in->status;
}
