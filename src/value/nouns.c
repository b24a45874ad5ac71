/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_<noun>_construct, _destruct, _create and _free for every structure of nouns.def; the table
 * of types knows what each of them owns. All of them take NULL. Coordinates and infos are created
 * differently: records.c, info.c. */
#include <pmix.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

/* Releases a string or a byte object, both of which own one piece of memory; free() is faster than
 * the way by the table. Not inline, to keep the path for scalars short. */
static __attribute__((noinline)) void free_bytes(pmix_value_t *v)
{
    int saved = errno;

    free(v->type == PMIX_STRING ? v->data.string : v->data.bo.bytes);
    free(v);
    errno = saved;
}

/* Releases values. The fast path is for one value of a type that most gets return: releasing it is
 * part of the cost of a get. */
static inline void free_read(pmix_value_t *v, size_t n)
{
    size_t type = v != NULL && n == 1 ? v->type : PX_VALUE_TYPES;

    if (type < PX_VALUE_TYPES && px_type_bare[type]) {
        free(v); /* too small for a system call, so errno is kept */
    } else if (type == PMIX_STRING || type == PMIX_BYTE_OBJECT) {
        free_bytes(v);
    } else {
        px_type_free(px_type_info(PMIX_VALUE), v, n);
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

/* Releases what one structure owns. As free_many, it is short for a value that owns nothing. */
static inline void fini_one(pmix_data_type_t type, void *element)
{
    if (type == PMIX_VALUE && px_value_is_bare(element)) {
        memset(element, 0, sizeof(pmix_value_t));
    } else {
        px_type_fini(px_type_info(type), element);
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
            fini_one(type, p);                                                                     \
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
