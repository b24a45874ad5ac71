/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-006 */
/* PKG-006 and what 6.x peers put into values: inflated exactly, and bounded whatever they claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>

#include "gen.h"
#include "hex.h"
#include "src/wire/compress.h"

/* zlib.compress(b"a" * 5000) behind its length, from another implementation of the format */
static const char golden[] = "88130000789cedc13101000000c2a0aceb5fc2147e4001000000006f034b6f66f2";

static void bytes_return_as_they_were(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (int i = 0; i < 300; i++) {
        size_t len = gen_below(&gen, 20000);
        char *bytes = malloc(len + 1);
        void *packed;
        void *back;
        size_t packed_len;
        size_t back_len;

        for (size_t k = 0; k < len; k++) {
            bytes[k] = (char) gen_below(&gen, 1 + gen_below(&gen, 9));
        }
        if (px_deflate(bytes, len, &packed, &packed_len) == 0) {
            assert_true(packed_len < len);
            assert_int_equal(px_inflate(packed, packed_len, &back, &back_len), 0);
            assert_int_equal(back_len, len);
            assert_memory_equal(back, bytes, len);
            free(back);
            free(packed);
        } else {
            assert_true(len < 200);
        }
        free(bytes);
    }
}

static void another_implementation_is_read(void **state)
{
    struct px_buf buf = {0};
    void *back;
    size_t len;

    (void) state;
    unhex(golden, &buf); /* little-endian, as the hosts are */
    if (buf.data[0] == *(const unsigned char *) &(uint32_t){5000}) {
        assert_int_equal(px_inflate(buf.data, buf.len, &back, &len), 0);
        assert_int_equal(len, 5000);
        assert_int_equal(strspn(back, "a"), 5000);
        free(back);
    }
    px_buf_fini(&buf);
}

static void no_gain_is_no_result(void **state)
{
    struct gen gen = gen_start();
    uint64_t noise[500];
    char zeros[100] = {0};
    void *packed;
    size_t len;

    (void) state;
    for (size_t i = 0; i < 500; i++) {
        noise[i] = gen_next(&gen);
    }
    assert_int_equal(px_deflate(noise, sizeof(noise), &packed, &len), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_deflate("aaaaaaaa", 8, &packed, &len), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_deflate(zeros, 63, &packed, &len), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_deflate(NULL, 100, &packed, &len), PMIX_ERR_NOT_SUPPORTED);
    for (size_t n = 0; n < sizeof(zeros); n++) { /* from a loss to a gain, byte by byte */
        char bytes[800 + sizeof(zeros)] = {0};

        memcpy(bytes, noise, 800);
        if (px_deflate(bytes, 800 + n, &packed, &len) == 0) {
            assert_true(len < 800 + n);
            free(packed);
        }
    }
}

static size_t most; /* what was allocated at once */

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);

void *__wrap_malloc(size_t n)
{
    most = n > most ? n : most;
    return __real_malloc(n);
}

/* What so few bytes cannot stand for is refused before there is memory for it. */
static void claims_cost_nothing(void **state)
{
    char zeros[5000] = {0};
    uint32_t claim = PX_INFLATE_MAX;
    void *packed;
    void *back;
    size_t packed_len;
    size_t len;

    (void) state;
    assert_int_equal(px_deflate(zeros, sizeof(zeros), &packed, &packed_len), 0);
    memcpy(packed, &claim, sizeof(claim));
    most = 0;
    assert_int_equal(px_inflate(packed, packed_len, &back, &len), PMIX_ERR_UNPACK_FAILURE);
    assert_true(most < 1 << 20);
    free(packed);
}

static void claims_are_checked(void **state)
{
    char zeros[5000] = {0};
    void *packed;
    void *back = NULL;
    unsigned char *lie;
    uint32_t claim;
    size_t packed_len;
    size_t len;
    static const uint32_t claims[] = {0, 1, 4999, 5001, 100000, UINT32_MAX, PX_INFLATE_MAX};

    (void) state;
    assert_int_equal(px_deflate(zeros, sizeof(zeros), &packed, &packed_len), 0);
    lie = malloc(packed_len);
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        memcpy(lie, packed, packed_len);
        claim = claims[i];
        memcpy(lie, &claim, sizeof(claim));
        assert_int_equal(px_inflate(lie, packed_len, &back, &len), PMIX_ERR_UNPACK_FAILURE);
    }
    for (size_t cut = 0; cut < packed_len; cut++) {
        assert_int_equal(px_inflate(packed, cut, &back, &len), PMIX_ERR_UNPACK_FAILURE);
        assert_int_equal(px_inflate_stream((char *) packed + 4, cut > 4 ? cut - 4 : 0, &back, &len),
                         PMIX_ERR_UNPACK_FAILURE);
    }
    assert_int_equal(px_inflate_stream((char *) packed + 4, packed_len - 4, &back, &len), 0);
    assert_int_equal(len, sizeof(zeros));
    free(back);
    free(lie);
    free(packed);
}

static pmix_value_t compressed(pmix_data_type_t type, const void *bytes, size_t len)
{
    pmix_value_t value = {.type = type};
    void *packed;

    assert_int_equal(px_deflate(bytes, len, &packed, &value.data.bo.size), 0);
    value.data.bo.bytes = packed;
    return value;
}

static void values_become_plain(void **state)
{
    char text[301];
    pmix_value_t value;
    pmix_info_t *info;
    pmix_data_array_t *array;

    (void) state;
    memset(text, 'x', 300);
    text[300] = '\0';
    value = compressed(PMIX_COMPRESSED_STRING, text, 300);
    assert_int_equal(px_inflate_value(&value), 0);
    assert_int_equal(value.type, PMIX_STRING);
    assert_string_equal(value.data.string, text);
    PMIx_Value_destruct(&value);

    array = PMIx_Data_array_create(2, PMIX_INFO);
    info = array->array;
    info[0].value = compressed(PMIX_COMPRESSED_STRING, text, 300);
    info[1].value = compressed(PMIX_COMPRESSED_BYTE_OBJECT, text, 300);
    value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = array};
    assert_int_equal(px_inflate_value(&value), 0);
    assert_int_equal(info[0].value.type, PMIX_STRING);
    assert_int_equal(info[1].value.type, PMIX_BYTE_OBJECT);
    assert_int_equal(info[1].value.data.bo.size, 300);
    PMIx_Value_destruct(&value);

    text[100] = '\0'; /* no string has a NUL inside */
    value = compressed(PMIX_COMPRESSED_STRING, text, 300);
    assert_int_equal(px_inflate_value(&value), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(value.type, PMIX_COMPRESSED_STRING);
    PMIx_Value_destruct(&value);

    value = (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = 5};
    assert_int_equal(px_inflate_value(&value), 0);
    assert_int_equal(value.data.uint32, 5);
    value = (pmix_value_t){.type = PMIX_COMPRESSED_STRING};
    assert_int_equal(px_inflate_value(&value), PMIX_ERR_UNPACK_FAILURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_return_as_they_were),
        cmocka_unit_test(another_implementation_is_read),
        cmocka_unit_test(no_gain_is_no_result),
        cmocka_unit_test(claims_cost_nothing),
        cmocka_unit_test(claims_are_checked),
        cmocka_unit_test(values_become_plain),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
