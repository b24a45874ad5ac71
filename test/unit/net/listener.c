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
#include "test/unit/net/echo_server.h"

/* Whatever unidentified connections do at either listener, a good client is served next, and no
 * descriptor stays open. */

static int setup(void **state)
{
    (void) state;
    alarm(180);
    return 0;
}

static void both_doors_serve(void **state)
{
    int before = fixture_descriptors();
    struct echo_server echo_server;

    (void) state;
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        echo_server_serves(&echo_server, door);
        echo_server_await(&echo_server, &echo_server.inside, 0);
        assert_true(echo_server.peer_cred.known);
        assert_int_equal(echo_server.peer_cred.uid, geteuid());
        assert_int_equal(echo_server.peer_cred.gid, door ? (gid_t) -1 : getegid());
        assert_int_equal(echo_server.peer_cred.pid, door ? 0 : getpid());
    }
    echo_server_close(&echo_server);
    assert_int_equal(fixture_descriptors(), before);
}

static void doors_have_switches(void **state)
{
    struct px_loop *loop;
    struct px_listeners *listeners;
    struct px_listener_opts opts = {.use_tcp = true, .max_msg = 1000, .handshake_ms = 1000};

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    assert_int_equal(px_listeners_open(loop, &opts, &echo_server_ops, NULL, &listeners), 0);
    assert_null(px_listeners_unix(listeners));
    assert_non_null(px_listeners_tcp(listeners));
    px_listeners_close(listeners);
    opts.use_tcp = false;
    opts.use_unix = true;
    assert_int_equal(px_listeners_open(loop, &opts, &echo_server_ops, NULL, &listeners), 0);
    assert_non_null(px_listeners_unix(listeners));
    assert_null(px_listeners_tcp(listeners));
    px_listeners_close(listeners);
    opts.unix_path = "not/absolute";
    assert_int_equal(px_listeners_open(loop, &opts, &echo_server_ops, NULL, &listeners),
                     PX_ERR_BAD_PARAM);
    px_listeners_close(NULL);
    px_loop_destroy(loop);
}

static void tools_are_told_who_is_who(void **state)
{
    static const enum px_handshake_flag flags[] = {
        PX_HANDSHAKE_LEGACY_TOOL, PX_HANDSHAKE_TOOL_NEEDS_ID, PX_HANDSHAKE_TOOL,
        PX_HANDSHAKE_CLIENT_TOOL, PX_HANDSHAKE_LAUNCHER,      PX_HANDSHAKE_LAUNCHER_NEEDS_ID,
        PX_HANDSHAKE_SCHEDULER,
    };
    struct echo_server echo_server;
    char uri[256];

    (void) state;
    echo_server_open(&echo_server);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        struct px_handshake handshake = echo_server_greeting(flags[i], "MINE");
        struct px_dialed dialed;
        bool needs_id =
            flags[i] == PX_HANDSHAKE_TOOL_NEEDS_ID || flags[i] == PX_HANDSHAKE_LAUNCHER_NEEDS_ID;

        assert_int_equal(px_dial(echo_server_uri(&echo_server, (int) i % 2, uri), &handshake, 60000,
                                 NULL, &dialed),
                         0);
        assert_string_equal(dialed.server.nspace, "SERVER");
        assert_int_equal(dialed.server.rank, 1);
        assert_string_equal(dialed.assigned.nspace, needs_id ? "TOOL.7" : "MINE");
        assert_int_equal(dialed.assigned.rank, needs_id ? 3 : 4);
        (void) close(dialed.fd);
    }
    echo_server_close(&echo_server);
}

static void refusals(void **state)
{
    struct echo_server echo_server;
    struct px_dialed dialed;
    char uri[256];

    (void) state;
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "refuse");

        assert_int_equal(
            px_dial(echo_server_uri(&echo_server, door, uri), &handshake, 60000, NULL, &dialed),
            PMIX_ERR_INVALID_CRED);
        handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "close");
        assert_int_equal(
            px_dial(echo_server_uri(&echo_server, door, uri), &handshake, 60000, NULL, &dialed),
            PMIX_ERR_UNREACH);
        handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "hold");
        assert_int_equal(
            px_dial(echo_server_uri(&echo_server, door, uri), &handshake, 300, NULL, &dialed),
            PMIX_ERR_TIMEOUT);
        echo_server_await(&echo_server, &echo_server.gone, (unsigned) door + 1); /* it hung up */
    }
    echo_server_close(&echo_server);
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
    enum { CROWD = PX_LISTENER_MAX_PENDING + 100 };
    static int fds[CROWD];
    int before = fixture_descriptors();
    struct echo_server echo_server;

    (void) state;
    raise_limit(2 * CROWD + 100);
    echo_server_open(&echo_server);
    for (int door = 0; door < 2; door++) {
        for (int i = 0; i < CROWD; i++) {
            fds[i] = echo_server_knock(&echo_server, door);
        }
        echo_server_serves(&echo_server, door);
        for (int i = 0; i < 50; i++) {
            assert_true(echo_server_closes(fds[i])); /* the oldest had to go */
        }
        echo_server_serves(&echo_server, !door);
        for (int i = 0; i < CROWD; i++) {
            (void) close(fds[i]);
        }
    }
    echo_server_close(&echo_server);
    assert_int_equal(fixture_descriptors(), before);
}

