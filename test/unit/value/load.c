/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-006 */
/* Values in and out. PKG-005, MAC-006. */
#include "support.h"
#include "src/value/load.h"

/* What a program has at hand for an element: the text for strings, the address for the rest. */
static const void *at_hand(const struct px_type *type, const void *element)
{
    if (type->type == PMIX_STRING || type->type == PMIX_POINTER) {
        return *(void *const *) element;
    }
    return element;
}

static void test_load_every_type(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);
        pmix_value_t value;
        void *element;

        if (type == NULL || type->where == PX_ELEMENT || t == PMIX_REGEX) {
            continue;
        }
        element = px_type_create(type, 1);
        random_element(type, element, 2);
        memset(&value, 0xa5, sizeof(value));
        assert_int_equal(PMIx_Value_load(&value, at_hand(type, element), (pmix_data_type_t) t),
                         PMIX_SUCCESS);
        assert_int_equal(value.type, t);
        if (at_hand(type, element) != NULL) {
            assert_int_equal(px_type_compare(type, px_value_element(&value, type), element, 0),
                             PMIX_EQUAL);
        }
        px_type_free(type, element, 1);
        PMIx_Value_destruct(&value);
        assert_int_equal(value.type, PMIX_UNDEF);
    }
}

static void test_load_nothing(void **unused)
{
    pmix_value_t value;
    int dummy = 0;

    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);
        int rc = PMIx_Value_load(&value, NULL, (pmix_data_type_t) t);

        if (t == PMIX_UNDEF) {
            assert_int_equal(rc, PMIX_SUCCESS);
        } else if (type == NULL) {
            assert_int_equal(rc, PMIX_ERR_UNKNOWN_DATA_TYPE);
        } else if (type->where == PX_ELEMENT) {
            assert_int_equal(rc, PMIX_ERR_NOT_SUPPORTED);
        } else {
            assert_int_equal(rc, PMIX_SUCCESS);
            assert_int_equal(value.type, t);
            free(PMIx_Value_string(&value));
        }
        PMIx_Value_destruct(&value);
    }
    assert_int_equal(PMIx_Value_load(&value, NULL, PMIX_BOOL), PMIX_SUCCESS);
    assert_true(value.data.flag);
    assert_int_equal(PMIx_Value_load(NULL, &dummy, PMIX_INT), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_load(&value, &dummy, 499), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(value.type, PMIX_UNDEF);
}

static void test_load_of_itself(void **unused)
{
    pmix_value_t value;
    char *old;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, "text", PMIX_STRING), PMIX_SUCCESS);
    old = value.data.string;
    assert_int_equal(PMIx_Value_load(&value, old, PMIX_STRING), PMIX_SUCCESS);
    assert_string_equal(value.data.string, "text");
    free(old);
    PMIx_Value_destruct(&value);
}

static void test_short_namespace(void **unused)
{
    char *name = strdup("ns"); /* three bytes, not 256 */
    pmix_value_t value;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, name, PMIX_PROC_NSPACE), PMIX_SUCCESS);
    assert_string_equal(*value.data.nspace, "ns");
    PMIx_Value_destruct(&value);
    free(name);
}

static void test_regex(void **unused)
{
    static const char blob[] = "blob:\0component=zlib:\0size=4:\0a\0b";
    static const char plain[] = "pmix[n[1:0-3]]";
    static const char odd[] = "blob:\0component=zlib:\0wrong";
    static const char huge[] = "blob:\0c\0size=99999999999:";
    pmix_value_t value;
    void *text;
    size_t size;

    (void) unused;
    /* "blob:" "component=zlib:" "size=4:" with their NULs, then 4 bytes */
    assert_int_equal(PMIx_Value_load(&value, blob, PMIX_REGEX), PMIX_SUCCESS);
    assert_int_equal(value.data.bo.size, sizeof(blob));
    assert_memory_equal(value.data.bo.bytes, blob, sizeof(blob));
    PMIx_Value_destruct(&value);
    assert_int_equal(PMIx_Value_load(&value, plain, PMIX_REGEX), PMIX_SUCCESS);
    assert_int_equal(value.data.bo.size, sizeof(plain));
    assert_int_equal(PMIx_Value_unload(&value, &text, &size), PMIX_SUCCESS);
    assert_string_equal(text, plain);
    assert_int_equal(size, sizeof(plain));
    free(text);
    PMIx_Value_destruct(&value);
    assert_int_equal(px_regex_len(odd), strlen("blob:") + 1);
    assert_int_equal(px_regex_len(huge), strlen("blob:") + 1);
}

