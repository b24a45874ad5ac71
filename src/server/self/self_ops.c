/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the server process itself may call of the client's API. It goes the way of a client's
 * request with the server's own name, so that the host sees no difference but the name. Arguments
 * are copied here, in the caller's thread; the rest happens on the loop thread. */

#include "self_ops.h"

#include <stdlib.h>
#include <string.h>

#include "self_call.h"
#include "src/server/requests/server_query.h"
#include "src/server/server_start.h"
#include "src/server/requests/server_publish.h"
#include "src/server/requests/spawn.h"
#include "src/server/peers/dispatch.h"
#include "src/value/infos.h"

/* --- what is the host's --- */

static pmix_status_t own_abort(struct px_ctx *ctx, int status, const char *msg,
                               const pmix_proc_t *procs, size_t nprocs, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_procs(up, procs, nprocs);

    if (!rc) {
        up->code = status;
        up->text = msg ? strdup(msg) : NULL;
        rc = msg && !up->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
    }
    return px_self_post(up, rc, false, px_upcall_abort);
}

static pmix_status_t own_publish(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                 pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);

    return px_self_post(up, px_self_copy_infos(up, info, ninfo), true, px_upcall_publish);
}

static pmix_status_t own_lookup(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.lookup = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_keys(up, keys);

    return px_self_post(up, rc ? rc : px_self_copy_infos(up, info, ninfo), true, px_upcall_lookup);
}

static pmix_status_t own_unpublish(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                   size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_keys(up, keys);

    return px_self_post(up, rc ? rc : px_self_copy_infos(up, info, ninfo), true,
                        px_upcall_unpublish);
}

static int copy_app(pmix_app_t *to, const pmix_app_t *reply_to)
{
    to->cmd = reply_to->cmd ? strdup(reply_to->cmd) : NULL;
    to->argv = reply_to->argv ? PMIx_Argv_copy(reply_to->argv) : NULL;
    to->env = reply_to->env ? PMIx_Argv_copy(reply_to->env) : NULL;
    to->cwd = reply_to->cwd ? strdup(reply_to->cwd) : NULL;
    to->maxprocs = reply_to->maxprocs;
    if ((reply_to->cmd && !to->cmd) || (reply_to->argv && !to->argv) ||
        (reply_to->env && !to->env) || (reply_to->cwd && !to->cwd) ||
        px_infos_copy(reply_to->info, reply_to->ninfo, &to->info)) {
        return PMIX_ERR_NOMEM;
    }
    to->ninfo = to->info ? reply_to->ninfo : 0;
    return PMIX_SUCCESS;
}

static pmix_status_t own_spawn(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                               const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                               void *cbdata)
{
    struct px_reply_to reply_to = {.spawn = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, job_info, ninfo);

    if (!rc) {
        up->apps = PMIx_App_create(napps);
        up->napps = up->apps ? napps : 0;
        rc = up->apps ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; !rc && i < napps; i++) {
        rc = copy_app(&up->apps[i], &apps[i]);
    }
    return px_self_post(up, rc, true, px_upcall_spawn);
}

static pmix_status_t own_log(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata,
                             const pmix_info_t *directives, size_t ndirs, pmix_op_cbfunc_t cbfunc,
                             void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(data, ndata, &up->data);
        up->ndata = up->data ? ndata : 0;
    }
    return px_self_post(up, rc, true, px_upcall_log);
}

static pmix_status_t own_job_control(struct px_ctx *ctx, const pmix_proc_t *targets,
                                     size_t ntargets, const pmix_info_t *directives, size_t ndirs,
                                     pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_procs(up, targets, ntargets);

    return px_self_post(up, rc ? rc : px_self_copy_infos(up, directives, ndirs), true,
                        px_upcall_job_control);
}

static pmix_status_t own_monitor(struct px_ctx *ctx, const pmix_info_t *monitor,
                                 pmix_status_t error, const pmix_info_t *directives, size_t ndirs,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(monitor, monitor ? 1 : 0, &up->data);
        up->ndata = up->data ? 1 : 0;
        up->code = error;
    }
    return px_self_post(up, rc, true, px_upcall_monitor);
}

static pmix_status_t own_credential(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                    pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.cred = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);

    return px_self_post(up, px_self_copy_infos(up, info, ninfo), true, px_upcall_credential);
}

static pmix_status_t own_validate(struct px_ctx *ctx, const pmix_byte_object_t *cred,
                                  const pmix_info_t *info, size_t ninfo,
                                  pmix_validation_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.valid = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_bytes(up, cred);

    return px_self_post(up, rc ? rc : px_self_copy_infos(up, info, ninfo), true,
                        px_upcall_validate);
}

