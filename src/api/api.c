/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and end of a context below its role, and the blocking forms. A blocking call is its
 * non-blocking form and a wait on the caller's stack. On the progress thread such a wait would
 * never end, because that thread delivers the result: it is refused with PMIX_ERR_WOULD_BLOCK. */

#include "api.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>

#include "src/base/log.h"
#include "src/base/param.h"
#include "src/client/session.h"
#include "src/event/registry.h"
#include "src/server/server_start.h"
#include "src/value/attributes.h"
#include "src/topo/topo.h"

/* Takes a further reference to this shared library, so that it stays loaded while its thread runs,
 * even if the application closes it. A library that is linked into the program cannot be closed,
 * and none is found here. */
static void stay_loaded(struct px_ctx *ctx)
{
    static const char marker = 0;
    Dl_info here;

    if (ctx->loaded == NULL && dladdr(&marker, &here) != 0 && here.dli_fname != NULL) {
        ctx->loaded = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
}

/* A px_dropped_fn whose arg is the context: tells the server of the role. Once the context is down
 * the servers are being left, and the role may be gone. */
static void codes_dropped(void *arg, const pmix_status_t *codes, size_t n, bool default_handler)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    px_assert(arg == px_ctx());
    if (ctx != NULL && ctx->ops->deregister_codes != NULL) {
        ctx->ops->deregister_codes(ctx, codes, n, default_handler);
    }
}

/* Forgets all that belongs to one life of the context, without ending or freeing it. */
static void forget(struct px_ctx *ctx)
{
    ctx->refs = 0;
    ctx->ops = NULL;
    ctx->role = NULL;
    ctx->server = NULL;
    ctx->loop = NULL;
    ctx->events = NULL;
    px_list_init(&ctx->registrations);
    ctx->input = NULL;
    ctx->inviting = NULL;
    ctx->attrs = NULL;
}

/* Looks at the calls under way before an init gives up. A call that begins while the context is
 * down returns at once, and is no reason to refuse. */
enum { CALL_LOOKS = 1000 };

/* True if no thread is inside a call. The context is down. */
static bool calls_are_over(void)
{
    bool over = px_calls_over(NULL);

    for (int i = 0; i < CALL_LOOKS && !over; i++) {
        (void) sched_yield();
        over = px_calls_over(NULL);
    }
    return over;
}

/* Ends the former life of the context, which a finalize has left open because a thread stayed
 * inside a call. 0: there is none, or it has ended, or it is that of the process that has forked
 * this one. PMIX_ERR_RESOURCE_BUSY: a thread is still inside, or the calling thread runs the loop
 * of the former life. */
static int end_former(struct px_ctx *ctx)
{
    if (ctx->loop == NULL || !px_loop_alive(ctx->loop)) {
        return 0;
    }
    if (!px_loop_inside(ctx->loop) && calls_are_over()) {
        if (ctx->role != NULL && ctx->role != ctx->server) {
            px_session_end(px_session(ctx));
        }
        px_api_stopped(ctx);
    }
    if (ctx->loop == NULL) {
        return 0;
    }
    px_log(ctx->role != NULL && ctx->role == ctx->server ? PX_LOG_SERVER : PX_LOG_CLIENT, 1,
           "not started again: a thread is inside a call of before the last finalize");
    return PMIX_ERR_RESOURCE_BUSY;
}

/* Destroys the registry on the loop thread, which owns it. */
static void close_events(void *arg)
{
    struct px_ctx *ctx = arg;
    struct px_events *events = ctx->events;

    ctx->events = NULL;
    px_events_destroy(events);
}

/* Undoes px_api_open after the role has stopped. Not on the loop thread. The order matters: events
 * need the loop, and the thread has to end before the library may be unloaded. Unloading cannot
 * happen within this call, since the caller has loaded the library too. */
static void close_context(struct px_ctx *ctx)
{
    (void) px_loop_run(ctx->loop, close_events,
                       ctx); /* fails in a forked child only, which leaves it alone */
    px_loop_destroy(ctx->loop);
    ctx->loop = NULL;
    px_attrs_destroy(ctx->attrs);
    ctx->attrs = NULL;
    px_topo_fini();
    if (ctx->loaded != NULL) {
        (void) dlclose(ctx->loaded);
        ctx->loaded = NULL;
    }
}

/* px_loop_create starts the progress thread unless the application drives the loop. */
int px_api_open(struct px_ctx *ctx, bool external)
{
    int rc = end_former(ctx);

    rc = rc != 0 ? rc : px_param_load();
    if (rc != 0) {
        return rc;
    }
    forget(ctx);
    rc = px_loop_create(external, &ctx->loop);
    if (rc != 0) {
        return rc;
    }
    stay_loaded(ctx);
    ctx->external = external;
    ctx->events = px_events_create(ctx->loop, codes_dropped, ctx);
    ctx->attrs = px_attrs_create();
    if (ctx->events == NULL || ctx->attrs == NULL) {
        close_context(ctx);
        return PMIX_ERR_NOMEM;
    }
    px_events_set_self(ctx->events, &ctx->self);
    return 0;
}

/* The members that calls read without the lock are set before px_ctx_up publishes them. */
pmix_status_t px_api_started(struct px_ctx *ctx, pmix_status_t status, bool up)
{
    if (!up) {
        close_context(ctx);
        return status;
    }
    ctx->init_status = status;
    ctx->refs = 1;
    px_ctx_up(ctx);
    return status;
}

/* The role is the session, or the server if there is no session. */
void px_api_stopped(struct px_ctx *ctx)
{
    if (ctx->role != NULL && ctx->role != ctx->server) {
        return;
    }
    px_server_stop(ctx);
    if (ctx->server == NULL) {
        ctx->role = NULL;
        ctx->ops = NULL;
        close_context(ctx);
    }
}

/* A forked child has no progress thread, which px_loop_alive detects. */
bool px_api_dropped_after_fork(struct px_ctx *ctx)
{
    if (px_load_acquire(&ctx->state) != PX_STATE_UP || px_loop_alive(ctx->loop)) {
        return false;
    }
    px_ctx_down(ctx);
    forget(ctx);
    return true;
}

/* A client or tool counts its server too, which serves the call by this library's rules. The levels
 * are those of tables/attributes.tsv; PX_ATTR_WAITING adds directives that only the blocking form
 * needs. */
bool px_api_check_required(const struct px_ctx *ctx, const struct px_call *call,
                           const pmix_info_t *info, size_t ninfo)
{
    const char *role = ctx->ops->name;
    unsigned levels = strcmp(role, "server") == 0 ? PX_ATTR_SERVER
                      : strcmp(role, "tool") == 0 ? PX_ATTR_TOOL | PX_ATTR_SERVER
                                                  : PX_ATTR_CLIENT | PX_ATTR_SERVER;

    return px_directives_met(call, levels | PX_ATTR_WAITING, info, ninfo);
}

pmix_status_t px_api_may_finalize(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = px_api_may_block(ctx);

    return rc == PMIX_ERR_UNREACH ? PMIX_SUCCESS : rc; /* a forked child forgets its parent's */
}

pmix_status_t px_api_may_block(const struct px_ctx *ctx)
{
    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    return px_ctx_may_block(ctx);
}
