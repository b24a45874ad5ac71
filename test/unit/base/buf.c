/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/buf.h"
#include "src/base/status.h"

static void grows_and_keeps(void **state)
{
    struct px_buf buf = {0};
    size_t len;
    unsigned char *bytes;

    (void) state;
    for (int i = 0; i < 100000; i++) {
        px_buf_byte(&buf, (unsigned char) i);
    }
    assert_true(px_buf_ok(&buf));
    assert_int_equal(buf.len, 100000);
    bytes = px_buf_take(&buf, &len);
    assert_int_equal(len, 100000);
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(bytes[i], (unsigned char) i);
    }
    free(bytes);
    assert_null(buf.data);
    assert_int_equal(buf.len, 0);
    px_buf_append(&buf, "again", 5);
    assert_memory_equal(buf.data, "again", 5);
    px_buf_fini(&buf);
    px_buf_fini(NULL);
}

static void a_failure_sticks(void **state)
{
    struct px_buf buf = {0};

    (void) state;
    px_buf_append(&buf, "abc", 3);
    assert_null(px_buf_extend(&buf, SIZE_MAX));
    assert_false(px_buf_ok(&buf));
    assert_null(px_buf_extend(&buf, 1));
    px_buf_append(&buf, "def", 3);
    assert_int_equal(buf.len, 3);
    assert_int_equal(px_buf_fail(&buf, PX_ERR_BAD_PARAM), PX_ERR_NOMEM);
    px_buf_fini(&buf);
    assert_int_equal(px_buf_fail(&buf, 0), 0);
    assert_true(px_buf_ok(&buf));
}

static void empty_appends(void **state)
{
    struct px_buf buf = {0};

    (void) state;
    px_buf_append(&buf, NULL, 0);
    assert_true(px_buf_ok(&buf));
    assert_int_equal(buf.len, 0);
    assert_non_null(px_buf_extend(&buf, 0));
    px_buf_fini(&buf);
}

static void texts_and_lists(void **state)
{
    struct px_buf buf = {0};
    char *text;

    (void) state;
    px_buf_item(&buf, "one");
    px_buf_item(&buf, "two");
    px_buf_text(&buf, "!");
    text = px_buf_take_text(&buf);
    assert_string_equal(text, "one,two!");
    free(text);
    assert_true(buf.data == NULL && buf.len == 0);
    text = px_buf_take_text(&buf);
    assert_string_equal(text, "");
    free(text);
    buf.status = PX_ERR_NOMEM;
    assert_null(px_buf_take_text(&buf));
    assert_true(px_buf_ok(&buf));
}

/* What there is room for moves nothing, and takes no more memory than it was said to be. */
static void room_beforehand(void **state)
{
    struct px_buf buf = {0};
    const unsigned char *at;

    (void) state;
    px_buf_byte(&buf, 'a');
    px_buf_reserve(&buf, 100000);
    at = buf.data;
    assert_int_equal(buf.cap, 100001);
    memset(px_buf_extend(&buf, 99999), 'b', 99999);
    px_buf_byte(&buf, 'c');
    px_buf_reserve(&buf, 0);
    assert_true(buf.data == at && buf.len == 100001 && buf.cap == 100001);
    assert_true(at[0] == 'a' && at[1] == 'b' && at[100000] == 'c');
    px_buf_byte(&buf, 'd');
    assert_true(px_buf_ok(&buf) && buf.data[100001] == 'd');
    px_buf_reserve(&buf, SIZE_MAX);
    assert_int_equal(buf.status, PX_ERR_NOMEM);
    px_buf_reserve(&buf, 1);
    assert_int_equal(buf.status, PX_ERR_NOMEM);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_keeps), cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(empty_appends),   cmocka_unit_test(texts_and_lists),
        cmocka_unit_test(room_beforehand),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
