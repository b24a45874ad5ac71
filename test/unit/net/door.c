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

/* Whatever strangers do at either door, a good client is served next, and no descriptor stays open. */

static int setup(void **state)
{
    (void) state;
    alarm(180);
    return 0;
}

static struct px_buf greeting(enum px_hello_flag flag, const char *nspace)
{
    struct px_hello hello = house_greeting(flag, nspace);
    struct px_buf buf = {0};

    assert_int_equal(px_hello_pack(&hello, &buf), 0);
    return buf;
}

static void both_doors_serve(void **state)
{
    int before = fixture_descriptors();
    struct house house;

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        house_serves(&house, door);
        house_await(&house, &house.inside, 0);
        assert_true(house.who.known);
        assert_int_equal(house.who.uid, geteuid());
        assert_int_equal(house.who.gid, door ? (gid_t) -1 : getegid());
        assert_int_equal(house.who.pid, door ? 0 : getpid());
    }
    house_close(&house);
    assert_int_equal(fixture_descriptors(), before);
}

static void doors_have_switches(void **state)
{
    struct px_loop *loop;
    struct px_doors *doors;
    struct px_door_opts opts = {.tcp_door = true, .max_msg = 1000, .handshake_ms = 1000};

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    assert_int_equal(px_doors_open(loop, &opts, &house_ops, NULL, &doors), 0);
    assert_null(px_doors_unix(doors));
    assert_non_null(px_doors_tcp(doors));
    px_doors_close(doors);
    opts.tcp_door = false;
    opts.unix_door = true;
    assert_int_equal(px_doors_open(loop, &opts, &house_ops, NULL, &doors), 0);
    assert_non_null(px_doors_unix(doors));
    assert_null(px_doors_tcp(doors));
    px_doors_close(doors);
    opts.unix_path = "not/absolute";
    assert_int_equal(px_doors_open(loop, &opts, &house_ops, NULL, &doors), PX_ERR_BAD_PARAM);
    px_doors_close(NULL);
    px_loop_destroy(loop);
}

static void tools_are_told_who_is_who(void **state)
{
    static const enum px_hello_flag flags[] = {
        PX_HELLO_LEGACY_TOOL, PX_HELLO_TOOL_NEEDS_ID, PX_HELLO_TOOL,      PX_HELLO_CLIENT_TOOL,
        PX_HELLO_LAUNCHER,    PX_HELLO_LAUNCHER_NEEDS_ID, PX_HELLO_SCHEDULER,
    };
    struct house house;
    char uri[256];

    (void) state;
    house_open(&house);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct px_hello hello = house_greeting(flags[i], "MINE");
        struct px_dialed dialed;
        bool needs_id = flags[i] == PX_HELLO_TOOL_NEEDS_ID || flags[i] == PX_HELLO_LAUNCHER_NEEDS_ID;

        assert_int_equal(px_dial(house_uri(&house, (int) i % 2, uri), &hello, 60000, &dialed), 0);
        assert_string_equal(dialed.server.nspace, "SERVER");
        assert_int_equal(dialed.server.rank, 1);
        assert_string_equal(dialed.assigned.nspace, needs_id ? "TOOL.7" : "MINE");
        assert_int_equal(dialed.assigned.rank, needs_id ? 3 : 4);
        (void) close(dialed.fd);
    }
    house_close(&house);
}

static void refusals(void **state)
{
    struct house house;
    struct px_dialed dialed;
    char uri[256];

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        struct px_hello hello = house_greeting(PX_HELLO_CLIENT, "refuse");

        assert_int_equal(px_dial(house_uri(&house, door, uri), &hello, 60000, &dialed), PMIX_ERR_INVALID_CRED);
        hello = house_greeting(PX_HELLO_CLIENT, "close");
        assert_int_equal(px_dial(house_uri(&house, door, uri), &hello, 60000, &dialed), PMIX_ERR_UNREACH);
        hello = house_greeting(PX_HELLO_CLIENT, "hold");
        assert_int_equal(px_dial(house_uri(&house, door, uri), &hello, 20, &dialed), PMIX_ERR_TIMEOUT);
        house_await(&house, &house.gone, (unsigned) door + 1); /* it hung up */
    }
    house_close(&house);
}

static void let_the_held_one_in(void *arg)
{
    struct house *house = arg;
    struct px_hello hello = {.flag = PX_HELLO_CLIENT};

    assert_int_equal(house_let_in(house, house->held, &hello), 0);
    house_count(house, &house->inside, 1);
}

/* A peer that does not wait for the answer: nothing of what it says is lost, and it costs no time meanwhile. */
static void hasty_clients_are_heard_later(void **state)
{
    struct house house;
    unsigned char message[17];
    unsigned char got[25];

    (void) state;
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        struct px_buf buf = greeting(PX_HELLO_CLIENT, "hold");
        int fd = house_knock(&house, door);

        fixture_header(message, 101, 1);
        message[16] = 'x';
        px_buf_append(&buf, message, sizeof(message));
        fixture_write(fd, buf.data, buf.len);
        house_await(&house, &house.hellos, (unsigned) door + 1);
        fixture_settle(house.loop);
        assert_int_equal(px_loop_run(house.loop, let_the_held_one_in, &house), 0);
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
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "hold");
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
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "JOB");
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
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "JOB");
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
        {0, UINT32_MAX, 10, 0},          {UINT32_MAX, 0, 10, 0},  {UINT32_MAX, UINT32_MAX, 131073, 0},
        {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0}, {UINT32_MAX, UINT32_MAX, 0, 0}, {0, 0, 0, 0},
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
    struct px_buf good = greeting(PX_HELLO_CLIENT, "refuse");
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
        assert_int_equal(px_dial(house_uri(&house, door, uri), &hello, 60000, &dialed), 0);
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

