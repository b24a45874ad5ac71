/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of half_client that are long, or wait. */

#include "half_calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pmix_tool.h>

#include "half_server.h"

/* More than a server handles at once, or keeps of one process as the targets limit it. */
enum { LARGE = 3 << 19, MANY = 1200 };

static void ignore_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

/* --- long messages --- */

static void put_zeros(const char *key, size_t size)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    char *zeros = calloc(1, size);

    value.data.bo = (pmix_byte_object_t){.bytes = zeros, .size = size};
    if (zeros) {
        (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    }
    free(zeros);
}

/* A value that is read by the other process, by message if it has no segment. */
void half_long_put(void)
{
    put_zeros("long", LARGE);
    (void) PMIx_Commit();
    half_fence(half.here, 2, false);
    half_get(&half.here[1], "long", PMIX_GET_REFRESH_CACHE);
    half_get(&half.here[1], NULL, NULL);
    put_zeros("long", LARGE / 2);
    put_zeros("short", 8);
    (void) PMIx_Commit();
    half_fence(half.here, 2, true);
}

/* Infos that are alike. */
static pmix_info_t *many_infos(void)
{
    pmix_info_t *info = calloc(MANY, sizeof(*info));

    for (size_t i = 0; info && i < MANY; i++) {
        PMIX_LOAD_KEY(info[i].key, "alike");
        info[i].value = (pmix_value_t){.type = PMIX_STRING, .data.string = (char *) "of each"};
    }
    return info;
}

static void with_value(const char *group, pmix_info_t *info, size_t n)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    if (PMIx_Group_construct(group, half.here, 2, info, n, &results, &n_results) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n_results);
    }
}

/* Calls of which a server handles a part, then others. */
void half_long_calls(void)
{
    pmix_info_t *info = many_infos();
    char *zeros = calloc(1, LARGE);
    pmix_info_t large = {.value = {.type = PMIX_BYTE_OBJECT, .data.bo = {zeros, LARGE}}};

    PMIX_LOAD_KEY(large.key, "large");
    if (info && zeros) {
        (void) PMIx_Log(info, MANY, NULL, 0);
        (void) PMIx_Publish(&large, 1);
        (void) PMIx_Notify_event(-3000, &half.self, PMIX_RANGE_SESSION, &large, 1, NULL, NULL);
        if (!half.tool) {
            (void) PMIx_Fence(half.here, 2, &large, 1);
            (void) PMIx_Fence(half.here, 2, info, MANY);
        }
        with_value("large", &large, 1);
    }
    free(info);
    free(zeros);
}

/* A custom range of many processes, few of which are here. */
void half_long_range(void)
{
    pmix_proc_t *procs = calloc(MANY, sizeof(*procs));
    pmix_data_array_t array = {.type = PMIX_PROC, .size = MANY, .array = procs};
    pmix_info_t info = {
        .value = {.type = PMIX_DATA_ARRAY, .data.darray = &array},
    };

    PMIX_LOAD_KEY(info.key, PMIX_EVENT_CUSTOM_RANGE);
    (void) PMIx_Register_event_handler(NULL, 0, NULL, 0, half_on_event, NULL, NULL);
    for (size_t i = 0; procs && i < MANY; i++) {
        PMIX_LOAD_PROCID(&procs[i], i % 2 ? "nobody" : FUZZ_JOB, 1);
    }
    if (procs) {
        (void) PMIx_Notify_event(-3000, &half.self, PMIX_RANGE_CUSTOM, &info, 1, NULL, NULL);
    }
    free(procs);
}

/* --- groups --- */

/* Members have data and an order, and a leader. */
void half_group_order(void)
{
    pmix_proc_t order[2] = {half.here[1], half.here[0]};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = order};
    pmix_info_t info[5];
    pmix_proc_t mine = half.self;
    char job[] = "\0\0\0\3two\0\0\0\0"; /* of a job info: a name, and nothing */
    bool yes = true;

    put_zeros("key", 8);
    (void) PMIx_Commit();
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    PMIX_INFO_REQUIRED(&info[0]);
    PMIX_INFO_CONSTRUCT(&info[1]);
    PMIX_LOAD_KEY(info[1].key, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER);
    info[1].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    PMIX_INFO_LOAD(&info[2], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&info[3]);
    PMIX_LOAD_KEY(info[3].key, PMIX_GROUP_JOB_INFO);
    info[3].value = (pmix_value_t){.type = PMIX_BYTE_OBJECT, .data.bo = {job, sizeof(job) - 1}};
    PMIX_INFO_LOAD(&info[4], PMIX_GROUP_LEADER, &yes, PMIX_BOOL);
    with_value("ordered", info, half.self.rank == 0 ? 5 : 4);
    (void) PMIx_Group_destruct("ordered", NULL, 0);
    order[0] = mine; /* of each another one */
    with_value("disordered", &info[1], 1);
}

