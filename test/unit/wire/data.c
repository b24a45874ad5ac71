/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-001 PKG-002 PKG-003 PKG-004 PKG-005 PKG-006 PKG-008 PKG-009 PKG-011 SRV-010 SRV-011
 * SRV-012 SRV-013 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>
#include <pmix_server.h>

#include "gen.h"
#include "hex.h"
#include "src/api/codec_hooks.h"
#include "src/base/param.h"
#include "test/unit/topo/use.h"
#include "src/topo/cpuset.h"
#include "src/topo/topo_values.h"

static void expect_used(const pmix_data_buffer_t *buffer, const char *expected)
{
    char *text = hex_of(buffer->base_ptr, buffer->bytes_used);

    assert_string_equal(text, expected);
    assert_ptr_equal(buffer->pack_ptr, buffer->base_ptr + buffer->bytes_used);
    assert_true(buffer->bytes_allocated >= buffer->bytes_used);
    free(text);
}

static void bad_arguments(void **state)
{
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_byte_object_t payload = {NULL, 0};
    uint32_t number = 1;
    int32_t n = 1;
    void *copy = NULL;
    char *text = NULL;

    (void) state;
    assert_int_equal(PMIx_Data_pack(NULL, NULL, &number, 1, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, NULL, 1, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &number, -1, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &number, 1, PMIX_UNDEF),
                     PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &number, 1, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(buffer.bytes_used, 0);
    assert_int_equal(PMIx_Data_unpack(NULL, NULL, &number, &n, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, NULL, &n, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &number, NULL, PMIX_UINT32),
                     PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &number, &n, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    n = 1;
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &number, &n, PMIX_UINT32),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    assert_int_equal(PMIx_Data_copy(NULL, &number, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_copy(&copy, NULL, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_copy(&copy, &number, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Data_print(NULL, NULL, &number, PMIX_UINT32), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_print(&text, NULL, &number, 400), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Data_copy_payload(NULL, &buffer), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_copy_payload(&buffer, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_load(NULL, &payload), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_load(&buffer, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_unload(&buffer, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Data_embed(&buffer, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_generate_regex(NULL, &text), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_generate_ppn("0", NULL), PMIX_ERR_BAD_PARAM);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
}

static void values_come_back_in_order(void **state)
{
    struct gen gen = gen_start();
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    enum { ELEMENTS = 500 };
    pmix_data_type_t types[ELEMENTS];
    void *elements[ELEMENTS];
    char back[4096];

    (void) state;
    for (int i = 0; i < ELEMENTS; i++) {
        do {
            types[i] = gen_type(&gen);
        } while (types[i] == PMIX_REGEX); /* another representation: see regular_expressions */
        elements[i] = calloc(1, px_type_info(types[i])->size);
        gen_fill(&gen, types[i], elements[i], 2);
        assert_int_equal(PMIx_Data_pack(NULL, &buffer, elements[i], 1, types[i]), 0);
    }
    for (int i = 0; i < ELEMENTS; i++) {
        const struct px_type *info = px_type_info(types[i]);
        int32_t n = 1;

        assert_int_equal(PMIx_Data_unpack(NULL, &buffer, back, &n, types[i]), 0);
        assert_int_equal(n, 1);
        assert_int_equal(px_type_compare(info, elements[i], back, 0), PMIX_EQUAL);
        px_type_fini(info, back);
        px_type_free(info, elements[i], 1);
    }
    assert_ptr_equal(buffer.unpack_ptr, buffer.pack_ptr);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
}

static void too_little_room_gives_what_fits(void **state)
{
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    uint32_t three[] = {1, 2, 300};
    uint32_t out[3] = {0};
    uint32_t nine = 9;
    int32_t n = 2;

    (void) state;
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, three, 3, PMIX_UINT32), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &nine, 1, PMIX_UINT32), 0);
    expect_used(&buffer, "060102ac020209");
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, out, &n, PMIX_UINT32),
                     PMIX_ERR_UNPACK_INADEQUATE_SPACE);
    assert_int_equal(n, 2);
    assert_int_equal(out[1], 2);
    assert_int_equal(out[2], 0);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, out, &n, PMIX_UINT32), 0);
    assert_int_equal(n, 1);
    assert_int_equal(out[0], 9);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, out, &n, PMIX_UINT32),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    assert_int_equal(n, 0);
    buffer.unpack_ptr = buffer.base_ptr; /* PKG-004 */
    n = 3;
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, out, &n, PMIX_UINT32), 0);
    assert_int_equal(out[2], 300);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
}

/* Types are in the buffer only where the parameter says so: peers expect none. */
static void types_are_checked_where_they_are_sent(void **state)
{
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_rank_t rank = 7;
    uint32_t number = 0;
    int32_t n = 1;

    (void) state;
    setenv("PMIX_MCA_bfrops_base_default_type", "2", 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &rank, 1, PMIX_PROC_RANK), 0);
    expect_used(&buffer, "09022807");
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &number, &n, PMIX_UINT32),
                     PMIX_ERR_TYPE_MISMATCH);
    n = 1;
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &number, &n, PMIX_PROC_RANK), 0);
    assert_int_equal(number, 7);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    unsetenv("PMIX_MCA_bfrops_base_default_type");
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &rank, 1, PMIX_PROC_RANK), 0);
    expect_used(&buffer, "0207");
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
}

