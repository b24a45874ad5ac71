/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Words are sorted by their bytes, the lowest first; bytes that all have in common are passed over.
 * Names are merged: runs of them that are sorted become runs of twice the length. */

#include "src/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = sizeof(uint64_t), VALUES = 256 };

static size_t byte_of(uint64_t word, unsigned which)
{
    return word >> 8 * which & (VALUES - 1);
}

/* Moves the words to `to` in the order of one byte, and otherwise in the order that they have. */
static void distribute(const uint64_t *words, uint64_t *to, size_t n, unsigned which)
{
    size_t next[VALUES] = {
        0}; /* first how many have this value, then where the next of them goes */
    size_t before = 0;

    for (size_t i = 0; i < n; i++) {
        next[byte_of(words[i], which)]++;
    }
    for (size_t value = 0; value < VALUES; value++) {
        size_t count = next[value];

        next[value] = before;
        before += count;
    }
    for (size_t i = 0; i < n; i++) {
        to[next[byte_of(words[i], which)]++] = words[i];
    }
}

/* Comes to the next byte that is not the same in all words. */
static void next_byte(struct px_word_sort *sort)
{
    while (sort->which < BYTES && byte_of(sort->differ, sort->which) == 0) {
        sort->which++;
    }
}

struct px_word_sort px_word_sort_begin(uint64_t *words, uint64_t *spare, size_t n)
{
    struct px_word_sort sort = {.words = words, .spare = spare, .n = n};
    bool sorted = true;

    for (size_t i = 1; i < n; i++) {
        sort.differ |= words[i] ^ words[0];
        sorted = sorted && words[i - 1] <= words[i];
    }
    sort.differ = sorted ? 0 : sort.differ;
    next_byte(&sort);
    return sort;
}

bool px_word_sort_is_due(const struct px_word_sort *sort)
{
    return sort->which < BYTES;
}

void px_word_sort_pass(struct px_word_sort *sort)
{
    uint64_t *sorted = sort->spare;

    distribute(sort->words, sorted, sort->n, sort->which++);
    sort->spare = sort->words;
    sort->words = sorted;
    next_byte(sort);
}

void px_sort_words(uint64_t *words, uint64_t *spare, size_t n)
{
    struct px_word_sort sort = px_word_sort_begin(words, spare, n);

    while (px_word_sort_is_due(&sort)) {
        px_word_sort_pass(&sort);
    }
    if (sort.words != words) {
        memcpy(words, sort.words, n * sizeof(*words));
    }
}

/* --- names --- */

struct px_name_sort {
    const char *const *names;
    size_t n, room;
    uint32_t *order; /* owned: indices of the names, in sorted runs of `width` */
    uint32_t *next;  /* owned: those of the pass under way, of which `at` are written */
    size_t width;
    size_t at;
    size_t left, right; /* the next of each of the two runs that are merged */
    size_t middle, end; /* behind the first of them, and behind the second */
};

struct px_name_sort *px_name_sort_begin(const char *const *names, size_t n, size_t room)
{
    struct px_name_sort *sort = n <= UINT32_MAX ? calloc(1, sizeof(*sort)) : NULL;

    if (!sort) {
        return NULL;
    }
    *sort = (struct px_name_sort){.names = names, .n = n, .room = room, .width = 1};
    sort->order = calloc(n, sizeof(*sort->order));
    sort->next = calloc(n, sizeof(*sort->next));
    if (!sort->order || !sort->next) {
        px_name_sort_end(sort);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        sort->order[i] = (uint32_t) i;
    }
    return sort;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* True if the next name comes from the first of the two runs. */
static bool takes_left(const struct px_name_sort *sort)
{
    const char *const *names = sort->names;

    return sort->right == sort->end ||
           (sort->left < sort->middle && strncmp(names[sort->order[sort->left]],
                                                 names[sort->order[sort->right]], sort->room) <= 0);
}

/* Writes one index, the first or the next one of two runs. */
static void merge_next(struct px_name_sort *sort)
{
    if (sort->at == sort->end) {
        sort->left = sort->at;
        sort->middle = sort->right = least(sort->at + sort->width, sort->n);
        sort->end = least(sort->middle + sort->width, sort->n);
    }
    sort->next[sort->at++] = sort->order[takes_left(sort) ? sort->left++ : sort->right++];
}

bool px_name_sort_go_on(struct px_name_sort *sort, size_t most)
{
    for (size_t i = 0; i < most && sort->width < sort->n; i++) {
        merge_next(sort);
        if (sort->at == sort->n) {
            uint32_t *sorted = sort->next;

            sort->next = sort->order;
            sort->order = sorted;
            sort->at = sort->end = 0;
            sort->width *= 2;
        }
    }
    return sort->width < sort->n;
}

const uint32_t *px_name_sort_order(const struct px_name_sort *sort)
{
    return sort->order;
}

void px_name_sort_end(struct px_name_sort *sort)
{
    if (sort) {
        free(sort->order);
        free(sort->next);
        free(sort);
    }
}
