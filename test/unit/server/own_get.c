/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get in the server process: data of the server, static values, and data of a process on
 * another node. A blocking call does not ask the host; PMIx_Get_nb asks it as its directives say.
 * GET-001, GET-007, GET-019, GET-032. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

static pmix_nspace_t job = "job";
static int n_asked;
static bool holds; /* the host answers later */
static struct {
    pmix_modex_cbfunc_t fn;
    void *cbdata;
    bool fast; /* with the directive "site.fast" */
} held[4];

/* Loop thread; looked at after the calls that ask. */
static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    if (holds) {
        held[n_asked].fn = cbfunc;
        held[n_asked].cbdata = cbdata;
        held[n_asked].fast = false;
        for (size_t i = 0; i < ninfo; i++) {
            held[n_asked].fast |= PMIX_CHECK_KEY(&info[i], "site.fast");
        }
        n_asked++;
        return PMIX_SUCCESS;
    }
    n_asked++;
    cbfunc(PMIX_ERR_NOT_FOUND, NULL, 0, cbdata, NULL, NULL);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {.direct_modex = direct_modex};

/* Rank 0 is here, rank 1 elsewhere. */
static int start(void **state)
{
    pmix_info_t info[2];
    pmix_info_t place[2];

    (void) state;
    n_asked = 0;
    holds = false;
    PMIX_INFO_LOAD(&place[0], PMIX_HOSTNAME, "here", PMIX_STRING);
    PMIX_INFO_LOAD(&place[1], PMIX_SERVER_NSPACE, "the-server", PMIX_STRING);
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, "here,there", PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, "0;1", PMIX_STRING);
    assert_int_equal(PMIx_server_init(&module, place, 2), PMIX_SUCCESS);
    assert_int_equal(PMIx_server_register_nspace(job, 1, info, 2, NULL, NULL), PMIX_SUCCESS);
    for (int i = 0; i < 2; i++) {
        PMIx_Info_destruct(&info[i]);
        PMIx_Info_destruct(&place[i]);
    }
    return 0;
}

static int end(void **state)
{
    (void) state;
    return PMIx_server_finalize() == PMIX_SUCCESS ? 0 : 1;
}

static void no_process_is_the_server(void **state)
{
    pmix_value_t *value = NULL;

    (void) state;
    assert_int_equal(PMIx_Get(NULL, PMIX_NSPACE, NULL, 0, &value), PMIX_SUCCESS);
    assert_string_equal(value->data.string, "the-server");
    PMIx_Value_free(value, 1);
    assert_int_equal(PMIx_Get(NULL, PMIX_JOB_SIZE, NULL, 0, &value), PMIX_ERR_NOT_FOUND);
}

static void a_value_needs_a_namespace(void **state)
{
    pmix_value_t number = {.type = PMIX_UINT32, .data.uint32 = 5};
    pmix_proc_t proc = {.rank = 0};

    (void) state;
    assert_int_equal(PMIx_Store_internal(&proc, "number", &number), PMIX_ERR_BAD_PARAM);
}

/* A get of `proc` that asks nobody. */
static pmix_status_t get_here(const char *nspace, pmix_rank_t rank, const char *key, uint32_t *ret)
{
    pmix_value_t *value = NULL;
    pmix_info_t optional;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    rc = PMIx_Get(&proc, key, &optional, 1, &value);
    if (rc == PMIX_SUCCESS) {
        *ret = value->data.uint32;
        PMIx_Value_free(value, 1);
    }
    return rc;
}

static void store(const char *nspace, pmix_rank_t rank, const char *key, uint32_t number)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    assert_int_equal(PMIx_Store_internal(&proc, key, &value), PMIX_SUCCESS);
}

/* What the host stores is found by its process or job, by any rank, and before what was registered,
 * until the namespace is deregistered. It makes no job. */
