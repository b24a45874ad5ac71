/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Turns of programs that run at once: each case runs as if it were alone, though those that only
 * wait for their time limit do so together. A turn is a lock on a file that all programs name. */

#include "inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* A case only waits if its processes use no more than this between looks, so many times in a row. A
 * look counts when TURN_LOOK_MS have passed since the last one that did: the end of a process calls
 * for one at any time. */
enum { QUIET_LOOKS = 5, QUIET_NS = TURN_LOOK_MS * 10000 };

static int turns_fd = -1;
static bool ours;
static int looks;
static int64_t looked_left;     /* of the case's time, at the last look; 0: there was none */
static unsigned long long used; /* by the processes of the case, as of the last look */

bool turns_use(const char *path)
{
    turns_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return turns_fd >= 0;
}

static unsigned long long used_below(const char *path);

/* Nanoseconds that the threads of a process, and of its descendants, have used; 0 if that cannot be
 * read. Threads that have ended are not counted. */
static unsigned long long used_by(int pid)
{
    unsigned long long sum = 0, ns;
    char path[300];
    DIR *threads;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    threads = opendir(path);
    for (struct dirent *e = threads != NULL ? readdir(threads) : NULL; e != NULL;
         e = readdir(threads)) {
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, e->d_name);
        file = fopen(path, "re");
        if (file == NULL) {
            continue; /* "." and "..", or a thread that has ended */
        }
        sum += fscanf(file, "%llu", &ns) == 1 ? ns : 0;
        fclose(file);
        snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, e->d_name);
        sum += used_below(path);
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return sum;
}

/* The same of the processes that PATH lists. */
static unsigned long long used_below(const char *path)
{
    FILE *list = fopen(path, "re");
    unsigned long long sum = 0;
    int pid;

    while (list != NULL && fscanf(list, "%d", &pid) == 1) {
        sum += used_by(pid);
    }
    if (list != NULL) {
        fclose(list);
    }
    return sum;
}

static unsigned long long used_by_case(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int) getpid());
    return used_below(path);
}

void turn_begin(void)
{
    if (turns_fd < 0) {
        return;
    }
    ours = flock(turns_fd, LOCK_EX) == 0;
    looks = 0;
    looked_left = 0;
    used = 0;
}

void turn_end(void)
{
    if (ours) {
        flock(turns_fd, LOCK_UN);
        ours = false;
    }
}

int64_t turn_look(int64_t left)
{
    unsigned long long now;

    if (!ours || left <= TURN_LOOK_MS) {
        return left;
    }
    if (looked_left > 0 && looked_left - left < TURN_LOOK_MS) {
        return TURN_LOOK_MS - (looked_left - left);
    }
    now = used_by_case();
    looks = looked_left > 0 && now > 0 && now >= used && now - used <= QUIET_NS ? looks + 1 : 0;
    looked_left = left;
    used = now;
    if (looks < QUIET_LOOKS) {
        return TURN_LOOK_MS;
    }
    turn_end();
    return left;
}
