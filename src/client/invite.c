/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The leader decides alone: it counts the answers, and the outcome reaches the others as an event.
 * An invitee fails once, by declining, ending or keeping silent until the time limit; then the
 * application's handlers of PMIX_GROUP_INVITE_FAILED may abort, name processes to invite instead
 * (PMIX_PROCID among their results), or let the group go on without it.
 *
 * Callbacks that come later (handlers, the host's context id, the server's acknowledgement) are
 * given the serial number of the invitation; while it waits for any, it is not settled. */

#include "invite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "group_decide.h"
#include "group_map.h"
#include "invite_outcome.h"
#include "invited.h"
#include "join.h"
#include "src/base/assert.h"
#include "src/context/reply_after.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/directives.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* --- what the application's handlers say --- */

/* The invitation for which handlers have completed. NULL: it is over, or they have aborted it. */
static struct px_invite *heard_from(void *serial, pmix_status_t status, const pmix_info_t *results,
                                    size_t nresults)
{
    struct px_invite *invite = px_invite_find(serial);

    if (invite == NULL) {
        return NULL;
    }
    invite->waits--;
    if (!invite->closed && px_group_says_abort(status, results, nresults)) {
        px_invite_give_up(invite, PMIX_GROUP_CONSTRUCT_ABORT);
        return NULL;
    }
    return invite;
}

static void time_is_up(struct px_timer *timer);
static void invite_all(struct px_invite *invite, size_t from);

/* The handlers of an answer have completed. For px_events_ask. */
static void answer_heard(void *serial, pmix_status_t status, const pmix_info_t *results,
                         size_t nresults)
{
    struct px_invite *invite = heard_from(serial, status, results, nresults);

    if (invite != NULL) {
        px_invite_settle(invite);
    }
}

/* The handlers of PMIX_GROUP_INVITE_FAILED have completed. If there are any and they do not abort,
 * the group may have fewer members. For px_events_ask. */
static void failure_heard(void *serial, pmix_status_t status, const pmix_info_t *results,
                          size_t nresults)
{
    struct px_invite *invite = heard_from(serial, status, results, nresults);
    const pmix_info_t *at = NULL;
    size_t before;

    if (invite == NULL || invite->closed) {
        return;
    }
    before = invite->invitees.n;
    invite->fewer = invite->fewer || nresults > 0;
    while ((at = px_infos_next(results, nresults, at, PMIX_PROCID)) != NULL) {
        struct px_procs procs = {NULL, 0};

        (void) px_value_procs(&at->value, &procs); /* a value of another type: none */
        for (size_t i = 0; i < procs.n; i++) {
            if (procs.at[i].rank <= PMIX_RANK_VALID) {
                (void) px_invitees_add(&invite->invitees,
                                       &procs.at[i]); /* without memory it is not invited */
            }
        }
    }
    if (invite->invitees.n > before) {
        px_invitation_limit(&invite->base, time_is_up); /* they have as much time */
    }
    invite_all(invite, before);
}

/* --- what invitees do --- */

/* The leader learns something of an invitee. True if that changes anything. The application's
 * handlers are asked about one that has failed; without memory they are not. The caller settles. */
static bool learn(struct px_invite *invite, struct px_invitee *invitee, enum px_invitee_news news)
{
    px_assert(!invite->closed);
    if (!px_invitees_learn(&invite->invitees, invitee, news)) {
        return false;
    }
    if (invitee->state == PX_FAILED &&
        px_invitation_tell(&invite->base, PMIX_GROUP_INVITE_FAILED, PMIX_EVENT_AFFECTED_PROC,
                           &invitee->proc, PMIX_PROC, failure_heard) == 0) {
        invite->waits++;
    }
    return true;
}

/* The time limit: all who have not answered have failed. */
static void time_is_up(struct px_timer *timer)
{
    struct px_invite *invite = px_container_of(timer, struct px_invite, base.timer);

    if (invite->n_resolved < invite->named.n) {
        px_invite_give_up(invite, PMIX_ERR_TIMEOUT); /* no invitation has been sent */
        return;
    }
    for (size_t i = 0; i < invite->invitees.n; i++) {
        (void) learn(invite, &invite->invitees.at[i], PX_IS_SILENT);
    }
    px_invite_settle(invite);
}

