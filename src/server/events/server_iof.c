/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Forwarding of output and input (Standard: IOF). The host owns the pipes of the processes. This
 * server keeps the subscriptions of its peers and of its own process, and delivers the output that
 * the host hands over to those that it is for. Input is passed to the host by a service
 * (requests.c). Loop thread. */

#include "server_iof.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/output_format.h"
#include "src/server/data/nspace.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "output_cache.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/value/infos.h"
#include "src/context/context.h"
#include "src/event/chain.h"

/* How many ended subscriptions wait for others to end; the oldest is forgotten. */
enum { MAX_UNWANTED = 256 };

/* Takes a subscription off its list. Those that have ended and waited for its end are looked at
 * again. */
static void take_off(struct px_server *s, struct px_iof_subscription *pull)
{
    px_list_remove(&pull->link);
    px_list_for(struct px_iof_subscription, ended, &s->unwanted, link) {
        ended->wanted_by = ended->wanted_by == pull->id ? 0 : ended->wanted_by;
    }
}

/* Takes a subscription off its list and frees it. */
static void pull_destroy(struct px_server *s, struct px_iof_subscription *pull)
{
    px_holding_give(s, &pull->holding);
    take_off(s, pull);
    px_sink_destroy(pull->sink);
    px_proc_list_fini(&pull->procs);
    free(pull);
}

/* A linear search: a server has few subscriptions. */
struct px_iof_subscription *px_iof_subscription_find(struct px_server *s, uint64_t peer, size_t id)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_iof_subscription, pull, &s->pulls, link) {
        if (pull->peer == peer && pull->id == id) {
            return pull;
        }
    }
    return NULL;
}

/* Adds a subscription, which covers output from now on. The caller sets its sink or local_id before
 * it returns to the loop. */
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
    if (px_proc_list_add_all(&pull->procs, procs, nprocs)) {
        px_proc_list_fini(&pull->procs);
        free(pull);
        return NULL;
    }
    pull->channel = channel;
    pull->peer = peer;
    pull->id = ++s->next_pull;
    px_list_append(&s->pulls, &pull->link);
    return pull;
}

/* --- output without a subscription --- */

/* True if both cover some output. */
static bool overlaps(const struct px_iof_subscription *a, const struct px_iof_subscription *b)
{
    return (a->channel & b->channel) &&
           px_procs_overlap(a->procs.at, a->procs.n, b->procs.at, b->procs.n);
}

/* True if both cover the same output. */
static bool same_output(const struct px_iof_subscription *a, const struct px_iof_subscription *b)
{
    return a->channel == b->channel &&
           px_procs_equal(a->procs.at, a->procs.n, b->procs.at, b->procs.n);
}

/* Ends a subscription. One of a peer is kept aside until the host has been told, once for each
 * output; the host need not be told of one of this process, nor at the server's end. */
static void retire(struct px_server *s, struct px_iof_subscription *pull)
{
    size_t n = 0;

    if (!pull->peer || !s->host.iof_pull || s->stopping) {
        pull_destroy(s, pull);
        return;
    }
    px_list_for(struct px_iof_subscription, other, &s->unwanted, link) {
        n++;
        if (same_output(other, pull)) {
            pull_destroy(s, pull);
            return;
        }
    }
    if (n >= MAX_UNWANTED) {
        pull_destroy(s, px_container_of(s->unwanted.next, struct px_iof_subscription, link));
    }
    pull->asked = NULL;
    take_off(s, pull);
    px_list_append(&s->unwanted, &pull->link);
}

/* The host's answer changes nothing. */
static void stop_answered(struct px_upcall *up)
{
    (void) up;
}

/* Asks the host to stop the output of a subscription, and frees that. Without memory the host goes
 * on. */
static void stop_output(struct px_server *s, struct px_iof_subscription *pull)
{
    struct px_upcall *up = px_upcall_create_for(s, &px_request_iof_pull, NULL, NULL, stop_answered);
    struct px_iof_pull_args *args = up ? up->args : NULL;
    bool yes = true;

    if (!up ||
        px_infos_append(&args->head.info, &args->head.ninfo, PMIX_IOF_STOP, &yes, PMIX_BOOL)) {
        px_upcall_destroy(up);
        pull_destroy(s, pull);
        return;
    }
    args->nprocs = pull->procs.n;
    args->procs = px_proc_list_take(&pull->procs);
    args->channel = pull->channel;
    pull_destroy(s, pull);
    px_upcall_returned(up, s->host.iof_pull(args->procs, args->nprocs, args->head.info,
                                            args->head.ninfo, args->channel, px_hostcb_op,
                                            px_upcall_handle(up)));
}

