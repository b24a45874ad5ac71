/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_WIRE_GEN_H
#define PX_TEST_WIRE_GEN_H

#include <stdint.h>

#include "src/value/types.h"

/* Random elements of every data type, out of the table of types. The same seed gives the same
 * elements. */

struct gen {
    uint64_t state;
    bool exact; /* also what peers do not carry: see fill_special */
};

/* Seed from PX_SEED, else from the clock; printed, so that a failure can be repeated. */
struct gen gen_start(void);

uint64_t gen_next(struct gen *gen);
static inline uint64_t gen_below(struct gen *gen, uint64_t n)
{
    return gen_next(gen) % n;
}

/* Fills an uninitialised element of a type; px_type_fini releases it. depth: arrays still allowed
 * inside. */
void gen_fill(struct gen *gen, pmix_data_type_t type, void *element, unsigned depth);

/* A type that gen_fill knows: all but topologies and cpusets, which need hwloc. */
pmix_data_type_t gen_type(struct gen *gen);
bool gen_knows(pmix_data_type_t type);

#endif
