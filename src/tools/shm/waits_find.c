/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The areas of open waits of the servers on this node, found as segments are, and who maps segments
 * without a server. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <dirent.h>
#include <unistd.h>

#include "find.h"
#include "shmem/segment.h"
#include "src/base/array.h"
#include "src/base/status.h"
#include "waits.h"

/* Reads one area. Gone by now: nothing is added. 0 or PX_ERR_NOMEM. */
static int add_server(const struct px_shm_live *live, struct px_waits_all *all)
{
    struct px_waits_server server = {.pid = live->pid};
    struct px_segment seg;
    int fd = px_shm_fd(live);
    int rc = fd < 0 ? 0 : px_segment_open(fd, &seg);

    if (fd < 0) {
        return 0;
    }
    if (px_array_room(&all->servers, all->n_servers, &all->servers_room, sizeof(server))) {
        return PX_ERR_NOMEM;
    }
    if (rc == 0) {
        server.copy = malloc(sizeof(*server.copy));
        rc = server.copy ? px_waits_copy(seg.base, seg.size, server.copy) : PX_ERR_NOMEM;
        px_segment_close(&seg);
    }
    if (rc) {
        free(server.copy);
        server.copy = NULL;
        server.unreadable = rc == PX_ERR_NOMEM            ? "out of memory"
                            : rc == PX_ERR_NO_PERMISSIONS ? "not sealed"
                                                          : "of another version, or damaged";
    } else {
        server.pid = (pid_t) server.copy->area.head.pid;
    }
    all->servers[all->n_servers++] = server;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct px_waits_server *x = a;
    const struct px_waits_server *y = b;
    int order =
        x->copy && y->copy ? strcmp(x->copy->area.head.nspace, y->copy->area.head.nspace) : 0;

    if (!order && x->copy && y->copy) {
        order = x->copy->area.head.rank < y->copy->area.head.rank   ? -1
                : x->copy->area.head.rank > y->copy->area.head.rank ? 1
                                                                    : 0;
    }
    return order ? order : x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* True if the process maps segments read-only, and no server has one of them. */
static bool is_orphan(pid_t pid, const struct px_shm_list *held)
{
    char name[32];
    char line[512];
    bool maps = false;
    bool served = false;
    FILE *file;

    (void) snprintf(name, sizeof(name), "/proc/%d/maps", (int) pid);
    file = fopen(name, "re");
    while (file && fgets(line, sizeof(line), file)) {
        char mode[5];
        unsigned major;
        unsigned minor;
        uint64_t inode;

        if (!strstr(line, "/memfd:shmix (deleted)") ||
            sscanf(line, "%*x-%*x %4s %*x %x:%x %" SCNu64, mode, &major, &minor, &inode) != 4) {
            continue;
        }
        maps = true;
        served = served || mode[1] != '-';
        for (size_t i = 0; i < held->n && !served; i++) {
            served = held->items[i].ino == inode && held->items[i].dev == makedev(major, minor);
        }
    }
    if (file) {
        fclose(file);
    }
    return maps && !served;
}

/* 0 or PX_ERR_NOMEM. */
static int find_orphans(struct px_waits_all *all)
{
    struct px_shm_list held;
    struct dirent *entry;
    DIR *dir;
    int rc = px_shm_find(0, &held);

    dir = rc ? NULL : opendir("/proc");
    for (entry = dir ? readdir(dir) : NULL; entry && !rc; entry = readdir(dir)) {
        pid_t pid = (pid_t) strtol(entry->d_name, NULL, 10);

        if (pid <= 0 || pid == getpid() || !is_orphan(pid, &held)) {
            continue;
        }
        rc =
            px_array_room(&all->orphans, all->n_orphans, &all->orphans_room, sizeof(*all->orphans));
        if (!rc) {
            all->orphans[all->n_orphans++].pid = pid;
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (!rc) {
        px_shm_list_free(&held);
    }
    return rc ? PX_ERR_NOMEM : 0;
}

int px_waits_find(struct px_waits_all *ret)
{
    struct px_waits_all all = {0};
    struct px_shm_list list;
    int rc = px_shm_find_named(PX_WAITS_LABEL, 0, &list);

    if (rc) {
        return PX_ERR_NOMEM;
    }
    for (size_t i = 0; i < list.n && !rc; i++) {
        rc = add_server(&list.items[i], &all);
    }
    px_shm_list_free(&list);
    rc = rc ? rc : find_orphans(&all);
    if (rc) {
        px_waits_all_free(&all);
        return rc;
    }
    if (all.n_servers) {
        qsort(all.servers, all.n_servers, sizeof(*all.servers), by_name);
    }
    *ret = all;
    return 0;
}

void px_waits_all_free(struct px_waits_all *all)
{
    for (size_t i = 0; i < all->n_servers; i++) {
        free(all->servers[i].copy);
    }
    free(all->servers);
    free(all->orphans);
    *all = (struct px_waits_all){0};
}
