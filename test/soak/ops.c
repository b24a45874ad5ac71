/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "ops.h"

#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct self self;

void ops_wrong(const char *what, int status)
{
    fprintf(stderr, "soak: %s.%u: %s: %s\n", self.proc.nspace, self.proc.rank, what,
            PMIx_Error_string(status));
    _exit(SOAK_WRONG);
}

bool ops_worked(const char *what, int status)
{
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) {
        return true;
    }
    if (!self.orders->bereft || status == PMIX_ERR_UNREACH) {
        ops_wrong(what, status);
    }
    return false;
}

/* At any moment, in whatever the process is then doing. */
static void strike(int sig)
{
    (void) sig;
    _exit(0);
}

static void set_hour_of_death(void)
{
    uint64_t us = 1 + soak_draw(&self.own) % (1000 * (1 + 10 * self.orders->pace_ms));
    struct itimerval when = {.it_value = {(time_t) (us / 1000000), (suseconds_t) (us % 1000000)}};

    if (self.orders->end != SOAK_KILLED && self.orders->end != SOAK_LEAVES) {
        return;
    }
    if (self.orders->end == SOAK_LEAVES) {
        (void) signal(SIGALRM, strike);
    }
    (void) setitimer(ITIMER_REAL, &when, NULL);
}

void ops_begin(const struct soak_orders *orders)
{
    pmix_value_t *value = NULL;
    pmix_proc_t all;
    int rc;

    self.orders = orders;
    self.own = orders->own;
    if (!orders->bereft) {
        set_hour_of_death();
    }
    rc = PMIx_Init(&self.proc, NULL, 0);
    if (rc) {
        ops_wrong("init", rc);
    }
    if (orders->bereft) { /* nobody tells the others of one that has never been there */
        set_hour_of_death();
    }
    all = self.proc;
    all.rank = PMIX_RANK_WILDCARD;
    rc = PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value);
    if (rc || value->type != PMIX_UINT32) {
        ops_wrong("job size", rc);
    }
    self.size = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
}

int ops_end(void)
{
    int rc;

    if (self.orders->end != SOAK_FINALIZE) {
        return 0; /* the connection just ends */
    }
    rc = PMIx_Finalize(NULL, 0);
    if (rc) {
        ops_wrong("finalize", rc);
    }
    return 0;
}

/* Spreads the load; nothing is waited for. */
void ops_pause(void)
{
    uint64_t us = soak_draw(&self.own) % (2000 * (uint64_t) self.orders->pace_ms + 1);
    struct timespec t = {(time_t) (us / 1000000), (long) (us % 1000000) * 1000};

    (void) nanosleep(&t, NULL);
}

/* ---- data */

void ops_fill(uint64_t seed, void *bytes, size_t n)
{
    uint64_t word = soak_draw(&seed);
    char *at = bytes;

    for (size_t i = 0; i < n; i++) {
        at[i] = (char) (word >> (i % 8 * 8));
        word = i % 8 == 7 ? word * 6364136223846793005u + 1 : word;
    }
}

void ops_put(const char *key, uint64_t seed, size_t n)
{
    char *bytes = malloc(n);
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, n}};
    int rc;

    if (!bytes) {
        ops_wrong("put", PMIX_ERR_NOMEM);
    }
    ops_fill(seed, bytes, n);
    rc = PMIx_Put(PMIX_GLOBAL, key, &value);
    rc = rc ? rc : PMIx_Commit();
    if (rc) {
        ops_wrong("put and commit", rc);
    }
    free(bytes);
}

int ops_get(pmix_rank_t rank, const char *key, uint64_t seed, size_t n, int timeout_s)
{
    pmix_proc_t peer = self.proc;
    pmix_value_t *value = NULL;
    char *want = malloc(n);
    pmix_info_t info;
    int rc;

    if (!want) {
        ops_wrong("get", PMIX_ERR_NOMEM);
    }
    peer.rank = rank;
    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &timeout_s, PMIX_INT);
    rc = PMIx_Get(&peer, key, &info, 1, &value);
    if (!ops_worked("get", rc)) {
        free(want);
        return 0;
    }
    ops_fill(seed, want, n);
    if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size != n ||
        memcmp(value->data.bo.bytes, want, n) != 0) {
        ops_wrong("the data", PMIX_ERROR);
    }
    PMIX_VALUE_RELEASE(value);
    free(want);
    return 1;
}

