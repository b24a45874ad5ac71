/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Data of the server process about itself that come from the library, not from the host: its
 * name, its node, the addresses of its listeners. They lie in a store apart from the namespaces:
 * a namespace of its own would appear to clients and queries as a job that the host never
 * registered. */

#include "self.h"

#include <string.h>

#include "gds/lookup.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

/* One batch of process-level values; addresses that do not exist (no listener of that kind) are
 * left out. The scope is internal, so that no peer could get them. */
int px_self_publish(struct px_server *s)
{
    char *uri = s->uri_tcp ? s->uri_tcp : s->uri_unix;
    struct px_store_opts opts = {.nspace = s->self.nspace, .uid = s->uid, .gid = s->gid};
    struct px_batch *batch = px_batch_create();
    const struct {
        const char *key;
        pmix_value_t value;
    } known[] = {
        {PMIX_PROCID, {.type = PMIX_PROC, .data.proc = &s->self}},
        {PMIX_NSPACE, {.type = PMIX_STRING, .data.string = s->self.nspace}},
        {PMIX_RANK, {.type = PMIX_PROC_RANK, .data.rank = s->self.rank}},
        {PMIX_HOSTNAME, {.type = PMIX_STRING, .data.string = s->hostname}},
        {PMIX_SERVER_URI, {.type = PMIX_STRING, .data.string = uri}},
        {PMIX_MYSERVER_URI, {.type = PMIX_STRING, .data.string = uri}},
    };
    int rc = batch ? px_store_create(&opts, &s->own) : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < sizeof(known) / sizeof(known[0]); i++) {
        struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                       .index = s->self.rank,
                                       .key = known[i].key,
                                       .value = &known[i].value,
                                       .scope = PMIX_INTERNAL};

        if (known[i].value.type != PMIX_STRING || known[i].value.data.string) {
            rc = px_batch_add(batch, &entry);
        }
    }
    rc = rc ? rc : px_store_publish(s->own, batch);
    px_batch_destroy(batch);
    return rc;
}

void px_self_fini(struct px_server *s)
{
    px_store_destroy(s->own);
    s->own = NULL;
}

bool px_self_is(const struct px_server *s, const pmix_proc_t *proc)
{
    return strncmp(proc->nspace, s->self.nspace, PMIX_MAX_NSLEN) == 0 &&
           (proc->rank == s->self.rank || proc->rank == PMIX_RANK_UNDEF ||
            proc->rank == PMIX_RANK_INVALID);
}

int px_self_find(const struct px_server *s, const struct px_lookup_key *spec, struct px_slice *ret)
{
    bool plain = (spec->realm == PX_REALM_NONE || spec->realm == PX_REALM_PROC) &&
                 !spec->hostname && spec->nodeid == PX_NO_NODEID && !spec->n_quals;

    return plain && s->own
               ? px_store_find(s->own, PX_LEVEL_PROC, s->self.rank, spec->key, spec->key_len, ret)
               : PMIX_ERR_NOT_FOUND;
}
