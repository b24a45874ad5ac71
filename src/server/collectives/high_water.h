/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HIGH_WATER_H
#define PX_SERVER_HIGH_WATER_H

/* High-water marks: per set of processes, the number in the modex logs up to which all servers
 * of the set have been sent this server's data. A fence sends only what has a higher number.
 * Sets are in normal form (px_procs_normalise). Marks may be forgotten at any time; then data
 * are sent again. So only a limited number of processes is kept. Loop thread. */

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/list.h"

struct px_shared_procs;

/* The marks of one server. Owned by it. */
struct px_high_water {
    struct px_list list; /* struct px_high_water_mark, the newest first */
    size_t n_procs;      /* in all of them */
};

/* An empty table; px_high_water_fini frees its marks. */
void px_high_water_init(struct px_high_water *high_water);
void px_high_water_fini(struct px_high_water *high_water);

/* The highest number that all processes of the set have been sent; 0 if none is known. A mark of
 * a larger set holds for its subsets. */
uint64_t px_high_water_since(const struct px_high_water *high_water, const pmix_proc_t *set,
                             size_t n);

/* Records that all processes of the set, of which the mark becomes one more owner, have been sent
 * everything up to the number. Does nothing if memory is out or the set is too large. Only for a
 * fence whose result had our own contribution and no request for a resync; otherwise the other
 * nodes may lack the data. */
void px_high_water_note(struct px_high_water *high_water, struct px_shared_procs *set,
                        uint64_t number);

/* Forgets the marks of sets that name the namespace; all marks if it is NULL. Needed when a
 * namespace is registered again, since it may have grown to another node, or removed. */
void px_high_water_forget(struct px_high_water *high_water, const char *nspace);

#endif
