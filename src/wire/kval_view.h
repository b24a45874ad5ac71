/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_KVAL_VIEW_H
#define PX_WIRE_KVAL_VIEW_H

/* Reading key-value pairs in place. */

#include <stddef.h>

#include <pmix.h>

struct px_in;

/* How a value that was read in place is freed (px_view_free). */
enum px_view_owns {
    PX_VIEW_NOTHING,
    PX_VIEW_VALUE, /* PMIx_Value_destruct; there may be nothing to be freed */
    PX_N_VIEW_OWNS
};

/* One key-value pair (KVAL) read in place by px_unpack_kval_view, which accepts exactly what
 * px_unpack_kval accepts. The key is borrowed from the input, and so are the characters of a
 * string, the bytes of a byte object, and an array of strings or processes, which was checked and
 * stays encoded (PX_TYPE_ENCODED). Any other value is made as px_unpack_kval makes it. The caller
 * releases it with px_view_free. */
struct px_kval_view {
    const char *key; /* never NULL */
    size_t key_len;
    pmix_value_t value;
    enum px_view_owns owns;
};

/* One unpack operation of exactly one KVAL; what of it is borrowed is valid as long as the input.
 * Statuses of px_unpack_one; on failure *ret is unset. */
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret);

/* Frees what a value owns that was read in place. */
void px_view_free(pmix_value_t *value, enum px_view_owns owns);

#endif
