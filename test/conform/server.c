/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a host registers, and takes back: namespaces, resources; which registrations are refused.
 * The realms of keys are in keys.c, clients in door.c. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void succeeded(pmix_status_t rc, const char *what)
{
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "%s: %s", what,
          PMIx_Error_string(rc));
}

/* Takes the list. */
static pmix_status_t register_list(const char *name, struct infos *list)
{
    pmix_proc_t proc = process(name, 0);
    pmix_status_t rc = PMIx_server_register_nspace(proc.nspace, 0, list->at, list->n, NULL, NULL);

    free_infos(list);
    return rc;
}

static void add_regex(struct infos *list, const char *key, const char *text, bool ranks)
{
    char *made = NULL;

    check_status(PMIX_SUCCESS,
                 ranks ? PMIx_generate_ppn(text, &made) : PMIx_generate_regex(text, &made), "%s",
                 text);
    add(list, key, made, PMIX_REGEX);
    free(made);
}

static void add_layout(struct infos *list, const char *nodes, const char *ranks, uint32_t size)
{
    add_regex(list, PMIX_NODE_MAP, nodes, false);
    add_regex(list, PMIX_PROC_MAP, ranks, true);
    add_u32(list, PMIX_JOB_SIZE, size);
}

/* ---- with a callback, and without */

static void note_status(pmix_status_t status, void *cbdata)
{
    *(pmix_status_t *) cbdata = status;
    tell("called back");
}

/* The status that came at once or by callback. */
static pmix_status_t settle(pmix_status_t rc, const pmix_status_t *called, int nth)
{
    if (rc != PMIX_SUCCESS) {
        return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
    }
    await_n("called back", nth);
    return *called;
}

static void register_both_ways(void)
{
    pmix_proc_t x = process("X", 0);
    pmix_proc_t y = process("Y", 0);
    pmix_status_t status = PMIX_ERROR;
    struct infos list = {0};
    int n = 0;

    add_layout(&list, "node0,node1", "0;1", 2);
    succeeded(PMIx_server_register_nspace(x.nspace, 1, list.at, list.n, NULL, NULL),
              "without a callback");
    same("node0,node1", hosts("X"), "what was registered is there when the call returns");
    check_status(
        PMIX_SUCCESS,
        settle(PMIx_server_register_nspace(y.nspace, 1, list.at, list.n, note_status, &status),
               &status, 1),
        "with a callback");
    same("node0,node1", hosts("Y"), "or when it called back");
    free_infos(&list);
    n = told("called back");
    PMIx_server_deregister_nspace(x.nspace, NULL, NULL);
    same("-44", hosts("X"), "without a callback, it is gone when the call returns");
    status = PMIX_ERROR;
    PMIx_server_deregister_nspace(y.nspace, note_status, &status);
    await_n("called back", n + 1);
    check_status(PMIX_SUCCESS, status, "deregister with a callback");
    same("-44", hosts("Y"), "or when it called back");
}

/* ---- types, and what identifies an array */

static void refuse(struct infos *list, const char *what)
{
    pmix_status_t rc = register_list("X", list);

    check(rc == PMIX_ERR_BAD_PARAM || rc == PMIX_ERR_TYPE_MISMATCH, "%s: %s", what,
          PMIx_Error_string(rc));
    same("-44", hosts("X"), "%s: nothing is registered", what);
}

static void refuse_one(const char *key, const void *value, pmix_data_type_t type)
{
    struct infos list = {0};

    add_layout(&list, "node0", "0", 1);
    drop(&list, key);
    add(&list, key, value, type);
    refuse(&list, key);
}

static void refuse_in_array(const char *array, bool named, const char *key, const void *value,
                            pmix_data_type_t type)
{
    struct infos list = {0};
    struct infos one = {0};
    pmix_rank_t rank = 0;

    add_layout(&list, "node0", "0", 1);
    if (named) {
        add(&one, PMIX_RANK, &rank, PMIX_PROC_RANK);
    }
    add(&one, key, value, type);
    add_array(&list, array, &one);
    refuse(&list, key);
}

