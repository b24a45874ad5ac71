/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Environment of the processes that the host starts (PMIx_server_setup_fork), settings that the
 * host ships with an application (PMIx_server_setup_application), and their arrival on another node
 * (PMIx_server_setup_local_support).
 *
 * The environment variables of the PMIx protocol are read by clients of every release, and hooks of
 * container runtimes pass some of them on as parameters. Therefore they hold only words that stock
 * clients know. Variables of this library begin with PMIX_SHMIX_. */

#include "setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/server/self/loop_call.h"
#include "gds/store.h"
#include "src/base/env.h"
#include "src/base/param.h"
#include "src/net/mailbox.h"
#include "src/server/peers/inherited.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "src/server/data/nspace.h"
#include "src/server/data/register.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "gds/nodes.h"

extern char **environ;

/* Sets one variable; a NULL value sets nothing. 0 or the status of PMIx_Setenv. */
static int set(char ***env, const char *name, const char *value)
{
    return value ? PMIx_Setenv(name, value, true, env) : PMIX_SUCCESS;
}

/* Sets the addresses of this server: of the AF_UNIX listener for clients of this library, of the
 * TCP listener under the names that stock releases look for. */
static int set_contact(const struct px_server *s, char ***env)
{
    static const char *const names[] = {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4",
                                        "PMIX_SERVER_URI51", "PMIX_SERVER_URI61"};
    char uid[16];
    int rc = set(env, "PMIX_SHMIX_URI", s->uri_unix);

    (void) snprintf(uid, sizeof(uid), "%u", s->uid);
    rc = rc ? rc : set(env, "PMIX_SHMIX_UID", uid);

    for (size_t i = 0; !rc && i < sizeof(names) / sizeof(names[0]); i++) {
        rc = set(env, names[i], s->uri_tcp);
    }
    return rc;
}

/* True if clients may read by shared memory. */
static bool shares(void)
{
    return px_param_bool(PX_P_SHMEM_ENABLE) &&
           strcmp(px_param_string(PX_P_GDS), PX_GDS_MESSAGES) != 0;
}

/* Sets the variables that PMIx_server_setup_local_support delivered for the namespace. */
static int set_support(struct px_server *s, const struct px_nspace *ns, char ***env)
{
    int rc = PMIX_SUCCESS;

    (void) s;
    for (size_t i = 0; ns && !rc && i < ns->n_envars; i++) {
        const pmix_info_t *info = &ns->envars[i];

        if (info->value.type == PMIX_ENVAR && info->value.data.envar.envar) {
            rc = PMIx_Setenv(info->value.data.envar.envar, info->value.data.envar.value, true, env);
        }
    }
    return rc;
}

/* The name of this node in the maps of the namespace, which may differ from the kernel's: stock
 * clients look for their node's data under this name. Borrowed. */
static const char *node_name(const struct px_server *s, const struct px_nspace *ns)
{
    struct px_node_view view;
    uint32_t local = ns && ns->store ? px_store_local_node(ns->store) : PX_NO_NODE;

    return local != PX_NO_NODE && !px_store_node(ns->store, local, &view) ? view.name : s->hostname;
}

/* Gives the process a connection to inherit, if its host has asked for that in its environment;
 * else sees to it that it does not take what stands there for another process. 0 or PMIX_ERR_NOMEM.
 */
static int set_inherited(struct px_server *s, const struct px_fork_args *a)
{
    const char *given = px_env_get(*a->env, "PMIX_SHMIX_INHERIT");
    char text[PX_MAILBOX_TEXT];

    if (!given) {
        return PMIX_SUCCESS;
    }
    if (strcmp(given, PX_INHERIT_ASK) == 0 && px_loop_alive(s->loop) &&
        px_inherited_make(s, a->proc, text)) {
        return set(a->env, "PMIX_SHMIX_INHERIT", text);
    }
    px_env_unset(*a->env, "PMIX_SHMIX_INHERIT");
    return PMIX_SUCCESS;
}

