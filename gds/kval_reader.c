/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading put values from the wire into a batch. The values stay where they were decoded, in chunks
 * that do not move, because the batch borrows them; their strings and bytes stay in the input where
 * the decoder could leave them there. Qualified values are folded and unfolded here and nowhere
 * else. */

#include "gds/kval_reader.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/assert.h"
#include "src/value/keys.h"
#include "src/value/nested.h"
#include "src/wire/compress.h"
#include "src/wire/messages.h"
#include "src/wire/kval_view.h"
#include "batch.h"
#include "slice.h"

/* --- qualified values --- */

/* Nothing is copied: the entry points into the array of the qualified value. */
int px_kval_unfold(const char *key, const pmix_value_t *value, struct px_store_entry *entry)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
    const pmix_info_t *infos;

    if (!px_value_key_is(key, PMIX_QUALIFIED_VALUE)) {
        entry->key = key;
        entry->value = value;
        return 0;
    }
    if (!array || array->type != PMIX_INFO || array->size < 1 || !array->array) {
        return PMIX_ERR_BAD_PARAM;
    }
    infos = array->array;
    entry->key = infos[0].key;
    entry->value = &infos[0].value;
    entry->quals = infos + 1;
    entry->n_quals = array->size - 1;
    return 0;
}

/* The array has the value under its own key first, then the qualifiers, each a copy. On failure
 * everything is freed and *ret is as before. */
int px_kval_fold(const char *key, const struct px_slice *slice, pmix_value_t *ret)
{
    pmix_value_t made = {.type = PMIX_DATA_ARRAY};
    pmix_info_t *quals = NULL;
    pmix_info_t *infos;
    size_t n = 0;
    int rc = px_slice_quals(slice, &quals, &n);

    px_assert(slice->quals);
    made.data.darray = rc == 0 ? PMIx_Data_array_create(n + 1, PMIX_INFO) : NULL;
    if (!made.data.darray) {
        PMIx_Info_free(quals, n);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    infos = made.data.darray->array;
    PMIx_Load_key(infos[0].key, key);
    rc = px_slice_fill(slice, &infos[0].value);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = px_info_keep(&infos[i + 1], &quals[i]);
    }
    PMIx_Info_free(quals, n);
    if (rc) {
        PMIx_Value_destruct(&made);
        return rc;
    }
    *ret = made;
    return 0;
}

/* A qualified value is named by key, NUL and its packed qualifiers. Two sets of the same qualifiers
 * in another order have different names here. */
int px_kval_name(const struct px_kval *kval, struct px_kval_name *ret)
{
    *ret = (struct px_kval_name){.bytes = kval->entry.key, .len = kval->key_len};
    if (!px_kval_is_qualified(kval)) {
        return 0;
    }
    /* No key has a NUL in it: this is the name of no plain value. */
    px_buf_append(&ret->room, kval->entry.key, kval->key_len + 1);
    (void) px_pack_infos(&ret->room, PX_WIRE_PLAIN, kval->entry.quals, kval->entry.n_quals);
    ret->bytes = ret->room.data;
    ret->len = ret->room.len;
    return ret->room.status;
}

/* --- reading --- */

/* Values per chunk. */
enum { CHUNK = 256 };

/* Values that do not move, because the batch borrows them. Newest chunk first; only the first one
 * has room. */
struct kval_chunk {
    struct kval_chunk *next;
    size_t n;
    pmix_value_t values[CHUNK];
};

/* Entries of the cache from key names to keys of the batch: most processes put under the same few
 * names, each of which is looked up in the batch once. */
enum { N_NAMES = 32 };

/* A key name that this reader has seen, with its number in the batch. The text is borrowed from an
 * entry, which the reader keeps. */
struct cached_key {
    const char *text; /* borrowed; NULL: none yet */
    size_t len;
    uint32_t key; /* of the batch */
};

/* The reader of one or more streams. Owned by its creator; one thread at a time. `plain` and `only`
 * are those of px_kval_reader_create. */
struct px_kval_reader {
    struct px_batch *batch;
    size_t n_added;
    bool plain;
    const char *only;
    struct kval_chunk *chunks[PX_N_VIEW_OWNS]; /* one list for each way to free values */
    struct cached_key names[N_NAMES];          /* by length and last character */
};

/* The batch is made at once, so that adding cannot find none. */
struct px_kval_reader *px_kval_reader_create(bool plain, const char *only)
{
    struct px_kval_reader *reader = calloc(1, sizeof(*reader));

    if (!reader) {
        return NULL;
    }
    reader->plain = plain;
    reader->only = only;
    reader->batch = px_batch_create();
    if (!reader->batch) {
        free(reader);
        return NULL;
    }
    return reader;
}

