/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Views take and refuse exactly what copying does, and say the same of it. Buffers and byte
 * objects: messages.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>

#include "gen.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/wire/kval_view.h"

static const enum px_wire_kind kinds[] = {PX_WIRE_PLAIN, PX_WIRE_DESCRIBED};

/* A copy in memory of its own size, so that a sanitizer sees every byte that is read beyond it. */
static void *exactly(const void *bytes, size_t len)
{
    void *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    return copy;
}

static void same_value(const pmix_value_t *a, const pmix_value_t *b)
{
    struct px_buf bytes[2] = {{0}, {0}};

    if (a->type == PX_TYPE_ENCODED) {
        struct px_in in = px_in_make(a->data.bo.bytes, a->data.bo.size, PX_WIRE_PLAIN);
        pmix_value_t value;

        assert_int_equal(px_unpack_raw(&in, PMIX_VALUE, &value), 0);
        assert_int_equal(px_in_left(&in), 0);
        same_value(&value, b);
        PMIx_Value_destruct(&value);
        return;
    }
    assert_int_equal(a->type, b->type);
    assert_int_equal(px_pack_raw(&bytes[0], true, PMIX_VALUE, a),
                     px_pack_raw(&bytes[1], true, PMIX_VALUE, b));
    assert_int_equal(bytes[0].len, bytes[1].len);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].len);
    px_buf_fini(&bytes[0]);
    px_buf_fini(&bytes[1]);
}

/* Returns the status of both. */
static int read_both(const void *bytes, size_t len, enum px_wire_kind kind)
{
    struct px_in copied = px_in_make(bytes, len, kind);
    struct px_in viewed = copied;
    struct px_kval_view view;
    pmix_value_t value;
    char *key;
    int rc = px_unpack_kval(&copied, &key, &value);

    assert_int_equal(px_unpack_kval_view(&viewed, &view), rc);
    assert_ptr_equal(viewed.at, copied.at);
    if (rc == 0) {
        assert_string_equal(view.key, key);
        assert_int_equal(view.key_len, strlen(key));
        same_value(&view.value, &value);
        PMIx_Value_destruct(&value);
        free(key);
    }
    if (rc == 0) {
        px_view_free(&view.value, view.owns);
    }
    return rc;
}

static void pack(struct px_buf *buf, struct gen *gen, enum px_wire_kind kind)
{
    static const char *const keys[] = {"k", "", "a key that is longer than a word"};
    pmix_value_t value;

    gen_fill(gen, PMIX_VALUE, &value, 2);
    assert_int_equal(px_pack_kval(buf, kind, keys[gen_below(gen, 3)], &value), 0);
    PMIx_Value_destruct(&value);
}

static void pairs_are_those_that_are_copied(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (int i = 0; i < 400; i++) {
        enum px_wire_kind kind = kinds[gen_below(&gen, 2)];
        struct px_buf buf = {0};
        unsigned char *bytes;

        pack(&buf, &gen, kind);
        (void) read_both(buf.data, buf.len, kind);
        for (size_t len = 0; len < buf.len && len < 64; len++) {
            bytes = exactly(buf.data, len);
            (void) read_both(bytes, len, kind);
            free(bytes);
        }
        for (int j = 0; j < 64; j++) {
            bytes = exactly(buf.data, buf.len);
            bytes[gen_below(&gen, buf.len < 48 ? buf.len : 48)] = (unsigned char) gen_next(&gen);
            (void) read_both(bytes, buf.len, kind);
            free(bytes);
        }
        px_buf_fini(&buf);
    }
}

static void what_can_be_is_borrowed(void **state)
{
    pmix_value_t values[] = {
        {.type = PMIX_STRING, .data.string = "word"},
        {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = "bytes", .size = 5}},
        {.type = PMIX_UINT32, .data.uint32 = 7},
        {.type = PMIX_STRING},
        {.type = PMIX_BYTE_OBJECT},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct px_buf buf = {0};
        struct px_kval_view view;
        struct px_in in;
        const unsigned char *at;

        assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "key", &values[i]), 0);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack_kval_view(&in, &view), 0);
        assert_int_equal(view.owns, PX_VIEW_NOTHING);
        assert_true((const unsigned char *) view.key > buf.data &&
                    (const unsigned char *) view.key < in.end);
        at = (const unsigned char *) (i ? view.value.data.bo.bytes : view.value.data.string);
        assert_true(i > 1 || (at > buf.data && at < in.end));
        assert_true(i < 3 || !at);
        px_buf_fini(&buf);
    }
}

/* An array of strings or processes stays encoded, in the message; it counts as one that is copied.
 */
static void arrays_stay_encoded(void **state)
{
    char *strings[] = {"first", NULL, ""};
    pmix_proc_t procs[] = {{"job", 1}, {"job", 2}, {"other", 3}};
    pmix_data_array_t arrays[] = {{PMIX_STRING, 3, strings}, {PMIX_PROC, 3, procs}};

    (void) state;
    for (int i = 0; i < 2; i++) {
        pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &arrays[i]};
        struct px_buf buf = {0};
        struct px_kval_view view;
        struct px_in in;
        const unsigned char *at;

        assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "key", &value), 0);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack_kval_view(&in, &view), 0);
        assert_int_equal(view.owns, PX_VIEW_NOTHING);
        assert_int_equal(view.value.type, PX_TYPE_ENCODED);
        same_value(&view.value, &value);
        at = (const unsigned char *) view.value.data.bo.bytes;
        assert_true(at > buf.data && at + view.value.data.bo.size == in.at);
        assert_true(in.made > 0);

        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        in.most = 3 * sizeof(pmix_proc_t) - 1;
        assert_int_equal(px_unpack_kval_view(&in, &view), PMIX_ERR_OUT_OF_RESOURCE);
        px_buf_fini(&buf);
    }
}

/* One without elements is made. */
static void empty_arrays_are_made(void **state)
{
    pmix_data_array_t array = {.type = PMIX_STRING};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    struct px_buf buf = {0};
    struct px_kval_view view;
    struct px_in in;

    (void) state;
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "key", &value), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_kval_view(&in, &view), 0);
    assert_int_equal(view.value.type, PMIX_DATA_ARRAY);
    assert_int_equal(view.value.data.darray->size, 0);
    px_view_free(&view.value, view.owns);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_that_are_copied),
        cmocka_unit_test(what_can_be_is_borrowed),
        cmocka_unit_test(arrays_stay_encoded),
        cmocka_unit_test(empty_arrays_are_made),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
