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
#include "kept_events.h"
#include "termination.h"
#include "src/server/collectives/invited_group.h"
#include "src/server/requests/host_upcall.h"
#include "src/base/array.h"
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
#include "src/value/infos.h"
#include "src/event/chain.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* --- the audience --- */

/* True if an event of this code takes a process out of a group. */
static bool changes_group(pmix_status_t code)
{
    return code == PMIX_GROUP_LEFT || code == PMIX_GROUP_MEMBER_FAILED;
}

/* True if the peer has registered for this code, or for all. A client of this library is sent some
 * unasked: it refuses acceptances of invitations that are over or were never made, answers those
 * who look for a new leader, and keeps the members of its groups. */
static bool wants(const struct px_peer *peer, pmix_status_t code)
{
    return peer->wants_all || px_code_set_has(&peer->codes, code) ||
           (peer->ours && (code == PMIX_GROUP_INVITE_ACCEPTED || code == PMIX_GROUP_LEADER_FAILED ||
                           changes_group(code)));
}

/* Whom an event is for. */
struct audience {
    const struct px_event *event;
    struct px_proc_list named; /* of PMIX_RANGE_CUSTOM: those that PMIX_EVENT_CUSTOM_RANGE names, in
                                  which groups are spelled out */
    struct px_raiser by;
    const struct px_peer *judged; /* the peer that was asked last whether it may have the event */
    bool may;
};

/* Makes the audience, so that to look whether a process belongs to it takes no longer the more are
 * named. A range of another type names no process. Without memory a custom range is empty. To be
 * ended with audience_fini. */
static void audience_init(struct audience *to, const struct px_event *event, struct px_raiser by)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_procs range = {NULL, 0};

    *to = (struct audience){.event = event, .by = by};
    if (value && event->range == PMIX_RANGE_CUSTOM) {
        (void) px_value_procs(value, &range); /* a value of another type: none */
        if (px_proc_list_add_all(&to->named, range.at, range.n)) {
            px_proc_list_fini(&to->named);
        }
    }
}

static void audience_fini(struct audience *to)
{
    px_proc_list_fini(&to->named);
}

