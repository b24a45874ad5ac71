/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The list of groups is under the session lock. A process that is in no group never takes it: the
 * number of groups is an atomic that is read first. */

#include "group_map.h"

#include "session.h"

#include "src/base/assert.h"
#include "src/event/registry.h"
#include "src/request/schema.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* Stores the number of groups after a change of the list. */
static void count_locked(struct px_session *session, uint64_t n_groups)
{
    px_assert(px_lock_held(&session->lock));
    px_assert(session->groups.n == n_groups);
    /* pairs with px_group_map_find */
    px_store_release(&session->n_groups, n_groups);
}

/* Removes the group, if it is known. Session lock. */
static void remove_locked(struct px_session *session, const char *group)
{
    struct px_proc_set *set = px_proc_set_find(&session->groups, PX_SET_GROUP, group, NULL);

    if (set != NULL) {
        px_proc_set_remove(set);
        count_locked(session, session->n_groups - 1);
    }
}

/* The old group of that name goes in any case: a name never stands for members of before. */
void px_group_map_add(struct px_session *session, const char *group, bool served,
                      const pmix_info_t *results, size_t n)
{
    const pmix_value_t *value = px_info_find(results, n, PMIX_GROUP_MEMBERSHIP);
    struct px_proc_set *set;
    struct px_procs members;
    bool known = value != NULL && px_value_procs(value, &members);

    for (size_t i = 0; known && i < members.n; i++) {
        known = members.at[i].rank <= PMIX_RANK_VALID;
    }
    px_lock_take(&session->lock);
    remove_locked(session, group);
    set = known ? px_proc_set_add(&session->groups, PX_SET_GROUP, group, members.at, members.n)
                : NULL;
    if (set != NULL) {
        set->served = served;
        count_locked(session, session->n_groups + 1);
    }
    px_lock_give(&session->lock);
}

bool px_group_map_is_served(struct px_session *session, const char *group)
{
    const struct px_proc_set *set;
    bool served;

    px_lock_take(&session->lock);
    set = px_proc_set_find(&session->groups, PX_SET_GROUP, group, NULL);
    served = set != NULL && set->served;
    px_lock_give(&session->lock);
    return served;
}

void px_group_map_remove(struct px_session *session, const char *group)
{
    px_lock_take(&session->lock);
    remove_locked(session, group);
    px_lock_give(&session->lock);
}

/* A process that has left or failed is taken out of the group; with its last member the group is
 * removed. */
void px_group_map_event(struct px_session *session, const struct px_event *event, bool live)
{
    const char *group = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));
    const pmix_value_t *left = px_info_find(event->info, event->ninfo, PMIX_EVENT_AFFECTED_PROC);
    struct px_proc_set *set;

    px_assert(px_loop_inside(session->ctx->loop));
    if (!live || (event->code != PMIX_GROUP_LEFT && event->code != PMIX_GROUP_MEMBER_FAILED) ||
        group == NULL || left == NULL || left->type != PMIX_PROC || left->data.proc == NULL) {
        return;
    }
    px_lock_take(&session->lock);
    set = px_proc_set_find(&session->groups, PX_SET_GROUP, group, left->data.proc);
    if (set != NULL) {
        uint64_t gone = set->n == 1 && px_proc_equal(set->members, left->data.proc);

        (void) px_proc_set_leave(set, left->data.proc); /* its members have no other owners */
        count_locked(session, session->n_groups - gone);
    }
    px_lock_give(&session->lock);
}

/* Called by every get for another namespace, hence the look at the count first. */
int px_group_map_find(struct px_session *session, const pmix_proc_t *proc, pmix_proc_t *ret)
{
    const struct px_proc_set *group;
    int rc = 1;

    /* pairs with count_locked */
    if (px_load_acquire(&session->n_groups) == 0) {
        return 1;
    }
    px_lock_take(&session->lock);
    group = px_proc_set_find(&session->groups, PX_SET_GROUP, proc->nspace, NULL);
    if (group != NULL) {
        rc = proc->rank < group->n ? 0 : PMIX_ERR_NOT_FOUND;
    }
    if (rc == 0) {
        *ret = group->members[proc->rank];
    }
    px_lock_give(&session->lock);
    return rc;
}

/* A list that comes out as it went in has named no group. */
int px_group_map_expand(struct px_session *session, const pmix_proc_t *procs, size_t n,
                        struct px_proc_list *ret)
{
    int rc;

    *ret = (struct px_proc_list){0};
    /* pairs with count_locked */
    if (px_load_acquire(&session->n_groups) == 0) {
        return 1;
    }
    px_lock_take(&session->lock);
    rc = px_proc_sets_expand(&session->groups, procs, n, NULL, ret);
    px_lock_give(&session->lock);
    if (rc == 0 && px_procs_equal(ret->at, ret->n, procs, n)) {
        rc = 1;
    }
    if (rc != 0) {
        px_proc_list_fini(ret);
    }
    return rc;
}

int px_group_map_spell_info(struct px_ctx *ctx, pmix_info_t *info)
{
    struct px_session *session = px_session(ctx);
    int rc;

    /* pairs with count_locked */
    if (px_load_acquire(&session->n_groups) == 0) {
        return 0;
    }
    px_lock_take(&session->lock);
    rc = px_proc_sets_spell(&session->groups, NULL, info);
    px_lock_give(&session->lock);
    return rc;
}

int px_group_map_spell(struct px_session *session, const char *key, const struct px_args *infos,
                       struct px_args *ret)
{
    const pmix_info_t *named = px_infos_next(infos->info, infos->ninfo, NULL, key);
    struct px_procs procs = {NULL, 0};
    struct px_args copy = {.ninfo = infos->ninfo};
    bool any;
    int rc;

    if (named == NULL || !px_value_procs(&named->value, &procs)) {
        return 1;
    }
    px_lock_take(&session->lock);
    any = px_proc_sets_named(&session->groups, procs.at, procs.n);
    px_lock_give(&session->lock);
    if (!any) {
        return 1;
    }
    rc = px_infos_copy(infos->info, infos->ninfo, &copy.info);
    rc = rc == 0 ? px_group_map_spell_info(session->ctx, &copy.info[named - infos->info]) : rc;
    if (rc == 0) {
        *ret = copy;
    } else {
        PMIx_Info_free(copy.info, copy.ninfo);
    }
    return rc;
}
