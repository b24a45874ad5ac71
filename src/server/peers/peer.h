/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PEER_H
#define PX_SERVER_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/list.h"
#include "src/base/map.h"
#include "src/wire/codec.h"

struct px_buf;
struct px_conn;
struct px_listener_ops;
struct px_local_proc;
struct px_pending_conn;
struct px_server;

/* Connections: one peer each. Loop thread. */

struct px_peer {
    struct px_list link;
    struct px_server *server;
    uint64_t id;
    struct px_conn *conn; /* NULL while the host decides */
    struct px_pending_conn *pending;
    struct px_local_proc *rank; /* NULL: a tool */
    pmix_proc_t proc;
    uid_t uid;
    gid_t gid;
    pid_t pid;
    enum px_wire_kind kind;
    unsigned version_major, version_minor, version_release;
    bool shared;           /* reads the segment */
    uint32_t generation;   /* of the segment sent last: each only once, or a peer that does not read
                              could hoard them */
    struct px_map offered; /* px_nspace.id of another namespace -> generation of its segment that
                            was sent last (segment_offer.c) */
    bool further;          /* a tool, or not the first connection of its process */
    bool ours;             /* one of this library, whatever its version says */
    bool tool;
    bool as_tool; /* a client that talks as a tool does */
    bool needs_id;
    bool finalizing;
    bool finalized;
    bool doomed; /* close when the message under way has been handled */
    pmix_status_t *codes;
    size_t n_codes;
    bool wants_all; /* a default handler */
};

extern const struct px_listener_ops px_peer_listener_ops;

struct px_peer *px_peer_find(struct px_server *s, uint64_t id);

/* Closes the connection; what waits for it is dropped. */
void px_peer_close(struct px_peer *peer);
void px_peer_close_all(struct px_server *s);

/* Sends and leaves buf empty; a peer that is gone is ignored. */
void px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd);

/* The host decided about a client (client_connected) or tool. */
void px_peer_admit(struct px_peer *peer, pmix_status_t status, const pmix_proc_t *proc);

#endif
