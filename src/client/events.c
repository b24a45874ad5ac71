/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events to and from the server. A process that raises an event sees it in its own handlers at
 * once; servers do not send an event back to its source, and if one does, that echo is dropped
 * here. An event that a server replays from its cache lacks the range at its end: it is no echo and
 * is delivered. */

#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/directives.h"
#include "group_decide.h"
#include "group_map.h"
#include "invitation.h"
#include "src/event/chain.h"
#include "src/event/code_set.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"
#include "src/base/log.h"

/* True if the primary server is one of this library. */
static bool server_is_ours(struct px_session *session)
{
    const struct px_link_server *server = px_session_server(session);

    return server != NULL && server->ours;
}

/* True if this process is within the range of an event: of its own, or of one that came for
 * processes of a launcher. A range that does not parse is left to the server to judge, and includes
 * us. */
static bool reaches_self(const struct px_ctx *ctx, pmix_data_range_t range, const pmix_info_t *info,
                         size_t ninfo)
{
    const pmix_value_t *value;
    struct px_procs procs;

    if (range == PMIX_RANGE_RM) {
        return false;
    }
    value = px_info_find(info, ninfo, PMIX_EVENT_CUSTOM_RANGE);
    if (value == NULL || !px_value_procs(value, &procs)) {
        return true; /* not for us to judge */
    }
    for (size_t i = 0; i < procs.n; i++) {
        if (PMIx_Check_procid(&procs.at[i], &ctx->self)) {
            return true;
        }
    }
    return false;
}

/* Gives an event of the server to those of this process whom it is for. A launcher also gets what
 * is for its clients. */
static void event_arrived(struct px_session *session, const struct px_event *event, bool live)
{
    struct px_ctx *ctx = session->ctx;

    px_log(PX_LOG_EVENT, 2, "event %s of %s:%u has arrived%s", PMIx_Error_string(event->code),
           event->source.nspace, event->source.rank, live ? "" : ", from those that are kept");
    if (session->beside == NULL || reaches_self(ctx, event->range, event->info, event->ninfo)) {
        px_group_map_event(session, event, live);
        if (px_invitations_event(session, event, live)) {
            return;
        }
        if (ctx->events != NULL) {
            (void) px_events_deliver(ctx->events, event, NULL, NULL); /* no memory: it is lost */
        }
    }
    if (session->beside != NULL) {
        session->beside->event(ctx, event, &session->speaker->proc);
    }
}

/* Layout: COMMAND, STATUS code, PROC source, INFOs, and the range unless the event is a replay. The
 * infos are freed here; handlers get copies. */
void px_client_event_in(struct px_session *session, struct px_in *in)
{
    struct px_ctx *ctx = session->ctx;
    struct px_event event = {.range = PMIX_RANGE_UNDEF};
    pmix_info_t *info = NULL;
    uint8_t command;
    bool live;

    px_assert(px_loop_inside(session->ctx->loop));
    (void) px_unpack_command(in, &command);
    (void) px_unpack_status(in, &event.code);
    (void) px_unpack_one(in, PMIX_PROC, &event.source);
    if (px_unpack_infos(in, &info, &event.ninfo) != 0) {
        return; /* not an event */
    }
    event.info = info;
    live = px_in_left(in) > 0 && px_unpack_one(in, PMIX_DATA_RANGE, &event.range) == 0;
    /* Another library's server may replay before it answers the registration. */
    event.replayed = !live && server_is_ours(session);
    if (!(live && px_proc_equal(&event.source, &ctx->self)) &&
        !(live && server_is_ours(session) && px_group_decide_event(session, &event))) {
        event_arrived(session, &event, live);
    }
    PMIx_Info_free(info, event.ninfo);
}

bool px_notify_stays_here(const struct px_notify_args *args)
{
    struct px_handler_directives directives;

    return args->range == PMIX_RANGE_PROC_LOCAL ||
           (px_handler_read(args->head.info, args->head.ninfo, &directives) == 0 &&
            directives.range == PMIX_RANGE_PROC_LOCAL);
}

/* Without a server handlers still get the events that this process raises itself. A tool may attach
 * to another server, which is then asked for all codes (px_client_repeat_codes); a client whose
 * server is lost has to learn that the events will not come. */
pmix_status_t px_client_watch_codes(struct px_session *session, const struct px_codes_args *args,
                                    const struct px_completion *to)
{
    int rc = px_request_send(session, &px_request_register_codes, &args->head, to);

    px_log(PX_LOG_EVENT, 2, "asks the server for events of %zu codes: %s", args->ncodes,
           rc == 0 ? "sent" : PMIx_Error_string(rc));

    return rc == PMIX_ERR_UNREACH || (rc == PMIX_ERR_LOST_CONNECTION && session->is_tool)
               ? PMIX_OPERATION_SUCCEEDED
               : rc;
}

