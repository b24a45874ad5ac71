/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "proc_list.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/release.h"
#include "src/value/procs.h"

/* --- arrays that have several owners --- */

struct px_shared_procs *px_shared_procs_take(pmix_proc_t *at, size_t n)
{
    struct px_shared_procs *shared = malloc(sizeof(*shared));

    px_assert(at || !n);
    if (shared) {
        *shared = (struct px_shared_procs){.n_owners = 1, .at = at, .n = n};
    }
    return shared;
}

/* NULL: memory is out, or there is nothing to copy. */
static pmix_proc_t *copy_of(const pmix_proc_t *procs, size_t n)
{
    pmix_proc_t *copy = n && n <= SIZE_MAX / sizeof(*copy) ? malloc(n * sizeof(*copy)) : NULL;

    if (copy) {
        memcpy(copy, procs, n * sizeof(*copy));
    }
    return copy;
}

struct px_shared_procs *px_shared_procs_copy(const pmix_proc_t *at, size_t n)
{
    pmix_proc_t *copy = copy_of(at, n);
    struct px_shared_procs *shared = copy || !n ? px_shared_procs_take(copy, n) : NULL;

    if (!shared) {
        free(copy);
    }
    return shared;
}

struct px_shared_procs *px_shared_procs_hold(struct px_shared_procs *shared)
{
    (void) px_fetch_add(&shared->n_owners, 1);
    return shared;
}

void px_shared_procs_drop(struct px_shared_procs *shared)
{
    if (shared && px_fetch_add(&shared->n_owners, UINT64_MAX) == 1) {
        px_release_block(shared->at, shared->n * sizeof(*shared->at));
        free(shared);
    }
}

bool px_shared_procs_is_sole(const struct px_shared_procs *shared)
{
    return px_load_acquire(&shared->n_owners) == 1;
}

/* --- lists that are made --- */

/* Lists up to this length are searched; longer ones have an index. */
enum { SHORT = 16 };

/* Enters the processes that the index does not have yet. False if memory is out; then the rest is
 * for the next time. */
static bool bring_up_to_date(struct px_proc_list *list)
{
    px_assert(list->n_indexed <= list->n);
    while (list->n_indexed < list->n) {
        char key[PX_PROC_KEY_ROOM];
        size_t len = px_proc_key(&list->at[list->n_indexed], key);

        if (px_map_set(&list->index, key, len, list)) {
            return false;
        }
        list->n_indexed++;
    }
    return true;
}

/* True if each process of the list comes behind the one before it. */
static bool is_ordered(const struct px_proc_list *list)
{
    px_assert(list->n_ordered <= list->n);
    return list->n_ordered == list->n;
}

bool px_proc_list_has(struct px_proc_list *list, const pmix_proc_t *proc)
{
    char key[PX_PROC_KEY_ROOM];
    size_t len;

    if (list->n > SHORT && is_ordered(list)) {
        return px_procs_ordered_has(list->at, list->n, proc);
    }
    if (list->n <= SHORT || !bring_up_to_date(list)) {
        return px_procs_find(list->at, list->n, proc) < list->n;
    }
    len = px_proc_key(proc, key);
    return px_map_find(&list->index, key, len) != NULL;
}

/* Makes a copy of an array that has other owners, before the list changes. 0 or PMIX_ERR_NOMEM. */
static int own(struct px_proc_list *list)
{
    pmix_proc_t *copy;

    if (!list->shared) {
        return PMIX_SUCCESS;
    }
    copy = copy_of(list->at, list->n);
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    px_shared_procs_drop(list->shared);
    list->shared = NULL;
    list->at = copy;
    list->room = list->n;
    return PMIX_SUCCESS;
}

int px_proc_list_add(struct px_proc_list *list, const pmix_proc_t *proc)
{
    bool behind =
        is_ordered(list) && (list->n == 0 || px_proc_order(&list->at[list->n - 1], proc) < 0);

    if (!behind && px_proc_list_has(list, proc)) {
        return PMIX_SUCCESS;
    }
    if (own(list) || px_array_room(&list->at, list->n, &list->room, sizeof(*list->at))) {
        return PMIX_ERR_NOMEM;
    }
    px_assert(list->n < list->room);
    list->at[list->n++] = *proc;
    list->n_ordered += behind;
    return PMIX_SUCCESS;
}

