/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rendezvous files: written when the server starts, removed when it stops. Their directories belong
 * to other users and are often world-writable. Therefore a file is written aside under a random
 * name that did not exist, then renamed into place: readers see a complete file or none. It is
 * removed only while it is still the file that this server made (same device and inode). */

#include "rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/log.h"
#include "src/base/output.h"
#include "src/base/param.h"
#include "src/base/process.h"
#include "src/base/quiet_write.h"
#include "src/discovery/tool_discovery.h"
#include "src/wire/message.h"
#include "src/server/state.h"

enum { MAX_FILES = 8, MAX_DIRS = 16, MAX_PATH = 1024 };

/* A file of this server, with its identity. */
struct made {
    char path[MAX_PATH];
    dev_t dev;
    ino_t ino;
};

/* The files and directories that one server has made, and the text that all files hold. Owned by
 * the server. Of fixed size, so that removal needs no memory. */
struct px_rendezvous {
    struct made files[MAX_FILES];
    size_t n_files;
    char dirs[MAX_DIRS][MAX_PATH]; /* made by us, outermost first */
    size_t n_dirs;
    bool keep_dirs;
    char text[2048];
    size_t len;
    unsigned mode;
};

/* Also used after a failed write. Directories that are not empty stay. */
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
    for (size_t i = rendezvous->keep_dirs ? 0 : rendezvous->n_dirs; i-- > 0;) {
        (void) rmdir(rendezvous->dirs[i]);
    }
    free(rendezvous);
}

/* The status for an errno of a file operation. */
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

/* Opens a rendezvous file for reading if it is a regular file of this user or of root, else -1.
 * Files of other users prove nothing: anybody may put a file into a world-writable directory. */
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

/* True if the file could be read as a rendezvous file of this user or of root. */
static bool read_ours(const char *path, struct px_server_candidate *ret)
{
    int fd = open_ours(path);
    int rc = fd < 0 ? PMIX_ERR_UNREACH : px_found_read_from(fd, ret);

    if (fd >= 0) {
        (void) close(fd);
    }
    return !rc;
}

/* True if the server that wrote this file is alive and is another process. A file that is no
 * rendezvous file does not count: the new file replaces it, unless its owner prevents that. */
static bool is_taken(const char *path)
{
    struct px_server_candidate found;

    return read_ours(path, &found) && found.pid && found.pid != (uint32_t) getpid() &&
           px_found_lives(&found);
}

/* True if the file was left behind by a server of this library and this user that does not run any
 * more. */
static bool is_left(const char *path, const struct stat *st)
{
    struct px_server_candidate found;

    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
           read_ours(path, &found) && found.pid && found.started &&
           found.space == px_process_space() && !px_found_lives(&found);
}

enum { SWEEP_MOST = 4096 };

/* Removes the files that killed servers of this user left in the directory, among its first
 * SWEEP_MOST entries. Only files whose names begin with `name` are opened. Before a file is removed
 * its identity is compared once more, since a new server may have replaced it meanwhile. Other
 * files stay. */
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

/* Writes the text. 0, or -1 with errno. */
static int write_all(int fd, const char *text, size_t len)
{
    ssize_t n = px_quiet_write(fd, text, len);

    if (n >= 0) {
        errno = ENOSPC;
    }
    return n == (ssize_t) len ? 0 : -1;
}

/* Makes a random name beside `path`. It cannot be predicted, so that other users cannot occupy it.
 * Without noise a name that is there fails. */
static void name_of_aside(const char *path, char *aside, size_t n, int attempt)
{
    uint64_t noise = 0;

    (void) !getrandom(&noise, sizeof(noise), GRND_NONBLOCK);
    (void) snprintf(aside, n, "%s.%ld.%016llx", path, (long) getpid() + attempt,
                    (unsigned long long) noise);
}

/* Creates a file with such a name, and puts that into `aside`. The descriptor, or -1 with errno. */
static int open_aside(const char *path, char *aside, size_t n)
{
    int fd = -1;

    errno = EEXIST;
    for (int i = 0; i < 8 && fd < 0 && errno == EEXIST; i++) {
        name_of_aside(path, aside, n, i);
        fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return fd;
}

/* Gives the name of a file aside to a file that has none. True if it has it. */
static bool name_aside(int fd, const char *aside)
{
    char link[64];

    (void) snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, aside, AT_SYMLINK_FOLLOW) == 0;
}

