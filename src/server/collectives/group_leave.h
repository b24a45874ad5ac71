/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_LEAVE_H
#define PX_SERVER_GROUP_LEAVE_H

/* Members that leave a group that exists. Whoever leaves, and wherever: each server that has the
 * group in its registry gets the event PMIX_GROUP_LEFT, from its client or from the host, and
 * corrects its record before it passes the event on. Loop thread. */

#include <stdbool.h>

#include <pmix_common.h>

struct px_event;
struct px_group_recheck; /* how far px_groups_recheck is */
struct px_peer;
struct px_proc_list;
struct px_proc_set;
struct px_server;
struct px_upcall;

/* px_service.call: a member leaves its group at once; the others get the event PMIX_GROUP_LEFT.
 * PMIX_ERR_NOT_FOUND if it is in no such group, PMIX_ERR_NOMEM (it is still a member). */
pmix_status_t px_group_leave_call(struct px_upcall *up);

/* Raises PMIX_GROUP_MEMBER_FAILED for the members of a new group that are of this server, once for
 * each process that was to be a member. `failed` may be NULL. */
void px_group_tell_failed(struct px_server *s, const struct px_proc_set *group,
                          const struct px_proc_list *failed);

/* True if one of these processes is of this server and lives. Others have their group elsewhere:
 * what becomes of it, nobody tells this server. */
bool px_group_is_here(struct px_server *s, const pmix_proc_t *members, size_t n);

/* Looks for members that have ended in groups that want to be told (PMIX_GROUP_NOTIFY_TERMINATION):
 * the others get the event PMIX_GROUP_MEMBER_FAILED, on all nodes, and who has ended is no member
 * any more. Groups that have no members here any more are forgotten. Linear in the number of
 * groups, and if something has ended since the last time, in their members of this node. Many
 * groups are checked in pieces, one in a turn of the loop. False if it is not complete: further
 * pieces follow, or the caller is in an event that it raises; it calls px_colls_recount at its
 * end. */
bool px_groups_recheck(struct px_server *s);
/* Makes the next recheck check this group in any case. */
void px_group_recheck_again(struct px_server *s, struct px_proc_set *group);
/* Ends a recheck that is under way. Called before the groups are freed. */
void px_groups_recheck_stop(struct px_server *s);
/* The state of rechecks of a new server, which frees it with free(). NULL: memory is out. */
struct px_group_recheck *px_group_recheck_create(struct px_server *s);
/* The same for one group, which wants it from now on. The group may be freed, and collectives other
 * than the caller's may complete. */
void px_group_expel(struct px_server *s, struct px_proc_set *group);

/* True if one of the affected processes of a client's event is not its source: it must not say of
 * others that they have left a group, since servers and hosts believe it. */
bool px_group_left_speaks_of_others(const struct px_event *event);

/* An event PMIX_GROUP_LEFT or PMIX_GROUP_MEMBER_FAILED is about to be delivered: takes the process
 * out of the group's record, and does not wait for it any more where others destruct the group. A
 * client may only say it of itself (`own`): of the process that is connected (NULL: the source),
 * whatever it gives as the source. True if the group has changed; then px_group_announce is to
 * follow the event. */
bool px_group_left(struct px_server *s, const struct px_event *event, bool own,
                   const struct px_peer *by);

/* Raises PMIX_GROUP_MEMBERSHIP_UPDATE, with all members that the group now has, for those of this
 * server. `event` is the one that has changed it. Without memory the event is lost. */
void px_group_announce(struct px_server *s, const struct px_event *event);

#endif
