/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_DATA_H
#define PX_SERVER_GROUP_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_server.h>

#include "src/value/procs.h"

struct px_coll;
struct px_coll_call;
struct px_coll_member;
struct px_server;
struct px_upcall;

/* Groups under construction. Loop thread. */

/* What the members of a group give, and what becomes of it: the state of a tracker, or that of a
 * bootstrap that is put together of several. Zeros: nothing yet. */
struct px_group_build {
    bool solo;                 /* one member by itself: it bootstraps, or others add it */
    bool mixed;                /* callers wrote the processes down in different orders */
    bool local_only;           /* PMIX_GROUP_LOCAL_ONLY */
    bool wants_id;             /* PMIX_GROUP_ASSIGN_CONTEXT_ID */
    bool requires_id;          /* which is required */
    uint32_t n_leaders;        /* PMIX_GROUP_BOOTSTRAP, the largest; 0: none */
    struct px_proc_list added; /* PMIX_GROUP_ADD_MEMBERS of all leaders */
    struct px_proc_list order; /* PMIX_GROUP_FINAL_MEMBERSHIP_ORDER */
    pmix_info_t *given;        /* PMIX_GROUP_INFO of each member, its process first */
    size_t n_given;
    /* The outcome. */
    bool hosted; /* the host took part */
    bool has_id;
    size_t id;
    struct px_proc_list members; /* in their order */
    pmix_info_t *info;           /* for the members */
    size_t n_info;
};
void px_group_build_fini(void *build);

/* Of a tracker that constructs a group; NULL: it does something else. */
struct px_group_build *px_group_build_of(const struct px_coll *coll);

/* A table's `absorb`. */
int px_group_absorb(struct px_coll *coll, const struct px_coll_call *call,
                    const struct px_coll_member *who);
/* Appends to the directives for the host what the members contribute, and their posted data. */
int px_group_describe(const struct px_coll *coll, struct px_upcall *up);
/* Stores what the host gave back and takes over the rest of it as the outcome. */
int px_group_take(struct px_coll *coll, struct px_upcall *up);
/* Fills the outcome of a construction without a host. build->members: those that are named. */
int px_group_settle(struct px_server *s, struct px_group_build *build);
/* Appends the processes that the callers named, in the order they gave; in that of their numbers
 * when they do not agree. */
int px_group_add_named(const struct px_coll *coll, struct px_proc_list *list);
/* A caller that came by itself and that the members (none: not known) do not name was not added by
 * anybody: PMIX_ERR_NOT_A_MEMBER. */
int px_group_judge(const struct px_coll *coll, const struct px_proc_list *members);

#endif
