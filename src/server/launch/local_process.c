/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* posix_spawn says why a program cannot be started, and needs nothing of this process in the child,
 * which may have any number of threads here. */

#include "local_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/server/setup.h"
#include "src/value/infos.h"

extern char **environ;

/* ---- environment */

/* True if the setting is for a launcher itself, and not for its children (Standard, chapter Tools:
 * rendezvous). */
static bool is_ours_alone(const char *setting)
{
    static const char *const names[] = {PMIX_LAUNCHER_RNDZ_URI, PMIX_LAUNCHER_RNDZ_FILE,
                                        PMIX_KEEPALIVE_PIPE};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i]);

        if (strncmp(setting, names[i], len) == 0 && setting[len] == '=') {
            return true;
        }
    }
    return false;
}

/* Adds the settings of a list to the environment. 0 or the status of PMIx_Setenv. */
static int add_all(char **list, char ***env)
{
    int rc = PMIX_SUCCESS;

    for (char **at = list; !rc && at && *at; at++) {
        const char *equals = strchr(*at, '=');
        char *name = equals ? strndup(*at, (size_t) (equals - *at)) : NULL;

        if (equals) {
            rc = name ? PMIx_Setenv(name, equals + 1, true, env) : PMIX_ERR_NOMEM;
        }
        free(name);
    }
    return rc;
}

/* The value of a variable in the environment; NULL: it is not set. */
static const char *value_of(char **env, const char *name)
{
    size_t len = strlen(name);

    for (char **at = env; at && *at; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
            return *at + len + 1;
        }
    }
    return NULL;
}

/* Puts the text before or behind what a variable holds. 0, PMIX_ERR_NOMEM. */
static int extend(const pmix_envar_t *envar, bool before, char ***env)
{
    const char *old = value_of(*env, envar->envar);
    const char separator[2] = {envar->separator ? envar->separator : ':', '\0'};
    char *text = NULL;
    int rc;

    if (!old) {
        return PMIx_Setenv(envar->envar, envar->value, true, env);
    }
    if (asprintf(&text, "%s%s%s", before ? envar->value : old, separator,
                 before ? old : envar->value) < 0) {
        return PMIX_ERR_NOMEM;
    }
    rc = PMIx_Setenv(envar->envar, text, true, env);
    free(text);
    return rc;
}

/* Takes a variable away. */
static void unset(const char *name, char **env)
{
    size_t len = strlen(name);
    char **to = env;

    for (char **at = env; at && *at; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
            free(*at);
        } else {
            *to++ = *at;
        }
    }
    if (env) {
        *to = NULL;
    }
}

static bool is(const pmix_info_t *info, const char *key)
{
    return px_info_find(info, 1, key) != NULL;
}

/* Applies one info, if it is a setting of the environment. 0, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM.
 */
static int apply(const pmix_info_t *info, char ***env)
{
    const pmix_envar_t *envar = &info->value.data.envar;
    bool adds = is(info, PMIX_ADD_ENVAR);

    if (is(info, PMIX_UNSET_ENVAR)) {
        const char *name = px_value_text(&info->value);

        if (!name) {
            return PMIX_ERR_BAD_PARAM;
        }
        unset(name, *env);
        return PMIX_SUCCESS;
    }
    if (!adds && !is(info, PMIX_SET_ENVAR) && !is(info, PMIX_PREPEND_ENVAR) &&
        !is(info, PMIX_APPEND_ENVAR)) {
        return PMIX_SUCCESS;
    }
    if (info->value.type != PMIX_ENVAR || !envar->envar || !envar->value) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (adds || is(info, PMIX_SET_ENVAR)) {
        return adds && value_of(*env, envar->envar)
                   ? PMIX_SUCCESS
                   : PMIx_Setenv(envar->envar, envar->value, true, env);
    }
    return extend(envar, is(info, PMIX_PREPEND_ENVAR), env);
}

