/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_CODE_SET_H
#define PX_EVENT_CODE_SET_H

/* Sets of event codes. The codes come from peers, which may send many: a search takes O(log n), a
 * change O(n) for all of its codes and those of the set together. Used by one thread at a time. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

/* Codes in ascending order, each once, in malloc memory. Zeros: none. */
struct px_code_set {
    pmix_status_t *at;
    size_t n;
};

/* True if the code is in the set. */
bool px_code_set_has(const struct px_code_set *set, pmix_status_t code);

/* Adds codes. codes[] and *n keep those that were not in the set, in ascending order. 0 or
 * PMIX_ERR_NOMEM: the set is unchanged, and codes[] only sorted. */
int px_code_set_add(struct px_code_set *set, pmix_status_t *codes, size_t *n);

/* Removes codes. codes[] and *n keep those that were in the set, in ascending order. */
void px_code_set_remove(struct px_code_set *set, pmix_status_t *codes, size_t *n);

/* Frees the codes and leaves an empty set. */
void px_code_set_fini(struct px_code_set *set);

#endif
