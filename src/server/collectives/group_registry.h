/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_REGISTRY_H
#define PX_SERVER_GROUP_REGISTRY_H

#include <stdbool.h>

#include <pmix_server.h>

struct px_coll;
struct px_coll_call;
struct px_coll_member;
struct px_group;
struct px_server;

void px_groups_drop_all(struct px_server *s);

/* A namespace is not found any more: groups that nobody has taken apart go with their last one. */
void px_groups_nspace_removed(struct px_server *s);

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

/* server_group.c: is this the name of a group that the process is in? */
bool px_group_names(struct px_server *s, const pmix_proc_t *named, const pmix_proc_t *proc);

#endif
