/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_<noun>_construct, _destruct, _create and _free for every structure of nouns.def; the table
 * of types knows what each of them owns. All of them take NULL. Coordinates and infos are created
 * differently: coord.c, info.c. */
#include <pmix.h>

#include <stdlib.h>

#include "types.h"

/* Releases values of any type; faster for one string or byte object. Not inline, to keep the path
 * for scalars short. */
static __attribute__((noinline)) void free_value(pmix_value_t *v, size_t n)
{
    if (v != NULL && n == 1 && v->type == PMIX_STRING) {
        px_value_free_with(v, v->data.string);
    } else if (v != NULL && n == 1 && v->type == PMIX_BYTE_OBJECT) {
        px_value_free_with(v, v->data.bo.bytes);
    } else {
        px_type_free(px_type_info(PMIX_VALUE), v, n);
    }
}

/* Releases values. The fast path is for one value that owns nothing, which is what most gets
 * return: releasing it is part of the cost of a get. */
static inline void free_read(pmix_value_t *v, size_t n)
{
    size_t type = v != NULL && n == 1 ? v->type : PX_VALUE_TYPES;

    if (type < PX_VALUE_TYPES && px_type_bare[type]) {
        free(v); /* too small for a system call, so errno is kept */
    } else {
        free_value(v, n);
    }
}

/* Selects the fast path for values. type is a constant, so the compiler drops the test. */
static inline void free_many(pmix_data_type_t type, void *elements, size_t n)
{
    if (type == PMIX_VALUE) {
        free_read(elements, n);
    } else {
        px_type_free(px_type_info(type), elements, n);
    }
}

/* Defines construct and destruct of a structure. The structure itself is the caller's; destruct
 * leaves it empty of memory. */
#define PX_LIFE(noun, ctype, type)                                                                 \
    void PMIx_##noun##_construct(ctype *p)                                                         \
    {                                                                                              \
        if (p != NULL) {                                                                           \
            px_type_construct(px_type_info(type), p);                                              \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void PMIx_##noun##_destruct(ctype *p)                                                          \
    {                                                                                              \
        if (p != NULL) {                                                                           \
            px_type_fini(px_type_info(type), p);                                                   \
        }                                                                                          \
    }

/* Defines all four functions. create makes n constructed structures in one piece of malloc memory,
 * and free releases them with what they own. */
#define PX_NOUN(noun, ctype, type)                                                                 \
    PX_LIFE(noun, ctype, type)                                                                     \
                                                                                                   \
    ctype *PMIx_##noun##_create(size_t n)                                                          \
    {                                                                                              \
        return px_type_create(px_type_info(type), n);                                              \
    }                                                                                              \
                                                                                                   \
    void PMIx_##noun##_free(ctype *p, size_t n)                                                    \
    {                                                                                              \
        free_many(type, p, n);                                                                     \
    }

#include "nouns.def"
PX_LIFE(Coord, pmix_coord_t, PMIX_COORD)
PX_LIFE(Info, pmix_info_t, PMIX_INFO)
