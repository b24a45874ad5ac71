/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Chooses the node of each process of a spawned application. Every node computes this from the same
 * values, and gets the same result. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "wishes.h"

struct nodes {
    uint32_t *at;
    uint32_t n;
};

static bool is_called(uint32_t node, const char *name, size_t len)
{
    const char *is = px_run_node_name(node);

    return (strlen(is) == len && memcmp(is, name, len) == 0) ||
           (px_run.options.n_nodes <= 1 && len == 9 && memcmp(name, "localhost", 9) == 0);
}

static bool has(const struct nodes *nodes, uint32_t node)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->at[i] == node) {
            return true;
        }
    }
    return false;
}

static bool add_called(struct nodes *nodes, const char *name, size_t len)
{
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if (is_called(node, name, len)) {
            if (!has(nodes, node)) {
                nodes->at[nodes->n++] = node;
            }
            return true;
        }
    }
    return false;
}

/* The nodes of the list, in its order; all nodes without a list. The array has room for all. */
static pmix_status_t choose(struct nodes *nodes, const char *hosts)
{
    if (hosts == NULL) {
        while (nodes->n < (uint32_t) px_run.options.n_nodes) {
            nodes->at[nodes->n] = nodes->n;
            nodes->n++;
        }
    }
    for (const char *at = hosts; at != NULL && *at != '\0';) {
        size_t len = strcspn(at, ",");

        if (!add_called(nodes, at, len)) {
            return PMIX_ERR_JOB_FAILED_TO_MAP;
        }
        at += len + (at[len] == ',');
    }
    return nodes->n > 0 ? PMIX_SUCCESS : PMIX_ERR_JOB_FAILED_TO_MAP;
}

/* Of the chosen nodes those that have processes of the job that is debugged. */
static pmix_status_t choose_targets(struct nodes *nodes, const pmix_proc_t *target)
{
    const struct px_run_job *job = px_run_job_find(target->nspace);
    struct nodes chosen = *nodes;

    if (job == NULL) {
        return PMIX_ERR_NOT_FOUND;
    }
    nodes->n = 0;
    for (uint32_t i = 0; i < chosen.n; i++) {
        bool any = false;

        for (uint32_t r = 0; r < job->n_procs && !any; r++) {
            any = px_run_job_node(job, r) == chosen.at[i] &&
                  (target->rank == PMIX_RANK_WILDCARD || target->rank == r);
        }
        if (any) {
            nodes->at[nodes->n++] = chosen.at[i];
        }
    }
    return nodes->n > 0 ? PMIX_SUCCESS : PMIX_ERR_JOB_FAILED_TO_MAP;
}

