/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_decision.h"

#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "group_data.h"
#include "src/base/assert.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/server/data/nspace.h"
#include "src/server/events/server_events.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/wire/message.h"

/* What is decided, and by whom. Owned by the build. */
struct px_group_decision {
    uint64_t serial;   /* of the question */
    uint64_t *awaited; /* clients that have not answered, once for each question */
    size_t n_awaited;
    bool hosted;     /* the host is asked once more */
    bool confirming; /* it has been */
    bool leader_failed;
    bool aborts;
    bool goes; /* a handler goes on with fewer members */
    bool has_claim;
    pmix_proc_t claim; /* who is to lead: of several, the first in the order of processes */
};

void px_group_decision_free(struct px_group_decision *decision)
{
    if (decision) {
        free(decision->awaited);
        free(decision);
    }
}

bool px_group_decides(const struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;

    return build->notify && !build->survives && !build->optional && !coll->solo && !build->added.n;
}

/* --- what servers tell each other --- */

/* Appends a PMIX_GROUP_INFO of the library's own: the process, the key, and PMIX_GROUP_LEADER if it
 * leads. 0 or PMIX_ERR_NOMEM. */
static int add_mark(struct px_upcall *up, const pmix_proc_t *who, bool goes, bool leads)
{
    pmix_data_array_t array = {.type = PMIX_INFO};
    struct px_infos infos = {0};
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_PROCID, who, PMIX_PROC);

    rc = rc ? rc : px_infos_append(&infos.info, &infos.n, PX_KEY_DECIDE, &goes, PMIX_BOOL);
    rc = rc || !leads
             ? rc
             : px_infos_append(&infos.info, &infos.n, PMIX_GROUP_LEADER, &leads, PMIX_BOOL);
    array.array = infos.info;
    array.size = infos.n;
    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_INFO, &array, PMIX_DATA_ARRAY);
    px_infos_fini(&infos);
    return rc;
}

/* The group is to be of those who live; the first upcall asks the host not to give it up. */
int px_group_decision_describe(const struct px_coll *coll, struct px_upcall *up)
{
    const struct px_group_build *build = coll->state;
    const struct px_group_decision *decision = build->decision;
    const pmix_proc_t *self = &coll->members[0].proc;
    bool yes = true;
    pmix_proc_t *procs;
    int rc;

    if (!decision) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_FT_COLLECTIVE, &yes, PMIX_BOOL);
        return rc ? rc
                  : add_mark(up, build->has_leader ? &build->leader : self, true,
                             build->has_leader);
    }
    procs = calloc(build->members.n + 1, sizeof(*procs));
    if (!procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(procs, build->members.at, build->members.n * sizeof(*procs));
    free(up->procs);
    up->procs = procs;
    up->nprocs = build->members.n;
    return add_mark(up, decision->has_claim ? &decision->claim : self, decision->goes,
                    decision->has_claim);
}

static bool is_before(const pmix_proc_t *a, const pmix_proc_t *b)
{
    int order = strncmp(a->nspace, b->nspace, PMIX_MAX_NSLEN);

    return order < 0 || (order == 0 && a->rank < b->rank);
}

/* Takes over what one server says: in the first round who leads, then what its members want. */
static void take_mark(struct px_coll *coll, const pmix_proc_t *who, bool goes, bool leads)
{
    struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;

    if (!decision) {
        build->decides = true;
        build->leader = leads ? *who : build->leader;
        build->has_leader |= leads;
        return;
    }
    decision->goes |= goes;
    if (leads && (!decision->has_claim || is_before(who, &decision->claim))) {
        decision->has_claim = true;
        decision->claim = *who;
    }
}

/* True if the info is a server's, which has been taken over. */
static bool take_info(struct px_coll *coll, const pmix_info_t *info)
{
    const pmix_info_t *inner = NULL;
    const pmix_value_t *goes;
    struct px_procs who = {NULL, 0};
    size_t n = 0;

    if (px_info_open(&info->value, &inner, &n) || n < 2) {
        return false;
    }
    goes = px_info_find(inner, n, PX_KEY_DECIDE);
    if (!goes || !px_value_procs(&inner[0].value, &who) || who.n != 1) {
        return false;
    }
    take_mark(coll, who.at, px_value_true(goes), px_infos_flag(inner, n, PMIX_GROUP_LEADER));
    return true;
}

