/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client that uses only what every PMIx of the 4.2 to 6.1 series has. It is built against our
 * headers and library and against the distribution's, and runs under either's server. One line "ok
 * - what" or "not ok - what" a check; the exit status says whether all held.
 *
 *     peer            job data, exchange, misses, events, publishing
 *     peer AREA...    only these (the table `areas`)
 *     peer abort      rank 1 aborts */

#include <pmix.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/interop/results.h"

enum { EVENT_CODE = -5017, EVENT_WAIT_S = 30 };

static pmix_proc_t self;
static int failures;
static uint32_t size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static int events;

static void check(bool held, const char *what)
{
    if (!held) {
        failures++;
    }
    printf("%s - rank %u: %s\n", held ? "ok" : "not ok", self.rank, what);
    fflush(stdout);
}

static void check_status(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "rank %u: %s: %s\n", self.rank, what, PMIx_Error_string(rc));
    }
    check(rc == PMIX_SUCCESS, what);
}

static pmix_proc_t proc_of(pmix_rank_t rank)
{
    pmix_proc_t proc;

    memset(&proc, 0, sizeof(proc));
    memcpy(proc.nspace, self.nspace, sizeof(proc.nspace));
    proc.rank = rank;
    return proc;
}

static bool get_u32(pmix_rank_t rank, const char *key, uint32_t *ret)
{
    pmix_proc_t proc = proc_of(rank);
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(&proc, key, NULL, 0, &value);
    bool good = false;

    if (rc != PMIX_SUCCESS || !value) {
        fprintf(stderr, "rank %u: get %s of %u: %s\n", self.rank, key, rank, PMIx_Error_string(rc));
        return false;
    }
    if (value->type == PMIX_UINT32) {
        *ret = value->data.uint32;
        good = true;
    } else if (value->type == PMIX_UINT16) {
        *ret = value->data.uint16;
        good = true;
    } else if (value->type == PMIX_INT && value->data.integer >= 0) {
        *ret = (uint32_t) value->data.integer; /* as some hosts register it */
        good = true;
    } else if (value->type == PMIX_PROC_RANK) {
        *ret = value->data.rank;
        good = true;
    }
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool get_string(pmix_rank_t rank, const char *key, char *ret, size_t room)
{
    pmix_proc_t proc = proc_of(rank);
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(&proc, key, NULL, 0, &value);
    bool good = rc == PMIX_SUCCESS && value && value->type == PMIX_STRING && value->data.string;

    if (good) {
        snprintf(ret, room, "%s", value->data.string);
    } else {
        fprintf(stderr, "rank %u: get %s of %u: %s\n", self.rank, key, rank, PMIx_Error_string(rc));
    }
    if (value) {
        PMIX_VALUE_RELEASE(value);
    }
    return good;
}

static void job_data(void)
{
    uint32_t n = 0;
    char text[1024];

    check(get_u32(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &size) && size >= 2, "job size");
    check(get_u32(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, &n) && n == size, "universe size");
    check(get_u32(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, &n) && n == size, "local size");
    check(get_u32(self.rank, PMIX_LOCAL_RANK, &n) && n == self.rank, "local rank");
    check(get_u32((self.rank + 1) % size, PMIX_LOCAL_RANK, &n) && n == (self.rank + 1) % size,
          "a peer's local rank");
    check(get_u32(self.rank, PMIX_APPNUM, &n) && n == 0, "app number");
    check(get_string(self.rank, PMIX_HOSTNAME, text, sizeof(text)) && text[0], "host name");
    check(get_string(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, text, sizeof(text)) &&
              !strncmp(text, "0,1", 3),
          "local peers");
    check(get_string(PMIX_RANK_WILDCARD, PMIX_JOBID, text, sizeof(text)) &&
              !strcmp(text, "interop.1"),
          "job id");
}

static void put_string(pmix_scope_t scope, const char *key)
{
    pmix_value_t value;
    char text[256];

    snprintf(text, sizeof(text), "%s of %u", key, self.rank);
    memset(&value, 0, sizeof(value));
    value.type = PMIX_STRING;
    value.data.string = text;
    check_status(PMIx_Put(scope, key, &value), key);
}

static void put_blob(const char *key, size_t len)
{
    pmix_value_t value;
    char *bytes = malloc(len);

    memset(bytes, (int) self.rank + 1, len);
    memset(&value, 0, sizeof(value));
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = bytes;
    value.data.bo.size = len;
    check_status(PMIx_Put(PMIX_GLOBAL, key, &value), key);
    free(bytes);
}

static void fence(bool collect)
{
    pmix_info_t info;

    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    check_status(PMIx_Fence(NULL, 0, &info, 1), collect ? "fence with data" : "fence");
    PMIX_INFO_DESTRUCT(&info);
}

static void peer_data(const char *key)
{
    for (uint32_t r = 0; r < size; r++) {
        char text[256];
        char want[256];

        snprintf(want, sizeof(want), "%s of %u", key, r);
        check(get_string(r, key, text, sizeof(text)) && !strcmp(text, want), key);
    }
}

static void peer_blobs(const char *key, size_t len)
{
    for (uint32_t r = 0; r < size; r++) {
        pmix_proc_t proc = proc_of(r);
        pmix_value_t *value = NULL;
        bool good = PMIx_Get(&proc, key, NULL, 0, &value) == PMIX_SUCCESS && value &&
                    value->type == PMIX_BYTE_OBJECT && value->data.bo.size == len;

        for (size_t i = 0; good && i < len; i++) {
            good = value->data.bo.bytes[i] == (char) (r + 1);
        }
        check(good, key);
        if (value) {
            PMIX_VALUE_RELEASE(value);
        }
    }
}

static void exchange(void)
{
    put_string(PMIX_GLOBAL, "interop-global");
    put_string(PMIX_LOCAL, "interop-local");
    put_blob("interop-blob", 64);
    put_blob("interop-large", 65536);
    check_status(PMIx_Commit(), "commit");
    fence(true);
    peer_data("interop-global");
    peer_data("interop-local");
    peer_blobs("interop-blob", 64);
    peer_blobs("interop-large", 65536);
    put_string(PMIX_GLOBAL, "interop-second");
    check_status(PMIx_Commit(), "second commit");
    fence(false);
    peer_data("interop-second");
}

/* The processes of this node and the nodes of this job, from whoever knows. */
static void resolving(void)
{
    uint32_t all = 0;
    pmix_proc_t *procs = NULL;
    char *nodes = NULL;
    size_t n = 0;

    check(get_u32(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &all), "job size");
    check_status(PMIx_Resolve_peers(NULL, self.nspace, &procs, &n), "resolve peers");
    check(n == all && n > 0 && procs[0].rank == 0 && procs[n - 1].rank == n - 1,
          "all processes are of this node");
    PMIX_PROC_FREE(procs, n);
    check_status(PMIx_Resolve_nodes(self.nspace, &nodes), "resolve nodes");
    check(nodes && nodes[0] && !strchr(nodes, ','), "one node");
    free(nodes);
}

static void miss(const char *directive, const char *what)
{
    pmix_proc_t proc = proc_of(0);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, directive, &yes, PMIX_BOOL);
    check(PMIx_Get(&proc, "interop-nobody-has-this", &info, 1, &value) != PMIX_SUCCESS, what);
    PMIX_INFO_DESTRUCT(&info);
}

