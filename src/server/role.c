/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the server process itself may call of the client's API. It goes the way of a client's request with the
 * server's own name, so that the host sees no difference but the name. Arguments are copied here, in the caller's
 * thread; the rest happens on the loop thread. */

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "events.h"
#include "get.h"
#include "host.h"
#include "iof.h"
#include "query.h"
#include "requests.h"
#include "src/event/registry.h"
#include "src/loop/wait.h"
#include "start.h"

/* --- a request of our own on its way --- */

struct own {
    struct px_task task;
    struct px_upcall *up;
    void (*go)(struct px_upcall *up);
};

static void own_run(struct px_task *task)
{
    struct own *own = px_container_of(task, struct own, task);
    struct px_upcall *up = own->up;

    own->go(up);
    free(own);
}

static struct px_upcall *own_create(struct px_ctx *ctx, const struct px_from *from)
{
    struct px_server *s = ctx->role;

    return px_upcall_create(s, from, &s->self, px_done_status);
}

/* Sends it off, or drops it when filling it failed. */
static pmix_status_t own_post(struct px_upcall *up, int rc, bool identify, void (*go)(struct px_upcall *up))
{
    struct own *own = NULL;

    if (!rc && up && identify) {
        rc = px_upcall_identify(up, up->server->uid, up->server->gid);
    }
    if (!rc && up) {
        own = calloc(1, sizeof(*own));
    }
    if (!own) {
        px_upcall_destroy(up);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    own->task.run = own_run;
    own->up = up;
    own->go = go;
    px_loop_post(up->server->loop, &own->task);
    return PMIX_SUCCESS;
}

static int copy_infos(struct px_upcall *up, const pmix_info_t *info, size_t ninfo)
{
    int rc = up ? px_infos_copy(info, ninfo, &up->info) : PMIX_ERR_NOMEM;

    if (!rc) {
        up->ninfo = up->info ? ninfo : 0;
    }
    return rc;
}

static int copy_procs(struct px_upcall *up, const pmix_proc_t *procs, size_t nprocs)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    if (!procs || !nprocs) {
        return PMIX_SUCCESS;
    }
    up->procs = malloc(nprocs * sizeof(*procs));
    if (!up->procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(up->procs, procs, nprocs * sizeof(*procs));
    up->nprocs = nprocs;
    return PMIX_SUCCESS;
}

static int copy_keys(struct px_upcall *up, char **keys)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    up->keys = keys ? PMIx_Argv_copy(keys) : NULL;
    return keys && !up->keys ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

static int copy_bytes(struct px_upcall *up, const pmix_byte_object_t *bytes)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    if (!bytes || !bytes->size) {
        return PMIX_SUCCESS;
    }
    up->bytes.bytes = malloc(bytes->size);
    if (!up->bytes.bytes) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(up->bytes.bytes, bytes->bytes, bytes->size);
    up->bytes.size = bytes->size;
    return PMIX_SUCCESS;
}

/* --- data --- */

struct store_args {
    const pmix_proc_t *proc;
    const char *key;
    const pmix_value_t *value;
};

/* Kept under the process's name for readers of this process only: clients find it outside their scope. */
static int store_on_loop(struct px_server *s, void *args)
{
    struct store_args *a = args;
    struct px_nsrec *ns = px_ns_make(s, a->proc->nspace);
    struct px_batch *batch = ns ? px_batch_create() : NULL;
    struct px_entry entry = {
        .level = a->proc->rank == PMIX_RANK_WILDCARD ? PX_LEVEL_JOB : PX_LEVEL_PROC,
        .index = a->proc->rank == PMIX_RANK_WILDCARD ? 0 : a->proc->rank,
        .key = a->key,
        .value = a->value,
        .scope = PMIX_INTERNAL,
    };
    int rc = batch ? px_batch_add(batch, &entry) : PMIX_ERR_NOMEM;

    rc = rc ? rc : px_store_publish(ns->store, batch);
    px_batch_destroy(batch);
    return rc;
}

static pmix_status_t own_store(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_value_t *value)
{
    struct store_args args = {proc ? proc : &ctx->self, key, value};

    return px_server_run(ctx->role, store_on_loop, &args);
}

static pmix_status_t own_commit(struct px_ctx *ctx)
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

static bool has_flag(const pmix_info_t *info, size_t ninfo, const char *key)
{
    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, key) == 0) {
            return info[i].value.type != PMIX_BOOL || info[i].value.data.flag;
        }
    }
    return false;
}

