/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A state says more than was asked: a thread that is asleep in a system call, or has run for long
 * enough, has returned from every call whose last store came before that. So many callbacks of one
 * thread take one look. */

#include "src/loop/callers.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/epoch.h"

struct px_caller px_caller_self(void)
{
    const struct px_reader *self = px_reader_self;
    struct px_caller caller = {0};

    (void) pthread_getcpuclockid(pthread_self(), &caller.clock); /* of this thread: cannot fail */
    caller.tid = self && self->number != PX_READERS ? self->tid : (uint64_t) syscall(SYS_gettid);
    return caller;
}

/* True if the thread sleeps in a system call, has ended, or is not shown by the kernel. The file
 * has "running", or the number of the system call and its arguments; the number is -1 if the thread
 * was interrupted elsewhere (a page fault, a debugger). */
static bool is_in_system_call(uint64_t tid)
{
    char path[64];
    char first;
    int fd;

    (void) snprintf(path, sizeof(path), "/proc/self/task/%llu/syscall", (unsigned long long) tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return true;
    }
    if (read(fd, &first, 1) != 1) {
        first = '0'; /* it has just ended */
    }
    (void) close(fd);
    return isdigit((unsigned char) first) != 0;
}

/* Looks whether a thread has run long enough since it was looked at first. */
static void look(struct px_caller_state *state, clockid_t clock, uint64_t now)
{
    struct timespec ts;
    uint64_t ran;

    if (clock_gettime(clock, &ts)) {
        return; /* it has ended: nor is there a file about it */
    }
    ran = (uint64_t) ts.tv_sec * 1000000000 + (uint64_t) ts.tv_nsec;
    if (state->since != 0 && ran >= state->ran + PX_CALLER_RUN_NS) {
        state->out = state->since;
        state->since = 0;
    }
    if (state->since == 0 || ran < state->ran) { /* less: another thread has its id */
        state->since = now;
        state->ran = ran;
    }
}

bool px_callers_returned(struct px_callers *callers, const struct px_caller *caller, uint64_t left,
                         uint64_t now)
{
    struct px_caller_state *state = &callers->at[caller->tid % PX_CALLERS];

    if (state->tid != caller->tid) {
        *state = (struct px_caller_state){.tid = caller->tid};
    }
    if (left > state->out && state->looked != now) {
        state->looked = now;
        look(state, caller->clock, now);
        if (left > state->out && is_in_system_call(caller->tid)) {
            state->out = now;
        }
    }
    return left <= state->out;
}
