/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The directories are other people's and often world-writable: a file is written aside under a name
 * that did not exist, then moved into place; it is removed only while it is still the one that we
 * made. */

#include "rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/log.h"
#include "src/base/process.h"
#include "src/discovery/tool_discovery.h"
#include "src/wire/message.h"
#include "src/server/state.h"

enum { MAX_FILES = 8, MAX_DIRS = 16, MAX_PATH = 1024 };

struct made {
    char path[MAX_PATH];
    dev_t dev;
    ino_t ino;
};

struct px_rendezvous {
    struct made files[MAX_FILES];
    size_t n_files;
    char dirs[MAX_DIRS][MAX_PATH]; /* made by us, outermost first */
    size_t n_dirs;
    char text[1024];
    size_t len;
    unsigned mode;
};

void px_rendezvous_remove(struct px_rendezvous *rendezvous)
{
    if (!rendezvous) {
        return;
    }
    for (size_t i = 0; i < rendezvous->n_files; i++) {
        const struct made *made = &rendezvous->files[i];
        struct stat st;

        if (lstat(made->path, &st) == 0 && st.st_dev == made->dev && st.st_ino == made->ino) {
            (void) unlink(made->path);
        }
    }
    for (size_t i = rendezvous->n_dirs; i-- > 0;) {
        (void) rmdir(rendezvous->dirs[i]);
    }
    free(rendezvous);
}

static int status_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return PMIX_ERR_NO_PERMISSIONS;
    case EEXIST:
        return PMIX_ERR_EXISTS;
    default:
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
}

/* A file that a server may have written whose word counts here: our own user's, or root's. A
 * directory that anybody may write to holds what anybody likes to put there. */
static int open_ours(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
                    (st.st_uid != 0 && st.st_uid != geteuid()))) {
        (void) close(fd);
        fd = -1;
    }
    return fd;
}

static bool read_ours(const char *path, struct px_server_candidate *ret)
{
    int fd = open_ours(path);
    int rc = fd < 0 ? PMIX_ERR_UNREACH : px_found_read_from(fd, ret);

    if (fd >= 0) {
        (void) close(fd);
    }
    return !rc;
}

/* Is the server of this file alive, and another process? What is no server's file does not count:
 * the new file takes its place, or its owner keeps that from happening. */
static bool is_taken(const char *path)
{
    struct px_server_candidate found;

    return read_ours(path, &found) && found.pid && found.pid != (uint32_t) getpid() &&
           px_found_lives(&found);
}

/* A file of this user that a server of this library left, which is no more. */
static bool is_left(const char *path, const struct stat *st)
{
    struct px_server_candidate found;

    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
           read_ours(path, &found) && found.pid && found.started &&
           found.space == px_process_space() && !px_found_lives(&found);
}

enum { SWEEP_MOST = 4096 };

/* Takes away what servers of the same user left when they were killed. Files of a directory that
 * cannot be read, and whatever is something else, stay. */
static void sweep(const char *dir, const char *name)
{
    char path[MAX_PATH];
    DIR *d = opendir(dir);
    const struct dirent *entry = d ? readdir(d) : NULL;

    for (int i = 0; entry && i < SWEEP_MOST; i++, entry = readdir(d)) {
        struct stat before;
        struct stat now;

        if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
            snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < (int) sizeof(path) &&
            lstat(path, &before) == 0 && is_left(path, &before) && lstat(path, &now) == 0 &&
            now.st_ino == before.st_ino && now.st_dev == before.st_dev) {
            (void) unlink(path);
        }
    }
    if (d) {
        (void) closedir(d);
    }
}

/* Where a process may not write files (ulimit -f) the kernel sends it a signal that ends it, before
 * the error. The signal is this thread's: it is taken back before anybody sees it, unless somebody
 * else's was there already. */
