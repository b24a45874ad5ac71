/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the library itself knows of its process, which is in no store; and values that were made for
 * one get by pointer. Facts are written before other threads use the session or the server that
 * they are about, and are constant afterwards; kept values are a list under the session lock. */

#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include <pmix_version.h>

#include "get.h"
#include "src/base/version.h"
#include "src/value/keys.h"
#include "src/net/uri.h"

/* Of which process a fact may be asked: of any; of any of our own job; of ourselves or of an
 * invalid rank of our job. */
enum asked { OF_ANYONE, OF_OUR_JOB, OF_US_OR_NOBODY };

/* The key of each fact, and of whom it may be asked. */
static const struct {
    const char *name;
    enum asked of;
} facts[PX_N_FACTS] = {
    [PX_FACT_PROCID] = {PMIX_PROCID, OF_ANYONE},
    [PX_FACT_VERSION] = {PMIX_VERSION_INFO, OF_ANYONE},
    [PX_FACT_VERSION_NUMBER] = {PMIX_VERSION_NUMERIC, OF_ANYONE},
    [PX_FACT_NSPACE] = {PMIX_NSPACE, OF_OUR_JOB},
    [PX_FACT_RANK] = {PMIX_RANK, OF_US_OR_NOBODY},
};

/* The keys of the facts about a server, which are asked of ourselves. */
static const char *const server_keys[PX_N_SERVER_FACTS] = {
    [PX_SERVER_FACT_URI] = PMIX_SERVER_URI,
    [PX_SERVER_FACT_NSPACE] = PMIX_SERVER_NSPACE,
    [PX_SERVER_FACT_RANK] = PMIX_SERVER_RANK,
};

/* These facts exist from the moment the process has a name; a tool may get its name from its
 * server. */
void px_facts_name(struct px_session *session)
{
    pmix_proc_t *self = &session->ctx->self;

    session->facts[PX_FACT_PROCID] = (pmix_value_t){.type = PMIX_PROC, .data.proc = self};
    session->facts[PX_FACT_NSPACE] =
        (pmix_value_t){.type = PMIX_STRING, .data.string = self->nspace};
    session->facts[PX_FACT_RANK] = (pmix_value_t){.type = PMIX_PROC_RANK, .data.rank = self->rank};
    session->facts[PX_FACT_VERSION] =
        (pmix_value_t){.type = PMIX_STRING, .data.string = (char *) (uintptr_t) px_version_text()};
    session->facts[PX_FACT_VERSION_NUMBER] =
        (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = PMIX_NUMERIC_VERSION};
}

/* The facts about servers of that contact string, or NULL. Session lock. */
static const struct px_server_facts *find_facts_locked(const struct px_session *session,
                                                       const char *uri)
{
    const struct px_server_facts *at = session->server_facts;

    px_assert(px_lock_held(&session->lock));
    while (at != NULL && strcmp(at->uri, uri) != 0) {
        at = at->next;
    }
    return at;
}

/* The facts point to the copy of the text and to the name that is read from it. NULL: no memory. */
static struct px_server_facts *facts_create(const char *uri, const pmix_proc_t *named)
{
    struct px_server_facts *made = calloc(1, sizeof(*made));

    if (made == NULL) {
        return NULL;
    }
    made->uri = strdup(uri);
    if (made->uri == NULL) {
        free(made);
        return NULL;
    }
    made->named = *named;
    made->values[PX_SERVER_FACT_URI] =
        (pmix_value_t){.type = PMIX_STRING, .data.string = made->uri};
    made->values[PX_SERVER_FACT_NSPACE] =
        (pmix_value_t){.type = PMIX_STRING, .data.string = made->named.nspace};
    made->values[PX_SERVER_FACT_RANK] =
        (pmix_value_t){.type = PMIX_PROC_RANK, .data.rank = made->named.rank};
    return made;
}

int px_facts_server(struct px_session *session, const char *uri, const struct px_server_facts **ret)
{
    struct px_server_facts *made;
    pmix_proc_t named;

    *ret = NULL;
    if (px_uri_server(uri, &named) != 0) {
        return 0;
    }
    px_lock_take(&session->lock);
    *ret = find_facts_locked(session, uri);
    made = *ret == NULL ? facts_create(uri, &named) : NULL;
    if (made != NULL) {
        made->next = session->server_facts;
        session->server_facts = made;
        *ret = made;
    }
    px_lock_give(&session->lock);
    return *ret != NULL ? 0 : PMIX_ERR_NOMEM;
}

