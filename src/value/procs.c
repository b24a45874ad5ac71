/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Comparison of processes, lists of processes, and the normal form in which sets of them are
 * compared: two sets with the same processes have the same normal form if the sizes of their jobs
 * are known. Names are compared up to PMIX_MAX_NSLEN, because arrays of applications may lack the
 * final NUL. */

#include "procs.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/sort.h"
#include "src/base/status.h"

/* --- comparisons --- */

/* True if two namespaces have the same name. An empty name equals only an empty one, unlike in
 * PMIx_Check_nspace. */
static bool same_nspace(const char *a, const char *b)
{
    return strncmp(a, b, PMIX_MAX_NSLEN) == 0;
}

bool px_proc_equal(const pmix_proc_t *a, const pmix_proc_t *b)
{
    return a->rank == b->rank && same_nspace(a->nspace, b->nspace);
}

/* Unlike PMIx_Check_procid this is not symmetric: a rank does not cover the wildcard. */
bool px_proc_covers(const pmix_proc_t *by, const pmix_proc_t *proc)
{
    return (by->rank == proc->rank || by->rank == PMIX_RANK_WILDCARD) &&
           same_nspace(by->nspace, proc->nspace);
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
        if (same_nspace(procs[i].nspace, nspace)) {
            return true;
        }
    }
    return false;
}

/* The order counts: sets are brought to normal form before they are compared. */
bool px_procs_equal(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    bool same = na == nb;

    for (size_t i = 0; same && i < na; i++) {
        same = px_proc_equal(&a[i], &b[i]);
    }
    return same;
}

/* The order of the normal form: by namespace, then by rank; the wildcard comes before the ranks of
 * its namespace, so that a covered rank follows the process that covers it. */
static int proc_compare(const pmix_proc_t *a, const pmix_proc_t *b)
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

/* proc_compare for qsort() and bsearch(). */
static int compare(const void *a, const void *b)
{
    return proc_compare(a, b);
}

/* Lists up to this length are searched; longer ones have an index. */
enum { SHORT = 16 };

/* --- lists that are made --- */

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
        return bsearch(proc, list->at, list->n, sizeof(*list->at), compare) != NULL;
    }
    if (list->n <= SHORT || !bring_up_to_date(list)) {
        return px_procs_find(list->at, list->n, proc) < list->n;
    }
    len = px_proc_key(proc, key);
    return px_map_find(&list->index, key, len) != NULL;
}

