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

#include "gds/batch.h"
#include "gds/kval_reader.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "commit_items.h"
#include "nspace.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/seed.h"
#include "src/server/collectives/modex_log.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/procs.h"
#include "src/wire/codec.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* One key of a commit whose value goes away. There may be very many, so it is small. The key is
 * borrowed from the message. */
struct px_deletion {
    const char *key;
    uint32_t key_len;
    uint32_t hash;
    pmix_scope_t scope; /* of all blocks that name the key together */
};

/* What stays for this node of a value that is deleted in the piece under way. */
struct px_deletion_rest {
    pmix_value_t value; /* owned if `owned`, else borrowed from the store */
    bool owned;
};

/* What a deletion counts: arrays that grow have twice the room, and four slots are half empty. */
enum { FIRST_SLOTS = 16, COST = 2 * sizeof(struct px_deletion) + 4 * sizeof(uint32_t) };

/* The slot of a key: that has its number, or is empty. */
static uint32_t *slot_of(const struct px_deletions *all, uint32_t hash, const char *key,
                         size_t key_len)
{
    size_t i = hash & (all->n_slots - 1);

    for (; all->slots[i]; i = (i + 1) & (all->n_slots - 1)) {
        const struct px_deletion *one = &all->at[all->slots[i] - 1];

        if (one->hash == hash && one->key_len == key_len && memcmp(one->key, key, key_len) == 0) {
            break;
        }
    }
    return &all->slots[i];
}

/* Makes sure that one more key leaves half of the slots empty. 0 or PMIX_ERR_NOMEM. */
static int make_slot(struct px_deletions *all)
{
    size_t n_slots = all->n_slots ? all->n_slots * 2 : FIRST_SLOTS;
    uint32_t *slots;

    if ((all->n + 1) * 2 <= all->n_slots) {
        return PMIX_SUCCESS;
    }
    slots = calloc(n_slots, sizeof(*slots));
    if (!slots) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t nth = 0; nth < all->n; nth++) {
        size_t i = all->at[nth].hash & (n_slots - 1);

        while (slots[i]) {
            i = (i + 1) & (n_slots - 1);
        }
        slots[i] = (uint32_t) (nth + 1);
    }
    free(all->slots);
    all->slots = slots;
    all->n_slots = n_slots;
    return PMIX_SUCCESS;
}

/* Adds a key, or widens the scope of one that is there: both blocks name what goes everywhere. */
static int note(struct px_deletions *all, const char *key, size_t key_len, pmix_scope_t scope)
{
    uint32_t hash = (uint32_t) px_seeded_hash(key, key_len);
    int rc = make_slot(all);
    uint32_t *slot = rc ? NULL : slot_of(all, hash, key, key_len);

    if (slot && *slot) {
        struct px_deletion *old = &all->at[*slot - 1];

        old->scope = old->scope == scope ? scope : PMIX_DEL_GLOBAL;
        return PMIX_SUCCESS;
    }
    rc = rc ? rc : px_array_room(&all->at, all->n, &all->room, sizeof(*all->at));
    if (!rc) {
        all->at[all->n++] = (struct px_deletion){key, (uint32_t) key_len, hash, scope};
        *slot = (uint32_t) all->n;
        all->bytes += COST;
    }
    return rc;
}

/* True if the process has a value under the key, for anybody. */
static bool has_value(const struct px_local_proc *rank, const char *key, size_t key_len)
{
    struct px_slice slice;
    int rc = px_store_find(rank->ns->store, PX_LEVEL_PROC, rank->rank, key, key_len, &slice);

    return !rc || rc == PMIX_ERR_EXISTS_OUTSIDE_SCOPE ||
           px_modex_log_has(&rank->modex_log, key, key_len);
}

