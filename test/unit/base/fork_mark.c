/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/base/fork_mark.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Whether madvise is that of an emulator which accepts any advice and follows none. */
static bool indifferent;

int madvise(void *at, size_t size, int advice)
{
    return indifferent ? 0 : (int) syscall(SYS_madvise, at, size, advice);
}

/* What a child says of the mark, as its exit code. */
static int said_by(pid_t child)
{
    int status;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void in_children(const struct px_fork_mark *mark)
{
    pid_t child = fork();

    if (child == 0) {
        pid_t grandchild = fork();
        int status = 0;

        if (grandchild == 0) {
            _exit(px_fork_mark_is_ours(mark));
        }
        (void) waitpid(grandchild, &status, 0);
        _exit(px_fork_mark_is_ours(mark) || status != 0);
    }
    assert_int_equal(said_by(child), 0);
    /* A child of which the C library knows nothing. */
    child = (pid_t) syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        (void) syscall(SYS_exit_group, px_fork_mark_is_ours(mark) ? 1 : 0);
    }
    assert_int_equal(said_by(child), 0);
    assert_true(px_fork_mark_is_ours(mark));
}

static void children_know_that_they_are(void **state)
{
    struct px_fork_mark mark;

    (void) state;
    px_fork_mark_init(&mark);
    assert_true(px_fork_mark_is_ours(&mark));
    in_children(&mark);
    px_fork_mark_fini(&mark);
    px_fork_mark_fini(&mark);
}

static void without_the_page_too(void **state)
{
    struct px_fork_mark mark;

    (void) state;
    px_fork_mark_init(&mark);
    px_fork_mark_fini(&mark);
    assert_null(mark.page);
    assert_true(px_fork_mark_is_ours(&mark));
    in_children(&mark);
}

static void advice_that_is_not_followed(void **state)
{
    struct px_fork_mark mark;

    (void) state;
    indifferent = true;
    px_fork_mark_init(&mark);
    indifferent = false;
    assert_null(mark.page);
    assert_true(px_fork_mark_is_ours(&mark));
    in_children(&mark);
    px_fork_mark_fini(&mark);
}

static void a_child_makes_its_own(void **state)
{
    struct px_fork_mark mark;
    pid_t child = fork();

    (void) state;
    if (child == 0) {
        px_fork_mark_init(&mark);
        _exit(px_fork_mark_is_ours(&mark) ? 0 : 1);
    }
    assert_int_equal(said_by(child), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_know_that_they_are),
        cmocka_unit_test(without_the_page_too),
        cmocka_unit_test(advice_that_is_not_followed),
        cmocka_unit_test(a_child_makes_its_own),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
