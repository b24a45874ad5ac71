/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Values outside columns: one record each, with the version before behind it. Records of one level
 * and index hang on a chain whose head is in their roster, so that all of them can be enumerated
 * without a search. */

#include <stdlib.h>
#include <string.h>

#include "gds/stage.h"
#include "shmem/put.h"
#include "src/base/assert.h"
#include "src/base/buf.h"
#include "src/wire/codec.h"

/* Where the chain of the current (level, index) stands. */
struct roster {
    bool open;
    uint32_t level;
    uint32_t index;
    uint64_t loc;   /* of the roster record */
    uint64_t first; /* newest record */
    bool fresh;     /* the roster itself is of this publication */
    bool dirty;
};

static uint64_t sum_value(const struct px_payload *payload, uint64_t seed)
{
    uint64_t h = px_hash_mix(seed, (uint64_t) payload->type << 32 | payload->head_len);

    h = px_hash_mix(h, px_hash_bytes(payload->head, payload->head_len));
    h = px_hash_mix(h, payload->body_len);
    return px_hash_mix(h, px_hash_bytes(payload->body, payload->body_len));
}

bool px_quals_sum(const pmix_info_t *quals, size_t n, struct px_qual_sum *ret)
{
    struct px_qual_sum sum = {.n = (uint32_t) n};
    size_t i;

    for (i = 0; i < n; i++) {
        uint64_t key = px_hash_bytes(quals[i].key, strnlen(quals[i].key, PMIX_MAX_KEYLEN));
        struct px_payload payload;

        if (px_payload_encode(&quals[i].value, &payload)) {
            return false;
        }
        sum.a += sum_value(&payload, key);
        sum.b += sum_value(&payload, px_hash_mix(key, 1));
        px_payload_fini(&payload);
    }
    *ret = sum;
    return true;
}

