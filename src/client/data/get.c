/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get in the caller's thread. On the way to a value that is here there is no lock, no system
 * call, no message and no allocation but that of the result. Everything unusual is kept out of
 * line. */

#include "get.h"

#include <stdlib.h>
#include <string.h>

#include "deletion.h"
#include "get_fast.h"
#include "get_fetch.h"
#include "src/base/epoch.h"
#include "src/request/schema.h"
#include "src/value/keys.h"
#include "src/wire/compress.h"
#include "all.h"
#include "facts.h"
#include "private_store.h"
#include "src/client/resolve.h"
#include "gds/level.h"
#include "gds/slice.h"

#define rare(e) __builtin_expect((e), 0)

/* px_space_stores for a request. */
static inline int stores_of(struct px_session *session, const struct px_get_request *request,
                            bool fresh, struct px_stores *ret)
{
    return px_space_stores(session, px_get_request_space(session, request), request->spec.rank,
                           request->spec.key, fresh, ret);
}

/* The segment of a job that has ended may be of an earlier job of the same name; it proves nothing
 * about a value that the server has now. */
bool px_client_find_published(struct px_session *session, const struct px_get_request *request,
                              struct px_slice *ret)
{
    const struct px_space *space = px_get_request_space(session, request);
    const struct px_store *segment = space != NULL ? px_space_segment(space) : NULL;

    px_assert(px_loop_inside(session->ctx->loop));
    return segment != NULL && !px_store_is_over(segment) &&
           px_store_get(segment, &request->spec, ret) == 0;
}

/* True if the request is for what this process has put and deleted. */
static inline bool is_deleted_here(const struct px_session *session, const struct px_space *space,
                                   const struct px_lookup_key *spec)
{
    return space == &session->own && spec->rank == session->ctx->self.rank && spec->n_quals == 0 &&
           px_client_has_deleted(session, px_space_private_peek(space), spec->key, spec->key_len);
}

/* A value that the request may not see in one store does not hide one in the other. The status
 * "outside scope" is kept unless the second store has the value. */
int px_client_find_in(struct px_session *session, const struct px_space *space,
                      const struct px_lookup_key *spec, bool fresh, struct px_slice *ret)
{
    struct px_stores at;
    int lacking = px_space_stores(session, space, spec->rank, spec->key, fresh, &at);
    int rc = PMIX_ERR_NOT_FOUND;
    int other;

    if (at.first != NULL) {
        rc = px_store_get(at.first, spec, ret);
    }
    if (rc == PMIX_ERR_NOT_FOUND && is_deleted_here(session, space, spec)) {
        return rc;
    }
    if (rc != 0 && at.second != NULL) {
        other = px_store_get(at.second, spec, ret);
        rc = (other == PMIX_ERR_NOT_FOUND && rc == PMIX_ERR_EXISTS_OUTSIDE_SCOPE) ? rc : other;
    }
    return rc == PMIX_ERR_NOT_FOUND && lacking != 0 ? lacking : rc;
}

int px_client_find(struct px_session *session, const struct px_get_request *request, bool fresh,
                   struct px_slice *ret)
{
    return px_client_find_in(session, px_get_request_space(session, request), &request->spec, fresh,
                             ret);
}

