/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_BOOTSTRAP_H
#define PX_SERVER_GROUP_BOOTSTRAP_H

/* Groups that are constructed in parts: leaders that bootstrap, each by itself, and members that
 * leaders add (the Standard, chapter on groups). Only for groups that need no host. */

#include <stdbool.h>

struct px_coll;
struct px_server;

/* True if other trackers belong to the same construct: a caller by itself, or leaders that add
 * members. */
bool px_group_in_parts(const struct px_coll *coll);
/* The next part, complete or not, of a group of that name behind `from` (NULL: the first), or
 * NULL. */
struct px_coll *px_group_next_part(struct px_server *s, const struct px_coll *from,
                                   const char *name);

/* One part of a group is complete: a leader or an added member by itself, or leaders that add
 * members. If all parts are, constructs the group and ends their trackers, `part` among them;
 * else `part` waits. After an error all parts end with it. True if they have ended. Loop
 * thread. */
bool px_group_bootstrap(struct px_coll *part);

#endif
