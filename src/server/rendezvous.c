/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The directories are other people's and often world-writable: a file is written aside under a name
 * that did not exist, then moved into place; it is removed only while it is still the one that we
 * made. */

#include "rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/wire/message.h"

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
    case EROFS: return PMIX_ERR_NO_PERMISSIONS;
    case EEXIST: return PMIX_ERR_EXISTS;
    default: return PMIX_ERR_OUT_OF_RESOURCE;
    }
}

/* Is the server of this file alive, and another process? An unreadable file is taken for one. */
static bool is_taken(const char *path)
{
    char line[512];
    long pid = 0;
    FILE *f = fopen(path, "re");

    if (!f) {
        return errno != ENOENT;
    }
    for (int i = 0; i < 3 && fgets(line, sizeof(line), f); i++) {
        pid = i == 2 ? strtol(line, NULL, 10) : 0;
    }
    (void) fclose(f);
    return pid > 0 && pid != (long) getpid() && (kill((pid_t) pid, 0) == 0 || errno == EPERM);
}

static int write_aside(const struct px_rendezvous *rendezvous, const char *path, struct stat *ret)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int rc = PMIX_SUCCESS;

    if (fd < 0) {
        return status_of(errno);
    }
    if (fchmod(fd, (mode_t) rendezvous->mode) != 0 ||
        write(fd, rendezvous->text, rendezvous->len) != (ssize_t) rendezvous->len ||
        fstat(fd, ret) != 0) {
        rc = status_of(errno);
    }
    if (close(fd) != 0 && !rc) {
        rc = status_of(errno);
    }
    if (rc) {
        (void) unlink(path);
    }
    return rc;
}

/* shared: the name is not ours alone; a live owner keeps it. */
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
    (void) snprintf(aside, sizeof(aside), "%s.%ld.new", path, (long) getpid());
    rc = write_aside(rendezvous, aside, &st);
    if (rc) {
        return rc;
    }
    if (rename(aside, path) != 0) {
        rc = status_of(errno);
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

    if (what && strchr(what, '/')) {
        return PMIX_SUCCESS; /* no file can have this name */
    }
    if (snprintf(path, sizeof(path), "%s/%s%s%s", dir, name, what ? "." : "", what ? what : "") >=
        (int) sizeof(path)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return make_file(rendezvous, path, shared);
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
    char when[64] = "";
    int n;

    (void) ctime_r(&now, when);
    n = snprintf(rendezvous->text, sizeof(rendezvous->text), "%s\n%s\n%ld\n%lu:%lu\n%s\n",
                 s->uri_tcp    ? s->uri_tcp
                 : s->uri_unix ? s->uri_unix
                               : "",
                 PX_WIRE_VERSION, (long) getpid(), (unsigned long) s->uid, (unsigned long) s->gid,
                 when);
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