static int write_all(int fd, const char *text, size_t len)
{
    static const struct timespec at_once = {0};
    sigset_t limit;
    sigset_t before;
    sigset_t pending;
    ssize_t n;
    int why;

    (void) sigemptyset(&limit);
    (void) sigaddset(&limit, SIGXFSZ);
    (void) sigpending(&pending);
    (void) pthread_sigmask(SIG_BLOCK, &limit, &before);
    n = write(fd, text, len);
    why = n < 0 ? errno : ENOSPC;
    if (n < 0 && why == EFBIG && !sigismember(&pending, SIGXFSZ)) {
        (void) sigtimedwait(&limit, NULL, &at_once);
    }
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return n == (ssize_t) len ? 0 : -1;
}

/* The name aside is nobody's to know: what is planted under it would keep the file from being
 * made. */
static int open_aside(const char *path, char *aside, size_t n)
{
    uint64_t noise = 0;
    int fd = -1;

    errno = EEXIST;
    for (int i = 0; i < 8 && fd < 0 && errno == EEXIST; i++) {
        /* Without noise a name that is there fails. */
        (void) !getrandom(&noise, sizeof(noise), GRND_NONBLOCK);
        (void) snprintf(aside, n, "%s.%ld.%016llx", path, (long) getpid() + i,
                        (unsigned long long) noise);
        fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return fd;
}

static int write_aside(const struct px_rendezvous *rendezvous, const char *path, char *aside,
                       size_t n, struct stat *ret)
{
    int fd = open_aside(path, aside, n);
    int rc = PMIX_SUCCESS;

    if (fd < 0) {
        return status_of(errno);
    }
    if (fchmod(fd, (mode_t) rendezvous->mode) != 0 ||
        write_all(fd, rendezvous->text, rendezvous->len) != 0 || fstat(fd, ret) != 0) {
        rc = status_of(errno);
    }
    if (close(fd) != 0 && !rc) {
        rc = status_of(errno);
    }
    if (rc) {
        (void) unlink(aside);
    }
    return rc;
}

/* Has another user put something under the name, which is not ours to remove? */
static bool is_foreign(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_uid != geteuid();
}

/* shared: the name is not ours alone; a live owner keeps it. PMIX_ERR_NOT_AVAILABLE: another user
 * keeps us from using it. */
static int make_file(struct px_rendezvous *rendezvous, const char *path, bool shared)
{
    struct made *made = &rendezvous->files[rendezvous->n_files];
    char aside[MAX_PATH + 32];
    struct stat st;
    int rc;

    if (rendezvous->n_files == MAX_FILES || strlen(path) >= MAX_PATH) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (shared && is_taken(path)) {
        return PMIX_ERR_EXISTS;
    }
    rc = write_aside(rendezvous, path, aside, sizeof(aside), &st);
    if (rc) {
        return rc;
    }
    if (rename(aside, path) != 0) {
        rc = is_foreign(path) ? PMIX_ERR_NOT_AVAILABLE : status_of(errno);
        (void) unlink(aside);
        return rc;
    }
    (void) snprintf(made->path, sizeof(made->path), "%s", path);
    made->dev = st.st_dev;
    made->ino = st.st_ino;
    rendezvous->n_files++;
    return PMIX_SUCCESS;
}

/* Makes the directories that lead to a file. */
static int make_dirs(struct px_rendezvous *rendezvous, const char *path)
{
    char dir[MAX_PATH];

    if (strlen(path) >= sizeof(dir)) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        (void) snprintf(dir, sizeof(dir), "%.*s", (int) (at - path), path);
        if (mkdir(dir, 0755) == 0) {
            if (rendezvous->n_dirs == MAX_DIRS) {
                (void) rmdir(dir);
                return PMIX_ERR_OUT_OF_RESOURCE;
            }
            memcpy(rendezvous->dirs[rendezvous->n_dirs++], dir, sizeof(dir));
        } else if (errno != EEXIST) {
            return status_of(errno);
        }
    }
    return PMIX_SUCCESS;
}

