/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The verifier finds what is wrong: a small segment is built by hand, checked, and broken in one
 * place at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gds/key_table.h"
#include "gds/lookup.h"
#include "gds/store.h"
#include "gds/verify.h"
#include "shmem/header.h"
#include "shmem/put.h"

static struct px_segment seg;
static struct px_bump bump;
static struct px_store_header *h;
static struct px_key *key;
static struct px_record *index_list;
static struct px_record *rec;
static struct px_column *col;
static struct px_cell *cell;
static struct px_table *keys;
static struct px_table *records;
static struct px_table *names;
static struct px_table *ids;
static struct px_placement *place;
static struct px_node *node;
static struct px_cell *name;
static struct px_cell *alias;
static struct px_quals *quals;
static struct px_record *qualified;

static void *object(uint64_t len)
{
    void *at;

    assert_int_equal(px_bump_take_zeroed(&bump, len, &at), 0);
    return at;
}

static uint64_t loc(const void *at)
{
    return px_bump_locator(&bump, at);
}

static uint64_t record_hash(const void *arg, uint64_t at)
{
    const struct px_record *r =
        (const struct px_record *) (const void *) ((const char *) arg + (at << 3));
    uint64_t hash = px_hash_mix((uint64_t) r->level << 32 | r->index, r->key);

    return r->quals ? px_hash_mix(hash, quals->sum_a) : hash;
}

static void file_record(struct px_table_edit *edit, const struct px_record *r)
{
    assert_int_equal(px_table_edit_add(edit, record_hash(seg.base, loc(r)), loc(r)), 0);
}

static void make_records(void)
{
    struct px_table_edit edit;

    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, 3, record_hash, seg.base), 0);
    index_list = object(sizeof(*index_list));
    *index_list = (struct px_record){.version.seq = 1, .level = PX_LEVEL_NODE, .index = 4};
    rec = object(sizeof(*rec) + sizeof(*cell) + 8);
    *rec =
        (struct px_record){.version.seq = 1, .level = PX_LEVEL_NODE, .index = 4, .key = loc(key)};
    cell = (struct px_cell *) (void *) (rec + 1);
    *cell = (struct px_cell){.len = 8, .type = 14, .form = PX_FORM_WORD};
    quals = object(sizeof(*quals) + 8);
    *quals = (struct px_quals){.sum_a = 7, .sum_b = 8, .n = 2, .len = 8};
    qualified = object(sizeof(*qualified) + sizeof(*cell) + 8);
    memcpy(qualified, rec, sizeof(*rec) + sizeof(*cell) + 8);
    qualified->quals = loc(quals);
    qualified->link = loc(rec);
    index_list->link = loc(qualified);
    file_record(&edit, index_list);
    file_record(&edit, rec);
    file_record(&edit, qualified);
    h->table = edit.loc;
    records = (struct px_table *) (void *) (seg.base + edit.loc * 8);
    px_table_edit_fini(&edit);
}

static struct px_cell *make_text(const char *text, uint32_t len)
{
    struct px_cell *made = object(sizeof(*made) + len + 1);

    *made = (struct px_cell){.len = len + 1, .type = PMIX_STRING, .form = PX_FORM_TEXT};
    memcpy(made->payload, text, len);
    return made;
}

static void make_place(void)
{
    uint64_t hashes[] = {px_hash_bytes("n0", 2), px_hash_bytes("other", 5)};
    uint64_t id = px_hash_mix(4, 0);
    uint64_t locs[2];
    uint64_t *list;

    name = make_text("n0", 2);
    alias = make_text("other", 5);
    list = object(2 * sizeof(*list));
    list[0] = 1;
    list[1] = loc(alias);
    node = object(sizeof(*node));
    *node = (struct px_node){
        .name = loc(name), .aliases = loc(list), .nodeid = 4, .count = 5, .stride = 1};
    place = object(sizeof(*place));
    *place = (struct px_placement){.version.seq = 1,
                                   .n_nodes = 1,
                                   .n_ranks = 5,
                                   .nodes = loc(node),
                                   .csr = loc(node),
                                   .n_csr = 1};
    place->node_of = (struct px_rank_map){.kind = PX_MAP_BLOCK, .k = 5};
    locs[0] = locs[1] = loc(node);
    assert_int_equal(px_table_build(&bump, hashes, locs, 2, &place->names), 0);
    assert_int_equal(px_table_build(&bump, &id, locs, 1, &place->ids), 0);
    names = (struct px_table *) (void *) (seg.base + place->names * 8);
    ids = (struct px_table *) (void *) (seg.base + place->ids * 8);
    h->place = loc(place);
}

