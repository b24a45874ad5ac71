/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_INVITED_GROUP_H
#define PX_SERVER_INVITED_GROUP_H

/* Groups by invitation, which clients make by events alone. The server learns of them by the event
 * that completes one, so that they can be named, queried, left and destructed like others. */

struct px_event;
struct px_server;

/* Called with each event that is passed on. PMIX_GROUP_INVITED: the name is that of a group, which
 * cannot be used before it is complete (group_names.h). PMIX_GROUP_CONSTRUCT_COMPLETE, raised by a
 * member, adds the group to the registry, unless a member is in another group of that name, or a
 * job has the name. Loop thread. */
void px_invited_group_event(struct px_server *s, const struct px_event *event);

#endif
