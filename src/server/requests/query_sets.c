/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One walk over the list of all sets for each answer; a range of processes is looked for in the
 * members of each. The sets are all over the memory: to look at one takes about as long as to load
 * a line of the cache. */

#include "query_sets.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/nspace/query_args.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/proc_match.h"

/* This server knows the sets of one session: its own. */
pmix_data_range_t px_sets_range(const pmix_query_t *query)
{
    const pmix_value_t *range = px_query_qualifier(query, PMIX_RANGE);

    if (!range) {
        return PMIX_RANGE_SESSION;
    }
    return range->type == PMIX_DATA_RANGE ? range->data.range : PMIX_RANGE_INVALID;
}

/* True if the set has a process of the asker's namespace. */
static bool is_of_job(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    pmix_proc_t job;

    PMIX_LOAD_PROCID(&job, asked->asker->nspace, PMIX_RANK_WILDCARD);
    return px_procs_overlap(set->members, set->n, &job, 1);
}

/* True if the set has a client of this server. */
static bool is_here(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    return px_expected_of(asked->s, set->members, set->n).n > 0;
}

static bool is_in_range(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    switch (asked->range) {
    case PMIX_RANGE_PROC_LOCAL:
        return px_procs_overlap(set->members, set->n, asked->asker, 1);
    case PMIX_RANGE_NAMESPACE:
        return is_of_job(asked, set);
    case PMIX_RANGE_LOCAL:
        return is_here(asked, set);
    case PMIX_RANGE_SESSION:
    case PMIX_RANGE_GLOBAL:
    case PMIX_RANGE_UNDEF:
        return true;
    default:
        return false;
    }
}

/* --- a walk over all sets --- */

void px_sets_walk_begin(struct px_sets_walk *walk, const struct px_sets_asked *asked,
                        enum px_sets_form form)
{
    px_assert(!walk->open);
    *walk = (struct px_sets_walk){.open = true, .form = form, .asked = *asked};
    if (asked->member) {
        walk->member = *asked->member;
        walk->asked.member = &walk->member;
    }
    walk->place.kind = PX_SET_PLACE;
    px_list_prepend(&asked->s->proc_sets->list, &walk->place.link);
}

/* True if the set is asked for. */
static bool is_asked(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    return (!asked->member || px_procs_overlap(set->members, set->n, asked->member, 1)) &&
           is_in_range(asked, set);
}

/* Adds a set to the answer. 0 or PMIX_ERR_NOMEM. */
static int add(struct px_sets_walk *walk, const struct px_proc_set *set)
{
    char *name;

    if (walk->form == PX_SETS_LIST) {
        px_buf_item(&walk->list, set->name);
    }
    if (walk->form == PX_SETS_NAMES) {
        name = px_array_room(&walk->names, walk->n, &walk->room, sizeof(*walk->names))
                   ? NULL
                   : strdup(set->name);
        if (!name) {
            return PMIX_ERR_NOMEM;
        }
        walk->names[walk->n] = name;
    }
    walk->n++;
    return PMIX_SUCCESS;
}

/* So many members are looked at in the time of a set. */
enum { MEMBERS_A_SET = 8 };

/* Looks at one set, and returns what that costs. */
static size_t look_at(struct px_sets_walk *walk, const struct px_proc_set *set, int *rc)
{
    const struct px_sets_asked *asked = &walk->asked;
    bool any = !asked->member && asked->range == PMIX_RANGE_SESSION;
    size_t cost = 1;

    if (set->kind == asked->kind) {
        cost += any ? 0 : set->n / MEMBERS_A_SET;
        if (is_asked(asked, set)) {
            *rc = add(walk, set);
            cost += walk->form != PX_SETS_NUMBER;
        }
    }
    return cost;
}

/* True if the item is another walk's place, which belongs to the set in front of it
 * (px_proc_set_is_marked): no walk stops between them. */
static bool is_place(const struct px_list *item)
{
    return px_container_of(item, struct px_proc_set, link)->kind == PX_SET_PLACE;
}

/* Nothing is looked at if there is no set of that kind. */
int px_sets_walk_go_on(struct px_sets_walk *walk, size_t *left)
{
    const struct px_proc_sets *sets = walk->asked.s->proc_sets;
    struct px_list *item = walk->place.link.next;
    int rc = PMIX_SUCCESS;

    px_assert(walk->open && walk->asked.kind != PX_SET_CONNECTED);
    if (!sets->by_name[walk->asked.kind].used) {
        return PMIX_SUCCESS;
    }
    while (!rc && item != &sets->list && (*left || is_place(item))) {
        size_t cost = look_at(walk, px_container_of(item, struct px_proc_set, link), &rc);

        *left -= cost < *left ? cost : *left;
        item = item->next;
    }
    px_list_remove(&walk->place.link);
    px_list_append(item, &walk->place.link); /* in front of the item */
    return rc ? rc : item == &sets->list ? PMIX_SUCCESS : PX_QUERY_MORE;
}

/* Appends the names, which are the info's afterwards. */
static int put_names(struct px_sets_walk *walk, const char *key, pmix_info_t **info, size_t *ninfo)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_info_t *made = array ? px_infos_room(info, *ninfo, 1) : NULL;

    if (!made) {
        free(array);
        return PMIX_ERR_NOMEM;
    }
    *array = (pmix_data_array_t){.type = PMIX_STRING, .size = walk->n, .array = walk->names};
    PMIx_Load_key(made->key, key);
    made->value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = array};
    ++*ninfo;
    walk->names = NULL;
    walk->n = 0;
    return PMIX_SUCCESS;
}

int px_sets_walk_put(struct px_sets_walk *walk, const char *key, pmix_info_t **info, size_t *ninfo)
{
    switch (walk->form) {
    case PX_SETS_NUMBER:
        return px_infos_append(info, ninfo, key, &walk->n, PMIX_SIZE);
    case PX_SETS_NAMES:
        return walk->n ? put_names(walk, key, info, ninfo) : PMIX_ERR_NOT_FOUND;
    default:
        px_buf_byte(&walk->list, 0);
        return px_buf_ok(&walk->list)
                   ? px_infos_append(info, ninfo, key, walk->list.data, PMIX_STRING)
                   : PMIX_ERR_NOMEM;
    }
}

void px_sets_walk_fini(struct px_sets_walk *walk)
{
    if (!walk->open) {
        return;
    }
    px_list_remove(&walk->place.link);
    for (size_t i = 0; walk->names && i < walk->n; i++) {
        free(walk->names[i]);
    }
    free(walk->names);
    px_buf_fini(&walk->list);
    *walk = (struct px_sets_walk){.open = false};
}
