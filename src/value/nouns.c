/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <pmix.h>

#include <stdlib.h>

#include "types.h"

/* PMIx_<noun>_construct, _destruct, _create and _free for every noun of nouns.def: the table of
 * types knows what each of them owns. All take NULL. Coordinates and infos are made differently:
 * coord.c, info.c. */

/* One scalar, string or bytes, which most reads hand out, is released as fast as it was made. */
static inline bool free_read(pmix_value_t *v)
{
    if (v->type < PX_VALUE_TYPES && px_type_bare[v->type]) {
        free(v); /* too small for a system call, so errno is kept */
        return true;
    }
    if (v->type == PMIX_STRING) {
        px_value_free_with(v, v->data.string);
        return true;
    }
    if (v->type == PMIX_BYTE_OBJECT) {
        px_value_free_with(v, v->data.bo.bytes);
        return true;
    }
    return false;
}

static inline void free_many(pmix_data_type_t type, void *elements, size_t n)
{
    if (type != PMIX_VALUE || n != 1 || elements == NULL || !free_read(elements)) {
        px_type_free(px_type_info(type), elements, n);
    }
}

#define PX_NOUN(noun, ctype, type)                    \
    void PMIx_##noun##_construct(ctype *p)            \
    {                                                 \
        if (p != NULL) {                              \
            px_type_construct(px_type_info(type), p); \
        }                                             \
    }                                                 \
                                                      \
    void PMIx_##noun##_destruct(ctype *p)             \
    {                                                 \
        if (p != NULL) {                              \
            px_type_fini(px_type_info(type), p);      \
        }                                             \
    }                                                 \
                                                      \
    ctype *PMIx_##noun##_create(size_t n)             \
    {                                                 \
        return px_type_create(px_type_info(type), n); \
    }                                                 \
                                                      \
    void PMIx_##noun##_free(ctype *p, size_t n)       \
    {                                                 \
        free_many(type, p, n);                        \
    }

#include "nouns.def"
