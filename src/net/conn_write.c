/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing frames to a stream. A message is sent in the thread that sends it when nothing waits
 * before it; what the kernel does not take is queued, with the place reached, and the loop goes on
 * from there. A message with a descriptor begins a system call of its own, by which the receiver
 * finds the message that the descriptor belongs to.
 *
 * Everything here is under conn->lock (names end in _locked). A sender that finds the stream broken
 * does not report it: it shuts the stream down, and the loop reads the end. */

#include "conn_write.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/clock.h"
#include "src/base/lent.h"
#include "src/base/release.h"
#include "src/base/status.h"
#include "src/net/conn_pool.h"
#include "src/net/conn_priv.h"
#include "conn.h"

/* Bounds of one system call and of the queue. */
enum {
    BATCH = 32,               /* messages in one system call */
    SLICES = 4,               /* of one message */
    SENT_PER_ROUND = 1 << 20, /* bytes of one connection, then others have their turn */
    MESSAGE_COUNTS = 2048,    /* bytes more, for the work on a message */
    WAITING_FDS =
        16, /* descriptors in one queue, against a peer that requests them and does not read */
};

/* How sending from the queue ended: nothing is left (or the stream is broken); there is more than
 * the kernel has room for, or than it was given; the kernel is short of memory, or too many
 * descriptors are under way, and epoll does not tell when that is over. */
enum flushed { FLUSHED, NO_ROOM, SCARCE };

/* Bytes that are sent to several peers. */
struct px_parcel {
    uint64_t n_owners; /* atomic: its maker, and messages that wait */
    unsigned char *bytes;
    size_t len;              /* of `bytes` and `lent` together */
    struct px_lent lent;     /* belongs behind the first lent.at of `bytes` */
    void (*release)(void *); /* gives back `lent`; NULL: nothing is lent */
    void *lender;
};

/* A message, whole or the rest of one. On the sender's stack, or in conn->queue, which then owns
 * payload and descriptor. */
struct out {
    struct px_list link;
    unsigned char header[PX_CONN_HEADER];
    unsigned char *payload;   /* malloc'd, unless it is that of `shared` */
    struct px_parcel *shared; /* or NULL */
    size_t len;               /* header and payload */
    size_t done;              /* bytes of them that were sent */
    int fd;                   /* -1, or ours to send with the first byte and to close */
    bool offered;             /* by px_conn_offer_take */
    unsigned percent;         /* of the limit, that those which are may have */
};

struct px_parcel *px_parcel_take(struct px_buf *buf, void (*release)(void *), void *lender)
{
    struct px_lent lent = buf->lent ? *buf->lent : (struct px_lent){0};
    struct px_parcel *payload = px_buf_ok(buf) && buf->len ? malloc(sizeof(*payload)) : NULL;

    if (!payload) {
        px_buf_fini(buf);
        return NULL;
    }
    *payload = (struct px_parcel){
        .n_owners = 1, .lent = lent, .release = lent.len ? release : NULL, .lender = lender};
    payload->bytes = px_buf_take(buf, &payload->len);
    px_assert(lent.at <= payload->len && (!lent.len || release));
    payload->len += lent.len;
    return payload;
}

size_t px_parcel_len(const struct px_parcel *payload)
{
    return payload->len;
}

void px_parcel_drop(struct px_parcel *payload)
{
    if (payload && px_fetch_add(&payload->n_owners, UINT64_MAX) == 1) {
        if (payload->release) {
            payload->release(payload->lender);
        }
        px_release_block(payload->bytes, payload->len - payload->lent.len);
        free(payload);
    }
}

/* Frees the payload of a message, or drops it; a large one in a thread of its own. */
static void payload_free(const struct out *out)
{
    if (out->shared) {
        px_parcel_drop(out->shared);
    } else {
        px_release_block(out->payload, out->len - PX_CONN_HEADER);
    }
}

/* Frees a message of the queue and closes its descriptor. */
static void out_free(struct out *out)
{
    if (out->fd >= 0) {
        (void) close(out->fd);
    }
    payload_free(out);
    free(out);
}

/* Counts what waits: so many bytes of a message more, or less. */
static void count_locked(struct px_conn *conn, const struct out *out, size_t more, size_t less)
{
    px_assert(px_lock_held(&conn->lock));
    conn->queued += more - less;
    conn->queued_offers += out->offered ? more - less : 0;
    if (conn->pool) {
        (void) px_fetch_add(&conn->pool->queued, (uint64_t) more - less);
    }
}

/* For px_release: frees the messages of a queue that has lost its head; `what` is the address of
 * one of its links. */
static void free_ring(const void *what)
{
    struct px_list *last = *(struct px_list *const *) what;
    struct px_list *item;

    for (item = px_list_shift(last); item; item = px_list_shift(last)) {
        out_free(px_container_of(item, struct out, link));
    }
    out_free(px_container_of(last, struct out, link));
}

