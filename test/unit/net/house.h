/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_NET_HOUSE_H
#define PX_TEST_UNIT_NET_HOUSE_H

/* A small server behind both doors: it admits whoever introduces himself and sends every message
 * back. Namespaces with a meaning: "refuse" (status -12), "close" (no status), "hold" (no answer).
 * Included after cmocka. */

#include "src/base/list.h"
#include "src/net/dial.h"
#include "src/net/door.h"
#include "src/net/uri.h"
#include "test/unit/net/fixture.h"

struct inmate {
    struct px_list link;
    struct px_conn *conn;
    struct house *house;
};

struct house {
    struct px_loop *loop;
    struct px_doors *doors;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    struct px_list inmates; /* loop thread */
    unsigned hellos;        /* lock */
    unsigned gone;          /* lock */
    unsigned inside;        /* lock */
    struct px_guest *held;  /* lock: the last one */
    struct px_who who;      /* lock: of the last hello */
    uint32_t index;         /* loop thread */
};

static inline void house_count(struct house *house, unsigned *what, int by)
{
    (void) pthread_mutex_lock(&house->lock);
    *what += (unsigned) by;
    (void) pthread_cond_broadcast(&house->cond);
    (void) pthread_mutex_unlock(&house->lock);
}

static inline void house_await(struct house *house, const unsigned *what, unsigned n)
{
    (void) pthread_mutex_lock(&house->lock);
    while (*what != n) {
        (void) pthread_cond_wait(&house->cond, &house->lock);
    }
    (void) pthread_mutex_unlock(&house->lock);
}

static inline void inmate_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct inmate *inmate = arg;
    struct px_buf buf = {0};

    if (fd >= 0) {
        (void) close(fd);
    }
    px_buf_append(&buf, payload, len);
    (void) px_conn_send_take(inmate->conn, tag, &buf, -1); /* he may be gone by now */
}

static inline void inmate_closed(void *arg, int status)
{
    struct inmate *inmate = arg;
    struct house *house = inmate->house;

    (void) status;
    px_list_remove(&inmate->link);
    px_conn_destroy_loop(inmate->conn);
    free(inmate);
    house_count(house, &house->inside, -1);
}

static const struct px_conn_ops inmate_ops = {inmate_message, inmate_closed};

static inline int house_let_in(struct house *house, struct px_guest *guest,
                               const struct px_hello *hello)
{
    static const pmix_proc_t assigned = {"TOOL.7", 3};
    static const pmix_proc_t server = {"SERVER", 1};
    struct inmate *inmate = calloc(1, sizeof(*inmate));
    bool needs_id =
        hello->flag == PX_HELLO_TOOL_NEEDS_ID || hello->flag == PX_HELLO_LAUNCHER_NEEDS_ID;
    int rc;

    assert_non_null(inmate);
    inmate->house = house;
    if (hello->flag == PX_HELLO_CLIENT || hello->flag == PX_HELLO_SINGLETON) {
        rc = px_guest_admit(guest, ++house->index, &inmate_ops, inmate, &inmate->conn);
    } else {
        rc = px_guest_admit_tool(guest, needs_id ? &assigned : NULL, &server, &inmate_ops, inmate,
                                 &inmate->conn);
    }
    if (rc) {
        free(inmate);
        return rc;
    }
    px_list_append(&house->inmates, &inmate->link);
    return 0;
}

static inline void house_hello(void *arg, struct px_guest *guest, const struct px_hello *hello,
                               const struct px_who *who)
{
    struct house *house = arg;

    (void) pthread_mutex_lock(&house->lock);
    house->who = *who;
    house->held = guest;
    (void) pthread_mutex_unlock(&house->lock);
    if (strcmp(hello->proc.nspace, "refuse") == 0) {
        px_guest_refuse(guest, PMIX_ERR_INVALID_CRED);
    } else if (strcmp(hello->proc.nspace, "close") == 0) {
        px_guest_refuse(guest, 0);
    } else if (strcmp(hello->proc.nspace, "hold") == 0) {
        px_guest_set_data(guest, house);
    } else if (house_let_in(house, guest, hello) == 0) {
        house_count(house, &house->inside, 1);
    }
    house_count(house, &house->hellos, 1);
}

