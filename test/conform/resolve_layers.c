/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who answers PMIx_Resolve_peers and PMIx_Resolve_nodes: the host if it wants to, else its server,
 * else the client from what it was told. */

#include "lib/answers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PMIX_QUERY_RESOLVE_PEERS
#define PMIX_QUERY_RESOLVE_PEERS "pmix.qry.peers"
#define PMIX_QUERY_RESOLVE_NODE  "pmix.qry.node"
#endif

#define HOST_FIRST     "asking the host first came with 6.x"
#define REFUSED        "-23" /* PMIX_ERR_NO_PERMISSIONS */
#define INVALID        "-44" /* PMIX_ERR_INVALID_NAMESPACE */

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

static void ask_without_server(void)
{
    lose_server();
    same("A:0", peers(NULL, "A"), "own peers");
    same("node0", hosts("A"), "own nodes");
    same(INVALID, peers(NULL, "none"), "peers of nobody");
    same(INVALID, hosts("none"), "nodes of nobody");
    same(INVALID, peers(NULL, "B"), "peers of a job that was never met");
    same(INVALID, hosts("B"), "nodes of a job that was never met");
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

/* ---- the host answers */

static void add_procs(struct infos *list, const char *key, const pmix_proc_t *procs, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) procs};

    add(list, key, &array, PMIX_DATA_ARRAY);
}

/* The answer as the host's table has it: rank 1 is gone. */
static void answer_live(struct ask *ask, bool wrapped)
{
    struct infos flat = {0};
    struct infos wrap = {0};
    pmix_proc_t procs[2];

    PMIX_LOAD_PROCID(&procs[0], "A", 0);
    PMIX_LOAD_PROCID(&procs[1], "A", 2);
    if (strcmp(ask->queries[0].keys[0], PMIX_QUERY_RESOLVE_PEERS) == 0) {
        add_procs(&flat, PMIX_QUERY_RESOLVE_PEERS, procs, 2);
    } else {
        add_text(&flat, PMIX_QUERY_RESOLVE_NODE, "moved,away");
    }
    if (wrapped) {
        add_array(&wrap, PMIX_QUERY_RESULTS, &flat);
        reply_infos(ask, PMIX_SUCCESS, wrap.at, wrap.n);
        free_infos(&wrap);
    } else {
        reply_infos(ask, PMIX_SUCCESS, flat.at, flat.n);
        free_infos(&flat);
    }
}

static pmix_status_t answer_flat(struct ask *ask)
{
    answer_live(ask, false);
    return PMIX_SUCCESS;
}

static pmix_status_t answer_wrapped(struct ask *ask)
{
    answer_live(ask, true);
    return PMIX_SUCCESS;
}

static void take_hosts_word(void)
{
    if (me.rank == 0) {
        same("A:0,A:2", peers(NULL, "A"), "the host's peers");
        same("moved,away", hosts("A"), "the host's nodes");
    }
}

static void check_question(void)
{
    const struct record *r = upcall(ON_QUERY, 0, 0);
    const struct note *peers_asked = record_info(r, PMIX_QUERY_RESOLVE_PEERS);
    const struct note *nodes_asked = record_info(upcall(ON_QUERY, 0, 1), PMIX_QUERY_RESOLVE_NODE);
    const struct note *n;

    if (!check(upcalls(ON_QUERY, -1) == 2 && peers_asked != NULL && nodes_asked != NULL,
               "one question for each")) {
        return;
    }
    check(strcmp(r->proc.nspace, "A") == 0 && r->proc.rank == 0, "it names who asks");
    n = note_info(peers_asked, PMIX_NSPACE);
    check(n != NULL && strcmp(n->text, "A") == 0, "the namespace");
    n = note_info(peers_asked, PMIX_HOSTNAME);
    check(n != NULL && strcmp(n->text, "node0") == 0, "a concrete node");
    n = note_info(peers_asked, PMIX_USERID);
    check(n != NULL && n->number == geteuid(), "the user");
    n = note_info(peers_asked, PMIX_GRPID);
    check(n != NULL && n->number == getegid(), "the group");
    n = note_info(nodes_asked, PMIX_NSPACE);
    check(n != NULL && strcmp(n->text, "A") == 0, "the namespace of the nodes");
}

static void ask_inside_server(void)
{
    same("A:0,A:2", peers(NULL, "A"), "what the server's own process is told");
    tell("asked");
}

static void wait_asked(void)
{
    await("asked");
}

static void check_server_asked(void)
{
    const struct record *r = upcall(ON_QUERY, 0, 0);

    check(r != NULL && strcmp(r->proc.nspace, "conform-host") == 0,
          "the server asks in its own name");
}

/* ---- the host declines, refuses, or has nothing */

static void take_servers_word(void)
{
    same("A:0,A:1,A:2", peers(NULL, "A"), "the registered peers");
    same("node0", hosts("A"), "the registered nodes");
}

static void take_refusal(void)
{
    same(REFUSED, peers(NULL, "A"), "peers");
    same(REFUSED, hosts("A"), "nodes");
}

static void take_not_found(void)
{
    same("-46", peers(NULL, "A"), "peers");
    same("-46", hosts("A"), "nodes");
}