static int give_value(const struct px_slice *slice, const struct get_args *a)
{
    if (has_flag(a->info, a->ninfo, PMIX_GET_STATIC_VALUES)) {
        return *a->value ? px_slice_fill(slice, *a->value) : PMIX_ERR_BAD_PARAM;
    }
    if (has_flag(a->info, a->ninfo, PMIX_GET_POINTER_VALUES)) {
        return px_slice_pointer(slice, (const pmix_value_t **) a->value);
    }
    return px_slice_value(slice, a->value);
}

/* What is here; PMIX_ERR_WOULD_BLOCK when the host may have it. */
static int get_on_loop(struct px_server *s, void *args)
{
    struct get_args *a = args;
    const char *nspace = a->proc && a->proc->nspace[0] ? a->proc->nspace : s->self.nspace;
    struct px_nsrec *ns = px_ns_find(s, nspace);
    struct px_ask ask = PX_ASK_INIT;
    pmix_info_t *quals;
    struct px_slice slice;
    size_t n;
    bool now = has_flag(a->info, a->ninfo, PMIX_OPTIONAL) || has_flag(a->info, a->ninfo, PMIX_IMMEDIATE);
    int rc;

    if (!ns) {
        return now || strcmp(nspace, s->self.nspace) == 0 ? PMIX_ERR_NOT_FOUND : PMIX_ERR_WOULD_BLOCK;
    }
    quals = calloc(a->ninfo + 1, sizeof(*quals));
    if (!quals) {
        return PMIX_ERR_NOMEM;
    }
    px_ask_read(a->info, a->ninfo, quals, &ask, &n);
    ask.rank = a->proc ? a->proc->rank : PMIX_RANK_WILDCARD;
    ask.key = a->key;
    ask.key_len = strlen(a->key);
    rc = px_store_ask(ns->store, &ask, &slice);
    rc = rc ? rc : give_value(&slice, a);
    free(quals);
    if (rc == PMIX_ERR_NOT_FOUND && !now && !px_key_reserved(a->key)) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    return rc;
}

static pmix_status_t own_get(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key, const pmix_info_t *info,
                             size_t ninfo, pmix_value_t **value)
{
    struct get_args args = {proc, key, info, ninfo, value};

    if (!key) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_server_run(ctx->role, get_on_loop, &args);
}

static void go_get(struct px_upcall *up)
{
    struct px_server *s = up->server;
    char *key = up->text;
    pmix_info_t *info = up->info;
    size_t ninfo = up->ninfo;

    up->text = NULL;
    up->info = NULL;
    up->ninfo = 0;
    if (px_get_start(s, &up->from, &s->self, false, &up->proc2, key, info, ninfo)) {
        up->from.value(PMIX_ERR_NOMEM, NULL, up->from.cbdata);
        PMIx_Info_free(info, ninfo);
        free(key);
    }
    px_upcall_destroy(up);
}

static pmix_status_t own_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key, const pmix_info_t *info,
                                size_t ninfo, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.value = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, info, ninfo);

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
    return own_post(up, rc, false, go_get);
}

/* --- what is the host's --- */

static pmix_status_t own_abort(struct px_ctx *ctx, int status, const char *msg, const pmix_proc_t *procs,
                               size_t nprocs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_procs(up, procs, nprocs);

    if (!rc) {
        up->code = status;
        up->text = msg ? strdup(msg) : NULL;
        rc = msg && !up->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
    }
    return own_post(up, rc, false, px_go_abort);
}

static pmix_status_t own_publish(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);

    return own_post(up, copy_infos(up, info, ninfo), true, px_go_publish);
}

static pmix_status_t own_lookup(struct px_ctx *ctx, char **keys, const pmix_info_t *info, size_t ninfo,
                                pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.lookup = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_keys(up, keys);

    return own_post(up, rc ? rc : copy_infos(up, info, ninfo), true, px_go_lookup);
}

static pmix_status_t own_unpublish(struct px_ctx *ctx, char **keys, const pmix_info_t *info, size_t ninfo,
                                   pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_keys(up, keys);

    return own_post(up, rc ? rc : copy_infos(up, info, ninfo), true, px_go_unpublish);
}

