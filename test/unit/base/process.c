/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Parent, start and end of processes, as the kernel tells them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/process.h"
#include "src/base/status.h"

static void parents_and_starts(void **state)
{
    struct px_process self;
    struct px_process child;
    int go[2];
    pid_t pid;

    (void) state;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(prctl(PR_SET_NAME, "a) Z 1 1 (", 0, 0, 0), 0); /* looks like more */
    assert_int_equal(px_process_look(getpid(), &self), 0);
    assert_int_equal(self.parent, getppid());
    assert_false(self.ended);
    assert_in_range(px_process_start_time(&self), 1, (uintmax_t) time(NULL) + 1);
    pid = fork();
    if (pid == 0) {
        char c;

        (void) close(go[1]);
        _exit(read(go[0], &c, 1) == 0 ? 0 : 1);
    }
    assert_int_equal(px_process_look(pid, &child), 0);
    assert_int_equal(child.parent, getpid());
    assert_true(child.started >= self.started);
    assert_true(px_process_descends(pid, pid) && px_process_descends(pid, getppid()));
    assert_false(px_process_descends(getpid(), pid));
    assert_int_equal(px_process_branch(pid, getpid()), pid);
    assert_int_equal(px_process_branch(pid, getppid()), getpid());
    assert_int_equal(px_process_branch(getpid(), pid), 0);
    assert_true(px_process_space() > 0 && px_process_space() == px_process_space());
    (void) close(go[0]);
    (void) close(go[1]);
    assert_int_equal(waitid(P_PID, (id_t) pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    assert_int_equal(px_process_look(pid, &child), 0);
    assert_true(child.ended);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(px_process_look(pid, &child), PX_ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_and_starts),
    };

    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
