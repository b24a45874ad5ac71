/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_DATA_H
#define PX_SERVER_GROUP_DATA_H

/* The data of a group under construction: what members contribute, what the host is given, and
 * the outcome that members get. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_server.h>

#include "src/value/proc_list.h"

struct px_coll;
struct px_coll_call;
struct px_coll_member;
struct px_group_reply_cache;
struct px_server;
struct px_upcall;

/* A group under construction: the state of a tracker (px_coll.state), or several of them put
 * together by a bootstrap. Owned by the tracker, or by px_group_bootstrap on its stack. Zeros:
 * empty. The members up to n_given collect what the callers say; the others are the outcome,
 * filled by px_group_take or px_group_settle. */
struct px_group_build {
    const char *name;          /* borrowed from the tracker */
    bool mixed;                /* callers listed the processes in different orders */
    bool local_only;           /* PMIX_GROUP_LOCAL_ONLY */
    bool wants_id;             /* PMIX_GROUP_ASSIGN_CONTEXT_ID */
    bool requires_id;          /* that directive is marked as required */
    bool survives;             /* PMIX_GROUP_FT_COLLECTIVE: the group is made without the lost */
    bool optional;             /* PMIX_GROUP_OPTIONAL: the same, as a partial success */
    bool notify;               /* PMIX_GROUP_NOTIFY_TERMINATION */
    bool has_leader;           /* PMIX_GROUP_LEADER */
    pmix_proc_t leader;        /* who gave it */
    uint32_t n_leaders;        /* PMIX_GROUP_BOOTSTRAP, the largest; 0: none */
    struct px_proc_list added; /* PMIX_GROUP_ADD_MEMBERS of all leaders */
    struct px_proc_list order; /* PMIX_GROUP_FINAL_MEMBERSHIP_ORDER */
    pmix_info_t *given;        /* PMIX_GROUP_INFO of each member, its process first */
    size_t n_given;
    /* What is heard meanwhile, if members decide about who ends (group_losses.h). */
    struct px_proc_list lost; /* who has ended */
    bool looked;              /* at what was heard before */
    bool announces;           /* other servers have been told of `leader` */
    bool has_announced;       /* another server has told of its own: */
    pmix_proc_t announced;
    /* The outcome. */
    bool hosted;                        /* the host took part */
    bool partial;                       /* and has answered PMIX_ERR_PARTIAL_SUCCESS */
    bool decides;                       /* members on some node decide about who has ended */
    struct px_group_decision *decision; /* owned; NULL: no member has been asked */
    bool has_id;
    size_t id;
    struct px_proc_list members; /* in their order */
    struct px_proc_list failed;  /* who was to be a member, and has ended */
    pmix_info_t *info;           /* for the members */
    size_t n_info;
    struct px_group_reply_cache *reply; /* the table's (group_reply.h); NULL: none was sent */
};
/* Frees what it owns. */
void px_group_build_fini(void *build);

/* The state of a tracker that constructs a group; NULL for trackers of other operations. */
struct px_group_build *px_group_build_of(const struct px_coll *coll);

/* The table's `absorb`: takes over directives and contribution of one member. 0,
 * PMIX_ERR_NOT_FOUND (it names a rank that a group does not have), PMIX_ERR_NOMEM, which end the
 * construction. */
int px_group_absorb(struct px_coll *coll, const struct px_coll_call *call,
                    const struct px_coll_member *who);
/* Appends to the upcall's directives what the members contribute and what they have committed. 0
 * or PMIX_ERR_NOMEM. */
int px_group_describe(const struct px_coll *coll, struct px_upcall *up);
/* Takes the host's answer: stores data of other nodes and job information, and moves the rest of
 * the infos from the upcall into the outcome. 0, PMIX_ERR_NOMEM, or the status of decoding or
 * storing. */
int px_group_take(struct px_coll *coll, struct px_upcall *up);
/* The outcome of a construction without a host; build->members has the named members already.
 * The contributions become the infos for the members. 0, PMIX_ERR_NOMEM, or a status of the
 * store. */
int px_group_settle(struct px_server *s, struct px_group_build *build);
/* True if one of the processes is on another node, or may be: its namespace is not known here. */
bool px_procs_any_elsewhere(struct px_server *s, const struct px_proc_list *procs);
/* Takes over another order of the members, which is empty afterwards, if there is none yet.
 * PMIX_ERR_BAD_PARAM: there is one that differs. */
int px_group_agree(struct px_proc_list *order, struct px_proc_list *other);
/* Appends the processes that the callers named, in their order; in the order of ranks if the
 * callers differ. 0 or PMIX_ERR_NOMEM. */
int px_group_add_named(const struct px_coll *coll, struct px_proc_list *list);
/* Appends those of the members to `failed` that have ended on this node. 0 or PMIX_ERR_NOMEM. */
int px_group_find_failed(struct px_server *s, const struct px_proc_list *members,
                         struct px_proc_list *failed);
/* Appends those that have ended anywhere: the host gives back what the servers have told it. 0 or
 * PMIX_ERR_NOMEM. */
int px_group_add_failed(const struct px_upcall *up, struct px_proc_list *failed);
/* The status of a group that was made: PMIX_ERR_PARTIAL_SUCCESS if members were optional and have
 * failed, or the host says so. */
pmix_status_t px_group_status(const struct px_group_build *build);
/* All local members that live have called, and some have ended. The group is made without these
 * (build->failed) if a member allows it (PMIX_SUCCESS), or is given up. */
int px_group_lose(struct px_coll *coll);
/* PMIX_ERR_NOT_A_MEMBER if a caller by itself is not among the members, so that no leader added
 * it. `members` without elements: not known, PMIX_SUCCESS. */
int px_group_judge(const struct px_coll *coll, const struct px_proc_list *members);

#endif
