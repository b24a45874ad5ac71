/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-005 */
/* construct, create, destruct and free of every structure, also through the macros. MAC-005,
 * QRY-049 to QRY-053. */
#include "support.h"

/* A structure that was created is empty, may be filled, and is freed with all it owns. */
#define PX_NOUN(noun, ctype, type)                                                                 \
    static void test_##noun(void **unused)                                                         \
    {                                                                                              \
        const struct px_type *info = px_type_info(type);                                           \
        ctype *many = PMIx_##noun##_create(3);                                                     \
        ctype one;                                                                                 \
                                                                                                   \
        (void) unused;                                                                             \
        memset(&one, 0xa5, sizeof(one));                                                           \
        PMIx_##noun##_construct(&one);                                                             \
        assert_non_null(many);                                                                     \
        assert_memory_equal(&one, &many[2], sizeof(one));                                          \
        PMIx_##noun##_destruct(&one);                                                              \
        random_element(info, &many[0], 1);                                                         \
        random_element(info, &many[1], 1);                                                         \
        PMIx_##noun##_destruct(&many[0]);                                                          \
        PMIx_##noun##_destruct(&many[0]);                                                          \
        PMIx_##noun##_free(many, 3);                                                               \
        PMIx_##noun##_construct(NULL);                                                             \
        PMIx_##noun##_destruct(NULL);                                                              \
        PMIx_##noun##_free(NULL, 3);                                                               \
        assert_null(PMIx_##noun##_create(0));                                                      \
        assert_null(PMIx_##noun##_create(SIZE_MAX));                                               \
        fail_allocation(1);                                                                        \
        assert_null(PMIx_##noun##_create(2));                                                      \
        fail_allocation(0);                                                                        \
    }

#include "src/value/nouns.def"
#undef PX_NOUN

static void test_what_is_not_zero(void **unused)
{
    pmix_proc_t proc;
    pmix_proc_info_t info;
    pmix_node_pid_t pid;

    (void) unused;
    PMIx_Proc_construct(&proc);
    assert_int_equal(proc.rank, PMIX_RANK_UNDEF);
    PMIx_Proc_info_construct(&info);
    assert_int_equal(info.proc.rank, PMIX_RANK_UNDEF);
    PMIx_Node_pid_construct(&pid);
    assert_int_equal(pid.nodeid, UINT32_MAX);
    assert_int_equal(pid.pid, -1);
}

static void test_macros(void **unused)
{
    pmix_query_t *query;
    int rc;

    (void) unused;
    PMIX_QUERY_CREATE(query, 2);
    PMIX_ARGV_APPEND(rc, query[0].keys, "a");
    assert_int_equal(rc, PMIX_SUCCESS);
    PMIX_ARGV_APPEND(rc, query[0].keys, "b");
    PMIX_ARGV_APPEND(rc, query[0].keys, "c");
    assert_string_equal(query[0].keys[2], "c");
    assert_null(query[0].keys[3]);
    PMIX_QUERY_QUALIFIERS_CREATE(&query[0], 2);
    assert_int_equal(query[0].nqual, 2);
    PMIX_QUERY_FREE(query, 2);
    assert_null(query);
}

int main(void)
{
#define PX_NOUN(noun, ctype, type) cmocka_unit_test(test_##noun),
    const struct CMUnitTest tests[] = {
#include "src/value/nouns.def"
        cmocka_unit_test(test_what_is_not_zero),
        cmocka_unit_test(test_macros),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