static void refuse_types(void)
{
    uint64_t large = (uint64_t) UINT32_MAX + 1;
    int negative = -7;
    uint32_t over = 70000;
    uint32_t number = 4;
    double broken = 0.5;

    refuse_one(PMIX_JOB_SIZE, "many", PMIX_STRING);
    refuse_one(PMIX_JOB_SIZE, "4", PMIX_STRING);
    refuse_one(PMIX_JOB_SIZE, &broken, PMIX_DOUBLE);
    refuse_one(PMIX_UNIV_SIZE, &large, PMIX_UINT64);
    refuse_one(PMIX_LOCALLDR, &negative, PMIX_INT);
    refuse_one(PMIX_LOCALLDR, "0", PMIX_STRING);
    refuse_one(PMIX_NSDIR, &number, PMIX_UINT32);
    refuse_one(PMIX_APP_INFO_ARRAY, &number, PMIX_UINT32);
    refuse_in_array(PMIX_PROC_INFO_ARRAY, true, PMIX_LOCAL_RANK, &over, PMIX_UINT32);
    refuse_in_array(PMIX_PROC_INFO_ARRAY, true, PMIX_HOSTNAME, &number, PMIX_UINT32);
    refuse_in_array(PMIX_PROC_INFO_ARRAY, false, PMIX_RANK, "0", PMIX_STRING);
}

static void loose_types(const struct job *job, struct infos *list)
{
    int size = 1;
    int leader = 0;
    uint64_t slots = 9;

    (void) job;
    drop(list, PMIX_JOB_SIZE);
    drop(list, PMIX_LOCALLDR);
    add(list, PMIX_JOB_SIZE, &size, PMIX_INT);
    add(list, PMIX_LOCALLDR, &leader, PMIX_INT);
    add(list, PMIX_NUM_SLOTS, &slots, PMIX_UINT64);
}

static void check_type(const char *key, pmix_data_type_t type, const char *want)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_value_t *v = NULL;

    same(want, got(me.nspace, PMIX_RANK_WILDCARD, key, NULL, 0), "%s", key);
    if (check_status(PMIX_SUCCESS, PMIx_Get(&job, key, NULL, 0, &v), "%s", key)) {
        check(v->type == type, "%s is a %s", key, PMIx_Data_type_string(v->type));
        PMIX_VALUE_RELEASE(v);
    }
}

static void see_types(void)
{
    check_type(PMIX_JOB_SIZE, PMIX_UINT32, "1");
    check_type(PMIX_LOCALLDR, PMIX_PROC_RANK, "0");
    check_type(PMIX_NUM_SLOTS, PMIX_UINT32, "9");
}

