/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-009 */
/* PKG-001, PKG-009: every type gives, byte for byte, what a 4.2.2 peer gives. The vectors were
 * captured from one. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "hex.h"
#include "src/wire/codec.h"
#include "src/wire/wire_hooks.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

/* One operation, plain; then described, which is the same between the types. */
static void expect(pmix_data_type_t type, const void *vals, size_t n, const char *plain)
{
    struct px_buf buf = {0};
    char described[4096];
    char type_hex[8];

    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, type, vals, n), 0);
    assert_hex(&buf, plain);
    px_buf_fini(&buf);
    snprintf(type_hex, sizeof(type_hex), "%02x", type);
    snprintf(described, sizeof(described), "09%.2s%s%s", plain, type_hex,
             plain + 2); /* n < 64, type < 128 */
    assert_int_equal(px_pack(&buf, PX_WIRE_DESCRIBED, type, vals, n), 0);
    assert_hex(&buf, described);
    px_buf_fini(&buf);
}

static void signed_number(int64_t v, const char *raw)
{
    struct px_buf buf = {0};

    assert_int_equal(px_pack_raw(&buf, false, PMIX_INT64, &v), 0);
    assert_hex(&buf, raw);
    px_buf_fini(&buf);
}

static void unsigned_number(uint64_t v, const char *raw)
{
    struct px_buf buf = {0};

    assert_int_equal(px_pack_raw(&buf, false, PMIX_UINT64, &v), 0);
    assert_hex(&buf, raw);
    px_buf_fini(&buf);
}

static void numbers_have_variable_length(void **state)
{
    (void) state;
    signed_number(1, "02");
    signed_number(-1, "01");
    signed_number(64, "8001");
    signed_number(-65, "8101");
    signed_number(-46, "5b");
    signed_number(-230, "cb03");
    signed_number(INT64_MIN, "ffffffffffffffffff");
    signed_number(INT64_MAX, "feffffffffffffffff");
    unsigned_number(0, "00");
    unsigned_number(127, "7f");
    unsigned_number(128, "8001");
    unsigned_number(300, "ac02");
    unsigned_number(0xfffffffe, "feffffff0f");
    unsigned_number((UINT64_C(1) << 56) - 1, "ffffffffffffff7f");
    unsigned_number(UINT64_C(1) << 56, "808080808080808001");
    unsigned_number(UINT64_C(1) << 63, "808080808080808080");
    unsigned_number(UINT64_MAX, "ffffffffffffffffff");
}

static void scalars(void **state)
{
    static const pmix_data_type_t bytes[] = {
        PMIX_BYTE,      PMIX_INT8,       PMIX_UINT8,
        PMIX_PERSIST,   PMIX_SCOPE,      PMIX_DATA_RANGE,
        PMIX_COMMAND,   PMIX_PROC_STATE, PMIX_ALLOC_DIRECTIVE,
        PMIX_JOB_STATE, PMIX_LINK_STATE, PMIX_RESBLOCK_DIRECTIVE};
    static const pmix_data_type_t words[] = {PMIX_UINT64,      PMIX_SIZE,        PMIX_DEVTYPE,
                                             PMIX_STOR_MEDIUM, PMIX_STOR_ACCESS, PMIX_STOR_PERSIST};
    static const pmix_data_type_t shorts[] = {PMIX_UINT16, PMIX_LOCTYPE, PMIX_IOF_CHANNEL,
                                              PMIX_DATA_TYPE, PMIX_STOR_ACCESS_TYPE};
    static const pmix_data_type_t ints[] = {PMIX_INT, PMIX_UINT, PMIX_INT32, PMIX_STATUS};
    uint8_t byte = 200;
    uint64_t word = UINT64_C(1) << 40;
    uint16_t half = 300;
    int32_t negative = -70000;
    uint32_t three[] = {1, 2, 300};
    uint32_t five = 5;
    bool yes = true;
    pid_t pid = 77;
    struct timeval tv = {1, 2};
    time_t when = 1000;
    void *pointer = &pid;

    (void) state;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        expect(bytes[i], &byte, 1, "02c8");
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        expect(words[i], &word, 1, "02808080808020");
    }
    for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++) {
        expect(shorts[i], &half, 1, "02ac02");
    }
    for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        expect(ints[i], &negative, 1, "02dfc508");
    }
    expect(PMIX_UINT32, three, 3, "060102ac02");
    expect(PMIX_UINT32, three, 0, "00");
    expect(PMIX_INFO_DIRECTIVES, &five, 1, "0205");
    expect(PMIX_PROC_RANK, &five, 1, "0205");
    expect(PMIX_UINT, &five, 1, "020a");
    expect(PMIX_BOOL, &yes, 1, "0201");
    expect(PMIX_BOOL, &(uint8_t){2}, 1, "0201"); /* as some programs have it */
    expect(PMIX_PID, &pid, 1, "020e4d");
    pid = -1;
    expect(PMIX_PID, &pid, 1, "020effffffff0f");
    expect(PMIX_TIMEVAL, &tv, 1, "020204");
    expect(PMIX_TIME, &when, 1, "02e807");
    expect(PMIX_POINTER, &pointer, 1, "0201");
}

