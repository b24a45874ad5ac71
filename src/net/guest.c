/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/status.h"
#include "src/net/auth.h"
#include "src/net/door_priv.h"

/* One connection from its arrival to our answer. Exactly the bytes of the introduction are read:
 * what the peer sends behind it stays in the kernel for the connection that the guest may become.
 * Memory follows the bytes that arrive, not the length that is announced. */

enum { HEADER_BYTES = 16, CHUNK_BYTES = 4096, ID_BYTES = PMIX_MAX_NSLEN + 1 + 4 };

struct px_guest {
    struct px_list link; /* doors->strangers, or doors->waiting once introduced */
    struct px_doors *doors;
    int fd; /* -1 when it was given away */
    struct px_io io;
    struct px_timer timer;
    bool introduced;
    struct px_buf bytes; /* header and body, as far as they have come */
    size_t due;          /* length of both; of the header until that is known */
    void *data;
};

static void guest_free(struct px_guest *guest)
{
    px_io_stop_loop(&guest->io);
    px_timer_stop_loop(&guest->timer);
    px_list_remove(&guest->link);
    if (!guest->introduced) {
        guest->doors->n_strangers--;
    }
    if (guest->fd >= 0) {
        (void) close(guest->fd);
    }
    px_buf_fini(&guest->bytes);
    free(guest);
}

static void too_late(struct px_timer *timer)
{
    guest_free(px_container_of(timer, struct px_guest, timer));
}

/* The header is in the byte order of the peer, which is ours or not welcome. */
static bool header_good(const void *header, size_t *ret_len)
{
    uint32_t words[4];

    memcpy(words, header, sizeof(words));
    if (words[0] != UINT32_MAX || words[1] != UINT32_MAX || words[2] > PX_HELLO_MAX) {
        return false;
    }
    *ret_len = words[2];
    return true;
}

/* 1: all of it is here; 0: later; negative: the guest is no good. */
static int read_hello(struct px_guest *guest)
{
    unsigned char chunk[CHUNK_BYTES];

    while (guest->bytes.len < guest->due) {
        size_t want = guest->due - guest->bytes.len;
        size_t body;
        ssize_t n =
            recv(guest->fd, chunk, want < sizeof(chunk) ? want : sizeof(chunk), MSG_DONTWAIT);

        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            return 0;
        }
        if (n <= 0) {
            return PX_ERR_LOST_CONNECTION;
        }
        px_buf_append(&guest->bytes, chunk, (size_t) n);
        if (!px_buf_ok(&guest->bytes)) {
            return PX_ERR_NOMEM;
        }
        if (guest->due == HEADER_BYTES && guest->bytes.len == HEADER_BYTES) {
            if (!header_good(guest->bytes.data, &body) || body == 0) {
                return PX_ERR_UNPACK_FAILURE;
            }
            guest->due += body;
        }
    }
    return 1;
}

/* From now on the owner of the doors decides; only the end of the stream is of interest. */
static void introduce(struct px_guest *guest)
{
    struct px_doors *doors = guest->doors;
    struct px_hello hello;
    struct px_who who;

    if (px_hello_parse(guest->bytes.data + HEADER_BYTES, guest->due - HEADER_BYTES, &hello) !=
        PMIX_SUCCESS) {
        guest_free(guest);
        return;
    }
    who = px_auth_peer(guest->fd, px_hello_pid(&hello));
    px_timer_stop_loop(&guest->timer);
    px_list_remove(&guest->link);
    px_list_append(&doors->waiting, &guest->link);
    guest->introduced = true;
    doors->n_strangers--;
    doors->ops.hello(doors->arg, guest, &hello, &who); /* may have freed the guest */
}

