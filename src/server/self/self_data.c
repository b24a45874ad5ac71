/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading, keeping and resolving by the server process itself. */

#include <stdlib.h>
#include <string.h>

#include "loop_call.h"
#include "gds/store.h"
#include "src/server/data/server_get.h"
#include "self_call.h"
#include "src/server/requests/server_query.h"
#include "self_ops.h"
#include "self.h"
#include "src/loop/wait.h"
#include "src/context/context.h"
#include "src/value/directives.h"
#include "src/server/data/get_answer.h"
#include "src/server/data/nspace.h"
#include "src/server/requests/server_resolve.h"
#include "src/server/peers/dispatch.h"

/* --- data --- */

struct store_args {
    const pmix_proc_t *proc;
    const char *key;
    const pmix_value_t *value;
};

/* Kept under the process's name for readers of this process only: clients find it outside their
 * scope. */
static int store_on_loop(struct px_server *s, void *args)
{
    struct store_args *a = args;
    struct px_nspace *ns = px_nspace_make(s, a->proc->nspace);
    struct px_batch *batch = ns ? px_batch_create() : NULL;
    struct px_store_entry entry = {
        .level = a->proc->rank == PMIX_RANK_WILDCARD ? PX_LEVEL_JOB : PX_LEVEL_PROC,
        .index = a->proc->rank == PMIX_RANK_WILDCARD ? 0 : a->proc->rank,
        .key = a->key,
        .value = a->value,
        .scope = PMIX_INTERNAL,
    };
    int rc = batch ? px_batch_add(batch, &entry) : PMIX_ERR_NOMEM;

    rc = rc ? rc : px_store_publish(ns->store, batch);
    px_batch_destroy(batch);
    if (ns) {
        px_store_compact(ns->store);
    }
    return rc;
}

pmix_status_t px_self_store(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_value_t *value)
{
    struct store_args args = {proc ? proc : &ctx->self, key, value};

    return px_server_run(ctx->role, store_on_loop, &args);
}

pmix_status_t px_self_commit(struct px_ctx *ctx)
{
    (void) ctx;
    return PMIX_SUCCESS;
}

struct get_args {
    const pmix_proc_t *proc;
    const char *key;
    const pmix_info_t *info;
    size_t ninfo;
    pmix_value_t **value;
};

static int give_value(const struct px_slice *slice, const struct px_get_directives *directives,
                      pmix_value_t **value)
{
    if (directives->static_values) {
        return *value ? px_slice_fill(slice, *value) : PMIX_ERR_BAD_PARAM;
    }
    if (directives->pointer_values) {
        return px_slice_pointer(slice, (const pmix_value_t **) value);
    }
    return px_slice_value(slice, value);
}

static const char *nspace_of(const struct px_server *s, const struct get_args *a)
{
    return a->proc && a->proc->nspace[0] ? a->proc->nspace : s->self.nspace;
}

/* What the host has registered or a process posted, else what this process knows of itself. */
static int find_here(struct px_server *s, const struct get_args *a,
                     struct px_get_directives *directives, struct px_slice *ret)
{
    struct px_nspace *ns = px_nspace_find(s, nspace_of(s, a));
    pmix_info_t *quals = calloc(a->ninfo + 1, sizeof(*quals));
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    int rc =
        quals ? px_lookup_key_read(a->info, a->ninfo, quals, &spec, directives) : PMIX_ERR_NOMEM;

    if (rc) {
        free(quals);
        return rc;
    }
    spec.rank = a->proc ? a->proc->rank : PMIX_RANK_WILDCARD;
    spec.key = a->key;
    spec.key_len = strlen(a->key);
    rc = PMIX_ERR_NOT_FOUND;
    if (ns) {
        bool renews = directives->refresh_cache && !directives->optional;

        rc = renews ? PMIX_ERR_WOULD_BLOCK : px_store_get(ns->store, &spec, ret);
    }
    if (rc == PMIX_ERR_NOT_FOUND && px_self_is(s, a->proc)) {
        rc = px_self_find(s, &spec, ret);
    }
    free(quals);
    return rc;
}

/* May what is not here come from the host? */
static bool host_may_have(struct px_server *s, const struct get_args *a)
{
    const char *nspace = nspace_of(s, a);

    return px_nspace_find(s, nspace) ? !px_key_reserved(a->key)
                                     : strcmp(nspace, s->self.nspace) != 0;
}

