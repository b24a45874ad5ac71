/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which libpmix is opened by whom. The loader is asked itself: with LD_TRACE_LOADED_OBJECTS it
 * prints what a program would load, with the rules, paths and caches that it has, and runs nothing.
 * A library is asked for its version in a process of its own. */

#include "doctor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmix.h>

#include "src/base/param_file.h"

#define SONAME "libpmix.so.2"

enum { PATIENCE_S = 10 }; /* for a process that examines one library */

/* Begins a process of ours that writes to a pipe. 0 in it, its number otherwise, and *ret_fd to
 * read from; -1. */
static pid_t begin(int *ret_fd)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0) {
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        (void) alarm(PATIENCE_S);
        (void) dup2(ends[1], STDOUT_FILENO);
        (void) dup2(null, STDIN_FILENO);
        (void) dup2(null, STDERR_FILENO); /* complaints about what cannot be loaded */
        (void) close(ends[0]);
        (void) close(ends[1]);
    } else {
        (void) close(ends[1]);
        *ret_fd = ends[0];
    }
    if (pid < 0) {
        (void) close(ends[0]);
    }
    return pid;
}

/* Reads what the process writes, to its end or as much as there is room for. */
static void finish(pid_t pid, int fd, char *room, size_t n)
{
    size_t len = 0;
    ssize_t got = 1;

    while (got > 0 && len + 1 < n) {
        got = read(fd, room + len, n - 1 - len);
        len += got > 0 ? (size_t) got : 0;
    }
    room[len] = '\0';
    (void) close(fd);
    (void) waitpid(pid, NULL, 0);
}

/* The path of the first libpmix in the loader's list, which has lines "NAME => PATH (ADDRESS)", and
 * "PATH (ADDRESS)" for what was named by its path. False: there is none. */