/* Adds those of the codes that the library itself has registered (PX_KEY_REPLAY), if there are any.
 * 0 or PMIX_ERR_NOMEM. */
static int add_watched(const struct px_session *session, const struct px_codes_args *args,
                       struct px_infos *infos)
{
    pmix_status_t *codes = calloc(args->ncodes + 1, sizeof(*codes));
    struct px_code_set watched = {0};
    pmix_data_array_t array = {.type = PMIX_STATUS};
    size_t n = 0;
    int rc;

    for (size_t i = 0; codes != NULL && i < args->ncodes; i++) {
        if (px_invitations_want(session, args->codes[i])) {
            codes[n] = args->codes[i];
            n++;
        }
    }
    rc = codes != NULL ? px_code_set_add(&watched, codes, &n) : PMIX_ERR_NOMEM;
    array.array = watched.at;
    array.size = watched.n;
    if (rc == 0 && watched.n > 0) {
        rc = px_infos_append(&infos->info, &infos->n, PX_KEY_REPLAY, &array, PMIX_DATA_ARRAY);
    }
    px_code_set_fini(&watched);
    free(codes);
    return rc;
}

/* The server finds codes that the library has registered before not new: it is told which they are,
 * so that it replays the events of these, too. */
pmix_status_t px_client_register_codes(struct px_session *session, const struct px_codes_args *args,
                                       const struct px_completion *to)
{
    struct px_codes_args all = *args;
    struct px_infos infos = {0};
    int rc;

    if (!session->watching || !server_is_ours(session)) {
        return px_client_watch_codes(session, args, to);
    }
    rc = px_infos_append_all(&infos.info, &infos.n, args->head.info, args->head.ninfo);
    rc = rc == 0 ? add_watched(session, args, &infos) : rc;
    all.head = (struct px_args){infos.info, infos.n};
    rc = rc == 0 ? px_client_watch_codes(session, &all, to) : rc;
    px_infos_fini(&infos);
    return rc;
}

/* The kept events that follow the answer are for all handlers of codes. For px_completion. */
static void codes_repeated(const struct px_completion *to, struct px_reply *reply)
{
    (void) reply;
    px_events_replays_to(to->target, PX_REPLAYS_TO_CODED);
}

/* The same, for all default handlers. */
static void defaults_repeated(const struct px_completion *to, struct px_reply *reply)
{
    (void) reply;
    px_events_replays_to(to->target, PX_REPLAYS_TO_DEFAULT);
}

/* Two requests, for codes and for the default handler, since a request without codes stands for all
 * of them. */
int px_client_repeat_codes(struct px_link_server *server)
{
    struct px_events *events = server->session->ctx->events;
    const struct px_completion coded = {.done = codes_repeated, .target = events};
    const struct px_completion by_default = {.done = defaults_repeated, .target = events};
    struct px_session *session = server->session;
    struct px_codes_args args = {.codes = NULL};
    const struct px_codes_args none = {.codes = NULL};
    bool defaults = false;
    int rc = session->beside != NULL
                 ? session->beside->codes(session->ctx, &args.codes, &args.ncodes, &defaults)
                 : px_events_codes(events, &args.codes, &args.ncodes, &defaults);

    if (rc == 0 && args.ncodes > 0) {
        rc = px_request_send_at(server, &px_request_register_codes, &args.head, &coded);
    }
    if (rc == 0 && defaults) {
        rc = px_request_send_at(server, &px_request_register_codes, &none.head, &by_default);
    }
    free(args.codes);
    if (rc == 0) {
        px_invitations_watch_again(session);
    }
    return rc;
}

/* Sends a server the codes that are not wanted any more; a wildcard code stands for the default
 * handler. There is no reply. If the message is lost, such events arrive and find no handler. */
static void deregister_at(struct px_link_server *server, const pmix_status_t *codes, size_t ncodes,
                          bool default_handler)
{
    const pmix_status_t wildcard = INT32_MIN;
    struct px_msg msg;

    if (px_msg_start_at(server, PX_CMD_DEREGEVENTS, &msg) != 0) {
        return;
    }
    for (size_t i = 0; i < ncodes; i++) {
        if (!px_invitations_want(server->session, codes[i]) &&
            !(codes[i] == PMIX_GROUP_LEFT && server->session->left_watched)) {
            (void) px_pack_status(&msg.buf, msg.kind, codes[i]);
        }
    }
    if (default_handler) {
        (void) px_pack_status(&msg.buf, msg.kind, wildcard);
    }
    /* There is no reply. If the message is lost, such events arrive and find no handler. */
    (void) px_link_post_take(msg.server->link, PX_TAG_FIRST, &msg.buf);
}

