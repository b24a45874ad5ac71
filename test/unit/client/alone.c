/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that nobody launched: INI-003, PUT-001..003, PUT-007..009, PUT-012..017, GET-002..008,
 * GET-012, GET-014, GET-016, GET-019, KEY-017. Everything a client does by itself, without a
 * message. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>

#include "unlaunched.h"
#include "src/client/data/facts.h"
#include "src/client/data/get.h"
#include "src/client/ops.h"
#include "src/request/schema.h"
#include "src/client/session.h"
#include "src/event/registry.h"
#include "src/loop/wait.h"

static pmix_status_t get(const char *key, pmix_value_t **value)
{
    return px_client_get(NULL, key, NULL, 0, value);
}

static void put_int(pmix_scope_t scope, const char *key, int number, pmix_status_t expected)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = number};

    assert_int_equal(ctx->ops->put(ctx, scope, key, &value), expected);
}

static void expect_int(const char *key, int number)
{
    pmix_value_t *value = NULL;

    assert_int_equal(get(key, &value), PMIX_SUCCESS);
    assert_int_equal(value->type, PMIX_INT);
    assert_int_equal(value->data.integer, number);
    free(value); /* a scalar is one block */
}

static void every_scope_is_ours(void **state)
{
    (void) state;
    put_int(PMIX_LOCAL, "a", 1, PMIX_SUCCESS);
    put_int(PMIX_REMOTE, "b", 2, PMIX_SUCCESS);
    put_int(PMIX_GLOBAL, "c", 3, PMIX_SUCCESS);
    put_int(PMIX_INTERNAL, "d", 4, PMIX_SUCCESS);
    expect_int("a", 1);
    expect_int("b", 2);
    expect_int("c", 3);
    expect_int("d", 4);
    put_int(PMIX_GLOBAL, "a", 5, PMIX_SUCCESS);
    expect_int("a", 5);
    put_int(PMIX_SCOPE_UNDEF, "a", 1, PMIX_ERR_NOT_SUPPORTED);
    put_int(77, "a", 1, PMIX_ERR_NOT_SUPPORTED);
    put_int(PMIX_GLOBAL, PMIX_JOB_SIZE, 1, PMIX_ERR_BAD_PARAM);
    put_int(PMIX_GLOBAL, "", 1, PMIX_ERR_BAD_PARAM);
    put_int(PMIX_GLOBAL, NULL, 1, PMIX_ERR_BAD_PARAM);
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "a", NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    expect_int("a", 5);
}

/* Posted values reach the private store late, but in order with what goes there at once. */
static void posted_in_order(void **state)
{
    uint32_t numbers[] = {1, 2, 3};
    pmix_data_array_t array = {.type = PMIX_UINT32, .size = 3, .array = numbers};
    pmix_value_t complex = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    pmix_value_t seven = {.type = PMIX_INT, .data.integer = 7};
    pmix_value_t *got = NULL;

    (void) state;
    put_int(PMIX_GLOBAL, "a", 1, PMIX_SUCCESS);
    put_int(PMIX_LOCAL, "b", 2, PMIX_SUCCESS);
    assert_int_equal(ctx->ops->store_internal(ctx, NULL, "a", &seven), PMIX_SUCCESS);
    expect_int("a", 7);
    expect_int("b", 2);
    put_int(PMIX_GLOBAL, "a", 3, PMIX_SUCCESS);
    put_int(PMIX_GLOBAL, "b", 4, PMIX_SUCCESS);
    put_int(PMIX_GLOBAL, "b", 5, PMIX_SUCCESS);
    expect_int("a", 3);
    expect_int("b", 5);
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "a", &complex), PMIX_SUCCESS);
    assert_int_equal(get("a", &got), PMIX_SUCCESS);
    assert_int_equal(got->type, PMIX_DATA_ARRAY);
    PMIx_Value_free(got, 1);
    put_int(PMIX_INTERNAL, "b", 6, PMIX_SUCCESS);
    put_int(PMIX_GLOBAL, "a", 8, PMIX_SUCCESS);
    expect_int("b", 6);
    expect_int("a", 8);
    complex.type = 4711;
    assert_int_not_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "a", &complex), PMIX_SUCCESS);
    expect_int("a", 8);
}

