/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get for what nearly every call wants: something of our own job that its segment has, without
 * directives that change where to look. A scalar either lies where scalars always lie
 * (gds/fast_path.h), or this thread has found it before and nothing has been published since
 * (gds/thread_cache.h); for the rest of the segment there is px_store_get. In any doubt the fast
 * path returns PMIX_ERR_WOULD_BLOCK, and px_client_get starts from the beginning and fills the
 * cache. */

#include <string.h>

#include "gds/fast_path.h"
#include "gds/thread_cache.h"
#include "get.h"
#include "get_fast.h"
#include "src/base/epoch.h"
#include "gds/slice.h"

#define rare(e) __builtin_expect((e), 0)
/* For the functions of which the fast path consists: calls among them would be a large part of it.
 */
#define INLINE static inline __attribute__((always_inline))

/* Only values of the fast store are cached, except for our own rank, whose data may be in the
 * private store: a change there changes the snapshot as well. */
void px_client_cache_result(const struct px_session *session, const struct px_snapshot *then,
                            const struct px_slice *slice, pmix_rank_t rank, const char *key,
                            const pmix_value_t *value, bool lasts)
{
    bool scalar = px_word_size(value->type) != 0;

    if (then->fast_store == NULL || (!scalar && !lasts) ||
        (slice->store != then->fast_store && rank != session->ctx->self.rank)) {
        return;
    }
    px_thread_cache_put(then->fast_store, px_reader_self, key,
                        &(struct px_cached_result){.rank = rank,
                                                   .sequence = then->sequence,
                                                   .changes = then->changes,
                                                   .key = (uintptr_t) slice->name,
                                                   .type = scalar ? value->type : PMIX_UNDEF,
                                                   .word = scalar ? px_word_of(value) : 0,
                                                   .pointer = lasts ? (uintptr_t) value : 0});
}

/* An entry without a type stands for a key that is absent; the key itself is in it, for comparison.
 */
void px_client_cache_absent(const struct px_snapshot *then, pmix_rank_t rank, const char *key)
{
    struct px_cached_result what = {
        .rank = rank, .sequence = then->sequence, .changes = then->changes, .type = PMIX_UNDEF};
    size_t len = strlen(key) + 1;

    if (then->fast_store != NULL && len <= sizeof(what.absent)) {
        memcpy(what.absent, key, len);
        px_thread_cache_put(then->fast_store, px_reader_self, key, &what);
    }
}

/* --- directives --- */

/* Directives that the fast path serves: fill the caller's structure, hand out a pointer, do not ask
 * the server. */
enum { FILL = 1, POINT = 2, OPTIONAL = 4 };

/* Reads the directives. True if all are ones that the fast path serves, with their bits in *ret;
 * false: any other, or a contradiction. */
