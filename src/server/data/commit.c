/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What processes posted, into the store. A client sends two buffers: what processes of this node
 * may see, and what others may; a key in both is global. Readers of the store are of this node, so
 * a key that is only in the second is stored as "there, but not for you". The second buffer is kept
 * as it is for fences and for servers that ask.
 *
 * Data of other nodes comes as the second kind of buffer and is visible here. */

#include "commit.h"

#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "src/server/state.h"
#include "modex.h"
#include "server_get.h"
#include "src/server/peers/dispatch.h"
#include "nspace.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

/* Values that stay where they are: the batch borrows them. */
enum { CHUNK = 256 };

struct chunk {
    struct chunk *next;
    size_t n;
    pmix_value_t values[CHUNK];
};

/* Most processes post under the same few names, each of which the batch is asked for once. */
enum { N_NAMES = 32 };

struct name {
    const char *text; /* borrowed; NULL: none yet */
    size_t len;
    uint32_t key; /* of the batch */
};

struct px_commit_reader {
    const struct px_nspace *ns;
    const char *only; /* or NULL: every key is taken */
    struct px_batch *batch;
    struct chunk *owned;
    struct chunk *borrowed;     /* their strings and bytes lie in the input */
    struct name names[N_NAMES]; /* by length and last character */
};

struct px_commit_reader *px_commit_reader_create(const struct px_nspace *ns)
{
    struct px_commit_reader *posted = calloc(1, sizeof(*posted));

    if (posted) {
        posted->ns = ns;
        posted->batch = px_batch_create();
    }
    if (posted && !posted->batch) {
        free(posted);
        return NULL;
    }
    return posted;
}

void px_commit_reader_only(struct px_commit_reader *posted, const char *key)
{
    posted->only = key;
}

static void free_chunks(struct chunk *chunk, bool owned)
{
    while (chunk) {
        struct chunk *next = chunk->next;

        for (size_t i = 0; owned && i < chunk->n; i++) {
            PMIx_Value_destruct(&chunk->values[i]);
        }
        free(chunk);
        chunk = next;
    }
}

void px_commit_reader_destroy(struct px_commit_reader *posted)
{
    if (posted) {
        px_batch_destroy(posted->batch);
        free_chunks(posted->owned, true);
        free_chunks(posted->borrowed, false);
        px_store_compact(posted->ns->store); /* nothing is borrowed from it any more */
        free(posted);
    }
}

static void drop_value(struct px_kval_view *kval)
{
    if (kval->owned) {
        PMIx_Value_destruct(&kval->value);
    }
}

/* Takes over the value; NULL, with the value as it was, when memory is out. */
static const pmix_value_t *keep_value(struct px_commit_reader *posted,
                                      const struct px_kval_view *kval)
{
    struct chunk **chunks = kval->owned ? &posted->owned : &posted->borrowed;
    struct chunk *chunk = *chunks;

    if (!chunk || chunk->n == CHUNK) {
        chunk = malloc(sizeof(*chunk));
        if (!chunk) {
            return NULL;
        }
        chunk->next = *chunks;
        chunk->n = 0;
        *chunks = chunk;
    }
    chunk->values[chunk->n] = kval->value;
    return &chunk->values[chunk->n++];
}

/* Adds an entry whose key is so long. */
static int add_entry(struct px_commit_reader *posted, const struct px_store_entry *entry,
                     size_t key_len)
{
    struct name *name;
    int rc;

    if (entry->n_quals || entry->index > PMIX_RANK_VALID || !key_len) {
        return px_batch_add(posted->batch, entry);
    }
    name = &posted->names[(key_len ^ (unsigned char) entry->key[key_len - 1]) % N_NAMES];
    if (!name->text || name->len != key_len || memcmp(name->text, entry->key, key_len) != 0) {
        rc = px_batch_key(posted->batch, entry->key, &name->key);
        if (rc) {
            return rc;
        }
        name->text = entry->key;
        name->len = key_len;
    }
    return px_batch_add_proc(posted->batch, name->key, entry->index, entry->scope, entry->value);
}

