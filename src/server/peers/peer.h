/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PEER_H
#define PX_SERVER_PEER_H

/* Peers: one for each connection to this server, of clients and of tools. A peer exists from its
 * handshake, through the host's decision to admit it, until its connection closes. Loop thread. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/list.h"
#include "src/base/map.h"
#include "src/server/peers/quota.h"
#include "src/event/code_set.h"
#include "src/loop/loop.h"
#include "src/wire/codec.h"

struct px_buf;
struct px_commit;
struct px_conn;
struct px_handshake;
struct px_listener_ops;
struct px_local_proc;
struct px_parcel;
struct px_pending_conn;
struct px_server;
struct px_step;

/* Connections: one peer each. Loop thread. */

/* One connection, owned by the server (s->peers, s->peer_list). A pointer to a peer is valid only
 * until the function that holds it returns to the loop; code that keeps a peer for later keeps its
 * id, which is never reused, and calls px_peer_find. */
struct px_peer {
    struct px_list link;
    struct px_task end; /* frees it when it has been closed */
    struct px_server *server;
    uint64_t id;
    struct px_conn *conn; /* NULL until the host has admitted it, and once it is closed */
    struct px_pending_conn *pending; /* until the host has decided; then NULL */
    struct px_local_proc *rank; /* the process that it belongs to; NULL: a tool, or a closed peer */
    struct px_local_proc *posted; /* of a tool: what it has committed (tool_data.h), or NULL */
    pmix_proc_t proc;
    uid_t uid; /* of a registered process as registered, else as authenticated */
    gid_t gid;
    pid_t pid;                /* 0: unknown */
    struct px_user *user;     /* with whom it shares what a user may have */
    struct px_usage usage;    /* what it holds itself */
    uint64_t lost_events;     /* not sent, since it does not read; it has not been told of these */
    uint64_t lost_output;     /* likewise, pieces of output */
    uint64_t stage_ns;        /* when its PMIx_Init or PMIx_Finalize began; 0: neither (stages.h) */
    uint64_t request;         /* the open request whose message is being read (quota.h); 0: none */
    struct px_commit *commit; /* the one of which a piece has been handled, or NULL; owned */
    struct px_step *step;     /* of another request that is handled in parts, or NULL; owned */
    struct px_list gets;      /* px_get.of_peer: those that it waits for */
    enum px_wire_kind kind;   /* encoding of its messages */
    unsigned version_major, version_minor, version_release;
    bool shared; /* it can map segments: that of its own namespace, and then others */
    uint32_t
        generation; /* of its own segment, sent last; 0: none. Each is sent only once, since the
                       descriptors sent to a peer that does not read stay open in the socket */
    struct px_map offered; /* px_nspace.id of another namespace -> generation of its segment that
                            was sent last (segment_offer.c) */
    bool further;          /* a tool, or not the first connection of its process */
    bool ours;             /* one of this library, whatever its version says */
    bool unproved;         /* it has inherited its connection, and has not said anything yet */
    bool maps_segments;    /* it asked for the shared store in its handshake */
    bool tool;
    bool as_tool;    /* a client that talks as a tool does */
    bool launcher;   /* a tool or such a client that has said PMIX_LAUNCHER */
    bool needs_id;   /* a tool that gets its name from the host or the server */
    bool finalizing; /* PMIx_Finalize is with the host */
    bool finalized;  /* it has finalized, or is closed by this server: no loss is reported */
    bool doomed;     /* close when the message under way has been handled */
    struct px_code_set codes; /* event codes that it registered for; owned */
    bool wants_all;           /* all events: it has a default handler */
};

/* What the listeners call when a handshake has arrived or a pending connection closes; their
 * argument is the server. */
extern const struct px_listener_ops px_peer_listener_ops;

/* A process has taken the connection that it has inherited, with the segment of its namespace in
 * this generation: its handshake would have been this one. */
void px_peer_inherited(struct px_server *s, struct px_pending_conn *pending,
                       const struct px_handshake *handshake, uint32_t generation);

/* The peer with this id, or NULL if it has disconnected or the id is 0. */
struct px_peer *px_peer_find(struct px_server *s, uint64_t id);

/* Closes the connection, refuses it if the host has not decided yet, and drops the peer's pending
 * requests unanswered. If it was the last connection of its process, requests and collectives stop
 * waiting for the process. The memory is freed from the loop later, so that a handler may close the
 * peer that it serves. */
void px_peer_close(struct px_peer *peer);

/* Closes all peers when the server stops, without reporting any as lost. Tools that read get first
 * what is queued for them, which takes some seconds at most. */
void px_peer_close_all(struct px_server *s);

/* Sends a message, with a descriptor (or -1), which stays the caller's, and leaves buf empty.
 * Nothing is sent if the connection is closed or building the message failed. */
void px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd);

/* Sends an event, unless too much waits for the peer by now: then the event is lost to it, and
 * counted. Those of clients (`trusted` false) are lost earlier than those of the host. False: it is
 * lost, or the connection is closed. */
bool px_peer_send_event(struct px_peer *peer, struct px_parcel *event, bool trusted);

/* Sends a piece of output in the same way; what was lost is told with lost events. */
void px_peer_send_output(struct px_peer *peer, struct px_buf *buf);

/* The host's decision about a client or a tool: PMIX_SUCCESS admits it, another status refuses and
 * closes it. `proc`: the name that the host gave to a tool, or NULL. No effect if the peer was
 * decided about before. */
void px_peer_admit(struct px_peer *peer, pmix_status_t status, const pmix_proc_t *proc);

/* True if the peer's release is this one or a later one. Major 0 is a build that does not know its
 * release, and counts as the newest. */
bool px_peer_at_least(const struct px_peer *peer, unsigned major, unsigned minor, unsigned release);

#endif
