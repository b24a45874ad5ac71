/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/modex_log.h"

#include "gds/kval_reader.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

static struct px_modex_log box;
static uint64_t counter;
static enum px_wire_kind kind = PX_WIRE_PLAIN; /* of a commit */

/* The bytes that are copied before a value is put, at a time, or 0; how often at most; how often
 * it was. */
static size_t part;
static unsigned most_parts;
static unsigned n_parts;

static int setup(void **state)
{
    (void) state;
    memset(&box, 0, sizeof(box));
    counter = 0;
    kind = PX_WIRE_PLAIN;
    part = 0;
    most_parts = UINT_MAX;
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_modex_log_fini(&box);
    return 0;
}

/* `other`: a value that is put under the same key in between, or NULL. */
static void put_beside(const char *key, const pmix_value_t *value, const pmix_value_t *other);

static void put(const char *key, const pmix_value_t *value)
{
    put_beside(key, value, NULL);
}

static void put_beside(const char *key, const pmix_value_t *value, const pmix_value_t *other)
{
    struct px_modex_log_copy copy = {.item = NULL};
    struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
    struct px_buf buf = {0};
    struct px_kval kval;
    struct px_in in;

    assert_int_equal(px_pack_kval(&buf, kind, key, value), 0);
    in = px_in_make(buf.data, buf.len, kind);
    assert_int_equal(px_kval_reader_next(reader, &in, &kval), 0);
    n_parts = 0;
    while (part && n_parts < most_parts) {
        n_parts++;
        if (px_modex_log_copy(&box, &copy, &kval, part)) {
            break;
        }
    }
    if (other) {
        part = 0;
        put(key, other);
    }
    assert_int_equal(px_modex_log_put(&box, &kval, &copy, &counter), 0);
    px_modex_log_item_free(copy.item);
    px_kval_reader_destroy(reader);
    px_buf_fini(&buf);
}

static void put_number(const char *key, uint32_t v)
{
    put(key, &(pmix_value_t){.type = PMIX_UINT32, .data.uint32 = v});
}

/* "key" with the qualifiers a and b, in either order. */
static void put_qualified(uint32_t v, bool turned)
{
    pmix_info_t infos[3];
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 3, .array = infos};
    uint32_t one = 1;

    PMIX_INFO_LOAD(&infos[0], "key", &v, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], turned ? "b" : "a", &one, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[2], turned ? "a" : "b", &one, PMIX_UINT32);
    put(PMIX_QUALIFIED_VALUE, &(pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array});
}

/* What is packed, as "key=number ". */
static const char *packed(uint64_t since, struct px_modex_log_span *span)
{
    static char text[256];
    struct px_modex_list list = {0};

    text[0] = 0;
    *span = px_modex_log_since(&box, since);
    assert_int_equal(px_modex_log_list(&box, since, &list), 0);
    assert_int_equal(span->len, list.bytes);
    for (size_t i = 0; i < list.n; i++) {
        size_t at = strlen(text);
        pmix_value_t value;
        char *key;

        assert_int_equal(px_unpack_kval(&list.values[i], &key, &value), 0);
        assert_int_equal(px_in_left(&list.values[i]), 0);
        if (value.type == PMIX_DATA_ARRAY) {
            const pmix_info_t *first = value.data.darray->array;

            snprintf(text + at, sizeof(text) - at, "%.8s/%.8s=%u ", first[0].key, first[1].key,
                     first[0].value.data.uint32);
        } else {
            snprintf(text + at, sizeof(text) - at, "%.8s=%u ", key, value.data.uint32);
        }
        PMIx_Value_destruct(&value);
        free(key);
    }
    px_modex_list_free(&list);
    return text;
}

static void in_order_of_posting(void **state)
{
    struct px_modex_log_span span;

    (void) state;
    assert_string_equal(packed(0, &span), "");
    assert_int_equal(span.to, 0);
    put_number("c", 1);
    put_number("a", 2);
    put_number("b", 3);
    assert_string_equal(packed(0, &span), "c=1 a=2 b=3 ");
    assert_int_equal(span.from, 0);
    assert_int_equal(span.to, 3);
    put_number("c", 4);
    assert_string_equal(packed(0, &span), "a=2 b=3 c=4 ");
}

