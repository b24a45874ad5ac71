/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and stop of the server role. The doors open last, when everything that a connection can ask
 * for is there. They close after the connections, whose guests belong to them; who comes in between
 * is refused. */

#include "start.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "module.h"
#include "rendezvous.h"
#include "self.h"
#include "server.h"
#include "src/base/param.h"
#include "src/net/auth.h"
#include "src/net/door.h"
#include "src/peer/context.h"
#include "src/topo/topo.h"
#include "src/value/infos.h"

enum { SYSTEM_NAME_MAX = 256 };

/* --- what the host and the environment say --- */

static const char *first_of(const char *a, const char *b, const char *c, const char *d)
{
    const char *const names[] = {a, b, c, d};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = names[i] ? getenv(names[i]) : NULL;

        if (value && value[0]) {
            return value;
        }
    }
    return NULL;
}

static int set_text(char **where, const char *text)
{
    char *copy = strdup(text);

    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    free(*where);
    *where = copy;
    return PMIX_SUCCESS;
}

static int read_text(char **where, const pmix_info_t *info)
{
    if (info->value.type != PMIX_STRING || !info->value.data.string ||
        !info->value.data.string[0]) {
        return PMIX_ERR_BAD_PARAM;
    }
    return set_text(where, info->value.data.string);
}

static int read_topology(const pmix_info_t *info)
{
    int rc;

    if (info->value.type != PMIX_TOPO || !info->value.data.topo) {
        return PMIX_SUCCESS;
    }
    rc = px_topo_adopt(info->value.data.topo);
    return rc == PMIX_ERR_EXISTS ? PMIX_SUCCESS : rc;
}

/* What concerns tools; true when the info was one of these. */
static bool read_tool_info(struct px_server *s, const pmix_info_t *info)
{
    const struct {
        const char *key;
        bool *where;
    } switches[] = {
        {PMIX_SERVER_TOOL_SUPPORT, &s->tools},
        {PMIX_SERVER_SYSTEM_SUPPORT, &s->meet.system},
        {PMIX_SERVER_SCHEDULER, &s->meet.scheduler},
        {PMIX_SERVER_SYS_CONTROLLER, &s->meet.controller},
    };
    uint32_t mode;

    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        if (strcmp(info->key, switches[i].key) == 0) {
            *switches[i].where = px_value_true(&info->value);
            s->tools |= px_value_true(&info->value);
            return true;
        }
    }
    if (strcmp(info->key, PMIX_SERVER_SESSION_SUPPORT) == 0) {
        s->tools |= px_value_true(&info->value);
        return true;
    }
    if (strcmp(info->key, PMIX_LAUNCHER_RENDEZVOUS_FILE) == 0 && info->value.type == PMIX_STRING) {
        s->meet.launcher_file = info->value.data.string;
        s->tools = true;
        return true;
    }
    if (strcmp(info->key, PMIX_SOCKET_MODE) == 0 && !px_value_u32(&info->value, &mode)) {
        s->meet.mode = mode;
        return true;
    }
    return false;
}

static int read_info(struct px_server *s, const pmix_info_t *info)
{
    uint32_t rank;
    int rc = PMIX_SUCCESS;

    if (strcmp(info->key, PMIX_SERVER_NSPACE) == 0) {
        if (info->value.type != PMIX_STRING || !info->value.data.string ||
            !info->value.data.string[0] || strlen(info->value.data.string) > PMIX_MAX_NSLEN) {
            return PMIX_ERR_BAD_PARAM;
        }
        PMIX_LOAD_NSPACE(s->self.nspace, info->value.data.string);
    } else if (strcmp(info->key, PMIX_SERVER_RANK) == 0) {
        rc = px_value_u32(&info->value, &rank);
        s->self.rank = rc ? s->self.rank : rank;
    } else if (strcmp(info->key, PMIX_SERVER_TMPDIR) == 0) {
        rc = read_text(&s->tmpdir, info);
    } else if (strcmp(info->key, PMIX_SYSTEM_TMPDIR) == 0) {
        rc = read_text(&s->system_tmpdir, info);
    } else if (strcmp(info->key, PMIX_HOSTNAME) == 0 ||
               strcmp(info->key, PMIX_SERVER_HOSTNAME) == 0) {
        rc = read_text(&s->hostname, info);
    } else if (read_tool_info(s, info)) {
        rc = PMIX_SUCCESS;
    } else if (strcmp(info->key, PMIX_SERVER_ALLOW_FOREIGN_TOOLS) == 0) {
        s->foreign_tools = px_value_true(&info->value);
    } else if (strcmp(info->key, PMIX_SERVER_SHARE_TOPOLOGY) == 0) {
        s->share_topology = px_value_true(&info->value);
    } else if (strcmp(info->key, PMIX_TOPOLOGY2) == 0) {
        rc = read_topology(info);
    }
    return rc;
}

