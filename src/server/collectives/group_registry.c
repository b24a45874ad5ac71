/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The groups that exist here. A name is to be unique, and is not always: halves of a job do the
 * same under the same name. So a group is told by its name and by who is in it, and no process is
 * ever in two of one name: the later one is refused. */

#include "group_registry.h"

#include <stdlib.h>
#include <string.h>

#include "server_group.h"
#include "src/server/data/nspace.h"
#include "src/base/assert.h"

static bool is_proc(const pmix_proc_t *a, const pmix_proc_t *b)
{
    return a->rank == b->rank && strcmp(a->nspace, b->nspace) == 0;
}

static size_t place_of(const struct px_group *group, const pmix_proc_t *proc)
{
    size_t i = 0;

    while (i < group->n && !is_proc(&group->members[i], proc)) {
        i++;
    }
    return i;
}

struct px_group *px_group_find(struct px_server *s, const char *name, const pmix_proc_t *proc)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->groups) {
        struct px_group *group = px_container_of(item, struct px_group, link);

        if (strcmp(group->name, name) == 0 && (!proc || place_of(group, proc) < group->n)) {
            return group;
        }
    }
    return NULL;
}

bool px_group_names(struct px_server *s, const pmix_proc_t *named, const pmix_proc_t *proc)
{
    struct px_group *group = px_group_find(s, named->nspace, proc);

    px_assert(px_loop_inside(s->loop));
    return group && (named->rank == PMIX_RANK_WILDCARD || named->rank == place_of(group, proc));
}

void px_group_destroy(struct px_group *group)
{
    if (!group) {
        return;
    }
    px_list_remove(&group->link);
    free(group->members);
    free(group->name);
    free(group);
}

void px_groups_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->groups)) {
        px_group_destroy(px_container_of(s->groups.next, struct px_group, link));
    }
}

void px_groups_nspace_removed(struct px_server *s)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->groups) {
        struct px_group *group = px_container_of(item, struct px_group, link);

        if (!px_nspace_any(s, group->members, group->n)) {
            px_group_destroy(group);
        }
    }
}

int px_group_remember(struct px_server *s, const struct px_coll *coll)
{
    const struct px_coll_group *made = &coll->group;
    struct px_group *group = calloc(1, sizeof(*group));

    px_assert(px_loop_inside(s->loop));
    if (!group) {
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&group->link);
    group->name = strdup(coll->name);
    group->members = calloc(made->n_members + 1, sizeof(*group->members));
    if (!group->name || !group->members) {
        px_group_destroy(group);
        return PMIX_ERR_NOMEM;
    }
    if (made->n_members) {
        memcpy(group->members, made->members, made->n_members * sizeof(*group->members));
    }
    group->n = made->n_members;
    group->hosted = made->hosted;
    px_list_append(&s->groups, &group->link);
    return PMIX_SUCCESS;
}

void px_group_remove(struct px_group *group, const pmix_proc_t *proc)
{
    size_t i = place_of(group, proc);

    if (i < group->n) {
        group->n--;
        memmove(&group->members[i], &group->members[i + 1],
                (group->n - i) * sizeof(*group->members));
    }
    if (!group->n) {
        px_group_destroy(group); /* nobody is left to take it apart */
    }
}

/* --- whether a name may be given --- */

static bool is_there(struct px_server *s, const char *name, const pmix_proc_t *procs, size_t n)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->groups) {
        struct px_group *group = px_container_of(item, struct px_group, link);

        if (strcmp(group->name, name) == 0 && px_coll_overlap(group->members, group->n, procs, n)) {
            return true;
        }
    }
    return false;
}

static bool is_being_made(struct px_server *s, const struct px_coll_call *call,
                          const pmix_proc_t *caller)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->colls.list) {
        struct px_coll *coll = px_container_of(item, struct px_coll, link);
        bool gathered = coll->kind == PX_COLL_GROUP_CONSTRUCT;

        if ((gathered || coll->kind == PX_COLL_GROUP_SOLO) && strcmp(coll->name, call->name) == 0 &&
            (px_coll_has_proc(coll, caller) ||
             (gathered && call->kind == PX_COLL_GROUP_CONSTRUCT &&
              px_coll_overlap(coll->set, coll->nset, call->procs, call->nprocs)))) {
            return true;
        }
    }
    return false;
}

int px_group_check_name(struct px_server *s, const struct px_coll_call *call,
                        const struct px_coll_member *who)
{
    pmix_proc_t *set = NULL;
    size_t n = 0;
    int rc = call->nprocs ? px_coll_normalise(&s->colls, call->procs, call->nprocs, &set, &n)
                          : PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    if (!rc && !px_coll_find(&s->colls, call->kind, call->name, set, n, who) &&
        (is_there(s, call->name, set, n) || is_there(s, call->name, &who->proc, 1) ||
         is_being_made(s, call, &who->proc))) {
        rc = PMIX_ERR_EXISTS;
    }
    free(set);
    return rc;
}
