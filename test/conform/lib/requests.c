/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "requests.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

#define GROUP "group"

static size_t all_of_job(pmix_proc_t *procs)
{
    size_t n = (size_t) job_size(find_job("A"));

    for (size_t i = 0; i < n; i++) {
        procs[i] = process("A", (pmix_rank_t) i);
    }
    return n;
}

/* The directives and one info more in front. */
static struct infos with(const char *key, const pmix_info_t *info, size_t n)
{
    struct infos list = {0};

    if (key != NULL) {
        add_true(&list, key);
    }
    for (size_t i = 0; i < n; i++) {
        add_true(&list, info[i].key);
        PMIX_INFO_DESTRUCT(&list.at[list.n - 1]);
        PMIX_INFO_XFER(&list.at[list.n - 1], &info[i]);
        list.at[list.n - 1].flags = info[i].flags;
    }
    return list;
}

/* ---- what the host does */

pmix_status_t request_publish(const pmix_info_t *info, size_t n)
{
    struct infos list = with(NULL, info, n);
    pmix_status_t rc;

    add_text(&list, "word", "hello");
    rc = PMIx_Publish(list.at, list.n);
    free_infos(&list);
    return rc;
}

pmix_status_t request_lookup(const pmix_info_t *info, size_t n)
{
    pmix_pdata_t *pdata;
    pmix_status_t rc;

    PMIX_PDATA_CREATE(pdata, 1);
    PMIX_LOAD_KEY(pdata[0].key, "word");
    rc = PMIx_Lookup(pdata, 1, info, n);
    PMIX_PDATA_FREE(pdata, 1);
    return rc;
}

pmix_status_t request_unpublish(const pmix_info_t *info, size_t n)
{
    char *keys[] = {(char *) "word", NULL};

    return PMIx_Unpublish(keys, info, n);
}

pmix_status_t request_spawn(const pmix_info_t *info, size_t n)
{
    pmix_nspace_t nspace;
    pmix_app_t *app;
    pmix_status_t rc;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("true");
    app->maxprocs = 1;
    rc = PMIx_Spawn(info, n, app, 1, nspace);
    PMIX_APP_FREE(app, 1);
    return rc;
}

pmix_status_t request_log(const pmix_info_t *info, size_t n)
{
    struct infos list = {0};
    pmix_status_t rc;

    add_text(&list, PMIX_LOG_GLOBAL_SYSLOG, "hello"); /* a channel that only hosts have */
    rc = PMIx_Log(list.at, list.n, info, n);
    free_infos(&list);
    return rc;
}

