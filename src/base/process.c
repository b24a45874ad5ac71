/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reads /proc/<pid>/stat. The name of the program in it may contain anything, so the fields are
 * counted from the last closing parenthesis. */

#include "process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "status.h"

int px_process_look(pid_t pid, struct px_process *ret)
{
    char path[64];
    char line[1024];
    unsigned long long started;
    const char *at;
    char state;
    int parent;
    FILE *f;
    size_t n;

    (void) snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    f = fopen(path, "re");
    if (!f) {
        return PX_ERR_NOT_FOUND;
    }
    n = fread(line, 1, sizeof(line) - 1, f);
    line[n] = 0;
    (void) fclose(f);
    at = strrchr(line, ')'); /* the name in parentheses may hold anything */
    /* Fields 3, 4 and 22. */
    if (!at || sscanf(at + 1,
                      " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
                      "%llu",
                      &state, &parent, &started) != 3) {
        return PX_ERR_NOT_FOUND;
    }
    *ret = (struct px_process){
        .parent = (pid_t) parent, .started = started, .ended = state == 'Z' || state == 'X'};
    return PX_OK;
}

/* How many ancestors of a process are examined. */
enum { GENERATIONS = 64 };

bool px_process_descends(pid_t pid, pid_t from)
{
    return pid > 1 && (pid == from || px_process_branch(pid, from) != 0);
}

pid_t px_process_branch(pid_t pid, pid_t from)
{
    struct px_process process;

    for (unsigned i = 0; i < GENERATIONS && pid > 1 && !px_process_look(pid, &process); i++) {
        if (process.parent == from) {
            return pid;
        }
        pid = process.parent;
    }
    return 0;
}

uint64_t px_process_space(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t) st.st_ino : 0;
}

/* The time of the boot is the wall clock less the time since boot, suspensions included. */
int64_t px_process_start_time(const struct px_process *process)
{
    long per_second = sysconf(_SC_CLK_TCK);
    struct timespec now = {0};
    struct timespec up = {0};

    (void) clock_gettime(CLOCK_REALTIME, &now);
    (void) clock_gettime(CLOCK_BOOTTIME, &up);
    return (int64_t) now.tv_sec - (int64_t) up.tv_sec +
           (int64_t) (process->started / (uint64_t) (per_second > 0 ? per_second : 100));
}
