/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Launchers may be connected in a circle: a debugger starts one, which connects back to the
 * debugger, which connects to it. So that no event goes round for ever, an event that is passed on
 * carries the names of the processes that have had it (one PX_KEY_EVENT_HAD for each). It is not
 * sent to a process that it names. */

#include "passed_events.h"

#include <stdlib.h>

#include "server_events.h"
#include "src/base/assert.h"
#include "src/context/context.h"
#include "src/event/process_end.h"
#include "src/event/registry.h"
#include "src/request/schema.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/host_upcall.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"

/* ---- codes */

/* The server above has answered. Its status is not used: a client that the other server refuses
 * still gets the events of this server. */
static void codes_answered(const struct px_completion *to, struct px_reply *reply)
{
    (void) reply;
    if (to->cbdata) {
        px_hostcb_op(PMIX_ERR_NOT_SUPPORTED, to->cbdata);
    }
}

bool px_codes_pass_up(struct px_upcall *up, const struct px_codes_args *args, bool answers)
{
    struct px_server *s = up->server;
    const struct px_codes_args codes = {.codes = args->codes, .ncodes = args->ncodes};
    const struct px_completion to = {.done = codes_answered,
                                     .cbdata = answers ? px_upcall_handle(up) : NULL};

    px_assert(px_loop_inside(s->loop));
    return s->above && up->reply_to.peer &&
           s->above->request(s->ctx, &px_request_register_codes, &codes.head, &to) ==
               PMIX_SUCCESS &&
           answers;
}

void px_codes_drop_above(struct px_server *s, const pmix_status_t *codes, size_t n)
{
    px_assert(px_loop_inside(s->loop));
    if (s->above && n && !s->stopping) {
        s->above->deregister_codes(s->ctx, codes, n, false);
    }
}

/* True if a handler wants all codes. */
static bool has_default(const struct px_server *s)
{
    px_list_for(const struct px_peer, peer, &s->peer_list, link) {
        if (peer->wants_all) {
            return true;
        }
    }
    return px_events_asked_default(s->ctx->events);
}

void px_defaults_drop_above(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    if (s->above && !s->stopping && !has_default(s)) {
        s->above->deregister_codes(s->ctx, NULL, 0, true);
    }
}

struct list {
    pmix_status_t *codes;
    size_t n;
};

/* For px_map_each: a registered code. */
static int add_code(void *arg, const void *key, size_t len, void *value)
{
    struct list *list = arg;

    (void) len;
    (void) value;
    list->codes[list->n++] = *(const pmix_status_t *) key;
    return 0;
}

int px_codes_for_above(struct px_server *s, pmix_status_t **ret, size_t *ret_n, bool *ret_default)
{
    struct list list = {calloc(s->host_codes.used + 1, sizeof(*list.codes)), 0};

    px_assert(px_loop_inside(s->loop));
    if (!list.codes) {
        return PMIX_ERR_NOMEM;
    }
    (void) px_map_each(&s->host_codes, add_code, &list);
    *ret = list.codes;
    *ret_n = list.n;
    *ret_default = has_default(s);
    return PMIX_SUCCESS;
}

/* ---- marks */

bool px_event_had_by(const pmix_info_t *info, size_t ninfo, const pmix_proc_t *proc)
{
    const pmix_info_t *at = NULL;

    while ((at = px_infos_next(info, ninfo, at, PX_KEY_EVENT_HAD)) != NULL) {
        if (at->value.type == PMIX_PROC && px_proc_equal(at->value.data.proc, proc)) {
            return true;
        }
    }
    return false;
}

/* Copies the infos of an event, and notes that a process has had it. 0 or PMIX_ERR_NOMEM; *ret is
 * the caller's in any case. */
static int marked(const struct px_event *event, const pmix_proc_t *by, pmix_info_t **ret,
                  size_t *ret_n)
{
    int rc = px_infos_copy(event->info, event->ninfo, ret);

    *ret_n = *ret ? event->ninfo : 0;
    px_infos_drop(*ret, ret_n, PX_KEY_FROM_SERVER);
    return rc ? rc : px_infos_append(ret, ret_n, PX_KEY_EVENT_HAD, by, PMIX_PROC);
}

/* True if the namespace is one of this server, its own, or that of a peer. */
static bool is_known(struct px_server *s, const char *nspace)
{
    if (px_nspace_find(s, nspace) || PMIx_Check_nspace(nspace, s->self.nspace)) {
        return true;
    }
    px_list_for(const struct px_peer, peer, &s->peer_list, link) {
        if (PMIx_Check_nspace(nspace, peer->proc.nspace)) {
            return true;
        }
    }
    return false;
}

