/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-006 MAC-007 MAC-008 */
/* Infos. MAC-006 to MAC-009. */
#include "support.h"

#include "src/value/infos.h"
#include "src/value/nested.h"

static void test_end_mark(void **unused)
{
    pmix_info_t *infos = PMIx_Info_create(3);

    (void) unused;
    assert_non_null(infos);
    assert_false(PMIx_Info_is_end(&infos[0]));
    assert_false(PMIx_Info_is_end(&infos[1]));
    assert_true(PMIx_Info_is_end(&infos[2]));
    PMIx_Info_free(infos, 3);
    assert_null(PMIx_Info_create(0));
    assert_null(PMIx_Info_create(SIZE_MAX));
    PMIx_Info_free(NULL, 3);
}

static void test_flags(void **unused)
{
    pmix_info_t info;

    (void) unused;
    PMIx_Info_construct(&info);
    assert_true(PMIx_Info_is_optional(&info));
    PMIx_Info_required(&info);
    assert_true(PMIx_Info_is_required(&info));
    assert_int_equal(info.flags, 0x1);
    PMIx_Info_processed(&info);
    assert_true(PMIx_Info_was_processed(&info));
    assert_int_equal(info.flags, 0x5);
    PMIx_Info_optional(&info);
    assert_false(PMIx_Info_is_required(&info));
    PMIx_Info_set_end(&info);
    PMIx_Info_qualifier(&info);
    PMIx_Info_persistent(&info);
    assert_true(PMIx_Info_is_end(&info) && PMIx_Info_is_qualifier(&info) &&
                PMIx_Info_is_persistent(&info));
    assert_int_equal(info.flags, 0x1e);
    PMIx_Info_required(NULL);
    PMIx_Info_optional(NULL);
    assert_false(PMIx_Info_is_required(NULL));
    assert_false(PMIx_Info_is_optional(NULL));
}

