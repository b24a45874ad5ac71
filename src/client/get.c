/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get in the caller's thread. On the way to a value that is here there is no lock, no system
 * call, no message and no allocation but that of the result. Everything unusual is kept out of
 * line. */

#include "get.h"

#include <stdlib.h>
#include <string.h>

#include "glance.h"
#include "ops.h"
#include "src/base/epoch.h"
#include "src/wire/compress.h"

#define rare(e) __builtin_expect((e), 0)

struct places {
    const struct px_store *first; /* or NULL */
    const struct px_store *second;
};

/* 0, PMIX_ERR_NOMEM: what was posted last is in neither. */
static inline int places_of(struct px_session *session, pmix_rank_t rank, const char *key,
                            bool own_first, struct places *ret)
{
    const struct px_store *own;
    const struct px_store *shared = px_session_shared(session);
    int rc = px_session_own(session, &own);

    if (NULL != own && (own_first || px_client_own_goes_first(session, rank, key))) {
        *ret = (struct places){own, shared};
    } else {
        *ret = (struct places){shared, own};
    }
    return rc;
}

/* The same for another namespace: its segment, and what came by message. */
static struct places foreign_places(const struct px_session *session, const struct px_want *want,
                                    bool own_first)
{
    const struct px_foreign *foreign =
        px_session_find_foreign(session, want->nspace, want->nspace_len);
    const struct px_store *shared;
    const struct px_store *own;

    if (NULL == foreign) {
        return (struct places){NULL, NULL};
    }
    shared = px_foreign_shared(foreign);
    own = px_foreign_own(foreign);
    /* pairs with px_client_store_internal */
    if (NULL == shared || own_first || rare(px_load_acquire(&session->internal) != 0)) {
        return (struct places){own, shared};
    }
    return (struct places){shared, own};
}

static inline int places_for(struct px_session *session, const struct px_want *want, bool own_first,
                             struct places *ret)
{
    if ((want->flags & PX_WANT_OWN) != 0) {
        return places_of(session, want->ask.rank, want->ask.key, own_first, ret);
    }
    *ret = foreign_places(session, want, own_first);
    return 0;
}

int px_client_places(struct px_session *session, const struct px_want *want,
                     const struct px_store **ret_first, const struct px_store **ret_second)
{
    struct places at;
    int rc = places_for(session, want, false, &at);

    *ret_first = at.first;
    *ret_second = at.second;
    return rc;
}

/* Of the namespace that is meant, or NULL. */
static const struct px_store *segment_of(struct px_session *session, const struct px_want *want)
{
    const struct px_foreign *foreign;

    if ((want->flags & PX_WANT_OWN) != 0) {
        return px_session_shared(session);
    }
    foreign = px_session_find_foreign(session, want->nspace, want->nspace_len);
    return NULL != foreign ? px_foreign_shared(foreign) : NULL;
}

bool px_client_is_published(struct px_session *session, const struct px_want *want)
{
    const struct px_store *segment = segment_of(session, want);
    struct px_slice slice;

    return NULL != segment && !px_store_is_over(segment) &&
           px_store_ask(segment, &want->ask, &slice) == 0;
}

int px_client_find(struct px_session *session, const struct px_want *want, bool own_first,
                   struct px_slice *ret)
{
    struct places at;
    int lacking = places_for(session, want, own_first, &at);
    int rc = PMIX_ERR_NOT_FOUND;
    int other;

    if (NULL != at.first) {
        rc = px_store_ask(at.first, &want->ask, ret);
    }
    if (0 != rc && NULL != at.second) {
        other = px_store_ask(at.second, &want->ask, ret);
        rc = (PMIX_ERR_NOT_FOUND == other && PMIX_ERR_EXISTS_OUTSIDE_SCOPE == rc) ? rc : other;
    }
    return PMIX_ERR_NOT_FOUND == rc && 0 != lacking ? lacking : rc;
}

