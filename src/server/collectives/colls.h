/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLS_H
#define PX_SERVER_COLLS_H

/* The list of a server's trackers, one for each collective under way (tracker.h). Loop thread. */

#include "src/base/list.h"
#include "src/base/map.h"
#include "src/value/proc_list.h"

struct px_coll;
struct px_coll_ops;

/* All trackers of a server. Those of one operation and one name are beside each other, in order of
 * creation; the others in order of creation, too. */
struct px_colls {
    struct px_list list;
    struct px_map firsts;       /* key of trackers (px_coll.key) -> the oldest with this key */
    struct px_coll_walk *walks; /* under way, the innermost first */
    px_job_size_fn size;        /* lets a complete list and a wildcard mean the same; may be NULL */
    uint64_t sizes;             /* has changed if the size of a job may have */
    struct px_server *server;   /* also the argument of size */
};

/* An empty list. `server` is borrowed. */
void px_colls_init(struct px_colls *colls, px_job_size_fn size, struct px_server *server);

/* What a tracker is found by: a hash of the operation and the name; without a name, of the
 * operation and the set (px_nspace_runs.hash). */
uint64_t px_coll_key(const struct px_coll_ops *ops, const char *name, uint64_t set);
/* The oldest tracker on the list that has this key, or NULL. The others with this key are behind it
 * in the ring px_coll.alike, in order of creation. Others than those meant may have the same key.
 */
struct px_coll *px_colls_first(const struct px_colls *colls, uint64_t key);

/* Puts a tracker on the list, behind the last of its operation and name. 0 or PMIX_ERR_NOMEM. */
int px_coll_enlist(struct px_colls *colls, struct px_coll *coll);
/* Takes the tracker off the list, if it is on it: no walk comes to it. */
void px_coll_unlist(struct px_coll *coll);

/* The first tracker on the list of the same operation and name, or NULL; `coll` may have been taken
 * off. */
struct px_coll *px_coll_first_like(const struct px_coll *coll);
/* The one before this, which is on the list, or NULL. O(1). */
struct px_coll *px_coll_before_like(const struct px_coll *coll);
/* The next one behind this, which is on the list, or NULL. */
struct px_coll *px_coll_next_like(const struct px_coll *coll);

/* A walk over all trackers in which any of them may be freed; others may walk meanwhile. */
struct px_coll_walk {
    struct px_colls *colls;
    struct px_list *next; /* the link that comes next, or the head */
    struct px_coll_walk *outer;
};

/* The walk has to be ended. A tracker that is created meanwhile may come or not. */
void px_coll_walk_begin(struct px_coll_walk *walk, struct px_colls *colls);
/* The next tracker, or NULL. */
struct px_coll *px_coll_walk_next(struct px_coll_walk *walk);
void px_coll_walk_end(struct px_coll_walk *walk);

#endif