/* True if a custom range names the process or its namespace. */
static bool is_named(struct audience *to, const pmix_proc_t *proc)
{
    pmix_proc_t job;

    PMIX_LOAD_PROCID(&job, proc->nspace, PMIX_RANK_WILDCARD);
    return px_proc_list_has(&to->named, proc) || px_proc_list_has(&to->named, &job);
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

/* True if the peer is among them, and may have what the user has raised. */
static bool is_for_peer(const struct px_server *s, struct audience *to, const struct px_peer *peer)
{
    return is_for(to, &peer->proc) && (!to->by.client || may_have(s, to, peer));
}

/* --- sending --- */

/* Packs an event as PX_CMD_NOTIFY. live: not a kept one; only then the range is sent with it. The
 * buffer has the status of a failure. */
static struct px_buf pack_event(const struct px_peer *peer, const struct px_event *event, bool live)
{
    struct px_buf buf = {0};
    bool yes = true;
    pmix_info_t *infos = NULL;
    size_t n = event->ninfo;
    int rc = px_infos_copy(event->info, event->ninfo, &infos);

    rc = rc ? rc : px_infos_append(&infos, &n, PX_KEY_FROM_SERVER, &yes, PMIX_BOOL);
    (void) px_buf_fail(&buf, rc);
    (void) px_pack_command(&buf, peer->kind, PX_CMD_NOTIFY);
    (void) px_pack_status(&buf, peer->kind, event->code);
    (void) px_pack(&buf, peer->kind, PMIX_PROC, &event->source, 1);
    (void) px_pack_infos(&buf, peer->kind, infos, n);
    if (live) {
        (void) px_pack(&buf, peer->kind, PMIX_DATA_RANGE, &event->range, 1);
    }
    PMIx_Info_free(infos, n);
    return buf;
}

/* Sends an event to a peer that reads: another one may lose it. Without memory it is not sent. */
static void send_event(struct px_peer *peer, const struct px_event *event, bool live, bool trusted)
{
    struct px_buf buf = pack_event(peer, event, live);

    px_peer_send_event(peer, &buf, trusted);
}

void px_event_tell(struct px_peer *peer, const struct px_event *event)
{
    if (peer->conn && !peer->finalized && (peer->ours || wants(peer, event->code))) {
        send_event(peer, event, true, true);
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
    if (!rc && wants(peer, event.code)) {
        struct px_buf buf;

        event.info = infos;
        event.ninfo = n;
        buf = pack_event(peer, &event, true);
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

/* Peers that have finalized get no events any more. The order is: peers, kept events, own handlers,
 * host. Who leaves a group has left it before anybody is told. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *by)
{
    struct px_raiser raiser = {origin == PX_ORIGIN_CLIENT || origin == PX_ORIGIN_MONITOR,
                               by ? by->uid : user_of(s, event)};
    bool left = changes_group(event->code) && px_group_left(s, event, raiser.client);
    const struct px_peer *except = origin == PX_ORIGIN_MONITOR ? NULL : by;
    struct audience to;

    px_assert(px_loop_inside(s->loop));
    px_invited_group_event(s, event);
    audience_init(&to, event, raiser);
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer != except && peer->conn && !peer->finalized && wants(peer, event->code) &&
            is_for_peer(s, &to, peer)) {
            send_event(peer, event, true, origin != PX_ORIGIN_CLIENT);
        }
    }
    px_event_keep(s, event, raiser);
    to_own_handlers(s, &to, origin);
    audience_fini(&to);
    if (raiser.client) {
        px_event_to_host(s, event);
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
    int rc = range ? px_proc_sets_spell(&up->server->proc_sets, source, range) : PMIX_SUCCESS;

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
        .source = up->reply_to.peer ? up->proc : args->source,
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
        if (!peer || !px_group_decision_said(up->server, peer, &event)) {
            (void) px_event_fan_out(up->server, &event, PX_ORIGIN_CLIENT, peer);
        }
        return;
    }
    px_event_of_host(up->server, &event);
    px_upcall_answer(up);
}

/* --- registrations --- */

/* True if the environment can raise this code, so that the host has to know of registrations:
 * system events, and codes outside of the Standard's. */
static bool is_hosts(pmix_status_t code)
{
    return PMIX_SYSTEM_EVENT(code) || code <= PMIX_EXTERNAL_ERR_BASE || code > 0;
}

/* Counts one more registration of a code. Returns the new number; 1: the first. */
static size_t count_up(struct px_server *s, pmix_status_t code)
{
    uintptr_t n = (uintptr_t) px_map_find(&s->host_codes, &code, sizeof(code)) + 1;

    (void) px_map_set(&s->host_codes, &code, sizeof(code), (void *) n);
    return n;
}

/* Counts one registration less. Returns the number left; 0: it was the last. Returns 1 for a code
 * that was not counted, so that the host is not asked to drop it. */
static size_t count_down(struct px_server *s, pmix_status_t code)
{
    uintptr_t n = (uintptr_t) px_map_find(&s->host_codes, &code, sizeof(code));

    if (n > 1) {
        (void) px_map_set(&s->host_codes, &code, sizeof(code), (void *) (n - 1));
    } else if (n) {
        (void) px_map_remove(&s->host_codes, &code, sizeof(code));
    }
    return n ? n - 1 : 1;
}

/* Ends an upcall whose answer is not needed. */
static void nothing_to_do(struct px_upcall *up)
{
    (void) up;
}

/* Codes are counted down even if the host cannot be asked for lack of memory. */
void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes)
{
    struct px_upcall *up = px_upcall_create(s, NULL, NULL, nothing_to_do);

    px_assert(px_loop_inside(s->loop));
    if (up) {
        up->codes = calloc(ncodes + 1, sizeof(*codes));
    }
    for (size_t i = 0; i < ncodes; i++) {
        if (is_hosts(codes[i]) && !count_down(s, codes[i]) && up && up->codes) {
            up->codes[up->ncodes++] = codes[i];
        }
    }
    if (!up || !up->ncodes || !s->host.deregister_events || s->stopping) {
        px_upcall_destroy(up);
        return;
    }
    px_upcall_returned(
        up, s->host.deregister_events(up->codes, up->ncodes, px_hostcb_op, px_upcall_handle(up)));
}

/* True if a kept event was for the peer, too. */
static bool was_for(const struct px_server *s, const struct px_kept_event *kept,
                    const struct px_peer *peer)
{
    struct audience to;
    bool yes;

    audience_init(&to, &kept->event, kept->by);
    yes = is_for_peer(s, &to, peer);
    audience_fini(&to);
    return yes;
}

/* Sends a peer the kept events for codes that it has newly registered for (NULL: for any code),
 * except those that it raised itself. They stay in the cache for others. */
static void replay_kept(struct px_server *s, struct px_peer *peer, const struct px_code_set *codes)
{
    px_list_for(const struct px_kept_event, kept, &s->kept_events, link) {
        const struct px_event *event = &kept->event;

        if ((!codes || px_code_set_has(codes, event->code)) && !px_group_is_announcement(event) &&
            was_for(s, kept, peer) && !px_proc_covers(&event->source, &peer->proc)) {
            send_event(peer, event, false, !kept->by.client);
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
        replay_kept(up->server, peer, added.n ? &added : NULL);
    }
}

/* Asks the host for those codes that are the host's and that had no registration before.
 * PMIX_ERR_NOT_SUPPORTED if there are none, or the host has no register_events; px_codes_registered
 * turns that into success. */
pmix_status_t px_codes_call(struct px_upcall *up)
{
    struct px_codes_args *args = up->args;
    struct px_server *s = up->server;
    pmix_server_register_events_fn_t fn = s->host.register_events;

    up->codes = calloc(args->ncodes + 1, sizeof(*up->codes));
    if (!up->codes) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < args->ncodes; i++) {
        if (is_hosts(args->codes[i]) && count_up(s, args->codes[i]) == 1) {
            up->codes[up->ncodes++] = args->codes[i];
        }
    }
    if (!up->ncodes || !fn) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    px_directives_mark(&px_call_handler, px_upcall_levels(up), args->head.info, args->head.ninfo);
    (void) px_requester_identify(s, px_peer_find(s, up->reply_to.peer), &args->head.info,
                                 &args->head.ninfo);
    return fn(up->codes, up->ncodes, args->head.info, args->head.ninfo, px_hostcb_op,
              px_upcall_handle(up));
}

/* Adds codes to the peer's; codes[] and *n keep those that are new. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_OUT_OF_RESOURCE: more than a peer may have (shmix_max_codes). */
static int add_codes(struct px_peer *peer, pmix_status_t *codes, size_t *n)
{
    size_t most = (size_t) px_param_int(PX_P_MAX_CODES);

    return peer->codes.n > most || *n > most - peer->codes.n
               ? PMIX_ERR_OUT_OF_RESOURCE
               : px_code_set_add(&peer->codes, codes, n);
}

/* Enters the registration for the peer. args->codes then has only the new codes; args->replay is
 * set if kept events may have to follow. */
int px_codes_prepare(struct px_upcall *up, struct px_peer *peer)
{
    struct px_codes_args *args = up->args;
    bool all = !args->ncodes;
    int rc = peer && !all ? add_codes(peer, args->codes, &args->ncodes) : PMIX_SUCCESS;

    if (!rc && peer) {
        args->replay = !peer->wants_all && (all || args->ncodes);
        peer->wants_all |= all;
    }
    return rc;
}

/* Reads codes up to the end of a message. INT_MIN, which stands for the default handlers, only sets
 * *ret_default. *ret is the caller's to free also after an error. 0, PMIX_ERR_NOMEM, or the status
 * of px_unpack_status. */
static int read_codes(struct px_in *in, pmix_status_t **ret, size_t *ret_n, bool *ret_default)
{
    size_t room = 0;
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in)) {
        pmix_status_t code;

        rc = px_unpack_status(in, &code);
        if (!rc && code == INT_MIN) {
            *ret_default = true;
        } else if (!rc) {
            rc = px_array_room(ret, *ret_n, &room, sizeof(code)) ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
            if (!rc) {
                (*ret)[(*ret_n)++] = code;
            }
        }
    }
    return rc;
}

/* A client waits for no answer to this command, so that a code that cannot be unpacked only ends
 * the connection. */
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    pmix_status_t *codes = NULL;
    size_t n = 0;
    bool default_handler = false;

    px_assert(px_loop_inside(s->loop));
    (void) tag;
    peer->doomed |= read_codes(in, &codes, &n, &default_handler) != 0;
    peer->wants_all &= !default_handler;
    px_code_set_remove(&peer->codes, codes, &n);
    if (n) {
        px_codes_dropped(s, codes, n);
    }
    free(codes);
    return PMIX_SUCCESS;
}

/* The host is asked to drop codes that only this peer had registered for. */
void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    if (peer->codes.n) {
        px_codes_dropped(s, peer->codes.at, peer->codes.n);
    }
    px_code_set_fini(&peer->codes);
    peer->wants_all = false;
}

void px_event_report_loss(struct px_server *s, const pmix_proc_t *proc)
{
    px_assert(px_loop_inside(s->loop));
    px_events_raise(s->ctx->events, PMIX_ERR_LOST_CONNECTION, proc, proc);
}
