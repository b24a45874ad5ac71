/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_NAMES_H
#define PX_SERVER_GROUP_NAMES_H

/* Tells names of groups from names of jobs, and replaces groups by their members. The name of a job
 * never stands for a group. A name that has been used for a group, and is neither that of a job nor
 * that of a group that exists, names no process: the group is still being made (an invitation is
 * pending), or it has been destructed. Any other name that is unknown here may be that of a job on
 * other nodes. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

#include "src/value/infos.h"
#include "src/value/proc_list.h"

struct px_coll_call;
struct px_proc_set;
struct px_server;

/* True if the host has registered a namespace of this name, or a client of it: no group can have
 * the name. */
bool px_group_name_is_job(struct px_server *s, const char *name);
/* The host has registered a job: groups of its name cannot be named any more. */
void px_group_names_job(struct px_server *s, const char *name);

/* Notes that a process uses the name for a group, which need not exist yet. The oldest of many
 * names are forgotten. What a process uses counts for those of its user. */
void px_group_name_note(struct px_server *s, const char *name, const pmix_proc_t *by);
/* Forgets all of them. */
void px_group_names_fini(struct px_server *s);
/* PMIX_ERR_NOT_FOUND if the namespace that `who` names has no process (see above), else
 * PMIX_SUCCESS. */
int px_group_name_check(struct px_server *s, const char *nspace, const pmix_proc_t *who);
/* The same for the namespaces of processes. Neighbours of one namespace count once. */
int px_group_names_check(struct px_server *s, const pmix_proc_t *procs, size_t n,
                         const pmix_proc_t *who);

/* How groups in the processes of a call are replaced by their members. Zeros: it has not begun.
 * Released with px_group_spelling_fini. */
struct px_group_spelling {
    bool begun;
    bool found;            /* one of the processes has the name of a group; then all are expanded */
    struct px_procs named; /* by the caller; borrowed from the call */
    size_t at;             /* of these: those before it are done */
    struct px_proc_list list; /* the processes that they stand for */
};

/* Replaces groups in the processes of a call by their members: the code behind this knows processes
 * only. At most `most` names are looked at. 0; PMIX_OPERATION_IN_PROGRESS: it has to be called
 * again; PMIX_ERR_NOT_FOUND (a group has no such rank), PMIX_ERR_NOMEM. */
int px_group_names_spell(struct px_server *s, struct px_coll_call *call, const pmix_proc_t *who,
                         struct px_group_spelling *spelling, size_t most);
void px_group_spelling_fini(struct px_group_spelling *spelling);

/* Adds a group to the registry, which becomes one more owner of the members. NULL if it cannot be
 * named: a job has the name, or memory is out. */
struct px_proc_set *px_group_names_add(struct px_server *s, const char *name,
                                       struct px_shared_procs *members);

#endif
