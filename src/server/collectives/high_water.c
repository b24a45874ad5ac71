/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* High-water marks as a list, newest first. A job uses few different sets, so the list is
 * searched. A new mark replaces those that it implies: of subsets, with a lower number. When the
 * sets together have too many processes, the oldest marks go. */

#include "high_water.h"

#include <stdlib.h>

#include "src/base/assert.h"
#include "src/value/procs.h"

/* The limit for the processes in all marks: some 17 MB. */
enum { MOST_PROCS = 65536 };

/* One mark: a set and its number. Owned by the list. */
struct px_high_water_mark {
    struct px_list link;
    uint64_t number;
    struct px_shared_procs *set;
};

/* The mark of a list entry. */
static struct px_high_water_mark *sent_of(struct px_list *item)
{
    return px_container_of(item, struct px_high_water_mark, link);
}

void px_high_water_init(struct px_high_water *high_water)
{
    px_list_init(&high_water->list);
    high_water->n_procs = 0;
}

/* Removes a mark from the list and frees it. */
static void mark_destroy(struct px_high_water *high_water, struct px_high_water_mark *sent)
{
    px_list_remove(&sent->link);
    high_water->n_procs -= sent->set->n;
    px_shared_procs_drop(sent->set);
    free(sent);
}

void px_high_water_fini(struct px_high_water *high_water)
{
    px_high_water_forget(high_water, NULL);
}

/* All marks are looked at: several may be of sets that include this one. */
uint64_t px_high_water_since(const struct px_high_water *high_water, const pmix_proc_t *set,
                             size_t n)
{
    uint64_t number = 0;

    px_list_for(const struct px_high_water_mark, sent, &high_water->list, link) {
        if (sent->number > number && px_procs_include(sent->set->at, sent->set->n, set, n)) {
            number = sent->number;
        }
    }
    return number;
}

/* Frees the marks that a new one implies. */
static void drop_lesser(struct px_high_water *high_water, const struct px_shared_procs *set,
                        uint64_t number)
{
    px_list_for(struct px_high_water_mark, sent, &high_water->list, link) {
        if (sent->number <= number &&
            px_procs_include(set->at, set->n, sent->set->at, sent->set->n)) {
            mark_destroy(high_water, sent);
        }
    }
}

/* If a mark implies the new one already, nothing changes. The new mark alone never exceeds the
 * limit, so the loop at the end removes older ones only. */
void px_high_water_note(struct px_high_water *high_water, struct px_shared_procs *set,
                        uint64_t number)
{
    struct px_high_water_mark *sent;

    px_check(px_procs_are_normal(set->at, set->n));
    if (set->n > MOST_PROCS || px_high_water_since(high_water, set->at, set->n) >= number) {
        return;
    }
    sent = malloc(sizeof(*sent));
    if (!sent) {
        return;
    }
    sent->number = number;
    sent->set = px_shared_procs_hold(set);
    drop_lesser(high_water, set, number);
    px_list_prepend(&high_water->list, &sent->link);
    high_water->n_procs += set->n;
    px_assert(px_high_water_since(high_water, set->at, set->n) == number);
    while (high_water->n_procs > MOST_PROCS) {
        px_assert(!px_list_empty(&high_water->list));
        mark_destroy(high_water, sent_of(high_water->list.prev));
    }
}

/* px_list_for allows the current entry to be removed. */
void px_high_water_forget(struct px_high_water *high_water, const char *nspace)
{
    px_list_for(struct px_high_water_mark, sent, &high_water->list, link) {
        if (!nspace || px_procs_have_nspace(sent->set->at, sent->set->n, nspace)) {
            mark_destroy(high_water, sent);
        }
    }
}
