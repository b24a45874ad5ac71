/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-001 PKG-003 PKG-008 PKG-010 */
/* What was packed comes back; what nobody packed is refused
 * with nothing lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen.h"
#include "hex.h"
#include "src/wire/codec.h"
#include "src/wire/wire_hooks.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

enum { ROUNDS = 300, COUNT_MAX = 3 };

static void fini_all(const struct px_type *info, void *elements, size_t n)
{
    px_type_free(info, elements, n);
}

static bool equal(const struct px_type *info, const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (px_type_compare(info, a + i * info->size, b + i * info->size, 0) != PMIX_EQUAL) {
            return false;
        }
    }
    return true;
}

static void round_trip(struct gen *gen, pmix_data_type_t type, enum px_wire_kind kind)
{
    const struct px_type *info = px_type_info(type);
    size_t n = 1 + gen_below(gen, COUNT_MAX);
    size_t back = n;
    char *in_values = calloc(n, info->size);
    char *out_values = calloc(n, info->size);
    struct px_buf buf = {0};
    struct px_in in;
    int rc;

    for (size_t i = 0; i < n; i++) {
        gen_fill(gen, type, in_values + i * info->size, 3);
    }
    assert_int_equal(px_pack(&buf, kind, type, in_values, n), 0);
    in = px_in_make(buf.data, buf.len, kind);
    rc = px_unpack(&in, type, out_values, &back);
    if (rc != 0 || back != n || px_in_left(&in) != 0 || !equal(info, in_values, out_values, n)) {
        fail_msg("%s: status %d, %zu of %zu, %zu bytes left", info->name, rc, back, n,
                 px_in_left(&in));
    }
    fini_all(info, in_values, n);
    fini_all(info, out_values, n);
    px_buf_fini(&buf);
}

static void every_type_returns_as_it_was(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (pmix_data_type_t type = 0; type < PX_VALUE_TYPES; type++) {
        for (unsigned i = 0; gen_knows(type) && i < ROUNDS; i++) {
            round_trip(&gen, type, i % 2 ? PX_WIRE_PLAIN : PX_WIRE_DESCRIBED);
        }
    }
}

static void exact_encodings_lose_nothing(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    gen.exact = true;
    for (unsigned i = 0; i < ROUNDS * 20; i++) {
        pmix_data_type_t type = gen_type(&gen);
        const struct px_type *info = px_type_info(type);
        char *a = calloc(1, info->size);
        char *b = calloc(1, info->size);
        struct px_buf buf = {0};
        struct px_in in;

        gen_fill(&gen, type, a, 3);
        assert_int_equal(px_pack_raw(&buf, true, type, a), 0);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        in.exact = true;
        assert_int_equal(px_unpack_raw(&in, type, b), 0);
        assert_int_equal(px_in_left(&in), 0);
        assert_true(equal(info, a, b, 1));
        fini_all(info, a, 1);
        fini_all(info, b, 1);
        px_buf_fini(&buf);
    }
}

/* A peer cannot make us believe that somebody else owns what we have just made. */
static void nobody_else_owns_what_was_unpacked(void **state)
{
    struct px_buf buf = {0};
    pmix_info_t info;
    struct px_in in;

    (void) state;
    unhex("02 046100 11 03 066f6b00", &buf);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_INFO, &info), 0);
    assert_int_equal(info.flags, PMIX_INFO_REQD);
    info.flags |= PMIX_INFO_PERSISTENT;
    buf.len = 0;
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_INFO, &info, 1), 0);
    assert_hex(&buf, "02046100010306"
                     "6f6b00");
    info.flags = 0;
    px_type_fini(px_type_info(PMIX_INFO), &info);
    px_buf_fini(&buf);
}

/* Cut anywhere: refused, nothing left to be read, nothing leaked (the sanitizer looks). */
/* Processes are read by their namespaces, as written: the same as the one before, another one that
 * begins like it, none. A list that is cut off anywhere is refused. */