static void put_copies(void **state)
{
    char text[] = "before";
    pmix_value_t value = {.type = PMIX_STRING, .data.string = text};
    pmix_value_t *got = NULL;

    (void) state;
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "text", &value), PMIX_SUCCESS);
    memcpy(text, "later!", 6);
    assert_int_equal(get("text", &got), PMIX_SUCCESS);
    assert_string_equal(got->data.string, "before");
    got->data.string[0] = 'X';
    PMIx_Value_free(got, 1);
    assert_int_equal(get("text", &got), PMIX_SUCCESS);
    assert_string_equal(got->data.string, "before");
    PMIx_Value_free(got, 1);
}

static void misses(void **state)
{
    pmix_value_t *got = (void *) &got;
    pmix_proc_t other;

    (void) state;
    assert_int_equal(get("nothing", &got), PMIX_ERR_NOT_FOUND);
    PMIx_Load_procid(&other, "elsewhere", 0);
    assert_int_equal(px_client_get(&other, "x", NULL, 0, &got), PMIX_ERR_NOT_FOUND);
    assert_ptr_equal(got, &got);
    assert_int_equal(px_client_get(NULL, "x", NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
}

/* [INI-003] a process without a server is a job of one. */
static void a_job_of_one(void **state)
{
    pmix_value_t *got = NULL;

    (void) state;
    assert_int_equal(get(PMIX_JOB_SIZE, &got), PMIX_SUCCESS);
    assert_int_equal(got->data.uint32, 1);
    PMIx_Value_free(got, 1);
}

static pmix_info_t switched_on(const char *key)
{
    pmix_info_t info;
    bool yes = true;

    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_load(&info, key, &yes, PMIX_BOOL), PMIX_SUCCESS);
    return info;
}

static void manners(void **state)
{
    pmix_info_t pointer = switched_on(PMIX_GET_POINTER_VALUES);
    pmix_info_t fixed = switched_on(PMIX_GET_STATIC_VALUES);
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "zero copy"};
    pmix_value_t here = {0};
    pmix_value_t *one = NULL;
    pmix_value_t *two = NULL;

    (void) state;
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "text", &value), PMIX_SUCCESS);
    assert_int_equal(px_client_get(NULL, "text", &pointer, 1, &one), PMIX_SUCCESS);
    for (int i = 0; i < 100; i++) {
        put_int(PMIX_GLOBAL, "text", i, PMIX_SUCCESS);
    }
    assert_string_equal(one->data.string, "zero copy");
    expect_int("text", 99);
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, "more", &value), PMIX_SUCCESS);
    assert_int_equal(px_client_get(NULL, "more", &pointer, 1, &one), PMIX_SUCCESS);
    assert_int_equal(px_client_get(NULL, "more", &pointer, 1, &two), PMIX_SUCCESS);
    assert_ptr_equal(one, two);
    one = &here;
    assert_int_equal(px_client_get(NULL, "more", &fixed, 1, &one), PMIX_SUCCESS);
    assert_ptr_equal(one, &here);
    assert_string_equal(here.data.string, "zero copy");
    PMIx_Value_destruct(&here);
    one = NULL;
    assert_int_equal(px_client_get(NULL, "more", &fixed, 1, &one), PMIX_ERR_BAD_PARAM);
}

