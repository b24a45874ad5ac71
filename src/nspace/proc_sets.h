/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_PROC_SETS_H
#define PX_NSPACE_PROC_SETS_H

#include <stdbool.h>

#include "src/base/list.h"
#include "src/value/procs.h"

/* The registry of named sets of processes, a list with one entry for each: process sets of the
 * host, groups, and sets that are connected, which have no name. A name of a group stands for its
 * members where processes are named, and its ranks are the indices of its members. A name need not
 * be unique: halves of a job make groups of one name. So a set is identified by its kind, its name
 * and a member. One thread at a time: the loop's in a server, under the session's lock in a
 * client. */

enum px_proc_set_kind { PX_SET_PSET, PX_SET_GROUP, PX_SET_CONNECTED };

struct px_proc_set {
    struct px_list link;
    enum px_proc_set_kind kind;
    bool hosted; /* groups: the host took part in making it */
    char *name;  /* NULL: none */
    size_t n;
    pmix_proc_t members[];
};

/* Copies name and members into a new set at the end of the list. NULL: memory is out. */
struct px_proc_set *px_proc_set_add(struct px_list *sets, enum px_proc_set_kind kind,
                                    const char *name, const pmix_proc_t *members, size_t n);
/* Takes it off its list and frees it. Takes NULL. */
void px_proc_set_remove(struct px_proc_set *set);
void px_proc_sets_clear(struct px_list *sets);
/* Takes a process out; the set goes with its last one. */
void px_proc_set_leave(struct px_proc_set *set, const pmix_proc_t *proc);

/* The first of that kind after `from` (NULL: of all) that has the name (NULL: any) and, as
 * px_procs_overlap compares, the member (NULL: any). NULL: there is none. */
struct px_proc_set *px_proc_set_next(const struct px_list *sets, const struct px_proc_set *from,
                                     enum px_proc_set_kind kind, const char *name,
                                     const pmix_proc_t *member);
static inline struct px_proc_set *px_proc_set_find(const struct px_list *sets,
                                                   enum px_proc_set_kind kind, const char *name,
                                                   const pmix_proc_t *member)
{
    return px_proc_set_next(sets, NULL, kind, name, member);
}

/* Is `named` a group and a rank in it, or its wildcard, that stand for the process? */
bool px_proc_sets_name(const struct px_list *sets, const pmix_proc_t *named,
                       const pmix_proc_t *proc);
/* Appends processes to the list, names of groups and ranks in them replaced by processes. 0,
 * PMIX_ERR_NOT_FOUND (a group has no such rank), PMIX_ERR_NOMEM; then some have been appended. */
int px_proc_sets_expand(const struct px_list *sets, const pmix_proc_t *procs, size_t n,
                        struct px_proc_list *list);

#endif
