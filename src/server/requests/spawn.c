/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Spawn: the host starts the job; the parent's answer carries what is known of it, so that it can
 * be read at once. */

#include "spawn.h"

#include <stdlib.h>
#include <string.h>

#include "requests.h"
#include "src/value/directives.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

static void spawn_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    struct px_nspace *ns = px_nspace_find(s, up->ret_proc.nspace);
    const struct px_buf *packed;
    struct px_buf buf = {0};
    bool rides;

    if (!up->reply_to.peer && up->reply_to.spawn) {
        up->reply_to.spawn(up->status, up->ret_proc.nspace, up->reply_to.cbdata);
        return;
    }
    if (!peer) {
        return;
    }
    rides = up->status == PMIX_SUCCESS && ns && px_peer_has_news(peer, ns);
    (void) px_pack_status(&buf, peer->kind, up->status);
    if (up->status == PMIX_SUCCESS) {
        (void) px_pack_string(&buf, peer->kind, up->ret_proc.nspace);
    }
    if (rides) {
        (void) px_pack_segment(&buf, peer->kind);
    } else if (up->status == PMIX_SUCCESS && ns && !px_peer_may_read(peer, ns) &&
               !px_nspace_packed(ns, peer->kind, &packed)) {
        px_buf_append(&buf, packed->data, packed->len);
    }
    if (rides && px_buf_ok(&buf)) {
        px_answer_offer(s, &up->reply_to, &buf, px_peer_offer(peer, ns));
    } else {
        px_answer_take(s, &up->reply_to, &buf);
    }
}

void px_upcall_spawn(struct px_upcall *up)
{
    pmix_server_spawn_fn_t fn = up->server->host.spawn;

    up->done = spawn_answered;
    px_upcall_set_processed(up, &px_call_spawn);
    px_upcall_returned(
        up, fn ? fn(&up->proc, up->info, up->ninfo, up->apps, up->napps, px_hostcb_spawn, up)
               : PMIX_ERR_NOT_SUPPORTED);
}

static int read_apps(struct px_in *in, struct px_upcall *up)
{
    size_t n = 0;
    int rc = px_unpack_size(in, &n);

    if (rc || !n) {
        return rc ? rc : PMIX_ERR_BAD_PARAM;
    }
    if (n > px_in_left(in)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    up->apps = PMIx_App_create(n);
    if (!up->apps) {
        return PMIX_ERR_NOMEM;
    }
    up->napps = n;
    rc = px_unpack(in, PMIX_APP, up->apps, &n);
    return !rc && n != up->napps ? PMIX_ERR_UNPACK_FAILURE : rc;
}

/* Whose child the job will be, and that it is one. */
static int add_parent(struct px_upcall *up, const struct px_peer *peer)
{
    bool yes = true;
    int rc = px_infos_append(&up->info, &up->ninfo, PMIX_SPAWNED, &yes, PMIX_BOOL);

    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_PARENT_ID, &peer->proc, PMIX_PROC);
    return rc ? rc
              : px_infos_append(&up->info, &up->ninfo,
                                peer->tool ? PMIX_REQUESTOR_IS_TOOL : PMIX_REQUESTOR_IS_CLIENT,
                                &yes, PMIX_BOOL);
}

int px_handle_spawn(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_infos(in, &up->info, &up->ninfo) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : read_apps(in, up);
    rc = rc ? rc : add_parent(up, peer);
    return px_request_go(up, peer, rc, px_upcall_spawn);
}
