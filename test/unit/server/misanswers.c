/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Hosts that call back twice for one upcall, call back and return an error too, or call back when
 * the server has ended: only the first answer counts, and no later request is touched by the
 * others. One process, whose own requests reach its host like those of a client. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

enum { MANY = 200, ROUNDS = 100 };

/* What the host was given and has not used up: it may use it again. */
struct asked {
    pmix_op_cbfunc_t op;
    pmix_info_cbfunc_t infos;
    void *cbdata;
};

static struct asked asked[2 * MANY];
static atomic_int n_asked;
static enum { LATER, TWICE_INSIDE, INSIDE_AND_REFUSED, REFUSED } manner;

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    int n = atomic_load(&n_asked);

    (void) proc;
    (void) info;
    (void) ninfo;
    asked[n] = (struct asked){.op = cbfunc, .cbdata = cbdata};
    if (manner == TWICE_INSIDE || manner == INSIDE_AND_REFUSED) {
        cbfunc(PMIX_ERR_TIMEOUT, cbdata);
    }
    if (manner == TWICE_INSIDE) {
        cbfunc(PMIX_SUCCESS, cbdata);
    }
    atomic_store(&n_asked, n + 1);
    return manner == LATER || manner == TWICE_INSIDE ? PMIX_SUCCESS : PMIX_ERR_NO_PERMISSIONS;
}

static pmix_status_t query(pmix_proc_t *proc, pmix_query_t *queries, size_t nqueries,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    int n = atomic_load(&n_asked);

    (void) proc;
    (void) queries;
    (void) nqueries;
    asked[n] = (struct asked){.infos = cbfunc, .cbdata = cbdata};
    atomic_store(&n_asked, n + 1);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {.publish = publish, .query = query};

static void start(void)
{
    manner = LATER;
    atomic_store(&n_asked, 0);
    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
}

static void await_asked(int n)
{
    while (atomic_load(&n_asked) < n) {
        (void) sched_yield();
    }
}

/* --- requests --- */

static atomic_int n_ended;
static _Atomic pmix_status_t ended[2 * MANY];

static void on_end(pmix_status_t status, void *cbdata)
{
    *(_Atomic pmix_status_t *) cbdata = status;
    atomic_fetch_add(&n_ended, 1);
}

static void on_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data)
{
    (void) info;
    (void) ninfo;
    if (release) {
        release(release_data);
    }
    on_end(status, cbdata);
}

static void ask_to_publish(int n)
{
    pmix_info_t info;

    assert_int_equal(PMIx_Info_load(&info, "word", "hello", PMIX_STRING), PMIX_SUCCESS);
    ended[n] = 1;
    assert_int_equal(PMIx_Publish_nb(&info, 1, on_end, (void *) &ended[n]), PMIX_SUCCESS);
    PMIx_Info_destruct(&info);
}

static void await_ended(int n)
{
    while (atomic_load(&n_ended) < n) {
        (void) sched_yield();
    }
}

/* All that was answered is answered again, with another status, while others wait. */
static void answered_again_and_again(void **state)
{
    (void) state;
    start();
    atomic_store(&n_ended, 0);
    for (int i = 0; i < MANY; i++) {
        ask_to_publish(i);
        await_asked(i + 1);
        asked[i].op(PMIX_SUCCESS, asked[i].cbdata);
        await_ended(i + 1);
    }
    for (int i = MANY; i < 2 * MANY; i++) {
        ask_to_publish(i);
        await_asked(i + 1);
    }
    for (int i = 0; i < MANY; i++) {
        asked[i].op(PMIX_ERR_NO_PERMISSIONS, asked[i].cbdata);
    }
    for (int i = MANY; i < 2 * MANY; i++) {
        asked[i].op(PMIX_ERR_EXISTS, asked[i].cbdata);
        asked[i].op(PMIX_ERR_NO_PERMISSIONS, asked[i].cbdata);
    }
    await_ended(2 * MANY);
    for (int i = 0; i < 2 * MANY; i++) {
        assert_int_equal(ended[i], i < MANY ? PMIX_SUCCESS : PMIX_ERR_EXISTS);
    }
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    assert_int_equal(atomic_load(&n_ended), 2 * MANY);
}

