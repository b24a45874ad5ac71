/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_decide.h"

#include "request.h"
#include "session.h"
#include "src/base/assert.h"
#include "src/event/chain.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/wire/message.h"

bool px_group_says_abort(pmix_status_t status, const pmix_info_t *results, size_t nresults)
{
    bool abort = status == PMIX_GROUP_CONSTRUCT_ABORT;

    for (size_t i = 0; i < nresults; i++) {
        abort = abort || (results[i].value.type == PMIX_STATUS &&
                          results[i].value.data.status == PMIX_GROUP_CONSTRUCT_ABORT);
    }
    return abort;
}

/* Answers the question of that number. An answer that cannot be sent is that of a process that is
 * lost. */
static void answer(struct px_session *session, uint64_t serial, pmix_status_t code)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    struct px_infos infos = {0};
    struct px_notify_args args = {
        .code = code, .range = PMIX_RANGE_LOCAL, .source = session->ctx->self};

    if (px_infos_append(&infos.info, &infos.n, PX_KEY_DECIDE, &serial, PMIX_UINT64) == 0) {
        args.head = (struct px_args){infos.info, infos.n};
        (void) px_request_send(session, &px_request_notify, &args.head, &nobody);
    }
    px_infos_fini(&infos);
}

/* The handlers have completed. The one that wants to lead says so among its results. Once the
 * context is down the server is being left, and the session may be gone. For px_events_ask. */
static void decided(void *serial, pmix_status_t status, const pmix_info_t *results, size_t nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t code = nresults > 0 ? PMIX_GROUP_MEMBERSHIP_UPDATE : PMIX_ERR_NOT_FOUND;

    if (px_group_says_abort(status, results, nresults)) {
        code = PMIX_GROUP_CONSTRUCT_ABORT;
    } else if (px_infos_flag(results, nresults, PMIX_GROUP_LEADER)) {
        code = PMIX_GROUP_LEADER_SELECTED;
    }
    if (ctx != NULL) {
        answer(px_session(ctx), (uintptr_t) serial, code);
    }
}

bool px_group_decide_event(struct px_session *session, const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PX_KEY_DECIDE);
    struct px_events *events = session->ctx->events;

    px_assert(px_loop_inside(session->ctx->loop));
    if (value == NULL || value->type != PMIX_UINT64) {
        return false;
    }
    if (events == NULL ||
        px_events_ask(events, event, decided, (void *) (uintptr_t) value->data.uint64) != 0) {
        answer(session, value->data.uint64, PMIX_ERR_NOT_FOUND);
    }
    return true;
}
