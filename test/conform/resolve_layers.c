/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Resolve_peers and PMIx_Resolve_nodes without a server, while the host thinks, when what the
 * host knows changes, and of a tool. What answers of a host mean: host_answers.c. */

#include "lib/answers.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PMIX_QUERY_RESOLVE_PEERS
#define PMIX_QUERY_RESOLVE_PEERS "pmix.qry.peers"
#define PMIX_QUERY_RESOLVE_NODE  "pmix.qry.node"
#endif

#define HOST_FIRST "asking the host first came with 6.x"
#define REFUSED    "-23" /* PMIX_ERR_NO_PERMISSIONS */
#define INVALID    "-44" /* PMIX_ERR_INVALID_NAMESPACE */

/* ---- without a server */

static void note_loss(size_t id, pmix_status_t status, const pmix_proc_t *source,
                      pmix_info_t info[], size_t n_info, pmix_info_t results[], size_t n_results,
                      pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) source, (void) info, (void) n_info, (void) results, (void) n_results;
    if (status == PMIX_ERR_LOST_CONNECTION || status == PMIX_ERR_UNREACH) {
        tell("lost");
    }
    if (done != NULL) {
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

static void lose_server(void)
{
    pmix_status_t lost[2] = {PMIX_ERR_LOST_CONNECTION, PMIX_ERR_UNREACH};

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(PMIx_Register_event_handler(lost, 2, NULL, 0, note_loss, NULL, NULL) >= 0, "handler");
    tell("ready");
    await("lost");
}

/* Only events of this process itself can still come. [EVT-001] */
static void register_without_server(void)
{
    pmix_status_t code = -5000;
    pmix_data_range_t here = PMIX_RANGE_PROC_LOCAL;
    pmix_info_t info;

    check_status(PMIX_ERR_LOST_CONNECTION,
                 PMIx_Register_event_handler(&code, 1, NULL, 0, note_loss, NULL, NULL),
                 "a handler of everybody's events");
    PMIX_INFO_LOAD(&info, PMIX_RANGE, &here, PMIX_DATA_RANGE);
    check(PMIx_Register_event_handler(&code, 1, &info, 1, note_loss, NULL, NULL) >= 0,
          "a handler of own events");
}

static void ask_without_server(void)
{
    lose_server();
    same_for("RES-014", "A:0", peers(NULL, "A"), "own peers");
    same_for("RES-014", "node0", hosts("A"), "own nodes");
    same_for("RES-015", INVALID, peers(NULL, "none"), "peers of nobody");
    same_for("RES-015", INVALID, hosts("none"), "nodes of nobody");
    same_for("RES-015 RES-056", INVALID, peers(NULL, "B"), "peers of a job that was never met");
    same_for("RES-015 RES-056", INVALID, hosts("B"), "nodes of a job that was never met");
    register_without_server();
    (void) PMIx_Finalize(NULL, 0);
}

enum { THREADS = 8, TIMES = 100000 };

/* Asks often of one job, which has one process on this node for each letter behind the A. */
static void *ask_often(void *arg)
{
    const char *job = arg;
    bool well = true;

    for (int i = 0; i < TIMES && well; i++) {
        pmix_proc_t *procs = NULL;
        size_t n = 0;

        well = check(PMIx_Resolve_peers(NULL, job, &procs, &n) == PMIX_SUCCESS, "peers of %s", job);
        well = check(n == (size_t) (job[0] - 'A') && strcmp(procs[0].nspace, job) == 0,
                     "%zu peers of %s", n, job) &&
               well;
        PMIX_PROC_FREE(procs, n);
    }
    return NULL;
}

static void ask_in_threads(void)
{
    static char jobs[2][2] = {"B", "C"};
    pthread_t threads[THREADS];
    int n = 0;

    while (n < THREADS && pthread_create(&threads[n], NULL, ask_often, jobs[n % 2]) == 0) {
        n++;
    }
    check(n == THREADS, "%d threads", n);
    while (n > 0) {
        pthread_join(threads[--n], NULL);
    }
}

/* Everybody is everybody whom the process has met. */
static void ask_of_all_without_server(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    same("0", got("B", 0, PMIX_LOCAL_RANK, NULL, 0), "another job is met");
    same("1", got("C", 1, PMIX_LOCAL_RANK, NULL, 0), "and another one");
    lose_server();
    same_for("RES-003 RES-014", "A:0,B:0,C:0,C:1", peers_sorted(NULL, NULL), "peers of all");
    same_for("RES-039 RES-014", "node0", hosts(NULL), "nodes of all");
    about("RES-013");
    ask_in_threads();
    about(NULL);
    (void) PMIx_Finalize(NULL, 0);
    (void) PMIx_Finalize(NULL, 0);
}

static void maps_only(const struct job *job, struct infos *list)
{
    (void) job;
    drop(list, PMIX_LOCAL_PEERS);
    drop(list, PMIX_PROC_INFO_ARRAY);
}

static void rebuild_without_server(void)
{
    lose_server();
    same("A:0", peers(NULL, "A"), "own peers from the maps");
    same("A:1", peers("node1", "A"), "those of the other node");
    same("node0,node1", hosts("A"), "nodes");
    (void) PMIx_Finalize(NULL, 0);
}

static void die_when_ready(void)
{
    await("ready");
    host_dies();
}

static void two_nodes_one_here(const struct job *job, struct infos *list)
{
    maps_only(job, list);
    drop(list, PMIX_NODE_MAP);
    drop(list, PMIX_PROC_MAP);
    add_text(list, PMIX_NODE_MAP, "node0,node1");
    add_text(list, PMIX_PROC_MAP, "0;1");
    drop(list, PMIX_JOB_SIZE);
    add_u32(list, PMIX_JOB_SIZE, 2);
}

/* ---- while the host thinks */

static void exchange(int rounds)
{
    pmix_rank_t other = me.rank == 1 ? 2 : 1;
    pmix_proc_t two[2];
    char want[16];

    PMIX_LOAD_PROCID(&two[0], me.nspace, 1);
    PMIX_LOAD_PROCID(&two[1], me.nspace, 2);
    for (int i = 0; i < rounds; i++) {
        pmix_value_t v = {.type = PMIX_INT, .data.integer = i};

        check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "round", &v), "put");
        check_status(PMIX_SUCCESS, PMIx_Commit(), "commit");
        check_status(PMIX_SUCCESS, PMIx_Fence(two, 2, NULL, 0), "fence");
        snprintf(want, sizeof(want), "%d", i);
        same(want, got(me.nspace, other, "round", NULL, 0), "what the other posted");
        check_status(PMIX_SUCCESS, PMIx_Fence(two, 2, NULL, 0), "fence");
    }
}

