/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of half_client that read, post and ask. */

#include "half_calls.h"

#include <stdlib.h>
#include <string.h>

#include <pmix_tool.h>

#include "half_server.h"

enum { LARGE = 100000, LONG = 6000, FENCES = 4 };

/* How many answers a call waits for. */
struct answers {
    unsigned left;
    bool done;
};

static void answered(struct answers *answers)
{
    answers->left--;
    answers->done = answers->left == 0;
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status;
    (void) value;
    answered(cbdata);
}

static void get_later(struct answers *answers, const pmix_proc_t *proc, const char *key,
                      const char *directive)
{
    pmix_info_t info[2];
    int seconds = HALF_TIMEOUT_S;

    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], directive ? directive : PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    answers->left++;
    if (PMIx_Get_nb(proc, key, info, 2, on_value, answers) != PMIX_SUCCESS) {
        answered(answers);
    }
}

/* Of what answers refer to: calls may end after this returns if the server is gone. */
static struct answers *new_answers(void)
{
    static struct answers answers;

    answers = (struct answers){.left = 1};
    return &answers;
}

static void await_answers(struct answers *answers)
{
    answered(answers);
    half_client_until(&answers->done);
}

void half_get_nb(void)
{
    struct answers *answers = new_answers();

    get_later(answers, &half.here[1], "key", NULL);
    get_later(answers, &half.here[1], "key", PMIX_OPTIONAL);
    get_later(answers, &half.here[1], "name", NULL);
    get_later(answers, &half.away, "key", NULL);
    get_later(answers, &half.away, "key", NULL);
    get_later(answers, &half.away, "absent", NULL);
    get_later(answers, &half.all, PMIX_JOB_SIZE, PMIX_GET_POINTER_VALUES);
    get_later(answers, &half.other, "key", NULL);
    await_answers(answers);
}

void half_get_job(void)
{
    static const char *const of_job[] = {PMIX_JOB_SIZE,  PMIX_LOCAL_PEERS, PMIX_NODE_LIST,
                                         PMIX_NODE_MAP,  PMIX_NUM_NODES,   PMIX_SESSION_ID,
                                         PMIX_UNIV_SIZE, PMIX_APP_SIZE,    "absent"};
    static const char *const of_process[] = {PMIX_HOSTNAME, PMIX_LOCAL_RANK,      PMIX_NODEID,
                                             PMIX_APPNUM,   PMIX_LOCALITY_STRING, "absent"};
    static const char *const ways[] = {PMIX_IMMEDIATE, PMIX_GET_POINTER_VALUES, PMIX_OPTIONAL,
                                       PMIX_NODE_INFO, PMIX_APP_INFO,           PMIX_SESSION_INFO};

    for (size_t i = 0; i < sizeof(of_job) / sizeof(of_job[0]); i++) {
        half_get(&half.all, of_job[i], ways[i % (sizeof(ways) / sizeof(ways[0]))]);
        half_get(&half.all, of_job[i], NULL);
    }
    for (size_t i = 0; i < sizeof(of_process) / sizeof(of_process[0]); i++) {
        half_get(&half.here[1], of_process[i], ways[i]);
        half_get(&half.here[1], of_process[i], NULL);
        half_get(&half.other, of_process[i], PMIX_OPTIONAL);
    }
    half_get(NULL, PMIX_JOB_SIZE, PMIX_GET_STATIC_VALUES);
    half_get(&half.here[1], "key", PMIX_OPTIONAL);
    half_get(&half.here[1], "key", PMIX_OPTIONAL);
    half_get(&half.here[1], "key", PMIX_GET_POINTER_VALUES);
}

/* A get with PMIX_OPTIONAL and another directive (NULL: none), in this order or the other. */
static void get_optional(const pmix_proc_t *proc, const char *key, const char *form, bool last)
{
    bool ours = form && strcmp(form, PMIX_GET_STATIC_VALUES) == 0;
    bool borrowed = form && strcmp(form, PMIX_GET_POINTER_VALUES) == 0;
    pmix_value_t place = {0};
    pmix_value_t *value = ours ? &place : NULL;
    pmix_info_t info[2];

    PMIX_INFO_LOAD(&info[form && last ? 1 : 0], form ? form : PMIX_OPTIONAL, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[form && !last ? 1 : 0], PMIX_OPTIONAL, NULL, PMIX_BOOL);
    if (PMIx_Get(proc, key, info, form ? 2 : 1, &value) != PMIX_SUCCESS) {
        return;
    }
    if (ours) {
        PMIX_VALUE_DESTRUCT(&place);
    } else if (!borrowed) {
        PMIX_VALUE_RELEASE(value);
    }
}

