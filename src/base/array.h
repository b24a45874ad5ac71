/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ARRAY_H
#define PX_BASE_ARRAY_H

#include <stddef.h>

/* Arrays that grow: a pointer to malloc'd items of one size, how many there are, and room for how
 * many. */

/* Makes sure that *array, which has n items of `size` bytes and room for *cap, has room for one
 * more; `array` is the address of the pointer, of whatever type. 0, or PX_ERR_NOMEM and nothing has
 * changed. */
int px_array_room(void *array, size_t n, size_t *cap, size_t size);

#endif
