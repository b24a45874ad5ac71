/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Private stores of this process: of its own namespace (what it has put, and what it was sent when
 * there is no segment) and of other namespaces (what it has no segment of; space.c). Writers hold
 * the session lock; readers need none, as with a segment. A store that is full is replaced by a
 * larger one; the old one is kept for its readers until the end. */

#include "private_store.h"

#include "deletion.h"
#include "lacking.h"
#include "src/client/tool/primary.h"
#include "src/client/session.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "src/nspace/jobinfo.h"
#include "src/value/keys.h"
#include "src/value/procs.h"
#include "src/wire/message.h"
#include "refresh.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/level.h"
#include "gds/publication.h"
#include "gds/slice.h"

/* An empty private store; NULL: no memory. */
static struct px_store *create_store(const char *nspace)
{
    struct px_store_opts opts = {
        .nspace = nspace, .shared = false, .uid = getuid(), .gid = getgid()};
    struct px_store *store = NULL;

    return px_store_create(&opts, &store) == 0 ? store : NULL;
}

/* Replaces a full private store by a larger one; a store begins small where address space is
 * limited. Readers keep what they have found in the old one. 0 or PMIX_ERR_OUT_OF_RESOURCE. Session
 * lock. */
static int enlarge_locked(struct px_session *session, struct px_space *space)
{
    struct px_store *store = space->private_store;
    struct px_store *next;
    int rc = px_store_enlarge(store, &next);

    px_assert(px_lock_held(&session->lock));
    if (rc == 0) {
        /* pairs with px_space_private_peek */
        px_store_ptr_release(&space->private_store, next);
        px_store_chain(&session->outgrown, store);
    }
    return rc;
}

/* Publishes a batch in the private store, enlarging it if need be, and invalidates cached results.
 * Statuses as px_store_publish. Session lock. */
static int publish_locked(struct px_session *session, struct px_space *space,
                          const struct px_batch *batch)
{
    int rc;

    px_assert(px_lock_held(&session->lock));
    do {
        rc = px_store_publish(space->private_store, batch);
    } while (rc == PMIX_ERR_OUT_OF_RESOURCE && enlarge_locked(session, space) == 0);
    px_session_changed_locked(session);
    return rc;
}

/* Sets level and index of an entry: a process, or with the wildcard rank its job. */
static void set_index(struct px_store_entry *entry, pmix_rank_t rank)
{
    entry->level = rank == PMIX_RANK_WILDCARD ? PX_LEVEL_JOB : PX_LEVEL_PROC;
    entry->index = rank == PMIX_RANK_WILDCARD ? 0 : rank;
}

/* Publishes all put values that the private store lacks, in one batch. Putting is much more
 * frequent than reading one's own values, so values are collected until somebody reads or writes
 * the store. 0, or an error: they stay in the list and the next call tries again. Session lock. */
static int store_uncommitted_locked(struct px_session *session)
{
    struct px_batch *batch = px_batch_create();
    struct px_list *head = &session->uncommitted.values;
    struct px_list *first = px_uncommitted_first_unstored(&session->uncommitted);
    int rc = batch != NULL ? 0 : PMIX_ERR_NOMEM;

    px_assert(px_lock_held(&session->lock));
    for (struct px_list *at = first; rc == 0 && at != head; at = at->next) {
        const struct px_put_value *put = px_container_of(at, struct px_put_value, link);
        struct px_store_entry entry = {.scope = put->scope, .key = put->key, .value = &put->value};

        set_index(&entry, session->ctx->self.rank);
        rc = px_batch_add(batch, &entry);
    }
    if (rc == 0) {
        rc = publish_locked(session, &session->own, batch);
    }
    for (struct px_list *at = first; rc == 0 && at != head; at = at->next) {
        px_container_of(at, struct px_put_value, link)->stored = true;
    }
    px_batch_destroy(batch);
    px_store_release(&session->unstored, rc != 0); /* pairs with px_space_private */
    return rc;
}

/* From the moment our own private store exists, gets for our own rank have to look there, so the
 * fast path learns that before the store is visible. */
struct px_store *px_space_private_locked(struct px_session *session, struct px_space *space)
{
    bool own = space == &session->own;

    px_assert(px_lock_held(&session->lock));
    if (space->private_store == NULL) {
        if (own) {
            px_session_set_self_private_locked(session);
        }
        /* pairs with px_space_private_peek */
        px_store_ptr_release(&space->private_store, create_store(space->nspace));
    }
    if (own && space->private_store != NULL && session->unstored != 0 &&
        store_uncommitted_locked(session) != 0) {
        return NULL;
    }
    return space->private_store;
}

