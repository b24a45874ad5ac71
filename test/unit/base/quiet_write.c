/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writes that the kernel refuses, with the default action for its signals. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "src/base/quiet_write.h"
#include "test/unit/process.h"

static bool is_pending(int signal)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

static bool is_blocked(int signal)
{
    sigset_t blocked;

    return sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, signal) == 1;
}

static void writes(void)
{
    int ends[2];
    char got[4] = "";

    check(pipe(ends) == 0);
    errno = ENOENT;
    check(px_quiet_write(ends[1], "abc", 3) == 3 && errno == ENOENT);
    check(read(ends[0], got, sizeof(got)) == 3 && strcmp(got, "abc") == 0);
}
CASE(in_process, writes)

static void nobody_reads(void)
{
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0);
    check(px_quiet_write(ends[1], "abc", 3) == -1 && errno == EPIPE);
    check(!is_pending(SIGPIPE) && !is_blocked(SIGPIPE));
    check(px_quiet_write(ends[1], "abc", 3) == -1 && errno == EPIPE);
}
CASE(in_process, nobody_reads)

static void a_file_is_too_large(void)
{
    const struct rlimit limit = {4, 4};
    int fd = memfd_create("quiet_write", 0);

    check(fd >= 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    check(px_quiet_write(fd, "abcdef", 6) == 4);
    check(px_quiet_write(fd, "ef", 2) == -1 && errno == EFBIG);
    check(!is_pending(SIGXFSZ) && !is_blocked(SIGXFSZ));
}
CASE(in_process, a_file_is_too_large)

static void parts(void)
{
    const struct iovec both[] = {{(void *) "ab", 2}, {(void *) "cd", 2}};
    char got[8] = "";
    int ends[2];

    check(pipe(ends) == 0 && px_quiet_writev(ends[1], both, 2) == 4);
    check(read(ends[0], got, sizeof(got)) == 4 && strcmp(got, "abcd") == 0);
    check(close(ends[0]) == 0 && px_quiet_writev(ends[1], both, 2) == -1 && errno == EPIPE);
}
CASE(in_process, parts)

static void another_error(void)
{
    check(px_quiet_write(-1, "abc", 3) == -1 && errno == EBADF);
    check(!is_blocked(SIGPIPE) && !is_blocked(SIGXFSZ));
}
CASE(in_process, another_error)

/* The program has blocked the signal, and one waits for it. */
static void one_that_was_pending_stays(void)
{
    sigset_t pipes;
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0);
    check(sigemptyset(&pipes) == 0 && sigaddset(&pipes, SIGPIPE) == 0);
    check(sigprocmask(SIG_BLOCK, &pipes, NULL) == 0 && raise(SIGPIPE) == 0);
    check(px_quiet_write(ends[1], "abc", 3) == -1 && errno == EPIPE);
    check(is_pending(SIGPIPE) && is_blocked(SIGPIPE));
}
CASE(in_process, one_that_was_pending_stays)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_a_file_is_too_large),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_another_error),
        cmocka_unit_test(test_one_that_was_pending_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
