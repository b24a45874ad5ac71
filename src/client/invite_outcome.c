/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invite_outcome.h"

#include <stdlib.h>

#include "group_map.h"
#include "request.h"
#include "src/base/assert.h"
#include "src/event/chain.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/number.h"

struct px_invite *px_invite_of(struct px_invitation *base)
{
    return px_container_of(base, struct px_invite, base);
}

void *px_invite_serial(const struct px_invite *invite)
{
    return (void *) (uintptr_t) invite->base.serial;
}

struct px_invite *px_invite_find(const void *serial)
{
    struct px_session *session = px_invitations_session();

    if (session != NULL) {
        px_list_for(struct px_invitation, at, &session->invites, link) {
            if (at->serial == (uintptr_t) serial) {
                return px_invite_of(at);
            }
        }
    }
    return NULL;
}

void px_invite_free(struct px_invite *invite)
{
    px_invitation_fini(&invite->base);
    px_proc_list_fini(&invite->named);
    px_invitees_fini(&invite->invitees);
    free(invite);
}

int px_invite_notify(struct px_invite *invite, pmix_status_t code, const struct px_proc_list *to,
                     const struct px_infos *infos, const struct px_completion *done)
{
    static const struct px_infos none = {0};
    const struct px_procs procs = {to->at, to->n};

    return to->n == 0
               ? 0
               : px_invitation_notify(invite->base.session, invite->base.group, invite->base.id,
                                      code, &procs, infos != NULL ? infos : &none, done);
}

/* --- the outcome --- */

void px_invite_finish(struct px_invite *invite, pmix_status_t status,
                      const struct px_infos *results)
{
    px_invitation_answer(&invite->base, status, results);
    px_invite_free(invite);
}

void px_invite_give_up(struct px_invite *invite, pmix_status_t status)
{
    struct px_proc_list to = {0};

    invite->closed = true;
    if (px_invitees_gather(&invite->invitees, PX_INVITED, &to) == 0 &&
        px_invitees_gather(&invite->invitees, PX_ACCEPTED, &to) == 0 &&
        px_invitees_gather(&invite->invitees, PX_FAILED, &to) == 0) {
        (void) px_invite_notify(invite, PMIX_GROUP_CONSTRUCT_ABORT, &to, NULL, NULL);
    }
    px_proc_list_fini(&to);
    (void) px_invitation_tell(&invite->base, PMIX_GROUP_CONSTRUCT_COMPLETE,
                              PMIX_LOCAL_COLLECTIVE_STATUS, &status, PMIX_STATUS, NULL);
    px_invite_finish(invite, status, NULL);
}

/* The server has answered the event of completion. If it took the event, it passes it on, also when
 * this process ends. If it refused the event, no member learns of the group from it: the invitation
 * is given up, and all are told. For px_completion. */
static void announced(const struct px_completion *to, struct px_reply *reply)
{
    struct px_invite *invite = px_invite_find(to->cbdata);

    if (invite == NULL) {
        return;
    }
    if (reply->status != PMIX_SUCCESS && reply->status != PMIX_OPERATION_SUCCEEDED) {
        px_group_map_remove(invite->base.session, invite->base.group);
        px_invite_give_up(invite, reply->status);
        return;
    }
    px_invite_finish(invite, invite->outcome, &invite->base.given);
}

/* Adds the members, the data of those who were invited, and the status to what the members get. 0
 * or PMIX_ERR_NOMEM. */
static int add_outcome(struct px_invite *invite, const struct px_proc_list *members)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = members->n, .array = members->at};
    struct px_infos *given = &invite->base.given;
    int rc =
        px_infos_append(&given->info, &given->n, PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY);

    for (size_t i = 0; i < invite->invitees.n && rc == 0; i++) {
        struct px_invitee *invitee = &invite->invitees.at[i];

        if (invitee->state == PX_ACCEPTED) {
            rc = px_infos_append_take(&given->info, &given->n, invitee->given.info,
                                      invitee->given.n);
            invitee->given = (struct px_infos){0};
        }
    }
    return rc != 0 ? rc
                   : px_infos_append(&given->info, &given->n, PMIX_LOCAL_COLLECTIVE_STATUS,
                                     &invite->outcome, PMIX_STATUS);
}

