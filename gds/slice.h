/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_SLICE_H
#define PX_GDS_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

/* A value found in place: borrowed from the mapping, valid as long as the store. */
#include "store.h"

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

/* Everything at one level and index, reserved and posted alike, qualified values too, in no order;
 * hidden keys come with slice->hidden and type PMIX_UNDEF. A key that is published meanwhile may
 * come twice. Stops when fn returns non-zero and returns that. */
typedef int (*px_each_fn)(void *arg, const char *key, const struct px_slice *slice);

/* One of the three. 0, or what is wrong; then *ret stays as it was. */
enum px_return_mode {
    PX_RETURN_COPY,    /* *ret: a fresh value */
    PX_RETURN_FILL,    /* into **ret; what it points at is fresh */
    PX_RETURN_POINTER, /* *ret: one of px_slice_pointer */
};

/* What to do with what was found. */
int px_slice_fill(const struct px_slice *slice,
                  pmix_value_t *ret); /* inner memory malloc'd; scalars: none */
int px_slice_value(const struct px_slice *slice,
                   pmix_value_t **ret); /* plain malloc, PMIx_Value_free releases */

/* As px_slice_fill, but strings and bytes stay where they are. *ret_owns: *ret has memory of its
 * own. */
int px_slice_borrow(const struct px_slice *slice, pmix_value_t *ret, bool *ret_owns);

/* A ready value whose strings and bytes aim into the mapping; owned by the store, valid until it is
 * destroyed, the same pointer each time. */
int px_slice_pointer(const struct px_slice *slice, const pmix_value_t **ret);

int px_slice_give(const struct px_slice *slice, enum px_return_mode mode, pmix_value_t **ret);

/* The bytes of a string where they lie, *ret_len without their NUL; NULL when it is none, or a NULL
 * one. */
const char *px_slice_text(const struct px_slice *slice, size_t *ret_len);

/* The qualifiers of a qualified value: *ret is NULL when there are none; free with
 * PMIx_Info_free. */
int px_slice_quals(const struct px_slice *slice, pmix_info_t **ret, size_t *ret_n);

#endif