void px_group_decision_take(struct px_coll *coll, pmix_info_t *info, size_t *ninfo)
{
    const pmix_info_t *at = NULL;

    while ((at = px_infos_next(info, *ninfo, at, PMIX_GROUP_INFO))) {
        size_t i = (size_t) (at - info);

        if (take_info(coll, at)) {
            PMIx_Info_destruct(&info[i]);
            --*ninfo;
            memmove(&info[i], &info[i + 1], (*ninfo - i) * sizeof(*info));
            at = i ? &info[i - 1] : NULL;
        }
    }
}

/* --- asking --- */

/* Makes the infos of the question about one who has failed. 0 or PMIX_ERR_NOMEM; then there are
 * none. */
static int make_question(const struct px_coll *coll, const pmix_proc_t *failed,
                         struct px_infos *ret)
{
    const struct px_group_build *build = coll->state;
    bool yes = true;
    int rc = px_infos_append(&ret->info, &ret->n, PMIX_GROUP_ID, coll->name, PMIX_STRING);

    rc =
        rc ? rc : px_infos_append(&ret->info, &ret->n, PMIX_EVENT_AFFECTED_PROC, failed, PMIX_PROC);
    rc = rc ? rc : px_infos_append(&ret->info, &ret->n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    rc = rc ? rc
            : px_infos_append(&ret->info, &ret->n, PX_KEY_DECIDE, &build->decision->serial,
                              PMIX_UINT64);
    if (rc) {
        px_infos_fini(ret);
    }
    return rc;
}

/* Asks one member about one who has failed. 0 or PMIX_ERR_NOMEM. */
static int ask_member(struct px_coll *coll, const struct px_coll_member *member,
                      const struct px_event *event)
{
    const struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;
    struct px_peer *peer = px_peer_find(coll->server, member->peer);
    uint64_t *grown;

    if (!peer || (build->has_leader && !decision->leader_failed &&
                  !px_proc_equal(&member->proc, &build->leader))) {
        return PMIX_SUCCESS;
    }
    if (peer->ours) {
        grown = realloc(decision->awaited, (decision->n_awaited + 1) * sizeof(*grown));
        if (!grown) {
            return PMIX_ERR_NOMEM;
        }
        decision->awaited = grown;
        grown[decision->n_awaited++] = peer->id;
    }
    px_event_tell(peer, event);
    return PMIX_SUCCESS;
}

/* Asks every member on this server that lives about one that has failed. 0 or PMIX_ERR_NOMEM. */
static int ask_about(struct px_coll *coll, const pmix_proc_t *failed)
{
    const struct px_group_build *build = coll->state;
    bool led = build->has_leader && px_proc_equal(failed, &build->leader);
    struct px_event event = {.code = led ? PMIX_GROUP_LEADER_FAILED : PMIX_GROUP_MEMBER_FAILED,
                             .source = *failed,
                             .range = PMIX_RANGE_CUSTOM};
    struct px_infos infos = {0};
    int rc = make_question(coll, failed, &infos);

    event.info = infos.info;
    event.ninfo = infos.n;
    for (size_t i = 0; !rc && i < coll->n_members; i++) {
        rc = ask_member(coll, &coll->members[i], &event);
    }
    px_infos_fini(&infos);
    return rc;
}

/* True if the callers themselves are all the members: then everybody who is in the group can be
 * asked. */
static bool knows_all(const struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;

    for (size_t i = 0; i < build->members.n; i++) {
        if (!px_procs_cover(coll->set, coll->nset, &build->members.at[i])) {
            return false;
        }
    }
    return !coll->solo;
}

/* All members of this server have answered. */
static void conclude(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;

    coll->local_status = build->decision->aborts ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_SUCCESS;
    if (build->decision->hosted) {
        build->decision->confirming = true;
        px_coll_ask_host(coll);
    } else {
        px_group_decision_end(coll, coll->local_status);
    }
}

/* A group with members that others have added is given up, since added members do not take part in
 * the second upcall. */
void px_group_decision_begin(struct px_coll *coll)
{
    static uint64_t last_serial; /* loop thread */
    struct px_group_build *build = coll->state;
    struct px_group_decision *decision = knows_all(coll) ? calloc(1, sizeof(*decision)) : NULL;
    int rc = PMIX_SUCCESS;

    px_assert(coll->closed && !coll->upcall && build->failed.n && !build->decision);
    if (!decision) {
        px_coll_finish(coll, knows_all(coll) ? PMIX_ERR_NOMEM : PMIX_GROUP_CONSTRUCT_ABORT);
        return;
    }
    build->decision = decision;
    decision->serial = ++last_serial;
    decision->hosted = build->hosted;
    decision->goes = build->survives || build->optional;
    decision->leader_failed = build->has_leader && px_proc_list_has(&build->failed, &build->leader);
    for (size_t i = 0; !rc && i < build->failed.n; i++) {
        rc = ask_about(coll, &build->failed.at[i]);
    }
    decision->aborts = rc != PMIX_SUCCESS;
    if (rc || !decision->n_awaited) {
        conclude(coll);
    }
}

/* --- answers --- */

/* The open construct that asks with this number, or NULL. */
static struct px_coll *find_asking(struct px_server *s, uint64_t serial)
{
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        const struct px_group_build *build = px_group_build_of(coll);

