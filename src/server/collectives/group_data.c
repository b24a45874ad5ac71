/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What members of a group give each other (PMIX_GROUP_INFO). A contribution is an array of
 * infos; the first one names the contributor. Its values are stored under the contributor,
 * qualified by the group's context id if it has one, so that values of two groups do not replace
 * each other. */

#include "group_data.h"

#include <stdlib.h>
#include <string.h>

#include "group_decision.h"
#include "group_infos.h"
#include "group_names.h"
#include "modex_exchange.h"
#include "tracker.h"
#include "src/server/requests/host_upcall.h"
#include "src/nspace/jobinfo.h"
#include "src/nspace/proc_sets.h"
#include "src/value/directives.h"
#include "src/server/data/compaction.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/quota.h"
#include "src/base/assert.h"
#include "src/value/number.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"

/* The `absorb` of the table identifies the operation: no other table has this one. */
struct px_group_build *px_group_build_of(const struct px_coll *coll)
{
    return coll->ops->absorb == px_group_absorb ? coll->state : NULL;
}

void px_group_build_fini(void *state)
{
    struct px_group_build *build = state;

    PMIx_Info_free(build->given, build->n_given);
    PMIx_Info_free(build->info, build->n_info);
    px_proc_list_fini(&build->added);
    px_proc_list_fini(&build->order);
    px_proc_list_fini(&build->members);
    px_proc_list_fini(&build->failed);
    px_proc_list_fini(&build->lost);
    px_group_decision_free(build->decision);
}

/* Appends processes, each once, and a wildcard as the ranks of its namespace. */
static int expand(struct px_server *s, struct px_proc_list *list, const pmix_proc_t *procs,
                  size_t n)
{
    return px_proc_list_expand(list, procs, n, px_nspace_job_size, s);
}

/* The search may end each time that so many processes have been looked at. */
enum { LOOKED_AT = 256 };

/* Lost processes are of no interest: they do not change where the group is. */
bool px_procs_any_elsewhere(struct px_server *s, const struct px_proc_list *procs)
{
    bool found = false;

    for (size_t at = 0; !found && at < procs->n; at += LOOKED_AT) {
        size_t left = procs->n - at;

        found = px_expected_of(s, &procs->at[at], left < LOOKED_AT ? left : LOOKED_AT).remote;
    }
    return found;
}

/* The set in normal form is the same on all nodes, also if callers list the processes in different
 * orders. If it has as many processes as were named, each of them was named once. */
int px_group_add_named(const struct px_coll *coll, struct px_proc_list *list)
{
    const struct px_group_build *build = coll->state;
    struct px_shared_procs *named = build->mixed ? coll->set : coll->procs;

    px_assert(px_group_build_of(coll));
    if (!list->n && named->n == coll->set->n && !px_procs_have_wildcard(named->at, named->n)) {
        px_proc_list_share(list, named, named == coll->set);
        return PMIX_SUCCESS;
    }
    return expand(coll->server, list, named->at, named->n);
}

/* --- taking in a member's directives --- */

/* Appends a member's contribution with the member's name in front. An info without an array is
 * an empty contribution. 0 or PMIX_ERR_NOMEM. */
static int add_contribution(struct px_group_build *build, const pmix_proc_t *proc,
                            const pmix_info_t *info)
{
    pmix_info_t *list = NULL;
    size_t n = 0;
    size_t n_inner = 0;
    const pmix_info_t *inner = NULL;
    pmix_data_array_t array = {.type = PMIX_INFO};
    int rc = px_infos_append(&list, &n, PMIX_PROCID, proc, PMIX_PROC);

    (void) px_info_open(&info->value, &inner, &n_inner); /* no array: nothing */
    rc = rc ? rc : px_infos_append_all(&list, &n, inner, n_inner);
    array.array = list;
    array.size = n;
    rc = rc ? rc
            : px_infos_append(&build->given, &build->n_given, PMIX_GROUP_INFO, &array,
                              PMIX_DATA_ARRAY);
    PMIx_Info_free(list, n);
    return rc;
}

/* Notes if this caller lists the processes in another order than the first caller
 * (build->mixed). Wildcards are expanded only if the lists differ literally. 0 or
 * PMIX_ERR_NOMEM. */