/* A peer that goes ahead of our answer is no longer watched: its bytes stay where they are. */
static void look_for_end(struct px_guest *guest)
{
    struct px_doors *doors = guest->doors;
    unsigned char byte;
    ssize_t n = recv(guest->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    if (n > 0) {
        (void) px_io_want_loop(&guest->io, 0);
        return;
    }
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    doors->ops.gone(doors->arg, guest);
    guest_free(guest);
}

static void guest_ready(struct px_io *io, int what)
{
    struct px_guest *guest = px_container_of(io, struct px_guest, io);
    int rc;

    (void) what;
    if (guest->introduced) {
        look_for_end(guest);
        return;
    }
    rc = read_hello(guest);
    if (rc < 0) {
        guest_free(guest);
    } else if (rc > 0) {
        introduce(guest);
    }
}

void px_guest_arrived_loop(struct px_doors *doors, int fd)
{
    struct px_guest *guest = calloc(1, sizeof(*guest));

    if (!guest) {
        (void) close(fd);
        return;
    }
    guest->doors = doors;
    guest->fd = fd;
    guest->due = HEADER_BYTES;
    px_list_append(&doors->strangers, &guest->link);
    doors->n_strangers++;
    if (px_io_start_loop(doors->loop, &guest->io, fd, PX_IO_READ, guest_ready) != PX_OK ||
        px_timer_start_loop(doors->loop, &guest->timer, doors->handshake_ms, too_late) != PX_OK) {
        guest_free(guest);
        return;
    }
    if (doors->n_strangers > doors->most_strangers) {
        (void) px_guest_drop_oldest_loop(doors);
    }
}

bool px_guest_drop_oldest_loop(struct px_doors *doors)
{
    if (px_list_empty(&doors->strangers)) {
        return false;
    }
    guest_free(px_container_of(doors->strangers.next, struct px_guest, link));
    return true;
}

void px_guest_drop_all_loop(struct px_doors *doors)
{
    while (px_guest_drop_oldest_loop(doors)) {
    }
    while (!px_list_empty(&doors->waiting)) {
        struct px_guest *guest = px_container_of(doors->waiting.next, struct px_guest, link);

        doors->ops.gone(doors->arg, guest);
        guest_free(guest);
    }
}

void px_guest_set_data(struct px_guest *guest, void *data)
{
    guest->data = data;
}

void *px_guest_data(const struct px_guest *guest)
{
    return guest->data;
}

/* A fresh socket takes these few bytes at once; one that does not is no use. */
static int answer(struct px_guest *guest, const void *bytes, size_t len)
{
    ssize_t n;

    do {
        n = send(guest->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n >= 0 && (size_t) n == len ? PX_OK : PX_ERR_LOST_CONNECTION;
}

void px_guest_refuse(struct px_guest *guest, int32_t status)
{
    uint32_t net = htonl((uint32_t) status);

    if (status) {
        (void) answer(guest, &net, sizeof(net)); /* it is told or it has gone */
    }
    guest_free(guest);
}

static int admit(struct px_guest *guest, const void *bytes, size_t len, uint32_t index,
                 const struct px_conn_ops *ops, void *arg, struct px_conn **ret)
{
    struct px_doors *doors = guest->doors;
    int rc = answer(guest, bytes, len);
    int fd = guest->fd;

    if (rc) {
        guest_free(guest);
        return rc;
    }
    guest->fd = -1;
    px_io_stop_loop(&guest->io);
    guest_free(guest);
    return px_conn_create_loop(doors->loop, fd, index, doors->max_msg, ops, arg, ret);
}

int px_guest_admit(struct px_guest *guest, uint32_t index, const struct px_conn_ops *ops, void *arg,
                   struct px_conn **ret)
{
    uint32_t words[2] = {htonl(0), htonl(index)};

    return admit(guest, words, sizeof(words), index, ops, arg, ret);
}

static size_t put_id(unsigned char *at, const pmix_proc_t *proc)
{
    uint32_t rank = htonl(proc->rank);

    memset(at, 0, ID_BYTES);
    memcpy(at, proc->nspace, strnlen(proc->nspace, PMIX_MAX_NSLEN));
    memcpy(at + PMIX_MAX_NSLEN + 1, &rank, sizeof(rank));
    return ID_BYTES;
}

int px_guest_admit_tool(struct px_guest *guest, const pmix_proc_t *assigned,
                        const pmix_proc_t *server, const struct px_conn_ops *ops, void *arg,
                        struct px_conn **ret)
{
    unsigned char bytes[4 + 2 * ID_BYTES + 4] = {0}; /* status and security status are 0 */
    size_t len = 4;

    if (assigned) {
        len += put_id(bytes + len, assigned);
    }
    len += put_id(bytes + len, server);
    return admit(guest, bytes, len + 4, server->rank, ops, arg, ret);
}
