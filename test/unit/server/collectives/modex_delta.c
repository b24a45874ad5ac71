/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/modex_delta.h"

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

enum { LONG = 3000, ROUNDS = 3000, MOST = 400 };

static struct px_in in_of(const void *bytes, size_t len)
{
    return px_in_make(bytes, len, PX_WIRE_PLAIN);
}

/* The delta of `bytes` against `base`, which restores them; its length. */
static size_t there_and_back(const void *base, size_t n_base, const void *bytes, size_t n)
{
    struct px_buf buf = {0};
    struct px_modex_delta delta = {.buf = &buf};
    unsigned char *got = malloc(n + 1);
    size_t len;

    assert_non_null(got);
    px_modex_delta_add(&delta, in_of(base, n_base), in_of(bytes, n));
    px_modex_delta_end(&delta);
    assert_true(px_buf_ok(&buf));
    got[n] = 0xee;
    assert_int_equal(px_modex_delta_restore(in_of(base, n_base), in_of(buf.data, buf.len), got, n),
                     0);
    assert_memory_equal(got, bytes, n);
    assert_int_equal(got[n], 0xee);
    /* Restored bytes are those that were asked for, or it fails. */
    assert_int_equal(
        px_modex_delta_restore(in_of(base, n_base), in_of(buf.data, buf.len), got, n + 1),
        PMIX_ERR_UNPACK_FAILURE);
    if (n > 0) {
        assert_int_equal(
            px_modex_delta_restore(in_of(base, n_base), in_of(buf.data, buf.len), got, n - 1),
            PMIX_ERR_UNPACK_FAILURE);
    }
    len = buf.len;
    px_buf_fini(&buf);
    free(got);
    return len;
}

static size_t texts(const char *base, const char *bytes)
{
    return there_and_back(base, strlen(base), bytes, strlen(bytes));
}

static void equal_bytes_take_one_step(void **state)
{
    char bytes[LONG];

    (void) state;
    memset(bytes, 7, sizeof(bytes));
    assert_int_equal(texts("", ""), 0);
    assert_int_equal(texts("address", "address"), 1);
    assert_int_equal(there_and_back(bytes, LONG, bytes, LONG), 2);
}

static void a_counter_in_a_long_address_takes_its_bytes(void **state)
{
    char before[LONG];
    char after[LONG];

    (void) state;
    memset(before, 7, sizeof(before));
    memcpy(after, before, sizeof(after));
    after[1000]++;
    after[2000]++;
    /* copy, replace, copy, replace, copy */
    assert_int_equal(there_and_back(before, LONG, after, LONG), 2 + 2 + 2 + 2 + 2);
}

static void other_lengths_are_aligned_at_both_ends(void **state)
{
    (void) state;
    assert_int_equal(texts("pid=999;host=node17;port=4000", "pid=1000;host=node17;port=4000"),
                     1 + 4 + 2 + 1);
    assert_int_equal(texts("pid=1000;host=node17", "pid=999;host=node17"), 1 + 4 + 1 + 1);
    assert_int_equal(texts("", "abc"), 4);
    assert_int_equal(texts("abc", ""), 1);
    assert_int_equal(texts("aaaa", "aaaaaa"), 1 + 3);
}

static void items_share_their_steps(void **state)
{
    struct px_buf buf = {0};
    struct px_modex_delta delta = {.buf = &buf};

    (void) state;
    for (int i = 0; i < 10; i++) {
        px_modex_delta_add(&delta, in_of("same", 4), in_of("same", 4));
    }
    px_modex_delta_end(&delta);
    px_modex_delta_end(&delta);
    assert_int_equal(buf.len, 2);
    px_buf_fini(&buf);
}

/* Changed, moved and cut pieces of random bytes. */
static void any_bytes_are_restored(void **state)
{
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned) strtoul(given, NULL, 10) : (unsigned) getpid();

    (void) state;
    print_message("SEED=%u\n", seed);
    srandom(seed);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned char base[MOST];
        unsigned char bytes[MOST];
        size_t n_base = (size_t) random() % MOST;
        size_t n = (size_t) random() % MOST;
        size_t from = (size_t) random() % (MOST / 4);

        for (size_t at = 0; at < MOST; at++) {
            base[at] = (unsigned char) (random() % 3);
            bytes[at] = random() % 8 == 0 ? (unsigned char) random() : base[(at + from) % MOST];
        }
        (void) there_and_back(base, n_base, bytes, n);
    }
}

/* Hostile deltas: each is refused, and nothing is read or written beyond the ends (which the
 * sanitizers see, as all is allocated to its size). */
static void refused(const char *bytes, size_t len)
{
    unsigned char *delta = malloc(len + 1);
    unsigned char *base = calloc(1, 8);
    unsigned char *out = malloc(8);

    assert_true(delta && base && out);
    memcpy(delta, bytes, len);
    assert_int_equal(px_modex_delta_restore(in_of(base, 8), in_of(delta, len), out, 8),
                     PMIX_ERR_UNPACK_FAILURE);
    free(delta);
    free(base);
    free(out);
}

#define REFUSED(text) refused(text, sizeof(text) - 1)

static void hostile_deltas_are_refused(void **state)
{
    (void) state;
    REFUSED("");           /* too few */
    REFUSED("\x24");       /* copy 9 of a base of 8 */
    REFUSED("\x20\x04");   /* copy 8, and one that is not there */
    REFUSED("\x1c\x06zz"); /* copy 7, insert 1 and a byte too many */
    REFUSED("\x26"
            "123456789"); /* insert 9 where 8 are wanted */
    REFUSED("\x21"
            "1234567");  /* replace 8 by 7 */
    REFUSED("\x27\x20"); /* skip 9 */
    REFUSED("\x23\x20"); /* skip all, copy 8 */
    REFUSED("\x13\x21"
            "12345678");                             /* skip 4, replace 8 of the 4 that are left */
    REFUSED("\x00\x20");                             /* a step of nothing */
    REFUSED("\xff\xff\xff\xff\xff\xff\xff\xff\xff"); /* a huge step */
    REFUSED("\xfc\xff\xff\xff\xff\xff\xff\xff\xff");
    REFUSED("\x80"); /* a number that does not end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bytes_take_one_step),
        cmocka_unit_test(a_counter_in_a_long_address_takes_its_bytes),
        cmocka_unit_test(other_lengths_are_aligned_at_both_ends),
        cmocka_unit_test(items_share_their_steps),
        cmocka_unit_test(any_bytes_are_restored),
        cmocka_unit_test(hostile_deltas_are_refused),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
