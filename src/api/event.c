/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events. The registry (src/event) belongs to the progress thread, so a registration is a task
 * there. Its steps: add the handler, which holds its events back; ask the server for the codes that
 * are new to this process; report the result to the caller; only then deliver events. So a handler
 * never runs before its registration was acknowledged. A registration whose codes another one is
 * asking for waits until that is answered: if it is refused, the next one has to ask.
 *
 *   caller's thread                  loop thread
 *   copies codes and directives
 *   posts the task           ----->  run_registration: asks for groups among the sources, if any
 *                                    add_handler: px_events_add (events are held back)
 *                                    asks the server for new codes, if there are any
 *   waits, or returns                codes_answered: registration_done
 *                            <-----  callback of the application, or the end of the wait
 *                                    px_events_ready: held-back events are delivered */

#include <stdlib.h>

#include "api.h"
#include "call.h"
#include "src/base/bytes.h"
#include "src/event/registry.h"
#include "src/loop/after.h"
#include "src/value/directives.h"

/* One PMIx_Register_event_handler under way. Made by the caller's thread, then owned by the loop
 * thread, which frees it. */
struct registration {
    struct px_task task;
    struct px_after after;
    struct px_ctx *ctx;
    struct px_list link; /* in px_ctx.registrations, from px_events_add until the answer */
    pmix_status_t *codes;
    size_t ncodes;
    pmix_status_t *fresh; /* codes that the server has to be asked for */
    size_t nfresh;
    bool all;   /* the server has to be asked for all codes */
    bool waits; /* for another registration */
    pmix_info_t *info;
    size_t ninfo;
    pmix_notification_fn_t handler;
    pmix_hdlr_reg_cbfunc_t cbfunc; /* NULL: a thread waits */
    void *cbdata;
    struct px_wait *wait; /* of the blocking form, on the caller's stack; else NULL */
    size_t id;            /* of the handler, once it was added; 0: not added */
    pmix_status_t status; /* of the registration, once it has ended */
    bool met;             /* every required directive is honoured by the library itself */
};

/* Takes a registration that is only partly filled as well. */
static void registration_free(struct registration *reg)
{
    PMIx_Info_free(reg->info, reg->ninfo);
    free(reg->codes);
    free(reg->fresh);
    free(reg);
}

/* Copies codes and directives, which the application may free after the call. NULL: memory is
 * out. */
static struct registration *registration_create(const pmix_status_t *codes, size_t ncodes,
                                                const pmix_info_t *info, size_t ninfo)
{
    struct registration *reg = calloc(1, sizeof(*reg));

    if (reg == NULL) {
        return NULL;
    }
    px_list_init(&reg->link);
    reg->codes = calloc(ncodes + 1, sizeof(*codes));
    reg->fresh = calloc(ncodes + 1, sizeof(*codes));
    if (reg->codes == NULL || reg->fresh == NULL || px_infos_copy(info, ninfo, &reg->info) != 0) {
        registration_free(reg);
        return NULL;
    }
    reg->ninfo = reg->info != NULL ? ninfo : 0;
    for (size_t i = 0; i < ncodes; i++) {
        reg->codes[i] = codes[i];
    }
    reg->ncodes = ncodes;
    return reg;
}

/* Tells the result: calls the application or wakes the waiter, and delivers events. The waiter's
 * result is the handler's number or a negative status. Loop thread. */
static void registration_tell(struct px_after *after)
{
    struct registration *reg = px_container_of(after, struct registration, after);
    pmix_status_t status = reg->status;

    if (reg->cbfunc != NULL) {
        reg->cbfunc(status, status == PMIX_SUCCESS ? reg->id : SIZE_MAX, reg->cbdata);
    }
    if (status == PMIX_SUCCESS && reg->ctx->events != NULL) {
        px_events_ready(reg->ctx->events, reg->id);
    }
    if (reg->wait != NULL) {
        px_wait_done(reg->wait, status == PMIX_SUCCESS ? (int) reg->id : status);
    }
    registration_free(reg);
}

