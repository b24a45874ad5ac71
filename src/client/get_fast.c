/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get for what nearly every call wants: a number of our own job, or a pointer to what is
 * there, without directives that lead elsewhere. Either it lies where it always lies in the
 * segment, or this thread has been told before and nothing has been published since
 * (gds/thread_cache.h). Whatever is not sure of here takes the long way, from the start, and is
 * noted there. */

#include <string.h>

#include "gds/fast_path.h"
#include "gds/thread_cache.h"
#include "get.h"
#include "get_fast.h"
#include "src/base/epoch.h"

#define rare(e) __builtin_expect((e), 0)
#define INLINE  static inline __attribute__((always_inline))

void px_client_cache_result(struct px_session *session, const struct px_snapshot *then,
                            const struct px_store *from, pmix_rank_t rank, const char *key,
                            const pmix_value_t *value, bool lasts)
{
    bool scalar = px_word_size(value->type) != 0;
    const char *name;

    if (then->fast_store == NULL || (!scalar && !lasts) ||
        (from != then->fast_store && rank != session->ctx->self.rank)) {
        return;
    }
    name = px_store_key_name(from, key);
    if (name != NULL) {
        px_thread_cache_put(then->fast_store, px_reader_self, key,
                            &(struct px_cached_result){.rank = rank,
                                                       .sequence = then->sequence,
                                                       .changes = then->changes,
                                                       .key = (uintptr_t) name,
                                                       .type = scalar ? value->type : PMIX_UNDEF,
                                                       .word = scalar ? px_word_of(value) : 0,
                                                       .pointer = lasts ? (uintptr_t) value : 0});
    }
}

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

/* What we hold ourselves, where px_client_find would look first. pairs with px_session_collected */
static const struct px_store *store_of(struct px_session *session, const pmix_proc_t *proc,
                                       const char *key)
{
    const struct px_store *store = px_session_shared(session);
    const struct px_store *own;

    if (session->report_fd >= 0 || !px_session_is_named(session, proc->nspace) ||
        (store == NULL && px_load_acquire(&session->ended) != 0) ||
        px_session_private(session, &own) != 0) {
        return NULL;
    }
    return own != NULL && (store == NULL || px_client_private_goes_first(session, proc->rank, key))
               ? own
               : store;
}

/* The same when we hold data of our own. */
static __attribute__((noinline)) pmix_status_t get_fast_two_stores(const pmix_proc_t *proc,
                                                                   const char *key,
                                                                   pmix_value_t **value)
{
    struct px_ctx *ctx = px_ctx();
    struct px_session *session;
    const pmix_proc_t *whose = proc != NULL ? proc : &ctx->self;
    const struct px_store *store = NULL;
    struct px_snapshot now;
    bool found;

    px_reader_enter();
    session = px_session_visited();
    px_snapshot_take(session, &now);
    if (key != NULL && value != NULL) {
        store = store_of(session, whose, key);
    }
    found = store != NULL && px_store_get_fast(store, whose->rank, key, value);
    if (found) {
        px_client_cache_result(session, &now, store, whose->rank, key, *value, false);
    }
    px_client_check_superseded(session);
    px_reader_leave();
    return found ? PMIX_SUCCESS : px_client_get(proc, key, NULL, 0, value);
}

/* What the segment has, though it is not where numbers are. Inside a read-side critical section. */
static __attribute__((noinline)) pmix_status_t get_fast_rest(const struct px_store *first,
                                                             const pmix_proc_t *proc,
                                                             const char *key, pmix_value_t **value)
{
    struct px_session *session = px_session_visited();
    struct px_snapshot now;
    bool found;

    px_snapshot_take(session, &now);
    found = value != NULL && px_store_get_fast_rest(first, proc->rank, key, value);
    if (found && now.fast_store == first && px_word_size((*value)->type) != 0) {
        px_client_cache_result(session, &now, first, proc->rank, key, *value, false);
    }
    px_reader_leave();
    return found ? PMIX_SUCCESS : px_client_get(proc, key, NULL, 0, value);
}

/* Is the segment where to look, for any key that it has, but for the rank `self_private_rank`?
 * Inside a read-side critical section. */
INLINE bool is_fast_store(const struct px_session *session, const struct px_store *first,
                          const pmix_proc_t *proc)
{
    return !rare(first == NULL) && !rare(px_store_superseded(first)) && !rare(proc == NULL) &&
           !rare(!px_session_is_named(session, proc->nspace));
}

/* pairs with px_session_set_self_private_locked */
INLINE bool is_self_private(const struct px_session *session, pmix_rank_t rank)
{
    return rank == px_load_acquire(&session->self_private_rank);
}

/* What this thread was told of a rank, if that still holds; or NULL. */
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

/* A number where the segment has the numbers of the job and of ranks; else one that this thread was
 * told. `ret_name`: the name of its key, still to be compared. */
INLINE bool find_scalar(const struct px_session *session, const struct px_store *first,
                        pmix_rank_t rank, const char *key, const char **ret_name,
                        struct px_scalar *ret)
{
    const struct px_cached_result *cached;
    const struct px_key *found;

