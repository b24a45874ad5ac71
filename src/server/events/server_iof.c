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
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/value/infos.h"
#include "src/context/context.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"
#include "src/event/chain.h"

/* How many ended subscriptions wait for others to end, and how many processes they name; the oldest
 * are forgotten. */
enum { MAX_UNWANTED = 256, MAX_UNWANTED_PROCS = 16384 };

/* Takes a subscription off the list of those in force. Those that have ended and waited for its end
 * are looked at again. */
static void take_off(struct px_server *s, struct px_iof_subscription *pull)
{
    px_list_remove(&pull->link);
    s->pull_changes++;
    px_list_for(struct px_iof_subscription, ended, &s->unwanted, link) {
        ended->wanted_by = ended->wanted_by == pull->id ? 0 : ended->wanted_by;
    }
}

/* Frees a subscription that is on no list. */
static void pull_free(struct px_server *s, struct px_iof_subscription *pull)
{
    px_holding_give(s, &pull->holding);
    px_sink_destroy(pull->sink);
    px_proc_list_fini(&pull->procs);
    free(pull);
}

/* Frees a subscription in force. */
static void pull_destroy(struct px_server *s, struct px_iof_subscription *pull)
{
    take_off(s, pull);
    pull_free(s, pull);
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
    s->pull_changes++;
    px_list_append(&s->pulls, &pull->link);
    return pull;
}

/* --- output without a subscription --- */

/* True if both cover the same output. */
static bool same_output(const struct px_iof_subscription *a, const struct px_iof_subscription *b)
{
    return a->channel == b->channel &&
           px_procs_equal(a->procs.at, a->procs.n, b->procs.at, b->procs.n);
}

/* Forgets ended subscriptions, the oldest first, until there is room for one more of n processes.
 */
static void forget_unwanted(struct px_server *s, size_t n)
{
    size_t n_ended = 1;

    px_list_for(const struct px_iof_subscription, ended, &s->unwanted, link) {
        n_ended++;
        n += ended->procs.n;
    }
    while (n_ended > 1 && (n_ended > MAX_UNWANTED || n > MAX_UNWANTED_PROCS)) {
        struct px_list *oldest = px_list_shift(&s->unwanted);
        struct px_iof_subscription *ended =
            px_container_of(oldest, struct px_iof_subscription, link);

        n_ended--;
        n -= ended->procs.n;
        pull_free(s, ended);
    }
}

/* Ends a subscription. One of a peer is kept aside until the host has been told, once for each
 * output, and counts for the peer no more; the host need not be told of one of this process, nor at
 * the server's end. */
static void retire(struct px_server *s, struct px_iof_subscription *pull)
{
    if (!pull->peer || !s->host.iof_pull || s->stopping) {
        pull_destroy(s, pull);
        return;
    }
    px_list_for(const struct px_iof_subscription, other, &s->unwanted, link) {
        if (same_output(other, pull)) {
            pull_destroy(s, pull);
            return;
        }
    }
    forget_unwanted(s, pull->procs.n);
    take_off(s, pull);
    px_holding_give(s, &pull->holding);
    pull->asked = NULL;
    px_list_append(&s->unwanted, &pull->link);
}

/* The host's answer changes nothing. */
static void stop_answered(struct px_upcall *up)
{
    (void) up;
}

/* Asks the host to stop the output of a subscription that is on no list, and frees that. Without
 * memory the host goes on. */
static void stop_output(struct px_server *s, struct px_iof_subscription *pull)
{
    struct px_upcall *up = px_upcall_create_for(s, &px_request_iof_pull, NULL, NULL, stop_answered);
    struct px_iof_pull_args *args = up ? up->args : NULL;
    bool yes = true;

    if (!up ||
        px_infos_append(&args->head.info, &args->head.ninfo, PMIX_IOF_STOP, &yes, PMIX_BOOL)) {
        px_upcall_destroy(up);
        pull_free(s, pull);
        return;
    }
    args->nprocs = pull->procs.n;
    args->procs = px_proc_list_take(&pull->procs);
    args->channel = pull->channel;
    pull_free(s, pull);
    px_upcall_returned(up, s->host.iof_pull(args->procs, args->nprocs, args->head.info,
                                            args->head.ninfo, args->channel, px_hostcb_op,
                                            px_upcall_handle(up)));
}

/* Calls fn for each process of a subscription on each of its channels, a bit. Stops at the first
 * result that is not 0, and returns it. */
static int each_source(const struct px_iof_subscription *pull,
                       int (*fn)(void *arg, unsigned char channel, const pmix_proc_t *proc),
                       void *arg)
{
    int rc = 0;

    for (unsigned bit = PMIX_FWD_STDIN_CHANNEL; bit <= PMIX_FWD_STDDIAG_CHANNEL; bit <<= 1) {
        for (size_t i = 0; (pull->channel & bit) && !rc && i < pull->procs.n; i++) {
            rc = fn(arg, (unsigned char) bit, &pull->procs.at[i]);
        }
    }
    return rc;
}

/* The subscriptions in force by channel and process, and one of them. */
struct in_force {
    struct px_proc_index index;
    struct px_iof_subscription *pull;
};

static int enter(void *arg, unsigned char channel, const pmix_proc_t *proc)
{
    struct in_force *in_force = arg;

    return px_proc_index_add(&in_force->index, channel, proc, in_force->pull);
}