pmix_status_t request_allocate(const pmix_info_t *info, size_t n)
{
    struct infos list = with(NULL, info, n);
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;

    add_u32(&list, PMIX_ALLOC_NUM_NODES, 2);
    rc = PMIx_Allocation_request(PMIX_ALLOC_NEW, list.at, list.n, &results, &n_results);
    free_infos(&list);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

pmix_status_t request_control(const pmix_info_t *info, size_t n)
{
    struct infos list = with(PMIX_JOB_CTRL_PAUSE, info, n);
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc = PMIx_Job_control(NULL, 0, list.at, list.n, &results, &n_results);

    free_infos(&list);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

static pmix_status_t monitor(const char *what, const pmix_info_t *info, size_t n)
{
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;

    add_true(&list, what);
    rc = PMIx_Process_monitor(list.at, PMIX_MONITOR_HEARTBEAT_ALERT, info, n, &results, &n_results);
    free_infos(&list);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

pmix_status_t request_monitor(const pmix_info_t *info, size_t n)
{
    return monitor(PMIX_MONITOR_HEARTBEAT, info, n);
}

static pmix_status_t request_heartbeat(const pmix_info_t *info, size_t n)
{
    return monitor(PMIX_SEND_HEARTBEAT, info, n);
}

pmix_status_t request_credential(const pmix_info_t *info, size_t n)
{
    pmix_byte_object_t cred = {0};
    pmix_status_t rc = PMIx_Get_credential(info, n, &cred);

    free(cred.bytes);
    return rc;
}

pmix_status_t request_validate(const pmix_info_t *info, size_t n)
{
    pmix_byte_object_t cred = {(char *) "secret", 6};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc = PMIx_Validate_credential(&cred, info, n, &results, &n_results);

    PMIX_INFO_FREE(results, n_results);
    return rc;
}

pmix_status_t request_fabric(const pmix_info_t *info, size_t n)
{
    pmix_fabric_t fabric;
    pmix_status_t rc;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    rc = PMIx_Fabric_register(&fabric, info, n);
    if (rc == PMIX_SUCCESS) {
        PMIx_Fabric_deregister(&fabric);
    }
    return rc;
}

static void no_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *payload, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) payload;
    (void) info;
    (void) ninfo;
}

static pmix_status_t pull(const pmix_info_t *info, size_t n, const pmix_info_t *end, size_t n_end)
{
    pmix_proc_t proc = process("A", 0);
    pmix_status_t rc =
        PMIx_IOF_pull(&proc, 1, info, n, PMIX_FWD_STDOUT_CHANNEL, no_output, NULL, NULL);
    pmix_status_t ended;

    if (rc < 0) {
        return rc;
    }
    ended = PMIx_IOF_deregister((size_t) rc, end, n_end, NULL, NULL);
    if (ended < 0) {
        (void) PMIx_IOF_deregister((size_t) rc, NULL, 0, NULL, NULL);
    }
    return end != NULL ? ended : PMIX_SUCCESS;
}

pmix_status_t request_pull(const pmix_info_t *info, size_t n)
{
    return pull(info, n, NULL, 0);
}

static pmix_status_t request_end_of_pull(const pmix_info_t *info, size_t n)
{
    return pull(NULL, 0, info, n);
}

pmix_status_t request_push(const pmix_info_t *info, size_t n)
{
    pmix_proc_t proc = process("A", 0);
    pmix_byte_object_t bytes = {(char *) "input", 5};

    return PMIx_IOF_push(&proc, 1, &bytes, info, n, NULL, NULL);
}

/* ---- together */

static pmix_status_t request_fence(const pmix_info_t *info, size_t n)
{
    return PMIx_Fence(NULL, 0, info, n);
}

pmix_status_t request_connect(const pmix_info_t *info, size_t n)
{
    pmix_proc_t procs[MAX_NODES];

    return PMIx_Connect(procs, all_of_job(procs), info, n);
}

static pmix_status_t request_disconnect(const pmix_info_t *info, size_t n)
{
    pmix_proc_t procs[MAX_NODES];
    size_t n_procs = all_of_job(procs);

    pmix_status_t rc = PMIx_Connect(procs, n_procs, NULL, 0);

    return rc == PMIX_SUCCESS ? PMIx_Disconnect(procs, n_procs, info, n) : rc;
}

static pmix_status_t construct(const pmix_info_t *info, size_t n)
{
    pmix_proc_t procs[MAX_NODES];
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc =
        PMIx_Group_construct(GROUP, procs, all_of_job(procs), info, n, &results, &n_results);

    PMIX_INFO_FREE(results, n_results);
    return rc;
}

static pmix_status_t request_group(const pmix_info_t *info, size_t n)
{
    pmix_status_t rc = construct(info, n);

    if (rc == PMIX_SUCCESS) {
        (void) PMIx_Group_destruct(GROUP, NULL, 0);
    }
    return rc;
}

static pmix_status_t request_end_of_group(const pmix_info_t *info, size_t n)
{
    pmix_status_t rc;

    (void) construct(NULL, 0);
    rc = PMIx_Group_destruct(GROUP, info, n);
    if (rc != PMIX_SUCCESS) {
        (void) PMIx_Group_destruct(GROUP, NULL, 0);
    }
    return rc;
}

static pmix_status_t request_leave(const pmix_info_t *info, size_t n)
{
    (void) construct(NULL, 0);
    return PMIx_Group_leave(GROUP, info, n);
}

/* Nobody else is asked, so it is over at once. */
static pmix_status_t request_invite(const pmix_info_t *info, size_t n)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc = PMIx_Group_invite("invited", &me, 1, info, n, &results, &n_results);

    PMIX_INFO_FREE(results, n_results);
    return rc;
}

static pmix_status_t request_join(const pmix_info_t *info, size_t n)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc =
        PMIx_Group_join("invited", &me, PMIX_GROUP_DECLINE, info, n, &results, &n_results);

    PMIX_INFO_FREE(results, n_results);
    return rc;
}

/* ---- what the library does */

static bool has_static(const pmix_info_t *info, size_t n)
{
    return n > 0 && PMIX_CHECK_KEY(&info[0], PMIX_GET_STATIC_VALUES);
}

static pmix_status_t request_get(const pmix_info_t *info, size_t n)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_value_t room = {0};
    pmix_value_t *value = has_static(info, n) ? &room : NULL;
    pmix_status_t rc = PMIx_Get(&job, PMIX_JOB_SIZE, info, n, &value);

    if (rc == PMIX_SUCCESS && !has_static(info, n) &&
        !(n > 0 && PMIX_CHECK_KEY(&info[0], PMIX_GET_POINTER_VALUES))) {
        PMIX_VALUE_RELEASE(value);
    }
    return rc;
}

/* What a process was told of its get. Others of the case get, too: each has a step of its own. */
static struct {
    char step[32];
    pmix_status_t status;
} got;

static void got_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    (void) cbdata;
    got.status = status;
    tell(got.step);
}

static pmix_status_t request_get_nb(const pmix_info_t *info, size_t n)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_status_t rc;
    int before;

    snprintf(got.step, sizeof(got.step), "%u has got", me.rank);
    before = told(got.step);
    rc = PMIx_Get_nb(&job, PMIX_JOB_SIZE, info, n, got_value, NULL);
    if (rc == PMIX_SUCCESS) {
        await_n(got.step, before + 1);
        rc = got.status;
    }
    return rc;
}