static void misses(void)
{
    miss(PMIX_OPTIONAL, "an optional miss");
    miss(PMIX_IMMEDIATE, "an immediate miss");
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    pthread_mutex_lock(&lock);
    events += status == EVENT_CODE;
    pthread_cond_broadcast(&heard);
    pthread_mutex_unlock(&lock);
    if (done) {
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

static bool wait_event(void)
{
    struct timespec until;
    bool got;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EVENT_WAIT_S;
    pthread_mutex_lock(&lock);
    while (!events && pthread_cond_timedwait(&heard, &lock, &until) == 0) {
    }
    got = events > 0;
    pthread_mutex_unlock(&lock);
    return got;
}

static void notifications(void)
{
    pmix_status_t code = EVENT_CODE;
    pmix_status_t id = PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL);

    check(id >= 0, "register for an event");
    fence(false);
    if (self.rank == 0) {
        check_status(PMIx_Notify_event(code, &self, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL),
                     "notify");
    } else {
        check(wait_event(), "the event arrives");
    }
    fence(false);
    check_status(PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "deregister the handler");
}

static void publishing(void)
{
    if (self.rank == 0) {
        pmix_info_t info;

        PMIX_INFO_CONSTRUCT(&info);
        PMIX_INFO_LOAD(&info, "interop-service", "port 7", PMIX_STRING);
        check_status(PMIx_Publish(&info, 1), "publish");
        PMIX_INFO_DESTRUCT(&info);
    }
    fence(false);
    if (self.rank != 0) {
        pmix_pdata_t *data;

        PMIX_PDATA_CREATE(data, 1);
        PMIX_LOAD_KEY(data[0].key, "interop-service");
        check_status(PMIx_Lookup(data, 1, NULL, 0), "lookup");
        check(data[0].value.type == PMIX_STRING && !strcmp(data[0].value.data.string, "port 7"),
              "what was published");
        PMIX_PDATA_FREE(data, 1);
    }
    fence(false);
    if (self.rank == 0) {
        char *keys[] = {"interop-service", NULL};

        check_status(PMIx_Unpublish(keys, NULL, 0), "unpublish");
    }
}

static void groups(void)
{
    pmix_proc_t all = proc_of(PMIX_RANK_WILDCARD);
    pmix_info_t want;
    pmix_info_t *results = NULL;
    size_t n = 0;
    size_t id = 0;
    bool yes = true;

    PMIX_INFO_CONSTRUCT(&want);
    PMIX_INFO_LOAD(&want, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    check_status(PMIx_Group_construct("interop-group", &all, 1, &want, 1, &results, &n),
                 "construct a group");
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            id = results[i].value.data.size;
        }
    }
    check(id > 0, "its context id");
    if (results) {
        PMIX_INFO_FREE(results, n);
    }
    check_status(PMIx_Group_destruct("interop-group", NULL, 0), "destruct the group");
}