/* Settings of the application are set last and may override the others. The word for the data store
 * (PMIX_GDS_MODULE) is "hash" for stock clients in any case; clients of this library look at
 * PMIX_SHMIX_GDS. */
int px_setup_fork(struct px_server *s, void *args)
{
    struct px_fork_args *a = args;
    const struct px_nspace *ns = px_nspace_find(s, a->proc->nspace);
    char rank[16];
    int rc;

    px_assert(px_loop_inside(s->loop) || !px_loop_alive(s->loop));
    (void) snprintf(rank, sizeof(rank), "%u", a->proc->rank);
    rc = set(a->env, "PMIX_NAMESPACE", a->proc->nspace);
    rc = rc ? rc : set(a->env, "PMIX_RANK", rank);
    rc = rc ? rc : set_contact(s, a->env);
    rc = rc ? rc : set(a->env, "PMIX_SECURITY_MODE", s->modes);
    rc = rc ? rc : set(a->env, "PMIX_BFROP_BUFFER_TYPE", "PMIX_BFROP_BUFFER_NON_DESC");
    rc = rc ? rc : set(a->env, "PMIX_GDS_MODULE", PX_GDS_MESSAGES);
    rc = rc ? rc
            : set(a->env, "PMIX_SHMIX_GDS",
                  shares() ? PX_GDS_SHARED "," PX_GDS_MESSAGES : PX_GDS_MESSAGES);
    rc = rc ? rc : set(a->env, "PMIX_SERVER_TMPDIR", s->tmpdir);
    rc = rc ? rc : set(a->env, "PMIX_SYSTEM_TMPDIR", s->system_tmpdir);
    rc = rc ? rc : set(a->env, "PMIX_HOSTNAME", node_name(s, ns));
    rc = rc ? rc : set(a->env, "PMIX_VERSION", PX_WIRE_VERSION);
    rc = rc ? rc : set_inherited(s, a);
    return rc ? rc : set_support(s, ns, a->env);
}

/* --- shipping settings with an application --- */

/* Appends an environment setting ("NAME=value", with `equals` at the =) as PMIX_SET_ENVAR. */
static int add_envar(pmix_info_t **infos, size_t *n, const char *setting, const char *equals)
{
    pmix_envar_t envar = {.envar = strndup(setting, (size_t) (equals - setting)),
                          .value = strdup(equals + 1),
                          .separator = 0};
    int rc = envar.envar && envar.value ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    rc = rc ? rc : px_infos_append(infos, n, PMIX_SET_ENVAR, &envar, PMIX_ENVAR);
    free(envar.envar);
    free(envar.value);
    return rc;
}

/* Ships the parameters in the environment of the host, PMIX_MCA_..., if PMIX_SETUP_APP_ENVARS or
 * PMIX_SETUP_APP_ALL is among the directives; other settings are the host's own. */
int px_setup_application(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret, size_t *ret_n)
{
    struct px_setup_app_directives directives;
    pmix_info_t *infos = NULL;
    size_t n = 0;
    int rc = px_setup_app_read(info, ninfo, &directives);
    bool wanted = !rc && (directives.envars || directives.all);

    for (char **at = environ; !rc && wanted && at && *at; at++) {
        const char *equals = strchr(*at, '=');

        if (equals && strncmp(*at, "PMIX_MCA_", 9) == 0) {
            rc = add_envar(&infos, &n, *at, equals);
        }
    }
    if (rc) {
        PMIx_Info_free(infos, n);
        return rc;
    }
    *ret = infos;
    *ret_n = n;
    return PMIX_SUCCESS;
}

/* The namespace is made if it does not exist: the call may precede its registration. */
int px_local_support(struct px_server *s, void *args)
{
    struct px_nspace_args *a = args;
    struct px_nspace *ns = px_nspace_make(s, a->nspace);
    pmix_info_t *copy = NULL;
    int rc = ns ? px_infos_copy(a->info, a->ninfo, &copy) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    if (!rc) {
        PMIx_Info_free(ns->envars, ns->n_envars);
        ns->envars = copy;
        ns->n_envars = copy ? a->ninfo : 0;
    }
    return rc;
}
