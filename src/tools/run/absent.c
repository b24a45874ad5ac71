/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes that have ended, and will come to no collective any more: those of jobs that run one by
 * one, in the order of their ends, and jobs that are over by their names alone, which are kept. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "src/base/map.h"

struct absent {
    pmix_proc_t proc;
    uint32_t node;
};

static struct absent *absents;
static size_t n_absents;
static struct px_map over; /* names of jobs; the values say nothing */

void px_run_absent_add(const pmix_proc_t *proc, uint32_t node)
{
    struct absent *more = realloc(absents, (n_absents + 1) * sizeof(*more));

    if (more != NULL) { /* without memory those who come later wait for their time limit */
        more[n_absents++] = (struct absent){*proc, node};
        absents = more;
    }
}

const pmix_proc_t *px_run_absent(size_t i, uint32_t *ret_node)
{
    if (i >= n_absents) {
        return NULL;
    }
    *ret_node = absents[i].node;
    return &absents[i].proc;
}

bool px_run_is_over(const char *nspace)
{
    return px_map_find(&over, nspace, strlen(nspace)) != NULL;
}

bool px_run_is_absent(const pmix_proc_t *proc)
{
    if (px_run_is_over(proc->nspace)) {
        return true;
    }
    for (size_t i = 0; i < n_absents; i++) {
        if (absents[i].proc.rank == proc->rank &&
            strcmp(absents[i].proc.nspace, proc->nspace) == 0) {
            return true;
        }
    }
    return false;
}

void px_run_absent_over(const char *nspace)
{
    static char yes;
    size_t n = 0;

    if (px_map_set(&over, nspace, strlen(nspace), &yes) != 0) {
        return; /* its processes are kept one by one */
    }
    for (size_t i = 0; i < n_absents; i++) {
        if (strcmp(absents[i].proc.nspace, nspace) != 0) {
            absents[n++] = absents[i];
        }
    }
    n_absents = n;
}

void px_run_absent_free(void)
{
    free(absents);
    absents = NULL;
    px_map_fini(&over);
    n_absents = 0;
}
