/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What both sides of an invitation share, and how events find their side. */

#include "invitation.h"

#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "group_map.h"
#include "invite.h"
#include "join.h"
#include "request.h"
#include "succession.h"
#include "src/base/assert.h"
#include "src/event/chain.h"
#include "src/event/process_end.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/request/schema.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"

struct px_session *px_invitations_session(void)
{
    return px_ctx()->inviting;
}

/* --- the common part --- */

/* Copies the caller's infos; its group information gets our name in front. 0 or PMIX_ERR_NOMEM. */
static int take_infos(struct px_invitation *invitation, const pmix_info_t *info, size_t ninfo)
{
    struct px_infos *given = &invitation->given;
    const pmix_info_t *group_info = px_infos_next(info, ninfo, NULL, PMIX_GROUP_INFO);
    int rc = 0;

    for (size_t i = 0; i < ninfo && rc == 0; i++) {
        if (&info[i] == group_info) {
            rc = px_member_data_add_group_info(given, &invitation->session->ctx->self, &info[i]);
            group_info = px_infos_next(info, ninfo, group_info, PMIX_GROUP_INFO);
        } else {
            rc = px_infos_append_copy(&given->info, &given->n, &info[i]);
        }
    }
    return rc;
}

int px_invitation_init(struct px_invitation *invitation, struct px_session *session,
                       const char *group, const pmix_info_t *info, size_t ninfo,
                       const struct px_completion *to)
{
    static uint64_t last_serial; /* atomic */
    uint64_t timeout_ms;
    int rc = px_timeout_read(info, ninfo, &timeout_ms);

    if (rc != 0) {
        return rc;
    }
    px_list_init(&invitation->link);
    invitation->session = session;
    invitation->serial = px_fetch_add(&last_serial, 1) + 1;
    invitation->timeout_ms = timeout_ms;
    invitation->to = *to;
    invitation->group = strdup(group);
    rc = invitation->group != NULL ? take_infos(invitation, info, ninfo) : PMIX_ERR_NOMEM;
    if (rc != 0) {
        px_invitation_fini(invitation);
    }
    return rc;
}

void px_invitation_fini(struct px_invitation *invitation)
{
    px_list_remove(&invitation->link);
    px_timer_stop_loop(&invitation->timer);
    px_infos_fini(&invitation->given);
    free(invitation->group);
    invitation->group = NULL;
}

/* Copies the infos without those that only make the events work. 0 or PMIX_ERR_NOMEM. */
static int take_results(const struct px_infos *infos, struct px_reply *reply)
{
    static const char *const inner[] = {
        PMIX_EVENT_CUSTOM_RANGE, PMIX_EVENT_NON_DEFAULT,       PMIX_GROUP_ENDPT_DATA,
        PX_KEY_INVITATION,       PX_KEY_FROM_SERVER,           PMIX_TIMEOUT,
        PMIX_GROUP_OPTIONAL,     PMIX_GROUP_ASSIGN_CONTEXT_ID, PMIX_LOCAL_COLLECTIVE_STATUS};
    int rc = px_infos_copy(infos->info, infos->n, &reply->info);

    reply->ninfo = rc == 0 ? infos->n : 0;
    for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
        px_infos_drop(reply->info, &reply->ninfo, inner[i]);
    }
    return rc;
}

void px_invitation_answer(struct px_invitation *invitation, pmix_status_t status,
                          const struct px_infos *results)
{
    struct px_completion to = invitation->to;
    struct px_reply reply = {.status = status};

    px_assert(px_loop_inside(invitation->session->ctx->loop));
    if (to.done == NULL) {
        return;
    }
    invitation->to.done = NULL;
    if (results != NULL && take_results(results, &reply) != 0) {
        reply.status = PMIX_ERR_NOMEM;
    }
    to.done(&to, &reply);
    px_reply_fini(&reply);
}

void px_invitation_limit(struct px_invitation *invitation, void (*fire)(struct px_timer *timer))
{
    if (invitation->timeout_ms > 0) {
        px_timer_start_loop(invitation->session->ctx->loop, &invitation->timer,
                            invitation->timeout_ms, fire);
    }
}

/* --- events --- */

