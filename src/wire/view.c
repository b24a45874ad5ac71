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

/* Borrows the bytes of a byte object. */
static int take_view(struct px_in *at, const void **ret_bytes, size_t *ret_len)
{
    size_t len;
    int rc = px_take_length(at, false, &len);

    if (rc == PMIX_SUCCESS) {
        *ret_bytes = at->at;
        *ret_len = len;
        at->at += len;
    }
    return rc;
}

/* The pointer is into the message. An empty object gives a valid pointer and the length 0. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len)
{
    struct px_in at = *in;
    int rc = px_unpack_single(&at, PMIX_BYTE_OBJECT);

    rc = rc ? rc : take_view(&at, ret_bytes, ret_len);
    if (rc == PMIX_SUCCESS) {
        *in = at;
    }
    return rc;
}

/* Refuses a kind that does not exist, since the reader of the content relies on it. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner)
{
    struct px_in at = *in;
    const void *bytes;
    uint8_t kind;
    size_t len;
    int rc = px_unpack_single(&at, PMIX_BUFFER);

    rc = rc ? rc : px_unpack_raw(&at, PMIX_BYTE, &kind);
    if (rc == PMIX_SUCCESS && kind != PX_WIRE_PLAIN && kind != PX_WIRE_DESCRIBED) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    rc = rc ? rc : take_view(&at, &bytes, &len);
    if (rc == PMIX_SUCCESS) {
        *in = at;
        *ret_inner = px_in_make(bytes, len, (enum px_wire_kind) kind);
    }
    return rc;
}

/* A namespace that does not fit a pmix_nspace_t with its NUL is refused, as in copying. */
int px_unpack_proc_view(struct px_in *in, const char **ret_nspace, pmix_rank_t *ret_rank)
{
    struct px_in at = *in;
    const char *nspace;
    uint64_t rank;
    size_t size;
    int rc = px_unpack_single(&at, PMIX_PROC);

    rc = rc ? rc : px_take_chars(&at, &nspace, &size);
    if (rc == PMIX_SUCCESS && size > sizeof(pmix_nspace_t)) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    rc = rc ? rc : px_take_bounded(&at, UINT32_MAX, &rank);
    if (rc == PMIX_SUCCESS) {
        *ret_nspace = nspace ? nspace : "";
        *ret_rank = (pmix_rank_t) rank;
        *in = at;
    }
    return rc;
}

/* Makes a value that borrows its string or bytes. The type is inline and has one of these two wire
 * forms. */
static int view_bytes(struct px_in *in, const struct px_type *type, pmix_value_t *ret)
{
    const void *bytes;
    const char *chars;
    size_t size;
    int rc;

    *ret = (pmix_value_t){.type = type->type};
    if (type->form == PX_WIRE_FORM_STRING) {
        rc = px_take_chars(in, &chars, &size);
        ret->data.string = rc ? NULL : (char *) (uintptr_t) chars;
        return rc;
    }
    rc = take_view(in, &bytes, &size);
    if (rc == PMIX_SUCCESS && size) {
        ret->data.bo.bytes = (char *) (uintptr_t) bytes;
        ret->data.bo.size = size;
    }
    return rc;
}

/* Reads the value of a KVAL: borrowed if it is a string or bytes, otherwise as px_unpack_raw makes
 * it. `owned` may be true for a value that owns nothing; destructing it is harmless. */
static int view_value(struct px_in *in, struct px_kval_view *ret)
{
    struct px_in at = *in;
    const struct px_type *type;
    uint64_t code;
    int rc = px_take_bounded(&at, UINT16_MAX, &code);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    type = px_type_info((pmix_data_type_t) code);
    if (type && type->where == PX_INLINE &&
        (type->form == PX_WIRE_FORM_STRING || type->form == PX_WIRE_FORM_BYTES)) {
        ret->owned = false;
        rc = view_bytes(&at, type, &ret->value);
        *in = at;
        return rc;
    }
    ret->owned = type && type->form > PX_WIRE_FORM_REAL;
    return px_unpack_raw(in, PMIX_VALUE, &ret->value);
}

/* A key without a pointer and one longer than PMIX_MAX_KEYLEN are refused, as in px_unpack_kval. */
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret)
{
    struct px_in at = *in;
    struct px_kval_view kval;
    size_t size;
    int rc = px_unpack_single(&at, PMIX_KVAL);

    rc = rc ? rc : px_take_chars(&at, &kval.key, &size);
    if (rc == PMIX_SUCCESS && (!kval.key || size - 1 > PMIX_MAX_KEYLEN)) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS) {
        kval.key_len = size - 1;
        rc = view_value(&at, &kval);
    }
    if (rc == PMIX_SUCCESS) {
        *ret = kval;
        *in = at;
    }
    return rc;
}
