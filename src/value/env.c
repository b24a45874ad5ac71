/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Setenv: variables in the environment of the process, whose memory the C library owns, or in
 * a vector that the caller prepares for a child process. */
#include <pmix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets or, for a NULL value, removes a variable of the process itself. A variable that exists and
 * is not to be overwritten is a success here, as it is for setenv(). */
static pmix_status_t set_own(const char *name, const char *value, bool overwrite)
{
    int rc = value == NULL ? unsetenv(name) : setenv(name, value, overwrite ? 1 : 0);

    return rc == 0 ? PMIX_SUCCESS : PMIX_ERR_OUT_OF_RESOURCE;
}

/* The entry of a variable in an environment, or NULL. The name has to be followed by "=", so that
 * a longer name with the same beginning does not match. */
static char **find_variable(char **env, const char *name)
{
    size_t len = strlen(name);

    for (; env != NULL && *env != NULL; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') {
            return env;
        }
    }
    return NULL;
}

/* *env is the environment of the process if it is `environ`. A NULL value removes a variable
 * there; in a vector it makes an empty one. */
pmix_status_t PMIx_Setenv(const char *name, const char *value, bool overwrite, char ***env)
{
    char **entry;
    char *text;
    pmix_status_t rc;

    if (env == NULL || name == NULL || name[0] == '\0' || strchr(name, '=') != NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (*env != NULL && *env == environ) {
        return set_own(name, value, overwrite);
    }
    entry = find_variable(*env, name);
    if (entry != NULL && !overwrite) {
        return PMIX_ERR_EXISTS;
    }
    if (asprintf(&text, "%s=%s", name, value == NULL ? "" : value) < 0) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (entry != NULL) {
        free(*entry);
        *entry = text;
        return PMIX_SUCCESS;
    }
    rc = PMIx_Argv_append_nosize(env, text);
    free(text);
    return rc;
}
