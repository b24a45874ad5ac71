/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_SLICE_H
#define PX_GDS_SLICE_H

/* A slice: a value found in place, borrowed from the mapping, and the ways to make a pmix_value_t
 * of it. Any thread; where the store may be unmapped meanwhile, inside a read-side critical
 * section. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "store.h"

/* A value as a reader found it. It borrows everything from the store and is valid as long as that.
 * On the reader's stack. */
struct px_slice {
    const struct px_store *store;
    const void *payload; /* docs/segment-format.md, "payload" */
    size_t len;
    uint64_t word;     /* the value itself when it came from a column or is a scalar */
    uint64_t locator;  /* identifies the record for the pointer memo; 0 for column values */
    const void *quals; /* qualifiers of the value (px_slice_quals), or NULL */
    const char *name;  /* px_store_get: of its key, borrowed like the payload */
    pmix_data_type_t type;
    pmix_scope_t scope;
    uint8_t form; /* enum px_form */
    bool inlined; /* `word` holds the value */
    bool hidden;  /* px_store_each: the key exists, but not for readers of this store */
};

/* Called by px_store_each with everything at one level and index, in no order: reserved keys and
 * put ones, qualified values too. Hidden keys have slice->hidden and type PMIX_UNDEF. A key that is
 * published meanwhile may be passed twice. Key and slice are borrowed. A result other than 0 ends
 * the enumeration, which returns it. */
typedef int (*px_each_fn)(void *arg, const char *key, const struct px_slice *slice);

/* How px_slice_give returns a value; the caller of PMIx_Get chooses by directives. */
enum px_return_mode {
    PX_RETURN_COPY,    /* *ret: a fresh value */
    PX_RETURN_FILL,    /* into **ret; what it points at is fresh */
    PX_RETURN_POINTER, /* *ret: one of px_slice_pointer */
};

/* Each of the three: 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE (damaged segment); *ret is set only
 * with 0. px_slice_fill and px_slice_value copy: the caller owns the result. */
int px_slice_fill(const struct px_slice *slice,
                  pmix_value_t *ret); /* inner memory malloc'd; scalars: none */
int px_slice_value(const struct px_slice *slice,
                   pmix_value_t **ret); /* plain malloc, PMIx_Value_free releases */

/* As px_slice_fill, but strings and bytes stay in the segment. *ret_owns: *ret has memory of its
 * own, which the caller destructs; else there is nothing to release. */
int px_slice_borrow(const struct px_slice *slice, pmix_value_t *ret, bool *ret_owns);

/* As px_slice_borrow, for a batch or a message, which takes more values as they are: one that is
 * stored encoded stays so (PX_TYPE_ENCODED), and of an array of scalars the elements stay in the
 * segment, *array being room for the rest. True: *ret is such a value, and owns nothing. exact:
 * real numbers may be encoded as segments have them. */
bool px_slice_lend(const struct px_slice *slice, bool exact, pmix_data_array_t *array,
                   pmix_value_t *ret);

/* A ready-made value whose strings and bytes point into the mapping: owned by the store, valid
 * until the store is destroyed, the same pointer each time. Pins the store. Statuses as
 * px_memo_value. */
int px_slice_pointer(const struct px_slice *slice, const pmix_value_t **ret);

/* Returns a value in one of the three modes. Statuses of the function that the mode stands for;
 * *ret is then as before. The cast away from const follows the interface: PMIx_Get returns values
 * by a plain pointer, and PMIX_GET_POINTER_VALUES forbids its caller to change or free them. */
static inline int px_slice_give(const struct px_slice *slice, enum px_return_mode mode,
                                pmix_value_t **ret)
{
    const pmix_value_t *borrowed;
    int rc;

    if (mode == PX_RETURN_COPY) {
        return px_slice_value(slice, ret);
    }
    if (mode == PX_RETURN_FILL) {
        return px_slice_fill(slice, *ret);
    }
    rc = px_slice_pointer(slice, &borrowed);
    if (rc == 0) {
        *ret = (pmix_value_t *) (uintptr_t) borrowed;
    }
    return rc;
}

/* The string where it lies, *ret_len without its NUL. NULL, *ret_len untouched: the value is no
 * string, or a NULL one. */
const char *px_slice_text(const struct px_slice *slice, size_t *ret_len);

/* Makes the qualifiers of a value: an array of *ret_n infos, which the caller frees with
 * PMIx_Info_free; NULL and 0 if there are none. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE. */
int px_slice_quals(const struct px_slice *slice, pmix_info_t **ret, size_t *ret_n);

#endif
