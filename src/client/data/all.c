/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get without a key: all data of one process that are here, those that it has put and those
 * that the host has registered, as one array of infos. The stores are read in the order in which a
 * get looks at them. */

#include "all.h"

#include <string.h>

#include "deletion.h"
#include "facts.h"
#include "get.h"
#include "src/nspace/proc_infos.h"

/* Appends the facts about our server, if the request is about this process. */
static int add_facts(struct px_proc_infos *all, const struct px_session *session,
                     const struct px_get_request *request)
{
    static const char *const keys[] = {PMIX_SERVER_URI, PMIX_SERVER_NSPACE, PMIX_SERVER_RANK};
    struct px_get_request of = *request;
    int rc = 0;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && rc == 0; i++) {
        const pmix_value_t *fact;

        of.spec.key = keys[i];
        fact = px_fact_find(session, &of);
        rc = fact != NULL ? px_proc_infos_add(all, keys[i], fact) : 0;
    }
    return rc;
}

/* For px_proc_infos: leaves out what this process has deleted, which the segment may still have. */
static bool is_not_deleted(void *arg, const char *key)
{
    const struct px_session *session = arg;

    return !px_client_has_deleted(session, px_space_private_peek(&session->own), key, strlen(key));
}

int px_client_get_all(struct px_session *session, const struct px_get_request *request,
                      pmix_value_t **value)
{
    pmix_rank_t rank = request->spec.rank;
    struct px_proc_infos all = {0};
    pmix_value_t *made;
    struct px_stores at;
    const struct px_space *space = px_get_request_space(session, request);
    const struct px_space *kept = session->is_tool ? px_space_kept(session, request->nspace) : NULL;
    const struct px_store *held = kept != NULL ? px_space_private_peek(kept) : NULL;
    int rc = px_space_stores(session, space, rank, request->spec.key, false, &at);

    if (request->space == &session->own && rank == session->ctx->self.rank) {
        all.wanted = is_not_deleted;
        all.arg = session;
    }
    if (rc == 0 && held != NULL) {
        rc = px_proc_infos_add_store(&all, held, rank);
    }
    if (rc == 0 && at.first != NULL) {
        rc = px_proc_infos_add_store(&all, at.first, rank);
    }
    if (rc == 0 && at.second != NULL) {
        rc = px_proc_infos_add_store(&all, at.second, rank);
    }
    rc = rc == 0 ? add_facts(&all, session, request) : rc;
    rc = rc == 0 ? px_proc_infos_take(&all, &made) : rc;
    px_proc_infos_fini(&all);
    return rc == 0 ? px_client_give_made(session, request, made, value) : rc;
}
