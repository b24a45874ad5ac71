/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing records: values outside columns, one record each, with the version before it behind.
 * Records of one level and index form a chain whose head is in their index list, so that all of
 * them can be enumerated without a search. Writer's thread. */

#include "record_writer.h"

#include <stdlib.h>
#include <string.h>

#include "gds/compare.h"
#include "gds/writer.h"
#include "shmem/put.h"
#include "src/base/assert.h"
#include "src/base/buf.h"
#include "src/wire/codec.h"
#include "src/wire/pack.h"
#include "garbage.h"
#include "partial.h"
#include "publication.h"

/* The chain of the (level, index) that is being written; records arrive sorted, so one is open at a
 * time. Its words are set when it is closed. */
struct index_list {
    bool open;
    uint32_t level;
    uint32_t index;
    uint64_t loc;   /* of the index list record */
    uint64_t first; /* newest record */
    bool fresh;     /* the index list itself is of this publication */
    bool dirty;
};

/* The hash of one qualifier's value, from a seed that stands for its key: v(q, s) in section 6 of
 * docs/segment-format.md. */
static uint64_t sum_value(const struct px_payload *payload, uint64_t seed)
{
    uint64_t h = px_hash_mix(seed, (uint64_t) payload->type << 32 | payload->head_len);

    h = px_hash_mix(h, px_hash_bytes(payload->head, payload->head_len));
    h = px_hash_mix(h, payload->body_len);
    return px_hash_mix(h, px_hash_bytes(payload->body, payload->body_len));
}

/* Both sums are over single hashes, so the order of the qualifiers does not matter. The two sums
 * have different seeds, so that a collision in one is settled by the other. */
