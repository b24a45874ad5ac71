/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_server_finalize waits for the threads that are inside of a call. Some wait for the host or
 * for the progress thread, some read what the server frees; each goes on calling until the next
 * server is there. Freed memory is for the sanitizer to find. INI-016, SRV-002. And what a forked
 * child of a server is told. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

enum { ROUNDS = 20, CALLS = 3 };

/* The host never answers. */
static pmix_status_t lookup(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                            size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) keys;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {.lookup = lookup};

/* --- calls; each returns PMIX_ERR_INIT if there is no server --- */

static pmix_status_t ask_the_host(void)
{
    pmix_pdata_t data = {.key = "word"};

    return PMIx_Lookup(&data, 1, NULL, 0);
}

static pmix_status_t register_a_job(void)
{
    pmix_nspace_t job = "job";

    return PMIx_server_register_nspace(job, 1, NULL, 0, NULL, NULL);
}

static void count_end(pmix_status_t status, void *cbdata)
{
    (void) status;
    atomic_fetch_add((atomic_int *) cbdata, 1);
}

static atomic_int n_started;
static atomic_int n_ended;

static pmix_status_t register_a_client(void)
{
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, "other", 0);
    rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, count_end, &n_ended);
    if (rc == PMIX_SUCCESS) {
        atomic_fetch_add(&n_started, 1);
    }
    return rc;
}

static pmix_status_t collect_jobs(void)
{
    pmix_data_buffer_t buffer;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, "job", PMIX_RANK_WILDCARD);
    PMIx_Data_buffer_construct(&buffer);
    rc = PMIx_server_collect_job_info(&proc, 1, &buffer);
    PMIx_Data_buffer_destruct(&buffer);
    return rc;
}

static pmix_status_t get_a_value(void)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, "other", 0);
    return PMIx_Get(&proc, "word", NULL, 0, &value);
}

static pmix_status_t measure(void)
{
    pmix_device_distance_t *distances = NULL;
    pmix_topology_t topology = {0};
    pmix_cpuset_t cpuset = {0};
    size_t n = 0;
    pmix_status_t rc = PMIx_Load_topology(&topology);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Get_cpuset(&cpuset, PMIX_CPUBIND_PROCESS);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Compute_distances(&topology, &cpuset, NULL, 0, &distances, &n);
        PMIx_Device_distance_free(distances, n);
    }
    PMIx_Cpuset_destruct(&cpuset);
    PMIx_Topology_destruct(&topology);
    return rc;
}

/* The first one waits until the server ends. */
static pmix_status_t (*const calls[])(void) = {
    ask_the_host, get_a_value, register_a_job, register_a_client, collect_jobs, measure,
};
enum { WAITING = 1, THREADS = sizeof(calls) / sizeof(calls[0]) };

/* --- rounds --- */

static atomic_int n_calls[THREADS];
static atomic_bool over;

static void *go_on_calling(void *arg)
{
    int n = *(int *) arg;

    while (!atomic_load(&over)) {
        atomic_fetch_add(&n_calls[n], 1);
        if (calls[n]() == PMIX_ERR_INIT) {
            (void) sched_yield();
        }
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t ids[THREADS];
    int numbers[THREADS];

    (void) state;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&ids[i], NULL, go_on_calling, &numbers[i]), 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
        for (int i = WAITING; i < THREADS; i++) {
            int before = atomic_load(&n_calls[i]);

            while (atomic_load(&n_calls[i]) < before + CALLS) {
                (void) sched_yield();
            }
        }
        assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&n_ended), atomic_load(&n_started));
}

/* --- a forked child --- */

static pmix_status_t told;

static void note(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    told = status;
}

static int child(void)
{
    pmix_nspace_t job = "job";
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 0);
    told = 1;
    PMIx_server_deregister_nspace(job, note, NULL);
    if (told != PMIX_ERR_UNREACH) {
        return 1;
    }
    told = 1;
    PMIx_server_deregister_client(&proc, note, NULL);
    return told == PMIX_ERR_UNREACH ? 0 : 2;
}

static void forked(void **state)
{
    int status = -1;
    pid_t pid;

    (void) state;
    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
    assert_int_equal(register_a_job(), PMIX_SUCCESS);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(child());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* --- a refusal comes as every result: on the progress thread, which cannot end the server --- */

struct refusal {
    sem_t seen;
    pthread_t thread;
    pmix_status_t status;
    pmix_status_t finalized;
};

static void finalize(pmix_status_t status, void *cbdata)
{
    struct refusal *refusal = cbdata;

    refusal->thread = pthread_self();
    refusal->status = status;
    refusal->finalized = PMIx_server_finalize();
    assert_int_equal(sem_post(&refusal->seen), 0);
}

static void refused(void **state)
{
    pmix_nspace_t nowhere = "";
    struct refusal refusal;

    (void) state;
    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
    assert_int_equal(sem_init(&refusal.seen, 0, 0), 0);
    PMIx_server_deregister_client(NULL, finalize, &refusal);
    assert_int_equal(sem_wait(&refusal.seen), 0);
    assert_int_equal(refusal.finalized, PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(refusal.status, PMIX_ERR_BAD_PARAM);
    assert_false(pthread_equal(refusal.thread, pthread_self()));
    PMIx_server_deregister_nspace(nowhere, finalize, &refusal);
    assert_int_equal(sem_wait(&refusal.seen), 0);
    assert_int_equal(refusal.finalized, PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(refusal.status, PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    PMIx_server_deregister_client(NULL, note, NULL); /* nobody else is there to call */
    assert_int_equal(told, PMIX_ERR_INIT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads),
        cmocka_unit_test(forked),
        cmocka_unit_test(refused),
    };

    alarm(400); /* an emulated machine takes more than a hundred seconds */
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
