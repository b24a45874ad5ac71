/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTENER_H
#define PX_NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/net/conn.h"
#include "src/net/handshake.h"

/* The server's two listeners, one protocol: AF_UNIX (abstract name unless a path is asked for) and
 * loopback TCP. A connection that does not introduce itself in time, or wrongly, is closed; nobody
 * else notices. The number of unidentified connections waiting is bounded; a full descriptor table
 * closes the newest unidentified connection, not a client. */

struct px_listeners;

struct px_pending_conn; /* a peer that has introduced itself and waits for our answer */

/* Who the peer is: SO_PEERCRED, or the owner of its end in the kernel's socket table. */
struct px_peer_cred {
    bool known; /* false: the kernel could not tell */
    uid_t uid;  /* (uid_t) -1: nobody */
    gid_t gid;  /* (gid_t) -1: not proved, as it is on TCP unless the peer's process is found */
    pid_t pid;  /* 0: not proved, likewise */
};

struct px_listener_opts {
    bool use_unix;
    const char *unix_path; /* NULL or "": abstract */
    bool use_tcp;
    size_t max_msg; /* bytes */
    unsigned handshake_ms;
    mode_t unix_mode;
};

struct px_listener_ops {
    /* Loop thread. Must answer the pending connection now or later by exactly one of the
     * px_pending_conn_ calls. `handshake` is borrowed for the call. A pending connection that hangs
     * up first, or still waits when the listeners are closed, is reported by `gone`, after which it
     * may not be touched. */
    void (*handshake)(void *arg, struct px_pending_conn *pending,
                      const struct px_handshake *handshake, const struct px_peer_cred *peer_cred);
    void (*gone)(void *arg, struct px_pending_conn *pending);
};

/* Opens the listeners. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE, PX_ERR_BAD_PARAM (path too long),
 * PX_ERR_RESOURCE_BUSY. Not on the loop thread (it hands over to it). */
int px_listeners_open(struct px_loop *loop, const struct px_listener_opts *opts,
                      const struct px_listener_ops *ops, void *arg, struct px_listeners **ret);
void px_listeners_close(
    struct px_listeners *listeners); /* takes NULL; removes the path if there is one */

/* Contact strings without the "<nspace>.<rank>;" in front: "tcp4://127.0.0.1:PORT", "unix://@NAME"
 * or "unix:///PATH"; NULL when that listener is shut. */
const char *px_listeners_tcp(const struct px_listeners *listeners);
const char *px_listeners_unix(const struct px_listeners *listeners);

#endif
