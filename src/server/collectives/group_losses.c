/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What came before the first member of this server has called is among the kept events. */

#include "group_losses.h"

#include <string.h>

#include "group_bootstrap.h"
#include "group_data.h"
#include "group_decision.h"
#include "src/base/assert.h"
#include "src/event/process_end.h"
#include "src/event/registry.h"
#include "src/request/reply.h"
#include "src/server/data/nspace.h"
#include "src/server/events/kept_events.h"
#include "src/server/events/server_events.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"
#include "tracker.h"

/* --- who has ended --- */

/* A construct, in one tracker or in parts, and all who are to be members. */
struct construct {
    struct px_coll *coll;
    struct px_proc_list wanted;
    struct px_proc_list lost; /* those of them that have ended */
};

/* Adds those whom a part names, and its callers. 0 or PMIX_ERR_NOMEM. */
static int add_wanted(struct construct *construct, const struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;
    int rc = px_group_add_named(coll, &construct->wanted);

    rc = rc ? rc : px_proc_list_add_all(&construct->wanted, build->added.at, build->added.n);
    for (size_t i = 0; !rc && i < coll->n_members; i++) {
        rc = px_proc_list_add(&construct->wanted, &coll->members[i].proc);
    }
    return rc;
}

/* 0 or PMIX_ERR_NOMEM. To be ended with construct_fini. */
static int construct_init(struct construct *construct, struct px_coll *coll)
{
    int rc = PMIX_SUCCESS;

    *construct = (struct construct){.coll = coll};
    for (struct px_coll *at = px_group_next_tracker(coll, NULL); at && !rc;
         at = px_group_next_tracker(coll, at)) {
        rc = add_wanted(construct, at);
    }
    return rc;
}

static void construct_fini(struct construct *construct)
{
    px_proc_list_fini(&construct->wanted);
    px_proc_list_fini(&construct->lost);
}

/* The processes of events that report ends, each once; a rank may be PMIX_RANK_WILDCARD. */
struct ended {
    struct px_proc_list list;
    int rc;
};

/* For px_event_each_ended. */
static void note_ended(void *arg, const pmix_proc_t *proc)
{
    struct ended *ended = arg;

    ended->rc = ended->rc ? ended->rc : px_proc_list_add(&ended->list, proc);
}

/* True if the process, or its whole namespace, has ended. */
static bool has_ended(struct ended *ended, const pmix_proc_t *proc)
{
    pmix_proc_t job = *proc;

    job.rank = PMIX_RANK_WILDCARD;
    return px_proc_list_has(&ended->list, proc) || px_proc_list_has(&ended->list, &job);
}

/* True if the process is of another node, as far as is known here. */
static bool is_far(struct px_server *s, const pmix_proc_t *proc)
{
    const struct px_nspace *ns = px_nspace_find(s, proc->nspace);

    return !ns || !px_nspace_is_local(ns, proc->rank);
}

/* Notes those of other nodes that have ended: of its own processes a server knows by itself. 0 or
 * PMIX_ERR_NOMEM. */
static int note_far(struct construct *construct, struct ended *ended)
{
    int rc = ended->rc;

    for (size_t i = 0; i < construct->wanted.n && !rc && ended->list.n; i++) {
        const pmix_proc_t *at = &construct->wanted.at[i];

        if (has_ended(ended, at) && is_far(construct->coll->server, at)) {
            rc = px_proc_list_add(&construct->lost, at);
        }
    }
    return rc;
}

/* A leader in one part is the leader of all. */
static void share_leader(struct px_coll *coll, const struct px_group_build *from)
{
    for (struct px_coll *at = px_group_next_tracker(coll, NULL); at && from->has_leader;
         at = px_group_next_tracker(coll, at)) {
        struct px_group_build *build = at->state;

        if (!px_group_decision_begun(build)) {
            build->has_announced = true;
            build->announced = from->leader;
        }
    }
}

/* Asks those who have called. Without memory they are asked later. */
static void ask(struct construct *construct)
{
    struct px_coll *coll = construct->coll;
    struct px_coll *at = NULL;

    while (px_group_in_parts(coll) && (at = px_group_next_tracker(coll, at)) != NULL) {
        share_leader(coll, at->state);
    }
    while ((at = px_group_next_tracker(coll, at)) != NULL) {
        struct px_group_build *build = at->state;
        int rc = px_proc_list_add_all(&build->lost, construct->lost.at, construct->lost.n);

        if (!rc && build->lost.n && !px_group_decision_begun(build)) {
            (void) px_group_ask(at, &build->lost);
        }
    }
}

/* True if the tracker is the first of a construct in which members decide. */
static bool decides_first(struct px_coll *coll)
{
    return px_group_build_of(coll) && px_group_is_first(coll) && px_group_decides(coll);
}

void px_group_ended(struct px_server *s, const struct px_event *event)
{
    struct ended ended = {0};

    px_assert(px_loop_inside(s->loop));
    px_event_each_ended(event, note_ended, &ended);
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        struct construct construct;

        if (decides_first(coll)) {
            if (!construct_init(&construct, coll) && !note_far(&construct, &ended)) {
                ask(&construct);
            }
            construct_fini(&construct);
        }
    }
    px_proc_list_fini(&ended.list);
}