static pmix_status_t request_query(const pmix_info_t *info, size_t n)
{
    pmix_query_t query = {0};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    struct infos list = with(NULL, info, n);
    pmix_status_t rc;

    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    query.qualifiers = list.at;
    query.nqual = list.n;
    rc = PMIx_Query_info(&query, 1, &results, &n_results);
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

void ignore_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* A code that hosts raise: they are asked. */
static pmix_status_t request_handler(const pmix_info_t *info, size_t n)
{
    struct infos list = with(NULL, info, n);
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;
    pmix_status_t rc =
        PMIx_Register_event_handler(&code, 1, list.at, list.n, ignore_event, NULL, NULL);

    free_infos(&list);
    if (rc >= 0) {
        (void) PMIx_Deregister_event_handler((size_t) rc, NULL, NULL);
        rc = PMIX_SUCCESS;
    }
    return rc;
}

static pmix_status_t request_notify(const pmix_info_t *info, size_t n)
{
    return PMIx_Notify_event(PMIX_EVENT_NODE_DOWN, NULL, PMIX_RANGE_LOCAL, info, n, NULL, NULL);
}

static pmix_status_t request_distances(const pmix_info_t *info, size_t n)
{
    struct infos list = with(NULL, info, n);
    pmix_device_distance_t *distances = NULL;
    size_t n_distances = 0;
    pmix_topology_t topo;
    pmix_cpuset_t cpuset;
    pmix_status_t rc;

    PMIX_TOPOLOGY_CONSTRUCT(&topo);
    PMIX_CPUSET_CONSTRUCT(&cpuset);
    (void) PMIx_Load_topology(&topo);
    (void) PMIx_Get_cpuset(&cpuset, PMIX_CPUBIND_PROCESS);
    rc = PMIx_Compute_distances(&topo, &cpuset, list.at, list.n, &distances, &n_distances);
    PMIX_DEVICE_DIST_FREE(distances, n_distances);
#ifdef PMIX_CPUSET_DESTRUCT /* 4.2 cannot give one back */
    PMIX_CPUSET_DESTRUCT(&cpuset);
#endif
    PMIX_TOPOLOGY_DESTRUCT(&topo);
    free_infos(&list);
    return rc;
}

/* ---- who does it */

const struct request requests[] = {
    {"PMIx_Publish", request_publish, ON_PUBLISH, BY_ALL},
    {"PMIx_Lookup", request_lookup, ON_LOOKUP, BY_ALL},
    {"PMIx_Unpublish", request_unpublish, ON_UNPUBLISH, BY_ALL},
    {"PMIx_Spawn", request_spawn, ON_SPAWN, BY_ALL},
    {"PMIx_Log", request_log, ON_LOG, BY_ALL},
    {"PMIx_Allocation_request", request_allocate, ON_ALLOCATE, BY_ALL},
    {"PMIx_Job_control", request_control, ON_CONTROL, BY_ALL},
    {"PMIx_Process_monitor", request_monitor, ON_MONITOR, BY_ALL},
    {"PMIx_Process_monitor", request_heartbeat, N_ENTRIES, BY_CLIENT | BY_TOOL},
    {"PMIx_Get_credential", request_credential, ON_CREDENTIAL, BY_ALL},
    {"PMIx_Validate_credential", request_validate, ON_VALIDATE, BY_ALL},
    {"PMIx_Fabric_register", request_fabric, ON_FABRIC, BY_ALL},
    {"PMIx_IOF_pull", request_pull, ON_PULL, BY_CLIENT | BY_TOOL},
    {"PMIx_IOF_pull", request_pull, N_ENTRIES, BY_SERVER},
    {"PMIx_IOF_deregister", request_end_of_pull, ON_PULL, BY_CLIENT | BY_TOOL},
    {"PMIx_IOF_deregister", request_end_of_pull, N_ENTRIES, BY_SERVER},
    {"PMIx_IOF_push", request_push, ON_PUSH, BY_ALL},
    {"PMIx_Connect", request_connect, ON_CONNECT, BY_CLIENT},
    {"PMIx_Disconnect", request_disconnect, ON_DISCONNECT, BY_CLIENT},
    {"PMIx_Fence", request_fence, N_ENTRIES, BY_CLIENT},
    {"PMIx_Group_construct", request_group, N_ENTRIES, BY_CLIENT},
    {"PMIx_Group_destruct", request_end_of_group, N_ENTRIES, BY_CLIENT},
    {"PMIx_Group_leave", request_leave, N_ENTRIES, BY_CLIENT},
    {"PMIx_Group_invite", request_invite, N_ENTRIES, BY_CLIENT},
    {"PMIx_Group_join", request_join, N_ENTRIES, BY_CLIENT},
    {"PMIx_Get", request_get, N_ENTRIES, BY_ALL},
    {"PMIx_Get_nb", request_get_nb, N_ENTRIES, BY_ALL},
    {"PMIx_Query_info", request_query, N_ENTRIES, BY_ALL},
    {"PMIx_Register_event_handler", request_handler, N_ENTRIES, BY_ALL},
    {"PMIx_Notify_event", request_notify, N_ENTRIES, BY_ALL},
    {"PMIx_Compute_distances", request_distances, N_ENTRIES, BY_ALL},
};
const int n_requests = sizeof(requests) / sizeof(requests[0]);
