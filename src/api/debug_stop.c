/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The process registers for its release before it says that it is ready, so the release cannot come
 * too early. It uses the exported calls, as an application could. */

#include "debug_stop.h"

#include <stdbool.h>

#include <pmix.h>

#include "src/context/context.h"
#include "src/value/infos.h"

/* The name of this breakpoint, that of OpenPMIx. */
#define BREAKPOINT "pmix-init"

/* One process that is held; on the stack of PMIx_Init. Its handlers find it by
 * PMIX_EVENT_RETURN_OBJECT. */
struct hold {
    struct px_wait wait;
    bool over; /* loop thread */
};

/* The handler of the release, and of the loss of the server. */
static void release(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t *results, size_t nresults,
                    pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const pmix_value_t *value = px_info_find(info, ninfo, PMIX_EVENT_RETURN_OBJECT);
    struct hold *hold = value != NULL && value->type == PMIX_POINTER ? value->data.ptr : NULL;

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    if (hold != NULL && !hold->over) {
        hold->over = true;
        px_wait_done(&hold->wait, status == PMIX_DEBUGGER_RELEASE ? PMIX_SUCCESS : status);
    }
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* Registers the handler for one code. Its number, or a status. */
static pmix_status_t watch(struct hold *hold, pmix_status_t code)
{
    pmix_info_t info;
    pmix_status_t rc = PMIx_Info_load(&info, PMIX_EVENT_RETURN_OBJECT, hold, PMIX_POINTER);

    rc = rc != PMIX_SUCCESS ? rc
                            : PMIx_Register_event_handler(&code, 1, &info, 1, release, NULL, NULL);
    PMIx_Info_destruct(&info);
    return rc;
}

/* Tells the host that this process is at its breakpoint. */
static pmix_status_t report(const struct px_ctx *ctx)
{
    pmix_info_t *info = NULL;
    size_t n = 0;
    pmix_status_t rc = px_infos_append(&info, &n, PMIX_EVENT_NON_DEFAULT, NULL, PMIX_BOOL);

    rc = rc != PMIX_SUCCESS ? rc
                            : px_infos_append(&info, &n, PMIX_BREAKPOINT, BREAKPOINT, PMIX_STRING);
    rc = rc != PMIX_SUCCESS ? rc
                            : PMIx_Notify_event(PMIX_READY_FOR_DEBUG, &ctx->self, PMIX_RANGE_RM,
                                                info, n, NULL, NULL);
    PMIx_Info_free(info, n);
    return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
}

/* True if this process is to be held: the value is a flag for all, or the rank that is meant. */
static bool is_held(const struct px_ctx *ctx)
{
    pmix_value_t *value = NULL;
    pmix_info_t optional;
    uint32_t rank;
    bool held = false;

    (void) PMIx_Info_load(&optional, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    if (PMIx_Get(&ctx->self, PMIX_DEBUG_STOP_IN_INIT, &optional, 1, &value) == PMIX_SUCCESS) {
        held = px_value_true(value) || (px_value_u32(value, &rank) == 0 &&
                                        (rank == PMIX_RANK_WILDCARD || rank == ctx->self.rank));
        PMIx_Value_free(value, 1);
    }
    PMIx_Info_destruct(&optional);
    return held;
}

/* Blocks until the handlers' events come, unless rc says that they cannot. Returns how it ended.
 * The handlers are gone before or after the wait, and never touch it when it is over. */
static pmix_status_t await_release(struct px_ctx *ctx, struct hold *hold, pmix_status_t rc,
                                   const pmix_status_t *handlers)
{
    pmix_status_t ended = rc == PMIX_SUCCESS ? px_ctx_await(ctx, &hold->wait, PMIX_SUCCESS) : rc;

    for (size_t i = 0; i < 2; i++) {
        if (handlers[i] >= 0) {
            (void) PMIx_Deregister_event_handler((size_t) handlers[i], NULL, NULL);
        }
    }
    return rc == PMIX_SUCCESS ? ended : px_ctx_await(ctx, &hold->wait, rc);
}

pmix_status_t px_api_stop_in_init(struct px_ctx *ctx)
{
    struct hold hold = {.over = false};
    pmix_status_t handlers[2];
    pmix_status_t rc;

    px_assert(px_lock_held(&ctx->lock));
    if (!is_held(ctx)) {
        return PMIX_SUCCESS;
    }
    px_wait_init(&hold.wait);
    handlers[0] = watch(&hold, PMIX_DEBUGGER_RELEASE);
    handlers[1] = watch(&hold, PMIX_ERR_LOST_CONNECTION);
    rc = handlers[0] < 0 ? handlers[0] : handlers[1] < 0 ? handlers[1] : report(ctx);
    return await_release(ctx, &hold, rc, handlers);
}