int px_client_give_made(struct px_session *session, const struct px_get_request *request,
                        pmix_value_t *made, pmix_value_t **value)
{
    pmix_proc_t owner;

    switch (px_get_request_mode(request)) {
    case PX_RETURN_FILL:
        **value = *made;
        free(made);
        return 0;
    case PX_RETURN_POINTER:
        PMIx_Load_procid(&owner, request->nspace, request->spec.rank);
        made = px_session_keep(session, &owner, request->spec.key, made);
        break;
    default:
        break;
    }
    if (made == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *value = made;
    return 0;
}

/* px_client_hand_out for a compressed string, which is handed out inflated. */
static __attribute__((noinline)) int hand_out_unpressed(struct px_session *session,
                                                        const struct px_get_request *request,
                                                        const struct px_slice *slice,
                                                        pmix_value_t **value)
{
    pmix_value_t *made;
    int rc = px_slice_value(slice, &made);

    if (rc != 0) {
        return rc;
    }
    rc = px_inflate_value(made);
    if (rc != 0) {
        PMIx_Value_free(made, 1);
        return rc;
    }
    return px_client_give_made(session, request, made, value);
}

int px_client_hand_out(struct px_session *session, const struct px_get_request *request,
                       const struct px_slice *slice, pmix_value_t **value)
{
    return rare(slice->type == PMIX_COMPRESSED_STRING)
               ? hand_out_unpressed(session, request, slice, value)
               : px_slice_give(slice, px_get_request_mode(request), value);
}

int px_client_hand_out_value(struct px_session *session, const struct px_get_request *request,
                             const pmix_value_t *from, bool lasts, pmix_value_t **value)
{
    pmix_value_t *made;
    int rc;

    if (lasts && (request->flags & PX_GET_POINTER) != 0) {
        *value = (pmix_value_t *) (uintptr_t) from;
        return 0;
    }
    made = PMIx_Value_create(1);
    rc = made != NULL ? PMIx_Value_xfer(made, from) : PMIX_ERR_NOMEM;
    if (rc == 0) {
        return px_client_give_made(session, request, made, value);
    }
    if (made != NULL) {
        PMIx_Value_free(made, 1);
    }
    return rc;
}

/* The newest of a key is the first of the list; without a type it says that there is none. */
const pmix_value_t *px_session_find_local(struct px_session *session, const char *nspace,
                                          pmix_rank_t rank, const char *key)
{
    /* pairs with px_session_store_local */
    struct px_local_value *at = px_load_ptr_acquire(&session->local_values);

    for (; at != NULL; at = at->next) {
        if (at->proc.rank == rank && px_value_key_is(at->key, key) &&
            strncmp(at->proc.nspace, nspace, PMIX_MAX_NSLEN) == 0) {
            return at->value.type != PMIX_UNDEF ? &at->value : NULL;
        }
    }
    return NULL;
}

/* Facts exist for reserved keys only, local values for any key. */
int px_client_get_builtin(struct px_session *session, const struct px_get_request *request,
                          pmix_value_t **value)
{
    const pmix_value_t *known =
        px_key_reserved(request->spec.key) ? px_fact_find(session, request) : NULL;

    if (known == NULL) {
        known =
            px_session_find_local(session, request->nspace, request->spec.rank, request->spec.key);
    }
    return known != NULL ? px_client_hand_out_value(session, request, known, true, value)
                         : PMIX_ERR_NOT_FOUND;
}

/* True if the server can be asked, and a value that was out of scope when the data of its process
 * came by message may have changed since. */
static bool may_change(struct px_session *session, const struct px_get_request *request,
                       const struct px_store *segment)
{
    bool us = request->space == &session->own && request->spec.rank == session->ctx->self.rank;

    return segment == NULL && !us && (request->flags & PX_GET_OPTIONAL) == 0 &&
           px_session_server(session) != NULL;
}

/* True for keys that not every server sends with the job information. */
static bool is_map(const char *key)
{
    return px_value_key_is(key, PMIX_NODE_MAP) || px_value_key_is(key, PMIX_PROC_MAP) ||
           px_value_key_is(key, PMIX_NODE_MAP_RAW) || px_value_key_is(key, PMIX_PROC_MAP_RAW);
}

/* What a miss means: PMIX_ERR_WOULD_BLOCK when the server must be asked, else the final status. */
static int miss_status(struct px_session *session, const struct px_get_request *request, int found)
{
    const struct px_space *space = px_get_request_space(session, request);
    const struct px_store *segment = space != NULL ? px_space_segment(space) : NULL;
    bool complete;
    bool hosts;

    if (found == PMIX_ERR_EXISTS_OUTSIDE_SCOPE && !may_change(session, request, segment)) {
        return found;
    }
    if ((request->flags & PX_GET_OPTIONAL) != 0 ||
        is_deleted_here(session, space, &request->spec)) {
        return PMIX_ERR_NOT_FOUND;
    }
    /* The host's keys of a job are all in its segment, those of our own here from the start; an old
     * generation does not know what has come since. */
    complete = segment == NULL ? space == &session->own
                               : (px_store_flags(segment) & PX_STORE_JOB_COMPLETE) != 0 &&
                                     !px_space_is_behind(session, space, segment);
    hosts = px_key_is_of_host(request->spec.key) && !px_key_is_dynamic(request->spec.key) &&
            (segment != NULL || !is_map(request->spec.key));
    if (complete && hosts) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (px_session_server(session) == NULL) {
        /* A lost server: values that are here can still be got, others never. */
        return px_session_is_served(session) ? PMIX_ERR_LOST_CONNECTION : PMIX_ERR_NOT_FOUND;
    }
    return PMIX_ERR_WOULD_BLOCK;
}

/* A get whose key is in no store of ours: a built-in value, or the status of the miss. found: the
 * status of the lookup. Kept apart from get(), whose common way is short. */
static pmix_status_t get_unusual(struct px_session *session, const struct px_get_request *request,
                                 int found, pmix_value_t **value)
{
    int rc = px_client_get_builtin(session, request, value);

    if (rc == PMIX_ERR_NOT_FOUND) {
        rc = miss_status(session, request, found);
    }
    return rc;
}

/* True if the data of this process came by message before a collective that has ended since, and
 * the server can be asked. To be called before the lookup: another thread may refresh the data at
 * any time. */
static bool is_stale(struct px_session *session, const struct px_get_request *request)
{
    return (request->flags & PX_GET_OPTIONAL) == 0 && !px_key_is_of_host(request->spec.key) &&
           px_session_is_stale(session, request->nspace, request->spec.rank) &&
           px_session_server(session) != NULL;
}

/* True if a value of stale data may be another one by now: not one of a segment, nor what this
 * process has stored (PMIx_Store_internal) or put itself, which has a scope. What the server has
 * told it of itself, such as group information, has none. */
static bool may_be_old(const struct px_session *session, const struct px_get_request *request,
                       const struct px_slice *slice)
{
    bool us = request->space == &session->own && request->spec.rank == session->ctx->self.rank;

    return !slice->store->seg.shared && slice->scope != PMIX_INTERNAL &&
           (!us || slice->scope == PMIX_SCOPE_UNDEF);
}

/* True if this process has put the key itself, which the caller promises to be only one process's.
 */
static bool is_put_by_us(struct px_session *session, const struct px_get_request *request)
{
    struct px_lookup_key spec = request->spec;
    const struct px_store *held;
    struct px_slice slice;

    spec.rank = session->ctx->self.rank;
    return request->space == &session->own &&
           px_space_private(session, request->space, &held) == 0 && held != NULL &&
           px_store_get(held, &spec, &slice) == 0 && slice.scope != PMIX_SCOPE_UNDEF;
}

/* True if the server has to decide about a value that came by message: the request names a scope,
 * and a stock server's message does not carry it; or it names no process, and what came of the one
 * that had the key may be old. */
static bool is_undecided(struct px_session *session, const struct px_get_request *request,
                         const struct px_slice *slice)
{
    bool unscoped = request->spec.scope != PMIX_SCOPE_UNDEF && slice->scope == PMIX_SCOPE_UNDEF;
    bool anyones = request->spec.rank == PMIX_RANK_UNDEF && slice->scope != PMIX_INTERNAL &&
                   !is_put_by_us(session, request);

    return (unscoped || anyones) && !slice->store->seg.shared &&
           !px_key_is_of_host(request->spec.key) && (request->flags & PX_GET_OPTIONAL) == 0 &&
           px_session_server(session) != NULL;
}

/* True if the request has no more than a key, a process of our own namespace and a return mode.
 * Only the results of such requests are cached. */
static bool is_plain(const struct px_session *session, const struct px_get_request *request)
{
    const unsigned manners = PX_GET_OPTIONAL | PX_GET_IMMEDIATE | PX_GET_POINTER | PX_GET_STATIC;

    return (request->flags & ~manners) == 0 && request->space == &session->own &&
           request->spec.realm == PX_REALM_NONE && request->spec.hostname == NULL &&
           request->spec.nodeid == PX_NO_NODEID;
}

/* Caches for this thread that no store of ours knows the key, so that an optional get misses
 * quickly. */
static void note_absent(struct px_session *session, const struct px_get_request *request,
                        const struct px_snapshot *then)
{
    const struct px_lookup_key *spec = &request->spec;
    struct px_stores at;

    if (stores_of(session, request, false, &at) == 0 &&
        (at.first == NULL || !px_store_has_key(at.first, spec->key, spec->key_len)) &&
        (at.second == NULL || !px_store_has_key(at.second, spec->key, spec->key_len))) {
        px_client_cache_absent(then, spec->rank, spec->key);
    }
}

/* px_client_find, but what a tool has stored of other namespaces itself goes before what its
 * servers know. */
static __attribute__((noinline)) int find_kept(struct px_session *session,
                                               const struct px_get_request *request,
                                               struct px_slice *ret)
{
    const struct px_space *space =
        request->space != &session->own ? px_space_kept(session, request->nspace) : NULL;
    const struct px_store *held = space != NULL ? px_space_private_peek(space) : NULL;
    int rc = held != NULL ? px_store_get(held, &request->spec, ret) : PMIX_ERR_NOT_FOUND;

    return rc == 0 ? rc : px_client_find(session, request, false, ret);
}

/* One key from what this process holds, or PMIX_ERR_WOULD_BLOCK: the server has to be asked.
 * Results of plain requests are cached for the fast path, with the snapshot taken before the
 * lookup. Inside a read-side critical section. */
static pmix_status_t get(struct px_session *session, const struct px_get_request *request,
                         pmix_value_t **value)
{
    struct px_snapshot now;
    struct px_slice slice;
    bool stale;
    int rc;

    /* pairs with replace_segment */
    px_snapshot_take(session, px_load_ptr_acquire(&session->fast_store), &now);
    /* pairs with px_session_collected and open_kept_locked */
    if (rare(px_load_acquire(&session->ended) != 0)) {
        stale = is_stale(session, request);
        rc = find_kept(session, request, &slice);
    } else {
        stale = false;
        rc = px_client_find(session, request, false, &slice);
    }
    if (rc != 0) {
        rc = get_unusual(session, request, rc, value);
        if (rc == PMIX_ERR_NOT_FOUND && now.fast_store != NULL && is_plain(session, request)) {
            note_absent(session, request, &now);
        }
        return rc;
    }
    if ((rare(stale) && may_be_old(session, request, &slice)) ||
        rare(is_undecided(session, request, &slice))) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    if (rare(session->report_fd >= 0)) {
        (void) px_fetch_add(&session->n_reads, 1);
    }
    rc = px_client_hand_out(session, request, &slice, value);
    if (rc == 0 && now.fast_store != NULL && is_plain(session, request)) {
        px_client_cache_result(session, &now, &slice, request->spec.rank, request->spec.key,
                               (request->flags & PX_GET_POINTER) != 0 ? *value : NULL);
    }
    return rc;
}

/* For px_store_each: stops at the first value with a scope. Only values that a process has put have
 * one; those of the host do not. */
static int stop_at_put(void *arg, const char *key, const struct px_slice *slice)
{
    (void) arg;
    (void) key;
    return slice->scope != PMIX_SCOPE_UNDEF;
}

/* True if the store has a put value of the process. NULL: false. */
static bool has_put(const struct px_store *store, pmix_rank_t rank)
{
    return store != NULL && px_store_each(store, PX_LEVEL_PROC, rank, stop_at_put, NULL) != 0;
}

/* True if the server must be asked before everything of a process is handed out: put values of it
 * came by message and may be old, or nothing put by it is here and no segment shows that there is
 * none. */
static bool asks_all(struct px_session *session, const struct px_get_request *request)
{
    bool us = request->space == &session->own && request->spec.rank == session->ctx->self.rank;
    struct px_stores at;

    if (us || (request->flags & PX_GET_OPTIONAL) != 0 || px_session_server(session) == NULL ||
        stores_of(session, request, false, &at) != 0) {
        return false;
    }
    if (has_put(at.first, request->spec.rank) || has_put(at.second, request->spec.rank)) {
        return px_session_is_stale(session, request->nspace, request->spec.rank);
    }
    /* A segment has what there is of its own node. */
    return at.first == NULL || !at.first->seg.shared ||
           px_client_is_far(request->space, request->spec.rank);
}

/* Everything of one process from what this process holds. PMIX_ERR_BAD_PARAM for a rank that is not
 * of a single process; PMIX_ERR_WOULD_BLOCK: the server has to be asked. */
static pmix_status_t get_all(struct px_session *session, const struct px_get_request *request,
                             pmix_value_t **value)
{
    int rc = PMIX_ERR_BAD_PARAM; /* of one process only */

    if (request->spec.rank <= PMIX_RANK_VALID) {
        px_reader_enter();
        rc = asks_all(session, request) ? PMIX_ERR_WOULD_BLOCK
                                        : px_client_get_all(session, request, value);
        px_reader_leave();
    }
    return rc;
}

/* get() with its critical section. Afterwards asks for the next generation if the segment that was
 * read is superseded. */
static int get_key(struct px_session *session, struct px_get_request *request, pmix_value_t **value)
{
    int rc;

    px_reader_enter();
    rc = get(session, request, value);
    if (request->space != NULL) {
        px_space_check(session, request->space);
    }
    px_reader_leave();
    return rc;
}

/* A get from what this process holds: a key or everything. PMIX_ERR_WOULD_BLOCK also for a refresh,
 * which begins at the server. */
static int get_here(struct px_session *session, struct px_get_request *request,
                    pmix_value_t **value)
{
    bool all = (request->flags & PX_GET_ALL) != 0;
    bool refreshes = (request->flags & PX_GET_REFRESH) != 0;

    if (refreshes && (all || (request->flags & PX_GET_OPTIONAL) == 0) &&
        px_session_is_served(session)) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    if (refreshes && all) {
        return PMIX_ERR_NOT_FOUND;
    }
    return all ? get_all(session, request, value) : get_key(session, request, value);
}

int px_client_get_local(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, pmix_value_t **value)
{
    struct px_get_request request;
    int rc = px_get_request_read(session, proc, key, info, ninfo, &request);

    if (rc == 0) {
        rc = get_here(session, &request, value);
        px_get_request_fini(&request);
    }
    return rc;
}

/* True if the caller has given a place for the value, or wants none (a refresh without a key). */
static bool has_place(const struct px_get_request *request, pmix_value_t *const *value)
{
    const unsigned effect = PX_GET_ALL | PX_GET_REFRESH;

    return value != NULL ? (request->flags & PX_GET_STATIC) == 0 || *value != NULL
                         : (request->flags & effect) == effect;
}

/* Reads the arguments once, looks here, and asks the server only if that was not enough. The
 * request is on the stack: a waiter of a blocking get borrows it. */
pmix_status_t px_client_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                            size_t ninfo, pmix_value_t **value)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_get_request request;
    int rc = ctx != NULL ? px_get_request_read(px_session(ctx), proc, key, info, ninfo, &request)
                         : PMIX_ERR_INIT;

    if (rc != 0) {
        return rc;
    }
    rc = has_place(&request, value) ? get_here(px_session(ctx), &request, value)
                                    : PMIX_ERR_BAD_PARAM;
    if (rc == PMIX_ERR_WOULD_BLOCK) {
        rc = px_client_fetch(px_session(ctx), &request, value);
    }
    px_get_request_fini(&request);
    return rc;
}

