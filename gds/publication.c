/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publication in three steps: write all new objects where no reader looks; when they are in memory,
 * store the words that lead to them; store the sequence number. Objects carry the number of their
 * publication and readers pass over those above the sequence, so the last store alone makes the
 * whole batch visible. After a failure in the first step the allocator goes back to where it was;
 * readers never see a trace of it. Writer's thread. */

#include "publication.h"

#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "gds/verify.h"
#include "gds/writer.h"
#include "shmem/header.h"
#include "shmem/put.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "batch.h"
#include "generation.h"
#include "partial.h"
#include "placement.h"
#include "proc_values.h"
#include "record_writer.h"
#include "store.h"

/* The list is stored in order by publish_all. */
int px_writer_word(struct px_writer *writer, const uint64_t *at, uint64_t value)
{
    int rc =
        px_array_room(&writer->words, writer->n_words, &writer->cap_words, sizeof(*writer->words));

    if (rc == 0) {
        writer->words[writer->n_words++] = (struct px_writer_word){.at = at, .value = value};
    }
    return rc;
}

/* The first rank of a key becomes its hint and stays it until its value is deleted (proc_values.c).
 * Also counts the rank for the header's `extent`. */
int px_writer_any_rank_hint(struct px_writer *writer, const struct px_key *key, uint32_t rank)
{
    if (writer->n_ranks <= rank) {
        writer->n_ranks = rank + 1;
    }
    return key->holder ? 0 : px_writer_word(writer, &key->holder, (uint64_t) rank + 1);
}

/* Writes a key that the segment does not have; realm and derived value follow from its name. The
 * first call opens the edit of the key table for all n_missing of them, so that the table grows at
 * most once for its load. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int add_key(struct px_writer *writer, size_t i, size_t n_missing)
{
    const struct px_batch_key *key = &writer->batch->keys[i];
    const struct px_store_header *h = px_store_header(writer->store);
    int rc;

    if (!writer->keys_edited) {
        rc = px_table_edit_init(&writer->key_edit, writer->bump, h->keys, writer->store->n_keys,
                                n_missing, px_key_hash_of, writer->store->seg.base);
        writer->keys_edited = true;
        if (rc) {
            return rc;
        }
    }
    return px_key_add(&writer->key_edit, key->name, key->len, key->hash,
                      (uint16_t) px_key_realm(key->name, key->len),
                      (uint16_t) px_key_derived(key->name, key->len), &writer->keys[i]);
}

/* Finds or writes all keys of the batch; writer->keys then has their locators. Missing ones are
 * counted first, so that the table is sized once. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int write_keys(struct px_writer *writer)
{
    const struct px_batch *batch = writer->batch;
    size_t n_missing = 0;
    size_t i;
    int rc = 0;

    writer->keys = calloc(batch->n_keys ? batch->n_keys : 1, sizeof(*writer->keys));
    if (!writer->keys) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < batch->n_keys; i++) {
        const struct px_batch_key *key = &batch->keys[i];
        const struct px_key *found = px_read_key(&writer->read, key->name, key->len, key->hash);

        if (found) {
            writer->keys[i] = px_locator(&writer->read.view, found);
        } else {
            n_missing++;
        }
    }
    for (i = 0; rc == 0 && i < batch->n_keys; i++) {
        if (writer->keys[i] == 0) {
            rc = add_key(writer, i, n_missing);
        }
    }
    return rc;
}

/* Notes a value of another level, or a qualified one, as a pending record. The first session that a
 * store hears of becomes the readers' own. PMIX_ERR_NOMEM; PMIX_ERR_UNKNOWN_DATA_TYPE: a qualifier
 * cannot be encoded. */
static int write_other(struct px_writer *writer, const struct px_batch_entry *other)
{
    struct px_pending_record item = {
        .level = (uint32_t) other->level,
        .index = other->index,
        .key = writer->keys[other->key],
        .order = writer->n_items,
        .datum = px_datum_make(other->index, other->scope, other->value),
        .quals = other->quals,
        .n_quals = other->n_quals,
    };
    int rc;

    if (item.n_quals && !px_quals_digest(item.quals, item.n_quals, &item.sum)) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = px_array_room(&writer->items, writer->n_items, &writer->cap_items, sizeof(*writer->items));
    if (rc) {
        return rc;
    }
    writer->items[writer->n_items++] = item;
    /* Words of the header that follow from the values. */
    if (other->level == PX_LEVEL_SESSION && writer->session == 0 &&
        px_store_header(writer->store)->session == 0) {
        writer->session = UINT64_C(1) << 32 | other->index;
    }
    if (other->level == PX_LEVEL_APP && other->index < PX_NO_APP &&
        writer->n_apps <= other->index) {
        writer->n_apps = other->index + 1;
    }
    return 0;
}