static int copy_app(pmix_app_t *to, const pmix_app_t *from)
{
    to->cmd = from->cmd ? strdup(from->cmd) : NULL;
    to->argv = from->argv ? PMIx_Argv_copy(from->argv) : NULL;
    to->env = from->env ? PMIx_Argv_copy(from->env) : NULL;
    to->cwd = from->cwd ? strdup(from->cwd) : NULL;
    to->maxprocs = from->maxprocs;
    if ((from->cmd && !to->cmd) || (from->argv && !to->argv) || (from->env && !to->env) || (from->cwd && !to->cwd) ||
        px_infos_copy(from->info, from->ninfo, &to->info)) {
        return PMIX_ERR_NOMEM;
    }
    to->ninfo = to->info ? from->ninfo : 0;
    return PMIX_SUCCESS;
}

static pmix_status_t own_spawn(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo, const pmix_app_t *apps,
                               size_t napps, pmix_spawn_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.spawn = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, job_info, ninfo);

    if (!rc) {
        up->apps = PMIx_App_create(napps);
        up->napps = up->apps ? napps : 0;
        rc = up->apps ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; !rc && i < napps; i++) {
        rc = copy_app(&up->apps[i], &apps[i]);
    }
    return own_post(up, rc, true, px_go_spawn);
}

static pmix_status_t own_log(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata, const pmix_info_t *directives,
                             size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(data, ndata, &up->data);
        up->ndata = up->data ? ndata : 0;
    }
    return own_post(up, rc, true, px_go_log);
}

static pmix_status_t own_alloc(struct px_ctx *ctx, pmix_alloc_directive_t directive, const pmix_info_t *info,
                               size_t ninfo, pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, info, ninfo);

    if (!rc) {
        up->number = directive;
    }
    return own_post(up, rc, true, px_go_alloc);
}

static pmix_status_t own_job_control(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                                     const pmix_info_t *directives, size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                     void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_procs(up, targets, ntargets);

    return own_post(up, rc ? rc : copy_infos(up, directives, ndirs), true, px_go_job_control);
}

static pmix_status_t own_monitor(struct px_ctx *ctx, const pmix_info_t *monitor, pmix_status_t error,
                                 const pmix_info_t *directives, size_t ndirs, pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, directives, ndirs);

    if (!rc) {
        rc = px_infos_copy(monitor, monitor ? 1 : 0, &up->data);
        up->ndata = up->data ? 1 : 0;
        up->code = error;
    }
    return own_post(up, rc, true, px_go_monitor);
}

static pmix_status_t own_credential(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                    pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.cred = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);

    return own_post(up, copy_infos(up, info, ninfo), true, px_go_credential);
}

static pmix_status_t own_validate(struct px_ctx *ctx, const pmix_byte_object_t *cred, const pmix_info_t *info,
                                  size_t ninfo, pmix_validation_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.valid = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_bytes(up, cred);

    return own_post(up, rc ? rc : copy_infos(up, info, ninfo), true, px_go_validate);
}

static pmix_status_t own_query(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                               pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.infos = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
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
        rc = rc || (queries[i].keys && !to->keys) ? PMIX_ERR_NOMEM
                                                  : px_query_identify(to, up->server->uid, up->server->gid);
    }
    return own_post(up, rc, false, px_go_query);
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

static int resolve(struct px_ctx *ctx, bool peers, const char *node, const char *nspace, struct resolve_wait *result)
{
    struct px_server *s = ctx->role;
    struct px_resolve *r;

    /* On the loop thread nobody can be waited for: what is known here. */
    if (px_loop_inside(s->loop)) {
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

static pmix_status_t own_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace, pmix_proc_t **procs,
                                       size_t *nprocs)
{
    struct resolve_wait result = {0};
    int rc = resolve(ctx, true, node, nspace, &result);

    if (!rc) {
        *procs = result.procs;
        *nprocs = result.n;
    }
    return rc;
}

static pmix_status_t own_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist)
{
    struct resolve_wait result = {0};
    int rc = resolve(ctx, false, NULL, nspace, &result);

    if (!rc) {
        *nodelist = result.nodes;
    }
    return rc;
}

/* --- events --- */

static void go_register(struct px_upcall *up)
{
    px_codes_wanted(up->server, &up->from, &up->proc, up->codes, up->ncodes, false, up->info, up->ninfo);
    px_upcall_destroy(up);
}

static pmix_status_t own_register_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                        const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, info, ninfo);

    if (!rc) {
        up->codes = calloc(ncodes + 1, sizeof(*codes));
        rc = up->codes ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (!rc && ncodes) {
        memcpy(up->codes, codes, ncodes * sizeof(*codes));
        up->ncodes = ncodes;
    }
    return own_post(up, rc, false, go_register);
}

