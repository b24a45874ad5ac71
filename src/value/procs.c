/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Names are compared up to PMIX_MAX_NSLEN, because arrays of applications may lack the final NUL.
 */

#include "procs.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/assert.h"

/* --- comparisons --- */

bool px_same_nspace(const char *a, const char *b)
{
    return strncmp(a, b, PMIX_MAX_NSLEN) == 0;
}

bool px_proc_equal(const pmix_proc_t *a, const pmix_proc_t *b)
{
    return a->rank == b->rank && px_same_nspace(a->nspace, b->nspace);
}

/* Unlike PMIx_Check_procid this is not symmetric: a rank does not cover the wildcard. */
bool px_proc_covers(const pmix_proc_t *by, const pmix_proc_t *proc)
{
    return (by->rank == proc->rank || by->rank == PMIX_RANK_WILDCARD) &&
           px_same_nspace(by->nspace, proc->nspace);
}

/* Linear. Sets that are compared often are kept in normal form instead. */
size_t px_procs_find(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc)
{
    size_t i = 0;

    while (i < n && !px_proc_equal(&procs[i], proc)) {
        i++;
    }
    return i;
}

/* Wildcards count among the processes, not in proc. */
bool px_procs_cover(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < n; i++) {
        if (px_proc_covers(&procs[i], proc)) {
            return true;
        }
    }
    return false;
}

/* The rank does not matter. */
bool px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace)
{
    for (size_t i = 0; i < n; i++) {
        if (px_same_nspace(procs[i].nspace, nspace)) {
            return true;
        }
    }
    return false;
}

bool px_procs_have_wildcard(const pmix_proc_t *procs, size_t n)
{
    size_t i = 0;

    while (i < n && procs[i].rank != PMIX_RANK_WILDCARD) {
        i++;
    }
    return i < n;
}

/* The order counts: sets are brought to normal form before they are compared. */
bool px_procs_equal(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    bool same = na == nb;

    for (size_t i = 0; same && a != b && i < na; i++) {
        same = px_proc_equal(&a[i], &b[i]);
    }
    return same;
}

/* A covered rank follows the process that covers it. */
int px_proc_order(const pmix_proc_t *a, const pmix_proc_t *b)
{
    int names = strncmp(a->nspace, b->nspace, PMIX_MAX_NSLEN);

    if (names || a->rank == b->rank) {
        return names;
    }
    if (a->rank == PMIX_RANK_WILDCARD || b->rank == PMIX_RANK_WILDCARD) {
        return a->rank == PMIX_RANK_WILDCARD ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : 1;
}

size_t px_proc_key_of(const char *nspace, pmix_rank_t rank, char *ret)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);

    memcpy(ret, &rank, sizeof(rank));
    memcpy(ret + sizeof(rank), nspace, len);
    return sizeof(rank) + len;
}

size_t px_proc_key(const pmix_proc_t *proc, char *ret)
{
    return px_proc_key_of(proc->nspace, proc->rank, ret);
}

/* --- sets in normal form --- */

/* Each process has to come after the previous one and must not be covered by it. Since the
 * wildcard comes first, comparing neighbours is enough. */
bool px_procs_are_normal(const pmix_proc_t *set, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (px_proc_order(&set[i - 1], &set[i]) >= 0 || px_proc_covers(&set[i - 1], &set[i])) {
            return false;
        }
    }
    return true;
}

/* px_proc_order for bsearch(). */
static int compare(const void *a, const void *b)
{
    return px_proc_order(a, b);
}

bool px_procs_ordered_has(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc)
{
    return n && bsearch(proc, procs, n, sizeof(*procs), compare);
}

bool px_procs_normal_cover(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc)
{
    pmix_proc_t job = *proc;

    job.rank = PMIX_RANK_WILDCARD;
    return px_procs_ordered_has(set, n, proc) || px_procs_ordered_has(set, n, &job);
}

/* Steps through both sets in their order, once. */
bool px_procs_include(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    size_t i = 0;

    px_check(px_procs_are_normal(a, na) && px_procs_are_normal(b, nb));
    for (size_t j = 0; j < nb; j++) {
        while (i < na && !px_proc_covers(&a[i], &b[j]) && px_proc_order(&a[i], &b[j]) < 0) {
            i++;
        }
        if (i == na || !px_proc_covers(&a[i], &b[j])) {
            return false;
        }
    }
    return true;
}

/* A wildcard comes before the ranks of its namespace, of which none is in its set: the first of two
 * that do not meet meets nothing behind the other. */
bool px_procs_meet(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    size_t i = 0;
    size_t j = 0;

    px_check(px_procs_are_normal(a, na) && px_procs_are_normal(b, nb));
    while (i < na && j < nb) {
        if (px_proc_covers(&a[i], &b[j]) || px_proc_covers(&b[j], &a[i])) {
            return true;
        }
        if (px_proc_order(&a[i], &b[j]) < 0) {
            i++;
        } else {
            j++;
        }
    }
    return false;
}
