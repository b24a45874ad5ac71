/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Names of processes take 260 bytes each, so that a walk over many of them is slow. They are read
 * once: from then on a word stands for each process, until the names are written in their order. */

#include "normal_form.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/base/release.h"
#include "src/base/seed.h"
#include "src/base/sort.h"
#include "src/value/procs.h"

void px_nspace_runs_fini(struct px_nspace_runs *runs)
{
    free(runs->ends);
    *runs = (struct px_nspace_runs){0};
}

/* --- the namespaces of processes that are in no order --- */

/* The namespaces of an array of processes, each once, in the order in which they are met. More than
 * a FEW have an index. */
enum { FEW_SPACES = 16 };

struct spaces {
    const char **at; /* borrowed names */
    size_t n, room;
    bool unordered;      /* they are not in the order of the names */
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
    while (place < spaces->n && !px_same_nspace(spaces->at[place], nspace)) {
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
    spaces->unordered |=
        spaces->n > 0 && strncmp(spaces->at[spaces->n - 1], nspace, PMIX_MAX_NSLEN) > 0;
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

/* --- the normal form --- */

/* A normal form that is being made. Its parts, in the order of their functions: each process gets
 * its word; the words are changed if the namespaces have not come in the order of their names, are
 * sorted and folded; the processes of the words that are left are written. */
struct px_normalising {
    struct px_shared_procs *procs;
    px_job_size_fn size;
    void *arg;
    size_t most_spaces;
    struct spaces spaces;
    unsigned part;
    uint64_t *memory; /* owned: for a word of each process, and as many more to sort them */
    uint64_t *words;  /* in it, in the order of the processes; then sorted */
    size_t n_read;    /* processes that have their word */
    struct px_name_sort *ordering; /* of the namespaces, or NULL */
    struct px_word_sort sort;      /* zeros: it has not begun */
    size_t n_folded;               /* words that are folded; then: */
    size_t n;                      /* of those that are left */
    struct px_nspace_runs runs;    /* of these */
    bool changed;     /* their processes are not those that were given, in their order */
    pmix_proc_t *set; /* if changed: the processes */
    size_t n_written; /* of them */
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
    making->memory = procs->n > SIZE_MAX / sizeof(*procs->at)
                         ? NULL
                         : malloc(2 * procs->n * sizeof(*making->memory));
    if (!making->memory) {
        free(making);
        return PMIX_ERR_NOMEM;
    }
    making->words = making->memory;
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

/* The parts return 0 when they are over, PMIX_OPERATION_IN_PROGRESS if they have to be called
 * again, or an error. */
static int if_more(bool more)
{
    return more ? PMIX_OPERATION_IN_PROGRESS : PMIX_SUCCESS;
}

/* A name whose namespace is looked for counts as so many others. */
enum { SPACE = 4 };

/* Makes the words of the next processes. Errors: PMIX_ERR_BAD_PARAM (one has no namespace),
 * PMIX_ERR_OUT_OF_RESOURCE (there are too many), PMIX_ERR_NOMEM. */
static int read_procs(struct px_normalising *making, size_t most)
{
    const pmix_proc_t *procs = making->procs->at;
    size_t first = making->n_read;
    size_t space = 0;
    size_t cost = 0;
    int rc = PMIX_SUCCESS;

    for (size_t i = first; !rc && i < making->procs->n && cost < most; i++) {
        bool again = i > first && px_same_nspace(procs[i].nspace, procs[i - 1].nspace);

        if (!procs[i].nspace[0]) {
            return PMIX_ERR_BAD_PARAM;
        }
        rc = again ? PMIX_SUCCESS : place_of(making, &procs[i], &space);
        making->words[i] = word_of(space, procs[i].rank);
        making->n_read = i + 1;
        cost += again ? 1 : SPACE;
    }
    return rc ? rc : if_more(making->n_read < making->procs->n);
}

/* Sorts the namespaces by their names. 0 or PMIX_ERR_NOMEM. */
static int order_spaces(struct px_normalising *making, size_t most)
{
    struct spaces *spaces = &making->spaces;

    if (!spaces->unordered) {
        return PMIX_SUCCESS;
    }
    if (!making->ordering) {
        making->ordering = px_name_sort_begin(spaces->at, spaces->n, PMIX_MAX_NSLEN);
    }
    return making->ordering ? if_more(px_name_sort_go_on(making->ordering, most)) : PMIX_ERR_NOMEM;
}

/* Brings the namespaces into their order, and changes the places in the words. 0 or
 * PMIX_ERR_NOMEM. */
static int change_places(struct px_normalising *making, size_t most)
{
    struct spaces *spaces = &making->spaces;
    uint64_t *words = making->words;
    const uint32_t *order;
    const char **at;
    uint32_t *places;

    (void) most;
    if (!making->ordering) {
        return PMIX_SUCCESS;
    }
    at = malloc(spaces->n * sizeof(*at));
    places = malloc(spaces->n * sizeof(*places));
    if (!at || !places) {
        free(at);
        free(places);
        return PMIX_ERR_NOMEM;
    }
    order = px_name_sort_order(making->ordering);
    for (size_t i = 0; i < spaces->n; i++) {
        at[i] = spaces->at[order[i]];
        places[order[i]] = (uint32_t) i;
    }
    for (size_t i = 0; i < making->procs->n; i++) {
        words[i] = word_of(places[space_of(words[i])], rank_of(words[i]));
    }
    free(places);
    free(spaces->at);
    spaces->at = at;
    return PMIX_SUCCESS;
}

/* Sorts the words, a pass at a time. */
static int sort_words(struct px_normalising *making, size_t most)
{
    size_t n = making->procs->n;

    (void) most;
    if (!making->sort.words) {
        making->sort = px_word_sort_begin(making->words, making->memory + n, n);
        making->changed = px_word_sort_is_due(&making->sort);
    } else {
        px_word_sort_pass(&making->sort);
    }
    making->words = making->sort.words;
    return if_more(px_word_sort_is_due(&making->sort));
}

/* Drops repeated words, and those that the wildcard before them covers. The n words are of one
 * namespace, and sorted. Returns the number of words that remain. */
static size_t drop_covered(uint64_t *words, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        bool covered =
            kept && (words[kept - 1] == words[i] || rank_of(words[kept - 1]) == PMIX_RANK_WILDCARD);

        if (!covered) {
            words[kept++] = words[i];
        }
    }
    return kept;
}

/* True if n words of one namespace, sorted, each there once, are those of all its ranks: the first
 * is rank 0, the last one is n - 1, and the job has so many. */
static bool are_all_ranks(const struct px_normalising *making, const uint64_t *words, size_t n)
{
    return making->size && rank_of(words[0]) == 0 && rank_of(words[n - 1]) == n - 1 &&
           making->size(making->arg, making->spaces.at[space_of(words[0])]) == n;
}

/* Notes a namespace whose n words are the last of those that are left. */
static void note_run(struct px_normalising *making, const uint64_t *words, size_t n)
{
    struct px_nspace_runs *runs = &making->runs;
    const char *name = making->spaces.at[space_of(words[0])];
    uint64_t hashes[] = {runs->hash, px_seeded_hash(name, strnlen(name, PMIX_MAX_NSLEN)),
                         px_seeded_hash(words, n * sizeof(*words))};

    runs->hash = px_seeded_hash(hashes, sizeof(hashes));
    runs->ends[runs->n++] = making->n;
}

/* Folds the words of the next namespace. */
static void fold_nspace(struct px_normalising *making)
{
    uint64_t *words = making->words + making->n_folded;
    uint64_t *to = making->words + making->n;
    size_t left = making->procs->n - making->n_folded;
    size_t all = 1;
    size_t n;

    while (all < left && space_of(words[all]) == space_of(words[0])) {
        all++;
    }
    n = drop_covered(words, all);
    making->changed |= n < all;
    if (are_all_ranks(making, words, n)) {
        words[0] = word_of(space_of(words[0]), PMIX_RANK_WILDCARD);
        n = 1;
        making->changed = true;
    }
    memmove(to, words, n * sizeof(*words));
    making->n += n;
    making->n_folded += all;
    note_run(making, to, n);
}

/* Folds the words of the next namespaces, and makes room for the set after the last one. 0 or
 * PMIX_ERR_NOMEM. */
static int fold_words(struct px_normalising *making, size_t most)
{
    size_t from = making->n_folded;

    if (!making->runs.ends) {
        making->runs.ends = malloc(making->spaces.n * sizeof(*making->runs.ends));
    }
    if (!making->runs.ends) {
        return PMIX_ERR_NOMEM;
    }
    while (making->n_folded < making->procs->n && making->n_folded - from < most) {
        fold_nspace(making);
    }
    if (making->n_folded < making->procs->n) {
        return PMIX_OPERATION_IN_PROGRESS;
    }
    px_assert(making->runs.n == making->spaces.n);
    making->set = making->changed ? malloc(making->n * sizeof(*making->set)) : NULL;
    return !making->changed || making->set ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Writes the next processes of the set. */
static int write_set(struct px_normalising *making, size_t most)
{
    for (; making->set && making->n_written < making->n && most; making->n_written++, most--) {
        uint64_t word = making->words[making->n_written];
        pmix_proc_t *proc = &making->set[making->n_written];

        memcpy(proc->nspace, making->spaces.at[space_of(word)], sizeof(proc->nspace));
        proc->rank = rank_of(word);
    }
    return if_more(making->set && making->n_written < making->n);
}

int px_procs_normalise_go_on(struct px_normalising *making, size_t most)
{
    static int (*const parts[])(struct px_normalising *, size_t) = {
        read_procs, order_spaces, change_places, sort_words, fold_words, write_set};
    static const unsigned n_parts = sizeof(parts) / sizeof(parts[0]);
    bool is_long = making->procs->n > most;
    int rc;

    px_assert(making->part < n_parts);
    do {
        rc = parts[making->part](making, most);
        making->part += rc == PMIX_SUCCESS;
    } while (!is_long && making->part < n_parts &&
             (rc == PMIX_SUCCESS || rc == PMIX_OPERATION_IN_PROGRESS));
    return rc ? rc : if_more(making->part < n_parts);
}

void px_procs_normalise_end(struct px_normalising *making, struct px_proc_list *ret,
                            struct px_nspace_runs *ret_runs)
{
    if (!making) {
        return;
    }
    px_assert(!ret || (making->n > 0 && (!making->set || making->n_written == making->n)));
    if (ret && making->set) {
        size_t n = making->n;

        *ret = (struct px_proc_list){.at = making->set, .n = n, .room = n, .n_ordered = n};
        making->set = NULL;
    } else if (ret) {
        *ret = (struct px_proc_list){0};
        px_proc_list_share(ret, making->procs, true);
    }
    if (ret) {
        *ret_runs = making->runs;
        making->runs = (struct px_nspace_runs){0};
    }
    px_check(!ret || px_procs_are_normal(ret->at, ret->n));
    px_release_block(making->set, making->n * sizeof(*making->set));
    px_nspace_runs_fini(&making->runs);
    free(making->memory);
    px_name_sort_end(making->ordering);
    spaces_fini(&making->spaces);
    px_shared_procs_drop(making->procs);
    free(making);
}

int px_procs_normalise(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret, struct px_nspace_runs *ret_runs)
{
    struct px_normalising *making = NULL;
    int rc = px_procs_normalise_begin(procs, size, arg, SIZE_MAX, &making);

    rc = rc ? rc : px_procs_normalise_go_on(making, SIZE_MAX);
    px_procs_normalise_end(making, rc ? NULL : ret, ret_runs);
    return rc;
}
