/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_MEMO_H
#define PX_GDS_MEMO_H

#include "gds/store.h"

struct px_memo;
struct px_slice;

/* Ready-made values for pointer readers, process-private: found by where the value is in the
 * segment, or for values of columns by what it is. Entries live as long as the memo. Any number of
 * threads, no lock. */

struct px_memo *px_memo_create(void);       /* NULL when memory is out */
void px_memo_destroy(struct px_memo *memo); /* takes NULL; no other thread uses it any more */

/* The value of a slice, the same pointer each time; its strings and bytes aim into the segment. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE. */
int px_memo_value(struct px_memo *memo, const struct px_slice *slice, const pmix_value_t **ret);

#endif
