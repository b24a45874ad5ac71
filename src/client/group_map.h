/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_MAP_H
#define PX_CLIENT_GROUP_MAP_H

#include <stddef.h>

#include <pmix.h>

struct px_session;

/* A group was made: its members are under PMIX_GROUP_MEMBERSHIP. Without memory, or when that does
 * not name single processes, the group is not known here. Any thread. */
void px_group_map_add(struct px_session *session, const char *group, const pmix_info_t *results,
                      size_t n);

/* It is taken apart, or we leave it. Any thread. */
void px_group_map_remove(struct px_session *session, const char *group);

/* Who that is: 0; PMIX_ERR_NOT_FOUND when the group has no such rank; 1 when the name is no
 * group's. Any thread. */
int px_group_map_find(struct px_session *session, const pmix_proc_t *proc, pmix_proc_t *ret);

/* The participants of a collective, groups and ranks in them replaced by processes, for the caller
 * to free; 1: no group is among them, nothing is made. PMIX_ERR_NOT_FOUND: a rank that a group does
 * not have. */
int px_group_map_expand(struct px_session *session, const pmix_proc_t *procs, size_t n,
                        pmix_proc_t **ret, size_t *ret_n);

void px_group_map_fini(struct px_session *session);

#endif
