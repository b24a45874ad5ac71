/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_SOAK_SOAK_H
#define PX_TEST_SOAK_SOAK_H

#include <pmix_common.h>
#include <stdint.h>

#define SOAK_HOST "soak-node"
#define SOAK_CODE (PMIX_EXTERNAL_ERR_BASE - 77)

enum { SOAK_WRONG = 3 }; /* a process's exit code when an answer was wrong */

/* A sequence of numbers that its seed determines. */
static inline uint64_t soak_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* How a process is to end. */
enum soak_end { SOAK_FINALIZE, SOAK_KILLED, SOAK_EXITS, SOAK_LEAVES, SOAK_ENDS };

struct soak_orders {
    uint64_t seed;     /* the same for all of a team */
    uint64_t own;      /* its own */
    enum soak_end end; /* other than finalize: at any moment */
    int bereft;        /* one of the team may die: collectives may fail, data may be missing */
    unsigned pace_ms;  /* mean pause between operations */
};

/* member.c, transient.c: the processes. Return the exit code. */
int soak_member(const struct soak_orders *orders);
int soak_transient(const struct soak_orders *orders);
int soak_tool(const struct soak_orders *orders, int server_pid);

#endif
