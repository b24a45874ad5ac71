/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events and output of processes, for the server process itself. */

#include <stdlib.h>
#include <string.h>

#include "loop_call.h"
#include "src/server/events/server_events.h"
#include "src/server/events/server_iof.h"
#include "self_call.h"
#include "self_ops.h"
#include "src/event/registry.h"
#include "src/context/context.h"
#include "src/value/directives.h"
#include "src/server/events/output_cache.h"
#include "src/server/events/termination.h"
#include "src/server/peers/dispatch.h"

/* --- events --- */

static void go_register(struct px_upcall *up)
{
    px_codes_wanted(up->server, &up->reply_to, &up->proc, up->codes, up->ncodes, false, up->info,
                    up->ninfo);
    px_upcall_destroy(up);
}

pmix_status_t px_self_register_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                     const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                     void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, info, ninfo);

    if (!rc) {
        up->codes = calloc(ncodes + 1, sizeof(*codes));
        rc = up->codes ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (!rc && ncodes) {
        memcpy(up->codes, codes, ncodes * sizeof(*codes));
        up->ncodes = ncodes;
    }
    return px_self_post(up, rc, false, go_register);
}

void px_self_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                              bool default_handler)
{
    (void) default_handler;
    px_codes_dropped(ctx->role, codes, ncodes);
}

static void go_notify(struct px_upcall *up)
{
    struct px_event event = {
        .code = up->code,
        .source = up->proc2,
        .range = (pmix_data_range_t) up->number,
        .info = up->info,
        .ninfo = up->ninfo,
    };

    (void) px_event_fan_out(up->server, &event, PX_ORIGIN_HOST, NULL);
    px_termination_event(up->server, &event);
    px_answer_status(up->server, &up->reply_to, PMIX_SUCCESS);
    px_upcall_destroy(up);
}

pmix_status_t px_self_notify(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                             pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, info, ninfo);

    if (!rc) {
        up->code = code;
        up->number = range;
        if (source) {
            up->proc2 = *source;
        } else {
            up->proc2.rank = PMIX_RANK_UNDEF;
        }
    }
    return px_self_post(up, rc, false, go_notify);
}

/* --- output of processes --- */

struct pull_start {
    pmix_iof_channel_t channel;
    pmix_iof_cbfunc_t cbfunc;
    pmix_hdlr_reg_cbfunc_t regcbfunc;
};

static void go_pull(struct px_upcall *up)
{
    struct pull_start *start = up->arg;
    struct px_iof_subscription *pull =
        px_iof_subscription_add(up->server, 0, up->procs, up->nprocs, start->channel);

    size_t id = pull ? pull->id : SIZE_MAX;

    if (pull) {
        pull->cbfunc = start->cbfunc;
    }
    start->regcbfunc(pull ? PMIX_SUCCESS : PMIX_ERR_NOMEM, id, up->reply_to.cbdata);
    px_outputs_deliver(up->server, 0, id, up->info, up->ninfo);
    free(start);
    px_upcall_destroy(up);
}

/* The host is this process: it delivers by PMIx_server_IOF_deliver and need not be asked. */
pmix_status_t px_self_iof_pull(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                               const pmix_info_t *directives, size_t ndirs,
                               pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                               pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata)
{
    struct px_reply_to reply_to = {.cbdata = regcbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    struct pull_start *start = calloc(1, sizeof(*start));
    struct px_iof_pull_directives checked;
    int rc = start ? px_self_copy_procs(up, procs, nprocs) : PMIX_ERR_NOMEM;

    rc = rc ? rc : px_self_copy_infos(up, directives, ndirs);
    rc = rc ? rc : px_iof_pull_read(directives, ndirs, &checked);
    if (!rc && !px_directives_met(&px_call_iof_pull, PX_ATTR_SERVER, directives, ndirs)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    if (!rc) {
        *start = (struct pull_start){channel, cbfunc, regcbfunc};
        up->arg = start;
    }
    rc = px_self_post(up, rc, false, go_pull);
    if (rc) {
        free(start);
    }
    return rc;
}

struct drop_args {
    size_t id;
};

static int drop_on_loop(struct px_server *s, void *args)
{
    return px_iof_subscription_drop(s, 0, ((struct drop_args *) args)->id);
}

pmix_status_t px_self_iof_deregister(struct px_ctx *ctx, size_t handler,
                                     const pmix_info_t *directives, size_t ndirs,
                                     pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct drop_args args = {handler};
    int rc = px_server_run(ctx->role, drop_on_loop, &args);

    (void) directives;
    (void) ndirs;
    (void) cbfunc;
    (void) cbdata;
    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t px_self_iof_push(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                               const pmix_byte_object_t *bytes, const pmix_info_t *directives,
                               size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_procs(up, targets, ntargets);

    rc = rc ? rc : px_self_copy_bytes(up, bytes);
    return px_self_post(up, rc ? rc : px_self_copy_infos(up, directives, ndirs), true,
                        px_upcall_iof_push);
}
