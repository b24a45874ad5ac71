/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "half_client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix.h>
#include <pmix_tool.h>

#include "half_calls.h"
#include "half_server.h"

/* Rounds of the loop behind a call; how often half_client_until asks. */
enum { ROUNDS = 4, MOST_TURNS = 24 };

struct half_names half;

/* --- callbacks --- */

void half_on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

void half_on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                    pmix_byte_object_t *payload, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) payload;
    (void) info;
    (void) ninfo;
}

void half_on_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                   pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) status;
    (void) info;
    (void) ninfo;
    if (release) {
        release(release_cbdata);
    }
    if (cbdata) {
        *(bool *) cbdata = true;
    }
}

/* --- the calls --- */

void half_get(const pmix_proc_t *proc, const char *key, const char *directive)
{
    bool borrowed = directive && strcmp(directive, PMIX_GET_POINTER_VALUES) == 0;
    bool in_ours = directive && strcmp(directive, PMIX_GET_STATIC_VALUES) == 0;
    pmix_value_t ours = {0};
    pmix_value_t *value = in_ours ? &ours : NULL;
    pmix_info_t info[2];
    int seconds = HALF_TIMEOUT_S;

    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], directive ? directive : PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    if (PMIx_Get(proc, key, info, 2, &value) != PMIX_SUCCESS) {
        return;
    }
    if (in_ours) {
        PMIX_VALUE_DESTRUCT(&ours);
    } else if (!borrowed) {
        PMIX_VALUE_RELEASE(value);
    }
}

static void get_posted(void)
{
    half_get(&half.here[1], "key", NULL);
    half_get(&half.here[0], "absent", NULL);
}

static void get_away(void)
{
    half_get(&half.away, "key", NULL);
}

static void get_other(void)
{
    pmix_proc_t other;

    PMIX_LOAD_PROCID(&other, FUZZ_OTHER, 0);
    half_get(&other, PMIX_JOB_SIZE, NULL);
    PMIX_LOAD_PROCID(&other, FUZZ_OTHER, PMIX_RANK_WILDCARD);
    half_get(&other, PMIX_JOB_SIZE, PMIX_GET_REFRESH_CACHE);
}

static void get_all(void)
{
    half_get(&half.here[1], NULL, NULL);
}

static void refresh(void)
{
    half_get(&half.here[1], "key", PMIX_GET_REFRESH_CACHE);
}

static void put_commit(void)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "posted"};

    (void) PMIx_Put(PMIX_GLOBAL, "key", &value);
    value = (pmix_value_t){.type = PMIX_UINT64, .data.uint64 = 7};
    (void) PMIx_Put(PMIX_LOCAL, "here", &value);
    (void) PMIx_Put(PMIX_REMOTE, "there", &value);
    (void) PMIx_Commit();
}

void half_fence(const pmix_proc_t *procs, size_t n, bool collects)
{
    pmix_info_t info[2];
    int seconds = HALF_TIMEOUT_S;

    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], PMIX_COLLECT_DATA, &collects, PMIX_BOOL);
    if (!half.tool) {
        (void) PMIx_Fence(procs, n, info, 2);
    }
}

static void fence_collect(void)
{
    put_commit();
    half_fence(&half.all, 1, true);
    half_fence(half.here, 2, false);
}

static void names(void)
{
    pmix_info_t info;
    pmix_pdata_t data;
    char *keys[] = {(char *) "name", NULL};

    PMIX_INFO_LOAD(&info, "name", "value", PMIX_STRING);
    (void) PMIx_Publish(&info, 1);
    PMIX_PDATA_CONSTRUCT(&data);
    PMIX_LOAD_KEY(data.key, "name");
    (void) PMIx_Lookup(&data, 1, NULL, 0);
    PMIX_PDATA_DESTRUCT(&data);
    (void) PMIx_Unpublish(keys, NULL, 0);
    PMIX_INFO_DESTRUCT(&info);
}

static void spawn(void)
{
    pmix_app_t app;
    pmix_nspace_t nspace;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("/nonexistent");
    app.maxprocs = 1;
    (void) PMIx_Argv_append_nosize(&app.argv, "a");
    (void) PMIx_Spawn(NULL, 0, &app, 1, nspace);
    PMIX_APP_DESTRUCT(&app);
}

static void connect_all(void)
{
    (void) PMIx_Connect(half.here, 2, NULL, 0);
    (void) PMIx_Disconnect(half.here, 2, NULL, 0);
}

static void events(void)
{
    pmix_status_t codes[] = {PMIX_ERR_PROC_ABORTED, -3000};
    pmix_info_t info;
    pmix_status_t id;

    id = PMIx_Register_event_handler(codes, 2, NULL, 0, half_on_event, NULL, NULL);
    (void) PMIx_Register_event_handler(NULL, 0, NULL, 0, half_on_event, NULL, NULL);
    PMIX_INFO_LOAD(&info, "detail", "text", PMIX_STRING);
    (void) PMIx_Notify_event(-3000, &half.here[0], PMIX_RANGE_NAMESPACE, &info, 1, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info);
    if (id >= 0) {
        (void) PMIx_Deregister_event_handler((size_t) id, NULL, NULL);
    }
}

