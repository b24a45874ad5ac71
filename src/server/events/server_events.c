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
#include "audience.h"
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
#include "src/base/lent.h"
#include "src/net/conn_write.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/event/shared_infos.h"
#include "src/event/chain.h"
#include "src/event/process_end.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/base/log.h"

/* --- who wants it --- */

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
 * (non_default) waits for a handler of its code (replay_kept). A client of this library is sent
 * some unasked: it refuses acceptances of invitations that are over or were never made, answers
 * those who look for a new leader, and keeps the members of its groups. */
static bool wants(const struct px_peer *peer, const struct px_event *event, bool non_default)
{
    pmix_status_t code = event->code;

    return px_code_set_has(&peer->codes, code) || (peer->wants_all && !non_default) ||
           (peer->ours && (code == PMIX_GROUP_INVITE_ACCEPTED || code == PMIX_GROUP_LEADER_FAILED ||
                           changes_group(code)));
}

/* --- sending --- */

/* Packs an event as PX_CMD_NOTIFY. live: not a kept one; only then the range is sent with it. The
 * buffer has the status of a failure. `lent` takes a large value, or is NULL. */
static struct px_buf pack_event(enum px_wire_kind kind, const struct px_event *event, bool live,
                                struct px_lent *lent)
{
    struct px_buf buf = {.lent = lent};
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

static void drop_infos(void *shared)
{
    px_shared_infos_drop(shared);
}

/* The bytes of an event for peers, to which those that share its infos lend a large value. NULL:
 * memory is out. */
static struct px_parcel *parcel_of(enum px_wire_kind kind, const struct px_event *event, bool live)
{
    struct px_lent lent = {0};
    struct px_buf buf = pack_event(kind, event, live, event->shared ? &lent : NULL);
    struct px_parcel *parcel = px_parcel_take(&buf, drop_infos, event->shared);

