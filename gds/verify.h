/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_VERIFY_H
#define PX_GDS_VERIFY_H

#include "gds/format.h"
#include "shmem/segment.h"

enum px_verify_level {
    PX_VERIFY_HEADER, /* header and its words */
    PX_VERIFY_TABLES, /* keys and records: all filed where they are found, chains descending */
    PX_VERIFY_ALL,    /* also every column, cell and the placement, value by value */
};

/* No segment takes more steps (objects, slots, elements looked at) to check than this, whatever its
 * bytes say. */
enum { PX_VERIFY_STEPS = 4096, PX_VERIFY_STEPS_PER_WORD = 64 };

/* What is wrong first, and where. */
struct px_fault {
    const char *what; /* static text; NULL: nothing */
    uint64_t loc;
    uint64_t steps; /* it took to say so */
};

/* Checks every invariant of docs/segment-format.md on a mapped segment. Right for a segment at
 * rest, and for one whose writer was stopped at any point. 0; PMIX_ERR_NOT_SUPPORTED (another
 * format); PMIX_ERR_UNPACK_FAILURE. *ret_fault (may be NULL) is set in every case. Cost:
 * proportional to the segment, also to a hostile one. Any thread. */
int px_format_verify(const struct px_segment *seg, enum px_verify_level level,
                     struct px_fault *ret_fault);

#endif
