/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_COLL_SENT_H
#define PX_COLL_SENT_H

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/list.h"

/* Up to where each set of processes has been sent what was posted here: what a fence need not send
 * again. Sets are in normal form (px_coll_normalise). Forgetting is always allowed, and costs only
 * that something is sent again; so no more than a few sets are kept. One thread (the loop's). */

struct px_sents {
    struct px_list list; /* struct px_sent, the newest first */
    size_t n_procs;      /* in all of them */
};

void px_sents_init(struct px_sents *sents);
void px_sents_fini(struct px_sents *sents);

/* The highest number that all processes of the set have been sent; 0: nothing. Members of a larger
 * set are. */
uint64_t px_sents_since(const struct px_sents *sents, const pmix_proc_t *set, size_t n);

/* All processes of the set have been sent everything up to the number. Does nothing when memory is
 * out. */
void px_sents_note(struct px_sents *sents, const pmix_proc_t *set, size_t n, uint64_t number);

/* Forgets the sets that name the namespace; NULL: all. */
void px_sents_forget(struct px_sents *sents, const char *nspace);

#endif
