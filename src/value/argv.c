/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Vectors of strings (PMIx_Argv_*), the form of argv, environments and lists in the interface: an
 * array that ends with NULL. The array and the strings are malloc memory and belong to the caller.
 * No state: any thread, as long as one at a time uses a vector. And PMIx_Setenv: variables in such
 * a vector, or in the environment of the process, whose memory the C library owns. */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/env.h"

/* NULL counts as an empty vector. */
int PMIx_Argv_count(char **a)
{
    int n = 0;

    while (a != NULL && a[n] != NULL) {
        n++;
    }
    return n;
}

/* Frees the strings and the vector. Takes NULL. */
void PMIx_Argv_free(char **argv)
{
    if (argv == NULL) {
        return;
    }
    for (char **arg = argv; *arg != NULL; arg++) {
        free(*arg);
    }
    free(argv);
}

/* Inserts a copy of arg at position `at` of a vector of n strings. *argv may move. On failure,
 * which is PMIX_ERR_OUT_OF_RESOURCE, it is unchanged. */
static pmix_status_t insert_copy(char ***argv, const char *arg, size_t at, size_t n)
{
    char *copy = strdup(arg);
    char **grown;

    if (copy == NULL) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    grown = realloc(*argv, (n + 2) * sizeof(*grown));
    if (grown == NULL) {
        free(copy);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    memmove(grown + at + 1, grown + at, (n - at) * sizeof(*grown));
    grown[at] = copy;
    grown[n + 1] = NULL;
    *argv = grown;
    return PMIX_SUCCESS;
}

/* Appends at the end, which is found by counting. */
pmix_status_t PMIx_Argv_append_nosize(char ***argv, const char *arg)
{
    size_t n;

    if (argv == NULL || arg == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    n = (size_t) PMIx_Argv_count(*argv);
    return insert_copy(argv, arg, n, n);
}

/* Moves all strings by one place. */
pmix_status_t PMIx_Argv_prepend_nosize(char ***argv, const char *arg)
{
    if (argv == NULL || arg == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return insert_copy(argv, arg, 0, (size_t) PMIx_Argv_count(*argv));
}

/* A string that is there already is a success. */
pmix_status_t PMIx_Argv_append_unique_nosize(char ***argv, const char *arg)
{
    if (argv == NULL || arg == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (char **have = *argv; have != NULL && *have != NULL; have++) {
        if (strcmp(*have, arg) == 0) {
            return PMIX_SUCCESS;
        }
    }
    return PMIx_Argv_append_nosize(argv, arg);
}

/* NULL for NULL, and without memory; callers tell the two apart by the argument. */
char **PMIx_Argv_copy(char **argv)
{
    size_t n = (size_t) PMIx_Argv_count(argv);
    char **copy;

    if (argv == NULL) {
        return NULL;
    }
    copy = calloc(n + 1, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = strdup(argv[i]);
        if (copy[i] == NULL) {
            PMIx_Argv_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* An empty string for NULL and for an empty vector. */
char *PMIx_Argv_join(char **argv, int delimiter)
{
    size_t len = 0;
    char *joined;
    char *at;

    for (char **arg = argv; arg != NULL && *arg != NULL; arg++) {
        len += strlen(*arg) + 1;
    }
    joined = malloc(len + 1);
    if (joined == NULL) {
        return NULL;
    }
    at = joined;
    for (char **arg = argv; arg != NULL && *arg != NULL; arg++) {
        at = stpcpy(at, *arg);
        *at++ = (char) delimiter;
    }
    joined[len == 0 ? 0 : len - 1] = '\0';
    return joined;
}

/* Returns the start of the next token of *text and its length, and moves *text behind it and its
 * delimiter. */
static const char *next_token(const char **text, int delimiter, size_t *ret_len)
{
    const char *start = *text;
    const char *end = start;

    while (*end != '\0' && *end != (char) delimiter) {
        end++;
    }
    *text = *end == '\0' ? end : end + 1;
    *ret_len = (size_t) (end - start);
    return start;
}

/* Counts the tokens first, then copies them. NULL if there is none. A delimiter at the very end is
 * not followed by an empty token. */
char **PMIx_Argv_split_inter(const char *src_string, int delimiter, bool include_empty)
{
    const char *text = src_string;
    char **argv;
    size_t n = 0;
    size_t len;

    while (text != NULL && *text != '\0') {
        (void) next_token(&text, delimiter, &len); /* only counted here */
        n += len > 0 || include_empty ? 1 : 0;
    }
    if (n == 0) {
        return NULL;
    }
    argv = calloc(n + 1, sizeof(*argv));
    text = src_string;
    for (size_t i = 0; argv != NULL && i < n;) {
        const char *token = next_token(&text, delimiter, &len);

        if (len == 0 && !include_empty) {
            continue;
        }
        argv[i] = strndup(token, len);
        if (argv[i] == NULL) {
            PMIx_Argv_free(argv);
            return NULL;
        }
        i++;
    }
    return argv;
}

/* Several delimiters in a row count as one. */
char **PMIx_Argv_split(const char *src_string, int delimiter)
{
    return PMIx_Argv_split_inter(src_string, delimiter, false);
}

/* Between two delimiters in a row there is an empty string. */
char **PMIx_Argv_split_with_empty(const char *src_string, int delimiter)
{
    return PMIx_Argv_split_inter(src_string, delimiter, true);
}

/* --- variables of an environment --- */

/* Sets or, for a NULL value, removes a variable of the process itself. A variable that exists and
 * is not to be overwritten is a success here, as it is for setenv(). */
static pmix_status_t set_own(const char *name, const char *value, bool overwrite)
{
    int rc = value == NULL ? unsetenv(name) : setenv(name, value, overwrite ? 1 : 0);

    return rc == 0 ? PMIX_SUCCESS : PMIX_ERR_OUT_OF_RESOURCE;
}

/* *env is the environment of the process if it is `environ`. A NULL value removes a variable
 * there; in a vector it makes an empty one. */
pmix_status_t PMIx_Setenv(const char *name, const char *value, bool overwrite, char ***env)
{
    if (env == NULL || name == NULL || name[0] == '\0' || strchr(name, '=') != NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (*env != NULL && *env == environ) {
        return set_own(name, value, overwrite);
    }
    if (!overwrite && px_env_get(*env, name) != NULL) {
        return PMIX_ERR_EXISTS;
    }
    return px_env_set(env, name, value == NULL ? "" : value) == 0 ? PMIX_SUCCESS
                                                                  : PMIX_ERR_OUT_OF_RESOURCE;
}
