/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Publication in three steps: write everything new where no reader looks; when all of it is in
 * memory, store the words that lead there; store the sequence number. Objects carry their number
 * and readers pass over those that are above the sequence, so the last store alone makes the whole
 * batch visible. A failure in the first step takes the allocator back to where it was, and readers
 * never knew. */

#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "gds/stage.h"
#include "shmem/put.h"
#include "shmem/verify.h"
#include "src/base/array.h"
#include "src/base/assert.h"

int px_stage_word(struct px_stage *stage, const uint64_t *at, uint64_t value)
{
    int rc = px_array_room(&stage->words, stage->n_words, &stage->cap_words, sizeof *stage->words);

    if (rc == 0) {
        stage->words[stage->n_words++] = (struct px_stage_word){.at = at, .value = value};
    }
    return rc;
}

int px_stage_holder(struct px_stage *stage, const struct px_key *key, uint32_t rank)
{
    if (stage->n_ranks <= rank) {
        stage->n_ranks = rank + 1;
    }
    return key->holder ? 0 : px_stage_word(stage, &key->holder, (uint64_t) rank + 1);
}

int px_stage_same(struct px_stage *stage, const struct px_slice *now, const struct px_given *given,
                  bool *ret_same)
{
    struct px_payload payload;
    pmix_value_t room;
    int rc;

    (void) stage;
    if (given->kind == PX_GIVEN_HIDDEN) {
        *ret_same = true; /* there is a value already, seen or hidden */
        return 0;
    }
    rc = px_payload_encode(px_given_value(given, &room), &payload);
    if (rc == 0) {
        *ret_same = px_payload_is(&payload, given->scope, now);
        px_payload_fini(&payload);
    }
    return rc;
}

static int add_key(struct px_stage *stage, size_t i, size_t n_missing)
{
    const struct px_batch_key *key = &stage->batch->keys[i];
    const struct px_header *h = px_store_header(stage->store);
    int rc;

    if (!stage->keys_edited) {
        rc = px_table_edit_init(&stage->key_edit, stage->bump, h->keys, stage->store->n_keys,
                                n_missing, px_key_hash_of, stage->store->seg.base);
        stage->keys_edited = true;
        if (rc) {
            return rc;
        }
    }
    return px_key_add(&stage->key_edit, key->name, key->len, key->hash,
                      (uint16_t) px_key_realm(key->name, key->len),
                      (uint16_t) px_key_derived(key->name, key->len), &stage->keys[i]);
}

static int stage_keys(struct px_stage *stage)
{
    const struct px_batch *batch = stage->batch;
    size_t n_missing = 0;
    size_t i;
    int rc = 0;

    stage->keys = calloc(batch->n_keys ? batch->n_keys : 1, sizeof *stage->keys);
    if (!stage->keys) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < batch->n_keys; i++) {
        const struct px_batch_key *key = &batch->keys[i];
        const struct px_key *found = px_read_key(&stage->read, key->name, key->len, key->hash);

        if (found) {
            stage->keys[i] = px_locator(&stage->read.view, found);
        } else {
            n_missing++;
        }
    }
    for (i = 0; rc == 0 && i < batch->n_keys; i++) {
        if (stage->keys[i] == 0) {
            rc = add_key(stage, i, n_missing);
        }
    }
    return rc;
}

static int stage_other(struct px_stage *stage, const struct px_batch_other *other)
{
    struct px_item item = {
        .level = (uint32_t) other->level,
        .index = other->index,
        .key = stage->keys[other->key],
        .order = stage->n_items,
        .given = px_given_make(other->index, other->scope, other->value),
        .quals = other->quals,
        .n_quals = other->n_quals,
    };
    int rc;

    if (item.n_quals && !px_quals_sum(item.quals, item.n_quals, &item.sum)) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = px_array_room(&stage->items, stage->n_items, &stage->cap_items, sizeof *stage->items);
    if (rc) {
        return rc;
    }
    stage->items[stage->n_items++] = item;
    if (other->level == PX_LEVEL_SESSION && stage->session == 0
        && px_store_header(stage->store)->session == 0) {
        stage->session = UINT64_C(1) << 32 | other->index;
    }
    if (other->level == PX_LEVEL_APP && other->index < PX_NO_APP && stage->n_apps <= other->index) {
        stage->n_apps = other->index + 1;
    }
    return 0;
}

