/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups come and go, so what is looked up here is under the lock; a process that is in no group
 * never takes it. */

#include "group_map.h"

#include "session.h"

#include <stdlib.h>
#include <string.h>

struct px_group_membership {
    struct px_list link;
    char group[PMIX_MAX_NSLEN + 1];
    size_t n;
    pmix_proc_t at[];
};

static struct px_group_membership *find_locked(struct px_session *session, const char *group)
{
    struct px_list *item;
    struct px_list *following;

    px_assert(px_lock_held(&session->lock));
    px_list_each(item, following, &session->group_memberships) {
        struct px_group_membership *members =
            px_container_of(item, struct px_group_membership, link);

        if (strncmp(members->group, group, PMIX_MAX_NSLEN) == 0) {
            return members;
        }
    }
    return NULL;
}

static void forget_locked(struct px_session *session, const char *group)
{
    struct px_group_membership *members = find_locked(session, group);

    px_assert(px_lock_held(&session->lock));
    if (members != NULL) {
        px_list_remove(&members->link);
        free(members);
        /* pairs with px_group_map_find */
        px_store_release(&session->n_groups, session->n_groups - 1);
    }
}

/* The array of the members, or NULL. */
static const pmix_data_array_t *membership_of(const pmix_info_t *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const pmix_value_t *value = &results[i].value;

        if (strcmp(results[i].key, PMIX_GROUP_MEMBERSHIP) == 0) {
            bool good = value->type == PMIX_DATA_ARRAY && value->data.darray != NULL &&
                        value->data.darray->type == PMIX_PROC && value->data.darray->array != NULL;

            return good ? value->data.darray : NULL;
        }
    }
    return NULL;
}

static struct px_group_membership *membership_create(const char *group,
                                                     const pmix_data_array_t *array)
{
    const pmix_proc_t *procs = array->array;
    struct px_group_membership *members;

    for (size_t i = 0; i < array->size; i++) {
        if (procs[i].rank > PMIX_RANK_VALID) {
            return NULL;
        }
    }
    members = calloc(1, sizeof(*members) + array->size * sizeof(*procs));
    if (members != NULL) {
        memcpy(members->group, group, strnlen(group, PMIX_MAX_NSLEN));
        memcpy(members->at, procs, array->size * sizeof(*procs));
        members->n = array->size;
    }
    return members;
}

void px_group_map_add(struct px_session *session, const char *group, const pmix_info_t *results,
                      size_t n)
{
    const pmix_data_array_t *array = membership_of(results, n);
    struct px_group_membership *members = array != NULL ? membership_create(group, array) : NULL;

    px_lock_take(&session->lock);
    forget_locked(session, group);
    if (members != NULL) {
        px_list_append(&session->group_memberships, &members->link);
        /* pairs with px_group_map_find */
        px_store_release(&session->n_groups, session->n_groups + 1);
    }
    px_lock_give(&session->lock);
}

void px_group_map_remove(struct px_session *session, const char *group)
{
    px_lock_take(&session->lock);
    forget_locked(session, group);
    px_lock_give(&session->lock);
}

int px_group_map_find(struct px_session *session, const pmix_proc_t *proc, pmix_proc_t *ret)
{
    const struct px_group_membership *members;
    int rc = 1;

    /* pairs with px_group_map_add and forget_locked */
    if (px_load_acquire(&session->n_groups) == 0) {
        return 1;
    }
    px_lock_take(&session->lock);
    members = find_locked(session, proc->nspace);
    if (members != NULL) {
        rc = proc->rank < members->n ? 0 : PMIX_ERR_NOT_FOUND;
    }
    if (rc == 0) {
        *ret = members->at[proc->rank];
    }
    px_lock_give(&session->lock);
    return rc;
}

/* How many processes one of the caller's stands for; 0: none, the group has no such rank. */
static size_t stands_for(const struct px_group_membership *members, pmix_rank_t rank)
{
    if (members == NULL) {
        return 1;
    }
    return rank == PMIX_RANK_WILDCARD ? members->n : rank < members->n;
}

static int expand_locked(struct px_session *session, const pmix_proc_t *procs, size_t n,
                         pmix_proc_t **ret, size_t *ret_n)
{
    size_t total = 0;
    size_t out = 0;
    pmix_proc_t *all;

    px_assert(px_lock_held(&session->lock));
    for (size_t i = 0; i < n; i++) {
        size_t some = stands_for(find_locked(session, procs[i].nspace), procs[i].rank);

        if (some == 0) {
            return PMIX_ERR_NOT_FOUND;
        }
        total += some;
    }
    all = malloc((total + 1) * sizeof(*all));
    if (all == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        const struct px_group_membership *members = find_locked(session, procs[i].nspace);
        bool every = members != NULL && procs[i].rank == PMIX_RANK_WILDCARD;
        const pmix_proc_t *from = members == NULL ? &procs[i]
                                  : every         ? members->at
                                                  : &members->at[procs[i].rank];
        size_t some = every ? members->n : 1;

        memcpy(&all[out], from, some * sizeof(*all));
        out += some;
    }
    *ret = all;
    *ret_n = out;
    return 0;
}

int px_group_map_expand(struct px_session *session, const pmix_proc_t *procs, size_t n,
                        pmix_proc_t **ret, size_t *ret_n)
{
    int rc = 1;

    /* pairs with px_group_map_add and forget_locked */
    if (px_load_acquire(&session->n_groups) == 0) {
        return 1;
    }
    px_lock_take(&session->lock);
    for (size_t i = 0; rc == 1 && i < n; i++) {
        rc = find_locked(session, procs[i].nspace) == NULL;
    }
    if (rc == 0) {
        rc = expand_locked(session, procs, n, ret, ret_n);
    }
    px_lock_give(&session->lock);
    return rc;
}

void px_group_map_fini(struct px_session *session)
{
    while (!px_list_empty(&session->group_memberships)) {
        free(px_container_of(px_list_shift(&session->group_memberships), struct px_group_membership,
                             link));
    }
}
