/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups by invitation, in few words, for ranks of the job "A". The leader is rank 0, the group is
 * "g" unless said otherwise. */

#ifndef PX_CONFORM_LIB_INVITES_H
#define PX_CONFORM_LIB_INVITES_H

#include "conform.h"

/* How a call ended: its status, and of its results the members as text, the context id (0: none),
 * and whether there is data of members. */
struct ending {
    pmix_status_t status;
    char members[160];
    size_t id;
    bool has_data;
};

/* The last call of this process that ended. A step "joined" or "invited all", with this process's
 * rank behind it, is told for each. */
extern struct ending joined;
extern struct ending invited;

/* "step" of a process: "joined 2". The text is the thread's, until its next call. */
const char *step_of(const char *step, pmix_rank_t rank);

/* Registers a handler of one code, or a default handler (0). */
void hear(pmix_status_t code, pmix_notification_fn_t handler);
/* A handler that tells "event CODE RANK" (event_step) and notes the infos' PMIX_STATUS, the last of
 * them, the affected process's rank and the members as text ("": none are named). */
void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
              size_t ninfo, pmix_info_t *results, size_t nresults,
              pmix_event_notification_cbfunc_fn_t done, void *cbdata);
const char *event_step(pmix_status_t code, pmix_rank_t rank);
extern pmix_status_t heard_status;
extern pmix_rank_t heard_affected;
extern char heard_members[160];
/* The registrations of this process that came before have taken effect, and what the server sends
 * by them has come. */
void settle_events(void);

/* Registers for invitations, which are answered at once; each tells "asked RANK". */
void answer_all(pmix_group_opt_t answer);
/* The same, but does not answer. */
void answer_none(void);
/* Accepts, and wants no callback. */
void answer_unheard(void);
/* The last invitation: to which group, and by whom. */
extern char asked_to[64];
extern pmix_proc_t asked_by;
/* Answers an invitation of rank 0 to the group. */
void join_later(const char *group, pmix_group_opt_t answer, const struct infos *list);
/* Waits for the end of the n-th call of PMIx_Group_join of this process, and looks how it ended. */
void check_joined(int n, pmix_status_t status, const char *members);

/* Invites processes to a group; the blocking form, and the other, which tells "invited all RANK".
 */
pmix_status_t invite(const char *group, const pmix_proc_t *procs, size_t n,
                     const struct infos *list);
void invite_later(const char *group, const pmix_proc_t *procs, size_t n, const struct infos *list);
/* Ranks first to last of the job. */
pmix_status_t invite_ranks(const char *group, pmix_rank_t first, pmix_rank_t last,
                           const struct infos *list);
void invite_ranks_later(const char *group, pmix_rank_t first, pmix_rank_t last,
                        const struct infos *list);

/* A fence of the group's members, by its name. */
pmix_status_t fence_group(const char *group);

/* (host) Reports the end of a rank of job "A" on this node. */
void say_ended(pmix_status_t code, pmix_rank_t rank);
/* (host, on every node) Kills the rank, wherever it is, and then reports its end; tells "said". */
void kill_and_say(pmix_rank_t rank, pmix_status_t code);
/* For the rank that is killed. */
void stay_until_killed(void);

#endif
