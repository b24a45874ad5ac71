/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITATION_H
#define PX_CLIENT_INVITATION_H

#include "session.h"
#include "src/event/registry.h"

struct px_event;
struct px_session;

/* A group being formed by invitation, as its leader or an invitee sees it. Loop thread. */

enum px_invitee_state { PX_INVITED, PX_ACCEPTED, PX_FAILED };

struct px_invitee {
    pmix_proc_t proc;
    enum px_invitee_state state;
};

struct px_invitation {
    struct px_list link; /* in session->groups */
    struct px_task task; /* on its way to the loop */
    struct px_timer timer;
    struct px_session *session;
    char *group;
    bool leading;
    pmix_proc_t leader;          /* invitees */
    pmix_group_opt_t answer;     /* invitees */
    struct px_invitee *invitees; /* leader; it is one itself */
    size_t n_invitees;
    bool optional;       /* leader: fewer members are fine */
    bool allowed_fewer;  /* leader: a handler has let the group go on with fewer */
    bool posted_added;   /* leader: its own posted data are among `given` */
    bool over;           /* has been answered */
    unsigned n_deciding; /* leader: handlers that have not yet said what to do about a failure */
    uint64_t timeout_ms;
    pmix_info_t *given; /* what everybody gave, for the members; the caller's first */
    size_t n_given;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

struct px_invitation *px_invitation_create(struct px_session *session, const char *group,
                                           const pmix_info_t *info, size_t ninfo);
/* Off its list and freed, once no handler is deciding any more. */
void px_invitation_release(struct px_invitation *invitation);
void px_invitation_free(struct px_invitation *invitation);
/* Calls back, once. Results may be NULL. */
void px_invitation_answer(struct px_invitation *invitation, pmix_status_t status,
                          const pmix_info_t *results, size_t n);

/* Makes the server send us the events of invitations. */
void px_invitation_watch(struct px_session *session);

/* An event about this group to these processes. extra entries are borrowed. */
int px_invitation_notify(struct px_invitation *invitation, pmix_status_t code,
                         const pmix_proc_t *to, size_t n_to, const pmix_info_t *extra,
                         size_t n_extra);

/* Adds to `given` what this process has posted for other nodes, if anything, as an entry that
 * others can store. */
int px_invitation_add_endpoint(struct px_invitation *invitation);
/* Stores such entries among those of an event. */
void px_invitation_store_endpoints(struct px_session *session, const pmix_info_t *info,
                                   size_t ninfo);

/* Groups by invitation live in events (invitation.c). Loop thread. True: the event was ours alone.
 */
bool px_invitations_event(struct px_session *session, const struct px_event *event);

/* Do invitations need this code, whatever the application's handlers do? */
bool px_invitations_watch(const struct px_session *session, pmix_status_t code);

/* Another server is primary: what invitations wait for is asked of it as well. Loop thread. */
void px_groups_watch_again(struct px_session *session);

/* Not on the loop thread. */
void px_invitations_fini(struct px_session *session);

#endif
