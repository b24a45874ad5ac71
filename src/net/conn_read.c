/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading frames from a stream. One receive brings header and payload, and often several messages,
 * into `small`, where they are delivered in place. A payload that does not fit gets a buffer of its
 * own, which grows as its bytes arrive, so the announcement of a length allocates nothing.
 *
 * The kernel gives a descriptor with the first bytes of the message that it was sent with, and ends
 * a receive that took one: so the descriptor belongs to the message that holds the last byte of
 * that receive. While one waits for its message to be complete, the next receive may bring the
 * following message's: there are two places, and further descriptors are closed. */

#include "conn_read.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/release.h"
#include "src/base/status.h"
#include "src/loop/loan.h"
#include "src/loop/turn.h"
#include "src/net/conn_pool.h"
#include "src/net/conn_priv.h"
#include "conn.h"

/* Sizes of the buffers, bound of the work per round, and descriptors that one receive has room for;
 * the kernel closes those that are more. */
enum {
    SMALL_BYTES = 16384,
    BIG_FIRST = 65536,
    BIG_WHOLE = 1 << 20, /* when so much of a big payload is there, all of it gets room */
    RECEIVED_MOST =
        1 << 18, /* the kernel goes on with a call as long as the peer sends beside it */
    RECEIVES_PER_ROUND = 16, /* then other connections have their turn */
    TURN_NS = 1000000,       /* so long messages of one pool are handled, then those of others */
    NOW_NS = 20000000,       /* the same for what is read without waiting for the turn */
    FDS_LOOKED_AT = 4,
    FIRST_BYTES = 8, /* what is known of a payload when it is judged by its length */
};

/* A frame's header, as far as it is used. */
struct header {
    uint32_t tag;
    size_t len;
};

void px_conn_in_init(struct px_conn *conn)
{
    conn->in.small = malloc(SMALL_BYTES);
    conn->in.passed_fds[0].fd = -1;
    conn->in.passed_fds[1].fd = -1;
}

/* Also for a connection whose buffers were never allocated. */
void px_conn_in_drop(struct px_conn *conn)
{
    for (int i = 0; i < 2; i++) {
        if (conn->in.passed_fds[i].fd >= 0) {
            (void) close(conn->in.passed_fds[i].fd);
        }
        conn->in.passed_fds[i].fd = -1;
    }
    free(conn->in.small);
    free(conn->in.big);
    conn->in.small = NULL;
    conn->in.big = NULL;
}

/* Keeps a descriptor until its message is complete; closes it if both places are taken. */
static void passed_fd_arrived(struct px_conn_in *in, int fd, uint64_t at)
{
    for (int i = 0; i < 2; i++) {
        if (in->passed_fds[i].fd < 0) {
            in->passed_fds[i] = (struct px_conn_passed_fd){fd, at};
            return;
        }
    }
    (void) close(fd);
}

/* The descriptor of the message that ends before position `end`, which the caller then owns; -1:
 * none. */
static int passed_fd_of(struct px_conn_in *in, uint64_t end)
{
    int fd = in->passed_fds[0].fd;

    if (fd < 0 || in->passed_fds[0].at >= end) {
        return -1;
    }
    in->passed_fds[0] = in->passed_fds[1];
    in->passed_fds[1].fd = -1;
    return fd;
}

/* Takes the descriptors of one receive, whose last byte has position `at`: keeps the first, closes
 * others. */
static void take_passed_fds(struct px_conn *conn, struct msghdr *msg, uint64_t at)
{
    bool first = true;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (first) {
                passed_fd_arrived(&conn->in, fd, at);
                first = false;
            } else {
                (void) close(fd);
            }
        }
    }
}

/* Position in the stream of the first byte that has not been received. */
static uint64_t arrived(const struct px_conn_in *in)
{
    return in->consumed + (in->end - in->start) + (in->big ? PX_CONN_HEADER + in->big_have : 0);
}

