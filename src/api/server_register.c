/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Registration of namespaces, clients, resources and process sets by the host. Arguments are
 * checked here and used on the loop thread, which owns the state of a server. With a callback the
 * call returns at once, without one it waits for the loop thread.
 *
 * The structures of arguments are copied into the task, what they point to is not: a host keeps
 * infos and names until the callback. */

#include <string.h>

#include "api.h"
#include "src/server/self/loop_call.h"
#include "src/server/collectives/pset.h"
#include "src/server/data/register.h"

/* True if the namespace is not empty and fits into a pmix_nspace_t. strnlen stops after the limit:
 * the text of a host may lack its NUL. */
static bool is_name(const char *nspace)
{
    return nspace != NULL && nspace[0] != '\0' &&
           strnlen(nspace, PMIX_MAX_NSLEN + 1) <= PMIX_MAX_NSLEN;
}

/* The infos stay the host's and are read on the loop thread: they have to be valid until the
 * callback (Standard: Server-Specific Interfaces). px_register_nspace
 * (src/server/data/register.c). */
pmix_status_t PMIx_server_register_nspace(const pmix_nspace_t nspace, int nlocalprocs,
                                          pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                          void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_nspace_args args = {.n_local = nlocalprocs, .info = info, .ninfo = ninfo};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (!is_name(nspace) || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Load_nspace(args.nspace, nspace);
    return px_server_start_call(s, px_register_nspace, &args, sizeof(args), cbfunc, cbdata);
}

/* Starts the deregistration of a namespace; PMIX_SUCCESS: the callback follows, if there is one.
 * px_deregister_nspace (src/server/data/register.c). */
static pmix_status_t deregister_nspace(const char *nspace, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_nspace_args args = {.n_local = 0};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (!is_name(nspace)) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Load_nspace(args.nspace, nspace);
    return px_server_start_call(s, px_deregister_nspace, &args, sizeof(args), cbfunc, cbdata);
}

/* For px_server_start_call: the status that `arg` points to. */
static int status_of(struct px_server *s, void *arg)
{
    (void) s;
    return *(const pmix_status_t *) arg;
}

/* The end of a call without a result: a refusal is reported by the callback, on the loop thread as
 * ever. Where there is none (no server, a forked child), or no memory, the callback is called in
 * the calling thread. */
static void report(pmix_status_t rc, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_server *s = px_server_of(ctx);

    if (rc == PMIX_SUCCESS || cbfunc == NULL) {
        return;
    }
    if (s == NULL || !px_loop_alive(ctx->loop) ||
        px_server_start_call(s, status_of, &rc, sizeof(rc), cbfunc, cbdata) != PMIX_SUCCESS) {
        cbfunc(rc, cbdata);
    }
}

void PMIx_server_deregister_nspace(const pmix_nspace_t nspace, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata)
{
    report(deregister_nspace(nspace, cbfunc, cbdata), cbfunc, cbdata);
}

/* Makes the rank a local process of the namespace, with the user that may connect as it.
 * px_register_client (src/server/data/register.c). */
pmix_status_t PMIx_server_register_client(const pmix_proc_t *proc, uid_t uid, gid_t gid,
                                          void *server_object, pmix_op_cbfunc_t cbfunc,
                                          void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_client_args args = {.uid = uid, .gid = gid, .object = server_object};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL || !is_name(proc->nspace) || !PMIX_RANK_IS_VALID(proc->rank)) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.proc = *proc;
    return px_server_start_call(s, px_register_client, &args, sizeof(args), cbfunc, cbdata);
}

/* As deregister_nspace. An unknown process is no error of the call: px_deregister_client
 * (src/server/data/register.c) decides. */
static pmix_status_t deregister_client(const pmix_proc_t *proc, pmix_op_cbfunc_t cbfunc,
                                       void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_client_args args = {0};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (proc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.proc = *proc;
    return px_server_start_call(s, px_deregister_client, &args, sizeof(args), cbfunc, cbdata);
}

/* As PMIx_server_deregister_nspace: refusals go to the callback. */
void PMIx_server_deregister_client(const pmix_proc_t *proc, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    report(deregister_client(proc, cbfunc, cbdata), cbfunc, cbdata);
}

/* Register and deregister resources: the same checks, another function on the loop thread.
 * PMIX_ERR_BAD_PARAM for an empty array: there is nothing to register. */
static pmix_status_t tell_resources(int (*fn)(struct px_server *s, void *args), pmix_info_t info[],
                                    size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_infos_args args = {info, ninfo};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL || ninfo == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_start_call(s, fn, &args, sizeof(args), cbfunc, cbdata);
}

/* Resources outside of any job, for queries of clients and tools. */
pmix_status_t PMIx_server_register_resources(pmix_info_t info[], size_t ninfo,
                                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return tell_resources(px_register_resources, info, ninfo, cbfunc, cbdata);
}

/* The opposite, by the keys of the infos. */
pmix_status_t PMIx_server_deregister_resources(pmix_info_t info[], size_t ninfo,
                                               pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return tell_resources(px_deregister_resources, info, ninfo, cbfunc, cbdata);
}

/* Waits for the loop thread. On that thread it is done at once. px_pset_define
 * (src/server/collectives/pset.c). */
pmix_status_t PMIx_server_define_process_set(const pmix_proc_t *members, size_t nmembers,
                                             const char *pset_name)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_pset_args args = {pset_name, members, nmembers};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (members == NULL || nmembers == 0 || pset_name == NULL || pset_name[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_run(s, px_pset_define, &args);
}

/* Likewise. px_pset_delete (src/server/collectives/pset.c). */
pmix_status_t PMIx_server_delete_process_set(char *pset_name)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_pset_args args = {.name = pset_name};
    struct px_server *s = px_server_of(ctx);

    if (s == NULL) {
        return PMIX_ERR_INIT;
    }
    if (pset_name == NULL || pset_name[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_run(s, px_pset_delete, &args);
}
