/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output and input of processes: the host owns the pipes; this server keeps who wants to see what,
 * and carries. */

#include "server_iof.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/self/loop_call.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "output_cache.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

static void pull_destroy(struct px_iof_subscription *pull)
{
    px_list_remove(&pull->link);
    free(pull->procs);
    free(pull);
}

struct px_iof_subscription *px_iof_subscription_find(struct px_server *s, uint64_t peer, size_t id)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->pulls) {
        struct px_iof_subscription *pull = px_container_of(item, struct px_iof_subscription, link);

        if (pull->peer == peer && pull->id == id) {
            return pull;
        }
    }
    return NULL;
}

struct px_iof_subscription *px_iof_subscription_add(struct px_server *s, uint64_t peer,
                                                    const pmix_proc_t *procs, size_t nprocs,
                                                    pmix_iof_channel_t channel)
{
    struct px_iof_subscription *pull = calloc(1, sizeof(*pull));

    px_assert(px_loop_inside(s->loop));
    if (!pull) {
        return NULL;
    }
    px_list_init(&pull->link);
    pull->procs = calloc(nprocs + 1, sizeof(*pull->procs));
    if (!pull->procs) {
        free(pull);
        return NULL;
    }
    if (nprocs) {
        memcpy(pull->procs, procs, nprocs * sizeof(*procs));
    }
    pull->n_procs = nprocs;
    pull->channel = channel;
    pull->peer = peer;
    pull->id = ++s->next_pull;
    px_list_append(&s->pulls, &pull->link);
    return pull;
}

int px_iof_subscription_drop(struct px_server *s, uint64_t peer, size_t id)
{
    struct px_iof_subscription *pull = px_iof_subscription_find(s, peer, id);

    px_assert(px_loop_inside(s->loop));
    if (!pull) {
        return PMIX_ERR_NOT_FOUND;
    }
    pull_destroy(pull);
    return PMIX_SUCCESS;
}

void px_iof_subscriptions_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->pulls) {
        struct px_iof_subscription *pull = px_container_of(item, struct px_iof_subscription, link);

        if (pull->peer == peer->id) {
            pull_destroy(pull);
        }
    }
}

void px_iof_subscriptions_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->pulls)) {
        pull_destroy(px_container_of(s->pulls.next, struct px_iof_subscription, link));
    }
}

/* --- output --- */

bool px_iof_subscription_covers(const struct px_iof_subscription *pull,
                                const struct px_output_args *out)
{
    if (!(pull->channel & out->channel)) {
        return false;
    }
    for (size_t i = 0; i < pull->n_procs; i++) {
        const pmix_proc_t *proc = &pull->procs[i];

        if ((!proc->nspace[0] || strcmp(proc->nspace, out->source.nspace) == 0) &&
            (proc->rank == PMIX_RANK_WILDCARD || proc->rank == out->source.rank)) {
            return true;
        }
    }
    return false;
}

static void send_output(struct px_server *s, const struct px_iof_subscription *pull,
                        const struct px_output_args *out)
{
    struct px_peer *peer = px_peer_find(s, pull->peer);
    struct px_buf buf = {0};
    int rc;

    if (!peer) {
        return;
    }
    rc = px_pack(&buf, peer->kind, PMIX_PROC, &out->source, 1);
    rc = rc ? rc : px_pack(&buf, peer->kind, PMIX_IOF_CHANNEL, &out->channel, 1);
    rc = rc ? rc : px_pack_size(&buf, peer->kind, pull->local_id);
    rc = rc ? rc : px_pack_infos(&buf, peer->kind, out->info, out->ninfo);
    rc = rc ? rc
            : px_pack_bytes(&buf, peer->kind, out->bytes ? out->bytes->bytes : NULL,
                            out->bytes ? out->bytes->size : 0);
    if (rc) {
        px_buf_fini(&buf);
        return;
    }
    px_peer_send(peer, PX_TAG_IOF, &buf, -1);
}

