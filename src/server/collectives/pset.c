/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Process sets of the host are entries of the server's list of sets (src/nspace/proc_sets.h), as
 * groups and connected sets are. Definition and deletion are announced to clients by events;
 * queries read the list. */

#include "pset.h"

#include "src/server/requests/host_upcall.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/event/registry.h"
#include "src/server/events/server_events.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

/* True if a member's namespace is still known to this server. */
static bool any_nspace_known(struct px_server *s, const struct px_proc_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        if (px_nspace_find(s, set->members[i].nspace)) {
            return true;
        }
    }
    return false;
}

/* Called after the namespace has left the server's list, so that it does not count as known. */
void px_proc_sets_nspace_removed(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    s->n_nspaces_gone++;
    s->n_ends++;
    px_list_for(struct px_proc_set, set, &s->proc_sets->list, link) {
        bool of_procs = set->kind == PX_SET_GROUP || set->kind == PX_SET_CONNECTED;

        if (of_procs && !any_nspace_known(s, set)) {
            px_proc_set_remove(set);
        }
    }
}

/* Raises an event about a set for the local processes. Clients that register for it later get
 * it, too, as the event is kept. PMIX_ERR_NOMEM, or the status of px_event_fan_out. */
static int announce(struct px_server *s, pmix_status_t code, const char *name,
                    const pmix_proc_t *members, size_t n)
{
    struct px_event event = {.code = code, .source = s->self, .range = PMIX_RANGE_LOCAL};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) members};
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    int rc = px_infos_append(&info, &ninfo, PMIX_PSET_NAME, name, PMIX_STRING);

    if (!rc && n) {
        rc = px_infos_append(&info, &ninfo, PMIX_PSET_MEMBERS, &array, PMIX_DATA_ARRAY);
    }
    if (!rc) {
        event.info = info;
        event.ninfo = ninfo;
        rc = px_event_fan_out(s, &event, PX_ORIGIN_LIBRARY, NULL);
    }
    PMIx_Info_free(info, ninfo);
    return rc;
}

/* The set stays defined if the event cannot be raised. */
int px_pset_define(struct px_server *s, void *args)
{
    struct px_pset_args *a = args;

    px_assert(px_loop_inside(s->loop));
    if (px_proc_set_find(s->proc_sets, PX_SET_PSET, a->name, NULL)) {
        return PMIX_ERR_EXISTS;
    }
    if (!px_proc_set_add(s->proc_sets, PX_SET_PSET, a->name, a->members, a->n)) {
        return PMIX_ERR_NOMEM;
    }
    return announce(s, PMIX_PROCESS_SET_DEFINE, a->name, a->members, a->n);
}

/* The event has the name only: the members are freed already. */
int px_pset_delete(struct px_server *s, void *args)
{
    struct px_pset_args *a = args;
    struct px_proc_set *set = px_proc_set_find(s->proc_sets, PX_SET_PSET, a->name, NULL);

    px_assert(px_loop_inside(s->loop));
    if (!set) {
        return PMIX_ERR_NOT_FOUND;
    }
    px_proc_set_remove(set);
    return announce(s, PMIX_PROCESS_SET_DELETE, a->name, NULL, 0);
}
