/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* From a value found in a segment to what PMIx_Get returns: a value filled in place, a fresh one,
 * or a borrowed one. The payload has passed the checks of its form (gds/payload.c), so lengths are
 * believed here; only encoded values are parsed again. Any thread. */

#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "gds/memo.h"
#include "gds/payload.h"
#include "gds/state.h"
#include "src/wire/codec.h"
#include "src/wire/take.h"
#include "src/wire/unpack.h"

/* A malloc'd copy of the bytes; *ret is NULL for no bytes. PMIX_ERR_NOMEM. */
static inline int copy_bytes(const void *bytes, size_t len, void **ret)
{
    void *copy = NULL;

    if (len) {
        copy = malloc(len);
        if (!copy) {
            return PMIX_ERR_NOMEM;
        }
        memcpy(copy, bytes, len);
    }
    *ret = copy;
    return 0;
}

/* True for a string, which is one piece of memory. */
static bool is_string(const struct px_slice *slice)
{
    return slice->form == PX_FORM_TEXT && slice->type == PMIX_STRING;
}

/* A namespace; length 0 is the NULL pointer. One that is too long for pmix_nspace_t is cut; its
 * last byte stays NUL. PMIX_ERR_NOMEM. */
static int fill_nspace(const struct px_slice *slice, pmix_value_t *value)
{
    if (slice->len == 0) {
        return 0;
    }
    value->data.nspace = calloc(1, sizeof(*value->data.nspace));
    if (!value->data.nspace) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(value->data.nspace, slice->payload,
           slice->len < sizeof(*value->data.nspace) ? slice->len : sizeof(*value->data.nspace) - 1);
    return 0;
}

/* A process; length 0 is the NULL pointer. The namespace ends with NUL. PMIX_ERR_NOMEM;
 * PMIX_ERR_UNPACK_FAILURE if it is too long. */
static int fill_proc(const struct px_slice *slice, pmix_value_t *value)
{
    size_t len = slice->len - 4;
    pmix_proc_t *proc;

    if (slice->len == 0) {
        return 0;
    }
    if (len > sizeof(proc->nspace)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    proc = calloc(1, sizeof(*proc));
    if (!proc) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(&proc->rank, slice->payload, 4);
    memcpy(proc->nspace, (const char *) slice->payload + 4, len);
    value->data.proc = proc;
    return 0;
}

/* A data array of scalars with fresh elements; length 0 is the NULL pointer. The length was checked
 * against n and width with the form. PMIX_ERR_NOMEM. */
static int fill_array(const struct px_slice *slice, pmix_value_t *value)
{
    struct px_array head;
    pmix_data_array_t *array;
    int rc;

    if (slice->len < sizeof(head)) {
        return 0;
    }
    memcpy(&head, slice->payload, sizeof(head));
    array = calloc(1, sizeof(*array));
    if (!array) {
        return PMIX_ERR_NOMEM;
    }
    array->type = head.type;
    array->size = head.n;
    rc = copy_bytes((const char *) slice->payload + sizeof(head), head.n * head.width,
                    &array->array);
    if (rc) {
        free(array);
        return rc;
    }
    value->data.darray = array;
    return 0;
}

/* Decodes a value that was stored encoded, with exact floats. The bytes may be damaged: the decoder
 * checks them. PMIX_ERR_NOMEM; PMIX_ERR_UNPACK_FAILURE also if it has another type than its cell
 * says. */
static int fill_encoded(const struct px_slice *slice, pmix_value_t *value)
{
    struct px_in in = px_in_make(slice->payload, slice->len, PX_WIRE_PLAIN);
    int rc;

    /* Segments hold floats as their bits, not as the text of the wire. */
    in.exact = true;
    rc = px_unpack_raw(&in, PMIX_VALUE, value);
    if (rc) {
        return rc == PMIX_ERR_NOMEM ? rc : PMIX_ERR_UNPACK_FAILURE;
    }
    if (value->type != slice->type) {
        PMIx_Value_destruct(value);
        return PMIX_ERR_UNPACK_FAILURE;
    }
    return 0;
}

/* Fills the data of a value that is no scalar, text or bytes; its type is set already and its
 * data are zero. PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE (damaged, or an unknown form). */
static __attribute__((noinline)) int fill_other(const struct px_slice *slice, pmix_value_t *value)
{
    int64_t parts[2];

    switch (slice->form) {
    case PX_FORM_NONE:
        return 0;
    case PX_FORM_CODEC:
        return fill_encoded(slice, value);
    case PX_FORM_PROC:
        return fill_proc(slice, value);
    case PX_FORM_TIMEVAL:
        memcpy(parts, slice->payload, sizeof(parts));
        value->data.tv.tv_sec = (time_t) parts[0];
        value->data.tv.tv_usec = (suseconds_t) parts[1];
        return 0;
    case PX_FORM_ARRAY:
        return fill_array(slice, value);
    default:
        return PMIX_ERR_UNPACK_FAILURE;
    }
}

/* Fills uninitialised memory with a fresh value of any form. After a failure its contents are
 * undefined and own nothing. Form and type, which have just been stored one by one, are not
 * compared as in is_string: the compiler would load both at once, which waits for the stores. */
static inline int fill(const struct px_slice *slice, pmix_value_t *value)
{
    bool text = slice->form == PX_FORM_TEXT;
    void *copy;
    int rc;

    if (slice->inlined) {
        px_word_value(slice->type, slice->word, value);
        return 0;
    }
    *value = (pmix_value_t){.type = slice->type};
    if (!text && slice->form != PX_FORM_BYTES) {
        return fill_other(slice, value);
    }
    if (text && slice->type != PMIX_STRING) {
        return fill_nspace(slice, value);
    }
    rc = copy_bytes(slice->payload, slice->len, &copy);
    if (rc == 0 && text) {
        value->data.string = copy;
    } else if (rc == 0) {
        value->data.bo = (pmix_byte_object_t){.bytes = copy, .size = slice->len};
    }
    return rc;
}

/* Goes through a local value, so that *ret stays as it was after a failure. */
int px_slice_fill(const struct px_slice *slice, pmix_value_t *ret)
{
    pmix_value_t value;
    int rc = fill(slice, &value);

    if (rc == 0) {
        *ret = value;
    }
    return rc;
}

/* Only strings and byte payloads can be borrowed in a pmix_value_t; other types get memory of their
 * own, but for scalars, which need none. */
int px_slice_borrow(const struct px_slice *slice, pmix_value_t *ret, bool *ret_owns)
{
    bool text = is_string(slice);
    void *bytes = slice->len ? (void *) (uintptr_t) slice->payload : NULL;

    *ret_owns = false;
    if (!text && slice->form != PX_FORM_BYTES) {
        int rc = px_slice_fill(slice, ret);

        *ret_owns = rc == 0 && !slice->inlined;
        return rc;
    }
    *ret = (pmix_value_t){.type = slice->type};
    if (text) {
        ret->data.string = bytes;
    } else {
        ret->data.bo.bytes = bytes;
        ret->data.bo.size = slice->len;
    }
    return 0;
}

/* True if an encoded value has no real numbers in it: an array of strings or processes. */
static bool is_plain(const struct px_slice *slice)
{
    struct px_in in = px_in_make(slice->payload, slice->len, PX_WIRE_PLAIN);
    uint64_t outer = px_take_flex(&in);
    uint64_t type = px_take_flex(&in);

    return outer == PMIX_DATA_ARRAY && (type == PMIX_STRING || type == PMIX_PROC);
}

/* The head of an array, as it lies there, was checked with the form. */
bool px_slice_lend(const struct px_slice *slice, bool exact, pmix_data_array_t *array,
                   pmix_value_t *ret)
{
    char *bytes = (char *) (uintptr_t) slice->payload;
    struct px_array head;

    if (slice->form == PX_FORM_CODEC && (exact || is_plain(slice))) {
        *ret = (pmix_value_t){.type = PX_TYPE_ENCODED, .data.bo = {bytes, slice->len}};
        return true;
    }
    if (slice->form != PX_FORM_ARRAY || slice->len <= sizeof(head)) {
        return false;
    }
    memcpy(&head, bytes, sizeof(head));
    *array = (pmix_data_array_t){head.type, head.n, bytes + sizeof(head)};
    *ret = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = array};
    return true;
}

