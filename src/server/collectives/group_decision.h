/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_DECISION_H
#define PX_SERVER_GROUP_DECISION_H

/* Members that end while a group is constructed, if members want to be told
 * (PMIX_GROUP_NOTIFY_TERMINATION): the handlers of the others decide whether the group is made
 * without them.
 *
 * When all who live have called, each server knows who has ended; if there is a host, its answer
 * says so for all nodes. Each server asks the members among its clients: the declared leader
 * (PMIX_GROUP_LEADER), if it lives, by PMIX_GROUP_MEMBER_FAILED; else all of them, and by
 * PMIX_GROUP_LEADER_FAILED about the leader. Clients of this library answer with an event that is
 * the library's own (PX_KEY_DECIDE); others are told, but not waited for. Then the host is asked
 * once more, for a group of those who live, with what the handlers of each node have said, so that
 * all servers come to the same end. Loop thread. */

#include <stdbool.h>

#include <pmix_common.h>

struct px_coll;
struct px_event;
struct px_group_build;
struct px_peer;
struct px_proc_list;
struct px_server;
struct px_upcall;

struct px_group_decision; /* in px_group_build.decision; NULL: nothing is to be decided */
void px_group_decision_free(struct px_group_decision *decision);

/* True if the members of this construct decide about who ends: one of this server, in any part of
 * the group, has asked for it, and none goes on without asking. */
bool px_group_decides(struct px_coll *coll);

/* Adds what other servers have to know to the upcall of a construct: that members decide, and who
 * leads; or, when its own have been asked, what they have said. 0 or PMIX_ERR_NOMEM. */
int px_group_decision_describe(const struct px_coll *coll, struct px_upcall *up);
/* Takes that out of the infos of the host's answer. */
void px_group_decision_take(struct px_coll *coll, pmix_info_t *info, size_t *ninfo);

/* Asks the members of this server that have called about processes that have ended, each once about
 * each; what they answer counts when the outcome is known. 0 or PMIX_ERR_NOMEM. */
int px_group_ask(struct px_coll *coll, struct px_proc_list *ended);
/* True if the outcome is known, and members decide about those who have ended. */
bool px_group_decision_begun(const struct px_group_build *build);

/* The outcome of a construct is in its build, and some have ended: asks, or ends the collective.
 * The parts of a group are decided together, when this has been called for each of them that has a
 * member. It may be over, and freed, when this returns. */
void px_group_decision_begin(struct px_coll *coll);
/* The host has confirmed that all have decided, or has not: ends the collective, in all parts. */
void px_group_decision_end(struct px_coll *coll, pmix_status_t status);
/* A part that is being decided has ended, also by its time limit: the others do not make the group
 * without its members. */
void px_group_decision_over(struct px_coll *coll);
/* Members may have ended while they were asked. True if the collective is over, and freed. */
bool px_group_decision_recount(struct px_coll *coll);

/* An event of a client: true if it is the answer to a question, or is made to look like one. */
bool px_group_decision_said(struct px_server *s, const struct px_peer *peer,
                            const struct px_event *event);

#endif
