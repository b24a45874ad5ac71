/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Lists of infos that grow. */

#include "inside.h"

#include <stdlib.h>
#include <string.h>

/* There is room up to the next power of two. */
static pmix_info_t *grow(struct infos *list)
{
    if ((list->n & (list->n - 1)) == 0) {
        list->at = realloc(list->at, (list->n == 0 ? 1 : 2 * list->n) * sizeof(*list->at));
    }
    if (list->at == NULL) {
        abort();
    }
    memset(&list->at[list->n], 0, sizeof(*list->at));
    return &list->at[list->n++];
}

void add(struct infos *list, const char *key, const void *value, pmix_data_type_t type)
{
    PMIX_INFO_LOAD(grow(list), key, value, type);
}

void add_u32(struct infos *list, const char *key, uint32_t value)
{
    add(list, key, &value, PMIX_UINT32);
}

void add_text(struct infos *list, const char *key, const char *value)
{
    add(list, key, value, PMIX_STRING);
}

void add_procs(struct infos *list, const char *key, const pmix_proc_t *procs, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) procs};

    add(list, key, &array, PMIX_DATA_ARRAY);
}

void add_true(struct infos *list, const char *key)
{
    bool yes = true;

    add(list, key, &yes, PMIX_BOOL);
}

void add_required(struct infos *list, const char *key, const void *value, pmix_data_type_t type)
{
    add(list, key, value, type);
    PMIX_INFO_REQUIRED(&list->at[list->n - 1]);
}

void add_array(struct infos *list, const char *key, struct infos *inner)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_info_t *info = grow(list);

    if (array == NULL) {
        abort();
    }
    *array = (pmix_data_array_t){.type = PMIX_INFO, .size = inner->n, .array = inner->at};
    PMIX_LOAD_KEY(info->key, key);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
    *inner = (struct infos){0};
}

void drop(struct infos *list, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (PMIX_CHECK_KEY(&list->at[i], key)) {
            PMIX_INFO_DESTRUCT(&list->at[i]);
        } else {
            list->at[kept++] = list->at[i];
        }
    }
    list->n = kept;
}

void free_infos(struct infos *list)
{
    for (size_t i = 0; i < list->n; i++) {
        PMIX_INFO_DESTRUCT(&list->at[i]);
    }
    free(list->at);
    *list = (struct infos){0};
}
