/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_LOSSES_H
#define PX_SERVER_GROUP_LOSSES_H

/* Processes that end while the members of a group are gathered, if members decide about them
 * (group_decision.h): those that have called are asked as soon as the server knows, and those that
 * call later when they call. A server knows of its own processes; of others by the host's events.
 * A declared leader (PMIX_GROUP_LEADER) is announced to the servers of the other members by an
 * event PMIX_GROUP_LEADER_SELECTED of the library's own (PX_KEY_DECIDE), since only the leader is
 * asked then. All of that is for progress: who is in the group follows from the host's answer. Loop
 * thread. */

#include <stdbool.h>

struct px_coll;
struct px_event;
struct px_server;

/* The table's `gathers`. Without memory members are asked when all have called. */
void px_group_gathers(struct px_coll *coll, bool remote, bool lost);
/* All local members have called: those that are known to have ended are not to be members. 0 or
 * PMIX_ERR_NOMEM. */
int px_group_count_lost(struct px_coll *coll);
/* The construct is over: what has been announced of it is forgotten. */
void px_group_losses_over(struct px_coll *coll);

/* An event by which the host reports the end of processes. */
void px_group_ended(struct px_server *s, const struct px_event *event);
/* Processes of this server may have ended: looks for groups in parts that miss them. Of others
 * px_group_gathers knows. */
void px_group_ended_here(struct px_server *s);
/* An event of the host. True: it announces a leader, and is for nobody else. */
bool px_group_announced(struct px_server *s, const struct px_event *event);
/* True for such an event. */
bool px_group_is_announcement(const struct px_event *event);

#endif
