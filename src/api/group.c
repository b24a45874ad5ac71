/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups. The calls check names, members and directives; the role does the rest: construct and
 * destruct are collectives through the server, invite and join go by events between the processes.
 *
 *   construct, destruct   collective; every member calls (Std 14, Process Sets and Groups)
 *   invite, join          the leader invites, each invitee accepts or declines when it likes
 *   leave                 one process
 * The results of a construct, an invitation and a join are infos, for example a context id
 * (PMIX_GROUP_CONTEXT_ID) if one was asked for. */

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "call.h"
#include "src/base/bytes.h"
#include "src/loop/after.h"
#include "src/value/directives.h"

/* True if the name is not empty and fits into a pmix_nspace_t, where groups are named. */
static bool good_name(const char *group)
{
    return group != NULL && group[0] != '\0' &&
           strnlen(group, PMIX_MAX_NSLEN + 1) <= PMIX_MAX_NSLEN;
}

/* Fills the arguments of a construct. A leader of a bootstrap names no process but itself: NULL for
 * more members, for a number of leaders that is 0, and for a name that is none. */
static const struct px_args *construct_args(const char *group, const pmix_proc_t *procs,
                                            size_t nprocs, const pmix_info_t *info, size_t ninfo,
                                            struct px_coll_args *ret)
{
    struct px_group_construct_directives directives;

    *ret = (struct px_coll_args){PX_DIRECTIVES_OF(info, ninfo), PX_BORROWED(group),
                                 PX_BORROWED(procs), nprocs};
    if (!good_name(group) || (info == NULL && ninfo > 0) ||
        px_group_construct_read(info, ninfo, &directives) != 0 || directives.bootstrap == 0 ||
        (directives.bootstrap != PX_NOT_GIVEN && nprocs > 1)) {
        return NULL;
    }
    return &ret->head;
}

/* A collective. In a client or tool: px_client_group_construct (src/client/group.c).
 * PMIX_ERR_NOT_SUPPORTED in a server, as all calls of this file. */
pmix_status_t PMIx_Group_construct_nb(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                      const pmix_info_t info[], size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_coll_args args;

    return px_api_start(&px_request_group_construct,
                        construct_args(grp, procs, nprocs, info, ninfo, &args),
                        (px_callback) cbfunc, cbdata);
}

pmix_status_t PMIx_Group_construct(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_t **results, size_t *nresults)
{
    struct px_coll_args args;

    return px_api_run_infos(&px_request_group_construct,
                            construct_args(grp, procs, nprocs, directives, ndirs, &args), results,
                            nresults);
}

/* The outcome of an invitation for the application's callback, which is called when the call has
 * returned. The infos are lent by the role until the application releases them. */
struct invite_result {
    struct px_after after;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
    pmix_status_t status;
    pmix_info_t *info;
    size_t ninfo;
    pmix_release_cbfunc_t release_fn;
    void *release_cbdata;
};

/* Calls the application, on the loop thread. */
static void result_tell(struct px_after *after)
{
    struct invite_result *result = px_container_of(after, struct invite_result, after);

    result->cbfunc(result->status, result->info, result->ninfo, result->cbdata, result->release_fn,
                   result->release_cbdata);
    free(result);
}

/* A pmix_info_cbfunc_t for the role, whose cbdata is a struct invite_result. */
static void result_known(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                         pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct invite_result *result = cbdata;

    result->status = status;
    result->info = info;
    result->ninfo = ninfo;
    result->release_fn = release_fn;
    result->release_cbdata = release_cbdata;
    px_after_done(&result->after);
}

/* The outcome of a call that has the callback; NULL: no memory. result_end must follow. */
static struct invite_result *result_begin(struct px_ctx *ctx, pmix_info_cbfunc_t cbfunc,
                                          void *cbdata)
{
    struct invite_result *result = calloc(1, sizeof(*result));

    if (result != NULL) {
        px_after_init(&result->after, ctx->loop, result_tell);
        result->cbfunc = cbfunc;
        result->cbdata = cbdata;
    }
    return result;
}

/* The end of the call; accepted: the status of the role's operation, which is returned. */
static pmix_status_t result_end(struct invite_result *result, pmix_status_t accepted)
{
    if (accepted == PMIX_SUCCESS) {
        px_after_return(&result->after);
    } else {
        free(result);
    }
    return accepted;
}

/* Unlike a construct it needs members. The library does all of it, so a required directive that it
 * does not know is refused. In a client or tool: px_client_group_invite_nb
 * (src/client/invite.c). */
