/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_names.h"

#include "src/base/assert.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"

bool px_group_name_is_job(struct px_server *s, const char *name)
{
    const struct px_nspace *ns = px_nspace_find(s, name);

    px_assert(px_loop_inside(s->loop));
    return ns && (ns->registered || ns->owned);
}

void px_group_names_job(struct px_server *s, const char *name)
{
    struct px_proc_set *group;

    px_assert(px_group_name_is_job(s, name));
    while ((group = px_proc_set_find(&s->proc_sets, PX_SET_GROUP, name, NULL))) {
        px_proc_set_remove(group);
    }
}

struct px_proc_set *px_group_names_add(struct px_server *s, const char *name,
                                       const pmix_proc_t *members, size_t n)
{
    return px_group_name_is_job(s, name)
               ? NULL
               : px_proc_set_add(&s->proc_sets, PX_SET_GROUP, name, members, n);
}
