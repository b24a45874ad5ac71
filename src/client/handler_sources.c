/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Whose events a handler is for (PMIX_EVENT_CUSTOM_RANGE), if a group is named there. A name that
 * is neither that of a job nor of a group that this process knows is asked of the server, if it is
 * one of ours, one after the other; one that the server does not know either stands for itself, as
 * it may be a job of other nodes. */

#include "handler_sources.h"

#include <stdlib.h>

#include "query.h"
#include "session.h"
#include "src/base/assert.h"
#include "src/base/epoch.h"
#include "src/nspace/proc_sets.h"
#include "src/nspace/query_args.h"
#include "src/request/args.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* One search. Freed before its completion is called. */
struct source_search {
    struct px_session *session;
    pmix_info_t *info; /* of the caller, who keeps it until then */
    size_t ninfo;
    struct px_proc_list asked; /* the names that the server was asked for, as wildcards */
    struct px_completion to;
};

static void complete(const struct px_completion *to, int rc)
{
    struct px_reply reply = {.status = rc};

    to->done(to, &reply);
}

static void search_over(struct source_search *search, int rc)
{
    const struct px_completion to = search->to;

    px_proc_list_fini(&search->asked);
    free(search);
    complete(&to, rc);
}

/* True if the name is that of a job of which this process has information. */
static bool is_job(struct px_session *session, const char *name)
{
    const struct px_space *space = px_space_named(session, name);
    bool known;

    px_reader_enter();
    known = space != NULL && px_space_job(space) != NULL;
    px_reader_leave();
    return known;
}

/* The first name that is not known here and was not asked for, or NULL. Borrowed. */
static const char *next_name(const struct source_search *search)
{
    const pmix_info_t *at = NULL;
    struct px_procs procs;

    while ((at = px_infos_next(search->info, search->ninfo, at, PMIX_EVENT_CUSTOM_RANGE)) != NULL) {
        procs.n = 0;
        (void) px_value_procs(&at->value, &procs); /* else nobody is named */
        for (size_t i = 0; i < procs.n; i++) {
            const char *name = procs.at[i].nspace;

            if (!px_procs_have_nspace(search->asked.at, search->asked.n, name) &&
                !is_job(search->session, name)) {
                return name;
            }
        }
    }
    return NULL;
}

/* Replaces the group that was asked for last by its members. 0, PMIX_ERR_NOT_FOUND (it has no such
 * rank), PMIX_ERR_NOMEM. */
static int spell(struct source_search *search, const struct px_procs *members)
{
    const char *name = search->asked.at[search->asked.n - 1].nspace;
    const pmix_info_t *at = NULL;
    struct px_proc_sets sets;
    int rc;

    px_proc_sets_init(&sets);
    rc = px_proc_set_add(&sets, PX_SET_GROUP, name, members->at, members->n) != NULL
             ? 0
             : PMIX_ERR_NOMEM;
    while (rc == 0 &&
           (at = px_infos_next(search->info, search->ninfo, at, PMIX_EVENT_CUSTOM_RANGE)) != NULL) {
        rc = px_proc_sets_spell(&sets, NULL, &search->info[at - search->info]);
    }
    px_proc_sets_clear(&sets);
    return rc;
}

static void go_on(struct source_search *search);

/* The server's answer about one name. Loop thread. */
static void members_came(const struct px_completion *to, struct px_reply *reply)
{
    struct source_search *search = to->target;
    const pmix_value_t *value =
        px_query_result(reply->info, reply->ninfo, PMIX_QUERY_GROUP_MEMBERSHIP);
    struct px_procs members;
    int rc = 0;

    if (reply->status == PMIX_SUCCESS && value != NULL && px_value_procs(value, &members) &&
        members.n > 0) {
        rc = spell(search, &members);
    }
    if (rc == 0) {
        go_on(search);
    } else {
        search_over(search, rc);
    }
}

/* Asks the server for the members of a group. 0: members_came will be called. */
static int ask(struct source_search *search, const char *name)
{
    const struct px_completion to = {.done = members_came, .target = search};
    char key[] = PMIX_QUERY_GROUP_MEMBERSHIP;
    char *keys[] = {key, NULL};
    pmix_info_t id = {.value = {.type = PMIX_STRING}};
    pmix_query_t query = {.keys = keys, .qualifiers = &id, .nqual = 1};
    struct px_query_args args = {.queries = &query, .nqueries = 1};
    pmix_proc_t all;
    int rc;

    PMIx_Load_procid(&all, name, PMIX_RANK_WILDCARD);
    PMIx_Load_key(id.key, PMIX_GROUP_ID);
    id.value.data.string = all.nspace;
    rc = px_proc_list_add(&search->asked, &all);
    return rc == 0 ? px_client_query(search->session, &args, &to) : rc;
}

/* Asks for the next name, or ends the search: also when it cannot be asked for, as then it stands
 * for itself. */
static void go_on(struct source_search *search)
{
    const char *name;

    px_assert(px_loop_inside(search->session->ctx->loop));
    name = next_name(search);
    if (name == NULL || ask(search, name) != 0) {
        search_over(search, 0);
    }
}

void px_client_spell_sources(struct px_ctx *ctx, struct px_args *infos,
                             const struct px_completion *to)
{
    struct px_session *session = px_session(ctx);
    const struct px_link_server *server = px_session_server(session);
    struct source_search *search =
        server != NULL && server->ours ? calloc(1, sizeof(*search)) : NULL;

    if (search == NULL) { /* without memory, too: names of others stand for themselves */
        complete(to, 0);
        return;
    }
    *search = (struct source_search){session, infos->info, infos->ninfo, {0}, *to};
    go_on(search);
}
