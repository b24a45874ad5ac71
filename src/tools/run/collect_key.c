/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Keys of collectives: kind; name; number; {namespace, rank}. A whole job is one entry, with
 * PMIX_RANK_WILDCARD. */

#include <string.h>

#include "nodes.h"

uint32_t px_run_key_kind(const char *key, size_t len)
{
    struct px_run_reader r = {key, len, false};

    return px_run_get_u32(&r);
}

const char *px_run_key_name(const char *key, size_t len)
{
    struct px_run_reader r = {key, len, false};

    (void) px_run_get_u32(&r);
    return px_run_get_string(&r);
}

pmix_status_t px_run_key_lost_status(const char *key, size_t len)
{
    return px_run_key_kind(key, len) == PX_RUN_KIND_CONSTRUCT ? PMIX_GROUP_CONSTRUCT_ABORT
                                                              : PMIX_ERR_LOST_CONNECTION;
}

bool px_run_key_names(const char *key, size_t len, const pmix_proc_t *proc)
{
    struct px_run_reader r = {key, len, false};
    (void) px_run_get_u32(&r);
    (void) px_run_get_string(&r);
    uint32_t n = px_run_get_u32(&r);

    for (uint32_t i = 0; i < n && !r.failed; i++) {
        const char *nspace = px_run_get_string(&r);
        uint32_t rank = px_run_get_u32(&r);
        if ((rank == proc->rank || rank == PMIX_RANK_WILDCARD ||
             proc->rank == PMIX_RANK_WILDCARD) &&
            strcmp(nspace, proc->nspace) == 0) {
            return true;
        }
    }
    return false;
}

bool px_run_keys_contend(const char *a, size_t a_len, const char *b, size_t b_len)
{
    struct px_run_reader r = {b, b_len, false};

    if (px_run_key_kind(a, a_len) != px_run_get_u32(&r) ||
        strcmp(px_run_key_name(a, a_len), px_run_get_string(&r)) != 0) {
        return false;
    }
    for (uint32_t i = px_run_get_u32(&r); i > 0 && !r.failed; i--) {
        pmix_proc_t proc;
        const char *nspace = px_run_get_string(&r);
        PMIX_LOAD_PROCID(&proc, nspace, px_run_get_u32(&r));
        if (px_run_key_names(a, a_len, &proc)) {
            return true;
        }
    }
    return false;
}