/* Without a time limit, so that results which this thread has cached serve; each form twice, and
 * once more without any directive. */
void half_get_plain(void)
{
    static const char *const of_process[] = {PMIX_LOCAL_RANK, PMIX_HOSTNAME, "number", "absent"};
    static const char *const forms[] = {NULL, PMIX_GET_POINTER_VALUES, PMIX_GET_STATIC_VALUES,
                                        PMIX_IMMEDIATE};
    pmix_value_t value = {.type = PMIX_UINT64, .data.uint64 = 7};

    (void) PMIx_Put(PMIX_GLOBAL, "number", &value);
    (void) PMIx_Commit();
    half_fence(half.here, 2, true);
    for (size_t i = 0; i < 2 * sizeof(forms) / sizeof(forms[0]); i++) {
        for (size_t k = 0; k < sizeof(of_process) / sizeof(of_process[0]); k++) {
            get_optional(&half.here[1], of_process[k], forms[i / 2], i % 2 == 0);
        }
        get_optional(&half.all, PMIX_JOB_SIZE, forms[i / 2], false);
        get_optional(&half.away, "number", forms[i / 2], false);
    }
    for (int i = 0; i < 2; i++) {
        pmix_value_t *got;

        if (PMIx_Get(&half.here[1], PMIX_LOCAL_RANK, NULL, 0, &got) == PMIX_SUCCESS) {
            PMIX_VALUE_RELEASE(got);
        }
    }
}

/* Keys that the server is asked for each time. */
void half_get_local(void)
{
    static const char *const keys[] = {PMIX_LOCAL_PROCS, PMIX_PSET_NAMES, PMIX_GROUP_NAMES};
    struct answers *answers = new_answers();

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        half_get(&half.all, keys[i], NULL);
        half_get(&half.self, keys[i], PMIX_GET_POINTER_VALUES);
        get_later(answers, &half.self, keys[i], NULL);
        get_later(answers, &half.other, keys[i], NULL);
    }
    await_answers(answers);
}

/* A value in two forms, and one of them. */
void half_get_quals(void)
{
    static const char *const colors[] = {"red", "blue"};
    pmix_value_t *value = NULL;
    pmix_info_t info[2];
    int seconds = HALF_TIMEOUT_S;

    for (int i = 0; i < 2; i++) {
        pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = info};
        pmix_value_t folded = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

        PMIX_INFO_LOAD(&info[0], "paint", "thick", PMIX_STRING);
        PMIX_INFO_LOAD(&info[1], "color", colors[i], PMIX_STRING);
        PMIX_INFO_SET_QUALIFIER(&info[1]);
        (void) PMIx_Put(PMIX_GLOBAL, PMIX_QUALIFIED_VALUE, &folded);
        PMIX_INFO_DESTRUCT(&info[0]);
        PMIX_INFO_DESTRUCT(&info[1]);
    }
    (void) PMIx_Commit();
    half_fence(half.here, 2, false);
    for (int i = 0; i < 2; i++) {
        PMIX_INFO_LOAD(&info[0], "color", colors[i], PMIX_STRING);
        PMIX_INFO_SET_QUALIFIER(&info[0]);
        PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &seconds, PMIX_INT);
        if (PMIx_Get(&half.here[i], "paint", info, 2, &value) == PMIX_SUCCESS) {
            PMIX_VALUE_RELEASE(value);
        }
        PMIX_INFO_DESTRUCT(&info[0]);
    }
    half_get(&half.here[1], "paint", PMIX_GET_REFRESH_CACHE);
}

static void resolve(const char *node, const char *job)
{
    pmix_proc_t *procs = NULL;
    char *nodes = NULL;
    pmix_nspace_t nspace;
    size_t n = 0;

    PMIX_LOAD_NSPACE(nspace, job);
    if (PMIx_Resolve_peers(node, nspace, &procs, &n) == PMIX_SUCCESS) {
        PMIX_PROC_FREE(procs, n);
    }
    if (PMIx_Resolve_nodes(nspace, &nodes) == PMIX_SUCCESS) {
        free(nodes);
    }
}

