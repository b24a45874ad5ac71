/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_LOOP_ASLEEP_H
#define PX_TEST_UNIT_LOOP_ASLEEP_H

/* Waiting until another thread waits for something. Included after cmocka. */

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"

/* The system calls in which a loop's own thread sleeps, and a thread that has borrowed something of
 * the loop. */
#ifdef SYS_epoll_wait
enum { PROGRESS_SLEEPS = SYS_epoll_wait, WAITER_SLEEPS = SYS_poll };
#else
enum { PROGRESS_SLEEPS = SYS_epoll_pwait, WAITER_SLEEPS = SYS_ppoll };
#endif

static inline pid_t thread_id(void)
{
    return (pid_t) syscall(SYS_gettid);
}

/* The state of a thread of this process as the kernel says it: 'R', 'S' and others. */
static inline char thread_state(pid_t tid)
{
    char path[64];
    char line[512];
    const char *behind;
    FILE *file;

    (void) snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int) tid);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    (void) fclose(file);
    behind = strrchr(line, ')');
    assert_non_null(behind);
    return behind[2];
}

/* Returns when the thread sleeps in the kernel. */
static inline void await_sleep(pid_t tid)
{
    while (thread_state(tid) != 'S') {
        (void) sched_yield();
    }
}

/* Returns when the thread is in this system call, which is none that it ends by itself. */
static inline void await_call(pid_t tid, long call)
{
    char path[64];
    long now = -1;

    (void) snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int) tid);
    while (now != call) {
        FILE *file = fopen(path, "re");

        assert_non_null(file);
        if (fscanf(file, "%ld", &now) != 1) { /* it runs */
            now = -1;
        }
        (void) fclose(file);
        (void) sched_yield();
    }
}

/* A task that reports the thread it runs in (await_idle). */
struct idle {
    struct px_task task;
    struct px_wait wait;
    pid_t tid;
};

static inline void say_tid(struct px_task *task)
{
    struct idle *idle = px_container_of(task, struct idle, task);

    idle->tid = thread_id();
    px_wait_done(&idle->wait, 0);
}

/* Returns when the loop's own thread sleeps in the kernel. */
static inline void await_idle(struct px_loop *loop)
{
    struct idle idle = {.task.run = say_tid};

    px_wait_init(&idle.wait);
    px_loop_post(loop, &idle.task);
    assert_int_equal(px_wait_for(&idle.wait), 0);
    await_call(idle.tid, PROGRESS_SLEEPS);
}

#endif