/* More values of groups than a server keeps, as the targets limit it. */
void half_group_many(void)
{
    pmix_info_t inner;
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 1, .array = &inner};
    pmix_info_t info[2];
    char name[16] = "group-0";
    bool yes = true;

    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&info[1]);
    PMIX_LOAD_KEY(info[1].key, PMIX_GROUP_INFO);
    info[1].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    for (int i = 0; i < 8; i++) {
        char key[16] = "given-0";

        key[6] = name[6] = (char) ('0' + i);
        PMIX_INFO_LOAD(&inner, key, &half.self.rank, PMIX_PROC_RANK);
        with_value(name, info, 2);
        if (i % 2) {
            (void) PMIx_Group_destruct(name, NULL, 0);
        }
    }
}

/* Gets of a key of any rank and of the map of nodes; resolves in a namespace that nobody knows. */
void half_get_any(void)
{
    pmix_proc_t any;
    pmix_proc_t *procs = NULL;
    pmix_nspace_t nobody;
    char *nodes = NULL;
    size_t n = 0;

    PMIX_LOAD_PROCID(&any, FUZZ_JOB, PMIX_RANK_UNDEF);
    put_zeros("key", 8);
    (void) PMIx_Commit();
    half_fence(half.here, 2, false);
    half_get(&any, "key", NULL);
    half_get(&any, PMIX_NODE_MAP, PMIX_NODE_INFO);
    PMIX_LOAD_NSPACE(nobody, "nobody");
    if (PMIx_Resolve_peers("host", nobody, &procs, &n) == PMIX_SUCCESS) {
        PMIX_PROC_FREE(procs, n);
    }
    if (PMIx_Resolve_nodes(nobody, &nodes) == PMIX_SUCCESS) {
        free(nodes);
    }
}

/* --- tools --- */

static void *attach(void *arg)
{
    pmix_proc_t self;
    pmix_info_t info;

    (void) arg;
    PMIX_INFO_LOAD(&info, PMIX_SERVER_URI, half.uri, PMIX_STRING);
    (void) PMIx_tool_attach_to_server(&self, NULL, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return NULL;
}

/* Its first server, with which it is connected no more; false: it has none. */
static bool leave_server(pmix_proc_t *ret)
{
    pmix_proc_t *servers = NULL;
    size_t n = 0;

    if (!half.tool || PMIx_tool_get_servers(&servers, &n) != PMIX_SUCCESS) {
        return false;
    }
    *ret = servers[0];
    PMIX_PROC_FREE(servers, n);
    (void) PMIx_tool_disconnect(ret);
    return true;
}

/* A tool waits for its server, which comes, and for one that does not. */
void half_tool_waits(void)
{
    uint32_t seconds = HALF_TIMEOUT_S;
    pmix_proc_t server;
    pmix_info_t info[2];
    pthread_t thread;
    bool yes = true;

    if (!leave_server(&server)) {
        return;
    }
    PMIX_INFO_LOAD(&info[0], PMIX_WAIT_FOR_CONNECTION, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &seconds, PMIX_UINT32);
    if (pthread_create(&thread, NULL, attach, NULL) == 0) {
        (void) PMIx_tool_set_server(&server, info, 2);
        (void) pthread_join(thread, NULL);
    }
    PMIX_LOAD_PROCID(&server, "nobody", 0);
    (void) PMIx_tool_set_server(&server, info, 2);
}

/* A tool's subscription goes with it to the next server; it asks for the end of a second one while
 * it does, and keeps the first one to its own end. */
void half_tool_renews(void)
{
    pmix_status_t ids[2];
    pmix_proc_t self;
    pmix_proc_t server;
    pmix_info_t info[2];
    bool yes = true;

    for (int i = 0; i < 2; i++) {
        ids[i] = PMIx_IOF_pull(&half.all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, half_on_output, NULL,
                               NULL);
    }
    if (!leave_server(&server)) {
        return;
    }
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_URI, half.uri, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PRIMARY_SERVER, &yes, PMIX_BOOL);
    (void) PMIx_tool_attach_to_server(&self, &server, info, 2);
    if (ids[1] >= 0) {
        (void) PMIx_IOF_deregister((size_t) ids[1], NULL, 0, ignore_op, NULL);
    }
    half_get(&half.here[1], "key", NULL);
    (void) PMIx_tool_disconnect(&server);
    (void) PMIx_tool_attach_to_server(&self, &server, info, 2);
    PMIX_INFO_DESTRUCT(&info[0]);
}

