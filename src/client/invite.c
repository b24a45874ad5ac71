/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Inviting and joining. The leader counts the answers. When an invitee fails (declines, terminates,
 * does not answer in time), the leader's application is asked by the event
 * PMIX_GROUP_INVITE_FAILED: a handler may go on with fewer members, abort, or name a process to
 * invite instead (PMIX_PROCID among its results). Nobody else decides anything: the outcome reaches
 * the members as an event. All of it runs on the loop thread, except the two calls, which post a
 * task. */

#include "invite.h"

#include <stdlib.h>

#include "request.h"
#include "invitation.h"
#include "src/value/infos.h"
#include "src/event/chain.h"

/* Sends the invitation to processes, with the caller's directives and what this process has put. An
 * error ends the whole invitation. */
static void invite(struct px_invitation *invitation, const pmix_proc_t *procs, size_t n)
{
    /* The caller's directives go along; what we have put, too. */
    int rc = invitation->endpoint_added ? 0 : px_invitation_add_endpoint(invitation);

    invitation->endpoint_added = true;
    if (rc == 0 && n > 0) {
        rc = px_invitation_notify(invitation, PMIX_GROUP_INVITED, procs, n, invitation->given,
                                  invitation->n_given);
    }
    if (rc != 0) {
        px_invitation_answer(invitation, rc, NULL, 0);
    }
}

/* The number of invitees in a state. */
static size_t count_invitees(const struct px_invitation *invitation, enum px_invitee_state state)
{
    size_t n = 0;

    for (size_t i = 0; i < invitation->n_invitees; i++) {
        n += invitation->invitees[i].state == state;
    }
    return n;
}

/* Appends the invitees in a state to the list. 0 or PMIX_ERR_NOMEM. */
static int gather_invitees(const struct px_invitation *invitation, enum px_invitee_state state,
                           struct px_proc_list *list)
{
    int rc = 0;

    for (size_t i = 0; i < invitation->n_invitees && rc == 0; i++) {
        if (invitation->invitees[i].state == state) {
            rc = px_proc_list_add(list, &invitation->invitees[i].proc);
        }
    }
    return rc;
}

/* Aborts: all who may be waiting get PMIX_GROUP_CONSTRUCT_ABORT. Those who failed have nothing to
 * undo. The caller releases the invitation. */
static void invitation_failed(struct px_invitation *invitation)
{
    struct px_proc_list to = {0};

    if (gather_invitees(invitation, PX_ACCEPTED, &to) == 0 &&
        gather_invitees(invitation, PX_INVITED, &to) == 0) {
        (void) px_invitation_notify(invitation, PMIX_GROUP_CONSTRUCT_ABORT, to.at, to.n, NULL,
                                    0); /* they have time-outs */
    }
    px_proc_list_fini(&to);
    px_invitation_answer(invitation, PMIX_GROUP_CONSTRUCT_ABORT, NULL, 0);
}

/* Completes the group: sends the members and their data to all of them, stores the data here, and
 * answers the leader's call with `status`. The caller releases the invitation. */
static void construct(struct px_invitation *invitation, pmix_status_t status)
{
    struct px_proc_list members = {0};
    pmix_data_array_t array = {.type = PMIX_PROC};
    int rc = gather_invitees(invitation, PX_ACCEPTED, &members);

    px_assert(rc != 0 || members.n > 0); /* the leader */
    array.array = members.at;
    array.size = members.n;
    if (rc == 0) {
        rc = px_infos_append(&invitation->given, &invitation->n_given, PMIX_GROUP_MEMBERSHIP,
                             &array, PMIX_DATA_ARRAY);
    }
    if (rc == 0) {
        px_invitation_store_endpoints(invitation->session, invitation->given, invitation->n_given);
        rc = px_invitation_notify(invitation, PMIX_GROUP_CONSTRUCT_COMPLETE, members.at, members.n,
                                  invitation->given, invitation->n_given);
    }
    px_proc_list_fini(&members);
    px_invitation_answer(invitation, rc == 0 ? status : rc, invitation->given, invitation->n_given);
}

/* Ends the invitation if all have answered and no handler is still deciding. It is released then:
 * the caller must not use it afterwards. */
static void check_invitees(struct px_invitation *invitation)
{
    size_t failed = count_invitees(invitation, PX_FAILED);

    if (invitation->over || invitation->n_deciding > 0 ||
        count_invitees(invitation, PX_INVITED) > 0) {
        return;
    }
    if (failed > 0 && !invitation->optional && !invitation->allowed_fewer) {
        invitation_failed(invitation);
    } else {
        construct(invitation, failed > 0 ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS);
    }
    px_invitation_release(invitation);
}

