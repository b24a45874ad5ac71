/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_EXPECTED_H
#define PX_SERVER_EXPECTED_H

/* For which processes of this node a collective waits. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/waits/area.h"

struct px_nspace_runs;
struct px_server;

/* What one look at a set of processes finds. */
struct px_expected {
    uint32_t n;                   /* processes of this node, without the departed */
    bool remote;                  /* others are on other nodes */
    bool lost;                    /* some of this node have departed */
    uint64_t rows[PX_WAITS_BITS]; /* those of the n that have one: bit `row - 1`, in words of 64 */
};

/* Looks at the set of a collective: as below, but where the host has registered all processes of a
 * namespace that are here, it searches for those in the set, if they are fewer. */
struct px_expected px_expected_of_set(struct px_server *s, const pmix_proc_t *set,
                                      const struct px_nspace_runs *runs);

/* Looks at processes: ranks, and PMIX_RANK_WILDCARD for all of a namespace. Linear in their
 * number. */
struct px_expected px_expected_of(struct px_server *s, const pmix_proc_t *procs, size_t n);

#endif