static void texts(void **state)
{
    const char *text = "hi";
    const char *none = NULL;
    const char *empty = "";
    pmix_byte_object_t bytes = {"abc", 3};
    pmix_byte_object_t nothing = {NULL, 0};
    pmix_byte_object_t regex = {"pmix[n[1:1-3]]", 0};
    pmix_nspace_t nspace = "nsp";
    float real = 1.5;
    double third = 1.0 / 3;

    (void) state;
    expect(PMIX_STRING, &text, 1, "0206686900");
    expect(PMIX_STRING, &none, 1, "0200");
    expect(PMIX_STRING, &empty, 1, "020200");
    expect(PMIX_FLOAT, &real, 1, "0212312e35303030303000");
    expect(PMIX_DOUBLE, &third, 1, "0212302e33333333333300");
    expect(PMIX_BYTE_OBJECT, &bytes, 1, "0203616263");
    expect(PMIX_COMPRESSED_STRING, &bytes, 1, "0203616263");
    expect(PMIX_COMPRESSED_BYTE_OBJECT, &bytes, 1, "0203616263");
    expect(PMIX_BYTE_OBJECT, &nothing, 1, "0200");
    expect(PMIX_REGEX, &regex, 1, "02706d69785b6e5b313a312d335d5d00");
    regex = (pmix_byte_object_t){"raw:a,b", 8};
    expect(PMIX_REGEX, &regex, 1, "027261773a612c6200");
    expect(PMIX_PROC_NSPACE, &nspace, 1, "02086e737000");
}

static void structures(void **state)
{
    pmix_proc_t proc = {"ns", 3};
    pmix_proc_t nobody = {"", 0};
    pmix_proc_info_t who = {.proc = {"ns", 3},
                            .hostname = "h",
                            .executable_name = "e",
                            .pid = 9,
                            .exit_code = 4,
                            .state = 5};
    pmix_envar_t envar = {"E", "v", ':'};
    uint32_t dims[] = {1, 2, 300};
    pmix_coord_t coords[] = {{2, dims, 3}, {2, dims, 3}};
    char *lines[] = {"a", "b", NULL};
    pmix_regattr_t attr = {
        .name = "N", .string = "pmix.n", .type = PMIX_STRING, .description = lines};
    pmix_geometry_t geometry = {3, "u", "o", coords, 2};
    pmix_device_distance_t distance = {"u", "o", 4, 1, 2};
    pmix_endpoint_t endpoint = {"u", "o", {"abc", 3}};
    pmix_data_buffer_t buffer = {"\2\5", NULL, NULL, 2, 2};

    (void) state;
    expect(PMIX_PROC, &proc, 1, "02066e730003");
    expect(PMIX_PROC, &nobody, 1, "02020000");
    expect(PMIX_PROC_INFO, &who, 1, "02066e7300030468000465000e0905");
    expect(PMIX_ENVAR, &envar, 1, "020445000476003a");
    expect(PMIX_COORD, coords, 1, "0202030102ac02");
    expect(PMIX_REGATTR, &attr, 1, "02044e000e706d69782e6e000304046100046200");
    attr.description = NULL;
    expect(PMIX_REGATTR, &attr, 1, "02044e000e706d69782e6e000300");
    expect(PMIX_GEOMETRY, &geometry, 1, "0203047500046f000202030102ac0202030102ac02");
    expect(PMIX_DEVICE_DIST, &distance, 1, "02047500046f00040102");
    expect(PMIX_ENDPOINT, &endpoint, 1, "02047500046f0003616263");
    expect(PMIX_DATA_BUFFER, &buffer, 1, "02020205");
}

