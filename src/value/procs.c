/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Comparison of processes, and the normal form in which sets of them are compared: two sets with
 * the same processes have the same normal form if the sizes of their jobs are known. Names are
 * compared up to PMIX_MAX_NSLEN, because arrays of applications may lack the final NUL. */

#include "procs.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/release.h"
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

/* px_proc_order for bsearch(). */
static int compare(const void *a, const void *b)
{
    return px_proc_order(a, b);
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

/* The namespaces of an array of processes, each once, in the order in which they are met. More than
 * a FEW have an index. */
enum { FEW_SPACES = 16 };

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

/* The place of a name; `n`: it is new. */
static size_t find_space(const struct spaces *spaces, const char *nspace)
{
    size_t place = 0;

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
    while (spaces->n > FEW_SPACES && spaces->n_indexed < spaces->n) {
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

/* A normal form that is being made: a word for each process, which are sorted and folded; then a
 * process for each word. */
struct px_normalising {
    struct px_shared_procs *procs;
    px_job_size_fn size;
    void *arg;
    size_t most_spaces;
    struct spaces spaces;
    uint64_t *words;  /* with room for twice as many */
    size_t n_read;    /* processes that have their word */
    bool ordered;     /* their namespaces were not in order, and are now */
    bool folded;      /* then: */
    size_t n;         /* of the normal form */
    pmix_proc_t *set; /* NULL: the processes are in normal form as they are */
    size_t n_written; /* of the set */
};

int px_procs_normalise_begin(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                             size_t most_spaces, struct px_normalising **ret)
{
    struct px_normalising *making;

    if (!procs->n || !procs->at) {
        return PMIX_ERR_BAD_PARAM;
    }
    making = calloc(1, sizeof(*making));
    if (!making) {
        return PMIX_ERR_NOMEM;
    }
    making->words = procs->n > SIZE_MAX / sizeof(*procs->at)
                        ? NULL
                        : malloc(2 * procs->n * sizeof(*making->words));
    if (!making->words) {
        free(making);
        return PMIX_ERR_NOMEM;
    }
    making->procs = px_shared_procs_hold(procs);
    making->size = size;
    making->arg = arg;
    making->most_spaces = most_spaces;
    *ret = making;
    return PMIX_SUCCESS;
}

/* The place of the namespace of one process, which is entered. As read_procs. */
static int place_of(struct px_normalising *making, const pmix_proc_t *proc, size_t *ret)
{
    struct spaces *spaces = &making->spaces;

    *ret = find_space(spaces, proc->nspace);
    if (*ret < spaces->n) {
        return PMIX_SUCCESS;
    }
    return spaces->n < making->most_spaces ? add_space(spaces, proc->nspace)
                                           : PMIX_ERR_OUT_OF_RESOURCE;
}

/* Makes the words of the next processes. 0, PMIX_ERR_BAD_PARAM (one has no namespace),
 * PMIX_ERR_OUT_OF_RESOURCE (there are too many), PMIX_ERR_NOMEM. */
static int read_procs(struct px_normalising *making, size_t most)
{
    const pmix_proc_t *procs = making->procs->at;
    size_t left = making->procs->n - making->n_read;
    size_t end = making->n_read + (left < most ? left : most);
    size_t space = 0;
    int rc = PMIX_SUCCESS;

    for (size_t i = making->n_read; !rc && i < end; i++) {
        bool again = i > making->n_read && same_nspace(procs[i].nspace, procs[i - 1].nspace);

        if (!procs[i].nspace[0]) {
            return PMIX_ERR_BAD_PARAM;
        }
        rc = again ? PMIX_SUCCESS : place_of(making, &procs[i], &space);
        making->words[i] = word_of(space, procs[i].rank);
    }
    making->n_read = end;
    return rc;
}

/* Brings the words into normal form, and makes room for the set. 0 or PMIX_ERR_NOMEM. */
static int fold_words(struct px_normalising *making)
{
    bool same = false;

    making->n =
        tidy(&making->spaces, making->words, making->procs->n, making->size, making->arg, &same);
    making->folded = true;
    making->set = same ? NULL : malloc(making->n * sizeof(*making->set));
    return same || making->set ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Writes the next processes of the set. */
static void write_set(struct px_normalising *making, size_t most)
{
    for (; making->n_written < making->n && most; making->n_written++, most--) {
        uint64_t word = making->words[making->n_written];
        pmix_proc_t *proc = &making->set[making->n_written];

        memcpy(proc->nspace, making->spaces.at[space_of(word)], sizeof(proc->nspace));
        proc->rank = rank_of(word);
    }
}

int px_procs_normalise_go_on(struct px_normalising *making, size_t most)
{
    bool is_long = making->procs->n > most;
    int rc;

    if (making->n_read < making->procs->n) {
        rc = read_procs(making, most);
        if (rc || is_long) {
            return rc ? rc : PMIX_OPERATION_IN_PROGRESS;
        }
    }
    if (!making->ordered && !are_ordered(&making->spaces)) {
        rc = order_spaces(&making->spaces, making->words, making->procs->n);
        making->ordered = true;
        if (rc || is_long) {
            return rc ? rc : PMIX_OPERATION_IN_PROGRESS;
        }
    }
    if (!making->folded) {
        rc = fold_words(making);
        if (rc || (is_long && making->set)) {
            return rc ? rc : PMIX_OPERATION_IN_PROGRESS;
        }
    }
    if (making->set) {
        write_set(making, most);
    }
    return !making->set || making->n_written == making->n ? PMIX_SUCCESS
                                                          : PMIX_OPERATION_IN_PROGRESS;
}

void px_procs_normalise_end(struct px_normalising *making, struct px_proc_list *ret)
{
    if (!making) {
        return;
    }
    if (ret && making->set) {
        size_t n = making->n;

        px_assert(making->n_written == n);
        *ret = (struct px_proc_list){.at = making->set, .n = n, .room = n, .n_ordered = n};
        making->set = NULL;
    } else if (ret) {
        px_assert(making->folded);
        *ret = (struct px_proc_list){0};
        px_proc_list_share(ret, making->procs, true);
    }
    px_check(!ret || px_procs_are_normal(ret->at, ret->n));
    px_release_block(making->set, making->n * sizeof(*making->set));
    free(making->words);
    spaces_fini(&making->spaces);
    px_shared_procs_drop(making->procs);
    free(making);
}

int px_procs_normalise(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret)
{
    struct px_normalising *making = NULL;
    int rc = px_procs_normalise_begin(procs, size, arg, SIZE_MAX, &making);

    rc = rc ? rc : px_procs_normalise_go_on(making, SIZE_MAX);
    px_procs_normalise_end(making, rc ? NULL : ret);
    return rc;
}

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
