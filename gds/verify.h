/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_VERIFY_H
#define PX_GDS_VERIFY_H

/* The check of a whole segment against docs/segment-format.md: for tests, for tools, and for builds
 * that verify each publication. Readers do not need it: they check what they use. */

#include "gds/format.h"
#include "shmem/segment.h"

/* How much is checked; each level includes those before it. */
enum px_verify_level {
    PX_VERIFY_HEADER, /* header and its words */
    PX_VERIFY_TABLES, /* keys and records: all filed where they are found, chains descending */
    PX_VERIFY_ALL,    /* also every column, cell and the placement, value by value */
};

/* The budget of a check: at most this many steps (objects, slots, elements looked at), and so many
 * more for each 8 bytes in use, whatever the bytes say. */
enum { PX_VERIFY_STEPS = 4096, PX_VERIFY_STEPS_PER_WORD = 64 };

/* The first fault that a check found. */
struct px_fault {
    const char *what; /* static text; NULL: nothing */
    uint64_t loc;
    uint64_t steps; /* it took to say so */
};

/* Checks the invariants of docs/segment-format.md on a mapped segment; right for a segment at rest,
 * and for one whose writer was stopped at any point. *ret_fault (may be NULL) is set in every case.
 * Cost: proportional to the segment, also to a hostile one. Any thread. 0; PMIX_ERR_NOT_SUPPORTED
 * (another format); PMIX_ERR_UNPACK_FAILURE (damaged). */
int px_format_verify(const struct px_segment *seg, enum px_verify_level level,
                     struct px_fault *ret_fault);

#endif
