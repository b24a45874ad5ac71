/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events on their way through the server: from a client, the host or this library to local clients,
 * to the host and to the event handlers of this process. Events are also kept for clients that
 * register later (kept_events.h).
 *
 * An event of a client does not reach default handlers of this process: hosts register a default
 * handler to learn of lost connections, and treat every event that it gets as the end of the job.
 * Loop thread. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "server_events.h"
#include "passed_events.h"
#include "termination.h"
#include "src/server/collectives/invited_group.h"
#include "src/server/requests/host_upcall.h"
#include "src/base/param.h"
#include "src/event/registry.h"
#include "src/context/context.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "src/nspace/proc_sets.h"
#include "src/server/collectives/group_decision.h"
#include "src/server/collectives/group_leave.h"
#include "src/server/collectives/group_losses.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/access.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/net/conn_write.h"
#include "src/value/infos.h"
#include "src/event/chain.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/base/log.h"

/* --- the audience --- */

/* True if an event of this code takes a process out of a group. */
static bool changes_group(pmix_status_t code)
{
    return code == PMIX_GROUP_LEFT || code == PMIX_GROUP_MEMBER_FAILED;
}

/* True if the event is not for default handlers. */
static bool is_non_default(const struct px_event *event)
{
    return px_infos_flag(event->info, event->ninfo, PMIX_EVENT_NON_DEFAULT);
}

/* True if the peer has registered for this code, or for all; one that is not for default handlers
 * waits for a handler of its code (replay_kept). A client of this library is sent some
 * unasked: it refuses acceptances of invitations that are over or were never made, answers those
 * who look for a new leader, and keeps the members of its groups. */
static bool wants(const struct px_peer *peer, const struct px_event *event)
{
    pmix_status_t code = event->code;

    return px_code_set_has(&peer->codes, code) || (peer->wants_all && !is_non_default(event)) ||
           (peer->ours && (code == PMIX_GROUP_INVITE_ACCEPTED || code == PMIX_GROUP_LEADER_FAILED ||
                           changes_group(code)));
}

/* Whom an event is for. */
struct audience {
    const struct px_event *event;
    struct px_procs range; /* of PMIX_RANGE_CUSTOM: what PMIX_EVENT_CUSTOM_RANGE names; groups are
                              spelled out */
    struct px_proc_list named; /* those of a long range who may be here */
    bool listed;               /* `named` stands for the range */
    struct px_raiser by;
    const struct px_peer *judged; /* the peer that was asked last whether it may have the event */
    bool may;
    bool looked; /* at whether the range reaches beyond this server */
    bool beyond; /* it names one of a namespace that this server does not have */
};

/* The range of an event. One of another type names no process. */
static struct px_procs range_of(const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_procs range = {NULL, 0};

    if (value && event->range == PMIX_RANGE_CUSTOM) {
        (void) px_value_procs(value, &range); /* a value of another type: none */
    }
    return range;
}

/* Enters the namespaces of peers that are no registered processes. 0 or PMIX_ERR_NOMEM. */
static int list_tools(const struct px_server *s, struct px_map *tools)
{
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        const char *name = peer->proc.nspace;

        if (!peer->rank && px_map_set(tools, name, strnlen(name, PMIX_MAX_NSLEN), peer)) {
            return PMIX_ERR_NOMEM;
        }
    }
    return PMIX_SUCCESS;
}

/* What a server has of a namespace. */
struct known {
    const struct px_nspace *ns; /* NULL: it does not have it */
    bool is_own;                /* the server's own */
    bool has_tools;
};

static struct known look_up(struct px_server *s, const struct px_map *tools, const char *nspace)
{
    return (struct known){
        .ns = px_nspace_find(s, nspace),
        .is_own = strncmp(nspace, s->self.nspace, PMIX_MAX_NSLEN) == 0,
        .has_tools = px_map_find(tools, nspace, strnlen(nspace, PMIX_MAX_NSLEN)) != NULL,
    };
}

/* True if somebody of this rank may be here. */
static bool may_be_here(const struct px_server *s, const struct known *known, pmix_rank_t rank)
{
    bool any = rank == PMIX_RANK_WILDCARD;

    return (known->ns && (any || px_local_proc_find(known->ns, rank))) ||
           (known->is_own && (any || rank == s->self.rank)) || known->has_tools;
}

