/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "src/base/log.h"
#include "test/unit/process.h"

/* Standard error is a pipe in packet mode while a test runs: one read returns what one write
 * wrote. */

static int saved_stderr;
static int packets[2];

static int setup(void **state)
{
    (void) state;
    alarm(60);
    saved_stderr = dup(STDERR_FILENO);
    return pipe2(packets, O_DIRECT | O_NONBLOCK) || dup2(packets[1], STDERR_FILENO) < 0;
}

static int teardown(void **state)
{
    (void) state;
    (void) dup2(saved_stderr, STDERR_FILENO);
    (void) close(saved_stderr);
    (void) close(packets[0]);
    (void) close(packets[1]);
    for (int t = 0; t < PX_LOG_TOPICS; t++) {
        px_log_set((enum px_log_topic) t, 0);
    }
    return 0;
}

static ssize_t packet(char *room, size_t len)
{
    ssize_t n = read(packets[0], room, len - 1);

    room[n > 0 ? n : 0] = '\0';
    return n;
}

static void silent_by_default(void **state)
{
    char text[4096];

    (void) state;
    for (int t = 0; t < PX_LOG_TOPICS; t++) {
        px_log((enum px_log_topic) t, 1, "nobody asked");
        px_log((enum px_log_topic) t, 0, "level 0 is no level");
    }
    assert_int_equal(packet(text, sizeof(text)), -1);
    assert_int_equal(errno, EAGAIN);
}

static void one_line_one_write(void **state)
{
    char text[4096];

    (void) state;
    px_log_set(PX_LOG_NET, 2);
    assert_int_equal(px_log_level(PX_LOG_NET), 2);
    errno = EDOM;
    px_log(PX_LOG_NET, 2, "count %d of %s", 7, "things");
    assert_int_equal(errno, EDOM);
    px_log(PX_LOG_NET, 3, "too detailed");
    px_log(PX_LOG_GDS, 1, "another topic");
    assert_true(packet(text, sizeof(text)) > 0);
    assert_non_null(strstr(text, " net: count 7 of things\n"));
    assert_int_equal(packet(text, sizeof(text)), -1);
}

static void long_lines_are_cut(void **state)
{
    char text[4096];
    char big[3000];
    ssize_t n;

    (void) state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    px_log_set(PX_LOG_PARAM, 1);
    px_log(PX_LOG_PARAM, 1, "%s", big);
    n = packet(text, sizeof(text));
    assert_true(n > 500 && n <= 1024);
    assert_int_equal(text[n - 1], '\n');
    assert_ptr_equal(strchr(text, '\n'), text + n - 1);
}

static void text_cannot_forge_lines(void **state)
{
    char text[4096];

    (void) state;
    px_log_set(PX_LOG_SERVER, 1);
    px_log(PX_LOG_SERVER, 1, "%s", "a\nb\x1b[2Jc");
    assert_true(packet(text, sizeof(text)) > 0);
    assert_non_null(strstr(text, "a?b?[2Jc\n"));
}

static void bad_topics_are_ignored(void **state)
{
    char text[256];

    (void) state;
    px_log_set(PX_LOG_TOPICS, 5);
    assert_int_equal(px_log_level(PX_LOG_TOPICS), 0);
    px_log(PX_LOG_TOPICS, 1, "nowhere");
    assert_int_equal(packet(text, sizeof(text)), -1);
    px_log_set(PX_LOG_EVENT, -3);
    assert_int_equal(px_log_level(PX_LOG_EVENT), 0);
}

/* With the default action of SIGPIPE. */
static void nobody_reads(void)
{
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    px_log_set(PX_LOG_NET, 1);
    errno = EDOM;
    px_log(PX_LOG_NET, 1, "to nobody");
    check(errno == EDOM);
}
CASE(in_process, nobody_reads)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(silent_by_default, setup, teardown),
        cmocka_unit_test_setup_teardown(one_line_one_write, setup, teardown),
        cmocka_unit_test_setup_teardown(long_lines_are_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(text_cannot_forge_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_topics_are_ignored, setup, teardown),
        cmocka_unit_test(test_nobody_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
