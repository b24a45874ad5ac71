/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Few names are searched for one by one, so that the usual list, which names one job, costs no
 * more than a walk over the sets. */

#include "set_index.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/array.h"
#include "src/value/proc_match.h"

/* So many different names are searched for without maps. */
enum { FEW = 8 };

/* True if the process is a member. */
static bool has(const struct px_proc_set *set, const pmix_proc_t *who)
{
    return who && px_procs_overlap(set->members, set->n, who, 1);
}

/* The set of that name that has the process, or else the first one, or NULL. */
static const struct px_proc_set *search(const struct px_set_index *index, const char *name)
{
    const struct px_proc_set *set =
        index->who ? px_proc_set_find(index->sets, index->kind, name, index->who) : NULL;

    return set ? set : px_proc_set_find(index->sets, index->kind, name, NULL);
}

/* Enters all names that sets have, once. False if memory is out. */
static bool list_sets(struct px_set_index *index)
{
    const struct px_proc_set *set;

    if (index->listed) {
        return true;
    }
    set = px_proc_set_find(index->sets, index->kind, NULL, NULL);
    for (; set; set = px_proc_set_next(index->sets, set, index->kind, NULL, NULL)) {
        size_t len = set->name ? strlen(set->name) : 0;
        const struct px_proc_set *first = px_map_find(&index->sets_named, set->name, len);

        if ((!first || (!has(first, index->who) && has(set, index->who))) &&
            px_map_set(&index->sets_named, set->name, len, (void *) (uintptr_t) set)) {
            px_map_fini(&index->sets_named);
            return false;
        }
    }
    index->listed = true;
    return true;
}

/* Resolves a name that was not asked for before, one of n. */
static const struct px_proc_set *resolve(struct px_set_index *index, const char *name, size_t n)
{
    return n > FEW && list_sets(index) ? px_map_find(&index->sets_named, name, strlen(name))
                                       : search(index, name);
}

/* The record of a name that was asked for before; NULL: it was not. */
static struct px_set_named *find_known(const struct px_set_index *index, const char *name)
{
    size_t at;

    if (index->by_name.used) {
        at = (uintptr_t) px_map_find(&index->by_name, name, strlen(name));
        return at ? &index->names[at - 1] : NULL;
    }
    for (at = 0; at < index->n; at++) {
        if (strcmp(index->names[at].name, name) == 0) {
            return &index->names[at];
        }
    }
    return NULL;
}

/* Remembers one more name: in the array, and in the map if that is long. False if memory is out. */
static bool remember(struct px_set_index *index, const struct px_set_named *named)
{
    if (px_array_room(&index->names, index->n, &index->room, sizeof(*index->names))) {
        return false;
    }
    index->names[index->n] = *named;
    for (size_t i = index->n < FEW ? index->n + 1 : index->by_name.used; i <= index->n; i++) {
        const char *name = index->names[i].name;

        if (px_map_set(&index->by_name, name, strlen(name), (void *) (uintptr_t) (i + 1))) {
            return false;
        }
    }
    index->n++;
    return true;
}

struct px_set_named *px_set_index_find(struct px_set_index *index, const char *name)
{
    struct px_set_named *known = find_known(index, name);

    if (known) {
        return known;
    }
    index->spare = (struct px_set_named){.name = name};
    if (px_list_empty(index->sets)) {
        return &index->spare;
    }
    index->spare.set = resolve(index, name, index->n + 1);
    index->spare.has_who = index->spare.set && has(index->spare.set, index->who);
    return remember(index, &index->spare) ? &index->names[index->n - 1] : &index->spare;
}

bool px_set_index_has(struct px_set_index *index, const char *name, size_t n)
{
    return !px_list_empty(index->sets) && resolve(index, name, n);
}

void px_set_index_fini(struct px_set_index *index)
{
    free(index->names);
    px_map_fini(&index->by_name);
    px_map_fini(&index->sets_named);
    *index = (struct px_set_index){0};
}