/* Fills `named` of a long range. 0 or PMIX_ERR_NOMEM. */
static int list_named(struct px_server *s, const struct px_map *tools, struct audience *to)
{
    const pmix_proc_t *procs = to->range.at;
    struct known known = {0};
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < to->range.n; i++) {
        if (!i || strncmp(procs[i].nspace, procs[i - 1].nspace, PMIX_MAX_NSLEN) != 0) {
            known = look_up(s, tools, procs[i].nspace);
        }
        if (may_be_here(s, &known, procs[i].rank)) {
            rc = px_proc_list_add(&to->named, &procs[i]);
        }
    }
    return rc;
}

/* Longer ranges are not searched for each process. */
enum { SHORT_RANGE = 16 };

/* Makes the audience of an event for many, so that to look whether a process belongs to it takes no
 * longer the more are named. Without memory a long range is empty. To be ended with
 * audience_fini. */
static void audience_init(struct px_server *s, struct audience *to, const struct px_event *event,
                          struct px_raiser by)
{
    struct px_map tools = {0};
    int rc;

    *to = (struct audience){.event = event, .by = by, .range = range_of(event)};
    to->listed = to->range.n > SHORT_RANGE;
    rc = to->listed ? list_tools(s, &tools) : PMIX_SUCCESS;
    rc = rc || !to->listed ? rc : list_named(s, &tools, to);
    if (rc) {
        px_proc_list_fini(&to->named);
    }
    px_map_fini(&tools);
}

static void audience_fini(struct audience *to)
{
    px_proc_list_fini(&to->named);
}

/* True if a custom range names the process or its namespace. */
static bool is_named(struct audience *to, const pmix_proc_t *proc)
{
    pmix_proc_t job;

    if (!to->listed) {
        return px_procs_cover(to->range.at, to->range.n, proc);
    }
    PMIX_LOAD_PROCID(&job, proc->nspace, PMIX_RANK_WILDCARD);
    return px_proc_list_has(&to->named, proc) || px_proc_list_has(&to->named, &job);
}

/* True if a custom range names one of a namespace that this server does not have. */
static bool reaches_beyond(struct px_server *s, struct audience *to)
{
    for (size_t i = 0; !to->looked && !to->beyond && i < to->range.n; i++) {
        to->beyond = !px_nspace_find(s, to->range.at[i].nspace);
    }
    to->looked = true;
    return to->beyond;
}

/* True if the event's range includes the process. Ranges that reach beyond this server's clients
 * (session, global, local) include all of them. Events for the resource manager or for the process
 * that raised them (PMIX_RANGE_RM, PMIX_RANGE_PROC_LOCAL) are for no peer. */
static bool is_for(struct audience *to, const pmix_proc_t *proc)
{
    switch (to->event->range) {
    case PMIX_RANGE_RM:
    case PMIX_RANGE_PROC_LOCAL:
        return false;
    case PMIX_RANGE_NAMESPACE:
        return strncmp(to->event->source.nspace, proc->nspace, PMIX_MAX_NSLEN) == 0;
    case PMIX_RANGE_CUSTOM:
        return is_named(to, proc);
    default:
        return true;
    }
}

/* True if the peer may have what the user has raised. What holds for one peer holds for the next
 * one of its job and user: to find it may take a walk over all groups. */
static bool may_have(const struct px_server *s, struct audience *to, const struct px_peer *peer)
{
    const struct px_peer *last = to->judged;

    if (!last || last->uid != peer->uid ||
        strncmp(last->proc.nspace, peer->proc.nspace, PMIX_MAX_NSLEN) != 0) {
        to->may = px_access_event(s, peer, to->by.user, to->event->source.nspace);
        to->judged = peer;
    }
    return to->may;
}

/* True if the peer is among them, and may have what the user has raised. What names processes of
 * others is for launchers, too: they may be theirs. */
static bool is_for_peer(struct px_server *s, struct audience *to, const struct px_peer *peer)
{
    return (is_for(to, &peer->proc) || (peer->launcher && reaches_beyond(s, to))) &&
           (!to->by.client || may_have(s, to, peer));
}

/* --- sending --- */

/* Packs an event as PX_CMD_NOTIFY. live: not a kept one; only then the range is sent with it. The
 * buffer has the status of a failure. */
static struct px_buf pack_event(enum px_wire_kind kind, const struct px_event *event, bool live)
{
    struct px_buf buf = {0};
    pmix_info_t *infos = calloc(event->ninfo + 1, sizeof(*infos)); /* the values are borrowed */

