/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for infos. An array that the library creates has
 * PMIX_INFO_ARRAY_END in its last element, because programs compiled against the 4.2 headers look
 * for it. Construct and destruct are in nouns.c, the shape of an info in nested.c. */
#include <pmix.h>

#include <string.h>

#include "types.h"

/* NULL without memory and for 0 infos. */
pmix_info_t *PMIx_Info_create(size_t n)
{
    pmix_info_t *infos = px_type_create(px_type_info(PMIX_INFO), n);

    if (infos != NULL) {
        infos[n - 1].flags = PMIX_INFO_ARRAY_END;
    }
    return infos;
}

/* Frees the values that the infos own, and the array. Takes NULL. */
void PMIx_Info_free(pmix_info_t *p, size_t n)
{
    px_type_free(px_type_info(PMIX_INFO), p, n);
}

/* The key is copied before the info is cleared, so it may lie in the info itself. On failure the
 * info has a key and no value. */
pmix_status_t PMIx_Info_load(pmix_info_t *info, const char *key, const void *data,
                             pmix_data_type_t type)
{
    pmix_key_t name;

    if (info == NULL || key == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Load_key(name, key);
    memset(info, 0, sizeof(*info));
    memcpy(info->key, name, sizeof(name));
    return PMIx_Value_load(&info->value, data, type);
}

/* On failure dest is zeros, so that a caller may destruct it. The value of a persistent info is
 * shared, not copied. */
pmix_status_t PMIx_Info_xfer(pmix_info_t *dest, const pmix_info_t *src)
{
    return px_type_xfer(px_type_info(PMIX_INFO), dest, src);
}

/* The structure, the value with what it owns, and the characters of the key. */
pmix_status_t PMIx_Info_get_size(const pmix_info_t *val, size_t *size)
{
    size_t of_value;
    int rc;

    if (val == NULL || size == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = PMIx_Value_get_size(&val->value, &of_value);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    *size = sizeof(*val) + of_value + strnlen(val->key, PMIX_MAX_KEYLEN) + 1;
    return PMIX_SUCCESS;
}

/* A NULL info is no flag: PMIX_NON_BOOL. */
pmix_boolean_t PMIx_Info_true(const pmix_info_t *p)
{
    return PMIx_Value_true(p == NULL ? NULL : &p->value);
}

/* Defines PMIx_Info_<set> and PMIx_Info_<is> for a flag of an info. Both take NULL. */
#define PX_INFO_FLAG(set, is, flag)                                                                \
    void PMIx_Info_##set(pmix_info_t *p)                                                           \
    {                                                                                              \
        if (p != NULL) {                                                                           \
            p->flags |= flag;                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    bool PMIx_Info_##is(const pmix_info_t *p)                                                      \
    {                                                                                              \
        return p != NULL && (p->flags & flag) != 0;                                                \
    }

PX_INFO_FLAG(required, is_required, PMIX_INFO_REQD)
PX_INFO_FLAG(processed, was_processed, PMIX_INFO_REQD_PROCESSED)
PX_INFO_FLAG(persistent, is_persistent, PMIX_INFO_PERSISTENT)
PX_INFO_FLAG(qualifier, is_qualifier, PMIX_INFO_QUALIFIER)
PX_INFO_FLAG(set_end, is_end, PMIX_INFO_ARRAY_END)

/* There is no flag for an optional directive: it is one that is not required. */
void PMIx_Info_optional(pmix_info_t *p)
{
    if (p != NULL) {
        p->flags &= ~(pmix_info_directives_t) PMIX_INFO_REQD;
    }
}

/* False for NULL: there is no directive then. */
bool PMIx_Info_is_optional(const pmix_info_t *p)
{
    return p != NULL && !PMIx_Info_is_required(p);
}
