/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Unpacking pairs without copies. A fence with data delivers up to a million small values at once,
 * so keys, strings and bytes are used where they lie in the message. The checks are the same as in
 * unpack.c. */

#include "kval_view.h"

#include <stdlib.h>

#include "codec.h"
#include "frame.h"
#include "src/value/types.h"
#include "take.h"
#include "unpack.h"

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
    bytes = px_take_view(in, &size);
    if (size) {
        ret->data.bo.bytes = (char *) (uintptr_t) bytes;
        ret->data.bo.size = size;
    }
}

/* Makes an array whose strings are borrowed; the input is behind its type. One block has it and the
 * pointers: many strings would take their time to be allocated, copied and freed, each by itself.
 */
static void view_strings(struct px_in *in, struct px_kval_view *ret)
{
    size_t n = (size_t) px_take_bounded(in, SIZE_MAX);
    size_t size;
    struct {
        pmix_data_array_t array;
        const char *strings[];
    } * block;

    if (n && (px_unpack_room(in, n, sizeof(char *)) || px_unpack_count(in, PMIX_STRING, n))) {
        return;
    }
    block = malloc(sizeof(*block) + n * sizeof(char *));
    if (!block) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM);
        return;
    }
    block->array = (pmix_data_array_t){PMIX_STRING, n, n ? (void *) block->strings : NULL};
    for (size_t i = 0; i < n; i++) {
        block->strings[i] = px_take_chars(in, &size);
    }
    ret->value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &block->array};
    ret->owns = PX_VIEW_BLOCK;
    if (in->status) {
        free(block);
    }
}

/* Reads the value of a KVAL: borrowed if it is a string, bytes or an array of strings, otherwise as
 * px_unpack_raw makes it. */
static void view_value(struct px_in *in, struct px_kval_view *ret)
{
    struct px_in at = *in;
    const struct px_type *type = px_type_info((pmix_data_type_t) px_take_bounded(&at, UINT16_MAX));

    if (type && type->where == PX_INLINE &&
        (type->form == PX_WIRE_FORM_STRING || type->form == PX_WIRE_FORM_BYTES)) {
        ret->owns = PX_VIEW_NOTHING;
        view_bytes(&at, type, &ret->value);
        *in = at;
        return;
    }
    if (type && type->type == PMIX_DATA_ARRAY && px_take_bounded(&at, UINT16_MAX) == PMIX_STRING) {
        view_strings(&at, ret);
        *in = at;
        return;
    }
    ret->owns = type && type->form > PX_WIRE_FORM_REAL ? PX_VIEW_VALUE : PX_VIEW_NOTHING;
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

void px_view_free(pmix_value_t *value, enum px_view_owns owns)
{
    if (owns == PX_VIEW_BLOCK) {
        free(value->data.darray);
    } else if (owns == PX_VIEW_VALUE) {
        PMIx_Value_destruct(value);
    }
}
