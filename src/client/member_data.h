/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_MEMBER_DATA_H
#define PX_CLIENT_MEMBER_DATA_H

/* What the members of an invited group give each other: the values that each has put for other
 * nodes (PMIX_GROUP_ENDPT_DATA), and group information (PMIX_GROUP_INFO), whose first element names
 * the contributor. They travel in the events of the invitation and end in each member's own
 * store. */

#include <stddef.h>

#include <pmix.h>

struct px_infos;
struct px_session;

/* Adds the values that this process has put for other nodes, if any. 0, PMIX_ERR_NOMEM or an error
 * of packing. */
int px_member_data_add_endpoint(struct px_infos *given, struct px_session *session);
/* Adds a PMIX_GROUP_INFO of a contributor, whose name is put in front; a value that is no array of
 * infos is an empty contribution. 0 or PMIX_ERR_NOMEM. */
int px_member_data_add_group_info(struct px_infos *given, const pmix_proc_t *from,
                                  const pmix_info_t *info);
/* Adds those of an invitee's infos that are for members. Posted values under the name of another
 * process are left out. 0 or PMIX_ERR_NOMEM. */
int px_member_data_add_member(struct px_infos *given, const pmix_proc_t *from,
                              const pmix_info_t *info, size_t ninfo);
/* Stores all of it as data of its contributors. If there is a PMIX_GROUP_CONTEXT_ID among the
 * infos, group information is qualified by it, and posted values are there with and without it.
 * Skipped are data that do not parse, and data of a process that is not among the members
 * (PMIX_GROUP_MEMBERSHIP); without memory for the list of members, all. Any thread. */
void px_member_data_store(struct px_session *session, const pmix_info_t *info, size_t ninfo);

#endif
