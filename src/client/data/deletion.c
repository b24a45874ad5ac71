/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What this process deletes becomes an entry of its private store that says so, in place of the
 * value: the segment has the value until the server has taken the commit, and a get of our own rank
 * that meets such an entry ends there. A value of the scope PMIX_INTERNAL was this process's alone;
 * when it is deleted, a value of another scope under the same key is found again. */

#include "deletion.h"

#include <stdlib.h>
#include <string.h>

#include "gds/batch.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "get.h"
#include "private_store.h"
#include "put.h"
#include "src/client/session.h"
#include "src/base/assert.h"
#include "src/base/epoch.h"
#include "src/value/keys.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"

/* Publishes what a deletion leaves of our own value in the private store, `slice`. Session lock. */
static int restore_locked(struct px_session *session, const struct px_slice *slice,
                          struct px_store_entry *entry)
{
    pmix_value_t value;
    bool owned;
    int rc = px_slice_borrow(slice, &value, &owned);

    entry->value = &value;
    rc = rc == 0 ? px_session_store_locked(session, &session->own, entry) : rc;
    if (owned) {
        PMIx_Value_destruct(&value);
    }
    return rc;
}

/* True if our segment has a value that this process has put, maybe before this session. Session
 * lock: the loop thread may replace the segment. */
static bool is_in_segment(struct px_session *session, const char *key, size_t len)
{
    const struct px_store *segment;
    struct px_slice slice;
    int rc;

    px_reader_enter();
    segment = px_session_shared(session);
    rc = segment != NULL
             ? px_store_find(segment, PX_LEVEL_PROC, session->ctx->self.rank, key, len, &slice)
             : PMIX_ERR_NOT_FOUND;
    px_reader_leave();
    return rc == PMIX_ERR_EXISTS_OUTSIDE_SCOPE || (rc == 0 && slice.scope != PMIX_SCOPE_UNDEF);
}

/* Changes our private store, `held`, as the deletion says. 0, PMIX_ERR_NOMEM or another error of
 * storing. Session lock. */
static int delete_own_locked(struct px_session *session, const struct px_store *held,
                             pmix_scope_t scope, const char *key)
{
    pmix_rank_t rank = session->ctx->self.rank;
    size_t len = strlen(key);
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = rank, .key = key, .value = &px_deleted};
    struct px_slice slice;
    int found = px_store_find(held, PX_LEVEL_PROC, rank, key, len, &slice);
    bool internal = found == 0 && slice.scope == PMIX_INTERNAL;

    px_assert(px_lock_held(&session->lock));
    if (scope == PMIX_DEL_INTERNAL || internal) {
        entry.scope = PMIX_INTERNAL;
        return scope == PMIX_DEL_INTERNAL && internal
                   ? px_session_store_locked(session, &session->own, &entry)
                   : 0;
    }
    if (found == 0 && slice.scope != PMIX_SCOPE_UNDEF) {
        entry.scope = px_scope_left(slice.scope, scope);
        if (entry.scope == slice.scope) {
            return 0;
        }
        return entry.scope != PMIX_SCOPE_UNDEF
                   ? restore_locked(session, &slice, &entry)
                   : px_session_store_locked(session, &session->own, &entry);
    }
    return found != 0 && scope == PMIX_DEL_GLOBAL && is_in_segment(session, key, len)
               ? px_session_store_locked(session, &session->own, &entry)
               : 0;
}

/* Hides the value of PMIx_Store_internal that is no bytes, if there is one: the newest of a key
 * counts. 0 or PMIX_ERR_NOMEM. */
static int delete_local(struct px_session *session, const pmix_proc_t *self, const char *key)
{
    const pmix_value_t gone = {.type = PMIX_UNDEF};
    const pmix_value_t *value = px_session_find_local(session, self->nspace, self->rank, key);

    return value != NULL ? px_session_store_local(session, self, key, &gone) : 0;
}

/* True if deletions can be committed to the server, or there is none. */
static bool is_understood(struct px_session *session)
{
    const struct px_link_server *server = px_session_server(session);

    return server == NULL || server->ours || px_server_at_least(server, 7, 0, 0);
}

