/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/net/listen.h"
#include "test/unit/net/echo_server.h"

/* The server is a thread that reads the hello and says what it is told to say, then closes. */

struct speaker {
    pthread_t thread;
    int listener;
    char uri[256];
    const unsigned char *words;
    size_t len;
    bool in_pieces;
    bool silent; /* waits for the caller to hang up instead of closing */
};

static void *speak(void *arg)
{
    struct speaker *s = arg;
    struct pollfd p = {.fd = s->listener, .events = POLLIN};
    uint32_t header[4];
    char body[4096];
    int fd;

    (void) poll(&p, 1, -1);
    fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 || !fixture_read(fd, header, sizeof(header)) || header[2] > sizeof(body) ||
        !fixture_read(fd, body, header[2])) {
        abort();
    }
    for (size_t i = 0; i < s->len; i += s->in_pieces ? 1 : s->len) {
        (void) !send(fd, s->words + i, s->in_pieces ? 1 : s->len, MSG_NOSIGNAL);
    }
    if (s->silent) {
        (void) echo_server_closes(fd);
    }
    (void) close(fd);
    return NULL;
}

static int dial_speaker(int door, enum px_handshake_flag flag, const void *words, size_t len,
                        bool in_pieces, bool silent, struct px_dialed *dialed)
{
    struct speaker s = {.words = words, .len = len, .in_pieces = in_pieces, .silent = silent};
    struct px_socket_file mark = {.path = ""};
    struct px_handshake handshake = echo_server_greeting(flag, "ME");
    char where[PX_URI_BYTES];
    int rc;

    s.listener = door ? px_listen_tcp(where) : px_listen_unix(NULL, 0, where, &mark);
    assert_true(s.listener >= 0);
    (void) snprintf(s.uri, sizeof(s.uri), "SERVER.0;%s", where);
    assert_int_equal(pthread_create(&s.thread, NULL, speak, &s), 0);
    rc = px_dial(s.uri, &handshake, silent ? 300 : 60000, NULL, dialed);
    assert_int_equal(pthread_join(s.thread, NULL), 0);
    (void) close(s.listener);
    return rc;
}

static void answers_to_a_client(void **state)
{
    static const struct {
        const char *words;
        size_t len;
        int rc;
    } cases[] = {
        {"\0\0\0\0\0\0\0\5", 8, 0},
        {"\0\0\0\0\0\0\0\5and the first message", 29, 0},
        {"\0\0\0\0\0\0\0", 7, PMIX_ERR_UNREACH},
        {"\0\0\0\0", 4, PMIX_ERR_UNREACH},
        {"\0\0", 2, PMIX_ERR_UNREACH},
        {"", 0, PMIX_ERR_UNREACH},
        {"\377\377\377\364", 4, PMIX_ERR_INVALID_CRED},
        {"\377\377\377\362", 4, PMIX_ERR_NOT_SUPPORTED}, /* a handshake that nobody has */
        {"\0\0\0\1", 4, PMIX_ERR_UNPACK_FAILURE},
        {"\177\377\377\377", 4, PMIX_ERR_UNPACK_FAILURE},
    };
    int before = fixture_descriptors();

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int how = 0; how < 4; how++) {
            struct px_dialed dialed = {.fd = -1};

            assert_int_equal(dial_speaker(how % 2, PX_HANDSHAKE_CLIENT, cases[i].words,
                                          cases[i].len, how / 2, false, &dialed),
                             cases[i].rc);
            if (cases[i].rc) {
                assert_int_equal(dialed.fd, -1); /* untouched */
                continue;
            }
            assert_int_equal(dialed.index, 5);
            assert_string_equal(dialed.server.nspace, "SERVER");
            assert_string_equal(dialed.assigned.nspace, "ME");
            assert_int_equal(dialed.assigned.rank, 4);
            assert_true(fcntl(dialed.fd, F_GETFL) & O_NONBLOCK);
            assert_true(fcntl(dialed.fd, F_GETFD) & FD_CLOEXEC);
            if (cases[i].len > 8) {
                char rest[21];

                assert_int_equal(fcntl(dialed.fd, F_SETFL, 0), 0);
                assert_true(fixture_read(dialed.fd, rest,
                                         sizeof(rest))); /* not one byte too many was read */
                assert_memory_equal(rest, "and the first message", 21);
            }
            (void) close(dialed.fd);
        }
    }
    assert_int_equal(fixture_descriptors(), before);
}