int px_invitation_notify(struct px_session *session, const char *group, uint64_t id,
                         pmix_status_t code, const struct px_procs *to,
                         const struct px_infos *infos, const struct px_completion *done)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    pmix_data_array_t range = {
        .type = PMIX_PROC, .size = to->n, .array = (void *) (uintptr_t) to->at};
    struct px_infos all = {0};
    bool yes = true;
    int rc = px_infos_append(&all.info, &all.n, PMIX_GROUP_ID, group, PMIX_STRING);

    px_assert(px_loop_inside(session->ctx->loop) && to->n > 0);
    rc = rc != 0
             ? rc
             : px_infos_append(&all.info, &all.n, PMIX_EVENT_CUSTOM_RANGE, &range, PMIX_DATA_ARRAY);
    rc = rc != 0 ? rc : px_infos_append(&all.info, &all.n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    if (rc == 0 && id != 0) {
        rc = px_infos_append(&all.info, &all.n, PX_KEY_INVITATION, &id, PMIX_UINT64);
    }
    rc = rc == 0 ? px_infos_append_all(&all.info, &all.n, infos->info, infos->n) : rc;
    if (rc == 0) {
        struct px_notify_args args = {
            {all.info, all.n}, code, PMIX_RANGE_CUSTOM, session->ctx->self};

        rc = px_client_notify(session, &args, done != NULL ? done : &nobody);
    }
    px_infos_fini(&all);
    return rc == PMIX_OPERATION_SUCCEEDED ? 0 : rc;
}

/* Gives an event to the handlers; see px_invitation_ask. */
static int ask(struct px_session *session, const struct px_event *event, px_verdict_fn verdict,
               uint64_t serial)
{
    struct px_events *events = session->ctx->events;

    if (events == NULL) {
        return PMIX_ERR_INIT;
    }
    return verdict != NULL ? px_events_ask(events, event, verdict, (void *) (uintptr_t) serial)
                           : px_events_deliver(events, event, NULL, NULL);
}

int px_invitation_ask(const struct px_invitation *invitation, const struct px_event *event,
                      px_verdict_fn verdict)
{
    return ask(invitation->session, event, verdict, invitation->serial);
}

int px_invitation_raise(struct px_session *session, const char *group, pmix_status_t code,
                        const pmix_proc_t *source, const struct px_infos *more,
                        px_verdict_fn verdict, uint64_t serial)
{
    struct px_event event = {.code = code, .source = *source, .range = PMIX_RANGE_PROC_LOCAL};
    struct px_infos infos = {0};
    bool yes = true;
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, group, PMIX_STRING);

    rc = rc != 0 ? rc
                 : px_infos_append(&infos.info, &infos.n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    rc = rc != 0 ? rc : px_infos_append_all(&infos.info, &infos.n, more->info, more->n);
    if (rc == 0) {
        event.info = infos.info;
        event.ninfo = infos.n;
        rc = ask(session, &event, verdict, serial);
    }
    px_infos_fini(&infos);
    return rc;
}

int px_invitation_tell(const struct px_invitation *invitation, pmix_status_t code, const char *key,
                       const void *data, pmix_data_type_t type, px_verdict_fn verdict)
{
    const pmix_proc_t *source = type == PMIX_PROC ? data : &invitation->session->ctx->self;
    struct px_infos infos = {0};
    int rc = px_infos_append(&infos.info, &infos.n, key, data, type);

    rc = rc != 0 ? rc
                 : px_invitation_raise(invitation->session, invitation->group, code, source, &infos,
                                       verdict, invitation->serial);
    px_infos_fini(&infos);
    return rc;
}

/* Both sides may be concerned: this process leads one group and joins another of the same name. */
static bool aborted(struct px_session *session, const struct px_invitation_event *at)
{
    px_invite_aborted(session, at);
    return px_join_outcome(session, at);
}

/* The events of invitations, and who takes them. The server is not asked for the first, so that it
 * still sends the invitations that it has kept when the application registers for them. */
static const struct {
    pmix_status_t code;
    bool (*take)(struct px_session *session, const struct px_invitation_event *at);
} kinds[] = {
    {PMIX_GROUP_INVITED, px_join_invited},
    {PMIX_GROUP_INVITE_ACCEPTED, px_invite_answered},
    {PMIX_GROUP_INVITE_DECLINED, px_invite_answered},
    {PMIX_GROUP_CONSTRUCT_COMPLETE, px_join_outcome},
    {PMIX_GROUP_CONSTRUCT_ABORT, aborted},
    {PMIX_GROUP_LEADER_FAILED, px_succession_event},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]), FIRST_WATCHED = 1 };

/* What an event says of its invitation. */
static struct px_invitation_event read_event(const struct px_event *event, bool live)
{
    const pmix_value_t *id = px_info_find(event->info, event->ninfo, PX_KEY_INVITATION);

    return (struct px_invitation_event){
        .event = event,
        .group = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID)),
        .id = id != NULL && id->type == PMIX_UINT64 ? id->data.uint64 : 0,
        .live = live,
    };
}

