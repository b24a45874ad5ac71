/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITE_OUTCOME_H
#define PX_CLIENT_INVITE_OUTCOME_H

/* An invitation as its leader sees it, and how it ends: with a group, or for nothing. Functions
 * that end it free it. Loop thread. */

#include "invitation.h"
#include "invitees.h"

#include "src/value/proc_list.h"

/* In session->invites. */
struct px_invite {
    struct px_invitation base;
    struct px_proc_list named;   /* as the application named them, groups replaced */
    size_t n_resolved;           /* of these, those that are invitees by now */
    struct px_invitees invitees; /* the leader itself is the first, and has accepted */
    uint64_t succeeds;           /* the invitation that this one continues; 0: none */
    size_t n_wanted;             /* invitees before any was replaced */
    unsigned waits;              /* callbacks that have to come before it can be settled */
    bool optional;               /* PMIX_GROUP_OPTIONAL: fewer members are fine */
    bool fewer;                  /* a handler has let the group go on with fewer members */
    bool wants_id;               /* a context id is to be asked for */
    bool requires_id;
    bool closed; /* the outcome is decided */
    pmix_status_t outcome;
};

/* The invitation of a link of the list. */
struct px_invite *px_invite_of(struct px_invitation *base);
/* What a callback that comes later is given, and the invitation that it is for; NULL: it is over.
 */
void *px_invite_serial(const struct px_invite *invite);
struct px_invite *px_invite_find(const void *serial);

/* Raises an event for processes, with the infos (NULL: none). Nobody: nothing is raised. 0 or an
 * error of px_invitation_notify. */
int px_invite_notify(struct px_invite *invite, pmix_status_t code, const struct px_proc_list *to,
                     const struct px_infos *infos, const struct px_completion *done);

/* Answers the call, and frees the invitation. */
void px_invite_finish(struct px_invite *invite, pmix_status_t status,
                      const struct px_infos *results);
/* No group is made: all who were invited are told, and the leader's own handlers. */
void px_invite_give_up(struct px_invite *invite, pmix_status_t status);
/* Ends the invitation if everybody has answered and no callback is waited for. The caller must not
 * use it afterwards. */
void px_invite_settle(struct px_invite *invite);
/* Frees an invitation; its call is not answered. */
void px_invite_free(struct px_invite *invite);

#endif
