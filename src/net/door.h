/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_DOOR_H
#define PX_NET_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/net/conn.h"
#include "src/net/hello.h"

/* The server's two doors, one protocol: AF_UNIX (abstract name unless a path is asked for) and
 * loopback TCP. A connection that does not introduce itself in time, or wrongly, is closed; nobody
 * else notices. The number of strangers waiting is bounded; a full descriptor table closes the
 * newest stranger, not a client. */

struct px_doors;
struct px_guest; /* a peer that has introduced itself and waits for our answer */

/* Who the peer is: SO_PEERCRED, or the owner of its end in the kernel's socket table. */
struct px_who {
    bool known; /* false: the kernel could not tell */
    uid_t uid;  /* (uid_t) -1: nobody */
    gid_t gid;  /* (gid_t) -1: not proved, as it is on TCP unless the peer's process is found */
    pid_t pid;  /* 0: not proved, likewise */
};

struct px_door_opts {
    bool unix_door;
    const char *unix_path; /* NULL or "": abstract */
    bool tcp_door;
    size_t max_msg; /* bytes */
    unsigned handshake_ms;
    mode_t unix_mode;
};

struct px_door_ops {
    /* Loop thread. Must answer the guest now or later by exactly one of the px_guest_ calls.
     * `hello` is borrowed for the call. A guest that hangs up first, or still waits when the doors
     * are closed, is reported by `gone`, after which it may not be touched. */
    void (*hello)(void *arg, struct px_guest *guest, const struct px_hello *hello,
                  const struct px_who *who);
    void (*gone)(void *arg, struct px_guest *guest);
};

/* Opens the doors. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE, PX_ERR_BAD_PARAM (path too long),
 * PX_ERR_RESOURCE_BUSY. Not on the loop thread (it hands over to it). */
int px_doors_open(struct px_loop *loop, const struct px_door_opts *opts,
                  const struct px_door_ops *ops, void *arg, struct px_doors **ret);
void px_doors_close(struct px_doors *doors); /* takes NULL; removes the path if there is one */

/* Contact strings without the "<nspace>.<rank>;" in front: "tcp4://127.0.0.1:PORT", "unix://@NAME"
 * or "unix:///PATH"; NULL when that door is shut. */
const char *px_doors_tcp(const struct px_doors *doors);
const char *px_doors_unix(const struct px_doors *doors);

/* --- loop thread --- */

/* Caller's mark on a guest, for `gone`. */
void px_guest_set_data(struct px_guest *guest, void *data);
void *px_guest_data(const struct px_guest *guest);

/* Refuses: sends `status` when it is not 0, then closes. */
void px_guest_refuse(struct px_guest *guest, int32_t status);

/* Answers a client (status 0 and its index) and turns the guest into a connection. The ops and arg
 * serve the new connection. On failure the guest is gone. 0, PX_ERR_NOMEM,
 * PX_ERR_LOST_CONNECTION. */
int px_guest_admit(struct px_guest *guest, uint32_t index, const struct px_conn_ops *ops, void *arg,
                   struct px_conn **ret);

/* Answers a tool: status 0, its id when it asked for one (else NULL), the server's id, security
 * status 0. */
int px_guest_admit_tool(struct px_guest *guest, const pmix_proc_t *assigned,
                        const pmix_proc_t *server, const struct px_conn_ops *ops, void *arg,
                        struct px_conn **ret);

#endif
