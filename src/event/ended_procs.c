/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "ended_procs.h"

#include <pmix.h>

/* True if the list has the process, or the wildcard of its namespace. */
static bool covers(struct px_proc_list *list, const pmix_proc_t *proc)
{
    pmix_proc_t all = *proc;

    all.rank = PMIX_RANK_WILDCARD;
    return px_proc_list_has(list, proc) || px_proc_list_has(list, &all);
}

/* Removes the process, and with a wildcard the ranks of its namespace. */
static void forget(struct px_proc_list *list, const pmix_proc_t *proc)
{
    if (list->n > 0 && (proc->rank == PMIX_RANK_WILDCARD || px_proc_list_has(list, proc))) {
        (void) px_proc_list_remove(list, proc, 1); /* the array has no other owners */
    }
}

/* Drops the older half of a full list, so that most additions cost nothing. Without memory the
 * whole list is dropped. */
static void make_room(struct px_proc_list *list)
{
    struct px_proc_list newer = {0};

    if (list->n >= PX_ENDED_MOST) {
        size_t half = list->n / 2;

        (void) px_proc_list_add_all(&newer, list->at + half, list->n - half);
        px_proc_list_fini(list);
        *list = newer;
    }
}

/* A wildcard takes the place of its ranks. */
static void remember(struct px_proc_list *list, const pmix_proc_t *proc)
{
    if (!covers(list, proc)) {
        forget(list, proc);
        make_room(list);
        (void) px_proc_list_add(list, proc); /* without memory it is forgotten */
    }
}

void px_ended_add(struct px_ended_procs *procs, const pmix_proc_t *proc)
{
    forget(&procs->revived, proc);
    remember(&procs->ended, proc);
}

void px_ended_revive(struct px_ended_procs *procs, const pmix_proc_t *proc)
{
    pmix_proc_t revived = *proc;

    if (procs->ended.n == 0 || proc->rank > PMIX_RANK_VALID) {
        return;
    }
    revived.rank = PMIX_RANK_WILDCARD;
    if (!px_proc_list_has(&procs->ended, &revived)) {
        revived.rank = proc->rank;
    }
    if (px_proc_list_has(&procs->ended, &revived)) {
        forget(&procs->ended, &revived);
        remember(&procs->revived, &revived);
    }
}

bool px_ended_has(struct px_ended_procs *procs, const pmix_proc_t *proc)
{
    return covers(&procs->ended, proc);
}

bool px_ended_was_revived(struct px_ended_procs *procs, const pmix_proc_t *proc)
{
    return covers(&procs->revived, proc);
}

void px_ended_fini(struct px_ended_procs *procs)
{
    px_proc_list_fini(&procs->ended);
    px_proc_list_fini(&procs->revived);
}