/* One receive, with descriptors on an AF_UNIX stream. Returns the number of bytes, 0 if there are
 * none now, or PX_ERR_LOST_CONNECTION for an error or the end of the stream. */
static ssize_t receive(struct px_conn *conn, void *room, size_t len)
{
    union {
        struct cmsghdr align;
        unsigned char
            bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(FDS_LOOKED_AT * sizeof(int))];
    } control;
    struct iovec iov = {room, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    ssize_t n;

    if (conn->is_unix) {
        msg.msg_control = control.bytes;
        msg.msg_controllen = sizeof(control.bytes);
    }
    do {
        n = recvmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : PX_ERR_LOST_CONNECTION;
    }
    if (n > 0 && conn->is_unix) {
        if (conn->wants_sender) {
            px_conn_sender_received(conn, &msg);
        }
        take_passed_fds(conn, &msg, arrived(&conn->in) + (uint64_t) n - 1);
    }
    return n ? n : PX_ERR_LOST_CONNECTION;
}

/* Decodes the 16 bytes at `at`; index and the last word are ignored. */
static struct header read_header(const unsigned char *at)
{
    uint32_t words[4];

    memcpy(words, at, sizeof(words));
    return (struct header){ntohl(words[1]), ntohl(words[2])};
}

/* Hands one message to the owner, with its descriptor. The owner may end or destroy the connection:
 * check conn->closed before anything else is delivered. True: the owner has handled a part of it.
 */
static bool deliver(struct px_conn *conn, uint32_t tag, const void *payload, size_t len)
{
    int fd;

    px_assert(!conn->closed && conn->in.start <= conn->in.end);
    conn->in.consumed += PX_CONN_HEADER + len;
    fd = passed_fd_of(&conn->in, conn->in.consumed);
    return conn->ops.message(conn->arg, tag, payload, len, fd);
}

/* Copies the `have` bytes of a payload that are in `small` to a buffer of its own, of `cap` bytes.
 * 0 or PX_ERR_NOMEM. */
static int hold_big(struct px_conn_in *in, struct header header, const unsigned char *payload,
                    size_t have, size_t cap)
{
    unsigned char *big = malloc(cap);

    px_assert(!in->big && have <= cap && cap <= header.len);
    if (!big) {
        return PX_ERR_NOMEM;
    }
    memcpy(big, payload, have);
    in->big = big;
    in->big_len = header.len;
    in->big_have = have;
    in->big_cap = cap;
    in->big_tag = header.tag;
    return PX_OK;
}

/* Moves the beginning of a payload that does not fit `small` to a buffer of its own, of BIG_FIRST
 * bytes at most to begin with. 0 or PX_ERR_NOMEM. */
static int begin_big(struct px_conn_in *in, struct header header)
{
    int rc = hold_big(in, header, in->small + in->start + PX_CONN_HEADER,
                      in->end - in->start - PX_CONN_HEADER,
                      header.len < BIG_FIRST ? header.len : BIG_FIRST);

    if (rc == PX_OK) {
        in->start = 0;
        in->end = 0;
    }
    return rc;
}

/* The owner has handled a part of a message whose payload is in `small`. Copies the payload, with
 * which the owner is called again. 0 or PX_ERR_NOMEM. */
static int keep_part(struct px_conn_in *in, struct header header, const unsigned char *payload)
{
    in->in_part = true;
    in->waits = true;
    return hold_big(in, header, payload, header.len, header.len);
}

/* The bytes in `small` are the last of a message that nobody wants, and so is its descriptor. */
static void discard(struct px_conn_in *in)
{
    size_t n = in->end - in->start < in->discard ? in->end - in->start : in->discard;

    in->start += n;
    in->discard -= n;
    in->consumed += n;
    for (int fd = passed_fd_of(in, in->consumed); fd >= 0; fd = passed_fd_of(in, in->consumed)) {
        (void) close(fd);
    }
}