static void ask(const char *key, const char *qualifier)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_query_t query;

    PMIX_QUERY_CONSTRUCT(&query);
    (void) PMIx_Argv_append_nosize(&query.keys, key);
    if (qualifier) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], qualifier, FUZZ_JOB, PMIX_STRING);
    }
    if (PMIx_Query_info(&query, 1, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
    PMIX_QUERY_DESTRUCT(&query);
}

static void queries(void)
{
    ask(PMIX_QUERY_NAMESPACES, NULL);
    ask(PMIX_QUERY_PROC_TABLE, PMIX_NSPACE);
    ask(PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_NSPACE);
    ask(PMIX_QUERY_NUM_PSETS, NULL);
}

static void more_queries(void)
{
    ask(PMIX_QUERY_GROUP_NAMES, NULL);
    ask(PMIX_QUERY_NAMESPACE_INFO, PMIX_NSPACE);
    ask(PMIX_JOB_SIZE, PMIX_NSPACE);
    ask("nobody.knows", NULL);
    ask(PMIX_QUERY_ATTRIBUTE_SUPPORT, PMIX_HOST_ATTRIBUTES);
}

static void log_it(void)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, "nowhere", "text", PMIX_STRING);
    (void) PMIx_Log(&info, 1, NULL, 0);
    PMIX_INFO_DESTRUCT(&info);
}