/* The number of a subscription that covers some of the output of one that has ended; 0: none. */
static size_t find_overlap(struct px_server *s, const struct px_iof_subscription *ended)
{
    px_list_for(const struct px_iof_subscription, pull, &s->pulls, link) {
        if (overlaps(ended, pull)) {
            return pull->id;
        }
    }
    return 0;
}

/* A subscription that has ended and overlaps with no other one, off its list; NULL: none. */
static struct px_iof_subscription *take_unwanted(struct px_server *s)
{
    px_list_for(struct px_iof_subscription, ended, &s->unwanted, link) {
        if (!ended->wanted_by) {
            ended->wanted_by = find_overlap(s, ended);
        }
        if (!ended->wanted_by) {
            px_list_remove(&ended->link);
            return ended;
        }
    }
    return NULL;
}

/* The host may change the lists. */
void px_iof_tell_unwanted(struct px_server *s)
{
    struct px_iof_subscription *ended = s->stopping ? NULL : take_unwanted(s);

    px_assert(px_loop_inside(s->loop));
    while (ended) {
        stop_output(s, ended);
        ended = s->stopping ? NULL : take_unwanted(s);
    }
}

/* --- the end of a subscription --- */

/* The peer is compared too: a peer can drop no subscription of another one. The function of this
 * process may have dropped it meanwhile. */
int px_iof_subscription_drop(struct px_server *s, uint64_t peer, size_t id)
{
    struct px_iof_subscription *pull = px_iof_subscription_find(s, peer, id);

    px_assert(px_loop_inside(s->loop));
    if (!pull) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (pull->sink) {
        px_sink_flush(pull->sink, id);
        pull = px_iof_subscription_find(s, peer, id);
    }
    if (pull) {
        retire(s, pull);
    }
    return PMIX_SUCCESS;
}

void px_iof_subscriptions_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_iof_subscription, pull, &s->pulls, link) {
        if (pull->peer == peer->id) {
            retire(s, pull);
        }
    }
}

/* The host is not asked to stop forwarding: the server stops in its process. */
void px_iof_subscriptions_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->unwanted)) {
        pull_destroy(s, px_container_of(s->unwanted.next, struct px_iof_subscription, link));
    }
    while (!px_list_empty(&s->pulls)) {
        struct px_iof_subscription *pull =
            px_container_of(s->pulls.next, struct px_iof_subscription, link);

        if (pull->sink) {
            px_sink_flush(pull->sink, pull->id);
        }
        pull_destroy(s, pull);
    }
}

/* --- output --- */

/* Channels are bits, of which the subscription may have several. */
bool px_iof_subscription_covers(struct px_iof_subscription *pull, const struct px_output *out)
{
    const pmix_proc_t any = {.rank = PMIX_RANK_WILDCARD};
    const pmix_proc_t unnamed = {.rank = out->source.rank};
    pmix_proc_t job = out->source;

    job.rank = PMIX_RANK_WILDCARD;
    return (pull->channel & out->channel) &&
           (px_proc_list_has(&pull->procs, &out->source) || px_proc_list_has(&pull->procs, &job) ||
            px_proc_list_has(&pull->procs, &any) || px_proc_list_has(&pull->procs, &unnamed));
}

/* Sends output to the peer of a subscription, with tag PX_TAG_IOF: PROC source, channel, SIZE with
 * the peer's number of the subscription, infos, BYTES. Output is lost if memory is out, or the peer
 * has disconnected or does not read; the end of a stream takes no room, and is not. */
static void send_output(struct px_server *s, const struct px_iof_subscription *pull,
                        const struct px_output *out)
{
    struct px_peer *peer = px_peer_find(s, pull->peer);
    struct px_buf buf = {0};

    if (!peer) {
        return;
    }
    (void) px_pack(&buf, peer->kind, PMIX_PROC, &out->source, 1);
    (void) px_pack(&buf, peer->kind, PMIX_IOF_CHANNEL, &out->channel, 1);
    (void) px_pack_size(&buf, peer->kind, pull->local_id);
    (void) px_pack_infos(&buf, peer->kind, out->info, out->ninfo);
    (void) px_pack_bytes(&buf, peer->kind, out->bytes ? out->bytes->bytes : NULL,
                         out->bytes ? out->bytes->size : 0);
    if (out->bytes && out->bytes->size) {
        px_peer_send_output(peer, &buf);
    } else {
        px_peer_send(peer, PX_TAG_IOF, &buf, -1);
    }
}

