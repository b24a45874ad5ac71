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

#include "src/net/listener_priv.h"
#include "src/net/tcp_owner.h"
#include "test/unit/net/echo_server.h"

/* Whatever unidentified connections do at either listener, a good client is served next, and no
 * descriptor stays open. */

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
    struct echo_server echo_server;
    unsigned char message[17];
    unsigned char got[25];

    (void) state;
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "hold");
        int fd = echo_server_knock(&echo_server, door);

        fixture_header(message, 101, 1);
        message[16] = 'x';
        px_buf_append(&buf, message, sizeof(message));
        fixture_write(fd, buf.data, buf.len);
        echo_server_await(&echo_server, &echo_server.hellos, (unsigned) door + 1);
        fixture_settle(echo_server.loop);
        assert_int_equal(px_loop_run(echo_server.loop, echo_server_admit_held, &echo_server), 0);
        assert_true(fixture_read(fd, got, sizeof(got)));
        assert_int_equal(got[24], 'x');
        (void) close(fd);
        echo_server_await(&echo_server, &echo_server.inside, 0);
        px_buf_fini(&buf);
    }
    echo_server_close(&echo_server);
}

static void closing_reports_the_held(void **state)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "hold");
    struct echo_server echo_server;
    int fd;

    (void) state;
    echo_server_open(&echo_server);
    fd = echo_server_knock(&echo_server, 0);
    fixture_write(fd, buf.data, buf.len);
    echo_server_await(&echo_server, &echo_server.hellos, 1);
    px_listeners_close(echo_server.listeners);
    assert_int_equal(echo_server.gone, 1);
    assert_true(echo_server_closes(fd));
    (void) close(fd);
    echo_server.listeners = NULL;
    echo_server_close(&echo_server);
    px_buf_fini(&buf);
}

/* --- unidentified connections --- */

static void truncated(void **state)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "JOB");
    int before = fixture_descriptors();
    struct echo_server echo_server;

    (void) state;
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        for (size_t cut = 0; cut < buf.len; cut++) {
            int fd = echo_server_knock(&echo_server, door);

            fixture_write(fd, buf.data, cut);
            (void) close(fd);
        }
        echo_server_serves(&echo_server, door);
    }
    assert_int_equal(echo_server.hellos, 2);
    echo_server_close(&echo_server);
    assert_int_equal(fixture_descriptors(), before);
    px_buf_fini(&buf);
}

static void slow_but_right(void **state)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "JOB");
    unsigned char answer[8];
    struct echo_server echo_server;
    int fd;

    (void) state;
    echo_server_open(&echo_server);
    fd = echo_server_knock(&echo_server, 0);
    for (size_t i = 0; i < buf.len; i++) {
        fixture_write(fd, buf.data + i, 1);
        fixture_settle(echo_server.loop);
    }
    assert_true(fixture_read(fd, answer, sizeof(answer)));
    (void) close(fd);
    echo_server_close(&echo_server);
    px_buf_fini(&buf);
}

static void expect_closed(struct echo_server *echo_server, int door, const void *bytes, size_t len)
{
    int fd = echo_server_knock(echo_server, door);

    (void) !send(fd, bytes, len, MSG_NOSIGNAL);
    assert_true(echo_server_closes(fd));
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
    struct echo_server echo_server;

    (void) state;
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            expect_closed(&echo_server, door, bad[i], sizeof(bad[i]));
        }
        expect_closed(&echo_server, door, "GET / HTTP/1.1\r\nHost: here\r\n\r\n", 30);
        echo_server_serves(&echo_server, door);
    }
    assert_int_equal(echo_server.hellos, 2);
    echo_server_close(&echo_server);
}

static void bodies_of_noise(void **state)
{
    uint64_t seed = 99;
    struct px_buf good = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "refuse");
    struct echo_server echo_server;

    (void) state;
    echo_server_open(&echo_server);
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
        int fd = echo_server_knock(&echo_server, round % 2);
        fixture_write(fd, copy, len);
        (void) shutdown(fd, SHUT_WR);
        assert_true(echo_server_closes(fd));
        (void) close(fd);
    }
    echo_server_serves(&echo_server, 0);
    echo_server_serves(&echo_server, 1);
    echo_server_close(&echo_server);
    px_buf_fini(&good);
}

static void the_largest_hello_is_heard(void **state)
{
    static char blob[PX_HANDSHAKE_MAX - 200];
    struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "JOB");
    struct px_dialed dialed;
    struct echo_server echo_server;
    char uri[256];

    (void) state;
    memset(blob, 1, sizeof(blob));
    handshake.blob = blob;
    handshake.blob_len = sizeof(blob);
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        assert_int_equal(
            px_dial(echo_server_uri(&echo_server, door, uri), &handshake, 60000, NULL, &dialed), 0);
        (void) close(dialed.fd);
    }
    echo_server_close(&echo_server);
}