/* Adds an invitee, unless it is one already. 0 or PMIX_ERR_NOMEM. */
static int add_invitee(struct px_invitation *invitation, const pmix_proc_t *proc)
{
    struct px_invitee *grown;

    for (size_t i = 0; i < invitation->n_invitees; i++) {
        if (PMIx_Check_procid(&invitation->invitees[i].proc, proc)) {
            return 0;
        }
    }
    grown = realloc(invitation->invitees, (invitation->n_invitees + 1) * sizeof(*grown));
    if (grown == NULL) {
        return PMIX_ERR_NOMEM;
    }
    invitation->invitees = grown;
    grown[invitation->n_invitees] = (struct px_invitee){.proc = *proc, .state = PX_INVITED};
    invitation->n_invitees++;
    return 0;
}

/* Invites the processes that a handler has named instead of one that failed. */
static void invite_replacements(struct px_invitation *invitation, const pmix_info_t *results,
                                size_t nresults)
{
    const pmix_info_t *info = px_infos_next(results, nresults, NULL, PMIX_PROCID);
    struct px_procs procs;

    for (; info != NULL; info = px_infos_next(results, nresults, info, PMIX_PROCID)) {
        if (px_value_procs(&info->value, &procs) && procs.n == 1 &&
            add_invitee(invitation, procs.at) == 0) {
            invite(invitation, procs.at, 1);
        }
    }
}

/* The handlers of PMIX_GROUP_INVITE_FAILED have completed: aborts if their status or one of their
 * results says PMIX_GROUP_CONSTRUCT_ABORT; any other result allows fewer members. For
 * px_events_ask. */
static void decided(void *arg, pmix_status_t status, const pmix_info_t *results, size_t nresults)
{
    struct px_invitation *invitation = arg;

    invitation->n_deciding--;
    if (invitation->over) {
        if (invitation->n_deciding == 0) {
            px_invitation_free(invitation); /* it was released meanwhile */
        }
        return;
    }
    for (size_t i = 0; i < nresults; i++) {
        if (results[i].value.type == PMIX_STATUS &&
            results[i].value.data.status == PMIX_GROUP_CONSTRUCT_ABORT) {
            status = PMIX_GROUP_CONSTRUCT_ABORT;
        }
    }
    if (status == PMIX_GROUP_CONSTRUCT_ABORT) {
        invitation_failed(invitation);
        px_invitation_release(invitation);
        return;
    }
    invitation->allowed_fewer = invitation->allowed_fewer || nresults > 0;
    invite_replacements(invitation, results, nresults);
    check_invitees(invitation);
}

/* Marks an invitee failed and asks the application's handlers. The caller calls check_invitees. */
static void invitee_failed(struct px_invitation *invitation, struct px_invitee *invitee)
{
    struct px_event event = {
        .code = PMIX_GROUP_INVITE_FAILED, .source = invitee->proc, .range = PMIX_RANGE_PROC_LOCAL};
    struct px_events *events = invitation->session->ctx->events;
    pmix_info_t *info = NULL;
    size_t n = 0;

    px_assert(invitee->state == PX_INVITED);
    invitee->state = PX_FAILED;
    if (events != NULL &&
        px_infos_append(&info, &n, PMIX_GROUP_ID, invitation->group, PMIX_STRING) == 0 &&
        px_infos_append(&info, &n, PMIX_EVENT_AFFECTED_PROC, &event.source, PMIX_PROC) == 0) {
        event.info = info;
        event.ninfo = n;
        invitation->n_deciding += px_events_ask(events, &event, decided, invitation) == 0;
    }
    PMIx_Info_free(info, n);
}

/* Adds what an invitee gives to the others under a key. Without memory they do not get it. */
static void add_given(struct px_invitation *invitation, const pmix_info_t *info, size_t ninfo,
                      const char *key)
{
    const pmix_info_t *from = px_infos_next(info, ninfo, NULL, key);

    for (; from != NULL; from = px_infos_next(info, ninfo, from, key)) {
        (void) px_infos_append_copy(&invitation->given, &invitation->n_given, from);
    }
}

/* Only the first answer of an invitee counts. A wildcard invitation is bound to the process that
 * answers it. */
void px_invitation_answered(struct px_invitation *invitation, const pmix_proc_t *who, bool accepted,
                            const pmix_info_t *info, size_t ninfo)
{
    px_assert(px_loop_inside(invitation->session->ctx->loop));
    for (size_t i = 0; i < invitation->n_invitees; i++) {
        struct px_invitee *invitee = &invitation->invitees[i];

        if (invitee->state != PX_INVITED || !PMIx_Check_procid(&invitee->proc, who)) {
            continue;
        }
        if (!accepted) {
            invitee_failed(invitation, invitee);
            break;
        }
        invitee->state = PX_ACCEPTED;
        invitee->proc = *who;
        add_given(invitation, info, ninfo, PMIX_GROUP_ENDPT_DATA);
        add_given(invitation, info, ninfo, PMIX_GROUP_INFO);
        break;
    }
    check_invitees(invitation);
}

