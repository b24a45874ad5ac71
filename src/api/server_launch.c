/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of hosts around the launch of processes: environment, settings, inventory, strings about
 * cpus, and data and output that travel between servers. Arguments are checked here; the work is a
 * function of src/server, run on the loop thread (src/server/self/loop_call.h).
 *
 * The order of a launch: PMIx_server_setup_application at the first node, its infos shipped by the
 * host to all nodes; there PMIx_server_setup_local_support, PMIx_server_register_nspace,
 * PMIx_server_register_client and PMIx_server_setup_fork, then the fork. Callbacks that carry
 * infos give the host a release function; the infos live until the host calls it. */

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "src/context/reply_after.h"
#include "src/loop/after.h"
#include "src/server/self/loop_call.h"
#include "src/topo/topo.h"
#include "src/value/directives.h"
#include "src/server/data/inventory.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/register.h"
#include "src/server/events/server_input.h"
#include "src/server/events/server_iof.h"
#include "src/server/setup.h"
#include "src/topo/cpuset.h"
#include "src/topo/locality.h"

/* px_server_read, so that it works in a forked child: Slurm's daemon asks there. px_setup_fork
 * (src/server/setup.c). */
pmix_status_t PMIx_server_setup_fork(const pmix_proc_t *proc, char ***env)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_fork_args args = {proc, env};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL || env == NULL || proc->nspace[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_read(s, px_setup_fork, &args);
}

/* The callback of a call that reports its result in another way. px_server_start_call needs one, or
 * it would wait. */
