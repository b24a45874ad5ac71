/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What goes up to the host and what comes of its answers; what the library answers for it; events
 * and sets. Requirement ids in brackets. */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

/* --- the four ways to answer [UPC-002], [UPC-004], [UPC-005] --- */

static bool is_identified(const pmix_info_t info[], size_t ninfo)
{
    bool uid = false;
    bool gid = false;

    for (size_t i = 0; i < ninfo; i++) {
        uint32_t id = info[i].value.data.uint32;

        uid = uid || (PMIX_CHECK_KEY(&info[i], PMIX_USERID) && id == geteuid());
        gid = gid || (PMIX_CHECK_KEY(&info[i], PMIX_GRPID) && id == getegid());
    }
    return uid && gid;
}

static void call_back(struct upcall *copy)
{
    px_host_reply_status(copy, PMIX_ERR_TIMEOUT);
}

/* What to do stands in the key that is published. */
static pmix_status_t publish(struct upcall *upcall)
{
    const pmix_info_t *info = upcall->infos;

    if (!is_identified(info, upcall->n_infos) || strcmp(upcall->proc->nspace, WORLD_NSPACE) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (PMIX_CHECK_KEY(info, "done")) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    if (PMIX_CHECK_KEY(info, "not")) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (PMIX_CHECK_KEY(info, "error")) {
        return PMIX_ERR_DUPLICATE_KEY;
    }
    if (PMIX_CHECK_KEY(info, "inside")) {
        px_host_reply_status(upcall, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    if (PMIX_CHECK_KEY(info, "both")) {
        px_host_reply_status(upcall, PMIX_ERR_NOT_FOUND);
        return PMIX_ERR_INIT;
    }
    return px_host_later(upcall, NULL, call_back);
}

static pmix_status_t lookup(struct upcall *upcall)
{
    pmix_pdata_t data[1];
    char **keys = upcall->keys;

    if (!is_identified(upcall->infos, upcall->n_infos) || strcmp(keys[0], "a") != 0 ||
        strcmp(keys[1], "b") != 0 || keys[2]) {
        return PMIX_ERR_BAD_PARAM;
    }
    memset(data, 0, sizeof(data));
    data[0].proc = *upcall->proc;
    strcpy(data[0].key, "b");
    data[0].value.type = PMIX_STRING;
    data[0].value.data.string = (char *) "value of b";
    upcall->reply.lookup(PMIX_ERR_PARTIAL_SUCCESS, data, 1, upcall->cbdata);
    return PMIX_SUCCESS;
}

static void host_publishes(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_PUBLISH] = (struct answer){OWN, .own = publish};
    answers[ON_LOOKUP] = (struct answer){OWN, .own = lookup};
}

static pmix_status_t try_publish(const char *key)
{
    pmix_info_t info;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info, key, "x", PMIX_STRING);
    rc = PMIx_Publish(&info, 1);
    PMIx_Value_destruct(&info.value);
    return rc;
}

static int act_answers(void)
{
    pmix_pdata_t data[2];
    pmix_status_t rc;

    check_status(try_publish("done"), PMIX_SUCCESS);
    check_status(try_publish("not"), PMIX_ERR_NOT_SUPPORTED);
    check_status(try_publish("error"), PMIX_ERR_DUPLICATE_KEY);
    check_status(try_publish("inside"), PMIX_SUCCESS);
    check_status(try_publish("both"), PMIX_ERR_NOT_FOUND);
    check_status(try_publish("later"), PMIX_ERR_TIMEOUT);
    memset(data, 0, sizeof(data));
    strcpy(data[0].key, "a");
    strcpy(data[1].key, "b");
    rc = PMIx_Lookup(data, 2, NULL, 0);
    check(rc == PMIX_ERR_PARTIAL_SUCCESS || rc == PMIX_SUCCESS);
    check(data[0].value.type == PMIX_UNDEF);
    check(data[1].value.type == PMIX_STRING &&
          strcmp(data[1].value.data.string, "value of b") == 0);
    PMIx_Value_destruct(&data[1].value);
    return 0;
}

/* --- a host without anything [UPC-001] --- */

static void host_alone(unsigned node, struct answer *answers)
{
    (void) node;
    memset(answers, 0, N_ENTRIES * sizeof(*answers));
}

static int act_nothing(void)
{
    char *keys[] = {(char *) "a", NULL};
    pmix_info_t info;
    pmix_info_t *results = NULL;
    pmix_byte_object_t cred = {0};
    pmix_nspace_t nspace;
    pmix_app_t app;
    size_t n = 0;
    bool yes = true;

    check_status(try_publish("done"), PMIX_ERR_NOT_SUPPORTED);
    check_status(PMIx_Unpublish(keys, NULL, 0), PMIX_ERR_NOT_SUPPORTED);
    PMIX_INFO_LOAD(&info, PMIX_JOB_CTRL_PAUSE, &yes, PMIX_BOOL);
    check_status(PMIx_Job_control(NULL, 0, &info, 1, &results, &n), PMIX_ERR_NOT_SUPPORTED);
    check_status(PMIx_Allocation_request(PMIX_ALLOC_NEW, &info, 1, &results, &n),
                 PMIX_ERR_NOT_SUPPORTED);
    check_status(PMIx_Get_credential(NULL, 0, &cred), PMIX_ERR_NOT_SUPPORTED);
    memset(&app, 0, sizeof(app));
    app.cmd = (char *) "true";
    app.maxprocs = 1;
    check_status(PMIx_Spawn(NULL, 0, &app, 1, nspace), PMIX_ERR_NOT_SUPPORTED);
    check_status(PMIx_Abort(1, "no", NULL, 0), PMIX_ERR_NOT_SUPPORTED);
    fence_all(false);
    return 0;
}

/* --- resolving --- */

/* Without a release function: what is given is gone when the call returns. */
static pmix_status_t give_info(struct upcall *upcall, const char *key, const void *value,
                               pmix_data_type_t type)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, key, value, type);
    upcall->reply.info(PMIX_SUCCESS, &info, 1, upcall->cbdata, NULL, NULL);
    PMIx_Value_destruct(&info.value);
    return PMIX_SUCCESS;
}

