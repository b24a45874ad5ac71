/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups. The calls check names, members and directives; the role does the rest: construct and
 * destruct are collectives through the server, invite and join go by events between the processes.
 * Each blocking form is the non-blocking one and a wait.
 *
 *   construct, destruct   collective; every member calls (Std 14, Process Sets and Groups)
 *   invite, join          the leader invites, each invitee accepts or declines when it likes
 *   leave                 one process
 * The results of a construct, an invitation and a join are infos, for example a context id
 * (PMIX_GROUP_CONTEXT_ID) if one was asked for. */

#include <string.h>

#include "api.h"
#include "src/value/directives.h"

/* True if the name is not empty and fits into a pmix_nspace_t, where groups are named. */
static bool good_name(const char *group)
{
    return group != NULL && group[0] != '\0' &&
           strnlen(group, PMIX_MAX_NSLEN + 1) <= PMIX_MAX_NSLEN;
}

/* Checks the directives of a construct. A leader of a bootstrap names no process but itself:
 * PMIX_ERR_BAD_PARAM for more members, or for a number of leaders that is 0. */
static pmix_status_t check_bootstrap(size_t nprocs, const pmix_info_t *info, size_t ninfo)
{
    struct px_group_construct_directives directives;
    int rc = px_group_construct_read(info, ninfo, &directives);
    bool wrong = directives.bootstrap == 0 || (directives.bootstrap != PX_NOT_GIVEN && nprocs > 1);

    return rc != 0 ? rc : wrong ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;
}

/* A collective: the role's operation joins it. procs may be NULL only with nprocs 0. In a client or
 * tool: px_client_group_construct_nb (src/client/group.c). PMIX_ERR_NOT_SUPPORTED in a server, as
 * all calls of this file. */
pmix_status_t PMIx_Group_construct_nb(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                      const pmix_info_t info[], size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, group_construct_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(grp) || (procs == NULL && nprocs > 0) || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = check_bootstrap(nprocs, info, ninfo);
    return rc == PMIX_SUCCESS
               ? ctx->ops->group_construct_nb(ctx, grp, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : rc;
}

/* The results are copied on the loop thread, because the originals end with the callback. */
pmix_status_t PMIx_Group_construct(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_t **results, size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Group_construct_nb(grp, procs, nprocs, directives, ndirs, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}

/* Unlike a construct it needs members. The library does all of it, so a required directive that it
 * does not know is refused. In a client or tool: px_client_group_invite_nb
 * (src/client/invite.c). */
pmix_status_t PMIx_Group_invite_nb(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t info[], size_t ninfo,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, group_invite_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(grp) || procs == NULL || nprocs == 0 || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_invite, info, ninfo)
               ? ctx->ops->group_invite_nb(ctx, grp, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : PMIX_ERR_NOT_SUPPORTED;
}

/* As PMIx_Group_construct: the non-blocking call and a wait for its results. */
pmix_status_t PMIx_Group_invite(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                const pmix_info_t info[], size_t ninfo, pmix_info_t **results,
                                size_t *nresult)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Group_invite_nb(grp, procs, nprocs, info, ninfo, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresult);
}

/* Answers an invitation by an event to the leader: opt accepts or declines, other values are
 * refused. In a client or tool: px_client_group_join_nb (src/client/invite.c). */
pmix_status_t PMIx_Group_join_nb(const char grp[], const pmix_proc_t *leader, pmix_group_opt_t opt,
                                 const pmix_info_t info[], size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, group_join_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(grp) || leader == NULL || (info == NULL && ninfo > 0) ||
        (opt != PMIX_GROUP_ACCEPT && opt != PMIX_GROUP_DECLINE)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_join, info, ninfo)
               ? ctx->ops->group_join_nb(ctx, grp, leader, opt, info, ninfo, cbfunc, cbdata)
               : PMIX_ERR_NOT_SUPPORTED;
}

/* As PMIx_Group_construct. An accepting process waits until the group is made or has failed; a
 * declining one has nothing to wait for. */
pmix_status_t PMIx_Group_join(const char grp[], const pmix_proc_t *leader, pmix_group_opt_t opt,
                              const pmix_info_t info[], size_t ninfo, pmix_info_t **results,
                              size_t *nresult)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Group_join_nb(grp, leader, opt, info, ninfo, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresult);
}

/* The non-blocking form of destruct or leave. */
typedef pmix_status_t (*end_fn)(const char grp[], const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata);

/* The blocking form of destruct and leave, which have no results. */
static pmix_status_t end_blocking(end_fn fn, const char *group, const pmix_info_t *info,
                                  size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = fn(group, info, ninfo, px_api_op_done, &wait);
    return px_ctx_await(ctx, &wait, rc);
}

/* A collective of the members; the role decides whether the group is known. In a client or tool:
 * px_client_group_destruct_nb (src/client/group.c). */
pmix_status_t PMIx_Group_destruct_nb(const char grp[], const pmix_info_t info[], size_t ninfo,
                                     pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, group_destruct_nb);

    if (rc == PMIX_SUCCESS && (!good_name(grp) || (info == NULL && ninfo > 0))) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc == PMIX_SUCCESS ? ctx->ops->group_destruct_nb(ctx, grp, info, ninfo, cbfunc, cbdata)
                              : rc;
}

pmix_status_t PMIx_Group_destruct(const char grp[], const pmix_info_t info[], size_t ninfo)
{
    return end_blocking(PMIx_Group_destruct_nb, grp, info, ninfo);
}

/* Not a collective: only the calling process leaves. In a client or tool: px_client_group_leave_nb
 * (src/client/group.c). At the server: px_handle_group_leave
 * (src/server/collectives/server_group.c). */
pmix_status_t PMIx_Group_leave_nb(const char grp[], const pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, group_leave_nb);

    if (rc == PMIX_SUCCESS && (!good_name(grp) || (info == NULL && ninfo > 0))) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == PMIX_SUCCESS && !px_api_check_required(ctx, &px_call_group_leave, info, ninfo)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    return rc == PMIX_SUCCESS ? ctx->ops->group_leave_nb(ctx, grp, info, ninfo, cbfunc, cbdata)
                              : rc;
}

pmix_status_t PMIx_Group_leave(const char grp[], const pmix_info_t info[], size_t ninfo)
{
    return end_blocking(PMIx_Group_leave_nb, grp, info, ninfo);
}
