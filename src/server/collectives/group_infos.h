/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_INFOS_H
#define PX_SERVER_GROUP_INFOS_H

/* Which values of group information (PMIX_GROUP_INFO) this server has in its stores under the
 * context id of a group. They stay when the group is no more, the newest of them up to the
 * parameter shmix_group_infos. Loop thread. */

#include <stddef.h>

#include <pmix_common.h>

struct px_server;

/* Notes that a value of a process was stored for a group. Without memory it is not noted, and
 * stays. */
void px_group_infos_note(struct px_server *s, const char *group, size_t id, const pmix_proc_t *from,
                         const char *key);
/* If there are too many, deletes the oldest of groups that are no more from the stores; how many it
 * looks at depends on how many were noted since it was called last. Called when a group is in the
 * registry. */
void px_group_infos_trim(struct px_server *s);
/* Forgets the values of a namespace, whose store is going. */
void px_group_infos_nspace_removed(struct px_server *s, const char *nspace);
/* Forgets all, and deletes nothing. */
void px_group_infos_fini(struct px_server *s);

#endif
