/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "shared_infos.h"

#include <pmix.h>
#include <stdlib.h>

#include "src/base/atomic.h"
#include "src/event/registry.h"
#include "src/value/infos.h"

struct px_shared_infos *px_shared_infos_take(pmix_info_t **infos, size_t *n)
{
    struct px_shared_infos *shared = malloc(sizeof(*shared));

    if (shared) {
        *shared = (struct px_shared_infos){.n_owners = 1, .at = *infos, .n = *infos ? *n : 0};
        *infos = NULL;
        *n = 0;
    }
    return shared;
}

/* NULL: memory is out. */
static struct px_shared_infos *copy_of(const pmix_info_t *infos, size_t n)
{
    struct px_shared_infos *shared;
    pmix_info_t *copy = NULL;

    if (px_infos_copy(infos, n, &copy)) {
        return NULL;
    }
    shared = px_shared_infos_take(&copy, &n);
    PMIx_Info_free(copy, n);
    return shared;
}

struct px_shared_infos *px_shared_infos_hold(struct px_shared_infos *shared)
{
    (void) px_fetch_add(&shared->n_owners, 1);
    return shared;
}

void px_shared_infos_drop(struct px_shared_infos *shared)
{
    if (shared && px_fetch_add(&shared->n_owners, UINT64_MAX) == 1) {
        PMIx_Info_free(shared->at, shared->n);
        free(shared);
    }
}

int px_event_share(const struct px_event *event, struct px_event *ret)
{
    struct px_shared_infos *shared =
        event->shared ? px_shared_infos_hold(event->shared) : copy_of(event->info, event->ninfo);

    if (!shared) {
        return PMIX_ERR_NOMEM;
    }
    *ret = *event;
    ret->info = shared->at;
    ret->ninfo = shared->n;
    ret->shared = shared;
    return PMIX_SUCCESS;
}