static void statistics(void **state)
{
    pmix_proc_stats_t proc = {.node = "n",
                              .proc = {"ns", 3},
                              .pid = 5,
                              .cmd = "c",
                              .state = 'R',
                              .time = {1, 2},
                              .percent_cpu = 1.5f,
                              .priority = -3,
                              .num_threads = 4,
                              .pss = 1,
                              .vsize = 2,
                              .rss = 3,
                              .peak_vsize = 4,
                              .processor = 7,
                              .sample_time = {9, 0}};
    pmix_disk_stats_t disk = {"d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    pmix_net_stats_t net = {"e", 1, 2, 3, 4, 5, 6};

    (void) state;
    expect(PMIX_PROC_STATS, &proc, 1,
           "02046e00066e7300030e05046300520204050812312e3030303030300012322e3030303030300012332e"
           "303030303030000e1200");
    expect(PMIX_DISK_STATS, &disk, 1, "020464000102030405060708090a0b");
    expect(PMIX_NET_STATS, &net, 1, "02046500010203040506");
}

static void values_and_their_containers(void **state)
{
    pmix_proc_t proc = {"ns", 3};
    pmix_info_t info[] = {{.key = "k1", .value = {.type = PMIX_UINT32, .data.uint32 = 5}},
                          {.key = "k2", .value = {.type = PMIX_STRING, .data.string = "hi"}}};
    pmix_data_array_t array = {PMIX_INFO, 2, info};
    pmix_data_array_t empty = {PMIX_INFO, 0, NULL};
    pmix_value_t value = {.type = PMIX_UNDEF};
    char *words[] = {"a", "b", NULL};
    pmix_app_t app = {"cmd", words, NULL, "/tmp", 4, info, 2};
    pmix_app_t bare = {"cmd", NULL, words, NULL, 4, NULL, 0};
    pmix_query_t query = {words, info, 2};
    pmix_pdata_t pdata = {{"ns", 3}, "kk", {.type = PMIX_UINT32, .data.uint32 = 7}};

    (void) state;
    expect(PMIX_VALUE, &value, 1, "0200");
    value = (pmix_value_t){.type = PMIX_PROC, .data.proc = &proc};
    expect(PMIX_VALUE, &value, 1, "0216066e730003");
    expect(PMIX_INFO, info, 2, "04066b3100000e05066b3200000306686900");
    info[0].flags = PMIX_INFO_PERSISTENT; /* who releases a value is nobody else's business */
    expect(PMIX_INFO, info, 2, "04066b3100000e05066b3200000306686900");
    expect(PMIX_DATA_ARRAY, &array, 1, "021802066b3100000e05066b3200000306686900");
    expect(PMIX_DATA_ARRAY, &empty, 1, "021800");
    value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    expect(PMIX_VALUE, &value, 1, "02271802066b3100000e05066b3200000306686900");
    expect(PMIX_APP, &app, 1,
           "0208636d640004046100046200000a2f746d70000802066b3100000e05066b3200000306686900");
    expect(PMIX_APP, &bare, 1, "0208636d64000004046100046200000800");
    expect(PMIX_QUERY, &query, 1, "020404610004620002066b3100000e05066b3200000306686900");
    expect(PMIX_PDATA, &pdata, 1, "02066e730003066b6b000e07");
}

/* A decoder of 6.1 and one of 5.0 disagree on what follows type 0: neither ever gets it from us. */
static void an_array_of_no_type_becomes_one_of_no_bytes(void **state)
{
    pmix_data_array_t array = {PMIX_UNDEF, 0, NULL};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = NULL};

    (void) state;
    expect(PMIX_DATA_ARRAY, &array, 1, "020200");
    expect(PMIX_VALUE, &value, 1, "02270200");
}

