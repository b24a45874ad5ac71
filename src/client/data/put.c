/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Put and commit. A put value waits in `uncommitted` for the next commit, which sends what was put
 * since the last one: servers merge key by key. It is published in the private store, where this
 * process reads it, before the next such read or commit; values that the store might refuse are
 * published at once, so that the put returns the error. */

#include "put.h"

#include <stdlib.h>
#include <string.h>

#include "deletion.h"
#include "src/client/request.h"
#include "get.h"
#include "src/value/keys.h"
#include "private_store.h"
#include "src/value/nested.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "gds/payload.h"

/* Bytes of a message besides those of values and keys: most that a value of a known length takes,
 * and a block. */
enum { VALUE_HEAD = 48, BLOCK_HEAD = 64 };

/* The length of a key; 0: there is none, or its length is not legal. */
static size_t legal_len(const char *key)
{
    size_t len = key != NULL ? strnlen(key, PMIX_MAX_KEYLEN + 1) : 0;

    return len <= PMIX_MAX_KEYLEN ? len : 0;
}

/* Most puts copy the value and append it to the list. Memory is freed outside the lock. */
pmix_status_t px_client_put(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                            const pmix_value_t *value)
{
    struct px_session *session = px_session(ctx);
    struct px_put_value *put;
    struct px_list dropped;
    size_t len = legal_len(key);
    pmix_status_t rc = PMIX_SUCCESS;

    if (len == 0 || px_key_is_of_host(key)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_scope_deletes(scope)) {
        return px_client_delete(ctx, scope, key);
    }
    if (value == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (scope < PMIX_LOCAL || scope > PMIX_INTERNAL) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    put = px_put_value_create(scope, key, len, value);
    if (put == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&dropped);
    if (scope == PMIX_INTERNAL || !px_value_is_simple(value)) {
        rc = px_session_store_value(session, &ctx->self, key, value, scope);
        put->stored = rc == PMIX_SUCCESS;
    }
    if (rc == PMIX_SUCCESS) {
        px_lock_take(&session->lock);
        put->stored = put->stored && session->unstored == 0; /* those that are come first */
        px_uncommitted_append(&session->uncommitted, put, &dropped);
        if (!put->stored) {
            px_session_set_self_private_locked(session);
            px_store_release(&session->unstored, 1); /* pairs with px_space_private */
            px_session_changed_locked(session);
        }
        px_lock_give(&session->lock);
    } else {
        px_list_append(&dropped, &put->link);
    }
    px_put_values_free(&dropped);
    return rc;
}

/* In front of the list, so that the newest of a key is found. */
int px_session_store_local(struct px_session *session, const pmix_proc_t *proc, const char *key,
                           const pmix_value_t *value)
{
    struct px_local_value *native = calloc(1, sizeof(*native));

    if (native == NULL) {
        return PMIX_ERR_NOMEM;
    }
    native->key = strdup(key);
    if (native->key == NULL) {
        free(native);
        return PMIX_ERR_NOMEM;
    }
    native->proc = *proc;
    native->value = *value;
    px_lock_take(&session->lock);
    native->next = session->local_values;
    px_store_ptr_release(&session->local_values, native); /* pairs with px_session_find_local */
    px_session_changed_locked(session);
    px_lock_give(&session->lock);
    return PMIX_SUCCESS;
}

/* From now on gets look into private stores first, and the fast path is off for good: the
 * application may have overridden anything. */
pmix_status_t px_client_store_internal(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                       const pmix_value_t *value)
{
    struct px_session *session = px_session(ctx);
    pmix_proc_t owner = proc != NULL ? *proc : ctx->self;
    pmix_status_t rc;

    if (value == NULL || legal_len(key) == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (PMIx_Nspace_invalid(owner.nspace)) {
        PMIx_Load_nspace(owner.nspace, ctx->self.nspace);
    }
    if (value->type == PMIX_POINTER || value->type == PMIX_TOPO) {
        return px_session_store_local(session, &owner, key, value);
    }
    rc = px_session_store_value(session, &owner, key, value, PMIX_INTERNAL);
    if (rc == PMIX_SUCCESS) {
        px_lock_take(&session->lock);
        px_store_release(&session->internal, 1);          /* pairs with px_space_stores */
        px_store_ptr_release(&session->fast_store, NULL); /* pairs with get_fast */
        px_lock_give(&session->lock);
    }
    return rc;
}

/* True if the values can go as one block: all are for everybody, and the server takes such a
 * block. */
static bool is_one_block(struct px_session *session)
{
    const struct px_link_server *server = px_session_server(session);
    const struct px_list *head = &session->uncommitted.values;
    bool all = server != NULL && server->ours;

    px_assert(px_lock_held(&session->lock));
    for (const struct px_list *at = head->next; all && at != head; at = at->next) {
        pmix_scope_t scope = px_container_of(at, struct px_put_value, link)->scope;

        all = scope == PMIX_GLOBAL || px_scope_deletes(scope);
    }
    return all;
}

/* The bytes that a value takes in a message, if it is one whose length shows; a guess for others.
 */
static size_t room_of(const struct px_put_value *put)
{
    const pmix_value_t *value = &put->value;
    size_t len = 0;

    if (value->type == PMIX_BYTE_OBJECT) {
        len = value->data.bo.size;
    } else if (value->type == PMIX_STRING && value->data.string != NULL) {
        len = strlen(value->data.string);
    }
    return len + put->key_len + VALUE_HEAD;
}

/* Packs SCOPE and a BUFFER with the values of two scopes, or nothing if there are none. Room is
 * made for all of them first: what grows by doubling is copied again and again. */
static void pack_block(struct px_msg *msg, const struct px_list *head, pmix_scope_t scope,
                       pmix_scope_t other)
{
    size_t room = 0;
    size_t mark;

    for (const struct px_list *at = head->next; at != head; at = at->next) {
        const struct px_put_value *value = px_container_of(at, struct px_put_value, link);

        if (value->scope == scope || value->scope == other) {
            room += room_of(value);
        }
    }
    if (room == 0) {
        return;
    }
    px_buf_reserve(&msg->buf, room + BLOCK_HEAD);
    (void) px_pack(&msg->buf, msg->kind, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(&msg->buf, &mark);
    for (const struct px_list *at = head->next; at != head; at = at->next) {
        const struct px_put_value *value = px_container_of(at, struct px_put_value, link);

        if (value->scope == scope || value->scope == other) {
            (void) px_pack_kval(&msg->buf, msg->kind, value->key, &value->value);
        }
    }
    (void) px_pack_buffer_end(&msg->buf, msg->kind, mark);
}

/* Packs all put values, or with `deletions` all keys that go away: a block for processes of this
 * node and a block for those of other nodes. What is for both is in both, as the same bytes, unless
 * all of it is for both and goes as `one_block`. */
static void pack_values(struct px_msg *msg, const struct px_list *head, bool deletions,
                        bool one_block)
{
    pmix_scope_t both = deletions ? PMIX_DEL_GLOBAL : PMIX_GLOBAL;

    if (one_block) {
        pack_block(msg, head, both, both);
        return;
    }
    pack_block(msg, head, deletions ? PMIX_DEL_LOCAL : PMIX_LOCAL, both);
    pack_block(msg, head, deletions ? PMIX_DEL_REMOTE : PMIX_REMOTE, both);
}

/* The reply to a commit, for which nobody waits. A refusal is kept for the next call that can
 * return it (px_session_refused). Loop thread. */
static void commit_reply(pmix_status_t status, void *cbdata)
{
    struct px_session *session = cbdata;

    if (status != PMIX_SUCCESS && status != PMIX_ERR_LOST_CONNECTION &&
        status != PMIX_ERR_UNREACH) {
        /* pairs with px_session_refused */
        px_store_release(&session->refused, (uint64_t) (int64_t) status);
    }
}

/* Of several callers at once, one gets the status. */
int px_session_refused(struct px_session *session)
{
    uint64_t status = px_load_acquire(&session->refused); /* pairs with commit_reply */

    /* pairs with commit_reply: one caller is told */
    return status != 0 && px_cas(&session->refused, status, 0) ? (int) (int64_t) status : 0;
}

/* The lock is held while the message is sent, so that commits reach the server in the order in
 * which they were made. The first commit is sent even if it is empty: others may be waiting for it.
 */
pmix_status_t px_client_send_commit(struct px_ctx *ctx)
{
    struct px_session *session = px_session(ctx);
    struct px_list sent;
    struct px_msg msg;
    int rc;

    if (!px_session_is_served(session)) {
        return PMIX_SUCCESS; /* no server: the values stay in `uncommitted` */
    }
    px_list_init(&sent);
    /* The lock is held over the sending: commits reach the server in the order in which they were
     * made. */
    px_lock_take(&session->lock);
    if (session->uncommitted.n == 0 && session->committed) {
        px_lock_give(&session->lock);
        return PMIX_SUCCESS;
    }
    if (session->unstored != 0 && px_space_private_locked(session, &session->own) == NULL) {
        px_lock_give(&session->lock);
        return PMIX_ERR_NOMEM;
    }
    rc = px_msg_start(session, PX_CMD_COMMIT, &msg);
    if (rc == 0) {
        /* What is deleted goes before what is put again. */
        if (session->deletes != 0) {
            pack_values(&msg, &session->uncommitted.values, true, false);
        }
        pack_values(&msg, &session->uncommitted.values, false, is_one_block(session));
        rc = px_msg_send_op(&msg, 0, commit_reply, session);
    }
    if (rc == 0) {
        session->committed = true;
        px_uncommitted_take(&session->uncommitted, &sent);
    }
    px_lock_give(&session->lock);
    px_put_values_free(&sent);
    return rc;
}

pmix_status_t px_client_commit(struct px_ctx *ctx)
{
    pmix_status_t rc = px_client_send_commit(ctx);

    return rc == PMIX_SUCCESS && px_session_is_served(px_session(ctx))
               ? px_session_refused(px_session(ctx))
               : rc;
}
