/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What members of a group give each other. A contribution is an array of infos whose first names
 * the contributor; its values are stored with the contributor, qualified by the group's context id
 * where it has one, so that two groups do not overwrite each other. */

#include "group_data.h"

#include <stdlib.h>
#include <string.h>

#include "modex_exchange.h"
#include "server_group.h"
#include "src/nspace/jobinfo.h"
#include "src/value/infos.h"
#include "src/server/data/nspace.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

/* --- processes --- */

static bool listed(const pmix_proc_t *list, size_t n, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].rank == proc->rank && strcmp(list[i].nspace, proc->nspace) == 0) {
            return true;
        }
    }
    return false;
}

static int add_proc(pmix_proc_t **list, size_t *n, const pmix_proc_t *proc)
{
    pmix_proc_t *more;

    if (listed(*list, *n, proc)) {
        return PMIX_SUCCESS;
    }
    more = realloc(*list, (*n + 1) * sizeof(*more));
    if (!more) {
        return PMIX_ERR_NOMEM;
    }
    more[(*n)++] = *proc;
    *list = more;
    return PMIX_SUCCESS;
}

int px_group_expand(struct px_server *s, const pmix_proc_t *procs, size_t n, pmix_proc_t **list,
                    size_t *n_list)
{
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; !rc && i < n; i++) {
        pmix_proc_t proc = procs[i];
        uint32_t size = proc.rank == PMIX_RANK_WILDCARD ? px_nspace_job_size(s, proc.nspace) : 0;

        if (!size) {
            rc = add_proc(list, n_list, &proc);
        }
        for (uint32_t r = 0; !rc && r < size; r++) {
            proc.rank = r;
            rc = add_proc(list, n_list, &proc);
        }
    }
    return rc;
}

/* The procs of an info's array; NULL when it has none. */
static const pmix_proc_t *procs_of(const pmix_info_t *info, size_t *ret_n)
{
    const pmix_data_array_t *array =
        info->value.type == PMIX_DATA_ARRAY ? info->value.data.darray : NULL;

    *ret_n = array && array->type == PMIX_PROC && array->array ? array->size : 0;
    return *ret_n ? array->array : NULL;
}

static const pmix_info_t *infos_of(const pmix_value_t *value, size_t *ret_n)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    *ret_n = array && array->type == PMIX_INFO && array->array ? array->size : 0;
    return *ret_n ? array->array : NULL;
}

/* --- taking in a member's directives --- */

/* A contribution with its owner put in front. */
static int add_contribution(struct px_coll *coll, const pmix_proc_t *proc, const pmix_info_t *info)
{
    pmix_info_t *list = NULL;
    size_t n = 0;
    size_t n_inner;
    const pmix_info_t *inner = infos_of(&info->value, &n_inner);
    pmix_data_array_t array = {.type = PMIX_INFO};
    int rc = px_infos_append(&list, &n, PMIX_PROCID, proc, PMIX_PROC);

    for (size_t i = 0; !rc && i < n_inner; i++) {
        rc = px_infos_append_copy(&list, &n, &inner[i]);
    }
    array.array = list;
    array.size = n;
    rc = rc ? rc
            : px_infos_append(&coll->group.given, &coll->group.n_given, PMIX_GROUP_INFO, &array,
                              PMIX_DATA_ARRAY);
    PMIx_Info_free(list, n);
    return rc;
}

/* All that give an order have to give the same. */
static bool contradicts(const struct px_coll *coll, const pmix_info_t *info)
{
    size_t n;
    const pmix_proc_t *procs = procs_of(info, &n);

    for (size_t i = 0; i < coll->ninfo; i++) {
        size_t m;
        const pmix_proc_t *other;

        if (strcmp(coll->info[i].key, info->key) != 0) {
            continue;
        }
        other = procs_of(&coll->info[i], &m);
        if (n != m) {
            return true;
        }
        for (size_t j = 0; j < n; j++) {
            if (!listed(&other[j], 1, &procs[j])) {
                return true;
            }
        }
    }
    return false;
}

static bool same_list(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    bool same = na == nb;

    for (size_t i = 0; same && i < na; i++) {
        same = listed(&a[i], 1, &b[i]);
    }
    return same;
}

