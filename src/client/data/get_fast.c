/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get for what nearly every call wants: something of our own job that this process has,
 * without directives that change where to look. A scalar either lies where scalars always lie
 * (gds/fast_path.h), or this thread has found it before and nothing has been published since
 * (gds/thread_cache.h); for everything else there is get_rest. In any doubt the fast path returns
 * PMIX_ERR_WOULD_BLOCK, and px_client_get starts from the beginning. */

#include <string.h>

#include "gds/fast_path.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "gds/thread_cache.h"
#include "get.h"
#include "get_fast.h"
#include "src/base/attributes.h"
#include "src/base/epoch.h"

#define rare(e) __builtin_expect((e), 0)
/* For the functions of which the fast path consists: calls among them would be a large part of it.
 */
#define INLINE static inline __attribute__((always_inline))

/* px_client_cache_result. Only values of the fast store are cached, except for our own rank, whose
 * data may be in the private store: a change there changes the snapshot as well. */
INLINE void cache_result(const struct px_session *session, const struct px_snapshot *then,
                         const struct px_slice *slice, pmix_rank_t rank, const char *key,
                         const pmix_value_t *lasting)
{
    if ((slice->inlined || lasting != NULL) &&
        (slice->store == then->fast_store || rank == session->ctx->self.rank)) {
        px_thread_cache_put(then->fast_store, px_reader_self, key,
                            &(struct px_cached_result){
                                .rank = rank,
                                .sequence = then->sequence,
                                .changes = then->changes,
                                .key = (uintptr_t) slice->name,
                                .type = slice->inlined ? slice->type : PMIX_UNDEF,
                                .word = slice->word,
                                .pointer = (uintptr_t) lasting,
                            });
    }
}

