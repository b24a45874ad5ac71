/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: GET-032 GET-033 */
#include "support.h"

#include "src/value/directives.h"

static pmix_info_t info_of(const char *key, const void *data, pmix_data_type_t type)
{
    pmix_info_t info;

    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_load(&info, key, data, type), PMIX_SUCCESS);
    return info;
}

static void test_tables(void **unused)
{
    size_t n = 0;

    (void) unused;
    assert_true(px_n_calls > 40);
    for (size_t c = 0; c < px_n_calls; c++) {
        const struct px_call *call = px_calls[c];

        assert_memory_equal(call->name, "PMIx_", 5);
        assert_int_not_equal(call->levels & PX_ATTR_ALL, 0);
        for (size_t i = 0; i < call->n_rows; i++) {
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(call->rows[i].key, call->rows[k].key);
            }
            assert_true(strlen(call->rows[i].key) > 5);
            n++;
        }
    }
    assert_true(n > 150);
}

static void test_absent(void **unused)
{
    struct px_get_directives get;

    (void) unused;
    memset(&get, 0x55, sizeof(get));
    assert_int_equal(px_get_read(NULL, 0, &get), 0);
    assert_false(get.optional);
    assert_int_equal(get.timeout, PX_NOT_GIVEN);
    assert_null(get.hostname);
    assert_int_equal(get.data_scope, PMIX_SCOPE_UNDEF);
    assert_int_equal(get.head.n_quals, 0);
    assert_int_equal(px_get_read(NULL, 1, &get), PMIX_ERR_BAD_PARAM);
}

/* One of each kind, and what is none of the call's. */
static void test_kinds(void **unused)
{
    pmix_scope_t scope = PMIX_REMOTE;
    pmix_data_range_t range = PMIX_RANGE_LOCAL;
    pmix_proc_t proc = {.nspace = "n", .rank = 3};
    pmix_proc_t two[2] = {{.nspace = "n", .rank = 1}, {.nspace = "n", .rank = 2}};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = two};
    int seconds = 7;
    pmix_info_t of_get[] = {
        info_of(PMIX_IMMEDIATE, &(bool){true}, PMIX_BOOL),
        info_of(PMIX_TIMEOUT, &seconds, PMIX_INT),
        info_of(PMIX_HOSTNAME, "n1", PMIX_STRING),
        info_of(PMIX_DATA_SCOPE, &scope, PMIX_SCOPE),
        info_of("made.up", "x", PMIX_STRING),
        info_of("a.qualifier", "x", PMIX_STRING),
        info_of(PMIX_IMMEDIATE, "no", PMIX_STRING),
    };
    pmix_info_t of_notify[] = {
        info_of(PMIX_RANGE, &range, PMIX_DATA_RANGE),
        info_of(PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC),
        info_of(PMIX_EVENT_CUSTOM_RANGE, &array, PMIX_DATA_ARRAY),
    };
    pmix_info_t of_server[] = {
        info_of(PMIX_SERVER_SHARE_TOPOLOGY, "false", PMIX_STRING),
        info_of(PMIX_SERVER_ALLOW_FOREIGN_TOOLS, NULL, PMIX_BOOL),
        info_of(PMIX_IOF_DROP_NEWEST, "false", PMIX_STRING),
    };
    struct px_get_directives get;
    struct px_notify_directives notify;
    struct px_server_init_directives server;
    struct px_iof_pull_directives pull;

    (void) unused;
    PMIx_Info_qualifier(&of_get[5]);
    assert_int_equal(px_get_read(of_get, 7, &get), 0);
    assert_true(get.immediate); /* one that says no is as if absent */
    assert_false(get.optional);
    assert_int_equal(get.timeout, 7);
    assert_string_equal(get.hostname, "n1");
    assert_int_equal(get.data_scope, PMIX_REMOTE);
    assert_int_equal(get.head.n_quals, 1);
    assert_int_equal(get.head.n_flags, 1);
    assert_int_equal(px_notify_read(of_notify, 3, &notify), 0);
    assert_int_equal(notify.range, PMIX_RANGE_LOCAL);
    assert_int_equal(notify.affected_proc.n, 1);
    assert_int_equal(notify.affected_proc.at->rank, 3);
    assert_int_equal(notify.custom_range.n, 2);
    assert_int_equal(notify.affected_procs.n, 0);
    assert_int_equal(px_server_init_read(of_server, 2, &server), 0);
    assert_false(server.share_topology);
    assert_true(server.foreign_tools);
    assert_int_equal(px_iof_pull_read(of_server, 2, &pull), 0);
    assert_int_equal(pull.drop_newest, PX_SWITCH_UNSET);
    assert_int_equal(px_iof_pull_read(of_server, 3, &pull), 0);
    assert_int_equal(pull.drop_newest, PX_SWITCH_OFF);
    assert_null(server.topology2);
    for (size_t i = 0; i < 7; i++) {
        PMIx_Info_destruct(&of_get[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        PMIx_Info_destruct(&of_notify[i]);
    }
    PMIx_Info_destruct(&of_server[0]);
    PMIx_Info_destruct(&of_server[2]);
}

/* Of a directive that is a whole info, the first one counts. */
static void test_said_twice(void **unused)
{
    pmix_info_t two[2] = {info_of(PMIX_TOPOLOGY2, "first", PMIX_STRING),
                          info_of(PMIX_TOPOLOGY2, "second", PMIX_STRING)};
    struct px_server_init_directives server;

    (void) unused;
    assert_int_equal(px_server_init_read(two, 2, &server), 0);
    assert_ptr_equal(server.topology2, &two[0]);
    PMIx_Info_destruct(&two[0]);
    PMIx_Info_destruct(&two[1]);
}

static void test_wrong_types(void **unused)
{
    int negative = -1;
    const struct {
        const char *key;
        const void *data;
        pmix_data_type_t type;
    } wrong[] = {
        {PMIX_TIMEOUT, "soon", PMIX_STRING},
        {PMIX_TIMEOUT, &negative, PMIX_INT},
        {PMIX_HOSTNAME, &negative, PMIX_INT},
        {PMIX_DATA_SCOPE, "global", PMIX_STRING},
    };
    struct px_get_directives get;

    (void) unused;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        pmix_info_t info = info_of(wrong[i].key, wrong[i].data, wrong[i].type);

        assert_int_equal(px_get_read(&info, 1, &get), PMIX_ERR_BAD_PARAM);
        PMIx_Info_destruct(&info);
    }
}

