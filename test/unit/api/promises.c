/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the comments of the public headers promise, and programs may rely on, where no other test
 * says it: without a server. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_tool.h>

extern char **environ;

static int n_never; /* callbacks that must not come */

static void never(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
    n_never++;
}

static int start(void **state)
{
    (void) state;
    n_never = 0;
    return PMIx_Init(NULL, NULL, 0) == PMIX_ERR_UNREACH ? 0 : -1;
}

static int finish(void **state)
{
    (void) state;
    return PMIx_Finalize(NULL, 0) != PMIX_SUCCESS || n_never != 0;
}

static void truth_values_of_texts(void **state)
{
    static const char *const yes[] = {"true", "T",      "yes",   "y", "enable",
                                      "1",    "7 days", " yes ", ""};
    static const char *const no[] = {"false", "F", "no", "n", "disable", "0"};
    pmix_value_t value = {.type = PMIX_STRING};
    int number = 1;

    (void) state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        value.data.string = (char *) (uintptr_t) yes[i];
        assert_int_equal(PMIx_Value_true(&value), PMIX_BOOL_TRUE);
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        value.data.string = (char *) (uintptr_t) no[i];
        assert_int_equal(PMIx_Value_true(&value), PMIX_BOOL_FALSE);
    }
    value.data.string = (char *) (uintptr_t) "perhaps";
    assert_int_equal(PMIx_Value_true(&value), PMIX_NON_BOOL);
    assert_int_equal(PMIx_Value_load(&value, &number, PMIX_INT), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_true(&value), PMIX_NON_BOOL);
    assert_int_equal(PMIx_Value_true(NULL), PMIX_NON_BOOL);
}

static void an_inserted_info_keeps_its_owner(void **state)
{
    void *list = PMIx_Info_list_start();
    pmix_info_t info;

    (void) state;
    assert_non_null(list);
    assert_int_equal(PMIx_Info_load(&info, "key", "text", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Info_list_insert(list, &info), PMIX_SUCCESS);
    PMIx_Info_list_release(list);
    assert_string_equal(info.value.data.string, "text");
    PMIx_Info_destruct(&info);
}

static void an_empty_list_has_no_array(void **state)
{
    void *list = PMIx_Info_list_start();
    pmix_data_array_t array;

    (void) state;
    assert_int_equal(PMIx_Info_list_convert(list, &array), PMIX_ERR_EMPTY);
    assert_int_equal(array.size, 0);
    assert_null(array.array);
    PMIx_Info_list_release(list);
}

static void variables_of_an_array(void **state)
{
    char **env = NULL;

    (void) state;
    assert_int_equal(PMIx_Setenv("A", "1", false, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Setenv("A=", "1", false, &env), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Setenv("A", "1", false, &env), PMIX_SUCCESS);
    assert_int_equal(PMIx_Setenv("A", "2", false, &env), PMIX_ERR_EXISTS);
    assert_string_equal(env[0], "A=1");
    assert_int_equal(PMIx_Setenv("A", NULL, true, &env), PMIX_SUCCESS);
    assert_string_equal(env[0], "A=");
    PMIx_Argv_free(env);
}

static void variables_of_the_process(void **state)
{
    (void) state;
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", "1", true, &environ), PMIX_SUCCESS);
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", "2", false, &environ), PMIX_SUCCESS);
    assert_string_equal(getenv("PX_TEST_VARIABLE"), "1");
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", NULL, true, &environ), PMIX_SUCCESS);
    assert_null(getenv("PX_TEST_VARIABLE"));
}

static void parts_that_are_empty(void **state)
{
    char **some = PMIx_Argv_split("a,,b,", ',');
    char **all = PMIx_Argv_split_with_empty("a,,b,", ',');

    (void) state;
    assert_int_equal(PMIx_Argv_count(some), 2);
    assert_int_equal(PMIx_Argv_count(all), 3);
    PMIx_Argv_free(some);
    PMIx_Argv_free(all);
    assert_null(PMIx_Argv_split(",,", ','));
    assert_null(PMIx_Argv_split_with_empty("", ','));
}

static void a_size_is_that_of_memory(void **state)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) "text"};
    pmix_value_t longer = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) "text and"};
    pmix_value_t none = {.type = PMIX_UNDEF};
    size_t size = 0;
    size_t more = 0;

    (void) state;
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_get_size(&longer, &more), PMIX_SUCCESS);
    assert_int_equal(more - size, 4);
    assert_true(size >= sizeof(value));
    assert_int_equal(PMIx_Value_get_size(&none, &size), PMIX_ERR_UNKNOWN_DATA_TYPE);
}