void px_iof_subscription_deliver(struct px_server *s, const struct px_iof_subscription *pull,
                                 const struct px_output *out)
{
    px_assert(px_loop_inside(s->loop));
    if (pull->peer) {
        send_output(s, pull, out);
    } else if (pull->sink) {
        px_sink_put(pull->sink, pull->id, out);
    }
}

/* The first subscription that covers the output among those numbered from `first` to `last`, or
 * NULL. Numbers rise along the list. */
static struct px_iof_subscription *find_covering(struct px_server *s, size_t first, size_t last,
                                                 const struct px_output *out)
{
    px_list_for(struct px_iof_subscription, pull, &s->pulls, link) {
        if (pull->id >= first && pull->id <= last && px_iof_subscription_covers(pull, out)) {
            return pull;
        }
    }
    return NULL;
}

/* A file could not be written: this process is told by an event. Loop thread. */
static void file_failed(void *arg, const pmix_proc_t *source)
{
    struct px_server *s = arg;

    px_events_raise(s->ctx->events, PMIX_ERR_IOF_FAILURE, &s->self, source);
}

/* What the host has registered of the process, else what its connection has shown. Loop thread. */
static void locate(void *arg, struct px_output_origin *origin)
{
    struct px_server *s = arg;
    const struct px_nspace *ns = px_nspace_find(s, origin->proc->nspace);
    const struct px_local_proc *proc = ns ? px_local_proc_find(ns, origin->proc->rank) : NULL;

    px_origin_read(ns ? ns->store : NULL, origin);
    if (proc && !origin->pid) {
        origin->pid = proc->pid;
    }
}

int px_output_sink(struct px_server *s, const pmix_info_t *info, size_t ninfo,
                   pmix_iof_cbfunc_t cbfunc, struct px_sink **ret)
{
    const struct px_sink_owner owner = {file_failed, locate, s};

    return px_sink_create(s->loop, info, ninfo, cbfunc, &owner, ret);
}

int px_output_local(struct px_server *s, const pmix_info_t *info, size_t ninfo)
{
    struct px_server_init_directives directives;
    int rc = px_server_init_read(info, ninfo, &directives);

    if (rc || directives.local_output == PX_SWITCH_OFF ||
        (directives.local_output == PX_SWITCH_UNSET && !s->launcher)) {
        return rc;
    }
    s->shows_all = directives.local_output == PX_SWITCH_ON;
    return px_output_sink(s, info, ninfo, NULL, &s->local_sink);
}

/* Delivers output to a subscription. To one that the host has not answered yet, kept output goes
 * first: px_iof_pull_answered would deliver it behind. */
static void deliver_in_order(struct px_server *s, const struct px_iof_subscription *pull,
                             const struct px_output *out)
{
    uint64_t peer = pull->peer;
    size_t id = pull->id;

    if (pull->asked) {
        px_outputs_deliver(s, peer, id, pull->asked->info, pull->asked->ninfo);
        pull = px_iof_subscription_find(s, peer, id);
    }
    if (pull) {
        px_iof_subscription_deliver(s, pull, out);
    }
}

/* Output is either delivered at once, to every subscription that covers it, or kept for the first
 * one that will. A delivery may add and drop any subscription: a callback of this process may, and
 * a peer that does not read is disconnected. So each is looked up after the one before. */
int px_output_deliver(struct px_server *s, void *args)
{
    struct px_output *out = args;
    size_t last = s->next_pull;
    const struct px_iof_subscription *pull = find_covering(s, 0, last, out);
    bool wanted = pull != NULL;

    px_assert(px_loop_inside(s->loop));
    while (pull) {
        size_t id = pull->id;

        deliver_in_order(s, pull, out);
        pull = find_covering(s, id + 1, last, out);
    }
    if (s->local_sink && (!wanted || s->shows_all)) {
        px_sink_put(s->local_sink, 0, out);
        wanted = true;
    }
    return wanted ? PMIX_SUCCESS : px_output_keep(s, out);
}

