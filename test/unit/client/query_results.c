/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shape of query results. Covers: QRY-007 QRY-008 QRY-009 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/nspace/query_args.h"
#include "src/client/query_results.h"

static pmix_info_t pair(const char *key, int number)
{
    pmix_info_t info;

    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_load(&info, key, &number, PMIX_INT), PMIX_SUCCESS);
    return info;
}

static const pmix_info_t *inner(const pmix_info_t *result, size_t i)
{
    assert_string_equal(result->key, PMIX_QUERY_RESULTS);
    assert_int_equal(result->value.type, PMIX_DATA_ARRAY);
    assert_true(i < result->value.data.darray->size);
    return &((const pmix_info_t *) result->value.data.darray->array)[i];
}

static void shapes(void **state)
{
    char *keys[] = {(char *) "a", (char *) "b", NULL};
    pmix_query_t query = {.keys = keys};
    pmix_info_t flat[2] = {pair("a", 1), pair("b", 2)};
    pmix_info_t *info;
    size_t n;

    (void) state;
    assert_int_equal(px_results_shape(&query, 1, flat, 2, "both", &info, &n), 0);
    assert_int_equal(n, 3);
    assert_string_equal(info[0].key, "a");
    assert_int_equal(inner(&info[2], 1)->value.data.integer, 2);
    PMIx_Info_free(info, n);
    assert_int_equal(px_results_shape(&query, 1, flat, 2, "nested", &info, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(inner(&info[0], 0)->value.data.integer, 1);
    PMIx_Info_free(info, n);
    assert_int_equal(px_results_shape(&query, 1, flat, 2, "flat", &info, &n), 0);
    assert_int_equal(n, 2);
    PMIx_Info_free(info, n);
    assert_int_equal(px_results_shape(&query, 1, NULL, 0, "both", &info, &n), 0);
    assert_int_equal(n, 0);
    assert_null(info);
}

/* The same key in several queries: each gets its own answer, behind its own qualifiers. */
static void by_query(void **state)
{
    char *keys[] = {(char *) "a", NULL};
    char *both[] = {(char *) "b", (char *) "a", NULL};
    pmix_info_t quals[2] = {pair("node", 1), pair("node", 2)};
    pmix_query_t queries[3] = {
        {.keys = keys, .qualifiers = &quals[0], .nqual = 1},
        {.keys = keys, .qualifiers = &quals[1], .nqual = 1},
        {.keys = both},
    };
    pmix_info_t flat[4] = {pair("a", 1), pair("a", 2), pair("b", 3), pair("a", 4)};
    pmix_query_t *copy = px_queries_copy(queries, 3);
    pmix_info_t *info;
    size_t n;

    (void) state;
    assert_non_null(copy);
    assert_int_equal(px_results_shape(copy, 3, flat, 4, "nested", &info, &n), 0);
    assert_int_equal(n, 3);
    assert_string_equal(inner(&info[0], 0)->key, PMIX_QUERY_QUALIFIERS);
    assert_int_equal(inner(&info[0], 1)->value.data.integer, 1);
    assert_int_equal(inner(&info[1], 1)->value.data.integer, 2);
    assert_int_equal(inner(&info[2], 0)->value.data.integer, 3);
    assert_int_equal(inner(&info[2], 1)->value.data.integer, 4);
    PMIx_Info_free(info, n);
    /* The host answers the later ones, the server what it left out. */
    flat[0] = pair("b", 5);
    flat[1] = pair("a", 6);
    flat[2] = pair("a", 7);
    assert_int_equal(px_results_shape(copy, 3, flat, 3, "nested", &info, &n), 0);
    assert_int_equal(inner(&info[2], 0)->value.data.integer, 5);
    assert_int_equal(inner(&info[2], 1)->value.data.integer, 6);
    assert_int_equal(inner(&info[0], 1)->value.data.integer, 7);
    assert_int_equal(info[1].value.data.darray->size, 1);
    PMIx_Info_free(info, n);
    PMIx_Query_free(copy, 3);
}

/* A key twice in one query, and once in the next. */
static void repeated(void **state)
{
    char *twice[] = {(char *) "a", (char *) "a", NULL};
    char *once[] = {(char *) "a", NULL};
    pmix_query_t queries[2] = {{.keys = twice}, {.keys = once}};
    pmix_info_t flat[3] = {pair("a", 1), pair("a", 2), pair("a", 3)};
    pmix_info_t *info;
    size_t n;

    (void) state;
    assert_int_equal(px_results_shape(queries, 2, flat, 3, "nested", &info, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(info[0].value.data.darray->size, 2);
    assert_int_equal(inner(&info[0], 0)->value.data.integer, 1);
    assert_int_equal(inner(&info[0], 1)->value.data.integer, 2);
    assert_int_equal(info[1].value.data.darray->size, 1);
    assert_int_equal(inner(&info[1], 0)->value.data.integer, 3);
    PMIx_Info_free(info, n);
}

static void left_alone(void **state)
{
    char *keys[] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) "PMIx_Get", NULL};
    char *plain[] = {(char *) "a", NULL};
    pmix_query_t attrs = {.keys = keys};
    pmix_query_t query = {.keys = plain};
    pmix_info_t one = pair("PMIx_Get", 1);
    pmix_info_t nested = pair(PMIX_QUERY_RESULTS, 1);
    pmix_info_t *info;
    size_t n;

    (void) state;
    assert_int_equal(px_results_shape(&attrs, 1, &one, 1, "both", &info, &n), 0);
    assert_int_equal(n, 1);
    PMIx_Info_free(info, n);
    assert_int_equal(px_results_shape(&query, 1, &nested, 1, "both", &info, &n), 0);
    assert_int_equal(n, 1);
    PMIx_Info_free(info, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(by_query),
        cmocka_unit_test(repeated),
        cmocka_unit_test(left_alone),
    };

    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