/* Has this caller put the processes in another order than the first one? With wildcards spelt out,
 * which is seldom necessary. */
static int compare_order(struct px_coll *coll, const struct px_coll_call *call)
{
    struct px_server *s = coll->owner;
    pmix_proc_t *first = NULL;
    pmix_proc_t *other = NULL;
    size_t n_first = 0;
    size_t n_other = 0;
    int rc;

    if (coll->group.mixed || same_list(coll->procs, coll->nprocs, call->procs, call->nprocs)) {
        return PMIX_SUCCESS;
    }
    rc = px_group_expand(s, coll->procs, coll->nprocs, &first, &n_first);
    rc = rc ? rc : px_group_expand(s, call->procs, call->nprocs, &other, &n_other);
    coll->group.mixed = !rc && !same_list(first, n_first, other, n_other);
    free(first);
    free(other);
    return rc;
}

int px_group_absorb(struct px_coll *coll, const pmix_proc_t *proc, const struct px_coll_call *call)
{
    int rc = coll->kind == PX_COLL_GROUP_CONSTRUCT ? compare_order(coll, call) : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < call->ninfo; i++) {
        const pmix_info_t *info = &call->info[i];
        size_t n;
        const pmix_proc_t *procs;

        if (strcmp(info->key, PMIX_GROUP_INFO) == 0) {
            rc = add_contribution(coll, proc, info);
        } else if (strcmp(info->key, PMIX_GROUP_ADD_MEMBERS) == 0) {
            procs = procs_of(info, &n);
            for (size_t j = 0; !rc && j < n; j++) {
                rc = add_proc(&coll->group.added, &coll->group.n_added, &procs[j]);
            }
        } else if (strcmp(info->key, PMIX_GROUP_ASSIGN_CONTEXT_ID) == 0) {
            coll->group.wants_id |= px_value_true(&info->value);
            coll->group.id_flags |= info->flags & PMIX_INFO_REQD;
        } else if (strcmp(info->key, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER) == 0 &&
                   contradicts(coll, info)) {
            coll->local_status = PMIX_ERR_BAD_PARAM; /* for all, when all have come */
        } else {
            rc = px_coll_merge(coll, info, 1);
        }
    }
    return rc;
}

/* --- towards the host --- */

static int add_posted(struct px_server *s, const struct px_coll *coll, pmix_info_t **info,
                      size_t *ninfo)
{
    pmix_byte_object_t bytes = {0};
    pmix_proc_t *callers = calloc(coll->n_members + 1, sizeof(*callers));
    int rc = callers ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < coll->n_members; i++) {
        callers[i] = coll->members[i].proc;
    }
    rc =
        rc ? rc : px_modex_encode(s, callers, coll->n_members, 0, false, &bytes.bytes, &bytes.size);
    if (!rc && bytes.size) {
        rc = px_infos_append(info, ninfo, PMIX_GROUP_ENDPT_DATA, &bytes, PMIX_BYTE_OBJECT);
    }
    free(bytes.bytes);
    free(callers);
    return rc;
}

