/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "src/net/fd_table.h"
#include "src/net/listener_priv.h"
#include "test/unit/net/fixture.h"

/* Each case runs in a forked child, whose table begins as small as its descriptors allow. */

enum { N = 700 };

static bool runs_well(bool (*what)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        _exit(what() ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool limit_to(rlim_t n)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = n;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* Once more for a table that is large enough. */
static bool makes_room(void)
{
    struct px_fd_table_room room = {0};
    int before = fixture_descriptors();

    if (!limit_to(N) || fixture_table_size() >= N) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        px_fd_table_begin(&room, STDIN_FILENO, N);
        px_fd_table_end(&room);
        px_fd_table_end(&room); /* harmless */
    }
    return fixture_table_size() >= N && fixture_descriptors() == before;
}

static bool is_kept_by_the_limit(void)
{
    struct px_fd_table_room room = {0};
    int before = fixture_table_size();

    if (!limit_to(N - 1)) {
        return false;
    }
    px_fd_table_begin(&room, STDIN_FILENO, N);
    px_fd_table_end(&room);
    return fixture_table_size() == before;
}

/* Only what did not fit before has to wait until it is made. */
static bool says_what_fits(void)
{
    struct px_fd_table_room room = {0};
    int before = fixture_table_size();
    bool never_begun = px_fd_table_fits(&room, 2 * N);
    bool fits;

    px_fd_table_begin(&room, STDIN_FILENO, N);
    fits = px_fd_table_fits(&room, before - 1) && room.size == before;
    while (!px_fd_table_fits(&room, before)) {
        (void) sched_yield();
    }
    fits = fits && fixture_table_size() >= N;
    px_fd_table_end(&room);
    return never_begun && fits;
}

/* A process of one thread needs no further one. */
static bool makes_room_alone(void)
{
    int before = fixture_descriptors();

    if (!limit_to(N) || fixture_table_size() >= N) {
        return false;
    }
    px_fd_table_alone(N);
    px_fd_table_alone(N);
    return fixture_table_size() >= N && fixture_descriptors() == before;
}

/* Of the least limit that PX_LISTENER_MAX_PENDING connections without a handshake take. */
static bool listeners_make_room(void)
{
    struct px_listener_opts opts = {.use_unix = true, .max_msg = 1000, .handshake_ms = 1000};
    struct px_listener_ops ops = {0};
    struct px_listeners *listeners;
    struct px_loop *loop;
    int before = fixture_table_size();

    if (!limit_to(4 * PX_LISTENER_MAX_PENDING) || px_loop_create(false, &loop) != 0 ||
        px_listeners_open(loop, &opts, &ops, NULL, &listeners) != 0) {
        return false;
    }
    px_listeners_close(listeners);
    px_loop_destroy(loop);
    return before < PX_LISTENER_MAX_PENDING && fixture_table_size() >= 2 * PX_LISTENER_MAX_PENDING;
}

static void room_is_made(void **state)
{
    (void) state;
    assert_true(runs_well(makes_room));
}

static void one_thread_makes_it_at_once(void **state)
{
    (void) state;
    assert_true(runs_well(makes_room_alone));
}

static void what_fits_is_known(void **state)
{
    (void) state;
    assert_true(runs_well(says_what_fits));
}

static void the_limit_holds(void **state)
{
    (void) state;
    assert_true(runs_well(is_kept_by_the_limit));
}

static void listeners_begin_with_room(void **state)
{
    struct rlimit limit;

    (void) state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < 4 * PX_LISTENER_MAX_PENDING) {
        skip();
    }
    assert_true(runs_well(listeners_make_room));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_made),
        cmocka_unit_test(one_thread_makes_it_at_once),
        cmocka_unit_test(what_fits_is_known),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(listeners_begin_with_room),
    };

    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
