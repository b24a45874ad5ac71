/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "local_manner.h"

#include "local_info.h"
#include "local_job.h"
#include "src/value/directives.h"

/* ---- what is possible */

/* Directives that change what is started: they are refused also where they are not required. One
 * that is a flag is allowed to be off; most have values. */
static const char *const refused[] = {
    PMIX_HOST,           PMIX_HOSTFILE,      PMIX_ADD_HOST,         PMIX_ADD_HOSTFILE,
    PMIX_PRELOAD_BIN,    PMIX_PRELOAD_FILES, PMIX_SPAWN_TOOL,       PMIX_COSPAWN_APP,
    PMIX_FORKEXEC_AGENT, PMIX_EXEC_AGENT,    PMIX_DEBUGGER_DAEMONS,
};

/* True if no directive is one that cannot be honoured here. */
static bool can_honour(const pmix_info_t *info, size_t ninfo)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const pmix_value_t *value = px_info_find(info, ninfo, refused[i]);

        if (value && (value->type != PMIX_BOOL || px_value_true(value))) {
            return false;
        }
    }
    return px_directives_met(&px_call_local_spawn, PX_ATTR_HOST, info, ninfo);
}

bool px_local_spawn_possible(const struct px_local_spawn *spawn)
{
    bool possible = can_honour(spawn->info, spawn->ninfo);

    for (size_t i = 0; possible && i < spawn->napps; i++) {
        possible = can_honour(spawn->apps[i].info, spawn->apps[i].ninfo);
    }
    return possible;
}

/* ---- input */

/* The rank that a value names, of n processes from `first` on; a flag that is on: the first. 0 or
 * PMIX_ERR_BAD_PARAM. */
static int read_rank(const pmix_value_t *value, pmix_rank_t first, uint32_t n, pmix_rank_t *ret)
{
    pmix_rank_t rank;

    switch (value->type) {
    case PMIX_UNDEF:
    case PMIX_BOOL:
        rank = px_value_true(value) ? first : PMIX_RANK_INVALID;
        break;
    case PMIX_PROC_RANK:
        rank = value->data.rank;
        break;
    case PMIX_UINT32:
        rank = value->data.uint32;
        break;
    case PMIX_PROC:
        if (!value->data.proc) {
            return PMIX_ERR_BAD_PARAM;
        }
        rank = value->data.proc->rank; /* the namespace has no name yet */
        break;
    default:
        return PMIX_ERR_BAD_PARAM;
    }
    if (rank != PMIX_RANK_INVALID && rank != PMIX_RANK_WILDCARD &&
        (rank < first || rank - first >= n)) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = rank;
    return PMIX_SUCCESS;
}

/* Who of n processes from `first` on has input; *ret stays if nothing is said. PMIX_FWD_STDIN may
 * be a flag or a rank (OpenPMIx, the Standard); PMIX_STDIN_TGT chooses another process. */
static int read_fed(const struct px_local_spawn_directives *said, pmix_rank_t first, uint32_t n,
                    pmix_rank_t *ret)
{
    const pmix_info_t *chosen = said->stdin_tgt ? said->stdin_tgt : said->fwd_stdin;

    return chosen ? read_rank(&chosen->value, first, n, ret) : PMIX_SUCCESS;
}

/* ---- who stops */

/* Who stops at the first instruction, by a directive that is a flag, a rank or an array of ranks;
 * *ret stays if there is none. 0 or PMIX_ERR_BAD_PARAM. */
static int read_stop(const pmix_info_t *info, const pmix_value_t **ret)
{
    const pmix_value_t *value = info ? &info->value : NULL;
    const pmix_data_array_t *ranks =
        value && value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    if (!value) {
        return PMIX_SUCCESS;
    }
    if (value->type == PMIX_BOOL || value->type == PMIX_UNDEF) {
        *ret = px_value_true(value) ? value : NULL;
        return PMIX_SUCCESS;
    }
    *ret = value;
    return value->type == PMIX_PROC_RANK || (ranks && ranks->type == PMIX_PROC_RANK)
               ? PMIX_SUCCESS
               : PMIX_ERR_BAD_PARAM;
}

bool px_local_manner_stops(const struct px_local_manner *manner, pmix_rank_t rank)
{
    const pmix_value_t *stop = manner->stop;
    const pmix_rank_t *ranks = NULL;
    size_t n = 0;

    if (stop && stop->type == PMIX_PROC_RANK) {
        ranks = &stop->data.rank;
        n = 1;
    } else if (stop && stop->type == PMIX_DATA_ARRAY) {
        ranks = stop->data.darray->array;
        n = stop->data.darray->size;
    }
    for (size_t i = 0; i < n; i++) {
        if (ranks[i] == rank || ranks[i] == PMIX_RANK_WILDCARD) {
            return true;
        }
    }
    return stop && !ranks;
}

/* ---- all of it */

int px_local_manner_read(const struct px_local_spawn *spawn, uint32_t n, const pmix_app_t *app,
                         pmix_rank_t first, struct px_local_manner *ret)
{
    struct px_local_spawn_directives of_job;
    struct px_local_spawn_directives of_app;
    pmix_rank_t fed = PMIX_RANK_INVALID;
    const pmix_value_t *stop = NULL;
    int rc = px_local_spawn_read(spawn->info, spawn->ninfo, &of_job);

    rc = rc ? rc : px_local_spawn_read(app->info, app->ninfo, &of_app);
    rc = rc ? rc : read_fed(&of_job, 0, n, &fed);
    rc = rc ? rc : read_fed(&of_app, first, px_local_app_size(app), &fed);
    rc = rc ? rc : read_stop(of_job.stop_on_exec, &stop);
    rc = rc ? rc : read_stop(of_app.stop_on_exec, &stop);
    if (rc) {
        return rc;
    }
    *ret = (struct px_local_manner){
        .app = app,
        .dir = app->cwd && app->cwd[0] ? app->cwd
               : of_app.wdir           ? of_app.wdir
                                       : of_job.wdir,
        .forwarded = {of_job.fwd_stdout == PX_SWITCH_ON || of_app.fwd_stdout == PX_SWITCH_ON,
                      of_job.fwd_stderr == PX_SWITCH_ON || of_app.fwd_stderr == PX_SWITCH_ON},
        .fed = fed,
        .stop = stop};
    return PMIX_SUCCESS;
}
