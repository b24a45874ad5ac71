/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ENV_H
#define PX_BASE_ENV_H

/* Environments of processes that are to be started, apart from that of this process: malloc'd
 * arrays of malloc'd strings "NAME=value", which NULL ends. NULL is an empty one, which only
 * px_env_put and its kin can make longer. No state; any thread. */

#include <stdbool.h>

/* A copy. NULL: memory is out. */
char **px_env_copy(char **env);
void px_env_free(char **env);

/* The value of a variable, within the environment; NULL: there is none. */
const char *px_env_get(char **env, const char *name);

/* Sets a variable, in place of an older value. 0; PX_ERR_BAD_PARAM: the name is empty, has a "=" in
 * it, or none behind it in an assignment; PX_ERR_NOMEM. The environment is unchanged after an
 * error. */
int px_env_put(char ***env, const char *assignment);
int px_env_set(char ***env, const char *name, const char *value);

/* Puts a value before or behind the one that a variable has, with a separator between them ('\0':
 * ':'); without an older one as px_env_set. Statuses as px_env_set. */
int px_env_extend(char ***env, const char *name, const char *value, char separator, bool in_front);

/* Removes a variable, if there is one. */
void px_env_unset(char **env, const char *name);

#endif