/* --- a descriptor table that is being enlarged --- */

/* As if the table had no place left, or as if room had been made. */
static void have_no_room(void *arg)
{
    struct px_fd_table_room *room = arg;

    px_fd_table_end(room);
    *room = (struct px_fd_table_room){.begun = true};
}

static void have_room(void *arg)
{
    struct px_fd_table_room *room = arg;

    room->begun = false;
}

struct pause_seen {
    struct px_listeners *listeners;
    bool is_paused;
};

static void look_for_pause(void *arg)
{
    struct pause_seen *seen = arg;

    seen->is_paused = !seen->listeners->unix_socket.io.want && !seen->listeners->strangers.n;
}

/* Who comes meanwhile is not accepted before there is room. */
static void waits_for_room(void **state)
{
    struct echo_server echo_server;
    struct pause_seen seen = {.is_paused = false};
    void *room;
    int fd;

    (void) state;
    echo_server_open(&echo_server);
    seen.listeners = echo_server.listeners;
    room = &echo_server.listeners->fd_room;
    assert_int_equal(px_loop_run(echo_server.loop, have_no_room, room), 0);
    fd = echo_server_knock(&echo_server, 0);
    while (!seen.is_paused) {
        assert_int_equal(px_loop_run(echo_server.loop, look_for_pause, &seen), 0);
    }
    assert_int_equal(px_loop_run(echo_server.loop, have_room, room), 0);
    for (int door = 0; door < 2; door++) {
        echo_server_serves(&echo_server, door);
    }
    (void) close(fd);
    echo_server_close(&echo_server);
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
static int client_side(const struct echo_server *echo_server, int go, int told)
{
    struct px_buf buf = echo_server_hello_bytes(PX_HANDSHAKE_CLIENT, "JOB");
    unsigned char answer[8];
    char byte;
    int first;

    first = echo_server_knock(echo_server, 0);
    fixture_write(first, buf.data, buf.len);
    if (!fixture_read(first, answer, 8) || write(told, "1", 1) != 1 || read(go, &byte, 1) != 1) {
        return 1;
    }
    for (int i = 0; i < 200; i++) { /* the table is full now */
        int fd = echo_server_knock(echo_server, i % 2);

        (void) !send(fd, buf.data, buf.len, MSG_NOSIGNAL);
        (void) echo_server_closes(fd);
        (void) close(fd);
        if (read_back(first)) {
            return 2;
        }
    }
    if (write(told, "2", 1) != 1 || read(go, &byte, 1) != 1) {
        return 3;
    }
    for (int door = 0; door < 2; door++) { /* and now it is not */
        int fd = echo_server_knock(echo_server, door);

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
    struct echo_server echo_server;
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
    echo_server_open(&echo_server);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(client_side(&echo_server, go[0], told[1]));
    }
    (void) close(told[1]);
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
    echo_server_close(&echo_server);
    (void) close(go[0]);
    (void) close(go[1]);
    (void) close(told[0]);
}

/* --- the path listener --- */

static void the_path_is_removed_by_its_maker_only(void **state)
{
    char dir[] = "/tmp/px-door-XXXXXX";
    char path[64];
    struct echo_server echo_server;
    struct stat st;
    int status;
    pid_t pid;

    (void) state;
    assert_non_null(mkdtemp(dir));
    (void) snprintf(path, sizeof(path), "%s/door", dir);
    echo_server_open_with(&echo_server, 60000, path);
    echo_server_serves(&echo_server, 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        px_listeners_close(echo_server.listeners);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(lstat(path, &st), 0);
    echo_server_serves(&echo_server, 0);
    echo_server_close(&echo_server);
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
        T(a_thousand_idle),
        T(waits_for_room),
        T(full_table),
        T(the_path_is_removed_by_its_maker_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