static int stage_all(struct px_stage *stage)
{
    const struct px_batch *batch = stage->batch;
    size_t i;
    int rc = stage_keys(stage);

    for (i = 0; rc == 0 && i < batch->n_keys; i++) {
        if (batch->keys[i].n_procs) {
            rc = px_stage_procs(stage, i);
        }
    }
    for (i = 0; rc == 0 && i < batch->n_others; i++) {
        rc = stage_other(stage, &batch->others[i]);
    }
    if (rc == 0) {
        rc = px_stage_records(stage);
    }
    if (rc == 0) {
        rc = px_stage_placement(stage);
    }
    return rc;
}

static void publish_table(struct px_stage *stage, struct px_table_edit *edit, const uint64_t *word)
{
    stage->dead += edit->n_dead;
    px_table_edit_publish(edit);
    if (edit->fresh) {
        px_publish(word, edit->loc); /* pairs with px_read_key, find_record and record_at */
    }
}

/* Nothing here can fail. Order matters only in that the sequence comes last, and the chain of
 * columns before the words of the keys (px_store_each relies on it). */
static void publish_all(struct px_stage *stage)
{
    const struct px_header *h = px_store_header(stage->store);
    uint64_t extent = (uint64_t) stage->n_apps << 32 | stage->n_ranks;
    size_t i;

    px_assert(stage->seq == h->sequence + 1);
    px_assert((h->state & UINT32_MAX) == PX_SHM_LIVE);
    px_assert(stage->n_ranks >= (uint32_t) h->extent);
    px_bump_publish(stage->bump);
    if (stage->keys_edited) {
        publish_table(stage, &stage->key_edit, &h->keys);
        stage->store->n_keys = stage->key_edit.n_used;
    }
    if (stage->records_edited) {
        publish_table(stage, &stage->record_edit, &h->table);
        stage->store->n_records = stage->record_edit.n_used;
    }
    if (stage->columns != h->columns) {
        px_publish(&h->columns, stage->columns); /* pairs with each_column */
    }
    for (i = 0; i < stage->n_words; i++) {
        /* pairs with px_read_column, read_level, read_proc, ask_holder and each_at */
        px_publish(stage->words[i].at, stage->words[i].value);
    }
    if (stage->place) {
        px_publish(&h->place, stage->place); /* pairs with px_read_placement, px_glance_place */
    }
    if (stage->session) {
        px_publish(&h->session, stage->session); /* pairs with ask_session */
    }
    if (extent != h->extent) {
        px_publish(&h->extent, extent); /* pairs with px_store_info */
    }
    if (stage->dead) {
        px_publish(&h->dead, h->dead + stage->dead); /* pairs with px_store_info */
    }
    /* pairs with px_read_begin, px_visible, px_glance_from, px_snapshot_take and cached_result */
    px_publish(&h->sequence, stage->seq);
}

static void stage_fini(struct px_stage *stage)
{
    free(stage->keys);
    free(stage->items);
    free(stage->words);
    free(stage->spans);
    free(stage->vals);
    px_table_edit_fini(&stage->key_edit);
    px_table_edit_fini(&stage->record_edit);
}

static int publish_here(struct px_store *store, const struct px_batch *batch)
{
    struct px_stage stage = {.store = store, .batch = batch, .bump = &store->bump};
    const struct px_header *h = px_store_header(store);
    int rc;

    store->bump.beyond = 0;
    px_read_begin(store, &stage.read);
    stage.seq = h->sequence + 1;
    stage.columns = h->columns;
    stage.n_ranks = (uint32_t) h->extent;
    stage.n_apps = (uint32_t) (h->extent >> 32);
    rc = stage_all(&stage);
    if (rc == 0 && stage.changed) {
        publish_all(&stage);
        px_verify(px_shm_verify(&store->seg, PX_VERIFY_ALL, NULL) == 0);
    } else {
        px_bump_rollback(&store->bump);
    }
    px_assert(store->bump.next == store->bump.published);
    stage_fini(&stage);
    return rc;
}

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
    return rc;
}
