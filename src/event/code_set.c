/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A change sorts the codes that it is given and then steps through them and the set once, also to
 * look which of them the set has. */

#include "code_set.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/sort.h"

/* The order of the codes, for qsort and bsearch. */
static int compare(const void *a, const void *b)
{
    pmix_status_t x = *(const pmix_status_t *) a;
    pmix_status_t y = *(const pmix_status_t *) b;

    return (x > y) - (x < y);
}

bool px_code_set_has(const struct px_code_set *set, pmix_status_t code)
{
    return set->n > 0 && bsearch(&code, set->at, set->n, sizeof(code), compare) != NULL;
}

/* Codes as words, in the same order. */
static uint64_t word_of(pmix_status_t code)
{
    return (uint32_t) code ^ (uint32_t) INT32_MIN;
}

static pmix_status_t code_of(uint64_t word)
{
    return (pmix_status_t) ((uint32_t) word ^ (uint32_t) INT32_MIN);
}

/* Fewer codes are sorted by comparing them. */
enum { MANY = 256 };

/* Sorts the codes. Many take linear time, unless memory is out. */
static void sort(pmix_status_t *codes, size_t n)
{
    uint64_t *words = n >= MANY ? malloc(2 * n * sizeof(*words)) : NULL;

    for (size_t i = 0; words && i < n; i++) {
        words[i] = word_of(codes[i]);
    }
    if (words) {
        px_sort_words(words, words + n, n);
    } else if (n > 0) {
        qsort(codes, n, sizeof(*codes), compare);
    }
    for (size_t i = 0; words && i < n; i++) {
        codes[i] = code_of(words[i]);
    }
    free(words);
}

/* Sorts the codes and keeps those that are in the set, or those that are not, each once. */
static void sift(const struct px_code_set *set, pmix_status_t *codes, size_t *n, bool in_set)
{
    size_t kept = 0;
    size_t at = 0;

    sort(codes, *n);
    for (size_t i = 0; i < *n; i++) {
        while (at < set->n && set->at[at] < codes[i]) {
            at++;
        }
        if ((kept == 0 || codes[kept - 1] != codes[i]) &&
            (at < set->n && set->at[at] == codes[i]) == in_set) {
            codes[kept++] = codes[i];
        }
    }
    *n = kept;
}

/* Merges from the end, so that each code is moved once. */
int px_code_set_add(struct px_code_set *set, pmix_status_t *codes, size_t *n)
{
    pmix_status_t *more;
    size_t old = set->n;
    size_t new;

    sift(set, codes, n, false);
    if (*n == 0) {
        return PMIX_SUCCESS;
    }
    more = realloc(set->at, (set->n + *n) * sizeof(*more));
    if (more == NULL) {
        return PMIX_ERR_NOMEM;
    }
    new = *n;
    set->at = more;
    set->n += *n;
    for (size_t to = set->n; new > 0; to--) {
        px_assert(to == old + new);
        more[to - 1] = old > 0 && more[old - 1] > codes[new - 1] ? more[--old] : codes[--new];
    }
    return PMIX_SUCCESS;
}

void px_code_set_remove(struct px_code_set *set, pmix_status_t *codes, size_t *n)
{
    size_t kept = 0;
    size_t next = 0;

    sift(set, codes, n, true);
    for (size_t i = 0; i < set->n; i++) {
        if (next < *n && set->at[i] == codes[next]) {
            next++;
        } else {
            set->at[kept++] = set->at[i];
        }
    }
    px_assert(next == *n);
    set->n = kept;
}

void px_code_set_fini(struct px_code_set *set)
{
    free(set->at);
    *set = (struct px_code_set){0};
}
