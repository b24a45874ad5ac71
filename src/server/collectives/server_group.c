/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups. Members that know each other are gathered like a fence. A leader that bootstraps, and
 * a member that a leader adds, go to the host at once, each by itself. The host is needed if
 * members are on other nodes or a context id is wanted; a group that is wholly local is settled
 * here, also for a host without the function. */

#include "server_group.h"

#include <stdlib.h>
#include <string.h>

#include "all_collectives.h"
#include "collective.h"
#include "group_bootstrap.h"
#include "src/nspace/proc_sets.h"
#include "src/server/peers/quota.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/server/events/server_events.h"
#include "src/event/registry.h"
#include "src/value/directives.h"
#include "group_data.h"
#include "group_decision.h"
#include "group_infos.h"
#include "group_leave.h"
#include "group_losses.h"
#include "group_names.h"
#include "group_reply.h"
#include "src/request/reply.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"

/* --- names of groups --- */

/* The group of that name that has the member (NULL: any), or NULL. */
static struct px_proc_set *find_group(struct px_server *s, const char *name,
                                      const pmix_proc_t *member)
{
    return px_proc_set_find(s->proc_sets, PX_SET_GROUP, name, member);
}

bool px_group_name_used(struct px_server *s, const char *name, const pmix_proc_t *procs, size_t n)
{
    const struct px_proc_set *group = px_proc_set_find(s->proc_sets, PX_SET_GROUP, name, NULL);

    px_assert(px_loop_inside(s->loop));
    while (group && !px_procs_overlap(group->members, group->n, procs, n)) {
        group = px_proc_set_next(s->proc_sets, group, PX_SET_GROUP, name, NULL);
    }
    return group;
}

/* Serial numbers are far below those for users. */
uint64_t px_group_name_meaning(struct px_server *s, const char *name,
                               const struct px_coll_member *who)
{
    const struct px_proc_set *group =
        px_proc_set_find(s->proc_sets, PX_SET_GROUP, name, &who->proc);

    px_assert(px_loop_inside(s->loop));
    return group ? group->serial : UINT64_MAX - who->uid;
}

/* True if another construction is one of processes that the call names, too. What a process of
 * another user names there does not count, unless the call names that process. */
static bool collides(const struct px_coll *coll, const struct px_coll_call *call,
                     const struct px_coll_member *caller)
{
    bool found = false;

    if (coll->solo || call->solo ||
        !px_procs_meet(coll->set->at, coll->set->n, call->set.at, call->set.n)) {
        return false;
    }
    for (size_t i = 0; i < coll->n_members && !found; i++) {
        const struct px_coll_member *other = &coll->members[i];

        found = other->uid == caller->uid ||
                px_procs_normal_cover(call->set.at, call->set.n, &other->proc);
    }
    return found;
}

/* True if the caller, or one of the processes it names, takes part in a construction of that
 * name that is under way. Named processes count only among callers that know each other. */
static bool is_being_made(struct px_server *s, const struct px_coll_call *call,
                          const struct px_coll_member *caller)
{
    struct px_coll *first = px_colls_first(&s->colls, px_coll_key(call->ops, call->args.group, 0));
    struct px_coll *coll = first;
    bool found = false;

    while (coll && !found) {
        found = coll->ops == call->ops && strcmp(coll->name, call->args.group) == 0 &&
                (px_coll_has_proc(coll, &caller->proc) || collides(coll, call, caller));
        coll = px_list_item(coll->alike.next, struct px_coll, alike);
        coll = coll != first ? coll : NULL;
    }
    return found;
}

/* PMIX_ERR_EXISTS: one of the processes is in a group of this name, or in another construction
 * of it, or a job has it. Of a call that joins an open construction only the caller is looked at.
 * PMIX_ERR_OUT_OF_RESOURCE: its user has too many groups, or it has posted too much. */