/* A qualified value: the first element is key and value, the rest its qualifiers. */
static int unfold_qualified(const pmix_value_t *value, struct px_store_entry *entry)
{
    const pmix_data_array_t *array = value->data.darray;
    const pmix_info_t *info;

    if (value->type != PMIX_DATA_ARRAY || !array || array->type != PMIX_INFO || !array->size ||
        !array->array) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    info = array->array;
    entry->key = info[0].key;
    entry->value = &info[0].value;
    entry->quals = info + 1;
    entry->n_quals = array->size - 1;
    return PMIX_SUCCESS;
}

/* What the host has said of a process stands: programs post some of it all the same, and expect
 * that. */
static bool is_hosts(const struct px_commit_reader *posted, uint32_t rank, const char *key)
{
    struct px_slice slice;

    if (!px_key_reserved(key)) {
        return false;
    }
    if (strcmp(key, PMIX_HOSTNAME) == 0 &&
        px_store_node_of(posted->ns->store, rank) != PX_NO_NODE) {
        return true;
    }
    return !px_store_find(posted->ns->store, PX_LEVEL_PROC, rank, key, strlen(key), &slice) &&
           slice.scope == PMIX_SCOPE_UNDEF;
}

static int note(struct px_map *names, const struct px_kval_view *kval)
{
    struct px_kval_name name;
    int rc = px_kval_name(kval->key, &kval->value, &name);

    rc = rc ? rc : px_map_set(names, name.bytes, name.len, names);
    px_buf_fini(&name.room);
    return rc;
}

static bool is_noted(const struct px_map *names, const struct px_kval_view *kval)
{
    struct px_kval_name name;
    bool found =
        !px_kval_name(kval->key, &kval->value, &name) && px_map_find(names, name.bytes, name.len);

    px_buf_fini(&name.room);
    return found;
}

/* `other`: the names of the client's other buffer, or NULL. What of the local buffer is in both is
 * global; what of the remote buffer is in both has been read. *ret is as good as the input and
 * `posted`. */
static int read_one(struct px_commit_reader *posted, uint32_t rank, struct px_in *in,
                    pmix_scope_t scope, const struct px_map *other, struct px_kval_view *ret)
{
    struct px_store_entry entry = {.level = PX_LEVEL_PROC, .index = rank, .scope = scope};
    size_t key_len;
    bool in_both;
    int rc = px_unpack_kval_view(in, ret);

    if (rc) {
        return rc;
    }
    entry.key = ret->key;
    entry.value = keep_value(posted, ret);
    if (!entry.value) {
        drop_value(ret);
        return PMIX_ERR_NOMEM;
    }
    key_len = ret->key_len;
    if (!key_len) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (strcmp(ret->key, PMIX_QUALIFIED_VALUE) == 0) {
        rc = unfold_qualified(entry.value, &entry);
        key_len = rc ? 0 : strlen(entry.key);
    }
    if (!rc && posted->only && strcmp(entry.key, posted->only) != 0) {
        return PMIX_SUCCESS;
    }
    in_both = other && is_noted(other, ret);
    if (rc || (other && scope == PMIX_REMOTE && in_both) || is_hosts(posted, rank, entry.key)) {
        return rc;
    }
    if (other && scope == PMIX_REMOTE) {
        entry.value = NULL;
    } else if (in_both) {
        entry.scope = PMIX_GLOBAL;
    }
    return add_entry(posted, &entry, key_len);
}

int px_commit_reader_read(struct px_commit_reader *posted, uint32_t rank, struct px_in *in,
                          pmix_scope_t scope)
{
    struct px_kval_view kval;
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in)) {
        rc = read_one(posted, rank, in, scope, NULL, &kval);
    }
    return rc;
}

