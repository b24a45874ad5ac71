/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An answer carries the identity of the invitation that this process has seen last from that
 * leader. The leader of an invitation that is over refuses the answer, so that each call ends,
 * whenever it comes. An answer without an identity (the leader's library sends none, or no
 * invitation has come) waits for an outcome of that leader for that group. */

#include "join.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "group_map.h"
#include "invitation.h"
#include "invite.h"
#include "invited.h"
#include "succession.h"
#include "src/base/assert.h"
#include "src/event/chain.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/directives.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* A call of PMIx_Group_join that waits; in session->joins. */
struct px_join {
    struct px_invitation base;
    pmix_proc_t leader;
    pmix_group_opt_t answer;
    bool gave_up; /* the call has ended by its time limit, but the group may still be made */
};

static void join_free(struct px_join *join)
{
    px_invitation_fini(&join->base);
    free(join);
}

/* Ends a call, and forgets it. */
static void finish(struct px_join *join, pmix_status_t status, const struct px_infos *results)
{
    px_invitation_answer(&join->base, status, results);
    join_free(join);
}

/* --- invitations --- */

bool px_join_invited(struct px_session *session, const struct px_invitation_event *at)
{
    struct px_invited *invited = px_invited_take(session, at);

    return invited != NULL && px_succession_invited(invited, at);
}

/* The invitation that a call waits for. NULL: it has none with an identity. */
static struct px_invited *invitation_of(const struct px_join *join)
{
    struct px_invited *invited =
        px_invited_find(join->base.session, join->base.group, &join->leader);

    return invited != NULL && invited->id != 0 && invited->id == join->base.id ? invited : NULL;
}

/* --- answers --- */

/* Sends an answer to the leader with what this process gives. */
static int send_answer(struct px_join *join, pmix_group_opt_t answer)
{
    const struct px_procs to = {&join->leader, 1};

    return px_invitation_notify(join->base.session, join->base.group, join->base.id,
                                answer == PMIX_GROUP_ACCEPT ? PMIX_GROUP_INVITE_ACCEPTED
                                                            : PMIX_GROUP_INVITE_DECLINED,
                                &to, &join->base.given, NULL);
}

/* The caller's time limit. The leader is told; if the group has been made meanwhile, this process
 * leaves it when it learns of that (px_join_outcome). */
static void time_is_up(struct px_timer *timer)
{
    struct px_join *join = px_container_of(timer, struct px_join, base.timer);
    struct px_session *session = join->base.session;
    struct px_invited *invited = invitation_of(join);

    join->gave_up = true;
    if (px_proc_equal(&join->leader, &session->ctx->self)) {
        if (px_invite_is_open(session, join->base.id)) {
            px_invite_withdraw(session, join->base.id); /* which ends the call */
        } else {
            finish(join, PMIX_ERR_TIMEOUT, NULL);
        }
        return;
    }
    (void) send_answer(join, PMIX_GROUP_DECLINE); /* without it the outcome tells */
    px_invitation_answer(&join->base, PMIX_ERR_TIMEOUT, NULL);
    if (invited != NULL && !px_join_waits(invited)) {
        px_succession_withdraw(invited);
    }
}

/* Raises PMIX_GROUP_LEADER_FAILED in this process, and ends the call with this status. */
static void leader_failed(struct px_join *join)
{
    if (!join->gave_up) {
        (void) px_invitation_tell(&join->base, PMIX_GROUP_LEADER_FAILED, PMIX_EVENT_AFFECTED_PROC,
                                  &join->leader, PMIX_PROC, NULL);
    }
    finish(join, PMIX_GROUP_LEADER_FAILED, NULL);
}

/* The invitation that a call answers: the newest of its leader, or of who has taken its place.
 * NULL: none is known. */
static struct px_invited *find_invitation(struct px_join *join)
{
    struct px_session *session = join->base.session;
    struct px_invited *invited = px_invited_find(session, join->base.group, &join->leader);

    while (invited != NULL && invited->successor_id != 0 && !invited->over) {
        struct px_invited *next = px_invited_find(session, invited->group, &invited->successor);

        if (next == NULL || next->id != invited->successor_id) {
            break;
        }
        join->leader = next->leader;
        invited = next;
    }
    join->base.id = invited != NULL ? invited->id : 0;
    return invited;
}

