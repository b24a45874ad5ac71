/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A connection from its arrival to our answer. Exactly the bytes of the handshake are read: what
 * the peer sends behind it stays in the kernel for the connection that this may become. Memory
 * grows with the bytes that arrive, not with the length that is announced. Nothing here blocks: a
 * peer that is late is closed by its timer. */

#include "pending_conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/status.h"
#include "src/net/listener_priv.h"
#include "tcp_owner.h"

/* Sizes on the wire: the handshake's header, one receive, a process in the answer to a tool. */
enum { HEADER_BYTES = 16, CHUNK_BYTES = 4096, ID_BYTES = PMIX_MAX_NSLEN + 1 + 4 };

/* One pending connection. One of the listeners' strangers until its handshake has been reported,
 * on their list `waiting` after that. */
struct px_pending_conn {
    struct px_list link;
    struct px_stranger stranger;
    struct px_listeners *listeners;
    int fd; /* -1 when the connection took it over */
    struct px_io io;
    struct px_timer timer; /* runs until the handshake has arrived */
    bool named;            /* the kernel has named its process, which need not say it */
    bool introduced;       /* the handshake was reported */
    bool answered;         /* the peer needs no answer of ours (px_pending_conn_identified_loop) */
    struct px_buf bytes;   /* header and body, as far as they have arrived */
    size_t due;            /* their length; that of the header until the body's is known */
    uint64_t since_ns;     /* when it arrived */
    void *data;
};

/* Closes the pending connection, unless a connection took over its descriptor, and frees it, in
 * whichever list it is. Its address must not be used afterwards, neither here nor by the owner of
 * the listeners. */
static void pending_free(struct px_pending_conn *pending)
{
    px_assert(px_loop_inside(pending->listeners->loop));
    px_io_stop_loop(&pending->io);
    px_timer_stop_loop(&pending->timer);
    px_list_remove(&pending->link);
    px_strangers_remove(&pending->listeners->strangers, &pending->stranger);
    if (pending->fd >= 0) {
        (void) close(pending->fd);
    }
    px_buf_fini(&pending->bytes);
    free(pending);
}

/* The time for the handshake is over. */
static void too_late(struct px_timer *timer)
{
    pending_free(px_container_of(timer, struct px_pending_conn, timer));
}

/* True for a valid header; *ret_len is the length of the body. The header is in the byte order of
 * the peer: a peer of another order is refused by this. */
static bool header_good(const void *header, size_t *ret_len)
{
    uint32_t words[4];

    memcpy(words, header, sizeof(words));
    if (words[0] != UINT32_MAX || words[1] != UINT32_MAX || words[2] > PX_HANDSHAKE_MAX) {
        return false;
    }
    *ret_len = words[2];
    return true;
}

/* Closes the oldest connection of the user that has most besides `except` (may be NULL). False:
 * there is none. */
static bool make_room(struct px_listeners *listeners, enum px_strangers_most most,
                      const struct px_stranger *except)
{
    struct px_stranger *stranger = px_strangers_of_most(&listeners->strangers, most, except);

    if (stranger) {
        pending_free(px_container_of(stranger, struct px_pending_conn, stranger));
    }
    return stranger != NULL;
}

/* Appends bytes of a handshake. If those of all unfinished handshakes are then more than their
 * bound, other connections are closed. 0 or PX_ERR_NOMEM. */
static int keep_bytes(struct px_pending_conn *pending, const void *bytes, size_t n)
{
    struct px_strangers *strangers = &pending->listeners->strangers;

    px_buf_append(&pending->bytes, bytes, n);
    if (!px_buf_ok(&pending->bytes)) {
        return PX_ERR_NOMEM;
    }
    px_strangers_read(strangers, &pending->stranger, n);
    while (strangers->bytes > PX_LISTENER_MAX_PENDING_BYTES &&
           make_room(pending->listeners, PX_MOST_BYTES, &pending->stranger)) {
    }
    return PX_OK;
}

/* Receives what is there of the handshake, first the header, then as many bytes as it announces. 1:
 * it is complete; 0: not yet; negative: the connection is to be closed. */
