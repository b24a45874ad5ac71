/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for data arrays of any type. What an array owns is known to
 * arrays.c. */
#include <pmix.h>

#include <stdlib.h>

#include "types.h"

/* Sets an empty array without looking at what was there. */
void PMIx_Data_array_init(pmix_data_array_t *p, pmix_data_type_t type)
{
    if (p != NULL) {
        p->type = type;
        p->size = 0;
        p->array = NULL;
    }
}

/* An array of infos gets the end mark of PMIx_Info_create. Without memory, and for an unknown
 * type, the size is 0. */
void PMIx_Data_array_construct(pmix_data_array_t *p, size_t num, pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);

    PMIx_Data_array_init(p, type);
    if (p == NULL || info == NULL || num == 0) {
        return;
    }
    p->array = type == PMIX_INFO ? PMIx_Info_create(num) : px_type_create(info, num);
    p->size = p->array == NULL ? 0 : num;
}

/* For an unknown type the result is an empty array; NULL means no memory. */
pmix_data_array_t *PMIx_Data_array_create(size_t n, pmix_data_type_t type)
{
    pmix_data_array_t *array = malloc(sizeof(*array));

    if (array == NULL) {
        return NULL;
    }
    PMIx_Data_array_construct(array, n, type);
    if (n > 0 && array->array == NULL && px_type_info(type) != NULL) {
        free(array);
        return NULL;
    }
    return array;
}

/* Releases the elements with what they own; the structure stays the caller's. */
void PMIx_Data_array_destruct(pmix_data_array_t *d)
{
    if (d != NULL) {
        px_type_fini(px_type_info(PMIX_DATA_ARRAY), d);
    }
}

/* Releases the elements with what they own, and the structure. Takes NULL. */
void PMIx_Data_array_free(pmix_data_array_t *p)
{
    px_type_free(px_type_info(PMIX_DATA_ARRAY), p, 1);
}
