/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Data of the server process about itself that come from the library, not from the host: its
 * name, its node, the library's version, the addresses of its listeners. They lie in a store apart
 * from the namespaces: a namespace of its own would appear to clients and queries as a job that the
 * host never registered. */

#include "self.h"

#include <string.h>

#include <pmix_version.h>

#include "gds/lookup.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "src/base/version.h"

/* One value of this process. */
struct own_value {
    const char *key;
    pmix_value_t value;
    bool of_job; /* also a value of its namespace, which a get of PMIX_RANK_WILDCARD finds */
};

/* Adds the value to the batch, at each of its levels. The scope is internal, so that no peer could
 * get it. 0 or PMIX_ERR_NOMEM. */
static int add(struct px_batch *batch, const struct px_server *s, const struct own_value *own)
{
    struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                   .index = s->self.rank,
                                   .key = own->key,
                                   .value = &own->value,
                                   .scope = PMIX_INTERNAL};
    int rc = px_batch_add(batch, &entry);

    if (rc || !own->of_job) {
        return rc;
    }
    entry.level = PX_LEVEL_JOB;
    entry.index = 0;
    return px_batch_add(batch, &entry);
}

/* One batch; addresses that do not exist (no listener of that kind) are left out. */
int px_self_publish(struct px_server *s)
{
    char *uri = s->uri_tcp ? s->uri_tcp : s->uri_unix;
    struct px_store_opts opts = {.nspace = s->self.nspace, .uid = s->uid, .gid = s->gid};
    struct px_batch *batch = px_batch_create();
    char *version = (char *) (uintptr_t) px_version_text();
    const struct own_value known[] = {
        {PMIX_PROCID, {.type = PMIX_PROC, .data.proc = &s->self}, false},
        {PMIX_NSPACE, {.type = PMIX_STRING, .data.string = s->self.nspace}, true},
        {PMIX_RANK, {.type = PMIX_PROC_RANK, .data.rank = s->self.rank}, false},
        {PMIX_HOSTNAME, {.type = PMIX_STRING, .data.string = s->hostname}, true},
        {PMIX_VERSION_INFO, {.type = PMIX_STRING, .data.string = version}, true},
        {PMIX_VERSION_NUMERIC, {.type = PMIX_UINT32, .data.uint32 = PMIX_NUMERIC_VERSION}, true},
        {PMIX_SERVER_URI, {.type = PMIX_STRING, .data.string = uri}, false},
        {PMIX_MYSERVER_URI, {.type = PMIX_STRING, .data.string = uri}, false},
    };
    int rc = batch ? px_store_create(&opts, &s->self_store) : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].value.type != PMIX_STRING || known[i].value.data.string) {
            rc = add(batch, s, &known[i]);
        }
    }
    rc = rc ? rc : px_store_publish(s->self_store, batch);
    px_batch_destroy(batch);
    return rc;
}

void px_self_fini(struct px_server *s)
{
    px_store_destroy(s->self_store);
    s->self_store = NULL;
}

bool px_self_is(const struct px_server *s, const pmix_proc_t *proc)
{
    return strncmp(proc->nspace, s->self.nspace, PMIX_MAX_NSLEN) == 0 &&
           (proc->rank == s->self.rank || proc->rank == PMIX_RANK_UNDEF ||
            proc->rank == PMIX_RANK_INVALID || proc->rank == PMIX_RANK_WILDCARD);
}

int px_self_find(const struct px_server *s, const struct px_lookup_key *spec, struct px_slice *ret)
{
    bool plain = (spec->realm == PX_REALM_NONE || spec->realm == PX_REALM_PROC) &&
                 !spec->hostname && spec->nodeid == PX_NO_NODEID && !spec->n_quals;
    bool of_job = spec->rank == PMIX_RANK_WILDCARD;

    return plain && s->self_store
               ? px_store_find(s->self_store, of_job ? PX_LEVEL_JOB : PX_LEVEL_PROC,
                               of_job ? 0 : s->self.rank, spec->key, spec->key_len, ret)
               : PMIX_ERR_NOT_FOUND;
}