/* Sends the invitation to processes: the caller's directives, the data of this process, the list of
 * invitees (PX_KEY_INVITEES) and, if it continues another invitation, the identity of that
 * (PX_KEY_SUCCEEDS). 0, PMIX_ERR_NOMEM or an error of px_invite_notify. */
static int send_invitation(struct px_invite *invite, const struct px_proc_list *to)
{
    const struct px_invitees *invitees = &invite->invitees;
    struct px_proc_list others = {0};
    pmix_data_array_t array = {.type = PMIX_PROC};
    struct px_infos infos = {0};
    int rc =
        px_infos_append_all(&infos.info, &infos.n, invite->base.given.info, invite->base.given.n);

    for (size_t i = 1; i < invitees->n && rc == 0; i++) { /* the first is the leader */
        rc = px_proc_list_add(&others, &invitees->at[i].proc);
    }
    array.array = others.at;
    array.size = others.n;
    rc = rc != 0 ? rc
                 : px_infos_append(&infos.info, &infos.n, PX_KEY_INVITEES, &array, PMIX_DATA_ARRAY);
    if (rc == 0 && invite->succeeds != 0) {
        rc =
            px_infos_append(&infos.info, &infos.n, PX_KEY_SUCCEEDS, &invite->succeeds, PMIX_UINT64);
    }
    rc = rc == 0 ? px_invite_notify(invite, PMIX_GROUP_INVITED, to, &infos, NULL) : rc;
    px_proc_list_fini(&others);
    px_infos_fini(&infos);
    return rc;
}

/* Invites the invitees from that one on; those who have ended have failed already. The invitation
 * may be freed. */
static void invite_all(struct px_invite *invite, size_t from)
{
    struct px_proc_list to = {0};
    int rc = 0;

    for (size_t i = from; i < invite->invitees.n && rc == 0; i++) {
        struct px_invitee *invitee = &invite->invitees.at[i];

        if (invitee->state == PX_INVITED &&
            px_invitations_has_ended(invite->base.session, &invitee->proc)) {
            (void) learn(invite, invitee, PX_ENDS);
        } else if (invitee->state == PX_INVITED) {
            rc = px_proc_list_add(&to, &invitee->proc);
        }
    }
    if (rc == 0 && to.n > 0) {
        rc = send_invitation(invite, &to);
    }
    px_proc_list_fini(&to);
    if (rc != 0) {
        px_invite_give_up(invite, rc);
    } else {
        px_invite_settle(invite);
    }
}

/* True if an answer without an identity may be meant for the invitation: the sender has not
 * answered yet, and has named no other group. */
static bool may_answer(struct px_invite *invite, const struct px_invitation_event *at)
{
    const struct px_invitee *invitee = px_invitees_find(&invite->invitees, &at->event->source);

    return !invite->closed && invitee != NULL && invitee->state == PX_INVITED &&
           (at->group == NULL || strcmp(at->group, invite->base.group) == 0);
}

/* The invitation that an answer is for: that of its identity. Without one, if the answer is no
 * copy, the only one that it can be for. NULL: none. */
static struct px_invite *find_answered(struct px_session *session,
                                       const struct px_invitation_event *at)
{
    struct px_invite *found = NULL;

    px_list_for(struct px_invitation, one, &session->invites, link) {
        struct px_invite *invite = px_invite_of(one);

        if (at->id != 0 && one->id == at->id) {
            return invite;
        }
        if (at->id == 0 && at->live && may_answer(invite, at)) {
            if (found != NULL) {
                return NULL;
            }
            found = invite;
        }
    }
    return found;
}

/* Tells a process that its answer does not count, so that its call of PMIx_Group_join ends. */
static void refuse(struct px_session *session, const struct px_invitation_event *at)
{
    const struct px_procs to = {&at->event->source, 1};
    struct px_infos infos = {0};
    bool yes = true;

    if (at->group != NULL &&
        px_infos_append(&infos.info, &infos.n, PX_KEY_REFUSED, &yes, PMIX_BOOL) == 0) {
        (void) px_invitation_notify(session, at->group, at->id, PMIX_GROUP_CONSTRUCT_ABORT, &to,
                                    &infos, NULL);
    }
    px_infos_fini(&infos);
}