static void control(void)
{
    pmix_info_t info;
    pmix_info_t *results = NULL;
    size_t n = 0;

    PMIX_INFO_LOAD(&info, PMIX_JOB_CTRL_PAUSE, NULL, PMIX_BOOL);
    if (PMIx_Job_control(&half.all, 1, &info, 1, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
    results = NULL;
    if (PMIx_Process_monitor(&info, -3000, NULL, 0, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
    results = NULL;
    if (PMIx_Allocation_request(PMIX_ALLOC_NEW, &info, 1, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
    (void) PMIx_Session_control(0, &info, 1, NULL, NULL);
    (void) PMIx_Resource_block(1, (char *) "block", NULL, 0, NULL, 0);
}

static void credentials(void)
{
    pmix_byte_object_t credential = {NULL, 0};
    pmix_byte_object_t claim = {.bytes = (char *) "claim", .size = 5};
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (PMIx_Get_credential(NULL, 0, &credential) == PMIX_SUCCESS) {
        PMIX_BYTE_OBJECT_DESTRUCT(&credential);
    }
    if (PMIx_Validate_credential(&claim, NULL, 0, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
}

static void output(void)
{
    pmix_byte_object_t bytes = {.bytes = (char *) "input", .size = 5};
    pmix_status_t id;

    id = PMIx_IOF_pull(&half.all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, half_on_output, NULL, NULL);
    (void) PMIx_IOF_push(&half.all, 1, &bytes, NULL, 0, NULL, NULL);
    if (id >= 0) {
        (void) PMIx_IOF_deregister((size_t) id, NULL, 0, NULL, NULL);
    }
}

static void fabric(void)
{
    pmix_fabric_t it;

    memset(&it, 0, sizeof(it));
    if (PMIx_Fabric_register(&it, NULL, 0) == PMIX_SUCCESS) {
        (void) PMIx_Fabric_update(&it);
        (void) PMIx_Fabric_deregister(&it);
    }
}

static void resolve(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;
    pmix_nspace_t other;

    PMIX_LOAD_NSPACE(other, FUZZ_OTHER);
    if (PMIx_Resolve_peers(NULL, other, &procs, &n) == PMIX_SUCCESS) {
        PMIX_PROC_FREE(procs, n);
    }
    if (PMIx_Resolve_nodes(other, &nodes) == PMIX_SUCCESS) {
        free(nodes);
    }
}

static void group(const char *directive)
{
    pmix_info_t info[2];
    pmix_info_t *results = NULL;
    size_t n = 0;
    int seconds = HALF_TIMEOUT_S;

    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], directive, NULL, PMIX_BOOL);
    if (PMIx_Group_construct("group", half.here, 2, info, 2, &results, &n) == PMIX_SUCCESS) {
        PMIX_INFO_FREE(results, n);
    }
}

static void group_id(void)
{
    group(PMIX_GROUP_ASSIGN_CONTEXT_ID);
    (void) PMIx_Group_destruct("group", NULL, 0);
}

static void group_leave(void)
{
    group(PMIX_GROUP_NOTIFY_TERMINATION);
    (void) PMIx_Group_leave("group", NULL, 0);
}

static void group_invite(void)
{
    (void) PMIx_Group_invite_nb("invited", &half.here[1], 1, NULL, 0, half_on_infos, NULL);
    (void) PMIx_Group_join_nb("invited", &half.here[1], PMIX_GROUP_ACCEPT, NULL, 0, half_on_infos,
                              NULL);
}

static void servers(void)
{
    pmix_proc_t *list = NULL;
    size_t n = 0;

    if (PMIx_tool_get_servers(&list, &n) == PMIX_SUCCESS) {
        PMIX_PROC_FREE(list, n);
    }
}

static const struct {
    const char *name;
    void (*make)(void);
} calls[] = {
    {"put", put_commit},
    {"get", get_posted},
    {"get-away", get_away},
    {"get-other", get_other},
    {"get-all", get_all},
    {"refresh", refresh},
    {"fence", fence_collect},
    {"names", names},
    {"spawn", spawn},
    {"connect", connect_all},
    {"events", events},
    {"queries", queries},
    {"more-queries", more_queries},
    {"log", log_it},
    {"control", control},
    {"credentials", credentials},
    {"output", output},
    {"fabric", fabric},
    {"resolve", resolve},
    {"group-id", group_id},
    {"group-leave", group_leave},
    {"group-invite", group_invite},
    {"servers", servers},
    {"get-nb", half_get_nb},
    {"get-job", half_get_job},
    {"get-quals", half_get_quals},
    {"get-names", half_get_names},
    {"delete", half_delete},
    {"internal", half_internal},
    {"large", half_large},
    {"fences", half_fences},
    {"monitor", half_monitor},
    {"tool-servers", half_tool_servers},
    {"ask-all", half_ask_all},
    {"group-info", half_group_info},
    {"group-parts", half_group_parts},
    {"group-added", half_group_added},
    {"group-names", half_group_names},
    {"group-dies", half_group_dies},
    {"invite-accept", half_invite_accept},
    {"invite-decline", half_invite_decline},
    {"invite-abort", half_invite_abort},
    {"invite-dies", half_invite_dies},
    {"invitee-dies", half_invitee_dies},
    {"more-calls", half_more_calls},
    {"get-plain", half_get_plain},
    {"get-local", half_get_local},
    {"tool-output", half_tool_output},
    {"group-range", half_group_range},
    {"invite-gives", half_invite_gives},
    {"invite-all", half_invite_all},
    {"invite-leads", half_invite_leads},
    {"invite-follows", half_invite_follows},
    {"invite-gives-up", half_invite_gives_up},
    {"long-put", half_long_put},
    {"long-calls", half_long_calls},
    {"long-range", half_long_range},
    {"group-order", half_group_order},
    {"tool-waits", half_tool_waits},
    {"tool-renews", half_tool_renews},
    {"tool-searches", half_tool_searches},
    {"group-many", half_group_many},
    {"get-any", half_get_any},
    {"group-far", half_group_far},
    {"group-leader-dies", half_group_leader_dies},
    {"group-excused", half_group_excused},
    {"spawn-more", half_spawn_more},
};

enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };

unsigned half_client_calls(void)
{
    return N_CALLS;
}

const char *half_client_name(unsigned number)
{
    return calls[number % N_CALLS].name;
}

void half_client_call(unsigned number)
{
    calls[number % N_CALLS].make();
    for (int i = 0; i < ROUNDS; i++) {
        PMIx_Progress();
    }
}

static bool mortal;

void half_client_mortal(void)
{
    mortal = true;
}

void half_client_die(void)
{
    if (mortal) {
        _exit(0);
    }
}

void half_client_until(const bool *done)
{
    for (int i = 0; i < MOST_TURNS && !*done; i++) {
        pmix_pdata_t data;

        PMIX_PDATA_CONSTRUCT(&data);
        PMIX_LOAD_KEY(data.key, "nothing");
        (void) PMIx_Lookup(&data, 1, NULL, 0);
        PMIX_PDATA_DESTRUCT(&data);
        for (int k = 0; k < ROUNDS; k++) {
            PMIx_Progress();
        }
    }
}

/* --- start and end --- */

bool half_client_start(const char *tool)
{
    pmix_info_t info[2];
    pmix_status_t rc;

    half.tool = tool != NULL;
    half.uri = tool;
    PMIX_LOAD_PROCID(&half.other, FUZZ_OTHER, 1);
    PMIX_LOAD_PROCID(&half.all, FUZZ_JOB, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&half.here[0], FUZZ_JOB, 0);
    PMIX_LOAD_PROCID(&half.here[1], FUZZ_JOB, 1);
    PMIX_LOAD_PROCID(&half.away, FUZZ_JOB, 2);
    PMIX_INFO_LOAD(&info[0], PMIX_EXTERNAL_PROGRESS, NULL, PMIX_BOOL);
    if (!tool) {
        rc = PMIx_Init(&half.self, info, 1);
        return rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH;
    }
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_URI, tool, PMIX_STRING);
    rc = PMIx_tool_init(&half.self, info, 2);
    PMIX_INFO_DESTRUCT(&info[1]);
    return rc == PMIX_SUCCESS;
}

void half_client_stop(bool tool)
{
    (void) (tool ? PMIx_tool_finalize() : PMIx_Finalize(NULL, 0));
}
