/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shorthands that commands are made of: their bytes, their views, and that a failure moves
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>

#include "hex.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"

static const enum px_wire_kind kinds[] = {PX_WIRE_PLAIN, PX_WIRE_DESCRIBED};

static void a_pair_has_the_bytes_of_the_peers(void **state)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 5};
    struct px_buf buf = {0};

    (void) state;
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "k", &value), 0);
    assert_hex(&buf, "02046b000e05");
    px_buf_fini(&buf);
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_DESCRIBED, "k", &value), 0);
    assert_hex(&buf, "09021c046b000e05");
    px_buf_fini(&buf);
}

/* A fence as a client sends it. */
static void a_request_returns_field_by_field(void **state)
{
    pmix_proc_t procs[] = {{"job", 0}, {"job", PMIX_RANK_WILDCARD}};
    pmix_info_t info = {.key = "pmix.collect", .value = {.type = PMIX_BOOL, .data.flag = true}};

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        struct px_buf buf = {0};
        struct px_in in;
        pmix_proc_t *procs_back = NULL;
        pmix_info_t *info_back = NULL;
        char *text = NULL;
        size_t n = 9;
        uint8_t command = 0;
        pmix_status_t status = 0;
        pmix_rank_t rank = 0;

        (void) px_pack_command(&buf, kinds[i], 3);
        (void) px_pack_array(&buf, kinds[i], PMIX_PROC, procs, 2);
        (void) px_pack_infos(&buf, kinds[i], &info, 1);
        (void) px_pack_infos(&buf, kinds[i], NULL, 0);
        (void) px_pack_status(&buf, kinds[i], PMIX_ERR_NOT_FOUND);
        (void) px_pack_rank(&buf, kinds[i], PMIX_RANK_WILDCARD);
        (void) px_pack_string(&buf, kinds[i], NULL);
        (void) px_pack_string(&buf, kinds[i], "word");
        (void) px_pack_size(&buf, kinds[i], SIZE_MAX);
        assert_true(px_buf_ok(&buf));
        in = px_in_make(buf.data, buf.len, kinds[i]);
        assert_int_equal(px_unpack_command(&in, &command), 0);
        assert_int_equal(command, 3);
        assert_int_equal(px_unpack_procs(&in, &procs_back, &n), 0);
        assert_int_equal(n, 2);
        assert_memory_equal(procs_back, procs, sizeof(procs));
        assert_int_equal(px_unpack_infos(&in, &info_back, &n), 0);
        assert_int_equal(n, 1);
        assert_string_equal(info_back->key, "pmix.collect");
        PMIx_Info_free(info_back, n);
        assert_int_equal(px_unpack_infos(&in, &info_back, &n), 0);
        assert_int_equal(n, 0);
        assert_null(info_back);
        assert_int_equal(px_unpack_status(&in, &status), 0);
        assert_int_equal(status, PMIX_ERR_NOT_FOUND);
        assert_int_equal(px_unpack_rank(&in, &rank), 0);
        assert_int_equal(rank, PMIX_RANK_WILDCARD);
        assert_int_equal(px_unpack_string(&in, &text), 0);
        assert_null(text);
        assert_int_equal(px_unpack_string(&in, &text), 0);
        assert_string_equal(text, "word");
        free(text);
        assert_int_equal(px_unpack_size(&in, &n), 0);
        assert_true(n == SIZE_MAX);
        assert_int_equal(px_unpack_size(&in, &n), PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
        PMIx_Proc_free(procs_back, 2);
        px_buf_fini(&buf);
    }
}

/* Bytes that are appended in place are the same message as bytes that are copied. */
static void bytes_in_place(void **state)
{
    static const unsigned char content[300] = {1, 2, 3};
    static const size_t sizes[] = {0, 1, 127, 128, 300};

    (void) state;
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t n = sizes[i / 2];
        struct px_buf copied = {0};
        struct px_buf buf = {0};
        size_t mark;

        (void) px_pack_size(&copied, kinds[i % 2], 7);
        (void) px_pack_bytes(&copied, kinds[i % 2], content, n);
        (void) px_pack_size(&copied, kinds[i % 2], 8);
        (void) px_pack_size(&buf, kinds[i % 2], 7);
        px_pack_bytes_begin(&buf, &mark);
        px_buf_append(&buf, content, n);
        assert_int_equal(px_pack_bytes_end(&buf, kinds[i % 2], mark), 0);
        (void) px_pack_size(&buf, kinds[i % 2], 8);
        assert_int_equal(buf.len, copied.len);
        assert_memory_equal(buf.data, copied.data, buf.len);
        px_buf_fini(&copied);
        px_buf_fini(&buf);
    }
}