static void refused(pmix_data_type_t type, const void *vals, int status)
{
    struct px_buf buf = {0};

    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, type, vals, 1), status);
    assert_false(px_buf_ok(&buf));
    px_buf_fini(&buf);
}

static void what_has_no_bytes_is_refused(void **state)
{
    uint32_t number = 1;
    pmix_value_t value = {.type = PMIX_INFO};
    pmix_data_array_t untyped = {PMIX_UNDEF, 1, &number};
    pmix_byte_object_t missing = {NULL, 4};
    pmix_proc_t endless;

    (void) state;
    refused(PMIX_UNDEF, &number, PMIX_ERR_UNKNOWN_DATA_TYPE);
    refused(400, &number, PMIX_ERR_UNKNOWN_DATA_TYPE);
    refused(PMIX_KVAL, &number, PMIX_ERR_UNKNOWN_DATA_TYPE);
    refused(PMIX_UINT32, NULL, PMIX_ERR_BAD_PARAM);
    refused(PMIX_VALUE, &value, PMIX_ERR_UNKNOWN_DATA_TYPE);
    value = (pmix_value_t){.type = 400};
    refused(PMIX_VALUE, &value, PMIX_ERR_UNKNOWN_DATA_TYPE);
    value = (pmix_value_t){.type = PMIX_PROC};
    refused(PMIX_VALUE, &value, PMIX_ERR_BAD_PARAM);
    refused(PMIX_DATA_ARRAY, &untyped, PMIX_ERR_BAD_PARAM);
    refused(PMIX_BYTE_OBJECT, &missing, PMIX_ERR_BAD_PARAM);
    memset(&endless, 'x', sizeof(endless));
    refused(PMIX_PROC, &endless, PMIX_ERR_BAD_PARAM);
}

static void nesting_ends(void **state)
{
    pmix_data_array_t arrays[PX_WIRE_MAX_DEPTH + 1];
    struct px_buf buf = {0};

    (void) state;
    arrays[0] = (pmix_data_array_t){PMIX_UINT32, 0, NULL};
    for (unsigned i = 1; i <= PX_WIRE_MAX_DEPTH; i++) {
        arrays[i] = (pmix_data_array_t){PMIX_DATA_ARRAY, 1, &arrays[i - 1]};
    }
    assert_int_equal(
        px_pack(&buf, PX_WIRE_PLAIN, PMIX_DATA_ARRAY, &arrays[PX_WIRE_MAX_DEPTH - 1], 1), 0);
    px_buf_fini(&buf);
    refused(PMIX_DATA_ARRAY, &arrays[PX_WIRE_MAX_DEPTH], PMIX_ERR_PACK_FAILURE);
}

