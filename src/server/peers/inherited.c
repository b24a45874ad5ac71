/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* See inherited.h. A mailbox whose message nobody took leaves no trace when its process ends: the
 * process never was a client. */

#include "inherited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gds/store.h"
#include "peer.h"
#include "src/base/assert.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "src/net/conn_sender.h"
#include "src/net/handshake.h"
#include "src/net/listener.h"
#include "src/net/mailbox.h"
#include "src/net/pending_conn.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/data/nspace.h"
#include "src/server/stages.h"
#include "src/server/state.h"
#include "src/wire/message.h"

/* One mailbox that is not taken. In s->inherited, which owns it. */
struct inherited {
    struct px_list link;
    struct px_server *server;
    struct px_io io;
    int mailbox;
    int conn;
    uint32_t generation; /* of the segment in it */
    uint64_t ns;         /* px_nspace.id */
    pmix_proc_t proc;
};

/* Closes the mailbox and frees the record. The connection stays open. */
static void forget(struct inherited *box)
{
    px_io_stop_loop(&box->io);
    px_list_remove(&box->link);
    (void) close(box->mailbox);
    free(box);
}

/* What the process would have said of itself. */
static void fill_handshake(const struct inherited *box, struct px_handshake *ret)
{
    *ret = (struct px_handshake){
        .flag = PX_HANDSHAKE_CLIENT, .kind = PX_WIRE_PLAIN, .proc = box->proc};
    (void) snprintf(ret->psec, sizeof(ret->psec), "native");
    px_handshake_set_version(ret, PX_WIRE_VERSION);
    (void) snprintf(ret->bfrops, sizeof(ret->bfrops), "%s", PX_WIRE_MODULE);
    (void) snprintf(ret->gds, sizeof(ret->gds), "%s", PX_GDS_SHARED "," PX_GDS_MESSAGES);
}

/* The process has taken its end: it is a client. If its namespace is another one by now, it finds
 * the connection closed. */
static void taken(const struct inherited *box)
{
    struct px_server *s = box->server;
    struct px_local_proc *rank = px_local_proc_of(s, &box->proc);
    struct px_pending_conn *pending;
    struct px_handshake handshake;

    if (!rank || !rank->registered || rank->ns->id != box->ns || s->stopping) {
        (void) close(box->conn);
        return;
    }
    fill_handshake(box, &handshake);
    pending = px_pending_conn_identified_loop(s->listeners, box->conn);
    if (pending) {
        px_peer_inherited(s, pending, &handshake, box->generation);
    }
}

/* The watcher's callback: the message is taken, or nobody can take it any more. */
static void mailbox_ready(struct px_io *io, int what)
{
    struct inherited *box = px_container_of(io, struct inherited, io);

    (void) what;
    if (px_mailbox_look(box->mailbox) == PX_MAILBOX_TAKEN) {
        taken(box);
    } else {
        (void) close(box->conn);
    }
    forget(box);
}

/* True if this process may inherit a connection: what it would be given by message is in a segment,
 * and the kernel's word is enough for this server. */
static bool may_inherit(const struct px_server *s, const struct px_local_proc *rank)
{
    return px_param_bool(PX_P_INHERIT) && !s->stopping && s->listeners && s->uri_unix && rank &&
           rank->registered && rank->ns->shared && px_handshake_names(s->modes, "native");
}

/* Watches a new mailbox. False: no memory. */
static bool watch(struct px_server *s, const struct px_local_proc *rank, const pmix_proc_t *proc,
                  uint32_t generation, const struct px_mailbox *mailbox)
{
    struct inherited *box = calloc(1, sizeof(*box));

    if (!box) {
        return false;
    }
    *box = (struct inherited){.server = s,
                              .mailbox = mailbox->fd,
                              .conn = mailbox->conn,
                              .generation = generation,
                              .ns = rank->ns->id,
                              .proc = *proc};
    px_list_init(&box->link);
    if (px_io_start_loop(s->loop, &box->io, box->mailbox, PX_IO_WRITE, mailbox_ready)) {
        free(box);
        return false;
    }
    px_list_append(&s->inherited, &box->link);
    return true;
}

bool px_inherited_make(struct px_server *s, const pmix_proc_t *proc, char *text)
{
    struct px_local_proc *rank = px_local_proc_of(s, proc);
    struct px_mailbox mailbox;
    struct px_store_info info;

    px_assert(px_loop_inside(s->loop));
    if (!may_inherit(s, rank)) {
        return false;
    }
    px_store_info(rank->ns->store, &info);
    if (!info.shared || px_mailbox_make(proc, px_store_fd(rank->ns->store), &mailbox)) {
        return false;
    }
    if (px_mailbox_text(&mailbox, proc, text, PX_MAILBOX_TEXT) ||
        !watch(s, rank, proc, info.generation, &mailbox)) {
        px_mailbox_close(&mailbox);
        return false;
    }
    return true;
}

void px_inherited_admitted(struct px_peer *peer)
{
    px_conn_note_sender_loop(peer->conn);
    px_stage_informed(peer); /* it had the answer beforehand */
}

/* The process id is noted, too, which a further connection under this name is compared with. */
bool px_inherited_prove(struct px_peer *peer)
{
    struct px_conn_sender who = px_conn_sender_loop(peer->conn);

    px_assert(px_loop_inside(peer->server->loop) && peer->rank);
    peer->unproved = false;
    if (!who.known || who.uid != peer->rank->uid || who.gid != peer->rank->gid) {
        px_log(PX_LOG_SERVER, 1, "%s:%u: what it has inherited is used by user %u, not %u",
               peer->proc.nspace, peer->proc.rank, who.uid, peer->rank->uid);
        return false;
    }
    peer->pid = who.pid;
    if (!peer->rank->pid) {
        peer->rank->pid = who.pid;
        px_open_waits_proc(peer->server, peer->rank);
    }
    return true;
}

void px_inherited_drop(struct px_server *s, const struct px_nspace *ns,
                       const struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct inherited, box, &s->inherited, link) {
        if (box->ns == ns->id && (!rank || box->proc.rank == rank->rank)) {
            (void) close(box->conn);
            forget(box);
        }
    }
}