pmix_status_t px_client_delete(struct px_ctx *ctx, pmix_scope_t scope, const char *key)
{
    struct px_session *session = px_session(ctx);
    struct px_put_value *gone;
    struct px_store *held;
    struct px_list dropped;
    int rc = PMIX_ERR_NOMEM;

    if (px_value_key_is(key, PMIX_QUALIFIED_VALUE) ||
        (scope != PMIX_DEL_INTERNAL && !is_understood(session))) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    gone = px_put_value_create(scope, key, strlen(key), &(pmix_value_t){.type = PMIX_UNDEF});
    if (gone == NULL) {
        return rc;
    }
    gone->stored = true;
    px_list_init(&dropped);
    px_lock_take(&session->lock);
    held = px_space_private_locked(session, &session->own);
    rc = held != NULL ? delete_own_locked(session, held, scope, key) : rc;
    if (rc == 0) {
        px_store_release(&session->deletes, 1); /* pairs with px_client_has_deleted */
        px_session_changed_locked(session);
    }
    if (rc == 0 && scope != PMIX_DEL_INTERNAL) {
        px_uncommitted_append(&session->uncommitted, gone, &dropped);
    } else {
        px_list_append(&dropped, &gone->link);
    }
    px_lock_give(&session->lock);
    px_put_values_free(&dropped);
    return rc == 0 && scope == PMIX_DEL_INTERNAL ? delete_local(session, &ctx->self, key) : rc;
}

bool px_client_has_deleted(const struct px_session *session, const struct px_store *held,
                           const char *key, size_t key_len)
{
    pmix_scope_t scope;

    /* pairs with px_client_delete */
    return px_load_acquire(&session->deletes) != 0 && held != NULL &&
           px_store_is_deleted(held, session->ctx->self.rank, key, key_len, &scope) &&
           scope != PMIX_INTERNAL;
}

/* --- of other processes --- */

/* Drops the copy of a value that another process has put. unscoped: also one of which it is not
 * known under which scope it was put. PMIX_ERR_NOMEM. */
static int forget(struct px_session *session, const pmix_proc_t *owner, const char *key,
                  bool unscoped)
{
    struct px_space *space = px_space_named(session, owner->nspace);
    const struct px_store *held = space != NULL ? px_space_private_peek(space) : NULL;
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = owner->rank, .key = key, .value = &px_deleted};
    struct px_slice slice;
    int rc;

    if (held == NULL || owner->rank > PMIX_RANK_VALID ||
        px_proc_equal(owner, &session->ctx->self)) {
        return 0;
    }
    rc = px_store_find(held, PX_LEVEL_PROC, owner->rank, key, strlen(key), &slice);
    if (rc != PMIX_ERR_EXISTS_OUTSIDE_SCOPE && (rc != 0 || slice.scope == PMIX_INTERNAL ||
                                                (slice.scope == PMIX_SCOPE_UNDEF && !unscoped))) {
        return 0;
    }
    px_lock_take(&session->lock);
    rc = px_session_store_locked(session, space, &entry);
    px_lock_give(&session->lock);
    return rc;
}

/* Without memory the copy stays, and the next get asks again. */
void px_client_note_gone(struct px_session *session, const struct px_get_request *request)
{
    const struct px_link_server *server = px_session_server(session);
    pmix_proc_t owner;

    if (server != NULL && server->ours && request->spec.rank <= PMIX_RANK_VALID &&
        !px_key_is_of_host(request->spec.key) &&
        (request->flags & (PX_GET_MORE | PX_GET_ALL)) == 0 &&
        request->spec.realm == PX_REALM_NONE) {
        PMIx_Load_procid(&owner, request->nspace, request->spec.rank);
        (void) forget(session, &owner, request->spec.key, false);
    }
}

/* PROC, SCOPE, STRING key. Without memory the copy stays, as it would if the message had come
 * later. */
void px_client_deleted_in(struct px_session *session, struct px_in *in)
{
    pmix_scope_t scope = PMIX_SCOPE_UNDEF;
    pmix_proc_t owner;
    char *key = NULL;
    int rc;

    px_assert(px_loop_inside(session->ctx->loop));
    (void) px_unpack_one(in, PMIX_PROC, &owner);
    (void) px_unpack_one(in, PMIX_SCOPE, &scope);
    rc = px_unpack_string(in, &key);
    if (rc == 0 && key != NULL && px_scope_deletes(scope) && strlen(key) <= PMIX_MAX_KEYLEN &&
        !px_key_is_of_host(key)) {
        (void) forget(session, &owner, key, true);
    }
    free(key);
}
