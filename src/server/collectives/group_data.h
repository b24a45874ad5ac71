/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_DATA_H
#define PX_SERVER_GROUP_DATA_H

#include <stddef.h>

#include <pmix_server.h>

struct px_coll;
struct px_coll_call;
struct px_coll_group;
struct px_server;

/* Takes over a member's directives and contributions. PMIX_ERR_BAD_PARAM when they contradict
 * another's. */
int px_group_absorb(struct px_coll *coll, const pmix_proc_t *proc, const struct px_coll_call *call);

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