/* Ends the completion with a result that is known already. Only statuses that a get may deliver so
 * (success, not found, outside scope); another is returned at once. Owns `value`. */
static int answer_now(const struct px_get_request *request, int rc, pmix_value_t *value,
                      const struct px_completion *to)
{
    struct px_reply reply = {
        .status = rc, .value = value, .lent = (request->flags & PX_GET_POINTER) != 0};

    if (rc != PMIX_ERR_NOT_FOUND && rc != PMIX_ERR_EXISTS_OUTSIDE_SCOPE && rc != 0) {
        return rc;
    }
    to->done(to, &reply);
    if (reply.value != NULL && !reply.lent) {
        PMIx_Value_free(reply.value, 1);
    }
    return 0;
}

pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo,
                               const struct px_completion *to)
{
    struct px_session *session = px_session(ctx);
    struct px_get_request request;
    pmix_value_t *value = NULL;
    int rc = px_get_request_read(session, proc, key, info, ninfo, &request);

    if (rc != 0) {
        return rc;
    }
    rc = (request.flags & PX_GET_STATIC) == 0 ? get_here(session, &request, &value)
                                              : PMIX_ERR_NOT_SUPPORTED;
    rc = rc == PMIX_ERR_WOULD_BLOCK ? px_client_fetch_nb(session, &request, to)
                                    : answer_now(&request, rc, value, to);
    px_get_request_fini(&request);
    return rc;
}
