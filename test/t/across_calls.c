/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls in few words for `across`, and who waits for whom. */

#include "across.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

pmix_proc_t me;
uint32_t size;
uint32_t n_nodes;
int failures;
char *program;

void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "across: rank %u: %s\n", me.rank, what);
        failures++;
    }
}

void is(pmix_status_t want, pmix_status_t got, const char *what)
{
    if (want != got) {
        fprintf(stderr, "across: rank %u: %s: %s, not %s\n", me.rank, what, PMIx_Error_string(got),
                PMIx_Error_string(want));
        failures++;
    }
}

void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "across: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

uint32_t per_node(void)
{
    return size / n_nodes; /* the tests use whole multiples */
}

uint32_t node_of(uint32_t rank)
{
    return rank / per_node();
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* ---- shorter calls */

void fence(bool collect)
{
    pmix_info_t info[1];

    must(PMIx_Info_load(&info[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL), "load");
    must(PMIx_Fence(NULL, 0, info, 1), "fence");
}

void put(pmix_scope_t scope, const char *key, uint32_t number)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};

    must(PMIx_Put(scope, key, &v), key);
}

/* Gets a number with one directive, a flag or a number of seconds, or none. */
pmix_status_t get(uint32_t rank, const char *key, const char *how, int seconds, uint32_t *ret)
{
    bool yes = true;
    pmix_info_t info[1];
    pmix_proc_t proc;
    pmix_value_t *v = NULL;
    size_t n = how != NULL ? 1 : 0;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    if (n > 0) {
        must(PMIx_Info_load(&info[0], how, seconds > 0 ? (void *) &seconds : (void *) &yes,
                            seconds > 0 ? PMIX_INT : PMIX_BOOL),
             "load");
    }
    pmix_status_t rc = PMIx_Get(&proc, key, n > 0 ? info : NULL, n, &v);
    if (rc == PMIX_SUCCESS) {
        *ret = v->data.uint32;
        PMIx_Value_free(v, 1);
    }
    return rc;
}

uint32_t number(uint32_t rank, const char *key)
{
    uint32_t n = UINT32_MAX;

    must(get(rank, key, NULL, 0, &n), key);
    return n;
}

/* ---- who waits for whom: nobody sleeps, and what is to come late comes when it is waited for */

/* Something for the others to hear of. What was asked for before has reached the server before
 * it. */
void tell(const char *what)
{
    put(PMIX_GLOBAL, what, 1);
    must(PMIx_Commit(), "commit");
}

/* Until all the others have told it. */
void hear(const char *what)
{
    uint32_t v;

    for (uint32_t rank = 0; rank < size; rank++) {
        if (rank != me.rank) {
            must(get(rank, what, PMIX_TIMEOUT, 60, &v), what);
        }
    }
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* answers and heard */
pthread_cond_t more = PTHREAD_COND_INITIALIZER;

void answered(struct answer *answer, pmix_status_t status, const pmix_value_t *value)
{
    pthread_mutex_lock(&lock);
    *answer = (struct answer){true, status, value != NULL ? value->data.uint32 : 0};
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

struct answer wait_for(const struct answer *answer)
{
    struct answer ret;

    pthread_mutex_lock(&lock);
    while (!answer->come) {
        pthread_cond_wait(&more, &lock);
    }
    ret = *answer;
    pthread_mutex_unlock(&lock);
    return ret;
}

void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    answered(cbdata, status, value);
}

void ended(pmix_status_t status, void *cbdata)
{
    answered(cbdata, status, NULL);
}

void found(pmix_status_t status, pmix_pdata_t data[], size_t n, void *cbdata)
{
    answered(cbdata, status, n > 0 ? &data[0].value : NULL);
}
