/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The job is of one node, and its ranks are numbered app by app; px_register_nspace derives the
 * rest. */

#include "local_info.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/value/infos.h"

/* More processes than a node can hold are a mistake. */
enum { MOST_PROCS = 1 << 16 };

uint32_t px_local_app_size(const pmix_app_t *app)
{
    return app->maxprocs > 0 ? (uint32_t) app->maxprocs : 1;
}

static int add_u32(pmix_info_t **infos, size_t *n, const char *key, uint32_t value)
{
    return px_infos_append(infos, n, key, &value, PMIX_UINT32);
}

static int add_rank(pmix_info_t **infos, size_t *n, const char *key, pmix_rank_t rank)
{
    return px_infos_append(infos, n, key, &rank, PMIX_PROC_RANK);
}

static int add_text(pmix_info_t **infos, size_t *n, const char *key, const char *text)
{
    return text ? px_infos_append(infos, n, key, text, PMIX_STRING) : PMIX_SUCCESS;
}

/* One process of an app, whose first rank is `first`. */
static int add_proc(pmix_info_t **infos, size_t *n, uint32_t app, pmix_rank_t first,
                    pmix_rank_t rank)
{
    pmix_info_t *own = NULL;
    size_t n_own = 0;
    uint16_t local = (uint16_t) rank;
    int rc = add_rank(&own, &n_own, PMIX_RANK, rank);

    rc = rc ? rc : add_u32(&own, &n_own, PMIX_APPNUM, app);
    rc = rc ? rc : add_rank(&own, &n_own, PMIX_APPLDR, first);
    rc = rc ? rc : add_rank(&own, &n_own, PMIX_APP_RANK, rank - first);
    rc = rc ? rc : add_rank(&own, &n_own, PMIX_GLOBAL_RANK, rank);
    rc = rc ? rc : px_infos_append(&own, &n_own, PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    rc = rc ? rc : px_infos_append(&own, &n_own, PMIX_NODE_RANK, &local, PMIX_UINT16);
    return px_infos_append_array(infos, n, PMIX_PROC_INFO_ARRAY, rc, own, n_own);
}

/* One app, and its processes. */
static int add_app(pmix_info_t **infos, size_t *n, const pmix_app_t *app, uint32_t number,
                   pmix_rank_t first)
{
    char *command = app->argv ? PMIx_Argv_join(app->argv, ' ') : NULL;
    pmix_info_t *own = NULL;
    size_t n_own = 0;
    int rc = add_u32(&own, &n_own, PMIX_APPNUM, number);

    rc = rc ? rc : add_u32(&own, &n_own, PMIX_APP_SIZE, px_local_app_size(app));
    rc = rc ? rc : add_rank(&own, &n_own, PMIX_APPLDR, first);
    rc = rc ? rc : add_text(&own, &n_own, PMIX_APP_ARGV, command);
    rc = rc ? rc : add_text(&own, &n_own, PMIX_WDIR, app->cwd);
    free(command);
    rc = px_infos_append_array(infos, n, PMIX_APP_INFO_ARRAY, rc, own, n_own);
    for (uint32_t i = 0; !rc && i < px_local_app_size(app); i++) {
        rc = add_proc(infos, n, number, first, first + i);
    }
    return rc;
}

/* What the request says of the job for its processes themselves. */
static int add_passed_on(pmix_info_t **infos, size_t *n, const struct px_local_spawn *spawn)
{
    static const char *const keys[] = {PMIX_DEBUG_STOP_IN_INIT, PMIX_DEBUG_STOP_IN_APP,
                                       PMIX_DEBUG_TARGET, PMIX_LAUNCH_DIRECTIVES};
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < sizeof(keys) / sizeof(keys[0]); i++) {
        const pmix_info_t *said = px_infos_next(spawn->info, spawn->ninfo, NULL, keys[i]);

        rc = said ? px_infos_append_copy(infos, n, said) : PMIX_SUCCESS;
    }
    return rc;
}

static int add_job(pmix_info_t **infos, size_t *n, const struct px_local_spawn *spawn,
                   const char *nspace, const char *hostname, uint32_t n_procs)
{
    bool yes = true;
    char ranks[32];
    int rc = add_text(infos, n, PMIX_JOBID, nspace);

    (void) snprintf(ranks, sizeof(ranks), n_procs > 1 ? "0-%u" : "%u", n_procs - 1);
    rc = rc ? rc : add_u32(infos, n, PMIX_JOB_SIZE, n_procs);
    rc = rc ? rc : add_u32(infos, n, PMIX_UNIV_SIZE, n_procs);
    rc = rc ? rc : add_u32(infos, n, PMIX_MAX_PROCS, n_procs);
    rc = rc ? rc : add_u32(infos, n, PMIX_LOCAL_SIZE, n_procs);
    rc = rc ? rc : add_u32(infos, n, PMIX_JOB_NUM_APPS, (uint32_t) spawn->napps);
    rc = rc ? rc : px_infos_append(infos, n, PMIX_SPAWNED, &yes, PMIX_BOOL);
    rc = rc ? rc : px_infos_append(infos, n, PMIX_PARENT_ID, spawn->parent, PMIX_PROC);
    rc = rc ? rc : add_text(infos, n, PMIX_NODE_MAP, hostname);
    rc = rc ? rc : add_text(infos, n, PMIX_PROC_MAP, ranks);
    return rc ? rc : add_passed_on(infos, n, spawn);
}

int px_local_info(const struct px_local_spawn *spawn, const char *nspace, const char *hostname,
                  pmix_info_t **ret, size_t *ret_n, uint32_t *ret_procs)
{
    pmix_info_t *infos = NULL;
    size_t n = 0;
    uint32_t n_procs = 0;
    pmix_rank_t first = 0;
    int rc;

    for (size_t i = 0; i < spawn->napps; i++) {
        if (px_local_app_size(&spawn->apps[i]) > MOST_PROCS - n_procs) {
            return PMIX_ERR_BAD_PARAM;
        }
        n_procs += px_local_app_size(&spawn->apps[i]);
    }
    rc = add_job(&infos, &n, spawn, nspace, hostname, n_procs);
    for (size_t i = 0; !rc && i < spawn->napps; i++) {
        rc = add_app(&infos, &n, &spawn->apps[i], (uint32_t) i, first);
        first += px_local_app_size(&spawn->apps[i]);
    }
    if (rc) {
        PMIx_Info_free(infos, n);
        return rc;
    }
    *ret = infos;
    *ret_n = n;
    *ret_procs = n_procs;
    return PMIX_SUCCESS;
}