/* The message at the front of `small` does not fit there, and enough of it has come: it is received
 * into a buffer of its own, or discarded. */
static int begin_long(struct px_conn *conn, struct header header)
{
    struct px_conn_in *in = &conn->in;
    const unsigned char *first = in->small + in->start + PX_CONN_HEADER;
    size_t have = in->end - in->start - PX_CONN_HEADER;

    if (!conn->ops.begins || conn->ops.begins(conn->arg, header.tag, first, have, header.len)) {
        return begin_big(in, header);
    }
    in->discard = PX_CONN_HEADER + header.len;
    discard(in);
    px_assert(in->start == in->end);
    in->start = 0;
    in->end = 0;
    return PX_OK;
}

/* True if messages have been handled for so long that those of other pools have their turn, or the
 * thread that reads has what it waits for. */
static bool is_turn_over(const struct px_conn *conn)
{
    return conn->pool ? px_clock_ns() >= conn->in.until_ns : px_loan_is_over(conn->loop);
}

/* Delivers the complete messages in `small` as long as the turn lasts, then moves the rest to its
 * front. 0, PX_ERR_LOST_CONNECTION (a message of length 0: how a peer announces that it leaves),
 * PX_ERR_UNPACK_FAILURE (longer than max_msg), PX_ERR_NOMEM. */