/* --- requests --- */

/* Refuses the request if its directives cannot be read. */
int px_iof_pull_prepare(struct px_upcall *up, struct px_peer *peer)
{
    const struct px_args *args = up->args;
    struct px_iof_pull_directives directives;

    (void) peer;
    return px_iof_pull_read(args->info, args->ninfo, &directives);
}

/* The subscription exists before the host is asked, since output may arrive before the host's
 * answer. up->reply.number, its id, is also how the answer finds it. Without iof_pull in the host's
 * module the request fails with PMIX_ERR_NOT_SUPPORTED. */
pmix_status_t px_iof_pull_call(struct px_upcall *up)
{
    const struct px_iof_pull_args *args = up->args;
    struct px_server *s = up->server;
    struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    struct px_iof_subscription *pull =
        px_iof_subscription_add(s, up->reply_to.peer, args->procs, args->nprocs, args->channel);
    size_t n = args->nprocs ? args->nprocs : 1;

    if (!pull) {
        return PMIX_ERR_NOMEM;
    }
    if (peer && px_holding_take(peer, PX_QUOTA_PULLS, n, &pull->holding)) {
        pull_destroy(s, pull);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    pull->local_id = args->id;
    pull->asked = &args->head;
    up->reply.number = pull->id;
    return s->host.iof_pull
               ? s->host.iof_pull(args->procs, args->nprocs, args->head.info, args->head.ninfo,
                                  args->channel, px_hostcb_op, px_upcall_handle(up))
               : PMIX_ERR_NOT_SUPPORTED;
}

/* The answer is sent before kept output, because it tells the client the subscription's number. A
 * refused subscription is dropped, and one whose peer has disconnected is dropped too. */
void px_iof_pull_answered(struct px_upcall *up)
{
    const struct px_args *args = up->args;
    struct px_server *s = up->server;
    uint64_t peer = up->reply_to.peer;
    struct px_iof_subscription *pull = px_iof_subscription_find(s, peer, up->reply.number);

    if (pull) {
        pull->asked = NULL;
    }
    px_upcall_answer(up);
    if (up->reply.status) {
        pull = px_iof_subscription_find(s, peer, up->reply.number);
        if (pull) {
            pull_destroy(s, pull);
        }
    } else if (!px_peer_find(s, peer)) {
        (void) px_iof_subscription_drop(s, peer, up->reply.number);
        px_iof_tell_unwanted(s);
    } else {
        px_outputs_deliver(s, peer, up->reply.number, args->info, args->ninfo);
    }
}

void px_iof_launched(struct px_server *s, struct px_peer *peer, const struct px_args *args,
                     const char *nspace)
{
    struct px_local_spawn_directives wants = px_local_spawn_absent();
    struct px_iof_subscription *pull;
    pmix_iof_channel_t channels;
    pmix_proc_t job;

    (void) px_local_spawn_read(args->info, args->ninfo, &wants); /* the host has judged them */
    channels = (wants.fwd_stdout != PX_SWITCH_OFF ? PMIX_FWD_STDOUT_CHANNEL : 0) |
               (wants.fwd_stderr != PX_SWITCH_OFF ? PMIX_FWD_STDERR_CHANNEL : 0);
    if (!peer->launcher || channels == 0) {
        return;
    }
    PMIX_LOAD_PROCID(&job, nspace, PMIX_RANK_WILDCARD);
    pull = px_iof_subscription_add(s, peer->id, &job, 1, channels);
    if (pull) {
        pull->of_launch = true;
        px_outputs_deliver(s, peer->id, pull->id, NULL, 0);
    }
}

/* The host was not asked for this output, and is not told. */
void px_iof_subscriptions_nspace_removed(struct px_server *s, const char *name)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_iof_subscription, pull, &s->pulls, link) {
        if (pull->of_launch && strcmp(pull->procs.at[0].nspace, name) == 0) {
            pull_destroy(s, pull);
        }
    }
}

/* The host is told as soon as no other subscription covers the output. */
pmix_status_t px_iof_deregister_call(struct px_upcall *up)
{
    const struct px_iof_deregister_args *args = up->args;
    int rc = px_iof_subscription_drop(up->server, up->reply_to.peer, args->id);

    px_iof_tell_unwanted(up->server);
    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}
