/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/net/door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/status.h"
#include "src/net/door_priv.h"

/* Listening. Two things could let strangers harm the clients that are already in: many of them, and
 * a full descriptor table. The first is bounded by a count, the oldest stranger going first. For
 * the second a spare descriptor is kept: it is given up so that the newcomer can be accepted and
 * closed, because a connection that stays in the backlog would wake the loop for ever. */

enum { ACCEPTS_PER_ROUND = 64, PAUSE_MS = 100, FEW_STRANGERS = 8 };

static void spare_open(struct px_doors *doors)
{
    if (doors->spare < 0) {
        doors->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
}

static void spare_close(struct px_doors *doors)
{
    if (doors->spare >= 0) {
        (void) close(doors->spare);
        doors->spare = -1;
    }
}

static void listen_again(struct px_timer *timer)
{
    struct px_doors *doors = px_container_of(timer, struct px_doors, pause);
    int rc_unix = px_io_want_loop(&doors->unix_way.io, PX_IO_READ);
    int rc_tcp = px_io_want_loop(&doors->tcp_way.io, PX_IO_READ);

    spare_open(doors);
    if (rc_unix || rc_tcp) { /* without memory to listen: a door must not stay shut for ever */
        (void) px_timer_start_loop(doors->loop, &doors->pause, PAUSE_MS, listen_again);
    }
}

static void rest(struct px_doors *doors)
{
    if (px_timer_start_loop(doors->loop, &doors->pause, PAUSE_MS, listen_again) != PX_OK) {
        return; /* then listening goes on, which costs time but is right */
    }
    (void) px_io_want_loop(&doors->unix_way.io, 0);
    (void) px_io_want_loop(&doors->tcp_way.io, 0);
}

/* No descriptor for the newcomer: it is let in by the spare one and shown out. */
static bool shed(struct px_doorway *way)
{
    struct px_doors *doors = way->doors;
    int fd;

    if (doors->spare < 0) {
        return false;
    }
    spare_close(doors);
    fd = accept4(way->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        (void) close(fd);
    }
    spare_open(doors);
    return fd >= 0;
}

/* What to do after accept failed: true to accept on. */
static bool accept_on(struct px_doorway *way, int why)
{
    switch (why) {
    case EINTR:
    case ECONNABORTED:
        return true;
    case EMFILE:
    case ENFILE:
        if (shed(way) || px_guest_drop_oldest_loop(way->doors)) {
            return true;
        }
        break;
    case EAGAIN:
        return false;
    default:
        break;
    }
    rest(way->doors);
    return false;
}

static void knock(struct px_io *io, int what)
{
    struct px_doorway *way = px_container_of(io, struct px_doorway, io);

    (void) what;
    for (int i = 0; i < ACCEPTS_PER_ROUND; i++) {
        int fd = accept4(way->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            px_guest_arrived_loop(way->doors, fd);
        } else if (!accept_on(way, errno)) {
            return;
        }
    }
}

static int way_start(struct px_doorway *way)
{
    if (way->fd < 0) {
        return PX_OK;
    }
    return px_io_start_loop(way->doors->loop, &way->io, way->fd, PX_IO_READ, knock);
}

static void way_stop(struct px_doorway *way)
{
    px_io_stop_loop(&way->io);
    if (way->fd >= 0) {
        (void) close(way->fd);
        way->fd = -1;
    }
}

static void close_loop(void *arg)
{
    struct px_doors *doors = arg;

    way_stop(&doors->unix_way);
    way_stop(&doors->tcp_way);
    px_listen_unlink(&doors->mark);
    px_timer_stop_loop(&doors->pause);
    px_guest_drop_all_loop(doors);
    spare_close(doors);
}

struct open_call {
    struct px_doors *doors;
    int status;
};

static void open_loop(void *arg)
{
    struct open_call *call = arg;

    call->status = way_start(&call->doors->unix_way);
    if (call->status == PX_OK) {
        call->status = way_start(&call->doors->tcp_way);
    }
}

/* A machine without a loopback interface is served over the other door. */
static int listen_both(struct px_doors *doors, const struct px_door_opts *opts)
{
    int fd;

    if (opts->unix_door) {
        fd = px_listen_unix(opts->unix_path, opts->unix_mode, doors->unix_uri, &doors->mark);
        if (fd < 0) {
            return fd;
        }
        doors->unix_way.fd = fd;
    }
    if (opts->tcp_door) {
        fd = px_listen_tcp(doors->tcp_uri);
        if (fd < 0 && !opts->unix_door) {
            return fd;
        }
        doors->tcp_way.fd = fd < 0 ? -1 : fd;
    }
    return PX_OK;
}

/* Strangers shall not be able to fill the table alone. */
static size_t stranger_limit(void)
{
    struct rlimit limit;
    rlim_t quarter;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return PX_DOOR_STRANGERS;
    }
    quarter = limit.rlim_cur / 4;
    if (quarter < FEW_STRANGERS) {
        return FEW_STRANGERS;
    }
    return quarter < PX_DOOR_STRANGERS ? (size_t) quarter : PX_DOOR_STRANGERS;
}

int px_doors_open(struct px_loop *loop, const struct px_door_opts *opts,
                  const struct px_door_ops *ops, void *arg, struct px_doors **ret)
{
    struct px_doors *doors = calloc(1, sizeof(*doors));
    struct open_call call = {doors, PX_OK};
    int rc;

    if (!doors) {
        return PX_ERR_NOMEM;
    }
    doors->loop = loop;
    doors->max_msg = opts->max_msg;
    doors->handshake_ms = opts->handshake_ms;
    doors->ops = *ops;
    doors->arg = arg;
    doors->unix_way = (struct px_doorway){.doors = doors, .fd = -1};
    doors->tcp_way = (struct px_doorway){.doors = doors, .fd = -1};
    doors->spare = -1;
    doors->most_strangers = stranger_limit();
    px_list_init(&doors->strangers);
    px_list_init(&doors->waiting);
    spare_open(doors);
    rc = listen_both(doors, opts);
    if (rc == PX_OK) {
        rc = px_loop_run(loop, open_loop, &call);
        rc = rc ? rc : call.status;
    }
    if (rc) {
        px_doors_close(doors);
        return rc;
    }
    *ret = doors;
    return PX_OK;
}

/* A forked child has copies of our descriptors but not our loop: there everything is left alone. */
void px_doors_close(struct px_doors *doors)
{
    if (doors && px_loop_run(doors->loop, close_loop, doors) == PX_OK) {
        free(doors);
    }
}

const char *px_doors_tcp(const struct px_doors *doors)
{
    return doors->tcp_uri[0] ? doors->tcp_uri : NULL;
}

const char *px_doors_unix(const struct px_doors *doors)
{
    return doors->unix_uri[0] ? doors->unix_uri : NULL;
}
