/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading and making arrays of infos. Keys are compared up to PMIX_MAX_KEYLEN, because the arrays
 * come from applications and may lack the final NUL. No state: any thread. */

#include "infos.h"
#include "nested.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/assert.h"

/* PMIx_Value_true has a third answer, "no flag at all", which counts as false here. */
bool px_value_says_true(const pmix_value_t *value)
{
    return PMIx_Value_true(value) == PMIX_BOOL_TRUE;
}

/* Real numbers are no integers here; px_directives_read accepts them by itself. */
int px_value_u32(const pmix_value_t *value, uint32_t *ret)
{
    struct px_integer n;

    if (!px_value_integer(value, &n)) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    if (n.negative || n.magnitude > UINT32_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = (uint32_t) n.magnitude;
    return PMIX_SUCCESS;
}

/* Callers use it for attributes in which an empty string means none. */
const char *px_value_text(const pmix_value_t *value)
{
    return value && value->type == PMIX_STRING && value->data.string && value->data.string[0]
               ? value->data.string
               : NULL;
}

/* An array without memory passes only if it is empty. */
bool px_value_procs(const pmix_value_t *value, struct px_procs *ret)
{
    const pmix_data_array_t *array = value->data.darray;

    if (value->type == PMIX_PROC && value->data.proc) {
        *ret = (struct px_procs){value->data.proc, 1};
        return true;
    }
    if (value->type != PMIX_DATA_ARRAY || !array || array->type != PMIX_PROC ||
        (!array->array && array->size > 0)) {
        return false;
    }
    *ret = (struct px_procs){array->array, array->size};
    return true;
}

/* --- arrays --- */

/* Linear, as are all searches here: arrays of infos are short. */
const pmix_info_t *px_infos_next(const pmix_info_t *info, size_t ninfo, const pmix_info_t *from,
                                 const char *key)
{
    px_assert(!from || (from >= info && from < info + ninfo));
    for (size_t i = from ? (size_t) (from - info) + 1 : 0; i < ninfo; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &info[i];
        }
    }
    return NULL;
}

const pmix_value_t *px_info_find(const pmix_info_t *info, size_t ninfo, const char *key)
{
    const pmix_info_t *found = px_infos_next(info, ninfo, NULL, key);

    return found ? &found->value : NULL;
}

size_t px_infos_quals(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals)
{
    size_t n = 0;

    for (size_t i = 0; i < ninfo; i++) {
        if (info[i].flags & PMIX_INFO_QUALIFIER) {
            quals[n++] = info[i];
        }
    }
    return n;
}

/* A data array of another type is refused unless it is empty. */
int px_info_open(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n)
{
    const pmix_data_array_t *array = value->data.darray;

    if (value->type != PMIX_DATA_ARRAY) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    if (!array || !array->size) {
        *ret_info = NULL;
        *ret_n = 0;
        return PMIX_SUCCESS;
    }
    if (array->type != PMIX_INFO || !array->array) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    *ret_info = array->array;
    *ret_n = array->size;
    return PMIX_SUCCESS;
}

/* Looks at all infos with the key: the flag is on if any of them is. */
bool px_infos_flag(const pmix_info_t *info, size_t ninfo, const char *key)
{
    for (size_t i = 0; i < ninfo; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0 && px_value_true(&info[i].value)) {
            return true;
        }
    }
    return false;
}

/* --- arrays that are made --- */

/* Starts from zeroed infos, so that freeing a half-made copy is safe. PMIx_Info_create marks the
 * last one, but px_info_keep overwrites the mark with the flags of the source. */
int px_infos_copy(const pmix_info_t *infos, size_t ninfo, pmix_info_t **ret)
{
    pmix_info_t *copy;

    if (!ninfo || !infos) {
        *ret = NULL;
        return PMIX_SUCCESS;
    }
    copy = PMIx_Info_create(ninfo);
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < ninfo; i++) {
        int rc = px_info_keep(&copy[i], &infos[i]);

        if (rc) {
            PMIx_Info_free(copy, ninfo);
            return rc;
        }
    }
    *ret = copy;
    return PMIX_SUCCESS;
}

/* Zeros are valid infos, with an empty key and no value. */
pmix_info_t *px_infos_room(pmix_info_t **infos, size_t n, size_t more)
{
    pmix_info_t *grown = realloc(*infos, (n + more) * sizeof(*grown));

    if (!grown) {
        return NULL;
    }
    *infos = grown;
    return memset(grown + n, 0, more * sizeof(*grown));
}

/* The info counts only if it could be loaded. */
int px_infos_append(pmix_info_t **infos, size_t *ninfo, const char *key, const void *data,
                    pmix_data_type_t type)
{
    pmix_info_t *info = px_infos_room(infos, *ninfo, 1);
    int rc = info ? PMIx_Info_load(info, key, data, type) : PMIX_ERR_NOMEM;

    *ninfo += !rc;
    return rc;
}

/* The info counts only if it could be copied. */
int px_infos_append_copy(pmix_info_t **infos, size_t *ninfo, const pmix_info_t *info)
{
    pmix_info_t *copy = px_infos_room(infos, *ninfo, 1);
    int rc = copy ? px_info_keep(copy, info) : PMIX_ERR_NOMEM;

    *ninfo += !rc;
    return rc;
}

int px_infos_append_all(pmix_info_t **infos, size_t *ninfo, const pmix_info_t *more, size_t n_more)
{
    int rc = 0;

    for (size_t i = 0; i < n_more && !rc; i++) {
        rc = px_infos_append_copy(infos, ninfo, &more[i]);
    }
    return rc;
}

int px_infos_append_take(pmix_info_t **infos, size_t *ninfo, pmix_info_t *more, size_t n_more)
{
    pmix_info_t *moved = n_more > 0 ? px_infos_room(infos, *ninfo, n_more) : NULL;

    if (n_more > 0 && !moved) {
        PMIx_Info_free(more, n_more);
        return PMIX_ERR_NOMEM;
    }
    if (n_more > 0) {
        memcpy(moved, more, n_more * sizeof(*moved));
    }
    free(more);
    *ninfo += n_more;
    return PMIX_SUCCESS;
}

/* Moves the infos that stay to the front, so their addresses change; the freed places at the end
 * are not cleared. */
int px_infos_append_array(pmix_info_t **infos, size_t *ninfo, const char *key, int rc,
                          pmix_info_t *inner, size_t n_inner)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .array = inner, .size = n_inner};

    rc = rc ? rc : px_infos_append(infos, ninfo, key, &array, PMIX_DATA_ARRAY);
    PMIx_Info_free(inner, n_inner);
    return rc;
}

void px_infos_drop(pmix_info_t *infos, size_t *ninfo, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < *ninfo; i++) {
        if (strncmp(infos[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            PMIx_Value_destruct(&infos[i].value);
        } else {
            infos[kept] = infos[i];
            kept++;
        }
    }
    *ninfo = kept;
}

/* One element more than necessary, because malloc(0) may return NULL. */
pmix_info_t *px_infos_without(const pmix_info_t *info, size_t ninfo, const char *key, size_t room,
                              size_t *ret_n)
{
    pmix_info_t *kept = malloc((ninfo + room + 1) * sizeof(*kept));
    size_t n = 0;

    for (size_t i = 0; kept && i < ninfo; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) != 0) {
            kept[n++] = info[i];
        }
    }
    *ret_n = n;
    return kept;
}