static int set_defaults(struct px_server *s)
{
    char name[SYSTEM_NAME_MAX] = "localhost";
    const char *dir = first_of("PMIX_SERVER_TMPDIR", "TMPDIR", "TEMP", "TMP");
    const char *system_dir = first_of("PMIX_SYSTEM_TMPDIR", "TMPDIR", "TEMP", "TMP");
    const char *nspace = getenv("PMIX_SERVER_NAMESPACE");
    const char *rank = getenv("PMIX_SERVER_RANK");
    int rc;

    (void) gethostname(name, sizeof(name) - 1);
    s->fence_piece = px_fence_needs_piece();
    rc = set_text(&s->hostname, name);
    rc = rc ? rc : set_text(&s->tmpdir, dir ? dir : "/tmp");
    rc = rc ? rc : set_text(&s->system_tmpdir, system_dir ? system_dir : "/tmp");
    if (nspace && nspace[0] && strlen(nspace) <= PMIX_MAX_NSLEN) {
        PMIX_LOAD_NSPACE(s->self.nspace, nspace);
    } else {
        (void) snprintf(s->self.nspace, sizeof(s->self.nspace), "pmix-server.%.200s.%d", name,
                        (int) getpid());
    }
    s->self.rank = rank && rank[0] ? (pmix_rank_t) strtoul(rank, NULL, 10) : 0;
    return rc;
}

/* --- doors --- */

static char *make_uri(const struct px_server *s, const char *address)
{
    char *uri = NULL;

    if (!address || asprintf(&uri, "%s.%u;%s", s->self.nspace, s->self.rank, address) < 0) {
        return NULL;
    }
    return uri;
}

static int open_doors(struct px_server *s)
{
    int64_t mib = px_param_int(PX_P_MAX_MSG_SIZE);
    struct px_door_opts opts = {
        .unix_door = px_param_bool(PX_P_DOOR_UNIX),
        .unix_path = px_param_string(PX_P_DOOR_UNIX_PATH),
        .tcp_door = px_param_bool(PX_P_DOOR_TCP),
        .max_msg = (size_t) (mib > 0 ? mib : 4095) << 20,
        .handshake_ms = (unsigned) px_param_int(PX_P_HANDSHAKE_WAIT) * 1000,
        .unix_mode = 0666,
    };
    int rc = px_doors_open(s->loop, &opts, &px_peer_door_ops, s, &s->doors);

    if (rc) {
        return rc;
    }
    s->modes = px_auth_modes();
    s->uri_tcp = make_uri(s, px_doors_tcp(s->doors));
    s->uri_unix = make_uri(s, px_doors_unix(s->doors));
    if ((px_doors_tcp(s->doors) && !s->uri_tcp) || (px_doors_unix(s->doors) && !s->uri_unix)) {
        return PMIX_ERR_NOMEM;
    }
    return px_self_publish(s);
}

/* Tools look for files; they appear when the doors are open. */
static int put_up_signs(struct px_server *s)
{
    int rc;

    if (!s->tools) {
        return PMIX_SUCCESS;
    }
    if (!s->meet.launcher_file) {
        s->meet.launcher_file = getenv(PMIX_LAUNCHER_RNDZ_FILE);
    }
    if (!s->meet.mode) {
        s->meet.mode = s->foreign_tools ? 0644 : 0640;
    }
    rc = px_rendezvous_write(s, &s->meet, &s->rendezvous);
    s->meet.launcher_file = NULL; /* was the host's */
    return rc;
}

