/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the hosts of a case send each other, for relay.c, shares.c and gather.c. */

#ifndef PX_CONFORM_LIB_RELAY_H
#define PX_CONFORM_LIB_RELAY_H

#include "inside.h"

/* Mail for node 0, which gathers collectives: what a node gives, who has ended, who is there again,
 * who has left a group. For others: how a collective has ended, data that is wanted and its answer,
 * events. */
enum letter_kind { SHARE, ENDED, STARTED, LEFT, GATHERED, WANTED, FOUND, EVENT, STOP };

/* What a node gives to a collective; in the shared memory, and not written once it is posted. */
struct share {
    int node;
    struct upcall *ask; /* of its node, which answers it */
    const struct record *record;
    const char *bytes; /* data of a fence; packed infos of a group, for all */
    size_t n_bytes;
    bool survives; /* of a group: without those who have ended */
    bool alone;    /* a caller that comes by itself: a leader of several, or one of the added */
    pmix_proc_t caller; /* who that is */
    size_t n_leaders;   /* that come so; 0: this one does not know */
    const pmix_proc_t *added;
    size_t n_added;
};

/* What all have given; in the shared memory likewise. */
struct gathered {
    size_t serial;
    const struct share **shares;
    size_t n;
    const pmix_proc_t *members; /* of a group */
    size_t n_members;
    const pmix_proc_t *lost; /* who was to be a member, and has ended */
    size_t n_lost;
};

struct letter {
    enum letter_kind kind;
    int from;
    int status;
    uint32_t number; /* range of an event; time limit of what is wanted */
    pmix_proc_t proc;
    const char *text; /* name of a group */
    const char *bytes;
    size_t n_bytes;
    struct upcall *ask; /* of the host that wants something */
    const struct share *share;
    const struct gathered *gathered;
};

/* relay.c */
void relay_post(int to, const struct letter *letter);
struct upcall *relay_keep(const struct upcall *ask);
void relay_release(struct upcall *ask);
void relay_close_bytes(pmix_data_buffer_t *buffer, struct letter *letter);
void relay_open_bytes(pmix_data_buffer_t *buffer, const char *bytes, size_t n);
void relay_unpack_infos(pmix_data_buffer_t *buffer, struct infos *list);

/* shares.c: a node's part in collectives */
void share_answer(const struct letter *letter);

/* gather.c: collectives at node 0 */
void gather_share(const struct share *share);
void gather_ended(const pmix_proc_t *proc);
void gather_started(const pmix_proc_t *proc);
void gather_left(const char *group, const pmix_proc_t *proc);
int gather_wait_ms(void); /* until the next time limit; -1: there is none */
void gather_expire(void);
void gather_free(void);

#endif