/* Writes the text into a file, with the mode of the options, and closes it; its identity goes to
 * *ret. nameless: it gets its name at the end. */
static int fill_aside(const struct px_rendezvous *rendezvous, int fd, bool nameless,
                      const char *aside, struct stat *ret)
{
    int rc = PMIX_SUCCESS;

    if (fchmod(fd, (mode_t) rendezvous->mode) != 0 ||
        write_all(fd, rendezvous->text, rendezvous->len) != 0 || fstat(fd, ret) != 0 ||
        (nameless && !name_aside(fd, aside))) {
        rc = status_of(errno);
    }
    if (close(fd) != 0 && !rc) {
        rc = status_of(errno);
    }
    return rc;
}

/* A file in the directory of `path` that has no name: a server that is killed now leaves none.
 * `aside` is the name that it is to get. -1: there is no such thing here. */
static int open_nameless(const char *path, char *aside, size_t n)
{
    const char *slash = strrchr(path, '/');
    char dir[MAX_PATH];
    int fd;

    (void) snprintf(dir, sizeof(dir), "%.*s", slash ? (int) (slash - path) : 1, slash ? path : ".");
    fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0) {
        name_of_aside(path, aside, n, 0);
    }
    return fd;
}

/* Writes the text into a file aside, with the mode of the options, and returns its identity in
 * *ret. On failure no file is left. */
static int write_aside(const struct px_rendezvous *rendezvous, const char *path, char *aside,
                       size_t n, struct stat *ret)
{
    int fd = open_nameless(path, aside, n);
    int rc;

    if (fd >= 0 && fill_aside(rendezvous, fd, true, aside, ret) == PMIX_SUCCESS) {
        return PMIX_SUCCESS;
    }
    fd = open_aside(path, aside, n);
    if (fd < 0) {
        return status_of(errno);
    }
    rc = fill_aside(rendezvous, fd, false, aside, ret);
    if (rc) {
        (void) unlink(aside);
    }
    return rc;
}

/* True if there is a file of another user under this name, which this server must not remove. */
static bool is_foreign(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && st.st_uid != geteuid();
}

/* Writes one rendezvous file and remembers it for removal. shared: other servers use this name,
 * too, and a live one keeps it (PMIX_ERR_EXISTS). PMIX_ERR_NOT_AVAILABLE: a file of another user
 * has the name and cannot be replaced. PMIX_ERR_OUT_OF_RESOURCE: too many files, or the path is too
 * long. */
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

/* Makes the directories that lead to a file, and remembers those that did not exist. 0,
 * PMIX_ERR_BAD_PARAM (path too long) or a status of status_of. */
