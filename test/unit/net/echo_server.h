/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_NET_ECHO_SERVER_H
#define PX_TEST_UNIT_NET_ECHO_SERVER_H

/* A small server behind both listeners: it admits whoever introduces himself and sends every
 * message back. Namespaces with a meaning: "refuse" (status -12), "close" (no status), "hold" (no
 * answer). Included after cmocka. */

#include "src/base/list.h"
#include "src/net/dial.h"
#include "src/net/listener.h"
#include "src/net/uri.h"
#include "test/unit/net/fixture.h"
#include "src/net/auth.h"
#include "src/net/conn_write.h"
#include "src/net/pending_conn.h"

struct echo_conn {
    struct px_list link;
    struct px_conn *conn;
    struct echo_server *echo_server;
};

struct echo_server {
    struct px_loop *loop;
    struct px_listeners *listeners;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    struct px_list echo_conns;     /* loop thread */
    unsigned hellos;               /* lock */
    unsigned gone;                 /* lock */
    unsigned inside;               /* lock */
    struct px_pending_conn *held;  /* lock: the last one */
    struct px_peer_cred peer_cred; /* lock: of the last hello */
    uint32_t index;                /* loop thread */
};

static inline void echo_server_count(struct echo_server *echo_server, unsigned *what, int by)
{
    (void) pthread_mutex_lock(&echo_server->lock);
    *what += (unsigned) by;
    (void) pthread_cond_broadcast(&echo_server->cond);
    (void) pthread_mutex_unlock(&echo_server->lock);
}

static inline void echo_server_await(struct echo_server *echo_server, const unsigned *what,
                                     unsigned n)
{
    (void) pthread_mutex_lock(&echo_server->lock);
    while (*what != n) {
        (void) pthread_cond_wait(&echo_server->cond, &echo_server->lock);
    }
    (void) pthread_mutex_unlock(&echo_server->lock);
}

static inline bool echo_conn_message(void *arg, uint32_t tag, const void *payload, size_t len,
                                     int fd)
{
    struct echo_conn *echo_conn = arg;
    struct px_buf buf = {0};

    if (fd >= 0) {
        (void) close(fd);
    }
    px_buf_append(&buf, payload, len);
    (void) px_conn_send_take(echo_conn->conn, tag, &buf, -1); /* he may be gone by now */
    return false;
}

static inline void echo_conn_closed(void *arg, int status)
{
    struct echo_conn *echo_conn = arg;
    struct echo_server *echo_server = echo_conn->echo_server;

    (void) status;
    px_list_remove(&echo_conn->link);
    px_conn_destroy_loop(echo_conn->conn);
    free(echo_conn);
    echo_server_count(echo_server, &echo_server->inside, -1);
}

static const struct px_conn_ops echo_conn_ops = {.message = echo_conn_message,
                                                 .closed = echo_conn_closed};

static inline int echo_server_let_in(struct echo_server *echo_server,
                                     struct px_pending_conn *pending,
                                     const struct px_handshake *handshake)
{
    static const pmix_proc_t assigned = {"TOOL.7", 3};
    static const pmix_proc_t server = {"SERVER", 1};
    struct echo_conn *echo_conn = calloc(1, sizeof(*echo_conn));
    bool needs_id = handshake->flag == PX_HANDSHAKE_TOOL_NEEDS_ID ||
                    handshake->flag == PX_HANDSHAKE_LAUNCHER_NEEDS_ID;
    int rc;

    assert_non_null(echo_conn);
    echo_conn->echo_server = echo_server;
    if (handshake->flag == PX_HANDSHAKE_CLIENT || handshake->flag == PX_HANDSHAKE_SINGLETON) {
        rc = px_pending_conn_admit(pending, ++echo_server->index, &echo_conn_ops, echo_conn,
                                   &echo_conn->conn);
    } else {
        rc = px_pending_conn_admit_tool(pending, needs_id ? &assigned : NULL, &server,
                                        &echo_conn_ops, echo_conn, &echo_conn->conn);
    }
    if (rc) {
        free(echo_conn);
        return rc;
    }
    px_list_append(&echo_server->echo_conns, &echo_conn->link);
    return 0;
}

static inline void echo_server_hello(void *arg, struct px_pending_conn *pending,
                                     const struct px_handshake *handshake,
                                     const struct px_peer_cred *peer_cred)
{
    struct echo_server *echo_server = arg;

    (void) pthread_mutex_lock(&echo_server->lock);
    echo_server->peer_cred = *peer_cred;
    echo_server->held = pending;
    (void) pthread_mutex_unlock(&echo_server->lock);
    if (strcmp(handshake->proc.nspace, "refuse") == 0) {
        px_pending_conn_refuse(pending, PMIX_ERR_INVALID_CRED);
    } else if (strcmp(handshake->proc.nspace, "close") == 0) {
        px_pending_conn_refuse(pending, 0);
    } else if (strcmp(handshake->proc.nspace, "hold") == 0) {
        px_pending_conn_set_data(pending, echo_server);
    } else if (echo_server_let_in(echo_server, pending, handshake) == 0) {
        echo_server_count(echo_server, &echo_server->inside, 1);
    }
    echo_server_count(echo_server, &echo_server->hellos, 1);
}

static inline void echo_server_gone(void *arg, struct px_pending_conn *pending)
{
    struct echo_server *echo_server = arg;

    assert_ptr_equal(px_pending_conn_data(pending), echo_server);
    echo_server_count(echo_server, &echo_server->gone, 1);
}

