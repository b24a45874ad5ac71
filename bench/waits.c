/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "waits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static clockid_t work_clock;
static int of_server = -1, of_self = -1; /* each the schedstat of a thread */

static bool is_progress_thread(pid_t pid, const char *tid)
{
    char path[64], name[32];
    bool is = false;
    FILE *file;

    (void) snprintf(path, sizeof(path), "/proc/%d/task/%.16s/comm", (int) pid, tid);
    file = fopen(path, "re");
    if (file) {
        is = fgets(name, sizeof(name), file) && strcmp(name, "pmix-progress\n") == 0;
        (void) fclose(file);
    }
    return is;
}

/* -1: there is no such thread, or the kernel keeps no times of it. */
static int open_times(pid_t pid, const char *tid)
{
    char path[64];

    (void) snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int) pid, tid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int open_progress_thread(pid_t pid)
{
    char path[32];
    const struct dirent *entry;
    int fd = -1;
    DIR *dir;

    (void) snprintf(path, sizeof(path), "/proc/%d/task", (int) pid);
    dir = opendir(path);
    while (dir && fd < 0 && (entry = readdir(dir))) {
        if (is_progress_thread(pid, entry->d_name)) {
            fd = open_times(pid, entry->d_name);
        }
    }
    if (dir) {
        (void) closedir(dir);
    }
    return fd;
}

bool waits_open(pid_t server)
{
    char tid[16];

    (void) snprintf(tid, sizeof(tid), "%d", (int) gettid());
    of_server = open_progress_thread(server);
    of_self = open_times(getpid(), tid);
    return of_server >= 0 && of_self >= 0 && clock_getcpuclockid(server, &work_clock) == 0;
}

/* A schedstat is three numbers: time on a CPU, time without one while ready, how often. */
static uint64_t waited(int fd)
{
    char text[96];
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    char *second;

    text[n > 0 ? n : 0] = '\0';
    second = strchr(text, ' ');
    return second ? strtoull(second, NULL, 10) : 0;
}

struct waits waits_now(void)
{
    struct timespec work = {0};

    (void) clock_gettime(work_clock, &work);
    return (struct waits){(uint64_t) work.tv_sec * 1000000000U + (uint64_t) work.tv_nsec,
                          waited(of_server), waited(of_self)};
}

struct waits waits_between(struct waits before, struct waits after)
{
    return (struct waits){after.work - before.work, after.server - before.server,
                          after.self - before.self};
}