static void refuse_unidentified(void)
{
    uint32_t size = 1;

    refuse_in_array(PMIX_SESSION_INFO_ARRAY, false, PMIX_UNIV_SIZE, &size, PMIX_UINT32);
    refuse_in_array(PMIX_APP_INFO_ARRAY, false, PMIX_APP_SIZE, &size, PMIX_UINT32);
    refuse_in_array(PMIX_NODE_INFO_ARRAY, false, PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    refuse_in_array(PMIX_PROC_INFO_ARRAY, false, PMIX_PROC_PID, &size, PMIX_PID);
}

static void odd_order(const struct job *job, struct infos *list)
{
    pmix_proc_t proc = process(job->name, 0);
    struct infos node = {0};
    struct infos one = {0};
    uint64_t memory = 77;
    pid_t pid = 4321;

    add(&node, PMIX_AVAIL_PHYS_MEMORY, &memory, PMIX_UINT64);
    add_text(&node, PMIX_HOSTNAME, "node0");
    add_array(list, PMIX_NODE_INFO_ARRAY, &node);
    add(&one, PMIX_PROCID, &proc, PMIX_PROC);
    add(&one, PMIX_PROC_PID, &pid, PMIX_PID);
    add_array(list, PMIX_PROC_INFO_ARRAY, &one);
}

static void see_odd_order(void)
{
    struct infos where = {0};

    add_true(&where, PMIX_NODE_INFO);
    same("77", got("A", PMIX_RANK_WILDCARD, PMIX_AVAIL_PHYS_MEMORY, where.at, where.n),
         "a node named last");
    same("4321", got("A", 0, PMIX_PROC_PID, NULL, 0), "a process named by PMIX_PROCID");
    free_infos(&where);
}

/* ---- loose values, and none */

static void loose(const struct job *job, struct infos *list)
{
    (void) job;
    add_u32(list, PMIX_APP_SIZE, 2);
    add_text(list, PMIX_WDIR, "/work");
    add_text(list, PMIX_CLUSTER_ID, "tall");
}

static void see_loose(void)
{
    struct infos app = {0};
    struct infos session = {0};
    struct infos here = {0};

    add_true(&app, PMIX_APP_INFO);
    add_u32(&app, PMIX_APPNUM, 0);
    add_true(&here, PMIX_NODE_INFO);
    add_text(&here, PMIX_HOSTNAME, "node0");
    add_true(&session, PMIX_SESSION_INFO);
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_APP_SIZE, app.at, app.n),
         "of the only application");
    same("/work", got("A", PMIX_RANK_WILDCARD, PMIX_WDIR, app.at, app.n),
         "of the only application");
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, here.at, here.n), "of the only node");
    same("tall", got("A", PMIX_RANK_WILDCARD, PMIX_CLUSTER_ID, session.at, session.n),
         "of the session");
    free_infos(&app);
    free_infos(&here);
    free_infos(&session);
}

static void no_data(const struct job *job, struct infos *list)
{
    if (strcmp(job->name, "B") == 0) {
        free_infos(list);
        add_true(list, PMIX_REGISTER_NODATA);
    }
}

static void work_without_data(void)
{
    pmix_proc_t both[2] = {process("B", PMIX_RANK_WILDCARD), process("A", PMIX_RANK_WILDCARD)};

    if (strcmp(me.nspace, "B") == 0) {
        same("-46", got("B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "no job size");
        same("-46", got("B", PMIX_RANK_WILDCARD, PMIX_JOBID, NULL, 0), "no job id");
        put_number("mine", me.rank + 10);
        commit();
        fence_all(NULL);
        check_number(11 - me.rank, 1 - me.rank, "mine", NULL);
    }
    check_status(PMIX_SUCCESS, fence(both, 2, NULL), "fence of both");
}

static void fence_two_jobs(void)
{
    pmix_proc_t both[2] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    put_number("where", (uint32_t) node());
    commit();
    check_status(PMIX_SUCCESS, fence(both, 2, PMIX_COLLECT_DATA), "fence");
    same(strcmp(me.nspace, "A") == 0 ? "1" : "0",
         got(strcmp(me.nspace, "A") == 0 ? "B" : "A", 0, "where", NULL, 0),
         "what the other job posted");
}

static void check_one_each(void)
{
    check(upcalls(ON_FENCE, 0) == 1 && upcalls(ON_FENCE, 1) == 1, "one upcall on each node");
    check(record_names(upcall(ON_FENCE, 0, 0), "B", PMIX_RANK_WILDCARD),
          "with the job that has nobody there");
}

/* ---- taking back */

/* What a query says, as if asked for the first time. */
static const char *namespaces(void)
{
    static char text[256];
    pmix_info_t *results = NULL;
    pmix_query_t query;
    size_t n = 0;
    int rc;

    snprintf(text, sizeof(text), "nothing");
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_QUERY_REFRESH_CACHE, NULL, PMIX_BOOL);
    rc = PMIx_Query_info(&query, 1, &results, &n);
    check_status(PMIX_SUCCESS, rc, "query");
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_QUERY_NAMESPACES)) {
            snprintf(text, sizeof(text), "%s", text_of(&results[i].value));
        }
    }
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    return text;
}

