/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The segments of running servers. Nothing registers them anywhere; they are memfds, and
 * /proc shows who holds a descriptor (the server: readers map and close) and who maps them (its
 * readers). A process may go at any moment: what cannot be read is passed over. */

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

#include "find.h"
#include "src/base/array.h"
#include "src/base/status.h"

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

static struct px_shm_live *lookup(const struct px_shm_list *list, dev_t dev, ino_t ino)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].ino == ino && list->items[i].dev == dev) {
            return &list->items[i];
        }
    }
    return NULL;
}

static int append(struct px_shm_list *list, const struct px_shm_live *live)
{
    if (px_array_room(&list->items, list->n, &list->cap, sizeof(*list->items)) != PX_OK) {
        return PX_ERR_NOMEM;
    }
    list->items[list->n++] = *live;
    return 0;
}

static int look_at_fd(pid_t pid, int dir, const char *name, struct px_shm_list *list)
{
    char target[sizeof(list->target)];
    ssize_t len = readlinkat(dir, name, target, sizeof(target));
    struct stat st;
    struct px_shm_live live = {.pid = pid, .fd = (int) number(name)};

    if (live.fd < 0 || len != (ssize_t) strlen(list->target) ||
        memcmp(target, list->target, (size_t) len) != 0 || fstatat(dir, name, &st, 0) != 0 ||
        lookup(list, st.st_dev, st.st_ino)) {
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

    (void) snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
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

int px_shm_find_named(const char *label, pid_t pid, struct px_shm_list *ret)
{
    struct px_shm_list list = {.n = 0};
    int rc;

    (void) snprintf(list.target, sizeof(list.target), "/memfd:%.20s (deleted)", label);
    rc = pid ? look_at_process(pid, &list) : each_process(look_at_process, &list);
    if (rc != 0) {
        px_shm_list_free(&list);
        return rc;
    }
    *ret = list;
    return 0;
}

int px_shm_find(pid_t pid, struct px_shm_list *ret)
{
    return px_shm_find_named("shmix", pid, ret);
}

void px_shm_list_free(struct px_shm_list *list)
{
    free(list->items);
    *list = (struct px_shm_list){.n = 0};
}

int px_shm_fd(const struct px_shm_live *live)
{
    char path[48];
    struct stat st;
    int fd;

    (void) snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int) live->pid, live->fd);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_dev != live->dev || st.st_ino != live->ino)) {
        close(fd); /* the number means something else by now */
        fd = -1;
    }
    return fd;
}

/* Counts a process as a reader of what it maps read-only, once however many mappings it has. */
static int look_at_maps(pid_t pid, struct px_shm_list *list)
{
    char path[32];
    char line[512];
    FILE *file;

    (void) snprintf(path, sizeof(path), "/proc/%d/maps", (int) pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        char mode[5];
        unsigned major;
        unsigned minor;
        uint64_t inode;
        struct px_shm_live *live;

        if (sscanf(line, "%*x-%*x %4s %*x %x:%x %" SCNu64, mode, &major, &minor, &inode) != 4 ||
            mode[1] != '-') {
            continue;
        }
        live = lookup(list, makedev(major, minor), inode);
        if (live && live->seen != pid) {
            live->seen = pid;
            live->readers++;
        }
    }
    if (file) {
        fclose(file);
    }
    return 0;
}

void px_shm_count_readers(struct px_shm_list *list)
{
    (void) each_process(look_at_maps, list); /* it never fails */
}
