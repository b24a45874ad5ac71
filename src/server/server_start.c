/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and stop of a server, on the thread of PMIx_server_init and PMIx_server_finalize, or of
 * PMIx_tool_init and PMIx_tool_finalize for that of a launcher.
 *
 * The listeners open last, when everything that a connection can ask for exists. On stop the loop
 * first ends all that is under way and closes the connections, then the listeners close: pending
 * connections belong to them. Connections that arrive in between are refused (s->stopping). */

#include "server_start.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "src/server/self/loop_call.h"
#include "src/server/requests/host_module.h"
#include "src/server/launch/local_host.h"
#include "src/server/launch/local_job.h"
#include "src/server/self/self.h"
#include "src/server/self/self_events.h"
#include "src/event/own_input.h"
#include "src/server/self/stored.h"
#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/net/listener.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/group_infos.h"
#include "src/server/collectives/group_leave.h"
#include "src/server/collectives/group_names.h"
#include "src/server/collectives/open_waits.h"
#include "src/nspace/proc_sets.h"
#include "configure.h"
#include "src/server/data/inventory.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/events/kept_events.h"
#include "src/server/events/output_cache.h"
#include "src/server/events/monitor.h"
#include "src/server/events/server_input.h"
#include "src/server/events/server_iof.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/value/procs.h"

/* --- listeners --- */

/* A contact string "<namespace>.<rank>;<address>", the caller's. NULL if address is NULL or memory
 * is out. */
static char *make_uri(const struct px_server *s, const char *address)
{
    char *uri = NULL;

    if (!address || asprintf(&uri, "%s.%u;%s", s->self.nspace, s->self.rank, address) < 0) {
        return NULL;
    }
    return uri;
}

void px_server_prepare(void)
{
    px_listeners_prepare();
}

/* Opens the listeners that the parameters enable, composes the contact strings, and publishes the
 * server's own data (self.c). 0, PMIX_ERR_NOMEM, or the status of px_listeners_open. */
static int open_listeners(struct px_server *s)
{
    int64_t mib = px_param_int(PX_P_MAX_MSG_SIZE);
    struct px_listener_opts opts = {
        .use_unix = px_param_bool(PX_P_DOOR_UNIX),
        .unix_path = px_param_string(PX_P_DOOR_UNIX_PATH),
        .use_tcp = px_param_bool(PX_P_DOOR_TCP),
        .max_msg = (size_t) (mib > 0 ? mib : 4095) << 20,
        .handshake_ms = (unsigned) px_param_int(PX_P_HANDSHAKE_WAIT) * 1000,
        .unix_mode = 0666,
    };
    int rc = px_listeners_open(s->loop, &opts, &px_peer_listener_ops, s, &s->listeners);

    if (rc) {
        return rc;
    }
    s->uri_tcp = make_uri(s, px_listeners_tcp(s->listeners));
    s->uri_unix = make_uri(s, px_listeners_unix(s->listeners));
    if ((px_listeners_tcp(s->listeners) && !s->uri_tcp) ||
        (px_listeners_unix(s->listeners) && !s->uri_unix)) {
        return PMIX_ERR_NOMEM;
    }
    return px_self_publish(s);
}

/* Writes the rendezvous files if tools are enabled, and reports the address if that is wanted. The
 * variable is not for the children of this process. Called when the listeners are open, since a
 * tool may connect as soon as it finds a file. 0 or the status of px_rendezvous_write. */
static int write_rendezvous_files(struct px_server *s)
{
    const char *file = secure_getenv(PMIX_LAUNCHER_RNDZ_FILE);
    int rc;

    if (!s->tools && !s->rendezvous_opts.report) {
        return PMIX_SUCCESS;
    }
    s->rendezvous_opts.tools = s->tools;
    if (!s->rendezvous_opts.launcher_file && file && file[0]) {
        s->rendezvous_opts.launcher_file = file;
    }
    if (!s->rendezvous_opts.mode) {
        s->rendezvous_opts.mode = s->foreign_tools ? 0644 : 0640;
    }
    rc = px_rendezvous_write(s, &s->rendezvous_opts, &s->rendezvous);
    s->rendezvous_opts.launcher_file = NULL; /* borrowed from the host until now */
    s->rendezvous_opts.report = NULL;
    (void) unsetenv(PMIX_LAUNCHER_RNDZ_FILE);
    return rc;
}

