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

#include <string.h>

#include "api.h"
#include "call.h"
#include "src/context/reply_after.h"
#include "src/context/reply_wait.h"
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

/* --- by invitation --- */

/* The arguments of an invitation or a join. */
struct invitation {
    const char *group;
    const pmix_proc_t *procs; /* whom to invite; or the leader */
    size_t nprocs;
    pmix_group_opt_t answer; /* of a join */
    const pmix_info_t *info;
    size_t ninfo;
};

/* Checks the arguments, and starts the operation of the role. */
typedef pmix_status_t (*start_fn)(struct px_ctx *ctx, const struct invitation *args,
                                  const struct px_completion *to);

/* Unlike a construct it needs members. The library does all of it, so a required directive that it
 * does not know is refused. In a client or tool: px_client_group_invite_nb
 * (src/client/invite.c). */
static pmix_status_t invite(struct px_ctx *ctx, const struct invitation *args,
                            const struct px_completion *to)
{
    pmix_status_t rc = PX_ENTER(ctx, group_invite_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(args->group) || args->procs == NULL || args->nprocs == 0 ||
        (args->info == NULL && args->ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_invite, args->info, args->ninfo)
               ? ctx->ops->group_invite_nb(ctx, args->group, args->procs, args->nprocs, args->info,
                                           args->ninfo, to)
               : PMIX_ERR_NOT_SUPPORTED;
}

/* Answers an invitation by an event to the leader: the answer accepts or declines, other values are
 * refused. In a client or tool: px_client_group_join_nb (src/client/join.c). */
static pmix_status_t join(struct px_ctx *ctx, const struct invitation *args,
                          const struct px_completion *to)
{
    pmix_status_t rc = PX_ENTER(ctx, group_join_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!good_name(args->group) || args->procs == NULL || (args->info == NULL && args->ninfo > 0) ||
        (args->answer != PMIX_GROUP_ACCEPT && args->answer != PMIX_GROUP_DECLINE)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_group_join, args->info, args->ninfo)
               ? ctx->ops->group_join_nb(ctx, args->group, args->procs, args->answer, args->info,
                                         args->ninfo, to)
               : PMIX_ERR_NOT_SUPPORTED;
}

/* The non-blocking form; the callback may be NULL. */
static pmix_status_t start(start_fn fn, const struct invitation *args, pmix_info_cbfunc_t cbfunc,
                           void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_completion to = px_completion_of(&px_reply_infos, (px_callback) cbfunc, cbdata);
    struct px_completion kept;
    struct px_reply_after *after;

    if (ctx == NULL || cbfunc == NULL) {
        return fn(ctx, args, &to);
    }
    after = px_reply_after_begin(ctx->loop, &to, &kept);
    return px_reply_after_end(after, after != NULL ? fn(ctx, args, &kept) : PMIX_ERR_NOMEM);
}

/* The blocking form. */
static pmix_status_t run(start_fn fn, const struct invitation *args, pmix_info_t **results,
                         size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_reply_wait waiting;
    struct px_completion to;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    to = px_reply_wait_begin(&waiting);
    rc = px_reply_wait_end(ctx, &waiting, fn(ctx, args, &to));
    return px_api_give_infos(rc, &waiting.reply, results, nresults);
}

pmix_status_t PMIx_Group_invite_nb(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t info[], size_t ninfo,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    const struct invitation args = {grp, procs, nprocs, PMIX_GROUP_ACCEPT, info, ninfo};

    return start(invite, &args, cbfunc, cbdata);
}

pmix_status_t PMIx_Group_invite(const char grp[], const pmix_proc_t procs[], size_t nprocs,
                                const pmix_info_t info[], size_t ninfo, pmix_info_t **results,
                                size_t *nresult)
{
    const struct invitation args = {grp, procs, nprocs, PMIX_GROUP_ACCEPT, info, ninfo};

    return run(invite, &args, results, nresult);
}

pmix_status_t PMIx_Group_join_nb(const char grp[], const pmix_proc_t *leader, pmix_group_opt_t opt,
                                 const pmix_info_t info[], size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    const struct invitation args = {grp, leader, 1, opt, info, ninfo};

    return start(join, &args, cbfunc, cbdata);
}

/* An accepting process waits until the group is made or has failed; a declining one has nothing to
 * wait for. */
pmix_status_t PMIx_Group_join(const char grp[], const pmix_proc_t *leader, pmix_group_opt_t opt,
                              const pmix_info_t info[], size_t ninfo, pmix_info_t **results,
                              size_t *nresult)
{
    const struct invitation args = {grp, leader, 1, opt, info, ninfo};

    return run(join, &args, results, nresult);
}

/* --- the end --- */

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
