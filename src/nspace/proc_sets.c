/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A map finds a set by its name. Callers with many names, which may be repeated, use an index that
 * looks up each name once (set_index.h). */

#include "proc_sets.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/nspace/set_index.h"
#include "src/value/infos.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"

/* The set that embeds the link. */
static struct px_proc_set *set_of(const struct px_list *item)
{
    return px_container_of(item, struct px_proc_set, link);
}

/* Of the lists of a server and of a client in one process: who uses one of them sees its changes.
 */
static uint64_t n_changes;

uint64_t px_proc_sets_changes(void)
{
    return px_load_relaxed(&n_changes);
}

void px_proc_sets_init(struct px_proc_sets *sets)
{
    *sets = (struct px_proc_sets){0};
    px_list_init(&sets->list);
}

struct px_proc_sets *px_proc_sets_create(void)
{
    struct px_proc_sets *sets = malloc(sizeof(*sets));

    if (sets) {
        px_proc_sets_init(sets);
    }
    return sets;
}

/* The length of a name as a key. A name that is looked up may be a namespace without its NUL. */
static size_t key_len(const char *name)
{
    return strnlen(name, sizeof(pmix_nspace_t));
}

/* The oldest set of that kind and key, or NULL. */
static struct px_proc_set *oldest(const struct px_proc_sets *sets, enum px_proc_set_kind kind,
                                  const char *name)
{
    px_assert(kind == PX_SET_PSET || kind == PX_SET_GROUP);
    return px_map_find(&sets->by_name[kind], name, key_len(name));
}

/* The next set of the ring that begins with `first`, or NULL. */
static struct px_proc_set *behind(const struct px_proc_set *set, const struct px_proc_set *first)
{
    struct px_proc_set *next = px_container_of(set->alike.next, struct px_proc_set, alike);

    return next != first ? next : NULL;
}

/* Gives a set its place behind those of its key. 0 or PMIX_ERR_NOMEM. */
static int enter_name(struct px_proc_sets *sets, struct px_proc_set *set)
{
    struct px_proc_set *first = oldest(sets, set->kind, set->name);

    if (first) {
        px_list_append(&first->alike, &set->alike);
        return PMIX_SUCCESS;
    }
    return px_map_set(&sets->by_name[set->kind], set->name, key_len(set->name), set)
               ? PMIX_ERR_NOMEM
               : PMIX_SUCCESS;
}

/* The reverse; a map has no memory of its own when the last has left. */
static void leave_name(struct px_proc_set *set)
{
    struct px_map *map = &set->sets->by_name[set->kind];
    struct px_proc_set *next = px_container_of(set->alike.next, struct px_proc_set, alike);

    if (next == set) {
        (void) px_map_remove(map, set->name, key_len(set->name));
    } else if (oldest(set->sets, set->kind, set->name) == set) {
        (void) px_map_set(map, set->name, key_len(set->name), next); /* the key is there */
    }
    px_list_remove(&set->alike);
    if (!map->used) {
        px_map_fini(map);
    }
}

/* Only connected sets have no name. */
struct px_proc_set *px_proc_set_share(struct px_proc_sets *sets, enum px_proc_set_kind kind,
                                      const char *name, struct px_shared_procs *members)
{
    struct px_proc_set *set = malloc(sizeof(*set));
    char *copy = name ? strdup(name) : NULL;

    px_assert(!name == (kind == PX_SET_CONNECTED));
    if (!set || (name && !copy)) {
        free(copy);
        free(set);
        return NULL;
    }
    *set = (struct px_proc_set){
        .kind = kind, .sets = sets, .name = copy, .members = members->at, .n = members->n};
    px_list_init(&set->link);
    px_list_init(&set->alike);
    if (name && enter_name(sets, set)) {
        free(copy);
        free(set);
        return NULL;
    }
    set->shared = px_shared_procs_hold(members);
    px_list_append(&sets->list, &set->link);
    sets->n++;
    sets->n_members += set->n;
    (void) px_fetch_add(&n_changes, 1);
    return set;
}

struct px_proc_set *px_proc_set_add(struct px_proc_sets *sets, enum px_proc_set_kind kind,
                                    const char *name, const pmix_proc_t *members, size_t n)
{
    struct px_shared_procs *copy = px_shared_procs_copy(members, n);
    struct px_proc_set *set = copy ? px_proc_set_share(sets, kind, name, copy) : NULL;

    px_shared_procs_drop(copy);
    return set;
}

void px_proc_set_remove(struct px_proc_set *set)
{
    if (set) {
        (void) px_fetch_add(&n_changes, 1);
        px_list_remove(&set->link);
        if (set->name) {
            leave_name(set);
        }
        set->sets->n--;
        set->sets->n_members -= set->n;
        if (set->held) {
            px_assert(*set->held >= set->bytes);
            *set->held -= set->bytes;
        }
        free(set->name);
        free(set->here);
        px_shared_procs_drop(set->shared);
        free(set);
    }
}

void px_proc_sets_clear(struct px_proc_sets *sets)
{
    while (!px_list_empty(&sets->list)) {
        px_proc_set_remove(set_of(sets->list.next));
    }
    px_assert(!sets->n && !sets->n_members);
}

