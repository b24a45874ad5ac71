/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* QRY-012, QRY-013, QRY-033, QRY-036: which queries make sense, and what they say. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/nspace/query_args.h"

static pmix_proc_t them = {.nspace = "them", .rank = 3};

/* Its letters: p process, n namespace, r rank, j the job's realm, q supported qualifiers. */
static pmix_query_t make(char **keys, pmix_info_t *room, const char *quals)
{
    pmix_query_t query = {.keys = keys, .qualifiers = room, .nqual = strlen(quals)};
    bool yes = true;

    for (size_t i = 0; i < query.nqual; i++) {
        switch (quals[i]) {
        case 'p':
            PMIx_Info_load(&room[i], PMIX_PROCID, &them, PMIX_PROC);
            break;
        case 'n':
            PMIx_Info_load(&room[i], PMIX_NSPACE, "them", PMIX_STRING);
            break;
        case 'r':
            PMIx_Info_load(&room[i], PMIX_RANK, &them.rank, PMIX_PROC_RANK);
            break;
        case 'j':
            PMIx_Info_load(&room[i], PMIX_JOB_INFO, &yes, PMIX_BOOL);
            break;
        default:
            PMIx_Info_load(&room[i], PMIX_QUERY_SUPPORTED_QUALIFIERS, &yes, PMIX_BOOL);
            break;
        }
    }
    return query;
}

static void expect(int want, const char *first, const char *second, const char *quals)
{
    char *keys[] = {(char *) (uintptr_t) first, (char *) (uintptr_t) second, NULL};
    pmix_info_t room[4];
    pmix_query_t query = make(keys, room, quals);

    assert_int_equal(px_query_check(&query), want);
    for (size_t i = 0; i < query.nqual; i++) {
        PMIx_Info_destruct(&room[i]);
    }
}

static void sense(void **state)
{
    const int bad = PMIX_ERR_BAD_PARAM;

    (void) state;
    expect(bad, NULL, NULL, "");
    expect(0, "any", NULL, "");
    expect(0, "any", NULL, "p");
    expect(0, "any", NULL, "nr");
    expect(bad, "any", NULL, "pn");
    expect(bad, "any", NULL, "rp");
    expect(bad, "any", NULL, "r");
    expect(0, "any", PMIX_JOB_SIZE, "n");
    expect(bad, "any", PMIX_LOCAL_RANK, "n");
    expect(0, PMIX_LOCAL_RANK, NULL, "nj");
    expect(bad, PMIX_QUERY_PROC_TABLE, NULL, "p");
    expect(0, PMIX_QUERY_PROC_TABLE, NULL, "n");
    expect(bad, "any", PMIX_QUERY_RESULTS, "");
    expect(bad, PMIX_QUERY_QUALIFIERS, NULL, "");
    expect(bad, "any", PMIX_QUERY_QUALIFIERS, "");
    expect(0, PMIX_QUERY_SUPPORTED_QUALIFIERS, PMIX_QUERY_PROC_TABLE, "");
    expect(0, PX_QUERY_SUPPORTED_QUALIFIERS_7, PMIX_QUERY_PROC_TABLE, "");
    expect(0, PMIX_QUERY_PROC_TABLE, NULL, "q");
}

static void target(void **state)
{
    pmix_proc_t us = {.nspace = "us", .rank = 1};
    pmix_info_t room[4];
    pmix_query_t query = make(NULL, room, "");
    pmix_proc_t proc = px_query_target(&query, &us);

    (void) state;
    assert_true(PMIX_CHECK_PROCID(&proc, &us));
    assert_null(px_query_qualifier(&query, PMIX_PROCID));
    query = make(NULL, room, "p");
    proc = px_query_target(&query, &us);
    assert_true(PMIX_CHECK_PROCID(&proc, &them));
    PMIx_Info_destruct(&room[0]);
    query = make(NULL, room, "n");
    proc = px_query_target(&query, &us);
    assert_string_equal(proc.nspace, "them");
    assert_int_equal(proc.rank, 1);
    PMIx_Info_destruct(&room[0]);
    query = make(NULL, room, "r");
    proc = px_query_target(&query, &us);
    assert_string_equal(proc.nspace, "us");
    assert_int_equal(proc.rank, 3);
    PMIx_Info_destruct(&room[0]);
}

/* QRY-003, QRY-010: what a host answered, in either shape. */
static void results(void **state)
{
    char *keys[] = {(char *) "asked", NULL};
    pmix_query_t query = {.keys = keys};
    pmix_info_t inner[2] = {{.key = "asked", .value = {.type = PMIX_UINT32, .data.uint32 = 7}},
                            {.key = PMIX_QUERY_QUALIFIERS, .value = {.type = PMIX_UNDEF}}};
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = inner};
    pmix_info_t flat[2] = {
        {.key = "beside", .value = {.type = PMIX_UNDEF}},
        {.key = PMIX_QUERY_RESULTS, .value = {.type = PMIX_DATA_ARRAY, .data.darray = &array}}};
    const pmix_value_t *value = px_query_result(flat, 2, "asked");

    (void) state;
    assert_ptr_equal(value, &inner[0].value);
    assert_null(px_query_result(flat, 1, "asked"));
    assert_null(px_query_result(NULL, 0, "asked"));
    assert_ptr_equal(px_query_result(flat, 1, "beside"), &flat[0].value);
    assert_true(px_query_has_other(&query, 1, flat, 2));
    assert_false(px_query_has_other(&query, 1, &flat[1], 1));
    assert_false(px_query_has_other(&query, 1, NULL, 0));
    array.array = NULL;
    assert_null(px_query_result(flat, 2, "asked"));
    memset(flat[0].key, 'k', PMIX_MAX_KEYLEN); /* as long as a key can be */
    assert_null(px_query_result(flat, 2, "asked"));
    assert_true(px_query_has_other(&query, 1, flat, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sense),
        cmocka_unit_test(target),
        cmocka_unit_test(results),
    };

    return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}