/* The whole environment; *ret is the caller's, also after an error. */
static int make_env(struct px_server *s, const struct px_local_process *what, char ***ret)
{
    const pmix_app_t *app = what->app;
    struct px_fork_args fork_args = {what->proc, ret};
    int rc = PMIX_SUCCESS;

    for (char **at = environ; !rc && at && *at; at++) {
        rc = is_ours_alone(*at) ? PMIX_SUCCESS : PMIx_Argv_append_nosize(ret, *at);
    }
    rc = rc ? rc : add_all(app->env, ret);
    for (size_t i = 0; !rc && i < what->ninfo; i++) {
        rc = apply(&what->info[i], ret);
    }
    for (size_t i = 0; !rc && i < app->ninfo; i++) {
        rc = apply(&app->info[i], ret);
    }
    return rc ? rc : px_setup_fork(s, &fork_args);
}

/* ---- start */

/* The status for an errno of posix_spawn. */
static int status_of(int error)
{
    switch (error) {
    case 0:
        return PMIX_SUCCESS;
    case ENOENT:
        return PMIX_ERR_JOB_EXE_NOT_FOUND;
    case EACCES:
    case ENOEXEC:
        return PMIX_ERR_JOB_APP_NOT_EXECUTABLE;
    case ENOMEM:
        return PMIX_ERR_NOMEM;
    default:
        return PMIX_ERR_JOB_FAILED_TO_LAUNCH;
    }
}

/* What the child does before it becomes the program. An errno. */
static int prepare(const struct px_local_process *what, posix_spawn_file_actions_t *files,
                   posix_spawnattr_t *attr)
{
    sigset_t none;
    sigset_t pipe;
    int rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    for (int i = 0; !rc && i < 2; i++) {
        rc = what->out[i] >= 0
                 ? posix_spawn_file_actions_adddup2(files, what->out[i], STDOUT_FILENO + i)
                 : 0;
    }
    if (!rc && what->dir) {
        rc = posix_spawn_file_actions_addchdir_np(files, what->dir);
    }
    (void) sigemptyset(&none);
    (void) sigemptyset(&pipe);
    (void) sigaddset(&pipe, SIGPIPE);
    rc = rc ? rc : posix_spawnattr_setsigmask(attr, &none);
    rc = rc ? rc : posix_spawnattr_setsigdefault(attr, &pipe);
    rc = rc ? rc : posix_spawnattr_setpgroup(attr, 0);
    return rc ? rc
              : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF);
}

/* An errno. */
static int spawn(const struct px_local_process *what, char **env, pid_t *ret)
{
    char *cmd = what->app->cmd ? what->app->cmd : what->app->argv[0];
    char *bare[] = {cmd, NULL};
    char **argv = what->app->argv && what->app->argv[0] ? what->app->argv : bare;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int rc = posix_spawn_file_actions_init(&files);

    if (rc) {
        return rc;
    }
    rc = posix_spawnattr_init(&attr);
    if (!rc) {
        rc = prepare(what, &files, &attr);
        rc = rc ? rc : posix_spawnp(ret, cmd, &files, &attr, argv, env);
        (void) posix_spawnattr_destroy(&attr);
    }
    (void) posix_spawn_file_actions_destroy(&files);
    return rc;
}

int px_local_process_start(struct px_server *s, const struct px_local_process *what, pid_t *ret)
{
    const pmix_app_t *app = what->app;
    struct stat st;
    char **env = NULL;
    int rc;

    if ((!app->cmd || !app->cmd[0]) && (!app->argv || !app->argv[0])) {
        return PMIX_ERR_JOB_NO_EXE_SPECIFIED;
    }
    if (what->dir && (stat(what->dir, &st) != 0 || !S_ISDIR(st.st_mode))) {
        return PMIX_ERR_JOB_WDIR_NOT_FOUND;
    }
    rc = make_env(s, what, &env);
    rc = rc ? rc : status_of(spawn(what, env, ret));
    PMIx_Argv_free(env);
    return rc;
}
