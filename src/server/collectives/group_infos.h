/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_INFOS_H
#define PX_SERVER_GROUP_INFOS_H

/* Which values of group information (PMIX_GROUP_INFO) this server has in its stores under the
 * context id of a group. They stay when the group is no more, the newest of them up to the
 * parameter shmix_group_infos. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

struct px_server;

/* True if the values that a caller gives with PMIX_GROUP_INFO are within its quota of posted
 * values, as which they count. */
bool px_group_infos_allowed(struct px_server *s, const pmix_proc_t *who, const pmix_info_t *info,
                            size_t n);
/* Stores all contributions among the infos of a group, each under its contributor, as values of
 * global scope; a host may nest them in PMIX_GROUP_INFO_ARRAY. Those of a group with a context id
 * (NULL: it has none) are qualified by it, and noted; without memory they are not noted, and stay.
 * A contribution that is malformed, one of a namespace that is not known here, and values that are
 * the host's are passed over. 0, PMIX_ERR_NOMEM, or a status of the store. */
int px_group_infos_store(struct px_server *s, const char *group, const size_t *id,
                         const pmix_info_t *info, size_t n);
/* If there are too many, deletes the oldest of groups that are no more from the stores; how many it
 * looks at depends on how many were noted since it was called last. Called when a group is in the
 * registry. */
void px_group_infos_trim(struct px_server *s);
/* Forgets the values of a namespace, whose store is going. */
void px_group_infos_nspace_removed(struct px_server *s, const char *nspace);
/* Forgets all, and deletes nothing. */
void px_group_infos_fini(struct px_server *s);

#endif