static pmix_status_t invite(struct px_ctx *ctx, const char *group, const pmix_proc_t *procs,
                            size_t nprocs, const pmix_info_t *info, size_t ninfo,
                            pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    pmix_status_t rc = PX_ENTER(ctx, group_invite_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(group) || procs == NULL || nprocs == 0 || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_invite, info, ninfo)
               ? ctx->ops->group_invite_nb(ctx, group, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : PMIX_ERR_NOT_SUPPORTED;
}

pmix_status_t PMIx_Group_invite_nb(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t info[], size_t ninfo,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct invite_result *result;

    if (ctx == NULL || cbfunc == NULL) {
        return invite(ctx, grp, procs, nprocs, info, ninfo, NULL, NULL);
    }
    result = result_begin(ctx, cbfunc, cbdata);
    if (result == NULL) {
        return PMIX_ERR_NOMEM;
    }
    return result_end(result, invite(ctx, grp, procs, nprocs, info, ninfo, result_known, result));
}

/* The non-blocking call and a wait for its results, which are copied on the loop thread, because
 * the originals end with the callback. */
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
    rc = invite(ctx, grp, procs, nprocs, info, ninfo, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresult);
}

/* Answers an invitation by an event to the leader: opt accepts or declines, other values are
 * refused. In a client or tool: px_client_group_join_nb (src/client/join.c). */
static pmix_status_t join(struct px_ctx *ctx, const char *group, const pmix_proc_t *leader,
                          pmix_group_opt_t opt, const pmix_info_t *info, size_t ninfo,
                          pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    pmix_status_t rc = PX_ENTER(ctx, group_join_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(group) || leader == NULL || (info == NULL && ninfo > 0) ||
        (opt != PMIX_GROUP_ACCEPT && opt != PMIX_GROUP_DECLINE)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_join, info, ninfo)
               ? ctx->ops->group_join_nb(ctx, group, leader, opt, info, ninfo, cbfunc, cbdata)
               : PMIX_ERR_NOT_SUPPORTED;
}

pmix_status_t PMIx_Group_join_nb(const char grp[], const pmix_proc_t *leader, pmix_group_opt_t opt,
                                 const pmix_info_t info[], size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct invite_result *result;

    if (ctx == NULL || cbfunc == NULL) {
        return join(ctx, grp, leader, opt, info, ninfo, NULL, NULL);
    }
    result = result_begin(ctx, cbfunc, cbdata);
    if (result == NULL) {
        return PMIX_ERR_NOMEM;
    }
    return result_end(result, join(ctx, grp, leader, opt, info, ninfo, result_known, result));
}

/* As PMIx_Group_invite. An accepting process waits until the group is made or has failed; a
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
    rc = join(ctx, grp, leader, opt, info, ninfo, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresult);
}

/* Fills the arguments of destruct and leave; NULL if the name is none. */
static const struct px_args *end_args(const char *group, const pmix_info_t *info, size_t ninfo,
                                      struct px_coll_args *ret)
{
    *ret =
        (struct px_coll_args){.head = PX_DIRECTIVES_OF(info, ninfo), .group = PX_BORROWED(group)};
    return good_name(group) ? &ret->head : NULL;
}

/* A collective of the members; the server decides whether the group is known. In a client or tool:
 * px_client_group_end (src/client/group.c). */
pmix_status_t PMIx_Group_destruct_nb(const char grp[], const pmix_info_t info[], size_t ninfo,
                                     pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_coll_args args;

    return px_api_start(&px_request_group_destruct, end_args(grp, info, ninfo, &args),
                        (px_callback) cbfunc, cbdata);
}

pmix_status_t PMIx_Group_destruct(const char grp[], const pmix_info_t info[], size_t ninfo)
{
    struct px_coll_args args;

    return px_api_run(&px_request_group_destruct, end_args(grp, info, ninfo, &args), NULL);
}

/* Not a collective: only the calling process leaves. In a client or tool: px_client_group_end. At
 * the server: px_group_leave_call (src/server/collectives/group_leave.c). */
pmix_status_t PMIx_Group_leave_nb(const char grp[], const pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_coll_args args;

    return px_api_start(&px_request_group_leave, end_args(grp, info, ninfo, &args),
                        (px_callback) cbfunc, cbdata);
}

pmix_status_t PMIx_Group_leave(const char grp[], const pmix_info_t info[], size_t ninfo)
{
    struct px_coll_args args;

    return px_api_run(&px_request_group_leave, end_args(grp, info, ninfo, &args), NULL);
}