bool px_quals_digest(const pmix_info_t *quals, size_t n, struct px_qual_digest *ret)
{
    struct px_qual_digest sum = {.n = (uint32_t) n};
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

/* The order of two words for qsort. */
static int compare_words(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* For qsort: by level and index, key and qualifiers; entries for the same value in order of
 * arrival. */
static int compare_items(const void *left, const void *right)
{
    const struct px_pending_record *a = left;
    const struct px_pending_record *b = right;
    int rc =
        compare_words((uint64_t) a->level << 32 | a->index, (uint64_t) b->level << 32 | b->index);

    rc = rc ? rc : compare_words(a->key, b->key);
    rc = rc ? rc : compare_words(a->sum.n, b->sum.n);
    rc = rc ? rc : compare_words(a->sum.a, b->sum.a);
    rc = rc ? rc : compare_words(a->sum.b, b->sum.b);
    return rc ? rc : compare_words(a->order, b->order);
}

/* True if both entries are for the same value. */
static bool same_place(const struct px_pending_record *a, const struct px_pending_record *b)
{
    return a->level == b->level && a->index == b->index && a->key == b->key &&
           a->sum.n == b->sum.n && a->sum.a == b->sum.a && a->sum.b == b->sum.b;
}

/* Opens the edit of the record table, once per publication, with room for a record and an index
 * list for each entry. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int open_table(struct px_writer *writer)
{
    const struct px_store_header *h = px_store_header(writer->store);

    if (writer->records_edited) {
        return 0;
    }
    writer->records_edited = true;
    /* One slot for the record and one for the index list of each entry. */
    return px_table_edit_init(&writer->record_edit, writer->bump, h->table,
                              writer->store->n_records, writer->n_items * 2, px_record_hash_of,
                              writer->store->seg.base);
}

/* Writes and files an empty index list for a (level, index) without records; its head is set when
 * the list is closed. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int make_index_list(struct px_writer *writer, struct index_list *index_list)
{
    struct px_record rec = {
        .version.seq = writer->seq, .index = index_list->index, .level = index_list->level};
    int rc;

    px_assert(index_list->open && index_list->loc == 0);
    rc = px_bump_copy(writer->bump, &rec, sizeof(rec), &index_list->loc);
    if (rc == 0) {
        rc = px_table_edit_add(&writer->record_edit,
                               px_record_hash(index_list->level, index_list->index, 0, NULL),
                               index_list->loc);
    }
    index_list->fresh = true;
    return rc;
}

/* Sets the head of the chain: at once in a list that no reader reaches yet, else as a word of the
 * publication. */
static int close_index_list(struct px_writer *writer, struct index_list *index_list)
{
    struct px_record *rec;

    if (!index_list->open || !index_list->dirty) {
        return 0;
    }
    rec = px_writer_at(writer, index_list->loc);
    px_assert(rec->key == 0 && rec->level == index_list->level && rec->index == index_list->index);
    px_assert(index_list->first != 0);
    if (index_list->fresh) {
        px_put_word(&rec->link, index_list->first);
        return 0;
    }
    return px_writer_word(writer, &rec->link, index_list->first);
}

/* Makes the item's index list the open one: closes the one before and finds or makes the new one.
 * Items of one list follow each other, so each list is opened once per publication. */
static int open_index_list(struct px_writer *writer, struct index_list *index_list,
                           const struct px_pending_record *item)
{
    int rc;

    if (index_list->open && index_list->level == item->level && index_list->index == item->index) {
        return 0;
    }
    rc = close_index_list(writer, index_list);
    if (rc) {
        return rc;
    }
    *index_list = (struct index_list){.open = true, .level = item->level, .index = item->index};
    index_list->loc = px_record_find(&writer->read, item->level, item->index, 0, NULL);
    if (index_list->loc == 0) {
        return make_index_list(writer, index_list);
    }
    index_list->first = ((const struct px_record *) px_writer_at(writer, index_list->loc))->link;
    return 0;
}

/* Writes the qualifiers of a value: digest, then their encoding. PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, or a status of px_pack_raw. */
static int write_quals(struct px_writer *writer, const struct px_pending_record *item,
                       uint64_t *ret_loc)
{
    struct px_quals head = {.sum_a = item->sum.a, .sum_b = item->sum.b, .n = item->sum.n};
    struct px_buf buf = {0};
    int rc;

    px_buf_append(&buf, &head, sizeof(head));
    for (size_t i = 0; i < item->n_quals; i++) {
        (void) px_pack_raw(&buf, true, PMIX_INFO, &item->quals[i]);
    }
    rc = buf.len > UINT32_MAX ? px_buf_fail(&buf, PMIX_ERR_NOMEM) : buf.status;
    if (rc == 0) {
        /* The head is written last, when the length of the encoding is known. */
        head.len = (uint32_t) (buf.len - sizeof(head));
        memcpy(buf.data, &head, sizeof(head));
        rc = px_bump_copy(writer->bump, buf.data, buf.len, ret_loc);
    }
    px_buf_fini(&buf);
    return rc;
}

/* Writes a record's head and its cell; of a partial value (partial.h) the body is there already.
 * *ret_loc is the record's locator. 0, PMIX_ERR_OUT_OF_RESOURCE. */
static int put_record(struct px_writer *writer, const struct px_record *head,
                      const struct px_payload *payload, pmix_scope_t scope, uint64_t *ret_loc)
{
    uint64_t above = head->version.prev > head->link ? head->version.prev : head->link;
    void *at = px_partial_place(writer->store, payload, above);
    int rc = 0;

    if (at) {
        px_payload_put_frame(payload, scope, (unsigned char *) at + sizeof(*head));
        writer->has_partial = true;
    } else {
        rc = px_bump_take(writer->bump,
                          sizeof(*head) + sizeof(struct px_cell) + px_payload_len(payload), &at);
        if (rc) {
            return rc;
        }
        px_payload_put(payload, scope, (unsigned char *) at + sizeof(*head));
    }
    px_put(at, head, sizeof(*head));
    *ret_loc = px_bump_locator(writer->bump, at);
    return 0;
}

/* Writes one record with its cell; *ret_loc is its locator. prev: the version before, or 0. link:
 * the next record of the chain, 0 unless this is the first version. PMIX_ERR_OUT_OF_RESOURCE, or a
 * status of px_payload_encode or write_quals. */
static int write_record(struct px_writer *writer, const struct px_pending_record *item,
                        uint64_t prev, uint64_t link, uint64_t *ret_loc)
{
    struct px_record head = {
        .version = {.seq = writer->seq, .prev = prev},
        .link = link,
        .key = item->key,
        .index = item->index,
        .level = item->level,
    };
    struct px_payload payload;
    int rc;

    px_assert(item->key != 0 && prev < writer->bump->published >> 3);
    rc = item->n_quals ? write_quals(writer, item, &head.quals) : 0;

    if (rc == 0) {
        rc = px_partial_payload(writer->store, &item->datum, &payload);
    }
    if (rc) {
        return rc;
    }
    rc = put_record(writer, &head, &payload, item->datum.scope, ret_loc);
    px_payload_fini(&payload);
    return rc;
}

/* Makes a record reachable: by the key's word for unqualified job-level values, else by the record
 * table, in the slot of `old` if there is one. Takes effect with the publication. */
static int file_record(struct px_writer *writer, const struct px_pending_record *item, uint64_t old,
                       uint64_t loc)
{
    const struct px_key *key = px_writer_key(writer, item->key);
    uint64_t hash;

    if (item->level == PX_LEVEL_JOB && item->n_quals == 0) {
        return px_writer_word(writer, &key->job, loc);
    }
    hash = px_record_hash(item->level, item->index, item->key, item->n_quals ? &item->sum : NULL);
    return old ? px_table_edit_replace(&writer->record_edit, hash, old, loc)
               : px_table_edit_add(&writer->record_edit, hash, loc);
}

/* For an unqualified process-level value: marks the key's column as overlaid if it covers the rank,
 * and gives the key its any-rank hint. Both are words of the publication. PMIX_ERR_NOMEM. */
static int note_proc(struct px_writer *writer, const struct px_pending_record *item)
{
    const struct px_key *key = px_writer_key(writer, item->key);
    const struct px_column *col;

    if (item->level != PX_LEVEL_PROC || item->n_quals) {
        return 0;
    }
    if (key->column) {
        col = px_writer_at(writer, key->column);
        px_assert(col->key == item->key);
        /* Once set, the overlay stays: a column with newer values above it is read by way of the
         * table. */
        if (item->index < col->n && col->overlay == 0) {
            int rc = px_writer_word(writer, &col->overlay, writer->seq);

            if (rc) {
                return rc;
            }
        }
    }
    return px_datum_is_gone(&item->datum) ? 0 : px_writer_any_rank_hint(writer, key, item->index);
}

/* Writes the record of one entry, unless it would change nothing. A new record joins the chain of
 * its index list; a new version of an old one does not, because the chain has the first version
 * already. Statuses as px_writer_records. */
static int write_staged_record(struct px_writer *writer, const struct px_pending_record *item,
                               struct index_list *index_list)
{
    const struct px_key *key = px_writer_key(writer, item->key);
    struct px_present present;
    uint64_t old;
    uint64_t loc = 0;
    int rc =
        px_writer_compare(writer, (enum px_level) item->level, key,
                          item->n_quals ? &item->sum : NULL, item->index, &item->datum, &present);

    if (rc || present.same) {
        return rc;
    }
    writer->changed = true;
    rc = open_table(writer);
    if (rc == 0) {
        rc = open_index_list(writer, index_list, item);
    }
    if (rc) {
        return rc;
    }
    /* The present record, visible or not: the new one takes its place and keeps it as `prev`. */
    if (item->level == PX_LEVEL_JOB && item->n_quals == 0) {
        old = key->job;
    } else {
        old = px_record_find(&writer->read, item->level, item->index, item->key,
                             item->n_quals ? &item->sum : NULL);
    }
    px_assert(old == 0 || ((const struct px_record *) px_writer_at(writer, old))->key == item->key);
    px_writer_count_garbage_cell(writer, &present, &item->datum, old);
    rc = write_record(writer, item, old, old ? 0 : index_list->first, &loc);
    if (rc == 0 && old == 0) {
        index_list->first = loc;
        index_list->dirty = true;
    }
    if (rc == 0) {
        rc = file_record(writer, item, old, loc);
    }
    return rc ? rc : note_proc(writer, item);
}

/* The entry that those for the same value amount to, which are in order of arrival. */
static struct px_pending_record *merge_entries(struct px_pending_record *items, size_t from,
                                               size_t end)
{
    px_assert(from < end);
    for (size_t i = from + 1; i < end; i++) {
        struct px_datum datum = items[i - 1].datum;

        px_datum_follow(&datum, &items[i].datum);
        items[i].datum = datum;
    }
    return &items[end - 1];
}

/* Sorting brings entries for the same value and for the same index list together, so each value is
 * written once and each list is opened once. */
int px_writer_records(struct px_writer *writer)
{
    struct index_list index_list = {0};
    size_t i;
    int rc = 0;

    if (writer->n_items > 1) {
        qsort(writer->items, writer->n_items, sizeof(*writer->items), compare_items);
    }
    for (i = 0; rc == 0 && i < writer->n_items;) {
        size_t end = i + 1;

        while (end < writer->n_items && same_place(&writer->items[i], &writer->items[end])) {
            end++;
        }
        rc = write_staged_record(writer, merge_entries(writer->items, i, end), &index_list);
        i = end;
    }
    return rc ? rc : close_index_list(writer, &index_list);
}