static inline void house_gone(void *arg, struct px_guest *guest)
{
    struct house *house = arg;

    assert_ptr_equal(px_guest_data(guest), house);
    house_count(house, &house->gone, 1);
}

static const struct px_door_ops house_ops = {house_hello, house_gone};

static inline void house_open_with(struct house *house, unsigned handshake_ms, const char *path)
{
    struct px_door_opts opts = {
        .unix_door = true,
        .unix_path = path,
        .tcp_door = true,
        .max_msg = 1048576,
        .handshake_ms = handshake_ms,
        .unix_mode = 0600,
    };

    memset(house, 0, sizeof(*house));
    (void) pthread_mutex_init(&house->lock, NULL);
    (void) pthread_cond_init(&house->cond, NULL);
    px_list_init(&house->inmates);
    assert_int_equal(px_loop_create(false, &house->loop), 0);
    assert_int_equal(px_doors_open(house->loop, &opts, &house_ops, house, &house->doors), 0);
}

static inline void house_open(struct house *house)
{
    house_open_with(house, 60000, NULL);
}

static inline void house_empty(void *arg)
{
    struct house *house = arg;

    while (!px_list_empty(&house->inmates)) {
        struct inmate *inmate = px_container_of(house->inmates.next, struct inmate, link);

        inmate_closed(inmate, 0);
    }
}

static inline void house_close(struct house *house)
{
    px_doors_close(house->doors);
    assert_int_equal(px_loop_run(house->loop, house_empty, house), 0);
    px_loop_destroy(house->loop);
    (void) pthread_cond_destroy(&house->cond);
    (void) pthread_mutex_destroy(&house->lock);
}

/* Complete URI of the unix (0) or TCP (1) door. */
static inline const char *house_uri(const struct house *house, int door, char room[256])
{
    (void) snprintf(room, 256, "SERVER.1;%s",
                    door ? px_doors_tcp(house->doors) : px_doors_unix(house->doors));
    return room;
}

static inline struct px_hello house_greeting(enum px_hello_flag flag, const char *nspace)
{
    static unsigned char room[64];
    struct px_hello hello = {.flag = flag, .kind = PX_WIRE_PLAIN};

    assert_int_equal(px_credential("native", &hello, room, sizeof(room)), 0);
    strcpy(hello.version, "5.0.0");
    strcpy(hello.bfrops, "v41");
    strcpy(hello.gds, "hash");
    strcpy(hello.proc.nspace, nspace);
    hello.proc.rank = 4;
    return hello;
}

/* The whole first message. */
static inline struct px_buf house_hello_bytes(enum px_hello_flag flag, const char *nspace)
{
    struct px_hello hello = house_greeting(flag, nspace);
    struct px_buf buf = {0};

    assert_int_equal(px_hello_pack(&hello, &buf), 0);
    return buf;
}

static inline void house_admit_held(void *arg)
{
    struct house *house = arg;
    struct px_hello hello = {.flag = PX_HELLO_CLIENT};

    assert_int_equal(house_let_in(house, house->held, &hello), 0);
    house_count(house, &house->inside, 1);
}

/* A plain, blocking connection. */
static inline int house_knock(const struct house *house, int door)
{
    char uri[256];
    pmix_proc_t server;
    struct px_address to;
    int fd;

    assert_int_equal(px_uri_parse(house_uri(house, door, uri), &server, &to), 0);
    fd = socket(to.addr.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, &to.addr.any, to.len), 0);
    return fd;
}

/* True when the other end closes, whatever it says before. */
static inline bool house_closes(int fd)
{
    char room[64];
    ssize_t n;

    do {
        n = recv(fd, room, sizeof(room), 0);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return true;
}

/* A good client comes in, is answered, and leaves. */
static inline void house_serves(struct house *house, int door)
{
    struct px_hello hello = house_greeting(PX_HELLO_CLIENT, "JOB");
    struct px_dialed dialed;
    struct pollfd p = {.events = POLLIN};
    unsigned char message[19];
    unsigned char back[19];
    char uri[256];

    assert_int_equal(px_dial(house_uri(house, door, uri), &hello, 60000, NULL, &dialed), 0);
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