static void answered_in_two_ways(void **state)
{
    (void) state;
    start();
    atomic_store(&n_ended, 0);
    manner = TWICE_INSIDE;
    ask_to_publish(0);
    await_ended(1);
    manner = INSIDE_AND_REFUSED;
    ask_to_publish(1);
    await_ended(2);
    manner = REFUSED;
    ask_to_publish(2);
    await_ended(3);
    for (int i = 0; i < 3; i++) {
        asked[i].op(PMIX_SUCCESS, asked[i].cbdata);
    }
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    assert_int_equal(ended[0], PMIX_ERR_TIMEOUT);
    assert_int_equal(ended[1], PMIX_ERR_TIMEOUT);
    assert_int_equal(ended[2], PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(atomic_load(&n_ended), 3);
}

/* Both after the end and in the next life of the server; what the host gives is released. */
static atomic_int n_released;

static void released(void *cbdata)
{
    (void) cbdata;
    atomic_fetch_add(&n_released, 1);
}

static void answered_after_the_end(void **state)
{
    char *keys[] = {(char *) "word", NULL};
    pmix_query_t question = {.keys = keys};
    struct asked before[2];

    (void) state;
    start();
    atomic_store(&n_ended, 0);
    atomic_store(&n_released, 0);
    ask_to_publish(0);
    await_asked(1);
    ended[1] = 1;
    assert_int_equal(PMIx_Query_info_nb(&question, 1, on_infos, (void *) &ended[1]), PMIX_SUCCESS);
    await_asked(2);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    assert_int_equal(ended[0], PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(ended[1], PMIX_ERR_LOST_CONNECTION);
    memcpy(before, asked, sizeof(before));
    before[0].op(PMIX_SUCCESS, before[0].cbdata);
    start();
    ask_to_publish(2);
    await_asked(1);
    for (int i = 0; i < 2; i++) {
        before[0].op(PMIX_ERR_NO_PERMISSIONS, before[0].cbdata);
        before[1].infos(PMIX_SUCCESS, NULL, 0, before[1].cbdata, released, NULL);
    }
    assert_int_equal(atomic_load(&n_released), 2);
    asked[0].op(PMIX_ERR_EXISTS, asked[0].cbdata);
    await_ended(3);
    assert_int_equal(ended[2], PMIX_ERR_EXISTS);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* What an upcall takes is given back with the host's answer, however late that is. In a sanitized
 * build the allocator counts nothing, and looks for leaks itself; else it counts what it keeps for
 * threads, too. */
static void given_back_after_the_end(void **state)
{
    enum { LIVES = 8, SETTLED = 3, CACHED = 65536 };
    size_t in_use[LIVES];

    (void) state;
    for (int life = 0; life < LIVES; life++) {
        start();
        atomic_store(&n_ended, 0);
        for (int i = 0; i < MANY; i++) {
            ask_to_publish(i);
        }
        await_asked(MANY);
        assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
        for (int i = 0; i < MANY; i++) {
            asked[i].op(PMIX_SUCCESS, asked[i].cbdata);
        }
        in_use[life] = mallinfo2().uordblks;
    }
    assert_in_range(in_use[LIVES - 1], 0, in_use[SETTLED] + CACHED);
}

/* Starts and ends a server that has made n requests to its host, of which the host has answered
 * one. `ret` gets what the server has logged. The host answers the others when it has ended. */
static void end_with(int n, char *ret, size_t size)
{
    int before = dup(STDERR_FILENO);
    int ends[2];
    ssize_t len;

    start();
    atomic_store(&n_ended, 0);
    for (int i = 0; i < n; i++) {
        ask_to_publish(i);
    }
    await_asked(n);
    asked[0].op(PMIX_SUCCESS, asked[0].cbdata);
    await_ended(1);
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    len = read(ends[0], ret, size - 1);
    ret[len > 0 ? len : 0] = '\0';
    for (int i = 1; i < n; i++) {
        asked[i].op(PMIX_SUCCESS, asked[i].cbdata);
    }
    (void) close(before);
    (void) close(ends[0]);
    (void) close(ends[1]);
}

static void counted_at_the_end(void **state)
{
    char said[1024];

    (void) state;
    assert_int_equal(setenv("PMIX_MCA_pmix_server_base_verbose", "1", 1), 0);
    end_with(4, said, sizeof(said));
    assert_non_null(strstr(said, " server: 3 upcalls have no answer of the host"));
    end_with(1, said, sizeof(said));
    assert_null(strstr(said, "upcalls"));
    assert_int_equal(unsetenv("PMIX_MCA_pmix_server_base_verbose"), 0);
    end_with(2, said, sizeof(said));
    assert_string_equal(said, "");
}

/* The answers come while the server ends: each request ends once. */
static void *answer_everything(void *arg)
{
    (void) arg;
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < MANY; i++) {
            asked[i].op(PMIX_SUCCESS, asked[i].cbdata);
        }
    }
    return NULL;
}

static void answered_during_the_end(void **state)
{
    (void) state;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[2];

        start();
        atomic_store(&n_ended, 0);
        for (int i = 0; i < MANY; i++) {
            ask_to_publish(i);
        }
        await_asked(MANY);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, answer_everything, NULL), 0);
        }
        assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
        assert_int_equal(atomic_load(&n_ended), MANY);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        }
        for (int i = 0; i < MANY; i++) {
            assert_true(ended[i] == PMIX_SUCCESS || ended[i] == PMIX_ERR_LOST_CONNECTION);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answered_again_and_again), cmocka_unit_test(answered_in_two_ways),
        cmocka_unit_test(answered_after_the_end),   cmocka_unit_test(given_back_after_the_end),
        cmocka_unit_test(answered_during_the_end),  cmocka_unit_test(counted_at_the_end),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