/* A compressed string is handed out as what it was. */
static __attribute__((noinline)) int hand_out_unpressed(struct px_session *session,
                                                        const struct px_want *want,
                                                        const struct px_slice *slice,
                                                        pmix_value_t **value)
{
    pmix_value_t *made;
    pmix_proc_t owner;
    int rc = px_slice_value(slice, &made);

    if (0 != rc) {
        return rc;
    }
    rc = px_inflate_value(made);
    if (0 != rc) {
        PMIx_Value_free(made, 1);
        return rc;
    }
    if ((want->flags & PX_WANT_POINTER) != 0) {
        PMIx_Load_procid(&owner, want->nspace, want->ask.rank);
        made = px_session_keep(session, &owner, want->ask.key, made);
        if (NULL == made) {
            return PMIX_ERR_NOMEM;
        }
    }
    if ((want->flags & PX_WANT_STATIC) == 0) {
        *value = made;
        return 0;
    }
    **value = *made;
    free(made);
    return 0;
}

int px_client_hand_out(struct px_session *session, const struct px_want *want,
                       const struct px_slice *slice, pmix_value_t **value)
{
    const pmix_value_t *borrowed;
    int rc;

    if (rare(slice->type == PMIX_COMPRESSED_STRING)) {
        return hand_out_unpressed(session, want, slice, value);
    }
    if ((want->flags & (PX_WANT_POINTER | PX_WANT_STATIC)) == 0) {
        return px_slice_value(slice, value);
    }
    if ((want->flags & PX_WANT_STATIC) != 0) {
        return px_slice_fill(slice, *value);
    }
    rc = px_slice_pointer(slice, &borrowed);
    if (0 == rc) {
        *value = (pmix_value_t *) (uintptr_t) borrowed;
    }
    return rc;
}

static const pmix_value_t *find_native(struct px_session *session, const struct px_want *want)
{
    struct px_native *at = px_load_ptr_acquire(&session->natives); /* pairs with store_native */

    for (; NULL != at; at = at->next) {
        if (at->proc.rank == want->ask.rank && strcmp(at->key, want->ask.key) == 0
            && strncmp(at->proc.nspace, want->nspace, PMIX_MAX_NSLEN) == 0) {
            return &at->value;
        }
    }
    return NULL;
}

int px_client_known(struct px_session *session, const struct px_want *want, pmix_value_t **value)
{
    const pmix_value_t *known =
        px_key_reserved(want->ask.key) ? px_fact_find(session, want) : NULL;
    pmix_value_t *to;
    int rc;

    known = NULL != known ? known : find_native(session, want);
    if (NULL == known) {
        return PMIX_ERR_NOT_FOUND;
    }
    if ((want->flags & PX_WANT_POINTER) != 0) {
        *value = (pmix_value_t *) (uintptr_t) known;
        return 0;
    }
    to = (want->flags & PX_WANT_STATIC) != 0 ? *value : PMIx_Value_create(1);
    rc = NULL != to ? PMIx_Value_xfer(to, known) : PMIX_ERR_NOMEM;
    if (0 == rc) {
        *value = to;
    } else if ((want->flags & PX_WANT_STATIC) == 0 && NULL != to) {
        PMIx_Value_free(to, 1);
    }
    return rc;
}

int px_client_miss(struct px_session *session, const struct px_want *want, int found)
{
    const struct px_store *shared = segment_of(session, want);
    bool own = (want->flags & PX_WANT_OWN) != 0;
    bool complete;
    bool hosts;

    if (PMIX_ERR_EXISTS_OUTSIDE_SCOPE == found) {
        return found;
    }
    if ((want->flags & PX_WANT_OPTIONAL) != 0) {
        return PMIX_ERR_NOT_FOUND;
    }
    /* The host's keys of a job are all in its segment, those of our own here from the start; an old
     * generation does not know what has come since. */
    complete = NULL == shared ? own
                              : (px_store_flags(shared) & PX_STORE_JOB_COMPLETE) != 0 &&
                                    !(own ? px_store_superseded(shared) : px_store_is_over(shared));
    hosts = px_key_hosts(want->ask.key) && !px_key_asked(want->ask.key);
    if (complete && hosts) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (NULL == px_session_server(session)) {
        /* Reads of what is here go on; what is not here never will be. */
        return px_session_is_served(session) ? PMIX_ERR_LOST_CONNECTION : PMIX_ERR_NOT_FOUND;
    }
    return PMIX_ERR_WOULD_BLOCK;
}

static pmix_status_t get_unusual(struct px_session *session, struct px_want *want, int found,
                                 pmix_value_t **value)
{
    int rc = px_client_known(session, want, value);

    want->from = NULL;
    if (PMIX_ERR_NOT_FOUND == rc) {
        rc = px_client_miss(session, want, found);
    }
    px_want_fini(want);
    return rc;
}