void half_get_names(void)
{
    resolve(NULL, FUZZ_JOB);
    resolve(NULL, FUZZ_OTHER);
    resolve("elsewhere", FUZZ_JOB);
    resolve(NULL, NULL);
    resolve("nowhere", NULL);
}

static void put_text(pmix_scope_t scope, const char *key, const char *text)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) text};

    (void) PMIx_Put(scope, key, &value);
}

void half_delete(void)
{
    put_text(PMIX_GLOBAL, "key", "posted");
    put_text(PMIX_LOCAL, "here", "posted");
    (void) PMIx_Commit();
    half_fence(half.here, 2, true);
    half_get(&half.here[1], "key", NULL);
    (void) PMIx_Put(PMIX_DEL_GLOBAL, "key", NULL);
    (void) PMIx_Put(PMIX_DEL_LOCAL, "here", NULL);
    half_get(&half.self, "key", PMIX_OPTIONAL);
    (void) PMIx_Commit();
    half_fence(half.here, 2, true);
    half_get(&half.here[1], "key", PMIX_GET_REFRESH_CACHE);
    half_get(&half.here[1], "here", NULL);
    put_text(PMIX_GLOBAL, "key", "again");
    (void) PMIx_Put(PMIX_DEL_INTERNAL, "key", NULL);
    (void) PMIx_Commit();
}

void half_internal(void)
{
    pmix_value_t value = {.type = PMIX_UINT64, .data.uint64 = 7};

    (void) PMIx_Store_internal(&half.self, "inner", &value);
    (void) PMIx_Store_internal(&half.here[1], "inner", &value);
    (void) PMIx_Store_internal(&half.other, "inner", &value);
    (void) PMIx_Store_internal(&half.all, PMIX_JOB_SIZE, &value);
    half_get(&half.here[1], "inner", NULL);
    half_get(&half.here[1], "key", NULL);
    half_get(&half.other, "inner", PMIX_OPTIONAL);
    half_get(&half.all, PMIX_JOB_SIZE, NULL);
}

/* What is compressed on its way. */
void half_large(void)
{
    char *text = malloc(LARGE);

    if (!text) {
        return;
    }
    memset(text, 'x', LARGE);
    text[LARGE - 1] = '\0';
    put_text(PMIX_GLOBAL, "large", text);
    text[LARGE / 4] = '\0';
    put_text(PMIX_LOCAL, "less", text);
    (void) PMIx_Commit();
    half_fence(half.here, 2, false);
    half_get(&half.here[1], "less", NULL);
    half_get(&half.here[1], "large", NULL);
    free(text);
}

/* Data are collected, changed, and collected again, so often that a segment moves. */
void half_fences(void)
{
    static char text[LONG];

    for (int i = 0; i < FENCES; i++) {
        for (size_t k = 0; k + 1 < sizeof(text); k++) { /* hardly to be compressed */
            text[k] = (char) ('a' + (k * k * 7 + k / 3 + (size_t) i) % 26);
        }
        put_text(PMIX_GLOBAL, "key", text);
        put_text(PMIX_LOCAL, "here", text + LONG / 2);
        put_text(PMIX_REMOTE, "there", "text");
        (void) PMIx_Commit();
        half_fence(&half.all, 1, true);
        half_fence(half.here, 2, true);
        half_get(&half.here[1], "key", NULL);
        half_get(&half.here[1], "here", PMIX_OPTIONAL);
        half_get(&half.here[1], "there", PMIX_OPTIONAL);
        half_get(&half.here[1], NULL, NULL);
    }
}

static void monitor(const pmix_info_t *what, pmix_info_t *how, size_t n)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    if (PMIx_Process_monitor(what, PMIX_MONITOR_HEARTBEAT_ALERT, how, n, &results, &n_results) ==
        PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n_results);
    }
}

/* An info whose text is not copied. */
static void borrow_text(pmix_info_t *info, const char *key, const char *text)
{
    PMIX_INFO_CONSTRUCT(info);
    PMIX_LOAD_KEY(info->key, key);
    info->value = (pmix_value_t){.type = PMIX_STRING, .data.string = (char *) (uintptr_t) text};
}