static int construct_admit(struct px_server *s, const struct px_coll_call *call,
                           const struct px_coll_member *who)
{
    const char *name = call->args.group;

    if (px_group_name_used(s, name, &who->proc, 1) ||
        (!px_coll_find(&s->colls, call, who) &&
         (px_group_name_is_job(s, name) || px_group_name_used(s, name, call->set.at, call->set.n) ||
          is_being_made(s, call, who)))) {
        return PMIX_ERR_EXISTS;
    }
    return px_quota_allows_set(s, &who->proc, call->set.n) &&
                   px_group_infos_allowed(s, &who->proc, call->args.head.info,
                                          call->args.head.ninfo)
               ? PMIX_SUCCESS
               : PMIX_ERR_OUT_OF_RESOURCE;
}

/* --- construction --- */

/* A leader that bootstraps, or a member that leaders add (it names no processes), comes by itself:
 * no caller of another kind joins its tracker. */
static int construct_prepare(struct px_server *s, const struct px_coll_member *who,
                             struct px_coll_call *call)
{
    struct px_group_construct_directives directives;
    int rc = px_group_construct_read(call->args.head.info, call->args.head.ninfo, &directives);

    (void) s;
    (void) who;
    call->solo = !call->args.nprocs || directives.bootstrap != PX_NOT_GIVEN;
    return rc;
}

/* All local members have called: asks the host if it is needed, waits for other parts
 * (px_group_bootstrap), or settles the group. PMIX_GROUP_LOCAL_ONLY keeps it from the host. */
static void construct_complete(struct px_coll *coll, bool remote)
{
    struct px_server *s = coll->server;
    struct px_group_build *build = coll->state;
    bool others = coll->solo || build->added.n;
    bool needs_host = build->wants_id ||
                      (!build->local_only && (remote || px_procs_any_elsewhere(s, &build->added) ||
                                              (others && s->host.group)));
    bool lost = coll->local_status == PMIX_ERR_LOST_CONNECTION;
    int rc = lost ? px_group_lose(coll) : PMIX_SUCCESS;

    px_assert(coll->closed && coll->n_members > 0);
    rc = rc ? rc : px_group_count_lost(coll);
    if (needs_host) {
        px_coll_ask_host(coll);
        return;
    }
    if (!rc && !(lost && (build->survives || build->optional || px_group_decides(coll)))) {
        rc = px_coll_local_status(coll);
    }
    if (others) {
        coll->local_status = rc;
        (void) px_group_bootstrap(coll);
    } else {
        rc = rc ? rc : px_group_add_named(coll, &build->members);
        rc = rc ? rc : px_group_settle(s, build);
        if (!rc && lost && px_group_decides(coll)) {
            px_group_decision_begin(coll);
        } else {
            px_coll_end(coll, rc ? rc : px_group_status(build));
        }
    }
}

/* The name's copy is the upcall's. */
pmix_status_t px_group_ask_host(struct px_coll *coll, struct px_upcall *up,
                                pmix_group_operation_t operation)
{
    up->text = strdup(coll->name);
    return up->text ? coll->server->host.group(operation, up->text, up->procs->at, up->procs->n,
                                               up->info, up->ninfo, px_hostcb_infos,
                                               px_upcall_handle(up))
                    : PMIX_ERR_NOMEM;
}

/* What the host is told in the first upcall, and in the second, which only confirms it. 0 or
 * PMIX_ERR_NOMEM. */
static int describe(struct px_coll *coll, struct px_upcall *up)
{
    const struct px_group_build *build = coll->state;
    int rc = px_group_decision_begun(build) ? PMIX_SUCCESS : px_group_describe(coll, up);

    if (!rc && (px_group_decision_begun(build) || px_group_decides(coll))) {
        rc = px_group_decision_describe(coll, up);
    }
    return rc;
}

/* Adds what the members contribute, and calls the host. If members list the processes in
 * different orders, all nodes have to give the host the same list: the sorted set. */
static pmix_status_t construct_ask(struct px_coll *coll, struct px_upcall *up)
{
    const struct px_group_build *build = coll->state;
    int rc = coll->server->host.group ? describe(coll, up) : PMIX_ERR_NOT_SUPPORTED;

    if (build->mixed && !px_group_decision_begun(build)) {
        px_upcall_name(up, coll->set);
    }
    return rc ? rc : px_group_ask_host(coll, up, PMIX_GROUP_CONSTRUCT);
}