static int compare_order(struct px_coll *coll, const struct px_coll_call *call)
{
    struct px_group_build *build = coll->state;
    struct px_proc_list first = {0};
    struct px_proc_list other = {0};
    int rc;

    if (build->mixed ||
        px_procs_equal(coll->procs->at, coll->procs->n, call->args.procs, call->args.nprocs)) {
        return PMIX_SUCCESS;
    }
    rc = expand(coll->server, &first, coll->procs->at, coll->procs->n);
    rc = rc ? rc : expand(coll->server, &other, call->args.procs, call->args.nprocs);
    build->mixed = !rc && !px_procs_equal(first.at, first.n, other.at, other.n);
    px_proc_list_fini(&first);
    px_proc_list_fini(&other);
    return rc;
}

/* Appends processes as a member names them: groups as their members, wildcards as the ranks of
 * their namespace if it is known here. 0, PMIX_ERR_NOT_FOUND (a group has no such rank, or is
 * none), PMIX_ERR_NOMEM. */
static int spell(struct px_server *s, struct px_proc_list *list, const struct px_procs *procs,
                 const pmix_proc_t *who)
{
    struct px_proc_list named = {0};
    int rc = px_proc_sets_expand(s->proc_sets, procs->at, procs->n, who, &named);

    rc = rc ? rc : px_group_names_check(s, named.at, named.n, who);
    rc = rc ? rc : expand(s, list, named.at, named.n);
    px_proc_list_fini(&named);
    return rc;
}

int px_group_agree(struct px_proc_list *order, struct px_proc_list *other)
{
    int rc = PMIX_SUCCESS;

    if (!order->n) {
        px_proc_list_fini(order);
        *order = *other;
        *other = (struct px_proc_list){0};
    } else if (other->n && !px_procs_equal(order->at, order->n, other->at, other->n)) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    px_proc_list_fini(other);
    return rc;
}

/* Members that ask for an order (PMIX_GROUP_FINAL_MEMBERSHIP_ORDER) have to ask for the same
 * one; otherwise the construction fails for all, with PMIX_ERR_BAD_PARAM, when all have called. */
static int absorb_order(struct px_coll *coll, const struct px_procs *order, const pmix_proc_t *who)
{
    struct px_group_build *build = coll->state;
    struct px_proc_list other = {0};
    int rc = spell(coll->server, &other, order, who);

    if (!rc && px_group_agree(&build->order, &other)) {
        coll->local_status = PMIX_ERR_BAD_PARAM;
    }
    px_proc_list_fini(&other);
    return rc;
}

/* Contributions, added members and context id are collected here and dropped from the merged
 * directives; px_group_describe passes them to the host as those of all members. */
int px_group_absorb(struct px_coll *coll, const struct px_coll_call *call,
                    const struct px_coll_member *who)
{
    const struct px_args *args = &call->args.head;
    struct px_group_construct_directives directives;
    struct px_group_build *build = coll->state;
    const size_t n_added = build->added.n;
    const pmix_info_t *info;
    int rc = px_group_construct_read(args->info, args->ninfo, &directives);

    build->name = coll->name;
    px_group_name_note(coll->server, coll->name, &who->proc);
    rc = rc || coll->solo ? rc : compare_order(coll, call);
    info = directives.info;
    for (; !rc && info; info = px_infos_next(args->info, args->ninfo, info, PMIX_GROUP_INFO)) {
        rc = add_contribution(build, &who->proc, info);
    }
    rc = rc ? rc : spell(coll->server, &build->added, &directives.add_members, &who->proc);
    px_request_grow(coll->server, who->request, PX_COLL_NAMED_BYTES * (build->added.n - n_added));
    rc = rc ? rc : absorb_order(coll, &directives.order, &who->proc);
    rc = rc ? rc : px_coll_merge(coll, args->info, args->ninfo);
    build->local_only |= directives.local_only;
    build->survives |= directives.survives;
    build->optional |= directives.optional;
    build->notify |= directives.notify;
    if (directives.leader) {
        build->has_leader = true;
        build->leader = who->proc;
    }
    if (directives.bootstrap != PX_NOT_GIVEN && directives.bootstrap > build->n_leaders) {
        build->n_leaders = directives.bootstrap;
    }
    if (directives.assign_context_id) {
        build->wants_id |= px_value_true(&directives.assign_context_id->value);
        build->requires_id |= (directives.assign_context_id->flags & PMIX_INFO_REQD) != 0;
    }
    /* Collected in `build` for all members. */
    px_infos_drop(coll->info, &coll->ninfo, PMIX_GROUP_INFO);
    px_infos_drop(coll->info, &coll->ninfo, PMIX_GROUP_ADD_MEMBERS);
    px_infos_drop(coll->info, &coll->ninfo, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    px_infos_drop(coll->info, &coll->ninfo, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER);
    return rc;
}

/* --- members that have ended --- */

pmix_status_t px_group_status(const struct px_group_build *build)
{
    bool partial = build->partial || (build->optional && build->failed.n);

    return partial ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS;
}

int px_group_find_failed(struct px_server *s, const struct px_proc_list *members,
                         struct px_proc_list *failed)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < members->n; i++) {
        const struct px_local_proc *rank = px_local_proc_of(s, &members->at[i]);

        if (rank && rank->departed) {
            rc = px_proc_list_add(failed, &members->at[i]);
        }
    }
    return rc;
}