/* Answers the invitation, on the loop thread. */
static void run_join(struct px_task *task)
{
    struct px_join *join = px_container_of(task, struct px_join, base.task);
    struct px_session *session = join->base.session;
    bool accepts = join->answer == PMIX_GROUP_ACCEPT;
    bool taken = accepts && px_group_name_is_taken(session, join->base.group);
    struct px_invited *invited = find_invitation(join);
    bool lost = accepts && px_invitations_has_ended(session, &join->leader);
    int rc;

    px_list_append(&session->joins, &join->base.link);
    px_invitations_watch(session);
    if (accepts && invited != NULL && invited->over) {
        finish(join, taken ? PMIX_ERR_EXISTS : PMIX_GROUP_CONSTRUCT_ABORT, NULL);
        return;
    }
    if (lost && (taken || invited == NULL || !px_succession_possible(invited))) {
        leader_failed(join);
        return;
    }
    accepts = accepts && !taken;
    if (invited != NULL && !accepts) {
        invited->declined = true;
    }
    rc = accepts ? px_member_data_add_endpoint(&join->base.given, session) : 0;
    rc =
        rc == 0 && !lost ? send_answer(join, accepts ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE) : rc;
    if (rc != 0 || !accepts) {
        /* after declining there is no outcome to wait for */
        finish(join, rc == 0 && taken ? PMIX_ERR_EXISTS : rc, NULL);
        return;
    }
    px_invitation_limit(&join->base, time_is_up);
    if (lost) {
        px_succession_begin(invited);
    }
}

/* --- when the leader is lost --- */

/* The first call that waits for the invitation, or NULL. */
static struct px_join *find_waiting(const struct px_invited *invited)
{
    px_list_for(struct px_invitation, one, &invited->session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        if (!join->gave_up && invitation_of(join) == invited) {
            return join;
        }
    }
    return NULL;
}

bool px_join_waits(const struct px_invited *invited)
{
    return find_waiting(invited) != NULL;
}

const struct px_infos *px_join_given(const struct px_invited *invited)
{
    const struct px_join *join = find_waiting(invited);

    px_assert(join != NULL);
    return &join->base.given;
}

void px_joins_finish(const struct px_invited *invited, pmix_status_t status)
{
    px_list_for(struct px_invitation, one, &invited->session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        if (invitation_of(join) == invited) {
            finish(join, status, NULL);
        }
    }
}

void px_joins_move(const struct px_invited *invited)
{
    px_list_for(struct px_invitation, one, &invited->session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        if (invitation_of(join) == invited && join->gave_up) {
            join_free(join); /* the old invitation makes no group any more */
        } else if (invitation_of(join) == invited) {
            join->leader = invited->successor;
            join->base.id = invited->successor_id;
        }
    }
}

void px_join_led(const struct px_completion *to, struct px_reply *reply)
{
    const struct px_infos results = {reply->info, reply->ninfo};
    struct px_session *session = px_invitations_session();

    px_assert(session != NULL);
    px_invited_close_led(session, (uintptr_t) to->cbdata);
    px_list_for(struct px_invitation, one, &session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        if (one->id == (uintptr_t) to->cbdata &&
            px_proc_equal(&join->leader, &session->ctx->self)) {
            finish(join, reply->status, &results);
        }
    }
}

void px_joins_answer(const struct px_invited *invited)
{
    px_list_for(struct px_invitation, one, &invited->session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);
        int rc = 0;

        if (join->base.id == invited->successor_id &&
            px_proc_equal(&join->leader, &invited->successor)) {
            rc = send_answer(join, PMIX_GROUP_ACCEPT);
        }
        if (rc != 0) {
            finish(join, rc, NULL);
        }
    }
}

/* --- outcomes --- */

/* True if the outcome is that of the call's invitation. */
static bool is_outcome_of(const struct px_join *join, const struct px_invitation_event *at)
{
    return px_proc_equal(&join->leader, &at->event->source) && at->group != NULL &&
           strcmp(at->group, join->base.group) == 0 &&
           (join->base.id == 0 || join->base.id == at->id);
}

/* True if this process is among the members. */
static bool names_us(struct px_session *session, const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_GROUP_MEMBERSHIP);
    struct px_procs members = {NULL, 0};

    return value != NULL && px_value_procs(value, &members) &&
           px_procs_find(members.at, members.n, &session->ctx->self) < members.n;
}

