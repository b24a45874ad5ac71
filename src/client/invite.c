/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Inviting and joining. The leader counts the answers; when one fails its application is asked, by
 * the event PMIX_GROUP_INVITE_FAILED, whether to go on without, to stop, or whom to ask instead (an
 * entry PMIX_PROCID among the handler's results). Nobody else is asked anything: the outcome
 * reaches the members as an event. */

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "ops.h"
#include "party.h"

static void consider(struct px_party *party);

static void invite(struct px_party *party, const pmix_proc_t *procs, size_t n)
{
    pmix_info_t endpoint;
    int rc;

    /* The caller's directives go along; what we have posted too. */
    PMIx_Info_construct(&endpoint);
    rc = party->told ? 0 : px_party_endpoint(party->session, &endpoint);
    party->told = true;
    if (0 == rc && endpoint.value.type != PMIX_UNDEF) {
        rc = px_party_add(party, &endpoint);
    }
    PMIx_Info_destruct(&endpoint);
    if (0 == rc && n > 0) {
        rc = px_party_notify(party, PMIX_GROUP_INVITED, procs, n, party->given, party->n_given);
    }
    if (0 != rc) {
        px_party_answer(party, rc, NULL, 0);
    }
}

static size_t gather(const struct px_party *party, enum px_invitee_state state, pmix_proc_t *room)
{
    size_t n = 0;

    for (size_t i = 0; i < party->n_invitees; i++) {
        if (party->invitees[i].state == state) {
            if (NULL != room) {
                room[n] = party->invitees[i].proc;
            }
            n++;
        }
    }
    return n;
}

/* Everybody who might wait is told; nobody else has anything to undo. */
static void abandon(struct px_party *party)
{
    size_t n = gather(party, PX_ACCEPTED, NULL) + gather(party, PX_INVITED, NULL);
    pmix_proc_t *to = n > 0 ? PMIx_Proc_create(n) : NULL;

    if (NULL != to) {
        size_t got = gather(party, PX_ACCEPTED, to);

        (void) gather(party, PX_INVITED, to + got);
        (void) px_party_notify(party, PMIX_GROUP_CONSTRUCT_ABORT, to, n, NULL,
                               0); /* they have time-outs */
        PMIx_Proc_free(to, n);
    }
    px_party_answer(party, PMIX_GROUP_CONSTRUCT_ABORT, NULL, 0);
}

static void complete(struct px_party *party, pmix_status_t status)
{
    size_t n = gather(party, PX_ACCEPTED, NULL);
    pmix_proc_t *members = PMIx_Proc_create(n);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = members};
    pmix_info_t membership;
    int rc = PMIX_ERR_NOMEM;

    PMIx_Info_construct(&membership);
    if (NULL != members) {
        (void) gather(party, PX_ACCEPTED, members);
        rc = PMIx_Info_load(&membership, PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY);
    }
    if (0 == rc) {
        rc = px_party_add(party, &membership);
    }
    PMIx_Info_destruct(&membership);
    if (0 == rc) {
        px_party_store_endpoints(party->session, party->given, party->n_given);
        rc = px_party_notify(party, PMIX_GROUP_CONSTRUCT_COMPLETE, members, n, party->given,
                             party->n_given);
    }
    PMIx_Proc_free(members, n);
    px_party_answer(party, 0 == rc ? status : rc, party->given, party->n_given);
}

/* Nothing happens while somebody has not answered or a handler has not decided. */
static void consider(struct px_party *party)
{
    size_t failed = gather(party, PX_FAILED, NULL);

    if (party->over || party->deciding > 0 || gather(party, PX_INVITED, NULL) > 0) {
        return;
    }
    if (failed > 0 && !party->optional && !party->tolerated) {
        abandon(party);
    } else {
        complete(party, failed > 0 ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS);
    }
    px_party_release(party);
}

