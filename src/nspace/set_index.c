/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Few names are remembered in an array, so that the usual list, which names one job, needs no
 * map. */

#include "set_index.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/array.h"

/* So many different names are remembered without a map. */
enum { FEW = 8 };

/* Finds the set of that name that has the process, or else the first one. */
static void resolve(const struct px_set_index *index, struct px_set_named *named)
{
    named->set =
        index->who ? px_proc_set_find(index->sets, index->kind, named->name, index->who) : NULL;
    named->has_who = named->set != NULL;
    if (!named->set) {
        named->set = px_proc_set_find(index->sets, index->kind, named->name, NULL);
    }
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
    if (!index->sets->n) {
        return &index->spare;
    }
    resolve(index, &index->spare);
    return remember(index, &index->spare) ? &index->names[index->n - 1] : &index->spare;
}

void px_set_index_fini(struct px_set_index *index)
{
    free(index->names);
    px_map_fini(&index->by_name);
    *index = (struct px_set_index){0};
}