static void names_of_our_own(void **state)
{
    pmix_proc_t other;
    pmix_value_t *got = NULL;

    (void) state;
    PMIx_Load_procid(&other, "elsewhere", 7);
    assert_int_equal(px_client_get(&other, PMIX_PROCID, NULL, 0, &got), PMIX_SUCCESS);
    assert_int_equal(got->type, PMIX_PROC);
    assert_string_equal(got->data.proc->nspace, ctx->self.nspace);
    PMIx_Value_free(got, 1);
    assert_int_equal(get(PMIX_NSPACE, &got), PMIX_SUCCESS);
    assert_string_equal(got->data.string, ctx->self.nspace);
    PMIx_Value_free(got, 1);
    assert_int_equal(get(PMIX_RANK, &got), PMIX_SUCCESS);
    assert_int_equal(got->data.rank, 0);
    PMIx_Value_free(got, 1);
}

static void stored_for_others(void **state)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 42};
    pmix_value_t *got = NULL;
    pmix_proc_t other;
    int object = 3;

    (void) state;
    PMIx_Load_procid(&other, "elsewhere", 3);
    assert_int_equal(ctx->ops->store_internal(ctx, &other, "cached", &value), PMIX_SUCCESS);
    assert_int_equal(px_client_get(&other, "cached", NULL, 0, &got), PMIX_SUCCESS);
    assert_int_equal(got->data.integer, 42);
    PMIx_Value_free(got, 1);
    PMIx_Load_procid(&other, ctx->self.nspace, 5);
    assert_int_equal(ctx->ops->store_internal(ctx, &other, PMIX_LOCALITY, &value), PMIX_SUCCESS);
    assert_int_equal(px_client_get(&other, PMIX_LOCALITY, NULL, 0, &got), PMIX_SUCCESS);
    PMIx_Value_free(got, 1);
    value = (pmix_value_t){.type = PMIX_POINTER, .data.ptr = &object};
    assert_int_equal(ctx->ops->store_internal(ctx, NULL, "object", &value), PMIX_SUCCESS);
    assert_int_equal(get("object", &got), PMIX_SUCCESS);
    assert_ptr_equal(got->data.ptr, &object);
    PMIx_Value_free(got, 1);
    assert_int_equal(ctx->ops->store_internal(ctx, NULL, "", &value), PMIX_ERR_BAD_PARAM);
}

static void qualified(void **state)
{
    pmix_data_array_t *array = PMIx_Data_array_create(2, PMIX_INFO);
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = array};
    pmix_info_t *infos = array->array;
    pmix_value_t *got = NULL;
    uint32_t group = 9;
    int number = 1;

    (void) state;
    PMIx_Info_load(&infos[0], "endpoint", &number, PMIX_INT);
    PMIx_Info_load(&infos[1], PMIX_GROUP_CONTEXT_ID, &group, PMIX_UINT32);
    PMIx_Info_qualifier(&infos[1]);
    assert_int_equal(ctx->ops->put(ctx, PMIX_GLOBAL, PMIX_QUALIFIED_VALUE, &value), PMIX_SUCCESS);
    assert_int_equal(get("endpoint", &got), PMIX_ERR_NOT_FOUND);
    put_int(PMIX_GLOBAL, "endpoint", 2, PMIX_SUCCESS);
    expect_int("endpoint", 2);
    assert_int_equal(px_client_get(NULL, "endpoint", &infos[1], 1, &got), PMIX_SUCCESS);
    assert_int_equal(got->data.integer, 1);
    PMIx_Value_free(got, 1);
    infos[1].value.data.uint32 = 10;
    assert_int_equal(px_client_get(NULL, "endpoint", &infos[1], 1, &got), PMIX_ERR_NOT_FOUND);
    PMIx_Data_array_free(array);
}

struct called {
    struct px_wait wait;
    int number;
    bool null;
};

static void got_it(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct called *called = cbdata;

    called->null = value == NULL;
    called->number = value != NULL ? value->data.integer : 0;
    px_wait_done(&called->wait, status);
}

static pmix_status_t get_nb(const pmix_proc_t *proc, const char *key, const pmix_info_t *info,
                            size_t ninfo, struct called *called)
{
    struct px_completion to = px_completion_of(&px_reply_value, (px_callback) got_it, called);

    return ctx->ops->get_nb(ctx, proc, key, info, ninfo, &to);
}

