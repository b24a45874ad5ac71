/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tools that connect to this node's server. Any of our own user is admitted; what the library has
 * authenticated counts, not what the tool says of itself. */

#include <stdatomic.h>
#include <unistd.h>

#include "nodes.h"

static const pmix_value_t *find(const struct upcall *upcall, const char *key, pmix_data_type_t type)
{
    const pmix_value_t *value = px_host_find(upcall, key);

    return value != NULL && value->type == type ? value : NULL;
}

/* One that has no name gets one that no other tool or job of any node has. */
static void name_tool(const struct upcall *upcall, pmix_proc_t *ret)
{
    static atomic_uint last;
    const pmix_value_t *nspace = find(upcall, PMIX_TOOL_NSPACE, PMIX_STRING);
    const pmix_value_t *rank = find(upcall, PMIX_TOOL_RANK, PMIX_PROC_RANK);
    char name[PMIX_MAX_NSLEN + 1];

    if (nspace != NULL) {
        PMIX_LOAD_PROCID(ret, nspace->data.string, rank != NULL ? rank->data.rank : 0);
        return;
    }
    (void) snprintf(name, sizeof(name), "%.200s.tool%u.%u", px_run.options.nspace, px_run.node,
                    atomic_fetch_add(&last, 1));
    PMIX_LOAD_PROCID(ret, name, 0);
}

pmix_status_t px_run_tool(struct upcall *upcall)
{
    const pmix_value_t *uid = find(upcall, PMIX_USERID, PMIX_UINT32);
    pmix_proc_t name;

    if (uid == NULL || uid->data.uint32 != geteuid()) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    name_tool(upcall, &name);
    upcall->reply.tool(PMIX_SUCCESS, &name, upcall->cbdata);
    return PMIX_SUCCESS;
}
