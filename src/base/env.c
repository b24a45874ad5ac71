/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

static size_t count(char **env)
{
    size_t n = 0;

    while (env != NULL && env[n] != NULL) {
        n++;
    }
    return n;
}

void px_env_free(char **env)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        free(env[i]);
    }
    free(env);
}

char **px_env_copy(char **env)
{
    size_t n = count(env);
    char **copy = calloc(n + 1, sizeof(*copy));

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = strdup(env[i]);
        if (copy[i] == NULL) {
            px_env_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* The entry of a variable, or NULL. The name has to be followed by "=", so that a longer name with
 * the same beginning does not match. */
static char **find_variable(char **env, const char *name, size_t len)
{
    for (char **e = env; e != NULL && *e != NULL; e++) {
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=') {
            return e;
        }
    }
    return NULL;
}

const char *px_env_get(char **env, const char *name)
{
    char **e = find_variable(env, name, strlen(name));

    return e != NULL ? *e + strlen(name) + 1 : NULL;
}

/* Takes the assignment, whose name has that length. */
static int put(char ***env, char *assignment, size_t len)
{
    char **e = find_variable(*env, assignment, len);
    size_t n = count(*env);
    char **grown;

    if (e != NULL) {
        free(*e);
        *e = assignment;
        return PX_OK;
    }
    grown = realloc(*env, (n + 2) * sizeof(*grown));
    if (grown == NULL) {
        free(assignment);
        return PX_ERR_NOMEM;
    }
    grown[n] = assignment;
    grown[n + 1] = NULL;
    *env = grown;
    return PX_OK;
}

int px_env_put(char ***env, const char *assignment)
{
    const char *equal = strchr(assignment, '=');
    char *copy;

    if (equal == NULL || equal == assignment) {
        return PX_ERR_BAD_PARAM;
    }
    copy = strdup(assignment);
    return copy != NULL ? put(env, copy, (size_t) (equal - assignment)) : PX_ERR_NOMEM;
}

int px_env_set(char ***env, const char *name, const char *value)
{
    char *assignment;

    if (name[0] == '\0' || strchr(name, '=') != NULL) {
        return PX_ERR_BAD_PARAM;
    }
    if (asprintf(&assignment, "%s=%s", name, value) < 0) {
        return PX_ERR_NOMEM;
    }
    return put(env, assignment, strlen(name));
}

int px_env_extend(char ***env, const char *name, const char *value, char separator, bool in_front)
{
    const char *old = px_env_get(*env, name);
    char between = separator != '\0' ? separator : ':';
    char *joined;
    int rc;

    if (old == NULL) {
        return px_env_set(env, name, value);
    }
    if (asprintf(&joined, "%s%c%s", in_front ? value : old, between, in_front ? old : value) < 0) {
        return PX_ERR_NOMEM;
    }
    rc = px_env_set(env, name, joined);
    free(joined);
    return rc;
}

void px_env_unset(char **env, const char *name)
{
    char **e = find_variable(env, name, strlen(name));

    if (e == NULL) {
        return;
    }
    free(*e);
    for (; e[0] != NULL; e++) {
        e[0] = e[1];
    }
}
