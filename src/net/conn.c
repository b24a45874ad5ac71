/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The life of a connection. Its two halves share only the descriptor: reading (conn_read.c) belongs
 * to the loop thread, writing (conn_write.c) to the thread that holds `lock`. A writer that finds
 * the stream broken shuts it down; the loop then reads the end of it, and alone reports it.
 *
 * The descriptor is closed and the queue freed when the stream has ended and no callback is on the
 * stack. The connection itself is freed when its owner has destroyed it, no callback of it is on
 * the stack, and no task of it is posted. */

#include "src/net/conn.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/base/status.h"
#include "src/loop/loan.h"
#include "src/net/conn_priv.h"
#include "conn_read.h"
#include "conn_write.h"

/* Closes the descriptor and drops what waits in either direction: an ended stream needs none of
 * it. */
static void conn_release(struct px_conn *conn)
{
    px_lock_take(&conn->lock);
    px_conn_out_drop(conn);
    if (conn->fd >= 0) {
        (void) close(conn->fd);
    }
    conn->fd = -1; /* writers check `broken` first */
    px_lock_give(&conn->lock);
    px_conn_in_drop(conn);
}

/* Frees the connection, also one that is half made. */
static void conn_free(struct px_conn *conn)
{
    conn_release(conn);
    px_lock_fini(&conn->lock);
    free(conn);
}

/* Frees the connection, or releases its descriptor, if the conditions at the top of this file hold.
 * Called when one of them may have become true. */
static void free_if_due(struct px_conn *conn)
{
    bool posted;

    px_lock_take(&conn->lock);
    posted = conn->wake_posted;
    px_lock_give(&conn->lock);
    if (conn->destroyed && conn->busy == 0 && !posted) {
        conn_free(conn);
    } else if (conn->closed && conn->busy == 0 && conn->fd >= 0) {
        conn_release(conn);
    }
}

/* Bracket whatever may call the owner: the connection is not freed before the outermost leave. */
static void conn_enter_loop(struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop));
    conn->busy++;
}

static void conn_leave_loop(struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop) && conn->busy > 0);
    conn->busy--;
    free_if_due(conn);
}

/* Shuts the stream down at once, so that the peer sees its end even if the owner destroys the
 * connection much later. */
void px_conn_close_loop(struct px_conn *conn, int status)
{
    px_assert(px_loop_inside(conn->loop));
    if (conn->closed) {
        return;
    }
    conn->closed = true;
    px_io_stop_loop(&conn->io);
    px_timer_stop_loop(&conn->next_turn);
    px_timer_stop_loop(&conn->next_try);
    px_lock_take(&conn->lock);
    conn->broken = true;
    px_lock_give(&conn->lock);
    (void) shutdown(conn->fd, SHUT_RDWR);
    conn->ops.closed(conn->arg, status);
}

static void on_next_try(struct px_timer *timer);

/* The connection is entered. */
static void write_in_turns(struct px_conn *conn)
{
    if (px_conn_flush_loop(conn) && !conn->closed) {
        px_timer_start_loop(conn->loop, &conn->next_try, PX_CONN_RETRY_MS, on_next_try);
    }
}

static void on_next_try(struct px_timer *timer)
{
    struct px_conn *conn = px_container_of(timer, struct px_conn, next_try);

    conn_enter_loop(conn);
    write_in_turns(conn);
    conn_leave_loop(conn);
}

/* The task of a sender that left something in the queue. It may run after destroy, and then frees
 * the connection. */
static void wake_run(struct px_task *task)
{
    struct px_conn *conn = px_container_of(task, struct px_conn, wake);

    px_lock_take(&conn->lock);
    conn->wake_posted = false;
    px_lock_give(&conn->lock);
    conn_enter_loop(conn);
    if (!conn->closed && !conn->destroyed) {
        write_in_turns(conn);
    }
    conn_leave_loop(conn);
}

static void on_next_turn(struct px_timer *timer);

/* Has the connection read in the next turn if messages are left that no descriptor announces. */
static void wait_for_turn(struct px_conn *conn)
{
    if (conn->in.waits && !conn->closed) {
        px_timer_start_loop(conn->loop, &conn->next_turn, 0, on_next_turn);
    }
}

/* The connection is entered. */
static void read_in_turns(struct px_conn *conn)
{
    px_conn_read_loop(conn);
    wait_for_turn(conn);
}

static void on_next_turn(struct px_timer *timer)
{
    struct px_conn *conn = px_container_of(timer, struct px_conn, next_turn);

    conn_enter_loop(conn);
    read_in_turns(conn);
    conn_leave_loop(conn);
}

