/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Store, get and resolve by the server process itself. A get is a px_get as for a peer, except
 * that its asker is this process and its reply calls a function; so gets of the server and of
 * clients follow one set of rules. */

#include "self_data.h"

#include <stdlib.h>
#include <string.h>

#include "loop_call.h"
#include "stored.h"
#include "src/server/data/get_request.h"
#include "src/server/data/get.h"
#include "src/server/data/server_get.h"
#include "src/server/requests/requests.h"
#include "src/server/data/nspace.h"
#include "src/loop/wait.h"
#include "src/context/reply_wait.h"
#include "src/server/requests/server_resolve.h"
#include "src/value/infos.h"

/* --- data --- */

/* For px_server_run: PMIX_SUCCESS if the namespace is registered. */
static int find_registered(struct px_server *s, void *name)
{
    const struct px_nspace *ns = px_nspace_find(s, name);

    return ns && ns->registered ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
}

bool px_self_hosts(struct px_ctx *ctx, const char *nspace)
{
    pmix_nspace_t name;

    PMIx_Load_nspace(name, nspace);
    return px_server_run(ctx->server, find_registered, name) == PMIX_SUCCESS;
}

/* The arguments of PMIx_Store_internal, borrowed by store_on_loop. */
struct store_args {
    const pmix_proc_t *proc;
    const char *key;
    const pmix_value_t *value;
};

static int store_on_loop(struct px_server *s, void *args)
{
    const struct store_args *a = args;

    return px_stored_put(s, a->proc, a->key, a->value);
}

pmix_status_t px_self_store(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_value_t *value)
{
    struct store_args args = {proc ? proc : &ctx->self, key, value};

    if (!args.proc->nspace[0]) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_run(ctx->server, store_on_loop, &args);
}

pmix_status_t px_self_commit(struct px_ctx *ctx)
{
    (void) ctx;
    return PMIX_SUCCESS;
}

/* The callback of a blocking get. The value is already in get->value, the caller's pointer. */
static void get_done(pmix_status_t status, pmix_value_t *value, void *wait)
{
    (void) value; /* px_get.value has it */
    px_wait_done(wait, status);
}

/* Loop thread: starts the request, which frees itself when it is answered. */
static void begin_get(struct px_task *task)
{
    px_get_begin(px_container_of(task, struct px_get, task));
}

/* Makes a get request with copies of key and directives, not begun; *ret is the caller's
 * (px_get_destroy). No process: this one; no namespace: this one's; no key: everything of one
 * process. PMIX_ERR_BAD_PARAM (no key for several processes, a key that is empty or too long, or a
 * count without infos), PMIX_ERR_NOMEM, or the status of px_get_create, which frees the copies. */
static int create_get(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                      const pmix_info_t *info, size_t ninfo, const struct px_reply_to *reply_to,
                      struct px_get **ret)
{
    struct px_server *s = ctx->server;
    pmix_proc_t target = proc ? *proc : s->self;
    pmix_info_t *own = NULL;
    char *key_copy;
    int rc;

    if ((!key && target.rank > PMIX_RANK_VALID) || (!info && ninfo) ||
        (key && (!key[0] || strlen(key) > PMIX_MAX_KEYLEN))) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!target.nspace[0]) {
        PMIX_LOAD_NSPACE(target.nspace, s->self.nspace);
    }
    key_copy = key ? strdup(key) : NULL;
    rc = key_copy || !key ? px_infos_copy(info, ninfo, &own) : PMIX_ERR_NOMEM;
    if (rc) {
        free(key_copy);
        return rc;
    }
    rc = px_get_create(s, reply_to, &s->self, 0, &target, key_copy, own, own ? ninfo : 0, ret);
    if (!rc) {
        (*ret)->task.run = begin_get;
    }
    return rc;
}

/* The request is begun on the loop thread; only a caller that may not block begins it itself. */
pmix_status_t px_self_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t ninfo, pmix_value_t **value)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    struct px_reply_to reply_to = {
        .self = px_completion_of(&px_reply_value, (px_callback) get_done, &wait)};
    struct px_get *get;
    int rc = ctx ? create_get(ctx, proc, key, info, ninfo, &reply_to, &get) : PMIX_ERR_INIT;

    if (rc) {
        return rc;
    }
    if (!value || (px_get_mode(&get->directives) == PX_RETURN_FILL && !*value)) {
        px_get_destroy(get);
        return PMIX_ERR_BAD_PARAM;
    }
    px_wait_init(&wait);
    get->value = value;
    if (!px_ctx_may_block(ctx)) {
        px_loop_post(ctx->loop, &get->task);
        return px_ctx_wait(ctx, &wait);
    }
    /* On the loop thread, or in a forked child without one (Slurm's daemon gets a task's
     * environment there). */
    px_get_begin(get);
    return px_wait_for(&wait);
}

pmix_status_t px_self_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                             const pmix_info_t *info, size_t ninfo, const struct px_completion *to)
{
    struct px_reply_to reply_to = {.self = *to};
    struct px_get *get;
    int rc = create_get(ctx, proc, key, info, ninfo, &reply_to, &get);

    if (rc) {
        return rc;
    }
    if (px_get_mode(&get->directives) == PX_RETURN_FILL) {
        px_get_destroy(get);
        return PMIX_ERR_NOT_SUPPORTED;
    }
    px_loop_post(ctx->loop, &get->task);
    return PMIX_SUCCESS;
}

/* --- resolve --- */

/* As a request to ourselves, which asks the host, or directly from the stores. */
pmix_status_t px_self_resolve(struct px_ctx *ctx, bool peers, const char *node, const char *nspace,
                              struct px_reply *ret)
{
    struct px_resolve_args args = {.node = PX_BORROWED(node), .nspace = PX_BORROWED(nspace)};
    struct px_reply_wait waiting;
    struct px_completion to;
    int rc;

    /* A caller on the loop thread or in a forked child cannot wait for the host. */
    if (px_ctx_may_block(ctx)) {
        return px_resolve_here(ctx->server, peers, node, nspace, ret);
    }
    to = px_reply_wait_begin(&waiting);
    rc = px_self_request(ctx, peers ? &px_request_resolve_peers : &px_request_resolve_nodes,
                         &args.head, &to);
    rc = px_reply_wait_end(ctx, &waiting, rc);
    *ret = waiting.reply;
    PMIx_Info_free(ret->info, ret->ninfo); /* what the result was read from, if the host gave it */
    ret->info = NULL;
    ret->ninfo = 0;
    return rc;
}
