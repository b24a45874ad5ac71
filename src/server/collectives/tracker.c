/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Trackers are few at any time (one per set under way), so a list searched in order of creation
 * will do. */

#include "tracker.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

void px_colls_init(struct px_colls *colls, px_coll_size_fn size, void *arg)
{
    px_list_init(&colls->list);
    colls->size = size;
    colls->arg = arg;
}

/* --- sets --- */

static int compare(const void *a, const void *b)
{
    const pmix_proc_t *x = a;
    const pmix_proc_t *y = b;
    int names = strncmp(x->nspace, y->nspace, PMIX_MAX_NSLEN);

    if (names) {
        return names;
    }
    /* The wildcard first, so that what it covers follows it. */
    if (x->rank == y->rank) {
        return 0;
    }
    if (x->rank == PMIX_RANK_WILDCARD) {
        return -1;
    }
    if (y->rank == PMIX_RANK_WILDCARD) {
        return 1;
    }
    return x->rank < y->rank ? -1 : 1;
}

static bool covered(const pmix_proc_t *by, const pmix_proc_t *proc)
{
    return strncmp(by->nspace, proc->nspace, PMIX_MAX_NSLEN) == 0 &&
           (by->rank == PMIX_RANK_WILDCARD || by->rank == proc->rank);
}

/* A list of all the ranks of a namespace becomes its wildcard. */
static size_t fold_set(const struct px_colls *colls, pmix_proc_t *set, size_t n)
{
    size_t out = 0;

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        uint32_t size;

        while (end < n && strncmp(set[i].nspace, set[end].nspace, PMIX_MAX_NSLEN) == 0) {
            end++;
        }
        size = colls->size ? colls->size(colls->arg, set[i].nspace) : 0;
        if (size && set[i].rank == 0 && end - i == size && set[end - 1].rank == size - 1) {
            set[out] = set[i];
            set[out++].rank = PMIX_RANK_WILDCARD;
            i = end;
            continue;
        }
        while (i < end) {
            set[out++] = set[i++];
        }
    }
    return out;
}

int px_coll_normalise(const struct px_colls *colls, const pmix_proc_t *procs, size_t nprocs,
                      pmix_proc_t **ret, size_t *ret_n)
{
    pmix_proc_t *set;
    size_t n = 0;

    if (!nprocs || !procs) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < nprocs; i++) {
        if (!procs[i].nspace[0]) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    set = nprocs > SIZE_MAX / sizeof(*set) ? NULL : malloc(nprocs * sizeof(*set));
    if (!set) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(set, procs, nprocs * sizeof(*set));
    qsort(set, nprocs, sizeof(*set), compare);
    for (size_t i = 0; i < nprocs; i++) {
        if (!n || !covered(&set[n - 1], &set[i])) {
            set[n++] = set[i];
        }
    }
    *ret = set;
    *ret_n = fold_set(colls, set, n);
    return PMIX_SUCCESS;
}

static bool is_normal(const pmix_proc_t *set, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (compare(&set[i - 1], &set[i]) >= 0 || covered(&set[i - 1], &set[i])) {
            return false;
        }
    }
    return true;
}

bool px_coll_is_valid(const struct px_coll *coll)
{
    return (coll->name || coll->nset) && (!coll->nset || coll->set) &&
           is_normal(coll->set, coll->nset) && coll->n_members > 0 &&
           coll->n_members <= coll->members_room && coll->members && (!coll->ninfo || coll->info);
}

bool px_coll_same_set(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    if (na != nb) {
        return false;
    }
    for (size_t i = 0; i < na; i++) {
        if (compare(&a[i], &b[i])) {
            return false;
        }
    }
    return true;
}

bool px_coll_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    for (size_t i = 0; i < na; i++) {
        for (size_t j = 0; j < nb; j++) {
            if (covered(&a[i], &b[j]) || covered(&b[j], &a[i])) {
                return true;
            }
        }
    }
    return false;
}

