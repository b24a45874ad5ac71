/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups that their members construct, in few words, for ranks. */

#ifndef PX_CONFORM_LIB_GROUPS_H
#define PX_CONFORM_LIB_GROUPS_H

#include "conform.h"

/* How a construct ended: its status, and of its results the members as text, the context id, how
 * many of each there are, and how many contributions of members. */
struct made {
    pmix_status_t status;
    char members[256];
    size_t id;
    int n_lists;
    int n_ids;
    int n_given;
};

/* PMIx_Group_construct. list may be NULL; else it is released. */
struct made make_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list);
/* PMIx_Group_construct_nb, one at a time; the request is at the server when it returns. */
void begin_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list);
/* Its callback, for cases that call it themselves: keeps the results for await_group, call_done. */
void group_done(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                pmix_release_cbfunc_t release, void *release_cbdata);
/* Waits for its end; call_is_over says whether it has come. */
struct made await_group(void);

/* Registers for what happens to the members of a group. Each event is "failed", "left" or "update"
 * to this rank; what it names is another: "left 2", "update A:0,A:1". */
void watch_group(const char *name);
void await_group_event(const char *event, int nth);
int group_events(const char *event); /* how many so far */

/* All ranks of job "A", the given one first. Returns how many. */
size_t all_from(pmix_rank_t first, pmix_proc_t *procs);
pmix_status_t destruct(const char *name);
/* What a rank of job "A" has given to a group with that context id (0: without one); only what is
 * here. As got() says it. */
const char *given(pmix_rank_t rank, const char *key, size_t id);
/* The upcalls of one operation, PMIX_GROUP_CONSTRUCT or PMIX_GROUP_DESTRUCT; node -1: of all. */
int group_upcalls(int node, pmix_group_operation_t operation);
const struct record *group_upcall(int node, pmix_group_operation_t operation, int nth);

#endif