static void namespaces_of_a_list_are_told_apart(void **state)
{
    static const pmix_proc_t list[] = {{"job", 1}, {"job", 300}, {"jo", 2},   {"jobs", 3}, {"", 4},
                                       {"", 5},    {"job", 6},   {"jog", 70}, {"jog", 8}};
    enum { N = sizeof(list) / sizeof(list[0]) };
    struct px_buf buf = {0};
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    struct px_in in;

    (void) state;
    assert_int_equal(px_pack_array(&buf, PX_WIRE_PLAIN, PMIX_PROC, list, N), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_procs(&in, &procs, &n), 0);
    assert_int_equal(n, N);
    assert_memory_equal(procs, list, sizeof(list)); /* nothing behind the names, too */
    PMIx_Proc_free(procs, n);
    for (size_t len = 0; len < buf.len; len++) {
        unsigned char *copy = malloc(len + 1); /* exactly as long as it may be read */

        memcpy(copy, buf.data, len);
        in = px_in_make(copy, len, PX_WIRE_PLAIN);
        assert_int_not_equal(px_unpack_procs(&in, &procs, &n), 0);
        free(copy);
    }
    px_buf_fini(&buf);
}

static void every_cut_is_noticed(void **state)
{
    struct gen gen = gen_start();
    char element[4096];

    (void) state;
    for (unsigned i = 0; i < ROUNDS * 4; i++) {
        pmix_data_type_t type = gen_type(&gen);
        const struct px_type *info = px_type_info(type);
        enum px_wire_kind kind = i % 2 ? PX_WIRE_PLAIN : PX_WIRE_DESCRIBED;
        struct px_buf buf = {0};

        gen_fill(&gen, type, element, 2);
        assert_int_equal(px_pack(&buf, kind, type, element, 1), 0);
        px_type_fini(info, element);
        for (size_t len = 0; len < buf.len && len < 600; len++) {
            unsigned char *copy = malloc(len + 1); /* exactly as long as it may be read */
            struct px_in in;

            memcpy(copy, buf.data, len);
            in = px_in_make(copy, len, kind);
            assert_int_not_equal(px_unpack_one(&in, type, element), 0);
            assert_int_equal(px_in_left(&in), 0);
            free(copy);
        }
        px_buf_fini(&buf);
    }
}

/* Any byte changed: refused or read as something else, never beyond the end. */
static void damage_does_no_harm(void **state)
{
    struct gen gen = gen_start();
    char element[4096];

    (void) state;
    for (unsigned i = 0; i < ROUNDS * 60; i++) {
        pmix_data_type_t type = gen_type(&gen);
        const struct px_type *info = px_type_info(type);
        struct px_buf buf = {0};
        struct px_in in;
        int rc;

        gen_fill(&gen, type, element, 2);
        assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, type, element, 1), 0);
        px_type_fini(info, element);
        for (unsigned k = 1 + (unsigned) gen_below(&gen, 3); k > 0; k--) {
            buf.data[gen_below(&gen, buf.len)] = (unsigned char) gen_next(&gen);
        }
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        rc = px_unpack_one(&in, type, element);
        if (rc == 0) {
            px_type_fini(info, element);
        }
        px_buf_fini(&buf);
    }
}

struct bad {
    const char *what;
    pmix_data_type_t type;
    const char *hex;
    int status;
};

