/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connections of clients and tools: handshake, authentication, admission by the host, messages,
 * end. A peer is known by its id, never reused, wherever an answer may arrive after the peer has
 * disconnected. Its memory is freed by a task of the loop, so that a handler may close the very
 * peer that it serves.
 *
 * Steps of a connection: on_hello (the handshake is complete), accept_client or px_tool_accept (who
 * is it?), the host's client_connected2 or tool_connected2, px_peer_admit, on_message for each
 * message, on_closed. The peer holds a pending connection until it is admitted, a connection from
 * then on. */

#include "peer.h"
#include "peer_words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/server/requests/host_upcall.h"
#include "src/server/stages.h"
#include "src/server/state.h"
#include "src/base/param.h"
#include "src/base/process.h"
#include "src/net/auth.h"
#include "src/net/conn.h"
#include "src/server/tools/server_tool.h"
#include "src/server/tools/tool_data.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/events/kept_ends.h"
#include "src/server/events/registrations.h"
#include "src/server/events/server_events.h"
#include "src/server/events/monitor.h"
#include "src/server/events/server_input.h"
#include "src/server/events/server_iof.h"
#include "dispatch.h"
#include "inherited.h"
#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/base/status.h"
#include "src/net/conn_write.h"
#include "src/net/pending_conn.h"
#include "src/net/tcp_owner.h"

struct px_peer *px_peer_find(struct px_server *s, uint64_t id)
{
    px_assert(px_loop_inside(s->loop));
    return id ? px_map_find(&s->peers, &id, sizeof(id)) : NULL;
}

/* --- the end --- */

/* Runs from the loop when no handler can hold the peer any more. */
static void free_deferred(struct px_task *task)
{
    struct px_peer *peer = px_container_of(task, struct px_peer, end);

    px_code_set_fini(&peer->codes);
    px_map_fini(&peer->offered);
    free(peer);
}

/* Counts a connection less of its process. With the last one the process has either finalized or
 * departed: it has departed if it left without finalizing, or if the host reported its end. */
static void leave_process(struct px_peer *peer, struct px_local_proc *rank)
{
    struct px_server *s = peer->server;

    if (rank->n_peers && peer->conn) {
        rank->n_peers--;
        if (!rank->n_peers && (!peer->finalized || rank->terminated) && !s->stopping) {
            rank->departed = true;
            s->n_ends++;
        } else if (!rank->n_peers) {
            rank->finalized = true;
        }
        px_open_waits_proc(s, rank);
    }
    rank->n_callers--;
    peer->rank = NULL;
}

/* Removes a peer from everything that knows it. Pending gets for the data of a process that has
 * departed then fail, since no commit can follow. The host is asked when the peer has left its
 * process: within its function it may deregister the process, or the job. */
static void unlink_peer(struct px_peer *peer)
{
    struct px_server *s = peer->server;
    struct px_local_proc *rank = peer->rank;

    (void) px_map_remove(&s->peers, &peer->id, sizeof(peer->id));
    px_list_remove(&peer->link);
    if (rank) {
        leave_process(peer, rank);
    }
    px_tool_data_drop(peer);
    px_gets_peer_disconnected(s, peer);
    px_pushes_peer_disconnected(s, peer);
    px_iof_subscriptions_peer_disconnected(s, peer);
    px_events_peer_disconnected(s, peer);
    px_monitors_peer_disconnected(s, peer);
    px_colls_peer_disconnected(s, peer);
    rank = rank ? px_local_proc_of(s, &peer->proc) : NULL;
    if (rank && !rank->n_peers && (rank->departed || rank->finalized)) {
        px_gets_proc_departed(s, rank);
        px_dmodex_requests_proc_departed(s, rank);
    }
    px_iof_tell_unwanted(s);
}

void px_peer_close(struct px_peer *peer)
{
    struct px_server *s = peer->server;

    if (peer->conn) {
        px_peer_tell_gone(peer);
        px_stage_gone(peer);
    }
    px_parts_drop(peer); /* as long as its process and its data are there */
    unlink_peer(peer);
    if (peer->pending) {
        px_pending_conn_refuse(peer->pending, 0);
        peer->pending = NULL;
    }
    px_conn_destroy_loop(peer->conn);
    peer->conn = NULL;
    peer->end.run = free_deferred;
    px_loop_post(s->loop, &peer->end);
}

