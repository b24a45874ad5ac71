/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What an answer of the host means, and what it leaves to the server: resolve calls and queries
 * (docs/decisions/0018-what-a-host-leaves-open.md). */

#include "lib/answers.h"
#include "lib/queries.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HOST_FIRST "asking the host first came with 6.x"
#define REFUSED    "-23" /* PMIX_ERR_NO_PERMISSIONS */
#define TIMED_OUT  "-24"

/* ---- the host answers */

/* The answer as the host's table has it: rank 1 is gone. */
static void answer_live(struct upcall *ask, bool wrapped)
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

static pmix_status_t answer_flat(struct upcall *ask)
{
    answer_live(ask, false);
    return PMIX_SUCCESS;
}

static pmix_status_t answer_wrapped(struct upcall *ask)
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

    if (!check_for("RES-017",
                   upcalls(ON_QUERY, -1) == 2 && peers_asked != NULL && nodes_asked != NULL,
                   "one question for each")) {
        return;
    }
    check_for("RES-025", strcmp(r->proc.nspace, "A") == 0 && r->proc.rank == 0,
              "it names who asks");
    n = note_info(peers_asked, PMIX_NSPACE);
    check_for("RES-026", n != NULL && strcmp(n->text, "A") == 0, "the namespace");
    n = note_info(peers_asked, PMIX_HOSTNAME);
    check_for("RES-026", n != NULL && strcmp(n->text, "node0") == 0, "a concrete node");
    n = note_info(peers_asked, PMIX_USERID);
    check_for("RES-025", n != NULL && n->number == geteuid(), "the user");
    n = note_info(peers_asked, PMIX_GRPID);
    check_for("RES-025", n != NULL && n->number == getegid(), "the group");
    n = note_info(nodes_asked, PMIX_NSPACE);
    check_for("RES-026", n != NULL && strcmp(n->text, "A") == 0, "the namespace of the nodes");
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

static void take_servers_word_inside(void)
{
    take_servers_word();
    tell("asked");
}

static void take_servers_word_and_wait(void)
{
    take_servers_word();
    await("asked");
}

static void take_refusal(void)
{
    same(REFUSED, peers(NULL, "A"), "peers");
    same(REFUSED, hosts("A"), "nodes");
}

static void take_late_refusal(void)
{
    same("-24", peers(NULL, "A"), "peers");
    same("-24", hosts("A"), "nodes");
}

/* Errors that the library gives for reasons of its own, too; of a host they are its answer. */
static const pmix_status_t refusals[] = {
    PMIX_ERR_UNREACH,   PMIX_ERR_LOST_CONNECTION,   PMIX_ERR_WOULD_BLOCK,
    PMIX_ERR_NOMEM,     PMIX_ERR_INVALID_NAMESPACE, PMIX_ERR_DATA_VALUE_NOT_FOUND,
    PMIX_ERR_BAD_PARAM, PMIX_ERR_TYPE_MISMATCH,     PMIX_ERR_UNPACK_FAILURE,
    PMIX_ERR_INIT,      PMIX_ERR_OUT_OF_RESOURCE,   PMIX_ERROR,
};
enum { N_REFUSALS = sizeof(refusals) / sizeof(refusals[0]) };

/* One after the other: all of them at once, then all by callback. */
static pmix_status_t refuse_in_turn(struct upcall *ask)
{
    int turn = told("refused");
    pmix_status_t status = refusals[turn % N_REFUSALS];

    tell("refused");
    if (turn < N_REFUSALS) {
        return status;
    }
    reply_status(ask, status);
    return PMIX_SUCCESS;
}

static void take_every_refusal(void)
{
    for (int i = 0; i < 2 * N_REFUSALS; i++) {
        char want[16];

        snprintf(want, sizeof(want), "%d", refusals[i % N_REFUSALS]);
        same(want, i % 2 == 0 ? peers(NULL, "A") : hosts("A"), "%s",
             i < N_REFUSALS ? "at once" : "later");
    }
}