static pmix_status_t own_query(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                               pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = up && nqueries ? PMIX_SUCCESS : up ? PMIX_ERR_BAD_PARAM : PMIX_ERR_NOMEM;

    if (!rc) {
        up->queries = PMIx_Query_create(nqueries);
        up->nqueries = up->queries ? nqueries : 0;
        rc = up->queries ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; !rc && i < nqueries; i++) {
        pmix_query_t *to = &up->queries[i];

        to->keys = queries[i].keys ? PMIx_Argv_copy(queries[i].keys) : NULL;
        rc = px_infos_copy(queries[i].qualifiers, queries[i].nqual, &to->qualifiers);
        to->nqual = to->qualifiers ? queries[i].nqual : 0;
        rc = rc || (queries[i].keys && !to->keys)
                 ? PMIX_ERR_NOMEM
                 : px_infos_identify(&to->qualifiers, &to->nqual, up->server->uid, up->server->gid);
    }
    return px_self_post(up, rc, false, px_upcall_query);
}

static pmix_status_t post_numbered(struct px_ctx *ctx, uint32_t number, const pmix_info_t *info,
                                   size_t ninfo, pmix_info_cbfunc_t cbfunc, void *cbdata,
                                   void (*go)(struct px_upcall *up))
{
    struct px_reply_to reply_to = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, info, ninfo);

    if (!rc) {
        up->number = number;
    }
    return px_self_post(up, rc, true, go);
}

static pmix_status_t own_fabric(struct px_ctx *ctx, const pmix_info_t *directives, size_t ndirs,
                                pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return post_numbered(ctx, PMIX_FABRIC_REQUEST_INFO, directives, ndirs, cbfunc, cbdata,
                         px_upcall_fabric);
}

static pmix_status_t own_fabric_update(struct px_ctx *ctx, size_t index, pmix_info_cbfunc_t cbfunc,
                                       void *cbdata)
{
    pmix_info_t info = {.key = PMIX_FABRIC_INDEX, .value = {.type = PMIX_SIZE, .data.size = index}};

    return post_numbered(ctx, PMIX_FABRIC_UPDATE_INFO, &info, 1, cbfunc, cbdata, px_upcall_fabric);
}

static pmix_status_t own_session(struct px_ctx *ctx, uint32_t session,
                                 const pmix_info_t *directives, size_t ndirs,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return post_numbered(ctx, session, directives, ndirs, cbfunc, cbdata, px_upcall_session);
}

static int copy_units(struct px_upcall *up, const pmix_resource_unit_t *units, size_t n)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    up->units = n ? malloc(n * sizeof(*units)) : NULL;
    if (up->units) {
        memcpy(up->units, units, n * sizeof(*units)); /* they point to nothing */
        up->nunits = n;
    }
    return n && !up->units ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

static pmix_status_t own_resblock(struct px_ctx *ctx, pmix_resource_block_directive_t directive,
                                  const char *block, const pmix_resource_unit_t *units,
                                  size_t nunits, const pmix_info_t *info, size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_reply_to reply_to = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = copy_units(up, units, nunits);

    rc = rc ? rc : px_self_copy_infos(up, info, ninfo);
    if (!rc) {
        up->number = directive;
        up->text = block ? strdup(block) : NULL;
        rc = block && !up->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
    }
    return px_self_post(up, rc, true, px_upcall_resblock);
}

static pmix_status_t own_alloc(struct px_ctx *ctx, pmix_alloc_directive_t directive,
                               const pmix_info_t *info, size_t ninfo, pmix_info_cbfunc_t cbfunc,
                               void *cbdata)
{
    return post_numbered(ctx, directive, info, ninfo, cbfunc, cbdata, px_upcall_alloc);
}

/* Not here: what only a member of a job does (put, fence, connect, groups). */
const struct px_role_ops px_server_ops = {
    .name = "server",
    .store_internal = px_self_store,
    .commit = px_self_commit,
    .get = px_self_get,
    .get_nb = px_self_get_nb,
    .abort_nb = own_abort,
    .publish_nb = own_publish,
    .lookup_nb = own_lookup,
    .unpublish_nb = own_unpublish,
    .spawn_nb = own_spawn,
    .resolve_peers = px_self_resolve_peers,
    .resolve_nodes = px_self_resolve_nodes,
    .query_nb = own_query,
    .log_nb = own_log,
    .alloc_nb = own_alloc,
    .job_control_nb = own_job_control,
    .monitor_nb = own_monitor,
    .get_credential_nb = own_credential,
    .validate_credential_nb = own_validate,
    .register_codes = px_self_register_codes,
    .deregister_codes = px_self_deregister_codes,
    .notify_nb = px_self_notify,
    .fabric_register_nb = own_fabric,
    .fabric_update_nb = own_fabric_update,
    .session_control_nb = own_session,
    .resource_block_nb = own_resblock,
    .iof_pull = px_self_iof_pull,
    .iof_deregister = px_self_iof_deregister,
    .iof_push = px_self_iof_push,
};
