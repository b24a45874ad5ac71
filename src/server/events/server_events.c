/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events pass through here to local clients, to the host and to this process's own handlers. Those
 * that may interest somebody later are kept, oldest dropped first, and given to whoever registers
 * for their code.
 *
 * A client's event does not reach default handlers of this process: hosts register one to learn of
 * lost connections and treat whatever arrives there as the end of the job. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "server_events.h"
#include "termination.h"
#include "src/server/requests/host_upcall.h"
#include "src/base/param.h"
#include "src/event/registry.h"
#include "src/context/context.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "src/nspace/proc_sets.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/event/chain.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

struct kept_event {
    struct px_list link;
    struct px_event event; /* owns its info */
    size_t bytes;
};

/* --- who wants it --- */

static bool wants(const struct px_peer *peer, pmix_status_t code)
{
    return peer->wants_all || px_codes_have(peer->codes, peer->n_codes, code);
}

static bool in_custom_range(struct px_server *s, const struct px_event *event,
                            const pmix_proc_t *proc)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_procs range = {NULL, 0};

    if (value) {
        (void) px_value_procs(value, &range); /* something else is nobody */
    }
    for (size_t i = 0; i < range.n; i++) {
        if (px_proc_covers(&range.at[i], proc) ||
            px_proc_sets_name(&s->proc_sets, &range.at[i], proc)) {
            return true;
        }
    }
    return false;
}

static bool in_range(struct px_server *s, const struct px_event *event, const pmix_proc_t *proc)
{
    switch (event->range) {
    case PMIX_RANGE_RM:
    case PMIX_RANGE_PROC_LOCAL:
        return false;
    case PMIX_RANGE_NAMESPACE:
        return strncmp(event->source.nspace, proc->nspace, PMIX_MAX_NSLEN) == 0;
    case PMIX_RANGE_CUSTOM:
        return in_custom_range(s, event, proc);
    default:
        return true;
    }
}

/* --- sending --- */

static void send_event(struct px_peer *peer, const struct px_event *event, bool live)
{
    struct px_buf buf = {0};
    bool yes = true;
    pmix_info_t *infos = NULL;
    size_t n = event->ninfo;
    int rc = px_infos_copy(event->info, event->ninfo, &infos);

    rc = rc ? rc : px_infos_append(&infos, &n, PX_KEY_FROM_SERVER, &yes, PMIX_BOOL);
    rc = rc ? rc : px_pack_command(&buf, peer->kind, PX_CMD_NOTIFY);
    rc = rc ? rc : px_pack_status(&buf, peer->kind, event->code);
    rc = rc ? rc : px_pack(&buf, peer->kind, PMIX_PROC, &event->source, 1);
    rc = rc ? rc : px_pack_infos(&buf, peer->kind, infos, n);
    if (!rc && live) {
        rc = px_pack(&buf, peer->kind, PMIX_DATA_RANGE, &event->range, 1);
    }
    PMIx_Info_free(infos, n);
    if (rc) {
        px_buf_fini(&buf);
        return;
    }
    px_peer_send(peer, PX_TAG_NOTIFY, &buf, -1);
}

/* --- keeping --- */

static void kept_destroy(struct px_server *s, struct kept_event *kept)
{
    px_list_remove(&kept->link);
    s->n_events--;
    s->event_bytes -= kept->bytes;
    PMIx_Info_free((pmix_info_t *) (uintptr_t) kept->event.info, kept->event.ninfo);
    free(kept);
}

static size_t size_of(const struct px_event *event)
{
    size_t bytes = sizeof(struct kept_event) + event->ninfo * sizeof(pmix_info_t);

    for (size_t i = 0; i < event->ninfo; i++) {
        size_t more = 0;

        if (PMIx_Value_get_size(&event->info[i].value, &more) == PMIX_SUCCESS) {
            bytes += more;
        }
    }
    return bytes;
}

static void keep(struct px_server *s, const struct px_event *event)
{
    size_t most = (size_t) px_param_int(PX_P_MAX_EVENTS);
    size_t most_bytes = (size_t) px_param_int(PX_P_EVENT_BYTES);
    size_t bytes = size_of(event);
    struct kept_event *kept;
    pmix_info_t *infos = NULL;

    if (!most || bytes > most_bytes ||
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_DO_NOT_CACHE)) {
        return;
    }
    kept = calloc(1, sizeof(*kept));
    if (!kept || px_infos_copy(event->info, event->ninfo, &infos)) {
        free(kept);
        return;
    }
    kept->event = *event;
    kept->event.info = infos;
    kept->event.ninfo = infos ? event->ninfo : 0;
    kept->bytes = bytes;
    px_list_append(&s->event_cache, &kept->link);
    s->n_events++;
    s->event_bytes += bytes;
    while (s->n_events > most || s->event_bytes > most_bytes) {
        kept_destroy(s, px_container_of(s->event_cache.next, struct kept_event, link));
    }
}

void px_events_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->event_cache)) {
        kept_destroy(s, px_container_of(s->event_cache.next, struct kept_event, link));
    }
}

/* --- spreading --- */

