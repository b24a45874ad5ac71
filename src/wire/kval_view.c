/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Unpacking pairs without copies. A fence with data delivers up to a million small values at once,
 * so keys, strings and bytes are used where they lie in the message. The checks are the same as in
 * unpack.c. */

#include "kval_view.h"

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

/* Passes over the n elements of an array, with the checks and limits of one that is made: many
 * strings would take their time to be allocated, copied and freed, each by itself, and many
 * processes have much more memory than bytes. */
static void past_elements(struct px_in *in, pmix_data_type_t type, size_t n)
{
    size_t size = type == PMIX_PROC ? sizeof(pmix_proc_t) : sizeof(char *);

    if (px_unpack_room(in, n, size) || px_unpack_count(in, type, n)) {
        return;
    }
    if (type == PMIX_PROC) {
        px_unpack_past_procs(in, n);
        return;
    }
    for (size_t i = 0; i < n && in->status == 0; i++) {
        (void) px_take_chars(in, &size);
    }
}

/* Reads an array that stays encoded, if the value is one with elements of such a type. False:
 * nothing was read. */
static bool view_array(struct px_in *in, pmix_value_t *ret)
{
    struct px_in at = *in;
    uint64_t outer = px_take_flex(&at);
    uint64_t type = px_take_flex(&at);
    size_t n = (size_t) px_take_bounded(&at, SIZE_MAX);

    if (outer != PMIX_DATA_ARRAY || (type != PMIX_STRING && type != PMIX_PROC) || n == 0 ||
        at.status) {
        return false;
    }
    past_elements(&at, (pmix_data_type_t) type, n);
    *ret = (pmix_value_t){.type = PX_TYPE_ENCODED,
                          .data.bo = {(char *) (uintptr_t) in->at, (size_t) (at.at - in->at)}};
    *in = at;
    return true;
}

/* Reads the value of a KVAL: borrowed if it is a string, bytes, or an array of strings or
 * processes, otherwise as px_unpack_raw makes it. */
static void view_value(struct px_in *in, struct px_kval_view *ret)
{
    struct px_in at = *in;
    const struct px_type *type = px_type_info((pmix_data_type_t) px_take_bounded(&at, UINT16_MAX));

    ret->owns = PX_VIEW_NOTHING;
    if (type && type->where == PX_INLINE &&
        (type->form == PX_WIRE_FORM_STRING || type->form == PX_WIRE_FORM_BYTES)) {
        view_bytes(&at, type, &ret->value);
        *in = at;
        return;
    }
    if (view_array(in, &ret->value)) {
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
    if (owns == PX_VIEW_VALUE) {
        PMIx_Value_destruct(value);
    }
}
