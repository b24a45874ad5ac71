/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Votes decide only which process invites anew. The membership of a group is always decided by an
 * invitation, and a process answers one leader at a time: so processes that count different votes
 * cannot make different groups. An invitation that continues another one is answered when this
 * process knows that the leader of the other one is lost. Messages of that leader come before the
 * news of its end: an outcome that it has sent is never overtaken. */

#include "succession.h"

#include <string.h>

#include "group_decide.h"
#include "invitation.h"
#include "invite.h"
#include "invited.h"
#include "join.h"
#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/event/chain.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

bool px_succession_possible(const struct px_invited *invited)
{
    return invited->id != 0 && invited->votes.n > 0;
}

static const pmix_proc_t *self_of(const struct px_invited *invited)
{
    return &invited->session->ctx->self;
}

/* --- what processes tell each other --- */

/* Sends the vote of this process to processes. Without memory or a server it is not sent. */
static void tell(const struct px_invited *invited, const struct px_procs *to, enum px_vote vote)
{
    struct px_infos infos = {0};
    uint32_t word = vote;

    if (to->n > 0 &&
        px_infos_append(&infos.info, &infos.n, PX_KEY_SUCCESSION, &word, PMIX_UINT32) == 0 &&
        px_infos_append(&infos.info, &infos.n, PMIX_EVENT_AFFECTED_PROC, &invited->leader,
                        PMIX_PROC) == 0) {
        (void) px_invitation_notify(invited->session, invited->group, invited->id,
                                    PMIX_GROUP_LEADER_FAILED, to, &infos, NULL);
    }
    px_infos_fini(&infos);
}

/* Counts the vote of this process, and sends it to all others that have not ended. */
static void say(struct px_invited *invited, enum px_vote vote)
{
    struct px_proc_list to = {0};
    struct px_procs procs;
    int rc = 0;

    px_votes_take(&invited->votes, self_of(invited), vote);
    for (size_t i = 0; i < invited->votes.n && rc == 0; i++) {
        const pmix_proc_t *proc = &invited->votes.procs[i];

        if (invited->votes.said[i] != PX_HAS_ENDED && !px_proc_equal(proc, self_of(invited))) {
            rc = px_proc_list_add(&to, proc);
        }
    }
    procs = (struct px_procs){to.at, to.n};
    if (rc == 0) {
        tell(invited, &procs, vote);
    }
    px_proc_list_fini(&to);
}

/* Raises an event about the leadership in this process. about: the affected process, or NULL;
 * status: NULL: none; verdict: called with the results of the handlers, or NULL. 0, PMIX_ERR_NOMEM.
 */
static int raise_event(const struct px_invited *invited, pmix_status_t code,
                       const pmix_proc_t *about, const pmix_status_t *status, px_verdict_fn verdict)
{
    struct px_infos infos = {0};
    int rc = 0;

    if (about != NULL) {
        rc = px_infos_append(&infos.info, &infos.n, PMIX_EVENT_AFFECTED_PROC, about, PMIX_PROC);
    }
    if (rc == 0 && status != NULL) {
        rc = px_infos_append(&infos.info, &infos.n, PMIX_LOCAL_COLLECTIVE_STATUS, status,
                             PMIX_STATUS);
    }
    rc = rc != 0 ? rc
                 : px_invitation_raise(invited->session, invited->group, code,
                                       about != NULL ? about : self_of(invited), &infos, verdict,
                                       invited->serial);
    px_infos_fini(&infos);
    return rc;
}

/* Raises PMIX_GROUP_LEADER_SELECTED in this process: with the new leader, or with NULL and
 * PMIX_ERR_NOT_FOUND if no process leads. */
static void tell_selected(const struct px_invited *invited, const pmix_proc_t *leader)
{
    pmix_status_t status = leader != NULL ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;

    (void) raise_event(invited, PMIX_GROUP_LEADER_SELECTED, leader, &status, NULL);
}

/* --- the outcome --- */

static void finish(struct px_invited *invited, pmix_status_t status)
{
    px_invited_close(invited);
    px_joins_finish(invited, status);
}

