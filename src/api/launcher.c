/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The role of a launcher. Its table of operations chooses a half for each call:
 * - the server half, if the call names jobs that this process has registered; its module answers;
 * - else the tool half, and with it the server that the launcher is connected to;
 * - without a connection the server half again, in place of PMIX_ERR_UNREACH.
 * Both halves get an event that the launcher raises, and its registrations for codes. Events that
 * the other server sends are passed to the server half, and those of its clients to that server.
 * docs/decisions/0031-launchers.md and 0039-what-launchers-pass-on.md have the reasons. */

#include "launcher.h"

#include <string.h>

#include "src/client/events.h"
#include "src/client/group_map.h"
#include "src/client/invite.h"
#include "src/client/join.h"
#include "src/client/ops.h"
#include "src/client/data/put.h"
#include "src/client/request.h"
#include "src/server/events/passed_events.h"
#include "src/server/requests/host_module.h"
#include "src/server/self/loop_call.h"
#include "src/server/self/self_data.h"
#include "src/server/self/self_events.h"
#include "src/server/server_start.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* ---- which half */

/* True if this process is the server of the namespace. */
static bool hosts(struct px_ctx *ctx, const char *nspace)
{
    return nspace != NULL && nspace[0] != '\0' && !PMIx_Check_nspace(nspace, ctx->self.nspace) &&
           px_self_hosts(ctx, nspace);
}

/* True if all the processes are of jobs of this server, and there is one. */
static bool hosts_all(struct px_ctx *ctx, const pmix_proc_t *procs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!hosts(ctx, procs[i].nspace)) {
            return false;
        }
    }
    return n > 0;
}

/* The half that serves a call about a process; NULL: the tool half, for this process itself. */
static const struct px_role_ops *half_of(struct px_ctx *ctx, const pmix_proc_t *proc)
{
    return proc != NULL && hosts(ctx, proc->nspace) ? &px_server_ops : &px_tool_ops;
}

/* True if this process is connected to a server, or was and has lost it. */
static bool is_served(struct px_ctx *ctx)
{
    return px_session_is_served(px_session(ctx));
}

/* True if the request names processes, and all are of jobs of this server. */
static bool is_about_ours(struct px_ctx *ctx, const struct px_request *request,
                          const struct px_args *args)
{
    if (request == &px_request_job_control) {
        const struct px_job_control_args *control = (const struct px_job_control_args *) args;

        return hosts_all(ctx, control->procs, control->nprocs);
    }
    if (request == &px_request_iof_push) {
        const struct px_iof_push_args *push = (const struct px_iof_push_args *) args;

        return hosts_all(ctx, push->procs, push->nprocs);
    }
    if (request == &px_request_abort) {
        const struct px_abort_args *abort = (const struct px_abort_args *) args;

        return hosts_all(ctx, abort->procs, abort->nprocs);
    }
    return request == &px_request_iof_deregister &&
           ((const struct px_iof_deregister_args *) args)->id > PX_SELF_LAUNCHER_IDS;
}

/* ---- requests */

static const struct px_completion nobody = {.done = NULL};

/* The server half delivers an event that the other server has got, too. That server may be a tool
 * of this one. No memory: the event is lost here. */
static void notify_ours(struct px_ctx *ctx, const struct px_notify_args *given)
{
    const struct px_link_server *server = px_session_server(px_session(ctx));
    struct px_notify_args args = *given;
    int rc;

    args.head.info = NULL;
    rc = px_infos_copy(given->head.info, given->head.ninfo, &args.head.info);
    args.head.ninfo = args.head.info != NULL ? given->head.ninfo : 0;
    if (rc == 0 && server != NULL) {
        rc = px_infos_append(&args.head.info, &args.head.ninfo, PX_KEY_EVENT_HAD, &server->proc,
                             PMIX_PROC);
    }
    if (rc == 0) {
        (void) px_server_ops.request(ctx, &px_request_notify, &args.head, &nobody);
    }
    PMIx_Info_free(args.head.info, args.head.ninfo);
}

/* The server half delivers the event to the handlers of this process and to its clients. The tool
 * half, which leads invitations, learns of an abort. If there is a connection the other server gets
 * the event, too, and its answer ends the call. */