static void what_is_stored_lives_as_long_as_its_job(void **state)
{
    pmix_nspace_t other = "elsewhere";
    uint32_t number = 0;

    (void) state;
    store(job, 1, "number", 5);
    store(job, 1, "number", 6);
    store(job, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, 7);
    store(other, 3, "number", 8);
    assert_int_equal(get_here(job, 1, "number", &number), PMIX_SUCCESS);
    assert_int_equal(number, 6);
    assert_int_equal(get_here(job, 0, "number", &number), PMIX_ERR_NOT_FOUND);
    assert_int_equal(get_here(job, PMIX_RANK_UNDEF, "number", &number), PMIX_SUCCESS);
    assert_int_equal(number, 6);
    assert_int_equal(get_here(job, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &number), PMIX_SUCCESS);
    assert_int_equal(number, 7);
    assert_int_equal(get_here(other, 3, "number", &number), PMIX_SUCCESS);
    assert_int_equal(number, 8);
    PMIx_server_deregister_nspace(job, NULL, NULL);
    assert_int_equal(get_here(job, 1, "number", &number), PMIX_ERR_NOT_FOUND);
    PMIx_server_deregister_nspace(other, NULL, NULL);
    assert_int_equal(get_here(other, 3, "number", &number), PMIX_ERR_NOT_FOUND);
}

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status;
    (void) value;
    (void) cbdata;
    fail(); /* a refused call does not call back */
}

/* There is no memory of the caller's to fill in when the value comes. */
static void static_values_need_a_call_that_waits(void **state)
{
    pmix_value_t room = {.type = PMIX_UNDEF};
    pmix_value_t *value = &room;
    pmix_info_t info;

    (void) state;
    PMIX_INFO_LOAD(&info, PMIX_GET_STATIC_VALUES, NULL, PMIX_BOOL);
    assert_int_equal(PMIx_Get_nb(NULL, PMIX_NSPACE, &info, 1, got, NULL), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(PMIx_Get(NULL, PMIX_NSPACE, &info, 1, &value), PMIX_SUCCESS);
    assert_ptr_equal(value, &room);
    assert_string_equal(room.data.string, "the-server");
    PMIx_Value_destruct(&room);
}

/* The blocked thread may be the one that would answer. Therefore the host is not asked, and the
 * call does not wait for a commit. */
static void a_call_that_blocks_asks_nobody(void **state)
{
    pmix_value_t *value = NULL;
    pmix_proc_t procs[3];
    pmix_info_t infos[2];
    int forever = 0;

    (void) state;
    holds = true;
    PMIX_LOAD_PROCID(&procs[0], job, 0); /* has not committed */
    PMIX_LOAD_PROCID(&procs[1], job, 1); /* of another node */
    PMIX_LOAD_PROCID(&procs[2], "unknown", 0);
    PMIX_INFO_LOAD(&infos[0], PMIX_TIMEOUT, &forever, PMIX_INT);
    PMIX_INFO_LOAD(&infos[1], PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < 3; i++) {
        for (size_t n = 0; n <= 2; n++) {
            assert_int_equal(PMIx_Get(&procs[i], "absent", infos, n, &value), PMIX_ERR_NOT_FOUND);
        }
    }
    store(job, 1, "number", 5);
    assert_int_equal(PMIx_Get(&procs[1], "number", infos, 2, &value), PMIX_SUCCESS);
    assert_int_equal(value->data.uint32, 5);
    PMIx_Value_free(value, 1);
    assert_int_equal(n_asked, 0);
}

/* The host is not asked, so it cannot honour a directive that this library does not know. */
static void a_call_that_blocks_has_no_directives_of_the_host(void **state)
{
    pmix_value_t *value = NULL;
    pmix_info_t info;
    pmix_proc_t proc;

    (void) state;
    PMIX_LOAD_PROCID(&proc, job, 1);
    PMIX_INFO_LOAD(&info, "site.fast", NULL, PMIX_BOOL);
    PMIX_INFO_REQUIRED(&info);
    assert_int_equal(PMIx_Get(&proc, "absent", &info, 1, &value), PMIX_ERR_NOT_SUPPORTED);
}

/* Of gets by callback; 1: there was none yet. */
static _Atomic pmix_status_t statuses[4];

static pmix_status_t await_status(int n)
{
    while (statuses[n] == 1) {
        (void) sched_yield();
    }
    return statuses[n];
}

static void note(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    *(_Atomic pmix_status_t *) cbdata = status;
}

static void begin_get(int n, bool fast)
{
    pmix_info_t info;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 1);
    PMIX_INFO_LOAD(&info, "site.fast", NULL, PMIX_BOOL);
    statuses[n] = 1;
    assert_int_equal(PMIx_Get_nb(&proc, "absent", &info, fast ? 1 : 0, note, (void *) &statuses[n]),
                     PMIX_SUCCESS);
}

/* Waits until the loop thread has done what it was given before. */
static void settle(void)
{
    pmix_value_t number = {.type = PMIX_UINT32};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(PMIx_Store_internal(&proc, "number", &number), PMIX_SUCCESS);
    }
}

