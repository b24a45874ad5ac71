/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What came before the first member of this server has called is among the kept events. */

#include "group_losses.h"

#include <string.h>

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
#include "src/wire/message.h"
#include "tracker.h"

/* --- who has ended --- */

/* A construct, and all who are to be members. */
struct construct {
    struct px_coll *coll;
    struct px_proc_list wanted;
    int rc;
};

/* 0 or PMIX_ERR_NOMEM. To be ended with construct_fini. */
static int construct_init(struct construct *construct, struct px_coll *coll)
{
    *construct = (struct construct){.coll = coll};
    return px_group_add_named(coll, &construct->wanted);
}

static void construct_fini(struct construct *construct)
{
    px_proc_list_fini(&construct->wanted);
}

/* Notes a process of another node, or all of a namespace: of its own a server knows by itself. For
 * px_event_each_ended. */
static void note_far(void *arg, const pmix_proc_t *proc)
{
    struct construct *construct = arg;
    struct px_group_build *build = construct->coll->state;
    const struct px_nspace *ns = px_nspace_find(construct->coll->server, proc->nspace);

    for (size_t i = 0; i < construct->wanted.n && !construct->rc; i++) {
        const pmix_proc_t *at = &construct->wanted.at[i];

        if (px_proc_covers(proc, at) && !(ns && px_nspace_is_local(ns, at->rank))) {
            construct->rc = px_proc_list_add(&build->lost, at);
        }
    }
}

/* Asks those who have called. Without memory they are asked later. */
static void ask(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;

    if (build->lost.n && !px_group_decision_begun(build)) {
        (void) px_group_ask(coll, &build->lost);
    }
}

void px_group_ended(struct px_server *s, const struct px_event *event)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        struct construct construct;

        if (px_group_build_of(coll) && px_group_decides(coll)) {
            if (!construct_init(&construct, coll)) {
                px_event_each_ended(event, note_far, &construct);
                ask(coll);
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
static void announce(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;
    pmix_data_array_t members = {.type = PMIX_PROC, .size = coll->nset, .array = coll->set};
    struct px_event event = {
        .code = PMIX_GROUP_LEADER_SELECTED, .source = build->leader, .range = PMIX_RANGE_CUSTOM};
    struct px_infos infos = {0};
    bool yes = true;
    int rc = px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, coll->name, PMIX_STRING);

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

/* True if the event announces the leader of this construct, which is among its processes. */
static bool is_about(const struct px_event *event, const struct px_coll *coll)
{
    const char *name = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));

    return px_group_is_announcement(event) && name && strcmp(name, coll->name) == 0 &&
           px_procs_cover(coll->set, coll->nset, &event->source);
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
        if (is_about(&kept->event, coll)) {
            px_event_unkeep(coll->server, kept);
        }
    }
}

/* --- gathering --- */

/* Takes over what the host has told before. */
static void look_back(struct construct *construct)
{
    px_list_for(struct px_kept_event, kept, &construct->coll->server->kept_events, link) {
        take_leader(construct->coll, &kept->event);
        if (px_event_is_end(kept->event.code)) {
            px_event_each_ended(&kept->event, note_far, construct);
        }
    }
}

void px_group_gathers(struct px_coll *coll, bool remote, bool lost)
{
    struct px_group_build *build = coll->state;
    struct construct construct;

    if (!px_group_decides(coll)) {
        return;
    }
    if ((remote && !build->looked) || lost) {
        if (!construct_init(&construct, coll)) {
            look_back(&construct);
            (void) px_group_find_failed(coll->server, &construct.wanted, &build->lost);
        }
        construct_fini(&construct);
        build->looked = true;
    }
    if (remote && build->has_leader && !build->announces) {
        build->announces = true;
        announce(coll);
    }
    ask(coll);
}
