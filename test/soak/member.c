/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A member of a team. All members draw the same operations from the team's seed, so they meet in
 * the collectives; one of them may be about to die, and nobody knows when. */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

enum { TIMEOUT_S = 60, BIG = 65536 };

static unsigned step;

static uint64_t seed_of(pmix_rank_t rank)
{
    return self.orders->seed + 1000 * (uint64_t) rank + 1000000 * (uint64_t) step;
}

static void name_key(char key[PMIX_MAX_KEYLEN + 1], const char *what)
{
    (void) snprintf(key, PMIX_MAX_KEYLEN + 1, "soak.%s.%u", what, step);
}

/* The ranks whose bit is set; everybody draws the same. malloc'd. */
static pmix_proc_t *pick(uint64_t bits, size_t *ret_n, bool *ret_us)
{
    pmix_proc_t *procs = calloc(self.size, sizeof(*procs));
    size_t n = 0;

    if (!procs) {
        ops_wrong("pick", PMIX_ERR_NOMEM);
    }
    *ret_us = false;
    for (uint32_t r = 0; r < self.size; r++) {
        if (bits >> r & 1) {
            PMIX_LOAD_PROCID(&procs[n], self.proc.nspace, r);
            *ret_us |= r == self.proc.rank;
            n++;
        }
    }
    *ret_n = n;
    return procs;
}

static bool fence(const pmix_proc_t *procs, size_t n, bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    return ops_worked("fence", PMIx_Fence(procs, n, &info, 1));
}

static size_t size_of(uint64_t draw)
{
    return draw % 16 ? 8 + draw / 16 % 1000 : BIG;
}

static void exchange(uint64_t draw)
{
    char key[PMIX_MAX_KEYLEN + 1];

    name_key(key, "exchange");
    ops_put(key, seed_of(self.proc.rank), size_of(draw));
    (void) fence(NULL, 0, draw >> 60 & 1);
    for (uint32_t i = 1; i <= self.size; i++) {
        uint32_t peer = (self.proc.rank + i) % self.size;

        (void) ops_get(peer, key, seed_of(peer), size_of(draw), TIMEOUT_S);
    }
}

/* A neighbour's, whenever it comes. */
static void ask(uint64_t draw)
{
    uint32_t peer = (self.proc.rank + 1) % self.size;
    char key[PMIX_MAX_KEYLEN + 1];

    name_key(key, "ask");
    ops_put(key, seed_of(self.proc.rank), size_of(draw));
    (void) ops_get(peer, key, seed_of(peer), size_of(draw), TIMEOUT_S);
}

static void some(uint64_t draw)
{
    size_t n;
    bool us;
    pmix_proc_t *procs = pick(draw, &n, &us);

    if (us) {
        (void) fence(procs, n, draw >> 60 & 1);
    }
    free(procs);
}

static void group(uint64_t draw)
{
    char name[PMIX_MAX_NSLEN + 1];
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    size_t n;
    bool us;
    pmix_proc_t *procs = pick(draw | 3, &n, &us);

    (void) snprintf(name, sizeof(name), "%.200s.%u", self.proc.nspace, step);
    if (us && ops_worked("group construct",
                         PMIx_Group_construct(name, procs, n, NULL, 0, &results, &n_results))) {
        ops_pause();
        (void) ops_worked("group destruct", PMIx_Group_destruct(name, NULL, 0));
    }
    PMIX_INFO_FREE(results, n_results);
    free(procs);
}

static void connect_all(uint64_t draw)
{
    pmix_proc_t all = self.proc;

    (void) draw;
    all.rank = PMIX_RANK_WILDCARD;
    if (ops_worked("connect", PMIx_Connect(&all, 1, NULL, 0))) {
        (void) ops_worked("disconnect", PMIx_Disconnect(&all, 1, NULL, 0));
    }
}

static void names(uint64_t draw)
{
    char key[PMIX_MAX_KEYLEN + 1];

    (void) snprintf(key, sizeof(key), "%.200s.%u.%u", self.proc.nspace, self.proc.rank, step);
    ops_names(key, draw);
}

int soak_member(const struct soak_orders *orders)
{
    static void (*const ops[])(uint64_t draw) = {exchange, exchange, ask,       some,
                                                 some,     group,    group,     connect_all,
                                                 names,    ops_job,  ops_query, ops_events};
    uint64_t script = orders->seed;
    unsigned steps;

    ops_begin(orders);
    steps = 2 + (unsigned) (soak_draw(&script) % 10);
    for (step = 0; step < steps; step++) {
        uint64_t draw = soak_draw(&script);

        ops_pause();
        ops[(draw >> 32) % (sizeof(ops) / sizeof(ops[0]))](draw);
    }
    return ops_end();
}