/* Whom a buffer is for and from changes nothing; what is too much is lost; a failure moves nothing.
 */
static void buffers(void **state)
{
    int32_t in[3] = {1, 2, 3};
    int32_t out[2] = {0};
    int32_t n = 2;
    pmix_proc_t other = {.nspace = "elsewhere", .rank = 7};
    pmix_data_buffer_t a;
    pmix_data_buffer_t b;

    (void) state;
    PMIx_Data_buffer_construct(&a);
    PMIx_Data_buffer_construct(&b);
    assert_int_equal(PMIx_Data_pack(NULL, &a, in, 3, PMIX_INT32), PMIX_SUCCESS);
    assert_int_equal(PMIx_Data_pack(&other, &b, in, 3, PMIX_INT32), PMIX_SUCCESS);
    assert_int_equal(a.bytes_used, b.bytes_used);
    assert_memory_equal(a.base_ptr, b.base_ptr, a.bytes_used);
    assert_int_equal(PMIx_Data_unpack(&other, &a, out, &n, PMIX_INT32),
                     PMIX_ERR_UNPACK_INADEQUATE_SPACE);
    assert_int_equal(n, 2);
    assert_int_equal(out[1], 2);
    assert_int_equal(PMIx_Data_unpack(NULL, &a, out, &n, PMIX_INT32),
                     PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    n = 1;
    assert_int_equal(PMIx_Data_unpack(NULL, &b, out, &n, 60000), PMIX_ERR_UNKNOWN_DATA_TYPE);
    n = 2;
    assert_int_equal(PMIx_Data_unpack(NULL, &b, out, &n, PMIX_INT32),
                     PMIX_ERR_UNPACK_INADEQUATE_SPACE);
    PMIx_Data_buffer_destruct(&a);
    PMIx_Data_buffer_destruct(&b);
}

static void seen(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t *results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void numbers_of_handlers(void **state)
{
    pmix_status_t code = -5000;
    pmix_status_t id = PMIx_Register_event_handler(&code, 1, NULL, 0, seen, NULL, NULL);

    (void) state;
    assert_true(id > 0);
    assert_int_equal(PMIx_Deregister_event_handler((size_t) id + 1, NULL, NULL),
                     PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Deregister_event_handler((size_t) id, NULL, NULL), PMIX_SUCCESS);
    assert_int_equal(PMIx_Deregister_event_handler((size_t) id, NULL, NULL), PMIX_ERR_BAD_PARAM);
}

static void alone(void **state)
{
    pmix_value_t value = {.type = PMIX_INT32};
    pmix_value_t *got = NULL;
    pmix_proc_t *procs = NULL;
    pmix_nspace_t nobody = "nobody";
    size_t n = 1;

    (void) state;
    assert_int_equal(PMIx_Initialized(), 1);
    value.data.int32 = 4;
    assert_int_equal(PMIx_Put(PMIX_GLOBAL, "key", &value), PMIX_SUCCESS);
    assert_int_equal(PMIx_Put(PMIX_GLOBAL, PMIX_RANK, &value), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Put(99, "key", &value), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(PMIx_Get(NULL, "key", NULL, 0, &got), PMIX_SUCCESS);
    assert_int_equal(got->data.int32, 4);
    PMIx_Value_free(got, 1);
    assert_int_equal(PMIx_Commit(), PMIX_SUCCESS);
    assert_int_equal(PMIx_Fence(NULL, 0, NULL, 0), PMIX_SUCCESS);
    assert_int_equal(PMIx_Fence_nb(NULL, 0, NULL, 0, never, NULL), PMIX_OPERATION_SUCCEEDED);
    assert_int_equal(PMIx_Resolve_peers(NULL, nobody, &procs, &n), PMIX_ERR_INVALID_NAMESPACE);
    assert_null(procs);
    assert_int_equal(n, 0);
    PMIx_Progress_thread_stop(NULL, 0);
    assert_int_equal(PMIx_Get(NULL, "none", NULL, 0, &got), PMIX_ERR_NOT_FOUND);
}

static void places(void **state)
{
    pmix_cpuset_t cpuset;
    pmix_locality_t locality;
    pmix_topology_t topo;

    (void) state;
    PMIx_Cpuset_construct(&cpuset);
    PMIx_Topology_construct(&topo);
    assert_int_equal(PMIx_Get_cpuset(&cpuset, 99), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Parse_cpuset_string("0-3", &cpuset), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Parse_cpuset_string("other:0-3", &cpuset), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(PMIx_Get_relative_locality("other:SK0", "hwloc:SK0", &locality),
                     PMIX_ERR_NOT_SUPPORTED);
    topo.source = strdup("other");
    assert_int_equal(PMIx_Load_topology(&topo), PMIX_ERR_NOT_SUPPORTED);
    free(topo.source);
}

static void fabric_deregistration_never_calls_back(void **state)
{
    pmix_fabric_t fabric;

    (void) state;
    PMIx_Fabric_construct(&fabric);
    assert_int_equal(PMIx_Fabric_deregister_nb(&fabric, never, NULL), PMIX_OPERATION_SUCCEEDED);
}

/* --- a tool without a server --- */

static void a_tool_does_not_wait_for_a_server(void **state)
{
    pmix_proc_t server = {.nspace = "server", .rank = 0};
    pmix_proc_t *servers = NULL;
    pmix_server_module_t module = {.abort = NULL};
    pmix_info_t info;
    size_t n = 0;

    (void) state;
    assert_int_equal(PMIx_Info_load(&info, PMIX_TOOL_DO_NOT_CONNECT, NULL, PMIX_BOOL),
                     PMIX_SUCCESS);
    assert_int_equal(PMIx_tool_init(NULL, &info, 1), PMIX_SUCCESS);
    assert_false(PMIx_tool_is_connected());
    assert_int_equal(PMIx_tool_get_servers(&servers, &n), PMIX_ERR_UNREACH);
    assert_int_equal(PMIx_tool_set_server(&server, NULL, 0), PMIX_ERR_UNREACH);
    assert_int_equal(PMIx_tool_disconnect(&server), PMIX_ERR_NOT_FOUND);
    assert_int_equal(PMIx_tool_set_server_module(&module), PMIX_SUCCESS);
    assert_int_equal(PMIx_tool_set_server_module(NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_values_of_texts),
        cmocka_unit_test(an_inserted_info_keeps_its_owner),
        cmocka_unit_test(an_empty_list_has_no_array),
        cmocka_unit_test(variables_of_an_array),
        cmocka_unit_test(variables_of_the_process),
        cmocka_unit_test(parts_that_are_empty),
        cmocka_unit_test(a_size_is_that_of_memory),
        cmocka_unit_test(buffers),
        cmocka_unit_test_setup_teardown(numbers_of_handlers, start, finish),
        cmocka_unit_test_setup_teardown(alone, start, finish),
        cmocka_unit_test_setup_teardown(places, start, finish),
        cmocka_unit_test_setup_teardown(fabric_deregistration_never_calls_back, start, finish),
        cmocka_unit_test(a_tool_does_not_wait_for_a_server),
    };

    /* Nobody launched this process, whoever launched the tests. */
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