static void what_came_since(void **state)
{
    struct px_modex_log_span span;

    (void) state;
    put_number("a", 1);
    counter = 10; /* others have posted */
    put_number("b", 2);
    assert_string_equal(packed(1, &span), "b=2 ");
    assert_int_equal(span.from, 1);
    assert_int_equal(span.to, 11);
    assert_string_equal(packed(11, &span), "");
    assert_int_equal(span.from, span.to);
    put_number("a", 3);
    assert_string_equal(packed(11, &span), "a=3 ");
    assert_string_equal(packed(5, &span), "b=2 a=3 ");
    assert_int_equal(span.from, 0); /* what was there at 5 has been replaced */
}

/* Stock clients commit everything again. */
static void unchanged_stays(void **state)
{
    struct px_modex_log_span span;

    (void) state;
    put_number("a", 1);
    put_number("b", 2);
    put_number("a", 1);
    assert_int_equal(counter, 2);
    assert_string_equal(packed(0, &span), "a=1 b=2 ");
}

static void qualified_values(void **state)
{
    struct px_modex_log_span span;

    (void) state;
    put_number("key", 9);
    put_qualified(1, false);
    put_qualified(2, false);
    assert_string_equal(packed(0, &span), "key=9 key/a=2 ");
    put_qualified(3, true);
    assert_string_equal(packed(0, &span), "key=9 key/a=2 key/b=3 ");
    put_qualified(
        2, false); /* equal to what is here, but now the newest of those with these qualifiers */
    assert_string_equal(packed(0, &span), "key=9 key/b=3 key/a=2 ");
}

/* A commit in the described encoding is kept, and compared, in the plain one. */
static void described(void **state)
{
    struct px_modex_log_span span;

    (void) state;
    kind = PX_WIRE_DESCRIBED;
    put_number("a", 1);
    put_qualified(2, false);
    kind = PX_WIRE_PLAIN;
    put_number("a", 1);
    assert_int_equal(counter, 2);
    assert_string_equal(packed(0, &span), "a=1 key/a=2 ");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

enum { LARGE = 100000, PART = 10000, PARTS = 11 };

static char large[LARGE + 1];

/* True if the log has this value last, as its only one. */
static bool has_last(const pmix_value_t *value, uint64_t number)
{
    struct px_buf buf = {0};
    struct px_modex_list list = {0};
    bool same;

    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "key", value), 0);
    assert_int_equal(px_modex_log_list(&box, 0, &list), 0);
    assert_int_equal(list.n, 1);
    same =
        px_in_left(&list.values[0]) == buf.len && memcmp(list.values[0].at, buf.data, buf.len) == 0;
    px_modex_list_free(&list);
    px_buf_fini(&buf);
    return same && counter == number;
}

/* A value that is compared and copied in parts before it is put: another one, the same, one that
 * differs at its end; of which all is done before, or a part. */
static void in_parts(void **state)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = large};

    (void) state;
    memset(large, 'x', LARGE);
    for (most_parts = 0; most_parts <= 2 * PARTS; most_parts++) {
        uint64_t before;

        large[0] = (char) ('a' + most_parts);
        part = PART;
        put("key", &value);
        before = counter;
        assert_true(has_last(&value, before));
        put("key", &value);
        assert_true(has_last(&value, before));
        assert_int_equal(n_parts, most_parts < PARTS ? most_parts : PARTS);
        large[LARGE - 1]++;
        put("key", &value);
        assert_true(has_last(&value, before + 1));
    }
    assert_int_equal(n_parts, 2 * PARTS - 1);
}

/* What it was compared with is replaced before it is put. */
static void in_parts_beside_others(void **state)
{
    static char other_bytes[LARGE + 1];
    pmix_value_t value = {.type = PMIX_STRING, .data.string = large};
    pmix_value_t other = {.type = PMIX_STRING, .data.string = other_bytes};

    (void) state;
    memset(large, 'x', LARGE);
    memset(other_bytes, 'y', LARGE);
    part = PART;
    put("key", &value);
    part = PART;
    put_beside("key", &value, &other); /* it was the same, and is not */
    assert_true(has_last(&value, 3));
    part = PART;
    put_beside("key", &other, &other); /* it differed, and is the same */
    assert_true(has_last(&other, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_order_of_posting),    TEST(what_came_since), TEST(unchanged_stays),
        TEST(qualified_values),       TEST(described),       TEST(in_parts),
        TEST(in_parts_beside_others),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
