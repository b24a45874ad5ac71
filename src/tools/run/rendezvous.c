/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How tools find us (pmix-rendezvous(5)). The server of each node writes files with its node's name
 * and process id. With several emulated nodes a user knows neither: so node 0 copies its file under
 * the machine's name, once for the id of the process that the user has started and once for the
 * name of the servers. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes.h"
#include "src/base/process.h"
#include "src/base/tmpdir.h"

enum { ROOM = 4096, N_ALIASES = 2 };

static char aliases[N_ALIASES][PATH_MAX]; /* "": not made */

const char *px_run_rendezvous_dir(void)
{
    return px_tmpdir_peek("PMIX_SERVER_TMPDIR");
}

/* A file of ours, as a string; false if it is none. */
static bool read_file(const char *path, char *text, size_t room, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = -1;

    if (fd < 0) {
        return false;
    }
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid()) {
        n = read(fd, text, room - 1);
    }
    close(fd);
    if (n > 0) {
        text[n] = '\0';
    }
    return n > 0;
}

/* The nth line, without its end; NULL when there are fewer. */
static const char *line_at(const char *text, int n, size_t *ret_len)
{
    for (; n > 0 && text != NULL; n--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    *ret_len = text != NULL ? strcspn(text, "\n") : 0;
    return *ret_len > 0 ? text : NULL;
}

/* The lines of a file that name its process. */
enum { LINE_PID = 2, LINE_STARTED = 5, N_LINES = 7 };

/* The text of the server's own file, but with the process that was started in place of this one. */
static bool compose(const char *own, char *text, size_t room)
{
    struct px_process process;
    size_t at = 0;

    if (px_process_look(px_run.pid, &process) != 0) {
        return false;
    }
    for (int i = 0; i < N_LINES && at < room; i++) {
        size_t len;
        const char *line = line_at(own, i, &len);
        int n = line == NULL    ? -1
                : i == LINE_PID ? snprintf(text + at, room - at, "%d\n", (int) px_run.pid)
                : i == LINE_STARTED
                    ? snprintf(text + at, room - at, "%llu\n", (unsigned long long) process.started)
                    : snprintf(text + at, room - at, "%.*s\n", (int) len, line);
        if (n < 0) {
            return false;
        }
        at += (size_t) n;
    }
    return at < room;
}

/* Writes a file that appears complete or not at all. 0 or errno. */
static int write_file(const char *path, const char *text, mode_t mode)
{
    char aside[PATH_MAX];
    int error = 0;
    size_t n = strlen(text);

    if (snprintf(aside, sizeof(aside), "%s.XXXXXX", path) >= (int) sizeof(aside)) {
        return ENAMETOOLONG;
    }
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    ssize_t done = write(fd, text, n);
    if (done != (ssize_t) n || fchmod(fd, mode) != 0) {
        error = done < 0 || done == (ssize_t) n ? errno : ENOSPC;
    }
    close(fd);
    if (error == 0 && rename(aside, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        (void) unlink(aside);
    }
    return error;
}

int px_run_rendezvous_open(void)
{
    static const char *const words[N_ALIASES] = {"", PX_RUN_SERVERS};
    const char *dir = px_run_rendezvous_dir();
    char machine[PMIX_MAX_NSLEN + 1] = "";
    char path[PATH_MAX];
    char own[ROOM];
    char text[ROOM];
    struct stat st;
    int error = 0;

    if (px_run.place != PX_RUN_NODE || px_run.node != 0) {
        return 0;
    }
    if (gethostname(machine, sizeof(machine) - 1) != 0) {
        return errno;
    }
    (void) snprintf(path, sizeof(path), "%s/pmix.%s.tool.%d", dir, px_run.hostname, (int) getpid());
    if (!read_file(path, own, sizeof(own), &st) || !compose(own, text, sizeof(text))) {
        return ENOENT;
    }
    for (int i = 0; i < N_ALIASES && error == 0; i++) {
        (void) snprintf(path, sizeof(path), "%s/pmix.%s.tool.%s%d", dir, machine, words[i],
                        (int) px_run.pid);
        error = write_file(path, text, st.st_mode & 0777);
        if (error == 0) {
            (void) snprintf(aliases[i], sizeof(aliases[i]), "%s", path);
        }
    }
    return error;
}

void px_run_rendezvous_close(void)
{
    for (int i = 0; i < N_ALIASES; i++) {
        if (aliases[i][0] != '\0') {
            (void) unlink(aliases[i]);
            aliases[i][0] = '\0';
        }
    }
}

/* ---- after a kill */

static bool is_of(const char *path, const int32_t *pids, size_t n)
{
    char text[ROOM];
    struct stat st;
    size_t len;

    if (!read_file(path, text, sizeof(text), &st)) {
        return false;
    }
    const char *line = line_at(text, LINE_PID, &len);
    long pid = line != NULL ? strtol(line, NULL, 10) : 0;
    for (size_t i = 0; i < n; i++) {
        if (pids[i] == pid) {
            return true;
        }
    }
    return false;
}

void px_run_rendezvous_sweep(const int32_t *pids, size_t n)
{
    const char *name = px_run_rendezvous_dir();
    DIR *dir = opendir(name);
    char path[PATH_MAX];

    for (const struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        if (strncmp(e->d_name, "pmix.", 5) == 0 && strstr(e->d_name, ".tool") != NULL &&
            snprintf(path, sizeof(path), "%s/%s", name, e->d_name) < (int) sizeof(path) &&
            is_of(path, pids, n)) {
            (void) unlink(path);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}