void px_conn_out_drop(struct px_conn *conn)
{
    struct px_list *first = conn->queue.next;
    size_t bytes = conn->queued;

    px_assert(px_lock_held(&conn->lock));
    if (first == &conn->queue) {
        px_assert(!conn->queued && !conn->queued_offers && !conn->queued_fds);
        return;
    }
    px_list_for(const struct out, out, &conn->queue, link) {
        count_locked(conn, out, 0, out->len - out->done);
    }
    px_assert(!conn->queued && !conn->queued_offers);
    conn->queued_fds = 0;
    px_list_remove(&conn->queue);
    px_release(free_ring, &first, sizeof(first), bytes);
}

/* The rest of a message as slices; returns their number. */
static size_t slices(const struct out *out, struct iovec iov[SLICES])
{
    const struct px_lent lent = out->shared ? out->shared->lent : (struct px_lent){0};
    const size_t own = out->len - PX_CONN_HEADER - lent.len;
    const size_t before = lent.len ? lent.at : own;
    const struct iovec parts[SLICES] = {
        {(void *) (uintptr_t) out->header, PX_CONN_HEADER},
        {out->payload, before},
        {(void *) (uintptr_t) lent.bytes, lent.len},
        {out->payload + before, own - before},
    };
    size_t skip = out->done;
    size_t n = 0;

    for (size_t i = 0; i < SLICES; i++) {
        size_t passed = skip < parts[i].iov_len ? skip : parts[i].iov_len;

        skip -= passed;
        if (passed < parts[i].iov_len) {
            iov[n].iov_base = (char *) parts[i].iov_base + passed;
            iov[n++].iov_len = parts[i].iov_len - passed;
        }
    }
    return n;
}

/* Shortens the slices to SENT_PER_ROUND bytes; returns their number. The kernel goes on with a call
 * that does not block as long as the peer reads beside it. */
static size_t bounded(struct iovec *iov, size_t n_iov)
{
    size_t left = SENT_PER_ROUND;
    size_t n = 0;

    for (; n < n_iov && left; n++) {
        iov[n].iov_len = iov[n].iov_len < left ? iov[n].iov_len : left;
        left -= iov[n].iov_len;
    }
    return n;
}

/* One system call, with `fd` (or -1) at its first byte. Returns the bytes that were taken, 0 if the
 * kernel takes none now, PX_ERR_OUT_OF_RESOURCE if that is because it is short of memory, or
 * PX_ERR_LOST_CONNECTION. */