static void take_nothing(void)
{
    same("", peers(NULL, "A"), "peers");
    same("(null)", hosts("A"), "nodes");
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

static void answer_the_dead(struct ask *copy)
{
    reply_status(copy, PMIX_ERR_NOT_SUPPORTED);
    tell("0 is gone");
}

static pmix_status_t hold(struct ask *ask)
{
    return later(ask, "killed", answer_the_dead);
}

static void kill_asker(void)
{
    await_upcalls(ON_QUERY, 1);
    rank_kill("A", 0, SIGKILL);
    tell("killed");
}

static void ask_again_inside(struct ask *copy)
{
    (void) peers(NULL, "A");
    reply_status(copy, PMIX_ERR_NOT_SUPPORTED);
}

static pmix_status_t recurse(struct ask *ask)
{
    return told("recursion") > 0 ? PMIX_ERR_NOT_SUPPORTED
                                 : (tell("recursion"), later(ask, NULL, ask_again_inside));
}

static void ask_once(void)
{
    same("A:0", peers(NULL, "A"), "the registered peers");
}

static void check_bounded(void)
{
    check(upcalls(ON_QUERY, -1) <= 4, "%d questions", upcalls(ON_QUERY, -1));
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

static pmix_status_t answer_table(struct ask *ask)
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
        same("A:0,A:1,A:2,A:3", peers(NULL, "A"), "all four");
        tell("seen four");
        await("2 is gone");
        same("A:0,A:1,A:3", peers(NULL, "A"), "three");
        tell("forbid");
        same(REFUSED, peers(NULL, "A"), "the host's status");
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

    check(upcalls(ON_QUERY, -1) == 3, "%d questions for three calls", upcalls(ON_QUERY, -1));
    for (int i = 0; i < upcalls(ON_QUERY, -1); i++) {
        const struct record *r = upcall(ON_QUERY, -1, i);

        asked = record_info(r, PMIX_QUERY_RESOLVE_PEERS);
        check(r->proc.rank == 0 && asked != NULL && note_info(asked, PMIX_USERID) != NULL &&
                  note_info(asked, PMIX_GRPID) != NULL && note_info(asked, PMIX_HOSTNAME) != NULL,
              "question %d is whole", i);
    }
}

/* ---- the way by memory */

static void ask_a_stopped_server(void)
{
    take_servers_word();
    kill(server_pid(0), SIGSTOP);
    take_servers_word();
    kill(server_pid(0), SIGCONT);
}

static void ask_thrice(void)
{
    for (int i = 0; i < 3; i++) {
        same("A:0,A:1,A:2", peers(NULL, "A"), "the registered peers");
    }
}

static void check_decliner(void)
{
    check(upcalls(ON_QUERY, -1) >= 1 && upcalls(ON_QUERY, -1) <= 9, "%d questions for nine calls",
          upcalls(ON_QUERY, -1));
}

/* ---- a tool and its servers */

static pmix_status_t name_node(struct ask *ask)
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
    {.ids = "RES-055",
     .what = "without a server, peers are rebuilt from the maps",
     .setup = two_nodes_one_here,
     .client = rebuild_without_server,
     .script = die_when_ready,
     .raw = true,
     .dirty = true},
    {.ids = "RES-017 RES-024 RES-025 RES-026",
     .what = "the host is asked, and its word counts",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_flat}},
     .client = take_hosts_word,
     .after = check_question,
     .ours_only = HOST_FIRST},
    {.ids = "RES-027",
     .what = "the host may wrap its answer as the result of a query",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_wrapped}},
     .client = take_hosts_word,
     .ours_only = HOST_FIRST},
    {.ids = "RES-018",
     .what = "the server's own process asks the host too",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_flat}},
     .script = ask_inside_server,
     .client = wait_asked,
     .after = check_server_asked,
     .ours_only = HOST_FIRST},
    {.ids = "RES-019",
     .what = "a host without the entry leaves it to the server",
     .ranks = 3,
     .client = take_servers_word},
    {.ids = "RES-020 S04",
     .what = "a host that declines at once leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {AT_ONCE, PMIX_ERR_NOT_SUPPORTED}},
     .client = take_servers_word},
    {.ids = "RES-021 S04",
     .what = "a host that declines by callback leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_NOT_SUPPORTED}},
     .client = take_servers_word},
    {.ids = "RES-022",
     .what = "another status of the host is the answer, at once",
     .ranks = 3,
     .host = {[ON_QUERY] = {AT_ONCE, PMIX_ERR_NO_PERMISSIONS}},
     .client = take_refusal,
     .ours_only = HOST_FIRST},
    {.ids = "RES-022",
     .what = "another status of the host is the answer, by callback",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_NOT_FOUND}},
     .client = take_not_found,
     .ours_only = HOST_FIRST},
    {.ids = "RES-023",
     .what = "success with nothing is nobody, nowhere",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_SUCCESS}},
     .client = take_nothing,
     .ours_only = HOST_FIRST},
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
    {.ids = "RES-032",
     .what = "without the host's entry a stopped server is not missed",
     .ranks = 3,
     .client = ask_a_stopped_server,
     .form = SHARED,
     .ours_only = "the way by memory is ours"},
    {.ids = "RES-032",
     .what = "a host that declines may be spared the next question",
     .ranks = 3,
     .host = {[ON_QUERY] = {AT_ONCE, PMIX_ERR_NOT_SUPPORTED}},
     .client = ask_thrice,
     .after = check_decliner,
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
