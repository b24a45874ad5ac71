/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invited.h"

#include <stdlib.h>
#include <string.h>

#include "invitation.h"
#include "session.h"
#include "src/base/assert.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* How many invitations are remembered; the oldest are forgotten, those that are over first. */
enum { MAX_INVITED = 1024 };

/* Releases what nothing needs after the outcome: timer, directives and votes. */
static void release_terms(struct px_invited *invited)
{
    px_timer_stop_loop(&invited->timer);
    px_infos_fini(&invited->directives);
    px_votes_fini(&invited->votes);
}

static void forget(struct px_invited *invited)
{
    px_list_remove(&invited->link);
    invited->session->n_invited--;
    release_terms(invited);
    free(invited);
}

/* Forgets one that is not `kept`. */
static void forget_oldest(struct px_session *session, const struct px_invited *kept)
{
    struct px_invited *oldest = NULL;

    px_list_for(struct px_invited, invited, &session->invited, link) {
        if (invited != kept && (oldest == NULL || (invited->over && !oldest->over))) {
            oldest = invited;
        }
    }
    if (oldest != NULL) {
        forget(oldest);
    }
}

struct px_invited *px_invited_find(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        if (px_proc_equal(&invited->leader, leader) && strcmp(invited->group, group) == 0) {
            return invited;
        }
    }
    return NULL;
}

struct px_invited *px_invited_of(struct px_session *session, const char *group, uint64_t id)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        if (id != 0 && invited->id == id && strcmp(invited->group, group) == 0) {
            return invited;
        }
    }
    return NULL;
}

struct px_invited *px_invited_by_serial(struct px_session *session, uint64_t serial)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        if (invited->serial == serial) {
            return invited;
        }
    }
    return NULL;
}

struct px_invited *px_invited_make(struct px_session *session, const char *group,
                                   const pmix_proc_t *leader)
{
    static uint64_t last_serial; /* loop thread */
    struct px_invited *invited;

    if (group == NULL || strlen(group) > PMIX_MAX_NSLEN) {
        return NULL;
    }
    invited = px_invited_find(session, group, leader);
    if (invited != NULL) {
        return invited;
    }
    invited = calloc(1, sizeof(*invited));
    if (invited == NULL) {
        return NULL;
    }
    invited->session = session;
    invited->leader = *leader;
    invited->serial = ++last_serial;
    memcpy(invited->group, group, strlen(group) + 1);
    px_list_append(&session->invited, &invited->link);
    session->n_invited++;
    if (session->n_invited > MAX_INVITED) {
        forget_oldest(session, invited);
    }
    return invited;
}

/* Keeps the directives and the other invitees of the invitation, for a process that takes the place
 * of the leader. Without memory the votes are empty, and no process can (px_succession_possible).
 */
static void keep_terms(struct px_invited *invited, const struct px_event *event)
{
    static const char *const keys[] = {PMIX_GROUP_OPTIONAL, PMIX_GROUP_ASSIGN_CONTEXT_ID,
                                       PMIX_TIMEOUT};
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PX_KEY_INVITEES);
    struct px_infos *kept = &invited->directives;
    struct px_procs procs = {NULL, 0};

    release_terms(invited);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const pmix_info_t *info = px_infos_next(event->info, event->ninfo, NULL, keys[i]);

        if (info != NULL && px_infos_append_copy(&kept->info, &kept->n, info) != 0) {
            return;
        }
    }
    if (value != NULL && px_value_procs(value, &procs)) {
        (void) px_votes_init(&invited->votes, procs.at, procs.n);
    }
}

/* A copy of an older invitation does not take the place of a newer one. */
struct px_invited *px_invited_take(struct px_session *session, const struct px_invitation_event *at)
{
    struct px_invited *invited = px_invited_make(session, at->group, &at->event->source);

    px_assert(px_loop_inside(session->ctx->loop));
    if (invited == NULL ||
        !(at->id > invited->id || (at->id == 0 && invited->id == 0 && at->live))) {
        return NULL;
    }
    invited->id = at->id;
    invited->over = invited->declined = false;
    invited->begun = invited->asking = invited->no_part = false;
    invited->successor_id = 0;
    keep_terms(invited, at->event);
    return invited;
}

void px_invited_close(struct px_invited *invited)
{
    px_assert(px_loop_inside(invited->session->ctx->loop));
    invited->over = true;
    release_terms(invited);
}

void px_invited_close_led(struct px_session *session, uint64_t successor_id)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        if (invited->successor_id == successor_id &&
            px_proc_equal(&invited->successor, &session->ctx->self)) {
            px_invited_close(invited);
        }
    }
}

void px_invited_end(struct px_session *session)
{
    px_list_for(struct px_invited, invited, &session->invited, link) {
        forget(invited);
    }
}