static bool read_directives(const pmix_info_t *info, size_t ninfo, unsigned *ret)
{
#define IS(name) (memcmp(info[i].key, name, sizeof(name)) == 0)
    unsigned how = 0;

    for (size_t i = 0; i < ninfo; i++) {
        unsigned yes;

        if (info[i].value.type != PMIX_BOOL || (info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
            return false;
        }
        yes = info[i].value.data.flag ? ~0u : 0;
        if (IS(PMIX_OPTIONAL)) {
            how |= yes & OPTIONAL;
        } else if (IS(PMIX_GET_STATIC_VALUES)) {
            how |= yes & FILL;
        } else if (IS(PMIX_GET_POINTER_VALUES)) {
            how |= yes & POINT;
        } else if (!IS(PMIX_IMMEDIATE)) {
            return false;
        }
    }
    *ret = how;
    return (how & (FILL | POINT)) != (FILL | POINT);
#undef IS
}

/* --- looking; all inside a read-side critical section --- */

/* This thread's cached result for a rank and the hash of a key, if it is still valid, or NULL. The
 * caller compares the key. */
INLINE const struct px_cached_result *cached_result(const struct px_session *session,
                                                    const struct px_store *first, pmix_rank_t rank,
                                                    const char *key)
{
    /* pairs with publish_all */
    uint64_t sequence = px_load_acquire(&px_store_header(first)->sequence);
    /* pairs with px_session_changed_locked */
    uint64_t changes = px_load_acquire(&session->changes);

    return px_thread_cache_find(first, px_reader_self, key, rank, sequence, changes);
}

/* True if the cached result is a pointer for this key, with *value. */
INLINE bool give_pointer(const struct px_cached_result *cached, const char *key,
                         pmix_value_t **value)
{
    const char *name = (const char *) (uintptr_t) px_load_relaxed(&cached->key);
    uint64_t pointer = px_load_relaxed(&cached->pointer);

    if (name == NULL || pointer == 0 || strcmp(name, key) != 0) {
        return false;
    }
    *value = (pmix_value_t *) (uintptr_t) pointer;
    return true;
}

/* px_store_get without directives, which most often ends at the plain column or record of the rank.
 * Statuses as px_store_get. */
INLINE int find(const struct px_session *session, const struct px_store *first, pmix_rank_t rank,
                const char *key, struct px_slice *ret)
{
    size_t len = strnlen(key, PMIX_MAX_KEYLEN + 1);
    const struct px_key *known;
    struct px_read read;
    int rc = PMIX_ERR_NOT_FOUND;

    px_read_begin(first, &read);
    known = px_read_known_key(&read, key, len);
    if (known) {
        rc = px_read_plain(&read, known, rank, ret);
    }
    if (rc == 0) {
        ret->name = known->name;
        return ret->hidden ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : 0;
    }
    if (!known || rc != PMIX_ERR_NOT_FOUND) {
        return rc;
    }
    return px_store_get(first,
                        &(struct px_lookup_key){.rank = rank,
                                                .self = session->ctx->self.rank,
                                                .key = key,
                                                .key_len = len,
                                                .nodeid = PX_NO_NODEID,
                                                .appnum = PX_NO_APP,
                                                .session = PX_NO_SESSION},
                        ret);
}

/* Looks in the segment for values that are neither plain scalars nor cached, and caches them.
 * PMIX_ERR_WOULD_BLOCK: the fast path does not serve this. */
static __attribute__((noinline)) pmix_status_t get_rest(const struct px_session *session,
                                                        const struct px_store *first,
                                                        pmix_rank_t rank, const char *key,
                                                        unsigned how, pmix_value_t **value)
{
    struct px_snapshot now;
    struct px_slice slice;
    int rc;

    px_snapshot_take(session, first, &now);
    if (find(session, first, rank, key, &slice) != 0 || slice.type == PMIX_COMPRESSED_STRING) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    rc = px_slice_give(&slice,
                       (how & FILL) != 0    ? PX_RETURN_FILL
                       : (how & POINT) != 0 ? PX_RETURN_POINTER
                                            : PX_RETURN_COPY,
                       value);
    if (rc == 0 && (slice.inlined || (how & POINT) != 0)) {
        px_client_cache_result(session, &now, &slice, rank, key, *value, (how & POINT) != 0);
    }
    return rc;
}

/* Looks in the segment `first`, for a rank of which no private data can override it; for our own
 * rank only cached results are used. PMIX_OPERATION_SUCCEEDED: *ret_scalar; PMIX_SUCCESS: *value;
 * PMIX_ERR_WOULD_BLOCK: the fast path does not serve this. */
INLINE pmix_status_t look_in_segment(const struct px_session *session, const struct px_store *first,
                                     pmix_rank_t rank, const char *key, unsigned how,
                                     struct px_scalar *ret_scalar, pmix_value_t **value)
{
    /* pairs with px_session_set_self_private_locked */
    bool self_private = rank == px_load_acquire(&session->self_private_rank);
    const struct px_cached_result *cached;
    const char *name;

    if ((how & POINT) == 0 && !rare(self_private) &&
        px_store_get_scalar(first, rank, key, &name, ret_scalar)) {
        return !rare(strcmp(name, key) != 0) ? PMIX_OPERATION_SUCCEEDED : PMIX_ERR_WOULD_BLOCK;
    }
    cached = cached_result(session, first, rank, key);
    if (cached != NULL && (how & POINT) == 0 && px_load_relaxed(&cached->type) != PMIX_UNDEF) {
        ret_scalar->type = (pmix_data_type_t) px_load_relaxed(&cached->type);
        ret_scalar->word = px_load_relaxed(&cached->word);
        name = (const char *) (uintptr_t) px_load_relaxed(&cached->key);
        return !rare(strcmp(name, key) != 0) ? PMIX_OPERATION_SUCCEEDED : PMIX_ERR_WOULD_BLOCK;
    }
    if (cached != NULL && (how & OPTIONAL) != 0 && px_thread_cache_is_absent(cached, key)) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (cached != NULL && (how & POINT) != 0 && give_pointer(cached, key, value)) {
        return PMIX_SUCCESS;
    }
    return self_private ? PMIX_ERR_WOULD_BLOCK : get_rest(session, first, rank, key, how, value);
}

/* True if the segment is there, is the newest generation, and is of the namespace that is asked
 * for. */
INLINE bool is_fast_store(const struct px_session *session, const struct px_store *first,
                          const pmix_proc_t *proc)
{
    return !rare(first == NULL) && !rare(px_store_superseded(first)) &&
           !rare(!px_session_is_named(session, proc->nspace));
}

/* Makes a value of a scalar, or fills the caller's. Called outside the critical section, so that an
 * allocation does not prolong it. */
INLINE pmix_status_t give_scalar(const struct px_scalar *scalar, unsigned how, pmix_value_t **value)
{
    pmix_value_t *to = (how & FILL) != 0 ? *value : malloc(sizeof(*to));

    if (rare(to == NULL)) {
        return PMIX_ERR_NOMEM;
    }
    px_word_value(scalar->type, scalar->word, to);
    *value = to;
    return PMIX_SUCCESS;
}

/* The fast path. PMIX_ERR_WOULD_BLOCK, with nothing changed, where it does not serve the call: also
 * without a place for the value, and for the first call of a thread, which has no reader slot yet.
 */
INLINE pmix_status_t get_fast(const pmix_proc_t *proc, const char *key, unsigned how,
                              pmix_value_t **value)
{
    struct px_reader *self = px_reader_self;
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    const struct px_session *session;
    const struct px_store *first;
    struct px_scalar scalar = {0};

    if (rare(self == NULL) || rare(proc == NULL) || rare(key == NULL) || rare(value == NULL) ||
        ((how & FILL) != 0 && *value == NULL)) {
        return rc;
    }
    px_reader_enter_as(self);
    session = px_session_visited();
    /* pairs with replace_segment */
    first = px_load_ptr_acquire(&session->fast_store);
    if (is_fast_store(session, first, proc)) {
        rc = look_in_segment(session, first, proc->rank, key, how, &scalar, value);
    }
    px_reader_leave_as(self);
    return rc == PMIX_OPERATION_SUCCEEDED ? give_scalar(&scalar, how, value) : rc;
}

/* A get with directives: by the fast path if it serves all of them. */
static __attribute__((noinline)) pmix_status_t get_directed(const pmix_proc_t *proc,
                                                            const char *key,
                                                            const pmix_info_t *info, size_t ninfo,
                                                            pmix_value_t **value)
{
    unsigned how;
    pmix_status_t rc = info != NULL && read_directives(info, ninfo, &how)
                           ? get_fast(proc, key, how, value)
                           : PMIX_ERR_WOULD_BLOCK;

    return rc == PMIX_ERR_WOULD_BLOCK ? px_client_get(proc, key, info, ninfo, value) : rc;
}

/* Without directives, which is the usual call, nothing is parsed. */
pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value)
{
    pmix_status_t rc;

    if (ninfo > 0) {
        return get_directed(proc, key, info, ninfo, value);
    }
    rc = get_fast(proc, key, 0, value);
    return rc == PMIX_ERR_WOULD_BLOCK ? px_client_get(proc, key, NULL, 0, value) : rc;
}
