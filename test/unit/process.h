/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_PROCESS_H
#define PX_TEST_UNIT_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A case in a process of its own, for what may be done once in a process. cmocka's assertions work
 * in the main program only: the case uses check, which ends its process with 1. */

#define check(e)                                                                                   \
    do {                                                                                           \
        if (!(e)) {                                                                                \
            fprintf(stdout, "# %s:%d: %s\n", __FILE__, __LINE__, #e);                              \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Runs fn in a child, which has 30 seconds. Returns its wait status. */
static inline int status_of(void (*fn)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(30);
        fn();
        exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Asserts that fn returns, in a child. */
static inline void in_process(void (*fn)(void))
{
    int status = status_of(fn);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The cmocka test test_<fn> of a case; how: in_process, or in_scratch (scratch.h). */
#define CASE(how, fn)                                                                              \
    static void test_##fn(void **state)                                                            \
    {                                                                                              \
        (void) state;                                                                              \
        how(fn);                                                                                   \
    }

#endif