int px_deletions_read(struct px_deletions *all, struct px_kval_reader *reader,
                      const struct px_local_proc *rank, pmix_scope_t scope, struct px_in *in)
{
    struct px_kval kval;
    int rc = px_kval_reader_next(reader, in, &kval);

    px_assert(px_commit_deletes(scope));
    if (!rc && px_kval_is_qualified(&kval)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    if (!rc && has_value(rank, kval.entry.key, kval.key_len)) {
        rc = note(all, kval.entry.key, kval.key_len, scope);
    }
    return rc;
}

/* Adds an entry under a key. */
static int add(struct px_kval_reader *reader, const char *key, size_t key_len, uint32_t rank,
               pmix_scope_t scope, const pmix_value_t *value)
{
    struct px_kval kval = {
        .key_len = key_len,
        .entry = {
            .level = PX_LEVEL_PROC, .index = rank, .key = key, .scope = scope, .value = value}};

    return px_kval_reader_add(reader, &kval);
}

/* A value that this node sees: it goes away, or becomes a mark, or one of the scope PMIX_LOCAL. */
static int add_seen(const struct px_deletion *one, struct px_deletion_rest *rest,
                    struct px_kval_reader *reader, const struct px_local_proc *rank,
                    const struct px_slice *slice)
{
    bool leaves_mark =
        one->scope == PMIX_DEL_LOCAL && px_modex_log_has(&rank->modex_log, one->key, one->key_len);
    int rc;

    if (slice->scope != PMIX_LOCAL && slice->scope != PMIX_GLOBAL) {
        return PMIX_SUCCESS; /* not by a put */
    }
    if (one->scope != PMIX_DEL_REMOTE) {
        return add(reader, one->key, one->key_len, rank->rank,
                   leaves_mark ? PMIX_REMOTE : PMIX_SCOPE_UNDEF, &px_deleted);
    }
    if (slice->scope == PMIX_LOCAL) {
        return PMIX_SUCCESS;
    }
    rc = px_slice_borrow(slice, &rest->value, &rest->owned);
    return rc ? rc : add(reader, one->key, one->key_len, rank->rank, PMIX_LOCAL, &rest->value);
}

/* The bytes that a deletion copies: those of a value that stays for this node. */
static size_t copied(const struct px_deletion *one, const struct px_slice *slice)
{
    return one->scope == PMIX_DEL_REMOTE ? slice->len : 0;
}

/* Frees what deletions have while their piece is under way. */
static void end_piece(struct px_deletions *all)
{
    for (size_t i = all->n_done; all->rests && i < all->n_piece; i++) {
        struct px_deletion_rest *rest = &all->rests[i - all->n_done];

        if (rest->owned) {
            PMIx_Value_destruct(&rest->value);
        }
    }
    free(all->rests);
    all->rests = NULL;
}

/* Makes room for what stays of those up to `end`. 0 or PMIX_ERR_NOMEM. */
static int begin_piece(struct px_deletions *all, size_t end)
{
    end_piece(all);
    all->n_piece = all->n_done;
    all->rests = end > all->n_done ? calloc(end - all->n_done, sizeof(*all->rests)) : NULL;
    return all->rests || end == all->n_done ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

int px_deletions_add(struct px_deletions *all, size_t most, size_t most_bytes,
                     struct px_kval_reader *reader, const struct px_local_proc *rank)
{
    struct px_nspace *ns = rank->ns;
    size_t end = most < all->n - all->n_done ? all->n_done + most : all->n;
    size_t bytes = 0;
    int rc = begin_piece(all, end);

    ns->deletes = ns->deletes || all->n;
    for (all->n_piece = all->n_done; !rc && all->n_piece < end && bytes <= most_bytes;
         all->n_piece++) {
        const struct px_deletion *one = &all->at[all->n_piece];
        struct px_slice slice;
        int found =
            px_store_find(ns->store, PX_LEVEL_PROC, rank->rank, one->key, one->key_len, &slice);

        if (!found) {
            bytes += copied(one, &slice);
            rc = add_seen(one, &all->rests[all->n_piece - all->n_done], reader, rank, &slice);
        } else if (found == PMIX_ERR_EXISTS_OUTSIDE_SCOPE && one->scope != PMIX_DEL_LOCAL) {
            rc = add(reader, one->key, one->key_len, rank->rank, PMIX_SCOPE_UNDEF, &px_deleted);
        }
    }
    return rc;
}

/* True if the peer keeps what it has read of the namespace, and has to be told. Each may keep data
 * of any namespace that it may have. Not those that find out by themselves or do not know the
 * tag. */
static bool is_told(struct px_server *s, const struct px_peer *peer, const struct px_nspace *ns)
{
    return !peer->ours && !peer->finalized && peer->version_major >= 7 &&
           px_access_data(s, peer, ns);
}

/* Tells it, with tag PX_TAG_DELETED: PROC, SCOPE, STRING key. The process itself has asked for it,
 * and is not told. */
static void tell(struct px_peer *peer, const pmix_proc_t *proc, pmix_scope_t scope, const char *key)
{
    struct px_buf buf = {0};

    if (px_proc_equal(&peer->proc, proc)) {
        return;
    }
    (void) px_pack(&buf, peer->kind, PMIX_PROC, proc, 1);
    (void) px_pack(&buf, peer->kind, PMIX_SCOPE, &scope, 1);
    (void) px_pack_string(&buf, peer->kind, key);
    px_peer_send(peer, PX_TAG_DELETED, &buf, -1);
}

/* Tells the clients of the deletions of a piece: one walk over the peers for all of them. */
static void tell_of_piece(struct px_server *s, const struct px_deletions *all,
                          const struct px_local_proc *rank)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, rank->ns->name, rank->rank);
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        bool told = is_told(s, peer, rank->ns);

        for (size_t i = all->n_done; told && i < all->n_piece; i++) {
            tell(peer, &proc, all->at[i].scope, all->at[i].key);
        }
    }
}

