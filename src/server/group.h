/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

#include "collective.h"

/* Groups that exist. Loop thread. */

struct px_grouprec {
    struct px_list link;
    char *name;
    pmix_proc_t *members;
    size_t n;
    bool hosted; /* the host took part in making it */
};

struct px_grouprec *px_group_find(struct px_server *s, const char *name);

/* group_data.c: what members contribute, towards the host and back. */

/* Directives for the host: those of the members, their contributions, and their posted data. */
int px_group_describe(struct px_server *s, const struct px_coll *coll, pmix_info_t **info,
                      size_t *ninfo);
/* Stores what the host gave back and fills the outcome. */
int px_group_take(struct px_server *s, struct px_coll *coll, const pmix_info_t *info, size_t ninfo);
/* Fills the outcome of an operation that needed no host. */
int px_group_settle(struct px_server *s, struct px_coll *coll);
/* Appends processes, wildcards spelt out, each once. */
int px_group_expand(struct px_server *s, const pmix_proc_t *procs, size_t n, pmix_proc_t **list,
                    size_t *n_list);

#endif