bool px_invite_answered(struct px_session *session, const struct px_invitation_event *at)
{
    bool accepts = at->event->code == PMIX_GROUP_INVITE_ACCEPTED;
    struct px_invite *invite = find_answered(session, at);
    struct px_invitee *invitee =
        invite != NULL ? px_invitees_find(&invite->invitees, &at->event->source) : NULL;
    bool was_in = invitee != NULL && invitee->state == PX_ACCEPTED;

    if (invitee == NULL || invite->closed || invitee->state == PX_FAILED) {
        if (at->live && accepts && !(was_in && invite->closed)) {
            refuse(session, at);
        }
        return false;
    }
    if (!learn(invite, invitee, accepts ? PX_ACCEPTS : PX_DECLINES)) {
        return false;
    }
    if (accepts && px_member_data_add_member(&invitee->given, &invitee->proc, at->event->info,
                                             at->event->ninfo) != 0) {
        px_invite_give_up(invite, PMIX_ERR_NOMEM);
        return false;
    }
    if (was_in && !accepts) {
        refuse(session, at); /* it waits no longer for an outcome */
    }
    if (px_invitation_ask(&invite->base, at->event, answer_heard) == 0) {
        invite->waits++;
    }
    px_invite_settle(invite);
    return true;
}

void px_invite_aborted(struct px_session *session, const struct px_invitation_event *at)
{
    const pmix_proc_t *source = &at->event->source;

    px_list_for(struct px_invitation, one, &session->invites, link) {
        struct px_invite *invite = px_invite_of(one);

        if (at->live && !invite->closed && (at->id == 0 || at->id == one->id) &&
            at->group != NULL && strcmp(at->group, one->group) == 0 &&
            px_invitees_find(&invite->invitees, source) != NULL) {
            px_invite_give_up(invite, PMIX_GROUP_CONSTRUCT_ABORT);
        }
    }
}

/* An invitee has ended, or each of a namespace. The leader itself, the first, has not. */
static void note_ended(struct px_invite *invite, const pmix_proc_t *ended)
{
    struct px_invitees *invitees = &invite->invitees;
    struct px_invitee *one = px_invitees_find(invitees, ended);

    if (ended->rank == PMIX_RANK_WILDCARD) {
        for (size_t i = 1; i < invitees->n; i++) {
            if (px_proc_covers(ended, &invitees->at[i].proc)) {
                (void) learn(invite, &invitees->at[i], PX_ENDS);
            }
        }
    } else if (one != NULL && one != invitees->at) {
        (void) learn(invite, one, PX_ENDS);
    }
}

void px_invite_lost(struct px_session *session, const pmix_proc_t *proc)
{
    px_list_for(struct px_invitation, one, &session->invites, link) {
        struct px_invite *invite = px_invite_of(one);

        if (!invite->closed) {
            note_ended(invite, proc);
            px_invite_settle(invite);
        }
    }
}

void px_invites_end(struct px_session *session)
{
    px_list_for(struct px_invitation, one, &session->invites, link) {
        px_invite_finish(px_invite_of(one), PMIX_ERR_LOST_CONNECTION, NULL);
    }
}

/* --- the call --- */

/* A number that grows: the time, or one more than the last. Unique beside the leader's name, also
 * when a process of that name has been started again. */
static uint64_t new_identity(void)
{
    static uint64_t last; /* loop thread */
    struct timespec now;
    uint64_t ns;

    (void) clock_gettime(CLOCK_REALTIME, &now);
    ns = (uint64_t) now.tv_sec * 1000000000U + (uint64_t) now.tv_nsec;
    last = ns > last ? ns : last + 1;
    return last;
}

static void resolve(struct px_invite *invite);

/* How many processes a namespace has: its wildcard becomes that many invitees. For ask_size. */
static void size_came(pmix_status_t status, pmix_value_t *value, void *serial)
{
    struct px_invite *invite = px_invite_find(serial);
    uint32_t n = 0;
    int rc = status;

    if (invite == NULL) {
        return;
    }
    invite->waits--;
    if (invite->closed) {
        return;
    }
    rc = rc == 0 ? px_value_u32(value, &n) : rc;
    if (rc == 0) {
        const pmix_proc_t *named = &invite->named.at[invite->n_resolved];

        rc = px_invitees_add_job(&invite->invitees, named->nspace, n);
    }
    if (rc != 0) {
        px_invite_finish(invite, rc, NULL);
        return;
    }
    invite->n_resolved++;
    resolve(invite);
}