/* Ends a registration: removes the handler after a failure; a waiter is told at once, an
 * application when its call has returned. Loop thread. */
static void registration_done(struct registration *reg, pmix_status_t status)
{
    if (status != PMIX_SUCCESS && reg->id > 0) {
        (void) px_events_remove(reg->ctx->events, reg->id);
    }
    reg->status = status;
    if (reg->wait != NULL) {
        registration_tell(&reg->after);
    } else {
        px_after_done(&reg->after);
    }
}

/* The server's answer. PMIX_ERR_NOT_SUPPORTED means that the server or its host does not provide
 * events; the handler still gets events that this process makes itself, unless a required directive
 * needs the host. */
static void codes_answered(struct registration *reg, pmix_status_t status)
{
    px_list_remove(&reg->link);
    registration_done(reg, status == PMIX_ERR_NOT_SUPPORTED && reg->met ? PMIX_SUCCESS : status);
}

/* True if the handler is for events of this process only: no server has to know of it. */
static bool is_local(const struct registration *reg)
{
    struct px_handler_directives directives;

    return px_handler_read(reg->info, reg->ninfo, &directives) == 0 &&
           directives.range == PMIX_RANGE_PROC_LOCAL;
}

/* Groups among the sources (PMIX_EVENT_CUSTOM_RANGE) stand for those who are members now. 0 or a
 * status of px_role_ops.spell_groups. */
static int spell_sources(struct registration *reg)
{
    const pmix_info_t *at = NULL;
    int rc = 0;

    while (rc == 0 && reg->ctx->ops->spell_groups != NULL &&
           (at = px_infos_next(reg->info, reg->ninfo, at, PMIX_EVENT_CUSTOM_RANGE)) != NULL) {
        rc = reg->ctx->ops->spell_groups(reg->ctx, &reg->info[at - reg->info]);
    }
    return rc;
}

/* True if the server is being asked for a code of the registration, or, for a default handler, for
 * all codes. */