/* What is here; PMIX_ERR_WOULD_BLOCK when the host may have it. */
static int get_on_loop(struct px_server *s, void *args)
{
    struct get_args *a = args;
    struct px_get_directives directives;
    struct px_slice slice;
    int rc;

    if (!px_directives_met(&px_call_get, PX_ATTR_SERVER | PX_ATTR_WAITING, a->info, a->ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = find_here(s, a, &directives, &slice);
    rc = rc ? rc : give_value(&slice, &directives, a->value);
    if (rc != PMIX_ERR_NOT_FOUND || directives.optional || directives.immediate) {
        return rc;
    }
    return host_may_have(s, a) ? PMIX_ERR_WOULD_BLOCK : rc;
}

pmix_status_t px_self_get(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                          const pmix_info_t *info, size_t ninfo, pmix_value_t **value)
{
    struct get_args args = {proc, key, info, ninfo, value};

    if (!key) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_read(ctx->role, get_on_loop, &args);
}

/* A get of a key that this process knows of itself. False: it is not answered. */
static bool answered_here(struct px_upcall *up)
{
    struct get_args args = {&up->proc2, up->text, up->info, up->ninfo, NULL};
    struct px_get_directives directives;
    pmix_value_t *value = NULL;
    struct px_slice slice;

    if (!px_self_is(up->server, &up->proc2) || !px_key_reserved(up->text) ||
        !px_directives_met(&px_call_get, PX_ATTR_SERVER, up->info, up->ninfo) ||
        find_here(up->server, &args, &directives, &slice) || px_slice_value(&slice, &value)) {
        return false;
    }
    up->reply_to.value(PMIX_SUCCESS, value, up->reply_to.cbdata);
    PMIx_Value_free(value, 1);
    px_upcall_destroy(up);
    return true;
}

static void go_get(struct px_upcall *up)
{
    struct px_server *s = up->server;
    char *key = up->text;
    pmix_info_t *info = up->info;
    size_t ninfo = up->ninfo;

    if (answered_here(up)) {
        return;
    }
    up->text = NULL;
    up->info = NULL;
    up->ninfo = 0;
    if (px_get_start(s, &up->reply_to, &s->self, 0, &up->proc2, key, info, ninfo)) {
        up->reply_to.value(PMIX_ERR_NOMEM, NULL, up->reply_to.cbdata);
        PMIx_Info_free(info, ninfo);
        free(key);
    }
    px_upcall_destroy(up);
}

pmix_status_t px_self_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                             const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                             void *cbdata)
{
    struct px_reply_to reply_to = {.value = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = px_self_create(ctx, &reply_to);
    int rc = px_self_copy_infos(up, info, ninfo);

    if (!key || !cbfunc) {
        px_upcall_destroy(up);
        return PMIX_ERR_BAD_PARAM;
    }
    if (!rc) {
        up->proc2 = proc ? *proc : ctx->self;
        if (!up->proc2.nspace[0]) {
            PMIX_LOAD_NSPACE(up->proc2.nspace, ctx->self.nspace);
        }
        up->text = strdup(key);
        rc = up->text ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    return px_self_post(up, rc, false, go_get);
}

/* --- resolve --- */

struct resolve_wait {
    struct px_wait wait;
    pmix_proc_t *procs;
    size_t n;
    char *nodes;
};

static void resolved(void *arg, int status, pmix_proc_t *procs, size_t nprocs, char *nodes)
{
    struct resolve_wait *w = arg;

    w->procs = procs;
    w->n = nprocs;
    w->nodes = nodes;
    px_wait_done(&w->wait, status);
}

static int resolve_on_loop(struct px_server *s, void *arg)
{
    px_resolve_start(arg, s->uid, s->gid);
    return PMIX_SUCCESS;
}

static int resolve(struct px_ctx *ctx, bool peers, const char *node, const char *nspace,
                   struct resolve_wait *result)
{
    struct px_server *s = ctx->role;
    struct px_resolve *r;

    /* On the loop thread and in a forked child nobody can be waited for: what is known here. */
    if (px_loop_inside(s->loop) || !px_loop_alive(s->loop)) {
        return px_resolve_known(s, peers, node, nspace, &result->procs, &result->n, &result->nodes);
    }
    r = calloc(1, sizeof(*r));
    if (!r) {
        return PMIX_ERR_NOMEM;
    }
    r->server = s;
    r->proc = s->self;
    r->peers = peers;
    r->node = node ? strdup(node) : NULL;
    r->nspace = nspace ? strdup(nspace) : NULL;
    r->done = resolved;
    r->arg = result;
    if ((node && !r->node) || (nspace && !r->nspace)) {
        free(r->node);
        free(r->nspace);
        free(r);
        return PMIX_ERR_NOMEM;
    }
    px_wait_init(&result->wait);
    (void) px_server_run(s, resolve_on_loop, r);
    return px_ctx_wait(ctx, &result->wait);
}

pmix_status_t px_self_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace,
                                    pmix_proc_t **procs, size_t *nprocs)
{
    struct resolve_wait result = {0};
    int rc = resolve(ctx, true, node, nspace, &result);

    if (!rc) {
        *procs = result.procs;
        *nprocs = result.n;
    }
    return rc;
}

pmix_status_t px_self_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist)
{
    struct resolve_wait result = {0};
    int rc = resolve(ctx, false, NULL, nspace, &result);

    if (!rc) {
        *nodelist = result.nodes;
    }
    return rc;
}
