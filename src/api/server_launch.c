/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What hosts ask for around the launch of processes: environment, settings, inventory, strings
 * about cpus, and the data and output that go between servers. */

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "src/server/self/loop_call.h"
#include "src/topo/topo.h"
#include "src/value/directives.h"
#include "src/server/data/inventory.h"
#include "src/server/data/register.h"
#include "src/server/events/server_iof.h"
#include "src/server/setup.h"
#include "src/topo/cpuset.h"
#include "src/topo/locality.h"

static struct px_server *enter(void)
{
    return px_server_of(px_ctx_peek());
}

pmix_status_t PMIx_server_setup_fork(const pmix_proc_t *proc, char ***env)
{
    struct px_fork_args args = {proc, env};
    struct px_server *s = enter();

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL || env == NULL || proc->nspace[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_read(s, px_setup_fork, &args);
}

static void ignore(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

pmix_status_t PMIx_server_dmodex_request(const pmix_proc_t *proc, pmix_dmodex_response_fn_t cbfunc,
                                         void *cbdata)
{
    struct px_dmodex_args args = {.fn = cbfunc, .cbdata = cbdata};
    struct px_server *s = enter();

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL || cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.proc = *proc;
    return px_server_start_call(s, px_dmodex_serve, &args, sizeof(args), ignore, NULL);
}

/* --- settings --- */

struct setup {
    struct px_task task;
    pmix_info_t *info;
    size_t ninfo;
    pmix_status_t status;
    pmix_setup_application_cbfunc_t cbfunc;
    void *cbdata;
};

static void setup_released(pmix_status_t status, void *cbdata)
{
    struct setup *setup = cbdata;

    (void) status;
    PMIx_Info_free(setup->info, setup->ninfo);
    free(setup);
}

static void setup_done(struct px_task *task)
{
    struct setup *setup = px_container_of(task, struct setup, task);

    setup->cbfunc(setup->status, setup->info, setup->ninfo, setup->cbdata, setup_released, setup);
}

pmix_status_t PMIx_server_setup_application(const pmix_nspace_t nspace, pmix_info_t info[],
                                            size_t ninfo, pmix_setup_application_cbfunc_t cbfunc,
                                            void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct setup *setup;

    if (px_server_of(ctx) == NULL) {
        return PMIX_ERR_INIT;
    }
    if (nspace == NULL || nspace[0] == '\0' || cbfunc == NULL || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_setup_app, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    setup = calloc(1, sizeof(*setup));
    if (setup == NULL) {
        return PMIX_ERR_NOMEM;
    }
    setup->task.run = setup_done;
    setup->cbfunc = cbfunc;
    setup->cbdata = cbdata;
    setup->status = px_setup_application(info, ninfo, &setup->info, &setup->ninfo);
    px_loop_post(ctx->loop, &setup->task);
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_server_setup_local_support(const pmix_nspace_t nspace, pmix_info_t info[],
                                              size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_nspace_args args = {.info = info, .ninfo = ninfo};
    struct px_server *s = enter();

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

pmix_status_t PMIx_server_IOF_deliver(const pmix_proc_t *source, pmix_iof_channel_t channel,
                                      const pmix_byte_object_t *bo, const pmix_info_t info[],
                                      size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_output_args args = {.channel = channel, .bytes = bo, .info = info, .ninfo = ninfo};
    struct px_server *s = enter();

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (source == NULL || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.source = *source;
    return px_server_start_call(s, px_output_deliver, &args, sizeof(args), cbfunc, cbdata);
}

/* --- inventory and job information --- */

struct inventory {
    struct px_task task;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
    pmix_info_t info[2]; /* which node, and its topology */
    size_t ninfo;
};

static void inventory_released(void *cbdata)
{
    struct inventory *inventory = cbdata;

    for (size_t i = 0; i < inventory->ninfo; i++) {
        PMIx_Info_destruct(&inventory->info[i]);
    }
    free(inventory);
}

static void inventory_done(struct px_task *task)
{
    struct inventory *inventory = px_container_of(task, struct inventory, task);
    pmix_status_t status = inventory->ninfo > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;

    inventory->cbfunc(status, inventory->ninfo > 0 ? inventory->info : NULL, inventory->ninfo,
                      inventory->cbdata, inventory_released, inventory);
}

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

/* What this node has: its topology. */
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
    inventory = calloc(1, sizeof(*inventory));
    if (inventory == NULL) {
        return PMIX_ERR_NOMEM;
    }
    inventory->task.run = inventory_done;
    inventory->cbfunc = cbfunc;
    inventory->cbdata = cbdata;
    take_inventory(inventory, px_server_hostname(s));
    px_loop_post(ctx->loop, &inventory->task);
    return PMIX_SUCCESS;
}

/* Kept for queries. */
pmix_status_t PMIx_server_deliver_inventory(pmix_info_t info[], size_t ninfo,
                                            pmix_info_t directives[], size_t ndirs,
                                            pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_infos_args args = {info, ninfo};
    struct px_server *s = enter();

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL || ninfo == 0 || (ndirs > 0 && directives == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(px_ctx(), &px_call_deliver_inventory, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return px_server_start_call(s, px_inventory_deliver, &args, sizeof(args), cbfunc, cbdata);
}

pmix_status_t PMIx_server_collect_job_info(pmix_proc_t *procs, size_t nprocs,
                                           pmix_data_buffer_t *dbuf)
{
    struct px_buf buf = {0};
    struct px_collect_args args = {procs, nprocs, &buf};
    struct px_server *s = enter();
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

pmix_status_t PMIx_server_generate_locality_string(const pmix_cpuset_t *cpuset, char **locality)
{
    if (cpuset == NULL || locality == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_locality_string(cpuset, locality);
}

pmix_status_t PMIx_server_generate_cpuset_string(const pmix_cpuset_t *cpuset, char **cpuset_string)
{
    if (cpuset == NULL || cpuset_string == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_cpuset_string(cpuset, cpuset_string);
}

pmix_status_t PMIx_server_generate_cpuset(const char *cpuset_string, pmix_cpuset_t *cpuset)
{
    if (cpuset_string == NULL || cpuset == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_topo_cpuset_parse(cpuset_string, cpuset);
}
