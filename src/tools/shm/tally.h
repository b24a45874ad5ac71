/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_TALLY_H
#define PX_TOOLS_SHM_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "shmem/segment.h"

/* Where the bytes of a segment go: what pmix-shm stats prints and pmixrun --report sums up. Needs
 * shmem and base only. */

enum px_shm_part {
    PX_PART_HEADER,
    PX_PART_TABLES,
    PX_PART_KEYS,
    PX_PART_RECORDS,
    PX_PART_QUALIFIERS,
    PX_PART_COLUMNS,
    PX_PART_ELEMENTS,
    PX_PART_COLUMN_VALUES,
    PX_PART_PLACEMENT,
    PX_PART_OLD,  /* older versions of all that */
    PX_PART_REST, /* out of reach: outgrown tables, data that no column shares any more */
    PX_N_PARTS
};
extern const char *const px_shm_part_names[PX_N_PARTS];

enum px_shm_kind {
    PX_KIND_CONST,
    PX_KIND_AFFINE,
    PX_KIND_8, /* elements of so many bits */
    PX_KIND_16,
    PX_KIND_32,
    PX_KIND_64,
    PX_KIND_CELL,
    PX_KIND_DICT,
    PX_KIND_LOC,
    PX_KIND_OTHER,
    PX_N_KINDS
};
extern const char *const px_shm_kind_names[PX_N_KINDS];

enum px_shm_table_id {
    PX_TABLE_KEYS,
    PX_TABLE_RECORDS,
    PX_TABLE_NODE_NAMES,
    PX_TABLE_NODE_IDS,
    PX_N_TABLES
};
extern const char *const px_shm_table_names[PX_N_TABLES];

struct px_shm_fill {
    uint64_t slots; /* 0: there is no such table */
    uint64_t filled;
    uint64_t probes; /* of all, together: 1 for what lies where it is looked for first */
    uint64_t longest;
};

struct px_shm_tally {
    uint64_t bytes; /* in use */
    uint64_t sequence;
    uint32_t ranks;
    uint32_t generation;
    uint64_t parts[PX_N_PARTS]; /* bytes; together `bytes` */
    uint64_t kinds[PX_N_KINDS]; /* columns in use */
    uint64_t overlaid;          /* columns with newer values in the record table */
    struct px_shm_fill tables[PX_N_TABLES];
    bool damaged;
};

/* Counts a segment whose header px_header_check has passed; what lies behind that is hostile. Time
 * and memory in proportion to its size. 0 or PX_ERR_NOMEM. */
int px_shm_tally(const struct px_segment *seg, struct px_shm_tally *ret);

#endif
