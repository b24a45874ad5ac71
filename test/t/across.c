/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job on several nodes (pmixrun --nodes) that does one thing, named by its first
 * argument; the second is the number of nodes. Ranks are dealt to nodes in blocks. Used by
 * run_nodes.sh. */

#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pmix_proc_t me;
static uint32_t size;
static uint32_t n_nodes;
static int failures;
static char *program;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "across: rank %u: %s\n", me.rank, what);
        failures++;
    }
}

static void is(pmix_status_t want, pmix_status_t got, const char *what)
{
    if (want != got) {
        fprintf(stderr, "across: rank %u: %s: %s, not %s\n", me.rank, what, PMIx_Error_string(got),
                PMIx_Error_string(want));
        failures++;
    }
}

static void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "across: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static uint32_t per_node(void)
{
    return size / n_nodes; /* the tests use whole multiples */
}

static uint32_t node_of(uint32_t rank)
{
    return rank / per_node();
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* ---- shorter calls */

static void fence(bool collect)
{
    pmix_info_t info[1];

    must(PMIx_Info_load(&info[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL), "load");
    must(PMIx_Fence(NULL, 0, info, 1), "fence");
}

static void put(pmix_scope_t scope, const char *key, uint32_t number)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};

    must(PMIx_Put(scope, key, &v), key);
}

/* Gets a number with one directive, a flag or a number of seconds, or none. */
static pmix_status_t get(uint32_t rank, const char *key, const char *how, int seconds, uint32_t *ret)
{
    bool yes = true;
    pmix_info_t info[1];
    pmix_proc_t proc;
    pmix_value_t *v = NULL;
    size_t n = how != NULL ? 1 : 0;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    if (n > 0) {
        must(PMIx_Info_load(&info[0], how, seconds > 0 ? (void *) &seconds : (void *) &yes,
                            seconds > 0 ? PMIX_INT : PMIX_BOOL),
             "load");
    }
    pmix_status_t rc = PMIx_Get(&proc, key, n > 0 ? info : NULL, n, &v);
    if (rc == PMIX_SUCCESS) {
        *ret = v->data.uint32;
        PMIx_Value_free(v, 1);
    }
    return rc;
}

static uint32_t number(uint32_t rank, const char *key)
{
    uint32_t n = UINT32_MAX;

    must(get(rank, key, NULL, 0, &n), key);
    return n;
}

/* ---- who waits for whom: nobody sleeps, and what is to come late comes when it is waited for */

/* Something for the others to hear of. What was asked for before has reached the server before it.
 */
static void tell(const char *what)
{
    put(PMIX_GLOBAL, what, 1);
    must(PMIx_Commit(), "commit");
}

/* Until all the others have told it. */
static void hear(const char *what)
{
    uint32_t v;

    for (uint32_t rank = 0; rank < size; rank++) {
        if (rank != me.rank) {
            must(get(rank, what, PMIX_TIMEOUT, 60, &v), what);
        }
    }
}

