/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the server process itself may call of the client's API. It goes the way of a client's
 * request with the server's own name, so that the host sees no difference but the name. Arguments
 * are copied here, in the caller's thread; the rest happens on the loop thread. */

#include "role.h"

#include <stdlib.h>
#include <string.h>

#include "own.h"
#include "query.h"
#include "start.h"

/* --- what is the host's --- */

static pmix_status_t own_abort(struct px_ctx *ctx, int status, const char *msg,
                               const pmix_proc_t *procs, size_t nprocs, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_procs(up, procs, nprocs);

    if (!rc) {
        up->code = status;
        up->text = msg ? strdup(msg) : NULL;
        rc = msg && !up->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
    }
    return px_own_post(up, rc, false, px_go_abort);
}

static pmix_status_t own_publish(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                 pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);

    return px_own_post(up, px_own_copy_infos(up, info, ninfo), true, px_go_publish);
}

static pmix_status_t own_lookup(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.lookup = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_keys(up, keys);

    return px_own_post(up, rc ? rc : px_own_copy_infos(up, info, ninfo), true, px_go_lookup);
}

static pmix_status_t own_unpublish(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                   size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_keys(up, keys);

    return px_own_post(up, rc ? rc : px_own_copy_infos(up, info, ninfo), true, px_go_unpublish);
}

static int copy_app(pmix_app_t *to, const pmix_app_t *from)
{
    to->cmd = from->cmd ? strdup(from->cmd) : NULL;
    to->argv = from->argv ? PMIx_Argv_copy(from->argv) : NULL;
    to->env = from->env ? PMIx_Argv_copy(from->env) : NULL;
    to->cwd = from->cwd ? strdup(from->cwd) : NULL;
    to->maxprocs = from->maxprocs;
    if ((from->cmd && !to->cmd) || (from->argv && !to->argv) || (from->env && !to->env) ||
        (from->cwd && !to->cwd) || px_infos_copy(from->info, from->ninfo, &to->info)) {
        return PMIX_ERR_NOMEM;
    }
    to->ninfo = to->info ? from->ninfo : 0;
    return PMIX_SUCCESS;
}

static pmix_status_t own_spawn(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                               const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                               void *cbdata)
{
    struct px_from from = {.spawn = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_infos(up, job_info, ninfo);

    if (!rc) {
        up->apps = PMIx_App_create(napps);
        up->napps = up->apps ? napps : 0;
        rc = up->apps ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; !rc && i < napps; i++) {
        rc = copy_app(&up->apps[i], &apps[i]);
    }
    return px_own_post(up, rc, true, px_go_spawn);
}

static pmix_status_t own_log(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata,
                             const pmix_info_t *directives, size_t ndirs, pmix_op_cbfunc_t cbfunc,
                             void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(data, ndata, &up->data);
        up->ndata = up->data ? ndata : 0;
    }
    return px_own_post(up, rc, true, px_go_log);
}

static pmix_status_t own_job_control(struct px_ctx *ctx, const pmix_proc_t *targets,
                                     size_t ntargets, const pmix_info_t *directives, size_t ndirs,
                                     pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_procs(up, targets, ntargets);

    return px_own_post(up, rc ? rc : px_own_copy_infos(up, directives, ndirs), true,
                       px_go_job_control);
}

static pmix_status_t own_monitor(struct px_ctx *ctx, const pmix_info_t *monitor,
                                 pmix_status_t error, const pmix_info_t *directives, size_t ndirs,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(monitor, monitor ? 1 : 0, &up->data);
        up->ndata = up->data ? 1 : 0;
        up->code = error;
    }
    return px_own_post(up, rc, true, px_go_monitor);
}

static pmix_status_t own_credential(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                    pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.cred = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);

    return px_own_post(up, px_own_copy_infos(up, info, ninfo), true, px_go_credential);
}

static pmix_status_t own_validate(struct px_ctx *ctx, const pmix_byte_object_t *cred,
                                  const pmix_info_t *info, size_t ninfo,
                                  pmix_validation_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.valid = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_bytes(up, cred);

    return px_own_post(up, rc ? rc : px_own_copy_infos(up, info, ninfo), true, px_go_validate);
}

static pmix_status_t own_query(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                               pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
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
    return px_own_post(up, rc, false, px_go_query);
}

static pmix_status_t post_numbered(struct px_ctx *ctx, uint32_t number, const pmix_info_t *info,
                                   size_t ninfo, pmix_info_cbfunc_t cbfunc, void *cbdata,
                                   void (*go)(struct px_upcall *up))
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = px_own_copy_infos(up, info, ninfo);

    if (!rc) {
        up->number = number;
    }
    return px_own_post(up, rc, true, go);
}

static pmix_status_t own_fabric(struct px_ctx *ctx, const pmix_info_t *directives, size_t ndirs,
                                pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return post_numbered(ctx, PMIX_FABRIC_REQUEST_INFO, directives, ndirs, cbfunc, cbdata,
                         px_go_fabric);
}

static pmix_status_t own_fabric_update(struct px_ctx *ctx, size_t index, pmix_info_cbfunc_t cbfunc,
                                       void *cbdata)
{
    pmix_info_t info = {.key = PMIX_FABRIC_INDEX,
                        .value = {.type = PMIX_SIZE, .data.size = index}};

    return post_numbered(ctx, PMIX_FABRIC_UPDATE_INFO, &info, 1, cbfunc, cbdata, px_go_fabric);
}

static pmix_status_t own_session(struct px_ctx *ctx, uint32_t session,
                                 const pmix_info_t *directives, size_t ndirs,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return post_numbered(ctx, session, directives, ndirs, cbfunc, cbdata, px_go_session);
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
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_own_create(ctx, &from);
    int rc = copy_units(up, units, nunits);

    rc = rc ? rc : px_own_copy_infos(up, info, ninfo);
    if (!rc) {
        up->number = directive;
        up->text = block ? strdup(block) : NULL;
        rc = block && !up->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
    }
    return px_own_post(up, rc, true, px_go_resblock);
}

static pmix_status_t own_alloc(struct px_ctx *ctx, pmix_alloc_directive_t directive,
                               const pmix_info_t *info, size_t ninfo, pmix_info_cbfunc_t cbfunc,
                               void *cbdata)
{
    return post_numbered(ctx, directive, info, ninfo, cbfunc, cbdata, px_go_alloc);
}

/* Not here: what only a member of a job does (put, fence, connect, groups). */
const struct px_role_ops px_server_ops = {
    .name = "server",
    .store_internal = px_own_store,
    .commit = px_own_commit,
    .get = px_own_get,
    .get_nb = px_own_get_nb,
    .abort_nb = own_abort,
    .publish_nb = own_publish,
    .lookup_nb = own_lookup,
    .unpublish_nb = own_unpublish,
    .spawn_nb = own_spawn,
    .resolve_peers = px_own_resolve_peers,
    .resolve_nodes = px_own_resolve_nodes,
    .query_nb = own_query,
    .log_nb = own_log,
    .alloc_nb = own_alloc,
    .job_control_nb = own_job_control,
    .monitor_nb = own_monitor,
    .get_credential_nb = own_credential,
    .validate_credential_nb = own_validate,
    .register_codes = px_own_register_codes,
    .deregister_codes = px_own_deregister_codes,
    .notify_nb = px_own_notify,
    .fabric_register_nb = own_fabric,
    .fabric_update_nb = own_fabric_update,
    .session_control_nb = own_session,
    .resource_block_nb = own_resblock,
    .iof_pull = px_own_iof_pull,
    .iof_deregister = px_own_iof_deregister,
    .iof_push = px_own_iof_push,
};