/* Of itself, by heartbeats, and of a file that does not exist; then both are cancelled. */
void half_monitor(void)
{
    uint32_t seconds = 1;
    uint32_t drops = 3;
    bool yes = true;
    bool done = false;
    pmix_info_t what;
    pmix_info_t how[4];

    (void) PMIx_Register_event_handler(NULL, 0, NULL, 0, half_on_event, NULL, NULL);
    PMIX_INFO_LOAD(&what, PMIX_MONITOR_HEARTBEAT, NULL, PMIX_POINTER);
    borrow_text(&how[0], PMIX_MONITOR_ID, "heart");
    PMIX_INFO_LOAD(&how[1], PMIX_MONITOR_HEARTBEAT_TIME, &seconds, PMIX_UINT32);
    PMIX_INFO_LOAD(&how[2], PMIX_MONITOR_HEARTBEAT_DROPS, &drops, PMIX_UINT32);
    monitor(&what, how, 3);
    borrow_text(&what, PMIX_MONITOR_FILE, "/nonexistent");
    PMIX_INFO_LOAD(&how[1], PMIX_MONITOR_FILE_CHECK_TIME, &seconds, PMIX_UINT32);
    PMIX_INFO_LOAD(&how[2], PMIX_MONITOR_FILE_SIZE, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&how[3], PMIX_MONITOR_FILE_DROPS, &drops, PMIX_UINT32);
    monitor(&what, how, 4);
    PMIX_INFO_LOAD(&what, PMIX_SEND_HEARTBEAT, NULL, PMIX_POINTER);
    monitor(&what, NULL, 0);
    PMIx_Heartbeat();
    half_client_until(&done);
    borrow_text(&what, PMIX_MONITOR_CANCEL, "heart");
    monitor(&what, NULL, 0);
}