/* The first failure is the status of every later operation, and of the buffer. */
static void the_first_failure_stays(void **state)
{
    pmix_byte_object_t missing = {NULL, 4};
    struct px_buf buf = {0};
    uint32_t number = 1;
    size_t len;

    (void) state;
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_BYTE_OBJECT, &missing, 1),
                     PMIX_ERR_BAD_PARAM);
    len = buf.len;
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_UINT32, &number, 1), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_UNDEF, &number, 1), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_pack_raw(&buf, false, PMIX_UINT32, &number), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_pack_frame(&buf, PX_WIRE_PLAIN, PMIX_UINT32, 1), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_pack_infos(&buf, PX_WIRE_PLAIN, NULL, 0), PMIX_ERR_BAD_PARAM);
    assert_int_equal(buf.len, len);
    px_pack_buffer_begin(&buf, &len);
    assert_int_equal(px_pack_buffer_end(&buf, PX_WIRE_PLAIN, len), PMIX_ERR_BAD_PARAM);
    px_buf_fini(&buf);
    assert_null(px_buf_extend(&buf, SIZE_MAX));
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_UNDEF, &number, 1), PMIX_ERR_NOMEM);
    assert_int_equal(buf.len, 0);
    px_buf_fini(&buf);
    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_UINT32, &number, 1), 0);
    px_buf_fini(&buf);
}

static int list_text(const pmix_cpuset_t *cpuset, char **ret_text)
{
    *ret_text = strdup(cpuset->bitmap);
    return 0;
}

static void opaque_types_need_their_hooks(void **state)
{
    pmix_cpuset_t unbound = {"hwloc", NULL};
    pmix_cpuset_t bound = {"hwloc", "hwloc:0-1,3"};
    pmix_topology_t topo = {"hwloc", &unbound};

    (void) state;
    px_wire_hooks = (struct px_wire_hooks){0};
    expect(PMIX_PROC_CPUSET, &unbound, 1, "0200");
    refused(PMIX_PROC_CPUSET, &bound, PMIX_ERR_NOT_SUPPORTED);
    refused(PMIX_TOPO, &topo, PMIX_ERR_NOT_SUPPORTED);
    px_wire_hooks.cpuset_text = list_text;
    expect(PMIX_PROC_CPUSET, &bound, 1, "020c302d312c3300");
}

/* Makes a locale whose decimal sign is a comma the current one, if there is none then of our
 * own. */
static bool use_comma(const char *scratch)
{
    char command[256];

    if (setlocale(LC_ALL, "de_DE.UTF-8")) {
        return true;
    }
    (void) snprintf(command, sizeof(command),
                    "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", scratch);
    return system(command) == 0 && setenv("LOCPATH", scratch, 1) == 0 &&
           setlocale(LC_ALL, "de_DE.UTF-8");
}

static void remove_scratch(const char *scratch)
{
    char command[256];

    (void) snprintf(command, sizeof(command), "rm -rf %s", scratch);
    (void) !system(command);
}

static void reals_are_the_same_in_every_locale(void **state)
{
    char scratch[] = "/tmp/px-locale-XXXXXX";
    struct px_buf buf = {0};
    struct px_in in;
    double real = 1.5;
    double back = 0;
    bool there;

    (void) state;
    assert_non_null(mkdtemp(scratch));
    there = use_comma(scratch);
    remove_scratch(scratch);
    if (!there) {
        skip();
    }
    assert_int_equal(px_pack_raw(&buf, false, PMIX_DOUBLE, &real), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_raw(&in, PMIX_DOUBLE, &back), 0);
    (void) setlocale(LC_ALL, "C");
    assert_hex(&buf, "12312e35303030303000");
    assert_true(back == 1.5);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_variable_length),
        cmocka_unit_test(scalars),
        cmocka_unit_test(texts),
        cmocka_unit_test(structures),
        cmocka_unit_test(statistics),
        cmocka_unit_test(values_and_their_containers),
        cmocka_unit_test(an_array_of_no_type_becomes_one_of_no_bytes),
        cmocka_unit_test(what_has_no_bytes_is_refused),
        cmocka_unit_test(nesting_ends),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(opaque_types_need_their_hooks),
        cmocka_unit_test(reals_are_the_same_in_every_locale),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