/* What tools get before they lose their server: output of processes that have ended just now. They
 * have to read it: the first is the longest time without a byte, the second that for all. */
enum { TOOL_PATIENCE_MS = 2000, TOOLS_PATIENCE_S = 10 };

static void drain_tools(struct px_server *s)
{
    uint64_t deadline = px_clock_ns() + (uint64_t) TOOLS_PATIENCE_S * 1000000000U;

    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer->tool && peer->conn) {
            px_conn_drain_loop(peer->conn, TOOL_PATIENCE_MS, deadline);
        }
    }
}

/* The peers are marked as finalized, so that the end of a connection raises no event. */
void px_peer_close_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    drain_tools(s);
    while (!px_list_empty(&s->peer_list)) {
        struct px_peer *peer = px_container_of(s->peer_list.next, struct px_peer, link);

        peer->finalized = true;
        px_peer_close(peer);
    }
    px_map_fini(&s->peers);
}

/* A message has arrived, or goes on. A descriptor with it is closed: peers have none to send. */
static bool on_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct px_peer *peer = arg;

    if (fd >= 0) {
        (void) close(fd);
    }
    if (peer->unproved && !px_inherited_prove(peer)) {
        px_peer_close(peer);
        return false;
    }
    px_dispatch(peer, tag, payload, len);
    if (peer->doomed && peer->conn) {
        px_peer_close(peer);
    }
    return px_is_in_part(peer);
}

/* The connection has ended, from the other side or by an error. */
static void on_closed(void *arg, int status)
{
    struct px_peer *peer = arg;
    struct px_server *s = peer->server;
    pmix_proc_t proc = peer->proc;
    bool lost = !peer->finalized && !s->stopping;

    (void) status;
    px_peer_close(peer);
    if (lost) {
        px_event_report_loss(s, &proc);
    }
}

/* The peer has read what had to wait for it: it is told what it has missed. */
static void on_drained(void *arg)
{
    struct px_peer *peer = arg;

    if (peer->lost_events || peer->lost_output) {
        px_event_tell_lost(peer);
    }
}

/* Callbacks of an admitted connection; their argument is the peer. */
static const struct px_conn_ops conn_ops = {.message = on_message,
                                            .begins = px_dispatch_wanted,
                                            .closed = on_closed,
                                            .drained = on_drained};

bool px_peer_at_least(const struct px_peer *peer, unsigned major, unsigned minor, unsigned release)
{
    if (peer->version_major != major) {
        /* Major 0: unknown */
        return peer->version_major > major || !peer->version_major;
    }
    if (peer->version_minor != minor) {
        return peer->version_minor > minor;
    }
    return peer->version_release >= release;
}

void px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd)
{
    if (!peer->conn || !px_buf_ok(buf)) {
        px_buf_fini(buf);
        return;
    }
    px_stage_sent(peer->server, buf->len);
    (void) px_conn_send_take(peer->conn, tag, buf, fd);
}

/* How much of its queue a peer's events and output may have together, in percent: with an event
 * that a client has raised, and with others. The rest is for replies. */
enum { CLIENT_EVENTS = 25, ALL_OFFERS = 50 };

/* Counts in *lost what a peer was offered (rc: how that went) and does not get for want of room. */
static void count_lost(const struct px_peer *peer, int rc, uint64_t *lost, const char *what)
{
    if (rc == PMIX_ERR_OUT_OF_RESOURCE && !(*lost)++) {
        px_log(PX_LOG_SERVER, 1, "%s:%u does not read, and loses %s", peer->proc.nspace,
               peer->proc.rank, what);
    }
}

bool px_peer_send_event(struct px_peer *peer, struct px_parcel *event, bool trusted)
{
    unsigned percent = trusted ? ALL_OFFERS : CLIENT_EVENTS;
    int rc = peer->conn ? px_conn_offer(peer->conn, PX_TAG_NOTIFY, event, percent)
                        : PMIX_ERR_LOST_CONNECTION;

    count_lost(peer, rc, &peer->lost_events, "events");
    if (!rc) {
        px_stage_event_sent(peer->server, px_parcel_len(event));
    }
    return !rc;
}

void px_peer_send_output(struct px_peer *peer, struct px_buf *buf)
{
    px_stage_sent(peer->server, buf->len);
    if (!peer->conn || !px_buf_ok(buf)) {
        px_buf_fini(buf);
        return;
    }
    count_lost(peer, px_conn_offer_take(peer->conn, PX_TAG_IOF, buf, ALL_OFFERS),
               &peer->lost_output, "output");
}