/* The first step: writes keys, columns, records and the placement. Keys come first, because all
 * values refer to them; records come after the columns, which leave some values to them. After a
 * failure the caller rolls the allocator back. */
static int write_entries(struct px_writer *writer)
{
    const struct px_batch *batch = writer->batch;
    size_t i;
    int rc = write_keys(writer);

    for (i = 0; rc == 0 && i < batch->n_keys; i++) {
        if (batch->keys[i].n_procs) {
            rc = px_writer_procs(writer, i);
        }
    }
    for (i = 0; rc == 0 && i < batch->n_others; i++) {
        rc = write_other(writer, &batch->others[i]);
    }
    if (rc == 0) {
        rc = px_writer_records(writer);
    }
    if (rc == 0) {
        rc = px_writer_placement(writer);
    }
    return rc;
}

/* Stores the edited slots, or, if the table was replaced, the header's word that leads to the new
 * one. Tables that were outgrown count as garbage. */
static void publish_table(struct px_writer *writer, struct px_table_growth *growth,
                          struct px_table_edit *edit, const uint64_t *word)
{
    writer->dead += edit->n_dead + px_table_growth_follow(growth, edit);
    px_table_edit_publish(edit);
    if (edit->fresh) {
        px_publish(word, edit->loc); /* pairs with px_read_key and find_record */
    }
}

/* Publishes the edits that the writer has opened. Cannot fail. */
static void publish_tables(struct px_writer *writer)
{
    const struct px_store_header *h = px_store_header(writer->store);
    struct px_store *store = writer->store;

    if (writer->keys_edited) {
        publish_table(writer, &store->key_growth, &writer->key_edit, &h->keys);
        store->n_keys = writer->key_edit.n_used;
    }
    if (writer->records_edited) {
        publish_table(writer, &store->record_growth, &writer->record_edit, &h->table);
        store->n_records = writer->record_edit.n_used;
    }
}

/* The next step of one table. The old one is garbage when the word leads to the new one. */
static void grow_table(struct px_store *store, struct px_table_growth *growth, const uint64_t *word,
                       uint64_t n_used, px_table_hash_fn hash_of)
{
    const struct px_store_header *h = px_store_header(store);
    uint64_t old = *word;
    uint64_t loc;

    if (old &&
        px_table_growth_step(growth, &store->bump, old, n_used, hash_of, store->seg.base, &loc)) {
        px_publish(word, loc); /* pairs with px_read_key and find_record */
        /* pairs with px_store_info */
        px_publish(&h->dead, h->dead + px_table_size(&store->bump, old));
    }
}

/* After a publication: the next step of the growth of each table, which costs a part of what the
 * publication cost. The larger table holds the same objects as the table that it replaces, so the
 * word that leads to it needs no publication: a reader that still probes the old table finds the
 * same objects there. Both tables may take memory at the same time. A lack of memory is no failure
 * here. */
static void grow_tables(struct px_store *store)
{
    const struct px_store_header *h = px_store_header(store);
    struct px_bump *bump = &store->bump;
    uint64_t more = px_table_growth_needs(&store->key_growth, bump, h->keys, store->n_keys) +
                    px_table_growth_needs(&store->record_growth, bump, h->table, store->n_records);
    uint64_t unused;

    px_assert(bump->next == bump->published);
    if (more) {
        (void) px_bump_prepare(bump, more, UINT64_MAX, &unused);
    }
    grow_table(store, &store->key_growth, &h->keys, store->n_keys, px_key_hash_of);
    grow_table(store, &store->record_growth, &h->table, store->n_records, px_record_hash_of);
}

/* The second and third step. Nothing here can fail. The sequence must come last, and the chain of
 * columns before the keys' words (px_store_each relies on it); apart from that the order of the
 * words is free. */