    if (infos) {
        if (event->ninfo) {
            memcpy(infos, event->info, event->ninfo * sizeof(*infos));
        }
        PMIx_Info_load(&infos[event->ninfo], PX_KEY_FROM_SERVER, NULL, PMIX_BOOL);
    }
    (void) px_buf_fail(&buf, infos ? PMIX_SUCCESS : PMIX_ERR_NOMEM);
    (void) px_pack_command(&buf, kind, PX_CMD_NOTIFY);
    (void) px_pack_status(&buf, kind, event->code);
    (void) px_pack(&buf, kind, PMIX_PROC, &event->source, 1);
    (void) px_pack_infos(&buf, kind, infos, event->ninfo + 1);
    if (live) {
        (void) px_pack(&buf, kind, PMIX_DATA_RANGE, &event->range, 1);
    }
    free(infos);
    return buf;
}

/* An event as its peers are sent it, in each encoding that one of them has had: for all of them
 * there is one copy. Zeros: none yet. */
struct packed {
    struct px_parcel *of[PX_WIRE_DESCRIBED + 1];
};

static void packed_fini(struct packed *packed)
{
    for (int kind = 0; kind <= PX_WIRE_DESCRIBED; kind++) {
        px_parcel_drop(packed->of[kind]);
    }
}

/* Sends an event to a peer that reads: another one may lose it. Without memory it is not sent. */
static void send_event(struct px_peer *peer, const struct px_event *event, struct packed *packed,
                       bool live, bool trusted)
{
    struct px_parcel **payload = &packed->of[peer->kind];

    if (!*payload) {
        struct px_buf buf = pack_event(peer->kind, event, live);

        *payload = px_parcel_take(&buf);
    }
    if (*payload) {
        px_peer_send_event(peer, *payload, trusted);
    }
}

/* The same for one peer. */
static void send_alone(struct px_peer *peer, const struct px_event *event, bool live, bool trusted)
{
    struct packed packed = {{NULL}};

    send_event(peer, event, &packed, live, trusted);
    packed_fini(&packed);
}

void px_event_tell(struct px_peer *peer, const struct px_event *event)
{
    if (peer->conn && !peer->finalized && (peer->ours || wants(peer, event))) {
        send_alone(peer, event, true, true);
    }
}

/* Without memory the peer is told the next time. */
void px_event_tell_lost(struct px_peer *peer)
{
    struct px_event event = {
        .code = PMIX_ERR_OUT_OF_RESOURCE, .source = peer->server->self, .range = PMIX_RANGE_CUSTOM};
    pmix_info_t *infos = NULL;
    size_t n = 0;
    bool yes = true;
    int rc = px_infos_append(&infos, &n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);

    px_assert(px_loop_inside(peer->server->loop));
    rc = rc ? rc : px_infos_append(&infos, &n, PMIX_EVENT_CUSTOM_RANGE, &peer->proc, PMIX_PROC);
    if (!rc && peer->lost_events) {
        rc = px_infos_append(&infos, &n, PX_KEY_LOST_EVENTS, &peer->lost_events, PMIX_UINT64);
    }
    if (!rc && peer->lost_output) {
        rc = px_infos_append(&infos, &n, PX_KEY_LOST_OUTPUT, &peer->lost_output, PMIX_UINT64);
    }
    event.info = infos;
    event.ninfo = n;
    if (!rc && wants(peer, &event)) {
        struct px_buf buf;

        buf = pack_event(peer->kind, &event, true);
        px_peer_send(peer, PX_TAG_NOTIFY, &buf, -1);
    }
    if (!rc) {
        peer->lost_events = 0;
        peer->lost_output = 0;
    }
    PMIx_Info_free(infos, n);
}

/* --- spreading --- */

/* Delivers an event to the handlers of this process, if it is in the range. An event of a client
 * gets PMIX_EVENT_NON_DEFAULT, except if it is for the resource manager alone (PMIX_RANGE_RM).
 * px_events_deliver copies the event. */
static void to_own_handlers(struct px_server *s, struct audience *to, enum px_origin origin)
{
    const struct px_event *event = to->event;
    struct px_event own = *event;
    pmix_info_t *infos = NULL;
    size_t n = event->ninfo;
    bool yes = true;
    bool own_alone = event->range == PMIX_RANGE_PROC_LOCAL && origin == PX_ORIGIN_HOST;
    bool meant = event->range == PMIX_RANGE_RM || own_alone || is_for(to, &s->self);

    if (!meant || !px_events_wanted(s->ctx->events, event->code) ||
        px_infos_copy(event->info, n, &infos)) {
        return;
    }
    if (!to->by.client || event->range == PMIX_RANGE_RM ||
        !px_infos_append(&infos, &n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL)) {
        own.info = infos;
        own.ninfo = n;
        (void) px_events_deliver(s->ctx->events, &own, NULL, NULL);
    }
    PMIx_Info_free(infos, n);
}

