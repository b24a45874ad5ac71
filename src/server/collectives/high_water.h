/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HIGH_WATER_H
#define PX_SERVER_HIGH_WATER_H

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/list.h"

/* Up to where each set of processes has been sent what was posted here: what a fence need not send
 * again. Sets are in normal form (px_procs_normalise). Forgetting is always allowed, and costs only
 * that something is sent again; so no more than a few sets are kept. One thread (the loop's). */

struct px_high_water {
    struct px_list list; /* struct px_high_water_mark, the newest first */
    size_t n_procs;      /* in all of them */
};

void px_high_water_init(struct px_high_water *high_water);
void px_high_water_fini(struct px_high_water *high_water);

/* The highest number that all processes of the set have been sent; 0: nothing. Members of a larger
 * set are. */
uint64_t px_high_water_since(const struct px_high_water *high_water, const pmix_proc_t *set,
                             size_t n);

/* All processes of the set have been sent everything up to the number. Does nothing when memory is
 * out. */
void px_high_water_note(struct px_high_water *high_water, const pmix_proc_t *set, size_t n,
                        uint64_t number);

/* Forgets the sets that name the namespace; NULL: all. */
void px_high_water_forget(struct px_high_water *high_water, const char *nspace);

#endif
