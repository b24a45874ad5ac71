/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rank 0 posts what its server has no room for. It learns of that from the fence, or from the
 * commit if that has its answer by then, once; the others' fence succeeds, nobody finds the value
 * but rank 0, and everything goes on: what it posts next is found by all. With "wait" rank 1 waits
 * for the value, without a time limit, before it is committed and again after that: not for ever,
 * and when something smaller takes its place that is found. refused BYTES [wait] */

#include <pmix.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;
static pmix_proc_t first;
static pmix_status_t committed; /* what a commit since the last fence has said */

static void tell(const char *what, pmix_status_t rc)
{
    printf("rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
    fflush(stdout);
}

static void commit(void)
{
    pmix_status_t rc = PMIx_Commit();

    if (committed != PMIX_SUCCESS && rc != PMIX_SUCCESS) {
        tell("once more", rc);
    }
    committed = committed != PMIX_SUCCESS ? committed : rc;
}

static void put(const char *key, char fill, size_t size)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = malloc(size), .size = size}};

    if (value.data.bo.bytes == NULL) {
        exit(1);
    }
    memset(value.data.bo.bytes, fill, size);
    tell("put", PMIx_Put(PMIX_GLOBAL, key, &value));
    free(value.data.bo.bytes);
    commit();
}

/* Tells of the commits before, too. */
static void fence(void)
{
    pmix_status_t rc = PMIx_Fence(NULL, 0, NULL, 0);

    if (committed != PMIX_SUCCESS && rc != PMIX_SUCCESS) {
        tell("once more", rc);
    }
    tell("fence", committed != PMIX_SUCCESS ? committed : rc);
    committed = PMIX_SUCCESS;
}

static void look(const char *key)
{
    pmix_value_t *value = NULL;
    bool yes = true;
    pmix_info_t optional;

    PMIx_Info_load(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    tell(key, PMIx_Get(&first, key, &optional, 1, &value));
    if (value != NULL) {
        PMIx_Value_free(value, 1);
    }
}

/* --- waiting --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static bool come; /* lock */

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    (void) cbdata;
    pthread_mutex_lock(&lock);
    tell("waited before", status);
    come = true;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void hint(const char *key)
{
    pmix_value_t value = {.type = PMIX_BOOL, .data.flag = true};

    (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    (void) PMIx_Commit();
}

/* seconds: 0 without a limit. */
static void wait_for(const char *what, pmix_rank_t rank, const char *key, int seconds)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_info_t limit;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    PMIx_Info_load(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    tell(what, PMIx_Get(&proc, key, &limit, seconds > 0 ? 1 : 0, &value));
    if (value != NULL) {
        PMIx_Value_free(value, 1);
    }
}

static void be_refused(size_t size)
{
    wait_for("asked", 1, "asked", 60);
    put("large", 'x', size);
    wait_for("over", 1, "over", 60);
    put("large", 'y', 16);
}

static void wait_in_vain(void)
{
    tell("get", PMIx_Get_nb(&first, "large", NULL, 0, got, NULL));
    hint("asked");
    pthread_mutex_lock(&lock);
    while (!come) {
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
    wait_for("waited after", 0, "large", 0);
    hint("over");
    wait_for("waited for less", 0, "large", 60);
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? (size_t) strtoul(argv[1], NULL, 10) : 0;
    bool waits = argc > 2 && strcmp(argv[2], "wait") == 0;

    alarm(100);
    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    PMIX_LOAD_PROCID(&first, me.nspace, 0);
    if (waits) {
        if (me.rank == 0) {
            be_refused(size);
        } else {
            wait_in_vain();
        }
        fence();
        PMIx_Finalize(NULL, 0);
        return 0;
    }
    if (me.rank == 0) {
        put("large", 'x', size);
    }
    fence();
    look("large");
    if (me.rank == 0) {
        put("small", 'y', 16);
    }
    fence();
    look("small");
    PMIx_Finalize(NULL, 0);
    return 0;
}