/* PMIX_GROUP_CONSTRUCT_ABORT is what the survivors get unless one of them allows to go on. */
int px_group_lose(struct px_coll *coll)
{
    struct px_group_build *build = coll->state;
    struct px_proc_list named = {0};
    int rc;

    if (!build->survives && !build->optional && !px_group_decides(coll)) {
        coll->local_status = PMIX_GROUP_CONSTRUCT_ABORT;
        return PMIX_GROUP_CONSTRUCT_ABORT;
    }
    rc = px_group_add_named(coll, &named);
    rc = rc ? rc : expand(coll->server, &named, build->added.at, build->added.n);
    rc = rc ? rc : px_group_find_failed(coll->server, &named, &build->failed);
    px_proc_list_fini(&named);
    return rc;
}

/* --- towards the host --- */

/* Appends the committed data of the callers, everything each time (PMIX_GROUP_ENDPT_DATA): other
 * nodes may have none of it. 0 or PMIX_ERR_NOMEM. */
static int add_committed(const struct px_coll *coll, struct px_upcall *up)
{
    pmix_byte_object_t bytes = {0};
    pmix_proc_t *callers = calloc(coll->n_members + 1, sizeof(*callers));
    int rc = callers ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < coll->n_members; i++) {
        callers[i] = coll->members[i].proc;
    }
    rc = rc ? rc
            : px_modex_encode(coll->server, callers, coll->n_members, 0, false, &bytes.bytes,
                              &bytes.size);
    if (!rc && bytes.size) {
        rc =
            px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_ENDPT_DATA, &bytes, PMIX_BYTE_OBJECT);
    }
    free(bytes.bytes);
    free(callers);
    return rc;
}

/* The host passes these on to the servers of the other members, and returns those of all. */
int px_group_describe(const struct px_coll *coll, struct px_upcall *up)
{
    const struct px_group_build *build = coll->state;
    pmix_data_array_t given = {.type = PMIX_INFO, .size = build->n_given, .array = build->given};
    pmix_data_array_t added = {.type = PMIX_PROC, .size = build->added.n, .array = build->added.at};
    pmix_data_array_t order = {.type = PMIX_PROC, .size = build->order.n, .array = build->order.at};
    pmix_data_array_t failed = {
        .type = PMIX_PROC, .size = build->failed.n, .array = build->failed.at};
    bool yes = true;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(coll->server->loop));
    if (build->failed.n) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_EVENT_AFFECTED_PROCS, &failed,
                             PMIX_DATA_ARRAY);
    }
    if (!rc && build->wants_id) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
        if (!rc && build->requires_id) {
            up->info[up->ninfo - 1].flags = PMIX_INFO_REQD;
        }
    }
    /* A caller by itself is in no list of processes, so the host gets its name. */
    if (!rc && coll->solo) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_PROCID, &coll->members[0].proc, PMIX_PROC);
    }
    if (!rc && build->added.n) {
        rc =
            px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    }
    if (!rc && build->order.n) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, &order,
                             PMIX_DATA_ARRAY);
    }
    if (!rc && build->n_given) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_GROUP_INFO_ARRAY, &given, PMIX_DATA_ARRAY);
    }
    return rc ? rc : add_committed(coll, up);
}

/* --- and back --- */

/* Stores job information from the host: {STRING nspace; BYTE_OBJECT of KVALs}..., as
 * px_collect_job_info packs it. Namespaces that are registered here have theirs already. */
