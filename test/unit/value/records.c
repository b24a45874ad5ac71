/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-005 */
/* What single structures can do beyond being made and freed. MAC-006, QRY-050, QRY-051. */
#include "support.h"

static void test_app_and_query(void **unused)
{
    pmix_app_t *app = PMIx_App_create(1);
    pmix_query_t *query = PMIx_Query_create(1);

    (void) unused;
    app->cmd = strdup("cmd");
    assert_int_equal(PMIx_Argv_append_nosize(&app->argv, "arg"), PMIX_SUCCESS);
    PMIx_App_info_create(app, 2);
    assert_int_equal(app->ninfo, 2);
    assert_true(PMIx_Info_is_end(&app->info[1]));
    assert_int_equal(PMIx_Info_load(&app->info[0], "k", "v", PMIX_STRING), PMIX_SUCCESS);
    PMIx_App_release(app);
    PMIx_App_release(NULL);
    PMIx_App_info_create(NULL, 2);
    PMIx_Query_qualifiers_create(query, 2);
    assert_int_equal(query->nqual, 2);
    PMIx_Query_release(query);
    PMIx_Query_release(NULL);
    PMIx_Query_qualifiers_create(NULL, 2);
}

static void test_pdata(void **unused)
{
    pmix_proc_t proc = {.nspace = "job", .rank = 4};
    pmix_pdata_t a;
    pmix_pdata_t b;

    (void) unused;
    PMIx_Pdata_load(&a, &proc, "key", "text", PMIX_STRING);
    PMIx_Pdata_xfer(&b, &a);
    a.value.data.string[0] = 'T';
    assert_string_equal(b.value.data.string, "text");
    assert_string_equal(b.key, "key");
    assert_true(PMIx_Check_procid(&b.proc, &proc));
    PMIx_Pdata_destruct(&a);
    PMIx_Pdata_destruct(&b);
    PMIx_Pdata_load(&a, NULL, NULL, NULL, PMIX_STRING);
    PMIx_Pdata_destruct(&a);
    PMIx_Pdata_load(NULL, &proc, "key", "text", PMIX_STRING);
    PMIx_Pdata_xfer(NULL, &a);
    PMIx_Pdata_xfer(&a, NULL);
}

static void test_envar(void **unused)
{
    pmix_envar_t envar;

    (void) unused;
    PMIx_Envar_construct(&envar);
    PMIx_Envar_load(&envar, (char *) "PATH", (char *) "/bin", ':');
    assert_string_equal(envar.envar, "PATH");
    assert_string_equal(envar.value, "/bin");
    assert_int_equal(envar.separator, ':');
    PMIx_Envar_destruct(&envar);
    PMIx_Envar_load(NULL, NULL, NULL, ':');
}

static void test_regattr(void **unused)
{
    pmix_regattr_t a;
    pmix_regattr_t b;

    (void) unused;
    PMIx_Regattr_construct(&a);
    PMIx_Regattr_load(&a, "PMIX_JOB_SIZE", "pmix.job.size", PMIX_UINT32, "one");
    PMIx_Regattr_load(&a, NULL, NULL, PMIX_UINT32, "two");
    PMIx_Regattr_xfer(&b, &a);
    PMIx_Regattr_destruct(&a);
    assert_string_equal(b.name, "PMIX_JOB_SIZE");
    assert_string_equal(b.string, "pmix.job.size");
    assert_string_equal(b.description[1], "two");
    assert_null(b.description[2]);
    PMIx_Regattr_destruct(&b);
    PMIx_Regattr_load(NULL, "a", "b", PMIX_INT, "c");
    PMIx_Regattr_xfer(NULL, &b);
}

static void test_fabric(void **unused)
{
    pmix_fabric_t fabric;
    pmix_fabric_t zero;

    (void) unused;
    memset(&zero, 0, sizeof(zero));
    memset(&fabric, 0xa5, sizeof(fabric));
    PMIx_Fabric_construct(&fabric);
    assert_memory_equal(&fabric, &zero, sizeof(zero));
    PMIx_Fabric_construct(NULL);
}

static void test_coord(void **unused)
{
    pmix_coord_t *coords = PMIx_Coord_create(3, 2);
    pmix_coord_t one;

    (void) unused;
    assert_int_equal(coords[1].dims, 3);
    coords[1].coord[2] = 9;
    PMIx_Coord_destruct(&coords[0]);
    PMIx_Coord_free(coords, 2);
    coords = PMIx_Coord_create(0, 1);
    assert_null(coords[0].coord);
    PMIx_Coord_free(coords, 1);
    assert_null(PMIx_Coord_create(3, 0));
    PMIx_Coord_construct(&one);
    assert_int_equal(one.view, PMIX_COORD_VIEW_UNDEF);
    PMIx_Coord_construct(NULL);
    PMIx_Coord_destruct(NULL);
    PMIx_Coord_free(NULL, 1);
    for (unsigned n = 1; n <= 3; n++) {
        fail_allocation(n);
        assert_null(PMIx_Coord_create(3, 2));
        fail_allocation(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_app_and_query), cmocka_unit_test(test_pdata),
        cmocka_unit_test(test_envar),         cmocka_unit_test(test_regattr),
        cmocka_unit_test(test_fabric),        cmocka_unit_test(test_coord),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