/* ---- alone */

void ops_job(uint64_t draw)
{
    pmix_proc_t peer = self.proc;
    pmix_value_t *value = NULL;
    pmix_proc_t *peers = NULL;
    size_t n = 0;
    int rc;

    peer.rank = (pmix_rank_t) (draw % self.size);
    rc = PMIx_Get(&peer, PMIX_LOCAL_RANK, NULL, 0, &value);
    if (rc || value->type != PMIX_UINT16 || value->data.uint16 != peer.rank) {
        ops_wrong("local rank", rc);
    }
    PMIX_VALUE_RELEASE(value);
    rc = PMIx_Get(&peer, PMIX_HOSTNAME, NULL, 0, &value);
    if (rc || value->type != PMIX_STRING || strcmp(value->data.string, SOAK_HOST) != 0) {
        ops_wrong("host name", rc);
    }
    PMIX_VALUE_RELEASE(value);
    rc = PMIx_Resolve_peers(SOAK_HOST, self.proc.nspace, &peers, &n);
    if (rc || n != self.size) {
        ops_wrong("resolve peers", rc);
    }
    PMIX_PROC_FREE(peers, n);
}

static bool names_us(const pmix_info_t *results, size_t n)
{
    size_t len = strlen(self.proc.nspace);

    for (size_t i = 0; i < n; i++) {
        const char *text =
            results[i].value.type == PMIX_STRING ? results[i].value.data.string : NULL;
        const char *at = text ? strstr(text, self.proc.nspace) : NULL;

        if (at && (at[len] == ',' || !at[len])) {
            return true;
        }
    }
    return false;
}

void ops_query(uint64_t draw)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    int rc = PMIX_SUCCESS;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    if (draw & 1) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_QUERY_REFRESH_CACHE, NULL, PMIX_BOOL);
    }
    rc = rc ? rc : PMIx_Query_info(&query, 1, &results, &n);
    if (rc || !names_us(results, n)) {
        ops_wrong("query", rc);
    }
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t n_results,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) results;
    (void) n_results;
    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, "soak.source") == 0 &&
            (status != SOAK_CODE || info[i].value.type != PMIX_UINT32 ||
             info[i].value.data.uint32 != source->rank)) {
            ops_wrong("an event's data", status);
        }
    }
    if (done) {
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

void ops_events(uint64_t draw)
{
    pmix_status_t code = SOAK_CODE;
    pmix_info_t info[2];
    bool no = false;
    pmix_data_range_t range = draw & 1 ? PMIX_RANGE_NAMESPACE : PMIX_RANGE_LOCAL;
    int handler = PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL);
    int rc;

    if (handler < 0) {
        ops_wrong("register an event handler", handler);
    }
    PMIX_INFO_LOAD(&info[0], "soak.source", &self.proc.rank, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_EVENT_NON_DEFAULT, &no, PMIX_BOOL);
    rc = PMIx_Notify_event(code, &self.proc, range, info, 2, NULL, NULL);
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        ops_wrong("notify", rc);
    }
    ops_pause();
    rc = draw & 2 ? PMIx_Deregister_event_handler((size_t) handler, NULL, NULL) : PMIX_SUCCESS;
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        ops_wrong("deregister", rc);
    }
}

/* Publishes, looks it up, and unless one in four forgets it, takes it back. */
void ops_names(const char *key, uint64_t seed)
{
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_pdata_t found;
    pmix_info_t info;
    int rc;

    PMIX_PDATA_CONSTRUCT(&found);
    PMIX_LOAD_KEY(found.key, key);
    PMIX_INFO_LOAD(&info, key, &seed, PMIX_UINT64);
    rc = PMIx_Publish(&info, 1);
    if (rc) {
        ops_wrong("publish", rc);
    }
    rc = PMIx_Lookup(&found, 1, NULL, 0);
    if (rc || found.value.type != PMIX_UINT64 || found.value.data.uint64 != seed) {
        ops_wrong("lookup", rc);
    }
    PMIX_PDATA_DESTRUCT(&found);
    rc = seed % 4 ? PMIx_Unpublish(keys, NULL, 0) : PMIX_SUCCESS;
    if (rc) {
        ops_wrong("unpublish", rc);
    }
}