static int store_jobs(struct px_server *s, const pmix_byte_object_t *bytes)
{
    struct px_in in = px_in_make(bytes->bytes, bytes->size, PX_WIRE_PLAIN);
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(&in)) {
        char *name = NULL;
        const void *at;
        size_t len;
        struct px_nspace *ns;

        (void) px_unpack_string(&in, &name);
        rc = px_unpack_view(&in, &at, &len);
        ns = !rc && name && strlen(name) <= PMIX_MAX_NSLEN ? px_nspace_make(s, name) : NULL;
        if (ns && !ns->registered) {
            struct px_in inner = px_in_make(at, len, PX_WIRE_PLAIN);

            rc = px_jobinfo_unpack(&inner, ns->store, s->hostname);
            px_nspace_compact(s, ns);
            ns->asked_host = true;
        }
        free(name);
    }
    return rc;
}

/* Sorts the members by the order that was asked for; members that it does not name follow in
 * their old order. 0 or PMIX_ERR_NOMEM; then nothing has changed. */
static int order_members(struct px_server *s, struct px_group_build *build)
{
    struct px_proc_list *members = &build->members;
    struct px_proc_list wanted = {0};
    struct px_proc_list ordered = {0};
    int rc = expand(s, &wanted, build->order.at, build->order.n); /* known by now */

    for (size_t i = 0; !rc && i < wanted.n; i++) {
        if (px_proc_list_has(members, &wanted.at[i])) {
            rc = px_proc_list_add(&ordered, &wanted.at[i]);
        }
    }
    for (size_t i = 0; !rc && i < members->n; i++) {
        rc = px_proc_list_add(&ordered, &members->at[i]);
    }
    px_proc_list_fini(&wanted);
    if (!rc) {
        px_assert(ordered.n == members->n);
        px_proc_list_fini(members);
        *members = ordered;
        ordered = (struct px_proc_list){0};
    }
    px_proc_list_fini(&ordered);
    return rc;
}

/* The end of both ways to an outcome: orders the members and stores the contributions. */
static int settle(struct px_server *s, struct px_group_build *build)
{
    int rc = px_proc_list_remove(&build->members, build->failed.at, build->failed.n);

    rc = rc || !build->order.n ? rc : order_members(s, build);
    return rc ? rc
              : px_group_infos_store(s, build->name, build->has_id ? &build->id : NULL, build->info,
                                     build->n_info);
}

/* Stores the committed data and the job information among the host's infos. */
static int take_bytes(struct px_server *s, const pmix_info_t *info, size_t n)
{
    const pmix_info_t *endpoint = px_infos_next(info, n, NULL, PMIX_GROUP_ENDPT_DATA);
    const pmix_info_t *jobs = px_infos_next(info, n, NULL, PMIX_GROUP_JOB_INFO);
    int rc = PMIX_SUCCESS;

    for (; !rc && endpoint; endpoint = px_infos_next(info, n, endpoint, PMIX_GROUP_ENDPT_DATA)) {
        if (endpoint->value.type == PMIX_BYTE_OBJECT) {
            rc = px_modex_decode(s, endpoint->value.data.bo.bytes, endpoint->value.data.bo.size,
                                 NULL);
        }
    }
    for (; !rc && jobs; jobs = px_infos_next(info, n, jobs, PMIX_GROUP_JOB_INFO)) {
        if (jobs->value.type == PMIX_BYTE_OBJECT) {
            rc = store_jobs(s, &jobs->value.data.bo);
        }
    }
    return rc;
}

/* The order of the members. Who knows all of them decides: this server, if they are all of this
 * node and called it together; the host otherwise, by the order of its list, or by giving back the
 * orders that all servers have told it (PMIX_GROUP_FINAL_MEMBERSHIP_ORDER), which each server then
 * compares and applies. What only a part of the members has said to this server never counts alone.
 * 0, PMIX_ERR_BAD_PARAM (two orders), PMIX_ERR_NOMEM. */
