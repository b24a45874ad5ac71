/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Few trackers exist at any time, one per set under way, so a list is searched. Quotas bound how
 * many there can be (PX_QUOTA_REQUESTS). */

#include "colls.h"

#include <string.h>

#include "src/base/assert.h"
#include "tracker.h"

/* The size function of the server gives 0 for a namespace that is not known yet. */
void px_colls_init(struct px_colls *colls, px_job_size_fn size, struct px_server *server)
{
    px_list_init(&colls->list);
    colls->walks = NULL;
    colls->size = size;
    colls->server = server;
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
    struct px_coll *first = NULL;

    if (px_list_empty(link)) {
        for (link = coll->colls->list.next; !first && link != &coll->colls->list;) {
            first = if_like(coll, link);
            link = link->next;
        }
        return first;
    }
    while (if_like(coll, link->prev)) {
        link = link->prev;
    }
    return if_like(coll, link);
}

void px_coll_enlist(struct px_colls *colls, struct px_coll *coll)
{
    struct px_list *at = colls->list.prev;

    while (at != &colls->list && !if_like(coll, at)) {
        at = at->prev;
    }
    if (at == &colls->list) {
        px_list_append(&colls->list, &coll->link);
    } else {
        px_list_prepend(at, &coll->link);
    }
}

void px_coll_unlist(struct px_coll *coll)
{
    for (struct px_coll_walk *walk = coll->colls->walks; walk; walk = walk->outer) {
        walk->next = walk->next == &coll->link ? coll->link.next : walk->next;
    }
    px_list_remove(&coll->link);
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
