/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITEES_H
#define PX_CLIENT_INVITEES_H

/* The processes of one invitation, as its leader sees them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

#include "src/base/map.h"
#include "src/request/schema.h"

struct px_proc_list;

/* What the leader knows of an invitee, and what it may learn. */
enum px_invitee_state { PX_INVITED, PX_ACCEPTED, PX_FAILED, PX_N_INVITEE_STATES };
enum px_invitee_news { PX_ACCEPTS, PX_DECLINES, PX_ENDS, PX_IS_SILENT, PX_N_INVITEE_NEWS };

struct px_invitee {
    pmix_proc_t proc;
    enum px_invitee_state state;
    struct px_infos given; /* its data for the group; used if it becomes a member */
};

/* The most invitees that a namespace may stand for. An invitation lists all of them, so that more
 * would not fit in a message. */
enum { PX_INVITEES_MAX = 1 << 21 };

/* A growing array in malloc memory. Zeros: nobody. */
struct px_invitees {
    struct px_invitee *at;
    size_t n, room;
    size_t n_in[PX_N_INVITEE_STATES]; /* so many are in each state */
    struct px_map index;              /* of each process its place in the array, counted from 1 */
};

/* The invitee of that name, or NULL. O(1). Valid until one is added. */
struct px_invitee *px_invitees_find(const struct px_invitees *invitees, const pmix_proc_t *proc);
/* Takes the news of one of the invitees in. O(1). True if its state has changed by them. */
bool px_invitees_learn(struct px_invitees *invitees, struct px_invitee *invitee,
                       enum px_invitee_news news);
/* The number of those in a state. O(1). */
size_t px_invitees_count(const struct px_invitees *invitees, enum px_invitee_state state);
/* Appends those in a state to the list. 0 or PMIX_ERR_NOMEM. */
int px_invitees_gather(const struct px_invitees *invitees, enum px_invitee_state state,
                       struct px_proc_list *list);
/* Adds an invitee, unless it is one already. O(1). 0 or PMIX_ERR_NOMEM. */
int px_invitees_add(struct px_invitees *invitees, const pmix_proc_t *proc);
/* Adds n ranks of a namespace, from 0 on. 0; PMIX_ERR_OUT_OF_RESOURCE (more than PX_INVITEES_MAX);
 * PMIX_ERR_NOMEM: some have been added. */
int px_invitees_add_job(struct px_invitees *invitees, const char *nspace, uint32_t n);
/* Frees the array and the data of the invitees. The list is empty afterwards. */
void px_invitees_fini(struct px_invitees *invitees);

#endif
