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
    bool over;       /* its outcome has come, or that of its successor (px_invited_close) */
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
    pmix_proc_t successor; /* the process that invites in place of the leader; with successor_id */
    uint64_t successor_id; /* the identity of its invitation; 0: there is none yet */
};

/* The invitation of that leader to the group, or NULL. */
struct px_invited *px_invited_find(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader);
/* The invitation of that identity to the group, of any leader, or NULL. */
struct px_invited *px_invited_of(struct px_session *session, const char *group, uint64_t id);
/* The invitation of that serial number, or NULL. */
struct px_invited *px_invited_by_serial(struct px_session *session, uint64_t serial);

/* The same as px_invited_find; if there is none, a new one. NULL: memory is out, or the name is
 * NULL or too long. */
struct px_invited *px_invited_make(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader);

/* Notes an event PMIX_GROUP_INVITED. Returns the record if the invitation is newer than the one of
 * that leader and group; NULL: it is older, has no valid name, or memory is out. */
struct px_invited *px_invited_take(struct px_session *session,
                                   const struct px_invitation_event *at);

/* Its outcome has come: nothing is kept of it but that. */
void px_invited_close(struct px_invited *invited);
/* The same for those whose successor's invitation, which this process has made, is the one of that
 * identity. */
void px_invited_close_led(struct px_session *session, uint64_t successor_id);

/* Forgets all. */
void px_invited_end(struct px_session *session);

#endif