static void whoever_it_is_for(void **state)
{
    pmix_data_buffer_t mine = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_data_buffer_t named = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_proc_t target;
    double number = 0.5;

    (void) state;
    PMIX_LOAD_PROCID(&target, "somebody", 3);
    assert_int_equal(PMIx_Data_pack(NULL, &mine, &number, 1, PMIX_DOUBLE), 0);
    assert_int_equal(PMIx_Data_pack(&target, &named, &number, 1, PMIX_DOUBLE), 0);
    assert_int_equal(mine.bytes_used, named.bytes_used);
    assert_memory_equal(mine.base_ptr, named.base_ptr, mine.bytes_used);
    PMIX_DATA_BUFFER_DESTRUCT(&mine);
    PMIX_DATA_BUFFER_DESTRUCT(&named);
}

static void a_failed_pack_changes_nothing(void **state)
{
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_value_t values[100];
    uint32_t five = 5;

    (void) state;
    for (size_t i = 0; i < 99; i++) {
        values[i] =
            (pmix_value_t){.type = PMIX_STRING, .data.string = "a text that makes the buffer grow"};
    }
    values[99] = (pmix_value_t){.type = 400};
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &five, 1, PMIX_UINT32), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, values, 100, PMIX_VALUE),
                     PMIX_ERR_UNKNOWN_DATA_TYPE);
    expect_used(&buffer, "0205");
    assert_ptr_equal(buffer.unpack_ptr, buffer.base_ptr);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
}

static void payloads_move_and_are_copied(void **state)
{
    pmix_data_buffer_t one = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_data_buffer_t two = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_byte_object_t payload = {NULL, 0};
    uint32_t numbers[] = {5, 6, 7};
    uint32_t out = 0;
    int32_t n = 1;

    (void) state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(PMIx_Data_pack(NULL, &one, &numbers[i], 1, PMIX_UINT32), 0);
    }
    assert_int_equal(PMIx_Data_pack(NULL, &two, &numbers[2], 1, PMIX_UINT32), 0);
    assert_int_equal(PMIx_Data_unpack(NULL, &one, &out, &n, PMIX_UINT32), 0);
    assert_int_equal(PMIx_Data_copy_payload(&two, &one), 0); /* what is unread, appended */
    expect_used(&two, "020702060207");
    assert_int_equal(one.unpack_ptr - one.base_ptr, 2);
    assert_int_equal(PMIx_Data_unload(&one, &payload), 0); /* what is unread; the source is empty */
    assert_int_equal(payload.size, 4);
    assert_null(one.base_ptr);
    assert_int_equal(one.bytes_used, 0);
    assert_int_equal(PMIx_Data_embed(&one, &payload), 0); /* a copy in place of what was there */
    expect_used(&one, "02060207");
    assert_int_equal(payload.size, 4);
    assert_int_equal(PMIx_Data_load(&two, &payload), 0); /* taken over */
    expect_used(&two, "02060207");
    assert_null(payload.bytes);
    assert_int_equal(payload.size, 0);
    assert_int_equal(PMIx_Data_pack(NULL, &two, &numbers[0], 1, PMIX_UINT32), 0); /* still grows */
    expect_used(&two, "020602070205");
    assert_int_equal(PMIx_Data_embed(&one, &payload), 0);
    assert_int_equal(one.bytes_used, 0);
    assert_int_equal(PMIx_Data_copy_payload(&two, &one), 0);
    expect_used(&two, "020602070205");
    PMIX_DATA_BUFFER_DESTRUCT(&one);
    PMIX_DATA_BUFFER_DESTRUCT(&two);
}

static void regular_expressions(void **state)
{
    static const char *const lists[] = {"node1,node2,node3,node4", "a,b", "", "n1,n2,,n3"};
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    char *made[4];
    char *back[4];
    int32_t n = 4;

    (void) state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(PMIx_generate_regex(lists[i], &made[i]), 0);
    }
    assert_string_equal(made[0], "pmix[node[1:1-4]]");
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, made, 4, PMIX_REGEX), 0);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, back, &n, PMIX_REGEX), 0);
    assert_int_equal(n, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(back[i], made[i]);
        free(back[i]);
        free(made[i]);
    }
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    assert_int_equal(PMIx_generate_ppn("0,1,2,3;4,5,6,7", &made[0]), 0);
    assert_string_equal(made[0], "pmix[0-3;4-7]");
    free(made[0]);
}