static void non_blocking(void **state)
{
    pmix_info_t fixed = switched_on(PMIX_GET_STATIC_VALUES);
    struct called called;

    (void) state;
    put_int(PMIX_GLOBAL, "a", 11, PMIX_SUCCESS);
    px_wait_init(&called.wait);
    assert_int_equal(get_nb(NULL, "a", NULL, 0, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_SUCCESS);
    assert_int_equal(called.number, 11);
    px_wait_init(&called.wait);
    assert_int_equal(get_nb(NULL, "nothing", NULL, 0, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_ERR_NOT_FOUND);
    assert_true(called.null);
    assert_int_equal(get_nb(NULL, "a", &fixed, 1, &called), PMIX_ERR_NOT_SUPPORTED);
    px_wait_init(&called.wait);
    assert_int_equal(get_nb(NULL, NULL, NULL, 0, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_SUCCESS); /* all that was posted */
}

static void without_a_server(void **state)
{
    pmix_info_t info = switched_on("k");
    struct px_args publish = {.info = &info, .ninfo = 1};
    struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    const struct px_coll_args all = {.nprocs = 0};
    const struct px_coll_args self = {.procs = &ctx->self, .nprocs = 1};
    struct px_reply reply = {0};

    (void) state;
    assert_int_equal(ctx->ops->request(ctx, &px_request_fence, &all.head, &nobody),
                     PMIX_OPERATION_SUCCEEDED);
    assert_int_equal(ctx->ops->request(ctx, &px_request_fence, &self.head, &nobody),
                     PMIX_OPERATION_SUCCEEDED);
    assert_int_equal(ctx->ops->request(ctx, &px_request_publish, &publish, &nobody),
                     PMIX_ERR_UNREACH);
    assert_int_equal(ctx->ops->resolve(ctx, true, NULL, "nosuch", &reply),
                     PMIX_ERR_INVALID_NAMESPACE);
    assert_int_equal(ctx->ops->resolve(ctx, false, NULL, "nosuch", &reply),
                     PMIX_ERR_INVALID_NAMESPACE);
}

/* What is got by pointer again and again, and made anew each time, is kept once; the equal ones are
 * freed. */
static void kept_once(void **state)
{
    pmix_proc_t procs[2] = {{.nspace = "job", .rank = 1}, {.nspace = "job", .rank = 2}};
    struct px_session *session;
    pmix_value_t *first;
    pmix_value_t *other;

    (void) state;
    session = px_session(ctx);
    first = px_session_keep(session, &procs[0], "k", PMIx_Value_create(1));
    assert_non_null(first);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(px_session_keep(session, &procs[0], "k", PMIx_Value_create(1)), first);
    }
    other = PMIx_Value_create(1);
    assert_int_equal(PMIx_Value_load(other, "another", PMIX_STRING), PMIX_SUCCESS);
    assert_ptr_equal(px_session_keep(session, &procs[0], "k", other), other);
    assert_ptr_not_equal(px_session_keep(session, &procs[1], "k", PMIx_Value_create(1)), first);
    assert_ptr_not_equal(px_session_keep(session, &procs[0], "l", PMIx_Value_create(1)), first);
}

/* A finalize may be quicker than a get that has begun. */
static void without_a_session(void **state)
{
    pmix_value_t *value = NULL;

    (void) state;
    assert_int_equal(get("first", &value), PMIX_ERR_INIT);
    assert_null(value);
}

#define alone(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        alone(every_scope_is_ours),
        alone(put_copies),
        alone(misses),
        alone(a_job_of_one),
        alone(manners),
        alone(names_of_our_own),
        alone(stored_for_others),
        alone(qualified),
        alone(non_blocking),
        alone(without_a_server),
        alone(posted_in_order),
        alone(kept_once),
        cmocka_unit_test(without_a_session),
    };

    return cmocka_run_group_tests_name("alone", tests, NULL, NULL);
}