        if (build && build->decision && !build->decision->confirming &&
            build->decision->serial == serial) {
            return coll;
        }
    }
    return NULL;
}

/* Takes the question at that place off the list: it has been answered, or its member has ended. */
static void heard(struct px_group_decision *decision, size_t i)
{
    px_assert(i < decision->n_awaited);
    decision->awaited[i] = decision->awaited[--decision->n_awaited];
}

bool px_group_decision_said(struct px_server *s, const struct px_peer *peer,
                            const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PX_KEY_DECIDE);
    struct px_coll *coll =
        value && value->type == PMIX_UINT64 ? find_asking(s, value->data.uint64) : NULL;
    const struct px_group_build *build = coll ? coll->state : NULL;
    struct px_group_decision *decision = build ? build->decision : NULL;
    size_t i = 0;

    px_assert(px_loop_inside(s->loop));
    while (decision && i < decision->n_awaited && decision->awaited[i] != peer->id) {
        i++;
    }
    if (!decision || i == decision->n_awaited) {
        return value;
    }
    heard(decision, i);
    decision->aborts |= event->code == PMIX_GROUP_CONSTRUCT_ABORT;
    decision->goes |= event->code == PMIX_GROUP_MEMBERSHIP_UPDATE;
    if (event->code == PMIX_GROUP_LEADER_SELECTED && decision->leader_failed) {
        take_mark(coll, &peer->proc, true, true);
    }
    if (!decision->n_awaited) {
        conclude(coll);
    }
    return true;
}

/* A member that ends during the second upcall ends the construct, which counted it as living. */
bool px_group_decision_recount(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;

    for (size_t i = 0; i < coll->n_members; i++) {
        decision->aborts |=
            !coll->members[i].peer && !px_proc_list_has(&build->failed, &coll->members[i].proc);
    }
    for (size_t i = decision->n_awaited; i-- > 0;) {
        const struct px_peer *peer = px_peer_find(coll->server, decision->awaited[i]);

        if (!peer || !peer->conn) {
            heard(decision, i);
            decision->aborts = true;
        }
    }
    if (decision->confirming || decision->n_awaited) {
        return false;
    }
    conclude(coll);
    return true;
}

/* --- the end --- */

/* Tells the members of this server which process leads the group, or that none does. Without
 * memory they are not told. */
static void tell_leader(struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;
    const struct px_group_decision *decision = build->decision;
    pmix_status_t status = decision->has_claim ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
    pmix_data_array_t members = {
        .type = PMIX_PROC, .size = build->members.n, .array = build->members.at};
    struct px_event event = {.code = PMIX_GROUP_LEADER_SELECTED,
                             .source = coll->server->self,
                             .range = PMIX_RANGE_CUSTOM};
    struct px_infos infos = {0};
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, coll->name, PMIX_STRING);

    rc = rc ? rc
            : px_infos_append(&infos.info, &infos.n, PMIX_EVENT_CUSTOM_RANGE, &members,
                              PMIX_DATA_ARRAY);
    rc = rc ? rc
            : px_infos_append(&infos.info, &infos.n, PMIX_LOCAL_COLLECTIVE_STATUS, &status,
                              PMIX_STATUS);
    rc = rc || !decision->has_claim
             ? rc
             : px_infos_append(&infos.info, &infos.n, PMIX_EVENT_AFFECTED_PROC, &decision->claim,
                               PMIX_PROC);
    if (!rc) {
        event.info = infos.info;
        event.ninfo = infos.n;
        (void) px_event_fan_out(coll->server, &event, PX_ORIGIN_LIBRARY, NULL);
    }
    px_infos_fini(&infos);
}

/* No handler has decided: the group is given up, as without PMIX_GROUP_NOTIFY_TERMINATION. */
void px_group_decision_end(struct px_coll *coll, pmix_status_t status)
{
    const struct px_group_build *build = coll->state;
    const struct px_group_decision *decision = build->decision;
    bool goes = decision->goes && !decision->aborts;

    if (decision->leader_failed) {
        tell_leader(coll);
    }
    px_coll_finish(coll, status ? status : goes ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT);
}