static const struct px_listener_ops echo_server_ops = {echo_server_hello, echo_server_gone};

static inline void echo_server_open_with(struct echo_server *echo_server, unsigned handshake_ms,
                                         const char *path)
{
    struct px_listener_opts opts = {
        .use_unix = true,
        .unix_path = path,
        .use_tcp = true,
        .max_msg = 1048576,
        .handshake_ms = handshake_ms,
        .unix_mode = 0600,
    };

    memset(echo_server, 0, sizeof(*echo_server));
    (void) pthread_mutex_init(&echo_server->lock, NULL);
    (void) pthread_cond_init(&echo_server->cond, NULL);
    px_list_init(&echo_server->echo_conns);
    assert_int_equal(px_loop_create(false, &echo_server->loop), 0);
    assert_int_equal(px_listeners_open(echo_server->loop, &opts, &echo_server_ops, echo_server,
                                       &echo_server->listeners),
                     0);
}

static inline void echo_server_open(struct echo_server *echo_server)
{
    echo_server_open_with(echo_server, 60000, NULL);
}

static inline void echo_server_empty(void *arg)
{
    struct echo_server *echo_server = arg;

    while (!px_list_empty(&echo_server->echo_conns)) {
        struct echo_conn *echo_conn =
            px_container_of(echo_server->echo_conns.next, struct echo_conn, link);

        echo_conn_closed(echo_conn, 0);
    }
}

static inline void echo_server_close(struct echo_server *echo_server)
{
    px_listeners_close(echo_server->listeners);
    assert_int_equal(px_loop_run(echo_server->loop, echo_server_empty, echo_server), 0);
    px_loop_destroy(echo_server->loop);
    (void) pthread_cond_destroy(&echo_server->cond);
    (void) pthread_mutex_destroy(&echo_server->lock);
}

/* Complete URI of the unix (0) or TCP (1) listener. */
static inline const char *echo_server_uri(const struct echo_server *echo_server, int door,
                                          char room[256])
{
    (void) snprintf(room, 256, "SERVER.1;%s",
                    door ? px_listeners_tcp(echo_server->listeners)
                         : px_listeners_unix(echo_server->listeners));
    return room;
}

static inline struct px_handshake echo_server_greeting(enum px_handshake_flag flag,
                                                       const char *nspace)
{
    static unsigned char room[64];
    struct px_handshake handshake = {.flag = flag, .kind = PX_WIRE_PLAIN};

    assert_int_equal(px_credential("native", &handshake, room, sizeof(room)), 0);
    strcpy(handshake.version, "5.0.0");
    strcpy(handshake.bfrops, "v41");
    strcpy(handshake.gds, "hash");
    strcpy(handshake.proc.nspace, nspace);
    handshake.proc.rank = 4;
    return handshake;
}

/* The whole first message. */
static inline struct px_buf echo_server_hello_bytes(enum px_handshake_flag flag, const char *nspace)
{
    struct px_handshake handshake = echo_server_greeting(flag, nspace);
    struct px_buf buf = {0};

    assert_int_equal(px_handshake_pack(&handshake, &buf), 0);
    return buf;
}

static inline void echo_server_admit_held(void *arg)
{
    struct echo_server *echo_server = arg;
    struct px_handshake handshake = {.flag = PX_HANDSHAKE_CLIENT};

    assert_int_equal(echo_server_let_in(echo_server, echo_server->held, &handshake), 0);
    echo_server_count(echo_server, &echo_server->inside, 1);
}

/* A plain, blocking connection. */
static inline int echo_server_knock(const struct echo_server *echo_server, int door)
{
    char uri[256];
    pmix_proc_t server;
    struct px_address to;
    int fd;

    assert_int_equal(px_uri_parse(echo_server_uri(echo_server, door, uri), &server, &to), 0);
    fd = socket(to.addr.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &to.addr.any, to.len), 0);
    return fd;
}

/* True when the other end closes, whatever it says before. */
static inline bool echo_server_closes(int fd)
{
    char room[64];
    ssize_t n;

    do {
        n = recv(fd, room, sizeof(room), 0);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return true;
}

/* A good client comes in, is answered, and leaves. */
static inline void echo_server_serves(struct echo_server *echo_server, int door)
{
    struct px_handshake handshake = echo_server_greeting(PX_HANDSHAKE_CLIENT, "JOB");
    struct px_dialed dialed;
    struct pollfd p = {.events = POLLIN};
    unsigned char message[19];
    unsigned char back[19];
    char uri[256];

    assert_int_equal(
        px_dial(echo_server_uri(echo_server, door, uri), &handshake, 60000, NULL, &dialed), 0);
    assert_true(dialed.index > 0);
    fixture_header(message, 101, 3);
    memcpy(message + 16, "abc", 3);
    fixture_write(dialed.fd, message, sizeof(message));
    for (size_t have = 0; have < sizeof(back);) {
        ssize_t n;

        p.fd = dialed.fd;
        assert_int_equal(poll(&p, 1, 60000), 1);
        n = recv(dialed.fd, back + have, sizeof(back) - have, 0);
        assert_true(n > 0);
        have += (size_t) n;
    }
    assert_memory_equal(back + 4, message + 4, 15);
    (void) close(dialed.fd);
}

#endif