static void own_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes, bool default_handler)
{
    (void) default_handler;
    px_codes_dropped(ctx->role, codes, ncodes);
}

static void go_notify(struct px_upcall *up)
{
    struct px_event event = {
        .code = up->code,
        .source = up->proc2,
        .range = (pmix_data_range_t) up->number,
        .info = up->info,
        .ninfo = up->ninfo,
    };

    (void) px_event_spread(up->server, &event, PX_ORIGIN_HOST, NULL);
    px_answer_status(up->server, &up->from, PMIX_SUCCESS);
    px_upcall_destroy(up);
}

static pmix_status_t own_notify(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                                pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_infos(up, info, ninfo);

    if (!rc) {
        up->code = code;
        up->number = range;
        if (source) {
            up->proc2 = *source;
        } else {
            up->proc2.rank = PMIX_RANK_UNDEF;
        }
    }
    return own_post(up, rc, false, go_notify);
}

/* --- output of processes --- */

struct pull_start {
    pmix_iof_channel_t channel;
    pmix_iof_cbfunc_t cbfunc;
    pmix_hdlr_reg_cbfunc_t regcbfunc;
};

static void go_pull(struct px_upcall *up)
{
    struct pull_start *start = up->arg;
    struct px_pull *pull = px_pull_add(up->server, 0, up->procs, up->nprocs, start->channel);

    if (pull) {
        pull->cbfunc = start->cbfunc;
    }
    start->regcbfunc(pull ? PMIX_SUCCESS : PMIX_ERR_NOMEM, pull ? pull->id : SIZE_MAX, up->from.cbdata);
    free(start);
    px_upcall_destroy(up);
}

/* The host is this process: it delivers by PMIx_server_IOF_deliver and need not be asked. */
static pmix_status_t own_iof_pull(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                  const pmix_info_t *directives, size_t ndirs, pmix_iof_channel_t channel,
                                  pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata)
{
    struct px_from from = {.cbdata = regcbdata};
    struct px_upcall *up = own_create(ctx, &from);
    struct pull_start *start = calloc(1, sizeof(*start));
    int rc = start ? copy_procs(up, procs, nprocs) : PMIX_ERR_NOMEM;

    (void) directives;
    (void) ndirs;
    if (!rc) {
        *start = (struct pull_start){channel, cbfunc, regcbfunc};
        up->arg = start;
    }
    rc = own_post(up, rc, false, go_pull);
    if (rc) {
        free(start);
    }
    return rc;
}

struct drop_args {
    size_t id;
};

static int drop_on_loop(struct px_server *s, void *args)
{
    return px_pull_drop(s, 0, ((struct drop_args *) args)->id);
}

static pmix_status_t own_iof_deregister(struct px_ctx *ctx, size_t handler, const pmix_info_t *directives,
                                        size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct drop_args args = {handler};
    int rc = px_server_run(ctx->role, drop_on_loop, &args);

    (void) directives;
    (void) ndirs;
    (void) cbfunc;
    (void) cbdata;
    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t own_iof_push(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                                  const pmix_byte_object_t *bytes, const pmix_info_t *directives, size_t ndirs,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_from from = {.op = cbfunc, .cbdata = cbdata};
    struct px_upcall *up = own_create(ctx, &from);
    int rc = copy_procs(up, targets, ntargets);

    rc = rc ? rc : copy_bytes(up, bytes);
    return own_post(up, rc ? rc : copy_infos(up, directives, ndirs), true, px_go_iof_push);
}

const struct px_role_ops px_server_ops = {
    .name = "server",
    .store_internal = own_store,
    .commit = own_commit,
    .get = own_get,
    .get_nb = own_get_nb,
    .abort_nb = own_abort,
    .publish_nb = own_publish,
    .lookup_nb = own_lookup,
    .unpublish_nb = own_unpublish,
    .spawn_nb = own_spawn,
    .resolve_peers = own_resolve_peers,
    .resolve_nodes = own_resolve_nodes,
    .query_nb = own_query,
    .log_nb = own_log,
    .alloc_nb = own_alloc,
    .job_control_nb = own_job_control,
    .monitor_nb = own_monitor,
    .get_credential_nb = own_credential,
    .validate_credential_nb = own_validate,
    .register_codes = own_register_codes,
    .deregister_codes = own_deregister_codes,
    .notify_nb = own_notify,
    .iof_pull = own_iof_pull,
    .iof_deregister = own_iof_deregister,
    .iof_push = own_iof_push,
};