static int setup(void **state)
{
    struct px_header_init init = {.name = "job", .fingerprint = PX_FORMAT_FINGERPRINT};
    struct px_table_edit edit;
    uint8_t *elements;
    uint64_t at;

    (void) state;
    assert_int_equal(px_segment_create(false, 1 << 20, NULL, &seg), 0);
    assert_int_equal(px_header_init(&seg, &init), 0);
    h = (struct px_store_header *) (void *) seg.base;
    px_bump_init(&bump, &seg, PX_SHM_HEADER_LEN);
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, 1, px_key_hash_of, seg.base), 0);
    assert_int_equal(px_key_add(&edit, "key", 3, px_hash_bytes("key", 3), 0, 0, &at), 0);
    key = (struct px_key *) (void *) (seg.base + at * 8);
    h->keys = edit.loc;
    keys = (struct px_table *) (void *) (seg.base + edit.loc * 8);
    px_table_edit_fini(&edit);
    make_records();
    elements = object(8);
    elements[3] = 9;
    col = object(sizeof(*col));
    *col = (struct px_column){.version.seq = 1, .key = loc(key), .data = loc(elements), .n = 8};
    col->kind = PX_COLUMN_ARRAY;
    col->type = PMIX_UINT32;
    col->width = 8;
    key->column = loc(col);
    h->columns = loc(col);
    make_place();
    h->sequence = 1;
    px_bump_publish(&bump);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_segment_close(&seg);
    return 0;
}

static void sound(void **state)
{
    struct px_fault fault = {0};

    (void) state;
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), 0);
    assert_null(fault.what);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, NULL), 0);
}

#define BROKEN(field, value, level)                                                                \
    broken(&(field), &(__typeof__(field)){(value)}, sizeof(field), level)