int px_group_describe(struct px_server *s, const struct px_coll *coll, pmix_info_t **info,
                      size_t *ninfo)
{
    const struct px_coll_group *group = &coll->group;
    pmix_data_array_t given = {.type = PMIX_INFO, .size = group->n_given, .array = group->given};
    pmix_data_array_t added = {.type = PMIX_PROC, .size = group->n_added, .array = group->added};
    bool yes = true;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    if (group->wants_id) {
        rc = px_infos_append(info, ninfo, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
        if (!rc) {
            (*info)[*ninfo - 1].flags = group->id_flags;
        }
    }
    /* Who is added by others is in no list: the host is told who has come. */
    if (!rc && coll->kind == PX_COLL_GROUP_SOLO) {
        rc = px_infos_append(info, ninfo, PMIX_PROCID, &coll->members[0].proc, PMIX_PROC);
    }
    if (!rc && group->n_added) {
        rc = px_infos_append(info, ninfo, PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    }
    if (!rc && group->n_given) {
        rc = px_infos_append(info, ninfo, PMIX_GROUP_INFO_ARRAY, &given, PMIX_DATA_ARRAY);
    }
    return rc ? rc : add_posted(s, coll, info, ninfo);
}

/* --- and back --- */

/* One contribution into its owner's place. */
static int store_given(struct px_server *s, const struct px_coll_group *group,
                       const pmix_info_t *given)
{
    size_t n;
    const pmix_info_t *infos = infos_of(&given->value, &n);
    pmix_info_t qualifier;
    struct px_batch *batch;
    struct px_local_proc *rank;
    struct px_nspace *ns;
    int rc = PMIX_SUCCESS;

    if (n < 2 || infos[0].value.type != PMIX_PROC || !infos[0].value.data.proc) {
        return PMIX_SUCCESS;
    }
    ns = px_nspace_find(s, infos[0].value.data.proc->nspace);
    if (!ns) {
        return PMIX_SUCCESS;
    }
    memset(&qualifier, 0, sizeof(qualifier));
    memcpy(qualifier.key, PMIX_GROUP_CONTEXT_ID, sizeof(PMIX_GROUP_CONTEXT_ID));
    qualifier.value.type = PMIX_SIZE;
    qualifier.value.data.size = group->id;
    batch = px_batch_create();
    rc = batch ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    for (size_t i = 1; !rc && i < n; i++) {
        struct px_store_entry entry = {
            .level = PX_LEVEL_PROC,
            .index = infos[0].value.data.proc->rank,
            .key = infos[i].key,
            .value = &infos[i].value,
            .scope = PMIX_GLOBAL,
            .quals = group->has_id ? &qualifier : NULL,
            .n_quals = group->has_id ? 1 : 0,
        };

        rc = px_batch_add(batch, &entry);
    }
    rc = rc ? rc : px_store_publish(ns->store, batch);
    rank = px_local_proc_find(ns, infos[0].value.data.proc->rank);
    if (rank) {
        rank->change = ++s->changes;
    }
    px_batch_destroy(batch);
    px_store_compact(ns->store);
    return rc;
}

static int store_all_given(struct px_server *s, const struct px_coll_group *group,
                           const pmix_info_t *info, size_t n)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < n; i++) {
        size_t m;
        const pmix_info_t *inner;

        if (strcmp(info[i].key, PMIX_GROUP_INFO) == 0) {
            rc = store_given(s, group, &info[i]);
        } else if (strcmp(info[i].key, PMIX_GROUP_INFO_ARRAY) == 0) {
            inner = infos_of(&info[i].value, &m);
            rc = store_all_given(s, group, inner, m);
        }
    }
    return rc;
}

/* {STRING nspace; BYTE_OBJECT of KVALs}..., as px_collect_job_info packs it. */
static int store_jobs(struct px_server *s, const pmix_byte_object_t *bytes)
{
    struct px_in in = px_in_make(bytes->bytes, bytes->size, PX_WIRE_PLAIN);
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(&in)) {
        char *name = NULL;
        const void *at;
        size_t len;
        struct px_nspace *ns;

        rc = px_unpack_string(&in, &name);
        rc = rc ? rc : px_unpack_view(&in, &at, &len);
        ns = !rc && name && strlen(name) <= PMIX_MAX_NSLEN ? px_nspace_make(s, name) : NULL;
        if (ns && !ns->registered) {
            struct px_in inner = px_in_make(at, len, PX_WIRE_PLAIN);

            rc = px_jobinfo_unpack(&inner, ns->store, s->hostname);
            ns->asked_host = true;
        }
        free(name);
    }
    return rc;
}

