/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Streams of put values: what is stored of them, how qualified values are packed, damage and want
 * of memory. */

#include "support.h"

#include <pmix.h>

#include "gds/kval_reader.h"
#include "src/wire/compress.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

static pmix_info_t qualified[2];
static pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = qualified};

static pmix_value_t qualified_value(const char *key, uint32_t v, uint32_t qualifier)
{
    memset(qualified, 0, sizeof(qualified));
    PMIx_Load_key(qualified[0].key, key);
    qualified[0].value = u32(v);
    PMIx_Load_key(qualified[1].key, "q");
    qualified[1].value = u32(qualifier);
    PMIx_Info_qualifier(&qualified[1]);
    return (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
}

static void pack(struct px_buf *buf, enum px_wire_kind kind, const char *key, pmix_value_t value)
{
    assert_int_equal(px_pack_kval(buf, kind, key, &value), 0);
}

static void pack_all(struct px_buf *buf, enum px_wire_kind kind)
{
    pack(buf, kind, "number", u32(7));
    pack(buf, kind, "text", str("seven"));
    pack(buf, kind, PMIX_QUALIFIED_VALUE, qualified_value("number", 8, 1));
    pack(buf, kind, "number", u32(9));
}

static int read_all(struct px_kval_reader *reader, const struct px_buf *buf, enum px_wire_kind kind)
{
    struct px_in in = px_in_make(buf->data, buf->len, kind);
    struct px_kval kval;
    int rc = 0;

    while (rc == 0 && px_in_left(&in) > 0) {
        rc = px_kval_reader_next(reader, &in, &kval);
        if (rc == 0) {
            kval.entry.level = PX_LEVEL_PROC;
            kval.entry.index = 3;
            kval.entry.scope = PMIX_GLOBAL;
            rc = px_kval_reader_add(reader, &kval);
        }
    }
    return rc;
}

static void stored(void **state)
{
    const enum px_wire_kind kinds[] = {PX_WIRE_PLAIN, PX_WIRE_DESCRIBED};
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        struct px_store *store = make_store(false);
        struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
        struct px_buf buf = {0};
        struct px_slice slice;
        pmix_value_t folded;

        assert_null(px_kval_reader_batch(reader));
        pack_all(&buf, kinds[i]);
        assert_int_equal(read_all(reader, &buf, kinds[i]), 0);
        assert_int_equal(px_store_publish(store, px_kval_reader_batch(reader)), 0);
        px_kval_reader_destroy(reader);
        px_buf_fini(&buf);
        assert_int_equal(word(store, PX_LEVEL_PROC, 3, "number"), 9);
        assert_string_equal(text(store, PX_LEVEL_PROC, 3, "text"), "seven");
        (void) qualified_value("number", 8, 1);
        spec.rank = 3;
        spec.key = "number";
        spec.key_len = 6;
        spec.quals = &qualified[1];
        spec.n_quals = 1;
        assert_int_equal(px_store_get(store, &spec, &slice), 0);
        assert_int_equal(px_kval_fold("number", &slice, &folded), 0);
        assert_int_equal(folded.type, PMIX_DATA_ARRAY);
        assert_int_equal(folded.data.darray->size, 2);
        assert_string_equal(((pmix_info_t *) folded.data.darray->array)[0].key, "number");
        assert_int_equal(((pmix_info_t *) folded.data.darray->array)[0].value.data.uint32, 8);
        assert_string_equal(((pmix_info_t *) folded.data.darray->array)[1].key, "q");
        assert_int_equal(((pmix_info_t *) folded.data.darray->array)[1].value.data.uint32, 1);
        PMIx_Value_destruct(&folded);
        drop_store(store);
    }
}

/* The one value of a stream. */
static struct px_kval read_one(struct px_kval_reader *reader, const struct px_buf *buf)
{
    struct px_in in = px_in_make(buf->data, buf->len, PX_WIRE_PLAIN);
    struct px_kval kval;

    assert_int_equal(px_kval_reader_next(reader, &in, &kval), 0);
    assert_int_equal(px_in_left(&in), 0);
    assert_ptr_equal(kval.bytes, buf->data);
    assert_int_equal(kval.len, buf->len);
    return kval;
}

