/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for coordinates, which are created with room for their dimensions
 * and therefore do not fit the pattern of nouns.c. */
#include <pmix.h>

#include <stdlib.h>

#include "types.h"

/* All or nothing: NULL if memory is short for any of them. */
pmix_coord_t *PMIx_Coord_create(size_t dims, size_t number)
{
    const struct px_type *type = px_type_info(PMIX_COORD);
    pmix_coord_t *coords = px_type_create(type, number);

    for (size_t i = 0; coords != NULL && dims > 0 && i < number; i++) {
        coords[i].coord = calloc(dims, sizeof(*coords[i].coord));
        if (coords[i].coord == NULL) {
            px_type_free(type, coords, i);
            return NULL;
        }
        coords[i].dims = dims;
    }
    return coords;
}

/* Frees the dimensions of each, then the array. */
void PMIx_Coord_free(pmix_coord_t *m, size_t number)
{
    px_type_free(px_type_info(PMIX_COORD), m, number);
}