static int make_dirs(struct px_rendezvous *rendezvous, const char *path)
{
    char dir[MAX_PATH];

    if (strlen(path) >= sizeof(dir)) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (const char *at = strchr(path + (path[0] == '/'), '/'); at; at = strchr(at + 1, '/')) {
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

/* Makes a directory and those that lead to it, if it is not there. Statuses as make_dirs. */
static int make_dir(struct px_rendezvous *rendezvous, const char *dir)
{
    char path[MAX_PATH];
    struct stat st;

    if (stat(dir, &st) == 0) {
        return PMIX_SUCCESS;
    }
    return snprintf(path, sizeof(path), "%s/", dir) < (int) sizeof(path)
               ? make_dirs(rendezvous, path)
               : PMIX_ERR_BAD_PARAM;
}

/* Makes "<dir>/<name>", or "<dir>/<name>.<what>", and the directory. A name that another user
 * occupies is logged and is no error: tools then find the server by its other files. */
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
    rc = make_dir(rendezvous, dir);
    rc = rc ? rc : make_file(rendezvous, path, shared);
    if (rc == PMIX_ERR_NOT_AVAILABLE) {
        px_log(PX_LOG_SERVER, 1, "%s is another user's: tools do not find this server there", path);
        return PMIX_SUCCESS;
    }
    return rc;
}

/* Makes a file that only one server of the node may have (pmix.sys, pmix.sched, pmix.sysctrlr), in
 * the system directory, if it is wanted. A server that lives keeps its file; another one then has
 * none, or, if the parameter says so, does not start: PMIX_ERR_EXISTS. */
static int make_only(struct px_rendezvous *rendezvous, const struct px_server *s, bool wanted,
                     const char *kind)
{
    char name[MAX_PATH / 2];
    int rc;

    (void) snprintf(name, sizeof(name), "pmix.%s.%s", kind, s->hostname);
    rc = wanted ? make_named(rendezvous, true, s->system_tmpdir, name, NULL) : PMIX_SUCCESS;
    if (rc == PMIX_ERR_EXISTS && !px_param_bool(PX_P_ONE_SYSTEM_SERVER)) {
        px_log(PX_LOG_SERVER, 1, "another server keeps %s/%s: tools find that one there",
               s->system_tmpdir, name);
        rc = PMIX_SUCCESS;
    }
    return rc;
}

/* Writes the text of the files. A line each: contact string, version, process id, "uid:gid", time;
 * then three lines of this library: the process's start time and its process id namespace, by which
 * a reader recognises a reused process id, and the contact string of the AF_UNIX socket, if there
 * is one beside TCP. A length of 0 means that it did not fit. */
static void compose(const struct px_server *s, struct px_rendezvous *rendezvous)
{
    time_t now = time(NULL);
    struct px_process self = {0};
    char when[64] = "\n";
    const char *local = s->uri_unix ? s->uri_unix : "";
    int n;

    (void) ctime_r(&now, when); /* ends its line */
    (void) px_process_look(getpid(), &self);
    n = snprintf(rendezvous->text, sizeof(rendezvous->text),
                 "%s\n%s\n%ld\n%lu:%lu\n%s%llu\n%llu\n%s\n", s->uri_tcp ? s->uri_tcp : local,
                 PX_WIRE_VERSION, (long) getpid(), (unsigned long) s->uid, (unsigned long) s->gid,
                 when, (unsigned long long) self.started, (unsigned long long) px_process_space(),
                 s->uri_tcp ? local : "");
    rendezvous->len = n > 0 && (size_t) n < sizeof(rendezvous->text) ? (size_t) n : 0;
}

/* Reports the contact string: by a file that holds it in its first line, like the others, or by a
 * line on our own standard output or error. */
static int report(struct px_rendezvous *rendezvous, const char *how)
{
    bool out = strcmp(how, "-") == 0;

    if (!out && strcmp(how, "+") != 0) {
        int rc = make_dirs(rendezvous, how);

        return rc ? rc : make_file(rendezvous, how, false);
    }
    return px_output_all(out ? STDOUT_FILENO : STDERR_FILENO, rendezvous->text,
                         strcspn(rendezvous->text, "\n") + 1);
}

/* Makes all files by which tools find this server:
 * - pmix.sys.<host>, pmix.sched.<host>, pmix.sysctrlr.<host> in the system directory, each of one
 *   server of the node
 * - pmix.<host>.tool.<pid> and pmix.<host>.tool.<namespace> in the server's directory, for tools
 *   that know which server they want
 * - pmix.<host>.tool there, which the first server of the node keeps while it lives; it is no error
 *   if it is taken
 * - the launcher's file, whose directories are made. */
static int make_tool_files(struct px_rendezvous *rendezvous, const struct px_server *s,
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
        /* The plain name stays with the first server that lives. */
        rc = make_named(rendezvous, true, s->tmpdir, name, NULL);
        rc = rc == PMIX_ERR_EXISTS ? PMIX_SUCCESS : rc;
    }
    if (!rc && opts->launcher_file) {
        rc = make_dirs(rendezvous, opts->launcher_file);
        rc = rc ? rc : make_file(rendezvous, opts->launcher_file, false);
    }
    return rc;
}

static int make_all(struct px_rendezvous *rendezvous, const struct px_server *s,
                    const struct px_rendezvous_opts *opts)
{
    int rc = opts->tools ? make_tool_files(rendezvous, s, opts) : PMIX_SUCCESS;

    return rc || !opts->report ? rc : report(rendezvous, opts->report);
}

/* All or nothing: if one file cannot be made, those before it are removed. */
int px_rendezvous_write(const struct px_server *s, const struct px_rendezvous_opts *opts,
                        struct px_rendezvous **ret)
{
    struct px_rendezvous *rendezvous = calloc(1, sizeof(*rendezvous));
    int rc = rendezvous ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    if (!rc) {
        rendezvous->mode = opts->mode & 0777;
        rendezvous->keep_dirs = opts->keep_dirs;
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
