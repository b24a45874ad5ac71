/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_MEMO_H
#define PX_GDS_MEMO_H

/* Ready-made values for readers that ask for pointers (PMIX_GET_POINTER_VALUES), one memo per store
 * and process. A value is identified by its locator or, if it has no cell, by its word and type.
 * Entries live as long as the memo, so pointers stay valid. Any number of threads, no lock. */

#include "gds/store.h"

struct px_memo;
struct px_reader;
struct px_slice;
struct px_thread_cache;

/* An empty memo; the store owns it. px_memo_destroy frees all values in it: no thread may use it or
 * a pointer from it any more. */
struct px_memo *px_memo_create(void);       /* NULL when memory is out */
void px_memo_destroy(struct px_memo *memo); /* takes NULL; no other thread uses it any more */

/* The value of a slice, the same pointer each time; owned by the memo. Its strings and bytes point
 * into the segment. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE (damaged). */
int px_memo_value(struct px_memo *memo, const struct px_slice *slice, const pmix_value_t **ret);

/* For gds/thread_cache.h: makes the array of a thread that has none, which stays for the next
 * thread with the same number and is freed with the store. NULL: no memory, or a thread without a
 * number. */
struct px_thread_cache *px_memo_thread_cache(const struct px_store *store,
                                             const struct px_reader *reader);

#endif