void px_client_cache_result(const struct px_session *session, const struct px_snapshot *then,
                            const struct px_slice *slice, pmix_rank_t rank, const char *key,
                            const pmix_value_t *lasting)
{
    cache_result(session, then, slice, rank, key, lasting);
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
 * the server. The first two are the modes of px_slice_give. */
enum { FILL = PX_RETURN_FILL, POINT = PX_RETURN_POINTER, OPTIONAL = 4 };

/* Reads the directives. True if all are ones that the fast path serves, with their bits in *ret and
 * the name of a node, or NULL, in *ret_node; false: any other, or a contradiction. */
static bool read_directives(const pmix_info_t *info, size_t ninfo, unsigned *ret,
                            const char **ret_node)
{
#define IS(name) (memcmp(info[i].key, name, sizeof(name)) == 0)
    const char *node = NULL;
    unsigned how = 0;

    for (size_t i = 0; i < ninfo; i++) {
        unsigned yes;

        if ((info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
            return false;
        }
        if (info[i].value.type != PMIX_BOOL) {
            if (info[i].value.type != PMIX_STRING || !IS(PMIX_HOSTNAME)) {
                return false;
            }
            node = info[i].value.data.string;
            continue;
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
    *ret_node = node;
    return (how & (FILL | POINT)) != (FILL | POINT);
#undef IS
}

/* --- looking; all inside a read-side critical section --- */

/* This thread's cached result for a rank and the hash of a key, if it is still valid, or NULL. The
 * caller compares the key. */
INLINE const struct px_cached_result *cached_result(const struct px_session *session,
                                                    const struct px_store *first,
                                                    const struct px_reader *self, pmix_rank_t rank,
                                                    const char *key)
{
    /* pairs with publish_all */
    uint64_t sequence = px_load_acquire(&px_store_header(first)->sequence);
    /* pairs with px_session_changed_locked */
    uint64_t changes = px_load_acquire(&session->changes);

    return px_thread_cache_find(first, self, key, rank, sequence, changes);
}

/* What px_client_get looks for without directives. */
INLINE struct px_lookup_key plain_key(const struct px_session *session, pmix_rank_t rank,
                                      const char *key, size_t len)
{
    return (struct px_lookup_key){.rank = rank,
                                  .self = session->ctx->self.rank,
                                  .key = key,
                                  .key_len = len,
                                  .nodeid = PX_NO_NODEID,
                                  .appnum = PX_NO_APP,
                                  .session = PX_NO_SESSION};
}

/* px_client_find for our own rank, of which there are private data. Data of ours that came by
 * message may be old: not found. */
static __attribute__((noinline)) int find_own(struct px_session *session, pmix_rank_t rank,
                                              const char *key, struct px_slice *ret)
{
    struct px_lookup_key spec = plain_key(session, rank, key, strnlen(key, PMIX_MAX_KEYLEN + 1));

    /* pairs with px_session_collected */
    return px_load_acquire(&session->ended) == 0
               ? px_client_find_in(session, &session->own, &spec, false, ret)
               : PMIX_ERR_NOT_FOUND;
}

/* The key with this name, or NULL: not there, or damaged. read: begun. */
static __attribute__((noinline)) const struct px_key *find_key(struct px_read *read,
                                                               const char *key)
{
    return px_read_find_key(read, key, strnlen(key, PMIX_MAX_KEYLEN + 1));
}

/* px_store_get without directives. */
static __attribute__((noinline)) int find_in_order(const struct px_session *session,
                                                   const struct px_store *store, pmix_rank_t rank,
                                                   const char *key, size_t len,
                                                   struct px_slice *ret)
{
    struct px_lookup_key spec = plain_key(session, rank, key, len);

    return px_store_get(store, &spec, ret);
}

/* The same, which most often ends at the plain column or record of the rank. read: begun. known:
 * the key with this name. Statuses as px_store_get. */
INLINE int find(const struct px_session *session, struct px_read *read, const struct px_key *known,
                pmix_rank_t rank, const char *key, struct px_slice *ret)
{
    int rc = px_read_plain(read, known, rank, ret);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return find_in_order(session, read->store, rank, key, known->len, ret);
    }
    ret->name = known->name;
    return rc == 0 && ret->hidden ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : rc;
}

/* A get of a key that was not found in the segment. PMIX_ERR_NOT_FOUND, which is cached, if nothing
 * else that this process has can have it and the server is not to be asked; else
 * PMIX_ERR_WOULD_BLOCK. */
static __attribute__((noinline)) pmix_status_t get_absent(const struct px_session *session,
                                                          const struct px_snapshot *then,
                                                          pmix_rank_t rank, const char *key,
                                                          unsigned how)
{
    /* pairs with px_session_store_local */
    const void *local = px_load_ptr_acquire(&session->local_values);
    /* pairs with px_client_put and store_uncommitted_locked */
    bool unstored = px_load_acquire(&session->unstored) != 0;
    /* This load follows that of `unstored`: if that is false, the store has all that was put before
     * this get. */
    const struct px_store *held = px_space_private_peek(&session->own);
    size_t len = strnlen(key, PMIX_MAX_KEYLEN + 1);

    /* Facts have reserved keys. */
    if ((how & OPTIONAL) == 0 || len == 0 || len > PMIX_MAX_KEYLEN || px_key_reserved(key) ||
        local != NULL || unstored || (held != NULL && px_store_has_key(held, key, len))) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    px_client_cache_absent(then, rank, key);
    return PMIX_ERR_NOT_FOUND;
}

/* Looks in our stores for values that are neither plain scalars nor cached, and caches them.
 * known: the key with this name, or NULL: not known yet. PMIX_ERR_WOULD_BLOCK: the fast path does
 * not serve this. */
static __attribute__((noinline)) PX_NO_STACK_PROTECTOR pmix_status_t
get_rest(const struct px_store *first, const struct px_key *known, pmix_rank_t rank,
         const char *key, unsigned how, pmix_value_t **value)
{
    struct px_session *session = px_session_visited();
    struct px_snapshot now;
    struct px_slice slice;
    struct px_read read;
    int rc;

    px_read_begin(first, &read);
    now = (struct px_snapshot){
        .fast_store = first,
        .sequence = read.seq,
        .changes = px_load_acquire(&session->changes), /* pairs with px_session_changed_locked */
    };
    /* pairs with px_session_set_self_private_locked */
    if (rare(rank == px_load_acquire(&session->self_private_rank))) {
        rc = find_own(session, rank, key, &slice);
    } else {
        known = known != NULL ? known : find_key(&read, key);
        if (known == NULL) {
            return get_absent(session, &now, rank, key, how);
        }
        rc = find(session, &read, known, rank, key, &slice);
    }
    if (rc != 0 || slice.type == PMIX_COMPRESSED_STRING) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    rc = px_slice_give(&slice, (enum px_return_mode)(how & (FILL | POINT)), value);
    if (rc == 0) {
        cache_result(session, &now, &slice, rank, key, (how & POINT) != 0 ? *value : NULL);
    }
    return rc;
}

/* Gives the value of a rank in a column of cells, which px_store_get_scalar has found, in any mode
 * but POINT. The result is not cached, because no get looks in the cache for a value of such a
 * column.
 * PMIX_ERR_WOULD_BLOCK: the fast path does not serve this. */
static __attribute__((noinline)) PX_NO_STACK_PROTECTOR pmix_status_t
get_cell(const struct px_store *first, const struct px_column *col, pmix_rank_t rank, unsigned how,
         pmix_value_t **value)
{
    struct px_slice slice;
    struct px_read read;

    px_read_begin(first, &read);
    return px_read_column_cell(&read, col, rank, &slice) == 0 && !slice.hidden &&
                   slice.type != PMIX_COMPRESSED_STRING
               ? px_slice_give(&slice, (enum px_return_mode)(how & FILL), value)
               : PMIX_ERR_WOULD_BLOCK;
}

/* Looks for a cached result. PMIX_OPERATION_SUCCEEDED: *ret, with POINT the address of a value as
 * its word, and *ret_name, the name of its key, which is still to be compared. PMIX_ERR_NOT_FOUND:
 * no key has this name. PMIX_ERR_WOULD_BLOCK: nothing is cached. */
INLINE pmix_status_t find_cached(const struct px_session *session, const struct px_store *first,
                                 const struct px_reader *self, pmix_rank_t rank, const char *key,
                                 unsigned how, const char **ret_name, struct px_scalar *ret)
{
    const struct px_cached_result *cached = cached_result(session, first, self, rank, key);

    if (cached == NULL) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    if ((how & OPTIONAL) != 0 && px_thread_cache_is_absent(cached, key)) {
        return PMIX_ERR_NOT_FOUND;
    }
    *ret_name = (const char *) (uintptr_t) px_load_relaxed(&cached->key);
    ret->type = (pmix_data_type_t) px_load_relaxed(&cached->type);
    ret->word = px_load_relaxed((how & POINT) != 0 ? &cached->pointer : &cached->word);
    /* A result that says "absent" has no name and no type. */
    return ((how & POINT) != 0 ? *ret_name != NULL && ret->word != 0 : ret->type != PMIX_UNDEF)
               ? PMIX_OPERATION_SUCCEEDED
               : PMIX_ERR_WOULD_BLOCK;
}

/* Gives what find_cached or px_store_get_scalar has found: a pointer, or a scalar as a new value or
 * in the caller's. */
INLINE pmix_status_t give(const struct px_scalar *scalar, unsigned how, pmix_value_t **value)
{
    pmix_value_t *to;

    if ((how & POINT) != 0) {
        *value = (pmix_value_t *) (uintptr_t) scalar->word;
        return PMIX_SUCCESS;
    }
    to = (how & FILL) != 0 ? *value : malloc(sizeof(*to));
    if (rare(to == NULL)) {
        return PMIX_ERR_NOMEM;
    }
    px_word_value(scalar->type, scalar->word, to);
    *value = to;
    return PMIX_SUCCESS;
}

/* Looks again after the first lookup found a value of another key. cached: that value did not come
 * from the cache, where the right one may be. */
static __attribute__((noinline)) pmix_status_t look_again(const pmix_proc_t *proc, const char *key,
                                                          bool cached, unsigned how,
                                                          pmix_value_t **value)
{
    const struct px_session *session = px_session_visited();
    /* pairs with replace_segment */
    const struct px_store *first = px_load_ptr_acquire(&session->fast_store);
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    struct px_scalar scalar;
    const char *name;

    if (first == NULL) {
        return rc;
    }
    if (cached) {
        rc = find_cached(session, first, px_reader_self, proc->rank, key, how, &name, &scalar);
    }
    if (rc == PMIX_OPERATION_SUCCEEDED && strcmp(name, key) == 0) {
        return give(&scalar, how, value);
    }
    return rc == PMIX_ERR_NOT_FOUND ? rc : get_rest(first, NULL, proc->rank, key, how, value);
}

/* The key of this name to which this string led before; NULL: there is none such. */
INLINE const struct px_key *named_key(const struct px_store *first, const char *key)
{
    const uint64_t *hints = px_key_hints(first, key);

    for (unsigned i = 0; i < PX_KEY_WAYS; i++) {
        uint64_t loc = px_load_acquire(&hints[i]); /* pairs with px_read_note_key */
        const struct px_key *hinted = (const void *) (first->seg.base + (loc << 3));

        if (loc != 0 && px_key_is_named(hinted, key)) {
            return hinted;
        }
    }
    return NULL;
}

/* Looks in the segment `first`, and for our own rank, of which the process may hold private data,
 * in the cached results and in all stores. PMIX_OPERATION_SUCCEEDED: *ret, to be given;
 * PMIX_SUCCESS: *value; PMIX_ERR_WOULD_BLOCK: the fast path does not serve this. */
INLINE pmix_status_t look_in_segment(const struct px_session *session, const struct px_store *first,
                                     const struct px_reader *self, const pmix_proc_t *proc,
                                     const char *key, unsigned how, struct px_scalar *ret,
                                     pmix_value_t **value)
{
    enum px_scalar_result result = PX_SCALAR_UNKNOWN;
    const struct px_key *hinted = NULL;
    const char *name = NULL;
    pmix_status_t rc;

    /* pairs with px_session_set_self_private_locked */
    if ((how & POINT) == 0 && !rare(proc->rank == px_load_acquire(&session->self_private_rank)) &&
        px_store_hinted_key(first, key, &hinted)) {
        result = px_store_get_scalar(first, hinted, proc->rank, ret);
    }
    if (!rare(result != PX_SCALAR)) {
        name = hinted->name;
    } else {
        if (result != PX_SCALAR_UNKNOWN && px_key_is_named(hinted, key)) {
            return result == PX_SCALAR_CELL ? get_cell(first, ret->col, proc->rank, how, value)
                                            : get_rest(first, hinted, proc->rank, key, how, value);
        }
        rc = find_cached(session, first, self, proc->rank, key, how, &name, ret);
        if (rc != PMIX_OPERATION_SUCCEEDED) {
            return rc == PMIX_ERR_NOT_FOUND
                       ? rc
                       : get_rest(first, named_key(first, key), proc->rank, key, how, value);
        }
    }
    return !rare(strcmp(name, key) != 0) ? PMIX_OPERATION_SUCCEEDED
                                         : look_again(proc, key, result == PX_SCALAR, how, value);
}

/* True if the segment is there, is the newest generation, and is of the namespace that is asked
 * for. */
INLINE bool is_fast_store(const struct px_session *session, const struct px_store *first,
                          const pmix_proc_t *proc)
{
    return !rare(first == NULL) && !rare(px_store_superseded(first)) &&
           !rare(!px_session_is_named(session, proc->nspace));
}

/* False where the fast path cannot begin: without an argument or a place for the value, and for the
 * first call of a thread, which has no reader slot yet. */
INLINE bool can_begin(const struct px_reader *self, const pmix_proc_t *proc, const char *key,
                      unsigned how, pmix_value_t *const *value)
{
    return !rare(self == NULL) && !rare(proc == NULL) && !rare(key == NULL) &&
           !rare(value == NULL) && ((how & FILL) == 0 || *value != NULL);
}

/* The fast path. PMIX_ERR_WOULD_BLOCK, with nothing changed, where it does not serve the call. */
INLINE pmix_status_t get_fast(const pmix_proc_t *proc, const char *key, unsigned how,
                              pmix_value_t **value)
{
    struct px_reader *self = px_reader_self;
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    const struct px_session *session;
    const struct px_store *first;
    struct px_scalar scalar = {0};

    if (!can_begin(self, proc, key, how, value)) {
        return rc;
    }
    px_reader_enter_as(self);
    session = px_session_visited();
    /* pairs with replace_segment */
    first = px_load_ptr_acquire(&session->fast_store);
    if (is_fast_store(session, first, proc)) {
        rc = look_in_segment(session, first, self, proc, key, how, &scalar, value);
    }
    px_reader_leave_as(self);
    /* Outside the critical section, so that an allocation does not prolong it. */
    return rc == PMIX_OPERATION_SUCCEEDED ? give(&scalar, how, value) : rc;
}

/* The same for a value of a node that is named. Our own rank is not served: a value that this
 * process has deleted may still be in the segment. */
static __attribute__((noinline)) PX_NO_STACK_PROTECTOR pmix_status_t get_of_node(
    const pmix_proc_t *proc, const char *key, unsigned how, const char *node, pmix_value_t **value)
{
    struct px_reader *self = px_reader_self;
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    const struct px_session *session;
    const struct px_store *first;
    struct px_lookup_key spec;
    struct px_slice slice;

    if (!can_begin(self, proc, key, how, value)) {
        return rc;
    }
    px_reader_enter_as(self);
    session = px_session_visited();
    /* pairs with replace_segment */
    first = px_load_ptr_acquire(&session->fast_store);
    /* pairs with px_session_set_self_private_locked */
    if (proc->rank != px_load_acquire(&session->self_private_rank) &&
        is_fast_store(session, first, proc)) {
        spec = plain_key(session, proc->rank, key, strnlen(key, PMIX_MAX_KEYLEN + 1));
        spec.hostname = node;
        if (px_store_get(first, &spec, &slice) == 0 && slice.type != PMIX_COMPRESSED_STRING) {
            rc = px_slice_give(&slice, (enum px_return_mode)(how & (FILL | POINT)), value);
        }
    }
    px_reader_leave_as(self);
    return rc;
}

/* A get with directives: by the fast path if it serves all of them. */
static __attribute__((noinline)) PX_NO_STACK_PROTECTOR pmix_status_t
get_directed(const pmix_proc_t *proc, const char *key, const pmix_info_t *info, size_t ninfo,
             pmix_value_t **value)
{
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    const char *node;
    unsigned how;

    if (info != NULL && read_directives(info, ninfo, &how, &node)) {
        rc = node == NULL ? get_fast(proc, key, how, value)
                          : get_of_node(proc, key, how, node, value);
    }
    return rc == PMIX_ERR_WOULD_BLOCK ? px_client_get(proc, key, info, ninfo, value) : rc;
}

/* A get without directives, of which nothing is parsed. */
static __attribute__((noinline)) pmix_status_t get_plain(const pmix_proc_t *proc, const char *key,
                                                         pmix_value_t **value)
{
    pmix_status_t rc = get_fast(proc, key, 0, value);

    return rc == PMIX_ERR_WOULD_BLOCK ? px_client_get(proc, key, NULL, 0, value) : rc;
}

/* The two are functions of their own, so that this one saves no registers for them. */
pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value)
{
    return ninfo == 0 ? get_plain(proc, key, value) : get_directed(proc, key, info, ninfo, value);
}