/* Frees a list of chunks, and what their values own. */
static void free_chunks(struct kval_chunk *chunk, enum px_view_owns owns)
{
    while (chunk) {
        struct kval_chunk *next = chunk->next;

        px_assert(chunk->n <= CHUNK);
        for (size_t i = 0; owns && i < chunk->n; i++) {
            px_view_free(&chunk->values[i], owns);
        }
        free(chunk);
        chunk = next;
    }
}

/* The batch goes first: it borrows the values. */
void px_kval_reader_destroy(struct px_kval_reader *reader)
{
    if (reader) {
        px_batch_destroy(reader->batch);
        for (int owns = 0; owns < PX_N_VIEW_OWNS; owns++) {
            free_chunks(reader->chunks[owns], (enum px_view_owns) owns);
        }
        free(reader);
    }
}

/* Replaces a compressed value by what it was, also inside a data array; a value that borrows from
 * the input gets memory of its own first. On failure the value is as sound as before, and
 * view->owns tells the caller how to free it. */
static int inflate(struct px_kval_view *view)
{
    pmix_value_t own;
    int rc;

    if (!view->owns && (view->value.type == PMIX_COMPRESSED_STRING ||
                        view->value.type == PMIX_COMPRESSED_BYTE_OBJECT)) {
        rc = px_value_keep(&own, &view->value);
        if (rc) {
            return rc;
        }
        view->value = own;
        view->owns = PX_VIEW_VALUE;
    }
    return view->owns == PX_VIEW_VALUE ? px_inflate_value(&view->value) : 0;
}

/* Stores the value in a chunk, which takes over its memory if it has any. NULL: no memory, and the
 * value is still the caller's. */
static const pmix_value_t *keep_value(struct px_kval_reader *reader,
                                      const struct px_kval_view *view)
{
    struct kval_chunk **chunks = &reader->chunks[view->owns];
    struct kval_chunk *chunk = *chunks;

    if (!chunk || chunk->n == CHUNK) {
        chunk = malloc(sizeof(*chunk));
        if (!chunk) {
            return NULL;
        }
        chunk->next = *chunks;
        chunk->n = 0;
        *chunks = chunk;
    }
    chunk->values[chunk->n] = view->value;
    return &chunk->values[chunk->n++];
}

/* The value is kept before it is unfolded, so that entry and qualifiers may point into it; after a
 * failure it stays in its chunk until the reader is destroyed. */
int px_kval_reader_next(struct px_kval_reader *reader, struct px_in *in, struct px_kval *ret)
{
    struct px_kval kval = {.bytes = in->at, .kind = in->kind};
    struct px_kval_view view;
    int rc = px_unpack_kval_view(in, &view);

    if (rc) {
        return rc;
    }
    px_assert(in->at > kval.bytes && in->at <= in->end);
    kval.len = (size_t) (in->at - kval.bytes);
    /* Inflating comes before keeping: it may change who owns the memory. */
    rc = reader->plain ? inflate(&view) : 0;
    kval.packed = rc == 0 ? keep_value(reader, &view) : NULL;
    if (!kval.packed) {
        px_view_free(&view.value, view.owns);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    if (!view.key_len || px_kval_unfold(view.key, kval.packed, &kval.entry)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    kval.key_len =
        px_kval_is_qualified(&kval) ? strnlen(kval.entry.key, PMIX_MAX_KEYLEN) : view.key_len;
    *ret = kval;
    return 0;
}

/* An unqualified process-level value takes the shorter way: its key is found in the reader's cache,
 * by length and last character. All others go through px_batch_add. */
int px_kval_reader_add(struct px_kval_reader *reader, const struct px_kval *kval)
{
    const struct px_store_entry *entry = &kval->entry;
    struct cached_key *name;
    int rc;

    if (reader->only && !px_value_key_is(entry->key, reader->only)) {
        return 0;
    }
    reader->n_added++;
    if (entry->level != PX_LEVEL_PROC || entry->n_quals || entry->index > PMIX_RANK_VALID ||
        !kval->key_len) {
        return px_batch_add(reader->batch, entry);
    }
    name =
        &reader->names[(kval->key_len ^ (unsigned char) entry->key[kval->key_len - 1]) % N_NAMES];
    if (!name->text || name->len != kval->key_len ||
        memcmp(name->text, entry->key, kval->key_len) != 0) {
        rc = px_batch_key(reader->batch, entry->key, &name->key);
        if (rc) {
            return rc;
        }
        name->text = entry->key;
        name->len = kval->key_len;
    }
    return px_batch_add_proc(reader->batch, name->key, entry->index, entry->scope, entry->value);
}

/* A batch to which nothing was added need not be published. */
const struct px_batch *px_kval_reader_batch(const struct px_kval_reader *reader)
{
    return reader->n_added ? reader->batch : NULL;
}
