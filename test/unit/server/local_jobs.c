/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A launcher ends whose process has left the process group that it was given: the process is killed
 * all the same, and the launcher does not wait for it for ever. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>
#include <pmix_tool.h>

enum { SECONDS = 30 };

/* The process of the job: it joins the launcher's group, says so, and stays. fd: where it says it.
 */
static int be_deserter(int fd)
{
    alarm(SECONDS);
    if (setpgid(0, getpgid(getppid())) != 0 || write(fd, "x", 1) != 1) {
        return 1;
    }
    for (;;) {
        (void) pause();
    }
}

static void start_launcher(void)
{
    static pmix_server_module_t module;
    pmix_info_t info[2];
    pmix_proc_t me;

    PMIX_INFO_LOAD(&info[0], PMIX_LAUNCHER, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TOOL_DO_NOT_CONNECT, NULL, PMIX_BOOL);
    assert_int_equal(PMIx_tool_init(&me, info, 2), PMIX_SUCCESS);
    assert_int_equal(PMIx_tool_set_server_module(&module), PMIX_SUCCESS);
}

static void start_deserter(int fd)
{
    char number[16];
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *args[] = {path, number, NULL};
    pmix_app_t app = {.cmd = path, .argv = args, .maxprocs = 1};
    pmix_nspace_t job;

    assert_true(n > 0);
    path[n] = '\0';
    snprintf(number, sizeof(number), "%d", fd);
    assert_int_equal(PMIx_Spawn(NULL, 0, &app, 1, job), PMIX_SUCCESS);
}

static void one_that_leaves_its_group(void **state)
{
    int ends[2];
    char byte;

    (void) state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
    start_launcher();
    start_deserter(ends[1]);
    (void) close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody has the other end any more */
    (void) close(ends[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_leaves_its_group)};

    if (argc > 1) {
        return be_deserter(atoi(argv[1]));
    }
    alarm(SECONDS);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