void px_group_ended_here(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        struct construct construct;

        if (px_group_in_parts(coll) && decides_first(coll)) {
            if (!construct_init(&construct, coll) &&
                !px_group_find_failed(s, &construct.wanted, &construct.lost)) {
                ask(&construct);
            }
            construct_fini(&construct);
        }
    }
}

int px_group_count_lost(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;

    return px_proc_list_add_all(&build->failed, build->lost.at, build->lost.n);
}

/* --- the leader --- */

bool px_group_is_announcement(const struct px_event *event)
{
    return event->code == PMIX_GROUP_LEADER_SELECTED &&
           px_info_find(event->info, event->ninfo, PX_KEY_DECIDE);
}

/* Tells the host, and with it the other servers, of the leader among the members of this server.
 * Without memory they are not told. */
static void announce(const struct construct *construct)
{
    struct px_coll *coll = construct->coll;
    struct px_group_build *build = coll->state;
    pmix_data_array_t members = {.type = PMIX_PROC, .size = coll->set->n, .array = coll->set->at};
    struct px_event event = {
        .code = PMIX_GROUP_LEADER_SELECTED, .source = build->leader, .range = PMIX_RANGE_CUSTOM};
    struct px_infos infos = {0};
    bool yes = true;
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, coll->name, PMIX_STRING);

    if (px_group_in_parts(coll)) {
        members.size = construct->wanted.n;
        members.array = construct->wanted.at;
    }
    rc = rc ? rc
            : px_infos_append(&infos.info, &infos.n, PMIX_EVENT_CUSTOM_RANGE, &members,
                              PMIX_DATA_ARRAY);
    rc = rc ? rc : px_infos_append(&infos.info, &infos.n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    rc = rc ? rc : px_infos_append(&infos.info, &infos.n, PX_KEY_DECIDE, &yes, PMIX_BOOL);
    if (!rc) {
        event.info = infos.info;
        event.ninfo = infos.n;
        px_event_to_host(coll->server, &event);
    }
    px_infos_fini(&infos);
}

/* True if the event announces the leader of this construct, which is among its processes; those of
 * other parts are not known. */
static bool is_about(const struct px_event *event, const struct px_coll *coll)
{
    const char *name = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));

    return px_group_is_announcement(event) && name && strcmp(name, coll->name) == 0 &&
           (px_group_in_parts(coll) ||
            px_procs_normal_cover(coll->set->at, coll->set->n, &event->source));
}

static void take_leader(struct px_coll *coll, const struct px_event *event)
{
    struct px_group_build *build = coll->state;

    if (is_about(event, coll)) {
        build->has_announced = true;
        build->announced = event->source;
    }
}

bool px_group_announced(struct px_server *s, const struct px_event *event)
{
    px_assert(px_loop_inside(s->loop));
    if (!px_group_is_announcement(event)) {
        return false;
    }
    px_event_keep(s, event, (struct px_raiser){.client = false});
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        if (px_group_build_of(coll)) {
            take_leader(coll, event);
        }
    }
    return true;
}

void px_group_losses_over(struct px_coll *coll)
{
    px_list_for(struct px_kept_event, kept, &coll->server->kept_events, link) {
        if (!kept->by.client && is_about(&kept->event, coll)) {
            px_event_unkeep(coll->server, kept);
        }
    }
}

/* --- gathering --- */

/* Takes over what the host has told before. What clients say of others does not count. 0 or
 * PMIX_ERR_NOMEM. */
static int look_back(struct construct *construct)
{
    struct ended ended = {0};
    int rc;

    px_list_for(struct px_kept_event, kept, &construct->coll->server->kept_events, link) {
        if (kept->by.client) {
            continue;
        }
        take_leader(construct->coll, &kept->event);
        if (px_event_is_end(kept->event.code)) {
            px_event_each_ended(&kept->event, note_ended, &ended);
        }
    }
    rc = note_far(construct, &ended);
    px_proc_list_fini(&ended.list);
    return rc;
}

/* Tells of the leader once. */
static void announce_once(const struct construct *construct)
{
    struct px_group_build *build = construct->coll->state;

    if (build->has_leader && !build->announces) {
        build->announces = true;
        announce(construct);
    }
}

/* Others may have named more members of a group in parts: it is looked at anew. */
void px_group_gathers(struct px_coll *coll, bool remote, bool lost)
{
    struct px_group_build *build = coll->state;
    struct construct construct = {.coll = coll};
    bool in_parts = px_group_in_parts(coll);

    if (!px_group_decides(coll)) {
        return;
    }
    if ((remote && !build->looked) || lost || in_parts) {
        if (!construct_init(&construct, coll) && !look_back(&construct)) {
            (void) px_group_find_failed(coll->server, &construct.wanted, &construct.lost);
        }
        build->looked = true;
    }
    if (remote || in_parts) {
        announce_once(&construct);
    }
    ask(&construct);
    construct_fini(&construct);
}