/* --- life --- */

/* Frees a server whose lists are empty: a new one, or one that has been stopped. */
static void server_destroy(struct px_server *s)
{
    PMIx_Info_free(s->resources, s->n_resources);
    px_users_fini(s);
    px_access_forget(s);
    px_high_water_fini(&s->high_water);
    px_map_fini(&s->host_codes);
    px_map_fini(&s->peers);
    px_map_fini(&s->nspaces);
    px_map_fini(&s->modexes);
    px_map_fini(&s->dmodex_asked);
    free(s->hostname);
    free(s->tmpdir);
    free(s->system_tmpdir);
    free(s->uri_tcp);
    free(s->uri_unix);
    px_open_waits_stop(s);
    px_self_fini(s);
    px_stored_fini(s);
    free(s->group_recheck);
    free(s->proc_sets);
    free(s);
}

/* A number that differs for each server, and each time that a server starts. Without random bytes
 * it is made of the time and the process id. */
static uint64_t make_origin(void)
{
    uint64_t origin;
    struct timespec now;

    if (getrandom(&origin, sizeof(origin), GRND_NONBLOCK) == (ssize_t) sizeof(origin)) {
        return origin;
    }
    (void) clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t) now.tv_sec << 32 ^ (uint64_t) now.tv_nsec << 20 ^ (uint64_t) getpid();
}

/* An empty server for a context whose loop runs: lists, limits and identity, but no settings. NULL
 * when memory is out. */
static struct px_server *server_create(struct px_ctx *ctx)
{
    struct px_server *s = calloc(1, sizeof(*s));

    if (!s) {
        return NULL;
    }
    s->ctx = ctx;
    s->loop = ctx->loop;
    s->launcher = ctx->role != NULL;
    s->trace_fd = (int) px_param_int(PX_P_TRACE_FD);
    s->next_pull = s->launcher ? PX_SELF_LAUNCHER_IDS : 0;
    s->uid = geteuid();
    s->gid = getegid();
    px_list_init(&s->ns_list);
    px_list_init(&s->moving);
    px_list_init(&s->peer_list);
    px_list_init(&s->inherited);
    px_list_init(&s->users);
    px_list_init(&s->upcalls);
    px_list_init(&s->answered_upcalls);
    px_gets_init(s);
    px_list_init(&s->dmodex_requests);
    px_list_init(&s->group_names_by_age);
    px_list_init(&s->group_infos);
    px_list_init(&s->kept_events);
    px_list_init(&s->event_users);
    px_list_init(&s->inventory);
    px_list_init(&s->outputs);
    px_list_init(&s->pulls);
    px_list_init(&s->unwanted);
    px_list_init(&s->paused);
    px_list_init(&s->held_pushes);
    px_list_init(&s->monitors);
    px_list_init(&s->local_jobs);
    px_colls_init(&s->colls, px_nspace_job_size, s);
    px_high_water_init(&s->high_water);
    s->server_id = make_origin();
    s->proc_sets = px_proc_sets_create();
    s->group_recheck = px_group_recheck_create(s);
    if (!s->proc_sets || !s->group_recheck) {
        server_destroy(s);
        return NULL;
    }
    return s;
}

/* The context gets its server before the listeners open, since a connection may be served at once.
 * The name of a launcher is that of its session already, which other threads read. */
