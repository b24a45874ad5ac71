/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_PROC_SETS_H
#define PX_NSPACE_PROC_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/list.h"
#include "src/base/map.h"
#include "src/value/proc_list.h"

/* The registry of sets of processes: one entry for each process set of the host, each group, and
 * each set of connected processes, which has no name. The name of a group may stand for its members
 * where processes are named; its ranks are then the indices of its members. A name need not be
 * unique, since the halves of a job may make groups of one name: a set is identified by its kind,
 * its name and a member. Used by one thread at a time: the loop thread in a server, under the
 * session's lock in a client.
 *
 * Example: group "g" of (job, 3) and (job, 5). (g, 1) stands for (job, 5), and (g, wildcard) for
 * both. px_proc_sets_expand makes that translation, px_proc_sets_spell makes it in an info. */

/* Process set of the host, group, processes connected by PMIx_Connect; or no set but a place in the
 * list (px_proc_set_mark). */
enum px_proc_set_kind { PX_SET_PSET, PX_SET_GROUP, PX_SET_CONNECTED, PX_SET_PLACE };

/* All sets. Owned by its maker, and must not be moved while it has any. */
struct px_proc_sets {
    struct px_list list;      /* the oldest first; and places */
    struct px_map by_name[2]; /* of process sets and of groups: the key of a name to the oldest set
                                 of that key, the first 256 bytes of the name */
    size_t n;
    size_t n_members; /* of all sets together */
};

/* One set; owned by its registry. */
struct px_proc_set {
    struct px_list link;
    struct px_list alike;      /* ring of those with the same kind and key, the oldest first */
    struct px_proc_sets *sets; /* that it belongs to; NULL: of a place */
    enum px_proc_set_kind kind;
    bool hosted;  /* of a group: the host took part in its construction */
    bool notify;  /* of a group: who ends without leaving is no member any more, and is announced */
    bool served;  /* of a group, in a client: its server has made it, and knows the members */
    char *name;   /* NULL: none */
    size_t *held; /* what its bytes are counted in until it is removed; NULL: in nothing */
    size_t bytes;
    uint64_t serial; /* of a group, in a server: no other has had it (group_names.h) */
    uint64_t hash;   /* of connected processes: that of their normal form (normal_form.h) */
    /* Of a group, in a server: its members on that node (group_leave.c). */
    uint64_t checked; /* known_ends at the last search for ended members; 0: there was none */
    uint64_t listed;  /* records_of when `here` was made; 0: it was not */
    uint32_t *here;   /* indices of the members that have a record; owned */
    size_t n_here, here_room;
    struct px_shared_procs *shared; /* owns the members; NULL: of a place */
    const pmix_proc_t *members;
    size_t n;
};

void px_proc_sets_init(struct px_proc_sets *sets);
/* Allocates an empty registry, which the caller frees with free(). NULL: memory is out. */
struct px_proc_sets *px_proc_sets_create(void);

/* Makes a new set at the end of the list, which is one more owner of the members; the name is
 * copied. NULL: memory is out. */
struct px_proc_set *px_proc_set_share(struct px_proc_sets *sets, enum px_proc_set_kind kind,
                                      const char *name, struct px_shared_procs *members);
/* The same with a copy of the members. */
struct px_proc_set *px_proc_set_add(struct px_proc_sets *sets, enum px_proc_set_kind kind,
                                    const char *name, const pmix_proc_t *members, size_t n);
/* Removes the set from its registry and from the count (held), and frees it. Takes NULL. */
void px_proc_set_remove(struct px_proc_set *set);
/* Removes all sets. */
void px_proc_sets_clear(struct px_proc_sets *sets);
/* Removes a process from the set; a set without members is freed. 0 or PMIX_ERR_NOMEM (the array
 * has other owners); it is still a member then. */
int px_proc_set_leave(struct px_proc_set *set, const pmix_proc_t *proc);

/* A number that is another one when a set of any registry of this process has been added or
 * removed, or has lost a member. Any thread. */
uint64_t px_proc_sets_changes(void);

/* The next set of that kind behind `from` (NULL: from the first one on) with the name (NULL: any)
 * and the member (NULL: any; compared as by px_procs_overlap). NULL: there is none. If a name is
 * given, `from` has it, and the search visits only sets of that name; otherwise it visits all. */
struct px_proc_set *px_proc_set_next(const struct px_proc_sets *sets,
                                     const struct px_proc_set *from, enum px_proc_set_kind kind,
                                     const char *name, const pmix_proc_t *member);
/* The first such set, or NULL. */
static inline struct px_proc_set *px_proc_set_find(const struct px_proc_sets *sets,
                                                   enum px_proc_set_kind kind, const char *name,
                                                   const pmix_proc_t *member)
{
    return px_proc_set_next(sets, NULL, kind, name, member);
}

/* Makes a place behind a set, for a walk that goes on from there when the set has been removed. The
 * caller owns it, and takes it off with px_list_remove(&place->link) before the list's end. */
void px_proc_set_mark(struct px_proc_set *set, struct px_proc_set *place);
/* True if the set for which the place was made is still there. The set may have been freed. */
static inline bool px_proc_set_is_marked(const struct px_proc_set *set,
                                         const struct px_proc_set *place)
{
    return place->link.prev == &set->link;
}

/* True if one of the processes has the name of a group as its namespace. */
bool px_proc_sets_named(const struct px_proc_sets *sets, const pmix_proc_t *procs, size_t n);
/* Appends the processes to the list, with names and ranks of groups replaced by the processes they
 * stand for. Of several groups of one name that of the process `who` is meant (NULL: the first).
 * 0, PMIX_ERR_NOT_FOUND (a group has no such rank), PMIX_ERR_NOMEM; after a failure some have been
 * appended. */
int px_proc_sets_expand(const struct px_proc_sets *sets, const pmix_proc_t *procs, size_t n,
                        const pmix_proc_t *who, struct px_proc_list *list);
/* The same with the processes of an info (PMIX_PROC or an array of them), which owns its value and
 * is an array afterwards if there was a group among them. Another value stays as it is. The info is
 * unchanged on failure. */
int px_proc_sets_spell(const struct px_proc_sets *sets, const pmix_proc_t *who, pmix_info_t *info);

#endif