int px_session_store_uncommitted(struct px_session *session)
{
    int rc;

    px_lock_take(&session->lock);
    rc = px_space_private_locked(session, &session->own) != NULL ? 0 : PMIX_ERR_NOMEM;
    px_lock_give(&session->lock);
    return rc;
}

/* The space of a namespace, with its private store; both are made if they are missing.
 * PMIX_ERR_WOULD_BLOCK: it is told of another namespace by a server that is not the primary one.
 * Session lock. */
static int open_locked(struct px_session *session, const char *nspace, struct px_space **ret)
{
    struct px_space *space = px_space_named(session, nspace);

    if (space != &session->own && !px_session_is_heard(session)) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    space = space != NULL ? space : px_space_meet_locked(session, nspace);
    if (space == NULL || px_space_private_locked(session, space) == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *ret = space;
    return 0;
}

/* The entry borrows until the batch is published. */
int px_session_store_locked(struct px_session *session, struct px_space *space,
                            const struct px_store_entry *entry)
{
    struct px_batch *batch = px_batch_create();
    int rc = batch != NULL ? px_batch_add(batch, entry) : PMIX_ERR_NOMEM;

    px_assert(px_lock_held(&session->lock));
    rc = rc == 0 ? publish_locked(session, space, batch) : rc;
    px_batch_destroy(batch);
    return rc;
}

/* open_locked for what this tool itself stores of another namespace. */
static int open_kept_locked(struct px_session *session, const char *nspace, struct px_space **ret)
{
    struct px_space *space = px_space_keep_locked(session, nspace);

    if (space == NULL || px_space_private_locked(session, space) == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (session->ended == 0) {                /* what it stands for besides: gets look there, too */
        px_store_release(&session->ended, 1); /* pairs with get */
    }
    *ret = space;
    return 0;
}

/* Publishes an entry of a process or its job, whose space is made if it is missing. */
static int store_entry(struct px_session *session, const pmix_proc_t *owner,
                       struct px_store_entry *entry)
{
    bool keeps = session->is_tool && entry->scope == PMIX_INTERNAL &&
                 !px_session_is_named(session, owner->nspace);
    struct px_space *space = NULL;
    int rc;

    set_index(entry, owner->rank);
    px_lock_take(&session->lock);
    rc = keeps ? open_kept_locked(session, owner->nspace, &space)
               : open_locked(session, owner->nspace, &space);
    if (rc == 0) {
        rc = px_session_store_locked(session, space, entry);
    }
    px_lock_give(&session->lock);
    return rc;
}

int px_session_store_value(struct px_session *session, const pmix_proc_t *owner, const char *key,
                           const pmix_value_t *value, pmix_scope_t scope)
{
    struct px_store_entry entry = {.scope = scope};
    int rc = px_kval_unfold(key, value, &entry);

    return rc == 0 ? store_entry(session, owner, &entry) : rc;
}

/* The server knows better than a copy that came before. */
int px_session_store_mark(struct px_session *session, const pmix_proc_t *owner, const char *key)
{
    struct px_store_entry entry = {.scope = PMIX_REMOTE, .key = key, .value = &px_deleted};

    return store_entry(session, owner, &entry);
}

/* --- the age of fetched data --- */

/* Data that came by message stay as they were, while a segment shows what its writer publishes
 * later. Both forms must give the same answers, so fetched data have an age:
 * - Data of a process of this node come with the number of its newest change, if the server is one
 *   of ours. They are good for one get: the next one asks whether the number is still the same
 *   (docs/decisions/0019-local-data-by-messages.md).
 * - Other data are fetched again by the first get after a fence, a connect or the construction of a
 *   group. */

/* Values of px_session.fetched, by px_proc_key: a change number with this bit, or 1 + the value
 * that px_session.ended had when the data came. */
#define COUNTED (UINT64_C(1) << 63)

/* The entry of a process in px_session.fetched; 0: none. Takes the session lock. */
static uint64_t find_fetched(struct px_session *session, const char *nspace, pmix_rank_t rank)
{
    char key[PX_PROC_KEY_ROOM];
    size_t len = px_proc_key_of(nspace, rank, key);
    uint64_t then;

    px_lock_take(&session->lock);
    then = (uintptr_t) px_map_find(&session->fetched, key, len);
    px_lock_give(&session->lock);
    return then;
}

/* True if the data of the process came with a change number before. Session lock. */
static bool is_counted_locked(struct px_session *session, const pmix_proc_t *owner)
{
    char key[PX_PROC_KEY_ROOM];
    size_t len = px_proc_key(owner, key);

    px_assert(px_lock_held(&session->lock));
    return ((uintptr_t) px_map_find(&session->fetched, key, len) & COUNTED) != 0;
}

/* Notes that all data of a process have been stored, as of a change number (0: the server sent
 * none) or as of now. 0 or PMIX_ERR_NOMEM. Session lock. */
static int note_fetched_locked(struct px_session *session, const pmix_proc_t *owner,
                               uint64_t change)
{
    char key[PX_PROC_KEY_ROOM];
    size_t len = px_proc_key(owner, key);
    uint64_t then = change != 0 ? change | COUNTED : session->ended + 1;

    px_assert(px_lock_held(&session->lock));
    if (change != 0 && session->ended == 0) {
        px_store_release(&session->ended, 1); /* pairs with px_session_is_stale */
    }
    return px_map_set(&session->fetched, key, len, (void *) (uintptr_t) then);
}

/* Counts only if something was fetched or is being fetched; else nothing can be old, and gets go on
 * without looking at ages. */
void px_session_collected(struct px_session *session)
{
    px_lock_take(&session->lock);
    if (session->fetched.used > 0 || !px_list_empty(&session->fetches)) {
        px_store_release(&session->ended, session->ended + 1); /* pairs with px_session_is_stale */
    }
    px_lock_give(&session->lock);
}

/* Data with a change number are good for one get only: the server is asked each time whether they
 * are still the newest. */
bool px_session_is_stale(struct px_session *session, const char *nspace, pmix_rank_t rank)
{
    uint64_t ended = px_load_acquire(&session->ended); /* pairs with px_session_collected */
    uint64_t then = ended != 0 ? find_fetched(session, nspace, rank) : 0;

    return then != 0 && ((then & COUNTED) != 0 || then <= ended);
}

uint64_t px_session_change(struct px_session *session, const char *nspace, pmix_rank_t rank)
{
    uint64_t then = find_fetched(session, nspace, rank);

    return (then & COUNTED) != 0 ? then & ~COUNTED : 0;
}

/* What a KVAL stream says beside the values. */
struct stream_notes {
    bool whole;         /* PX_KEY_CHANGE is there: the stream has all that the process has put */
    uint64_t change;    /* PX_KEY_CHANGE; 0: none */
    pmix_scope_t scope; /* PX_KEY_SCOPE: of the values that follow */
};

/* Reads a note. False: the entry is a value of the process. */
static bool read_note(const struct px_kval *kval, struct stream_notes *notes)
{
    const pmix_value_t *value = kval->packed;

    if (px_value_key_is(kval->entry.key, PX_KEY_CHANGE) && value->type == PMIX_UINT64) {
        notes->change = value->data.uint64;
        notes->whole = true;
        return true;
    }
    if (px_value_key_is(kval->entry.key, PX_KEY_SCOPE) && value->type == PMIX_SCOPE) {
        notes->scope = value->data.scope;
        return true;
    }
    return false;
}

/* True if this process has put a value under the key and qualifiers of the entry, which is of
 * itself. What the server has of that is never newer. held: our private store, or NULL. */
static bool is_put_here(const struct px_store *held, const struct px_store_entry *entry)
{
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;

    spec.rank = entry->index;
    spec.self = entry->index;
    spec.key = entry->key;
    spec.key_len = strlen(entry->key);
    spec.quals = entry->quals;
    spec.n_quals = entry->n_quals;
    return held != NULL && px_store_get(held, &spec, &slice) == 0 &&
           slice.scope != PMIX_SCOPE_UNDEF;
}

/* The process that a stream is about. */
struct stream_owner {
    const struct px_session *session;
    pmix_rank_t rank;
    bool us;
    const struct px_store *held; /* our private store, if it is us; NULL: it is empty */
};

/* True if the entry is of ourselves, and what we have put or deleted under its key counts. */
static bool is_ours(const struct stream_owner *owner, const struct px_kval *kval)
{
    return owner->us &&
           (is_put_here(owner->held, &kval->entry) ||
            (!px_kval_is_qualified(kval) &&
             px_client_has_deleted(owner->session, owner->held, kval->entry.key, kval->key_len)));
}

/* Reads a KVAL stream to its end into the reader's batch, with the scopes that the stream names. A
 * value without a type is one that we may not see, or not any more. Of our own values only those
 * that we have not put are read, and without a scope, by which our own are told apart. */
static int read_kvals(struct px_kval_reader *reader, const struct stream_owner *owner,
                      struct px_in *in, struct stream_notes *ret)
{
    struct px_kval kval;
    int rc = 0;

    *ret = (struct stream_notes){.scope = PMIX_SCOPE_UNDEF};
    while (rc == 0 && px_in_left(in) > 0) {
        rc = px_kval_reader_next(reader, in, &kval);
        if (rc != 0) {
            return rc;
        }
        set_index(&kval.entry, owner->rank);
        if (read_note(&kval, ret) || is_ours(owner, &kval)) {
            continue;
        }
        kval.entry.scope = owner->us ? PMIX_SCOPE_UNDEF : ret->scope;
        if (ret->scope != PMIX_SCOPE_UNDEF && kval.entry.value->type == PMIX_UNDEF) {
            kval.entry.value = &px_deleted;
            kval.entry.scope = PMIX_REMOTE;
        }
        rc = px_kval_reader_add(reader, &kval);
    }
    return rc;
}

/* Publishes a stream that was read to its end. What is here of the process and not in a whole
 * stream was deleted: it goes with the same publication. Session lock. */
static int publish_stream_locked(struct px_session *session, const pmix_proc_t *owner,
                                 struct px_kval_reader *reader, bool whole)
{
    struct px_lacking lacking = {
        .reader = reader, .rank = owner->rank, .us = px_proc_equal(owner, &session->ctx->self)};
    const struct px_batch *batch;
    struct px_space *space = NULL;
    int rc = open_locked(session, owner->nspace, &space);

    px_assert(px_lock_held(&session->lock));
    px_list_init(&lacking.quals);
    if (rc == 0 && whole) {
        lacking.held = space->private_store;
        rc = px_lacking_add(&lacking);
    }
    batch = rc == 0 ? px_kval_reader_batch(reader) : NULL;
    rc = batch != NULL ? publish_locked(session, space, batch) : rc;
    px_lacking_fini(&lacking);
    return rc;
}

/* Only a complete stream is noted as the age of the process's data. One without a number does not
 * replace one with a number. */
int px_session_store_kvals(struct px_session *session, const pmix_proc_t *owner, struct px_in *in,
                           const char *only)
{
    struct px_kval_reader *reader = px_kval_reader_create(true, only);
    struct stream_owner from = {session, owner->rank, px_proc_equal(owner, &session->ctx->self),
                                NULL};
    struct stream_notes notes;
    bool whole;
    bool tells; /* something of what others have put, or that there is nothing */
    int rc = reader != NULL ? 0 : PMIX_ERR_NOMEM;

    if (rc == 0 && from.us) {
        rc = px_space_private(session, &session->own, &from.held);
    }
    rc = rc == 0 ? read_kvals(reader, &from, in, &notes) : rc;
    whole = rc == 0 && notes.whole && only == NULL;
    tells = rc == 0 && (px_kval_reader_batch(reader) != NULL || (whole && !from.us));
    if (whole || tells) {
        px_lock_take(&session->lock);
        rc = publish_stream_locked(session, owner, reader, whole);
        rc = rc == 0 && tells && only == NULL &&
                     (notes.change != 0 || !is_counted_locked(session, owner))
                 ? note_fetched_locked(session, owner, notes.change)
                 : rc;
        px_lock_give(&session->lock);
    }
    px_kval_reader_destroy(reader);
    return rc;
}

/* Works on a copy of the reader, so that the caller reads the stream from its start. */
bool px_job_info_in_segment(struct px_in in)
{
    char *key = NULL;
    pmix_value_t value;
    bool marked = px_in_left(&in) > 0 && px_unpack_kval(&in, &key, &value) == 0;

    if (marked) {
        PMIx_Value_destruct(&value);
    }
    marked = marked && key != NULL && px_value_key_is(key, PX_KEY_SEGMENT);
    free(key);
    return marked;
}

/* If the store is too small, the whole stream is read again into a larger one. */
int px_session_store_job(struct px_session *session, const char *nspace, struct px_in *in)
{
    struct px_in start = *in;
    struct px_space *space = NULL;
    int rc;

    if (px_job_info_in_segment(*in)) {
        return px_session_segment_came(session, nspace) ? 0 : PMIX_ERR_WOULD_BLOCK;
    }
    px_lock_take(&session->lock);
    rc = open_locked(session, nspace, &space);
    if (rc == 0) {
        do {
            *in = start;
            rc = px_jobinfo_unpack(in, space->private_store, session->hostname);
        } while (rc == PMIX_ERR_OUT_OF_RESOURCE && enlarge_locked(session, space) == 0);
        px_session_changed_locked(session);
    }
    px_lock_give(&session->lock);
    return rc;
}

int px_session_store_blob(struct px_session *session, struct px_in *in, const char *only)
{
    const void *bytes;
    size_t len;
    struct px_in inner;
    pmix_proc_t owner;
    int rc = px_unpack_view(in, &bytes, &len);

    if (rc != 0) {
        return rc;
    }
    if (len == 0) {
        return 0;
    }
    inner = px_in_make(bytes, len, in->kind);
    rc = px_unpack_one(&inner, PMIX_PROC, &owner);
    if (rc != 0) {
        return rc;
    }
    if (owner.rank == PMIX_RANK_WILDCARD) {
        return px_session_store_job(session, owner.nspace, &inner);
    }
    return px_session_store_kvals(session, &owner, &inner, only);
}