/* What the host knows. */
static void queries(void)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    rc = PMIx_Query_info(&query, 1, &results, &n);
    check_status(rc, "query the namespaces");
    check(has_text(results, n, PMIX_QUERY_NAMESPACES, self.nspace), "which are this job's");
    if (results) {
        PMIX_INFO_FREE(results, n);
    }
    PMIX_QUERY_DESTRUCT(&query);
}

/* What counts is that the parent learns the job's name, and can get its job information. */
static void spawning(void)
{
    char *words[] = {"/bin/true", NULL};
    pmix_app_t app;
    pmix_nspace_t nspace = "";
    pmix_proc_t job;
    pmix_value_t *value = NULL;

    fence(false);
    if (self.rank != 0) {
        return;
    }
    memset(&app, 0, sizeof(app));
    app.cmd = words[0];
    app.argv = words;
    app.maxprocs = 3;
    check_status(PMIx_Spawn(NULL, 0, &app, 1, nspace), "spawn");
    check(nspace[0] && strcmp(nspace, self.nspace) != 0, "a job of another name");
    PMIX_LOAD_PROCID(&job, nspace, PMIX_RANK_WILDCARD);
    check_status(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value), "get its size");
    check(value && value->type == PMIX_UINT32 && value->data.uint32 == 3, "which is right");
    if (value) {
        PMIX_VALUE_RELEASE(value);
    }
}

/* Waits for a line in the file INTEROP_GATE, and writes one: what tools are tried with. */
static void talking(void)
{
    const char *gate = getenv("INTEROP_GATE");
    FILE *file;
    char line[64];

    check(true, "waits at the gate");
    file = self.rank == 0 && gate ? fopen(gate, "r") : NULL;
    check(self.rank != 0 || (file && fgets(line, sizeof(line), file)), "the gate opens");
    printf("interop line of %u\n", self.rank);
    fflush(stdout);
    while (file && fgets(line, sizeof(line), file)) { /* until it is closed */
    }
    if (file) {
        fclose(file);
    }
    fence(false);
}

static void nothing(void)
{
}

struct area {
    const char *name;
    void (*run)(void);
    bool usual;
};

static const struct area areas[] = {
    {"init", nothing, false},      {"job", job_data, true},         {"exchange", exchange, true},
    {"misses", misses, true},      {"events", notifications, true}, {"publish", publishing, true},
    {"resolve", resolving, false}, {"groups", groups, false},       {"queries", queries, false},
    {"spawn", spawning, false},    {"talk", talking, false},
};

static bool chosen(const struct area *area, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], area->name)) {
            return true;
        }
    }
    return argc < 2 && area->usual;
}

int main(int argc, char **argv)
{
    alarm(120);
    check_status(PMIx_Init(&self, NULL, 0), "init");
    if (failures) {
        return 1;
    }
    check(get_u32(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &size), "the job's size");
    if (argc > 1 && !strcmp(argv[1], "abort")) {
        fence(false);
        if (self.rank == 1) {
            (void) PMIx_Abort(43, "interop aborts", NULL, 0);
        }
        for (;;) {
            pause();
        }
    }
    for (const struct area *area = areas; area < areas + sizeof(areas) / sizeof(areas[0]); area++) {
        if (chosen(area, argc, argv)) {
            area->run();
        }
    }
    check_status(PMIx_Finalize(NULL, 0), "finalize");
    return failures ? 1 : 0;
}