/* Patience is for strangers only: who has introduced himself may wait as long as the host thinks. */
static void the_held_are_not(void **state)
{
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "hold");
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
    assert_int_equal(px_loop_run(house.loop, let_the_held_one_in, &house), 0);
    assert_true(fixture_read(fd, answer, sizeof(answer)));
    (void) close(fd);
    house_close(&house);
    px_buf_fini(&buf);
}

static void raise_limit(rlim_t n)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < n) {
        if (limit.rlim_max < n) {
            skip();
        }
        limit.rlim_cur = n;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
}

/* Both ends are in this process: twice as many descriptors. */
static void a_thousand_idle(void **state)
{
    enum { CROWD = PX_DOOR_STRANGERS + 100 };
    static int fds[CROWD];
    int before = fixture_descriptors();
    struct house house;

    (void) state;
    raise_limit(2 * CROWD + 100);
    house_open(&house);
    for (int door = 0; door < 2; door++) {
        for (int i = 0; i < CROWD; i++) {
            fds[i] = house_knock(&house, door);
        }
        house_serves(&house, door);
        for (int i = 0; i < 50; i++) {
            assert_true(house_closes(fds[i])); /* the oldest had to go */
        }
        house_serves(&house, !door);
        for (int i = 0; i < CROWD; i++) {
            (void) close(fds[i]);
        }
    }
    house_close(&house);
    assert_int_equal(fixture_descriptors(), before);
}

/* --- a full descriptor table, in a child of its own --- */

static int read_back(int fd)
{
    unsigned char message[19];
    unsigned char back[19];

    fixture_header(message, 101, 3);
    memcpy(message + 16, "xyz", 3);
    fixture_write(fd, message, sizeof(message));
    return fixture_read(fd, back, sizeof(back)) && memcmp(back + 16, "xyz", 3) == 0 ? 0 : -1;
}

/* The clients' ends come from a second process, so that the full table is the server's alone. */
static int client_side(const struct house *house, int go, int told)
{
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "JOB");
    unsigned char answer[8];
    char byte;
    int first;

    first = house_knock(house, 0);
    fixture_write(first, buf.data, buf.len);
    if (!fixture_read(first, answer, 8) || write(told, "1", 1) != 1 || read(go, &byte, 1) != 1) {
        return 1;
    }
    for (int i = 0; i < 200; i++) { /* the table is full now */
        int fd = house_knock(house, i % 2);

        (void) !send(fd, buf.data, buf.len, MSG_NOSIGNAL);
        (void) house_closes(fd);
        (void) close(fd);
        if (read_back(first)) {
            return 2;
        }
    }
    if (write(told, "2", 1) != 1 || read(go, &byte, 1) != 1) {
        return 3;
    }
    for (int door = 0; door < 2; door++) { /* and now it is not */
        int fd = house_knock(house, door);

        fixture_write(fd, buf.data, buf.len);
        if (!fixture_read(fd, answer, 8) || read_back(fd)) {
            return 4;
        }
        (void) close(fd);
    }
    (void) close(first);
    px_buf_fini(&buf);
    return 0;
}

static void full_table(void **state)
{
    struct rlimit old;
    struct rlimit tight;
    struct house house;
    int go[2];
    int told[2];
    int filler[128];
    int n = 0;
    int status;
    char byte;
    pid_t pid;

    (void) state;
    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    house_open(&house);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(client_side(&house, go[0], told[1]));
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    tight = old;
    tight.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    while (n < 128) {
        filler[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (filler[n] < 0) {
            break;
        }
        n++;
    }
    assert_int_equal(write(go[1], "a", 1), 1);
    assert_int_equal(read(told[0], &byte, 1), 1);
    while (n > 0) {
        (void) close(filler[--n]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(write(go[1], "b", 1), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    house_close(&house);
    (void) close(go[0]);
    (void) close(go[1]);
    (void) close(told[0]);
    (void) close(told[1]);
}

/* --- clients that die --- */

/* Step 0: connected; 1: half a header; 2: half a body; 3: all of it; 4: answered; 5: half a message. */
static void reach_step(const struct house *house, int door, int step, int told)
{
    struct px_buf buf = greeting(PX_HELLO_CLIENT, "JOB");
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

/* --- the path door --- */

static void the_path_is_removed_by_its_maker_only(void **state)
{
    char dir[] = "/tmp/px-door-XXXXXX";
    char path[64];
    struct house house;
    struct stat st;
    int status;
    pid_t pid;

    (void) state;
    assert_non_null(mkdtemp(dir));
    (void) snprintf(path, sizeof(path), "%s/door", dir);
    house_open_with(&house, 60000, path);
    house_serves(&house, 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        px_doors_close(house.doors);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(lstat(path, &st), 0);
    house_serves(&house, 0);
    house_close(&house);
    assert_int_equal(lstat(path, &st), -1);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(both_doors_serve),
        T(doors_have_switches),
        T(tools_are_told_who_is_who),
        T(refusals),
        T(hasty_clients_are_heard_later),
        T(closing_reports_the_held),
        T(truncated),
        T(slow_but_right),
        T(wrong_headers),
        T(bodies_of_noise),
        T(the_largest_hello_is_heard),
        T(the_idle_are_shown_out),
        T(the_held_are_not),
        T(a_thousand_idle),
        T(full_table),
        T(killed_at_every_step),
        T(the_path_is_removed_by_its_maker_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
