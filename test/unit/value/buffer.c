/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-007 */
/* Bytes and data buffers. PKG-007. */
#include "support.h"

static void test_load_and_unload(void **unused)
{
    pmix_data_buffer_t buffer;
    char *bytes = strdup("0123456789");
    char *out = bytes;
    size_t size = 7;

    (void) unused;
    PMIx_Data_buffer_construct(&buffer);
    PMIx_Data_buffer_load(&buffer, bytes, 10);
    assert_ptr_equal(buffer.base_ptr, bytes);
    assert_ptr_equal(buffer.pack_ptr, bytes + 10);
    assert_int_equal(buffer.bytes_used, 10);
    buffer.unpack_ptr += 4;
    PMIx_Data_buffer_unload(&buffer, &out, &size);
    assert_int_equal(size, 6);
    assert_memory_equal(out, "456789", 6);
    assert_null(buffer.base_ptr);
    free(out);
    PMIx_Data_buffer_unload(&buffer, &out, &size);
    assert_null(out);
    assert_int_equal(size, 0);
    PMIx_Data_buffer_load(&buffer, strdup("a"), 1);
    PMIx_Data_buffer_load(&buffer, strdup("b"), 1);
    assert_int_equal(buffer.base_ptr[0], 'b');
    PMIx_Data_buffer_load(&buffer, NULL, 5);
    assert_int_equal(buffer.bytes_used, 0);
    PMIx_Data_buffer_destruct(&buffer);
}

static void test_heap(void **unused)
{
    pmix_data_buffer_t *buffer = PMIx_Data_buffer_create();
    size_t size;
    char *out;

    (void) unused;
    assert_non_null(buffer);
    PMIx_Data_buffer_load(buffer, strdup("abc"), 3);
    PMIx_Data_buffer_unload(buffer, NULL, &size);
    assert_int_equal(buffer->bytes_used, 3);
    PMIx_Data_buffer_release(buffer);
    PMIx_Data_buffer_release(NULL);
    PMIx_Data_buffer_construct(NULL);
    PMIx_Data_buffer_destruct(NULL);
    PMIx_Data_buffer_load(NULL, NULL, 0);
    PMIx_Data_buffer_unload(NULL, &out, &size);
    assert_null(out);
}

static void test_byte_object(void **unused)
{
    pmix_byte_object_t object;
    char *bytes = strdup("abc");

    (void) unused;
    PMIx_Byte_object_construct(&object);
    PMIx_Byte_object_load(&object, bytes, 3);
    assert_ptr_equal(object.bytes, bytes);
    assert_int_equal(object.size, 3);
    PMIx_Byte_object_destruct(&object);
    assert_null(object.bytes);
    assert_int_equal(object.size, 0);
    PMIx_Byte_object_load(NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_and_unload),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_byte_object),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
