/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_ROLE_H
#define PX_CONTEXT_ROLE_H

/* The role's table of operations: how a client, a server or a tool serves each call of the
 * interface. src/api checks arguments and state, then calls the operation; a NULL operation is
 * PMIX_ERR_NOT_SUPPORTED in that role. */

#include <stdbool.h>

#include <pmix.h>

struct px_args;
struct px_completion;
struct px_ctx;
struct px_iof_pull_args;
struct px_reply;
struct px_request;

/* The type of PMIx_Get. */
typedef pmix_status_t (*px_get_fn)(const pmix_proc_t *proc, const char key[],
                                   const pmix_info_t info[], size_t ninfo, pmix_value_t **value);

/* One table per role, constant. Blocking calls are built in src/api from the non-blocking operation
 * and a px_wait.
 *
 * Operations with a callback are called in the API caller's thread, which may be the loop thread.
 * They return PMIX_SUCCESS (the completion is ended once, in any thread and at any time; the one
 * that src/api gives calls the application on the loop thread after the exported call has
 * returned), PMIX_OPERATION_SUCCEEDED (done, no callback) or an error (no callback). Arguments are
 * borrowed for the call: an operation copies or packs what it needs. */
struct px_role_ops {
    const char *name;
    bool hosted; /* this process is the host of its server: what it raises is the environment's */

    pmix_status_t (*put)(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                         const pmix_value_t *value);
    pmix_status_t (*store_internal)(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                    const pmix_value_t *value);
    /* Sends what was put, in order; does not wait for the reply. */
    pmix_status_t (*commit)(struct px_ctx *ctx);

    /* PMIx_Get itself, with the caller's arguments unchecked: enters the context, reads the
     * directives, looks in this process, else asks the server and waits. */
    px_get_fn get;
    pmix_status_t (*get_nb)(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_info_t *info, size_t ninfo, const struct px_completion *to);

    /* Whatever src/request describes. */
    pmix_status_t (*request)(struct px_ctx *ctx, const struct px_request *request,
                             const struct px_args *args, const struct px_completion *to);

    /* peers: the processes of a namespace (NULL or empty: of all) on a node (NULL: this one), as
     * ret->procs; else the names of its nodes, separated by commas, as ret->text. Blocks in the
     * caller's thread (PMIX_ERR_WOULD_BLOCK on the loop thread unless the store has the answer).
     * *ret is the caller's (px_reply_fini), also after an error. */
    pmix_status_t (*resolve)(struct px_ctx *ctx, bool peers, const char *node, const char *nspace,
                             struct px_reply *ret);

    /* Deregisters at the servers: no handler of this process (they are in ctx->events) wants these
     * codes any more, or all codes (all: the last default handler went). Loop thread. */
    void (*deregister_codes)(struct px_ctx *ctx, const pmix_status_t *codes, size_t n, bool all);

    /* Replaces the groups among the processes of an info by their members, as far as this process
     * knows them. 0, PMIX_ERR_NOT_FOUND (a group has no such rank), PMIX_ERR_NOMEM; the info is
     * unchanged then. Loop thread. */
    int (*spell_groups)(struct px_ctx *ctx, pmix_info_t *info);
    /* The same for all sources of a handler (PMIX_EVENT_CUSTOM_RANGE) after that, with the groups
     * that only the server knows. Completes once, maybe at once, with a status as there; some of
     * the infos, which are the caller's, are changed then. NULL: there are no others. Loop thread.
     */
    void (*spell_sources)(struct px_ctx *ctx, struct px_args *all, const struct px_completion *to);

    /* By events alone: the leader invites, the others answer. */
    pmix_status_t (*group_invite_nb)(struct px_ctx *ctx, const char *group,
                                     const pmix_proc_t *procs, size_t nprocs,
                                     const pmix_info_t *info, size_t ninfo,
                                     const struct px_completion *to);
    pmix_status_t (*group_join_nb)(struct px_ctx *ctx, const char *group, const pmix_proc_t *leader,
                                   pmix_group_opt_t answer, const pmix_info_t *info, size_t ninfo,
                                   const struct px_completion *to);
    /* cbfunc is called with the output, regcbfunc with the number of the subscription. */
    pmix_status_t (*iof_pull)(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                              pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                              void *regcbdata);
};

#endif