static int read_handshake(struct px_pending_conn *pending)
{
    unsigned char chunk[CHUNK_BYTES];

    while (pending->bytes.len < pending->due) {
        size_t want = pending->due - pending->bytes.len;
        size_t body;
        ssize_t n =
            recv(pending->fd, chunk, want < sizeof(chunk) ? want : sizeof(chunk), MSG_DONTWAIT);

        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            return 0;
        }
        if (n <= 0) {
            return PX_ERR_LOST_CONNECTION;
        }
        if (keep_bytes(pending, chunk, (size_t) n) != PX_OK) {
            return PX_ERR_NOMEM;
        }
        if (pending->due == HEADER_BYTES && pending->bytes.len == HEADER_BYTES) {
            if (!header_good(pending->bytes.data, &body) || body == 0) {
                return PX_ERR_UNPACK_FAILURE;
            }
            pending->due += body;
        }
    }
    return 1;
}

/* Parses the handshake, asks the kernel who the peer is, and reports both; a malformed one closes
 * the connection. From here on the owner of the listeners decides, and only the end of the stream
 * matters. May free the pending connection. */
static void hand_over_handshake(struct px_pending_conn *pending)
{
    struct px_listeners *listeners = pending->listeners;
    struct px_handshake handshake;
    struct px_peer_cred peer_cred;

    if (px_handshake_parse(pending->bytes.data + HEADER_BYTES, pending->due - HEADER_BYTES,
                           &handshake) != PMIX_SUCCESS) {
        pending_free(pending);
        return;
    }
    peer_cred = px_auth_peer(pending->fd, pending->named ? 0 : px_handshake_pid(&handshake));
    px_timer_stop_loop(&pending->timer);
    px_strangers_remove(&listeners->strangers, &pending->stranger);
    px_list_append(&listeners->waiting, &pending->link);
    pending->introduced = true;
    listeners->ops.handshake(listeners->arg, pending, &handshake, &peer_cred);
}

/* A reported connection is readable: at its end reports `gone`. If the peer sends before our
 * answer, it is not watched any further, and its bytes stay in the kernel. */
