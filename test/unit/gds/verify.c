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
static struct px_placement *place;
static struct px_node *node;

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

    return px_hash_mix((uint64_t) r->level << 32 | r->index, r->key);
}

static void make_records(void)
{
    struct px_table_edit edit;

    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, 2, record_hash, seg.base), 0);
    index_list = object(sizeof(*index_list));
    *index_list = (struct px_record){.version.seq = 1, .level = PX_LEVEL_NODE, .index = 4};
    rec = object(sizeof(*rec) + sizeof(*cell) + 8);
    *rec =
        (struct px_record){.version.seq = 1, .level = PX_LEVEL_NODE, .index = 4, .key = loc(key)};
    cell = (struct px_cell *) (void *) (rec + 1);
    *cell = (struct px_cell){.len = 8, .type = 14, .form = PX_FORM_WORD};
    index_list->link = loc(rec);
    assert_int_equal(
        px_table_edit_add(&edit, record_hash(seg.base, loc(index_list)), loc(index_list)), 0);
    assert_int_equal(px_table_edit_add(&edit, record_hash(seg.base, loc(rec)), loc(rec)), 0);
    h->table = edit.loc;
    px_table_edit_fini(&edit);
}

static void make_place(void)
{
    struct px_cell *name = object(sizeof(*name) + 8);

    *name = (struct px_cell){.len = 3, .type = 3, .form = PX_FORM_TEXT};
    memcpy(name->payload, "n0", 3);
    node = object(sizeof(*node));
    *node = (struct px_node){.name = loc(name), .count = 5, .stride = 1};
    place = object(sizeof(*place));
    *place =
        (struct px_placement){.version.seq = 1, .n_nodes = 1, .n_ranks = 5, .nodes = loc(node)};
    place->node_of = (struct px_rank_map){.kind = PX_MAP_BLOCK, .k = 5};
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
    BROKEN(keys->max_probe, PX_SHM_TABLE_PROBES + 1, PX_VERIFY_TABLES);
    BROKEN(key->hash, 1, PX_VERIFY_TABLES);
    BROKEN(key->len, 2, PX_VERIFY_TABLES);
    BROKEN(key->name[0], 'x', PX_VERIFY_TABLES);
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
    BROKEN(index_list->link, UINT64_MAX, PX_VERIFY_TABLES);
    BROKEN(cell->len, 7, PX_VERIFY_TABLES);
    BROKEN(cell->len, UINT32_MAX, PX_VERIFY_TABLES);
    BROKEN(cell->form, 15, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_TIMEVAL, PX_VERIFY_TABLES);
    BROKEN(cell->form, PX_FORM_ARRAY, PX_VERIFY_TABLES);
    BROKEN(col->kind, 99, PX_VERIFY_ALL);
    BROKEN(col->width, 12, PX_VERIFY_ALL);
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
    BROKEN(node->name, loc(rec), PX_VERIFY_ALL);
    BROKEN(node->count, 6, PX_VERIFY_ALL);
    BROKEN(node->stride, 2, PX_VERIFY_ALL);
    BROKEN(node->stride, 0, PX_VERIFY_ALL);
    BROKEN(node->aliases, UINT64_MAX, PX_VERIFY_ALL);
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
        cmocka_unit_test_setup_teardown(bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(another_format, setup, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
