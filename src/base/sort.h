/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_SORT_H
#define PX_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n words in ascending order, in linear time: for long lists that peers send in an order of
 * their choice. `spare` has room for as many words; what it has afterwards is undefined. Any
 * thread. */
void px_sort_words(uint64_t *words, uint64_t *spare, size_t n);

/* Sorts n names (at least one) as strncmp with `room` characters does, and keeps each once; what is
 * behind the last one that is kept is undefined. places[]: where the name that was at each place
 * is now. 0, or PX_ERR_NOMEM: nothing has changed. */
int px_sort_names(const char **names, size_t n, size_t room, size_t *places);

#endif