/* The host's answer to the second upcall, with what members of all nodes have said. */
static void confirmed(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;

    px_group_decision_take(coll, up->reply.info, &up->reply.ninfo);
    coll->upcall = NULL;
    up->arg = NULL;
    px_group_decision_end(coll, up->reply.status);
}

/* Takes the host's outcome over, unless the construction is over (a time limit). The host's success
 * does not cover what is wrong with a local member, unless the group may lose it. */
static void take_answer(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;
    struct px_group_build *build = coll ? coll->state : NULL;
    int rc = up->reply.status;

    if (build && px_group_decision_begun(build)) {
        confirmed(up);
        return;
    }
    if (coll && (!rc || rc == PMIX_ERR_PARTIAL_SUCCESS)) {
        build->hosted = true;
        build->partial = rc != PMIX_SUCCESS;
        rc = coll->local_status == PMIX_ERR_LOST_CONNECTION ? PMIX_SUCCESS : coll->local_status;
        rc = rc ? rc : px_group_take(coll, up);
        rc = rc ? rc : px_group_judge(coll, &build->members);
        rc = rc ? rc : px_group_status(build);
    }
    if (coll && !rc && build->decides && build->failed.n) {
        coll->upcall = NULL;
        up->arg = NULL;
        px_group_decision_begin(coll);
        return;
    }
    px_coll_answered(up, rc);
}

/* Members that have ended while the host was asked are in the group, and this is told. A part whose
 * caller has ended may be the last that others have waited for. */
static void construct_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;

    take_answer(up);
    px_colls_recount(s);
}

/* Registers the group, so that calls may name it and queries find it. Nothing is registered
 * after an error. */
static void construct_finished(struct px_coll *coll, pmix_status_t status)
{
    struct px_group_build *build = coll->state;
    struct px_shared_procs *members;
    struct px_proc_set *group;

    if (build->notify) {
        px_group_losses_over(coll);
    }
    if (px_group_decision_begun(build)) {
        px_group_decision_over(coll);
    }
    if (!px_status_has_results(status) || !build->members.n) {
        return;
    }
    group = find_group(coll->server, coll->name, &build->members.at[0]);
    if (group) { /* of another caller by itself */
        group->notify |= build->notify;
        px_group_recheck_again(coll->server, group);
        return;
    }
    members = px_proc_list_hold(&build->members);
    group = members ? px_group_names_add(coll->server, coll->name, members) : NULL;
    px_shared_procs_drop(members);
    px_quota_add_set(coll->server, group, &coll->members[0].proc);
    if (group) { /* NULL: the group exists, but cannot be named */
        group->hosted = build->hosted;
        group->notify = build->notify;
        px_group_tell_failed(coll->server, group,
                             build->optional || px_group_decision_begun(build) ? NULL
                                                                               : &build->failed);
        px_group_infos_trim(coll->server);
    }
}

/* A part waits for others, or members are being asked. */
static bool construct_recount(struct px_coll *coll)
{
    const struct px_group_build *build = coll->state;

    return px_group_decision_begun(build) ? px_group_decision_recount(coll)
                                          : px_group_bootstrap_again(coll);
}

static void construct_fini(void *state)
{
    struct px_group_build *build = state;

    px_group_reply_drop(build->reply);
    px_group_build_fini(build);
}

/* Members that know each other are gathered by name and set of processes, and the call joins the
 * open tracker of both; others are alone in theirs. The state is a struct px_group_build. */
const struct px_coll_ops px_group_construct_ops = {
    .request = &px_request_group_construct,
    .state_size = sizeof(struct px_group_build),
    .hosts_time = true,
    .prepare = construct_prepare,
    .admit = construct_admit,
    .absorb = px_group_absorb,
    .gathers = px_group_gathers,
    .complete = construct_complete,
    .recount = construct_recount,
    .ask = construct_ask,
    .answered = construct_answered,
    .ending = px_group_reply_prepare,
    .finished = construct_finished,
    .reply = px_group_reply,
    .fini = construct_fini,
};