static void ask_while_others_work(void)
{
    if (me.rank == 0) {
        same("A:0,A:1,A:2", peers(NULL, "A"), "the registered peers");
        check(told("worked") == 2, "the others did not wait for the host");
    } else {
        await("host was asked");
        exchange(20);
        tell("worked");
    }
}

static void let_answer(void)
{
    await_upcalls(ON_QUERY, 1);
    tell("host was asked");
    await_n("worked", 2);
    tell("answer");
}

static void ask_and_die(void)
{
    if (me.rank == 0) {
        (void) peers(NULL, "A");
        check(false, "nobody answered");
    }
    await("0 is gone");
    exchange(20);
}

static void answer_the_dead(struct upcall *copy)
{
    reply_status(copy, PMIX_ERR_NOT_SUPPORTED);
    tell("0 is gone");
}

static pmix_status_t hold(struct upcall *ask)
{
    return later(ask, "killed", answer_the_dead);
}

static void kill_asker(void)
{
    await_upcalls(ON_QUERY, 1);
    rank_kill("A", 0, SIGKILL);
    tell("killed");
}

static void ask_again_inside(struct upcall *copy)
{
    (void) peers(NULL, "A");
    reply_status(copy, PMIX_ERR_NOT_SUPPORTED);
}

/* Asks whenever it is asked. The library has to end it; this host does only so that the test
 * does. */
static pmix_status_t recurse(struct upcall *ask)
{
    return upcalls(ON_QUERY, -1) > 20 ? PMIX_ERR_NO_PERMISSIONS
                                      : later(ask, NULL, ask_again_inside);
}

static void ask_once(void)
{
    same("A:0", peers(NULL, "A"), "the registered peers");
}

static void check_bounded(void)
{
    check(upcalls(ON_QUERY, -1) <= 2, "%d questions", upcalls(ON_QUERY, -1));
}

static void ask_and_lose(void)
{
    char unreach[16];
    const char *is;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    snprintf(unreach, sizeof(unreach), "%d", PMIX_ERR_UNREACH);
    is = peers(NULL, "A");
    check(strcmp(is, "-61") == 0 || strcmp(is, unreach) == 0, "the call ends with the server: %s",
          is);
    (void) PMIx_Finalize(NULL, 0);
}

static void die_when_asked(void)
{
    await_upcalls(ON_QUERY, 1);
    host_dies();
}

/* ---- a table that lives */

