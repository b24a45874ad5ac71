/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups in parts, without a host. A complete part waits as a closed tracker without an upcall.
 * Each new part looks for all parts with the group's name and puts them together; if all leaders
 * have called, and each added member, the group is constructed. Nothing else says that two parts
 * are of one group, so those of other users are not looked at. */

#include "group_bootstrap.h"

#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "group_data.h"
#include "group_decision.h"
#include "server_group.h"
#include "src/base/assert.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

bool px_group_in_parts(const struct px_coll *coll)
{
    const struct px_group_build *build = px_group_build_of(coll);

    return build && (coll->solo || build->added.n);
}

struct px_coll *px_group_next_tracker(struct px_coll *coll, const struct px_coll *from)
{
    struct px_coll *part;

    if (!px_group_in_parts(coll)) {
        return from ? NULL : coll;
    }
    part = from ? px_coll_next_like(from) : px_coll_first_like(coll);
    while (part && !px_group_in_parts(part)) {
        part = px_coll_next_like(part);
    }
    return part;
}

bool px_group_is_first(const struct px_coll *coll)
{
    const struct px_coll *before = px_group_in_parts(coll) ? px_coll_before_like(coll) : NULL;

    while (before && !px_group_in_parts(before)) {
        before = px_coll_before_like(before);
    }
    return !before;
}

/* True if a part is complete, and waits here for others of this user. */
static bool is_waiting(const struct px_coll *part, uid_t user)
{
    return part->closed && !part->upcall && !part->ending &&
           !px_group_decision_begun(part->state) && part->members[0].uid == user;
}

/* The next part that waits of the group that `part` is of, behind `from` (NULL: the first). */
static struct px_coll *next_waiting(struct px_coll *part, const struct px_coll *from)
{
    struct px_coll *next = px_group_next_tracker(part, from);

    while (next && !is_waiting(next, part->members[0].uid)) {
        next = px_group_next_tracker(part, next);
    }
    return next;
}

/* True if members decide about those who have ended. */
static bool is_decided(const struct px_group_build *whole)
{
    return whole->failed.n && whole->notify && !whole->survives && !whole->optional;
}

/* Looks whether there are as many leaders as they say (PMIX_GROUP_BOOTSTRAP), or else a part that
 * names members, and notes their number. Costs little: more parts may be waited for, and this is
 * done again for each of them. 0, PMIX_ERR_NOT_FOUND, or PMIX_ERR_BAD_PARAM (leaders give different
 * numbers of leaders). */
static int count_leaders(struct px_coll *any, struct px_group_build *whole)
{
    uint32_t n = 0;
    bool named = false;

    for (const struct px_coll *part = next_waiting(any, NULL); part;
         part = next_waiting(any, part)) {
        const struct px_group_build *build = part->state;

        if (build->n_leaders && whole->n_leaders && build->n_leaders != whole->n_leaders) {
            return PMIX_ERR_BAD_PARAM;
        }
        whole->n_leaders = build->n_leaders ? build->n_leaders : whole->n_leaders;
        n += part->solo && part->procs->n > 0;
        named |= part->procs->n > 0;
    }
    return n < whole->n_leaders || !(named || whole->n_leaders) ? PMIX_ERR_NOT_FOUND : PMIX_SUCCESS;
}

/* Merges one part into the whole: its members, added members and directives. Appends its callers
 * to `come`. Sets *contradict if it wants another order than a part before. 0 or PMIX_ERR_NOMEM. */
static int add_part(const struct px_coll *part, struct px_group_build *whole,
                    struct px_proc_list *come, bool *contradict)
{
    struct px_proc_list order = {0};
    const struct px_group_build *build = part->state;
    int rc = px_group_add_named(part, &whole->members);

    rc = rc ? rc
            : px_proc_list_expand(&whole->added, build->added.at, build->added.n,
                                  px_nspace_job_size, part->server);
    for (size_t i = 0; !rc && i < part->n_members; i++) {
        rc = px_proc_list_add(come, &part->members[i].proc);
    }
    rc = rc ? rc : px_proc_list_add_all(&order, build->order.at, build->order.n);
    if (!rc && px_group_agree(&whole->order, &order)) {
        *contradict = true;
    }
    px_proc_list_fini(&order);
    rc = rc ? rc : px_group_find_failed(part->server, come, &whole->failed);
    rc = rc ? rc : px_group_find_failed(part->server, &build->added, &whole->failed);
    rc = rc ? rc : px_proc_list_add_all(&whole->failed, build->failed.at, build->failed.n);
    whole->survives |= build->survives;
    whole->optional |= build->optional;
    whole->notify |= build->notify;
    if (build->has_leader) {
        whole->has_leader = true;
        whole->leader = build->leader;
    }
    whole->wants_id |= build->wants_id;
    return rc;
}

/* Merges all parts that wait of the group that `any` is of into `whole`. PMIX_ERR_NOT_FOUND: a
 * leader or an added member has not called yet; PMIX_ERR_BAD_PARAM: two orders are asked for, or
 * as count_leaders; PMIX_GROUP_CONSTRUCT_ABORT: one has ended, which is told when all who have to
 * call have called or ended; PMIX_ERR_NOMEM. */