/* True if it may speak for others: a launcher of root or of the server's own user. */
static bool is_believed(const struct px_server *s, const struct px_peer *peer)
{
    return peer->launcher && (peer->uid == 0 || peer->uid == s->uid);
}

pmix_proc_t px_event_source(struct px_server *s, const struct px_peer *peer,
                            const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *said =
        is_believed(s, peer) ? px_info_find(info, ninfo, PX_KEY_EVENT_SOURCE) : NULL;

    px_assert(px_loop_inside(s->loop));
    return said && said->type == PMIX_PROC && said->data.proc->nspace[0] &&
                   !is_known(s, said->data.proc->nspace)
               ? *said->data.proc
               : peer->proc;
}

/* Whether all processes of an event are of namespaces that are not known. For px_event_each_ended.
 */
struct strangers {
    struct px_server *server;
    bool all;
};

static void look_at_ended(void *arg, const pmix_proc_t *proc)
{
    struct strangers *strangers = arg;

    strangers->all = strangers->all && !is_known(strangers->server, proc->nspace);
}

bool px_event_may_end(struct px_server *s, const struct px_peer *peer, const struct px_args *infos)
{
    const struct px_event event = {
        .source = peer ? peer->proc : s->self, .info = infos->info, .ninfo = infos->ninfo};
    struct strangers strangers = {s, true};

    px_assert(px_loop_inside(s->loop));
    if (!peer || !is_believed(s, peer)) {
        return false;
    }
    px_event_each_ended(&event, look_at_ended, &strangers);
    return strangers.all;
}

/* ---- up */

/* True if the custom range names processes of this server's jobs only. */
static bool names_ours(struct px_server *s, const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_procs range = {NULL, 0};

    if (!value || !px_value_procs(value, &range)) {
        return false;
    }
    for (size_t i = 0; i < range.n; i++) {
        if (!px_nspace_find(s, range.at[i].nspace)) {
            return false;
        }
    }
    return true;
}

static bool ends_here(struct px_server *s, const struct px_event *event)
{
    return event->range == PMIX_RANGE_PROC_LOCAL || event->range == PMIX_RANGE_NAMESPACE ||
           (event->range == PMIX_RANGE_CUSTOM && names_ours(s, event)) ||
           px_infos_flag(event->info, event->ninfo, PMIX_EVENT_STAYS_LOCAL);
}

bool px_event_goes_up(struct px_server *s, const struct px_event *event)
{
    px_assert(px_loop_inside(s->loop));
    return s->above && !s->host.notify_event && !s->stopping && !ends_here(s, event);
}

void px_event_pass_up(struct px_server *s, const struct px_event *event, const struct px_peer *by)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    struct px_notify_args args = {.code = event->code, .range = event->range};
    struct px_args *head = &args.head;
    int rc = marked(event, &s->self, &head->info, &head->ninfo);

    px_assert(px_loop_inside(s->loop));
    if (!rc && by) {
        rc = px_infos_append(&head->info, &head->ninfo, PX_KEY_EVENT_HAD, &by->proc, PMIX_PROC);
    }
    px_infos_drop(head->info, &head->ninfo, PX_KEY_EVENT_SOURCE);
    rc = rc ? rc
            : px_infos_append(&head->info, &head->ninfo, PX_KEY_EVENT_SOURCE, &event->source,
                              PMIX_PROC);
    if (!rc) {
        (void) s->above->request(s->ctx, &px_request_notify, head, &nobody); /* or lost */
    }
    PMIx_Info_free(head->info, head->ninfo);
}

/* ---- down */

/* A replay has no range of its own (src/wire/message.h), but names the processes of a custom one.
 * Its audience is what the launcher's user may have: the server above has seen to that. */
void px_event_from_above(struct px_server *s, const struct px_event *event, const pmix_proc_t *from)
{
    const struct px_raiser by = {.client = true, .user = s->uid};
    struct px_event down = *event;
    pmix_info_t *infos = NULL;
    size_t n = 0;
    int rc = marked(event, &s->self, &infos, &n);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_infos_append(&infos, &n, PX_KEY_EVENT_HAD, from, PMIX_PROC);
    if (!rc && s->above && !s->stopping) {
        down.info = infos;
        down.ninfo = n;
        down.range =
            down.range == PMIX_RANGE_UNDEF && px_info_find(infos, n, PMIX_EVENT_CUSTOM_RANGE)
                ? PMIX_RANGE_CUSTOM
                : down.range;
        px_event_to_peers(s, &down, by);
    }
    PMIx_Info_free(infos, n);
}
