/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_DICT_H
#define PX_GDS_DICT_H

/* The dictionary of a column in the making: the set of its cells, so that equal values are written
 * once. */

#include "gds/payload.h"

/* A set of cells, numbered in order of arrival. After 4,096 values of which hardly any was equal to
 * another, it stops comparing and takes the rest as they come. On the stack of the column's writer;
 * a zeroed one with `bump` set is empty. */
struct px_dict {
    struct px_bump *bump;
    uint64_t *locs; /* by number */
    uint64_t *hashes;
    uint32_t n;
    uint32_t cap;
    uint32_t *slots; /* open addressing: 1 + number */
    uint32_t n_slots;
    uint32_t n_equal; /* values that were there already */
    bool apart;       /* nothing is compared any more */
};

/* The number of the cell with this value; writes the cell if it is new. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
int px_dict_payload(struct px_dict *dict, const struct px_payload *payload, pmix_scope_t scope,
                    uint32_t *ret);

/* The number of a cell that is in the segment already. 0, PMIX_ERR_NOMEM. */
int px_dict_cell(struct px_dict *dict, uint64_t loc, uint32_t *ret);

/* Frees the index; the cells stay in the segment, where a rollback of the publication gives them
 * back. */
void px_dict_fini(struct px_dict *dict);

#endif