static ssize_t transmit(struct px_conn *conn, struct iovec *iov, size_t n_iov, int fd)
{
    union {
        struct cmsghdr align;
        unsigned char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr msg = {.msg_iov = iov, .msg_iovlen = bounded(iov, n_iov)};
    ssize_t n;

    if (fd >= 0) {
        struct cmsghdr *c;

        msg.msg_control = control.bytes;
        msg.msg_controllen = sizeof(control.bytes);
        c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    do {
        n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n >= 0) {
        return n;
    }
    if (errno == ENOBUFS || errno == ENOMEM || errno == ETOOMANYREFS) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : PX_ERR_LOST_CONNECTION;
}

/* Marks the stream broken and drops the queue. The loop reads the end of the stream and reports
 * it. */
static void break_locked(struct px_conn *conn)
{
    px_assert(px_lock_held(&conn->lock));
    conn->broken = true;
    px_conn_out_drop(conn);
    (void) shutdown(conn->fd, SHUT_RDWR);
}

/* Collects slices from the front of the queue for one system call: up to BATCH messages, and a
 * descriptor only with the first of them. Returns the number of slices. */
static size_t gather_locked(struct px_conn *conn, struct iovec iov[SLICES * BATCH], int *ret_fd)
{
    size_t n = 0;
    int taken = 0;

    px_assert(px_lock_held(&conn->lock));
    *ret_fd = -1;
    px_list_for(struct out, out, &conn->queue, link) {
        if (out->fd >= 0 && taken > 0) {
            break;
        }
        n += slices(out, iov + n);
        taken++;
        if (out->fd >= 0) {
            *ret_fd = out->fd;
            break;
        }
        if (taken == BATCH) {
            break;
        }
    }
    return n;
}

/* Removes `bytes` sent bytes from the front of the queue. A descriptor was sent with the first byte
 * of its message. Returns how many messages are sent as a whole. */
static size_t advance_locked(struct px_conn *conn, size_t bytes)
{
    size_t n_sent = 0;

    px_assert(px_lock_held(&conn->lock));
    while (bytes > 0) {
        struct out *out = px_container_of(conn->queue.next, struct out, link);
        size_t step = out->len - out->done < bytes ? out->len - out->done : bytes;

        out->done += step;
        bytes -= step;
        count_locked(conn, out, 0, step);
        if (out->fd >= 0) {
            (void) close(out->fd);
            out->fd = -1;
            conn->queued_fds--;
        }
        if (out->done == out->len) {
            px_list_remove(&out->link);
            out_free(out);
            n_sent++;
        }
    }
    return n_sent;
}

/* Sends from the queue until the kernel takes no more, or so many bytes have been sent; each
 * message counts MESSAGE_COUNTS more. */
static enum flushed flush_locked(struct px_conn *conn, size_t most)
{
    struct iovec iov[SLICES * BATCH];
    size_t sent = 0;

    px_assert(px_lock_held(&conn->lock));
    while (sent < most && !conn->broken && !px_list_empty(&conn->queue)) {
        int fd;
        size_t n_iov = gather_locked(conn, iov, &fd);
        ssize_t n = transmit(conn, iov, n_iov, fd);

        if (n == PX_ERR_LOST_CONNECTION) {
            break_locked(conn);
        } else if (n <= 0) {
            return n ? SCARCE : NO_ROOM;
        } else {
            sent += (size_t) n + MESSAGE_COUNTS * advance_locked(conn, (size_t) n);
        }
    }
    return conn->broken || px_list_empty(&conn->queue) ? FLUSHED : NO_ROOM;
}

/* flush_locked, under the lock. */
static enum flushed flush(struct px_conn *conn, size_t most)
{
    enum flushed how;

    px_lock_take(&conn->lock);
    how = flush_locked(conn, most);
    px_lock_give(&conn->lock);
    return how;
}

bool px_conn_flush(struct px_conn *conn)
{
    return flush(conn, SIZE_MAX) == FLUSHED;
}

/* Waits until the kernel may take more. False: it has not, within so many milliseconds. */
static bool wait_to_write(const struct px_conn *conn, bool scarce, int patience_ms)
{
    struct pollfd writable = {.fd = conn->fd, .events = POLLOUT};

    if (scarce) {
        (void) poll(NULL, 0, PX_CONN_RETRY_MS);
        return true;
    }
    return poll(&writable, 1, patience_ms) != 0;
}

/* A connection that breaks has nothing queued. */
void px_conn_drain_loop(struct px_conn *conn, int patience_ms, uint64_t deadline_ns)
{
    enum flushed how = conn->closed ? FLUSHED : flush(conn, SIZE_MAX);

    px_assert(px_loop_inside(conn->loop));
    while (how != FLUSHED && px_clock_ns() < deadline_ns &&
           wait_to_write(conn, how == SCARCE, patience_ms)) {
        how = flush(conn, SIZE_MAX);
    }
}

/* A peer that reads as fast as it is sent to does not hold up others. The connection ends with
 * PX_ERR_NOMEM if the watcher cannot be changed: without it the queue would never be sent. Where
 * memory is scarce the descriptor is ready to write all the time, and is not watched for that. */
bool px_conn_flush_loop(struct px_conn *conn)
{
    enum flushed how = flush(conn, SENT_PER_ROUND);
    int want = how == NO_ROOM ? PX_IO_READ | PX_IO_WRITE : PX_IO_READ;
    bool drained;

    px_assert(px_loop_inside(conn->loop));
    if (px_io_want_loop(&conn->io, want) != PX_OK) {
        px_conn_close_loop(conn, PX_ERR_NOMEM);
        return false;
    }
    px_lock_take(&conn->lock);
    drained = how == FLUSHED && conn->was_queued && !conn->broken;
    conn->was_queued = conn->was_queued && !drained;
    px_lock_give(&conn->lock);
    if (drained && conn->ops.drained) {
        conn->ops.drained(conn->arg);
    }
    return how == SCARCE;
}

/* True if nothing can wait for the connections of the pool any more, but what waits alone. */
static bool is_pool_full(const struct px_conn *conn, size_t more)
{
    uint64_t queued = conn->pool ? px_load_relaxed(&conn->pool->queued) : 0;

    return conn->pool && (queued > conn->pool->limit || more > conn->pool->limit - queued);
}

/* True if a message that was offered finds too much before it. */
static bool is_unwanted_locked(const struct px_conn *conn, const struct out *out)
{
    size_t most = conn->limit / 100 * out->percent;

    return out->offered && !px_list_empty(&conn->queue) &&
           (conn->queued_offers + out->len > most || is_pool_full(conn, out->len));
}

/* True if a message that has to be sent cannot wait: others do, and there are too many. */
static bool is_too_much_locked(const struct px_conn *conn, const struct out *rest)
{
    size_t queued = conn->queued - conn->queued_offers;
    size_t more = rest->len - rest->done;

    return (queued > 0 && !rest->offered &&
            (queued + more > conn->limit || is_pool_full(conn, more))) ||
           (rest->fd >= 0 && conn->queued_fds >= WAITING_FDS);
}

/* Appends the rest of a message to the queue and wakes the loop. On failure the queue is as before,
 * or dropped because the stream is broken. PX_ERR_LOST_CONNECTION: the queue would be too long (a
 * message of any size may wait alone), so the stream is broken; PX_ERR_NOMEM;
 * PX_ERR_OUT_OF_RESOURCE. */
static int enqueue_locked(struct px_conn *conn, const struct out *rest)
{
    struct out *out;

    px_assert(px_lock_held(&conn->lock));
    if (is_too_much_locked(conn, rest)) {
        break_locked(conn);
        return PX_ERR_LOST_CONNECTION;
    }
    out = malloc(sizeof(*out));
    if (!out) {
        if (rest->done > 0) {
            break_locked(conn); /* part of a message was sent: nothing can follow */
        }
        return PX_ERR_NOMEM;
    }
    *out = *rest;
    if (rest->fd >= 0) {
        out->fd = fcntl(rest->fd, F_DUPFD_CLOEXEC, 0);
        if (out->fd < 0) {
            free(out);
            return PX_ERR_OUT_OF_RESOURCE;
        }
        conn->queued_fds++;
    }
    px_list_append(&conn->queue, &out->link);
    count_locked(conn, out, out->len - out->done, 0);
    conn->was_queued = true;
    if (!conn->wake_posted) {
        conn->wake_posted = true;
        px_loop_post(conn->loop, &conn->wake);
    }
    return PX_OK;
}

/* Sends the message, or queues what is left of it (*ret_queued, the queue then owns its payload).
 * On failure the payload is the caller's, as when it was sent whole. */
static int send_locked(struct px_conn *conn, struct out *out, bool *ret_queued)
{
    px_assert(px_lock_held(&conn->lock));
    *ret_queued = false;
    if (conn->broken) {
        return PX_ERR_LOST_CONNECTION;
    }
    if (is_unwanted_locked(conn, out)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    if (px_list_empty(&conn->queue)) {
        struct iovec iov[SLICES];
        size_t n_iov = slices(out, iov);
        ssize_t n = transmit(conn, iov, n_iov, out->fd);

        if (n == PX_ERR_LOST_CONNECTION) {
            break_locked(conn);
            return PX_ERR_LOST_CONNECTION;
        }
        out->done = n > 0 ? (size_t) n : 0;
        if (out->done > 0) {
            out->fd = -1;
        }
        if (out->done == out->len) {
            return PX_OK;
        }
    }
    *ret_queued = true;
    return enqueue_locked(conn, out);
}

/* Sends what `out` has for a payload, which it takes, also on failure. The header is built in front
 * of the payload without copying it: both are sent as slices. */
static int send_out(struct px_conn *conn, uint32_t tag, struct out *out, size_t len)
{
    uint32_t header[4] = {htonl(conn->index), htonl(tag), htonl((uint32_t) len), 0};
    bool queued = false;
    int rc;

    memcpy(out->header, header, sizeof(header));
    out->len = PX_CONN_HEADER + len;
    px_lock_take(&conn->lock);
    rc = send_locked(conn, out, &queued);
    px_lock_give(&conn->lock);
    if (rc || !queued) {
        payload_free(out);
    }
    return rc;
}

static int send_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload, struct out out)
{
    int failed = payload->status;
    size_t len;

    out.payload = px_buf_take(payload, &len);
    if (failed || len == 0 || len > UINT32_MAX) {
        free(out.payload);
        return failed ? failed : PX_ERR_BAD_PARAM;
    }
    return send_out(conn, tag, &out, len);
}

int px_conn_send_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload, int fd)
{
    return send_take(conn, tag, payload, (struct out){.fd = conn->is_unix ? fd : -1});
}

int px_conn_offer_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload, unsigned percent)
{
    return send_take(conn, tag, payload,
                     (struct out){.fd = -1, .offered = true, .percent = percent});
}

static int send_shared(struct px_conn *conn, uint32_t tag, struct px_parcel *payload,
                       struct out out)
{
    if (payload->len > UINT32_MAX) {
        return PX_ERR_BAD_PARAM;
    }
    out.payload = payload->bytes;
    out.shared = payload;
    (void) px_fetch_add(&payload->n_owners, 1);
    return send_out(conn, tag, &out, payload->len);
}

int px_conn_send(struct px_conn *conn, uint32_t tag, struct px_parcel *payload, int fd)
{
    return send_shared(conn, tag, payload, (struct out){.fd = conn->is_unix ? fd : -1});
}

int px_conn_offer(struct px_conn *conn, uint32_t tag, struct px_parcel *payload, unsigned percent)
{
    return send_shared(conn, tag, payload,
                       (struct out){.fd = -1, .offered = true, .percent = percent});
}
