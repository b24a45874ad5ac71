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

enum { THREADS_MAX = 8 };

/* The times of threads of one process: each a schedstat. */
struct threads {
    int fds[THREADS_MAX];
    unsigned n;
};

static clockid_t work_clock;
static struct threads of_server, of_self;

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

static bool is_thread(pid_t pid, const char *tid)
{
    (void) pid;
    return tid[0] != '.';
}

/* Opens the times of those threads of a process that are wanted. False: of none. */
static bool open_times(struct threads *ret, pid_t pid, bool (*wanted)(pid_t pid, const char *tid))
{
    char path[64];
    const struct dirent *entry;
    DIR *dir;

    (void) snprintf(path, sizeof(path), "/proc/%d/task", (int) pid);
    dir = opendir(path);
    while (dir && ret->n < THREADS_MAX && (entry = readdir(dir))) {
        if (wanted(pid, entry->d_name)) {
            (void) snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int) pid,
                            entry->d_name);
            ret->fds[ret->n] = open(path, O_RDONLY | O_CLOEXEC);
            ret->n += ret->fds[ret->n] >= 0;
        }
    }
    if (dir) {
        (void) closedir(dir);
    }
    return ret->n > 0;
}

bool waits_open(pid_t server)
{
    return open_times(&of_server, server, is_progress_thread) &&
           open_times(&of_self, getpid(), is_thread) &&
           clock_getcpuclockid(server, &work_clock) == 0;
}

/* A schedstat is three numbers: time on a CPU, time without one while ready, how often. */
static uint64_t waited(const struct threads *threads)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < threads->n; i++) {
        char text[96];
        ssize_t n = pread(threads->fds[i], text, sizeof(text) - 1, 0);
        const char *second;

        text[n > 0 ? n : 0] = '\0';
        second = strchr(text, ' ');
        sum += second ? strtoull(second, NULL, 10) : 0;
    }
    return sum;
}

struct waits waits_now(void)
{
    struct timespec work = {0};

    (void) clock_gettime(work_clock, &work);
    return (struct waits){(uint64_t) work.tv_sec * 1000000000U + (uint64_t) work.tv_nsec,
                          waited(&of_server), waited(&of_self)};
}

struct waits waits_between(struct waits before, struct waits after)
{
    return (struct waits){after.work - before.work, after.server - before.server,
                          after.self - before.self};
}