static pmix_status_t answer_table(struct upcall *ask)
{
    struct infos list = {0};
    pmix_proc_t procs[4];
    size_t n = 0;

    if (told("forbid") > 0) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    for (pmix_rank_t r = 0; r < 4; r++) {
        if (r != 2 || told("2 is gone") == 0) {
            PMIX_LOAD_PROCID(&procs[n], "A", r);
            n++;
        }
    }
    add_procs(&list, PMIX_QUERY_RESOLVE_PEERS, procs, n);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void watch_table(void)
{
    if (me.rank == 0) {
        same_for("RES-032", "A:0,A:1,A:2,A:3", peers(NULL, "A"), "all four");
        tell("seen four");
        await("2 is gone");
        same_for("RES-032", "A:0,A:1,A:3", peers(NULL, "A"), "three");
        tell("forbid");
        same_for("RES-022", REFUSED, peers(NULL, "A"), "the host's status");
        tell("end");
    }
    await("end");
}

static void kill_rank_2(void)
{
    await("seen four");
    rank_kill("A", 2, SIGKILL);
    tell("2 is gone");
}

static void check_table(void)
{
    const struct note *asked;

    check_for("RES-032", upcalls(ON_QUERY, -1) == 3, "%d questions for three calls",
              upcalls(ON_QUERY, -1));
    for (int i = 0; i < upcalls(ON_QUERY, -1); i++) {
        const struct record *r = upcall(ON_QUERY, -1, i);

        asked = record_info(r, PMIX_QUERY_RESOLVE_PEERS);
        check_for("RES-022",
                  r->proc.rank == 0 && asked != NULL && note_info(asked, PMIX_USERID) != NULL &&
                      note_info(asked, PMIX_GRPID) != NULL &&
                      note_info(asked, PMIX_HOSTNAME) != NULL,
                  "question %d is whole", i);
    }
}

/* ---- a tool and its servers */

static pmix_status_t name_node(struct upcall *ask)
{
    struct infos list = {0};

    add_text(&list, PMIX_QUERY_RESOLVE_NODE, node() == 0 ? "first" : "second");
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void switch_servers(void)
{
    struct infos list = {0};
    pid_t pid = server_pid(0);
    char file[512];
    pmix_proc_t tool;
    pmix_proc_t second;

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    if (!check_status(PMIX_SUCCESS, PMIx_tool_init(&tool, list.at, list.n), "tool_init")) {
        return;
    }
    free_infos(&list);
    same("first", hosts("A"), "the first server's answer");
    snprintf(file, sizeof(file), "%s/pmix.node1.tool.%d", scratch(), server_pid(1));
    add_text(&list, PMIX_TOOL_ATTACHMENT_FILE, file);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(&tool, &second, list.at, list.n),
                 "attach");
    same("first", hosts("A"), "the primary server is still the first");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&second, NULL, 0), "set_server");
    same("second", hosts("A"), "the second server's answer");
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

const struct conform_case cases[] = {
    {.ids = "RES-014 RES-015 RES-056",
     .what = "without a server, from what the client holds",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .client = ask_without_server,
     .script = die_when_ready,
     .raw = true,
     .dirty = true},
    {.ids = "RES-003 RES-039 RES-014 RES-013",
     .otherwise = "RES-014",
     .what = "without a server, all jobs that the client has met",
     .jobs = {{"A", {1}},
              {"B", {1}, .quiet = true},
              {"C", {2}, .quiet = true},
              {"D", {1}, .quiet = true}},
     .client = ask_of_all_without_server,
     .script = die_when_ready,
     .raw = true,
     .dirty = true},
    {.ids = "RES-055",
     .what = "without a server, peers are rebuilt from the maps",
     .setup = two_nodes_one_here,
     .client = rebuild_without_server,
     .script = die_when_ready,
     .raw = true,
     .dirty = true},
    {.ids = "RES-028 S04",
     .what = "nobody else waits while the host thinks",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_NOT_SUPPORTED, .when = "answer"}},
     .client = ask_while_others_work,
     .script = let_answer,
     .ours_only = HOST_FIRST},
    {.ids = "RES-028 S04",
     .what = "an answer to who has died harms nobody",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = hold}},
     .client = ask_and_die,
     .script = kill_asker,
     .ours_only = HOST_FIRST},
    {.ids = "RES-029",
     .what = "a host that asks the library when it is asked",
     .ranks = 1,
     .host = {[ON_QUERY] = {OWN, .own = recurse}},
     .client = ask_once,
     .after = check_bounded},
    {.ids = "RES-031",
     .what = "a server that dies ends the call",
     .client = ask_and_lose,
     .script = die_when_asked,
     .host = {[ON_QUERY] = {NEVER}},
     .raw = true,
     .dirty = true,
     .ours_only = HOST_FIRST},
    {.ids = "RES-022 RES-032 S03",
     .what = "the host knows better than the server",
     .ranks = 4,
     .host = {[ON_QUERY] = {OWN, .own = answer_table}},
     .client = watch_table,
     .script = kill_rank_2,
     .after = check_table,
     .ours_only = HOST_FIRST},
    {.ids = "RES-030",
     .what = "a tool's primary server answers",
     .nodes = 2,
     .tools = 1,
     .tool = switch_servers,
     .host = {[ON_QUERY] = {OWN, .own = name_node}},
     .ours_only = HOST_FIRST},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