static bool take_path(char *listed, char *room, size_t n)
{
    char *rest = NULL;

    for (char *line = strtok_r(listed, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *arrow = strstr(line, "=> ");
        const char *path = arrow != NULL ? arrow + 3 : line + strspn(line, " \t");

        if (strstr(line, "libpmix.so") != NULL && path[0] == '/') {
            (void) snprintf(room, n, "%.*s", (int) strcspn(path, " "), path);
            return true;
        }
    }
    return false;
}

/* The libpmix that comes with this library, by name or path, as the loader would load it for a
 * program without paths of its own. False: none, or the library is not to be had. */
static bool loaded_with(const char *library, char *room, size_t n)
{
    char preload[PATH_MAX * 2];
    const char *before = getenv("LD_PRELOAD");
    char listed[16384];
    int fd;
    pid_t pid;

    (void) snprintf(preload, sizeof(preload), "%s%s%s", before != NULL ? before : "",
                    before != NULL ? ":" : "", library);
    pid = begin(&fd);
    if (pid == 0) {
        (void) setenv("LD_PRELOAD", preload, 1);
        (void) setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        (void) execl("/bin/true", "true", (char *) NULL);
        _exit(127);
    }
    if (pid < 0) {
        return false;
    }
    finish(pid, fd, listed, sizeof(listed));
    return take_path(listed, room, n);
}

/* Leaves the name and the release of a version text. */
static void trim(char *version)
{
    char *end = strstr(version, " (");

    version[strcspn(version, "\n")] = '\0';
    if (end != NULL) {
        *end = '\0';
    }
}

/* What PMIx_Get_version of the library says; "" if it cannot be loaded, or has none. */
static void ask_version(const char *path, char *room, size_t n)
{
    int fd;
    pid_t pid = begin(&fd);

    room[0] = '\0';
    if (pid == 0) {
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *(*ask)(void) = NULL;

        if (handle != NULL) {
            *(void **) &ask = dlsym(handle, "PMIx_Get_version");
        }
        if (ask != NULL) {
            const char *version = ask();

            (void) !write(STDOUT_FILENO, version, strlen(version));
        }
        _exit(0);
    }
    if (pid > 0) {
        finish(pid, fd, room, n);
        trim(room);
    }
}

/* The first number of a version text; 0: there is none. */
static int major_of(const char *version)
{
    const char *digits = strpbrk(version, "0123456789");

    return digits != NULL ? atoi(digits) : 0;
}

/* Adds a library that somebody opens, and says if it is older than what a server speaks to. */
static void add_library(const char *who, const char *path)
{
    char version[256];

    ask_version(path, version, sizeof(version));
    px_doctor_library(who, path, version[0] != '\0' ? version : NULL);
    if (version[0] == '\0') {
        px_doctor_find(PX_PROBLEM, "ask the loader why: LD_DEBUG=libs with that program",
                       "%s opens %s, which cannot be loaded or is no PMIx library", who, path);
    } else if (strncmp(version, "OpenPMIx ", 9) == 0 && major_of(version) < 4) {
        px_doctor_find(PX_PROBLEM, "replace it with a release from 4.2 on",
                       "%s opens %s of release %d: servers and clients of this library refuse it",
                       who, path, major_of(version));
    }
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* The library of this command, and that of a program without a path of its own. */
static void look_at_loader(void)
{
    char path[PATH_MAX];
    char version[256];
    Dl_info own = {0};
    void *address = NULL;

    *(const char *(**) (void) ) & address = PMIx_Get_version;
    (void) dladdr(address, &own);
    (void) snprintf(version, sizeof(version), "%s", PMIx_Get_version());
    trim(version);
    px_doctor_library("this command", own.dli_fname != NULL ? own.dli_fname : "?", version);
    if (strstr(PMIx_Get_version(), "shmix") == NULL) {
        px_doctor_find(PX_WARNING, "look at LD_LIBRARY_PATH, LD_PRELOAD and /etc/ld.so.conf.d",
                       "this command gets %s, a library of another project: what is said of "
                       "servers is what that one finds",
                       own.dli_fname != NULL ? own.dli_fname : "?");
    }
    if (!loaded_with(SONAME, path, sizeof(path))) {
        px_doctor_find(PX_WARNING,
                       "name its directory in LD_LIBRARY_PATH, or in /etc/ld.so.conf.d and run "
                       "ldconfig",
                       "the loader finds no %s: programs without a path of their own do not start",
                       SONAME);
        return;
    }
    add_library("the loader", path);
    if (own.dli_fname != NULL && !is_same_file(path, own.dli_fname)) {
        px_doctor_find(PX_WARNING,
                       "set LD_LIBRARY_PATH to the directory of the library that is meant, or "
                       "link with its path (pmixcc, -Wl,-rpath)",
                       "programs without a path of their own get %s, not %s", path, own.dli_fname);
    }
}

/* Several libraries in the directories of LD_LIBRARY_PATH. */
static void look_at_path(void)
{
    char dirs[8192];
    char first[PATH_MAX] = "";
    char *rest = NULL;
    const char *value = getenv("LD_LIBRARY_PATH");

    (void) snprintf(dirs, sizeof(dirs), "%s", value != NULL ? value : "");
    for (char *dir = strtok_r(dirs, ":;", &rest); dir != NULL; dir = strtok_r(NULL, ":;", &rest)) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", dir, SONAME) >= (int) sizeof(path) ||
            access(path, R_OK) != 0) {
            continue;
        }
        if (first[0] == '\0') {
            memcpy(first, path, sizeof(first));
        } else if (!is_same_file(first, path)) {
            add_library("nobody, it is behind the first in LD_LIBRARY_PATH", path);
            px_doctor_find(PX_WARNING, "take the directory that is not meant out of the variable",
                           "LD_LIBRARY_PATH has two libraries, %s and %s: programs get the first",
                           first, path);
        }
    }
}

/* The longest word of the bytes that is libpmix.so or libpmix.so.N, or a path to it; false: none.
 */
static bool longest_name(const char *bytes, size_t size, char *room, size_t n)
{
    static const char name[] = "libpmix.so";
    const char *end = bytes + size;
    const char *at = memmem(bytes, size, name, strlen(name));
    size_t best = 0;

    for (; at != NULL; at = memmem(at, (size_t) (end - at), name, strlen(name))) {
        const char *start = at;

        while (start > bytes && start[-1] > ' ' && start[-1] < 127) {
            start--;
        }
        for (at += strlen(name); at<end && * at> ' ' && *at < 127;) {
            at++;
        }
        if ((size_t) (at - start) > best && (*start == '/' || *start == 'l')) {
            best = (size_t) (at - start);
            (void) snprintf(room, n, "%.*s", (int) best, start);
        }
    }
    return best > 0;
}

enum { PLUGIN_MOST = 4 << 20 }; /* bytes of a plugin that are looked at */

/* The directory that a plugin puts before the name of its library: the first string of its own that
 * is a path and ends as --with-pmix makes it, in lib or lib64. False: none, the loader looks. */
static bool directory_of(const char *bytes, size_t size, char *room, size_t n)
{
    const char *end = bytes + size;

    for (const char *at = bytes; at < end; at += strnlen(at, (size_t) (end - at)) + 1) {
        size_t len = strnlen(at, (size_t) (end - at));

        if (*at == '/' && len < n &&
            ((len > 4 && memcmp(at + len - 4, "/lib", 4) == 0) ||
             (len > 6 && memcmp(at + len - 6, "/lib64", 6) == 0))) {
            (void) snprintf(room, n, "%.*s", (int) len, at);
            return true;
        }
    }
    return false;
}