static int take_order(struct px_coll *coll, const struct px_upcall *up)
{
    static const char key[] = PMIX_GROUP_FINAL_MEMBERSHIP_ORDER;
    struct px_group_build *build = coll->state;
    const pmix_info_t *info = px_infos_next(up->reply.info, up->reply.ninfo, NULL, key);
    bool all_here =
        !coll->solo && !build->added.n && !px_procs_any_elsewhere(coll->server, &build->members);
    int rc = PMIX_SUCCESS;

    if (info || !all_here) {
        px_proc_list_fini(&build->order);
    }
    for (; !rc && info; info = px_infos_next(up->reply.info, up->reply.ninfo, info, key)) {
        struct px_procs procs = {NULL, 0};
        struct px_proc_list other = {0};

        if (px_value_procs(&info->value, &procs)) {
            rc = expand(coll->server, &other, procs.at, procs.n);
        }
        rc = rc ? rc : px_group_agree(&build->order, &other);
        px_proc_list_fini(&other);
    }
    return rc;
}

int px_group_add_failed(const struct px_upcall *up, struct px_proc_list *failed)
{
    static const char key[] = PMIX_EVENT_AFFECTED_PROCS;
    const pmix_info_t *info = px_infos_next(up->reply.info, up->reply.ninfo, NULL, key);
    int rc = PMIX_SUCCESS;

    for (; !rc && info; info = px_infos_next(up->reply.info, up->reply.ninfo, info, key)) {
        struct px_procs procs = {NULL, 0};

        if (px_value_procs(&info->value, &procs)) {
            rc = expand(up->server, failed, procs.at, procs.n);
        }
    }
    return rc;
}

/* The host's list of members counts. Without one, the members are the named and the added ones.
 * Infos that are only for servers are dropped from those for the members. */
int px_group_take(struct px_coll *coll, struct px_upcall *up)
{
    struct px_server *s = coll->server;
    struct px_group_build *build = coll->state;
    const pmix_value_t *id = px_info_find(up->reply.info, up->reply.ninfo, PMIX_GROUP_CONTEXT_ID);
    const pmix_value_t *members =
        px_info_find(up->reply.info, up->reply.ninfo, PMIX_GROUP_MEMBERSHIP);
    struct px_procs procs = {NULL, 0};
    struct px_integer number;
    int rc = take_bytes(s, up->reply.info, up->reply.ninfo);

    px_assert(px_loop_inside(s->loop) && !build->info && !build->members.n);
    if (id && px_value_integer(id, &number) && !number.negative) {
        build->id = number.magnitude;
        build->has_id = true;
    }
    if (!rc && members && px_value_procs(members, &procs)) {
        rc = expand(s, &build->members, procs.at, procs.n);
    }
    if (!rc && !build->members.n) {
        rc = px_group_add_named(coll, &build->members);
        rc = rc ? rc : expand(s, &build->members, build->added.at, build->added.n);
    }
    px_group_decision_take(coll, up->reply.info, &up->reply.ninfo);
    rc = rc ? rc : take_order(coll, up);
    rc = rc ? rc : px_group_add_failed(up, &build->failed);
    build->info = up->reply.info;
    build->n_info = up->reply.ninfo;
    up->reply.info = NULL;
    up->reply.ninfo = 0;
    px_infos_drop(build->info, &build->n_info, PMIX_GROUP_CONTEXT_ID);
    px_infos_drop(build->info, &build->n_info, PMIX_GROUP_MEMBERSHIP);
    px_infos_drop(build->info, &build->n_info, PMIX_GROUP_ENDPT_DATA);
    px_infos_drop(build->info, &build->n_info, PMIX_GROUP_JOB_INFO);
    px_infos_drop(build->info, &build->n_info, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER);
    px_infos_drop(build->info, &build->n_info, PMIX_EVENT_AFFECTED_PROCS);
    return rc ? rc : settle(s, build);
}

/* The named members are followed by the added ones, as px_group_take does without a list. */
int px_group_settle(struct px_server *s, struct px_group_build *build)
{
    int rc = expand(s, &build->members, build->added.at, build->added.n);

    px_assert(px_loop_inside(s->loop) && !build->info && !build->hosted);
    build->info = build->given;
    build->n_info = build->n_given;
    build->given = NULL;
    build->n_given = 0;
    return rc ? rc : settle(s, build);
}

/* Only a caller by itself can be a stranger: others are checked when they call. */
int px_group_judge(const struct px_coll *coll, const struct px_proc_list *members)
{

    px_assert(coll->n_members > 0);
    return !coll->solo || !members->n ||
                   px_procs_cover(members->at, members->n, &coll->members[0].proc)
               ? PMIX_SUCCESS
               : PMIX_ERR_NOT_A_MEMBER;
}