/* Passes an event of a client to the host's notify_event, unless its range ends at this node. The
 * host's status is not needed. Without memory for the upcall the host does not learn of the event.
 */
void px_event_to_host(struct px_server *s, const struct px_event *event)
{
    struct px_upcall *up;

    if (!s->host.notify_event || event->range == PMIX_RANGE_LOCAL ||
        event->range == PMIX_RANGE_PROC_LOCAL ||
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_STAYS_LOCAL)) {
        return;
    }
    up = px_upcall_create(s, NULL, &event->source, px_done_status);
    if (!up || px_infos_copy(event->info, event->ninfo, &up->info)) {
        px_upcall_destroy(up);
        return;
    }
    up->ninfo = up->info ? event->ninfo : 0;
    px_upcall_returned(up, s->host.notify_event(event->code, &up->proc, event->range, up->info,
                                                up->ninfo, px_hostcb_op, px_upcall_handle(up)));
}

/* The user of the job that an event comes from; -1: not known. */
static uid_t user_of(struct px_server *s, const struct px_event *event)
{
    const struct px_nspace *ns = px_nspace_find(s, event->source.nspace);

    return ns && ns->owned ? ns->uid : (uid_t) -1;
}

/* True if a launcher has passed the event on to the peer, or will: the peer is the server above. */
static bool has_it(struct px_server *s, const struct px_event *event, bool goes_up,
                   const struct px_peer *peer)
{
    return s->above && ((goes_up && s->above->is_named(s->ctx, &peer->proc)) ||
                        px_event_had_by(event->info, event->ninfo, &peer->proc));
}

/* Peers that have finalized get no events any more. */
static void to_peers(struct px_server *s, struct audience *to, const struct px_peer *except,
                     bool trusted, bool goes_up)
{
    const struct px_event *event = to->event;
    struct packed packed = {{NULL}};
    unsigned n = 0;

    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer != except && peer->conn && !peer->finalized && wants(peer, event) &&
            is_for_peer(s, to, peer) && !has_it(s, event, goes_up, peer)) {
            send_event(peer, event, &packed, true, trusted);
            n++;
        }
    }
    packed_fini(&packed);
    px_log(PX_LOG_EVENT, 2, "event %s of %s:%u goes to %u peers", PMIx_Error_string(event->code),
           event->source.nspace, event->source.rank, n);
    px_event_keep(s, event, to->by);
}

void px_event_to_peers(struct px_server *s, const struct px_event *event, struct px_raiser by)
{
    struct audience to;

    px_assert(px_loop_inside(s->loop));
    audience_init(s, &to, event, by);
    to_peers(s, &to, NULL, false, false);
    audience_fini(&to);
}

/* Tells a process of an event that its monitor has raised in its name. The server is the source of
 * this copy: a client drops events of which it is the source. */
static void to_monitored(struct px_server *s, struct audience *to, const struct px_peer *by)
{
    struct px_peer *peer = px_peer_find(s, by->id);
    struct px_event event = *to->event;

    event.source = s->self;
    if (peer && peer->conn && !peer->finalized && wants(peer, &event) && is_for_peer(s, to, peer)) {
        send_alone(peer, &event, true, true);
    }
}

/* The order is: peers, kept events, own handlers, host. Who leaves a group has left it before
 * anybody is told. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *by)
{
    struct px_raiser raiser = {origin == PX_ORIGIN_CLIENT || origin == PX_ORIGIN_MONITOR,
                               by ? by->uid : user_of(s, event)};
    bool left = changes_group(event->code) && px_group_left(s, event, raiser.client);
    bool up = raiser.client && px_event_goes_up(s, event);
    struct audience to;

    px_assert(px_loop_inside(s->loop));
    px_invited_group_event(s, event);
    audience_init(s, &to, event, raiser);
    to_peers(s, &to, by, origin != PX_ORIGIN_CLIENT, up);
    if (origin == PX_ORIGIN_MONITOR && by) {
        to_monitored(s, &to, by);
    }
    to_own_handlers(s, &to, origin);
    audience_fini(&to);
    if (raiser.client) {
        px_event_to_host(s, event);
    }
    if (up) {
        px_event_pass_up(s, event, by);
    }
    if (left) {
        px_group_announce(s, event);
    }
    return PMIX_SUCCESS;
}

/* The event is for those who are members of a group now, also when it is kept. */
pmix_status_t px_notify_call(struct px_upcall *up)
{
    const struct px_notify_args *args = up->args;
    const pmix_proc_t *source = up->reply_to.peer ? &up->proc : &args->source;
    pmix_info_t *range = PX_BORROWED(
        px_infos_next(args->head.info, args->head.ninfo, NULL, PMIX_EVENT_CUSTOM_RANGE));
    const struct px_list *sets = &up->server->proc_sets;
    int rc = range && !px_list_empty(sets) ? px_proc_sets_spell(sets, source, range) : PMIX_SUCCESS;

    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}