/* --- the beginning --- */

/* A peer for a pending connection, listed under a new id, with the identity that was authenticated.
 * NULL when memory is out; then the pending connection is the caller's still. */
static struct px_peer *peer_create(struct px_server *s, struct px_pending_conn *pending,
                                   const struct px_handshake *handshake,
                                   const struct px_peer_cred *peer_cred)
{
    struct px_user *user = px_user_of(s, peer_cred->uid);
    struct px_peer *peer = user ? calloc(1, sizeof(*peer)) : NULL;

    if (!peer) {
        return NULL;
    }
    peer->server = s;
    peer->user = user;
    peer->id = ++s->next_peer;
    peer->pending = pending;
    peer->stage_ns = px_pending_conn_since(pending);
    peer->proc = handshake->proc;
    peer->uid = peer_cred->uid;
    peer->gid = peer_cred->gid;
    peer->pid = peer_cred->pid;
    peer->kind = handshake->kind;
    peer->version_major = handshake->version_major;
    peer->version_minor = handshake->version_minor;
    peer->version_release = handshake->version_release;
    peer->maps_segments = px_handshake_names(handshake->gds, PX_GDS_SHARED);
    peer->ours = peer->maps_segments || px_handshake_names(handshake->gds, PX_GDS_OURS);
    px_list_init(&peer->link);
    px_list_init(&peer->gets);
    if (px_map_set(&s->peers, &peer->id, sizeof(peer->id), peer)) {
        free(peer);
        return NULL;
    }
    px_list_append(&s->peer_list, &peer->link);
    px_pending_conn_set_data(pending, peer);
    return peer;
}

/* Turns the pending connection into a connection and counts it for its process, which is alive
 * again if it had departed. A further connection is a clone, which collectives may have to wait
 * for. */
static void admit_client(struct px_peer *peer)
{
    struct px_pending_conn *pending = peer->pending;
    const pmix_proc_t *self = &peer->server->self;
    int rc;

    peer->pending = NULL;
    rc = peer->as_tool
             ? px_pending_conn_admit_tool(pending, NULL, self, &conn_ops, peer, &peer->conn)
             : px_pending_conn_admit(pending, (uint32_t) peer->id, &conn_ops, peer, &peer->conn);
    if (rc) {
        peer->conn = NULL;
        px_peer_close(peer);
        return;
    }
    px_conn_join_loop(peer->conn, &peer->user->queue);
    peer->shared = peer->shared && px_conn_is_unix(peer->conn);
    if (!peer->rank->n_peers++) {
        peer->rank->pid = peer->pid;
    }
    if (peer->rank->terminated) {
        px_ends_undone(peer->server, &peer->proc);
    }
    peer->rank->terminated = false; /* it has a connection */
    peer->rank->departed = false;
    peer->rank->finalized = false;
    px_open_waits_proc(peer->server, peer->rank);
    px_peer_tell_connected(peer);
    px_stage_connected(peer);
    if (peer->unproved) {
        px_inherited_admitted(peer);
    }
    if (peer->rank->n_peers > 1) {
        px_colls_recount(peer->server);
    }
}

/* As admit_client for a tool, which is sent its name if it asked for one. */
static void admit_tool(struct px_peer *peer)
{
    struct px_pending_conn *pending = peer->pending;
    const pmix_proc_t *assigned = peer->needs_id ? &peer->proc : NULL;

    peer->pending = NULL;
    if (px_pending_conn_admit_tool(pending, assigned, &peer->server->self, &conn_ops, peer,
                                   &peer->conn)) {
        peer->conn = NULL;
        px_peer_close(peer);
        return;
    }
    px_conn_join_loop(peer->conn, &peer->user->queue);
    peer->shared = peer->shared && px_conn_is_unix(peer->conn);
    px_peer_tell_connected(peer);
    px_stage_connected(peer);
}

/* The host answers from any thread; this runs on the loop thread, so the peer may have disconnected
 * or the server may be stopping by now. */