static pmix_status_t make_place(struct px_run_app *app, uint64_t n)
{
    if (n == 0 || n > PX_RUN_MAX_PROCS) {
        return PMIX_ERR_BAD_PARAM;
    }
    app->place = calloc(n, sizeof(*app->place));
    app->n_procs = (int) n;
    return app->place != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* The same number on each node; fewer on the last nodes if the processes do not suffice. */
static pmix_status_t place_by_number(struct px_run_app *app, const struct nodes *nodes,
                                     uint32_t each)
{
    uint64_t room = (uint64_t) each * nodes->n;
    uint64_t n = app->n_procs > 0 ? (uint64_t) app->n_procs : room;
    pmix_status_t rc = n > room ? PMIX_ERR_JOB_FAILED_TO_MAP : make_place(app, n);

    for (uint32_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        app->place[i] = nodes->at[i / each];
    }
    return rc;
}

/* The same number for each process that is debugged, on the node of that process, which has to be
 * one of the chosen. */
static pmix_status_t place_by_target(struct px_run_app *app, const struct nodes *nodes,
                                     const struct px_run_app_wishes *w)
{
    const struct px_run_job *job = px_run_job_find(w->target->nspace);
    uint32_t each = w->daemons_per_proc;
    bool all = w->target->rank == PMIX_RANK_WILDCARD;
    pmix_status_t rc = make_place(app, (uint64_t) each * (all ? job->n_procs : 1));

    for (uint32_t i = 0; rc == PMIX_SUCCESS && i < (uint32_t) app->n_procs; i++) {
        app->place[i] = px_run_job_node(job, all ? i / each : w->target->rank);
        rc = has(nodes, app->place[i]) ? PMIX_SUCCESS : PMIX_ERR_JOB_FAILED_TO_MAP;
    }
    return rc;
}

/* In turn, or in blocks, of which the first ones are larger when it does not come out even. */
static pmix_status_t place_over(struct px_run_app *app, uint32_t first, const struct nodes *nodes,
                                bool in_turn)
{
    uint32_t n = (uint32_t) app->n_procs;
    pmix_status_t rc = make_place(app, app->n_procs > 0 ? n : 0);

    for (uint32_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        app->place[i] =
            nodes->at[in_turn ? (first + i) % nodes->n : px_run_block_of(i, n, nodes->n)];
    }
    return rc;
}

/* The policy that counts: the command line's, where the wishes have none. */
static enum px_run_policy policy_of(const struct px_run_app_wishes *w)
{
    if (w->policy != PX_RUN_BY_DEFAULT) {
        return w->policy;
    }
    return px_run.options.map_by_node ? PX_RUN_BY_NODE : PX_RUN_BY_SLOT;
}

static void name_policy(struct px_run_app *app, const struct px_run_app_wishes *w)
{
    if (w->policy == PX_RUN_BY_NUMBER) {
        (void) snprintf(app->mapped_by, sizeof(app->mapped_by), "ppr:%u:node", w->per_node);
    } else {
        (void) snprintf(app->mapped_by, sizeof(app->mapped_by), "%s",
                        policy_of(w) == PX_RUN_BY_NODE ? "node" : "slot");
    }
}

/* Gives the ranks to the nodes in turn; each node keeps as many processes as it has. */
static pmix_status_t rank_by_node(struct px_run_app *app, const struct nodes *nodes)
{
    uint32_t *left = calloc((size_t) px_run.options.n_nodes, sizeof(*left));
    uint32_t turn = 0;

    if (left == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (int i = 0; i < app->n_procs; i++) {
        left[app->place[i]]++;
    }
    for (int i = 0; i < app->n_procs; i++) {
        while (left[nodes->at[turn % nodes->n]] == 0) {
            turn++;
        }
        app->place[i] = nodes->at[turn % nodes->n];
        left[app->place[i]]--;
        turn++;
    }
    free(left);
    app->rank_by_node = true;
    return PMIX_SUCCESS;
}

pmix_status_t px_run_map(struct px_run_app *app, uint32_t first, const struct px_run_app_wishes *w)
{
    struct nodes nodes = {.at = calloc((size_t) px_run.options.n_nodes, sizeof(uint32_t))};
    pmix_status_t rc = nodes.at != NULL ? choose(&nodes, w->hosts) : PMIX_ERR_NOMEM;

    if (rc == PMIX_SUCCESS && w->target != NULL) {
        rc = choose_targets(&nodes, w->target);
    }
    if (rc != PMIX_SUCCESS) {
        free(nodes.at);
        return rc;
    }
    if (w->target != NULL && w->daemons_per_proc > 0) {
        rc = place_by_target(app, &nodes, w);
    } else if (w->target != NULL && w->daemons_per_node > 0) {
        app->n_procs = 0;
        rc = place_by_number(app, &nodes, w->daemons_per_node);
    } else if (w->policy == PX_RUN_BY_NUMBER) {
        rc = place_by_number(app, &nodes, w->per_node);
    } else if (w->policy == PX_RUN_BY_DEFAULT && w->hosts == NULL && w->target == NULL &&
               !w->rank_by_node) {
        rc = app->n_procs > 0 && app->n_procs <= PX_RUN_MAX_PROCS ? PMIX_SUCCESS
                                                                  : PMIX_ERR_BAD_PARAM;
    } else {
        rc = place_over(app, first, &nodes, policy_of(w) == PX_RUN_BY_NODE);
    }
    if (rc == PMIX_SUCCESS && w->rank_by_node) {
        rc = rank_by_node(app, &nodes);
    }
    name_policy(app, w);
    free(nodes.at);
    return rc;
}
