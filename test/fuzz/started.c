/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "started.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32 };

static pid_t pids[MOST];
static size_t n_pids;

int __real_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);
int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);
pid_t __wrap_vfork(void);

/* Whether the program gets output of ours where it has none of its own. */
static void lend_output(bool lent)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        (void) fcntl(fd, F_SETFD, lent ? 0 : FD_CLOEXEC);
    }
}

int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    static char cat[] = "cat";
    char *const args[] = {cat, NULL};
    char *const nothing[] = {NULL};
    int rc = EAGAIN;

    if (n_pids < MOST && file[0] && argv && envp) {
        lend_output(false);
        rc = __real_posix_spawnp(pid, "/bin/cat", actions, attr, args, nothing);
        lend_output(true);
    }
    if (rc == 0) {
        pids[n_pids++] = *pid;
    }
    return rc;
}

pid_t __wrap_vfork(void)
{
    errno = EAGAIN;
    return -1;
}

/* A process that the launcher has waited for is no child any more. */
void started_end(void)
{
    siginfo_t info;

    while (n_pids > 0) {
        pid_t pid = pids[--n_pids];

        if (waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0) {
            (void) kill(pid, SIGKILL);
            (void) waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT);
        }
    }
}
