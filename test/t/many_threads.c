/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process with several threads that do at once whatever does not wait for other processes, while
 * one more goes through fences with those of the others. What is read is checked: values are whole
 * and never go back. For the thread sanitizer (make check-tsan) and for everybody. usage:
 * many_threads [ROUNDS] */

#include <pmix.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

static pmix_proc_t me;
static uint32_t size;
static unsigned rounds = 50;
static atomic_uint failures;
static atomic_uint events;

static void expect(bool holds, const char *what, pmix_status_t rc)
{
    if (!holds) {
        fprintf(stderr, "many_threads: rank %u: %s (%s)\n", me.rank, what, PMIx_Error_string(rc));
        failures++;
    }
}

static void is(pmix_status_t want, pmix_status_t rc, const char *what)
{
    expect(rc == want || (want == PMIX_SUCCESS && rc == PMIX_OPERATION_SUCCEEDED), what, rc);
}

static uint32_t get(uint32_t rank, const char *key)
{
    pmix_proc_t proc;
    pmix_value_t *v = NULL;
    uint32_t n = 0;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    rc = PMIx_Get(&proc, key, NULL, 0, &v);
    is(PMIX_SUCCESS, rc, key);
    if (rc == PMIX_SUCCESS) {
        n = v->data.uint32;
        PMIx_Value_free(v, 1);
    }
    return n;
}

static void put(const char *key, uint32_t n)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = n};

    is(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, key, &v), "put");
}

/* ---- what threads do, each with its number and the round */

static void read_job(unsigned thread, unsigned round)
{
    (void) thread;
    (void) round;
    expect(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == size, "job size", PMIX_SUCCESS);
}

/* Each thread has a key of its own, which its own reads find at once. */
static void post(unsigned thread, unsigned round)
{
    char key[32];

    snprintf(key, sizeof(key), "many_threads.%u", thread);
    put(key, round);
    expect(get(me.rank, key) == round, "what I posted", PMIX_SUCCESS);
    is(PMIX_SUCCESS, PMIx_Commit(), "commit");
}

/* The others have posted this before the first fence, and go on. */
static void read_others(unsigned thread, unsigned round)
{
    static _Thread_local uint32_t seen;
    uint32_t now = get((me.rank + 1 + thread) % size, "many_threads.main");

    (void) round;
    expect(now >= seen, "a value went back", PMIX_SUCCESS);
    seen = now;
}

static void handler(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t *results, size_t nresults,
                    pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo, (void) results,
        (void) nresults;
    events++;
    cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void event(unsigned thread, unsigned round)
{
    pmix_status_t code = -3000 - (int) thread;
    pmix_status_t id = PMIx_Register_event_handler(&code, 1, NULL, 0, handler, NULL, NULL);

    (void) round;
    expect(id >= 0, "register", id);
    is(PMIX_SUCCESS, PMIx_Notify_event(code, &me, PMIX_RANGE_PROC_LOCAL, NULL, 0, NULL, NULL),
       "notify");
    is(PMIX_SUCCESS, PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "deregister");
}

static void publish(unsigned thread, unsigned round)
{
    pmix_info_t info;
    pmix_pdata_t found;
    char *keys[2] = {NULL, NULL};
    char key[64];

    snprintf(key, sizeof(key), "many_threads.%u.%u.%u", me.rank, thread, round);
    keys[0] = key;
    PMIX_INFO_LOAD(&info, key, &round, PMIX_UINT32);
    is(PMIX_SUCCESS, PMIx_Publish(&info, 1), "publish");
    PMIX_PDATA_CONSTRUCT(&found);
    PMIX_LOAD_KEY(found.key, key);
    is(PMIX_SUCCESS, PMIx_Lookup(&found, 1, NULL, 0), "lookup");
    expect(found.value.data.uint32 == round, "what was published", PMIX_SUCCESS);
    PMIX_PDATA_DESTRUCT(&found);
    is(PMIX_SUCCESS, PMIx_Unpublish(keys, NULL, 0), "unpublish");
    PMIX_INFO_DESTRUCT(&info);
}

static void resolve(unsigned thread, unsigned round)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;

    (void) thread, (void) round;
    is(PMIX_SUCCESS, PMIx_Resolve_peers(NULL, me.nspace, &procs, &n), "peers");
    expect(n >= 1 && n <= size, "number of peers", PMIX_SUCCESS);
    PMIX_PROC_FREE(procs, n);
    is(PMIX_SUCCESS, PMIx_Resolve_nodes(me.nspace, &nodes), "nodes");
    free(nodes);
}

static void query(unsigned thread, unsigned round)
{
    pmix_query_t *q;
    pmix_info_t *results = NULL;
    size_t n = 0;

    (void) thread, (void) round;
    PMIX_QUERY_CREATE(q, 1);
    PMIX_ARGV_APPEND(n, q->keys, PMIX_QUERY_NAMESPACES);
    n = 0;
    is(PMIX_SUCCESS, PMIx_Query_info(q, 1, &results, &n), "query");
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_FREE(q, 1);
}

static void keep(unsigned thread, unsigned round)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = round};
    char key[32];

    snprintf(key, sizeof(key), "kept.%u", thread);
    is(PMIX_SUCCESS, PMIx_Store_internal(&me, key, &v), "store");
    expect(get(me.rank, key) == round, "what I stored", PMIX_SUCCESS);
}

static void (*const acts[])(unsigned thread, unsigned round) = {
    read_job, post, read_others, event, publish, resolve, query, keep};

static void *run(void *arg)
{
    unsigned thread = (unsigned) (uintptr_t) arg;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
            acts[(i + thread) % (sizeof(acts) / sizeof(acts[0]))](thread, round);
        }
    }
    return NULL;
}

static void fence(uint32_t round)
{
    pmix_info_t info;
    bool yes = true;

    put("many_threads.main", round);
    is(PMIX_SUCCESS, PMIx_Commit(), "commit");
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    is(PMIX_SUCCESS, PMIx_Fence(NULL, 0, &info, 1), "fence");
    PMIX_INFO_DESTRUCT(&info);
    for (uint32_t rank = 0; rank < size; rank++) {
        uint32_t now = get(rank, "many_threads.main");

        if (now < round) {
            fprintf(stderr, "many_threads: behind the fence, rank %u has %u of rank %u, not %u\n",
                    me.rank, now, rank, round);
            failures++;
        }
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    alarm(240);
    if (argc > 1) {
        rounds = (unsigned) strtoul(argv[1], NULL, 10);
    }
    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) {
        return 99;
    }
    size = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    fence(0);
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, (void *) i) != 0) {
            return 98;
        }
    }
    for (uint32_t round = 1; round <= rounds; round++) {
        fence(round);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    fence(rounds + 1);
    is(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    expect(events > 0, "no event has come", PMIX_SUCCESS);
    return failures > 0;
}