static pmix_status_t notify(struct px_ctx *ctx, const struct px_notify_args *args,
                            const struct px_completion *to)
{
    pmix_status_t rc = px_client_abort_own(ctx, args);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!is_served(ctx) || px_notify_stays_here(args)) {
        return px_server_ops.request(ctx, &px_request_notify, &args->head, to);
    }
    rc = px_request_send(px_session(ctx), &px_request_notify, &args->head, to);
    if (rc == PMIX_SUCCESS) {
        notify_ours(ctx, args);
    }
    return rc;
}

/* The other server answers. The server half counts who wants a code, and has the module asked. */
static pmix_status_t register_codes(struct px_ctx *ctx, const struct px_args *args,
                                    const struct px_completion *to)
{
    pmix_status_t rc;

    if (!is_served(ctx)) {
        return px_server_ops.request(ctx, &px_request_register_codes, args, to);
    }
    rc = px_tool_ops.request(ctx, &px_request_register_codes, args, to);
    if (rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED) {
        (void) px_server_ops.request(ctx, &px_request_register_codes, args, &nobody);
    }
    return rc;
}

/* A query is first answered from what this process knows as a tool. */
static pmix_status_t launcher_request(struct px_ctx *ctx, const struct px_request *request,
                                      const struct px_args *args, const struct px_completion *to)
{
    if (request == &px_request_notify) {
        return notify(ctx, (const struct px_notify_args *) args, to);
    }
    if (request == &px_request_register_codes) {
        return register_codes(ctx, args, to);
    }
    if (request->member || (is_served(ctx) && !is_about_ours(ctx, request, args))) {
        return px_tool_ops.request(ctx, request, args, to);
    }
    if (request == &px_request_query) {
        pmix_status_t rc = px_tool_ops.request(ctx, request, args, to);

        if (rc != PMIX_ERR_UNREACH) {
            return rc;
        }
    }
    return px_server_ops.request(ctx, request, args, to);
}

static pmix_status_t launcher_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                                       pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                                       void *regcbdata)
{
    bool own = !is_served(ctx) || hosts_all(ctx, args->procs, args->nprocs);

    return (own ? &px_server_ops : &px_tool_ops)->iof_pull(ctx, args, cbfunc, regcbfunc, regcbdata);
}

/* ---- data */

static pmix_status_t launcher_get(const pmix_proc_t *proc, const char key[],
                                  const pmix_info_t info[], size_t ninfo, pmix_value_t **value)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return (ctx != NULL ? half_of(ctx, proc) : &px_tool_ops)->get(proc, key, info, ninfo, value);
}

static pmix_status_t launcher_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                     const pmix_info_t *info, size_t ninfo,
                                     const struct px_completion *to)
{
    return half_of(ctx, proc)->get_nb(ctx, proc, key, info, ninfo, to);
}

static pmix_status_t launcher_store_internal(struct px_ctx *ctx, const pmix_proc_t *proc,
                                             const char *key, const pmix_value_t *value)
{
    return half_of(ctx, proc)->store_internal(ctx, proc, key, value);
}

/* nspace NULL or empty: the call is about all namespaces. */
static pmix_status_t launcher_resolve(struct px_ctx *ctx, bool peers, const char *node,
                                      const char *nspace, struct px_reply *ret)
{
    bool all = nspace == NULL || nspace[0] == '\0';
    bool own = all ? !is_served(ctx) : hosts(ctx, nspace);

    return (own ? &px_server_ops : &px_tool_ops)->resolve(ctx, peers, node, nspace, ret);
}

/* A launcher is a tool: calls that look at the name treat it as one. */
static const struct px_role_ops launcher_ops = {
    .name = "tool",
    .put = px_client_put,
    .store_internal = launcher_store_internal,
    .commit = px_client_commit,
    .get = launcher_get,
    .get_nb = launcher_get_nb,
    .request = launcher_request,
    .resolve = launcher_resolve,
    .deregister_codes = px_self_deregister_codes, /* the other server's, too: by the count */
    .spell_groups = px_group_map_spell_info,
    .group_invite_nb = px_client_group_invite_nb,
    .group_join_nb = px_client_group_join_nb,
    .iof_pull = launcher_iof_pull,
};

/* ---- what the halves pass on to each other */

/* A request of the server half to the other server. */
static pmix_status_t ask_above(struct px_ctx *ctx, const struct px_request *request,
                               const struct px_args *args, const struct px_completion *to)
{
    return is_served(ctx) ? px_request_send(px_session(ctx), request, args, to) : PMIX_ERR_UNREACH;
}

