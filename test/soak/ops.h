/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_SOAK_OPS_H
#define PX_TEST_SOAK_OPS_H

#include "soak.h"

/* What members of teams and transient processes have in common. A wrong answer ends the process
 * with SOAK_WRONG and a message. */

struct self {
    pmix_proc_t proc;
    uint32_t size; /* of its job */
    const struct soak_orders *orders;
    uint64_t own; /* its own numbers */
};
extern struct self self;

/* PMIx_Init, and the hour of death if the orders have one. */
void ops_begin(const struct soak_orders *orders);
int ops_end(void);
void ops_pause(void);

void ops_wrong(const char *what, int status);
/* True when the operation has worked; not having worked is wrong unless a process of the team may
 * have died. */
bool ops_worked(const char *what, int status);

/* Bytes that only this seed gives; n at least 8. */
void ops_fill(uint64_t seed, void *bytes, size_t n);
void ops_put(const char *key, uint64_t seed, size_t n);
/* 1: the value is there and right; 0: it is not there. */
int ops_get(pmix_rank_t rank, const char *key, uint64_t seed, size_t n, int timeout_s);

/* One process alone can do these. */
void ops_job(uint64_t draw);
void ops_query(uint64_t draw);
void ops_events(uint64_t draw);
void ops_names(const char *key, uint64_t seed);

#endif
