/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_decision.h"

#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "group_bootstrap.h"
#include "group_data.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/server/data/nspace.h"
#include "src/server/events/server_events.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"

/* One member of this server, and one process that it has been asked about. */
struct question {
    uint64_t serial;
    uint64_t peer;
    pmix_proc_t member;
    pmix_proc_t about;
    bool awaited;       /* the client has not answered */
    pmix_status_t said; /* the code of its answer; PMIX_ERR_NOT_FOUND: no handler */
};

/* What is decided, and by whom. Owned by the build. Of n members each may be asked about n others,
 * so nothing that is done often looks at all questions. */
struct px_group_decision {
    struct question *asked; /* in the order of their serial numbers */
    size_t n_asked;
    size_t asked_room;
    size_t n_over;       /* so many of them have no answer to come, once it has begun */
    struct px_map pairs; /* a member and whom it has been asked about -> this */
    bool begun;          /* the outcome is in the build */
    bool confirming;     /* it has been */
    bool leader_failed;
    bool aborts;
    bool goes; /* a handler goes on with fewer members */
    bool has_claim;
    pmix_proc_t claim; /* who is to lead: of several, the first in the order of processes */
};

void px_group_decision_free(struct px_group_decision *decision)
{
    if (decision) {
        px_map_fini(&decision->pairs);
        free(decision->asked);
        free(decision);
    }
}

bool px_group_decision_begun(const struct px_group_build *build)
{
    return build->decision && build->decision->begun;
}

bool px_group_decides(struct px_coll *coll)
{
    const struct px_coll *at = NULL;
    bool notify = false;
    bool goes_on = false;

    while ((at = px_group_next_tracker(coll, at)) != NULL) {
        const struct px_group_build *build = at->state;

        notify |= build->notify;
        goes_on |= build->survives || build->optional;
    }
    return notify && !goes_on;
}

/* True if a caller of this tracker is to be a member of the group, or was. */
static bool belongs(const struct px_coll *coll, struct px_group_build *group)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (px_proc_list_has(&group->members, &coll->members[i].proc) ||
            px_proc_list_has(&group->failed, &coll->members[i].proc)) {
            return true;
        }
    }
    return false;
}

/* The next tracker of the construct with members of the group, whose outcome is known, behind
 * `from` (NULL: the first), or NULL. */
static struct px_coll *next_tracker(struct px_coll *coll, struct px_coll *from)
{
    struct px_coll *at = px_group_next_tracker(coll, from);

    while (at && px_group_in_parts(coll) && !belongs(at, coll->state)) {
        at = px_group_next_tracker(coll, at);
    }
    return at;
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
    struct px_group_build *build = coll->state;
    const struct px_group_decision *decision = build->decision;
    const pmix_proc_t *self = &coll->members[0].proc;
    struct px_shared_procs *members;
    bool yes = true;
    int rc;

    if (!px_group_decision_begun(build)) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_FT_COLLECTIVE, &yes, PMIX_BOOL);
        return rc ? rc
                  : add_mark(up, build->has_leader ? &build->leader : self, true,
                             build->has_leader);
    }
    members = px_proc_list_hold(&build->members);
    if (!members) {
        return PMIX_ERR_NOMEM;
    }
    px_upcall_name(up, members);
    px_shared_procs_drop(members);
    px_infos_drop(up->info, &up->ninfo, PMIX_GROUP_BOOTSTRAP); /* they know each other by now */
    return add_mark(up, decision->has_claim ? &decision->claim : self, decision->goes,
                    decision->has_claim);
}

static bool is_before(const pmix_proc_t *a, const pmix_proc_t *b)
{
    int order = strncmp(a->nspace, b->nspace, PMIX_MAX_NSLEN);

    return order < 0 || (order == 0 && a->rank < b->rank);
}

/* Notes that a process wants to lead. */
static void claim(struct px_group_decision *decision, const pmix_proc_t *who)
{
    decision->goes = true;
    if (!decision->has_claim || is_before(who, &decision->claim)) {
        decision->has_claim = true;
        decision->claim = *who;
    }
}