void px_event_of_host(struct px_server *s, const struct px_event *event)
{
    if (px_group_announced(s, event)) {
        return;
    }
    px_termination_drain(s, event);
    (void) px_event_fan_out(s, event, PX_ORIGIN_HOST, NULL);
    px_termination_event(s, event);
}

/* A peer is answered before the event is delivered to others; a call of this process is answered
 * after it. */
void px_notify_answered(struct px_upcall *up)
{
    const struct px_notify_args *args = up->args;
    const struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    struct px_event event = {
        .code = args->code,
        .source = peer ? px_event_source(up->server, peer, args->head.info, args->head.ninfo)
                  : up->reply_to.peer ? up->proc
                                      : args->source,
        .range = args->range,
        .info = args->head.info,
        .ninfo = args->head.ninfo,
    };

    if (up->reply.status < 0) {
        px_upcall_answer(up);
        return;
    }
    if (up->reply_to.peer) {
        px_upcall_answer(up);
        if (up->server->above && px_event_had_by(event.info, event.ninfo, &up->server->self)) {
            return; /* it has come round */
        }
        if (!peer || !px_group_decision_said(up->server, peer, &event)) {
            (void) px_event_fan_out(up->server, &event, PX_ORIGIN_CLIENT, peer);
        }
        return;
    }
    px_event_of_host(up->server, &event);
    px_upcall_answer(up);
}

/* --- kept events --- */

/* True if a kept event was for the peer, too. */
static bool was_for(struct px_server *s, const struct px_kept_event *kept,
                    const struct px_peer *peer)
{
    struct audience to = {.event = &kept->event, .by = kept->by, .range = range_of(&kept->event)};

    return is_for_peer(s, &to, peer);
}

/* Sends a peer the kept events for codes that it has newly registered for (NULL: for any code),
 * except those that it raised itself (one of its whole job is the host's), and, if its default
 * handlers have had them, those that are for default handlers, too. They stay in the cache for
 * others. */
static void replay_kept(struct px_server *s, struct px_peer *peer, const struct px_code_set *codes,
                        bool had_default)
{
    px_list_for(const struct px_kept_event, kept, &s->kept_events, link) {
        const struct px_event *event = &kept->event;

        if ((!codes || px_code_set_has(codes, event->code)) &&
            (!had_default || is_non_default(event)) && !px_group_is_announcement(event) &&
            was_for(s, kept, peer) && !px_proc_equal(&event->source, &peer->proc)) {
            send_alone(peer, event, false, !kept->by.client);
        }
    }
}

/* The answer is sent before kept events, since the client calls its handlers only once they are
 * acknowledged. A host that answers PMIX_ERR_NOT_SUPPORTED does not prevent the delivery of local
 * events: the registration succeeds, unless it requires a directive that only the host can honour.
 */
void px_codes_registered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    const struct px_codes_args *args = up->args;
    const struct px_code_set added = {args->codes, args->ncodes};
    int rc = up->reply.status;

    if (rc == PMIX_ERR_NOT_SUPPORTED && px_directives_met(&px_call_handler, px_upcall_levels(up),
                                                          args->head.info, args->head.ninfo)) {
        rc = PMIX_SUCCESS;
    }
    px_answer_status(up->server, &up->reply_to, rc);
    if (peer && !rc && args->replay) {
        replay_kept(up->server, peer, added.n ? &added : NULL, args->had_default);
    }
}

void px_event_report_loss(struct px_server *s, const pmix_proc_t *proc)
{
    px_assert(px_loop_inside(s->loop));
    px_events_raise(s->ctx->events, PMIX_ERR_LOST_CONNECTION, proc, proc);
}
