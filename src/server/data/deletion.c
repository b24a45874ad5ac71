/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process's value is in two places: in the store, for the processes of this node, and in the
 * modex log, for those of other nodes. The scope of a deletion names one of them or both. If the
 * value stays in the log, the store keeps a mark that the key exists; if it stays in the store, it
 * is one of the scope PMIX_LOCAL from then on.
 *
 * Clients of this library find out by themselves: in the segment, or because the number of the
 * process's change is another one. Those of OpenPMIx 7 are told, as its servers do. */

#include "deletion.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "nspace.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/server/collectives/modex_log.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/procs.h"
#include "src/wire/codec.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* One key of a commit whose value goes away. Borrows from the message. */
struct px_deletion {
    struct px_kval kval;
    pmix_scope_t scope; /* of all blocks that name the key together */
    pmix_value_t
        value; /* what stays for this node; owned if `owned`, else borrowed from the store */
    bool owned;
};

/* Adds a key, or widens the scope of one that is there: both blocks name what goes everywhere. */
static int note(struct px_deletions *all, const struct px_kval *kval, pmix_scope_t scope)
{
    const char *key = kval->entry.key;
    size_t known = (uintptr_t) px_map_find(&all->names, key, kval->key_len);
    int rc;

    if (known) {
        struct px_deletion *old = &all->at[known - 1];

        old->scope = old->scope == scope ? scope : PMIX_DEL_GLOBAL;
        return PMIX_SUCCESS;
    }
    rc = px_array_room(&all->at, all->n, &all->room, sizeof(*all->at));
    rc = rc ? rc : px_map_set(&all->names, key, kval->key_len, (void *) (uintptr_t) (all->n + 1));
    if (!rc) {
        all->at[all->n++] = (struct px_deletion){.kval = *kval, .scope = scope};
    }
    return rc;
}

int px_deletions_read(struct px_deletions *all, struct px_kval_reader *reader, pmix_scope_t scope,
                      struct px_in *in)
{
    int rc = PMIX_SUCCESS;

    px_assert(px_commit_deletes(scope));
    while (!rc && px_in_left(in)) {
        struct px_kval kval;

        rc = px_kval_reader_next(reader, in, &kval);
        if (!rc && px_kval_is_qualified(&kval)) {
            rc = PMIX_ERR_NOT_SUPPORTED;
        }
        rc = rc ? rc : note(all, &kval, scope);
    }
    return rc;
}

/* Adds an entry under the key of a deletion. */
static int add(struct px_kval_reader *reader, const struct px_kval *of, uint32_t rank,
               pmix_scope_t scope, const pmix_value_t *value)
{
    struct px_kval kval = *of;

    kval.entry.level = PX_LEVEL_PROC;
    kval.entry.index = rank;
    kval.entry.scope = scope;
    kval.entry.value = value;
    return px_kval_reader_add(reader, &kval);
}

/* A value that this node sees: it goes away, or becomes a mark, or one of the scope PMIX_LOCAL. */
static int add_seen(struct px_deletion *one, struct px_kval_reader *reader,
                    const struct px_local_proc *rank, const struct px_slice *slice)
{
    bool leaves_mark = one->scope == PMIX_DEL_LOCAL &&
                       px_modex_log_has(&rank->modex_log, one->kval.entry.key, one->kval.key_len);
    int rc;

    if (slice->scope != PMIX_LOCAL && slice->scope != PMIX_GLOBAL) {
        return PMIX_SUCCESS; /* not by a put */
    }
    if (one->scope != PMIX_DEL_REMOTE) {
        return add(reader, &one->kval, rank->rank, leaves_mark ? PMIX_REMOTE : PMIX_SCOPE_UNDEF,
                   &px_deleted);
    }
    if (slice->scope == PMIX_LOCAL) {
        return PMIX_SUCCESS;
    }
    rc = px_slice_borrow(slice, &one->value, &one->owned);
    return rc ? rc : add(reader, &one->kval, rank->rank, PMIX_LOCAL, &one->value);
}

