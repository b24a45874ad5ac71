/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publish, lookup, unpublish and abort: the host's business, carried there and back. */

#include "server_publish.h"

#include <stdlib.h>
#include <string.h>

#include "host_upcall.h"
#include "requests.h"
#include "src/value/directives.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

/* Reads the keys of a request: SIZE k, then k strings one by one. */
static int read_keys(struct px_in *in, char ***ret)
{
    size_t n = 0;
    char **keys;
    int rc = px_unpack_size(in, &n);

    if (rc || !n) {
        return rc;
    }
    /* Each key takes two bytes at least. */
    if (n > px_in_left(in)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    keys = calloc(n + 1, sizeof(*keys));
    if (!keys) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; !rc && i < n; i++) {
        rc = px_unpack_string(in, &keys[i]);
        if (!rc && !keys[i]) {
            rc = PMIX_ERR_UNPACK_FAILURE;
        }
    }
    if (rc) {
        PMIx_Argv_free(keys);
        return rc;
    }
    *ret = keys;
    return PMIX_SUCCESS;
}

/* --- publish --- */

void px_upcall_publish(struct px_upcall *up)
{
    pmix_server_publish_fn_t fn = up->server->host.publish;

    up->done = px_done_status;
    px_upcall_set_processed(up, &px_call_publish);
    px_upcall_returned(up, fn ? fn(&up->proc, up->info, up->ninfo, px_hostcb_op, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_publish(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    uint32_t uid;
    int rc = up ? px_unpack_one(in, PMIX_UINT32, &uid) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_publish);
}

/* --- lookup --- */

static void lookup_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    struct px_buf buf = {0};

    if (!up->reply_to.peer && up->reply_to.lookup) {
        up->reply_to.lookup(up->status, up->ret_pdata, up->ret_npdata, up->reply_to.cbdata);
        return;
    }
    if (!peer) {
        return;
    }
    (void) px_pack_status(&buf, peer->kind, up->status);
    if (up->status == PMIX_SUCCESS || up->status == PMIX_ERR_PARTIAL_SUCCESS) {
        (void) px_pack_size(&buf, peer->kind, up->ret_npdata);
        if (up->ret_npdata &&
            px_pack(&buf, peer->kind, PMIX_PDATA, up->ret_pdata, up->ret_npdata)) {
            buf.failed = true;
        }
    }
    px_answer_take(up->server, &up->reply_to, &buf);
}

void px_upcall_lookup(struct px_upcall *up)
{
    pmix_server_lookup_fn_t fn = up->server->host.lookup;

    up->done = lookup_answered;
    px_upcall_set_processed(up, &px_call_lookup);
    px_upcall_returned(up, fn ? fn(&up->proc, up->keys, up->info, up->ninfo, px_hostcb_lookup, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_lookup(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    uint32_t uid;
    int rc = up ? px_unpack_one(in, PMIX_UINT32, &uid) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : read_keys(in, &up->keys);
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    if (!rc && !up->keys) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return px_request_go(up, peer, rc, px_upcall_lookup);
}

/* --- unpublish --- */

void px_upcall_unpublish(struct px_upcall *up)
{
    pmix_server_unpublish_fn_t fn = up->server->host.unpublish;

    up->done = px_done_status;
    px_upcall_set_processed(up, &px_call_unpublish);
    px_upcall_returned(up, fn ? fn(&up->proc, up->keys, up->info, up->ninfo, px_hostcb_op, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_unpublish(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    uint32_t uid;
    int rc = up ? px_unpack_one(in, PMIX_UINT32, &uid) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : read_keys(in, &up->keys);
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_unpublish);
}

/* --- abort --- */

void px_upcall_abort(struct px_upcall *up)
{
    pmix_server_abort_fn_t fn = up->server->host.abort;
    struct px_local_proc *rank = px_local_proc_of(up->server, &up->proc);

    up->done = px_done_status;
    px_upcall_returned(up, fn ? fn(&up->proc, rank ? rank->object : NULL, up->code, up->text,
                                   up->procs, up->nprocs, px_hostcb_op, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_abort(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_status(in, &up->code) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_string(in, &up->text);
    rc = rc ? rc : px_unpack_procs(in, &up->procs, &up->nprocs);
    return px_request_go_plain(up, rc, px_upcall_abort);
}