void px_peer_admit(struct px_peer *peer, pmix_status_t status, const pmix_proc_t *proc)
{
    if (!peer->pending) {
        return;
    }
    if (status != PMIX_SUCCESS || peer->server->stopping) {
        struct px_pending_conn *pending = peer->pending;

        peer->pending = NULL;
        px_pending_conn_refuse(pending, status ? status : PMIX_ERR_UNREACH);
        px_peer_close(peer);
        return;
    }
    if (proc && proc->nspace[0]) {
        peer->proc = *proc;
    }
    peer->server->admitted++;
    if (peer->tool) {
        admit_tool(peer);
    } else {
        admit_client(peer);
    }
}

/* The host's answer to client_connected2. */
static void connected_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);

    if (peer) {
        px_peer_admit(peer, up->reply.status, NULL);
    }
}

/* Asks the host whether to admit a client. The answer of client_connected2 is waited for. Hosts of
 * the older client_connected accept by returning PMIX_SUCCESS; some then call back, to no effect.
 */
static void ask_host_about_client(struct px_peer *peer)
{
    struct px_server *s = peer->server;
    struct px_reply_to reply_to = px_reply_to_peer(peer, 0);
    void *object = peer->rank->object;
    struct px_upcall *up;
    pmix_status_t rc = PMIX_SUCCESS;

    if (s->host.client_connected2) {
        up = px_upcall_create(s, &reply_to, &peer->proc, connected_answered);
        if (!up || px_requester_identify(up->server, peer, &up->info, &up->ninfo)) {
            px_upcall_destroy(up);
            px_peer_admit(peer, PMIX_ERR_NOMEM, NULL);
            return;
        }
        px_upcall_returned(up, s->host.client_connected2(&up->proc, object, up->info, up->ninfo,
                                                         px_hostcb_op, px_upcall_handle(up)));
        return;
    }
    if (s->host.client_connected) {
        rc = s->host.client_connected(&peer->proc, object, px_hostcb_op, NULL);
    }
    px_peer_admit(peer, rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc, NULL);
}

/* True if a further connection under this name may be a clone: it is of a process that descends
 * from the one that this server's process has started, as the one that connected first does; or, if
 * the first was started by others, from the first. By TCP a process need not say who it is; then it
 * is looked for by its socket. If the first process is not known, or the processes below it have
 * more descriptors than are looked at, or hide them, the credential has to do. */
static bool is_clone(const struct px_local_proc *rank, const struct px_peer_cred *peer_cred)
{
    pid_t started = rank->pid ? px_process_branch(rank->pid, getpid()) : 0;
    pid_t from = started ? started : rank->pid;

    if (!from || (!peer_cred->pid && !peer_cred->socket)) {
        return true;
    }
    return peer_cred->pid ? px_process_descends(peer_cred->pid, from)
                          : px_owner_below(from, peer_cred->socket) != PX_OWNER_NOBODY;
}

/* The status for a name that is not registered. Only the server's own user learns that: to others
 * the name looks like one of another user's process. */
static int not_registered(const struct px_server *s, const struct px_handshake *handshake,
                          struct px_peer_cred *peer_cred)
{
    int rc = px_auth_identify(handshake, peer_cred);

    return rc || peer_cred->uid != s->uid ? PMIX_ERR_INVALID_CRED : PMIX_ERR_NOT_FOUND;
}

/* A handshake of a registered process, or (generation not 0) what stands for it. Refuses wrong
 * credentials, what is no clone, and too many connections; else asks the host. */
static void accept_client(struct px_server *s, struct px_pending_conn *pending,
                          const struct px_handshake *handshake, struct px_peer_cred *peer_cred,
                          uint32_t generation)
{
    struct px_local_proc *rank = px_local_proc_of(s, &handshake->proc);
    struct px_peer *peer;
    int rc;

    rc = rank && rank->registered ? px_auth_check(handshake, peer_cred, rank->uid, rank->gid)
                                  : not_registered(s, handshake, peer_cred);
    if (rc) {
        px_peer_refuse(pending, handshake, rc);
        return;
    }
    if (rank->n_callers && (rank->n_callers >= (unsigned) px_param_int(PX_P_RANK_CONNECTIONS) ||
                            !px_quota_has_place(s, peer_cred->uid))) {
        px_peer_refuse(pending, handshake, PMIX_ERR_OUT_OF_RESOURCE);
        return;
    }
    if (rank->n_peers && !is_clone(rank, peer_cred)) {
        px_peer_refuse(pending, handshake, PMIX_ERR_NO_PERMISSIONS);
        return;
    }
    peer = peer_create(s, pending, handshake, peer_cred);
    if (!peer) {
        px_pending_conn_refuse(pending, PMIX_ERR_NOMEM);
        return;
    }
    peer->rank = rank;
    peer->further = rank->n_callers++ != 0;
    peer->as_tool = handshake->flag != PX_HANDSHAKE_CLIENT;
    peer->launcher = handshake->flag == PX_HANDSHAKE_CLIENT_LAUNCHER;
    peer->uid = rank->uid;
    peer->gid = rank->gid;
    peer->shared = peer->maps_segments && peer_cred->known && peer_cred->uid == rank->uid &&
                   (!peer->as_tool || px_param_bool(PX_P_TOOL_SEGMENTS));
    peer->generation = generation;
    peer->unproved = generation != 0;
    ask_host_about_client(peer);
}