    if (!is_self_private(session, rank) && px_fast_scalar(first, rank, key, &found, ret)) {
        *ret_name = found->name;
        return true;
    }
    cached = cached_result(session, first, rank, key);
    if (cached == NULL) {
        return false;
    }
    ret->type = (pmix_data_type_t) px_load_relaxed(&cached->type);
    ret->word = px_load_relaxed(&cached->word);
    *ret_name = (const char *) (uintptr_t) px_load_relaxed(&cached->key);
    return ret->type != PMIX_UNDEF;
}

/* --- with directives --- */

/* What directives want done with what is here. */
struct fast_directives {
    bool fill;
    bool point;
    bool optional;
};

/* False: they may mean something else. */
INLINE bool read_fast_directives(const pmix_info_t *info, size_t ninfo, struct fast_directives *ret)
{
#define IS(name) (memcmp(info[i].key, name, sizeof(name)) == 0)
    *ret = (struct fast_directives){0};
    for (size_t i = 0; i < ninfo; i++) {
        bool yes = info[i].value.type == PMIX_BOOL && info[i].value.data.flag;

        if (info[i].value.type != PMIX_BOOL || (info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
            return false;
        }
        if (IS(PMIX_OPTIONAL)) {
            ret->optional |= yes;
        } else if (IS(PMIX_GET_STATIC_VALUES)) {
            ret->fill |= yes;
        } else if (IS(PMIX_GET_POINTER_VALUES)) {
            ret->point |= yes;
        } else if (!IS(PMIX_IMMEDIATE)) {
            return false;
        }
    }
    return !ret->fill || !ret->point;
#undef IS
}

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

/* PMIX_ERR_WOULD_BLOCK: not by the fast path. Inside a read-side critical section. */
INLINE pmix_status_t give_fast(const struct px_session *session, const struct px_store *first,
                               pmix_rank_t rank, const char *key,
                               const struct fast_directives *fast_directives, pmix_value_t **value)
{
    const struct px_cached_result *cached;
    struct px_scalar scalar;
    const char *name;

    if (!fast_directives->point && find_scalar(session, first, rank, key, &name, &scalar)) {
        if (rare(strcmp(name, key) != 0) || (fast_directives->fill && *value == NULL)) {
            return PMIX_ERR_WOULD_BLOCK;
        }
        if (!fast_directives->fill) {
            return px_scalar_value(scalar.word, scalar.type, value) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
        }
        px_word_value(scalar.type, scalar.word, *value);
        return PMIX_SUCCESS;
    }
    cached = fast_directives->point || fast_directives->optional
                 ? cached_result(session, first, rank, key)
                 : NULL;
    if (cached == NULL) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    if (fast_directives->optional && px_thread_cache_is_absent(cached, key)) {
        return PMIX_ERR_NOT_FOUND;
    }
    return fast_directives->point && give_pointer(cached, key, value) ? PMIX_SUCCESS
                                                                      : PMIX_ERR_WOULD_BLOCK;
}

static __attribute__((noinline)) pmix_status_t get_fast_directives(const pmix_proc_t *proc,
                                                                   const char *key,
                                                                   const pmix_info_t *info,
                                                                   size_t ninfo,
                                                                   pmix_value_t **value)
{
    const struct px_session *session;
    struct px_reader *self = px_reader_self;
    pmix_status_t rc = PMIX_ERR_WOULD_BLOCK;
    const struct px_store *first;
    struct fast_directives fast_directives;

    if (info == NULL || self == NULL || key == NULL || value == NULL ||
        !read_fast_directives(info, ninfo, &fast_directives)) {
        return px_client_get(proc, key, info, ninfo, value);
    }
    px_reader_enter_as(self);
    session = px_session_visited();
    /* pairs with px_session_adopt and replace_segment */
    first = px_load_ptr_acquire(&session->fast_store);
    if (is_fast_store(session, first, proc)) {
        rc = give_fast(session, first, proc->rank, key, &fast_directives, value);
    }
    px_reader_leave_as(self);
    return rc == PMIX_ERR_WOULD_BLOCK ? px_client_get(proc, key, info, ninfo, value) : rc;
}

/* --- without --- */

pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value)
{
    const struct px_session *session;
    const struct px_store *first;
    struct px_scalar scalar;
    const char *name;

    if (ninfo > 0) {
        return get_fast_directives(proc, key, info, ninfo, value);
    }
    if (rare(px_reader_self == NULL) || rare(key == NULL)) {
        return get_fast_two_stores(proc, key, value);
    }
    px_reader_enter_as(px_reader_self);
    session = px_session_visited();
    /* pairs with px_session_adopt and replace_segment */
    first = px_load_ptr_acquire(&session->fast_store);
    if (!is_fast_store(session, first, proc)) {
        return get_fast_two_stores(proc, key, value);
    }
    if (!find_scalar(session, first, proc->rank, key, &name, &scalar)) {
        return is_self_private(session, proc->rank) ? get_fast_two_stores(proc, key, value)
                                                    : get_fast_rest(first, proc, key, value);
    }
    if (rare(strcmp(name, key) != 0) || rare(value == NULL)) {
        return get_fast_two_stores(proc, key, value);
    }
    px_reader_leave();
    return px_scalar_value(scalar.word, scalar.type, value) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}
