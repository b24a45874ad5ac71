/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "votes.h"

#include <stdlib.h>

#include "src/value/procs.h"

void px_votes_fini(struct px_votes *votes)
{
    free(votes->procs);
    free(votes->said);
    *votes = (struct px_votes){0};
}

int px_votes_init(struct px_votes *votes, const pmix_proc_t *procs, size_t n)
{
    px_votes_fini(votes);
    votes->procs = calloc(n + 1, sizeof(*votes->procs));
    votes->said = calloc(n + 1, sizeof(*votes->said));
    if (votes->procs == NULL || votes->said == NULL) {
        px_votes_fini(votes);
        return PMIX_ERR_NOMEM;
    }
    votes->n = n;
    for (size_t i = 0; i < n; i++) {
        votes->procs[i] = procs[i];
        votes->said[i] = PX_UNHEARD;
    }
    return 0;
}

void px_votes_take(struct px_votes *votes, const pmix_proc_t *proc, enum px_vote vote)
{
    for (size_t i = 0; i < votes->n; i++) {
        if (px_proc_equal(proc, &votes->procs[i]) && votes->said[i] != PX_HAS_ENDED) {
            votes->said[i] = vote;
        }
    }
}

void px_votes_close(struct px_votes *votes)
{
    for (size_t i = 0; i < votes->n; i++) {
        votes->said[i] = votes->said[i] == PX_UNHEARD ? PX_SILENT : votes->said[i];
    }
}

enum px_election px_votes_count(const struct px_votes *votes, pmix_proc_t *ret)
{
    enum px_election election = PX_NOBODY;
    size_t first = votes->n;

    for (size_t i = 0; i < votes->n; i++) {
        if (votes->said[i] == PX_ABORTS) {
            return PX_GIVEN_UP;
        }
        if (votes->said[i] == PX_UNHEARD) {
            election = PX_UNDECIDED;
        } else if (votes->said[i] == PX_CLAIMS && first == votes->n) {
            first = i;
        }
    }
    if (election == PX_UNDECIDED || first == votes->n) {
        return election;
    }
    *ret = votes->procs[first];
    return PX_ELECTED;
}