/* With other bytes there the level finds a fault, and the level below does not. */
static void broken(void *at, const void *value, size_t len, enum px_verify_level level)
{
    struct px_fault fault = {0};
    unsigned char saved[16];

    assert_true(len <= sizeof(saved));
    memcpy(saved, at, len);
    memcpy(at, value, len);
    assert_int_equal(px_format_verify(&seg, level, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_non_null(fault.what);
    if (level > PX_VERIFY_HEADER) {
        assert_int_equal(px_format_verify(&seg, level - 1, &fault), 0);
    }
    memcpy(at, saved, len);
    assert_int_equal(px_format_verify(&seg, level, NULL), 0);
}

/* The slot that leads to an object. */
static uint64_t *slot_of(struct px_table *table, const void *at)
{
    for (uint64_t i = 0; i < table->n_slots; i++) {
        if ((table->slots[i] & PX_SHM_LOC_MASK) == loc(at)) {
            return &table->slots[i];
        }
    }
    fail();
    return NULL;
}

static void every_fault(void **state)
{
    (void) state;
    BROKEN(h->used, 7, PX_VERIFY_HEADER);
    BROKEN(h->used, h->used + 4, PX_VERIFY_HEADER);
    BROKEN(h->state, 0, PX_VERIFY_HEADER);
    BROKEN(h->keys, UINT64_MAX, PX_VERIFY_TABLES);
    BROKEN(h->table, bump.next / 8, PX_VERIFY_TABLES);
    BROKEN(h->columns, loc(rec), PX_VERIFY_TABLES);
    BROKEN(keys->n_slots, 63, PX_VERIFY_TABLES);
    BROKEN(keys->n_slots, UINT64_C(1) << 40, PX_VERIFY_TABLES);
    BROKEN(keys->n_slots, UINT64_C(1) << 20, PX_VERIFY_TABLES);
    BROKEN(keys->max_probe, PX_SHM_TABLE_PROBES + 1, PX_VERIFY_TABLES);
    BROKEN(key->hash, 1, PX_VERIFY_TABLES);
    BROKEN(key->len, 2, PX_VERIFY_TABLES);
    BROKEN(key->name[0], 'x', PX_VERIFY_TABLES);
    BROKEN(key->realm, PX_REALM_PROC + 1, PX_VERIFY_TABLES);
    BROKEN(key->derived, PX_N_DERIVED, PX_VERIFY_TABLES);
    BROKEN(key->job, loc(rec), PX_VERIFY_ALL);
    BROKEN(key->column, UINT64_MAX, PX_VERIFY_ALL);
    BROKEN(rec->version.seq, 9, PX_VERIFY_TABLES);
    BROKEN(rec->version.seq, 0, PX_VERIFY_TABLES);
    BROKEN(rec->version.prev, loc(rec), PX_VERIFY_TABLES);
    BROKEN(rec->link, loc(rec), PX_VERIFY_TABLES);
    BROKEN(rec->index, 5, PX_VERIFY_TABLES);
    BROKEN(rec->level, PX_N_LEVELS, PX_VERIFY_TABLES);
    BROKEN(rec->key, loc(rec), PX_VERIFY_TABLES);
    BROKEN(rec->quals, UINT64_MAX, PX_VERIFY_TABLES);
    BROKEN(quals->n, 0, PX_VERIFY_TABLES);
    BROKEN(quals->n, 9, PX_VERIFY_TABLES);
    BROKEN(quals->len, UINT32_MAX, PX_VERIFY_TABLES);
    BROKEN(quals->sum_a, 9, PX_VERIFY_TABLES);
    BROKEN(index_list->link, UINT64_MAX, PX_VERIFY_TABLES);
    BROKEN(cell->len, 7, PX_VERIFY_TABLES);
    BROKEN(cell->len, UINT32_MAX, PX_VERIFY_TABLES);
    BROKEN(cell->form, 15, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_NONE, PX_VERIFY_TABLES);
    BROKEN(cell->type, PMIX_STRING, PX_VERIFY_TABLES);
    BROKEN(cell->type, PMIX_UNDEF, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_WORD | PX_CELL_TOMB, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_CELL_TOMB | PX_CELL_HIDDEN, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_TIMEVAL, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_ARRAY, PX_VERIFY_TABLES);
    BROKEN(col->kind, 99, PX_VERIFY_ALL);
    BROKEN(col->width, 12, PX_VERIFY_ALL);
    BROKEN(col->type, PMIX_STRING, PX_VERIFY_ALL);
    BROKEN(col->n, UINT32_MAX, PX_VERIFY_ALL);
    BROKEN(col->present, UINT64_MAX, PX_VERIFY_ALL);
    BROKEN(col->overlay, 9, PX_VERIFY_ALL);
    BROKEN(col->link, loc(col), PX_VERIFY_TABLES);
    BROKEN(col->kind, PX_COLUMN_DICT, PX_VERIFY_ALL);
    BROKEN(col->kind, PX_COLUMN_CELL, PX_VERIFY_ALL);
    BROKEN(col->kind, PX_COLUMN_LOC, PX_VERIFY_ALL);
    BROKEN(place->node_of.k, 0, PX_VERIFY_ALL);
    BROKEN(place->node_of.kind, 9, PX_VERIFY_ALL);
    BROKEN(place->node_of.kind, PX_MAP_ARRAY, PX_VERIFY_ALL);
    BROKEN(place->n_nodes, UINT32_MAX, PX_VERIFY_ALL);
    BROKEN(place->nodes, 0, PX_VERIFY_ALL);
    BROKEN(place->csr, 0, PX_VERIFY_ALL);
    BROKEN(place->n_csr, (UINT64_C(1) << 62) + 1, PX_VERIFY_ALL); /* four bytes, modulo 2^64 */
    BROKEN(place->names, 0, PX_VERIFY_ALL);
    BROKEN(place->ids, 0, PX_VERIFY_ALL);
    BROKEN(place->ids, place->names, PX_VERIFY_ALL);
    BROKEN(names->n_slots, 3, PX_VERIFY_ALL);
    BROKEN(*slot_of(names, node), *slot_of(names, node) + 1, PX_VERIFY_ALL);
    BROKEN(*slot_of(names, node), *slot_of(names, node) - loc(node) + loc(rec), PX_VERIFY_ALL);
    BROKEN(name->payload[2], 'x', PX_VERIFY_ALL);
    BROKEN(name->payload[0], 'x', PX_VERIFY_ALL);
    BROKEN(alias->payload[0], 'x', PX_VERIFY_ALL);
    BROKEN(alias->form, PX_FORM_TEXT | PX_CELL_HIDDEN, PX_VERIFY_ALL);
    BROKEN(node->nodeid, 5, PX_VERIFY_ALL);
    BROKEN(node->name, loc(rec), PX_VERIFY_ALL);
    BROKEN(node->count, 6, PX_VERIFY_ALL);
    BROKEN(node->stride, 2, PX_VERIFY_ALL);
    BROKEN(node->stride, 0, PX_VERIFY_ALL);
    BROKEN(node->aliases, UINT64_MAX, PX_VERIFY_ALL);
}

/* A table has all nodes of the placement, and then something else. */
static void more_than_nodes(void **state)
{
    uint64_t *slot = slot_of(ids, node);
    uint64_t *next = &ids->slots[(slot - ids->slots + 1) % ids->n_slots];

    (void) state;
    assert_int_equal(*next, 0);
    BROKEN(*next, loc(node) + 1, PX_VERIFY_ALL);
    BROKEN(*next, loc(node) - 4, PX_VERIFY_ALL);
    BROKEN(*next, loc(node) + 4, PX_VERIFY_ALL);
}

/* An empty table at the end of what is used, whose slots are not: nothing is read beyond the end.
 */
static void slots_beyond_the_end(void **state)
{
    const struct px_table head = {.n_slots = 1 << 20, .max_probe = PX_SHM_TABLE_PROBES};
    struct px_table *last = object(sizeof(head));
    struct px_fault fault;

    (void) state;
    memcpy(last, &head, sizeof(head));
    px_bump_publish(&bump);
    place->names = loc(last);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "table slots are outside");
}

/* A record in another slot than that where it is looked for, and nothing else is wrong. */
static void wrong_slot(void **state)
{
    uint64_t *slot = slot_of(records, rec);
    uint64_t *other = &records->slots[(slot - records->slots + 32) % records->n_slots];
    struct px_fault fault;

    (void) state;
    assert_int_equal(*other, 0);
    *other = *slot;
    *slot = 0;
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "record is not found where it is filed");
}

