/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The values of a commit: two buffers, whatever the second one says of the first.
 * Covers: PUT-004 PUT-006 */
#include "src/server/data/commit_items.h"

#include "src/wire/codec.h"
#include "src/wire/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

static struct px_buf first;
static struct px_buf second;
static struct px_commit_items list;

/* Packs one value for each letter: the letter is its key, its number the value; a capital letter
 * has the same key and another value. */
static void pack(struct px_buf *buf, const char *letters)
{
    for (; *letters; letters++) {
        char key[2] = {(char) (*letters | 0x20), '\0'};
        pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = (uint32_t) *letters};

        assert_int_equal(px_pack_kval(buf, PX_WIRE_PLAIN, key, &value), 0);
    }
}

/* Reads two buffers. */
static void read_both(const char *near, const char *far)
{
    struct px_in in;

    list.reader = px_kval_reader_create(false, NULL);
    assert_non_null(list.reader);
    pack(&first, near);
    pack(&second, far);
    in = px_in_make(first.data, first.len, PX_WIRE_PLAIN);
    while (px_in_left(&in)) {
        assert_int_equal(px_commit_items_first(&list, &in, PMIX_LOCAL, false), 0);
    }
    in = px_in_make(second.data, second.len, PX_WIRE_PLAIN);
    while (px_in_left(&in)) {
        assert_int_equal(px_commit_items_second(&list, &in), 0);
    }
}

/* What the modex log will have, in its order, as letters; "endless" if the list does not end. */
static const char *logged(void)
{
    static char text[64];
    size_t n = 0;

    for (size_t at = list.first_logged; at; at = px_commit_item(&list, at - 1)->next_logged) {
        if (n > list.n) {
            return "endless";
        }
        assert_true(px_commit_item(&list, at - 1)->logged);
        text[n++] = (char) px_commit_item(&list, at - 1)->kval.entry.value->data.uint32;
    }
    text[n] = '\0';
    return text;
}

/* The scopes of the items: l, g, r, or - for one that is only logged. */
static const char *scopes(void)
{
    static char text[64];
    size_t i;

    for (i = 0; i < list.n; i++) {
        pmix_scope_t scope = px_commit_item(&list, i)->scope;

        text[i] = scope == PMIX_LOCAL    ? 'l'
                  : scope == PMIX_GLOBAL ? 'g'
                  : scope == PMIX_REMOTE ? 'r'
                                         : '-';
    }
    text[i] = '\0';
    return text;
}

static int teardown(void **state)
{
    (void) state;
    px_commit_items_fini(&list);
    px_buf_fini(&first);
    px_buf_fini(&second);
    return 0;
}

static void check(const char *near, const char *far, const char *want_scopes,
                  const char *want_logged)
{
    read_both(near, far);
    assert_string_equal(scopes(), want_scopes);
    assert_string_equal(logged(), want_logged);
    (void) teardown(NULL);
}

static void as_clients_send_them(void **state)
{
    (void) state;
    check("abc", "abc", "ggg", "abc");
    check("abc", "b", "lgl-", "b");
    check("abc", "", "lll", "");
    check("", "xy", "rr", "xy");
    check("ab", "ba", "gg--", "ba");
}

/* No library sends them: a value again, and another one of the same name. */
static void as_nobody_does(void **state)
{
    (void) state;
    check("ab", "abab", "gg--", "abab");
    check("ab", "aAbb", "gg--", "aAbb");
    check("aa", "aaa", "gg-", "aaa");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(as_clients_send_them, teardown),
        cmocka_unit_test_teardown(as_nobody_does, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