/* Asks for the number of processes of a namespace: size_came follows, not from within. Statuses as
 * px_role_ops.get_nb. */
static int ask_size(struct px_invite *invite, const pmix_proc_t *proc)
{
    struct px_ctx *ctx = invite->base.session->ctx;
    struct px_completion kept;
    struct px_value_after *after =
        px_value_after_begin(ctx->loop, size_came, px_invite_serial(invite), &kept);

    return px_value_after_end(
        after, after != NULL ? ctx->ops->get_nb(ctx, proc, PMIX_JOB_SIZE, NULL, 0, &kept)
                             : PMIX_ERR_NOMEM);
}

/* Makes invitees of the processes that were named, each once, and invites them when that is done.
 * The invitation may be freed. */
static void resolve(struct px_invite *invite)
{
    int rc = 0;

    while (invite->n_resolved < invite->named.n && rc == 0) {
        const pmix_proc_t *proc = &invite->named.at[invite->n_resolved];

        if (proc->rank == PMIX_RANK_WILDCARD) {
            rc = ask_size(invite, proc);
            if (rc == 0) {
                invite->waits++;
                return;
            }
        } else {
            rc = px_invitees_add(&invite->invitees, proc);
            invite->n_resolved++;
        }
    }
    if (rc != 0) {
        px_invite_finish(invite, rc, NULL);
        return;
    }
    invite->n_wanted = invite->invitees.n;
    invite_all(invite, 0);
}

/* True if this process forms another group of that name, or an invitee's namespace has it. */
static bool is_in_use(const struct px_invite *invite)
{
    px_list_for(struct px_invitation, one, &invite->base.session->invites, link) {
        if (one != &invite->base && strcmp(one->group, invite->base.group) == 0) {
            return true;
        }
    }
    return px_group_name_is_taken(invite->base.session, invite->base.group) ||
           px_procs_have_nspace(invite->named.at, invite->named.n, invite->base.group);
}

/* Starts an invitation on the loop thread. */
static void run_invite(struct px_task *task)
{
    struct px_invite *invite = px_container_of(task, struct px_invite, base.task);
    struct px_session *session = invite->base.session;
    int rc;

    px_list_append(&session->invites, &invite->base.link);
    px_invitations_watch(session);
    invite->base.id = new_identity();
    rc = is_in_use(invite) ? PMIX_ERR_EXISTS
                           : px_member_data_add_endpoint(&invite->base.given, session);
    if (rc != 0) {
        px_invite_finish(invite, rc, NULL);
    } else {
        px_invitation_limit(&invite->base, time_is_up);
        resolve(invite);
    }
}

/* Keeps the processes, with groups replaced by their members. 0, PMIX_ERR_BAD_PARAM (a rank that is
 * neither a rank nor the wildcard), PMIX_ERR_NOT_FOUND, PMIX_ERR_NOMEM. */
static int take_procs(struct px_invite *invite, const pmix_proc_t *procs, size_t n)
{
    int rc = px_group_map_expand(invite->base.session, procs, n, &invite->named);

    if (rc == 1) {
        rc = 0;
        for (size_t i = 0; i < n && rc == 0; i++) {
            rc = px_proc_list_add(&invite->named, &procs[i]);
        }
    }
    for (size_t i = 0; i < invite->named.n && rc == 0; i++) {
        pmix_rank_t rank = invite->named.at[i].rank;

        rc = rank <= PMIX_RANK_VALID || rank == PMIX_RANK_WILDCARD ? 0 : PMIX_ERR_BAD_PARAM;
    }
    return rc;
}

/* Reads the directives. 0 or PMIX_ERR_BAD_PARAM. */
static int take_directives(struct px_invite *invite, const pmix_info_t *info, size_t ninfo)
{
    struct px_group_invite_directives directives;
    int rc = px_group_invite_read(info, ninfo, &directives);

    if (rc != 0) {
        return rc;
    }
    invite->optional = directives.optional;
    if (directives.assign_context_id != NULL) {
        invite->wants_id = px_value_true(&directives.assign_context_id->value);
        invite->requires_id = (directives.assign_context_id->flags & PMIX_INFO_REQD) != 0;
    }
    return 0;
}