static int compare_words(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* By place, then by time. */
static int compare_items(const void *left, const void *right)
{
    const struct px_item *a = left;
    const struct px_item *b = right;
    int rc =
        compare_words((uint64_t) a->level << 32 | a->index, (uint64_t) b->level << 32 | b->index);

    rc = rc ? rc : compare_words(a->key, b->key);
    rc = rc ? rc : compare_words(a->sum.n, b->sum.n);
    rc = rc ? rc : compare_words(a->sum.a, b->sum.a);
    rc = rc ? rc : compare_words(a->sum.b, b->sum.b);
    return rc ? rc : compare_words(a->order, b->order);
}

static bool same_place(const struct px_item *a, const struct px_item *b)
{
    return a->level == b->level && a->index == b->index && a->key == b->key && a->sum.n == b->sum.n
           && a->sum.a == b->sum.a && a->sum.b == b->sum.b;
}

static int open_table(struct px_stage *stage)
{
    const struct px_header *h = px_store_header(stage->store);

    if (stage->records_edited) {
        return 0;
    }
    stage->records_edited = true;
    return px_table_edit_init(&stage->record_edit, stage->bump, h->table, stage->store->n_records,
                              stage->n_items * 2, px_record_hash_of, stage->store->seg.base);
}

static int make_roster(struct px_stage *stage, struct roster *roster)
{
    struct px_record rec = {
        .version.seq = stage->seq, .index = roster->index, .level = roster->level};
    int rc;

    px_assert(roster->open && roster->loc == 0);
    rc = px_bump_copy(stage->bump, &rec, sizeof rec, &roster->loc);
    if (rc == 0) {
        rc = px_table_edit_add(&stage->record_edit,
                               px_record_hash(roster->level, roster->index, 0, NULL), roster->loc);
    }
    roster->fresh = true;
    return rc;
}

/* Stores the head of the chain. */
static int close_roster(struct px_stage *stage, struct roster *roster)
{
    struct px_record *rec;

    if (!roster->open || !roster->dirty) {
        return 0;
    }
    rec = px_stage_at(stage, roster->loc);
    px_assert(rec->key == 0 && rec->level == roster->level && rec->index == roster->index);
    px_assert(roster->first != 0);
    if (roster->fresh) {
        px_put_word(&rec->link, roster->first);
        return 0;
    }
    return px_stage_word(stage, &rec->link, roster->first);
}

static int open_roster(struct px_stage *stage, struct roster *roster, const struct px_item *item)
{
    int rc;

    if (roster->open && roster->level == item->level && roster->index == item->index) {
        return 0;
    }
    rc = close_roster(stage, roster);
    if (rc) {
        return rc;
    }
    *roster = (struct roster){.open = true, .level = item->level, .index = item->index};
    roster->loc = px_record_find(&stage->read, item->level, item->index, 0, NULL);
    if (roster->loc == 0) {
        return make_roster(stage, roster);
    }
    roster->first = ((const struct px_record *) px_stage_at(stage, roster->loc))->link;
    return 0;
}

static int write_quals(struct px_stage *stage, const struct px_item *item, uint64_t *ret_loc)
{
    struct px_quals head = {.sum_a = item->sum.a, .sum_b = item->sum.b, .n = item->sum.n};
    struct px_buf buf = {0};
    int rc = 0;
    size_t i;

    px_buf_append(&buf, &head, sizeof head);
    for (i = 0; rc == 0 && i < item->n_quals; i++) {
        rc = px_pack_raw(&buf, true, PMIX_INFO, &item->quals[i]);
    }
    if (rc == 0 && (!px_buf_ok(&buf) || buf.len > UINT32_MAX)) {
        rc = PMIX_ERR_NOMEM;
    }
    if (rc == 0) {
        head.len = (uint32_t) (buf.len - sizeof head);
        memcpy(buf.data, &head, sizeof head);
        rc = px_bump_copy(stage->bump, buf.data, buf.len, ret_loc);
    }
    px_buf_fini(&buf);
    return rc;
}

static int write_record(struct px_stage *stage, const struct px_item *item, uint64_t prev,
                        uint64_t link, uint64_t *ret_loc)
{
    struct px_record head = {
        .version = {.seq = stage->seq, .prev = prev},
        .link = link,
        .key = item->key,
        .index = item->index,
        .level = item->level,
    };
    struct px_payload payload;
    pmix_value_t room;
    unsigned char *at;
    void *mem;
    int rc;

    px_assert(item->key != 0 && prev < stage->bump->published >> 3);
    rc = item->n_quals ? write_quals(stage, item, &head.quals) : 0;

    if (rc == 0) {
        rc = px_payload_encode(px_given_value(&item->given, &room), &payload);
    }
    if (rc) {
        return rc;
    }
    rc = px_bump_take(stage->bump, sizeof head + sizeof(struct px_cell) + px_payload_len(&payload),
                      &mem);
    if (rc == 0) {
        at = mem;
        px_put(at, &head, sizeof head);
        px_payload_put(&payload, item->given.scope, at + sizeof head);
        *ret_loc = px_bump_locator(stage->bump, at);
    }
    px_payload_fini(&payload);
    return rc;
}

/* Leads readers to a record: by the key's word for the job level, else by the table. */
static int file_record(struct px_stage *stage, const struct px_item *item, uint64_t old,
                       uint64_t loc)
{
    const struct px_key *key = px_stage_key(stage, item->key);
    uint64_t hash;

    if (item->level == PX_SHM_JOB && item->n_quals == 0) {
        return px_stage_word(stage, &key->job, loc);
    }
    hash = px_record_hash(item->level, item->index, item->key, item->n_quals ? &item->sum : NULL);
    return old ? px_table_edit_replace(&stage->record_edit, hash, old, loc)
               : px_table_edit_add(&stage->record_edit, hash, loc);
}

/* Tells readers of the key's column that there is something newer in the table. */
static int note_proc(struct px_stage *stage, const struct px_item *item)
{
    const struct px_key *key = px_stage_key(stage, item->key);
    const struct px_column *col;

    if (item->level != PX_SHM_PROC || item->n_quals) {
        return 0;
    }
    if (key->column) {
        col = px_stage_at(stage, key->column);
        px_assert(col->key == item->key);
        if (item->index < col->n && col->overlay == 0) {
            int rc = px_stage_word(stage, &col->overlay, stage->seq);

            if (rc) {
                return rc;
            }
        }
    }
    return px_stage_holder(stage, key, item->index);
}

/* True when the state before has the value already. *ret_now: what it has; without locator if
 * nothing. */
static int is_there(struct px_stage *stage, const struct px_item *item, bool *ret,
                    struct px_slice *ret_now)
{
    const struct px_key *key = px_stage_key(stage, item->key);
    enum px_level level = (enum px_level) item->level;
    struct px_slice now;
    int rc;

    if (item->n_quals) {
        rc = px_read_qualified(&stage->read, level, item->index, key, &item->sum, &now);
    } else {
        rc = px_read_level(&stage->read, level, item->index, key, &now);
    }
    *ret = false;
    *ret_now = rc ? (struct px_slice){0} : now;
    return rc == 0 ? px_stage_same(stage, &now, &item->given, ret) : 0;
}

static int stage_record(struct px_stage *stage, const struct px_item *item, struct roster *roster)
{
    const struct px_key *key = px_stage_key(stage, item->key);
    struct px_slice now;
    bool there;
    uint64_t old;
    uint64_t loc = 0;
    int rc = is_there(stage, item, &there, &now);

    if (rc || there) {
        return rc;
    }
    stage->changed = true;
    rc = open_table(stage);
    if (rc == 0) {
        rc = open_roster(stage, roster, item);
    }
    if (rc) {
        return rc;
    }
    if (item->level == PX_SHM_JOB && item->n_quals == 0) {
        old = key->job;
    } else {
        old = px_record_find(&stage->read, item->level, item->index, item->key,
                             item->n_quals ? &item->sum : NULL);
    }
    px_assert(old == 0 || ((const struct px_record *) px_stage_at(stage, old))->key == item->key);
    px_stage_dead_cell(stage, &now, old);
    rc = write_record(stage, item, old, old ? 0 : roster->first, &loc);
    if (rc == 0 && old == 0) {
        roster->first = loc;
        roster->dirty = true;
    }
    if (rc == 0) {
        rc = file_record(stage, item, old, loc);
    }
    return rc ? rc : note_proc(stage, item);
}

/* Whether a later item of the same place takes this one's: a hidden one never does from a seen
 * one. */
static size_t pick(const struct px_item *items, size_t from, size_t end)
{
    size_t best = from;
    size_t i;

    px_assert(from < end);
    for (i = from + 1; i < end; i++) {
        if (items[i].given.kind != PX_GIVEN_HIDDEN || items[best].given.kind == PX_GIVEN_HIDDEN) {
            best = i;
        }
    }
    return best;
}

int px_stage_records(struct px_stage *stage)
{
    struct roster roster = {0};
    size_t i;
    int rc = 0;

    if (stage->n_items > 1) {
        qsort(stage->items, stage->n_items, sizeof *stage->items, compare_items);
    }
    for (i = 0; rc == 0 && i < stage->n_items;) {
        size_t end = i + 1;

        while (end < stage->n_items && same_place(&stage->items[i], &stage->items[end])) {
            end++;
        }
        rc = stage_record(stage, &stage->items[pick(stage->items, i, end)], &roster);
        i = end;
    }
    return rc ? rc : close_roster(stage, &roster);
}
