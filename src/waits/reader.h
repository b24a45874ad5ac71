/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_READER_H
#define PX_WAITS_READER_H

/* The reader's side of the area of open waits: a copy in which every part is of one moment, and
 * which is safe to walk. The area is hostile: another process of the user may have made it. */

#include <stddef.h>

#include "area.h"

struct px_waits_copy {
    struct px_waits_area area; /* entries that are torn or damaged are free in it */
    uint64_t torn;    /* a bit for each entry that was being written, whenever it was read */
    uint64_t damaged; /* a bit for each entry that no server has written */
    int names_torn;   /* the tables were being written: names and processes may be mixed up */
};

/* Copies an area. `base` is 8-byte aligned. 0; PX_ERR_UNPACK_FAILURE: no area, or of a version that
 * is not known here; *ret is undefined then. */
int px_waits_copy(const void *base, size_t size, struct px_waits_copy *ret);

/* The name of a namespace's row: "" for 0 and for a free one. */
const char *px_waits_nspace_name(const struct px_waits_area *area, uint32_t row);

/* True if the row's bit is set. */
int px_waits_has(const uint64_t bits[PX_WAITS_BITS], uint32_t row);

#endif