static bool is_asked_now(const struct registration *reg)
{
    px_list_for(const struct registration, other, &reg->ctx->registrations, link) {
        if (!other->waits && reg->ncodes == 0 && other->all) {
            return true;
        }
        for (size_t i = 0; !other->waits && i < other->nfresh; i++) {
            for (size_t k = 0; k < reg->ncodes; k++) {
                if (reg->codes[k] == other->fresh[i]) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Finds out what the server has to be asked for: codes for which it was not asked yet, and all if
 * this is the first default handler. It is asked for all codes again if a required directive is the
 * host's to honour. */
static void find_fresh(struct registration *reg)
{
    const struct px_events *events = reg->ctx->events;
    bool local = is_local(reg);

    reg->all = !local && reg->ncodes == 0 && !px_events_asked_default(events);
    reg->nfresh = 0;
    for (size_t i = 0; !local && i < reg->ncodes; i++) {
        if (!reg->met || !px_events_asked(events, reg->codes[i])) {
            reg->fresh[reg->nfresh] = reg->codes[i];
            reg->nfresh++;
        }
    }
}

static void ask_server(struct registration *reg);

/* Goes on with registrations that have waited for one that was answered. */
static void resume_waiting(struct px_ctx *ctx)
{
    struct px_list *at = ctx->registrations.next;

    while (at != &ctx->registrations) {
        struct registration *reg = px_container_of(at, struct registration, link);

        at = at->next;
        if (reg->waits && !is_asked_now(reg)) {
            find_fresh(reg);
            px_events_set_asked(ctx->events, reg->id, true);
            ask_server(reg);
            at = ctx->registrations.next; /* others may have ended meanwhile */
        }
    }
}

/* Completion of the request to the server. Loop thread. */
static void codes_registered(const struct px_completion *to, struct px_reply *reply)
{
    struct registration *reg = to->target;
    struct px_ctx *ctx = reg->ctx;

    px_events_replays_to(ctx->events, reg->id);
    codes_answered(reg, reply->status);
    resume_waiting(ctx);
}

/* Asks the server for what find_fresh has found, if there is anything. */
static void ask_server(struct registration *reg)
{
    struct px_ctx *ctx = reg->ctx;
    struct px_completion to = {.done = codes_registered, .target = reg};
    struct px_codes_args args = {.head = PX_DIRECTIVES_OF(reg->info, reg->ninfo),
                                 .codes = reg->fresh,
                                 .ncodes = reg->nfresh};
    int rc = PMIX_OPERATION_SUCCEEDED;

    reg->waits = false;
    if ((reg->nfresh > 0 || reg->all) && ctx->ops != NULL) {
        rc = ctx->ops->request(ctx, &px_request_register_codes, &args.head, &to);
    }
    if (rc == PMIX_OPERATION_SUCCEEDED) {
        rc = PMIX_ERR_NOT_SUPPORTED; /* the server was not asked */
    }
    if (rc != PMIX_SUCCESS) {
        codes_answered(reg, rc);
    }
}

/* Adds the handler, whose sources are processes now; or `rc` is why it cannot be added. Then asks
 * the server, or waits. */
static void add_handler(struct registration *reg, int rc)
{
    struct px_ctx *ctx = reg->ctx;

    reg->waits = !is_local(reg) && is_asked_now(reg);
    find_fresh(reg);
    rc = rc != 0 ? rc
                 : px_events_add(ctx->events, reg->codes, reg->ncodes, reg->info, reg->ninfo,
                                 reg->handler, &reg->id);
    if (rc != 0) {
        reg->id = 0;
        registration_done(reg, rc);
        return;
    }
    px_list_append(&ctx->registrations, &reg->link);
    if (reg->waits) {
        px_events_set_asked(ctx->events, reg->id, false);
    } else {
        ask_server(reg);
    }
}

/* The completion of px_role_ops.spell_sources. Loop thread. */
static void sources_spelt(const struct px_completion *to, struct px_reply *reply)
{
    add_handler(to->target, reply->status);
}

/* The task. A handler whose sources are given is added when the groups among them are known. */
static void run_registration(struct px_task *task)
{
    struct registration *reg = px_container_of(task, struct registration, task);
    const struct px_role_ops *ops = reg->ctx->ops;
    struct px_args infos = PX_DIRECTIVES_OF(reg->info, reg->ninfo);
    const struct px_completion to = {.done = sources_spelt, .target = reg};
    int rc = spell_sources(reg);

    if (rc == 0 && ops->spell_sources != NULL &&
        px_infos_next(reg->info, reg->ninfo, NULL, PMIX_EVENT_CUSTOM_RANGE) != NULL) {
        ops->spell_sources(reg->ctx, &infos, &to);
    } else {
        add_handler(reg, rc);
    }
}

/* With a callback the result goes there. Without one the call blocks, and its result is the number
 * of the handler or a negative status. NULL codes or 0 of them: a default handler. */
pmix_status_t PMIx_Register_event_handler(pmix_status_t codes[], size_t ncodes, pmix_info_t info[],
                                          size_t ninfo, pmix_notification_fn_t evhdlr,
                                          pmix_hdlr_reg_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct registration *reg;
    struct px_wait wait;
    pmix_status_t rc = ctx != NULL && cbfunc != NULL ? PMIX_SUCCESS : px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (evhdlr == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    reg = registration_create(codes, codes != NULL ? ncodes : 0, info, ninfo);
    if (reg == NULL) {
        return PMIX_ERR_NOMEM;
    }
    reg->task.run = run_registration;
    reg->ctx = ctx;
    reg->handler = evhdlr;
    reg->met = px_api_check_required(ctx, &px_call_handler, info, ninfo);
    reg->cbfunc = cbfunc;
    reg->cbdata = cbdata;
    px_after_init(&reg->after, ctx->loop, registration_tell);
    if (cbfunc != NULL) {
        px_loop_post(ctx->loop, &reg->task);
        px_after_return(&reg->after);
        return PMIX_SUCCESS;
    }
    px_wait_init(&wait);
    reg->wait = &wait;
    px_loop_post(ctx->loop, &reg->task);
    return px_ctx_wait(ctx, &wait);
}

/* One PMIx_Deregister_event_handler under way; owned by its task on the loop thread. */
struct deregistration {
    struct px_task task;
    struct px_after after;
    struct px_ctx *ctx;
    size_t id;
    pmix_status_t status;
    pmix_op_cbfunc_t cbfunc; /* NULL: a thread waits */
    void *cbdata;
    struct px_wait *wait; /* of the blocking form, on the caller's stack; else NULL */
};

/* Calls back, on the loop thread. */
static void deregistration_tell(struct px_after *after)
{
    struct deregistration *dereg = px_container_of(after, struct deregistration, after);

    dereg->cbfunc(dereg->status, dereg->cbdata);
    free(dereg);
}

/* The task: removes the handler; a waiter is told at once, an application when its call has
 * returned. */
static void run_deregistration(struct px_task *task)
{
    struct deregistration *dereg = px_container_of(task, struct deregistration, task);

    dereg->status = px_events_remove(dereg->ctx->events, dereg->id);
    if (dereg->wait == NULL) {
        px_after_done(&dereg->after);
        return;
    }
    px_wait_done(dereg->wait, dereg->status);
    free(dereg);
}

/* The server learns of codes that no other handler needs; its reply is not waited for.
 *
 * On the progress thread the call without a callback is done at once, because the registry belongs
 * to that thread. So a handler may deregister itself. */
pmix_status_t PMIx_Deregister_event_handler(size_t evhdlr_ref, pmix_op_cbfunc_t cbfunc,
                                            void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct deregistration *dereg;
    struct px_wait wait;

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    if (cbfunc == NULL && px_loop_inside(ctx->loop)) {
        return px_events_remove(ctx->events, evhdlr_ref);
    }
    dereg = malloc(sizeof(*dereg));
    if (dereg == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *dereg = (struct deregistration){.task.run = run_deregistration,
                                     .ctx = ctx,
                                     .id = evhdlr_ref,
                                     .cbfunc = cbfunc,
                                     .cbdata = cbdata};
    px_after_init(&dereg->after, ctx->loop, deregistration_tell);
    if (cbfunc != NULL) {
        px_loop_post(ctx->loop, &dereg->task);
        px_after_return(&dereg->after);
        return PMIX_SUCCESS;
    }
    px_wait_init(&wait);
    dereg->wait = &wait;
    px_loop_post(ctx->loop, &dereg->task);
    return px_ctx_wait(ctx, &wait);
}

/* With a callback, or on the progress thread, the call only starts the notification; otherwise it
 * blocks until the server has accepted it. A missing source is this process; of a host it is none,
 * with an empty namespace and PMIX_RANK_UNDEF. A forked child gets PMIX_ERR_UNREACH. At the server:
 * px_notify_call (src/server/events/server_events.c). */
pmix_status_t PMIx_Notify_event(pmix_status_t status, const pmix_proc_t *source,
                                pmix_data_range_t range, const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_notify_args args = {
        .head = PX_DIRECTIVES_OF(info, ninfo), .code = status, .range = range};
    struct px_notify_directives directives;
    pmix_status_t rc;

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (!px_args_valid(&px_request_notify, &args.head)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_notify, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = px_notify_read(info, ninfo, &directives);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rc = px_api_may_block(ctx);
    if (rc == PMIX_ERR_UNREACH) {
        return rc;
    }
    if (source != NULL) {
        args.source = *source;
    } else if (!ctx->ops->hosted) {
        args.source = ctx->self;
    } else { /* the host does not say who */
        args.source.rank = PMIX_RANK_UNDEF;
    }
    return cbfunc != NULL || rc == PMIX_ERR_WOULD_BLOCK
               ? px_api_start(&px_request_notify, &args.head, (px_callback) cbfunc, cbdata)
               : px_api_run(&px_request_notify, &args.head, NULL);
}
