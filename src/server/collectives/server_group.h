/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

#include "collective.h"

/* Groups that exist. Loop thread. */

struct px_group {
    struct px_list link;
    char *name;
    pmix_proc_t *members;
    size_t n;
    bool hosted; /* the host took part in making it */
};

/* The group of that name which the process is in; with NULL, the first that has the name. */
struct px_group *px_group_find(struct px_server *s, const char *name, const pmix_proc_t *proc);
/* Off the list, freed. Takes NULL. */
void px_group_destroy(struct px_group *group);
/* From the outcome of a construction. 0 or PMIX_ERR_NOMEM. */
int px_group_remember(struct px_server *s, const struct px_coll *coll);
/* Takes a process out; the group goes with its last one. */
void px_group_remove(struct px_group *group, const pmix_proc_t *proc);
/* PMIX_ERR_EXISTS: one of these processes is in a group of that name already, or in one under way
 * that is not this one. Also what px_coll_normalise fails with. */
int px_group_check_name(struct px_server *s, const struct px_coll_call *call,
                        const struct px_coll_member *who);

/* group_data.c: what members contribute, towards the host and back. */

/* Directives for the host: those of the members, their contributions, and their posted data. */
int px_group_describe(struct px_server *s, const struct px_coll *coll, pmix_info_t **info,
                      size_t *ninfo);
/* Stores what the host gave back and fills the outcome. */
int px_group_take(struct px_server *s, struct px_coll *coll, const pmix_info_t *info, size_t ninfo);
/* PMIX_ERR_NOT_A_MEMBER for a caller that came by itself and that the outcome does not name: nobody
 * has added it. */
int px_group_judge(const struct px_coll *coll, const struct px_coll_group *outcome);
/* Fills the outcome of an operation that needed no host. */
int px_group_settle(struct px_server *s, struct px_coll *coll);
/* Appends the processes that the callers named, in the order they gave; in that of their numbers
 * when they do not agree. */
int px_group_add_named(struct px_server *s, const struct px_coll *coll, pmix_proc_t **list,
                       size_t *n);
/* Appends processes, wildcards spelt out, each once. */
int px_group_expand(struct px_server *s, const pmix_proc_t *procs, size_t n, pmix_proc_t **list,
                    size_t *n_list);

#endif