static void test_unload_scalar(void **unused)
{
    uint32_t number = 77;
    uint32_t room = 0;
    void *at = &room;
    pmix_value_t value;
    size_t size = 0;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, &number, PMIX_UINT32), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &at, &size), PMIX_SUCCESS);
    assert_ptr_equal(at, &room);
    assert_int_equal(room, 77);
    assert_int_equal(size, 4);
    at = NULL;
    assert_int_equal(PMIx_Value_unload(&value, &at, &size), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_unload(&value, NULL, &size), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_unload(NULL, &at, &size), PMIX_ERR_BAD_PARAM);
    value.type = PMIX_UNDEF;
    assert_int_equal(PMIx_Value_unload(&value, &at, &size), PMIX_ERR_UNKNOWN_DATA_TYPE);
}

static void test_unload_string(void **unused)
{
    pmix_value_t value;
    void *text = NULL;
    size_t size = 0;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, "hello", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &text, &size), PMIX_SUCCESS);
    PMIx_Value_destruct(&value);
    assert_string_equal(text, "hello");
    assert_int_equal(size, 5);
    free(text);
    assert_int_equal(PMIx_Value_load(&value, NULL, PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &text, NULL), PMIX_SUCCESS);
    assert_null(text);
}

static void test_unload_structure(void **unused)
{
    pmix_byte_object_t bytes = {.bytes = (char *) "abc", .size = 3};
    pmix_value_t value;
    void *object = NULL;
    size_t size = 0;
    int dummy;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, &bytes, PMIX_BYTE_OBJECT), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &object, &size), PMIX_SUCCESS);
    PMIx_Value_destruct(&value);
    assert_int_equal(size, sizeof(bytes));
    assert_memory_equal(((pmix_byte_object_t *) object)->bytes, "abc", 3);
    PMIx_Byte_object_free(object, 1);

    assert_int_equal(PMIx_Value_load(&value, &dummy, PMIX_POINTER), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &object, &size), PMIX_SUCCESS);
    assert_ptr_equal(object, &dummy);

    assert_int_equal(PMIx_Value_load(&value, NULL, PMIX_PROC), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_unload(&value, &object, &size), PMIX_SUCCESS);
    assert_null(object);
    assert_int_equal(size, 0);
}

static bool try_load(void *arg)
{
    pmix_value_t value;
    void *copy;
    size_t size;
    int rc = PMIx_Value_load(&value, arg, PMIX_DATA_ARRAY);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Value_unload(&value, &copy, &size);
    }
    if (rc == PMIX_SUCCESS) {
        PMIx_Data_array_free(copy);
    }
    PMIx_Value_destruct(&value); /* also after a failure */
    return rc == PMIX_SUCCESS;
}

static void test_no_memory(void **unused)
{
    pmix_data_array_t array;
    pmix_info_t *infos;

    (void) unused;
    PMIx_Data_array_construct(&array, 2, PMIX_INFO);
    infos = array.array;
    assert_int_equal(PMIx_Info_load(&infos[0], "k0", "text", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_load(&infos[1], "k1", "ns", PMIX_PROC_NSPACE), PMIX_SUCCESS);
    with_each_allocation_failing(try_load, &array);
    PMIx_Data_array_destruct(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_every_type), cmocka_unit_test(test_load_nothing),
        cmocka_unit_test(test_load_of_itself),  cmocka_unit_test(test_short_namespace),
        cmocka_unit_test(test_regex),           cmocka_unit_test(test_unload_scalar),
        cmocka_unit_test(test_unload_string),   cmocka_unit_test(test_unload_structure),
        cmocka_unit_test(test_no_memory),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