static bool is_above(struct px_ctx *ctx, const pmix_proc_t *proc)
{
    const struct px_link_server *server = px_session_server(px_session(ctx));

    return server != NULL && px_proc_equal(&server->proc, proc);
}

static const struct px_above above = {ask_above, px_client_deregister_codes, is_above};

static void event_from_above(struct px_ctx *ctx, const struct px_event *event,
                             const pmix_proc_t *from)
{
    px_event_from_above(ctx->server, event, from);
}

static int codes_for_above(struct px_ctx *ctx, pmix_status_t **ret, size_t *ret_n,
                           bool *ret_default)
{
    return px_codes_for_above(ctx->server, ret, ret_n, ret_default);
}

static const struct px_beside beside = {event_from_above, codes_for_above};

/* For px_server_run. */
static int introduce(struct px_server *s, void *session)
{
    s->above = &above;
    ((struct px_session *) session)->beside = &beside;
    return PMIX_SUCCESS;
}

/* ---- start */

/* Directives that are for the server half alone. */
static const char *const for_server[] = {
    PMIX_LAUNCHER_RENDEZVOUS_FILE, PMIX_TCP_REPORT_URI, PMIX_SOCKET_MODE, PMIX_TDIR_RMCLEAN,
    PMIX_IOF_LOCAL_OUTPUT,         PX_KEY_MODULE_LEVEL,
};
/* Both halves have directories of rendezvous files. */
static const char *const for_both[] = {PMIX_SERVER_TMPDIR, PMIX_SYSTEM_TMPDIR};

bool px_launcher_met(const struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    bool met = ctx->ops == &launcher_ops || px_infos_flag(info, ninfo, PMIX_LAUNCHER);

    for (size_t i = 0; !met && i < sizeof(for_server) / sizeof(for_server[0]); i++) {
        const pmix_info_t *given = px_infos_next(info, ninfo, NULL, for_server[i]);

        if (given != NULL && (given->flags & PMIX_INFO_REQD) != 0) {
            return false;
        }
    }
    return true;
}

/* Appends copies of those directives that are given. 0 or PMIX_ERR_NOMEM. */
static int hand_on(const char *const *keys, size_t n, const pmix_info_t *info, size_t ninfo,
                   pmix_info_t **ret, size_t *ret_n)
{
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        const pmix_info_t *given = px_infos_next(info, ninfo, NULL, keys[i]);

        rc = given != NULL ? px_infos_append_copy(ret, ret_n, given) : 0;
    }
    return rc;
}

/* Makes the directives of the server half, as for PMIx_server_init: the name is the tool's, and the
 * directives of the tool about sockets, files and output are copied. Not those that name the server
 * to connect to. 0 or PMIX_ERR_NOMEM. */
static int server_directives(const struct px_session *session, const pmix_info_t *info,
                             size_t ninfo, pmix_info_t **ret, size_t *ret_n)
{
    const pmix_proc_t *self = &session->ctx->self;
    bool yes = true;
    int rc = px_infos_append(ret, ret_n, PMIX_SERVER_NSPACE, self->nspace, PMIX_STRING);

    rc = rc != 0 ? rc : px_infos_append(ret, ret_n, PMIX_SERVER_RANK, &self->rank, PMIX_PROC_RANK);
    rc = rc != 0 ? rc : px_infos_append(ret, ret_n, PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
    if (rc == 0 && session->hostname[0] != '\0') {
        rc = px_infos_append(ret, ret_n, PMIX_SERVER_HOSTNAME, session->hostname, PMIX_STRING);
    }
    rc = rc != 0 ? rc
                 : hand_on(for_server, sizeof(for_server) / sizeof(for_server[0]), info, ninfo, ret,
                           ret_n);
    return rc != 0
               ? rc
               : hand_on(for_both, sizeof(for_both) / sizeof(for_both[0]), info, ninfo, ret, ret_n);
}

pmix_status_t px_launcher_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_session *session = px_session(ctx);
    pmix_info_t *said = NULL;
    size_t n = 0;
    int rc;

    if (!session->is_launcher) {
        return PMIX_SUCCESS;
    }
    rc = server_directives(session, info, ninfo, &said, &n);
    rc = rc != 0 ? rc : px_server_start(ctx, NULL, said, n);
    if (rc == PMIX_SUCCESS) {
        ctx->ops = &launcher_ops;
        (void) px_server_run(ctx->server, introduce, session);
    }
    PMIx_Info_free(said, n);
    return rc;
}
