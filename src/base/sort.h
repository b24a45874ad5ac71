/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_SORT_H
#define PX_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts n words in ascending order, in linear time: for long lists that peers send in an order of
 * their choice. `spare` has room for as many words; what it has afterwards is undefined. Any
 * thread. */
void px_sort_words(uint64_t *words, uint64_t *spare, size_t n);

/* The same in passes over all words. Both arrays are borrowed. */
struct px_word_sort {
    uint64_t *words; /* the array in which they are: sorted, after the last pass */
    uint64_t *spare; /* the other one */
    size_t n;
    uint64_t differ; /* bits in which not all words are the same */
    unsigned which;  /* the byte that comes next */
};

/* Looks at the words once. */
struct px_word_sort px_word_sort_begin(uint64_t *words, uint64_t *spare, size_t n);
/* True if they are not sorted yet: a pass follows. */
bool px_word_sort_is_due(const struct px_word_sort *sort);
/* The next pass. */
void px_word_sort_pass(struct px_word_sort *sort);

/* A sort of names, each of which is there once, in steps: names are compared as strncmp with `room`
 * characters does, and who has chosen them may have made that slow. One thread at a time. */
struct px_name_sort;

/* The names are borrowed until the end. NULL: memory is out. */
struct px_name_sort *px_name_sort_begin(const char *const *names, size_t n, size_t room);
/* Compares about `most` names. True: others follow. */
bool px_name_sort_go_on(struct px_name_sort *sort, size_t most);
/* When all are compared: the index of the name at each place, good until the end. */
const uint32_t *px_name_sort_order(const struct px_name_sort *sort);
/* Frees it. Takes NULL. */
void px_name_sort_end(struct px_name_sort *sort);

#endif
