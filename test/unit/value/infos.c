/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-009 GET-032 */
#include "support.h"

#include "src/value/infos.h"
#include "src/value/number.h"

static bool is_on(const void *data, pmix_data_type_t type)
{
    pmix_info_t info;
    bool on;

    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_load(&info, "flag", data, type), PMIX_SUCCESS);
    on = px_infos_flag(&info, 1, "flag");
    assert_int_equal(on, px_value_true(&info.value));
    assert_int_equal(on, PMIX_INFO_TRUE(&info));
    PMIx_Info_destruct(&info);
    return on;
}

static void test_flags_of_every_kind(void **unused)
{
    static const char *const yes[] = {"true", "YES", "y", "T", "1", "17", " enable", ""};
    static const char *const no[] = {"false", "No", "n", "f", "0", "disable ", "maybe", "-"};
    pmix_info_t none;
    int one = 1;

    (void) unused;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        assert_true(is_on(yes[i], PMIX_STRING));
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        assert_false(is_on(no[i], PMIX_STRING));
    }
    assert_true(is_on(NULL, PMIX_BOOL));
    assert_true(is_on(&(bool){true}, PMIX_BOOL));
    assert_false(is_on(&(bool){false}, PMIX_BOOL));
    assert_false(is_on(&one, PMIX_INT));
    PMIx_Info_construct(&none);
    PMIx_Load_key(none.key, "flag");
    assert_true(px_infos_flag(&none, 1, "flag"));
    assert_false(px_infos_flag(&none, 1, "other"));
}

/* One that says no is as if absent. */
static void test_flag_said_twice(void **unused)
{
    pmix_info_t two[2];

    (void) unused;
    PMIx_Info_construct(&two[0]);
    PMIx_Info_construct(&two[1]);
    assert_int_equal(PMIx_Info_load(&two[0], "flag", &(bool){false}, PMIX_BOOL), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_load(&two[1], "flag", &(bool){true}, PMIX_BOOL), PMIX_SUCCESS);
    assert_true(px_infos_flag(two, 2, "flag"));
    assert_false(px_infos_flag(two, 1, "flag"));
    assert_false(px_infos_flag(NULL, 0, "flag"));
}

static void test_numbers(void **unused)
{
    pmix_value_t value = {.type = PMIX_PROC_RANK, .data.rank = PMIX_RANK_WILDCARD};
    struct px_integer n;
    uint32_t v = 0;

    (void) unused;
    assert_int_equal(px_value_u32(&value, &v), 0);
    assert_int_equal(v, PMIX_RANK_WILDCARD);
    value = (pmix_value_t){.type = PMIX_SIZE, .data.size = SIZE_MAX};
    assert_int_equal(px_value_u32(&value, &v), PMIX_ERR_BAD_PARAM);
    value = (pmix_value_t){.type = PMIX_INT64, .data.int64 = INT64_MIN};
    assert_int_equal(px_value_u32(&value, &v), PMIX_ERR_BAD_PARAM);
    value.data.int64 = -1; /* its magnitude would fit */
    assert_int_equal(px_value_u32(&value, &v), PMIX_ERR_BAD_PARAM);
    value.data.int64 = INT64_MIN;
    assert_true(px_value_integer(&value, &n));
    assert_true(n.negative && n.magnitude == (uint64_t) 1 << 63);
    value = (pmix_value_t){.type = PMIX_STRING};
    assert_int_equal(px_value_u32(&value, &v), PMIX_ERR_TYPE_MISMATCH);
    assert_int_equal(v, PMIX_RANK_WILDCARD);
}

static void test_texts(void **unused)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "word"};

    (void) unused;
    assert_string_equal(px_value_text(&value), "word");
    value.data.string = (char *) "";
    assert_null(px_value_text(&value));
    value.type = PMIX_INT;
    assert_null(px_value_text(&value));
    assert_null(px_value_text(NULL));
}

static void test_processes(void **unused)
{
    pmix_proc_t two[2] = {{.nspace = "a", .rank = 1}, {.nspace = "a", .rank = 2}};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = two};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    struct px_procs procs = {0};

    (void) unused;
    assert_true(px_value_procs(&value, &procs));
    assert_ptr_equal(procs.at, two);
    assert_int_equal(procs.n, 2);
    array.type = PMIX_INFO;
    assert_false(px_value_procs(&value, &procs));
    array.type = PMIX_PROC;
    array.array = NULL;
    assert_false(px_value_procs(&value, &procs));
    assert_int_equal(procs.n, 2);
    array.size = 0;
    assert_true(px_value_procs(&value, &procs));
    assert_int_equal(procs.n, 0);
    value.data.darray = NULL;
    assert_false(px_value_procs(&value, &procs));
}

static void test_arrays_of_infos(void **unused)
{
    pmix_info_t inner[2];
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = inner};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    const pmix_info_t *info;
    size_t n;

    (void) unused;
    PMIx_Info_construct(&inner[0]);
    PMIx_Info_construct(&inner[1]);
    PMIx_Load_key(inner[1].key, "b");
    assert_int_equal(px_info_open(&value, &info, &n), 0);
    assert_ptr_equal(px_info_find(info, n, "b"), &inner[1].value);
    assert_null(px_info_find(info, n, "c"));
    array.type = PMIX_PROC;
    assert_int_equal(px_info_open(&value, &info, &n), PMIX_ERR_TYPE_MISMATCH);
    value.data.darray = NULL;
    assert_int_equal(px_info_open(&value, &info, &n), 0);
    assert_int_equal(n, 0);
    value.type = PMIX_STRING;
    assert_int_equal(px_info_open(&value, &info, &n), PMIX_ERR_TYPE_MISMATCH);
}

static void test_whole_keys(void **unused)
{
    pmix_info_t three[3];
    size_t n = 3;

    (void) unused;
    for (size_t i = 0; i < 3; i++) {
        uint32_t v = (uint32_t) i;

        PMIx_Info_construct(&three[i]);
        assert_int_equal(PMIx_Info_load(&three[i],
                                        i == 0   ? "ab"
                                        : i == 1 ? "a"
                                                 : "c",
                                        &v, PMIX_UINT32),
                         PMIX_SUCCESS);
    }
    assert_ptr_equal(px_info_find(three, n, "a"), &three[1].value); /* not the longer one */
    px_infos_drop(three, &n, "ab");
    assert_int_equal(n, 2);
    assert_string_equal(three[0].key, "a");
    assert_string_equal(three[1].key, "c");
    assert_int_equal(three[1].value.data.uint32, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_of_every_kind),
        cmocka_unit_test(test_flag_said_twice),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_arrays_of_infos),
        cmocka_unit_test(test_whole_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