static pmix_status_t answer_query(struct upcall *upcall)
{
    pmix_proc_t peer = proc_of(WORLD_NSPACE, 7);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &peer};
    const pmix_query_t *query = upcall->queries;

    if (upcall->n_queries != 1 || upcall->proc->rank > 3 ||
        !is_identified(query->qualifiers, query->nqual)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (strcmp(query->keys[0], PMIX_QUERY_RESOLVE_PEERS) == 0) {
        return give_info(upcall, PMIX_QUERY_RESOLVE_PEERS, &array, PMIX_DATA_ARRAY);
    }
    if (strcmp(query->keys[0], PMIX_QUERY_RESOLVE_NODE) == 0) {
        return give_info(upcall, PMIX_QUERY_RESOLVE_NODE, "", PMIX_STRING); /* nowhere */
    }
    return PMIX_ERR_NOT_FOUND;
}

static pmix_status_t decline_query(struct upcall *upcall)
{
    if (calls[ON_QUERY] % 2) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    px_host_reply_status(upcall, PMIX_ERR_NOT_SUPPORTED);
    return PMIX_SUCCESS;
}

static void host_answers(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_QUERY] = (struct answer){OWN, .own = answer_query};
}

static void host_declines(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_QUERY] = (struct answer){OWN, .own = decline_query};
}

static void host_refuses(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_QUERY] = (struct answer){AT_ONCE, .status = PMIX_ERR_NO_PERMISSIONS};
}

/* [RES-017], [RES-023], [RES-024] the host's word counts. */
static int act_resolve_host(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = (char *) 1;

    check_status(PMIx_Resolve_peers(NULL, me.nspace, &procs, &n), PMIX_SUCCESS);
    check(n == 1 && procs[0].rank == 7);
    free(procs);
    check_status(PMIx_Resolve_nodes(me.nspace, &nodes), PMIX_SUCCESS);
    check(nodes == NULL);
    return 0;
}