static void see_deregistration(void)
{
    pmix_status_t rc;

    if (strcmp(me.nspace, "B") == 0) {
        check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
        await("A has seen B");
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
        tell("B went");
        await("B is gone");
        rc = PMIx_Init(&me, NULL, 0);
        check(rc != PMIX_SUCCESS, "a process of a namespace that is gone is let in");
        if (PMIx_Initialized()) {
            (void) PMIx_Finalize(NULL, 0);
        }
        return;
    }
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    same("B:0", peers("node0", "B"), "peers of B");
    same("1", got("B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "size of B");
    same("A,B", namespaces(), "namespaces");
    tell("A has seen B");
    await("B is gone");
    same("-44", peers("node0", "B"), "peers of B, which is gone");
    same("A:0", peers("node0", NULL), "all peers");
    same("A", namespaces(), "namespaces");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static void deregister_b(void)
{
    await("B went");
    job_deregister("B");
    tell("B is gone");
}

static void check_one_connection(void)
{
    check(upcalls(ON_CONNECTED, 0) == 2 && upcalls(ON_FINALIZED, 0) == 2, "nothing more of B");
}

/* ---- resources */

static void override(const struct job *job, struct infos *list)
{
    if (strcmp(job->name, "B") == 0) {
        add_u32(list, "site.power", 7);
    }
}

static void give_resources(void)
{
    struct infos list = {0};

    add_u32(&list, "site.power", 5);
    add_text(&list, "site.rack", "r1");
    succeeded(PMIx_server_register_resources(list.at, list.n, NULL, NULL), "register_resources");
    job_register("A");
    job_register("B");
    job_start("A");
    job_start("B");
    await_n("seen", 2);
    free_infos(&list);
    add_u32(&list, "site.power", 6);
    succeeded(PMIx_server_register_resources(list.at, list.n, NULL, NULL),
              "register_resources again");
    tell("changed");
    await_n("seen again", 2);
    free_infos(&list);
    add_true(&list, "site.power");
    succeeded(PMIx_server_deregister_resources(list.at, list.n, NULL, NULL),
              "deregister_resources");
    free_infos(&list);
    job_register("C");
    job_start("C");
}

static void see_resources(void)
{
    const char *want = strcmp(me.nspace, "A") == 0   ? "5"
                       : strcmp(me.nspace, "B") == 0 ? "7"
                                                     : "-46";

    same(want, got(me.nspace, PMIX_RANK_WILDCARD, "site.power", NULL, 0), "power of %s", me.nspace);
    same("r1", got(me.nspace, PMIX_RANK_WILDCARD, "site.rack", NULL, 0), "rack of %s", me.nspace);
    tell("seen");
    if (strcmp(me.nspace, "C") != 0) {
        struct infos list = {0};

        await("changed");
        add_true(&list, PMIX_GET_REFRESH_CACHE);
        same(strcmp(me.nspace, "A") == 0 ? "6" : want,
             got(me.nspace, PMIX_RANK_WILDCARD, "site.power", list.at, list.n),
             "changed power of %s", me.nspace);
        free_infos(&list);
        tell("seen again");
    }
}

/* ---- very many */

enum { MANY = 1000 };

static void register_many(void)
{
    pmix_proc_t proc;

    for (int i = 0; i < MANY; i++) {
        struct infos list = {0};
        char name[32];

        snprintf(name, sizeof(name), "many.%d", i);
        add_layout(&list, "node0,node1", i % 2 == 0 ? "0,1;2" : "0;1,2", 3);
        succeeded(register_list(name, &list), name);
    }
    for (pmix_rank_t r = 0; r < MANY; r++) {
        proc = process("many.7", r);
        succeeded(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                  "register_client");
    }
    job_start("A");
}

static void see_many(void)
{
    char name[32];

    for (int i = 0; i < MANY; i += 111) {
        snprintf(name, sizeof(name), "many.%d", i);
        same("3", got(name, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "%s", name);
        same("node0,node1", hosts(name), "%s", name);
    }
    same("many.999:1,many.999:2", peers("node1", "many.999"), "the last");
}

/* ---- no module at all, and a server that ends */

static void work_simply(void)
{
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "job size");
    same("A:0,A:1", peers(NULL, "A"), "peers");
    put_number("mine", me.rank + 10);
    commit();
    fence_all(NULL);
    check_number(11 - me.rank, 1 - me.rank, "mine", NULL);
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Publish(&(pmix_info_t){.key = "word"}, 1),
                 "what needs a host");
}

static void on_loss(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t results[], size_t nresults,
                    pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    check(status == PMIX_ERR_LOST_CONNECTION, "event %d", status);
    tell("lost");
    if (done != NULL) {
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

static void outlive_server(void)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_loss, NULL, NULL) >= 0, "register");
    tell("ready");
    await("lost");
    same("1", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "what it has stays");
    (void) PMIx_Finalize(NULL, 0);
}

static int count_files(void)
{
    DIR *dir = opendir(scratch());
    int n = 0;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        n += e->d_name[0] != '.';
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static void support_tools(struct infos *list)
{
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
}

static void end_server(void)
{
    static pmix_server_module_t nothing;

    await("ready");
    check(count_files() > 0, "tools find the server by files");
    check_status(PMIX_SUCCESS, PMIx_server_finalize(), "server_finalize");
    check(!PMIx_Initialized(), "it is over");
    check(count_files() == 0, "its files are gone");
    job_end("A");
    check_status(PMIX_SUCCESS, PMIx_server_init(&nothing, NULL, 0), "another server");
    job_register("A");
}

const struct conform_case cases[] = {
    {.ids = "SRV-001", .what = "no module", .ranks = 2, .client = work_simply, .no_module = true},
    {.ids = "SRV-001",
     .what = "an empty module",
     .ranks = 2,
     .client = work_simply,
     .host = {[0 ... N_ENTRIES - 1] = {MISSING}}},
    {.ids = "SRV-003",
     .what = "the server ends before its clients",
     .client = outlive_server,
     .script = end_server,
     .server = support_tools,
     .raw = true},
    {.ids = "SRV-004", .what = "with a callback and without", .script = register_both_ways},
    {.ids = "SRV-006", .what = "values of another type are refused", .script = refuse_types},
    {.ids = "SRV-006",
     .what = "numbers that fit become what the key declares",
     .setup = loose_types,
     .client = see_types},
    {.ids = "SRV-007", .what = "an array says what it is about", .script = refuse_unidentified},
    {.ids = "SRV-007",
     .what = "at any place of a node array, and by the process's whole name",
     .setup = odd_order,
     .client = see_odd_order},
    {.ids = "SRV-008",
     .what = "loose values of the only application and node",
     .ranks = 2,
     .setup = loose,
     .client = see_loose},
    {.ids = "SRV-009",
     .what = "a job without data takes part",
     .jobs = {{"A", {1}}, {"B", {2}}},
     .setup = no_data,
     .client = work_without_data},
    {.ids = "SRV-014",
     .what = "a job with nobody here takes part",
     .nodes = 2,
     .jobs = {{"A", {1, 0}}, {"B", {0, 1}}},
     .client = fence_two_jobs,
     .after = check_one_each},
    {.ids = "SRV-016",
     .what = "what is deregistered is gone",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .client = see_deregistration,
     .script = deregister_b,
     .after = check_one_connection,
     .raw = true},
    {.ids = "SRV-017",
     .what = "resources are every job's",
     .jobs = {{"A", {1}, .later = true}, {"B", {1}, .later = true}, {"C", {1}, .later = true}},
     .setup = override,
     .script = give_resources,
     .client = see_resources},
    {.ids = "SRV-021",
     .what = "a thousand namespaces, a thousand clients",
     .jobs = {{"A", {1}, .quiet = true}},
     .script = register_many,
     .client = see_many},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