void px_server_facts_free(struct px_server_facts *list)
{
    while (list != NULL) {
        struct px_server_facts *next = list->next;

        free(list->uri);
        free(list);
        list = next;
    }
}

/* True if the process of the request is one of which the fact may be asked. */
static bool may_be_asked(const struct px_session *session, const struct px_get_request *request,
                         enum asked of)
{
    bool ours = request->space == &session->own;
    bool us = ours && request->spec.rank == session->ctx->self.rank;

    return of == OF_ANYONE || (of == OF_OUR_JOB ? ours : us) ||
           (of == OF_US_OR_NOBODY && ours && request->spec.rank == PMIX_RANK_INVALID);
}

/* The fact about our primary server, connected or lost, or NULL. A get without a process may mean
 * any rank of our job; then it means us. */
static const pmix_value_t *find_server_fact(const struct px_session *session,
                                            const struct px_get_request *request)
{
    /* pairs with px_session_set_primary_locked */
    const struct px_link_server *server = px_load_ptr_acquire(&session->primary);
    bool us = request->space == &session->own && (request->spec.rank == session->ctx->self.rank ||
                                                  request->spec.rank == PMIX_RANK_UNDEF);

    for (int i = 0; i < PX_N_SERVER_FACTS && us && server != NULL && server->facts; i++) {
        if (px_value_key_is(request->spec.key, server_keys[i])) {
            return &server->facts->values[i];
        }
    }
    return NULL;
}

/* A fact without a value (no name yet) has the type PMIX_UNDEF and is not found. */
const pmix_value_t *px_fact_find(const struct px_session *session,
                                 const struct px_get_request *request)
{
    const char *key = request->spec.key;

    for (int i = 0; i < PX_N_FACTS; i++) {
        if (session->facts[i].type != PMIX_UNDEF && may_be_asked(session, request, facts[i].of) &&
            px_value_key_is(key, facts[i].name)) {
            return &session->facts[i];
        }
    }
    return find_server_fact(session, request);
}

/* --- made for a pointer --- */

/* A value that the application may hold a pointer to, with the process and the key it was made for.
 */
struct kept_value {
    struct px_list link; /* in px_session.kept */
    pmix_proc_t proc;
    pmix_value_t *value;
    char name[];
};

/* The kept value of that process and key that equals `value`, or NULL. One key has several once its
 * value has changed. */
static struct kept_value *find_kept_locked(struct px_session *session, const pmix_proc_t *proc,
                                           const char *key, pmix_value_t *value)
{
    px_assert(px_lock_held(&session->lock));
    px_list_for(struct kept_value, kept, &session->kept, link) {
        if (kept->proc.rank == proc->rank && px_value_key_is(kept->name, key) &&
            strncmp(kept->proc.nspace, proc->nspace, PMIX_MAX_NSLEN) == 0 &&
            PMIx_Value_compare(kept->value, value) == PMIX_EQUAL) {
            return kept;
        }
    }
    return NULL;
}

/* The entry is made before the lock is taken and dropped if an equal value is kept already. Thus a
 * value that is got a million times by pointer is kept once. */
pmix_value_t *px_session_keep(struct px_session *session, const pmix_proc_t *proc, const char *key,
                              pmix_value_t *value)
{
    size_t len = strlen(key) + 1;
    struct kept_value *fresh = malloc(sizeof(*fresh) + len);
    struct kept_value *kept;

    if (fresh == NULL) {
        PMIx_Value_free(value, 1);
        return NULL;
    }
    fresh->proc = *proc;
    fresh->value = value;
    memcpy(fresh->name, key, len);
    px_lock_take(&session->lock);
    kept = find_kept_locked(session, proc, key, value);
    if (kept == NULL) {
        px_list_append(&session->kept, &fresh->link);
    }
    px_lock_give(&session->lock);
    if (kept == NULL) {
        return value;
    }
    PMIx_Value_free(value, 1);
    free(fresh);
    return kept->value;
}

void px_session_drop_kept(struct px_session *session)
{
    while (!px_list_empty(&session->kept)) {
        struct kept_value *kept =
            px_container_of(px_list_shift(&session->kept), struct kept_value, link);

        PMIx_Value_free(kept->value, 1);
        free(kept);
    }
}