/* Were the data of this process fetched before a collective that has ended, and is there somebody
 * to ask? To be known before they are looked up: they may become fresh at any time. */
static bool is_stale(struct px_session *session, const struct px_want *want)
{
    return (want->flags & PX_WANT_OPTIONAL) == 0 && !px_key_hosts(want->ask.key) &&
           px_session_is_stale(session, want->nspace, want->ask.rank) &&
           NULL != px_session_server(session);
}

/* What most reads with directives want, without a slice. True when *ret is the answer: 0 with the
 * value, or that nobody has such a key. */
static bool look(struct px_session *session, struct px_want *want, pmix_value_t **value, int *ret)
{
    enum px_manner manner = (want->flags & PX_WANT_STATIC) != 0    ? PX_MANNER_FILL
                            : (want->flags & PX_WANT_POINTER) != 0 ? PX_MANNER_POINTER
                                                                   : PX_MANNER_COPY;
    enum px_look seen = PX_LOOK_NO_KEY;
    /* What was fetched of others may have to be fetched again: is_stale. */
    /* pairs with px_session_collected */
    bool ends = rare(px_load_acquire(&session->ended) != 0);
    bool stale =
        ends && ((want->flags & PX_WANT_OWN) == 0 || want->ask.rank != session->ctx->self.rank);
    struct places at;

    if ((want->flags & PX_WANT_MORE) != 0 || session->report_fd >= 0 ||
        places_for(session, want, false, &at) != 0) {
        return false;
    }
    if (stale && NULL != at.first && !at.first->seg.shared) {
        return false;
    }
    if (NULL != at.first) {
        seen = px_store_look(at.first, &want->ask, manner, value);
        want->from = at.first;
    }
    if (PX_LOOK_NO_KEY == seen && NULL != at.second) {
        seen = stale ? PX_LOOK_UNSURE : px_store_look(at.second, &want->ask, manner, value);
        want->from = at.second;
    }
    *ret = PX_LOOK_DONE == seen ? 0 : PMIX_ERR_NOT_FOUND;
    return PX_LOOK_UNSURE != seen;
}

/* Is a value that came by message wanted by its scope, which messages do not tell? The server knows
 * it. */
static bool is_unscoped(struct px_session *session, const struct px_want *want,
                        const struct px_slice *slice)
{
    return want->ask.scope != PMIX_SCOPE_UNDEF && slice->scope == PMIX_SCOPE_UNDEF &&
           !slice->store->seg.shared && !px_key_hosts(want->ask.key) &&
           (want->flags & PX_WANT_OPTIONAL) == 0 && NULL != px_session_server(session);
}

void px_client_look_for_next(struct px_session *session)
{
    const struct px_store *shared = px_session_shared(session);

    if (NULL != shared && rare(px_store_superseded(shared))) {
        px_session_catch_up(session);
    }
}

static void look_for_others(struct px_session *session, const struct px_want *want)
{
    struct px_foreign *foreign = px_session_find_foreign(session, want->nspace, want->nspace_len);
    const struct px_store *shared = NULL != foreign ? px_foreign_shared(foreign) : NULL;

    if (NULL != shared && rare(px_store_is_over(shared))) {
        px_foreign_catch_up(session, foreign);
    }
}

static pmix_status_t get(struct px_session *session, struct px_want *want, pmix_value_t **value)
{
    struct px_slice slice;
    bool stale;
    int rc;

    if (look(session, want, value, &rc)) {
        want->absent = 0 != rc;
        return 0 == rc ? 0 : get_unusual(session, want, rc, value);
    }
    /* pairs with px_session_collected */
    stale = rare(px_load_acquire(&session->ended) != 0) && is_stale(session, want);
    rc = px_client_find(session, want, false, &slice);
    if (0 != rc) {
        return get_unusual(session, want, rc, value);
    }
    /* Not what the server publishes for all, nor what the application has put there. */
    if ((rare(stale) && !slice.store->seg.shared && slice.scope != PMIX_INTERNAL) ||
        rare(is_unscoped(session, want, &slice))) {
        px_want_fini(want);
        return PMIX_ERR_WOULD_BLOCK;
    }
    if (rare(session->report_fd >= 0)) {
        (void) px_fetch_add(&session->n_reads, 1);
    }
    rc = px_client_hand_out(session, want, &slice, value);
    want->from = slice.store;
    px_want_fini(want);
    return rc;
}