static void renew(int n, const char *key, bool optional)
{
    pmix_info_t infos[2];
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 1);
    PMIX_INFO_LOAD(&infos[0], PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[1], PMIX_OPTIONAL, NULL, PMIX_BOOL);
    statuses[n] = 1;
    assert_int_equal(PMIx_Get_nb(&proc, key, infos, optional ? 2 : 1, note, (void *) &statuses[n]),
                     PMIX_SUCCESS);
}

/* PMIX_GET_REFRESH_CACHE asks the host even if the server has a value. PMIX_OPTIONAL forbids it. */
static void optional_overrides_a_renewal(void **state)
{
    (void) state;
    store(job, 1, "number", 5);
    renew(0, "number", false);
    assert_int_equal(await_status(0), PMIX_ERR_NOT_FOUND);
    assert_int_equal(n_asked, 1);
    renew(1, "number", true);
    assert_int_equal(await_status(1), PMIX_SUCCESS);
    assert_int_equal(n_asked, 1);
}

/* What the host has registered is never out of date. [GET-026] */
static void reserved_keys_are_not_renewed(void **state)
{
    (void) state;
    renew(0, PMIX_HOSTNAME, false);
    assert_int_equal(await_status(0), PMIX_SUCCESS);
    assert_int_equal(n_asked, 0);
}

/* Gets of one process share an upcall if the host would be told the same. */
static void directives_reach_the_host(void **state)
{
    (void) state;
    holds = true;
    begin_get(0, false);
    begin_get(1, false);
    begin_get(2, true);
    settle();
    assert_int_equal(n_asked, 2);
    assert_false(held[0].fast);
    assert_true(held[1].fast);
    held[1].fn(PMIX_ERR_TIMEOUT, NULL, 0, held[1].cbdata, NULL, NULL);
    assert_int_equal(await_status(2), PMIX_ERR_TIMEOUT);
    settle();
    assert_int_equal(statuses[0], 1);
    held[0].fn(PMIX_ERR_NOT_FOUND, NULL, 0, held[0].cbdata, NULL, NULL);
    assert_int_equal(await_status(0), PMIX_ERR_NOT_FOUND);
    assert_int_equal(await_status(1), PMIX_ERR_NOT_FOUND);
}

/* True if the thread is not exiting. The kernel lists a thread for a moment after it was joined. */
static bool goes_on(const char *tid)
{
    enum { EXITING = 4 }; /* PF_EXITING in the flags of the kernel */
    unsigned flags = EXITING;
    char path[64];
    FILE *file;

    (void) snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", tid);
    file = fopen(path, "re");
    if (file) {
        (void) !fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %u", &flags);
        (void) fclose(file);
    }
    return !(flags & EXITING);
}

/* Threads of this process. */
static unsigned n_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned n = 0;

    assert_non_null(tasks);
    for (const struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        n += entry->d_name[0] != '.' && goes_on(entry->d_name);
    }
    (void) closedir(tasks);
    return n;
}

/* The memory of a large value is given back by a thread, which has ended when a finalize returns:
 * then the library may be unloaded. */
static void no_thread_is_left(void **state)
{
    static char bytes[64 << 20];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, sizeof(bytes)}};
    pmix_proc_t proc = {.nspace = "large"};
    unsigned most = 1;

#ifdef __SANITIZE_THREAD__
    most = 2; /* it has one of its own */
#endif
    for (int i = 0; i < 10; i++) {
        memset(bytes, i + 1, sizeof(bytes));
        assert_int_equal(PMIx_Store_internal(&proc, "bytes", &value), PMIX_SUCCESS);
        assert_int_equal(end(state), 0);
        assert_true(n_threads() <= most);
        assert_int_equal(start(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_process_is_the_server, start, end),
        cmocka_unit_test_setup_teardown(static_values_need_a_call_that_waits, start, end),
        cmocka_unit_test_setup_teardown(a_value_needs_a_namespace, start, end),
        cmocka_unit_test_setup_teardown(what_is_stored_lives_as_long_as_its_job, start, end),
        cmocka_unit_test_setup_teardown(a_call_that_blocks_asks_nobody, start, end),
        cmocka_unit_test_setup_teardown(a_call_that_blocks_has_no_directives_of_the_host, start,
                                        end),
        cmocka_unit_test_setup_teardown(optional_overrides_a_renewal, start, end),
        cmocka_unit_test_setup_teardown(reserved_keys_are_not_renewed, start, end),
        cmocka_unit_test_setup_teardown(directives_reach_the_host, start, end),
        cmocka_unit_test_setup_teardown(no_thread_is_left, start, end),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
