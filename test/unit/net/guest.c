/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "src/net/door_priv.h"
#include "test/unit/net/house.h"

/* Whatever strangers do at either door, a good client is served next, and no descriptor stays
 * open. */

static int setup(void **state)
{
    (void) state;
    alarm(180);
    return 0;
}

/* A peer that does not wait for the answer: nothing of what it says is lost, and it costs no time
 * meanwhile. */
static void hasty_clients_are_heard_later(void **state)
{
    struct house house;
    unsigned char message[17];
    unsigned char got[25];

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "hold");
        int fd = house_knock(&house, door);

        fixture_header(message, 101, 1);
        message[16] = 'x';
        px_buf_append(&buf, message, sizeof(message));
        fixture_write(fd, buf.data, buf.len);
        house_await(&house, &house.hellos, (unsigned) door + 1);
        fixture_settle(house.loop);
        assert_int_equal(px_loop_run(house.loop, house_admit_held, &house), 0);
        assert_true(fixture_read(fd, got, sizeof(got)));
        assert_int_equal(got[24], 'x');
        (void) close(fd);
        house_await(&house, &house.inside, 0);
        px_buf_fini(&buf);
    }
    house_close(&house);
}

static void closing_reports_the_held(void **state)
{
    struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "hold");
    struct house house;
    int fd;

    (void) state;
    house_open(&house);
    fd = house_knock(&house, 0);
    fixture_write(fd, buf.data, buf.len);
    house_await(&house, &house.hellos, 1);
    px_doors_close(house.doors);
    assert_int_equal(house.gone, 1);
    assert_true(house_closes(fd));
    (void) close(fd);
    house.doors = NULL;
    house_close(&house);
    px_buf_fini(&buf);
}

/* --- strangers --- */

static void truncated(void **state)
{
    struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "JOB");
    int before = fixture_descriptors();
    struct house house;

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        for (size_t cut = 0; cut < buf.len; cut++) {
            int fd = house_knock(&house, door);

            fixture_write(fd, buf.data, cut);
            (void) close(fd);
        }
        house_serves(&house, door);
    }
    assert_int_equal(house.hellos, 2);
    house_close(&house);
    assert_int_equal(fixture_descriptors(), before);
    px_buf_fini(&buf);
}

static void slow_but_right(void **state)
{
    struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "JOB");
    unsigned char answer[8];
    struct house house;
    int fd;

    (void) state;
    house_open(&house);
    fd = house_knock(&house, 0);
    for (size_t i = 0; i < buf.len; i++) {
        fixture_write(fd, buf.data + i, 1);
        fixture_settle(house.loop);
    }
    assert_true(fixture_read(fd, answer, sizeof(answer)));
    (void) close(fd);
    house_close(&house);
    px_buf_fini(&buf);
}

static void expect_closed(struct house *house, int door, const void *bytes, size_t len)
{
    int fd = house_knock(house, door);

    (void) !send(fd, bytes, len, MSG_NOSIGNAL);
    assert_true(house_closes(fd));
    (void) close(fd);
}

static void wrong_headers(void **state)
{
    static const uint32_t bad[][4] = {
        {0, UINT32_MAX, 10, 0},
        {UINT32_MAX, 0, 10, 0},
        {UINT32_MAX, UINT32_MAX, 131073, 0},
        {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0},
        {UINT32_MAX, UINT32_MAX, 0, 0},
        {0, 0, 0, 0},
        {UINT32_MAX, UINT32_MAX, 0x61000000, 0},
    };
    struct house house;

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            expect_closed(&house, door, bad[i], sizeof(bad[i]));
        }
        expect_closed(&house, door, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
        house_serves(&house, door);
    }
    assert_int_equal(house.hellos, 2);
    house_close(&house);
}

static void bodies_of_noise(void **state)
{
    uint64_t seed = 99;
    struct px_buf good = house_hello_bytes(PX_HELLO_CLIENT, "refuse");
    struct house house;

    (void) state;
    house_open(&house);
    for (int round = 0; round < 400; round++) {
        unsigned char copy[512];
        size_t len = good.len;

        memcpy(copy, good.data, len);
        for (int k = 0; k < 8; k++) {
            size_t at = 16 + fixture_random(&seed) % (len - 16);

            if (at < 40 || at > 50) { /* let "refuse" be, so that nobody is let in */
                copy[at] = (unsigned char) fixture_random(&seed);
            }
        }
        int fd = house_knock(&house, round % 2);
        fixture_write(fd, copy, len);
        (void) shutdown(fd, SHUT_WR);
        assert_true(house_closes(fd));
        (void) close(fd);
    }
    house_serves(&house, 0);
    house_serves(&house, 1);
    house_close(&house);
    px_buf_fini(&good);
}

