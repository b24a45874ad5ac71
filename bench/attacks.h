/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_ATTACKS_H
#define PX_BENCH_ATTACKS_H

#include <pmix.h>

/* What one user does to a server that others use, each thing in the largest size that the server's
 * default limits allow. Two processes of a job of three attack: rank 0, and rank 1 that helps it;
 * the third never starts. */

enum { ATTACKERS = 2 };

/* How an attack goes; in memory that its processes share with who started them. */
struct attack_state {
    volatile unsigned long tries;   /* calls of rank 0 */
    volatile unsigned long refused; /* of these: PMIX_ERR_OUT_OF_RESOURCE */
    volatile int reached; /* it has been refused, or is of the size that is not refused yet */
};

/* What the host does in a trial, as bits. Without the first one it never answers when it is asked
 * for data of other nodes. */
enum attack_host {
    HOST_ANSWERS_LATE = 1, /* when many have asked, it says that there are none */
    HOST_HAS_GROUPS = 2,   /* groups succeed at once */
    HOST_HAS_JOBS = 4,     /* it registers ATTACKED_JOB, and deregisters it, by turns */
};

#define ATTACKED_JOB "coming"

struct attack {
    const char *name;
    const char *what;
    void (*help)(void);   /* by rank 1, once, before rank 0 begins; or NULL */
    void (*beside)(void); /* by rank 1, again and again, beside rank 0; NULL: it does not read */
    void (*round)(void);  /* by rank 0, again and again; NULL: nothing */
    int sized;            /* the first round has the largest size */
    unsigned host;        /* bits of enum attack_host */
};

/* The last one has no name. */
extern const struct attack attacks[];

/* The body of an attacking process, which has called PMIx_Init. Does not return. */
void attack_play(const struct attack *attack, const pmix_proc_t *self, struct attack_state *state);

#endif
