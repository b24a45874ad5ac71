/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Process sets that the host defines: names with members, announced by events and shown by
 * queries. */

#include "pset.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/requests/host_upcall.h"
#include "src/event/registry.h"
#include "src/server/events/server_events.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

struct px_pset *px_pset_find(struct px_server *s, const char *name)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->psets) {
        struct px_pset *pset = px_container_of(item, struct px_pset, link);

        if (strcmp(pset->name, name) == 0) {
            return pset;
        }
    }
    return NULL;
}

static void pset_destroy(struct px_pset *pset)
{
    px_list_remove(&pset->link);
    free(pset->members);
    free(pset->name);
    free(pset);
}

void px_psets_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->psets)) {
        pset_destroy(px_container_of(s->psets.next, struct px_pset, link));
    }
}

/* Clients that register later learn of it too: the event is kept. */
static int announce(struct px_server *s, pmix_status_t code, const char *name,
                    const pmix_proc_t *members, size_t n)
{
    struct px_event event = {.code = code, .source = s->self, .range = PMIX_RANGE_LOCAL};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) members};
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    int rc = px_infos_append(&info, &ninfo, PMIX_PSET_NAME, name, PMIX_STRING);

    if (!rc && n) {
        rc = px_infos_append(&info, &ninfo, PMIX_PSET_MEMBERS, &array, PMIX_DATA_ARRAY);
    }
    if (!rc) {
        event.info = info;
        event.ninfo = ninfo;
        rc = px_event_fan_out(s, &event, PX_ORIGIN_LIBRARY, NULL);
    }
    PMIx_Info_free(info, ninfo);
    return rc;
}

int px_pset_define(struct px_server *s, void *args)
{
    struct px_pset_args *a = args;
    struct px_pset *pset;

    px_assert(px_loop_inside(s->loop));
    if (px_pset_find(s, a->name)) {
        return PMIX_ERR_EXISTS;
    }
    pset = calloc(1, sizeof(*pset));
    if (!pset) {
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&pset->link);
    pset->name = strdup(a->name);
    pset->members = calloc(a->n + 1, sizeof(*pset->members));
    if (!pset->name || !pset->members) {
        pset_destroy(pset);
        return PMIX_ERR_NOMEM;
    }
    memcpy(pset->members, a->members, a->n * sizeof(*pset->members));
    pset->n = a->n;
    px_list_append(&s->psets, &pset->link);
    return announce(s, PMIX_PROCESS_SET_DEFINE, pset->name, pset->members, pset->n);
}

int px_pset_delete(struct px_server *s, void *args)
{
    struct px_pset_args *a = args;
    struct px_pset *pset = px_pset_find(s, a->name);
    int rc;

    px_assert(px_loop_inside(s->loop));
    if (!pset) {
        return PMIX_ERR_NOT_FOUND;
    }
    rc = announce(s, PMIX_PROCESS_SET_DELETE, pset->name, NULL, 0);
    pset_destroy(pset);
    return rc;
}