/* --- life --- */

static void server_destroy(struct px_server *s)
{
    PMIx_Info_free(s->resources, s->n_resources);
    px_sents_fini(&s->sents);
    px_map_fini(&s->host_codes);
    px_map_fini(&s->peers);
    px_map_fini(&s->nspaces);
    free(s->hostname);
    free(s->tmpdir);
    free(s->system_tmpdir);
    free(s->uri_tcp);
    free(s->uri_unix);
    px_self_fini(s);
    free(s);
}

/* Different for each server, and each time it starts. */
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

static struct px_server *server_create(struct px_ctx *ctx)
{
    struct px_server *s = calloc(1, sizeof(*s));

    if (!s) {
        return NULL;
    }
    s->ctx = ctx;
    s->loop = ctx->loop;
    s->uid = geteuid();
    s->gid = getegid();
    px_list_init(&s->ns_list);
    px_list_init(&s->peer_list);
    px_list_init(&s->upcalls);
    px_list_init(&s->gets);
    px_list_init(&s->modexes);
    px_list_init(&s->remote_asks);
    px_list_init(&s->connected);
    px_list_init(&s->event_cache);
    px_list_init(&s->psets);
    px_list_init(&s->inventory);
    px_list_init(&s->outputs);
    px_list_init(&s->groups);
    px_list_init(&s->pulls);
    px_colls_init(&s->colls, px_ns_job_size, s);
    px_sents_init(&s->sents);
    s->origin = make_origin();
    return s;
}

pmix_status_t px_server_start(struct px_ctx *ctx, const pmix_server_module_t *module,
                              const pmix_info_t *info, size_t ninfo)
{
    struct px_server *s = server_create(ctx);
    int rc = s ? set_defaults(s) : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        rc = read_info(s, &info[i]);
    }
    if (!rc) {
        px_module_copy(module, info, ninfo, &s->host);
        ctx->role = s;
        ctx->ops = &px_server_ops;
        ctx->self = s->self;
        rc = open_doors(s);
        rc = rc ? rc : put_up_signs(s);
    }
    if (rc && s) {
        px_doors_close(s->doors);
        ctx->role = NULL;
        ctx->ops = NULL;
        server_destroy(s);
    }
    return rc;
}

static int stop_on_loop(struct px_server *s, void *arg)
{
    (void) arg;
    s->stopping = true;
    px_upcalls_abandon(s);
    px_gets_drop_all(s);
    px_asks_drop_all(s);
    px_fences_drop_all(s);
    px_peer_close_all(s);
    px_ns_drop_all(s);
    px_events_drop_all(s);
    px_pulls_drop_all(s);
    px_psets_drop_all(s);
    px_inventory_drop_all(s);
    px_outputs_drop_all(s);
    px_groups_drop_all(s);
    px_connected_drop_all(s);
    return PMIX_SUCCESS;
}

static int look_for_answers(struct px_server *s, void *arg)
{
    *(bool *) arg = px_upcalls_coming(s);
    return PMIX_SUCCESS;
}

void px_server_stop(struct px_ctx *ctx)
{
    struct px_server *s = ctx->role;
    bool coming = false;

    if (!s) {
        return;
    }
    if (!px_loop_alive(
            s->loop)) { /* a forked child: doors, clients and segments are its parent's */
        ctx->role = NULL;
        ctx->ops = NULL;
        return;
    }
    px_rendezvous_remove(s->rendezvous);
    s->rendezvous = NULL;
    (void) px_server_run(s, stop_on_loop, NULL);
    px_doors_close(s->doors);
    s->doors = NULL;
    /* Answers and burials that are on their way run before this returns; a thread of the host may
     * be about to post one. */
    do {
        (void) px_server_run(s, look_for_answers, &coming);
    } while (coming && sched_yield() == 0);
    ctx->role = NULL;
    ctx->ops = NULL;
    server_destroy(s);
}