/* Each call gets another form of nothing under the key that was asked for. */
static pmix_status_t answer_nobody(struct upcall *ask)
{
    const char *key = ask->queries[0].keys[0];
    bool peers_asked = strcmp(key, PMIX_QUERY_RESOLVE_PEERS) == 0;
    bool first = told(key) == 0;
    struct infos list = {0};

    tell(key);
    if (peers_asked && first) {
        add_procs(&list, key, NULL, 0);
    } else if (first) {
        add_text(&list, key, "");
    } else {
        add(&list, key, NULL, PMIX_UNDEF);
    }
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

/* Success, with something else than what was asked for. */
static pmix_status_t answer_beside(struct upcall *ask)
{
    struct infos list = {0};

    add_text(&list, "a.site.key", "something");
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void take_nobody(void)
{
    for (int i = 0; me.rank == 0 && i < 2; i++) {
        same("", peers(NULL, "A"), "peers");
        same("(null)", hosts("A"), "nodes");
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

/* Declines one kind, and answers the other unlike the server. */
static pmix_status_t answer_nodes_only(struct upcall *ask)
{
    return strcmp(ask->queries[0].keys[0], PMIX_QUERY_RESOLVE_PEERS) == 0 ? PMIX_ERR_NOT_SUPPORTED
                                                                          : answer_flat(ask);
}

static pmix_status_t answer_peers_only(struct upcall *ask)
{
    return strcmp(ask->queries[0].keys[0], PMIX_QUERY_RESOLVE_NODE) == 0 ? PMIX_ERR_NOT_SUPPORTED
                                                                         : answer_flat(ask);
}

static void take_hosts_nodes(void)
{
    same_for("RES-020", "A:0,A:1,A:2", peers(NULL, "A"), "the registered peers");
    same("moved,away", hosts("A"), "the host's nodes");
    same_for("RES-020", "A:0,A:1,A:2", peers(NULL, "A"), "the registered peers again");
    same("moved,away", hosts("A"), "the host's nodes again");
}

static void take_hosts_peers(void)
{
    same_for("RES-020", "node0", hosts("A"), "the registered nodes");
    same("A:0,A:2", peers(NULL, "A"), "the host's peers");
    same_for("RES-020", "node0", hosts("A"), "the registered nodes again");
    same("A:0,A:2", peers(NULL, "A"), "the host's peers again");
}

static void miss_no_server_for_peers(void)
{
    if (me.rank == 0) {
        take_hosts_nodes();
        kill(server_pid(0), SIGSTOP);
        same("A:0,A:1,A:2", peers(NULL, "A"), "the registered peers, from the segment");
        kill(server_pid(0), SIGCONT);
        same("moved,away", hosts("A"), "the host's nodes still");
    }
}

static void check_kinds(void)
{
    int nodes = 0;
    int n = upcalls(ON_QUERY, -1);

    for (int i = 0; i < n; i++) {
        nodes += record_info(upcall(ON_QUERY, -1, i), PMIX_QUERY_RESOLVE_NODE) != NULL;
    }
    check(n - nodes == 1, "%d questions for peers", n - nodes);
    check(nodes == 3, "%d questions for nodes", nodes);
}

/* ---- queries */

/* Says success whatever it has: one key of its own, or something that nobody asked for. */
static pmix_status_t always_glad(struct upcall *ask)
{
    struct infos list = {0};

    for (int k = 0; ask->queries[0].keys[k] != NULL; k++) {
        if (strcmp(ask->queries[0].keys[k], "conform.a") == 0) {
            add_text(&list, "conform.a", "known");
        } else if (strcmp(ask->queries[0].keys[k], "conform.beside") == 0) {
            add_text(&list, "elsewhere", "unasked");
        }
    }
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void fill_success(void)
{
    struct asked both = ask_one("conform.a," PMIX_QUERY_NAMESPACES, NULL);
    struct asked some;
    struct asked other;

    check_status_for("QRY-001", PMIX_SUCCESS, both.rc, "one key of the host, one of the server");
    same_for("QRY-001", "known", said(&both, 0, "conform.a"), "the host's");
    same_for("QRY-028", me.nspace, said(&both, 0, PMIX_QUERY_NAMESPACES), "the server's");
    free_asked(&both);
    check_status_for("QRY-002", PMIX_ERR_NOT_FOUND, ask_one("other.x", NULL).rc,
                     "success with nothing at all");
    some = ask_one("other.x,conform.a", NULL);
    check_status_for("QRY-003", PMIX_ERR_PARTIAL_SUCCESS, some.rc, "success with one of two");
    same_for("QRY-003", "known", said(&some, 0, "conform.a"), "the known one");
    free_asked(&some);
    other = ask_one("conform.beside", NULL);
    check_status_for("QRY-001", PMIX_SUCCESS, other.rc,
                     "success with another key is the host's business");
    free_asked(&other);
}

/* ---- gets that the host answers */

static void get_in_time(void)
{
    static const char *const keys[] = {PMIX_PSET_NAMES, PMIX_GROUP_NAMES, PMIX_LOCAL_PROCS};
    struct infos list = {0};
    int second = 1;

    add(&list, PMIX_TIMEOUT, &second, PMIX_INT);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        same(TIMED_OUT, got("A", 0, keys[i], list.at, list.n), "%s", keys[i]);
    }
    free_infos(&list);
}

static pmix_status_t answer_names(struct upcall *ask)
{
    struct infos flat = {0};
    struct infos wrap = {0};

    add_text(&flat, PMIX_PSET_NAMES, "one,two");
    add_array(&wrap, PMIX_QUERY_RESULTS, &flat);
    reply_infos(ask, PMIX_SUCCESS, wrap.at, wrap.n);
    free_infos(&wrap);
    return PMIX_SUCCESS;
}

static void get_names(void)
{
    same("one,two", got("A", 0, PMIX_PSET_NAMES, NULL, 0), "the host's names");
}

const struct conform_case cases[] = {
    {.ids = "RES-017 RES-024 RES-025 RES-026",
     .otherwise = "RES-024",
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
     .own_host = true,
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
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_TIMEOUT}},
     .client = take_late_refusal,
     .ours_only = HOST_FIRST},
    {.ids = "RES-022",
     .what = "an error of the host is the answer, whatever it means of the library",
     .host = {[ON_QUERY] = {OWN, .own = refuse_in_turn}},
     .client = take_every_refusal,
     .ours_only = HOST_FIRST},
    {.ids = "RES-019",
     .what = "success at once, without an answer, leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}},
     .client = take_servers_word,
     .ours_only = HOST_FIRST},
    {.ids = "RES-023",
     .what = "success with nothing under the key is nobody, nowhere",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_nobody}},
     .client = take_nobody,
     .ours_only = HOST_FIRST},
    {.ids = "RES-019",
     .what = "success without any answer leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_SUCCESS}},
     .client = take_servers_word},
    {.ids = "RES-019",
     .what = "success without the key leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_beside}},
     .client = take_servers_word},
    {.ids = "RES-019",
     .what = "a host that does not find the key leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_NOT_FOUND}},
     .client = take_servers_word},
    {.ids = "RES-019",
     .what = "a host that cannot read the question leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_INVALID_VAL}},
     .script = take_servers_word_inside,
     .client = take_servers_word_and_wait},
    {.ids = "RES-019",
     .what = "part of an answer without the key leaves it to the server",
     .ranks = 3,
     .host = {[ON_QUERY] = {CALLBACK, PMIX_ERR_PARTIAL_SUCCESS}},
     .client = take_servers_word},
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
    {.ids = "RES-020 RES-032",
     .otherwise = "RES-032",
     .what = "a host that declines peers is still asked for nodes",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_nodes_only}},
     .client = take_hosts_nodes,
     .ours_only = HOST_FIRST},
    {.ids = "RES-020 RES-032",
     .otherwise = "RES-032",
     .what = "a host that declines nodes is still asked for peers",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_peers_only}},
     .client = take_hosts_peers,
     .ours_only = HOST_FIRST},
    {.ids = "RES-020 RES-032",
     .otherwise = "RES-032",
     .what = "peers that the host declines cost no message",
     .ranks = 3,
     .host = {[ON_QUERY] = {OWN, .own = answer_nodes_only}},
     .client = miss_no_server_for_peers,
     .after = check_kinds,
     .form = SHARED,
     .ours_only = "the way by memory is ours"},
    {.ids = "QRY-001 QRY-002 QRY-003 QRY-028",
     .what = "what a host leaves out of a success",
     .client = fill_success,
     .host = {[ON_QUERY] = {OWN, .own = always_glad}},
     .ours_only = "the other library passes on success without an answer"},
    {.ids = "GET-022",
     .what = "a get of what only the host knows ends in time",
     .host = {[ON_QUERY] = {NEVER}},
     .client = get_in_time,
     .ours_only = "the other library does not ask the host"},
    {.ids = "PST-004",
     .what = "the host answers for a process in the nested form",
     .host = {[ON_QUERY] = {OWN, .own = answer_names}},
     .client = get_names,
     .ours_only = "the other library does not ask the host"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