static const struct bad table[] = {
    {"nothing", PMIX_UINT32, "", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a count alone", PMIX_UINT32, "02", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a negative count", PMIX_UINT32, "01 05", PMIX_ERR_UNPACK_FAILURE},
    {"a huge count", PMIX_UINT32, "feffffff0f 05", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a count beyond 32 bits", PMIX_UINT32, "feffffffffffffffff 05", PMIX_ERR_UNPACK_FAILURE},
    {"an unfinished number", PMIX_UINT64, "02 ffffffff", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"too large for 32 bits", PMIX_UINT32, "02 ffffffff1f", PMIX_ERR_UNPACK_FAILURE},
    {"too large for 16 bits", PMIX_UINT16, "02 808004", PMIX_ERR_UNPACK_FAILURE},
    {"too small for 16 bits", PMIX_INT16, "02 818004", PMIX_ERR_UNPACK_FAILURE},
    {"too large for an int", PMIX_INT, "02 8080808010", PMIX_ERR_UNPACK_FAILURE},
    {"a type beyond 16 bits", PMIX_VALUE, "02 958004 00", PMIX_ERR_UNPACK_FAILURE},
    {"a value of no known type", PMIX_VALUE, "02 9003 00", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"a value that holds a value", PMIX_VALUE, "02 15 00", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"a value that holds an info", PMIX_VALUE, "02 18 0200 00 00", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"a string without its NUL", PMIX_STRING, "02 06 616263", PMIX_ERR_UNPACK_FAILURE},
    {"a string with a NUL inside", PMIX_STRING, "02 06 610000", PMIX_ERR_UNPACK_FAILURE},
    {"a string of negative length", PMIX_STRING, "02 05 610000", PMIX_ERR_UNPACK_FAILURE},
    {"a string longer than all", PMIX_STRING, "02 fe01 6100",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"bytes longer than all", PMIX_BYTE_OBJECT, "02 ffffffff0f 6100",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"bytes of 2^64-1", PMIX_BYTE_OBJECT, "02 ffffffffffffffffff 61",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"no number", PMIX_DOUBLE, "02 04 7800", PMIX_ERR_UNPACK_FAILURE},
    {"more than a number", PMIX_DOUBLE, "02 06 317800", PMIX_ERR_UNPACK_FAILURE},
    {"an empty number", PMIX_DOUBLE, "02 02 00", PMIX_ERR_UNPACK_FAILURE},
    {"a pid of a strange type", PMIX_PID, "02 03 05", PMIX_ERR_UNPACK_FAILURE},
    {"a pid beyond 32 bits", PMIX_PID, "02 0f 8080808010", PMIX_ERR_UNPACK_FAILURE},
    {"an array of 2^64-1", PMIX_DATA_ARRAY, "02 0e ffffffffffffffffff 05",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"an array longer than its bytes", PMIX_DATA_ARRAY, "02 0e 03 0102",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"an array of an unknown type", PMIX_DATA_ARRAY, "02 9003 01 01", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"an array of buffers", PMIX_DATA_ARRAY, "02 1a 01 01", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"a list of words with a hole", PMIX_QUERY, "02 04 046100 00 00", PMIX_ERR_UNPACK_FAILURE},
    {"a list longer than its bytes", PMIX_QUERY, "02 fe01 046100 00",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a map without end", PMIX_REGEX, "02 706d6978", PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a blob without head", PMIX_REGEX, "02 626c6f6200 00 00", PMIX_ERR_UNPACK_FAILURE},
    {"a blob without size", PMIX_REGEX, "02 626c6f6200 636f6d706f6e656e743d00 73697a653d00",
     PMIX_ERR_UNPACK_FAILURE},
    {"a blob longer than all", PMIX_REGEX, "02 626c6f6200 636f6d706f6e656e743d00 73697a653d3900 01",
     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER},
    {"a topology", PMIX_TOPO, "02 00", PMIX_ERR_NOT_SUPPORTED},
    {"a cpuset", PMIX_PROC_CPUSET, "02 043000", PMIX_ERR_NOT_SUPPORTED},
    {"no type", PMIX_UNDEF, "02 00", PMIX_ERR_UNKNOWN_DATA_TYPE},
    {"a buffer, which is not for this function", 26, "02 01 00", PMIX_ERR_UNKNOWN_DATA_TYPE},
};

/* [PKG-004] What is passed over is one, too. */
static void one_topology_is_passed_over(void **state)
{
    static const struct {
        const char *hex;
        int status;
    } all[] = {{"02 00", PMIX_SUCCESS},
               {"04 00 00", PMIX_ERR_UNPACK_FAILURE},
               {"00", PMIX_ERR_UNPACK_FAILURE}};

    (void) state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct px_buf buf = {0};
        struct px_in in;

        unhex(all[i].hex, &buf);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack_past_topo(&in), all[i].status);
        px_buf_fini(&buf);
    }
}

