/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-010 MAC-014 */
/* Names and process ids. MAC-010, MAC-014. */
#include "support.h"

#include "src/value/keys.h"

static void test_load(void **unused)
{
    char text[700];
    pmix_nspace_t ns;
    pmix_key_t key;
    pmix_proc_t p;
    pmix_proc_t q;

    (void) unused;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    PMIx_Load_key(key, text);
    assert_int_equal(strlen(key), PMIX_MAX_KEYLEN);
    PMIx_Load_nspace(ns, text);
    assert_int_equal(strlen(ns), PMIX_MAX_NSLEN);
    PMIx_Load_nspace(ns, NULL);
    assert_memory_equal(ns, (pmix_nspace_t){0}, sizeof(ns)); /* nothing of the longer one is left */
    PMIx_Load_key(key, "ab");
    assert_memory_equal(key, (pmix_key_t){"ab"}, sizeof(key));
    PMIx_Load_procid(&p, "job", 3);
    memset(&q, 0xa5, sizeof(q));
    PMIx_Xfer_procid(&q, &p);
    assert_memory_equal(&p, &q, sizeof(p));
    PMIx_Proc_load(&q, "job", 3);
    assert_memory_equal(&p, &q, sizeof(p));
    PMIx_Load_key(NULL, "x");
    PMIx_Load_nspace(NULL, "x");
    PMIx_Load_procid(NULL, "x", 0);
    PMIx_Xfer_procid(NULL, &p);
    PMIx_Xfer_procid(&p, NULL);
}

static void test_keys(void **unused)
{
    (void) unused;
    assert_true(PMIx_Check_key("a.b", "a.b"));
    assert_false(PMIx_Check_key("a.b", "a.bc"));
    assert_false(PMIx_Check_key("", "a"));
    assert_false(PMIx_Check_key(NULL, "a"));
    assert_true(PMIx_Check_reserved_key(PMIX_JOB_SIZE));
    assert_true(PMIx_Check_reserved_key("pmix"));
    assert_false(PMIx_Check_reserved_key("pmi"));
    assert_false(PMIx_Check_reserved_key("PMIX_JOB_SIZE"));
    assert_false(PMIx_Check_reserved_key(NULL));
}

static void test_value_keys(void **unused)
{
    pmix_key_t full[2];

    (void) unused;
    memset(full, 'x', sizeof(full));
    assert_true(px_value_key_is("a.b", "a.b"));
    assert_false(px_value_key_is("a.b", "a.bc"));
    assert_false(px_value_key_is("", "a"));
    full[1][0] = 'y';
    assert_true(px_value_key_is(full[0], full[1] + 1));
}

static void test_processes(void **unused)
{
    pmix_proc_t p;
    pmix_proc_t q;

    (void) unused;
    assert_true(PMIx_Check_nspace("a", "a"));
    assert_false(PMIx_Check_nspace("a", "ab"));
    assert_true(PMIx_Check_nspace("", "b"));
    assert_true(PMIx_Check_nspace(NULL, "b"));
    assert_true(PMIx_Check_rank(3, 3));
    assert_false(PMIx_Check_rank(3, 4));
    assert_true(PMIx_Check_rank(3, PMIX_RANK_WILDCARD));
    assert_true(PMIx_Check_rank(PMIX_RANK_WILDCARD, PMIX_RANK_INVALID));
    assert_true(PMIx_Rank_valid(0));
    assert_false(PMIx_Rank_valid(PMIX_RANK_VALID));
    assert_false(PMIx_Rank_valid(PMIX_RANK_UNDEF));
    PMIx_Load_procid(&p, "a", 3);
    PMIx_Load_procid(&q, "a", PMIX_RANK_WILDCARD);
    assert_true(PMIx_Check_procid(&p, &q));
    PMIx_Load_procid(&q, "b", 3);
    assert_false(PMIx_Check_procid(&p, &q));
    assert_false(PMIx_Check_procid(&p, NULL));
    assert_false(PMIx_Procid_invalid(&p));
    PMIx_Load_procid(&q, "b", PMIX_RANK_INVALID);
    assert_true(PMIx_Procid_invalid(&q));
    PMIx_Load_procid(&q, "", 3);
    assert_true(PMIx_Procid_invalid(&q));
    assert_true(PMIx_Procid_invalid(NULL));
    assert_true(PMIx_Nspace_invalid(NULL));
}

static void check_cluster(const char *joined, const char *first, const char *second)
{
    pmix_nspace_t target;
    pmix_nspace_t cluster;
    pmix_nspace_t nspace;

    memset(cluster, 0xa5, sizeof(cluster));
    memset(nspace, 0xa5, sizeof(nspace));
    PMIx_Load_nspace(target, joined);
    PMIx_Multicluster_nspace_parse(target, cluster, nspace);
    assert_string_equal(cluster, first);
    assert_string_equal(nspace, second);
}

static void test_clusters(void **unused)
{
    pmix_nspace_t target;
    pmix_nspace_t cluster = "clu";
    pmix_nspace_t nspace = "ns";

    (void) unused;
    PMIx_Multicluster_nspace_construct(target, cluster, nspace);
    assert_string_equal(target, "clu:ns");
    check_cluster(target, "clu", "ns");
    check_cluster("nocolon", "nocolon", "");
    check_cluster("a:b:c", "a", "b:c");
    check_cluster("", "", "");
    memset(cluster, 'c', PMIX_MAX_NSLEN - 3);
    PMIx_Multicluster_nspace_construct(target, cluster, nspace);
    assert_int_equal(strlen(target), PMIX_MAX_NSLEN);
    check_cluster(target, cluster, nspace);
    memset(cluster, 'c', PMIX_MAX_NSLEN);
    PMIx_Multicluster_nspace_construct(target, cluster, nspace);
    assert_string_equal(target, "");
    check_cluster(cluster, cluster, "");
    PMIx_Multicluster_nspace_construct(NULL, cluster, nspace);
    PMIx_Multicluster_nspace_parse(target, NULL, nspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),       cmocka_unit_test(test_keys),
        cmocka_unit_test(test_value_keys), cmocka_unit_test(test_processes),
        cmocka_unit_test(test_clusters),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