/* A string of NULL is no text; for a node it is no name. */
static void test_no_text(void **unused)
{
    pmix_info_t info = info_of(PMIX_HOSTNAME, NULL, PMIX_STRING);
    struct px_server_init_directives init;
    struct px_get_directives get;

    (void) unused;
    assert_int_equal(px_server_init_read(&info, 1, &init), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_get_read(&info, 1, &get), 0);
    assert_null(get.hostname);
    PMIx_Info_destruct(&info);
}

static void test_required(void **unused)
{
    pmix_info_t info = info_of(PMIX_GET_STATIC_VALUES, NULL, PMIX_BOOL);
    struct px_get_directives get;

    (void) unused;
    px_directives_mark(&px_call_get, PX_ATTR_ALL | PX_ATTR_WAITING, &info, 1);
    assert_false(PMIx_Info_was_processed(&info)); /* nobody demands it */
    PMIx_Info_required(&info);
    assert_true(px_directives_met(&px_call_get, PX_ATTR_ALL | PX_ATTR_WAITING, &info, 1));
    assert_false(px_directives_met(&px_call_get, PX_ATTR_ALL, &info, 1));
    assert_false(px_directives_met(&px_call_fence, PX_ATTR_ALL, &info, 1));
    assert_int_equal(px_directives_read(&px_call_get, PX_ATTR_ALL, &info, 1, &get),
                     PMIX_ERR_NOT_SUPPORTED);
    px_directives_mark(&px_call_fence, PX_ATTR_ALL, &info, 1);
    assert_false(PMIx_Info_was_processed(&info));
    px_directives_mark(&px_call_get, PX_ATTR_SERVER | PX_ATTR_WAITING, &info, 1);
    assert_true(PMIx_Info_was_processed(&info));
    PMIx_Load_key(info.key, "made.up");
    assert_int_equal(px_get_read(&info, 1, &get), 0);
    PMIx_Info_qualifier(&info);
    assert_true(px_directives_met(&px_call_get, PX_ATTR_ALL, &info, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),     cmocka_unit_test(test_absent),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_said_twice), cmocka_unit_test(test_required),
        cmocka_unit_test(test_no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
