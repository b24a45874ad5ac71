/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The state of a process from /proc. It may end at any moment, and wchan and syscall are for those
 * who may trace it. */

#include "proc_state.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* The first line of a file of the process, without its end; "" when there is none. */
static void read_line(pid_t pid, const char *name, char *ret, size_t room)
{
    char path[64];
    FILE *file;

    ret[0] = '\0';
    (void) snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, name);
    file = fopen(path, "re");
    if (!file) {
        return;
    }
    if (!fgets(ret, (int) room, file)) {
        ret[0] = '\0';
    }
    fclose(file);
    ret[strcspn(ret, "\n")] = '\0';
}

/* The calls in which processes of a job are found waiting; others are shown by number. */
static const struct {
    long number;
    const char *name;
} known_calls[] = {
    {SYS_futex, "futex"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_connect, "connect"},
    {SYS_openat, "openat"},
    {SYS_flock, "flock"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
    {SYS_pause, "pause"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
#endif
};

static void name_call(const char *line, char *ret, size_t room)
{
    char *end;
    long number = strtol(line, &end, 10);

    ret[0] = '\0';
    if (end == line || number < 0) {
        return; /* "running", or not told */
    }
    (void) snprintf(ret, room, "system call %ld", number);
    for (size_t i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++) {
        if (known_calls[i].number == number) {
            (void) snprintf(ret, room, "%s", known_calls[i].name);
        }
    }
}

void px_proc_state(pid_t pid, struct px_proc_state *ret)
{
    char line[1024];
    const char *behind;

    memset(ret, 0, sizeof(*ret));
    if (pid <= 0) {
        return;
    }
    read_line(pid, "stat", line, sizeof(line));
    behind = strrchr(line, ')'); /* the name of the program may have any bytes */
    if (!behind || behind[1] != ' ' || !isalpha((unsigned char) behind[2])) {
        return;
    }
    ret->state = behind[2];
    read_line(pid, "wchan", line, sizeof(line));
    if (strcmp(line, "0") != 0) {
        (void) snprintf(ret->wchan, sizeof(ret->wchan), "%.60s", line);
    }
    read_line(pid, "syscall", line, sizeof(line));
    name_call(line, ret->syscall, sizeof(ret->syscall));
}

enum { MAX_ENVIRONMENT = 1 << 20 };

/* True if the process was started with both assignments. */
static bool has_both(pid_t pid, const char *first, const char *second, char *room)
{
    char path[64];
    FILE *file;
    size_t len;
    int n = 0;

    (void) snprintf(path, sizeof(path), "/proc/%d/environ", (int) pid);
    file = fopen(path, "re");
    if (!file) {
        return false;
    }
    len = fread(room, 1, MAX_ENVIRONMENT - 1, file);
    fclose(file);
    room[len] = '\0';
    for (size_t at = 0; at < len; at += strlen(room + at) + 1) {
        n += strcmp(room + at, first) == 0 || strcmp(room + at, second) == 0;
    }
    return n >= 2;
}

pid_t px_proc_find(const char *nspace, uint32_t rank)
{
    char *room = malloc(MAX_ENVIRONMENT);
    DIR *dir = room ? opendir("/proc") : NULL;
    struct dirent *entry;
    char of[320];
    char which[32];
    pid_t found = 0;

    (void) snprintf(of, sizeof(of), "PMIX_NAMESPACE=%.255s", nspace);
    (void) snprintf(which, sizeof(which), "PMIX_RANK=%" PRIu32, rank);
    for (entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        pid_t pid = (pid_t) strtol(entry->d_name, NULL, 10);

        if (pid > 0 && (!found || pid < found) && has_both(pid, of, which, room)) {
            found = pid;
        }
    }
    if (dir) {
        closedir(dir);
    }
    free(room);
    return found;
}

const char *px_proc_state_text(char state)
{
    switch (state) {
    case 0:
    case 'X':
        return "gone";
    case 'R':
        return "running";
    case 'S':
    case 'I':
        return "sleeping";
    case 'D':
        return "in an uninterruptible sleep";
    case 'T':
        return "stopped";
    case 't':
        return "stopped by a debugger";
    case 'Z':
        return "dead, not waited for";
    default:
        return "in a state of its own";
    }
}
