/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: STR-003 STR-004 */
/* Text for people. STR-003. */
#include "support.h"

static void check_value(const void *data, pmix_data_type_t type, const char *part)
{
    pmix_value_t value;
    char *text;

    assert_int_equal(PMIx_Value_load(&value, data, type), PMIX_SUCCESS);
    text = PMIx_Value_string(&value);
    assert_non_null(text);
    assert_non_null(strstr(text, px_type_info(type)->name));
    assert_non_null(strstr(text, part));
    free(text);
    PMIx_Value_destruct(&value);
}

static void test_values(void **unused)
{
    const uint32_t number = 77;
    const int minus = -5;
    const bool yes = true;
    const pmix_rank_t rank = PMIX_RANK_WILDCARD;
    const pmix_status_t status = PMIX_ERR_NOT_FOUND;
    pmix_proc_t proc = {.nspace = "job", .rank = 3};
    pmix_byte_object_t bytes = {.bytes = (char *) "abc", .size = 3};
    pmix_data_array_t array;

    (void) unused;
    check_value(&number, PMIX_UINT32, "77");
    check_value(&minus, PMIX_INT, "-5");
    check_value(&yes, PMIX_BOOL, "TRUE");
    check_value(&rank, PMIX_PROC_RANK, "WILDCARD");
    check_value(&status, PMIX_STATUS, "PMIX_ERR_NOT_FOUND");
    check_value("text", PMIX_STRING, "text");
    check_value("a\033[2Jb", PMIX_STRING, "a\\x1b[2Jb");
    check_value(NULL, PMIX_STRING, "NULL");
    check_value(NULL, PMIX_PROC, "NULL");
    check_value(&proc, PMIX_PROC, "job:3");
    check_value(&bytes, PMIX_BYTE_OBJECT, "3 bytes: 616263");
    PMIx_Data_array_construct(&array, 2, PMIX_UINT32);
    check_value(&array, PMIX_DATA_ARRAY, "ARRAY of 2 PMIX_UINT32 [0, 0]");
    PMIx_Data_array_destruct(&array);
}

static void test_refused(void **unused)
{
    pmix_value_t value = {.type = 400};
    char *text;

    (void) unused;
    assert_null(PMIx_Value_string(NULL));
    assert_null(PMIx_Value_string(&value));
    assert_null(PMIx_Info_string(NULL));
    assert_null(PMIx_Proc_string(NULL));
    assert_null(PMIx_App_string(NULL));
    assert_null(PMIx_Resource_unit_string(NULL));
    value.type = PMIX_UNDEF;
    text = PMIx_Value_string(&value);
    assert_non_null(text);
    free(text);
}

static void test_structures(void **unused)
{
    pmix_proc_t proc = {.nspace = "job", .rank = 3};
    pmix_resource_unit_t unit = {.type = PMIX_DEVTYPE_GPU, .count = 4};
    pmix_info_t info;
    pmix_app_t app;
    char *text = PMIx_Proc_string(&proc);

    (void) unused;
    assert_string_equal(text, "job:3");
    free(text);
    text = PMIx_Resource_unit_string(&unit);
    assert_non_null(strstr(text, "4"));
    free(text);
    assert_int_equal(PMIx_Info_load(&info, "some.key", "text", PMIX_STRING), PMIX_SUCCESS);
    PMIx_Info_required(&info);
    text = PMIx_Info_string(&info);
    assert_non_null(strstr(text, "some.key"));
    assert_non_null(strstr(text, "text"));
    free(text);
    PMIx_App_construct(&app);
    app.cmd = strdup("hello");
    app.argv = PMIx_Argv_split("hello world", ' ');
    app.maxprocs = 7;
    PMIx_App_info_create(&app, 1);
    assert_int_equal(PMIx_Info_xfer(&app.info[0], &info), PMIX_SUCCESS);
    text = PMIx_App_string(&app);
    assert_non_null(strstr(text, "hello world"));
    assert_non_null(strstr(text, "7"));
    assert_non_null(strstr(text, "some.key"));
    free(text);
    PMIx_App_destruct(&app);
    PMIx_Info_destruct(&info);
}

static void test_long_text(void **unused)
{
    pmix_value_t value;
    char *text;
    char *long_text = malloc(5001);

    (void) unused;
    assert_non_null(long_text);
    memset(long_text, 'x', 5000);
    long_text[5000] = '\0';
    assert_int_equal(PMIx_Value_load(&value, long_text, PMIX_STRING), PMIX_SUCCESS);
    text = PMIx_Value_string(&value);
    assert_true(strlen(text) > 5000);
    free(text);
    free(long_text);
    fail_allocation(1);
    assert_null(PMIx_Value_string(&value));
    fail_allocation(0);
    PMIx_Value_destruct(&value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_structures),
        cmocka_unit_test(test_long_text),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