int px_deletions_add(struct px_deletions *all, struct px_kval_reader *reader,
                     const struct px_local_proc *rank)
{
    struct px_nspace *ns = rank->ns;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < all->n; i++) {
        struct px_deletion *one = &all->at[i];
        const char *key = one->kval.entry.key;
        struct px_slice slice;
        int found =
            px_store_find(ns->store, PX_LEVEL_PROC, rank->rank, key, one->kval.key_len, &slice);

        if (!found) {
            rc = add_seen(one, reader, rank, &slice);
        } else if (found == PMIX_ERR_EXISTS_OUTSIDE_SCOPE && one->scope != PMIX_DEL_LOCAL) {
            rc = add(reader, &one->kval, rank->rank, PMIX_SCOPE_UNDEF, &px_deleted);
        }
    }
    ns->deletes = ns->deletes || all->n;
    return rc;
}

/* Tells clients that keep what they have read, with tag PX_TAG_DELETED: PROC, SCOPE, STRING key.
 * Each may keep data of any namespace that it may have. Not those that find out by themselves or do
 * not know the tag, nor the process itself, which has asked for it. */
static void tell_clients(struct px_server *s, const struct px_nspace *ns, uint32_t rank,
                         pmix_scope_t scope, const char *key)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, ns->name, rank);
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        struct px_buf buf = {0};

        if (peer->ours || peer->finalized || peer->version_major < 7 ||
            px_proc_equal(&peer->proc, &proc) || !px_access_data(s, peer, ns)) {
            continue;
        }
        (void) px_pack(&buf, peer->kind, PMIX_PROC, &proc, 1);
        (void) px_pack(&buf, peer->kind, PMIX_SCOPE, &scope, 1);
        (void) px_pack_string(&buf, peer->kind, key);
        px_peer_send(peer, PX_TAG_DELETED, &buf, -1);
    }
}

/* Counts a deletion, before the log does it: a value that stays for this node is not counted by the
 * log any more. */
static void count_deletion(struct px_local_proc *rank, const struct px_deletion *one)
{
    const char *key = one->kval.entry.key;
    size_t len = one->kval.key_len;
    size_t logged = px_modex_log_size(&rank->modex_log, key, len);

    if (one->scope != PMIX_DEL_REMOTE) {
        px_posted_not_here(rank, key, len);
    } else if (one->value.type != PMIX_UNDEF && logged) {
        px_posted_here(rank, key, len, logged - px_modex_log_cost(len, 0));
    }
}

/* The value stays in the log if it was deleted for this node only. */
int px_deletions_log(struct px_server *s, const struct px_deletions *all,
                     struct px_local_proc *rank)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < all->n; i++) {
        const struct px_deletion *one = &all->at[i];

        count_deletion(rank, one);
        if (one->scope != PMIX_DEL_LOCAL) {
            rc = px_modex_log_delete(&rank->modex_log, one->kval.entry.key, one->kval.key_len,
                                     &s->commit_number);
        }
        tell_clients(s, rank->ns, rank->rank, one->scope, one->kval.entry.key);
    }
    return rc;
}

void px_deletions_fini(struct px_deletions *all)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i].owned) {
            PMIx_Value_destruct(&all->at[i].value);
        }
    }
    free(all->at);
    px_map_fini(&all->names);
    *all = (struct px_deletions){0};
}

/* --- of other nodes --- */

/* As OpenPMIx 7 says it: a value without a type. */
bool px_kval_deletes(const struct px_kval *kval)
{
    return !px_kval_is_qualified(kval) && kval->packed->type == PMIX_UNDEF;
}

/* What the host has registered has no scope, and stays. */
int px_deletion_add_remote(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                           uint32_t rank, const struct px_kval *kval)
{
    struct px_slice slice;

    ns->deletes = true;
    if (px_store_find(ns->store, PX_LEVEL_PROC, rank, kval->entry.key, kval->key_len, &slice) ||
        slice.scope == PMIX_SCOPE_UNDEF) {
        return PMIX_SUCCESS;
    }
    tell_clients(s, ns, rank, PMIX_DEL_REMOTE, kval->entry.key);
    return add(reader, kval, rank, PMIX_SCOPE_UNDEF, &px_deleted);
}

int px_deletion_add_missing(struct px_server *s, struct px_kval_reader *reader,
                            struct px_nspace *ns, uint32_t rank, const char *key)
{
    struct px_kval kval = {.entry.key = key, .key_len = strlen(key)};

    return px_deletion_add_remote(s, reader, ns, rank, &kval);
}