static bool same_name(const struct px_kval *a, const struct px_kval *b)
{
    struct px_kval_name name[2];
    bool same;

    assert_int_equal(px_kval_name(a, &name[0]), 0);
    assert_int_equal(px_kval_name(b, &name[1]), 0);
    same = name[0].len == name[1].len && memcmp(name[0].bytes, name[1].bytes, name[0].len) == 0;
    px_buf_fini(&name[0].room);
    px_buf_fini(&name[1].room);
    return same;
}

static void names(void **state)
{
    struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
    struct px_buf buf[5] = {0};
    struct px_kval kval[5];

    (void) state;
    pack(&buf[0], PX_WIRE_PLAIN, "key", u32(1));
    pack(&buf[1], PX_WIRE_PLAIN, "key", u32(2));
    pack(&buf[2], PX_WIRE_PLAIN, PMIX_QUALIFIED_VALUE, qualified_value("key", 1, 1));
    pack(&buf[3], PX_WIRE_PLAIN, PMIX_QUALIFIED_VALUE, qualified_value("key", 2, 1));
    pack(&buf[4], PX_WIRE_PLAIN, PMIX_QUALIFIED_VALUE, qualified_value("key", 1, 2));
    for (int i = 0; i < 5; i++) {
        kval[i] = read_one(reader, &buf[i]);
        assert_string_equal(kval[i].entry.key, "key");
        assert_int_equal(kval[i].key_len, 3);
        assert_int_equal(px_kval_is_qualified(&kval[i]), i >= 2);
    }
    assert_true(same_name(&kval[0], &kval[1]));
    assert_true(same_name(&kval[2], &kval[3]));
    assert_false(same_name(&kval[0], &kval[2]));
    assert_false(same_name(&kval[2], &kval[4]));
    px_kval_reader_destroy(reader);
    for (int i = 0; i < 5; i++) {
        px_buf_fini(&buf[i]);
    }
}

static void same_bytes(void **state)
{
    struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
    struct px_buf buf = {0};
    struct px_buf more = {0};
    struct px_kval kval;
    struct px_in in;

    (void) state;
    pack(&buf, PX_WIRE_PLAIN, "key", u32(1));
    kval = read_one(reader, &buf);
    pack(&more, PX_WIRE_PLAIN, "key", u32(1));
    pack(&more, PX_WIRE_PLAIN, "other", u32(1));
    in = px_in_make(more.data, more.len, PX_WIRE_PLAIN);
    assert_true(px_kval_is_next(&kval, &in));
    in.kind = PX_WIRE_DESCRIBED;
    assert_false(px_kval_is_next(&kval, &in));
    in = px_in_make(more.data, kval.len - 1, PX_WIRE_PLAIN);
    assert_false(px_kval_is_next(&kval, &in));
    in = px_in_make(more.data + kval.len, more.len - kval.len, PX_WIRE_PLAIN);
    assert_false(px_kval_is_next(&kval, &in));
    px_kval_reader_destroy(reader);
    px_buf_fini(&buf);
    px_buf_fini(&more);
}

static void one_key(void **state)
{
    struct px_store *store = make_store(false);
    struct px_kval_reader *reader = px_kval_reader_create(false, "text");
    struct px_buf buf = {0};

    (void) state;
    pack_all(&buf, PX_WIRE_PLAIN);
    assert_int_equal(read_all(reader, &buf, PX_WIRE_PLAIN), 0);
    assert_int_equal(px_store_publish(store, px_kval_reader_batch(reader)), 0);
    px_kval_reader_destroy(reader);
    assert_string_equal(text(store, PX_LEVEL_PROC, 3, "text"), "seven");
    assert_false(px_store_has_key(store, "number", 6));
    reader = px_kval_reader_create(false, "other");
    assert_int_equal(read_all(reader, &buf, PX_WIRE_PLAIN), 0);
    assert_null(px_kval_reader_batch(reader));
    px_kval_reader_destroy(reader);
    px_buf_fini(&buf);
    drop_store(store);
}

