/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Settings of a server: defaults, then the environment, then the directives of PMIx_server_init,
 * each overriding the ones before. Runs in the thread that calls PMIx_server_init, before the
 * server is visible to the loop. */

#include "configure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"
#include "src/base/tmpdir.h"
#include "src/net/auth.h"
#include "src/topo/topo.h"
#include "src/value/directives.h"
#include "src/server/collectives/fence.h"

enum { SYSTEM_NAME_MAX = 256 };

/* Replaces an owned string by a copy of text. 0 or PMIX_ERR_NOMEM; then nothing has changed. */
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

/* Takes over the text of a directive; NULL (not given) leaves the setting as it is. An empty text
 * is refused with PMIX_ERR_BAD_PARAM. */
static int take_text(char **where, const char *text)
{
    if (!text) {
        return PMIX_SUCCESS;
    }
    return text[0] ? set_text(where, text) : PMIX_ERR_BAD_PARAM;
}

/* Uses the host's hwloc topology (PMIX_TOPOLOGY2) as that of this process. A topology that this
 * process has already is kept; a value of another type is ignored. 0 or a status of px_topo_adopt.
 */
static int take_topology(const pmix_info_t *info)
{
    int rc;

    if (!info || info->value.type != PMIX_TOPO || !info->value.data.topo) {
        return PMIX_SUCCESS;
    }
    rc = px_topo_adopt(info->value.data.topo);
    return rc == PMIX_ERR_EXISTS ? PMIX_SUCCESS : rc;
}

/* Takes over the server's namespace and rank. PMIX_ERR_BAD_PARAM if the namespace is empty or too
 * long. */
static int take_name(pmix_proc_t *self, const struct px_server_init_directives *directives)
{
    const char *nspace = directives->server_nspace;

    if (nspace && (!nspace[0] || strlen(nspace) > PMIX_MAX_NSLEN)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (nspace) {
        PMIX_LOAD_NSPACE(self->nspace, nspace);
    }
    self->rank = directives->server_rank != PX_NOT_GIVEN ? directives->server_rank : self->rank;
    return PMIX_SUCCESS;
}

/* Determines whether tools may connect and which rendezvous files are written. Each directive that
 * asks for a rendezvous file also enables tools. */
static void take_tool_support(struct px_server *s,
                              const struct px_server_init_directives *directives)
{
    s->rendezvous_opts.system = directives->system_support;
    s->rendezvous_opts.scheduler = directives->scheduler;
    s->rendezvous_opts.controller = directives->sys_controller;
    s->rendezvous_opts.launcher_file = directives->rendezvous_file;
    s->rendezvous_opts.report = directives->report_uri;
    s->rendezvous_opts.keep_dirs = directives->tdir_rmclean;
    s->rendezvous_opts.mode = directives->socket_mode != PX_NOT_GIVEN ? directives->socket_mode : 0;
    s->tools = directives->tool_support || directives->session_support ||
               s->rendezvous_opts.system || s->rendezvous_opts.scheduler ||
               s->rendezvous_opts.controller || s->rendezvous_opts.launcher_file;
    s->foreign_tools = directives->foreign_tools;
}

/* Applies the directives of PMIx_server_init; PMIX_SERVER_HOSTNAME prevails over PMIX_HOSTNAME. 0,
 * or a status of px_server_configure. */
static int read_directives(struct px_server *s, const pmix_info_t *info, size_t ninfo)
{
    struct px_server_init_directives directives;
    int rc = px_server_init_read(info, ninfo, &directives);

    rc = rc ? rc : take_name(&s->self, &directives);
    rc = rc ? rc : take_text(&s->tmpdir, directives.server_tmpdir);
    rc = rc ? rc : take_text(&s->system_tmpdir, directives.system_tmpdir);
    rc = rc ? rc : take_text(&s->hostname, directives.hostname);
    rc = rc ? rc : take_text(&s->hostname, directives.server_hostname);
    rc = rc ? rc : take_topology(directives.topology2);
    if (rc) {
        return rc;
    }
    take_tool_support(s, &directives);
    s->share_topology = directives.share_topology;
    return PMIX_SUCCESS;
}

/* Sets defaults from the system and the environment. The name is taken from PMIX_SERVER_NAMESPACE
 * and PMIX_SERVER_RANK, which a launcher sets; else it is made of the host name and the process id.
 */
static int set_defaults(struct px_server *s)
{
    char name[SYSTEM_NAME_MAX] = "localhost";
    const char *nspace = secure_getenv("PMIX_SERVER_NAMESPACE");
    const char *rank = secure_getenv("PMIX_SERVER_RANK");
    int rc;

    (void) gethostname(name, sizeof(name) - 1);
    s->fence_needs_data = px_fence_needs_data();
    rc = set_text(&s->hostname, name);
    rc = rc ? rc : set_text(&s->tmpdir, px_tmpdir_peek("PMIX_SERVER_TMPDIR"));
    rc = rc ? rc : set_text(&s->system_tmpdir, px_tmpdir_peek("PMIX_SYSTEM_TMPDIR"));
    if (nspace && nspace[0] && strlen(nspace) <= PMIX_MAX_NSLEN) {
        PMIX_LOAD_NSPACE(s->self.nspace, nspace);
    } else {
        (void) snprintf(s->self.nspace, sizeof(s->self.nspace), "pmix-server.%.200s.%d", name,
                        (int) getpid());
    }
    s->self.rank = rank && rank[0] ? (pmix_rank_t) strtoul(rank, NULL, 10) : 0;
    return rc;
}

/* Directives override the environment. */
int px_server_configure(struct px_server *s, const pmix_info_t *info, size_t ninfo)
{
    int rc = set_defaults(s);

    s->modes = px_auth_modes();
    return rc ? rc : read_directives(s, info, ninfo);
}
