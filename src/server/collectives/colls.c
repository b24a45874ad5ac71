/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Trackers are on one list, for walks, and are found by a key that is a keyed hash, so that what
 * one user has under way does not slow down the calls of others. Quotas bound how many there can be
 * (PX_QUOTA_REQUESTS). */

#include "colls.h"

#include <string.h>

#include <pmix_common.h>

#include "src/base/assert.h"
#include "src/base/hash.h"
#include "src/base/seed.h"
#include "tracker.h"

/* The size function of the server gives 0 for a namespace that is not known yet. */
void px_colls_init(struct px_colls *colls, px_job_size_fn size, struct px_server *server)
{
    px_list_init(&colls->list);
    colls->firsts = (struct px_map){0};
    colls->walks = NULL;
    colls->size = size;
    colls->sizes = 0;
    colls->server = server;
}

/* --- keys --- */

uint64_t px_coll_key(const struct px_coll_ops *ops, const char *name, uint64_t set)
{
    return px_hash_mix(px_seeded_hash(&ops, sizeof(ops)),
                       name ? px_seeded_hash(name, strlen(name)) : set);
}

struct px_coll *px_colls_first(const struct px_colls *colls, uint64_t key)
{
    return px_map_find(&colls->firsts, &key, sizeof(key));
}

/* Gives a tracker its place behind those that have the same key. 0 or PMIX_ERR_NOMEM. */
static int enter(struct px_colls *colls, struct px_coll *coll)
{
    struct px_coll *first;

    px_assert(px_list_empty(&coll->alike));
    px_check(coll->key == px_coll_key(coll->ops, coll->name, coll->runs.hash));
    first = px_colls_first(colls, coll->key);
    if (first) {
        px_list_append(&first->alike, &coll->alike);
        return PMIX_SUCCESS;
    }
    return px_map_set(&colls->firsts, &coll->key, sizeof(coll->key), coll) ? PMIX_ERR_NOMEM
                                                                           : PMIX_SUCCESS;
}

/* The reverse; the map has no memory of its own when the last has left. */
static void leave(struct px_colls *colls, struct px_coll *coll)
{
    struct px_coll *next = px_list_item(coll->alike.next, struct px_coll, alike);

    if (px_colls_first(colls, coll->key) == coll) {
        if (next != coll) {
            (void) px_map_set(&colls->firsts, &coll->key, sizeof(coll->key), next); /* is there */
        } else {
            (void) px_map_remove(&colls->firsts, &coll->key, sizeof(coll->key));
        }
    }
    px_list_remove(&coll->alike);
    if (colls->firsts.used == 0) {
        px_map_fini(&colls->firsts);
    }
}

/* --- what is beside each other --- */

/* The tracker of this link if it is of the same operation and name; or NULL. */
static struct px_coll *if_like(const struct px_coll *coll, const struct px_list *link)
{
    struct px_coll *other = px_list_item(link, struct px_coll, link);

    return link != &coll->colls->list && other->ops == coll->ops && other->name && coll->name &&
                   strcmp(other->name, coll->name) == 0
               ? other
               : NULL;
}

struct px_coll *px_coll_next_like(const struct px_coll *coll)
{
    px_assert(!px_list_empty(&coll->link));
    return if_like(coll, coll->link.next);
}

/* They are beside each other: from one of them the first is found by walking back. */
struct px_coll *px_coll_first_like(const struct px_coll *coll)
{
    const struct px_list *link = &coll->link;
    struct px_coll *first;
    struct px_coll *at;

    if (!px_list_empty(link)) {
        while (if_like(coll, link->prev)) {
            link = link->prev;
        }
        return if_like(coll, link);
    }
    first = px_colls_first(coll->colls, coll->key);
    for (at = first; at && !if_like(coll, &at->link);) {
        at = px_list_item(at->alike.next, struct px_coll, alike);
        at = at != first ? at : NULL;
    }
    return at;
}

struct px_coll *px_coll_before_like(const struct px_coll *coll)
{
    px_assert(!px_list_empty(&coll->link));
    return if_like(coll, coll->link.prev);
}

/* Those of one name and operation have one key: the last of them is the last of their ring, unless
 * another key is the same. */
int px_coll_enlist(struct px_colls *colls, struct px_coll *coll)
{
    int rc = enter(colls, coll);

    if (rc) {
        return rc;
    }
    for (struct px_list *item = coll->alike.prev; item != &coll->alike; item = item->prev) {
        struct px_coll *last = px_list_item(item, struct px_coll, alike);

        if (if_like(coll, &last->link)) {
            px_list_prepend(&last->link, &coll->link);
            return PMIX_SUCCESS;
        }
    }
    px_list_append(&colls->list, &coll->link);
    return PMIX_SUCCESS;
}

void px_coll_unlist(struct px_coll *coll)
{
    for (struct px_coll_walk *walk = coll->colls->walks; walk; walk = walk->outer) {
        walk->next = walk->next == &coll->link ? coll->link.next : walk->next;
    }
    if (!px_list_empty(&coll->link)) {
        leave(coll->colls, coll);
        px_list_remove(&coll->link);
    }
}

/* --- walks --- */

void px_coll_walk_begin(struct px_coll_walk *walk, struct px_colls *colls)
{
    *walk = (struct px_coll_walk){colls, colls->list.next, colls->walks};
    colls->walks = walk;
}

struct px_coll *px_coll_walk_next(struct px_coll_walk *walk)
{
    struct px_list *at = walk->next;

    if (at == &walk->colls->list) {
        return NULL;
    }
    walk->next = at->next;
    return px_container_of(at, struct px_coll, link);
}

void px_coll_walk_end(struct px_coll_walk *walk)
{
    px_assert(walk->colls->walks == walk);
    walk->colls->walks = walk->outer;
}