static void answers_to_a_tool(void **state)
{
    unsigned char words[4 + 260 + 260 + 4] = {0};
    struct px_dialed dialed;

    (void) state;
    memcpy(words + 4, "GIVEN", 5);
    words[4 + 259] = 9;
    assert_int_equal(dial_speaker(1, PX_HANDSHAKE_TOOL, words, 4 + 260 + 4, true, false, &dialed),
                     0);
    assert_string_equal(dialed.server.nspace, "GIVEN");
    (void) close(dialed.fd);
    memcpy(words + 264, "HOST", 4);
    words[264 + 259] = 2;
    assert_int_equal(
        dial_speaker(0, PX_HANDSHAKE_TOOL_NEEDS_ID, words, sizeof(words), false, false, &dialed),
        0);
    assert_string_equal(dialed.assigned.nspace, "GIVEN");
    assert_int_equal(dialed.assigned.rank, 9);
    assert_string_equal(dialed.server.nspace, "HOST");
    assert_int_equal(dialed.server.rank, 2);
    (void) close(dialed.fd);
    for (size_t cut = 0; cut < sizeof(words); cut += 13) {
        assert_int_equal(
            dial_speaker(0, PX_HANDSHAKE_LAUNCHER_NEEDS_ID, words, cut, false, false, &dialed),
            PMIX_ERR_UNREACH);
    }
    words[sizeof(words) - 1] = 0xf4;
    memset(words + sizeof(words) - 4, 0xff, 3);
    assert_int_equal(
        dial_speaker(0, PX_HANDSHAKE_TOOL_NEEDS_ID, words, sizeof(words), false, false, &dialed),
        PMIX_ERR_INVALID_CRED);
    memset(words + 4, 'x', 256); /* a name without an end */
    assert_int_equal(
        dial_speaker(0, PX_HANDSHAKE_TOOL_NEEDS_ID, words, sizeof(words), false, false, &dialed),
        PMIX_ERR_UNPACK_FAILURE);
}

static void silence_has_an_end(void **state)
{
    struct px_dialed dialed;

    (void) state;
    for (int door = 0; door < 2; door++) {
        assert_int_equal(dial_speaker(door, PX_HANDSHAKE_CLIENT, "\0\0", 2, false, true, &dialed),
                         PMIX_ERR_TIMEOUT);
    }
}

static void nobody_there(void **state)
{
    struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "ME");
    struct px_dialed dialed;
    char where[PX_URI_BYTES];
    char uri[256];

    (void) state;
    (void) close(px_listen_tcp(where));
    (void) snprintf(uri, sizeof(uri), "S.0;%s", where);
    assert_int_equal(px_dial(uri, &handshake, 60000, NULL, &dialed), PMIX_ERR_UNREACH);
    assert_int_equal(px_dial("S.0;unix://@nobody-listens-here", &handshake, 60000, NULL, &dialed),
                     PMIX_ERR_UNREACH);
    assert_int_equal(px_dial("S.0;unix:///nowhere/at/all", &handshake, 60000, NULL, &dialed),
                     PMIX_ERR_UNREACH);
    assert_int_equal(px_dial("S.0;unix://@nobody-listens-here", &handshake, 0, NULL, &dialed),
                     PMIX_ERR_TIMEOUT);
    assert_int_equal(px_dial("nonsense", &handshake, 60000, NULL, &dialed), PMIX_ERR_BAD_PARAM);
}

/* Nobody accepts and the queue is full: the deadline still holds. */
static void a_full_backlog(void **state)
{
    struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "ME");
    struct px_socket_file mark = {.path = ""};
    struct px_dialed dialed;
    char where[PX_URI_BYTES];
    char uri[256];
    int fd = px_listen_unix(NULL, 0, where, &mark);

    (void) state;
    assert_int_equal(listen(fd, 0), 0);
    (void) snprintf(uri, sizeof(uri), "S.0;%s", where);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(px_dial(uri, &handshake, 20, NULL, &dialed), PMIX_ERR_TIMEOUT);
    }
    (void) close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_to_a_client), cmocka_unit_test(answers_to_a_tool),
        cmocka_unit_test(silence_has_an_end),  cmocka_unit_test(nobody_there),
        cmocka_unit_test(a_full_backlog),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
