/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The destruction of groups. A member that has ended makes the destruct fail for the others. With
 * PMIX_GROUP_NOTIFY_TERMINATION it succeeds, and the others get an event about that member: when it
 * ends if the construct had the directive, and when the group is destructed if only the destruct
 * has it.
 *
 * If all members on a node have ended, the server of that node takes no part, and only the host
 * knows of their end. Therefore the host gets the directive, which says that it is not to wait for
 * them, and the answer of the host names all members that have ended. */

#include <stddef.h>

#include <pmix.h>

#include "all_collectives.h"
#include "collective.h"
#include "group_data.h"
#include "group_leave.h"
#include "server_group.h"
#include "src/base/assert.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* The group that is taken apart, or NULL. Not every caller need still be a member. */
static struct px_proc_set *group_of(const struct px_coll *coll)
{
    struct px_proc_set *group = NULL;

    for (size_t i = 0; !group && i < coll->n_members; i++) {
        group = px_proc_set_find(coll->server->proc_sets, PX_SET_GROUP, coll->name,
                                 &coll->members[i].proc);
    }
    return group;
}

/* True if the members of the group are told of each other's end when it comes. */
static bool is_announced(const struct px_coll *coll)
{
    const struct px_proc_set *group = group_of(coll);

    return group && group->notify;
}

/* True if a caller wants ends to be announced in place of an error. */
static bool wants_announced(const struct px_coll *coll)
{
    return px_infos_flag(coll->info, coll->ninfo, PMIX_GROUP_NOTIFY_TERMINATION);
}

/* All local members have called. The host is asked if members are remote or it took part in the
 * construction. */
static void destruct_complete(struct px_coll *coll, bool remote)
{
    struct px_server *s = coll->server;
    struct px_proc_set *group = group_of(coll);

    px_assert(coll->closed);
    if (coll->local_status == PMIX_ERR_LOST_CONNECTION &&
        (is_announced(coll) || wants_announced(coll))) {
        coll->local_status = PMIX_SUCCESS;
    }
    if (remote || (s->host.group && group && group->hosted)) {
        px_coll_ask_host(coll);
        return;
    }
    if (group && wants_announced(coll)) {
        px_group_expel(s, group);
    }
    px_coll_end(coll, px_coll_local_status(coll));
}

/* --- with the host --- */

/* Appends the members that have ended on this node. 0 or PMIX_ERR_NOMEM. */
static int find_lost(struct px_coll *coll, struct px_proc_list *lost)
{
    struct px_proc_list named = {0};
    int rc =
        px_proc_list_expand(&named, coll->set->at, coll->set->n, px_nspace_job_size, coll->server);

    rc = rc ? rc : px_group_find_failed(coll->server, &named, lost);
    px_proc_list_fini(&named);
    return rc;
}

/* Tells the host that members which have ended are not missed, and who of this node has. 0 or
 * PMIX_ERR_NOMEM. */
static int describe_lost(struct px_coll *coll, struct px_upcall *up)
{
    struct px_proc_list lost = {0};
    pmix_data_array_t array = {.type = PMIX_PROC};
    bool yes = true;
    int rc = find_lost(coll, &lost);

    if (!rc && !wants_announced(coll)) {
        px_infos_drop(up->info, &up->ninfo, PMIX_GROUP_NOTIFY_TERMINATION); /* it may be off */
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    }
    array.array = lost.at;
    array.size = lost.n;
    if (!rc && lost.n) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_EVENT_AFFECTED_PROCS, &array,
                             PMIX_DATA_ARRAY);
    }
    px_proc_list_fini(&lost);
    return rc;
}

static pmix_status_t destruct_ask(struct px_coll *coll, struct px_upcall *up)
{
    int rc = coll->server->host.group ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;

    if (!rc && (is_announced(coll) || wants_announced(coll))) {
        rc = describe_lost(coll, up);
    }
    return rc ? rc : px_group_ask_host(coll, up, PMIX_GROUP_DESTRUCT);
}

/* Tells the members here of those that have ended, on any node. Each event changes the group. */
static void tell_lost(struct px_coll *coll, const struct px_proc_list *lost)
{
    for (size_t i = 0; i < lost->n; i++) {
        const struct px_proc_list one = {.at = &lost->at[i], .n = 1};
        const struct px_proc_set *group = group_of(coll);

        if (group && px_procs_find(group->members, group->n, one.at) < group->n) {
            px_group_tell_failed(coll->server, group, &one);
        }
    }
}

/* The host has answered. If the construct did not have the directive, the members here are told of
 * those that have ended. Without memory they are not told. */
static void destruct_answered(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;
    struct px_proc_list lost = {0};

    if (coll && !up->reply.status && !is_announced(coll) &&
        !(wants_announced(coll) ? find_lost(coll, &lost) : PMIX_SUCCESS) &&
        !px_group_add_failed(up, &lost)) {
        tell_lost(coll, &lost);
    }
    px_proc_list_fini(&lost);
    px_coll_answered(up, up->reply.status);
}

/* --- the operation --- */

/* Removes the group, also if a member was lost. */
static void destruct_finished(struct px_coll *coll, pmix_status_t status)
{
    if (!status || status == PMIX_ERR_LOST_CONNECTION) { /* all members that live have called */
        px_proc_set_remove(group_of(coll));
    }
}

/* Replaces the processes of a destruct by the members that this server has of the group: members
 * may have left since the caller learned of them, clients before 4.2.4 send none, and those of this
 * library none if the server has made the group. If a group by invitation is not known here
 * (invited_group.h), the caller's list counts, for processes of its user. A call that joins others
 * names only its caller, since the tracker has the members. PMIX_ERR_NOT_FOUND (neither exists),
 * PMIX_ERR_NOMEM. */
static int destruct_prepare(struct px_server *s, const struct px_coll_member *who,
                            struct px_coll_call *call)
{
    const struct px_proc_set *group;

    call->key = px_coll_key(call->ops, call->args.group, 0);
    call->meaning = px_group_name_meaning(s, call->args.group, who);
    if (px_coll_find(&s->colls, call, who)) {
        return px_coll_call_name(call, px_shared_procs_copy(&who->proc, 1));
    }
    group = px_proc_set_find(s->proc_sets, PX_SET_GROUP, call->args.group, &who->proc);
    if (!group) {
        return call->args.nprocs ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
    }
    return px_coll_call_name(call, px_shared_procs_hold(group->shared));
}

/* PMIX_ERR_NOT_FOUND: the caller is in no group of this name, and its own list has a member of one.
 */
static int destruct_admit(struct px_server *s, const struct px_coll_call *call,
                          const struct px_coll_member *who)
{
    const char *name = call->args.group;

    return !px_group_name_used(s, name, &who->proc, 1) &&
                   px_group_name_used(s, name, call->set.at, call->set.n)
               ? PMIX_ERR_NOT_FOUND
               : PMIX_SUCCESS;
}

/* Gathered by name and member: members may have different lists after some have left. */
const struct px_coll_ops px_group_destruct_ops = {
    .request = &px_request_group_destruct,
    .by_member = true,
    .prepare = destruct_prepare,
    .admit = destruct_admit,
    .complete = destruct_complete,
    .ask = destruct_ask,
    .answered = destruct_answered,
    .finished = destruct_finished,
};