/* This process leads: makes its own invitation, for which its calls then wait. If that cannot be
 * made the process withdraws its claim. */
static void lead(struct px_invited *invited)
{
    uint64_t id = 0;

    px_timer_stop_loop(&invited->timer);
    if (px_invite_succeed(invited, px_join_given(invited), &id) != 0) {
        say(invited, PX_NO_CLAIM);
        return;
    }
    invited->successor = *self_of(invited);
    invited->successor_id = id;
    tell_selected(invited, self_of(invited));
    px_joins_move(invited);
    px_invite_start(invited, id);
}

/* Answers the invitation of the new leader, as the calls have answered that of the old one. If the
 * new leader is lost, too, its invitation is the one to continue, since others may have answered
 * it. */
static void follow(struct px_invited *invited)
{
    struct px_session *session = invited->session;
    struct px_invited *next = px_invited_find(session, invited->group, &invited->successor);

    px_timer_stop_loop(&invited->timer);
    if (px_proc_equal(&invited->successor, self_of(invited))) {
        px_joins_move(invited); /* they end with what this process leads (px_join_led) */
        return;
    }
    tell_selected(invited, &invited->successor);
    px_joins_move(invited);
    if (next == NULL || !px_invitations_has_ended(session, &next->leader)) {
        px_joins_answer(invited);
    } else if (px_succession_possible(next)) {
        px_succession_begin(next);
    } else {
        finish(next, PMIX_GROUP_LEADER_FAILED);
    }
}

static void evaluate(struct px_invited *invited)
{
    pmix_proc_t elected;

    if (!invited->begun || invited->asking || invited->over || !px_join_waits(invited)) {
        return;
    }
    if (invited->successor_id != 0) {
        follow(invited);
        return;
    }
    switch (px_votes_count(&invited->votes, &elected)) {
    case PX_GIVEN_UP:
        finish(invited, PMIX_GROUP_CONSTRUCT_ABORT);
        break;
    case PX_NOBODY:
        tell_selected(invited, NULL);
        finish(invited, PMIX_GROUP_LEADER_FAILED);
        break;
    case PX_ELECTED:
        if (px_proc_equal(&elected, self_of(invited))) {
            lead(invited);
            evaluate(invited); /* nothing waits any more, unless it cannot lead */
        }
        break;
    case PX_UNDECIDED:
        break;
    }
}

/* --- taking part --- */

static void time_is_up(struct px_timer *timer)
{
    struct px_invited *invited = px_container_of(timer, struct px_invited, timer);

    px_votes_close(&invited->votes);
    evaluate(invited);
}

/* The handlers have completed. For px_events_ask. */
static void heard(void *serial, pmix_status_t status, const pmix_info_t *results, size_t nresults)
{
    struct px_session *session = px_invitations_session();
    struct px_invited *invited =
        session != NULL ? px_invited_by_serial(session, (uintptr_t) serial) : NULL;
    enum px_vote vote = PX_NO_CLAIM;

    if (invited == NULL || !invited->asking) {
        return;
    }
    invited->asking = false;
    if (px_group_says_abort(status, results, nresults)) {
        vote = PX_ABORTS;
    } else if (!invited->no_part && px_infos_flag(results, nresults, PMIX_GROUP_LEADER)) {
        vote = PX_CLAIMS;
    }
    say(invited, vote);
    px_timer_start_loop(session->ctx->loop, &invited->timer,
                        (uint64_t) px_param_int(PX_P_LEADER_WAIT), time_is_up);
    evaluate(invited);
}

void px_succession_begin(struct px_invited *invited)
{
    px_assert(px_loop_inside(invited->session->ctx->loop) && px_succession_possible(invited));
    if (!invited->begun) {
        invited->begun = true;
        for (size_t i = 0; i < invited->votes.n; i++) {
            if (px_invitations_has_ended(invited->session, &invited->votes.procs[i])) {
                invited->votes.said[i] = PX_HAS_ENDED;
            }
        }
        invited->asking = true;
        if (raise_event(invited, PMIX_GROUP_LEADER_FAILED, &invited->leader, NULL, heard) != 0) {
            heard((void *) (uintptr_t) invited->serial, PMIX_ERR_NOMEM, NULL, 0);
        }
        return;
    }
    evaluate(invited);
}