/* A job-level value that is filed like others: nobody looks for it there. */
static void job_level_record(void **state)
{
    struct px_table_edit edit;
    struct px_record *job = object(sizeof(*job) + sizeof(*cell) + 8);
    struct px_fault fault;

    (void) state;
    memcpy(job, rec, sizeof(*rec) + sizeof(*cell) + 8);
    job->level = PX_LEVEL_JOB;
    job->index = 0;
    assert_int_equal(px_table_edit_init(&edit, &bump, h->table, 3, 1, record_hash, seg.base), 0);
    file_record(&edit, job);
    px_bump_publish(&bump);
    px_table_edit_publish(&edit);
    px_table_edit_fini(&edit);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "job-level value is not filed with its key");
}

/* A version whose older one, sound in itself, lies above it. */
static void upward(void **state)
{
    struct px_record *older = object(sizeof(*older) + sizeof(*cell) + 8);
    struct px_fault fault;

    (void) state;
    memcpy(older, rec, sizeof(*rec) + sizeof(*cell) + 8);
    rec->version = (struct px_version){.seq = 2, .prev = loc(older)};
    h->sequence = 2;
    px_bump_publish(&bump);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "version does not descend");
}

/* n versions of a column that all say the same elements are theirs. */
static void share_elements(uint32_t n_columns, uint32_t n_elements)
{
    uint64_t elements = loc(object(n_elements));
    uint64_t *dict = object(sizeof(*dict));
    uint64_t prev = key->column;
    uint32_t i;

    dict[0] = loc(cell);
    for (i = 0; i < n_columns; i++) {
        struct px_column *next = object(sizeof(*next));

        *next = (struct px_column){
            .version = {.seq = 2 + i, .prev = prev}, .key = loc(key), .base = loc(dict)};
        next->kind = PX_COLUMN_DICT;
        next->n_dict = 1;
        next->width = 8;
        next->n = n_elements;
        next->data = elements;
        prev = loc(next);
    }
    key->column = prev;
    h->sequence = 1 + n_columns;
    px_bump_publish(&bump);
}

