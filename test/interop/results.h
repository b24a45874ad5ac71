/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef TEST_INTEROP_RESULTS_H
#define TEST_INTEROP_RESULTS_H

#include <pmix.h>
#include <stdbool.h>
#include <string.h>

/* True if the results of a query have a text of that key. By the release of the headers they are
 * the values, or arrays of them behind what was asked (PMIX_QUERY_RESULTS). */
static inline bool has_text(const pmix_info_t *infos, size_t n, const char *key, const char *want)
{
    for (size_t i = 0; i < n; i++) {
        const pmix_value_t *value = &infos[i].value;

        if (value->type == PMIX_STRING && PMIX_CHECK_KEY(&infos[i], key) && value->data.string &&
            !strcmp(value->data.string, want)) {
            return true;
        }
        if (value->type == PMIX_DATA_ARRAY && value->data.darray &&
            value->data.darray->type == PMIX_INFO &&
            has_text(value->data.darray->array, value->data.darray->size, key, want)) {
            return true;
        }
    }
    return false;
}

#endif