static void look_for_end(struct px_pending_conn *pending)
{
    struct px_listeners *listeners = pending->listeners;
    unsigned char byte;
    ssize_t n = recv(pending->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    if (n > 0) {
        (void) px_io_want_loop(&pending->io, 0);
        return;
    }
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    listeners->ops.gone(listeners->arg, pending);
    pending_free(pending);
}

/* The watcher's callback: before the handshake reads it, after that looks for the end. */
static void pending_ready(struct px_io *io, int what)
{
    struct px_pending_conn *pending = px_container_of(io, struct px_pending_conn, io);
    int rc;

    (void) what;
    if (pending->introduced) {
        look_for_end(pending);
        return;
    }
    rc = read_handshake(pending);
    if (rc < 0) {
        pending_free(pending);
    } else if (rc > 0) {
        hand_over_handshake(pending);
    }
}

/* The newcomer is entered before the limit is checked, and another one makes room for it. */
void px_pending_conn_arrived_loop(struct px_listeners *listeners, int fd, uid_t uid, bool named)
{
    struct px_pending_conn *pending = calloc(1, sizeof(*pending));

    px_assert(px_loop_inside(listeners->loop));
    if (!pending) {
        (void) close(fd);
        return;
    }
    pending->listeners = listeners;
    pending->fd = fd;
    pending->due = HEADER_BYTES;
    pending->named = named;
    pending->since_ns = px_clock_ns();
    px_list_init(&pending->link);
    if (px_strangers_add(&listeners->strangers, &pending->stranger, uid) != PX_OK ||
        px_io_start_loop(listeners->loop, &pending->io, fd, PX_IO_READ, pending_ready) != PX_OK) {
        pending_free(pending);
        return;
    }
    px_timer_start_loop(listeners->loop, &pending->timer, listeners->handshake_ms, too_late);
    if (listeners->strangers.n > listeners->max_strangers) {
        (void) make_room(listeners, PX_MOST_CONNS, &pending->stranger);
    }
}

struct px_pending_conn *px_pending_conn_identified_loop(struct px_listeners *listeners, int fd)
{
    struct px_pending_conn *pending = calloc(1, sizeof(*pending));

    px_assert(px_loop_inside(listeners->loop));
    if (!pending) {
        (void) close(fd);
        return NULL;
    }
    pending->listeners = listeners;
    pending->fd = fd;
    pending->introduced = true;
    pending->answered = true;
    pending->since_ns = px_clock_ns();
    px_list_append(&listeners->waiting, &pending->link);
    if (px_io_start_loop(listeners->loop, &pending->io, fd, PX_IO_READ, pending_ready) != PX_OK) {
        pending_free(pending);
        return NULL;
    }
    return pending;
}

bool px_pending_conn_drop_loop(struct px_listeners *listeners)
{
    px_assert(px_loop_inside(listeners->loop));
    return make_room(listeners, PX_MOST_CONNS, NULL);
}

/* `gone` may not admit or refuse the connection: it is freed here. */
void px_pending_conn_drop_all_loop(struct px_listeners *listeners)
{
    px_assert(px_loop_inside(listeners->loop));
    while (px_pending_conn_drop_loop(listeners)) {
    }
    while (!px_list_empty(&listeners->waiting)) {
        struct px_pending_conn *pending =
            px_container_of(listeners->waiting.next, struct px_pending_conn, link);

        listeners->ops.gone(listeners->arg, pending);
        pending_free(pending);
    }
}

void px_pending_conn_set_data(struct px_pending_conn *pending, void *data)
{
    pending->data = data;
}

void *px_pending_conn_data(const struct px_pending_conn *pending)
{
    return pending->data;
}

uint64_t px_pending_conn_since(const struct px_pending_conn *pending)
{
    return pending->since_ns;
}

/* Sends our answer, a few bytes that a new socket takes at once; one that does not is given up. 0
 * or PX_ERR_LOST_CONNECTION. */
static int send_answer(struct px_pending_conn *pending, const void *bytes, size_t len)
{
    ssize_t n;

    if (pending->answered) {
        return PX_OK;
    }
    do {
        n = send(pending->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n >= 0 && (size_t) n == len ? PX_OK : PX_ERR_LOST_CONNECTION;
}

/* A peer that has left already does not learn the status, which is no error of ours. */
void px_pending_conn_refuse(struct px_pending_conn *pending, int32_t status)
{
    uint32_t net = htonl((uint32_t) status);

    if (status) {
        (void) send_answer(pending, &net, sizeof(net)); /* the peer may have left */
    }
    pending_free(pending);
}

/* Sends the answer and makes the connection. Frees the pending connection in any case. Statuses as
 * px_pending_conn_admit. */
static int admit(struct px_pending_conn *pending, const void *bytes, size_t len, uint32_t index,
                 const struct px_conn_ops *ops, void *arg, struct px_conn **ret)
{
    struct px_listeners *listeners = pending->listeners;
    int rc = send_answer(pending, bytes, len);
    int fd = pending->fd;

    px_assert(px_loop_inside(pending->listeners->loop) && pending->introduced);
    if (rc) {
        pending_free(pending);
        return rc;
    }
    pending->fd = -1;
    px_io_stop_loop(&pending->io);
    pending_free(pending);
    return px_conn_create_loop(listeners->loop, fd, index, listeners->max_msg, ops, arg, ret);
}

/* The answer to a client: status, index (docs/wire-format.md, section 2.4). */
int px_pending_conn_admit(struct px_pending_conn *pending, uint32_t index,
                          const struct px_conn_ops *ops, void *arg, struct px_conn **ret)
{
    uint32_t words[2] = {htonl(0), htonl(index)};

    return admit(pending, words, sizeof(words), index, ops, arg, ret);
}

/* Writes a process as tools expect it: the namespace in a fixed length, and the rank. Returns
 * ID_BYTES. */
static size_t put_id(unsigned char *at, const pmix_proc_t *proc)
{
    uint32_t rank = htonl(proc->rank);

    memset(at, 0, ID_BYTES);
    memcpy(at, proc->nspace, strnlen(proc->nspace, PMIX_MAX_NSLEN));
    memcpy(at + PMIX_MAX_NSLEN + 1, &rank, sizeof(rank));
    return ID_BYTES;
}

/* The answer to a tool: status, its name if it asked for one, our name, status of the security
 * handshake. */
int px_pending_conn_admit_tool(struct px_pending_conn *pending, const pmix_proc_t *assigned,
                               const pmix_proc_t *server, const struct px_conn_ops *ops, void *arg,
                               struct px_conn **ret)
{
    unsigned char bytes[4 + 2 * ID_BYTES + 4] = {0}; /* status and security status are 0 */
    size_t len = 4;

    if (assigned) {
        len += put_id(bytes + len, assigned);
    }
    len += put_id(bytes + len, server);
    return admit(pending, bytes, len + 4, server->rank, ops, arg, ret);
}