/* [RES-019], [RES-020], [RES-021] */
static int act_resolve_own(void)
{
    pmix_nspace_t nosuch = "nosuch";

    for (int i = 0; i < 6; i++) {
        pmix_proc_t *procs = NULL;
        size_t n = 0;
        char *nodes = NULL;

        check_status(PMIx_Resolve_peers("node1", me.nspace, &procs, &n), PMIX_SUCCESS);
        check(n == 2 && procs[0].rank == 2 && procs[1].rank == 3);
        free(procs);
        check_status(PMIx_Resolve_nodes(me.nspace, &nodes), PMIX_SUCCESS);
        check(strcmp(nodes, "node0,node1") == 0);
        free(nodes);
        check_status(PMIx_Resolve_peers("node1", nosuch, &procs, &n), PMIX_ERR_INVALID_NAMESPACE);
        check_status(PMIx_Resolve_nodes(nosuch, &nodes), PMIX_ERR_INVALID_NAMESPACE);
    }
    return 0;
}

/* [RES-022] */
static int act_resolve_refused(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;

    check_status(PMIx_Resolve_peers(NULL, me.nspace, &procs, &n), PMIX_ERR_NO_PERMISSIONS);
    check_status(PMIx_Resolve_nodes(me.nspace, &nodes), PMIX_ERR_NO_PERMISSIONS);
    return 0;
}

static int after_resolve(unsigned node)
{
    /* [RES-018] the server itself goes the same way. */
    pmix_nspace_t nspace = WORLD_NSPACE;
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    unsigned before = calls[ON_QUERY];
    int bad = PMIx_Resolve_peers(NULL, nspace, &procs, &n) != PMIX_SUCCESS || n != 1 ||
              procs[0].rank != 7;

    (void) node;
    free(procs);
    return bad || calls[ON_QUERY] != before + 1;
}

/* --- sets and events --- */

static pmix_proc_t set_members[2];
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t seen_cond = PTHREAD_COND_INITIALIZER;
static int seen[8];

static void saw(int what)
{
    (void) pthread_mutex_lock(&seen_lock);
    seen[what]++;
    (void) pthread_cond_broadcast(&seen_cond);
    (void) pthread_mutex_unlock(&seen_lock);
}

static void await(int what, int n)
{
    (void) pthread_mutex_lock(&seen_lock);
    while (seen[what] < n) {
        (void) pthread_cond_wait(&seen_cond, &seen_lock);
    }
    (void) pthread_mutex_unlock(&seen_lock);
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_PSET_NAME) &&
            strcmp(info[i].value.data.string, "set") == 0) {
            saw(0);
        }
    }
    if (status == 7) {
        saw(1);
    } else if (status == -5000) {
        saw(2);
    }
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void define_set(unsigned node)
{
    (void) node;
    set_members[0] = proc_of(WORLD_NSPACE, 0);
    set_members[1] = proc_of(WORLD_NSPACE, 1);
    check_status(PMIx_server_define_process_set(set_members, 2, "set"), PMIX_SUCCESS);
}

/* [PST-001], [PST-003], [PST-006], [EVT-013] defined before anybody registered. */
static int act_set(void)
{
    pmix_status_t code = PMIX_PROCESS_SET_DEFINE;
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool found = false;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0);
    await(0, 1);
    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, PMIX_QUERY_PSET_NAMES);
    check_status(PMIx_Query_info(&query, 1, &results, &n), PMIX_SUCCESS);
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_QUERY_PSET_NAMES)) {
            found = results[i].value.type == PMIX_STRING &&
                    strcmp(results[i].value.data.string, "set") == 0;
        }
    }
    check(found);
    PMIx_Info_free(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    fence_all(false);
    return 0;
}

/* [EVT-009], [EVT-018] one node: what reaches whom. */
static int act_ranges(void)
{
    pmix_status_t codes[] = {7, -5000};
    pmix_proc_t one = proc_of(me.nspace, 1);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &one};
    pmix_info_t info;

    check(PMIx_Register_event_handler(codes, 2, NULL, 0, on_event, NULL, NULL) >= 0);
    fence_all(false);
    if (me.rank == 0) {
        PMIX_INFO_LOAD(&info, PMIX_EVENT_CUSTOM_RANGE, &array, PMIX_DATA_ARRAY);
        check_status(PMIx_Notify_event(7, &me, PMIX_RANGE_CUSTOM, &info, 1, NULL, NULL),
                     PMIX_SUCCESS);
        PMIx_Value_destruct(&info.value);
        check_status(PMIx_Notify_event(-5000, &me, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL),
                     PMIX_SUCCESS);
    } else {
        /* The second comes after the first: who has it has seen all that is coming. */
        await(2, 1);
        check(seen[1] == (me.rank == 1));
    }
    fence_all(false);
    return 0;
}

