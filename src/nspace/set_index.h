/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_SET_INDEX_H
#define PX_NSPACE_SET_INDEX_H

/* Which set of a registry a name stands for, for callers who look up many names at once: lists of
 * processes come from peers, and may name as many groups as there are. The work is linear in the
 * number of names, and of the members of sets that have one of them. Used by one thread, while the
 * registry does not change. */

#include <stdbool.h>
#include <stddef.h>

#include "src/base/map.h"
#include "src/nspace/proc_sets.h"

/* What a name stands for. */
struct px_set_named {
    const char *name;              /* borrowed from whoever asked first */
    const struct px_proc_set *set; /* that of the process, or else the first one; NULL: none */
    bool has_who;                  /* the process is a member of it */
    bool done;                     /* for the caller: false at first */
};

/* Looks up sets of one kind in the registry for a process. On the caller's stack. */
struct px_set_index {
    const struct px_proc_sets *sets;
    enum px_proc_set_kind kind;
    const pmix_proc_t *who; /* NULL: nobody */
    struct px_set_named *names;
    size_t n;
    size_t room;
    struct px_map by_name; /* of many names: 1 + place in names */
    struct px_set_named spare;
};

/* Everything is borrowed until px_set_index_fini, the names that are looked up, too. */
static inline struct px_set_index px_set_index_make(const struct px_proc_sets *sets,
                                                    enum px_proc_set_kind kind,
                                                    const pmix_proc_t *who)
{
    return (struct px_set_index){.sets = sets, .kind = kind, .who = who};
}

/* What the name stands for: the same record each time, good until the next lookup. Without memory
 * it is found by a search, and not remembered. */
struct px_set_named *px_set_index_find(struct px_set_index *index, const char *name);

void px_set_index_fini(struct px_set_index *index);

#endif