static void ignore(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

/* Completion: gives the host the bytes, until it returns. */
static void give_modex(const struct px_completion *to, struct px_reply *reply)
{
    pmix_dmodex_response_fn_t fn = (pmix_dmodex_response_fn_t) to->callback;

    fn(reply->status, reply->bytes.bytes, reply->bytes.size, to->cbdata);
}

/* The loop thread serves it: at once, or when the process has committed its data. The result goes
 * to cbfunc by the completion. px_modex_serve (src/server/data/modex.c). */
pmix_status_t PMIx_server_dmodex_request(const pmix_proc_t *proc, pmix_dmodex_response_fn_t cbfunc,
                                         void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_completion to = {give_modex, NULL, (px_callback) cbfunc, cbdata};
    struct px_dmodex_args args;
    struct px_server *s = px_server_of(ctx);
    struct px_reply_after *after;

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL || cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.proc = *proc;
    after = px_reply_after_begin(ctx->loop, &to, &args.to);
    return px_reply_after_end(
        after, after != NULL
                   ? px_server_start_call(s, px_modex_serve, &args, sizeof(args), ignore, NULL)
                   : PMIX_ERR_NOMEM);
}

/* --- settings --- */

/* The answer to one PMIx_server_setup_application, until the host releases it. */
struct setup {
    struct px_after after;
    pmix_info_t *info;
    size_t ninfo;
    pmix_status_t status;
    pmix_setup_application_cbfunc_t cbfunc;
    void *cbdata;
};

/* Called by the host when it no longer needs the infos. Any thread. */
static void setup_released(pmix_status_t status, void *cbdata)
{
    struct setup *setup = cbdata;

    (void) status;
    PMIx_Info_free(setup->info, setup->ninfo);
    free(setup);
}

/* Calls the host, on the loop thread. The host owns `setup` from here on. */
static void setup_done(struct px_after *after)
{
    struct setup *setup = px_container_of(after, struct setup, after);

    setup->cbfunc(setup->status, setup->info, setup->ninfo, setup->cbdata, setup_released, setup);
}

/* Computed in the calling thread; only the callback is left to the loop thread. A failure of the
 * computation is reported there. px_setup_application (src/server/setup.c). */
pmix_status_t PMIx_server_setup_application(const pmix_nspace_t nspace, pmix_info_t info[],
                                            size_t ninfo, pmix_setup_application_cbfunc_t cbfunc,
                                            void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct setup *setup;

    if (px_server_of(ctx) == NULL) {
        return PMIX_ERR_INIT;
    }
    if (nspace == NULL || cbfunc == NULL || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_setup_app, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    setup = calloc(1, sizeof(*setup));
    if (setup == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_after_init(&setup->after, ctx->loop, setup_done);
    setup->cbfunc = cbfunc;
    setup->cbdata = cbdata;
    setup->status = px_setup_application(info, ninfo, &setup->info, &setup->ninfo);
    px_after_done(&setup->after);
    px_after_return(&setup->after);
    return PMIX_SUCCESS;
}

/* Stores a copy of the settings with the namespace, in place of earlier ones;
 * PMIx_server_setup_fork applies them. px_local_support (src/server/setup.c). */
pmix_status_t PMIx_server_setup_local_support(const pmix_nspace_t nspace, pmix_info_t info[],
                                              size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_nspace_args args = {.info = info, .ninfo = ninfo};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (nspace == NULL || nspace[0] == '\0' ||
        strnlen(nspace, PMIX_MAX_NSLEN + 1) > PMIX_MAX_NSLEN || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Load_nspace(args.nspace, nspace);
    return px_server_start_call(s, px_local_support, &args, sizeof(args), cbfunc, cbdata);
}

/* --- output --- */

/* Output of a process, delivered to the subscriptions at this server that cover it; if there is
 * none it is kept for a later subscription. px_output_deliver (src/server/events/server_iof.c). */
pmix_status_t PMIx_server_IOF_deliver(const pmix_proc_t *source, pmix_iof_channel_t channel,
                                      const pmix_byte_object_t *bo, const pmix_info_t info[],
                                      size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_output args = {.channel = channel, .bytes = bo, .info = info, .ninfo = ninfo};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (source == NULL || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.source = *source;
    return px_server_start_call(s, px_output_deliver, &args, sizeof(args), cbfunc, cbdata);
}

/* Holds back those that push standard input, by the answers to their pushes, or lets them go on.
 * px_flow_control (src/server/events/server_input.c). */
pmix_status_t PMIx_server_IOF_flow_control(const pmix_proc_t *source, pmix_iof_channel_t channel,
                                           bool xoff, const pmix_info_t directives[], size_t ndirs,
                                           pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_flow_args args = {.source.rank = PMIX_RANK_WILDCARD, .pause = xoff};
    struct px_server *s = px_server_of(ctx);
    pmix_status_t rc;

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if ((ndirs > 0 && directives == NULL) ||
        (source != NULL && strnlen(source->nspace, PMIX_MAX_NSLEN + 1) > PMIX_MAX_NSLEN)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if ((channel & PMIX_FWD_STDIN_CHANNEL) == 0 ||
        !px_api_check_required(ctx, &px_call_iof_flow_control, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (source != NULL) {
        PMIx_Load_procid(&args.source, source->nspace, source->rank);
    }
    rc = px_server_start_call(s, px_flow_control, &args, sizeof(args), cbfunc, cbdata);
    return rc == PMIX_SUCCESS && cbfunc == NULL ? PMIX_OPERATION_SUCCEEDED : rc;
}

/* --- inventory and job information --- */

/* The answer to one PMIx_server_collect_inventory, until the host releases it. */
struct inventory {
    struct px_after after;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
    pmix_info_t info[2]; /* which node, and its topology */
    size_t ninfo;
};

/* Called by the host when it no longer needs the infos. Any thread. */
static void inventory_released(void *cbdata)
{
    struct inventory *inventory = cbdata;

    for (size_t i = 0; i < inventory->ninfo; i++) {
        PMIx_Info_destruct(&inventory->info[i]);
    }
    free(inventory);
}

/* Calls the host, on the loop thread, which owns `inventory` from then on. PMIX_ERR_NOT_FOUND: the
 * topology could not be loaded. */
static void inventory_done(struct px_after *after)
{
    struct inventory *inventory = px_container_of(after, struct inventory, after);
    pmix_status_t status = inventory->ninfo > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;

    inventory->cbfunc(status, inventory->ninfo > 0 ? inventory->info : NULL, inventory->ninfo,
                      inventory->cbdata, inventory_released, inventory);
}

/* Fills both infos, or none and ninfo stays 0. The text of the topology is borrowed from src/topo
 * and copied here. */
static void take_inventory(struct inventory *inventory, const char *hostname)
{
    const char *xml = NULL;

    if (px_topo_xml_peek(&xml) != 0 ||
        PMIx_Info_load(&inventory->info[0], PMIX_HOSTNAME, hostname, PMIX_STRING) != 0) {
        return;
    }
    if (PMIx_Info_load(&inventory->info[1], PMIX_HWLOC_XML_V2, xml, PMIX_STRING) == 0) {
        inventory->ninfo = 2;
    } else {
        PMIx_Info_destruct(&inventory->info[0]);
    }
}

/* The inventory of a node is its name and its topology as XML. It is collected in the calling
 * thread, since loading a topology may take long. */
pmix_status_t PMIx_server_collect_inventory(pmix_info_t directives[], size_t ndirs,
                                            pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_server *s = px_server_of(ctx);
    struct inventory *inventory;

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (cbfunc == NULL || (ndirs > 0 && directives == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_collect_inventory, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    inventory = calloc(1, sizeof(*inventory));
    if (inventory == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_after_init(&inventory->after, ctx->loop, inventory_done);
    inventory->cbfunc = cbfunc;
    inventory->cbdata = cbdata;
    take_inventory(inventory, px_server_hostname(s));
    px_after_done(&inventory->after);
    px_after_return(&inventory->after);
    return PMIX_SUCCESS;
}

/* The server stores the inventories of all nodes and answers queries from them.
 * px_inventory_deliver (src/server/data/inventory.c). */
pmix_status_t PMIx_server_deliver_inventory(pmix_info_t info[], size_t ninfo,
                                            pmix_info_t directives[], size_t ndirs,
                                            pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_infos_args args = {info, ninfo};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL || ninfo == 0 || (ndirs > 0 && directives == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_deliver_inventory, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return px_server_start_call(s, px_inventory_deliver, &args, sizeof(args), cbfunc, cbdata);
}

/* The loop thread packs the job information of the named namespaces into buf, which is then copied
 * into the host's buffer. px_collect_job_info (src/server/data/register.c). */
pmix_status_t PMIx_server_collect_job_info(pmix_proc_t *procs, size_t nprocs,
                                           pmix_data_buffer_t *dbuf)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_buf buf = {0};
    struct px_collect_args args = {procs, nprocs, &buf};
    struct px_server *s = px_server_of(ctx);
    pmix_status_t rc;

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (procs == NULL || nprocs == 0 || dbuf == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = px_server_run(s, px_collect_job_info, &args);
    if (rc == PMIX_SUCCESS && buf.len > 0) {
        pmix_byte_object_t bytes = {.bytes = (char *) buf.data, .size = buf.len};

        rc = PMIx_Data_embed(dbuf, &bytes);
    }
    px_buf_fini(&buf);
    return rc;
}

/* --- strings --- */

/* These three need no context: they use the topology only. */
pmix_status_t PMIx_server_generate_locality_string(const pmix_cpuset_t *cpuset, char **locality)
{
    if (cpuset == NULL || locality == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_locality_string(cpuset, locality);
}

/* The string is in the list format of hwloc, malloc'd. */
pmix_status_t PMIx_server_generate_cpuset_string(const pmix_cpuset_t *cpuset, char **cpuset_string)
{
    if (cpuset == NULL || cpuset_string == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_cpuset_string(cpuset, cpuset_string);
}

/* The opposite; the set is the caller's. */
pmix_status_t PMIx_server_generate_cpuset(const char *cpuset_string, pmix_cpuset_t *cpuset)
{
    if (cpuset_string == NULL || cpuset == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_cpuset_parse(cpuset_string, cpuset);
}