/* The order that was asked for, as far as it names members; the others follow. */
static int order_members(struct px_server *s, struct px_coll *coll)
{
    struct px_coll_group *group = &coll->group;
    pmix_proc_t *wanted = NULL;
    pmix_proc_t *ordered = NULL;
    size_t n_wanted = 0;
    size_t n = 0;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < coll->ninfo; i++) {
        size_t m;
        const pmix_proc_t *procs = procs_of(&coll->info[i], &m);

        if (strcmp(coll->info[i].key, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER) == 0) {
            rc = px_group_expand(s, procs, m, &wanted, &n_wanted);
        }
    }
    for (size_t i = 0; !rc && i < n_wanted; i++) {
        if (listed(group->members, group->n_members, &wanted[i])) {
            rc = add_proc(&ordered, &n, &wanted[i]);
        }
    }
    for (size_t i = 0; !rc && n_wanted && i < group->n_members; i++) {
        rc = add_proc(&ordered, &n, &group->members[i]);
    }
    free(wanted);
    if (rc || !n) {
        free(ordered);
        return rc;
    }
    free(group->members);
    group->members = ordered;
    group->n_members = n;
    return PMIX_SUCCESS;
}

int px_group_add_named(struct px_server *s, const struct px_coll *coll, pmix_proc_t **list,
                       size_t *n)
{
    const struct px_coll_group *group = &coll->group;

    px_assert(px_loop_inside(s->loop));
    return px_group_expand(s, group->mixed ? coll->set : coll->procs,
                           group->mixed ? coll->nset : coll->nprocs, list, n);
}

static int default_members(struct px_server *s, struct px_coll *coll)
{
    struct px_coll_group *group = &coll->group;
    int rc = px_group_add_named(s, coll, &group->members, &group->n_members);

    return rc ? rc
              : px_group_expand(s, group->added, group->n_added, &group->members,
                                &group->n_members);
}

static int take_one(struct px_server *s, struct px_coll_group *group, const pmix_info_t *info)
{
    size_t n;
    const pmix_proc_t *procs;

    if (strcmp(info->key, PMIX_GROUP_CONTEXT_ID) == 0) {
        uint32_t id;

        if (info->value.type == PMIX_SIZE) {
            group->id = info->value.data.size;
            group->has_id = true;
        } else if (!px_value_u32(&info->value, &id)) {
            group->id = id;
            group->has_id = true;
        }
        return PMIX_SUCCESS;
    }
    if (strcmp(info->key, PMIX_GROUP_MEMBERSHIP) == 0) {
        procs = procs_of(info, &n);
        return px_group_expand(s, procs, n, &group->members, &group->n_members);
    }
    if (strcmp(info->key, PMIX_GROUP_ENDPT_DATA) == 0 && info->value.type == PMIX_BYTE_OBJECT) {
        return px_modex_decode(s, info->value.data.bo.bytes, info->value.data.bo.size, NULL);
    }
    if (strcmp(info->key, PMIX_GROUP_JOB_INFO) == 0 && info->value.type == PMIX_BYTE_OBJECT) {
        return store_jobs(s, &info->value.data.bo);
    }
    return px_infos_append_copy(&group->info, &group->n_info, info);
}

int px_group_take(struct px_server *s, struct px_coll *coll, const pmix_info_t *info, size_t ninfo)
{
    struct px_coll_group *group = &coll->group;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; !rc && i < ninfo; i++) {
        rc = take_one(s, group, &info[i]);
    }
    if (!rc && !group->n_members) {
        rc = default_members(s, coll);
    }
    rc = rc ? rc : order_members(s, coll);
    return rc ? rc : store_all_given(s, group, group->info, group->n_info);
}

int px_group_judge(const struct px_coll *coll, const struct px_coll_group *outcome)
{
    bool in = coll->kind != PX_COLL_GROUP_SOLO || !outcome->n_members;

    for (size_t i = 0; !in && i < outcome->n_members; i++) {
        pmix_proc_t member = outcome->members[i];

        member.rank = member.rank == PMIX_RANK_WILDCARD ? coll->members[0].proc.rank : member.rank;
        in = listed(&member, 1, &coll->members[0].proc);
    }
    return in ? PMIX_SUCCESS : PMIX_ERR_NOT_A_MEMBER;
}

int px_group_settle(struct px_server *s, struct px_coll *coll)
{
    struct px_coll_group *group = &coll->group;
    int rc = default_members(s, coll);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : order_members(s, coll);
    if (!rc && group->n_given) {
        rc = px_infos_copy(group->given, group->n_given, &group->info);
        group->n_info = rc ? 0 : group->n_given;
    }
    return rc ? rc : store_all_given(s, group, group->info, group->n_info);
}