/* "<dir>/<name>" with an optional ".<what>" behind. */
static int make_named(struct px_rendezvous *rendezvous, bool shared, const char *dir,
                      const char *name, const char *what)
{
    char path[MAX_PATH];
    int rc;

    if (what && strchr(what, '/')) {
        return PMIX_SUCCESS; /* no file can have this name */
    }
    if (snprintf(path, sizeof(path), "%s/%s%s%s", dir, name, what ? "." : "", what ? what : "") >=
        (int) sizeof(path)) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = make_file(rendezvous, path, shared);
    if (rc == PMIX_ERR_NOT_AVAILABLE) {
        px_log(PX_LOG_SERVER, 1, "%s is another user's: tools do not find this server there", path);
        return PMIX_SUCCESS;
    }
    return rc;
}

/* Files whose name is one server's on this machine. */
static int make_only(struct px_rendezvous *rendezvous, const struct px_server *s, bool wanted,
                     const char *kind)
{
    char name[MAX_PATH / 2];

    (void) snprintf(name, sizeof(name), "pmix.%s.%s", kind, s->hostname);
    return wanted ? make_named(rendezvous, true, s->system_tmpdir, name, NULL) : PMIX_SUCCESS;
}

static void compose(const struct px_server *s, struct px_rendezvous *rendezvous)
{
    time_t now = time(NULL);
    struct px_process self = {0};
    char when[64] = "\n";
    int n;

    (void) ctime_r(&now, when); /* ends its line */
    (void) px_process_look(getpid(), &self);
    n = snprintf(rendezvous->text, sizeof(rendezvous->text), "%s\n%s\n%ld\n%lu:%lu\n%s%llu\n%llu\n",
                 s->uri_tcp    ? s->uri_tcp
                 : s->uri_unix ? s->uri_unix
                               : "",
                 PX_WIRE_VERSION, (long) getpid(), (unsigned long) s->uid, (unsigned long) s->gid,
                 when, (unsigned long long) self.started, (unsigned long long) px_process_space());
    rendezvous->len = n > 0 && (size_t) n < sizeof(rendezvous->text) ? (size_t) n : 0;
}

static int make_all(struct px_rendezvous *rendezvous, const struct px_server *s,
                    const struct px_rendezvous_opts *opts)
{
    char name[MAX_PATH / 2];
    char pid[32];
    int rc = make_only(rendezvous, s, opts->system, "sys");

    (void) snprintf(pid, sizeof(pid), "%ld", (long) getpid());
    (void) snprintf(name, sizeof(name), "pmix.%s.tool", s->hostname);
    sweep(s->tmpdir, name);
    rc = rc ? rc : make_only(rendezvous, s, opts->scheduler, "sched");
    rc = rc ? rc : make_only(rendezvous, s, opts->controller, "sysctrlr");
    rc = rc ? rc : make_named(rendezvous, false, s->tmpdir, name, pid);
    rc = rc ? rc : make_named(rendezvous, false, s->tmpdir, name, s->self.nspace);
    if (!rc) {
        /* The name without more is the first server's. */
        rc = make_named(rendezvous, true, s->tmpdir, name, NULL);
        rc = rc == PMIX_ERR_EXISTS ? PMIX_SUCCESS : rc;
    }
    if (!rc && opts->launcher_file) {
        rc = make_dirs(rendezvous, opts->launcher_file);
        rc = rc ? rc : make_file(rendezvous, opts->launcher_file, false);
    }
    return rc;
}

int px_rendezvous_write(const struct px_server *s, const struct px_rendezvous_opts *opts,
                        struct px_rendezvous **ret)
{
    struct px_rendezvous *rendezvous = calloc(1, sizeof(*rendezvous));
    int rc = rendezvous ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    if (!rc) {
        rendezvous->mode = opts->mode & 0777;
        compose(s, rendezvous);
        rc = rendezvous->len ? make_all(rendezvous, s, opts) : PMIX_ERR_BAD_PARAM;
    }
    if (rc) {
        px_rendezvous_remove(rendezvous);
        return rc;
    }
    *ret = rendezvous;
    return PMIX_SUCCESS;
}