static int gather(struct px_coll *any, struct px_group_build *whole)
{
    const struct px_coll *part = next_waiting(any, NULL);
    struct px_proc_list come = {0};
    bool contradict = false;
    int rc = count_leaders(any, whole);
    int wrong = PMIX_SUCCESS;

    px_assert(part);
    for (; !rc && part; part = next_waiting(any, part)) {
        rc = add_part(part, whole, &come, &contradict);
        wrong = part->local_status ? part->local_status : wrong;
    }
    for (size_t i = 0; !rc && i < whole->added.n; i++) {
        if (!px_proc_list_has(&come, &whole->added.at[i]) &&
            !px_procs_cover(whole->failed.at, whole->failed.n, &whole->added.at[i])) {
            rc = PMIX_ERR_NOT_FOUND;
        }
    }
    px_proc_list_fini(&come);
    if (!rc && whole->failed.n && !whole->survives && !whole->optional && !whole->notify) {
        wrong = wrong ? wrong : PMIX_GROUP_CONSTRUCT_ABORT;
    }
    rc = rc ? rc : wrong;
    return !rc && contradict ? PMIX_ERR_BAD_PARAM : rc;
}

/* Merges the contributions of the parts in the order of their calls, without those of callers
 * that are neither members nor added. 0 or PMIX_ERR_NOMEM. */
static int gather_given(struct px_coll *any, struct px_group_build *whole)
{
    const struct px_coll *part = next_waiting(any, NULL);
    int rc = PMIX_SUCCESS;

    for (; !rc && part; part = next_waiting(any, part)) {
        const struct px_group_build *build = part->state;
        bool member = !px_group_judge(part, &whole->members) ||
                      (whole->added.n && !px_group_judge(part, &whole->added));

        if (member) {
            rc = px_infos_append_all(&whole->given, &whole->n_given, build->given, build->n_given);
        }
    }
    return rc;
}

/* Gives one part its copy of the outcome, for the replies, and for what members decide. 0 or
 * PMIX_ERR_NOMEM. */
static int copy_outcome(const struct px_group_build *from, struct px_group_build *to)
{
    int rc = px_proc_list_add_all(&to->members, from->members.at, from->members.n);

    px_assert(!to->info);
    rc = rc ? rc : px_infos_copy(from->info, from->n_info, &to->info);
    to->n_info = rc ? 0 : from->n_info;
    rc = rc ? rc : px_proc_list_add_all(&to->failed, from->failed.at, from->failed.n);
    to->optional = from->optional;
    to->notify = from->notify;
    to->has_leader = from->has_leader;
    to->leader = from->leader;
    return rc;
}

/* True if the caller of the part, which has ended itself, is to be a member. */
static bool has_failed(const struct px_coll *part, const struct px_group_build *whole)
{
    return px_procs_cover(whole->failed.at, whole->failed.n, &part->members[0].proc);
}

/* Ends one part with the status, or lets its members decide. A caller that is no member gets
 * PMIX_ERR_NOT_A_MEMBER. */
static void finish_part(struct px_coll *part, const struct px_group_build *whole,
                        pmix_status_t status)
{
    int rc = status || has_failed(part, whole) ? status : px_group_judge(part, &whole->members);

    rc = rc ? rc : copy_outcome(whole, part->state);
    if (!rc && is_decided(whole)) {
        px_group_decision_begin(part);
    } else {
        px_coll_finish(part, rc ? rc : px_group_status(whole));
    }
}

/* The end of one part may be that of others. */
static void finish_parts(struct px_server *s, const struct px_group_build *whole, uid_t user,
                         pmix_status_t status)
{
    struct px_coll_walk walk;
    struct px_coll *coll;

    px_coll_walk_begin(&walk, &s->colls);
    while ((coll = px_coll_walk_next(&walk)) != NULL) {
        if (px_group_in_parts(coll) && strcmp(coll->name, whole->name) == 0 &&
            is_waiting(coll, user)) {
            finish_part(coll, whole, status);
        }
    }
    px_coll_walk_end(&walk);
}

/* A context id needs a host, so a part that wants one fails here. The name is copied because the
 * trackers that own it are freed. */
bool px_group_bootstrap(struct px_coll *part)
{
    struct px_server *s = part->server;
    uid_t user = part->members[0].uid;
    char *name = strdup(part->name);
    struct px_group_build whole = {.name = name};
    int rc = name ? gather(part, &whole) : PMIX_ERR_NOMEM;

    px_assert(part->closed && !part->upcall);
    rc = rc ? rc : gather_given(part, &whole);
    if (!rc && whole.wants_id) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    rc = rc ? rc : px_group_settle(s, &whole);
    if (!name) {
        px_coll_finish(part, rc);
    } else if (rc != PMIX_ERR_NOT_FOUND) {
        finish_parts(s, &whole, user, rc);
    }
    free(name);
    px_group_build_fini(&whole);
    return rc != PMIX_ERR_NOT_FOUND;
}

/* The first that waits does it for all: mostly the one before this is known to wait, too. */
bool px_group_bootstrap_again(struct px_coll *part)
{
    const struct px_coll *before = px_coll_before_like(part);

    while (before && !(px_group_in_parts(before) && is_waiting(before, part->members[0].uid))) {
        before = px_coll_before_like(before);
    }
    return !before && is_waiting(part, part->members[0].uid) && px_group_bootstrap(part);
}
