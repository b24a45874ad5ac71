/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events and output of processes for the server process itself. It subscribes to output in the
 * same table as its peers do, as peer number 0. */

#include "self_events.h"

#include <stdlib.h>

#include "loop_call.h"
#include "src/server/events/passed_events.h"
#include "src/server/events/registrations.h"
#include "src/server/events/server_iof.h"
#include "src/loop/after.h"
#include "src/nspace/proc_sets.h"
#include "src/context/context.h"
#include "src/value/directives.h"
#include "src/server/events/output_cache.h"

/* --- events --- */

void px_self_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                              bool default_handler)
{
    px_codes_dropped(ctx->server, codes, ncodes);
    if (default_handler) {
        px_defaults_drop_above(ctx->server);
    }
}

int px_self_spell_groups(struct px_ctx *ctx, pmix_info_t *info)
{
    const struct px_server *s = ctx->server;

    return px_proc_sets_spell(s->proc_sets, NULL, info);
}

/* --- output of processes --- */

/* A subscription on its way to the loop thread, where it is made after the call has returned.
 * Allocated by px_self_iof_pull, freed by run_pull. */
struct pull_start {
    struct px_after after;
    struct px_server *server;
    struct px_iof_pull_args args;
    struct px_sink *sink; /* owned until the subscription has it */
    pmix_hdlr_reg_cbfunc_t regcbfunc;
    void *regcbdata;
};

/* Frees it with its arguments. Takes zeroed or partly copied arguments, too. */
static void pull_free(struct pull_start *start)
{
    px_args_fini(&px_request_iof_pull, &start->args.head);
    px_sink_destroy(start->sink);
    free(start);
}

/* Loop thread: adds the subscription, reports its number (SIZE_MAX if memory is out), and
 * delivers the output that was kept before. */
static void run_pull(struct px_after *after)
{
    struct pull_start *start = px_container_of(after, struct pull_start, after);
    const struct px_iof_pull_args *args = &start->args;
    struct px_iof_subscription *pull =
        px_iof_subscription_add(start->server, 0, args->procs, args->nprocs, args->channel);
    size_t id = pull ? pull->id : SIZE_MAX;

    if (pull) {
        pull->sink = start->sink;
        start->sink = NULL;
    }
    start->regcbfunc(pull ? PMIX_SUCCESS : PMIX_ERR_NOMEM, id, start->regcbdata);
    px_outputs_deliver(start->server, 0, id, args->head.info, args->head.ninfo);
    pull_free(start);
}

/* The host is this process and delivers by PMIx_server_IOF_deliver, so there is no upcall. */
pmix_status_t px_self_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                               pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                               void *regcbdata)
{
    struct pull_start *start = calloc(1, sizeof(*start));
    struct px_server *s = ctx->server;
    int rc;

    if (!start) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_output_sink(s, args->head.info, args->head.ninfo, cbfunc, &start->sink);
    if (!rc &&
        !px_directives_met(&px_call_iof_pull, PX_ATTR_SERVER, args->head.info, args->head.ninfo)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    rc = rc ? rc : px_args_copy(&px_request_iof_pull, &start->args.head, &args->head);
    if (rc) {
        pull_free(start);
        return rc;
    }
    px_after_init(&start->after, s->loop, run_pull);
    start->server = s;
    start->regcbfunc = regcbfunc;
    start->regcbdata = regcbdata;
    px_after_done(&start->after);
    px_after_return(&start->after);
    return PMIX_SUCCESS;
}

/* For px_server_run: `id` points to the subscription's number. */
static int drop_on_loop(struct px_server *s, void *id)
{
    return px_iof_subscription_drop(s, 0, *(const size_t *) id);
}

pmix_status_t px_self_iof_deregister(struct px_server *s, const struct px_iof_deregister_args *args)
{
    size_t id = args->id;
    int rc = px_server_run(s, drop_on_loop, &id);

    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}