void px_iof_subscription_deliver(struct px_server *s, const struct px_iof_subscription *pull,
                                 const struct px_output_args *out)
{
    px_assert(px_loop_inside(s->loop));
    if (pull->peer) {
        send_output(s, pull, out);
    } else if (pull->cbfunc) {
        pull->cbfunc(pull->id, out->channel, (pmix_proc_t *) (uintptr_t) &out->source,
                     (pmix_byte_object_t *) (uintptr_t) out->bytes,
                     (pmix_info_t *) (uintptr_t) out->info, out->ninfo);
    }
}

int px_output_deliver(struct px_server *s, void *args)
{
    struct px_output_args *out = args;
    bool wanted = false;
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->pulls) {
        struct px_iof_subscription *pull = px_container_of(item, struct px_iof_subscription, link);

        if (px_iof_subscription_covers(pull, out)) {
            wanted = true;
            px_iof_subscription_deliver(s, pull, out);
        }
    }
    return wanted ? PMIX_SUCCESS : px_output_keep(s, out);
}

/* --- requests --- */

static void pull_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    struct px_buf buf = {0};

    if (up->status || !peer) {
        (void) px_iof_subscription_drop(s, up->reply_to.peer, up->number);
        px_answer_status(s, &up->reply_to, up->status);
        return;
    }
    (void) px_pack_status(&buf, peer->kind, PMIX_SUCCESS);
    (void) px_pack_size(&buf, peer->kind, up->number);
    px_answer_take(s, &up->reply_to, &buf);
    px_outputs_deliver(s, up->reply_to.peer, up->number, up->info, up->ninfo);
}

int px_handle_iof_pull(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    pmix_iof_channel_t channel = 0;
    struct px_iof_pull_directives directives;
    struct px_iof_subscription *pull = NULL;
    size_t local_id = 0;
    int rc = up ? px_unpack_procs(in, &up->procs, &up->nprocs) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    rc = rc ? rc : px_unpack_one(in, PMIX_IOF_CHANNEL, &channel);
    if (!rc && px_in_left(in)) {
        rc = px_unpack_size(in, &local_id);
    }
    rc = rc ? rc : px_iof_pull_read(up->info, up->ninfo, &directives);
    rc = rc ? rc : px_upcall_identify(up, peer->uid, peer->gid);
    if (!rc) {
        pull = px_iof_subscription_add(s, peer->id, up->procs, up->nprocs, channel);
        rc = pull ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (rc) {
        px_upcall_destroy(up);
        return rc;
    }
    pull->local_id = local_id;
    up->number = (uint32_t) pull->id;
    up->done = pull_answered;
    px_upcall_set_processed(up, &px_call_iof_pull);
    px_upcall_returned(up, s->host.iof_pull ? s->host.iof_pull(up->procs, up->nprocs, up->info,
                                                               up->ninfo, channel, px_hostcb_op, up)
                                            : PMIX_ERR_NOT_SUPPORTED);
    return PMIX_SUCCESS;
}

int px_handle_iof_dereg(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    size_t id = 0;
    int rc = px_unpack_infos(in, &info, &ninfo);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_size(in, &id);
    PMIx_Info_free(info, ninfo);
    if (rc) {
        return rc;
    }
    px_answer_status(s, &reply_to, px_iof_subscription_drop(s, peer->id, id));
    return PMIX_SUCCESS;
}

void px_upcall_iof_push(struct px_upcall *up)
{
    pmix_server_stdin_fn_t fn = up->server->host.push_stdin;

    up->done = px_done_status;
    px_upcall_set_processed(up, &px_call_iof_push);
    px_upcall_returned(up, fn ? fn(&up->proc, up->procs, up->nprocs, up->info, up->ninfo,
                                   &up->bytes, px_hostcb_op, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_iof_push(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_procs(in, &up->procs, &up->nprocs) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    rc = rc ? rc : px_unpack_one(in, PMIX_BYTE_OBJECT, &up->bytes);
    return px_request_go(up, peer, rc, px_upcall_iof_push);
}
