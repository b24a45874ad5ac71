/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Growth by doubling, so that appending n items costs O(n) in total. */

#include "src/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/status.h"

/* The owner's pointer is read and written with memcpy, because its type is not known here. */
int px_array_room(void *array, size_t n, size_t *cap, size_t size)
{
    void *old;
    void *grown;
    size_t want = *cap ? *cap * 2 : 8;

    px_assert(n <= *cap && size > 0);
    if (n < *cap) {
        return PX_OK;
    }
    memcpy(&old, array, sizeof(old));
    grown = want > SIZE_MAX / size ? NULL : realloc(old, want * size);
    if (!grown) {
        return PX_ERR_NOMEM;
    }
    memcpy(array, &grown, sizeof(grown));
    *cap = want;
    return PX_OK;
}