/* A former primary server has the codes as well. */
void px_client_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                bool default_handler)
{
    struct px_session *session = px_session(ctx);

    for (struct px_link_server *at = px_server_first(session); at != NULL;
         at = px_server_next(at)) {
        deregister_at(at, codes, ncodes, default_handler);
    }
}

/* An event of this process on its way to the loop thread, where handlers are called. Freed when it
 * has been delivered. */
struct own_event {
    struct px_task task;
    struct px_ctx *ctx;
    struct px_notify_args args;
    bool for_us;             /* this process is within its range */
    struct px_completion to; /* without `done` the server answers */
};

/* Frees an event that is not posted. */
static void own_event_free(struct own_event *own)
{
    px_args_fini(&px_request_notify, &own->args.head);
    free(own);
}

/* Delivers an event to our own handlers, and completes the call if the server does not. Loop
 * thread. */
static void run_own_event(struct px_task *task)
{
    struct own_event *own = px_container_of(task, struct own_event, task);
    struct px_event event = {.code = own->args.code,
                             .source = own->args.source,
                             .range = own->args.range,
                             .info = own->args.head.info,
                             .ninfo = own->args.head.ninfo};
    struct px_reply reply = {.status = PMIX_SUCCESS};
    struct px_events *events = own->ctx->events;

    px_invitations_own_event(&event);
    if (own->for_us && events != NULL) {
        reply.status = px_events_deliver(events, &event, NULL, NULL);
    }
    if (own->to.done != NULL) {
        own->to.done(&own->to, &reply);
    }
    own_event_free(own);
}

/* An event with copies of its arguments. NULL: no memory. */
static struct own_event *own_event_create(struct px_ctx *ctx, const struct px_notify_args *args)
{
    struct own_event *own = calloc(1, sizeof(*own));

    if (own == NULL) {
        return NULL;
    }
    own->task.run = run_own_event;
    own->ctx = ctx;
    if (px_args_copy(&px_request_notify, &own->args.head, &args->head) != 0) {
        own_event_free(own);
        return NULL;
    }
    return own;
}

/* True if an event that this process raises may end an invitation that it leads. */
static bool may_abort(const struct px_notify_args *args)
{
    return args->code == PMIX_GROUP_CONSTRUCT_ABORT;
}

int px_client_abort_own(struct px_ctx *ctx, const struct px_notify_args *args)
{
    struct own_event *own;

    if (!may_abort(args)) {
        return 0;
    }
    own = own_event_create(ctx, args);
    if (own == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_loop_post(ctx->loop, &own->task);
    return 0;
}

/* Sends the event to the server unless its range is this process alone, and posts it to our own
 * handlers if they are within the range. The completion is called once: by the server's reply or,
 * if nothing is sent, after the delivery here. A range that this process is not in, with nothing
 * sent, is PMIX_OPERATION_SUCCEEDED. Statuses as px_role_ops.request. */
static pmix_status_t notify_server(struct px_session *session, const struct px_notify_args *args,
                                   const struct px_completion *to)
{
    const struct px_args *head = &args->head;
    struct px_ctx *ctx = session->ctx;
    struct own_event *own = NULL;
    bool local = px_notify_stays_here(args);
    bool for_us = reaches_self(ctx, args->range, head->info, head->ninfo);
    int rc = 0;

    if (for_us || may_abort(args)) {
        own = own_event_create(ctx, args);
        if (own == NULL) {
            return PMIX_ERR_NOMEM;
        }
        own->for_us = for_us;
    }
    if (!local) {
        rc = px_request_send(session, &px_request_notify, head, to);
        local = rc == PMIX_ERR_UNREACH; /* a singleton: its own handlers are all there are */
    }
    if (local && own != NULL) {
        own->to = *to;
        rc = PMIX_SUCCESS;
    } else if (local) {
        rc = PMIX_OPERATION_SUCCEEDED;
    }
    if (own != NULL && rc == PMIX_SUCCESS) {
        px_loop_post(ctx->loop, &own->task);
    } else if (own != NULL) {
        own_event_free(own);
    }
    return rc;
}

/* A rank that a group does not have ends the call; without groups in the range the caller's infos
 * are sent as they are. */
pmix_status_t px_client_notify(struct px_session *session, const struct px_notify_args *given,
                               const struct px_completion *to)
{
    struct px_notify_args args = *given;
    struct px_args spelt = {0};
    int rc = px_group_map_spell(session, PMIX_EVENT_CUSTOM_RANGE, &args.head, &spelt);

    if (rc < 0) {
        return rc;
    }
    if (rc == 0) {
        args.head = spelt;
    }
    rc = notify_server(session, &args, to);
    PMIx_Info_free(spelt.info, spelt.ninfo);
    return rc;
}
