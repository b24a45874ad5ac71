/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Environments of processes to be started, apart from our own. */

#include <stdlib.h>
#include <string.h>

#include "run.h"

static size_t count(char **env)
{
    size_t n = 0;

    while (env != NULL && env[n] != NULL) {
        n++;
    }
    return n;
}

void px_run_env_free(char **env)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        free(env[i]);
    }
    free(env);
}

char **px_run_env_copy(char **env)
{
    size_t n = count(env);
    char **copy = calloc(n + 1, sizeof(*copy));

    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = strdup(env[i]);
        if (copy[i] == NULL) {
            px_run_env_free(copy);
            return NULL;
        }
    }
    return copy;
}

static char **find_variable(char **env, const char *name, size_t len)
{
    for (char **e = env; e != NULL && *e != NULL; e++) {
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=') {
            return e;
        }
    }
    return NULL;
}

const char *px_run_env_get(char **env, const char *name)
{
    char **e = find_variable(env, name, strlen(name));

    return e != NULL ? *e + strlen(name) + 1 : NULL;
}

int px_run_env_put(char ***env, const char *assignment)
{
    const char *equal = strchr(assignment, '=');
    if (equal == NULL || equal == assignment) {
        return PMIX_ERR_BAD_PARAM;
    }
    char *copy = strdup(assignment);
    if (copy == NULL) {
        return PMIX_ERR_NOMEM;
    }
    char **e = find_variable(*env, assignment, (size_t) (equal - assignment));
    if (e != NULL) {
        free(*e);
        *e = copy;
        return 0;
    }
    size_t n = count(*env);
    char **grown = realloc(*env, (n + 2) * sizeof(*grown));
    if (grown == NULL) {
        free(copy);
        return PMIX_ERR_NOMEM;
    }
    grown[n] = copy;
    grown[n + 1] = NULL;
    *env = grown;
    return 0;
}

int px_run_env_set(char ***env, const char *name, const char *value)
{
    char *assignment;

    if (asprintf(&assignment, "%s=%s", name, value) < 0) {
        return PMIX_ERR_NOMEM;
    }
    int rc = px_run_env_put(env, assignment);
    free(assignment);
    return rc;
}

void px_run_env_unset(char **env, const char *name)
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
