/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of an honest job: it posts more than an MPI library does, and calls fences. Before the
 * others have posted, it asks its neighbours for what they will, all at once; rank 0 asks
 * everybody. Nothing of it may be refused by a quota that has been cut down to the size of the job.
 * usage: honest BYTES */

#include <pmix.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NEIGHBOURS = 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static uint32_t n_came;
static size_t size_want;

static void must(bool held, const char *what, pmix_status_t rc)
{
    if (!held) {
        fprintf(stderr, "honest: %s: %s\n", what, PMIx_Error_string(rc));
        _exit(1);
    }
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) cbdata;
    must(status == PMIX_SUCCESS, "get", status);
    must(value->type == PMIX_BYTE_OBJECT && value->data.bo.size == size_want, "value", status);
    pthread_mutex_lock(&lock);
    n_came++;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

static void post(const char *key, char *bytes, size_t n)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, n}};
    pmix_status_t rc = PMIx_Put(PMIX_GLOBAL, key, &value);

    must(rc == PMIX_SUCCESS, "put", rc);
}

static uint32_t size_of_job(const pmix_proc_t *me)
{
    pmix_proc_t job;
    pmix_value_t *value = NULL;
    pmix_status_t rc;
    uint32_t size = 0;

    PMIX_LOAD_PROCID(&job, me->nspace, PMIX_RANK_WILDCARD);
    rc = PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value);
    must(rc == PMIX_SUCCESS, "size", rc);
    size = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return size;
}

int main(int argc, char **argv)
{
    pmix_proc_t me;
    pmix_proc_t other;
    uint32_t size;
    uint32_t n;
    char *bytes;
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    alarm(100);
    must(argc == 2 && rc == PMIX_SUCCESS, "init", rc);
    size_want = strtoul(argv[1], NULL, 10);
    size = size_of_job(&me);
    bytes = malloc(size_want);
    for (size_t i = 0; i < size_want; i++) {
        bytes[i] = (char) (i * i * 2654435761u >> 7 ^ me.rank); /* hardly compressed */
    }
    other = me;
    n = me.rank == 0 ? size : NEIGHBOURS;
    for (uint32_t i = 0; i < n; i++) {
        other.rank = (me.rank + i) % size;
        rc = PMIx_Get_nb(&other, "address", NULL, 0, on_value, NULL);
        must(rc == PMIX_SUCCESS, "get_nb", rc);
    }
    rc = PMIx_Fence(NULL, 0, NULL, 0); /* all have asked */
    must(rc == PMIX_SUCCESS, "fence", rc);
    post("address", bytes, size_want);
    post("more", bytes, size_want);
    rc = PMIx_Commit();
    must(rc == PMIX_SUCCESS, "commit", rc);
    pthread_mutex_lock(&lock);
    while (n_came < n) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    rc = PMIx_Fence(NULL, 0, NULL, 0);
    must(rc == PMIX_SUCCESS, "fence", rc);
    free(bytes);
    rc = PMIx_Finalize(NULL, 0);
    must(rc == PMIX_SUCCESS, "finalize", rc);
    return 0;
}
