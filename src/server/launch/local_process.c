/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* posix_spawn says why a program cannot be started, and needs nothing of this process in the child,
 * which may have any number of threads here. */

#include "local_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local_stopped.h"
#include "src/base/env.h"
#include "src/server/setup.h"
#include "src/value/infos.h"

extern char **environ;

/* ---- environment */

/* Variables for a launcher itself, and not for its children (Standard, chapter Tools: rendezvous).
 */
static const char *const ours_alone[] = {PMIX_LAUNCHER_RNDZ_URI, PMIX_LAUNCHER_RNDZ_FILE,
                                         PMIX_KEEPALIVE_PIPE};

static int set(char ***env, const pmix_value_t *value)
{
    return px_env_set(env, value->data.envar.envar, value->data.envar.value);
}

static int add(char ***env, const pmix_value_t *value)
{
    return px_env_get(*env, value->data.envar.envar) ? PMIX_SUCCESS : set(env, value);
}

static int unset(char ***env, const pmix_value_t *value)
{
    px_env_unset(*env, value->data.string);
    return PMIX_SUCCESS;
}

static int prepend(char ***env, const pmix_value_t *value)
{
    const pmix_envar_t *envar = &value->data.envar;

    return px_env_extend(env, envar->envar, envar->value, envar->separator, true);
}

static int append(char ***env, const pmix_value_t *value)
{
    const pmix_envar_t *envar = &value->data.envar;

    return px_env_extend(env, envar->envar, envar->value, envar->separator, false);
}

/* The directives that change the environment. */
static const struct setting {
    const char *key;
    pmix_data_type_t type;
    int (*apply)(char ***env, const pmix_value_t *value);
} settings[] = {
    {PMIX_SET_ENVAR, PMIX_ENVAR, set},       {PMIX_ADD_ENVAR, PMIX_ENVAR, add},
    {PMIX_UNSET_ENVAR, PMIX_STRING, unset},  {PMIX_PREPEND_ENVAR, PMIX_ENVAR, prepend},
    {PMIX_APPEND_ENVAR, PMIX_ENVAR, append},
};

/* True if the value is of the type of the setting, and all there. */
static bool is_complete(const struct setting *setting, const pmix_value_t *value)
{
    if (setting->type == PMIX_STRING) {
        return px_value_text(value) != NULL;
    }
    return value->type == setting->type && value->data.envar.envar && value->data.envar.value;
}

/* Applies the settings among infos, in their order. 0, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
static int apply_all(const pmix_info_t *info, size_t ninfo, char ***env)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        for (size_t k = 0; !rc && k < sizeof(settings) / sizeof(settings[0]); k++) {
            const pmix_value_t *value = px_info_find(&info[i], 1, settings[k].key);

            if (value) {
                rc = is_complete(&settings[k], value) ? settings[k].apply(env, value)
                                                      : PMIX_ERR_BAD_PARAM;
            }
        }
    }
    return rc;
}

/* The whole environment; *ret is the caller's, also after an error. */
static int make_env(struct px_server *s, const struct px_local_process *what, char ***ret)
{
    const pmix_app_t *app = what->app;
    struct px_fork_args fork_args = {what->proc, ret};
    int rc;

    *ret = px_env_copy(environ);
    rc = *ret ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    for (size_t i = 0; !rc && i < sizeof(ours_alone) / sizeof(ours_alone[0]); i++) {
        px_env_unset(*ret, ours_alone[i]);
    }
    for (char **at = app->env; !rc && at && *at; at++) {
        rc = strchr(*at, '=') ? px_env_put(ret, *at) : PMIX_SUCCESS;
    }
    rc = rc ? rc : apply_all(what->info, what->ninfo, ret);
    rc = rc ? rc : apply_all(app->info, app->ninfo, ret);
    return rc ? rc : px_setup_fork(s, &fork_args);
}

/* ---- start */

/* The status for an errno of posix_spawn or px_local_process_stopped. */
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
    int rc = what->in >= 0
                 ? posix_spawn_file_actions_adddup2(files, what->in, STDIN_FILENO)
                 : posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

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
    int rc;

    if (what->stop) {
        return px_local_process_stopped(what, cmd, argv, env, ret);
    }
    rc = posix_spawn_file_actions_init(&files);
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
    if (!rc) {
        int error = spawn(what, env, ret);

        rc = what->stop && error == EPERM ? PMIX_ERR_NOT_SUPPORTED : status_of(error);
    }
    px_env_free(env);
    return rc;
}
