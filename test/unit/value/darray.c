/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Arrays of any type. MAC-005. */
#include "support.h"

static void test_every_type(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);
        pmix_data_array_t array;
        pmix_data_array_t *made;

        PMIx_Data_array_construct(&array, 4, (pmix_data_type_t) t);
        assert_int_equal(array.type, t);
        if (type == NULL) {
            assert_null(array.array);
            assert_int_equal(array.size, 0);
            continue;
        }
        assert_int_equal(array.size, 4);
        random_element(type, (char *) array.array + 2 * type->size, 1);
        PMIx_Data_array_destruct(&array);
        assert_null(array.array);
        assert_int_equal(array.type, PMIX_UNDEF);
        PMIx_Data_array_destruct(&array);
        made = PMIx_Data_array_create(2, (pmix_data_type_t) t);
        random_element(type, made->array, 1);
        PMIx_Data_array_free(made);
    }
}

static void test_end_mark(void **unused)
{
    pmix_data_array_t array;

    (void) unused;
    PMIx_Data_array_construct(&array, 2, PMIX_INFO);
    assert_false(PMIx_Info_is_end(array.array));
    assert_true(PMIx_Info_is_end((pmix_info_t *) array.array + 1));
    PMIx_Data_array_destruct(&array);
}

static void test_edges(void **unused)
{
    pmix_data_array_t array;
    pmix_data_array_t *made = PMIx_Data_array_create(0, PMIX_UINT32);

    (void) unused;
    assert_non_null(made);
    assert_null(made->array);
    PMIx_Data_array_free(made);
    PMIx_Data_array_free(NULL);
    PMIx_Data_array_destruct(NULL);
    PMIx_Data_array_construct(NULL, 3, PMIX_INT);
    PMIx_Data_array_init(NULL, PMIX_INT);
    PMIx_Data_array_init(&array, PMIX_INT);
    assert_int_equal(array.type, PMIX_INT);
    assert_null(array.array);
    assert_null(PMIx_Data_array_create(SIZE_MAX, PMIX_INT));
    for (unsigned n = 1; n <= 2; n++) {
        fail_allocation(n);
        assert_null(PMIx_Data_array_create(2, PMIX_INFO));
        fail_allocation(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_end_mark),
        cmocka_unit_test(test_edges),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