int px_commit_reader_publish(struct px_commit_reader *posted, struct px_nspace *ns)
{
    return posted->owned || posted->borrowed ? px_store_publish(ns->store, posted->batch)
                                             : PMIX_SUCCESS;
}

/* --- a client's commit --- */

struct blocks {
    struct px_in local;
    struct px_in remote;
    bool has_local;
    bool has_remote;
};

static int read_blocks(struct px_in *in, struct blocks *blocks)
{
    while (px_in_left(in)) {
        pmix_scope_t scope;
        struct px_in inner;
        int rc = px_unpack_one(in, PMIX_SCOPE, &scope);

        rc = rc ? rc : px_unpack_buffer_view(in, &inner);
        if (rc) {
            return rc;
        }
        if (scope == PMIX_LOCAL) {
            blocks->local = inner;
            blocks->has_local = true;
        } else if (scope == PMIX_REMOTE) {
            blocks->remote = inner;
            blocks->has_remote = true;
        }
    }
    return PMIX_SUCCESS;
}

/* The names in a stream, and the stream in the plain encoding. */
static int list_names(struct px_in in, struct px_map *names, struct px_buf *plain)
{
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(&in)) {
        struct px_kval_view kval;

        rc = px_unpack_kval_view(&in, &kval);
        if (rc) {
            return rc;
        }
        rc = kval.key_len ? note(names, &kval) : PMIX_ERR_UNPACK_FAILURE;
        rc = rc ? rc : px_pack_kval(plain, PX_WIRE_PLAIN, kval.key, &kval.value);
        drop_value(&kval);
    }
    return rc;
}

static int read_commit(struct px_commit_reader *posted, uint32_t rank, const struct blocks *blocks,
                       struct px_buf *plain)
{
    struct px_map remote_names = {0};
    struct px_map local_names = {0};
    struct px_in in = blocks->local;
    struct px_kval_view kval;
    int rc = blocks->has_remote ? list_names(blocks->remote, &remote_names, plain) : PMIX_SUCCESS;

    while (!rc && blocks->has_local && px_in_left(&in)) {
        rc = read_one(posted, rank, &in, PMIX_LOCAL, &remote_names, &kval);
        rc = rc ? rc : note(&local_names, &kval);
    }
    in = blocks->remote;
    while (!rc && blocks->has_remote && px_in_left(&in)) {
        rc = read_one(posted, rank, &in, PMIX_REMOTE, &local_names, &kval);
    }
    px_map_fini(&remote_names);
    px_map_fini(&local_names);
    return rc;
}

int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_local_proc *rank = peer->rank;
    struct px_commit_reader *posted;
    struct px_buf plain = {0};
    struct blocks blocks = {0};
    int rc = read_blocks(in, &blocks);

    px_assert(px_loop_inside(s->loop));
    if (rc || !rank) {
        return rc ? rc : PMIX_ERR_NOT_SUPPORTED;
    }
    posted = px_commit_reader_create(rank->ns);
    rc = posted ? read_commit(posted, rank->rank, &blocks, &plain) : PMIX_ERR_NOMEM;
    rc = rc ? rc : px_commit_reader_publish(posted, rank->ns);
    if (!rc) {
        rc = px_buf_ok(&plain) ? px_modex_log_put(&rank->modex_log, &plain, &s->commit_number)
                               : PMIX_ERR_NOMEM;
    }
    px_commit_reader_destroy(posted);
    px_buf_fini(&plain);
    /* One that is refused has been made all the same: its values do not come any more, and who
     * waits for them is to wait no longer than for any other key that a process left out. */
    rank->committed = true;
    rank->change = ++s->changes;
    if (!rc) {
        px_answer_status(s, &reply_to, PMIX_SUCCESS);
    }
    px_gets_committed(s, rank);
    px_dmodex_requests_committed(s, rank);
    return rc;
}
