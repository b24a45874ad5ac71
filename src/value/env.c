/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Setenv: variables in the environment of the process, whose memory the C library owns, or in
 * a vector that the caller prepares for a child process. */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/env.h"

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
