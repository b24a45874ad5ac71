/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Listening. Three things could let connections without a handshake harm the clients that are
 * connected: their number, a full descriptor table, and one that grows. The first is bounded; the
 * oldest of the user with most of them is closed. For the second a reserve descriptor is kept. It
 * is closed so that the newcomer can be accepted, and closed, because a connection that stays in
 * the backlog would wake the loop for ever. The table has room for all of them, and for as many
 * clients, before the first one comes (fd_table.h). */

#include "src/net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/status.h"
#include "src/net/listener_priv.h"
#include "pending_conn.h"
#include "tcp_owner.h"

/* Connections accepted before other descriptors have their turn; pause after a failed accept, and
 * while room is made in the descriptor table; least limit of connections without a handshake. */
enum { ACCEPTS_PER_ROUND = 16, PAUSE_MS = 100, ROOM_MS = 2, FEW_STRANGERS = 8 };

/* Opens the reserve descriptor if it is not open; it may stay closed when the table is full. */
static void reserve_open(struct px_listeners *listeners)
{
    if (listeners->reserve_fd < 0) {
        listeners->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
}

/* Gives the reserve descriptor back to the process. */
static void reserve_close(struct px_listeners *listeners)
{
    if (listeners->reserve_fd >= 0) {
        (void) close(listeners->reserve_fd);
        listeners->reserve_fd = -1;
    }
}

/* The pause is over: accept again. Without memory for that the pause is repeated, so that no
 * listener stays closed for ever. */
static void listen_again(struct px_timer *timer)
{
    struct px_listeners *listeners = px_container_of(timer, struct px_listeners, pause);
    int rc_unix = px_io_want_loop(&listeners->unix_socket.io, PX_IO_READ);
    int rc_tcp = px_io_want_loop(&listeners->tcp_socket.io, PX_IO_READ);

    reserve_open(listeners);
    if (rc_unix || rc_tcp) {
        px_timer_start_loop(listeners->loop, &listeners->pause, PAUSE_MS, listen_again);
    }
}

/* Stops accepting for a while. */
static void pause_accepting(struct px_listeners *listeners, unsigned ms)
{
    px_assert(px_loop_inside(listeners->loop));
    px_timer_start_loop(listeners->loop, &listeners->pause, ms, listen_again);
    (void) px_io_want_loop(&listeners->unix_socket.io, 0);
    (void) px_io_want_loop(&listeners->tcp_socket.io, 0);
}

/* The table is full: accepts the newcomer by means of the reserve descriptor and closes it. False:
 * there is no reserve, or accept failed. */
static bool drop_for_descriptor(struct px_listener_socket *way)
{
    struct px_listeners *listeners = way->listeners;
    int fd;

    if (listeners->reserve_fd < 0) {
        return false;
    }
    reserve_close(listeners);
    fd = accept4(way->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        (void) close(fd);
    }
    reserve_open(listeners);
    return fd >= 0;
}

/* True if accepting goes on after accept failed with errno `why`. A full table is met by closing
 * the newcomer, else a connection without a handshake; if neither can be done, and for unknown
 * errors, accepting pauses. */
static bool accept_on(struct px_listener_socket *way, int why)
{
    switch (why) {
    case EINTR:
    case ECONNABORTED:
        return true;
    case EMFILE:
    case ENFILE:
        if (drop_for_descriptor(way) || px_pending_conn_drop_loop(way->listeners)) {
            return true;
        }
        break;
    case EAGAIN:
        return false;
    default:
        break;
    }
    pause_accepting(way->listeners, PAUSE_MS);
    return false;
}

/* True if the kernel names the users of TCP peers at once. */
static bool names_tcp(struct px_listeners *listeners)
{
    if (listeners->tcp_users == PX_TCP_UNASKED) {
        bool named = px_auth_names_tcp(listeners->tcp_socket.fd);

        listeners->tcp_users = named ? PX_TCP_NAMED : PX_TCP_UNNAMED;
    }
    return listeners->tcp_users == PX_TCP_NAMED;
}

/* Takes over a connection, with its user as far as the kernel says so at once. */
static void arrived(struct px_listener_socket *way, int fd)
{
    struct px_listeners *listeners = way->listeners;
    bool by_unix = way == &listeners->unix_socket;
    uid_t uid = by_unix || names_tcp(listeners) ? px_auth_user(fd) : (uid_t) -1;

    listeners->last_fd = fd;
    px_pending_conn_arrived_loop(listeners, fd, uid, by_unix && uid != (uid_t) -1);
}

/* Accepts the connections that wait. If the next one does not fit into the descriptor table yet, it
 * waits until the thread that enlarges the table has ended. */
static void socket_readable(struct px_io *io, int what)
{
    struct px_listener_socket *way = px_container_of(io, struct px_listener_socket, io);

    (void) what;
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        int fd;

        if (!px_fd_table_fits(&way->listeners->fd_room, way->listeners->last_fd + 1)) {
            pause_accepting(way->listeners, ROOM_MS);
            return;
        }
        fd = accept4(way->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            arrived(way, fd);
        } else if (!accept_on(way, errno)) {
            return;
        }
    }
}

/* Begins to accept on a socket, if it is open. 0 or PX_ERR_NOMEM. */
static int socket_start(struct px_listener_socket *way)
{
    if (way->fd < 0) {
        return PX_OK;
    }
    return px_io_start_loop(way->listeners->loop, &way->io, way->fd, PX_IO_READ, socket_readable);
}

