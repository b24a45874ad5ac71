/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/status.h"
#include "test/unit/process.h"

enum { SIZE = 1 << 20, SIGNALS = 1000 };

static int pipe_fd[2];
static char sent[SIZE];
static char got[SIZE];
static atomic_bool written;

static int make_pipe(void **state)
{
    (void) state;
    for (size_t i = 0; i < SIZE; i++) {
        sent[i] = (char) (i * 31 + i / 251);
    }
    memset(got, 0, sizeof(got));
    written = false;
    return pipe(pipe_fd);
}

static int close_pipe(void **state)
{
    (void) state;
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    return 0;
}

static void *read_all(void *arg)
{
    size_t n = 0;

    (void) arg;
    while (n < SIZE) {
        ssize_t more = read(pipe_fd[0], got + n, 1000 < SIZE - n ? 1000 : SIZE - n);

        if (more <= 0) {
            break;
        }
        n += (size_t) more;
    }
    return NULL;
}

/* A pipe in either mode, whose reader takes little at a time. */
static void everything(int flags)
{
    pthread_t reader;

    assert_int_equal(fcntl(pipe_fd[1], F_SETFL, flags), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_all, NULL), 0);
    assert_int_equal(px_output_all(pipe_fd[1], sent, SIZE), 0);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_memory_equal(sent, got, SIZE);
}

static void blocking(void **state)
{
    (void) state;
    everything(0);
}

static void non_blocking(void **state)
{
    (void) state;
    everything(O_NONBLOCK);
}

static atomic_int n_signals;

static void on_signal(int number)
{
    (void) number;
    n_signals++;
}

static void *write_all(void *arg)
{
    *(int *) arg = px_output_all(pipe_fd[1], sent, SIZE);
    written = true;
    return NULL;
}

/* The writer is interrupted again and again while the pipe is full, so that a write returns without
 * having written anything. */
static void signals(void **state)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t writer;
    size_t n = 0;
    int rc = 1;

    (void) state;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_all, &rc), 0);
    for (int i = 0; i < SIGNALS; i++) {
        assert_int_equal(pthread_kill(writer, SIGUSR1), 0);
        while (n_signals <= i) {
            (void) sched_yield();
        }
    }
    assert_false(written);
    while (n < SIZE) {
        ssize_t more = read(pipe_fd[0], got + n, 4096 < SIZE - n ? 4096 : SIZE - n);

        assert_true(more > 0);
        n += (size_t) more;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(rc, 0);
    assert_memory_equal(sent, got, SIZE);
}

/* With the default action of SIGPIPE. */
static void closed(void)
{
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0);
    check(px_output_all(ends[1], sent, SIZE) == PX_ERR_UNREACH);
    check(px_output_now(ends[1], sent, SIZE) == 0);
    check(px_output_all(-1, sent, 1) == PX_ERR_UNREACH);
    check(px_output_now(-1, sent, 1) == 0);
}
CASE(in_process, closed)

/* With the default action of SIGXFSZ. */
static void beyond_the_limit(void)
{
    const struct rlimit limit = {10, 10};
    int fd = memfd_create("output", 0);

    check(fd >= 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    check(px_output_all(fd, sent, 11) == PX_ERR_UNREACH);
    check(px_output_now(fd, sent, 11) == 0);
    check(lseek(fd, 0, SEEK_END) == 10);
}
CASE(in_process, beyond_the_limit)

/* Nobody reads: as much as the pipe holds, in blocking mode too. */
static void without_waiting(void **state)
{
    size_t n = px_output_now(pipe_fd[1], sent, SIZE);

    (void) state;
    assert_true(n > 0 && n < SIZE);
    assert_int_equal(px_output_now(pipe_fd[1], sent, 1), 0);
    assert_int_equal(read(pipe_fd[0], got, n), n);
    assert_memory_equal(sent, got, n);
    assert_int_equal(px_output_now(pipe_fd[1], sent, 100), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocking, make_pipe, close_pipe),
        cmocka_unit_test_setup_teardown(non_blocking, make_pipe, close_pipe),
        cmocka_unit_test_setup_teardown(signals, make_pipe, close_pipe),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_beyond_the_limit),
        cmocka_unit_test_setup_teardown(without_waiting, make_pipe, close_pipe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