/* The rest happens on the loop thread. */
pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        const struct px_completion *to)
{
    struct px_session *session = px_session(ctx);
    struct px_invite *invite;
    int rc;

    if (px_session_server(session) == NULL) {
        return PMIX_ERR_UNREACH;
    }
    invite = calloc(1, sizeof(*invite));
    if (invite == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = take_directives(invite, info, ninfo);
    rc = rc == 0 ? px_invitation_init(&invite->base, session, group, info, ninfo, to) : rc;
    if (rc != 0) {
        free(invite);
        return rc;
    }
    rc = take_procs(invite, procs, nprocs);
    rc = rc == 0 ? px_invitees_add(&invite->invitees, &ctx->self) : rc;
    if (rc != 0) {
        px_invite_free(invite);
        return rc;
    }
    (void) px_invitees_learn(&invite->invitees, invite->invitees.at, PX_ACCEPTS);
    invite->base.task.run = run_invite;
    px_loop_post(ctx->loop, &invite->base.task);
    return PMIX_SUCCESS;
}

/* --- in place of a leader that was lost --- */

static struct px_invite *find_by_identity(struct px_session *session, uint64_t id)
{
    px_list_for(struct px_invitation, one, &session->invites, link) {
        if (one->id == id) {
            return px_invite_of(one);
        }
    }
    return NULL;
}

int px_invite_succeed(const struct px_invited *invited, const struct px_infos *given,
                      uint64_t *ret_id)
{
    const struct px_infos *directives = &invited->directives;
    struct px_session *session = invited->session;
    const pmix_proc_t *self = &session->ctx->self;
    uint64_t id = new_identity();
    const struct px_completion to = {.done = px_join_led, .cbdata = (void *) (uintptr_t) id};
    struct px_invite *invite = calloc(1, sizeof(*invite));
    int rc = invite != NULL ? px_invitation_init(&invite->base, session, invited->group,
                                                 directives->info, directives->n, &to)
                            : PMIX_ERR_NOMEM;

    if (rc != 0) {
        free(invite);
        return rc;
    }
    invite->base.id = id;
    invite->succeeds = invited->id;
    px_list_append(&session->invites, &invite->base.link);
    rc = is_in_use(invite) ? PMIX_ERR_EXISTS
                           : take_directives(invite, directives->info, directives->n);
    rc = rc != 0 ? rc : px_member_data_add_member(&invite->base.given, self, given->info, given->n);
    rc = rc == 0 ? px_invitees_add(&invite->invitees, self) : rc;
    for (size_t i = 0; i < invited->votes.n && rc == 0; i++) {
        rc = px_invitees_add(&invite->invitees, &invited->votes.procs[i]);
    }
    if (rc != 0) {
        px_invite_free(invite);
        return rc;
    }
    (void) px_invitees_learn(&invite->invitees, invite->invitees.at, PX_ACCEPTS);
    *ret_id = id;
    return 0;
}

void px_invite_start(const struct px_invited *invited, uint64_t id)
{
    struct px_invite *invite = find_by_identity(invited->session, id);
    const struct px_votes *votes = &invited->votes;

    px_assert(invite != NULL);
    px_invitation_limit(&invite->base, time_is_up);
    invite->n_wanted = invite->invitees.n;
    for (size_t i = 0; i < votes->n; i++) {
        if (votes->said[i] == PX_SILENT) {
            (void) learn(invite, px_invitees_find(&invite->invitees, &votes->procs[i]),
                         PX_IS_SILENT);
        }
    }
    invite_all(invite, 0);
}

bool px_invite_is_open(struct px_session *session, uint64_t id)
{
    return find_by_identity(session, id) != NULL;
}

void px_invite_withdraw(struct px_session *session, uint64_t id)
{
    struct px_invite *invite = find_by_identity(session, id);

    if (invite != NULL && !invite->closed) {
        px_invite_give_up(invite, PMIX_ERR_TIMEOUT);
    }
}