static int no_topology(const char *xml, pmix_topology_t *ret)
{
    (void) xml;
    (void) ret;
    return PMIX_SUCCESS;
}

static void malformed_input_is_refused(void **state)
{
    (void) state;
    px_wire_hooks.topo_parse = no_topology; /* a message does not get that far */
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char element[4096];
        struct px_buf buf = {0};
        struct px_in in;
        unsigned char *copy;
        int rc;

        unhex(table[i].hex, &buf);
        copy = malloc(buf.len + 1);
        memcpy(copy, buf.data ? buf.data : copy, buf.len);
        in = px_in_make(copy, buf.len, PX_WIRE_PLAIN);
        rc = px_unpack_one(&in, table[i].type, element);
        if (rc != table[i].status || in.status != rc || px_in_left(&in) != 0) {
            fail_msg("%s: status %d instead of %d", table[i].what, rc, table[i].status);
        }
        free(copy);
        px_buf_fini(&buf);
    }
}

/* The leanest array that a count could promise must not make us ask for gigabytes. */
static void memory_follows_the_bytes(void **state)
{
    size_t len = 1 << 20;
    unsigned char *bytes = calloc(1, len);
    unsigned char head[] = {0x02, PMIX_INFO, 0xf0, 0xff, 0x3f}; /* one array of 2^20 - 16 infos */
    pmix_data_array_t array;
    struct px_in in;

    (void) state;
    memcpy(bytes, head, sizeof(head));
    in = px_in_make(bytes, len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_DATA_ARRAY, &array), PMIX_ERR_UNPACK_FAILURE);
    free(bytes);
}

static void nesting_ends(void **state)
{
    struct px_buf buf = {0};
    pmix_data_array_t array;
    struct px_in in;

    (void) state;
    px_buf_byte(&buf, 2);
    for (unsigned i = 1; i < PX_WIRE_MAX_DEPTH; i++) {
        px_buf_byte(&buf, PMIX_DATA_ARRAY);
        px_buf_byte(&buf, 1);
    }
    unhex("0e 01 05", &buf);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_DATA_ARRAY, &array), 0);
    px_type_fini(px_type_info(PMIX_DATA_ARRAY), &array);
    buf.len -= 3;
    unhex("27 01 0e 01 05", &buf);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_DATA_ARRAY, &array), PMIX_ERR_UNPACK_FAILURE);
    buf.len = 1;
    for (unsigned i = 0; i < 500000; i++) {
        unhex("27 01", &buf);
    }
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_DATA_ARRAY, &array), PMIX_ERR_UNPACK_FAILURE);
    px_buf_fini(&buf);
}

static void described_buffers_know_their_types(void **state)
{
    struct px_buf buf = {0};
    pmix_rank_t rank = 7;
    uint32_t number;
    struct px_in in;

    (void) state;
    assert_int_equal(px_pack(&buf, PX_WIRE_DESCRIBED, PMIX_PROC_RANK, &rank, 1), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_DESCRIBED);
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &number), PMIX_ERR_TYPE_MISMATCH);
    in = px_in_make(buf.data, buf.len, PX_WIRE_DESCRIBED);
    assert_int_equal(px_unpack_one(&in, PMIX_PROC_RANK, &number), 0);
    assert_int_equal(number, 7);
    px_buf_fini(&buf);
}

