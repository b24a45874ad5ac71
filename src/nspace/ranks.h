/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_RANKS_H
#define PX_NSPACE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"

/* Lists of ranks as text: "0,3,7" and "0-3,7", as hosts write them in PMIX_LOCAL_PEERS and in
 * process maps. */

/* Most ranks of one list; a longer one is refused. */
enum { PX_RANKS_MAX = 1 << 24 };

/* A list of ranks; zeroed it is empty. The owner frees it with px_ranks_fini. It may begin in an
 * array of the caller's, to save the allocation for short lists. */
struct px_ranks {
    uint32_t *at; /* malloc'd unless lent, in the order of the text */
    size_t n;
    size_t room;
    bool lent; /* `at` is the caller's, for as long as `room` suffices */
};

/* Appends one rank. 0 or PMIX_ERR_NOMEM. */
int px_ranks_add(struct px_ranks *ranks, uint32_t rank);

/* Appends the ranks of the text (NULL and "" have none). 0, PMIX_ERR_BAD_PARAM (no such list, or
 * too long), PMIX_ERR_NOMEM; on failure the list is unchanged. */
int px_ranks_parse(struct px_ranks *ranks, const char *text, size_t len);

/* The list as "0,1,2", malloc'd; NULL: memory is out. */
char *px_ranks_text(const struct px_ranks *ranks);

/* Frees the memory unless it is lent; the list is empty afterwards. */
void px_ranks_fini(struct px_ranks *ranks);

#endif