static int add_invitee(struct px_party *party, const pmix_proc_t *proc)
{
    struct px_invitee *grown;

    for (size_t i = 0; i < party->n_invitees; i++) {
        if (PMIx_Check_procid(&party->invitees[i].proc, proc)) {
            return 0;
        }
    }
    grown = realloc(party->invitees, (party->n_invitees + 1) * sizeof(*grown));
    if (NULL == grown) {
        return PMIX_ERR_NOMEM;
    }
    party->invitees = grown;
    grown[party->n_invitees] = (struct px_invitee){.proc = *proc, .state = PX_INVITED};
    party->n_invitees++;
    return 0;
}

static void replace(struct px_party *party, const pmix_info_t *results, size_t nresults)
{
    for (size_t i = 0; i < nresults; i++) {
        if (strcmp(results[i].key, PMIX_PROCID) == 0 && results[i].value.type == PMIX_PROC &&
            NULL != results[i].value.data.proc &&
            add_invitee(party, results[i].value.data.proc) == 0) {
            invite(party, results[i].value.data.proc, 1);
        }
    }
}

/* What the application's handlers say to a failure. */
static void decided(void *arg, pmix_status_t status, const pmix_info_t *results, size_t nresults)
{
    struct px_party *party = arg;

    party->deciding--;
    if (party->over) {
        if (party->deciding == 0) {
            px_party_free(party); /* it was released meanwhile */
        }
        return;
    }
    for (size_t i = 0; i < nresults; i++) {
        if (results[i].value.type == PMIX_STATUS &&
            results[i].value.data.status == PMIX_GROUP_CONSTRUCT_ABORT) {
            status = PMIX_GROUP_CONSTRUCT_ABORT;
        }
    }
    if (PMIX_GROUP_CONSTRUCT_ABORT == status) {
        abandon(party);
        px_party_release(party);
        return;
    }
    party->tolerated = party->tolerated || nresults > 0;
    replace(party, results, nresults);
    consider(party);
}

static void fail(struct px_party *party, struct px_invitee *invitee)
{
    struct px_event event = {.code = PMIX_GROUP_INVITE_FAILED, .source = invitee->proc,
                             .range = PMIX_RANGE_PROC_LOCAL, .ninfo = 2};
    pmix_info_t info[2];

    invitee->state = PX_FAILED;
    PMIx_Info_construct(&info[0]);
    PMIx_Info_construct(&info[1]);
    event.info = info;
    if (NULL != party->session->ctx->events &&
        PMIx_Info_load(&info[0], PMIX_GROUP_ID, party->group, PMIX_STRING) == PMIX_SUCCESS &&
        PMIx_Info_load(&info[1], PMIX_EVENT_AFFECTED_PROC, &event.source, PMIX_PROC) ==
            PMIX_SUCCESS &&
        px_events_ask(party->session->ctx->events, &event, decided, party) == 0) {
        party->deciding++;
    }
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
}

void px_leader_answered(struct px_party *party, const pmix_proc_t *who, bool accepted,
                        const pmix_info_t *info, size_t ninfo)
{
    for (size_t i = 0; i < party->n_invitees; i++) {
        struct px_invitee *invitee = &party->invitees[i];

        if (invitee->state != PX_INVITED || !PMIx_Check_procid(&invitee->proc, who)) {
            continue;
        }
        if (!accepted) {
            fail(party, invitee);
            break;
        }
        invitee->state = PX_ACCEPTED;
        invitee->proc = *who;
        for (size_t k = 0; k < ninfo; k++) {
            if (strcmp(info[k].key, PMIX_GROUP_ENDPT_DATA) == 0 ||
                strcmp(info[k].key, PMIX_GROUP_INFO) == 0) {
                (void) px_party_add(party,
                                    &info[k]); /* no memory: the others know less of this one */
            }
        }
        break;
    }
    consider(party);
}

void px_leader_lost(struct px_party *party, const pmix_proc_t *who)
{
    for (size_t i = 0; i < party->n_invitees; i++) {
        if (party->invitees[i].state == PX_INVITED &&
            PMIx_Check_procid(&party->invitees[i].proc, who)) {
            fail(party, &party->invitees[i]);
        }
    }
    consider(party);
}

