/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/base/param.h"
#include "test/unit/net/echo_server.h"
#include "test/unit/net/faults.h"
#include "src/net/conn_write.h"
#include "src/net/pending_conn.h"

/* What base, loop and net do when memory runs out, once at each place: a status or a lost
 * connection, nothing left behind, and all well the next time. */

static void parameters(void **state)
{
    uint64_t n = 0;

    (void) state;
    (void) setenv("PMIX_MCA_pmix_max_events", "7", 1);
    (void) setenv("PMIX_MCA_gds", "hash", 1);
    assert_int_equal(px_param_load(), 0);
    (void) setenv("PMIX_MCA_pmix_max_events", "8", 1);
    for (;;) {
        int rc;

        scarce_from(++n);
        rc = px_param_load();
        if (!scarce_reached()) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, PX_ERR_NOMEM);
        assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 7);
        assert_string_equal(px_param_string(PX_P_GDS), "hash");
    }
    scarce_from(0);
    assert_true(n > 2);
    assert_int_equal(px_param_int(PX_P_MAX_EVENTS), 8);
    (void) unsetenv("PMIX_MCA_pmix_max_events");
    (void) unsetenv("PMIX_MCA_gds");
    assert_int_equal(px_param_load(), 0);
}

/* --- a whole conversation --- */

struct talk {
    struct px_loop *loop;
    struct px_listeners *listeners;
    struct px_conn *conn; /* loop thread */
    bool held;            /* loop thread */
};

static bool talk_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct talk *talk = arg;
    struct px_buf buf = {0};

    if (fd >= 0) {
        (void) close(fd);
    }
    px_buf_append(&buf, payload, len);
    if (px_conn_send_take(talk->conn, tag, &buf, -1) != 0) {
        px_conn_destroy_loop(talk->conn);
        talk->conn = NULL;
    }
    return false;
}

static void talk_closed(void *arg, int status)
{
    struct talk *talk = arg;

    (void) status;
    px_conn_destroy_loop(talk->conn);
    talk->conn = NULL;
}

static const struct px_conn_ops talk_ops = {.message = talk_message, .closed = talk_closed};

static void talk_hello(void *arg, struct px_pending_conn *pending,
                       const struct px_handshake *handshake, const struct px_peer_cred *who)
{
    struct talk *talk = arg;

    (void) handshake;
    (void) who;
    if (px_pending_conn_admit(pending, 1, &talk_ops, talk, &talk->conn) != 0) {
        talk->conn = NULL;
    }
}

static void talk_gone(void *arg, struct px_pending_conn *pending)
{
    (void) arg;
    (void) pending;
}

static const struct px_listener_ops talk_door_ops = {talk_hello, talk_gone};

static bool exchange(int fd, const unsigned char *message, unsigned char *room, size_t len)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    size_t out = 0;
    size_t back = 0;

    while (back < len) {
        ssize_t n = out < len ? send(fd, message + out, len - out, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

        if (n < 0 && errno != EAGAIN) {
            return false;
        }
        out += n > 0 ? (size_t) n : 0;
        if (out == len && poll(&p, 1, 60000) != 1) {
            return false;
        }
        n = recv(fd, room + back, len - back, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            return false;
        }
        back += n > 0 ? (size_t) n : 0;
    }
    return memcmp(message + 4, room + 4, len - 4) == 0;
}

static bool converse(struct talk *talk, int door, const unsigned char *message, unsigned char *room,
                     size_t len)
{
    struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "JOB");
    struct px_dialed dialed;
    char uri[256];
    bool good;

    (void) snprintf(uri, sizeof(uri), "S.0;%s",
                    door ? px_listeners_tcp(talk->listeners) : px_listeners_unix(talk->listeners));
    if (px_dial(uri, &handshake, 60000, NULL, &dialed) != 0) {
        return false;
    }
    good = exchange(dialed.fd, message, room, len) && exchange(dialed.fd, message, room, len);
    (void) close(dialed.fd);
    return good;
}

static void talk_end(void *arg)
{
    struct talk *talk = arg;

    px_conn_destroy_loop(talk->conn);
}

static bool talk(int door, const unsigned char *message, unsigned char *room, size_t len)
{
    struct px_listener_opts opts = {
        .use_unix = !door, .use_tcp = door, .max_msg = 10000000, .handshake_ms = 60000};
    struct talk talk = {0};
    bool good = false;

    if (px_loop_create(false, &talk.loop) != 0) {
        return false;
    }
    if (px_listeners_open(talk.loop, &opts, &talk_door_ops, &talk, &talk.listeners) == 0) {
        good = converse(&talk, door, message, room, len);
        px_listeners_close(talk.listeners);
        assert_int_equal(px_loop_run(talk.loop, talk_end, &talk), 0);
    }
    px_loop_destroy(talk.loop);
    return good;
}

static void a_conversation(void **state)
{
    enum { LEN = 2000016 }; /* too much for the kernel and for the small buffer */
    unsigned char *message = malloc(LEN);
    unsigned char *room = malloc(LEN);
    int before = fixture_descriptors();

    (void) state;
    assert_true(message && room);
    memset(message, 'm', LEN);
    fixture_header(message, 101, LEN - 16);
    for (int door = 0; door < 2; door++) {
        uint64_t n = 0;
        bool good;

        do {
            scarce_from(++n);
            good = talk(door, message, room, LEN);
            assert_int_equal(fixture_descriptors(), before);
        } while (scarce_reached());
        assert_true(good);
        assert_true(n > 10);
    }
    scarce_from(0);
    free(message);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters),
        cmocka_unit_test(a_conversation),
    };

    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
