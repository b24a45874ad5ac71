/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_MAP_H
#define PX_CLIENT_GROUP_MAP_H

/* The groups that this process is a member of. A group's name stands for its members wherever a
 * call takes processes: (group, rank) for one of them, (group, wildcard) for all. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_args;
struct px_ctx;
struct px_event;
struct px_proc_list;
struct px_session;

/* Notes a group that was constructed, with the members under PMIX_GROUP_MEMBERSHIP of the results;
 * served: by a server of this library, not by invitation. Replaces an older group of that name.
 * Without memory, or if the members are not single processes, the group is not known here. Any
 * thread. */
void px_group_map_add(struct px_session *session, const char *group, bool served,
                      const pmix_info_t *results, size_t n);
/* True if the group is known here, and was added as one that is served. Any thread. */
bool px_group_map_is_served(struct px_session *session, const char *group);

/* Forgets a group that is destructed or left. Any thread. */
void px_group_map_remove(struct px_session *session, const char *group);

/* The event PMIX_GROUP_LEFT or PMIX_GROUP_MEMBER_FAILED has come from the server: takes the process
 * that has left or ended out of its group. Other events, and replayed ones (`live` is false), which
 * may be of an older group of the same name, do nothing. Loop thread. */
void px_group_map_event(struct px_session *session, const struct px_event *event, bool live);

/* Translates (group, rank) to a process. 0 with *ret; PMIX_ERR_NOT_FOUND (the group has no such
 * rank); 1 (the name is no group's). Any thread. */
int px_group_map_find(struct px_session *session, const pmix_proc_t *proc, pmix_proc_t *ret);

/* Replaces groups and ranks in them by member processes, in a new list for the caller. 0; 1 (no
 * group is named: nothing to free); PMIX_ERR_NOT_FOUND (a rank that a group does not have);
 * PMIX_ERR_NOMEM. Any thread. */
int px_group_map_expand(struct px_session *session, const pmix_proc_t *procs, size_t n,
                        struct px_proc_list *ret);

/* px_role_ops.spell_groups, with the groups that this process is a member of. Any thread. */
int px_group_map_spell_info(struct px_ctx *ctx, pmix_info_t *info);
/* Copies infos with the groups in the processes under `key` replaced by their members, so that no
 * other process has to know them. 0 with *ret (PMIx_Info_free); 1: no group is named there, *ret is
 * unchanged; PMIX_ERR_NOT_FOUND (a group has no such rank), PMIX_ERR_NOMEM. Any thread. */
int px_group_map_spell(struct px_session *session, const char *key, const struct px_args *infos,
                       struct px_args *ret);

#endif