    if (parcel && lent.len) {
        (void) px_shared_infos_hold(event->shared);
    }
    return parcel;
}

/* Sends an event to a peer that reads: another one may lose it. Without memory it is not sent.
 * False: it is lost, or not sent. */
static bool send_event(struct px_peer *peer, const struct px_event *event, struct packed *packed,
                       bool live, bool trusted)
{
    struct px_parcel **payload = &packed->of[peer->kind];

    if (!*payload) {
        *payload = parcel_of(peer->kind, event, live);
    }
    return *payload && px_peer_send_event(peer, *payload, trusted);
}

/* The same for one peer. */
static bool send_alone(struct px_peer *peer, const struct px_event *event, bool live, bool trusted)
{
    struct packed packed = {{NULL}};
    bool sent = send_event(peer, event, &packed, live, trusted);

    packed_fini(&packed);
    return sent;
}

bool px_event_tell(struct px_peer *peer, const struct px_event *event)
{
    return peer->conn && !peer->finalized &&
           (peer->ours || wants(peer, event, is_non_default(event))) &&
           send_alone(peer, event, true, true);
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
    if (!rc && wants(peer, &event, is_non_default(&event))) {
        struct px_buf buf;

        buf = pack_event(peer->kind, &event, true, NULL);
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
static void to_own_handlers(struct px_server *s, struct px_audience *to, enum px_origin origin)
{
    const struct px_event *event = to->event;
    struct px_event own = *event;
    pmix_info_t *infos = NULL;
    size_t n = event->ninfo;
    bool yes = true;
    bool own_alone = event->range == PMIX_RANGE_PROC_LOCAL && origin == PX_ORIGIN_HOST;
    bool meant = event->range == PMIX_RANGE_RM || own_alone || px_audience_has(to, &s->self);

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
    struct px_event own;
    struct px_upcall *up;

    if (!s->host.notify_event || event->range == PMIX_RANGE_LOCAL ||
        event->range == PMIX_RANGE_PROC_LOCAL ||
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_STAYS_LOCAL)) {
        return;
    }
    up = px_upcall_create(s, NULL, &event->source, px_done_status);
    if (!up || px_event_share(event, &own)) {
        px_upcall_destroy(up);
        return;
    }
    up->shared = own.shared;
    px_upcall_returned(up,
                       s->host.notify_event(event->code, &up->proc, event->range, up->shared->at,
                                            up->shared->n, px_hostcb_op, px_upcall_handle(up)));
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
static void to_peers(struct px_server *s, struct px_audience *to, const struct px_peer *except,
                     bool trusted, bool goes_up)
{
    const struct px_event *event = to->event;
    struct packed packed = {{NULL}};
    bool non_default = is_non_default(event);
    unsigned n = 0;

    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer != except && peer->conn && !peer->finalized && wants(peer, event, non_default) &&
            px_audience_has_peer(s, to, peer) && !has_it(s, event, goes_up, peer)) {
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
    struct px_audience to;

    px_assert(px_loop_inside(s->loop));
    px_audience_init(s, &to, event, by, NULL);
    to_peers(s, &to, NULL, false, false);
    px_audience_fini(&to);
}

/* Tells a process of an event that its monitor has raised in its name. The server is the source of
 * this copy: a client drops events of which it is the source. */
static void to_monitored(struct px_server *s, struct px_audience *to, const struct px_peer *by)
{
    struct px_peer *peer = px_peer_find(s, by->id);
    struct px_event event = *to->event;

    event.source = s->self;
    if (peer && peer->conn && !peer->finalized && wants(peer, &event, is_non_default(&event)) &&
        px_audience_has_peer(s, to, peer)) {
        send_alone(peer, &event, true, true);
    }
}

/* The order is: peers, kept events, own handlers, host. Who leaves a group has left it before
 * anybody is told. ahead: see px_audience_init. */
static void fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                    const struct px_peer *by, struct px_named *ahead)
{
    struct px_raiser raiser = {origin == PX_ORIGIN_CLIENT || origin == PX_ORIGIN_MONITOR,
                               by ? by->uid : user_of(s, event)};
    bool left = changes_group(event->code) && px_group_left(s, event, raiser.client, by);
    bool up = raiser.client && px_event_goes_up(s, event);
    struct px_audience to;

    px_assert(px_loop_inside(s->loop));
    px_invited_group_event(s, event);
    px_audience_init(s, &to, event, raiser, ahead);
    to_peers(s, &to, by, origin != PX_ORIGIN_CLIENT, up);
    if (origin == PX_ORIGIN_MONITOR && by) {
        to_monitored(s, &to, by);
    }
    to_own_handlers(s, &to, origin);
    px_audience_fini(&to);
    if (raiser.client) {
        px_event_to_host(s, event);
    }
    if (up) {
        px_event_pass_up(s, event, by);
    }
    if (left) {
        px_group_announce(s, event);
    }
}

int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *by)
{
    fan_out(s, event, origin, by, NULL);
    return PMIX_SUCCESS;
}

bool px_notify_ahead(struct px_upcall *up)
{
    const struct px_notify_args *args = up->args;
    const struct px_event event = {
        .range = args->range, .info = args->head.info, .ninfo = args->head.ninfo};

    return px_named_ahead(up->server, &event, &up->named);
}

/* True if a peer says of others that they are no members of a group any more. */
static bool is_false(const struct px_upcall *up, const struct px_notify_args *args)
{
    const struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    const struct px_args *head = &args->head;
    struct px_event event = {.info = head->info, .ninfo = head->ninfo};

    if (!peer || !changes_group(args->code)) {
        return false;
    }
    event.source = px_event_source(up->server, peer, head->info, head->ninfo);
    return px_group_left_speaks_of_others(&event);
}

/* The event is for those who are members of a group now, also when it is kept. A status by which it
 * is refused, or PMIX_OPERATION_SUCCEEDED. */
pmix_status_t px_notify_call(struct px_upcall *up)
{
    const struct px_notify_args *args = up->args;
    const pmix_proc_t *source = up->reply_to.peer ? &up->proc : &args->source;
    pmix_info_t *range = PX_BORROWED(
        px_infos_next(args->head.info, args->head.ninfo, NULL, PMIX_EVENT_CUSTOM_RANGE));
    const struct px_proc_sets *sets = up->server->proc_sets;
    int rc = is_false(up, args) ? PMIX_ERR_NO_PERMISSIONS : PMIX_SUCCESS;

    if (!rc && range) {
        rc = px_proc_sets_spell(sets, source, range);
    }
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

/* Marks an event of a client that reports ends, since only a host may speak of others. 0 or
 * PMIX_ERR_NOMEM. */
static int mark_end(const struct px_upcall *up, const struct px_peer *peer,
                    struct px_notify_args *args)
{
    bool yes = true;

    return up->reply_to.peer && px_event_is_end(args->code) &&
                   !px_event_may_end(up->server, peer, &args->head)
               ? px_infos_append(&args->head.info, &args->head.ninfo, PX_KEY_END_BY_CLIENT, &yes,
                                 PMIX_BOOL)
               : PMIX_SUCCESS;
}

/* The event that a call raises. Its infos are shared from now on; without memory the call lends
 * them. */
static struct px_event event_of(struct px_upcall *up, const struct px_peer *peer)
{
    struct px_notify_args *args = up->args;
    struct px_args *head = &args->head;
    struct px_event event = {
        .code = args->code,
        .source = peer                ? px_event_source(up->server, peer, head->info, head->ninfo)
                  : up->reply_to.peer ? up->proc
                                      : args->source,
        .range = args->range,
        .info = head->info,
        .ninfo = head->ninfo,
    };

    event.shared = px_shared_infos_take(&head->info, &head->ninfo);
    return event;
}

/* A peer is answered before the event is delivered to others; a call of this process is answered
 * after it. One that has come round is not delivered again. */
void px_notify_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    const struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    int marked = mark_end(up, peer, up->args);
    struct px_event event = event_of(up, peer);
    bool good;

    up->reply.status = up->reply.status >= 0 && marked ? marked : up->reply.status;
    good = up->reply.status >= 0;
    if (!up->reply_to.peer && good) {
        px_event_of_host(s, &event);
    }
    px_upcall_answer(up);
    if (up->reply_to.peer && good &&
        !(s->above && px_event_had_by(event.info, event.ninfo, &s->self)) &&
        !(peer && px_group_decision_said(s, peer, &event))) {
        fan_out(s, &event, PX_ORIGIN_CLIENT, peer, up->named);
    }
    px_shared_infos_drop(event.shared);
}

/* --- kept events --- */

/* True if a kept event was for the peer, too. */
static bool was_for(struct px_server *s, const struct px_kept_event *kept,
                    const struct px_peer *peer)
{
    struct px_audience to = px_audience_for_one(&kept->event, kept->by);

    return px_audience_has_peer(s, &to, peer);
}

/* The codes that a peer has registered before for itself, and now has a handler for. Borrowed. */
static struct px_code_set codes_again(const struct px_codes_args *args)
{
    const pmix_value_t *value = px_info_find(args->head.info, args->head.ninfo, PX_KEY_REPLAY);
    const pmix_data_array_t *array =
        value && value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    return array && array->type == PMIX_STATUS && array->array
               ? (struct px_code_set){array->array, array->size}
               : (struct px_code_set){NULL, 0};
}

/* Sends a peer the kept events for codes that it has newly registered for, and for those that it
 * has a handler for only now (args->of_any_code: for any code), except those that it raised itself
 * (one of its whole job is the host's), and, if its default handlers have had them, those that are
 * for default handlers, too. They stay in the cache for others. */
static void replay_kept(struct px_server *s, struct px_peer *peer, const struct px_codes_args *args)
{
    const struct px_code_set fresh = {args->codes, args->ncodes};
    const struct px_code_set again = codes_again(args);

    px_list_for(const struct px_kept_event, kept, &s->kept_events, link) {
        const struct px_event *event = &kept->event;

        if ((args->of_any_code || px_code_set_has(&fresh, event->code) ||
             px_code_set_has(&again, event->code)) &&
            (!args->had_default || is_non_default(event)) && !px_group_is_announcement(event) &&
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
    int rc = up->reply.status;

    if (rc == PMIX_ERR_NOT_SUPPORTED && px_directives_met(&px_call_handler, px_upcall_levels(up),
                                                          args->head.info, args->head.ninfo)) {
        rc = PMIX_SUCCESS;
    }
    px_answer_status(up->server, &up->reply_to, rc);
    if (peer && !rc) {
        replay_kept(up->server, peer, args);
    }
}

void px_event_report_loss(struct px_server *s, const pmix_proc_t *proc)
{
    px_assert(px_loop_inside(s->loop));
    px_events_raise(s->ctx->events, PMIX_ERR_LOST_CONNECTION, proc, proc);
}