static void maps_as_structures(void **state)
{
    static const char list[] = "node1,node2;node3";
    pmix_regex2_t map = PMIX_REGEX2_STATIC_INIT;
    char *back = NULL;

    (void) state;
    assert_int_equal(PMIx_generate_regex2(NULL, NULL, 0, &map), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_generate_regex2(list, NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_generate_regex2(list, NULL, 0, &map), PMIX_SUCCESS);
    assert_string_equal(map.type, "raw");
    assert_int_equal(PMIx_parse_regex2(NULL, NULL, 0, &back), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_parse_regex2(&map, NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_parse_regex2(&map, NULL, 0, &back), PMIX_SUCCESS);
    assert_string_equal(back, list);
    free(back);
    PMIx_Regex2_destruct(&map);
}

static void opaque_types_return(void **state)
{
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_topology_t machine = {strdup("hwloc"), NULL};
    pmix_topology_t other = {NULL, NULL};
    pmix_cpuset_t set = {NULL, NULL};
    pmix_cpuset_t back = {NULL, NULL};
    int32_t n = 1;

    (void) state;
    assert_int_equal(use_synthetic("pack:2 core:2 pu:2"), 0);
    assert_int_equal(px_topo_load(&machine), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &machine, 1, PMIX_TOPO), 0);
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &other, &n, PMIX_TOPO), 0);
    assert_ptr_equal(buffer.unpack_ptr, buffer.pack_ptr);
    assert_int_equal(px_topo_compare(&machine, &other), PMIX_EQUAL);
    px_topo_destruct(&other);
    px_topo_destruct(&machine);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    assert_int_equal(px_topo_cpuset_parse("hwloc:0-1,3", &set), 0);
    assert_int_equal(PMIx_Data_pack(NULL, &buffer, &set, 1, PMIX_PROC_CPUSET), 0);
    expect_used(&buffer, "020c302d312c3300");
    assert_int_equal(PMIx_Data_unpack(NULL, &buffer, &back, &n, PMIX_PROC_CPUSET), 0);
    assert_int_equal(px_topo_cpuset_compare(&set, &back), PMIX_EQUAL);
    px_topo_cpuset_destruct(&set);
    px_topo_cpuset_destruct(&back);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    px_topo_fini();
}

static void copies_are_deep(void **state)
{
    pmix_info_t info = {.key = "k", .value = {.type = PMIX_STRING, .data.string = "text"}};
    void *copy = NULL;
    pmix_info_t *other;

    (void) state;
    assert_int_equal(PMIx_Data_copy(&copy, &info, PMIX_INFO), 0);
    other = copy;
    assert_string_equal(other->value.data.string, "text");
    assert_ptr_not_equal(other->value.data.string, info.value.data.string);
    PMIx_Info_free(other, 1);
    assert_int_equal(PMIx_Data_copy(&copy, "words", PMIX_STRING), 0); /* the string itself */
    assert_string_equal(copy, "words");
    free(copy);
}

static void every_type_prints(void **state)
{
    struct gen gen = gen_start();
    char element[4096];
    char *text = NULL;

    (void) state;
    for (pmix_data_type_t type = 1; type < PX_VALUE_TYPES; type++) {
        if (!gen_knows(type)) {
            continue;
        }
        gen_fill(&gen, type, element, 1);
        assert_int_equal(
            PMIx_Data_print(&text, "-> ", type == PMIX_STRING ? *(void **) element : element, type),
            0);
        assert_memory_equal(text, "-> PMIX_", 8);
        free(text);
        px_type_fini(px_type_info(type), element);
        assert_int_equal(PMIx_Data_print(&text, NULL, NULL, type), 0);
        free(text);
    }
    assert_int_equal(PMIx_Data_print(&text, "> ", "a\nb", PMIX_STRING), 0);
    assert_string_equal(text, "> PMIX_STRING: a\n> b");
    free(text);
}

static void bytes_are_compressed_when_it_pays(void **state)
{
    uint8_t zeros[10000] = {0};
    uint8_t *packed = NULL;
    uint8_t *back = NULL;
    size_t len = 0;
    size_t back_len = 0;

    (void) state;
    assert_true(PMIx_Data_compress(zeros, sizeof(zeros), &packed, &len));
    assert_true(len < 100);
    assert_true(PMIx_Data_decompress(packed, len, &back, &back_len));
    assert_int_equal(back_len, sizeof(zeros));
    assert_memory_equal(back, zeros, back_len);
    free(back);
    assert_false(PMIx_Data_decompress(packed, len - 1, &back, &back_len));
    assert_null(back);
    free(packed);
    assert_false(PMIx_Data_compress((const uint8_t *) "abc", 3, &packed, &len));
    assert_null(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(values_come_back_in_order),
        cmocka_unit_test(too_little_room_gives_what_fits),
        cmocka_unit_test(types_are_checked_where_they_are_sent),
        cmocka_unit_test(whoever_it_is_for),
        cmocka_unit_test(a_failed_pack_changes_nothing),
        cmocka_unit_test(payloads_move_and_are_copied),
        cmocka_unit_test(regular_expressions),
        cmocka_unit_test(maps_as_structures),
        cmocka_unit_test(opaque_types_return),
        cmocka_unit_test(copies_are_deep),
        cmocka_unit_test(every_type_prints),
        cmocka_unit_test(bytes_are_compressed_when_it_pays),
    };

    alarm(60);
    px_codec_hooks_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