static void views_borrow(void **state)
{
    (void) state;
    for (size_t i = 0; i < 2; i++) {
        struct px_buf inner = {0};
        struct px_buf buf = {0};
        struct px_in in;
        struct px_in nested;
        const void *bytes = NULL;
        size_t mark;
        size_t n = 0;

        (void) px_pack_size(&inner, kinds[i], 7);
        (void) px_pack_bytes(&buf, kinds[i], inner.data, inner.len);
        (void) px_pack_bytes(&buf, kinds[i], NULL, 0);
        px_pack_buffer_begin(&buf, &mark);
        (void) px_pack_size(&buf, kinds[i], 7);
        assert_int_equal(px_pack_buffer_end(&buf, kinds[i], mark), 0);
        px_pack_buffer_begin(&buf, &mark);
        assert_int_equal(px_pack_buffer_end(&buf, kinds[i], mark), 0);
        assert_true(px_buf_ok(&buf));
        in = px_in_make(buf.data, buf.len, kinds[i]);
        assert_int_equal(px_unpack_view(&in, &bytes, &n), 0);
        assert_int_equal(n, inner.len);
        assert_memory_equal(bytes, inner.data, n);
        assert_true((const unsigned char *) bytes > buf.data &&
                    (const unsigned char *) bytes < buf.data + buf.len);
        assert_int_equal(px_unpack_view(&in, &bytes, &n), 0);
        assert_int_equal(n, 0);
        assert_int_equal(px_unpack_buffer_view(&in, &nested), 0);
        assert_int_equal(nested.kind, kinds[i]);
        assert_int_equal(px_unpack_size(&nested, &n), 0);
        assert_int_equal(n, 7);
        assert_int_equal(px_in_left(&nested), 0);
        assert_int_equal(px_unpack_buffer_view(&in, &nested), 0);
        assert_int_equal(px_in_left(&nested), 0);
        assert_int_equal(px_in_left(&in), 0);
        px_buf_fini(&inner);
        px_buf_fini(&buf);
    }
}

static void pairs_return(void **state)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = "v"};
    pmix_value_t back;
    struct px_buf buf = {0};
    struct px_in in;
    char *key;

    (void) state;
    (void) px_pack_kval(&buf, PX_WIRE_PLAIN, "key", &value);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_kval(&in, &key, &back), 0);
    assert_string_equal(key, "key");
    assert_string_equal(back.data.string, "v");
    free(key);
    PMIx_Value_destruct(&back);
    for (size_t len = 0; len < buf.len; len++) {
        in = px_in_make(buf.data, len, PX_WIRE_PLAIN);
        assert_int_not_equal(px_unpack_kval(&in, &key, &back), 0);
        assert_int_equal(px_in_left(&in), 0);
    }
    px_buf_fini(&buf);
}

struct bad {
    const char *what;
    const char *hex;
    int status;
};

static const struct bad bad_pairs[] = {
    {"two pairs in one operation", "04 046b000e05 046b000e05", PMIX_ERR_UNPACK_FAILURE},
    {"no pair", "00", PMIX_ERR_UNPACK_FAILURE},
    {"no key", "02 00 0e05", PMIX_ERR_UNPACK_FAILURE},
    {"an unknown type", "02 046b00 9003 05", PMIX_ERR_UNKNOWN_DATA_TYPE},
};

static const struct bad bad_infos[] = {
    {"a count that the operation does not have", "02 02 02 046100 00 00", PMIX_ERR_UNPACK_FAILURE},
    {"a count of everything", "02 ffffffffffffffffff 02 0461000000", PMIX_ERR_UNPACK_FAILURE},
    {"a count twice of everything", "02 ffffffff07 feffffff0f 0461000000",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a count alone", "02 01", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
};

static void malformed_messages_are_refused(void **state)
{
    struct px_buf buf = {0};
    struct px_in in;
    struct px_in inner;
    pmix_value_t value;
    pmix_info_t *info;
    const void *bytes;
    char *key;
    size_t n;

    (void) state;
    for (size_t i = 0; i < sizeof(bad_pairs) / sizeof(bad_pairs[0]); i++) {
        unhex(bad_pairs[i].hex, &buf);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack_kval(&in, &key, &value), bad_pairs[i].status);
        assert_int_equal(px_in_left(&in), 0);
        px_buf_fini(&buf);
    }
    for (size_t i = 0; i < sizeof(bad_infos) / sizeof(bad_infos[0]); i++) {
        unhex(bad_infos[i].hex, &buf);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack_infos(&in, &info, &n), bad_infos[i].status);
        assert_int_equal(px_in_left(&in), 0);
        px_buf_fini(&buf);
    }
    unhex("02 05 6100", &buf); /* five bytes are promised */
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_view(&in, &bytes, &n), PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    px_buf_fini(&buf);
    unhex("02 03 00", &buf); /* a buffer of the third kind */
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_buffer_view(&in, &inner), PMIX_ERR_UNPACK_FAILURE);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_has_the_bytes_of_the_peers),
        cmocka_unit_test(a_request_returns_field_by_field),
        cmocka_unit_test(bytes_in_place),
        cmocka_unit_test(views_borrow),
        cmocka_unit_test(pairs_return),
        cmocka_unit_test(malformed_messages_are_refused),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