/* Counts a deletion, before the log does it: a value that stays for this node is not counted by the
 * log any more. */
static void count_deletion(struct px_local_proc *rank, const struct px_deletion *one, bool stays)
{
    size_t logged = px_modex_log_size(&rank->modex_log, one->key, one->key_len);

    if (one->scope != PMIX_DEL_REMOTE) {
        px_posted_not_here(rank, one->key, one->key_len);
    } else if (stays && logged) {
        px_posted_here(rank, one->key, one->key_len, logged - px_modex_log_cost(one->key_len, 0));
    }
}

/* The value stays in the log if it was deleted for this node only. */
int px_deletions_log(struct px_server *s, struct px_deletions *all, struct px_local_proc *rank)
{
    int rc = PMIX_SUCCESS;

    tell_of_piece(s, all, rank);
    for (size_t i = all->n_done; !rc && i < all->n_piece; i++) {
        const struct px_deletion *one = &all->at[i];

        count_deletion(rank, one, all->rests[i - all->n_done].value.type != PMIX_UNDEF);
        if (one->scope != PMIX_DEL_LOCAL) {
            rc = px_modex_log_delete(&rank->modex_log, one->key, one->key_len, &s->commit_number);
        }
    }
    end_piece(all);
    all->n_done = all->n_piece;
    return rc;
}

void px_deletions_fini(struct px_deletions *all)
{
    end_piece(all);
    free(all->at);
    free(all->slots);
    *all = (struct px_deletions){0};
}

/* --- of other nodes --- */

/* As OpenPMIx 7 says it: a value without a type. */
bool px_kval_deletes(const struct px_kval *kval)
{
    return !px_kval_is_qualified(kval) && kval->packed->type == PMIX_UNDEF;
}

/* What the host has registered has no scope, and stays. */
int px_deletion_add_remote(struct px_kval_reader *reader, struct px_nspace *ns, uint32_t rank,
                           const struct px_kval *kval)
{
    struct px_slice slice;

    ns->deletes = true;
    if (px_store_find(ns->store, PX_LEVEL_PROC, rank, kval->entry.key, kval->key_len, &slice) ||
        slice.scope == PMIX_SCOPE_UNDEF) {
        return PMIX_SUCCESS;
    }
    return add(reader, kval->entry.key, kval->key_len, rank, PMIX_SCOPE_UNDEF, &px_deleted);
}

int px_deletion_add_missing(struct px_kval_reader *reader, struct px_nspace *ns, uint32_t rank,
                            const char *key)
{
    struct px_kval kval = {.entry.key = key, .key_len = strlen(key)};

    return px_deletion_add_remote(reader, ns, rank, &kval);
}

/* Deletions that the clients are told of in one walk over the peers. Keys are borrowed. */
enum { TOLD_AT_ONCE = 256 };
struct gone {
    size_t n;
    struct {
        uint32_t rank;
        const char *key;
    } at[TOLD_AT_ONCE];
};

/* Tells the clients of them, and empties the list. */
static void tell_of_gone(struct px_server *s, const struct px_nspace *ns, struct gone *gone)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, ns->name, PMIX_RANK_INVALID);
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        bool told = is_told(s, peer, ns);

        for (size_t i = 0; told && i < gone->n; i++) {
            proc.rank = gone->at[i].rank;
            tell(peer, &proc, PMIX_DEL_REMOTE, gone->at[i].key);
        }
    }
    gone->n = 0;
}

void px_deletions_tell(struct px_server *s, const struct px_nspace *ns,
                       const struct px_batch *batch)
{
    struct gone gone = {.n = 0};

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; ns->deletes && i < batch->n_keys; i++) {
        const struct px_batch_key *key = &batch->keys[i];

        for (size_t j = 0; j < key->n_procs; j++) {
            if (key->procs[j].kind != PX_DATUM_GONE) {
                continue;
            }
            if (gone.n == TOLD_AT_ONCE) {
                tell_of_gone(s, ns, &gone);
            }
            gone.at[gone.n].rank = key->procs[j].rank;
            gone.at[gone.n++].key = key->name;
        }
    }
    if (gone.n) {
        tell_of_gone(s, ns, &gone);
    }
}