static void test_load_and_xfer(void **unused)
{
    pmix_info_t a;
    pmix_info_t b;

    (void) unused;
    assert_int_equal(PMIx_Info_load(&a, "key", "text", PMIX_STRING), PMIX_SUCCESS);
    PMIx_Info_required(&a);
    memset(&b, 0xa5, sizeof(b));
    assert_int_equal(PMIx_Info_xfer(&b, &a), PMIX_SUCCESS);
    a.value.data.string[0] = 'T';
    assert_string_equal(b.key, "key");
    assert_string_equal(b.value.data.string, "text");
    assert_true(PMIx_Info_is_required(&b));
    PMIx_Info_destruct(&a);
    PMIx_Info_destruct(&b);
    PMIx_Info_destruct(&b);
    assert_int_equal(PMIx_Info_load(NULL, "key", NULL, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_load(&a, NULL, NULL, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_xfer(&a, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Info_load(&a, "key", &b, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    PMIx_Info_destruct(&a);
}

static void test_key_of_full_length(void **unused)
{
    char key[PMIX_MAX_KEYLEN + 10];
    pmix_info_t info;

    (void) unused;
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    assert_int_equal(PMIx_Info_load(&info, key, NULL, PMIX_BOOL), PMIX_SUCCESS);
    assert_int_equal(strlen(info.key), PMIX_MAX_KEYLEN);
    assert_int_equal(PMIx_Info_true(&info), PMIX_BOOL_TRUE);
    PMIx_Info_destruct(&info);
}

static void test_persistent_shares(void **unused)
{
    pmix_info_t a;
    pmix_info_t b;

    (void) unused;
    assert_int_equal(PMIx_Info_load(&a, "key", "text", PMIX_STRING), PMIX_SUCCESS);
    PMIx_Info_persistent(&a);
    assert_int_equal(PMIx_Info_xfer(&b, &a), PMIX_SUCCESS);
    assert_ptr_equal(a.value.data.string, b.value.data.string);
    PMIx_Info_destruct(&b);
    assert_string_equal(a.value.data.string, "text");
    PMIx_Value_destruct(&a.value);
}

/* An array whose second info shares its text with somebody, in an array. */
static void nest(pmix_info_t *outer, pmix_data_array_t arrays[2], pmix_info_t inner[2], char *text)
{
    uint32_t one = 1;

    memset(inner, 0, 2 * sizeof(*inner));
    assert_int_equal(PMIx_Info_load(&inner[0], "first", &one, PMIX_UINT32), PMIX_SUCCESS);
    PMIx_Load_key(inner[1].key, "second");
    inner[1].value.type = PMIX_STRING;
    inner[1].value.data.string = text;
    PMIx_Info_persistent(&inner[1]);
    arrays[0] = (pmix_data_array_t){.type = PMIX_INFO, .size = 2, .array = inner};
    arrays[1] = (pmix_data_array_t){.type = PMIX_DATA_ARRAY, .size = 1, .array = &arrays[0]};
    memset(outer, 0, sizeof(*outer));
    PMIx_Load_key(outer->key, "outer");
    outer->value.type = PMIX_DATA_ARRAY;
    outer->value.data.darray = &arrays[1];
}

static void check_nested(const pmix_value_t *value, const char *text)
{
    const pmix_data_array_t *array = value->data.darray->array;
    const pmix_info_t *second = (const pmix_info_t *) array->array + 1;

    assert_ptr_not_equal(second->value.data.string, text);
    assert_string_equal(second->value.data.string, "text");
    assert_false(PMIx_Info_is_persistent(second));
}

static void test_keep_owns(void **unused)
{
    char text[] = "text";
    pmix_data_array_t arrays[2];
    pmix_info_t inner[2];
    pmix_info_t outer;
    pmix_info_t kept;
    pmix_value_t value;

    (void) unused;
    nest(&outer, arrays, inner, text);
    assert_int_equal(px_info_keep(&kept, &outer), PMIX_SUCCESS);
    check_nested(&kept.value, text);
    assert_int_equal(px_value_keep(&value, &outer.value), PMIX_SUCCESS);
    check_nested(&value, text);
    PMIx_Info_persistent(&outer);
    PMIx_Info_destruct(&kept);
    assert_int_equal(px_info_keep(&kept, &outer), PMIX_SUCCESS);
    memset(text, 'x', sizeof(text) - 1);
    check_nested(&kept.value, text);
    check_nested(&value, text);
    PMIx_Info_destruct(&kept);
    PMIx_Value_destruct(&value);
    assert_string_equal(inner[1].value.data.string, "xxxx");
}

static void test_keep_without_memory(void **unused)
{
    char text[] = "text";
    pmix_data_array_t arrays[2];
    pmix_info_t inner[2];
    pmix_info_t outer;
    pmix_info_t kept;
    pmix_value_t value;
    int rc = PMIX_ERR_NOMEM;

    (void) unused;
    nest(&outer, arrays, inner, text);
    for (int n = 1; rc != PMIX_SUCCESS; n++) {
        fail_allocation(n);
        rc = px_info_keep(&kept, &outer);
        fail_allocation(0);
        assert_true(rc == PMIX_SUCCESS || kept.value.data.darray == NULL);
        fail_allocation(n);
        assert_int_equal(px_value_keep(&value, &outer.value), rc);
        fail_allocation(0);
    }
    PMIx_Info_destruct(&kept);
    PMIx_Value_destruct(&value);
}

static void test_size(void **unused)
{
    pmix_info_t info;
    size_t size;

    (void) unused;
    assert_int_equal(PMIx_Info_load(&info, "key", NULL, PMIX_BOOL), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_get_size(&info, &size), PMIX_SUCCESS);
    assert_int_equal(size, sizeof(info) + sizeof(info.value) + 1 + 4);
    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_get_size(&info, &size), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Info_get_size(NULL, &size), PMIX_ERR_BAD_PARAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_mark),          cmocka_unit_test(test_flags),
        cmocka_unit_test(test_load_and_xfer),     cmocka_unit_test(test_key_of_full_length),
        cmocka_unit_test(test_persistent_shares), cmocka_unit_test(test_size),
        cmocka_unit_test(test_keep_owns),         cmocka_unit_test(test_keep_without_memory),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