int px_proc_list_add(struct px_proc_list *list, const pmix_proc_t *proc)
{
    bool behind =
        is_ordered(list) && (list->n == 0 || proc_compare(&list->at[list->n - 1], proc) < 0);

    if (!behind && px_proc_list_has(list, proc)) {
        return PMIX_SUCCESS;
    }
    if (px_array_room(&list->at, list->n, &list->room, sizeof(*list->at))) {
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

    while (i < n && proc_compare(&procs[i - 1], &procs[i]) < 0) {
        i++;
    }
    return i >= n;
}

/* Copies an array whose processes are in order into a list that is empty. 0 or PMIX_ERR_NOMEM. */
static int take_copy(struct px_proc_list *list, const pmix_proc_t *procs, size_t n)
{
    pmix_proc_t *at = realloc(list->at, n * sizeof(*at));

    px_assert(list->n == 0 && n > 0);
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

/* True if one of the processes stands for all ranks of its namespace. */
static bool have_wildcard(const pmix_proc_t *procs, size_t n)
{
    size_t i = 0;

    while (i < n && procs[i].rank != PMIX_RANK_WILDCARD) {
        i++;
    }
    return i < n;
}

int px_proc_list_expand(struct px_proc_list *list, const pmix_proc_t *procs, size_t n,
                        px_job_size_fn size, void *arg)
{
    int rc = PMIX_SUCCESS;

    if (!size || !have_wildcard(procs, n)) {
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
void px_proc_list_remove(struct px_proc_list *list, const pmix_proc_t *gone, size_t n_gone)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (!px_procs_cover(gone, n_gone, &list->at[i])) {
            list->at[n++] = list->at[i];
        }
    }
    list->n_ordered = is_ordered(list) ? n : 0;
    list->n = n;
    px_map_fini(&list->index);
    list->n_indexed = 0;
}

pmix_proc_t *px_proc_list_take(struct px_proc_list *list)
{
    pmix_proc_t *procs = list->at;

    list->at = NULL;
    px_proc_list_fini(list);
    return procs;
}

/* The list may be used again. */
void px_proc_list_fini(struct px_proc_list *list)
{
    free(list->at);
    px_map_fini(&list->index);
    *list = (struct px_proc_list){0};
}

/* --- sets in normal form --- */

/* The namespaces of an array of processes, in the order in which they are met. Each is there once,
 * unless there are MANY: then the next ones are not searched for. */
enum { MANY_SPACES = 256 };

struct spaces {
    const char **at; /* borrowed names */
    size_t n, room;
    struct px_map index; /* of many: name -> 1 + its place among the first n_indexed */
    size_t n_indexed;
};

static void spaces_fini(struct spaces *spaces)
{
    free(spaces->at);
    px_map_fini(&spaces->index);
}

/* The place of a name; `n`: it is new, or there are many. */
static size_t find_space(const struct spaces *spaces, const char *nspace)
{
    size_t place = 0;

    if (spaces->n >= MANY_SPACES) {
        return spaces->n;
    }
    if (spaces->n_indexed > 0) {
        place = (uintptr_t) px_map_find(&spaces->index, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
        return place ? place - 1 : spaces->n;
    }
    while (place < spaces->n && !same_nspace(spaces->at[place], nspace)) {
        place++;
    }
    return place;
}

/* Appends a name that is new, and indexes all if they are many now. 0 or PMIX_ERR_NOMEM. */
static int add_space(struct spaces *spaces, const char *nspace)
{
    if (px_array_room(&spaces->at, spaces->n, &spaces->room, sizeof(*spaces->at))) {
        return PMIX_ERR_NOMEM;
    }
    spaces->at[spaces->n++] = nspace;
    while (spaces->n > SHORT && spaces->n < MANY_SPACES && spaces->n_indexed < spaces->n) {
        const char *next = spaces->at[spaces->n_indexed];

        if (px_map_set(&spaces->index, next, strnlen(next, PMIX_MAX_NSLEN),
                       (void *) (spaces->n_indexed + 1))) {
            return PMIX_ERR_NOMEM;
        }
        spaces->n_indexed++;
    }
    return PMIX_SUCCESS;
}

/* A process as a word: the place of its namespace, and its rank + 1, or 0 for the wildcard. Words
 * are in the order of the processes if the places are in that of the names. */
enum { RANK_BITS = 33 };

static uint64_t word_of(size_t space, pmix_rank_t rank)
{
    return (uint64_t) space << RANK_BITS | (rank == PMIX_RANK_WILDCARD ? 0 : (uint64_t) rank + 1);
}

static size_t space_of(uint64_t word)
{
    return word >> RANK_BITS;
}

static pmix_rank_t rank_of(uint64_t word)
{
    uint64_t rank = word & ((UINT64_C(1) << RANK_BITS) - 1);

    return rank ? (pmix_rank_t) (rank - 1) : PMIX_RANK_WILDCARD;
}

/* Makes the words of processes, whose namespaces are entered. 0, PMIX_ERR_BAD_PARAM (one has no
 * namespace), PMIX_ERR_NOMEM. */
static int make_words(const pmix_proc_t *procs, size_t n, struct spaces *spaces, uint64_t *words)
{
    size_t space = 0;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < n; i++) {
        if (!procs[i].nspace[0]) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (!i || !same_nspace(procs[i].nspace, procs[i - 1].nspace)) {
            space = find_space(spaces, procs[i].nspace);
            rc = space == spaces->n ? add_space(spaces, procs[i].nspace) : PMIX_SUCCESS;
        }
        words[i] = word_of(space, procs[i].rank);
    }
    return rc;
}

/* Brings the namespaces into the order of their names, and changes the places in the words. 0 or
 * PMIX_ERR_NOMEM. */
static int order_spaces(struct spaces *spaces, uint64_t *words, size_t n)
{
    size_t *places = malloc(spaces->n * sizeof(*places));
    int rc = places ? px_sort_names(spaces->at, spaces->n, PMIX_MAX_NSLEN, places) : PX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < n; i++) {
        words[i] = word_of(places[space_of(words[i])], rank_of(words[i]));
    }
    free(places);
    return rc ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

/* True if the namespaces are in the order of their names. */
static bool are_ordered(const struct spaces *spaces)
{
    size_t i = 1;

    while (i < spaces->n && strncmp(spaces->at[i - 1], spaces->at[i], PMIX_MAX_NSLEN) < 0) {
        i++;
    }
    return i >= spaces->n;
}

/* Drops what is there twice or covered by the wildcard before it. The words are sorted. Returns the
 * number of words that remain. */
static size_t drop_covered(uint64_t *words, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t last = kept ? words[kept - 1] : 0;
        bool covered = kept && (last == words[i] || (rank_of(last) == PMIX_RANK_WILDCARD &&
                                                     space_of(last) == space_of(words[i])));

        if (!covered) {
            words[kept++] = words[i];
        }
    }
    return kept;
}

/* Replaces all the ranks of a namespace by its wildcard. The words are sorted, each is there once,
 * so a run from rank 0 to size - 1 of the right length is complete. Returns as drop_covered. */
static size_t fold(const struct spaces *spaces, uint64_t *words, size_t n, px_job_size_fn size,
                   void *arg)
{
    size_t out = 0;

    for (size_t i = 0; i < n;) {
        size_t space = space_of(words[i]);
        size_t end = i + 1;
        uint32_t ranks;

        while (end < n && space_of(words[end]) == space) {
            end++;
        }
        ranks = size ? size(arg, spaces->at[space]) : 0;
        if (ranks && rank_of(words[i]) == 0 && end - i == ranks &&
            rank_of(words[end - 1]) == ranks - 1) {
            words[out++] = word_of(space, PMIX_RANK_WILDCARD);
            i = end;
        }
        while (i < end) {
            words[out++] = words[i++];
        }
    }
    return out;
}

/* Makes the list of words. 0 or PMIX_ERR_NOMEM. */
static int spell(const struct spaces *spaces, const uint64_t *words, size_t n,
                 struct px_proc_list *ret)
{
    pmix_proc_t *set = n > SIZE_MAX / sizeof(*set) ? NULL : malloc(n * sizeof(*set));

    for (size_t i = 0; set && i < n; i++) {
        memcpy(set[i].nspace, spaces->at[space_of(words[i])], sizeof(set[i].nspace));
        set[i].rank = rank_of(words[i]);
    }
    if (set) {
        *ret = (struct px_proc_list){.at = set, .n = n, .room = n, .n_ordered = n};
    }
    return set ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Brings the words of n processes into normal form; `words` has room for twice as many. Returns the
 * number of words that remain; *ret_same: they are as they were. */
static size_t tidy(const struct spaces *spaces, uint64_t *words, size_t n, px_job_size_fn size,
                   void *arg, bool *ret_same)
{
    uint64_t *before = words + n;
    bool sorted = true;
    size_t kept;

    for (size_t i = 1; sorted && i < n; i++) {
        sorted = words[i - 1] < words[i];
    }
    if (!sorted) {
        px_sort_words(words, before, n);
    } else {
        memcpy(before, words, n * sizeof(*words));
    }
    kept = fold(spaces, words, drop_covered(words, n), size, arg);
    *ret_same = sorted && kept == n && memcmp(before, words, n * sizeof(*words)) == 0;
    return kept;
}

int px_procs_normalise_or_lend(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                               struct px_proc_list *ret, bool *ret_lent)
{
    struct spaces spaces = {0};
    uint64_t *words;
    bool same = false;
    int rc;

    if (!n || !procs) {
        return PMIX_ERR_BAD_PARAM;
    }
    words = n > SIZE_MAX / sizeof(*procs) ? NULL : malloc(2 * n * sizeof(*words));
    rc = words ? make_words(procs, n, &spaces, words) : PMIX_ERR_NOMEM;
    rc = rc || are_ordered(&spaces) ? rc : order_spaces(&spaces, words, n);
    if (!rc) {
        size_t kept = tidy(&spaces, words, n, size, arg, &same);

        same = same && ret_lent;
        rc = same ? PMIX_SUCCESS : spell(&spaces, words, kept, ret);
    }
    if (!rc && same) {
        *ret =
            (struct px_proc_list){.at = (pmix_proc_t *) (uintptr_t) procs, .n = n, .n_ordered = n};
    }
    if (!rc && ret_lent) {
        *ret_lent = same;
    }
    px_check(rc || px_procs_are_normal(ret->at, ret->n));
    spaces_fini(&spaces);
    free(words);
    return rc;
}

int px_procs_normalise(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret)
{
    return px_procs_normalise_or_lend(procs, n, size, arg, ret, NULL);
}

/* Each process has to come after the previous one and must not be covered by it. Since the
 * wildcard comes first, comparing neighbours is enough. */
bool px_procs_are_normal(const pmix_proc_t *set, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (proc_compare(&set[i - 1], &set[i]) >= 0 || px_proc_covers(&set[i - 1], &set[i])) {
            return false;
        }
    }
    return true;
}

bool px_procs_normal_cover(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc)
{
    pmix_proc_t job = *proc;

    job.rank = PMIX_RANK_WILDCARD;
    return n && (bsearch(proc, set, n, sizeof(*set), compare) ||
                 bsearch(&job, set, n, sizeof(*set), compare));
}

/* Steps through both sets in their order, once. */
bool px_procs_include(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    size_t i = 0;

    px_check(px_procs_are_normal(a, na) && px_procs_are_normal(b, nb));
    for (size_t j = 0; j < nb; j++) {
        while (i < na && !px_proc_covers(&a[i], &b[j]) && proc_compare(&a[i], &b[j]) < 0) {
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
        if (proc_compare(&a[i], &b[j]) < 0) {
            i++;
        } else {
            j++;
        }
    }
    return false;
}