static void publish_all(struct px_writer *writer)
{
    const struct px_store_header *h = px_store_header(writer->store);
    uint64_t extent = (uint64_t) writer->n_apps << 32 | writer->n_ranks;
    size_t i;

    px_assert(writer->seq == h->sequence + 1);
    px_assert((h->state & UINT32_MAX) == PX_SHM_LIVE);
    px_assert(writer->n_ranks >= (uint32_t) h->extent);
    px_bump_publish(writer->bump);
    publish_tables(writer);
    if (writer->columns != h->columns) {
        px_publish(&h->columns, writer->columns); /* pairs with begin_columns */
    }
    for (i = 0; i < writer->n_words; i++) {
        /* pairs with px_read_column, px_read_job, px_store_get_scalar, px_read_proc, get_any_rank
         * and begin_records */
        px_publish(writer->words[i].at, writer->words[i].value);
    }
    if (writer->place) {
        px_publish(&h->place, writer->place); /* pairs with px_read_placement */
    }
    if (writer->session) {
        px_publish(&h->session, writer->session); /* pairs with get_session */
    }
    if (extent != h->extent) {
        px_publish(&h->extent, extent); /* pairs with px_store_info */
    }
    if (writer->dead) {
        px_publish(&h->dead, h->dead + writer->dead); /* pairs with px_store_info */
    }
    /* pairs with px_read_begin, px_visible, px_snapshot_take and cached_result */
    px_publish(&h->sequence, writer->seq);
    if (writer->has_partial) {
        px_partial_published(writer->store);
    }
}

/* Frees the writer's lists and the edits of both tables; the segment is not touched. */
static void writer_fini(struct px_writer *writer)
{
    free(writer->keys);
    free(writer->items);
    free(writer->words);
    free(writer->spans);
    free(writer->vals);
    px_table_edit_fini(&writer->key_edit);
    px_table_edit_fini(&writer->record_edit);
}

/* For builds that verify every publication: true if the segment passes all checks after it, or if
 * its header is no longer ours, as tests make it for readers to refuse. Costs a walk through the
 * whole segment. */
static __attribute__((unused)) bool is_sound(const struct px_store *store)
{
    return px_header_check(&store->seg, PX_FORMAT_FINGERPRINT) != 0 ||
           strcmp(px_store_header(store)->id.name, store->nspace) != 0 ||
           px_format_verify(&store->seg, PX_VERIFY_ALL, NULL) == 0;
}

/* Publishes in the present generation. A batch that changes nothing leaves no publication behind:
 * the sequence stays, and keys written for it are rolled back. */
static int publish_here(struct px_store *store, const struct px_batch *batch)
{
    struct px_writer writer = {.store = store, .batch = batch, .bump = &store->bump};
    const struct px_store_header *h = px_store_header(store);
    int rc;

    /* px_store_grow reads it after a failure. */
    store->bump.beyond = 0;
    px_read_begin(store, &writer.read);
    writer.seq = h->sequence + 1;
    writer.columns = h->columns;
    writer.n_ranks = (uint32_t) h->extent;
    writer.n_apps = (uint32_t) (h->extent >> 32);
    /* First step; what it took from the segment is given back if it fails or changes nothing. */
    rc = write_entries(&writer);
    if (rc == 0 && writer.changed) {
        publish_all(&writer);
        if (writer.key_edit.n_added || writer.record_edit.n_added) {
            grow_tables(store);
        }
        px_verify(is_sound(store));
    } else {
        px_bump_rollback(&store->bump);
    }
    px_assert(store->bump.next == store->bump.published);
    writer_fini(&writer);
    return rc;
}

/* Moves to larger generations until the batch fits or moving is refused. Each attempt starts from
 * the batch anew, because locators mean nothing in another generation. A generation that is being
 * filled gets the batch, too, or is given up. */
int px_store_publish(struct px_store *store, const struct px_batch *batch)
{
    int rc;

    if (!store->seg.writer) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_check(px_store_is_valid(store));
    do {
        rc = publish_here(store, batch);
    } while (rc == PMIX_ERR_OUT_OF_RESOURCE && px_store_grow(store) == 0);
    if (rc == 0 && store->next && publish_here(store->next, batch)) {
        px_store_give_up(store);
    }
    return rc;
}
