/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm: the segments of running servers. Nothing registers them anywhere; they are memfds, and
 * /proc shows who holds a descriptor (the server: readers map and close) and who maps them (its
 * readers). A process may go at any moment: what cannot be read is passed over. */

#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shm.h"

static const char memfd_name[] = "/memfd:shmix (deleted)";

/* The number that a directory's name is, or -1. */
static long number(const char *name)
{
    char *end;
    long n;

    if (!isdigit((unsigned char) name[0])) {
        return -1;
    }
    n = strtol(name, &end, 10);
    return *end == '\0' && n <= INT32_MAX ? n : -1;
}

static bool known(const struct px_shm_list *list, const struct stat *st)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].dev == st->st_dev && list->items[i].ino == st->st_ino) {
            return true;
        }
    }
    return false;
}

static int append(struct px_shm_list *list, const struct px_shm_live *live)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct px_shm_live *grown = realloc(list->items, cap * sizeof *grown);

        if (!grown) {
            return PMIX_ERR_NOMEM;
        }
        list->items = grown;
        list->cap = cap;
    }
    list->items[list->n++] = *live;
    return 0;
}

static int look_at_fd(pid_t pid, int dir, const char *name, struct px_shm_list *list)
{
    char target[sizeof memfd_name + 8];
    ssize_t len = readlinkat(dir, name, target, sizeof target);
    struct stat st;
    struct px_shm_live live = {.pid = pid, .fd = (int) number(name)};

    if (live.fd < 0 || len != (ssize_t) sizeof memfd_name - 1 ||
        memcmp(target, memfd_name, (size_t) len) != 0 || fstatat(dir, name, &st, 0) != 0 ||
        known(list, &st)) {
        return 0;
    }
    live.dev = st.st_dev;
    live.ino = st.st_ino;
    return append(list, &live);
}

static int look_at_process(pid_t pid, struct px_shm_list *list)
{
    char path[32];
    struct dirent *entry;
    int rc = 0;
    DIR *dir;

    (void) snprintf(path, sizeof path, "/proc/%d/fd", (int) pid);
    dir = opendir(path);
    if (!dir) {
        return 0; /* gone, or not ours to look into */
    }
    for (entry = readdir(dir); entry && rc == 0; entry = readdir(dir)) {
        rc = look_at_fd(pid, dirfd(dir), entry->d_name, list);
    }
    closedir(dir);
    return rc;
}

/* Calls fn for each process but this one. */
static int each_process(int (*fn)(pid_t pid, struct px_shm_list *list), struct px_shm_list *list)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int rc = 0;

    if (!dir) {
        return 0;
    }
    for (entry = readdir(dir); entry && rc == 0; entry = readdir(dir)) {
        long pid = number(entry->d_name);

        if (pid > 0 && pid != getpid()) {
            rc = fn((pid_t) pid, list);
        }
    }
    closedir(dir);
    return rc;
}

int px_shm_find(struct px_shm_list *ret)
{
    struct px_shm_list list = {.n = 0};
    int rc = each_process(look_at_process, &list);

    if (rc != 0) {
        px_shm_list_free(&list);
        return rc;
    }
    *ret = list;
    return 0;
}

void px_shm_list_free(struct px_shm_list *list)
{
    free(list->items);
    *list = (struct px_shm_list){.n = 0};
}

int px_shm_open(const struct px_shm_live *live, struct px_store **ret)
{
    char path[48];
    struct stat st;
    int fd;

    (void) snprintf(path, sizeof path, "/proc/%d/fd/%d", (int) live->pid, live->fd);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (fstat(fd, &st) != 0 || st.st_dev != live->dev || st.st_ino != live->ino) {
        close(fd); /* the number means something else by now */
        return PMIX_ERR_NOT_FOUND;
    }
    return px_store_open(fd, ret);
}

/* Whether a process maps the segment, read-only. */
static bool maps(pid_t pid, const struct px_shm_live *live)
{
    char path[32];
    char line[512];
    bool found = false;
    FILE *file;

    (void) snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char mode[5];
        unsigned major;
        unsigned minor;
        uint64_t inode;

        found = sscanf(line, "%*x-%*x %4s %*x %x:%x %" SCNu64, mode, &major, &minor, &inode) == 4 &&
                mode[1] == '-' && inode == live->ino && makedev(major, minor) == live->dev;
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static uint64_t count_readers(const struct px_shm_live *live)
{
    uint64_t n = 0;
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    for (entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        long pid = number(entry->d_name);

        n += pid > 0 && pid != getpid() && maps((pid_t) pid, live);
    }
    if (dir) {
        closedir(dir);
    }
    return n;
}

static void list_one(const struct px_shm_live *live)
{
    struct px_store_info info;
    struct px_store *store;
    int rc = px_shm_open(live, &store);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return; /* gone by now */
    }
    px_out_open(NULL);
    if (rc != 0) {
        px_out_text("unreadable", PMIx_Error_string(rc));
        px_out_number("pid", (uint64_t) live->pid);
    } else {
        px_store_info(store, &info);
        px_out_text("namespace", px_store_nspace(store));
        px_out_number("pid", (uint64_t) live->pid);
        px_out_number("bytes", info.used_bytes);
        px_out_number("ranks", info.n_ranks);
        px_out_number("nodes", info.n_nodes);
        px_out_number("generation", info.generation);
        px_out_number("sequence", info.sequence);
        px_out_number("readers", count_readers(live));
        px_store_destroy(store);
    }
    px_out_close();
}

static void line_of(const struct px_shm_live *live)
{
    struct px_store_info info;
    struct px_store *store;
    int rc = px_shm_open(live, &store);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return;
    }
    if (rc != 0) {
        printf("%8d  (unreadable: %s)\n", (int) live->pid, PMIx_Error_string(rc));
        return;
    }
    px_store_info(store, &info);
    printf("%8d %12" PRIu64 " %8" PRIu32 " %6" PRIu32 " %4" PRIu32 " %8" PRIu64 " %7" PRIu64 "  ",
           (int) live->pid, info.used_bytes, info.n_ranks, info.n_nodes, info.generation,
           info.sequence, count_readers(live));
    px_out_text(NULL, px_store_nspace(store));
    px_store_destroy(store);
}

int px_shm_list(bool json)
{
    struct px_shm_list list;
    int rc = px_shm_find(&list);

    if (rc != 0) {
        return rc;
    }
    if (json) {
        px_out_open_list(NULL);
    } else {
        printf("%8s %12s %8s %6s %4s %8s %7s  %s\n", "pid", "bytes", "ranks", "nodes", "gen",
               "sequence", "readers", "namespace");
    }
    for (size_t i = 0; i < list.n; i++) {
        (json ? list_one : line_of)(&list.items[i]);
    }
    if (json) {
        px_out_close_list();
        px_out_end();
    }
    px_shm_list_free(&list);
    return 0;
}
