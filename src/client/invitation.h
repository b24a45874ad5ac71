/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITATION_H
#define PX_CLIENT_INVITATION_H

/* A group being formed by invitation, as its leader or an invitee sees it: PMIx_Group_invite and
 * PMIx_Group_join. Leader and invitees talk by events only. This file has what both sides share;
 * invite.h has the calls and what each side does. Loop thread, except where stated. */

#include "session.h"
#include "src/event/registry.h"

struct px_event;
struct px_session;

/* What an invitee has done, as the leader knows. PX_FAILED: declined, ended, or did not answer. */
enum px_invitee_state { PX_INVITED, PX_ACCEPTED, PX_FAILED };

/* One invitee as the leader sees it. */
struct px_invitee {
    pmix_proc_t proc;
    enum px_invitee_state state;
};

/* One group being formed. Made by the API call, handed to the loop thread by its task, in
 * px_session.invitations from then on, freed by px_invitation_release. */
struct px_invitation {
    struct px_list link; /* in session->invitations */
    struct px_task task; /* carries a new invitation to the loop thread */
    /* Runs out if the other side does not answer in time; not started without a PMIX_TIMEOUT. */
    struct px_timer timer;
    struct px_session *session;
    char *group;
    bool leading; /* this process is the leader; else an invitee */

    /* Of an invitee: who has invited, and this process's answer. */
    pmix_proc_t leader;
    pmix_group_opt_t answer;

    /* Of the leader: all invitees; the leader itself is the first. */
    struct px_invitee *invitees;
    size_t n_invitees;
    bool optional;       /* PMIX_GROUP_OPTIONAL: fewer members are fine */
    bool allowed_fewer;  /* a handler has let the group go on with fewer members */
    bool endpoint_added; /* the leader's own put values are among `given` */
    bool over;           /* the application's call has been answered (both sides) */
    /* Handlers of PMIX_GROUP_INVITE_FAILED that have not decided yet; each holds a pointer to this
     * struct. */
    unsigned n_deciding;

    uint64_t timeout_ms;
    /* Infos for the other side: the caller's directives first, then this process's put values; at
     * the leader also what the invitees gave, and at the end the members. */
    pmix_info_t *given;
    size_t n_given;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

/* An invitation with copies of its arguments, in no list yet. NULL: no memory. Any thread. */
struct px_invitation *px_invitation_create(struct px_session *session, const char *group,
                                           const pmix_info_t *info, size_t ninfo);
/* Takes the invitation off its list and stops its timer. Frees it, or leaves that to the last
 * handler that is still deciding (n_deciding). */
void px_invitation_release(struct px_invitation *invitation);
/* Frees an invitation that is in no list. Any thread. */
void px_invitation_free(struct px_invitation *invitation);
/* Calls the application back, once: later calls do nothing. On success enters the group in the
 * group map. The results are copied for the callback, which releases them; NULL, 0: none. Without
 * memory the callback's status is PMIX_ERR_NOMEM. */
void px_invitation_answer(struct px_invitation *invitation, pmix_status_t status,
                          const pmix_info_t *results, size_t n);

/* Makes the server send us the events of invitations. Done once. */
void px_invitation_watch(struct px_session *session);

/* Raises an event about this group for the given processes, with PMIX_GROUP_ID and the extra infos,
 * which are borrowed. 0 or an error of px_client_notify. */
int px_invitation_notify(struct px_invitation *invitation, pmix_status_t code,
                         const pmix_proc_t *to, size_t n_to, const pmix_info_t *extra,
                         size_t n_extra);

/* Adds to `given` the values that this process has put for other nodes, if any, as one
 * PMIX_GROUP_ENDPT_DATA that the others store. 0, PMIX_ERR_NOMEM or an error of packing. */
int px_invitation_add_endpoint(struct px_invitation *invitation);
/* Stores all PMIX_GROUP_ENDPT_DATA among the infos as committed data of their processes. What does
 * not parse is skipped. Any thread. */
void px_invitation_store_endpoints(struct px_session *session, const pmix_info_t *info,
                                   size_t ninfo);

/* Acts on an event of the server that concerns an invitation; the event goes to the application's
 * handlers, too. */
void px_invitations_event(struct px_session *session, const struct px_event *event);

/* True if invitations need events with this code, so that its registration at the server must stay
 * whatever the application deregisters. */
bool px_invitations_watch(const struct px_session *session, pmix_status_t code);

/* Another server has become primary: registers there the events that invitations wait for. */
void px_groups_watch_again(struct px_session *session);

/* Ends all invitations with PMIX_ERR_LOST_CONNECTION. Any thread but the loop's; does nothing in a
 * forked child. */
void px_invitations_fini(struct px_session *session);

#endif