void px_succession_withdraw(struct px_invited *invited)
{
    invited->no_part = true;
    if (invited->begun && !invited->asking && !invited->over) {
        say(invited, PX_NO_CLAIM);
    }
}

/* A process, or all of a namespace, votes no longer. */
static void note_ended(struct px_invited *invited, const pmix_proc_t *ended)
{
    struct px_votes *votes = &invited->votes;

    for (size_t i = 0; i < votes->n; i++) {
        if (px_invitation_ends(invited->session, ended, &votes->procs[i])) {
            votes->said[i] = PX_HAS_ENDED;
        }
    }
}

void px_succession_lost(struct px_session *session, const pmix_proc_t *proc)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        note_ended(invited, proc);
        if (px_invitation_ends(session, proc, &invited->leader) &&
            px_succession_possible(invited) && px_join_waits(invited)) {
            px_succession_begin(invited);
        } else {
            evaluate(invited);
        }
    }
}

/* --- what comes from others --- */

/* A process without a waiting call answers PX_NO_PART to the process that votes, and claims nothing
 * later. */
bool px_succession_event(struct px_session *session, const struct px_invitation_event *at)
{
    const pmix_value_t *value = px_info_find(at->event->info, at->event->ninfo, PX_KEY_SUCCESSION);
    struct px_procs source = {&at->event->source, 1};
    struct px_invited *invited;
    struct px_invited unknown = {.session = session, .id = at->id};

    if (value == NULL) {
        return false;
    }
    if (!at->live || at->group == NULL || strlen(at->group) > PMIX_MAX_NSLEN || at->id == 0 ||
        value->type != PMIX_UINT32 || value->data.uint32 >= PX_N_VOTES) {
        return true;
    }
    invited = px_invited_of(session, at->group, at->id);
    if (value->data.uint32 != PX_NO_PART && (invited == NULL || !px_join_waits(invited))) {
        memcpy(unknown.group, at->group, strlen(at->group) + 1);
        tell(invited != NULL ? invited : &unknown, &source, PX_NO_PART);
    }
    if (invited != NULL) {
        invited->no_part = invited->no_part || !px_join_waits(invited);
        px_votes_take(&invited->votes, source.at, (enum px_vote) value->data.uint32);
        evaluate(invited);
    }
    return true;
}

/* True if a new leader, perhaps this process, is making the group of the invitation. */
static bool is_being_made(const struct px_invited *invited)
{
    const struct px_invited *next =
        px_invited_find(invited->session, invited->group, &invited->successor);

    return invited->successor_id != 0 &&
           (px_proc_equal(&invited->successor, self_of(invited))
                ? px_invite_is_open(invited->session, invited->successor_id)
                : next != NULL && next->id == invited->successor_id && !next->over);
}

/* Refuses an invitation that continues another one, and for which no call of this process waits. A
 * process that has the group already, or may still get it from another new leader, aborts it, so
 * that there are not two. */
static void refuse(const struct px_invited *next, const struct px_invited *continued)
{
    bool made = px_group_name_is_taken(next->session, next->group) || is_being_made(continued);
    static const struct px_infos none = {0};
    const struct px_procs to = {&next->leader, 1};

    (void) px_invitation_notify(next->session, next->group, next->id,
                                made ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_GROUP_INVITE_DECLINED, &to,
                                &none, NULL);
}

bool px_succession_invited(struct px_invited *next, const struct px_invitation_event *at)
{
    const pmix_value_t *value = px_info_find(at->event->info, at->event->ninfo, PX_KEY_SUCCEEDS);
    struct px_invited *invited = value != NULL && value->type == PMIX_UINT64
                                     ? px_invited_of(next->session, next->group, value->data.uint64)
                                     : NULL;

    if (invited == NULL || invited == next) {
        return false;
    }
    if (invited->over || invited->declined || invited->successor_id != 0) {
        refuse(next, invited);
        return true;
    }
    invited->successor = next->leader;
    invited->successor_id = next->id;
    evaluate(invited);
    return true;
}