/* --- queries of what the library knows [QRY-024], [QRY-028] --- */

static bool has(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return true;
        }
    }
    return false;
}

static int act_query(void)
{
    static const char *const keys[] = {PMIX_QUERY_NAMESPACES, PMIX_QUERY_NAMESPACE_INFO,
                                       PMIX_SERVER_URI, PMIX_QUERY_NUM_PSETS,
                                       PMIX_QUERY_NUM_GROUPS};
    pmix_query_t query;
    pmix_info_t *results;
    size_t n;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        results = NULL;
        n = 0;
        PMIX_QUERY_CONSTRUCT(&query);
        PMIx_Argv_append_nosize(&query.keys, keys[i]);
        check_status(PMIx_Query_info(&query, 1, &results, &n), PMIX_SUCCESS);
        check(has(results, n, keys[i]));
        PMIx_Info_free(results, n);
        PMIX_QUERY_DESTRUCT(&query);
    }
    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, PMIX_QUERY_NUM_PSETS);
    PMIx_Argv_append_nosize(&query.keys, "no.such.key");
    results = NULL;
    check_status(PMIx_Query_info(&query, 1, &results, &n), PMIX_ERR_PARTIAL_SUCCESS);
    PMIx_Info_free(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_QUERY_CONSTRUCT(&query);
    PMIx_Argv_append_nosize(&query.keys, PMIX_QUERY_LOCAL_PROC_TABLE);
    PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_NSPACE, me.nspace, PMIX_STRING);
    results = NULL;
    check_status(PMIx_Query_info(&query, 1, &results, &n), PMIX_SUCCESS);
    check(results[0].value.data.darray->size == 2);
    PMIx_Info_free(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    return 0;
}

static const struct act acts[] = {
    {"answers", act_answers},
    {"nothing", act_nothing},
    {"resolve_host", act_resolve_host},
    {"resolve_own", act_resolve_own},
    {"resolve_refused", act_resolve_refused},
    {"set", act_set},
    {"ranges", act_ranges},
    {"query", act_query},
    {NULL, NULL},
};

#define RUN(...) assert_int_equal(world_run(&(struct world){__VA_ARGS__}), 0)

static void answers(void **state)
{
    (void) state;
    RUN(.act = "answers", .n_nodes = 1, .per_node = 1, .host = host_publishes);
}

static void nothing(void **state)
{
    (void) state;
    RUN(.act = "nothing", .n_nodes = 1, .per_node = 2, .host = host_alone);
}

static void resolves(void **state)
{
    (void) state;
    RUN(.act = "resolve_host", .n_nodes = 1, .per_node = 2, .host = host_answers,
        .after = after_resolve);
    RUN(.act = "resolve_own", .n_nodes = 2, .per_node = 2);
    RUN(.act = "resolve_own", .n_nodes = 2, .per_node = 2, .host = host_declines);
    RUN(.act = "resolve_own", .n_nodes = 2, .per_node = 2, .private_store = true);
    RUN(.act = "resolve_refused", .n_nodes = 1, .per_node = 1, .host = host_refuses);
}

static void sets(void **state)
{
    (void) state;
    RUN(.act = "set", .n_nodes = 1, .per_node = 2, .ready = define_set);
}

static void ranges(void **state)
{
    (void) state;
    RUN(.act = "ranges", .n_nodes = 1, .per_node = 3);
}

static void queries(void **state)
{
    (void) state;
    RUN(.act = "query", .n_nodes = 1, .per_node = 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers), cmocka_unit_test(nothing), cmocka_unit_test(resolves),
        cmocka_unit_test(sets),    cmocka_unit_test(ranges),  cmocka_unit_test(queries),
    };

    world_maybe_client(argc, argv, acts);
    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
