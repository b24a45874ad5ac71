/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_RANKS_H
#define PX_NSPACE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"

/* Lists of ranks as text: "0,3,7" and "0-3,7", as hosts write them into PMIX_LOCAL_PEERS and
 * process maps. */

enum { PX_RANKS_MAX = 1 << 24 }; /* ranks in one list; more is taken for damage */

struct px_ranks {
    uint32_t *at; /* malloc'd unless lent, in the order of the text */
    size_t n;
    size_t room;
    bool lent; /* `at` is the caller's, for as long as `room` suffices */
};

/* Appends one rank. 0 or PMIX_ERR_NOMEM. */
int px_ranks_add(struct px_ranks *ranks, uint32_t rank);

/* Appends the ranks of the text (NULL and "" hold none). 0, PMIX_ERR_BAD_PARAM (not such a list, or
 * too many), PMIX_ERR_NOMEM; on failure the set holds what it held. */
int px_ranks_parse(struct px_ranks *ranks, const char *text, size_t len);

/* "0,1,2", malloc'd; NULL when memory is out. */
char *px_ranks_text(const struct px_ranks *ranks);

void px_ranks_fini(struct px_ranks *ranks);

#endif