static void time_is_up(struct px_timer *timer)
{
    struct px_party *party = px_container_of(timer, struct px_party, timer);

    if (!party->leading) {
        px_party_answer(party, PMIX_ERR_TIMEOUT, NULL, 0);
        px_party_release(party);
        return;
    }
    for (size_t i = 0; i < party->n_invitees; i++) {
        if (party->invitees[i].state == PX_INVITED) {
            fail(party, &party->invitees[i]);
        }
    }
    consider(party);
}

static void enlist(struct px_party *party)
{
    px_party_watch(party->session);
    px_list_append(&party->session->groups, &party->link);
    if (party->timeout_ms > 0) {
        /* Without memory for a timer the wait has no limit. */
        (void) px_timer_start_loop(party->session->ctx->loop, &party->timer, party->timeout_ms,
                                   time_is_up);
    }
}

static void run_invite(struct px_task *task)
{
    struct px_party *party = px_container_of(task, struct px_party, task);
    size_t n = gather(party, PX_INVITED, NULL);
    pmix_proc_t *procs = n > 0 ? PMIx_Proc_create(n) : NULL;

    enlist(party);
    if (n > 0 && NULL == procs) {
        px_party_answer(party, PMIX_ERR_NOMEM, NULL, 0);
    } else {
        (void) gather(party, PX_INVITED, procs);
        invite(party, procs, n);
        PMIx_Proc_free(procs, n);
    }
    if (party->over) {
        px_party_release(party);
    } else {
        consider(party);
    }
}

pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_party *party;
    int rc;

    if (NULL == px_session_server(session)) {
        return PMIX_ERR_UNREACH;
    }
    party = px_party_create(session, group, info, ninfo);
    if (NULL == party) {
        return PMIX_ERR_NOMEM;
    }
    rc = add_invitee(party, &ctx->self);
    for (size_t i = 0; i < nprocs && 0 == rc; i++) {
        rc = add_invitee(party, &procs[i]);
    }
    if (0 != rc) {
        px_party_free(party);
        return rc;
    }
    party->invitees[0].state = PX_ACCEPTED;
    party->leading = true;
    party->cbfunc = cbfunc;
    party->cbdata = cbdata;
    party->task.run = run_invite;
    px_loop_post(ctx->loop, &party->task);
    return PMIX_SUCCESS;
}

static void run_join(struct px_task *task)
{
    struct px_party *party = px_container_of(task, struct px_party, task);
    bool accepted = party->answer == PMIX_GROUP_ACCEPT;
    pmix_info_t endpoint;
    int rc = 0;

    enlist(party);
    PMIx_Info_construct(&endpoint);
    if (accepted) {
        rc = px_party_endpoint(party->session, &endpoint);
    }
    if (0 == rc && endpoint.value.type != PMIX_UNDEF) {
        rc = px_party_add(party, &endpoint);
    }
    PMIx_Info_destruct(&endpoint);
    if (0 == rc) {
        rc = px_party_notify(party,
                             accepted ? PMIX_GROUP_INVITE_ACCEPTED : PMIX_GROUP_INVITE_DECLINED,
                             &party->leader, 1, party->given, party->n_given);
    }
    if (0 != rc || !accepted) {
        px_party_answer(party, rc, NULL, 0); /* who declines has nothing to wait for */
        px_party_release(party);
    }
}

pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_party *party;

    if (NULL == px_session_server(session)) {
        return PMIX_ERR_UNREACH;
    }
    party = px_party_create(session, group, info, ninfo);
    if (NULL == party) {
        return PMIX_ERR_NOMEM;
    }
    party->leader = *leader;
    party->answer = answer;
    party->cbfunc = cbfunc;
    party->cbdata = cbdata;
    party->task.run = run_join;
    px_loop_post(ctx->loop, &party->task);
    return PMIX_SUCCESS;
}
