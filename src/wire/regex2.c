/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Maps as pmix_regex2_t (regex2.h). */
#include "src/wire/regex2.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/wire/compress.h"

static const char raw[] = "raw";
static const char compressed[] = "compress";

int px_regex2_make(const char *list, pmix_regex2_t *ret_map)
{
    size_t len = strlen(list);
    const char *type = compressed;
    void *bytes = NULL;
    size_t n = 0;
    char *name;
    int rc = px_deflate(list, len, &bytes, &n);

    if (rc == PMIX_ERR_NOT_SUPPORTED) {
        type = raw;
        n = len;
        bytes = strdup(list);
        rc = bytes ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    name = strdup(type);
    if (rc || !name) {
        free(bytes);
        free(name);
        return PMIX_ERR_NOMEM;
    }
    *ret_map = (pmix_regex2_t){.type = name, .bytes = bytes, .len = n};
    return PMIX_SUCCESS;
}

/* The content of a map, malloc'd, with a NUL behind it that *ret_len does not count. */
static int content(const pmix_regex2_t *map, void **ret_bytes, size_t *ret_len)
{
    char *copy;

    if (strcmp(map->type, compressed) == 0) {
        return px_inflate(map->bytes, map->len, ret_bytes, ret_len);
    }
    if (strcmp(map->type, raw) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    copy = map->len < SIZE_MAX ? malloc(map->len + 1) : NULL;
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    if (map->len) {
        memcpy(copy, map->bytes, map->len);
    }
    copy[map->len] = '\0';
    *ret_bytes = copy;
    *ret_len = map->len;
    return PMIX_SUCCESS;
}

int px_regex2_list(const pmix_regex2_t *map, char **ret_list)
{
    void *list = NULL;
    size_t len = 0;
    int rc =
        map->type && (map->bytes || !map->len) ? content(map, &list, &len) : PMIX_ERR_BAD_PARAM;

    if (!rc && strlen(list) + 1 < len) {
        free(list);
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc) {
        return rc == PMIX_ERR_UNPACK_FAILURE ? PMIX_ERR_BAD_PARAM : rc;
    }
    *ret_list = list;
    return PMIX_SUCCESS;
}
