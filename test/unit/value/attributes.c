/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* QRY-039..047: who supports which attributes. */

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

#include "src/value/attributes.h"

static const pmix_info_t *level_of(const pmix_info_t *info, const char *function, const char *level)
{
    const pmix_info_t *inner;

    assert_string_equal(info->key, function);
    assert_int_equal(info->value.type, PMIX_DATA_ARRAY);
    assert_int_equal(info->value.data.darray->size, 1);
    inner = info->value.data.darray->array;
    assert_string_equal(inner->key, level);
    return inner;
}

static bool has_attribute(const pmix_info_t *level, const char *string)
{
    const pmix_data_array_t *array = level->value.data.darray;

    assert_int_equal(array->type, PMIX_REGATTR);
    for (size_t i = 0; i < array->size; i++) {
        if (strcmp(((const pmix_regattr_t *) array->array)[i].string, string) == 0) {
            assert_int_not_equal(((const pmix_regattr_t *) array->array)[i].type, PMIX_UNDEF);
            return true;
        }
    }
    return false;
}

static void of_the_library(void **state)
{
    char *keys[] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) "PMIx_Get",
                    (char *) "PMIx_Nonsense", NULL};
    pmix_query_t query = {.keys = keys};
    pmix_info_t *info = NULL;
    unsigned levels;
    size_t n = 0;

    (void) state;
    assert_true(px_attrs_asked(&query, &levels));
    assert_int_equal(levels, PX_ATTR_CLIENT | PX_ATTR_SERVER | PX_ATTR_HOST | PX_ATTR_TOOL);
    assert_int_equal(px_attrs_answer(NULL, PX_ATTR_CLIENT, &query, &info, &n),
                     PMIX_ERR_PARTIAL_SUCCESS);
    assert_int_equal(n, 1);
    assert_true(
        has_attribute(level_of(&info[0], "PMIx_Get", PMIX_CLIENT_ATTRIBUTES), PMIX_OPTIONAL));
    PMIx_Info_free(info, n);
    keys[1] = (char *) "PMIx_server_init";
    keys[2] = (char *) "PMIx_Fence_nb";
    info = NULL;
    n = 0;
    assert_int_equal(px_attrs_answer(NULL, PX_ATTR_CLIENT, &query, &info, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(level_of(&info[0], "PMIx_server_init", PMIX_CLIENT_ATTRIBUTES)->value.type,
                     PMIX_UNDEF);
    assert_true(
        has_attribute(level_of(&info[1], "PMIx_Fence_nb", PMIX_CLIENT_ATTRIBUTES), PMIX_TIMEOUT));
    PMIx_Info_free(info, n);
    keys[1] = (char *) "fence_nb"; /* no call's name */
    keys[2] = NULL;
    info = NULL;
    n = 0;
    assert_int_equal(px_attrs_answer(NULL, PX_ATTR_CLIENT, &query, &info, &n), PMIX_ERR_NOT_FOUND);
    assert_int_equal(n, 0);
    keys[0] = (char *) "PMIx_Get";
    keys[1] = (char *) PMIX_QUERY_ATTRIBUTE_SUPPORT;
    info = NULL;
    n = 0;
    assert_int_equal(px_attrs_answer(NULL, PX_ATTR_CLIENT, &query, &info, &n), PMIX_ERR_BAD_PARAM);
    assert_int_equal(n, 0);
}

static void of_the_host(void **state)
{
    char *names[] = {(char *) PMIX_TIMEOUT, (char *) "PMIX_ALLOC_ID", NULL};
    char *keys[] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) "PMIx_Allocation_request",
                    NULL};
    pmix_info_t qual = PMIX_INFO_STATIC_INIT;
    pmix_query_t query = {.keys = keys, .qualifiers = &qual, .nqual = 1};
    struct px_attrs *attrs = px_attrs_create();
    pmix_info_t *info = NULL;
    const pmix_info_t *level;
    unsigned levels;
    size_t n = 0;
    bool yes = true;

    (void) state;
    PMIx_Info_load(&qual, PMIX_HOST_ATTRIBUTES, &yes, PMIX_BOOL);
    assert_true(px_attrs_asked(&query, &levels));
    assert_int_equal(levels, PX_ATTR_HOST);
    assert_int_equal(px_attrs_answer(attrs, PX_ATTR_SERVER | PX_ATTR_HOST, &query, &info, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(level_of(info, keys[1], PMIX_HOST_ATTRIBUTES)->value.type, PMIX_UNDEF);
    PMIx_Info_free(info, n);
    assert_int_equal(px_attrs_register(attrs, "allocate", names), 0);
    assert_int_equal(px_attrs_register(attrs, "PMIx_Allocation_request", names),
                     PMIX_ERR_REPEAT_ATTR_REGISTRATION);
    assert_int_equal(px_attrs_register(attrs, "fence_nb", NULL), 0);
    assert_int_equal(px_attrs_register(attrs, NULL, names), PMIX_ERR_BAD_PARAM);
    info = NULL;
    n = 0;
    assert_int_equal(px_attrs_answer(attrs, PX_ATTR_SERVER | PX_ATTR_HOST, &query, &info, &n), 0);
    assert_int_equal(n, 1);
    level = level_of(info, keys[1], PMIX_HOST_ATTRIBUTES);
    assert_true(has_attribute(level, PMIX_TIMEOUT));
    assert_true(has_attribute(level, PMIX_ALLOC_ID));
    PMIx_Info_free(info, n);
    px_attrs_destroy(attrs);
}

/* PRRTE registers all calls of its host in both forms. */
static void both_forms(void **state)
{
    char *wait[] = {(char *) "PMIX_TIMEOUT", NULL};
    char *nowait[] = {(char *) "PMIX_COLLECT_DATA", NULL};
    char *keys[] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) "PMIx_Fence",
                    (char *) "PMIx_Fence_nb", (char *) "PMIx_Get_nb", NULL};
    pmix_info_t qual = PMIX_INFO_STATIC_INIT;
    pmix_query_t query = {.keys = keys, .qualifiers = &qual, .nqual = 1};
    struct px_attrs *attrs = px_attrs_create();
    pmix_info_t *info = NULL;
    const pmix_info_t *level;
    size_t n = 0;
    bool yes = true;

    (void) state;
    PMIx_Info_load(&qual, PMIX_HOST_ATTRIBUTES, &yes, PMIX_BOOL);
    assert_int_equal(px_attrs_register(attrs, "PMIx_Fence", wait), 0);
    assert_int_equal(px_attrs_register(attrs, "PMIx_Fence_nb", nowait), 0);
    assert_int_equal(px_attrs_register(attrs, "PMIx_Get", wait), 0);
    assert_int_equal(px_attrs_register(attrs, "PMIx_Fence_nb", nowait),
                     PMIX_ERR_REPEAT_ATTR_REGISTRATION);
    assert_int_equal(px_attrs_answer(attrs, PX_ATTR_HOST, &query, &info, &n), 0);
    assert_int_equal(n, 3);
    level = level_of(&info[0], keys[1], PMIX_HOST_ATTRIBUTES);
    assert_true(has_attribute(level, PMIX_TIMEOUT));
    assert_false(has_attribute(level, PMIX_COLLECT_DATA));
    level = level_of(&info[1], keys[2], PMIX_HOST_ATTRIBUTES);
    assert_true(has_attribute(level, PMIX_COLLECT_DATA));
    assert_false(has_attribute(level, PMIX_TIMEOUT));
    assert_true(has_attribute(level_of(&info[2], keys[3], PMIX_HOST_ATTRIBUTES), PMIX_TIMEOUT));
    PMIx_Info_free(info, n);
    px_attrs_destroy(attrs);
}

static void functions(void **state)
{
    char *keys[] = {(char *) PMIX_CLIENT_FUNCTIONS, (char *) PMIX_HOST_FUNCTIONS, NULL};
    pmix_query_t query = {.keys = keys};
    struct px_attrs *attrs = px_attrs_create();
    pmix_info_t *info = NULL;
    size_t n = 0;

    (void) state;
    assert_int_equal(px_attrs_register(attrs, "query", NULL), 0);
    assert_int_equal(px_attrs_answer(attrs, PX_ATTR_CLIENT | PX_ATTR_HOST, &query, &info, &n), 0);
    assert_int_equal(n, 2);
    assert_non_null(strstr(info[0].value.data.string, "PMIx_Get,"));
    assert_string_equal(info[1].value.data.string, "PMIx_Query_info");
    PMIx_Info_free(info, n);
    px_attrs_destroy(attrs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_library),
        cmocka_unit_test(of_the_host),
        cmocka_unit_test(both_forms),
        cmocka_unit_test(functions),
    };

    return cmocka_run_group_tests_name("attributes", tests, NULL, NULL);
}