/* An invitee that has accepted before it ended stays a member: the group is made of those who
 * answered. */
void px_invitation_lost(struct px_invitation *invitation, const pmix_proc_t *who)
{
    px_assert(px_loop_inside(invitation->session->ctx->loop));
    for (size_t i = 0; i < invitation->n_invitees; i++) {
        if (invitation->invitees[i].state == PX_INVITED &&
            PMIx_Check_procid(&invitation->invitees[i].proc, who)) {
            invitee_failed(invitation, &invitation->invitees[i]);
        }
    }
    check_invitees(invitation);
}

/* The caller's time-out: an invitee gives up; for a leader, all who have not answered have failed.
 */
static void time_is_up(struct px_timer *timer)
{
    struct px_invitation *invitation = px_container_of(timer, struct px_invitation, timer);

    if (!invitation->leading) {
        px_invitation_answer(invitation, PMIX_ERR_TIMEOUT, NULL, 0);
        px_invitation_release(invitation);
        return;
    }
    for (size_t i = 0; i < invitation->n_invitees; i++) {
        if (invitation->invitees[i].state == PX_INVITED) {
            invitee_failed(invitation, &invitation->invitees[i]);
        }
    }
    check_invitees(invitation);
}

/* Enters an invitation in the session's list and starts its timer. */
static void member_accepted(struct px_invitation *invitation)
{
    px_invitation_watch(invitation->session);
    px_list_append(&invitation->session->invitations, &invitation->link);
    if (invitation->timeout_ms > 0) {
        /* Without memory for a timer the wait has no limit. */
        (void) px_timer_start_loop(invitation->session->ctx->loop, &invitation->timer,
                                   invitation->timeout_ms, time_is_up);
    }
}

/* Starts an invitation on the loop thread: sends it to all invitees. */
static void run_invite(struct px_task *task)
{
    struct px_invitation *invitation = px_container_of(task, struct px_invitation, task);
    struct px_proc_list procs = {0};
    int rc = gather_invitees(invitation, PX_INVITED, &procs);

    member_accepted(invitation);
    if (rc != 0) {
        px_invitation_answer(invitation, rc, NULL, 0);
    } else {
        invite(invitation, procs.at, procs.n);
    }
    px_proc_list_fini(&procs);
    if (invitation->over) {
        px_invitation_release(invitation);
    } else {
        check_invitees(invitation);
    }
}

/* The leader is the first entry of the invitees and has accepted. The rest happens on the loop
 * thread. */
pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_invitation *invitation;
    int rc;

    if (px_session_server(session) == NULL) {
        return PMIX_ERR_UNREACH;
    }
    invitation = px_invitation_create(session, group, info, ninfo);
    if (invitation == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = add_invitee(invitation, &ctx->self);
    for (size_t i = 0; i < nprocs && rc == 0; i++) {
        rc = add_invitee(invitation, &procs[i]);
    }
    if (rc != 0) {
        px_invitation_free(invitation);
        return rc;
    }
    invitation->invitees[0].state = PX_ACCEPTED;
    invitation->leading = true;
    invitation->cbfunc = cbfunc;
    invitation->cbdata = cbdata;
    invitation->task.run = run_invite;
    px_loop_post(ctx->loop, &invitation->task);
    return PMIX_SUCCESS;
}

/* Sends the invitee's answer to the leader, on the loop thread. */
static void run_join(struct px_task *task)
{
    struct px_invitation *invitation = px_container_of(task, struct px_invitation, task);
    bool accepted = invitation->answer == PMIX_GROUP_ACCEPT;
    int rc;

    member_accepted(invitation);
    rc = accepted ? px_invitation_add_endpoint(invitation) : 0;
    if (rc == 0) {
        rc = px_invitation_notify(
            invitation, accepted ? PMIX_GROUP_INVITE_ACCEPTED : PMIX_GROUP_INVITE_DECLINED,
            &invitation->leader, 1, invitation->given, invitation->n_given);
    }
    if (rc != 0 || !accepted) {
        px_invitation_answer(invitation, rc, NULL,
                             0); /* after declining there is no outcome to wait for */
        px_invitation_release(invitation);
    }
}

/* The answer is sent from the loop thread, after the invitation has been entered there, so that the
 * leader's outcome cannot arrive before. */
pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_invitation *invitation;

    if (px_session_server(session) == NULL) {
        return PMIX_ERR_UNREACH;
    }
    invitation = px_invitation_create(session, group, info, ninfo);
    if (invitation == NULL) {
        return PMIX_ERR_NOMEM;
    }
    invitation->leader = *leader;
    invitation->answer = answer;
    invitation->cbfunc = cbfunc;
    invitation->cbdata = cbdata;
    invitation->task.run = run_join;
    px_loop_post(ctx->loop, &invitation->task);
    return PMIX_SUCCESS;
}