static void the_largest_hello_is_heard(void **state)
{
    static char blob[PX_HELLO_MAX - 200];
    struct px_hello hello = house_greeting(PX_HELLO_CLIENT, "JOB");
    struct px_dialed dialed;
    struct house house;
    char uri[256];

    (void) state;
    memset(blob, 1, sizeof(blob));
    hello.blob = blob;
    hello.blob_len = sizeof(blob);
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        assert_int_equal(px_dial(house_uri(&house, door, uri), &hello, 60000, NULL, &dialed), 0);
        (void) close(dialed.fd);
    }
    house_close(&house);
}

static void the_idle_are_shown_out(void **state)
{
    struct house house;
    int fds[20];

    (void) state;
    house_open_with(&house, 20, NULL);
    for (int i = 0; i < 20; i++) {
        fds[i] = house_knock(&house, i % 2);
        (void) !send(fds[i], "\377\377\377\377", (size_t) i % 5, MSG_NOSIGNAL);
    }
    for (int i = 0; i < 20; i++) {
        assert_true(house_closes(fds[i]));
        (void) close(fds[i]);
    }
    house_close(&house);
}

/* Patience is for strangers only: who has introduced himself may wait as long as the host
 * thinks. */
static void the_held_are_not(void **state)
{
    struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "hold");
    struct house house;
    unsigned char answer[8];
    int fd;
    int idle;

    (void) state;
    house_open_with(&house, 200, NULL);
    fd = house_knock(&house, 0);
    fixture_write(fd, buf.data, buf.len);
    house_await(&house, &house.hellos, 1);
    idle = house_knock(&house, 0);
    assert_true(house_closes(idle)); /* a later patience has run out */
    (void) close(idle);
    assert_int_equal(house.gone, 0);
    assert_int_equal(px_loop_run(house.loop, house_admit_held, &house), 0);
    assert_true(fixture_read(fd, answer, sizeof(answer)));
    (void) close(fd);
    house_close(&house);
    px_buf_fini(&buf);
}

/* --- clients that die --- */

/* Step 0: connected; 1: half a header; 2: half a body; 3: all of it; 4: answered; 5: half a
 * message. */
static void reach_step(const struct house *house, int door, int step, int told)
{
    struct px_buf buf = house_hello_bytes(PX_HELLO_CLIENT, "JOB");
    unsigned char answer[8];
    int fd = house_knock(house, door);

    if (step == 1) {
        fixture_write(fd, buf.data, 9);
    } else if (step == 2) {
        fixture_write(fd, buf.data, 40);
    } else if (step >= 3) {
        fixture_write(fd, buf.data, buf.len);
    }
    if (step >= 4) {
        (void) fixture_read(fd, answer, sizeof(answer));
    }
    if (step == 5) {
        unsigned char header[16];

        fixture_header(header, 101, 1000);
        fixture_write(fd, header, sizeof(header));
        fixture_write(fd, "half", 4);
    }
    (void) !write(told, "!", 1);
    for (;;) {
        (void) pause();
    }
}

static void killed_at_every_step(void **state)
{
    int before = fixture_descriptors();
    struct house house;

    (void) state;
    house_open(&house);
    for (int i = 0; i < 24; i++) {
        int told[2];
        char byte;
        pid_t pid;

        assert_int_equal(pipe2(told, O_CLOEXEC), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            reach_step(&house, i % 2, i / 2 % 6, told[1]);
        }
        assert_int_equal(read(told[0], &byte, 1), 1);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        (void) close(told[0]);
        (void) close(told[1]);
        house_serves(&house, i % 2);
    }
    house_await(&house, &house.inside, 0);
    house_close(&house);
    assert_int_equal(fixture_descriptors(), before);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(hasty_clients_are_heard_later),
        T(closing_reports_the_held),
        T(truncated),
        T(slow_but_right),
        T(wrong_headers),
        T(bodies_of_noise),
        T(the_largest_hello_is_heard),
        T(the_idle_are_shown_out),
        T(the_held_are_not),
        T(killed_at_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