/* Handshakes that do not end have a bounded memory together: the oldest are closed. */
static void expect_room(int door)
{
    enum { LONG = 100 * 1024, MANY = 2 * PX_LISTENER_MAX_PENDING_BYTES / LONG };
    static unsigned char bytes[16 + LONG] = {255, 255, 255, 255, 255, 255, 255, 255};
    const uint32_t len = PX_HANDSHAKE_MAX;
    struct echo_server echo_server;
    int fds[MANY];

    memcpy(bytes + 8, &len, sizeof(len));
    echo_server_open(&echo_server);
    echo_server_serves(&echo_server, door);
    echo_server_await(&echo_server, &echo_server.hellos, 1);
    assert_int_equal(echo_server.listeners->strangers.bytes, 0);
    for (int i = 0; i < MANY; i++) {
        fds[i] = echo_server_knock(&echo_server, door);
        fixture_write(fds[i], bytes, sizeof(bytes));
    }
    for (int i = 0; i < MANY / 2; i++) {
        assert_true(echo_server_closes(fds[i]));
    }
    echo_server_serves(&echo_server, door);
    for (int i = 0; i < MANY; i++) {
        int again = i < MANY / 2 ? -1 : send(fds[i], bytes, 1, MSG_NOSIGNAL | MSG_DONTWAIT);

        assert_true(i < MANY - 10 || again == 1); /* the latest are open */
        (void) close(fds[i]);
    }
    echo_server_serves(&echo_server, door);
    echo_server_close(&echo_server);
}

static void long_handshakes_make_room(void **state)
{
    (void) state;
    expect_room(0);
    expect_room(1);
}

/* The connections that wait, and the users that they are of. */
struct crowd {
    const struct echo_server *echo_server;
    size_t n;
    size_t users;
};

static void count_crowd(void *arg)
{
    struct crowd *crowd = arg;
    const struct px_strangers *strangers = &crowd->echo_server->listeners->strangers;

    crowd->n = strangers->n;
    for (const struct px_list *at = strangers->users.next; at != &strangers->users; at = at->next) {
        crowd->users++;
    }
}

/* Connections at both doors count for their user, before they have said anything. */
static void both_doors_count_for_one(void **state)
{
    struct echo_server echo_server;
    struct crowd crowd = {.echo_server = &echo_server};
    int fds[4];

    (void) state;
    echo_server_open(&echo_server);
    if (!px_auth_names_tcp(echo_server.listeners->tcp_socket.fd)) {
        echo_server_close(&echo_server);
        skip();
    }
    for (int i = 0; i < 4; i++) {
        fds[i] = echo_server_knock(&echo_server, i % 2);
    }
    echo_server_serves(&echo_server, 0); /* later than those who have knocked */
    echo_server_serves(&echo_server, 1);
    assert_int_equal(px_loop_run(echo_server.loop, count_crowd, &crowd), 0);
    assert_int_equal(crowd.n, 4);
    assert_int_equal(crowd.users, 1);
    for (int i = 0; i < 4; i++) {
        (void) close(fds[i]);
    }
    echo_server_close(&echo_server);
}

static void the_idle_are_shown_out(void **state)
{
    struct echo_server echo_server;
    int fds[20];

    (void) state;
    echo_server_open_with(&echo_server, 20, NULL);
    for (int i = 0; i < 20; i++) {
        fds[i] = echo_server_knock(&echo_server, i % 2);
        (void) !send(fds[i], "\377\377\377\377", (size_t) i % 5, MSG_NOSIGNAL);
    }
    for (int i = 0; i < 20; i++) {
        assert_true(echo_server_closes(fds[i]));
        (void) close(fds[i]);
    }
    echo_server_close(&echo_server);
}

/* Patience is for unidentified connections only: who has introduced himself may wait as long as the
 * host thinks. */
static void the_held_are_not(void **state)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "hold");
    struct echo_server echo_server;
    unsigned char answer[8];
    int fd;
    int idle;

    (void) state;
    echo_server_open_with(&echo_server, 2000, NULL);
    fd = echo_server_knock(&echo_server, 0);
    fixture_write(fd, buf.data, buf.len);
    echo_server_await(&echo_server, &echo_server.hellos, 1);
    idle = echo_server_knock(&echo_server, 0);
    assert_true(echo_server_closes(idle)); /* a later patience has run out */
    (void) close(idle);
    assert_int_equal(echo_server.gone, 0);
    assert_int_equal(px_loop_run(echo_server.loop, echo_server_admit_held, &echo_server), 0);
    assert_true(fixture_read(fd, answer, sizeof(answer)));
    (void) close(fd);
    echo_server_close(&echo_server);
    px_buf_fini(&buf);
}

/* --- clients that die --- */

/* Step 0: connected; 1: half a header; 2: half a body; 3: all of it; 4: answered; 5: half a
 * message. */
static void reach_step(const struct echo_server *echo_server, int door, int step, int told)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "JOB");
    unsigned char answer[8];
    int fd = echo_server_knock(echo_server, door);

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
    struct echo_server echo_server;

    (void) state;
    echo_server_open(&echo_server);
    for (int i = 0; i < 24; i++) {
        int told[2];
        char byte;
        pid_t pid;

        assert_int_equal(pipe2(told, O_CLOEXEC), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            reach_step(&echo_server, i % 2, i / 2 % 6, told[1]);
        }
        (void) close(told[1]);
        assert_int_equal(read(told[0], &byte, 1), 1);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        (void) close(told[0]);
        echo_server_serves(&echo_server, i % 2);
    }
    echo_server_await(&echo_server, &echo_server.inside, 0);
    echo_server_close(&echo_server);
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
        T(long_handshakes_make_room),
        T(both_doors_count_for_one),
        T(the_idle_are_shown_out),
        T(the_held_are_not),
        T(killed_at_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