bool px_conn_read_now_loop(struct px_conn *conn)
{
    bool had_time;

    px_assert(!conn->busy); /* its parser is not on the stack */
    conn_enter_loop(conn);
    had_time = px_conn_read_out_of_turn_loop(conn);
    wait_for_turn(conn);
    conn_leave_loop(conn);
    return had_time;
}

/* The watcher's callback: reads, then sends what is queued. */
static void ready(struct px_io *io, int what)
{
    struct px_conn *conn = px_container_of(io, struct px_conn, io);

    conn_enter_loop(conn);
    if (what & PX_IO_READ) {
        read_in_turns(conn);
    }
    if ((what & PX_IO_WRITE) && !conn->closed && !conn->destroyed) {
        write_in_turns(conn);
    }
    conn_leave_loop(conn);
}

/* Sets TCP_NODELAY on a TCP socket, which is correct but slower without. True for an AF_UNIX
 * socket. */
static bool prepare_socket(int fd)
{
    int domain = 0;
    int one = 1;
    socklen_t len = sizeof(domain);

    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0) {
        return false;
    }
    if (domain == AF_INET || domain == AF_INET6) {
        (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    return domain == AF_UNIX;
}

/* The limit of the queue is the parameter shmix_send_queue_size. */
int px_conn_create(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                   const struct px_conn_ops *ops, void *arg, struct px_conn **ret)
{
    struct px_conn *conn = calloc(1, sizeof(*conn));

    if (!conn) {
        (void) close(fd);
        return PX_ERR_NOMEM;
    }
    conn->loop = loop;
    conn->fd = fd;
    conn->index = index;
    conn->max_msg = max_msg;
    conn->ops = *ops;
    conn->arg = arg;
    conn->is_unix = prepare_socket(fd);
    conn->limit = (size_t) px_param_int(PX_P_SEND_QUEUE);
    conn->wake.run = wake_run;
    px_list_init(&conn->queue);
    px_conn_in_init(conn);
    px_lock_init(&conn->lock);
    if (!conn->in.small) {
        conn_free(conn);
        return PX_ERR_NOMEM;
    }
    *ret = conn;
    return PX_OK;
}

/* Watches the descriptor. 0 or PX_ERR_NOMEM. */
static int start_reading(struct px_conn *conn)
{
    return px_io_start_loop(conn->loop, &conn->io, conn->fd, PX_IO_READ, ready);
}

/* The connection is entered, since `closed` may destroy it. */
void px_conn_start_loop(struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop));
    conn_enter_loop(conn);
    if (start_reading(conn) == PX_OK) {
        px_loan_offer(&conn->io);
    } else {
        px_conn_close_loop(conn, PX_ERR_NOMEM);
    }
    conn_leave_loop(conn);
}

int px_conn_create_loop(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                        const struct px_conn_ops *ops, void *arg, struct px_conn **ret)
{
    struct px_conn *conn;
    int rc = px_conn_create(loop, fd, index, max_msg, ops, arg, &conn);

    px_assert(px_loop_inside(loop));
    if (rc != PX_OK) {
        return rc;
    }
    if (start_reading(conn) != PX_OK) {
        conn_free(conn);
        return PX_ERR_NOMEM;
    }
    *ret = conn;
    return PX_OK;
}

void px_conn_hang_up_loop(struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop));
    conn_enter_loop(conn);
    if (!conn->closed) {
        (void) px_conn_flush(conn);
        px_conn_close_loop(conn, PX_ERR_LOST_CONNECTION);
    }
    conn_leave_loop(conn);
}

void px_conn_join_loop(struct px_conn *conn, struct px_conn_pool *pool)
{
    px_assert(px_loop_inside(conn->loop) && px_list_empty(&conn->queue));
    conn->pool = pool;
}

size_t px_conn_queued(struct px_conn *conn)
{
    size_t n;

    px_lock_take(&conn->lock);
    n = conn->queued;
    px_lock_give(&conn->lock);
    return n;
}

int px_conn_is_unix(const struct px_conn *conn)
{
    return conn->is_unix;
}

/* Nothing is sent by other threads afterwards (`broken`). The shutdown makes the peer see the end
 * even while a callback on the stack keeps the descriptor open. */
void px_conn_destroy_loop(struct px_conn *conn)
{
    px_assert(!conn || (px_loop_inside(conn->loop) && !conn->destroyed));
    if (!conn) {
        return;
    }
    if (!conn->closed) {
        (void) px_conn_flush(conn);
    }
    conn->closed = true;
    conn->destroyed = true;
    px_io_stop_loop(&conn->io);
    px_timer_stop_loop(&conn->next_turn);
    px_timer_stop_loop(&conn->next_try);
    px_lock_take(&conn->lock);
    conn->broken = true;
    px_lock_give(&conn->lock);
    if (conn->fd >= 0) {
        (void) shutdown(conn->fd, SHUT_RDWR);
    }
    free_if_due(conn);
}