static int parse_small(struct px_conn *conn)
{
    struct px_conn_in *in = &conn->in;
    bool part;
    int rc = PX_OK;

    while (in->end - in->start >= PX_CONN_HEADER) {
        const unsigned char *at = in->small + in->start;
        struct header header = read_header(at);

        if (header.len == 0) {
            return PX_ERR_LOST_CONNECTION;
        }
        if (header.len > conn->max_msg) {
            return PX_ERR_UNPACK_FAILURE;
        }
        if (PX_CONN_HEADER + header.len > SMALL_BYTES) {
            if (in->end - in->start < PX_CONN_HEADER + FIRST_BYTES) {
                break;
            }
            return begin_long(conn, header);
        }
        if (in->end - in->start < PX_CONN_HEADER + header.len) {
            break;
        }
        in->start += PX_CONN_HEADER + header.len;
        part = deliver(conn, header.tag, at + PX_CONN_HEADER, header.len);
        if (conn->closed) {
            return PX_OK;
        }
        if (part) {
            rc = keep_part(in, header, at + PX_CONN_HEADER);
            break;
        }
        if (in->end - in->start >= PX_CONN_HEADER && is_turn_over(conn)) {
            in->waits = true;
            break;
        }
    }
    if (in->start > 0) {
        memmove(in->small, in->small + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    return rc;
}

/* Doubles the buffer of a big payload. A buffer of BIG_WHOLE bytes gets the announced length at
 * once, because each extension may copy the bytes that have come. 0 or PX_ERR_NOMEM. */
static int grow_big(struct px_conn_in *in)
{
    bool whole = in->big_cap >= BIG_WHOLE || in->big_cap > in->big_len / 2;
    size_t cap = whole ? in->big_len : in->big_cap * 2;
    unsigned char *big = realloc(in->big, cap);

    if (!big) {
        return PX_ERR_NOMEM;
    }
    in->big = big;
    in->big_cap = cap;
    return PX_OK;
}

/* Delivers the big payload, or has its owner go on with it. Positive: receive again. */
static ssize_t deliver_big(struct px_conn *conn)
{
    struct px_conn_in *in = &conn->in;
    unsigned char *whole = in->big;
    size_t len = in->big_len;
    bool again;

    in->big = NULL; /* the connection may end meanwhile */
    in->waits = in->end > in->start;
    again = in->in_part ? conn->ops.message(conn->arg, in->big_tag, whole, len, -1)
                        : deliver(conn, in->big_tag, whole, len);
    in->in_part = again && !conn->closed;
    if (in->in_part) {
        in->big = whole;
        in->waits = true;
    } else {
        px_release_block(whole, len);
    }
    return 1;
}

/* One receive into the big payload, which is delivered when complete. Positive: receive again; 0:
 * nothing there now; negative: the status that ends the connection. */
static ssize_t read_big(struct px_conn *conn)
{
    struct px_conn_in *in = &conn->in;
    size_t room;
    ssize_t n;

    if (in->in_part) {
        return deliver_big(conn);
    }
    if (in->big_have == in->big_cap && grow_big(in) != PX_OK) {
        return PX_ERR_NOMEM;
    }
    room = in->big_cap - in->big_have;
    n = receive(conn, in->big + in->big_have, room < RECEIVED_MOST ? room : RECEIVED_MOST);
    if (n <= 0) {
        return n;
    }
    in->big_have += (size_t) n;
    return in->big_have < in->big_len ? n : deliver_big(conn);
}

/* One receive into `small`, and delivery. Returns as read_big; 0 also when the receive did not fill
 * the room, since that most often emptied the socket. If it did not, the watcher, being
 * level-triggered, calls again. */
static ssize_t read_small(struct px_conn *conn)
{
    struct px_conn_in *in = &conn->in;
    size_t room = SMALL_BYTES - in->end;
    ssize_t n = receive(conn, in->small + in->end, room);
    int rc;

    if (n <= 0) {
        return n;
    }
    in->end += (size_t) n;
    if (in->discard) {
        discard(in);
    }
    rc = parse_small(conn);
    if (rc) {
        return rc;
    }
    return (size_t) n < room && !in->big ? 0 : n;
}

/* Delivers what an earlier turn has left in `small`. Returns as read_big. */
static ssize_t read_rest(struct px_conn *conn)
{
    int rc;

    conn->in.waits = false;
    rc = parse_small(conn);
    return rc ? rc : 1;
}

/* Sets the time until which messages may be handled. False: there is none left. The first
 * connection of a pool that is read in a turn of the loop finds all of it. */
static bool begin_turn(struct px_conn *conn, uint64_t now, uint64_t turn_ns)
{
    struct px_conn_pool *pool = conn->pool;

    if (pool && pool->turn != px_loop_turn(conn->loop)) {
        pool->turn = px_loop_turn(conn->loop);
        pool->busy_ns = 0;
    }
    conn->in.until_ns = pool ? now + turn_ns - pool->busy_ns : UINT64_MAX;
    return !pool || pool->busy_ns < turn_ns;
}

/* Stops after RECEIVES_PER_ROUND receives; the watcher is level-triggered and calls again if more
 * is there. */
static void read_for_a_while(struct px_conn *conn)
{
    ssize_t n = 1;

    for (int i = 0; n > 0 && i < RECEIVES_PER_ROUND && !conn->closed; i++) {
        n = conn->in.big ? read_big(conn) : conn->in.waits ? read_rest(conn) : read_small(conn);
        if (n < 0) {
            px_conn_close_loop(conn, (int) n);
        }
        if (is_turn_over(conn)) {
            return;
        }
    }
}

/* A message that takes long is handled to its end, unless its owner handles it in parts. Returns
 * begin_turn. */
static bool read_turn(struct px_conn *conn, uint64_t turn_ns)
{
    struct px_conn_pool *pool = conn->pool;
    uint64_t now = pool ? px_clock_ns() : 0;

    px_assert(px_loop_inside(conn->loop) && conn->busy > 0);
    if (!begin_turn(conn, now, turn_ns)) {
        return false;
    }
    read_for_a_while(conn);
    if (pool) {
        pool->busy_ns += px_clock_ns() - now;
    }
    return true;
}

void px_conn_read_loop(struct px_conn *conn)
{
    (void) read_turn(conn, TURN_NS);
}

bool px_conn_read_out_of_turn_loop(struct px_conn *conn)
{
    return read_turn(conn, NOW_NS);
}
