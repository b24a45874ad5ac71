/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Properties of keys while reading job information. The arrays of a million processes have the same
 * keys at the same positions, so the properties are remembered by depth and position (px_job_key):
 * the comparison of two words replaces several searches.
 *
 * The first 16 bytes of a key are compared as two words under a mask, because the bytes behind
 * the NUL of an info's key are arbitrary; only longer keys need strcmp for their rest. */

#include "key_properties.h"

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "key_types.h"

/* The keys with a role; a map has the same role in both of its forms. */
static const struct {
    const char *name;
    enum px_key_role role;
} roles[] = {
    {PMIX_SESSION_INFO_ARRAY, PX_KEY_ROLE_SESSION_ARRAY},
    {PMIX_JOB_INFO_ARRAY, PX_KEY_ROLE_JOB_ARRAY},
    {PMIX_APP_INFO_ARRAY, PX_KEY_ROLE_APP_ARRAY},
    {PMIX_NODE_INFO_ARRAY, PX_KEY_ROLE_NODE_ARRAY},
    {PMIX_PROC_DATA, PX_KEY_ROLE_PROC_ARRAY},
    {PMIX_REGISTER_NODATA, PX_KEY_ROLE_NO_DATA},
    {PMIX_RANK, PX_KEY_ROLE_RANK},
    {PMIX_PROCID, PX_KEY_ROLE_PROCID},
    {PMIX_HOSTNAME, PX_KEY_ROLE_HOSTNAME},
    {PMIX_NODEID, PX_KEY_ROLE_NODEID},
    {PMIX_APPNUM, PX_KEY_ROLE_APPNUM},
    {PMIX_LOCAL_PEERS, PX_KEY_ROLE_LOCAL_PEERS},
    {PMIX_SESSION_ID, PX_KEY_ROLE_SESSION_ID},
    {PMIX_JOB_SIZE, PX_KEY_ROLE_JOB_SIZE},
    {PMIX_NPROC_OFFSET, PX_KEY_ROLE_NPROC_OFFSET},
    {PMIX_NODE_MAP, PX_KEY_ROLE_NODE_MAP},
    {PMIX_NODE_MAP_RAW, PX_KEY_ROLE_NODE_MAP},
    {PMIX_PROC_MAP, PX_KEY_ROLE_PROC_MAP},
    {PMIX_PROC_MAP_RAW, PX_KEY_ROLE_PROC_MAP},
    {PMIX_GLOBAL_RANK, PX_KEY_ROLE_GLOBAL_RANK},
    {PMIX_APP_RANK, PX_KEY_ROLE_APP_RANK},
    {PMIX_LOCAL_RANK, PX_KEY_ROLE_LOCAL_RANK},
    {PMIX_NODE_RANK, PX_KEY_ROLE_NODE_RANK},
};

/* The role of a key, by a linear search: the result is remembered. */
static enum px_key_role role_of(const char *key)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (strcmp(key, roles[i].name) == 0) {
            return roles[i].role;
        }
    }
    return PX_KEY_ROLE_NONE;
}

/* head and mask are those that px_job_key compares. */
struct px_job_key *px_job_key_fill(struct px_job_key *known, const pmix_info_t *info)
{
    size_t len = strnlen(info->key, PMIX_MAX_KEYLEN + 1);
    size_t in_head = len < PX_KEY_HEAD ? len + 1 : PX_KEY_HEAD;

    if (!len || len > PMIX_MAX_KEYLEN) {
        return NULL;
    }
    memset(known, 0, sizeof(*known));
    known->name = info->key;
    memcpy(known->head, info->key, in_head);
    memset(known->mask, 0xff, in_head);
    known->longer = len >= PX_KEY_HEAD;
    known->role = role_of(info->key);
    known->realm = px_key_realm(info->key, len);
    known->declared = px_key_declared(info->key, &known->per_node);
    return known;
}