bool px_coll_covers(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    size_t i = 0;

    for (size_t j = 0; j < nb; j++) {
        while (i < na && !covered(&a[i], &b[j]) && compare(&a[i], &b[j]) < 0) {
            i++;
        }
        if (i == na || !covered(&a[i], &b[j])) {
            return false;
        }
    }
    return true;
}

bool px_coll_concerns(const struct px_coll *coll, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < coll->nset; i++) {
        if (covered(&coll->set[i], proc)) {
            return true;
        }
    }
    return false;
}

/* --- members --- */

bool px_coll_has_proc(const struct px_coll *coll, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (!compare(&coll->members[i].proc, proc)) {
            return true;
        }
    }
    return false;
}

bool px_coll_has_peer(const struct px_coll *coll, uint64_t peer)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (coll->members[i].peer == peer) {
            return true;
        }
    }
    return false;
}

static int compare_members(const void *a, const void *b)
{
    return compare(&((const struct px_coll_member *) a)->proc,
                   &((const struct px_coll_member *) b)->proc);
}

/* Without memory to sort them. */
static size_t count_slowly(const struct px_coll *coll)
{
    size_t n = 0;

    for (size_t i = 0; i < coll->n_members; i++) {
        size_t before = 0;

        while (before < i && compare_members(&coll->members[before], &coll->members[i]) != 0) {
            before++;
        }
        n += before == i;
    }
    return n;
}

size_t px_coll_arrived(const struct px_coll *coll)
{
    struct px_coll_member *sorted;
    size_t n = 0;

    if (coll->n_members < 2) {
        return coll->n_members;
    }
    sorted = malloc(coll->n_members * sizeof(*sorted));
    if (!sorted) {
        return count_slowly(coll);
    }
    memcpy(sorted, coll->members, coll->n_members * sizeof(*sorted));
    qsort(sorted, coll->n_members, sizeof(*sorted), compare_members);
    for (size_t i = 0; i < coll->n_members; i++) {
        n += !i || compare_members(&sorted[i - 1], &sorted[i]) != 0;
    }
    free(sorted);
    return n;
}

static int add_member(struct px_coll *coll, const struct px_coll_member *who)
{
    if (px_array_room(&coll->members, coll->n_members, &coll->members_room,
                      sizeof(*coll->members))) {
        return PMIX_ERR_NOMEM;
    }
    px_assert(coll->n_members < coll->members_room);
    coll->members[coll->n_members++] = *who;
    return PMIX_SUCCESS;
}

void px_coll_forget_peer(struct px_coll *coll, uint64_t peer)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (coll->members[i].peer == peer) {
            coll->members[i].peer = 0;
        }
    }
}

/* --- trackers --- */

static struct px_coll *coll_create(enum px_coll_kind kind, const char *name,
                                   const pmix_proc_t *procs, size_t nprocs)
{
    struct px_coll *coll = calloc(1, sizeof(*coll));

    if (!coll) {
        return NULL;
    }
    px_list_init(&coll->link);
    coll->kind = kind;
    coll->procs = malloc((nprocs ? nprocs : 1) * sizeof(*coll->procs));
    coll->name = name ? strdup(name) : NULL;
    if (!coll->procs || (name && !coll->name)) {
        px_coll_destroy(coll);
        return NULL;
    }
    if (nprocs) {
        memcpy(coll->procs, procs, nprocs * sizeof(*procs));
    }
    coll->nprocs = nprocs;
    return coll;
}

/* How many processes a namespace has may have become known since the first caller came. */
static bool same_by_now(const struct px_colls *colls, const struct px_coll *coll,
                        const pmix_proc_t *set, size_t nset)
{
    pmix_proc_t *again = NULL;
    size_t n = 0;
    bool same = px_coll_same_set(set, nset, coll->set, coll->nset) ||
                (!px_coll_normalise(colls, coll->procs, coll->nprocs, &again, &n) &&
                 px_coll_same_set(set, nset, again, n));

    free(again);
    return same;
}