/* Those who did not accept need not answer any more: an event that is the library's own. */
static void dismiss_others(struct px_invite *invite)
{
    struct px_proc_list to = {0};
    struct px_infos infos = {0};
    bool yes = true;

    if (px_invitees_gather(&invite->invitees, PX_FAILED, &to) == 0 &&
        px_infos_append(&infos.info, &infos.n, PX_KEY_REFUSED, &yes, PMIX_BOOL) == 0) {
        (void) px_invite_notify(invite, PMIX_GROUP_CONSTRUCT_ABORT, &to, &infos, NULL);
    }
    px_infos_fini(&infos);
    px_proc_list_fini(&to);
}

/* Makes the group of those who have accepted: it is known here, handlers and callbacks may name it,
 * before any of them is called. */
static void construct(struct px_invite *invite)
{
    const struct px_completion done = {.done = announced, .cbdata = px_invite_serial(invite)};
    struct px_infos *given = &invite->base.given;
    struct px_session *session = invite->base.session;
    struct px_proc_list members = {0};
    int rc = px_invitees_gather(&invite->invitees, PX_ACCEPTED, &members);

    px_assert(rc != 0 || members.n > 0); /* the leader */
    invite->closed = true;
    invite->outcome = members.n < invite->n_wanted ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS;
    px_timer_stop_loop(&invite->base.timer);
    rc = rc == 0 ? add_outcome(invite, &members) : rc;
    if (rc == 0) {
        px_member_data_store(session, given->info, given->n);
        px_group_map_add(session, invite->base.group, false, given->info, given->n);
        dismiss_others(invite);
        rc = px_invite_notify(invite, PMIX_GROUP_CONSTRUCT_COMPLETE, &members, given, &done);
    }
    px_proc_list_fini(&members);
    if (rc != 0) {
        px_group_map_remove(session, invite->base.group);
        px_invite_give_up(invite, rc);
    }
}

/* There is no context id, for this reason. The group is made all the same, unless the caller
 * requires one. */
static void go_on_without_id(struct px_invite *invite, pmix_status_t why)
{
    if (invite->requires_id && !invite->closed) {
        px_invite_give_up(invite, why);
    } else {
        px_invite_settle(invite);
    }
}

/* The host's answer. For px_completion. */
static void id_came(const struct px_completion *to, struct px_reply *reply)
{
    struct px_invite *invite = px_invite_find(to->cbdata);
    const pmix_value_t *value = px_info_find(reply->info, reply->ninfo, PMIX_GROUP_CONTEXT_ID);
    pmix_status_t why = reply->status != PMIX_SUCCESS ? reply->status : PMIX_ERR_NOT_SUPPORTED;
    struct px_integer number;
    size_t id;

    if (invite == NULL) {
        return;
    }
    invite->waits--;
    if (reply->status == PMIX_SUCCESS && value != NULL && px_value_integer(value, &number) &&
        !number.negative) {
        id = number.magnitude;
        if (px_infos_append(&invite->base.given.info, &invite->base.given.n, PMIX_GROUP_CONTEXT_ID,
                            &id, PMIX_SIZE) != 0) {
            why = PMIX_ERR_NOMEM;
        } else {
            px_invite_settle(invite);
            return;
        }
    }
    go_on_without_id(invite, why);
}

/* Asks the host for a context id, by job control without targets, as clients of OpenPMIx do. 0 or
 * an error of px_request_send. */
static int ask_id(struct px_invite *invite)
{
    const struct px_completion done = {.done = id_came, .cbdata = px_invite_serial(invite)};
    struct px_job_control_args args = {.procs = NULL};
    struct px_infos infos = {0};
    bool yes = true;
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);

    if (rc == 0) {
        rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, invite->base.group, PMIX_STRING);
    }
    args.head = (struct px_args){infos.info, infos.n};
    rc = rc == 0 ? px_request_send(invite->base.session, &px_request_job_control, &args.head, &done)
                 : rc;
    px_infos_fini(&infos);
    return rc;
}

void px_invite_settle(struct px_invite *invite)
{
    int rc;

    if (invite->closed || invite->waits > 0 ||
        px_invitees_count(&invite->invitees, PX_INVITED) > 0) {
        return;
    }
    if (px_invitees_count(&invite->invitees, PX_FAILED) > 0 && !invite->optional &&
        !invite->fewer) {
        px_invite_give_up(invite, PMIX_GROUP_CONSTRUCT_ABORT);
    } else if (invite->wants_id) {
        invite->wants_id = false;
        invite->waits++;
        rc = ask_id(invite);
        if (rc != 0) {
            invite->waits--;
            go_on_without_id(invite, rc);
        }
    } else {
        construct(invite);
    }
}
