/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invited_group.h"

#include <string.h>

#include "group_leave.h"
#include "group_names.h"
#include "server_group.h"
#include "src/base/assert.h"
#include "src/event/registry.h"
#include "src/nspace/proc_sets.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* True if the list is one of single processes that includes `who`. */
static bool are_members(const struct px_procs *procs, const pmix_proc_t *who)
{
    for (size_t i = 0; i < procs->n; i++) {
        if (procs->at[i].rank > PMIX_RANK_VALID) {
            return false;
        }
    }
    return px_procs_find(procs->at, procs->n, who) < procs->n;
}

/* The group is complete. */
static void add_group(struct px_server *s, const char *name, const struct px_event *event)
{
    const pmix_value_t *list = px_info_find(event->info, event->ninfo, PMIX_GROUP_MEMBERSHIP);
    struct px_procs members = {NULL, 0};
    struct px_shared_procs *shared;

    if (list && px_value_procs(list, &members) && are_members(&members, &event->source) &&
        !px_group_name_used(s, name, members.at, members.n) &&
        px_group_is_here(s, members.at, members.n) &&
        px_quota_allows_set(s, &event->source, members.n)) {
        shared = px_shared_procs_copy(members.at, members.n);
        /* a group that cannot be named is one all the same */
        px_quota_add_set(s, shared ? px_group_names_add(s, name, shared) : NULL, &event->source);
        px_shared_procs_drop(shared);
    }
}

void px_invited_group_event(struct px_server *s, const struct px_event *event)
{
    bool invited = event->code == PMIX_GROUP_INVITED;
    const char *name;

    px_assert(px_loop_inside(s->loop));
    if (!invited && event->code != PMIX_GROUP_CONSTRUCT_COMPLETE) {
        return;
    }
    name = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));
    if (!name || strnlen(name, PMIX_MAX_NSLEN + 1) > PMIX_MAX_NSLEN) {
        return;
    }
    if (invited) {
        px_group_name_note(s, name, &event->source);
    } else {
        add_group(s, name, event);
    }
}
