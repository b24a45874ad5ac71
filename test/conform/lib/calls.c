/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of PMIx that many cases make, in few words. */

#include "calls.h"
#include "inside.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
    pmix_status_t status;
} call = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

void put_text(pmix_scope_t scope, const char *key, const char *text)
{
    pmix_value_t v = {.type = PMIX_STRING, .data.string = (char *) text};

    check_status(PMIX_SUCCESS, PMIx_Put(scope, key, &v), "put %s", key);
}

void put_in(pmix_scope_t scope, const char *key, uint32_t number)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};

    check_status(PMIX_SUCCESS, PMIx_Put(scope, key, &v), "put %s", key);
}

void put_number(const char *key, uint32_t number)
{
    put_in(PMIX_GLOBAL, key, number);
}

void commit(void)
{
    check_status(PMIX_SUCCESS, PMIx_Commit(), "commit");
}

/* With one directive, or none (NULL). */
pmix_status_t get(pmix_rank_t rank, const char *key, const char *directive, uint32_t *ret)
{
    struct infos list = {0};
    pmix_value_t *v = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    if (directive != NULL) {
        add_true(&list, directive);
    }
    rc = PMIx_Get(&proc, key, list.at, list.n, &v);
    if (rc == PMIX_SUCCESS) {
        *ret = v->type == PMIX_UINT32      ? v->data.uint32
               : v->type == PMIX_UINT16    ? v->data.uint16
               : v->type == PMIX_PROC_RANK ? v->data.rank
                                           : 0;
        PMIX_VALUE_RELEASE(v);
    }
    free_infos(&list);
    return rc;
}

void check_number(uint32_t want, pmix_rank_t rank, const char *key, const char *directive)
{
    uint32_t got = UINT32_MAX;

    check_status(PMIX_SUCCESS, get(rank, key, directive, &got), "get %s of %u", key, rank);
    check(got == want, "%s of %u is %u, not %u", key, rank, got, want);
}

pmix_status_t fence(const pmix_proc_t *procs, size_t n, const char *flag)
{
    struct infos list = {0};
    pmix_status_t rc;

    if (flag != NULL) {
        add_true(&list, flag);
    }
    rc = PMIx_Fence(procs, n, list.at, list.n);
    free_infos(&list);
    return rc;
}

void fence_all(const char *flag)
{
    check_status(PMIX_SUCCESS, fence(NULL, 0, flag), "fence");
}

pmix_status_t fence_seconds(const pmix_proc_t *procs, size_t n, int seconds)
{
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    rc = PMIx_Fence(procs, n, list.at, list.n);
    free_infos(&list);
    return rc;
}

pmix_proc_t process(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace_of(nspace), rank);
    return proc;
}

void call_done(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&call.lock);
    call.over = true;
    call.status = status;
    pthread_cond_signal(&call.ended);
    pthread_mutex_unlock(&call.lock);
}

bool call_is_over(void)
{
    bool over;

    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "a fence behind the call");
    pthread_mutex_lock(&call.lock);
    over = call.over;
    pthread_mutex_unlock(&call.lock);
    return over;
}

pmix_status_t await_call(void)
{
    pmix_status_t status;

    pthread_mutex_lock(&call.lock);
    while (!call.over) {
        pthread_cond_wait(&call.ended, &call.lock);
    }
    call.over = false;
    status = call.status;
    pthread_mutex_unlock(&call.lock);
    return status;
}

int n_segments(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strstr(line, "memfd:shmix (") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}