/* A tool connects to its server once more, goes, and comes again. */
void half_tool_servers(void)
{
    pmix_proc_t self;
    pmix_proc_t server;
    pmix_info_t info;

    if (!half.tool) {
        return;
    }
    PMIX_INFO_LOAD(&info, PMIX_SERVER_URI, half.uri, PMIX_STRING);
    (void) PMIx_tool_is_connected();
    if (PMIx_tool_attach_to_server(&self, &server, &info, 1) == PMIX_SUCCESS) {
        (void) PMIx_tool_set_server(&server, NULL, 0);
        (void) PMIx_tool_disconnect(&server);
        (void) PMIx_tool_set_server(&server, NULL, 0);
    }
    (void) PMIx_tool_attach_to_server(&self, &server, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    half_get(&half.here[1], "key", NULL);
}

/* A tool takes the output that it gets from one server from the next. */
void half_tool_output(void)
{
    pmix_status_t id;
    pmix_proc_t self;
    pmix_proc_t server;
    pmix_proc_t *servers = NULL;
    pmix_info_t info;
    size_t n = 0;
    bool done = false;

    if (!half.tool || PMIx_tool_get_servers(&servers, &n) != PMIX_SUCCESS) {
        return;
    }
    server = servers[0];
    PMIX_PROC_FREE(servers, n);
    (void) PMIx_Register_event_handler(NULL, 0, NULL, 0, half_on_event, NULL, NULL);
    id = PMIx_IOF_pull(&half.all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, half_on_output, NULL, NULL);
    (void) PMIx_tool_disconnect(&server);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_URI, half.uri, PMIX_STRING);
    (void) PMIx_tool_attach_to_server(&self, &server, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    half_client_until(&done);
    if (id >= 0) {
        (void) PMIx_IOF_deregister((size_t) id, NULL, 0, NULL, NULL);
    }
}

static void ask(const char *key, const char *qualifier, const void *value, pmix_data_type_t type)
{
    pmix_info_t *results = NULL;
    pmix_query_t query;
    size_t n = 0;

    PMIX_QUERY_CONSTRUCT(&query);
    (void) PMIx_Argv_append_nosize(&query.keys, key);
    if (qualifier) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], qualifier, value, type);
    }
    if (PMIx_Query_info(&query, 1, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
    PMIX_QUERY_DESTRUCT(&query);
}

void half_ask_all(void)
{
    static const char *const levels[] = {PMIX_CLIENT_FUNCTIONS, PMIX_CLIENT_ATTRIBUTES,
                                         PMIX_SERVER_FUNCTIONS, PMIX_SERVER_ATTRIBUTES,
                                         PMIX_TOOL_FUNCTIONS,   PMIX_HOST_FUNCTIONS};
    uint32_t node = 1;
    bool yes = true;

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        ask(PMIX_QUERY_ATTRIBUTE_SUPPORT, levels[i], &yes, PMIX_BOOL);
    }
    ask(PMIX_QUERY_PSET_NAMES, NULL, NULL, 0);
    ask(PMIX_QUERY_PSET_MEMBERSHIP, PMIX_PSET_NAME, "set", PMIX_STRING);
    ask(PMIX_QUERY_GROUP_MEMBERSHIP, PMIX_GROUP_ID, "group", PMIX_STRING);
    ask(PMIX_QUERY_AVAIL_SERVERS, NULL, NULL, 0);
    ask(PMIX_QUERY_NUM_GROUPS, NULL, NULL, 0);
    ask(PMIX_LOCAL_PROCS, PMIX_HOSTNAME, "elsewhere", PMIX_STRING);
    ask(PMIX_LOCAL_PROCS, PMIX_NSPACE, FUZZ_OTHER, PMIX_STRING);
    ask(PMIX_LOCAL_PROCS, PMIX_NODEID, &node, PMIX_UINT32);
    ask(PMIX_QUERY_RESOLVE_PEERS, PMIX_NSPACE, FUZZ_JOB, PMIX_STRING);
    ask(PMIX_QUERY_RESOLVE_NODE, PMIX_NSPACE, FUZZ_JOB, PMIX_STRING);
    ask(PMIX_QUERY_SUPPORTED_QUALIFIERS, PMIX_QUERY_PROC_TABLE, &yes, PMIX_BOOL);
    ask(PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_HOSTNAME, "elsewhere", PMIX_STRING);
    ask(PMIX_QUERY_SUPPORTED_QUALIFIERS, NULL, NULL, 0);
    ask(PMIX_QUERY_SUPPORTED_KEYS, NULL, NULL, 0);
    ask(PMIX_QUERY_SPAWN_SUPPORT, NULL, NULL, 0);
    ask(PMIX_QUERY_REFRESH_CACHE, PMIX_NSPACE, FUZZ_OTHER, PMIX_STRING);
    ask(PMIX_QUERY_STABLE_ABI_VERSION, NULL, NULL, 0);
    ask(PMIX_NODE_MAP, PMIX_NSPACE, FUZZ_OTHER, PMIX_STRING);
    ask("key", PMIX_PROCID, &half.here[1], PMIX_PROC);
    ask("key", PMIX_PROCID, &half.other, PMIX_PROC);
}

static void ignore_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

/* What the other calls leave out. */
void half_more_calls(void)
{
    pmix_proc_t both[2] = {half.here[0], half.other};
    pmix_topology_t topology = {NULL, NULL};
    pmix_cpuset_t cpuset = {NULL, NULL};
    pmix_device_distance_t *distances = NULL;
    pmix_data_range_t range = PMIX_RANGE_SESSION;
    size_t n = 0;
    pmix_info_t info[2];

    if (PMIx_Compute_distances(&topology, &cpuset, NULL, 0, &distances, &n) == PMIX_SUCCESS) {
        PMIx_Device_distance_free(distances, n);
    }
    PMIX_INFO_LOAD(&info[0], "nowhere", "text", PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_RANGE, &range, PMIX_DATA_RANGE);
    (void) PMIx_Log(info, 1, &info[1], 1);
    (void) PMIx_Notify_event(PMIX_ERR_PROC_ABORTED, &half.self, PMIX_RANGE_PROC_LOCAL, info, 1,
                             ignore_op, NULL);
    PMIX_INFO_DESTRUCT(&info[0]);
    (void) PMIx_Connect_nb(both, 2, NULL, 0, ignore_op, NULL);
    half_get(&half.other, "key", NULL);
    half_get(&half.self, NULL, NULL);
    (void) PMIx_Abort(1, "text", &half.self, 1);
}
