/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collects the values of a process from stores. The infos own their values until they are taken. */

#include "proc_infos.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "src/base/array.h"
#include "src/value/nested.h"
#include "src/wire/compress.h"

/* Appends an info. Takes over the value, also on failure. 0 or PMIX_ERR_NOMEM. */
static int append(struct px_proc_infos *infos, const char *key, pmix_value_t *value)
{
    int rc = px_array_room(&infos->infos, infos->n, &infos->room, sizeof(*infos->infos));
    pmix_info_t *info;

    if (rc != 0) {
        PMIx_Value_destruct(value);
        return PMIX_ERR_NOMEM;
    }
    info = &infos->infos[infos->n];
    memset(info, 0, sizeof(*info));
    memcpy(info->key, key, strnlen(key, PMIX_MAX_KEYLEN));
    info->value = *value;
    infos->n++;
    return 0;
}

/* True if a value of the key was appended. */
static bool has_key(const struct px_proc_infos *infos, const char *key)
{
    return px_map_find(&infos->keys, key, strlen(key)) != NULL;
}

/* Appends a value of a key that is new, and notes the key. Takes over the value. 0 or
 * PMIX_ERR_NOMEM. */
static int append_new(struct px_proc_infos *infos, const char *key, pmix_value_t *value)
{
    int rc = append(infos, key, value);

    return rc == 0 ? px_map_set(&infos->keys, key, strlen(key), infos) : rc;
}

/* Appends a value of a store, unless its scope hides it, it is deleted, it is one of the library's
 * own keys, or its key is there. For px_store_each: 0 goes on, an error stops. */
static int collect(void *arg, const char *key, const struct px_slice *slice)
{
    struct px_proc_infos *infos = arg;
    pmix_value_t value;
    int rc;

    if (slice->hidden || slice->type == PMIX_UNDEF || strncmp(key, "shmix.", 6) == 0 ||
        (slice->quals == NULL &&
         (has_key(infos, key) || (infos->wanted != NULL && !infos->wanted(infos->arg, key))))) {
        return 0;
    }
    rc = slice->quals != NULL ? px_kval_fold(key, slice, &value) : px_slice_fill(slice, &value);
    if (rc != 0) {
        return rc;
    }
    rc = px_inflate_value(&value);
    if (rc != 0) {
        PMIx_Value_destruct(&value);
        return rc;
    }
    return slice->quals != NULL ? append(infos, PMIX_QUALIFIED_VALUE, &value)
                                : append_new(infos, key, &value);
}

int px_proc_infos_add_store(struct px_proc_infos *infos, const struct px_store *store,
                            pmix_rank_t rank)
{
    return px_store_each(store, PX_LEVEL_PROC, rank, collect, infos);
}

int px_proc_infos_add(struct px_proc_infos *infos, const char *key, const pmix_value_t *value)
{
    pmix_value_t copy;
    int rc;

    if (has_key(infos, key)) {
        return 0;
    }
    rc = px_value_keep(&copy, value);
    return rc == 0 ? append_new(infos, key, &copy) : rc;
}

int px_proc_infos_take(struct px_proc_infos *infos, pmix_value_t **ret)
{
    pmix_value_t *value;
    pmix_data_array_t *array;

    if (infos->n == 0) {
        return PMIX_ERR_NOT_FOUND;
    }
    value = PMIx_Value_create(1);
    array = value != NULL ? calloc(1, sizeof(*array)) : NULL;
    if (array == NULL) {
        PMIx_Value_free(value, value != NULL);
        return PMIX_ERR_NOMEM;
    }
    *array = (pmix_data_array_t){.type = PMIX_INFO, .size = infos->n, .array = infos->infos};
    value->type = PMIX_DATA_ARRAY;
    value->data.darray = array;
    infos->infos = NULL;
    infos->n = 0;
    infos->room = 0;
    *ret = value;
    return 0;
}

void px_proc_infos_fini(struct px_proc_infos *infos)
{
    for (size_t i = 0; i < infos->n; i++) {
        PMIx_Value_destruct(&infos->infos[i].value);
    }
    free(infos->infos);
    px_map_fini(&infos->keys);
    *infos = (struct px_proc_infos){0};
}
