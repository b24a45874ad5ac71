/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values that the host stores for itself (stored.h). */

#include "stored.h"

#include <string.h>

#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"
#include "src/base/release.h"
#include "src/base/assert.h"
#include "src/server/state.h"

const struct px_store *px_stored_of(const struct px_server *s, const char *nspace)
{
    return px_map_find(&s->stored, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
}

/* The store of a namespace, created if there is none. 0 or the status of px_store_create. */
static int make(struct px_server *s, const char *nspace, struct px_store **ret)
{
    struct px_store_opts opts = {.nspace = nspace, .uid = s->uid, .gid = s->gid};
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);
    struct px_store *store = px_map_find(&s->stored, nspace, len);
    int rc = store ? PMIX_SUCCESS : px_store_create(&opts, &store);

    if (!rc && px_map_set(&s->stored, nspace, len, store)) {
        px_store_destroy(store);
        rc = PMIX_ERR_NOMEM;
    }
    if (!rc) {
        *ret = store;
    }
    return rc;
}

/* Compacts afterwards, since values stored again leave garbage. */
int px_stored_put(struct px_server *s, const pmix_proc_t *proc, const char *key,
                  const pmix_value_t *value)
{
    bool of_job = proc->rank == PMIX_RANK_WILDCARD;
    struct px_store_entry entry = {.level = of_job ? PX_LEVEL_JOB : PX_LEVEL_PROC,
                                   .index = of_job ? 0 : proc->rank,
                                   .key = key,
                                   .value = value,
                                   .scope = PMIX_INTERNAL};
    struct px_batch *batch = px_batch_create();
    struct px_store *store = NULL;
    int rc = batch ? px_batch_add(batch, &entry) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : make(s, proc->nspace, &store);
    rc = rc ? rc : px_store_publish(store, batch);
    px_batch_destroy(batch);
    if (store) {
        px_store_compact(store);
    }
    return rc;
}

void px_stored_drop(struct px_server *s, const char *nspace)
{
    px_assert(px_loop_inside(s->loop));
    px_store_destroy(px_map_remove(&s->stored, nspace, strnlen(nspace, PMIX_MAX_NSLEN)));
}

static int destroy(void *arg, const void *key, size_t len, void *store)
{
    (void) arg, (void) key, (void) len;
    px_store_destroy(store);
    return 0;
}

void px_stored_fini(struct px_server *s)
{
    (void) px_map_each(&s->stored, destroy, NULL); /* destroy always goes on */
    px_map_fini(&s->stored);
    px_release_wait();
}