/* Nothing but a key and a process of our own namespace. */
static bool is_plain(const struct px_want *want)
{
    const unsigned manners =
        PX_WANT_OPTIONAL | PX_WANT_IMMEDIATE | PX_WANT_POINTER | PX_WANT_STATIC;

    return (want->flags & ~manners) == PX_WANT_OWN && want->ask.realm == PX_REALM_NONE &&
           NULL == want->ask.hostname && want->ask.nodeid == PX_NO_NODEID;
}

static inline void note(struct px_session *session, const struct px_want *want,
                        const struct px_moment *then, int rc, pmix_value_t *const *value)
{
    if (NULL == then->first || !is_plain(want)) {
        return;
    }
    if (0 == rc && NULL != want->from) {
        px_client_note(session, then, want->from, want->ask.rank, want->ask.key, *value,
                       (want->flags & PX_WANT_POINTER) != 0);
    } else if (PMIX_ERR_NOT_FOUND == rc && want->absent) {
        px_client_note_absent(then, want->ask.rank, want->ask.key);
    }
}

static int stop_at_posted(void *arg, const char *key, const struct px_slice *slice)
{
    (void) arg;
    (void) key;
    return slice->scope != PMIX_SCOPE_UNDEF;
}

/* Is there anything here that the process has posted? */
static bool has_posted(const struct px_store *store, pmix_rank_t rank)
{
    return NULL != store && px_store_each(store, PX_LEVEL_PROC, rank, stop_at_posted, NULL) != 0;
}

/* Must the server be asked before everything of a process is given? */
static bool asks_all(struct px_session *session, const struct px_want *want)
{
    bool us = (want->flags & PX_WANT_OWN) != 0 && want->ask.rank == session->ctx->self.rank;
    const struct px_store *first;
    const struct px_store *second;

    if (us || (want->flags & PX_WANT_OPTIONAL) != 0 || NULL == px_session_server(session) ||
        0 != px_client_places(session, want, &first, &second)) {
        return false;
    }
    if (has_posted(first, want->ask.rank) || has_posted(second, want->ask.rank)) {
        return px_session_is_stale(session, want->nspace, want->ask.rank);
    }
    /* A segment has what there is of its own node. */
    return NULL == first || !first->seg.shared ||
           px_client_is_far(session, want->nspace, want->ask.rank);
}

static pmix_status_t get_all(struct px_session *session, const struct px_want *want,
                             pmix_value_t **value)
{
    int rc = PMIX_ERR_BAD_PARAM; /* of one process only */

    if (want->ask.rank <= PMIX_RANK_VALID) {
        px_reader_enter();
        rc = asks_all(session, want) ? PMIX_ERR_WOULD_BLOCK
                                     : px_client_get_all(session, want, value);
        px_reader_leave();
    }
    return rc;
}

pmix_status_t px_client_get(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_info_t *info, size_t ninfo, pmix_value_t **value)
{
    struct px_session *session = px_session(ctx);
    struct px_moment now;
    struct px_want want;
    int rc = px_want_read(session, proc, NULL != key ? key : PX_NO_KEY, info, ninfo, &want);

    if (0 == rc && (NULL == value || ((want.flags & PX_WANT_STATIC) != 0 && NULL == *value))) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (0 == rc && (want.flags & (PX_WANT_REFRESH | PX_WANT_OPTIONAL)) == PX_WANT_REFRESH &&
        px_session_is_served(session)) {
        rc = PMIX_ERR_WOULD_BLOCK;
    }
    if (0 == rc && NULL == key) {
        rc = get_all(session, &want, value);
    }
    if (0 != rc || NULL == key) {
        px_want_fini(&want);
        return rc;
    }
    px_reader_enter();
    px_moment_now(session, &now);
    rc = get(session, &want, value);
    note(session, &want, &now, rc, value);
    px_client_look_for_next(session);
    if ((want.flags & PX_WANT_OWN) == 0) {
        look_for_others(session, &want);
    }
    px_reader_leave();
    return rc;
}