static void beyond_the_dictionary(void **state)
{
    struct px_column *last;
    struct px_fault fault;

    (void) state;
    share_elements(1, 8);
    last = (struct px_column *) (void *) (seg.base + key->column * 8);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), 0);
    seg.base[last->data * 8 + 7] = 1;
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "column leads beyond its dictionary");
}

/* A column of locators of cells, and a dictionary, with a cell that is damaged or leads outside. */
static void damaged_cells(void **state)
{
    const struct px_cell outside = {
        .len = UINT32_MAX, .type = PMIX_BYTE_OBJECT, .form = PX_FORM_BYTES};
    struct px_column *last;
    uint64_t *locs;
    struct px_cell *other;

    (void) state;
    share_elements(1, 8);
    last = (struct px_column *) (void *) (seg.base + key->column * 8);
    other = make_text("of a column", 11);
    locs = object(8 * sizeof(*locs));
    locs[7] = loc(other);
    px_bump_publish(&bump);
    for (int dict = 1; dict >= 0; dict--) {
        last->kind = dict ? PX_COLUMN_DICT : PX_COLUMN_LOC;
        last->width = dict ? 8 : 64;
        last->base = loc(&locs[7]);
        last->data = dict ? last->data : loc(locs); /* all elements are 0: the first cell */
        assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, NULL), 0);
        broken(other, &outside, sizeof(outside), PX_VERIFY_ALL);
        BROKEN(other->payload[11], 'x', PX_VERIFY_ALL);
        BROKEN(locs[7], UINT64_MAX, PX_VERIFY_ALL);
    }
}

/* However many ways lead to the same bytes, the answer comes after a number of steps in proportion
 * to the bytes; and that is never in the way of a segment that has that much to check. */
static void bounded(void **state)
{
    struct px_fault fault;

    (void) state;
    share_elements(4, 400000);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), 0);
    assert_true(fault.steps > 4 * 400000);
    share_elements(1000, 400000);
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, &fault), PMIX_ERR_UNPACK_FAILURE);
    assert_string_equal(fault.what, "more to read than there are bytes");
    assert_true(fault.steps <= PX_VERIFY_STEPS + h->used / 8 * PX_VERIFY_STEPS_PER_WORD);
}

static void another_format(void **state)
{
    (void) state;
    h->id.major = 2;
    assert_int_equal(px_format_verify(&seg, PX_VERIFY_ALL, NULL), PMIX_ERR_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sound, setup, teardown),
        cmocka_unit_test_setup_teardown(every_fault, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(slots_beyond_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_slot, setup, teardown),
        cmocka_unit_test_setup_teardown(job_level_record, setup, teardown),
        cmocka_unit_test_setup_teardown(upward, setup, teardown),
        cmocka_unit_test_setup_teardown(beyond_the_dictionary, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_cells, setup, teardown),
        cmocka_unit_test_setup_teardown(bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(another_format, setup, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