/* Ends accepting on a socket and closes it. Harmless when repeated. */
static void socket_stop(struct px_listener_socket *way)
{
    px_io_stop_loop(&way->io);
    if (way->fd >= 0) {
        (void) close(way->fd);
        way->fd = -1;
    }
}

/* px_listeners_close on the loop thread; the structure itself stays. */
static void close_loop(void *arg)
{
    struct px_listeners *listeners = arg;

    px_assert(px_loop_inside(listeners->loop));
    socket_stop(&listeners->unix_socket);
    socket_stop(&listeners->tcp_socket);
    px_listen_unlink(&listeners->mark);
    px_timer_stop_loop(&listeners->pause);
    px_pending_conn_drop_all_loop(listeners);
    reserve_close(listeners);
}

/* The part of px_listeners_open that runs on the loop thread; on the caller's stack. */
struct open_call {
    struct px_listeners *listeners;
    int status;
};

/* Begins to accept, on the loop thread; the result is in the call. */
static void open_loop(void *arg)
{
    struct open_call *call = arg;

    px_assert(px_loop_inside(call->listeners->loop));
    call->status = socket_start(&call->listeners->unix_socket);
    if (call->status == PX_OK) {
        call->status = socket_start(&call->listeners->tcp_socket);
    }
}

/* Opens the sockets asked for. A machine without a loopback interface is served over the other one.
 * Statuses as px_listeners_open. */
static int listen_both(struct px_listeners *listeners, const struct px_listener_opts *opts)
{
    int fd;

    if (opts->use_unix) {
        fd =
            px_listen_unix(opts->unix_path, opts->unix_mode, listeners->unix_uri, &listeners->mark);
        if (fd < 0) {
            return fd;
        }
        listeners->unix_socket.fd = fd;
    }
    if (opts->use_tcp) {
        fd = px_listen_tcp(listeners->tcp_uri);
        if (fd < 0 && !opts->use_unix) {
            return fd;
        }
        listeners->tcp_socket.fd = fd < 0 ? -1 : fd;
    }
    return PX_OK;
}

/* How many connections without a handshake there may be: they shall not be able to fill the
 * descriptor table alone. */
static size_t strangers_limit(void)
{
    struct rlimit limit;
    rlim_t quarter;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return PX_LISTENER_MAX_PENDING;
    }
    quarter = limit.rlim_cur / 4;
    if (quarter < FEW_STRANGERS) {
        return FEW_STRANGERS;
    }
    return quarter < PX_LISTENER_MAX_PENDING ? (size_t) quarter : PX_LISTENER_MAX_PENDING;
}

/* The places that the table of descriptors needs: for connections without a handshake, and for as
 * many others. */
static int room_for(size_t max_strangers)
{
    return 2 * (int) max_strangers;
}

void px_listeners_prepare(void)
{
    px_fd_table_alone(room_for(strangers_limit()));
}

/* Begins to enlarge the descriptor table if a socket is open. */
static void make_room(struct px_listeners *listeners)
{
    bool by_unix = listeners->unix_socket.fd >= 0;
    int fd = by_unix ? listeners->unix_socket.fd : listeners->tcp_socket.fd;

    if (fd >= 0) {
        px_fd_table_begin(&listeners->fd_room, fd, room_for(listeners->max_strangers));
    }
}

/* The sockets are opened in the caller's thread; px_listeners_close undoes whatever was opened when
 * a step fails. */
int px_listeners_open(struct px_loop *loop, const struct px_listener_opts *opts,
                      const struct px_listener_ops *ops, void *arg, struct px_listeners **ret)
{
    struct px_listeners *listeners = calloc(1, sizeof(*listeners));
    struct open_call call = {listeners, PX_OK};
    int rc;

    px_assert(!px_loop_inside(loop));
    if (!listeners) {
        return PX_ERR_NOMEM;
    }
    listeners->loop = loop;
    listeners->max_msg = opts->max_msg;
    listeners->handshake_ms = opts->handshake_ms;
    listeners->ops = *ops;
    listeners->arg = arg;
    listeners->unix_socket = (struct px_listener_socket){.listeners = listeners, .fd = -1};
    listeners->tcp_socket = (struct px_listener_socket){.listeners = listeners, .fd = -1};
    listeners->reserve_fd = -1;
    listeners->max_strangers = strangers_limit();
    px_strangers_init(&listeners->strangers);
    px_list_init(&listeners->waiting);
    reserve_open(listeners);
    rc = listen_both(listeners, opts);
    if (rc == PX_OK) {
        make_room(listeners);
        rc = px_loop_run(loop, open_loop, &call);
        rc = rc ? rc : call.status;
    }
    if (rc) {
        px_listeners_close(listeners);
        return rc;
    }
    *ret = listeners;
    return PX_OK;
}

/* A forked child has copies of the descriptors but not the threads: there everything is left alone,
 * the memory included. */
void px_listeners_close(struct px_listeners *listeners)
{
    if (listeners && px_loop_alive(listeners->loop)) {
        px_fd_table_end(&listeners->fd_room);
        (void) px_loop_run(listeners->loop, close_loop, listeners);
        free(listeners);
    }
}

const char *px_listeners_tcp(const struct px_listeners *listeners)
{
    return listeners->tcp_uri[0] ? listeners->tcp_uri : NULL;
}

const char *px_listeners_unix(const struct px_listeners *listeners)
{
    return listeners->unix_uri[0] ? listeners->unix_uri : NULL;
}
