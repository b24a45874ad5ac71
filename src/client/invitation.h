/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITATION_H
#define PX_CLIENT_INVITATION_H

/* A group being formed by invitation: what its leader (invite.h) and an invitee (join.h) have in
 * common. They talk by events only, which servers pass on:
 *
 *     leader   -> invitees   PMIX_GROUP_INVITED
 *     invitee  -> leader     PMIX_GROUP_INVITE_ACCEPTED, PMIX_GROUP_INVITE_DECLINED
 *     leader   -> members    PMIX_GROUP_CONSTRUCT_COMPLETE, or to all PMIX_GROUP_CONSTRUCT_ABORT
 *     invitees -> each other PMIX_GROUP_LEADER_FAILED, when the leader is lost (succession.h)
 *
 * An invitation has an identity, which its events carry (PX_KEY_INVITATION): events of another
 * invitation of the same group id, and copies of old events, have no effect. The identities of a
 * leader grow. Clients of other libraries send none; what counts then is said at each place. Loop
 * thread, except where stated. */

#include "member_data.h"
#include "session.h"
#include "src/event/registry.h"
#include "src/request/schema.h"

struct px_event;
struct px_procs;
struct px_session;

/* The identity of an invitation, a PMIX_UINT64 beside the leader's name. */
#define PX_KEY_INVITATION "shmix.invitation"
/* In PMIX_GROUP_INVITED: the processes that are invited but for the leader, a PMIX_DATA_ARRAY; and
 * the identity of the invitation that this one continues, whose leader was lost, a PMIX_UINT64. */
#define PX_KEY_INVITEES "shmix.invitees"
#define PX_KEY_SUCCEEDS "shmix.succeeds"
/* In PMIX_GROUP_LEADER_FAILED: what an invitee says (enum px_vote), a PMIX_UINT32; such an event is
 * the library's own. */
#define PX_KEY_SUCCESSION "shmix.succession"
/* In PMIX_GROUP_CONSTRUCT_ABORT: the leader refuses the receiver's answer, since the invitation is
 * over or was never made. A PMIX_BOOL; such an event is the library's own. */
#define PX_KEY_REFUSED "shmix.refused"

/* Either side of an invitation, first member of px_invite and of px_join. In a list of the session
 * from the moment when its task runs. */
struct px_invitation {
    struct px_list link;
    struct px_task task; /* carries the call to the loop thread */
    struct px_timer timer;
    struct px_session *session;
    char *group;
    uint64_t id; /* the identity; 0: the leader gave none */
    /* Callbacks that come later hold this number in place of a pointer, since the invitation may be
     * over by then. Never reused. */
    uint64_t serial;
    uint64_t timeout_ms;     /* 0: none */
    struct px_infos given;   /* what this process gives to the other side */
    struct px_completion to; /* without `done`: the call has been answered */
};

/* An event that belongs to an invitation. */
struct px_invitation_event {
    const struct px_event *event;
    const char *group; /* borrowed; NULL: not given */
    uint64_t id;       /* 0: not given */
    bool live;         /* it is not a copy from the server's cache */
};

/* Fills the common part; `given` is the caller's infos, with group information in the name of this
 * process. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (a time limit of a wrong type); on failure there
 * is nothing to release. Any thread. */
int px_invitation_init(struct px_invitation *invitation, struct px_session *session,
                       const char *group, const pmix_info_t *info, size_t ninfo,
                       const struct px_completion *to);
/* Takes it off its list and releases what the common part owns. */
void px_invitation_fini(struct px_invitation *invitation);

/* Ends the completion of the call, if it has not been: with those of the results that are meant for
 * the application (NULL: none). */
void px_invitation_answer(struct px_invitation *invitation, pmix_status_t status,
                          const struct px_infos *results);

/* Starts the timer if there is a time limit. Without memory the wait has no limit. */
void px_invitation_limit(struct px_invitation *invitation, void (*fire)(struct px_timer *timer));

/* Raises an event for processes with the group's name, the identity and the infos. `done` may be
 * NULL; it is called with the server's status, unless this fails. 0 or an error of
 * px_client_notify. */
int px_invitation_notify(struct px_session *session, const char *group, uint64_t id,
                         pmix_status_t code, const struct px_procs *to,
                         const struct px_infos *infos, const struct px_completion *done);

/* Gives an event to the application's handlers; `verdict` (may be NULL) is called with the serial
 * number when they have completed. 0; PMIX_ERR_NOMEM or PMIX_ERR_INIT: they are not called. */
int px_invitation_ask(const struct px_invitation *invitation, const struct px_event *event,
                      px_verdict_fn verdict);
/* An event that this process raises for itself, with the group's name and infos; `verdict` as
 * above, called with that serial number. */
int px_invitation_raise(struct px_session *session, const char *group, pmix_status_t code,
                        const pmix_proc_t *source, const struct px_infos *more,
                        px_verdict_fn verdict, uint64_t serial);
/* The same with one info. The source is the process in the info, else this one. */
int px_invitation_tell(const struct px_invitation *invitation, pmix_status_t code, const char *key,
                       const void *data, pmix_data_type_t type, px_verdict_fn verdict);

/* The leader's and the invitee's handlers of an event. True: the event has been delivered to the
 * application's handlers, or is not for them. */
bool px_invitations_event(struct px_session *session, const struct px_event *event, bool live);
/* The application itself raises an event: an abort ends the invitations of the group that this
 * process leads. */
void px_invitations_own_event(const struct px_event *event);

/* True if the name is that of a namespace or a group that this process knows. */
bool px_group_name_is_taken(struct px_session *session, const char *group);
/* True if the process is known to have ended. This process itself never is: such news are of one
 * that had its name before, or are false. */
bool px_invitations_has_ended(struct px_session *session, const pmix_proc_t *proc);
/* True if the end of `ended`, perhaps of a whole namespace, is that of the process; likewise. */
bool px_invitation_ends(const struct px_session *session, const pmix_proc_t *ended,
                        const pmix_proc_t *proc);

/* Makes the server send us the events of invitations, and those of processes that end. Done
 * once. */
void px_invitations_watch(struct px_session *session);
/* True if invitations need events with this code, so that its registration at the server must stay
 * whatever the application deregisters. */
bool px_invitations_want(const struct px_session *session, pmix_status_t code);
/* Another server has become primary: registers there what invitations wait for. */
void px_invitations_watch_again(struct px_session *session);

/* No server is connected any more: ends all calls with PMIX_ERR_LOST_CONNECTION, and forgets the
 * invitations that have come. */
void px_invitations_lost(struct px_session *session);
/* The same at the end of the session, which watches no longer. Any thread but the loop's; does
 * nothing in a forked child. */
void px_invitations_fini(struct px_session *session);

/* The session that has invitations, for callbacks that hold a serial number. NULL: it has ended. */
struct px_session *px_invitations_session(void);

#endif
