/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Maps as pmix_regex2_t: what is made of a list gives the list again, in the shorter form; what is
 * malformed is refused, and nothing is written. */
#include "src/wire/regex2.h"

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
#include <pmix_deprecated.h>

#include "src/wire/compress.h"

static void returns(const char *list, const char *type)
{
    pmix_regex2_t map;
    char *back = NULL;

    assert_int_equal(px_regex2_make(list, &map), PMIX_SUCCESS);
    assert_string_equal(map.type, type);
    assert_true(map.len <= strlen(list));
    assert_int_equal(px_regex2_list(&map, &back), PMIX_SUCCESS);
    assert_string_equal(back, list);
    free(back);
    PMIx_Regex2_destruct(&map);
}

static void lists_return_as_they_were(void **state)
{
    char many[8192] = "";

    (void) state;
    returns("", "raw");
    returns("n1,n2", "raw");
    returns("0,1;2,3", "raw");
    for (size_t i = 0, len = 0; i < 500; i++) {
        len += (size_t) snprintf(many + len, sizeof(many) - len, "%snode%03zu", i ? "," : "", i);
    }
    returns(many, "compress");
}

static void refused(const char *type, const void *bytes, size_t len, int status)
{
    pmix_regex2_t map = {
        .type = (char *) (uintptr_t) type, .bytes = (uint8_t *) (uintptr_t) bytes, .len = len};
    char untouched;
    char *list = &untouched;

    assert_int_equal(px_regex2_list(&map, &list), status);
    assert_ptr_equal(list, &untouched);
}

static void what_is_malformed_is_refused(void **state)
{
    static const char zeros[300];
    void *bytes;
    size_t n;

    (void) state;
    refused(NULL, "a", 1, PMIX_ERR_BAD_PARAM);
    refused("raw", NULL, 1, PMIX_ERR_BAD_PARAM);
    refused("raw", "a\0b", 3, PMIX_ERR_BAD_PARAM);
    refused("raw", "a", SIZE_MAX, PMIX_ERR_NOMEM);
    refused("rawer", "a", 1, PMIX_ERR_NOT_SUPPORTED);
    refused("", "a", 1, PMIX_ERR_NOT_SUPPORTED);
    refused("compress", "abc", 3, PMIX_ERR_BAD_PARAM);
    refused("compress", "\xff\xff\xff\xff\x78\x9c\x03\x00", 8, PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_deflate(zeros, sizeof(zeros), &bytes, &n), PMIX_SUCCESS);
    refused("compress", bytes, n, PMIX_ERR_BAD_PARAM); /* a list of NULs */
    refused("compress", bytes, n - 1, PMIX_ERR_BAD_PARAM);
    free(bytes);
}

static void a_nul_at_the_end_is_no_part(void **state)
{
    pmix_regex2_t map = {
        .type = (char *) (uintptr_t) "raw", .bytes = (uint8_t[]){'a', 0}, .len = 2};
    char *list = NULL;

    (void) state;
    assert_int_equal(px_regex2_list(&map, &list), PMIX_SUCCESS);
    assert_string_equal(list, "a");
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_return_as_they_were),
        cmocka_unit_test(what_is_malformed_is_refused),
        cmocka_unit_test(a_nul_at_the_end_is_no_part),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
