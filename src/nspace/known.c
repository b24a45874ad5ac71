/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What reading asks about a key. The arrays of a million processes hold the same keys at the same positions, so the
 * answers are kept by depth and position: one comparison instead of several searches. */

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "types.h"

static const struct {
    const char *name;
    enum px_role role;
} roles[] = {
    {PMIX_SESSION_INFO_ARRAY, PX_ROLE_SESSION_ARRAY},
    {PMIX_JOB_INFO_ARRAY, PX_ROLE_JOB_ARRAY},
    {PMIX_APP_INFO_ARRAY, PX_ROLE_APP_ARRAY},
    {PMIX_NODE_INFO_ARRAY, PX_ROLE_NODE_ARRAY},
    {PMIX_PROC_DATA, PX_ROLE_PROC_ARRAY},
    {PMIX_REGISTER_NODATA, PX_ROLE_NO_DATA},
    {PMIX_RANK, PX_ROLE_RANK},
    {PMIX_PROCID, PX_ROLE_PROCID},
    {PMIX_HOSTNAME, PX_ROLE_HOSTNAME},
    {PMIX_NODEID, PX_ROLE_NODEID},
    {PMIX_APPNUM, PX_ROLE_APPNUM},
    {PMIX_LOCAL_PEERS, PX_ROLE_LOCAL_PEERS},
};

static enum px_role role_of(const char *key)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strcmp(key, roles[i].name) == 0) {
            return roles[i].role;
        }
    }
    return PX_ROLE_NONE;
}

const struct px_job_key *px_job_key(struct px_job *job, const char *key, unsigned depth, size_t at)
{
    struct px_job_key *known = &job->known[depth % PX_JOB_KNOWN_DEPTHS][at % PX_JOB_KNOWN_KEYS];
    size_t len;

    /* The remembered name ends, so this does, too, whatever the other one is. */
    if (known->name && strcmp(known->name, key) == 0) {
        return known;
    }
    len = strnlen(key, PMIX_MAX_KEYLEN + 1);
    if (!len || len > PMIX_MAX_KEYLEN) {
        return NULL;
    }
    known->name = key;
    known->role = role_of(key);
    known->realm = px_key_realm(key, len);
    known->declared = px_key_declared(key, &known->per_node);
    return known;
}