/* The group has been made: its data and members are known here before any callback. If all calls
 * that asked for it have given up, or have ended with the outcome of an earlier invitation
 * (`stray`), this process leaves it. */
static void enter_or_leave(struct px_session *session, const struct px_invitation_event *at,
                           bool stray)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    const struct px_coll_args args = {.group = (char *) (uintptr_t) at->group};
    const struct px_event *event = at->event;
    struct px_link_server *server = px_session_server(session);
    bool wanted = false;
    bool joined = false;

    px_list_for(struct px_invitation, one, &session->joins, link) {
        const struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        joined = joined || is_outcome_of(join, at);
        wanted = wanted || (is_outcome_of(join, at) && !join->gave_up);
    }
    if (wanted) {
        px_member_data_store(session, event->info, event->ninfo);
        px_group_map_add(session, at->group, false, event->info, event->ninfo);
    } else if (server != NULL &&
               (joined || (stray && !px_group_name_is_taken(session, at->group)))) {
        (void) px_client_group_end(server, &px_request_group_leave, &args, &nobody);
    }
}

/* A call without an identity ends: it may not be the one that the outcome is for. Without memory
 * that is not known. */
static void note_stray(struct px_session *session, const struct px_invitation_event *at)
{
    struct px_invited *invited = px_invited_make(session, at->group, &at->event->source);

    if (invited != NULL) {
        invited->stray = true;
    }
}

bool px_join_outcome(struct px_session *session, const struct px_invitation_event *at)
{
    const struct px_event *event = at->event;
    const struct px_infos results = {(pmix_info_t *) (uintptr_t) event->info, event->ninfo};
    bool complete = event->code == PMIX_GROUP_CONSTRUCT_COMPLETE;
    struct px_invited *invited =
        at->group != NULL ? px_invited_find(session, at->group, &event->source) : NULL;

    if (!at->live || (complete && !names_us(session, event))) {
        return false;
    }
    if (invited != NULL && invited->id == at->id) {
        px_invited_close(invited);
    }
    if (complete) {
        enter_or_leave(session, at, invited != NULL && invited->stray);
    }
    px_list_for(struct px_invitation, one, &session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);

        if (is_outcome_of(join, at)) {
            if (join->base.id == 0) {
                note_stray(session, at);
            }
            finish(join, complete ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT,
                   complete ? &results : NULL);
        }
    }
    return px_info_find(event->info, event->ninfo, PX_KEY_REFUSED) != NULL;
}

/* Where a new leader may be found the calls wait on; see px_succession_lost. */
void px_join_lost(struct px_session *session, const pmix_proc_t *proc)
{
    px_list_for(struct px_invitation, one, &session->joins, link) {
        struct px_join *join = px_container_of(&one->link, struct px_join, base.link);
        const struct px_invited *invited = invitation_of(join);

        if (px_invitation_ends(session, proc, &join->leader) &&
            (join->gave_up || invited == NULL || !px_succession_possible(invited))) {
            leader_failed(join);
        }
    }
    px_succession_lost(session, proc);
}

void px_joins_end(struct px_session *session)
{
    px_list_for(struct px_invitation, one, &session->joins, link) {
        finish(px_container_of(&one->link, struct px_join, base.link), PMIX_ERR_LOST_CONNECTION,
               NULL);
    }
    px_invited_end(session);
}

/* --- the call --- */

pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      const struct px_completion *to)
{
    struct px_session *session = px_session(ctx);
    struct px_group_join_directives directives;
    struct px_join *join;
    int rc = px_group_join_read(info, ninfo, &directives);

    if (px_session_server(session) == NULL) {
        return PMIX_ERR_UNREACH;
    }
    rc = rc == 0 && px_proc_equal(leader, &ctx->self) ? PMIX_ERR_BAD_PARAM : rc;
    join = rc == 0 ? calloc(1, sizeof(*join)) : NULL;
    if (join == NULL) {
        return rc != 0 ? rc : PMIX_ERR_NOMEM;
    }
    rc = px_invitation_init(&join->base, session, group, info, ninfo, to);
    if (rc != 0) {
        free(join);
        return rc;
    }
    join->leader = *leader;
    join->answer = answer;
    join->base.task.run = run_join;
    px_loop_post(ctx->loop, &join->base.task);
    return PMIX_SUCCESS;
}