/* The name or path by which a Slurm plugin opens its library. False: it has none. */
static bool name_in_plugin(const char *plugin, char *room, size_t n)
{
    char dir[PATH_MAX] = "";
    char name[PATH_MAX];
    int fd = open(plugin, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *bytes = fd >= 0 ? malloc(PLUGIN_MOST) : NULL;
    ssize_t got = bytes != NULL ? read(fd, bytes, PLUGIN_MOST) : -1;
    bool found = got > 0 && longest_name(bytes, (size_t) got, name, sizeof(name));

    if (found && name[0] != '/' && directory_of(bytes, (size_t) got, dir, sizeof(dir) - 1)) {
        strcat(dir, "/");
    }
    found = found && snprintf(room, n, "%s%s", dir, name) < (int) n;
    free(bytes);
    if (fd >= 0) {
        (void) close(fd);
    }
    return found;
}

/* Slurm's plugins open their library by name or path when a step starts. */
static void look_at_slurm(const char *dir, const char *file)
{
    char plugin[PATH_MAX];
    char name[PATH_MAX];
    char path[PATH_MAX];
    char who[PATH_MAX + 32];

    (void) snprintf(plugin, sizeof(plugin), "%s/%s", dir, file);
    (void) snprintf(who, sizeof(who), "Slurm's plugin %s", plugin);
    if (!name_in_plugin(plugin, name, sizeof(name))) {
        return;
    }
    if (loaded_with(name, path, sizeof(path))) {
        add_library(who, path);
    } else {
        px_doctor_find(PX_PROBLEM, "make that name lead to a PMIx library where slurmd runs",
                       "%s opens %s, which the loader does not find", who, name);
    }
}

/* The components and libraries of Open MPI are linked with theirs. */
static void look_at_openmpi(const char *dir, const char *file)
{
    char library[PATH_MAX];
    char path[PATH_MAX];
    char who[PATH_MAX + 32];

    (void) snprintf(library, sizeof(library), "%s%s%s", dir, dir[0] != '\0' ? "/" : "", file);
    if (loaded_with(library, path, sizeof(path))) {
        (void) snprintf(who, sizeof(who), "Open MPI's %s", library);
        add_library(who, path);
    }
}

/* Calls fn for the files of a directory whose names begin so and end with .so. */
static void for_files(const char *dir, const char *prefix,
                      void (*fn)(const char *dir, const char *file))
{
    DIR *d = opendir(dir);
    const struct dirent *entry = d != NULL ? readdir(d) : NULL;

    for (int i = 0; entry != NULL && i < 4096; i++, entry = readdir(d)) {
        size_t len = strlen(entry->d_name);

        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && len > 3 &&
            strcmp(entry->d_name + len - 3, ".so") == 0) {
            fn(dir, entry->d_name);
        }
    }
    if (d != NULL) {
        (void) closedir(d);
    }
}

/* px_param_line_fn: the plugins of the directories that slurm.conf names. */
static int take_slurm_line(void *arg, unsigned number, const char *name, const char *value)
{
    char dirs[8192];
    char *rest = NULL;

    (void) arg;
    (void) number;
    if (value != NULL && strcasecmp(name, "PluginDir") == 0) {
        (void) snprintf(dirs, sizeof(dirs), "%s", value);
        for (char *dir = strtok_r(dirs, ":", &rest); dir != NULL;
             dir = strtok_r(NULL, ":", &rest)) {
            for_files(dir, "mpi_pmix", look_at_slurm);
        }
    }
    return 0;
}

void px_doctor_libraries(void)
{
    static const char *const slurm[] = {"/usr/lib/x86_64-linux-gnu/slurm-wlm",
                                        "/usr/lib/aarch64-linux-gnu/slurm-wlm", "/usr/lib64/slurm",
                                        "/usr/lib/slurm", "/usr/local/lib/slurm"};
    static const char *const openmpi[] = {"/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3",
                                          "/usr/lib/aarch64-linux-gnu/openmpi/lib/openmpi3",
                                          "/usr/lib64/openmpi/lib/openmpi"};
    const char *conf = getenv("SLURM_CONF");

    look_at_loader();
    look_at_path();
    (void) px_param_file_read(conf != NULL ? conf : "/etc/slurm/slurm.conf", take_slurm_line, NULL);
    for (size_t i = 0; i < sizeof(slurm) / sizeof(slurm[0]); i++) {
        for_files(slurm[i], "mpi_pmix", look_at_slurm);
    }
    look_at_openmpi("", "libmpi.so.40");
    for (size_t i = 0; i < sizeof(openmpi) / sizeof(openmpi[0]); i++) {
        for_files(openmpi[i], "mca_pmix_ext", look_at_openmpi);
    }
}