/* Keys that the reader remembers in one place: of one length, with one last letter. */
static void similar_keys(void **state)
{
    struct px_store *store = make_store(false);
    struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
    struct px_buf buf = {0};

    (void) state;
    pack(&buf, PX_WIRE_PLAIN, "left", u32(1));
    pack(&buf, PX_WIRE_PLAIN, "rift", u32(2));
    pack(&buf, PX_WIRE_PLAIN, "lift", u32(3));
    assert_int_equal(read_all(reader, &buf, PX_WIRE_PLAIN), 0);
    assert_int_equal(px_store_publish(store, px_kval_reader_batch(reader)), 0);
    assert_int_equal(word(store, PX_LEVEL_PROC, 3, "left"), 1);
    assert_int_equal(word(store, PX_LEVEL_PROC, 3, "rift"), 2);
    assert_int_equal(word(store, PX_LEVEL_PROC, 3, "lift"), 3);
    px_kval_reader_destroy(reader);
    px_buf_fini(&buf);
    drop_store(store);
}

static void damage(void **state)
{
    static pmix_proc_t procs[8] = {{.nspace = "number"}};
    static pmix_data_array_t no_infos = {.type = PMIX_PROC, .size = 8, .array = procs};
    static pmix_value_t numbers[100];
    static pmix_data_array_t nor_these = {.type = PMIX_VALUE, .size = 100, .array = numbers};
    const pmix_value_t none[] = {u32(1),
                                 u32(1),
                                 {.type = PMIX_DATA_ARRAY, .data.darray = &no_infos},
                                 {.type = PMIX_DATA_ARRAY, .data.darray = &nor_these}};
    struct px_buf buf = {0};
    size_t ends[5] = {0};

    (void) state;
    pack_all(&buf, PX_WIRE_PLAIN);
    for (size_t len = 0; len <= buf.len; len++) {
        struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
        struct px_buf part = {.data = buf.data, .len = len};

        if (read_all(reader, &part, PX_WIRE_PLAIN) == 0) {
            ends[0]++; /* at the end of one of the four, or at the beginning */
        }
        px_kval_reader_destroy(reader);
    }
    assert_int_equal(ends[0], 5);
    px_buf_fini(&buf);
    for (size_t i = 0; i < 100; i++) {
        numbers[i] = u32(1);
    }
    for (int i = 0; i < 4; i++) {
        struct px_kval_reader *reader = px_kval_reader_create(false, NULL);

        pack(&buf, PX_WIRE_PLAIN, i == 0 ? "" : PMIX_QUALIFIED_VALUE, none[i]);
        assert_int_equal(read_all(reader, &buf, PX_WIRE_PLAIN), PMIX_ERR_UNPACK_FAILURE);
        px_kval_reader_destroy(reader);
        px_buf_fini(&buf);
    }
}

static void compressed(void **state)
{
    char long_text[4096];
    pmix_value_t value = {.type = PMIX_COMPRESSED_STRING};
    void *pressed;
    struct px_buf buf = {0};

    (void) state;
    memset(long_text, 'x', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    assert_int_equal(px_deflate(long_text, sizeof(long_text) - 1, &pressed, &value.data.bo.size),
                     0);
    value.data.bo.bytes = pressed;
    pack(&buf, PX_WIRE_PLAIN, "key", value);
    free(pressed);
    for (int plain = 0; plain < 2; plain++) {
        struct px_kval_reader *reader = px_kval_reader_create(plain, NULL);
        struct px_kval kval = read_one(reader, &buf);

        assert_int_equal(kval.entry.value->type, plain ? PMIX_STRING : PMIX_COMPRESSED_STRING);
        if (plain) {
            assert_string_equal(kval.entry.value->data.string, long_text);
        }
        px_kval_reader_destroy(reader);
    }
    px_buf_fini(&buf);
}

static void without_memory(void **state)
{
    struct px_buf buf = {0};
    long left = 0;
    int rc = PMIX_ERR_NOMEM;

    (void) state;
    pack_all(&buf, PX_WIRE_PLAIN);
    while (rc == PMIX_ERR_NOMEM) {
        struct px_kval_reader *reader;

        fail_allocs_after(left++);
        reader = px_kval_reader_create(true, NULL);
        rc = reader ? read_all(reader, &buf, PX_WIRE_PLAIN) : PMIX_ERR_NOMEM;
        fail_allocs_after(-1);
        px_kval_reader_destroy(reader);
    }
    assert_int_equal(rc, 0);
    assert_true(left > 3);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored),       cmocka_unit_test(names),
        cmocka_unit_test(same_bytes),   cmocka_unit_test(one_key),
        cmocka_unit_test(damage),       cmocka_unit_test(compressed),
        cmocka_unit_test(similar_keys), cmocka_unit_test(without_memory),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