/* The first failure is the status of every later operation, which reads nothing. */
static void the_first_failure_stays(void **state)
{
    static const unsigned char bytes[] = {0x02, 0xff, 0xff, 0xff, 0xff, 0x1f, /* beyond 32 bits */
                                          0x02, 0x05, 0x02, 0x04, 0x02, 0x02, 0x61, 0x00};
    struct px_in in = px_in_make(bytes, sizeof(bytes), PX_WIRE_PLAIN);
    uint32_t number = 7;
    pmix_info_t *infos = NULL;
    const void *view = NULL;
    char *text = NULL;
    size_t n = 0;

    (void) state;
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &number), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_in_left(&in), 0);
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &number), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_raw(&in, PMIX_UINT32, &number), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_raw(&in, PMIX_UNDEF, &number), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_one(&in, PMIX_UNDEF, &number), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_string(&in, &text), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_infos(&in, &infos, &n), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_unpack_view(&in, &view, &n), PMIX_ERR_UNPACK_FAILURE);
    assert_true(text == NULL && infos == NULL && view == NULL && n == 0);
    /* An input that only ends early keeps the status that says so. */
    in = px_in_make(bytes, 3, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &number),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    assert_int_equal(px_unpack_one(&in, PMIX_UNDEF, &number),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
}

static void what_does_not_fit_is_passed_over(void **state)
{
    const char *words[] = {"one", "two", "three"};
    struct px_buf buf = {0};
    char *out[2];
    size_t n = 2;
    struct px_in in;
    uint32_t after = 0;
    uint32_t four = 4;

    (void) state;
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_STRING, words, 3), 0);
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_UINT32, &four, 1), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack(&in, PMIX_STRING, out, &n), PMIX_ERR_UNPACK_INADEQUATE_SPACE);
    assert_int_equal(n, 2);
    assert_string_equal(out[0], "one");
    assert_string_equal(out[1], "two");
    free(out[0]);
    free(out[1]);
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &after), 0);
    assert_int_equal(after, 4);
    assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &after),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    px_buf_fini(&buf);
}

/* 5.0 writes the size of an array of no type, 6.1 does not; what follows must be read all the
 * same. */
static void arrays_of_no_type_come_in_two_forms(void **state)
{
    static const char *const forms[] = {"02 046100 00 2700", "02 046100 00 270000"};

    (void) state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct px_buf buf = {0};
        pmix_info_t info[2];
        uint32_t five = 0;
        size_t n = 2;
        struct px_in in;

        unhex(forms[i], &buf);
        unhex("02 05", &buf);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_unpack(&in, PMIX_INFO, info, &n), 0);
        assert_int_equal(info[0].value.data.darray->size, 0);
        assert_int_equal(px_unpack_one(&in, PMIX_UINT32, &five), 0);
        assert_int_equal(five, 5);
        px_type_fini(px_type_info(PMIX_INFO), &info[0]);
        px_buf_fini(&buf);
    }
}

static int parse_list(const char *text, pmix_cpuset_t *ret_cpuset)
{
    assert_string_equal(text, "hwloc:0-1,3");
    ret_cpuset->source = strdup("hwloc");
    return 0;
}

static void a_cpuset_is_text(void **state)
{
    struct px_buf buf = {0};
    pmix_cpuset_t cpuset = {NULL, NULL};
    struct px_in in;

    (void) state;
    unhex("020c302d312c3300", &buf);
    px_wire_hooks.cpuset_parse = parse_list;
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&in, PMIX_PROC_CPUSET, &cpuset), 0);
    assert_string_equal(cpuset.source, "hwloc");
    free(cpuset.source);
    px_wire_hooks = (struct px_wire_hooks){0};
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_returns_as_it_was),
        cmocka_unit_test(exact_encodings_lose_nothing),
        cmocka_unit_test(nobody_else_owns_what_was_unpacked),
        cmocka_unit_test(namespaces_of_a_list_are_told_apart),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(one_topology_is_passed_over),
        cmocka_unit_test(malformed_input_is_refused),
        cmocka_unit_test(memory_follows_the_bytes),
        cmocka_unit_test(nesting_ends),
        cmocka_unit_test(described_buffers_know_their_types),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(what_does_not_fit_is_passed_over),
        cmocka_unit_test(arrays_of_no_type_come_in_two_forms),
        cmocka_unit_test(a_cpuset_is_text),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