static void to_own_handlers(struct px_server *s, const struct px_event *event,
                            enum px_origin origin)
{
    struct px_event own = *event;
    pmix_info_t *infos = NULL;
    size_t n = event->ninfo;
    bool yes = true;
    bool meant = event->range == PMIX_RANGE_RM || in_range(s, event, &s->self);

    if (!meant || !px_events_wanted(s->ctx->events, event->code) ||
        px_infos_copy(event->info, n, &infos)) {
        return;
    }
    if (origin != PX_ORIGIN_CLIENT || event->range == PMIX_RANGE_RM ||
        !px_infos_append(&infos, &n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL)) {
        own.info = infos;
        own.ninfo = n;
        (void) px_events_deliver(s->ctx->events, &own, NULL, NULL);
    }
    PMIx_Info_free(infos, n);
}

static void to_host(struct px_server *s, const struct px_event *event)
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
                                                up->ninfo, px_hostcb_op, up));
}

int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *except)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer != except && peer->conn && !peer->finalized && wants(peer, event->code) &&
            in_range(s, event, &peer->proc)) {
            send_event(peer, event, true);
        }
    }
    keep(s, event);
    to_own_handlers(s, event, origin);
    if (origin == PX_ORIGIN_CLIENT) {
        to_host(s, event);
    }
    return PMIX_SUCCESS;
}

pmix_status_t px_notify_call(struct px_upcall *up)
{
    (void) up;
    return PMIX_OPERATION_SUCCEEDED;
}

/* A peer learns first that its event is on its way; this process, that it has been delivered. */
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

    if (up->reply_to.peer) {
        px_upcall_answer(up);
        (void) px_event_fan_out(up->server, &event, PX_ORIGIN_CLIENT, peer);
        return;
    }
    (void) px_event_fan_out(up->server, &event, PX_ORIGIN_HOST, NULL);
    px_termination_event(up->server, &event);
    px_upcall_answer(up);
}

/* --- registrations --- */

/* Only for codes that the environment can raise is the host asked: system events, and codes of its
 * own. */
static bool is_hosts(pmix_status_t code)
{
    return PMIX_SYSTEM_EVENT(code) || code <= PMIX_EXTERNAL_ERR_BASE || code > 0;
}

static size_t count_up(struct px_server *s, pmix_status_t code)
{
    uintptr_t n = (uintptr_t) px_map_find(&s->host_codes, &code, sizeof(code)) + 1;

    (void) px_map_set(&s->host_codes, &code, sizeof(code), (void *) n);
    return n;
}

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

static void nothing_to_do(struct px_upcall *up)
{
    (void) up;
}

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
    px_upcall_returned(up, s->host.deregister_events(up->codes, up->ncodes, px_hostcb_op, up));
}

/* Kept events that the peer did not want before and does now. */
static void replay_kept(struct px_server *s, struct px_peer *peer, const pmix_status_t *codes,
                        size_t ncodes, bool all)
{
    px_list_for(const struct kept_event, kept, &s->event_cache, link) {
        const struct px_event *event = &kept->event;

        if ((all || px_codes_have(codes, ncodes, event->code)) && in_range(s, event, &peer->proc) &&
            !px_proc_covers(&event->source, &peer->proc)) {
            send_event(peer, event, false);
        }
    }
}

/* A host that cannot say more than "not supported" does not keep local events from being delivered,
 * unless something is required that only it could do. The answer goes first: no event may overtake
 * it. */
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
    if (peer && !rc && args->replay) {
        replay_kept(up->server, peer, args->codes, args->ncodes, !args->ncodes);
    }
}

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
    return fn(up->codes, up->ncodes, args->head.info, args->head.ninfo, px_hostcb_op, up);
}

/* Adds the codes to the peer's; *codes keeps those that it did not want before. */
static int add_codes(struct px_peer *peer, pmix_status_t *codes, size_t *ncodes)
{
    size_t out = 0;
    pmix_status_t *more = realloc(peer->codes, (peer->n_codes + *ncodes + 1) * sizeof(*more));

    if (!more) {
        return PMIX_ERR_NOMEM;
    }
    peer->codes = more;
    for (size_t i = 0; i < *ncodes; i++) {
        if (!px_codes_have(more, peer->n_codes, codes[i])) {
            more[peer->n_codes++] = codes[i];
            codes[out++] = codes[i];
        }
    }
    *ncodes = out;
    return PMIX_SUCCESS;
}

/* What remains among the codes is what the peer did not want before. */
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

static void drop_code(struct px_server *s, struct px_peer *peer, pmix_status_t code)
{
    for (size_t i = 0; i < peer->n_codes; i++) {
        if (peer->codes[i] == code) {
            peer->codes[i] = peer->codes[--peer->n_codes];
            px_codes_dropped(s, &code, 1);
            return;
        }
    }
}

/* There is no answer to this request. */
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    (void) tag;
    while (px_in_left(in)) {
        pmix_status_t code;

        if (px_unpack_status(in, &code)) {
            peer->doomed = true;
            break;
        }
        if (code == INT_MIN) {
            peer->wants_all = false;
        } else {
            drop_code(s, peer, code);
        }
    }
    return PMIX_SUCCESS;
}

void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    if (peer->n_codes) {
        px_codes_dropped(s, peer->codes, peer->n_codes);
    }
    peer->n_codes = 0;
    peer->wants_all = false;
}
