/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-011 */
/* Lists of infos. MAC-011. */
#include "support.h"

static void test_build_and_convert(void **unused)
{
    void *list = PMIx_Info_list_start();
    pmix_data_array_t array;
    pmix_info_t own;
    pmix_info_t *infos;
    int one = 1;

    (void) unused;
    assert_int_equal(PMIx_Info_load(&own, "x", "text", PMIX_STRING), PMIX_SUCCESS);
    PMIx_Info_set_end(&own);
    assert_int_equal(PMIx_Info_list_add(list, "b", &one, PMIX_INT), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_xfer(list, &own), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_prepend(list, "a", "first", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_insert(list, &own), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_get_size(list), 4);
    assert_int_equal(PMIx_Info_list_convert(list, &array), PMIX_SUCCESS);
    PMIx_Info_list_release(list);
    assert_int_equal(array.type, PMIX_INFO);
    assert_int_equal(array.size, 4);
    infos = array.array;
    assert_string_equal(infos[0].key, "a");
    assert_string_equal(infos[1].key, "b");
    assert_string_equal(infos[2].key, "x");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(PMIx_Info_is_end(&infos[i]), i == 3);
    }
    assert_ptr_equal(infos[3].value.data.string, own.value.data.string);
    PMIx_Data_array_destruct(&array);
    assert_string_equal(own.value.data.string, "text");
    PMIx_Info_destruct(&own);
}

static void test_empty(void **unused)
{
    void *list = PMIx_Info_list_start();
    pmix_data_array_t array;
    void *next = list;

    (void) unused;
    assert_int_equal(PMIx_Info_list_convert(list, &array), PMIX_ERR_EMPTY);
    PMIx_Data_array_destruct(&array);
    assert_int_equal(PMIx_Info_list_convert(NULL, &array), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_convert(list, NULL), PMIX_ERR_BAD_PARAM);
    assert_null(PMIx_Info_list_get_info(list, NULL, &next));
    assert_null(next);
    assert_null(PMIx_Info_list_get_info(NULL, NULL, NULL));
    assert_int_equal(PMIx_Info_list_get_size(NULL), 0);
    assert_int_equal(PMIx_Info_list_add(NULL, "k", NULL, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_add(list, NULL, NULL, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_add(list, "k", &array, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Info_list_prepend(list, NULL, NULL, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_insert(list, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_xfer(list, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_add_value(list, "k", NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_list_get_size(list), 0);
    PMIx_Info_list_release(list);
    PMIx_Info_list_release(NULL);
}

static const char *only_text(void *list)
{
    assert_int_equal(PMIx_Info_list_get_size(list), 1);
    return PMIx_Info_list_get_info(list, NULL, NULL)->value.data.string;
}

static void test_unique(void **unused)
{
    void *list = PMIx_Info_list_start();
    pmix_value_t value;
    pmix_info_t info;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, "three", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_load(&info, "k", "four", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_add_unique(list, "k", "one", PMIX_STRING, false), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_add_unique(list, "k", "two", PMIX_STRING, false), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "one");
    assert_int_equal(PMIx_Info_list_add_unique(list, "k", "two", PMIX_STRING, true), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "two");
    assert_int_equal(PMIx_Info_list_add_value_unique(list, "k", &value, false), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "two");
    assert_int_equal(PMIx_Info_list_add_value_unique(list, "k", &value, true), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "three");
    assert_int_equal(PMIx_Info_list_xfer_unique(list, &info, false), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "three");
    assert_int_equal(PMIx_Info_list_xfer_unique(list, &info, true), PMIX_SUCCESS);
    assert_string_equal(only_text(list), "four");
    assert_int_equal(PMIx_Info_list_add_unique(list, "k", "two", 400, true),
                     PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_string_equal(only_text(list), "four");
    assert_int_equal(PMIx_Info_list_add_value(list, "k", &value), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_get_size(list), 2);
    PMIx_Value_destruct(&value);
    PMIx_Info_destruct(&info);
    PMIx_Info_list_release(list);
}

static void test_walk(void **unused)
{
    void *list = PMIx_Info_list_start();
    void *at = NULL;
    int n = 0;

    (void) unused;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(PMIx_Info_list_add(list, "k", &i, PMIX_INT), PMIX_SUCCESS);
    }
    do {
        pmix_info_t *info = PMIx_Info_list_get_info(list, at, &at);

        assert_int_equal(info->value.data.integer, n);
        n++;
    } while (at != NULL);
    assert_int_equal(n, 5);
    PMIx_Info_list_release(list);
}

static bool try_build(void *arg)
{
    void *list = PMIx_Info_list_start();
    pmix_data_array_t array = PMIX_DATA_ARRAY_STATIC_INIT;
    int rc = list == NULL ? PMIX_ERR_NOMEM : PMIx_Info_list_add(list, "a", "text", PMIX_STRING);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_xfer(list, arg);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_add_unique(list, "a", "other", PMIX_STRING, true);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_convert(list, &array);
    }
    PMIx_Info_list_release(list);
    PMIx_Data_array_destruct(&array);
    return rc == PMIX_SUCCESS;
}

static void test_no_memory(void **unused)
{
    pmix_info_t info;

    (void) unused;
    assert_int_equal(PMIx_Info_load(&info, "b", "more", PMIX_STRING), PMIX_SUCCESS);
    with_each_allocation_failing(try_build, &info);
    PMIx_Info_destruct(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_and_convert),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_no_memory),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
