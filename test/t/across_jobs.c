/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What processes of several nodes do together beside posting and reading: events, publishing,
 * groups, ends, other jobs. */

#include "across.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- events: who hears of which range */

enum {
    CODE_CUSTOM = PMIX_EXTERNAL_ERR_BASE - 4,
    CODE_GLOBAL,
    CODE_NSPACE,
    CODE_LOCAL,
};

static int heard[5]; /* lock */

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    if (source->rank == 0 && status < PMIX_EXTERNAL_ERR_BASE) {
        pthread_mutex_lock(&lock);
        heard[PMIX_EXTERNAL_ERR_BASE - status]++;
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

void act_events(void)
{
    pmix_status_t codes[] = {CODE_LOCAL, CODE_NSPACE, CODE_GLOBAL, CODE_CUSTOM};
    bool near = node_of(me.rank) == 0;
    uint32_t last = size - 1;
    pmix_proc_t target;
    pmix_info_t custom[1];

    pmix_status_t id = PMIx_Register_event_handler(codes, 4, NULL, 0, on_event, NULL, NULL);
    expect(id >= 0, "register");
    fence(false);
    if (me.rank == 0) {
        PMIX_LOAD_PROCID(&target, me.nspace, last);
        must(PMIx_Info_load(&custom[0], PMIX_EVENT_CUSTOM_RANGE, &target, PMIX_PROC), "load");
        must(PMIx_Notify_event(CODE_LOCAL, &me, PMIX_RANGE_LOCAL, NULL, 0, NULL, NULL), "local");
        must(PMIx_Notify_event(CODE_CUSTOM, &me, PMIX_RANGE_CUSTOM, custom, 1, NULL, NULL),
             "custom");
        PMIx_Info_destruct(&custom[0]);
        must(PMIx_Notify_event(CODE_NSPACE, &me, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL),
             "namespace");
        must(PMIx_Notify_event(CODE_GLOBAL, &me, PMIX_RANGE_GLOBAL, NULL, 0, NULL, NULL), "global");
    }
    pthread_mutex_lock(&lock);
    while (heard[3] == 0) { /* the last: what comes has come */
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
    fence(false);
    expect(heard[1] == (near ? 1 : 0), "an event for its node");
    expect(heard[2] == 1, "an event for the namespace");
    expect(heard[3] == 1, "an event for all");
    expect(heard[4] == (me.rank == last ? 1 : 0), "an event for one");
    must(PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "deregister");
}

/* ---- monitors: rank 0 sends no heartbeat, and all hear of it */

static bool is_silent; /* lock */

static void on_alert(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            pthread_mutex_lock(&lock);
            is_silent = is_silent || info[i].value.data.proc->rank == 0;
            pthread_cond_broadcast(&more);
            pthread_mutex_unlock(&lock);
        }
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

void act_monitor(void)
{
    pmix_status_t code = PMIX_MONITOR_HEARTBEAT_ALERT;
    pmix_info_t what;
    pmix_info_t how[1];
    pmix_info_t *results = NULL;
    uint32_t second = 1;
    bool yes = true;
    size_t n = 0;

    must(PMIx_Info_load(&what, PMIX_MONITOR_HEARTBEAT, &yes, PMIX_BOOL), "load");
    must(PMIx_Info_load(&how[0], PMIX_MONITOR_HEARTBEAT_TIME, &second, PMIX_UINT32), "load");
    expect(PMIx_Register_event_handler(&code, 1, NULL, 0, on_alert, NULL, NULL) >= 0, "register");
    fence(false);
    if (me.rank == 0) {
        is(PMIX_SUCCESS, PMIx_Process_monitor(&what, code, how, 1, &results, &n), "monitor");
        PMIx_Info_free(results, n);
    }
    pthread_mutex_lock(&lock);
    while (!is_silent) {
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
    fence(false);
}

/* ---- publish: on one node, looked up on another, also before it is there */

static pmix_status_t lookup(const char *key, uint32_t *ret)
{
    pmix_pdata_t *data = PMIx_Pdata_create(1);

    PMIX_LOAD_KEY(data->key, key);
    pmix_status_t rc = PMIx_Lookup(data, 1, NULL, 0);
    *ret = rc == PMIX_SUCCESS ? data->value.data.uint32 : 0;
    PMIx_Pdata_free(data, 1);
    return rc;
}

static void publish(const char *key, uint32_t number)
{
    pmix_info_t info[1];

    must(PMIx_Info_load(&info[0], key, &number, PMIX_UINT32), "load");
    must(PMIx_Publish(info, 1), key);
}

/* A lookup that waits for all of these. */
static void look_for(char **keys, struct answer *answer)
{
    pmix_info_t wait[1];
    int all = 0;

    must(PMIx_Info_load(&wait[0], PMIX_WAIT, &all, PMIX_INT), "load");
    must(PMIx_Lookup_nb(keys, wait, 1, found, answer), "lookup");
}

/* A name is there once in a range, also in that of the host, which nobody else reads; and a call
 * that fails publishes nothing. */
static void publish_twice(void)
{
    char *keys[] = {"across.a", "across.b", "across.a", NULL};
    char *of_host[] = {"across.host", NULL};
    pmix_data_range_t range = PMIX_RANGE_RM;
    pmix_info_t infos[3];
    pmix_info_t host[2];
    uint32_t v = 0;

    for (uint32_t i = 0; i < 3; i++) {
        must(PMIx_Info_load(&infos[i], keys[i], &i, PMIX_UINT32), "load");
    }
    is(PMIX_ERR_DUPLICATE_KEY, PMIx_Publish(infos, 3), "a name twice in one call");
    is(PMIX_ERR_NOT_FOUND, lookup("across.a", &v), "the name that was there twice");
    is(PMIX_ERR_NOT_FOUND, lookup("across.b", &v), "the other name of that call");
    must(PMIx_Publish(infos, 2), "each name once");
    must(PMIx_Info_load(&host[0], of_host[0], &v, PMIX_UINT32), "load");
    must(PMIx_Info_load(&host[1], PMIX_RANGE, &range, PMIX_DATA_RANGE), "load");
    must(PMIx_Publish(host, 2), "publish for the host");
    is(PMIX_ERR_DUPLICATE_KEY, PMIx_Publish(host, 2), "publish again for the host");
    is(PMIX_ERR_NOT_FOUND, lookup(of_host[0], &v), "what is for the host");
    must(PMIx_Unpublish(keys, NULL, 0), "unpublish both");
    must(PMIx_Unpublish(of_host, NULL, 0), "unpublish for the host");
    is(PMIX_ERR_NOT_FOUND, lookup("across.a", &v), "the first of both");
    is(PMIX_ERR_NOT_FOUND, lookup("across.b", &v), "the second of both");
}

/* A lookup that waits for two names, one of them twice, is answered when both are there: not when
 * each has been. */
static void publish_both(void)
{
    char *keys[] = {"across.one", "across.two", "across.one", NULL};
    struct answer answer = {0};

    if (me.rank == size - 1) {
        hear("both asked");
        publish(keys[0], 1);
        must(PMIx_Unpublish(keys, NULL, 0), "unpublish the first");
        publish(keys[1], 2);
        publish(keys[0], 3);
    } else {
        look_for(keys, &answer);
        tell("both asked");
        is(PMIX_SUCCESS, wait_for(&answer).status, "lookup of both");
        expect(answer.number == 3, "the first of both");
    }
    fence(false);
    if (me.rank == size - 1) {
        must(PMIx_Unpublish(keys, NULL, 0), "unpublish both");
    }
}

/* All wait for what is read once: whoever gets it publishes it for the next. */
static void publish_once(void)
{
    char *keys[] = {"across.once", NULL};
    pmix_persistence_t once = PMIX_PERSIST_FIRST_READ;
    struct answer answer = {0};
    pmix_info_t info[2];
    uint32_t n;

    if (me.rank == size - 1) {
        hear("once asked");
    } else {
        look_for(keys, &answer);
        tell("once asked");
        is(PMIX_SUCCESS, wait_for(&answer).status, "lookup of what is read once");
    }
    n = answer.number + 1;
    if (n < size) {
        must(PMIx_Info_load(&info[0], keys[0], &n, PMIX_UINT32), "load");
        must(PMIx_Info_load(&info[1], PMIX_PERSISTENCE, &once, PMIX_PERSIST), "load");
        must(PMIx_Publish(info, 2), "publish what is read once");
    }
    fence(false);
    is(PMIX_ERR_NOT_FOUND, lookup(keys[0], &n), "what has been read");
}

/* As many names as a process may have, of which there is one; the next is refused until they are
 * gone. The last name is found among them. */
static void publish_many(void)
{
    enum { MOST = 4096 };
    pmix_info_t *infos = PMIx_Info_create(MOST);
    pmix_info_t one;
    uint32_t v = 0;
    char key[32];

    for (uint32_t i = 0; i < MOST; i++) {
        snprintf(key, sizeof(key), "across.many.%u", i);
        must(PMIx_Info_load(&infos[i], key, &i, PMIX_UINT32), "load");
    }
    must(PMIx_Publish(infos, MOST - 1), "many names");
    must(PMIx_Info_load(&one, "across.more", &v, PMIX_UINT32), "load");
    is(PMIX_ERR_OUT_OF_RESOURCE, PMIx_Publish(&one, 1), "one more");
    snprintf(key, sizeof(key), "across.many.%u", MOST - 2);
    is(PMIX_SUCCESS, lookup(key, &v), "one of many");
    expect(v == MOST - 2, "the number of one of many");
    must(PMIx_Unpublish(NULL, NULL, 0), "unpublish all");
    is(PMIX_ERR_NOT_FOUND, lookup(key, &v), "one of those that are gone");
    must(PMIx_Publish(&one, 1), "publish again");
    PMIx_Info_free(infos, MOST);
}

void act_publish(void)
{
    uint32_t v = 0;
    uint32_t last = size - 1;
    char *keys[] = {"across.name", NULL};
    struct answer answer = {0};
    pmix_info_t info[2];
    uint32_t port = 4711;
    pmix_data_range_t range = PMIX_RANGE_LOCAL;

    if (me.rank == last) {
        hear("looked");
        must(PMIx_Info_load(&info[0], "across.name", &port, PMIX_UINT32), "load");
        must(PMIx_Publish(info, 1), "publish");
        is(PMIX_ERR_DUPLICATE_KEY, PMIx_Publish(info, 1), "publish again");
        must(PMIx_Info_load(&info[0], "across.near", &port, PMIX_UINT32), "load");
        must(PMIx_Info_load(&info[1], PMIX_RANGE, &range, PMIX_DATA_RANGE), "load");
        must(PMIx_Publish(info, 2), "publish for the node");
        is(PMIX_SUCCESS, lookup("across.name", &answer.number), "lookup");
    } else {
        look_for(keys, &answer);
        tell("looked");
        is(PMIX_SUCCESS, wait_for(&answer).status, "lookup");
    }
    expect(answer.number == 4711, "what is found");
    fence(false);
    is(node_of(me.rank) == node_of(last) ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND,
       lookup("across.near", &v), "lookup for the node");
    is(PMIX_ERR_NOT_FOUND, lookup("across.none", &v), "lookup of nothing");
    fence(false);
    if (me.rank != last) {
        must(PMIx_Unpublish(keys, NULL, 0), "unpublish what is another's");
    }
    fence(false);
    is(PMIX_SUCCESS, lookup("across.name", &v), "lookup after another's unpublish");
    fence(false);
    if (me.rank == last) {
        must(PMIx_Unpublish(keys, NULL, 0), "unpublish");
    }
    fence(false);
    is(PMIX_ERR_NOT_FOUND, lookup("across.name", &v), "lookup after unpublish");
    publish_both();
    publish_once();
    if (me.rank == last) {
        publish_twice();
        publish_many(); /* besides across.near */
    }
    fence(false);
}

/* ---- group: its members' data is there without a fence */

void act_group(void)
{
    pmix_proc_t *members = PMIx_Proc_create(size);
    pmix_info_t how[1];
    pmix_info_t *results = NULL;
    size_t n = 0;
    size_t id = 0;
    bool yes = true;
    uint32_t v = 0;

    for (uint32_t i = 0; i < size; i++) {
        PMIX_LOAD_PROCID(&members[i], me.nspace, i);
    }
    put(PMIX_REMOTE, "endpoint", me.rank + 50);
    must(PMIx_Commit(), "commit");
    must(PMIx_Info_load(&how[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL), "load");
    must(PMIx_Group_construct("g", members, size, how, 1, &results, &n), "construct");
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            id = results[i].value.data.size;
        }
    }
    expect(id != 0, "a context id");
    PMIx_Info_free(results, n);
    put(PMIX_GLOBAL, "id", (uint32_t) id);
    must(PMIx_Commit(), "commit");
    fence(true);
    for (uint32_t rank = 0; rank < size; rank++) {
        if (node_of(rank) != node_of(me.rank)) {
            is(PMIX_SUCCESS, get(rank, "endpoint", PMIX_IMMEDIATE, 0, &v), "an endpoint");
            expect(v == rank + 50, "which endpoint");
        }
        expect(number(rank, "id") == id, "the same context id");
    }
    must(PMIx_Group_destruct("g", NULL, 0), "destruct");
    PMIx_Proc_free(members, size);
}

/* ---- lost: the last rank dies while the others are in a fence */

void act_lost(void)
{
    uint32_t last = size - 1;
    pmix_proc_t *rest = PMIx_Proc_create(last);
    struct answer answer = {0};
    pmix_info_t collect[1];
    bool yes = true;

    fence(false);
    if (me.rank == last) {
        hear("in the fence");
        raise(SIGKILL);
    }
    must(PMIx_Info_load(&collect[0], PMIX_COLLECT_DATA, &yes, PMIX_BOOL), "load");
    must(PMIx_Fence_nb(NULL, 0, collect, 1, ended, &answer), "fence");
    tell("in the fence");
    expect(wait_for(&answer).status != PMIX_SUCCESS, "a fence with a dead process");
    for (uint32_t i = 0; i < last; i++) {
        PMIX_LOAD_PROCID(&rest[i], me.nspace, i);
    }
    is(PMIX_SUCCESS, PMIx_Fence(rest, last, collect, 1), "a fence of those that are left");
    PMIx_Proc_free(rest, last);
}

/* ---- timeout: one does not come; then all together */

void act_timeout(void)
{
    pmix_info_t limit[1];
    int seconds = 1;

    must(PMIx_Info_load(&limit[0], PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
    fence(false); /* the limit is none for their start */
    if (me.rank == size - 1) {
        hear("over");
    } else {
        is(PMIX_ERR_TIMEOUT, PMIx_Fence(NULL, 0, limit, 1), "a fence with one that is late");
        tell("over");
    }
    must(PMIx_Fence(NULL, 0, NULL, 0), "the fence after it");
    fence(true);
}

/* ---- connect: with a job that rank 0 starts, on all nodes */

static void connect_with(const char *nspace)
{
    pmix_proc_t both[2];
    pmix_proc_t *peers = NULL;
    pmix_value_t *v = NULL;
    char *nodes = NULL;
    size_t n = 0;

    PMIX_LOAD_PROCID(&both[0], me.nspace, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&both[1], nspace, PMIX_RANK_WILDCARD);
    must(PMIx_Connect(both, 2, NULL, 0), "connect");
    must(PMIx_Get(&both[1], PMIX_JOB_SIZE, NULL, 0, &v), "size of the other job");
    expect(v->data.uint32 == size, "size of the other job");
    PMIx_Value_free(v, 1);
    must(PMIx_Resolve_peers(NULL, nspace, &peers, &n), "peers of the other job");
    expect(n == per_node(), "number of peers of the other job");
    PMIx_Proc_free(peers, n);
    must(PMIx_Resolve_nodes(nspace, &nodes), "nodes of the other job");
    expect(nodes != NULL && strstr(nodes, "node1") != NULL, "nodes of the other job");
    free(nodes);
    must(PMIx_Fence(both, 2, NULL, 0), "fence of both");
    must(PMIx_Disconnect(both, 2, NULL, 0), "disconnect");
    printf("rank %u: connected\n", me.rank);
}

void act_connect(void)
{
    pmix_nspace_t nspace = {0};
    char nodes[16];
    pmix_pdata_t *data = PMIx_Pdata_create(1);
    pmix_info_t info[1];
    int all = 0;

    if (me.rank == 0) {
        pmix_app_t *app = PMIx_App_create(1);
        snprintf(nodes, sizeof(nodes), "%u", n_nodes);
        app->cmd = strdup(program);
        app->maxprocs = (int) size;
        must(PMIx_Argv_append_nosize(&app->argv, program), "argv");
        must(PMIx_Argv_append_nosize(&app->argv, "child"), "argv");
        must(PMIx_Argv_append_nosize(&app->argv, nodes), "argv");
        must(PMIx_Spawn(NULL, 0, app, 1, nspace), "spawn");
        PMIx_App_free(app, 1);
        must(PMIx_Info_load(&info[0], "across.child", nspace, PMIX_STRING), "load");
        must(PMIx_Publish(info, 1), "publish");
        PMIx_Info_destruct(&info[0]);
    }
    PMIX_LOAD_KEY(data->key, "across.child");
    must(PMIx_Info_load(&info[0], PMIX_WAIT, &all, PMIX_INT), "load");
    must(PMIx_Lookup(data, 1, info, 1), "lookup");
    connect_with(data->value.data.string);
    PMIx_Pdata_free(data, 1);
}

void act_child(void)
{
    pmix_value_t *v = NULL;
    must(PMIx_Get(&me, PMIX_PARENT_ID, NULL, 0, &v), "parent");
    connect_with(v->data.proc->nspace);
    PMIx_Value_free(v, 1);
}

/* ---- stay: for those that are to be killed */

void act_stay(void)
{
    fence(false);
    dprintf(STDOUT_FILENO, "%d\n", (int) getpid());
    for (;;) {
        pause();
    }
}