/* What came of a call that does not block. */
struct answer {
    bool come;
    pmix_status_t status;
    uint32_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* answers and heard */
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void answered(struct answer *answer, pmix_status_t status, const pmix_value_t *value)
{
    pthread_mutex_lock(&lock);
    *answer = (struct answer){true, status, value != NULL ? value->data.uint32 : 0};
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

static struct answer wait_for(const struct answer *answer)
{
    struct answer ret;

    pthread_mutex_lock(&lock);
    while (!answer->come) {
        pthread_cond_wait(&more, &lock);
    }
    ret = *answer;
    pthread_mutex_unlock(&lock);
    return ret;
}

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    answered(cbdata, status, value);
}

static void ended(pmix_status_t status, void *cbdata)
{
    answered(cbdata, status, NULL);
}

static void found(pmix_status_t status, pmix_pdata_t data[], size_t n, void *cbdata)
{
    answered(cbdata, status, n > 0 ? &data[0].value : NULL);
}

/* ---- layout: sizes, places, names */

/* "node0,node1", with any word and first number. */
static void list_up(char *to, size_t room, const char *word, uint32_t first, uint32_t n)
{
    to[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        size_t len = strlen(to);
        snprintf(to + len, room - len, "%s%s%u", i > 0 ? "," : "", word, first + i);
    }
}

static void check_place(uint32_t rank)
{
    char name[32];
    pmix_proc_t proc;
    pmix_value_t *v = NULL;

    list_up(name, sizeof(name), "node", node_of(rank), 1);
    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    must(PMIx_Get(&proc, PMIX_HOSTNAME, NULL, 0, &v), "host name");
    expect(strcmp(v->data.string, name) == 0, "a host name");
    PMIx_Value_free(v, 1);
    expect(number(rank, PMIX_NODEID) == node_of(rank), "a node id");
    must(PMIx_Get(&proc, PMIX_LOCAL_RANK, NULL, 0, &v), "local rank");
    expect(v->data.uint16 == rank % per_node(), "a local rank");
    PMIx_Value_free(v, 1);
}

static void check_peers(uint32_t node)
{
    char name[32];
    pmix_proc_t *procs = NULL;
    size_t n = 0;

    snprintf(name, sizeof(name), "node%u", node);
    must(PMIx_Resolve_peers(name, me.nspace, &procs, &n), "resolve peers");
    expect(n == per_node(), "the number of peers");
    for (size_t i = 0; i < n; i++) {
        expect(procs[i].rank == node * per_node() + i, "a peer");
    }
    PMIx_Proc_free(procs, n);
}

static void check_nodes(void)
{
    char want[512];
    char *nodes = NULL;

    list_up(want, sizeof(want), "node", 0, n_nodes);
    must(PMIx_Resolve_nodes(me.nspace, &nodes), "resolve nodes");
    expect(nodes != NULL && strcmp(nodes, want) == 0, "the nodes");
    free(nodes);
}

static void check_local_peers(void)
{
    char want[512];
    pmix_proc_t job;
    pmix_value_t *v = NULL;

    list_up(want, sizeof(want), "", node_of(me.rank) * per_node(), per_node());
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    must(PMIx_Get(&job, PMIX_LOCAL_PEERS, NULL, 0, &v), "local peers");
    expect(strcmp(v->data.string, want) == 0, "local peers");
    PMIx_Value_free(v, 1);
}

static void act_layout(void)
{
    expect(number(PMIX_RANK_WILDCARD, PMIX_NUM_NODES) == n_nodes, "number of nodes");
    expect(number(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE) == per_node(), "local size");
    for (uint32_t rank = 0; rank < size; rank++) {
        check_place(rank);
    }
    for (uint32_t node = 0; node < n_nodes; node++) {
        check_peers(node);
    }
    check_nodes();
    check_local_peers();
}

/* ---- scopes: who sees what after a fence that carries data */

static void check_scopes(uint32_t rank)
{
    uint32_t v = 0;
    bool mine = rank == me.rank;
    bool near = node_of(rank) == node_of(me.rank);
    pmix_status_t l = get(rank, "l", PMIX_IMMEDIATE, 0, &v);
    pmix_status_t r = get(rank, "r", PMIX_IMMEDIATE, 0, &v);
    pmix_status_t i = get(rank, "i", PMIX_IMMEDIATE, 0, &v);
    pmix_status_t u = get(rank, "u", PMIX_IMMEDIATE, 0, &v);

    is(mine || near ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, l, "a value for its node");
    is(mine || !near ? PMIX_SUCCESS : PMIX_ERR_EXISTS_OUTSIDE_SCOPE, r, "a value for other nodes");
    is(mine ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, i, "a value for itself");
    is(mine ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, u, "a value that is not committed");
    is(PMIX_SUCCESS, get(rank, "g", PMIX_IMMEDIATE, 0, &v), "a value for all");
    expect(v == 1000 + rank, "which value");
}

static void act_scopes(void)
{
    put(PMIX_LOCAL, "l", me.rank);
    put(PMIX_REMOTE, "r", me.rank);
    put(PMIX_GLOBAL, "g", 1000 + me.rank);
    put(PMIX_INTERNAL, "i", me.rank);
    must(PMIx_Commit(), "commit");
    put(PMIX_GLOBAL, "u", me.rank);
    fence(true);
    for (uint32_t rank = 0; rank < size; rank++) {
        check_scopes(rank);
    }
    fence(false);
}

/* ---- fences: many in a row, some late, new data each time; then of the first and the last alone */

static void act_fences(void)
{
    const char *how = getenv("PMIX_MCA_gds") ? PMIX_IMMEDIATE : PMIX_OPTIONAL; /* where segments are, at hand */
    char key[32];
    uint32_t v;
    pmix_proc_t two[2];
    uint32_t ends[] = {0, size - 1};

    for (uint32_t round = 0; round < 50; round++) {
        snprintf(key, sizeof(key), "round%u", round);
        put(PMIX_GLOBAL, key, 100 * round + me.rank);
        must(PMIx_Commit(), "commit");
        if (round % 10 == me.rank) { /* it comes when the next one has posted */
            must(get((me.rank + 1) % size, key, PMIX_TIMEOUT, 60, &v), "of this round");
        }
        fence(true);
        for (uint32_t rank = 0; rank < size; rank++) {
            is(PMIX_SUCCESS, get(rank, key, how, 0, &v), key);
            expect(v == 100 * round + rank, "a value of this round");
        }
    }
    PMIX_LOAD_PROCID(&two[0], me.nspace, ends[me.rank == 0]); /* in either order */
    PMIX_LOAD_PROCID(&two[1], me.nspace, ends[me.rank != 0]);
    if (me.rank == ends[0] || me.rank == ends[1]) {
        must(PMIx_Fence(two, 2, NULL, 0), "fence of two");
    }
    fence(false);
}

/* ---- plain: without data in the fence, a value is fetched when it is asked for */

static void act_plain(void)
{
    uint32_t other = (me.rank + per_node()) % size;
    uint32_t v = 0;

    put(PMIX_GLOBAL, "p", me.rank + 7);
    must(PMIx_Commit(), "commit");
    must(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    is(PMIX_ERR_NOT_FOUND, get(other, "p", PMIX_OPTIONAL, 0, &v), "what was not carried");
    is(PMIX_SUCCESS, get(other, "p", NULL, 0, &v), "what is fetched");
    expect(v == other + 7, "which value");
    is(PMIX_SUCCESS, get(other, "p", PMIX_OPTIONAL, 0, &v), "what has been fetched");
    fence(false);
}

/* ---- late: what is not posted yet is waited for, as long as the asker says. No fence before. */

static void ask_early(uint32_t last, const char *key, struct answer *answer)
{
    int seconds = 60;
    pmix_info_t limit[1];
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, me.nspace, last);
    must(PMIx_Info_load(&limit[0], PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
    must(PMIx_Get_nb(&proc, key, limit, 1, got, answer), "get");
}

static void act_late(void)
{
    struct answer first = {0};
    struct answer second = {0};
    uint32_t v = 0;
    uint32_t last = size - 1;
    double start;

    if (me.rank == last) {
        hear("asked");
        put(PMIX_GLOBAL, "k", 42);
        must(PMIx_Commit(), "commit");
        hear("asked more");
        put(PMIX_REMOTE, "k2", 43);
        must(PMIx_Commit(), "commit");
    } else if (node_of(me.rank) == node_of(last)) {
        tell("asked");
        tell("asked more");
    } else {
        ask_early(last, "k", &first);
        tell("asked");
        is(PMIX_SUCCESS, wait_for(&first).status, "a late value");
        expect(first.number == 42, "which value");
        ask_early(last, "k2", &second);
        tell("asked more");
        is(PMIX_SUCCESS, wait_for(&second).status, "a later value");
        expect(second.number == 43, "which value");
        start = now();
        is(PMIX_ERR_TIMEOUT, get(last, "never", PMIX_TIMEOUT, 1, &v), "what never comes");
        expect(now() - start > 0.9, "it was waited for");
        is(PMIX_ERR_NOT_FOUND, get(last, "never", PMIX_IMMEDIATE, 0, &v), "at once");
    }
    fence(false);
}

/* ---- events: who hears of which range */

enum {
    CODE_CUSTOM = PMIX_EXTERNAL_ERR_BASE - 4,
    CODE_GLOBAL,
    CODE_NSPACE,
    CODE_LOCAL,
};

static int heard[5]; /* lock */

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source,
                     pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
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

static void act_events(void)
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
        must(PMIx_Notify_event(CODE_CUSTOM, &me, PMIX_RANGE_CUSTOM, custom, 1, NULL, NULL), "custom");
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

static void act_publish(void)
{
    uint32_t v = 0;
    uint32_t last = size - 1;
    char *keys[] = {"across.name", NULL};
    struct answer answer = {0};
    pmix_info_t wait[1];
    pmix_info_t info[2];
    int all = 0;
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
        must(PMIx_Info_load(&wait[0], PMIX_WAIT, &all, PMIX_INT), "load");
        must(PMIx_Lookup_nb(keys, wait, 1, found, &answer), "lookup");
        tell("looked");
        is(PMIX_SUCCESS, wait_for(&answer).status, "lookup");
    }
    expect(answer.number == 4711, "what is found");
    fence(false);
    is(node_of(me.rank) == node_of(last) ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND,
       lookup("across.near", &v), "lookup for the node");
    is(PMIX_ERR_NOT_FOUND, lookup("across.none", &v), "lookup of nothing");
    fence(false);
    if (me.rank == last) {
        must(PMIx_Unpublish(keys, NULL, 0), "unpublish");
    }
    fence(false);
    is(PMIX_ERR_NOT_FOUND, lookup("across.name", &v), "lookup after unpublish");
    fence(false);
}

/* ---- group: its members' data is there without a fence */

static void act_group(void)
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

static void act_lost(void)
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

static void act_timeout(void)
{
    pmix_info_t limit[1];
    int seconds = 1;

    must(PMIx_Info_load(&limit[0], PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
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

static void act_connect(void)
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

static void act_child(void)
{
    pmix_value_t *v = NULL;
    must(PMIx_Get(&me, PMIX_PARENT_ID, NULL, 0, &v), "parent");
    connect_with(v->data.proc->nspace);
    PMIx_Value_free(v, 1);
}

/* ---- stay: for those that are to be killed */

static void act_stay(void)
{
    fence(false);
    dprintf(STDOUT_FILENO, "%d\n", (int) getpid());
    for (;;) {
        pause();
    }
}

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    {"layout", act_layout},   {"scopes", act_scopes},   {"fences", act_fences},
    {"plain", act_plain},     {"late", act_late},       {"events", act_events},
    {"publish", act_publish}, {"group", act_group},     {"lost", act_lost},
    {"timeout", act_timeout}, {"connect", act_connect}, {"child", act_child},
    {"stay", act_stay},
};

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 97;
    }
    alarm(100);
    program = argv[0];
    n_nodes = (uint32_t) atoi(argv[2]);
    must(PMIx_Init(&me, NULL, 0), "init");
    size = number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(argv[1], acts[i].name) == 0) {
            acts[i].act();
        }
    }
    must(PMIx_Finalize(NULL, 0), "finalize");
    return failures == 0 ? 0 : 98;
}