pmix_status_t px_server_start(struct px_ctx *ctx, const pmix_server_module_t *module,
                              const pmix_info_t *info, size_t ninfo)
{
    struct px_server *s = server_create(ctx);
    int rc = s ? px_server_configure(s, info, ninfo) : PMIX_ERR_NOMEM;

    rc = rc ? rc : px_output_local(s, info, ninfo);
    if (!rc) {
        s->module_level = px_module_level(info, ninfo);
        px_module_copy(module, s->module_level, &s->host);
        if (s->launcher) {
            px_local_host_fill(&s->host, module != NULL);
        }
        ctx->server = s;
        if (!px_proc_equal(&ctx->self, &s->self)) {
            ctx->self = s->self;
        }
        px_open_waits_start(s);
        rc = open_listeners(s);
        rc = rc ? rc : write_rendezvous_files(s);
    }
    if (rc && s) {
        px_listeners_close(s->listeners);
        px_sink_destroy(s->local_sink); /* it has had nothing to show */
        ctx->server = NULL;
        server_destroy(s);
    }
    return rc;
}

int px_server_set_module(struct px_server *s, void *module)
{
    px_assert(px_loop_inside(s->loop) && s->launcher);
    px_module_copy(module, s->module_level, &s->host);
    px_local_host_fill(&s->host, true);
    return PMIX_SUCCESS;
}

/* Ends everything that is under way, on the loop thread. Upcalls are abandoned first, so that no
 * answer of the host finds an object that is freed here; the requests that depend on namespaces and
 * peers end before those. */
static int stop_on_loop(struct px_server *s, void *arg)
{
    (void) arg;
    s->stopping = true;
    px_input_stop(s->ctx);
    px_local_jobs_kill_all(s);
    if (s->local_sink) {
        px_sink_flush(s->local_sink, 0);
        px_sink_destroy(s->local_sink);
        s->local_sink = NULL;
    }
    px_upcalls_abandon(s);
    px_gets_drop_all(s);
    px_dmodex_requests_drop_all(s);
    px_colls_drop_all(s);
    px_peer_close_all(s);
    px_nspace_drop_all(s);
    px_events_drop_all(s);
    px_iof_subscriptions_drop_all(s);
    px_pushes_drop_all(s);
    px_monitors_drop_all(s);
    px_groups_recheck_stop(s);
    px_proc_sets_clear(s->proc_sets);
    px_group_names_fini(s);
    px_group_infos_fini(s);
    px_inventory_drop_all(s);
    px_outputs_drop_all(s);
    return PMIX_SUCCESS;
}

/* Reports to *arg, a bool, whether answers of the host have still to pass through the loop. */
static int check_late_answers(struct px_server *s, void *arg)
{
    *(bool *) arg = px_upcalls_answered_late(s);
    return PMIX_SUCCESS;
}

void px_server_shut(struct px_ctx *ctx)
{
    struct px_server *s = ctx->server;

    if (!s || !px_loop_alive(s->loop)) {
        return;
    }
    px_rendezvous_remove(s->rendezvous);
    s->rendezvous = NULL;
    (void) px_server_run(s, stop_on_loop, NULL);
    px_listeners_close(s->listeners);
    s->listeners = NULL;
}

/* Threads of this process that wait are answered by the first stop_on_loop, in px_server_shut. The
 * second one is for what those that were inside have begun since. If a thread does not leave its
 * call in time the server stays, and nothing is freed.
 *
 * An answer of the host that arrives while the server stops is dropped on the loop thread. So the
 * server is freed only after the loop has no such answer left: the last loop here waits for them,
 * and yields to the thread that is about to post one. */
void px_server_stop(struct px_ctx *ctx)
{
    struct px_server *s = ctx->server;
    bool coming = false;

    if (!s) {
        return;
    }
    if (!px_loop_alive(s->loop)) { /* a forked child: all of it belongs to the parent */
        ctx->server = NULL;
        return;
    }
    px_server_shut(ctx);
    if (!px_ctx_drain(ctx)) {
        return;
    }
    (void) px_server_run(s, stop_on_loop, NULL);
    /* Answers and deferred frees that are posted run before this returns. A thread of the host may
     * be about to post one. */
    do {
        (void) px_server_run(s, check_late_answers, &coming);
    } while (coming && sched_yield() == 0);
    ctx->server = NULL;
    server_destroy(s);
}
