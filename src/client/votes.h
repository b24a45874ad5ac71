/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_VOTES_H
#define PX_CLIENT_VOTES_H

/* Who is to lead an invitation that has lost its leader: what each of the other invitees says. */

#include <stddef.h>

#include <pmix.h>

/* What an invitee says; the numbers up to PX_ABORTS travel in PX_KEY_SUCCESSION. */
enum px_vote {
    PX_NO_PART,   /* it has no call that waits for the invitation, and claims nothing */
    PX_NO_CLAIM,  /* it waits, and its handlers do not want to lead */
    PX_CLAIMS,    /* they want to */
    PX_ABORTS,    /* they give the group up, for all */
    PX_N_VOTES,   /* what no process says: */
    PX_UNHEARD,   /* nothing has come from it yet */
    PX_SILENT,    /* and it is not waited for any longer */
    PX_HAS_ENDED, /* nothing will come */
};

/* The invitees but for the leader, in the leader's order. Zeros: nobody. */
struct px_votes {
    pmix_proc_t *procs;
    enum px_vote *said;
    size_t n;
};

enum px_election {
    PX_UNDECIDED,
    PX_GIVEN_UP, /* one has aborted */
    PX_NOBODY,   /* nobody wants to lead */
    PX_ELECTED,  /* the first in the order of those who want to */
};

/* Copies the processes; nothing is heard of any. What was there is released. 0 or PMIX_ERR_NOMEM:
 * then there is nobody. */
int px_votes_init(struct px_votes *votes, const pmix_proc_t *procs, size_t n);
void px_votes_fini(struct px_votes *votes);

/* Takes in what a process, or each process of a namespace, says. It may say something else later,
 * but not after its end. */
void px_votes_take(struct px_votes *votes, const pmix_proc_t *proc, enum px_vote vote);
/* Nobody is waited for any longer. */
void px_votes_close(struct px_votes *votes);

/* The outcome; who is elected is in *ret, which is else untouched. */
enum px_election px_votes_count(const struct px_votes *votes, pmix_proc_t *ret);

#endif