/* Finds a subscription that covers some of this output. */
static int find(void *arg, unsigned char channel, const pmix_proc_t *proc)
{
    struct in_force *in_force = arg;

    in_force->pull = px_proc_index_find(&in_force->index, channel, proc);
    return in_force->pull != NULL;
}

/* Notes for ended subscriptions which one in force covers some of their output. Without memory all
 * count as covered, until the last one ends. */
static void note_covered(struct px_server *s)
{
    struct in_force in_force = {.pull = NULL};
    struct px_iof_subscription *last = NULL;
    int rc = PMIX_SUCCESS;

    px_list_for(struct px_iof_subscription, pull, &s->pulls, link) {
        in_force.pull = last = pull;
        rc = rc ? rc : each_source(pull, enter, &in_force);
    }
    px_list_for(struct px_iof_subscription, ended, &s->unwanted, link) {
        if (!ended->wanted_by && rc) {
            ended->wanted_by = last->id;
        } else if (!ended->wanted_by && each_source(ended, find, &in_force)) {
            ended->wanted_by = in_force.pull->id;
        }
    }
    px_proc_index_fini(&in_force.index);
}

/* The first ended subscription that no other is known to cover; NULL: none. */
static struct px_iof_subscription *first_unwanted(const struct px_server *s)
{
    px_list_for(struct px_iof_subscription, ended, &s->unwanted, link) {
        if (!ended->wanted_by) {
            return ended;
        }
    }
    return NULL;
}

/* The host may change the lists when it is told: then it is looked anew who is covered. */
void px_iof_tell_unwanted(struct px_server *s)
{
    struct px_iof_subscription *ended = first_unwanted(s);
    bool known = false;
    size_t changes = 0;

    px_assert(px_loop_inside(s->loop));
    while (ended && !s->stopping) {
        if (!known || s->pull_changes != changes) {
            note_covered(s);
            known = true;
            changes = s->pull_changes;
        } else {
            px_list_remove(&ended->link);
            stop_output(s, ended);
        }
        ended = first_unwanted(s);
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
        pull_free(s,
                  px_container_of(px_list_shift(&s->unwanted), struct px_iof_subscription, link));
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
bool px_iof_subscription_covers(struct px_server *s, struct px_iof_subscription *pull,
                                const struct px_output *out)
{
    const pmix_proc_t any = {.rank = PMIX_RANK_WILDCARD};
    const pmix_proc_t unnamed = {.rank = out->source.rank};
    pmix_proc_t job = out->source;

    job.rank = PMIX_RANK_WILDCARD;
    return (pull->channel & out->channel) &&
           (px_proc_list_has(&pull->procs, &out->source) || px_proc_list_has(&pull->procs, &job) ||
            px_proc_list_has(&pull->procs, &any) || px_proc_list_has(&pull->procs, &unnamed)) &&
           (!pull->asked || px_access_output(s, px_peer_find(s, pull->peer), &out->source));
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

/* A walk over the subscriptions that cover an output, while others come and go. Numbers rise along
 * the list. */
struct cover_walk {
    struct px_list *at; /* the link that was reached, as long as no subscription has gone or come */
    size_t changes;     /* s->pull_changes then */
    size_t reached;     /* the number of the last one */
    size_t last;        /* later ones are passed over */
};

/* The next subscription that covers the output, or NULL. */
static struct px_iof_subscription *next_covering(struct px_server *s, struct cover_walk *walk,
                                                 const struct px_output *out)
{
    struct px_list *at = walk->changes == s->pull_changes ? walk->at->next : s->pulls.next;

    for (; at != &s->pulls; at = at->next) {
        struct px_iof_subscription *pull = px_container_of(at, struct px_iof_subscription, link);

        if (pull->id > walk->reached && pull->id <= walk->last &&
            px_iof_subscription_covers(s, pull, out)) {
            walk->at = at;
            walk->changes = s->pull_changes;
            walk->reached = pull->id;
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
    size_t changes = s->pull_changes;

    if (pull->asked) {
        px_outputs_deliver(s, peer, id, pull->asked->info, pull->asked->ninfo);
        pull = changes == s->pull_changes ? pull : px_iof_subscription_find(s, peer, id);
    }
    if (pull) {
        px_iof_subscription_deliver(s, pull, out);
    }
}

/* Output is either delivered at once, to every subscription that covers it, or kept for the first
 * one that will. A delivery may add and drop any subscription: a callback of this process may, and
 * a peer that does not read is disconnected. Then the next one is looked for from the first one on.
 */
int px_output_deliver(struct px_server *s, void *args)
{
    struct px_output *out = args;
    struct cover_walk walk = {&s->pulls, s->pull_changes, 0, s->next_pull};
    const struct px_iof_subscription *pull = next_covering(s, &walk, out);
    bool wanted = pull != NULL;

    px_assert(px_loop_inside(s->loop));
    while (pull) {
        deliver_in_order(s, pull, out);
        pull = next_covering(s, &walk, out);
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
    size_t n = args->nprocs ? args->nprocs : 1;
    struct px_holding holding = {0};
    struct px_iof_subscription *pull;

    if (peer && px_holding_take(peer, PX_QUOTA_PULLS, n, &holding)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    pull = px_iof_subscription_add(s, up->reply_to.peer, args->procs, args->nprocs, args->channel);
    if (!pull) {
        px_holding_give(s, &holding);
        return PMIX_ERR_NOMEM;
    }
    pull->holding = holding;
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
            px_iof_tell_unwanted(s);
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