void px_peer_inherited(struct px_server *s, struct px_pending_conn *pending,
                       const struct px_handshake *handshake, uint32_t generation)
{
    const struct px_local_proc *rank = px_local_proc_of(s, &handshake->proc);
    struct px_peer_cred expected = {.known = true, .uid = rank->uid, .gid = rank->gid};

    accept_client(s, pending, handshake, &expected, generation);
}

/* True if the handshake says that its tool was started by a host. */
static bool says_launched(const struct px_handshake *handshake)
{
    return handshake->flag == PX_HANDSHAKE_CLIENT_TOOL ||
           handshake->flag == PX_HANDSHAKE_CLIENT_LAUNCHER;
}

/* True if the handshake is that of a process that the host registered and started, but that has
 * called PMIx_tool_init. It is served as a client, whether or not the host has enabled tools. */
static bool is_launched(struct px_server *s, const struct px_handshake *handshake)
{
    const struct px_local_proc *rank = px_local_proc_of(s, &handshake->proc);

    return says_launched(handshake) && rank && rank->registered;
}

/* The status for a tool that is not served. One that has the name of a process is told what it
 * would be told if there were such a process. */
static int not_served(const struct px_server *s, const struct px_handshake *handshake,
                      struct px_peer_cred *peer_cred)
{
    int rc = says_launched(handshake) ? not_registered(s, handshake, peer_cred) : 0;

    return rc == PMIX_ERR_INVALID_CRED ? rc : PMIX_ERR_NO_PERMISSIONS;
}

/* A handshake has arrived; the first decision is whether it is a client's, a launched tool's or
 * another tool's. Singletons, peers without a common encoding (both PMIX_ERR_NOT_SUPPORTED) and
 * tools that the host does not serve (not_served) are refused at once. */
static void on_hello(void *arg, struct px_pending_conn *pending,
                     const struct px_handshake *handshake, const struct px_peer_cred *peer_cred)
{
    struct px_server *s = arg;
    struct px_peer_cred them = *peer_cred;
    struct px_peer *peer;

    if (s->stopping) {
        px_pending_conn_refuse(pending, PMIX_ERR_UNREACH);
        return;
    }
    if (!px_handshake_names(PX_WIRE_MODULES, handshake->bfrops)) {
        px_peer_tell_foreign(handshake);
        px_pending_conn_refuse(pending, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    if (handshake->flag == PX_HANDSHAKE_CLIENT || is_launched(s, handshake)) {
        accept_client(s, pending, handshake, &them, 0);
        return;
    }
    if (handshake->flag == PX_HANDSHAKE_SINGLETON) {
        px_pending_conn_refuse(pending, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    if (px_tool_refused(s, handshake, &them)) {
        px_peer_refuse(pending, handshake, not_served(s, handshake, &them));
        return;
    }
    peer = px_quota_has_place(s, them.uid) ? peer_create(s, pending, handshake, &them) : NULL;
    if (!peer) {
        px_peer_refuse(pending, handshake, PMIX_ERR_OUT_OF_RESOURCE);
        return;
    }
    peer->further = true;
    peer->shared = peer->maps_segments && them.known && px_param_bool(PX_P_TOOL_SEGMENTS);
    px_tool_accept(peer, handshake);
}

/* A pending connection has closed before the host decided. */
static void on_gone(void *arg, struct px_pending_conn *pending)
{
    struct px_peer *peer = px_pending_conn_data(pending);

    (void) arg;
    if (peer) {
        peer->pending = NULL;
        px_peer_close(peer);
    }
}

const struct px_listener_ops px_peer_listener_ops = {.handshake = on_hello, .gone = on_gone};
