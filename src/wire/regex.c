/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "regex.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char BLOB[] = "blob";

/* Steps over a NUL-terminated word that begins with `word`; *ret_rest is what follows it. */
static int step_word(const char **at, size_t *left, const char *word, const char **ret_rest)
{
    const char *end = memchr(*at, 0, *left);
    size_t len = strlen(word);

    if (!end) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    if (strncmp(*at, word, len) != 0) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret_rest = *at + len;
    *left -= (size_t) (end + 1 - *at);
    *at = end + 1;
    return PMIX_SUCCESS;
}

/* The head of a blob: three words; the sizes of head and body. */
static int blob_head(const char *regex, size_t limit, size_t *ret_head, size_t *ret_body)
{
    const char *at = regex;
    const char *rest = NULL;
    char *stop;
    size_t left = limit;
    unsigned long long size;
    int rc = step_word(&at, &left, BLOB, &rest);

    if (rc == PMIX_SUCCESS) {
        rc = step_word(&at, &left, "component=", &rest);
    }
    if (rc == PMIX_SUCCESS) {
        rc = step_word(&at, &left, "size=", &rest);
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    size = strtoull(rest, &stop, 10);
    if (*rest < '0' || *rest > '9' || (*stop != '\0' && strcmp(stop, ":") != 0)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (size > left) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret_head = (size_t) (at - regex);
    *ret_body = (size_t) size;
    return PMIX_SUCCESS;
}

static bool is_blob(const char *regex, size_t limit)
{
    return limit > strlen(BLOB) && strncmp(regex, BLOB, strlen(BLOB)) == 0 &&
           (regex[4] == '\0' || regex[4] == ':');
}

int px_regex_length(const char *regex, size_t limit, size_t *ret_len)
{
    size_t head;
    size_t body;
    int rc;

    if (limit > PTRDIFF_MAX) {
        limit = PTRDIFF_MAX; /* trusted text: anywhere before the end of memory */
    }
    if (is_blob(regex, limit)) {
        rc = blob_head(regex, limit, &head, &body);
        if (rc == PMIX_SUCCESS) {
            *ret_len = head + body;
        }
        return rc;
    }
    head = strnlen(regex, limit);
    if (head == limit) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret_len = head + 1;
    return PMIX_SUCCESS;
}