/* A process has ended: for px_event_each_ended. */
static void process_ended(void *arg, const pmix_proc_t *proc)
{
    struct px_session *session = arg;

    px_ended_add(&session->ended_procs, proc);
    px_invite_lost(session, proc);
    px_join_lost(session, proc);
}

/* The same by an event that was kept, and is of no account if the process has been started again
 * since. */
static void process_had_ended(void *arg, const pmix_proc_t *proc)
{
    struct px_session *session = arg;

    if (!px_ended_was_revived(&session->ended_procs, proc)) {
        process_ended(arg, proc);
    }
}

bool px_invitation_ends(const struct px_session *session, const pmix_proc_t *ended,
                        const pmix_proc_t *proc)
{
    return px_proc_covers(ended, proc) && !px_proc_equal(proc, &session->ctx->self);
}

bool px_invitations_has_ended(struct px_session *session, const pmix_proc_t *proc)
{
    px_assert(px_loop_inside(session->ctx->loop));
    return !px_proc_equal(proc, &session->ctx->self) && px_ended_has(&session->ended_procs, proc);
}

bool px_invitations_event(struct px_session *session, const struct px_event *event, bool live)
{
    const struct px_invitation_event at = read_event(event, live);

    px_assert(px_loop_inside(session->ctx->loop));
    if (px_event_is_end(event->code)) { /* also before there is an invitation: joins come late */
        px_event_each_ended(event, live ? process_ended : process_had_ended, session);
        return false;
    }
    if (live) {
        px_ended_revive(&session->ended_procs, &event->source);
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (kinds[i].code == event->code) {
            return kinds[i].take(session, &at);
        }
    }
    return false;
}

void px_invitations_own_event(const struct px_event *event)
{
    const struct px_invitation_event at = read_event(event, true);
    struct px_session *session = px_invitations_session();

    if (event->code == PMIX_GROUP_CONSTRUCT_ABORT && at.id == 0 && session != NULL) {
        px_invite_aborted(session, &at);
    }
}

/* --- what the server is asked for --- */

bool px_invitations_want(const struct px_session *session, pmix_status_t code)
{
    bool wanted = px_event_is_end(code);

    for (size_t i = FIRST_WATCHED; i < N_KINDS; i++) {
        wanted = wanted || kinds[i].code == code;
    }
    return session->watching && wanted;
}

/* Requests keep their order: the server knows the codes before it sees anything that could make
 * such an event. */
void px_invitations_watch(struct px_session *session)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    pmix_status_t codes[N_KINDS];
    const struct px_codes_args groups = {.codes = codes + FIRST_WATCHED,
                                         .ncodes = N_KINDS - FIRST_WATCHED};
    const struct px_codes_args ends = {.codes = PX_BORROWED(px_end_codes),
                                       .ncodes = px_n_end_codes};

    px_assert(px_loop_inside(session->ctx->loop));
    if (session->watching) {
        return;
    }
    session->watching = true;
    session->ctx->inviting = session;
    for (size_t i = FIRST_WATCHED; i < N_KINDS; i++) {
        codes[i] = kinds[i].code;
    }
    (void) px_client_watch_codes(session, &groups, &nobody);
    (void) px_client_watch_codes(session, &ends, &nobody);
}

void px_invitations_watch_again(struct px_session *session)
{
    px_assert(px_loop_inside(session->ctx->loop));
    if (session->watching) {
        session->watching = false;
        px_invitations_watch(session);
    }
}

/* --- names --- */

/* A namespace is known if there are data of it. */
bool px_group_name_is_taken(struct px_session *session, const char *group)
{
    pmix_proc_t all;
    const struct px_space *space;
    struct px_proc_list members = {0};
    int rc;

    PMIx_Load_procid(&all, group, PMIX_RANK_WILDCARD);
    rc = px_group_map_expand(session, &all, 1, &members);
    px_proc_list_fini(&members);
    space = px_space_named(session, all.nspace);
    return rc <= 0 || (space != NULL &&
                       (px_session_is_named(session, all.nspace) ||
                        px_space_segment(space) != NULL || px_space_private_peek(space) != NULL));
}

/* --- the end --- */

void px_invitations_lost(struct px_session *session)
{
    px_assert(px_loop_inside(session->ctx->loop));
    px_invites_end(session);
    px_joins_end(session);
}

/* For px_loop_run. */
static void end_invitations(void *arg)
{
    struct px_session *session = arg;

    px_invitations_lost(session);
    px_ended_fini(&session->ended_procs);
    session->watching = false;
    session->ctx->inviting = NULL;
}

void px_invitations_fini(struct px_session *session)
{
    (void) px_loop_run(session->ctx->loop, end_invitations,
                       session); /* in a forked child they are not ours */
}