/* True if each process comes behind the one before it. */
static bool all_behind(const pmix_proc_t *procs, size_t n)
{
    size_t i = 1;

    while (i < n && px_proc_order(&procs[i - 1], &procs[i]) < 0) {
        i++;
    }
    return i >= n;
}

/* Copies an array whose processes are in order into a list that is empty. 0 or PMIX_ERR_NOMEM. */
static int take_copy(struct px_proc_list *list, const pmix_proc_t *procs, size_t n)
{
    pmix_proc_t *at = realloc(list->at, n * sizeof(*at));

    px_assert(list->n == 0 && n > 0 && !list->shared);
    if (!at) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(at, procs, n * sizeof(*at));
    list->at = at;
    list->n = n;
    list->room = n;
    list->n_ordered = n;
    return PMIX_SUCCESS;
}

int px_proc_list_add_all(struct px_proc_list *list, const pmix_proc_t *procs, size_t n)
{
    int rc = PMIX_SUCCESS;

    if (list->n == 0 && n > SHORT && all_behind(procs, n)) {
        return take_copy(list, procs, n);
    }
    for (size_t i = 0; !rc && i < n; i++) {
        rc = px_proc_list_add(list, &procs[i]);
    }
    return rc;
}

int px_proc_list_expand(struct px_proc_list *list, const pmix_proc_t *procs, size_t n,
                        px_job_size_fn size, void *arg)
{
    int rc = PMIX_SUCCESS;

    if (!size || !px_procs_have_wildcard(procs, n)) {
        return px_proc_list_add_all(list, procs, n);
    }
    for (size_t i = 0; !rc && i < n; i++) {
        pmix_proc_t proc = procs[i];
        uint32_t ranks = proc.rank == PMIX_RANK_WILDCARD ? size(arg, proc.nspace) : 0;

        if (!ranks) {
            rc = px_proc_list_add(list, &proc);
        }
        for (uint32_t r = 0; !rc && r < ranks; r++) {
            proc.rank = r;
            rc = px_proc_list_add(list, &proc);
        }
    }
    return rc;
}

/* The index is made anew when it is needed. */
int px_proc_list_remove(struct px_proc_list *list, const pmix_proc_t *gone, size_t n_gone)
{
    size_t n = 0;

    if (!n_gone) {
        return PMIX_SUCCESS;
    }
    if (own(list)) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!px_procs_cover(gone, n_gone, &list->at[i])) {
            list->at[n++] = list->at[i];
        }
    }
    list->n_ordered = is_ordered(list) ? n : 0;
    list->n = n;
    px_map_fini(&list->index);
    list->n_indexed = 0;
    return PMIX_SUCCESS;
}

void px_proc_list_share(struct px_proc_list *list, struct px_shared_procs *shared, bool ordered)
{
    px_assert(!list->n && !list->shared && !list->n_indexed);
    px_check(!ordered || all_behind(shared->at, shared->n));
    if (shared->n) {
        free(list->at);
        list->at = shared->at;
        list->n = shared->n;
        list->room = 0;
        list->n_ordered = ordered ? shared->n : 0;
        list->shared = px_shared_procs_hold(shared);
    }
}

struct px_shared_procs *px_proc_list_hold(struct px_proc_list *list)
{
    if (!list->shared) {
        list->shared = px_shared_procs_take(list->at, list->n);
    }
    return list->shared ? px_shared_procs_hold(list->shared) : NULL;
}

pmix_proc_t *px_proc_list_take(struct px_proc_list *list)
{
    pmix_proc_t *procs = list->at;

    px_assert(!list->shared);
    list->at = NULL;
    px_proc_list_fini(list);
    return procs;
}

/* The list may be used again. */
void px_proc_list_fini(struct px_proc_list *list)
{
    if (list->shared) {
        px_shared_procs_drop(list->shared);
    } else {
        px_release_block(list->at, list->room * sizeof(*list->at));
    }
    px_map_fini(&list->index);
    *list = (struct px_proc_list){0};
}