/* Searches of a tool that find no server. */
void half_tool_searches(void)
{
    static const char *const which[] = {PMIX_CONNECT_TO_SYSTEM, PMIX_CONNECT_SYSTEM_FIRST};
    uint32_t once = 1;
    uint32_t no_delay = 0;
    pmix_proc_t self;
    pmix_proc_t server;
    pmix_info_t info[5];
    bool yes = true;

    PMIX_INFO_LOAD(&info[1], PMIX_CONNECT_MAX_RETRIES, &once, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[2], PMIX_CONNECT_RETRY_DELAY, &no_delay, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[3], PMIX_SYSTEM_TMPDIR, "/nonexistent", PMIX_STRING);
    PMIX_INFO_LOAD(&info[4], PMIX_SERVER_TMPDIR, "/nonexistent", PMIX_STRING);
    for (size_t i = 0; half.tool && i < sizeof(which) / sizeof(which[0]); i++) {
        PMIX_INFO_LOAD(&info[0], which[i], &yes, PMIX_BOOL);
        (void) PMIx_tool_attach_to_server(&self, &server, info, 5);
    }
    PMIX_INFO_DESTRUCT(&info[3]);
    PMIX_INFO_DESTRUCT(&info[4]);
}

/* A spawn with most directives that a launcher honours, then input, signals and a query. */
static void spawn_with(const char *directive, bool in_app)
{
    pmix_envar_t envar = {(char *) "NAME", (char *) "value", ':'};
    pmix_byte_object_t bytes = {.bytes = (char *) "input", .size = 5};
    pmix_rank_t all = PMIX_RANK_WILDCARD;
    pmix_info_t info[6];
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_app_t app;
    pmix_proc_t job;
    bool yes = true;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("/nonexistent");
    app.maxprocs = 2;
    (void) PMIx_Argv_append_nosize(&app.argv, "a");
    (void) PMIx_Argv_append_nosize(&app.env, "OWN=1");
    PMIX_INFO_LOAD(&info[0], PMIX_FWD_STDIN, &all, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&info[1], PMIX_FWD_STDOUT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[2], PMIX_FWD_STDERR, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[3], PMIX_NOTIFY_COMPLETION, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[4], PMIX_SET_ENVAR, &envar, PMIX_ENVAR);
    PMIX_INFO_LOAD(&info[5], directive, &yes, PMIX_BOOL);
    app.info = in_app ? info : NULL;
    app.ninfo = in_app ? 6 : 0;
    PMIX_LOAD_PROCID(&job, "", PMIX_RANK_WILDCARD);
    if (PMIx_Spawn(in_app ? NULL : info, in_app ? 0 : 6, &app, 1, job.nspace) == PMIX_SUCCESS) {
        (void) PMIx_IOF_push(&job, 1, &bytes, NULL, 0, NULL, NULL);
        PMIX_INFO_DESTRUCT(&info[5]);
        PMIX_INFO_LOAD(&info[5], PMIX_JOB_CTRL_PAUSE, &yes, PMIX_BOOL);
        (void) PMIx_Job_control(&job, 1, &info[5], 1, &results, &n);
        PMIX_INFO_DESTRUCT(&info[5]);
        PMIX_INFO_LOAD(&info[5], PMIX_JOB_CTRL_RESUME, &yes, PMIX_BOOL);
        (void) PMIx_Job_control(&job, 1, &info[5], 1, &results, &n);
        bytes.size = 0;
        (void) PMIx_IOF_push(&job, 1, &bytes, NULL, 0, NULL, NULL);
        (void) PMIx_Abort(1, "text", &job, 1);
    }
    app.info = NULL;
    app.ninfo = 0;
    PMIX_APP_DESTRUCT(&app);
    PMIX_INFO_DESTRUCT(&info[4]);
}

void half_spawn_more(void)
{
    (void) PMIx_Register_event_handler(NULL, 0, NULL, 0, half_on_event, NULL, NULL);
    spawn_with(PMIX_DEBUG_TARGET, false);
    spawn_with(PMIX_STDIN_TGT, true);
    spawn_with(PMIX_DEBUG_STOP_ON_EXEC, false);
    spawn_with(PMIX_SPAWN_TOOL, true);
}
