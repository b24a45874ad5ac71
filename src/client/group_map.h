/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_MAP_H
#define PX_CLIENT_GROUP_MAP_H

#include <stddef.h>

#include <pmix.h>

struct px_proc_list;
struct px_session;

/* The groups that this process is a member of: a group's name and a rank in it stand for a process.
 */

/* A group was made: its members are under PMIX_GROUP_MEMBERSHIP. Without memory, or when that does
 * not name single processes, the group is not known here. Any thread. */
void px_group_map_add(struct px_session *session, const char *group, const pmix_info_t *results,
                      size_t n);

/* It is taken apart, or we leave it. Any thread. */
void px_group_map_remove(struct px_session *session, const char *group);

/* Who that is: 0; PMIX_ERR_NOT_FOUND when the group has no such rank; 1 when the name is no
 * group's. Any thread. */
int px_group_map_find(struct px_session *session, const pmix_proc_t *proc, pmix_proc_t *ret);

/* Processes, groups and ranks in them replaced by their members, a list for the caller. 0, 1 (none
 * of them is a group: nothing is made), PMIX_ERR_NOT_FOUND (a rank that a group does not have),
 * PMIX_ERR_NOMEM. Any thread. */
int px_group_map_expand(struct px_session *session, const pmix_proc_t *procs, size_t n,
                        struct px_proc_list *ret);

#endif
