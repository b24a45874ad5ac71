/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITED_H
#define PX_CLIENT_INVITED_H

/* The invitations that have come to this process: the newest of each leader to each group. Loop
 * thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/list.h"
#include "src/loop/watch.h"
#include "src/request/schema.h"
#include "votes.h"

struct px_invitation_event;
struct px_session;

/* In session->invited. */
struct px_invited {
    struct px_list link;
    struct px_session *session;
    pmix_proc_t leader;
    uint64_t id;     /* 0: the leader's library gives none */
    uint64_t serial; /* for callbacks that come later; never reused */
    bool over;       /* its outcome has come */
    bool declined;
    bool stray; /* the outcome has ended a call that did not know the invitation's identity: its
                   answer may count for another invitation of the leader */
    char group[PMIX_MAX_NSLEN + 1];
    struct px_infos directives; /* the leader's, for one that takes its place */
    /* When the leader has been lost (succession.h). */
    struct px_votes votes;
    struct px_timer timer;
    bool begun;            /* this process takes part in the election */
    bool asking;           /* its handlers have not completed yet */
    bool no_part;          /* it has told others that it claims nothing */
    pmix_proc_t successor; /* who invites in place of the leader; with successor_id */
    uint64_t successor_id; /* 0: nobody yet */
};

/* The invitation of that leader to the group, or NULL. */
struct px_invited *px_invited_find(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader);
/* The same by identity and group, whoever leads; by the serial number. NULL: none. */
struct px_invited *px_invited_of(struct px_session *session, const char *group, uint64_t id);
struct px_invited *px_invited_by_serial(struct px_session *session, uint64_t serial);

/* The same as px_invited_find; if there is none, a new one. NULL: no memory, or the name is none.
 */
struct px_invited *px_invited_make(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader);

/* Takes in PMIX_GROUP_INVITED. The record, if the invitation is newer than what was known of that
 * leader and group; NULL: it is not, or is not known here for want of memory or a name. */
struct px_invited *px_invited_take(struct px_session *session,
                                   const struct px_invitation_event *at);

/* Forgets all. */
void px_invited_end(struct px_session *session);

#endif
