/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "server_keys.h"

#include <stdbool.h>

#include <pmix_server.h>

#include "src/request/args.h"
#include "src/value/infos.h"

static const struct {
    const char *key;
    bool groups; /* only where a group is constructed or destructed */
} keys[] = {
    {PMIX_LOCAL_COLLECTIVE_STATUS, false}, {PMIX_EVENT_AFFECTED_PROCS, true},
    {PMIX_GROUP_CONTEXT_ID, true},         {PMIX_GROUP_ENDPT_DATA, true},
    {PMIX_GROUP_INFO_ARRAY, true},         {PMIX_GROUP_JOB_INFO, true},
    {PMIX_GROUP_MEMBERSHIP, true},         {PMIX_PROCID, true},
};

int px_server_keys_drop(struct px_coll_args *args)
{
    struct px_args *head = &args->head;
    const pmix_info_t *info;

    for (size_t i = 0; head->ninfo && i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!args->group && keys[i].groups) {
            continue;
        }
        info = px_infos_next(head->info, head->ninfo, NULL, keys[i].key);
        for (; info; info = px_infos_next(head->info, head->ninfo, info, keys[i].key)) {
            if (info->flags & PMIX_INFO_REQD) {
                return PMIX_ERR_NOT_SUPPORTED;
            }
        }
        px_infos_drop(head->info, &head->ninfo, keys[i].key);
    }
    return PMIX_SUCCESS;
}