/* Takes over what one server says: in the first round who leads, then what its members want. */
static void take_mark(struct px_coll *coll, const pmix_proc_t *who, bool goes, bool leads)
{
    struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;

    if (!px_group_decision_begun(build)) {
        build->decides = true;
        build->leader = leads ? *who : build->leader;
        build->has_leader |= leads;
        return;
    }
    decision->goes |= goes;
    if (leads) {
        claim(decision, who);
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

/* The leader, as far as it is known: one that is announced counts until the host's answer says who
 * leads. NULL: nobody. */
static const pmix_proc_t *leader_of(const struct px_group_build *build)
{
    if (build->has_leader) {
        return &build->leader;
    }
    return build->has_announced && !px_group_decision_begun(build) ? &build->announced : NULL;
}

/* Makes the infos of a question. 0 or PMIX_ERR_NOMEM; then there are none. */
static int make_question(const struct px_coll *coll, const pmix_proc_t *about, uint64_t serial,
                         struct px_infos *ret)
{
    bool yes = true;
    int rc = px_infos_append(&ret->info, &ret->n, PMIX_GROUP_ID, coll->name, PMIX_STRING);

    rc = rc ? rc : px_infos_append(&ret->info, &ret->n, PMIX_EVENT_AFFECTED_PROC, about, PMIX_PROC);
    rc = rc ? rc : px_infos_append(&ret->info, &ret->n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    rc = rc ? rc : px_infos_append(&ret->info, &ret->n, PX_KEY_DECIDE, &serial, PMIX_UINT64);
    if (rc) {
        px_infos_fini(ret);
    }
    return rc;
}

/* Asks one member about one that has ended, once. 0 or PMIX_ERR_NOMEM. */
static int ask_member(struct px_coll *coll, struct px_peer *peer, const pmix_proc_t *about)
{
    static uint64_t last_serial; /* loop thread */
    const struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;
    const pmix_proc_t *leader = leader_of(build);
    bool led = leader && px_proc_equal(about, leader);
    struct px_event event = {.code = led ? PMIX_GROUP_LEADER_FAILED : PMIX_GROUP_MEMBER_FAILED,
                             .source = *about,
                             .range = PMIX_RANGE_CUSTOM};
    struct px_infos infos = {0};
    char pair[2 * PX_PROC_KEY_ROOM + 1] = "";
    size_t len = px_proc_key(&peer->proc, pair) + 1;
    bool sent;
    int rc;

    len += px_proc_key(about, pair + len);
    if (px_map_find(&decision->pairs, pair, len)) {
        return PMIX_SUCCESS;
    }
    rc = px_array_room(&decision->asked, decision->n_asked, &decision->asked_room,
                       sizeof(*decision->asked));
    rc = rc ? PMIX_ERR_NOMEM : make_question(coll, about, ++last_serial, &infos);
    rc = rc || !px_map_set(&decision->pairs, pair, len, decision) ? rc : PMIX_ERR_NOMEM;
    if (rc) {
        px_infos_fini(&infos);
        return rc;
    }
    event.info = infos.info;
    event.ninfo = infos.n;
    sent = px_event_tell(peer, &event);
    px_infos_fini(&infos);
    decision->asked[decision->n_asked++] = (struct question){.serial = last_serial,
                                                             .peer = peer->id,
                                                             .member = peer->proc,
                                                             .about = *about,
                                                             .awaited = sent && peer->ours,
                                                             .said = PMIX_ERR_NOT_FOUND};
    return PMIX_SUCCESS;
}

/* The leader alone is asked while it lives. */
int px_group_ask(struct px_coll *coll, struct px_proc_list *ended)
{
    struct px_group_build *build = coll->state;
    const pmix_proc_t *leader = leader_of(build);
    bool lost = leader && px_proc_list_has(ended, leader);
    int rc;

    px_assert(px_loop_inside(coll->server->loop));
    build->decision = build->decision ? build->decision : calloc(1, sizeof(*build->decision));
    rc = build->decision ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    for (size_t i = 0; !rc && i < coll->n_members; i++) {
        struct px_peer *peer = px_peer_find(coll->server, coll->members[i].peer);
        bool told = peer && (!leader || lost || px_proc_equal(&peer->proc, leader));

        for (size_t k = 0; !rc && told && k < ended->n; k++) {
            rc = ask_member(coll, peer, &ended->at[k]);
        }
    }
    return rc;
}

/* True if all the members have called: then everybody who is in the group can be asked. */
static bool knows_all(const struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;
    struct px_proc_list set = {0};
    bool all = true;

    if (px_group_in_parts(coll)) {
        return true;
    }
    if (px_proc_list_add_all(&set, coll->set->at, coll->set->n)) {
        all = false; /* there is no memory to ask anybody, either */
    }
    for (size_t i = 0; all && i < build->members.n; i++) {
        pmix_proc_t job = build->members.at[i];

        job.rank = PMIX_RANK_WILDCARD;
        all = px_proc_list_has(&set, &build->members.at[i]) || px_proc_list_has(&set, &job);
    }
    px_proc_list_fini(&set);
    return all;
}

/* Takes over what the members of this server have said about those who are not in the group: of
 * others they have been asked too early, before their call came to the host. */
static void count_answers(struct px_group_build *build, struct px_group_decision *decision)
{
    const struct px_group_decision *part = build->decision;

    decision->aborts |= part->aborts;
    decision->goes |= part->goes;
    for (size_t i = 0; i < part->n_asked; i++) {
        const struct question *at = &part->asked[i];

        if (px_proc_list_has(&build->failed, &at->about)) {
            decision->aborts |= at->said == PMIX_GROUP_CONSTRUCT_ABORT;
            decision->goes |= at->said == PMIX_GROUP_MEMBERSHIP_UPDATE;
            if (at->said == PMIX_GROUP_LEADER_SELECTED && decision->leader_failed) {
                claim(decision, &at->member);
            }
        }
    }
}

/* True if a member that is to be in the group has called here. */
static bool has_members(const struct px_coll *coll)
{
    struct px_group_build *build = coll->state;

    for (size_t i = 0; i < coll->n_members; i++) {
        if (px_proc_list_has(&build->members, &coll->members[i].proc)) {
            return true;
        }
    }
    return false;
}

/* All members of this server have answered: one tracker with a living member speaks for all. A
 * server whose callers have all ended has no part in the second upcall. */
static void conclude(struct px_coll *coll)
{
    struct px_coll *speaker = next_tracker(coll, NULL);
    struct px_group_decision *decision;

    while (speaker && !has_members(speaker)) {
        speaker = next_tracker(coll, speaker);
    }
    if (!speaker) {
        px_group_decision_end(coll, PMIX_GROUP_CONSTRUCT_ABORT);
        return;
    }
    decision = px_group_build_of(speaker)->decision;
    for (struct px_coll *at = next_tracker(coll, NULL); at; at = next_tracker(coll, at)) {
        struct px_group_build *build = at->state;

        count_answers(build, decision);
        build->decision->confirming = true;
        px_timer_stop_loop(&at->timer); /* of each part: the host is waited for */
    }
    speaker->local_status = decision->aborts ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_SUCCESS;
    if (px_group_build_of(speaker)->hosted) {
        px_coll_ask_host(speaker);
    } else {
        px_group_decision_end(speaker, speaker->local_status);
    }
}

/* Of a group in parts nobody else is asked: the host has named the members. */
void px_group_decision_begin(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;
    int rc;

    px_assert(coll->closed && !coll->upcall && build->failed.n);
    px_assert(!px_group_decision_begun(build));
    if (!knows_all(coll)) {
        px_coll_finish(coll, PMIX_GROUP_CONSTRUCT_ABORT);
        return;
    }
    build->has_announced = false;
    rc = px_group_ask(coll, &build->failed);
    if (!build->decision) {
        px_coll_finish(coll, rc);
        return;
    }
    build->decision->begun = true;
    build->decision->goes = build->survives || build->optional;
    build->decision->leader_failed =
        build->has_leader && px_proc_list_has(&build->failed, &build->leader);
    build->decision->aborts = rc != PMIX_SUCCESS;
    if (build->hosted) {
        px_coll_limit_again(coll);
    }
    (void) px_group_decision_recount(coll);
}

/* --- answers --- */

static int by_serial(const void *key, const void *element)
{
    uint64_t serial = *(const uint64_t *) key;
    const struct question *question = element;

    return serial < question->serial ? -1 : serial > question->serial;
}

/* The construct that asks this client with this number, and the question; or NULL. */
static struct px_coll *find_question(struct px_server *s, const struct px_peer *peer,
                                     uint64_t serial, struct question **ret)
{
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        const struct px_group_build *build = px_group_build_of(coll);
        const struct px_group_decision *decision = build ? build->decision : NULL;
        struct question *at = decision && decision->n_asked
                                  ? bsearch(&serial, decision->asked, decision->n_asked,
                                            sizeof(*decision->asked), by_serial)
                                  : NULL;

        if (at && at->peer == peer->id && at->awaited) {
            *ret = at;
            return coll;
        }
    }
    return NULL;
}

bool px_group_decision_said(struct px_server *s, const struct px_peer *peer,
                            const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PX_KEY_DECIDE);
    struct question *question = NULL;
    struct px_coll *coll = value && value->type == PMIX_UINT64
                               ? find_question(s, peer, value->data.uint64, &question)
                               : NULL;

    px_assert(px_loop_inside(s->loop));
    if (coll) {
        question->awaited = false;
        question->said = event->code;
        if (px_group_decision_begun(coll->state)) {
            (void) px_group_decision_recount(coll);
        }
    }
    return value;
}

/* True if an answer is to come that counts, from a client that lives. */
static bool is_awaited(const struct px_coll *coll, const struct question *question)
{
    struct px_group_build *build = coll->state;
    const struct px_peer *peer = px_peer_find(coll->server, question->peer);

    return question->awaited && peer && peer->conn &&
           px_proc_list_has(&build->failed, &question->about);
}

/* True if the outcome is known to this tracker and all its members have answered; an answer that is
 * not awaited by then never is again. A member that ends before the second upcall ends the
 * construct; one that ends later is in the group. */
static bool has_answered(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;
    struct px_group_decision *decision = build->decision;

    if (!px_group_decision_begun(build)) {
        return false;
    }
    for (size_t i = 0; i < coll->n_members; i++) {
        decision->aborts |=
            !coll->members[i].peer && !px_proc_list_has(&build->failed, &coll->members[i].proc);
    }
    while (decision->n_over < decision->n_asked &&
           !is_awaited(coll, &decision->asked[decision->n_over])) {
        decision->n_over++;
    }
    return decision->n_over == decision->n_asked;
}

bool px_group_decision_recount(struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;

    if (build->decision->confirming) {
        return false;
    }
    for (struct px_coll *at = next_tracker(coll, NULL); at; at = next_tracker(coll, at)) {
        if (!has_answered(at)) {
            return false;
        }
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
    status = status ? status : goes ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT;
    for (struct px_coll *at = next_tracker(coll, NULL); at;) {
        struct px_coll *next = next_tracker(coll, at);

        if (at != coll) {
            px_coll_finish(at, status);
        }
        at = next;
    }
    px_coll_finish(coll, status);
}

void px_group_decision_over(struct px_coll *coll)
{
    struct px_coll *part = NULL;

    while (px_group_in_parts(coll) && (part = px_group_next_tracker(coll, part)) != NULL) {
        struct px_group_build *build = part->state;

        if (px_group_decision_begun(build) && belongs(coll, build)) {
            build->decision->aborts = true;
            build->decision->confirming = false;
        }
    }
}
