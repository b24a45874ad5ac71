/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ARRAY_H
#define PX_BASE_ARRAY_H

#include <stddef.h>

/* Arrays that grow. The owner keeps a pointer to malloc'd items of one size, the number of items in
 * use, and the capacity; it frees the pointer with free(). Not thread-safe. */

/* Makes room for one more item. `array` is the address of the owner's pointer, of any pointer type;
 * n is the number of items in use, *cap the capacity in items, `size` the bytes of an item. The
 * items may move. 0, or PX_ERR_NOMEM: array and *cap are unchanged. */
int px_array_room(void *array, size_t n, size_t *cap, size_t size);

#endif