static bool belongs_to(const struct px_colls *colls, const struct px_coll *coll, const char *name,
                       const pmix_proc_t *set, size_t nset, const pmix_proc_t *who)
{
    if (!name) {
        return px_coll_same_set(set, nset, coll->set, coll->nset);
    }
    if (strcmp(name, coll->name) != 0) {
        return false;
    }
    return coll->kind == PX_COLL_GROUP_DESTRUCT ? px_coll_concerns(coll, who)
                                                : same_by_now(colls, coll, set, nset);
}

struct px_coll *px_coll_find(struct px_colls *colls, enum px_coll_kind kind, const char *name,
                             const pmix_proc_t *set, size_t nset, const struct px_coll_member *who)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &colls->list) {
        struct px_coll *coll = px_container_of(item, struct px_coll, link);

        if (coll->kind == kind && !coll->closed && !px_coll_has_peer(coll, who->peer) &&
            belongs_to(colls, coll, name, set, nset, &who->proc)) {
            return coll;
        }
    }
    return NULL;
}

int px_coll_join(struct px_colls *colls, enum px_coll_kind kind, const char *name,
                 const pmix_proc_t *procs, size_t nprocs, const struct px_coll_member *who,
                 struct px_coll **ret)
{
    pmix_proc_t *set = NULL;
    size_t nset = 0;
    struct px_coll *coll;
    struct px_coll *made = NULL;
    int rc = name && !nprocs ? PMIX_SUCCESS : px_coll_normalise(colls, procs, nprocs, &set, &nset);

    if (rc) {
        return rc;
    }
    coll = px_coll_find(colls, kind, name, set, nset, who);
    if (!coll) {
        made = coll = coll_create(kind, name, procs, nprocs);
        if (!coll) {
            free(set);
            return PMIX_ERR_NOMEM;
        }
        coll->set = set;
        coll->nset = nset;
        set = NULL;
    }
    rc = add_member(coll, who);
    free(set);
    if (rc) {
        px_coll_destroy(made);
        return rc;
    }
    if (made) {
        px_list_append(&colls->list, &made->link);
    }
    px_check(px_coll_is_valid(coll));
    *ret = coll;
    return PMIX_SUCCESS;
}

static pmix_info_t *find_info(const struct px_coll *coll, const char *key)
{
    for (size_t i = 0; i < coll->ninfo; i++) {
        if (strncmp(coll->info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &coll->info[i];
        }
    }
    return NULL;
}

/* What one caller requires is required of all. */
int px_coll_merge(struct px_coll *coll, const pmix_info_t *info, size_t ninfo)
{
    px_assert(ninfo == 0 || info);
    for (size_t i = 0; i < ninfo; i++) {
        pmix_info_t *more = find_info(coll, info[i].key);
        int rc;

        if (more) {
            more->flags |= info[i].flags & PMIX_INFO_REQD;
            continue;
        }
        more = realloc(coll->info, (coll->ninfo + 1) * sizeof(*more));
        if (!more) {
            return PMIX_ERR_NOMEM;
        }
        coll->info = more;
        rc = px_info_keep(&more[coll->ninfo], &info[i]);
        if (rc) {
            return rc;
        }
        coll->ninfo++;
    }
    return PMIX_SUCCESS;
}

void px_coll_destroy(struct px_coll *coll)
{
    if (!coll) {
        return;
    }
    px_list_remove(&coll->link);
    px_timer_stop_loop(&coll->timer);
    PMIx_Info_free(coll->info, coll->ninfo);
    PMIx_Info_free(coll->group.given, coll->group.n_given);
    PMIx_Info_free(coll->group.info, coll->group.n_info);
    free(coll->group.added);
    free(coll->group.members);
    free(coll->members);
    free(coll->procs);
    free(coll->set);
    free(coll->name);
    free(coll);
}
