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
/* The next tracker of the construct that `coll` is of, behind `from` (NULL: the first), or NULL:
 * the parts of the group that are on the list, complete or not, in the order of their calls; or
 * `coll` alone. */
struct px_coll *px_group_next_tracker(struct px_coll *coll, const struct px_coll *from);
/* True if the tracker, which is on the list, is the first of these. */
bool px_group_is_first(const struct px_coll *coll);

/* One part of a group is complete: a leader or an added member by itself, or leaders that add
 * members. If all parts are, constructs the group and ends their trackers, `part` among them;
 * else `part` waits. After an error all parts end with it. True if they have ended. Loop
 * thread. */
bool px_group_bootstrap(struct px_coll *part);
/* The same for a part that waits, when others may have ended. The first of a group's parts stands
 * for all. */
bool px_group_bootstrap_again(struct px_coll *part);

#endif
