/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_VOTES_H
#define PX_CLIENT_VOTES_H

/* The votes of invitees about a new leader of an invitation that has lost its own. */

#include <stddef.h>

#include <pmix.h>

/* The vote of an invitee; the numbers up to PX_ABORTS travel in PX_KEY_SUCCESSION. */
enum px_vote {
    PX_NO_PART,   /* no call of it waits for the invitation, and it claims nothing */
    PX_NO_CLAIM,  /* a call waits, and its handlers do not claim to lead */
    PX_CLAIMS,    /* its handlers claim to lead */
    PX_ABORTS,    /* its handlers give the group up, for all */
    PX_N_VOTES,   /* the others are states of a process that has not voted */
    PX_UNHEARD,   /* its vote has not come yet */
    PX_SILENT,    /* likewise, and the others wait for it no longer */
    PX_HAS_ENDED, /* it will not come */
};

/* The invitees without the leader, in the leader's order. Zeros: none. */
struct px_votes {
    pmix_proc_t *procs;
    enum px_vote *said;
    size_t n;
};

enum px_election {
    PX_UNDECIDED,
    PX_GIVEN_UP, /* one has aborted */
    PX_NOBODY,   /* no process claims to lead */
    PX_ELECTED,  /* the first process, in the leader's order, that claims to */
};

/* Begins with a copy of the processes, all PX_UNHEARD, and releases what was there. 0 or
 * PMIX_ERR_NOMEM: then there are none. */
int px_votes_init(struct px_votes *votes, const pmix_proc_t *procs, size_t n);
void px_votes_fini(struct px_votes *votes);

/* Sets the vote of a process. A later vote replaces it, except PX_HAS_ENDED, which stays. */
void px_votes_take(struct px_votes *votes, const pmix_proc_t *proc, enum px_vote vote);
/* Makes PX_SILENT of each PX_UNHEARD. */
void px_votes_close(struct px_votes *votes);

/* The outcome; PX_ELECTED: the process is in *ret, which is else untouched. */
enum px_election px_votes_count(const struct px_votes *votes, pmix_proc_t *ret);

#endif
