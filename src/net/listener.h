/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTENER_H
#define PX_NET_LISTENER_H

/* The server's two listeners, which speak one protocol: AF_UNIX (an abstract name unless a path is
 * asked for) and loopback TCP. A connection whose handshake is late or malformed is closed and
 * never reported. Connections whose handshake is not complete are bounded in their number and in
 * the bytes that they have sent; when a bound is exceeded, the oldest of them is closed of the user
 * that has most. When the descriptor table is full, the newest connection is closed, not a
 * client. */

#include <stdbool.h>
#include <sys/types.h>

#include "src/net/conn.h"
#include "src/net/handshake.h"

struct px_listeners;

struct px_pending_conn; /* a connection until it is admitted or refused (pending_conn.h) */

/* Who a peer is by the kernel's word: SO_PEERCRED on AF_UNIX, on TCP the owner of its end in the
 * kernel's socket table. A credential may add what the kernel does not prove (auth.h). */
struct px_peer_cred {
    bool known; /* false: the kernel names no user */
    uid_t uid;  /* (uid_t) -1: no user; equals that of no client */
    gid_t gid;  /* (gid_t) -1: not proved; on TCP proved only if the peer's process is found */
    pid_t pid;  /* 0: not proved, likewise */
    unsigned long socket; /* the inode of its end on TCP; 0: not known */
};

/* What to open. Borrowed for the call. */
struct px_listener_opts {
    bool use_unix;
    const char *unix_path; /* NULL or "": abstract */
    bool use_tcp;
    size_t max_msg;        /* largest payload accepted from a client, bytes */
    unsigned handshake_ms; /* time for the handshake to arrive */
    mode_t unix_mode;      /* of unix_path; 0: 0600 */
};

/* What the owner of the listeners is called with, `arg` first. Loop thread. */
struct px_listener_ops {
    /* A handshake has arrived and is well-formed. The callee admits or refuses the pending
     * connection, now or later, by exactly one px_pending_conn_ call. `handshake` and `peer_cred`
     * are borrowed for the call; nothing in the handshake is proved. */
    void (*handshake)(void *arg, struct px_pending_conn *pending,
                      const struct px_handshake *handshake, const struct px_peer_cred *peer_cred);
    /* A pending connection ended before it was admitted or refused, by the peer or by
     * px_listeners_close. It is freed when this returns. */
    void (*gone)(void *arg, struct px_pending_conn *pending);
};

/* Makes room for connections in the table of descriptors (fd_table.h) if the process has one
 * thread. Called before the loop is made; without this call px_listeners_open starts a thread for
 * it. */
void px_listeners_prepare(void);

/* Opens the listeners that opts asks for. If both are asked for, a machine without a loopback
 * interface is served over AF_UNIX alone. Not on the loop thread, which it waits for. *ret is the
 * caller's. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE, PX_ERR_UNREACH (forked child), and the errors
 * of px_listen_unix. */
int px_listeners_open(struct px_loop *loop, const struct px_listener_opts *opts,
                      const struct px_listener_ops *ops, void *arg, struct px_listeners **ret);

/* Closes the listeners and all pending connections (`gone` is called for those whose handshake was
 * reported), removes the path if there is one, and frees. Takes NULL; does nothing in a forked
 * child. */
void px_listeners_close(struct px_listeners *listeners);

/* Addresses of the listeners, without the "<nspace>.<rank>;" in front: "tcp4://127.0.0.1:PORT",
 * "unix://@NAME" or "unix:///PATH"; NULL if the listener is closed. Valid until px_listeners_close.
 * Any thread. */
const char *px_listeners_tcp(const struct px_listeners *listeners);
const char *px_listeners_unix(const struct px_listeners *listeners);

#endif