/* Makes the set the only owner of its members. 0 or PMIX_ERR_NOMEM. */
static int own_members(struct px_proc_set *set)
{
    struct px_shared_procs *copy;

    if (px_shared_procs_is_sole(set->shared)) {
        return PMIX_SUCCESS;
    }
    copy = px_shared_procs_copy(set->members, set->n);
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    px_shared_procs_drop(set->shared);
    set->shared = copy;
    set->members = copy->at;
    return PMIX_SUCCESS;
}

/* The order of the members stays, but ranks of a group above it change. */
int px_proc_set_leave(struct px_proc_set *set, const pmix_proc_t *proc)
{
    size_t i = px_procs_find(set->members, set->n, proc);

    if (i < set->n) {
        pmix_proc_t *at;

        if (own_members(set)) {
            return PMIX_ERR_NOMEM;
        }
        (void) px_fetch_add(&n_changes, 1);
        at = set->shared->at;
        set->n = --set->shared->n;
        set->sets->n_members--;
        set->checked = 0;
        set->listed = 0;
        memmove(&at[i], &at[i + 1], (set->n - i) * sizeof(*at));
    }
    if (!set->n) {
        px_proc_set_remove(set);
    }
    return PMIX_SUCCESS;
}

/* New sets come at the end of the list, so that none gets between a set and its place. */
void px_proc_set_mark(struct px_proc_set *set, struct px_proc_set *place)
{
    *place = (struct px_proc_set){.kind = PX_SET_PLACE};
    px_list_prepend(&set->link, &place->link);
}

/* True if the process is a member; NULL: any. */
static bool has_member(const struct px_proc_set *set, const pmix_proc_t *member)
{
    return !member || px_procs_overlap(set->members, set->n, member, 1);
}

/* px_proc_set_next of sets with a name. Those of one key may have different long names. */
static struct px_proc_set *next_named(const struct px_proc_sets *sets,
                                      const struct px_proc_set *from, enum px_proc_set_kind kind,
                                      const char *name, const pmix_proc_t *member)
{
    struct px_proc_set *first = oldest(sets, kind, name);
    struct px_proc_set *set = from ? behind(from, first) : first;

    px_assert(!from || (from->kind == kind && strcmp(from->name, name) == 0));
    while (set && !(strcmp(set->name, name) == 0 && has_member(set, member))) {
        set = behind(set, first);
    }
    return set;
}

struct px_proc_set *px_proc_set_next(const struct px_proc_sets *sets,
                                     const struct px_proc_set *from, enum px_proc_set_kind kind,
                                     const char *name, const pmix_proc_t *member)
{
    if (name) {
        return next_named(sets, from, kind, name, member);
    }
    for (const struct px_list *item = from ? from->link.next : sets->list.next; item != &sets->list;
         item = item->next) {
        struct px_proc_set *set = set_of(item);

        if (set->kind == kind && has_member(set, member)) {
            return set;
        }
    }
    return NULL;
}

bool px_proc_sets_named(const struct px_proc_sets *sets, const pmix_proc_t *procs, size_t n)
{
    bool named = false;

    for (size_t i = 0; !named && i < n && sets->n; i++) {
        bool again = i && px_same_nspace(procs[i].nspace, procs[i - 1].nspace);

        named = !again && px_proc_set_find(sets, PX_SET_GROUP, procs[i].nspace, NULL);
    }
    return named;
}

/* Appends what one process stands for. All members of a group are appended once, however often they
 * are named. */
static int expand(struct px_set_named *named, const pmix_proc_t *proc, struct px_proc_list *list)
{
    const struct px_proc_set *group = named->set;
    int rc;

    if (!group) {
        return px_proc_list_add(list, proc);
    }
    if (proc->rank != PMIX_RANK_WILDCARD) {
        return proc->rank < group->n ? px_proc_list_add(list, &group->members[proc->rank])
                                     : PMIX_ERR_NOT_FOUND;
    }
    rc = named->done ? PMIX_SUCCESS : px_proc_list_add_all(list, group->members, group->n);
    named->done |= !rc;
    return rc;
}

/* A namespace that is not the name of a group is that of a job. */
int px_proc_sets_expand(const struct px_proc_sets *sets, const pmix_proc_t *procs, size_t n,
                        const pmix_proc_t *who, struct px_proc_list *list)
{
    struct px_set_index groups = px_set_index_make(sets, PX_SET_GROUP, who);
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < n; i++) {
        rc = expand(px_set_index_find(&groups, procs[i].nspace), &procs[i], list);
    }
    px_set_index_fini(&groups);
    return rc;
}

int px_proc_sets_spell(const struct px_proc_sets *sets, const pmix_proc_t *who, pmix_info_t *info)
{
    pmix_data_array_t array = {.type = PMIX_PROC};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    struct px_proc_list list = {0};
    pmix_value_t copy;
    struct px_procs procs;
    int rc;

    if (!px_value_procs(&info->value, &procs) || !px_proc_sets_named(sets, procs.at, procs.n)) {
        return PMIX_SUCCESS;
    }
    rc = px_proc_sets_expand(sets, procs.at, procs.n, who, &list);
    array.array = list.at;
    array.size = list.n;
    rc = rc ? rc : PMIx_Value_xfer(&copy, &value);
    px_proc_list_fini(&list);
    if (!rc) {
        PMIx_Value_destruct(&info->value);
        info->value = copy;
    }
    return rc;
}