/* malloc, because PMIx_Value_free and old applications release the value with free. The value is
 * filled where it will stay. */
int px_slice_value(const struct px_slice *slice, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof(*value));
    int rc;

    if (!value) {
        return PMIX_ERR_NOMEM;
    }
    rc = fill(slice, value);
    if (rc) {
        free(value);
        return rc;
    }
    *ret = value;
    return 0;
}

/* The store is pinned before the pointer exists; the store of a word that is set already is left
 * out, because the cache line is shared by all readers. */
int px_slice_pointer(const struct px_slice *slice, const pmix_value_t **ret)
{
    struct px_store *store = (struct px_store *) (uintptr_t) slice->store;

    if (px_load_relaxed(&store->pinned) == 0) {
        px_store_release(&store->pinned, 1); /* pairs with px_store_is_pinned */
    }
    return px_memo_value(store->memo, slice, ret);
}

/* The NUL behind the string was checked with the form. */
const char *px_slice_text(const struct px_slice *slice, size_t *ret_len)
{
    if (!is_string(slice) || slice->len == 0) {
        return NULL;
    }
    *ret_len = slice->len - 1;
    return slice->payload;
}

/* The count is compared with the bytes before memory is taken for it: each qualifier takes at least
 * one. All qualifiers are decoded or none is returned. */
int px_slice_quals(const struct px_slice *slice, pmix_info_t **ret, size_t *ret_n)
{
    const struct px_quals *quals = slice->quals;
    pmix_info_t *infos;
    struct px_in in;
    size_t i;

    if (!quals || quals->n == 0) {
        *ret = NULL;
        *ret_n = 0;
        return 0;
    }
    in = px_in_make(quals->infos, quals->len, PX_WIRE_PLAIN);
    in.exact = true;
    if (quals->n > quals->len) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    infos = PMIx_Info_create(quals->n);
    if (!infos) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < quals->n; i++) {
        if (px_unpack_raw(&in, PMIX_INFO, &infos[i])) {
            PMIx_Info_free(infos, quals->n);
            return PMIX_ERR_UNPACK_FAILURE;
        }
    }
    *ret = infos;
    *ret_n = quals->n;
    return 0;
}
