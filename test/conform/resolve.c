/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Resolve_peers and PMIx_Resolve_nodes: the shape of the calls, and how what is known grows
 * and shrinks. */

#include "lib/answers.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INVALID_NAMESPACE "-44"

/* ---- the shape of the calls */

static void ask_simply(void)
{
    same_for("RES-001 RES-008 RES-019", "A:0,A:1,A:2", peers(NULL, "A"),
             "no node is the caller's own");
    same_for("RES-002", peers("node0", "A"), peers(NULL, "A"), "the own node by its name");
    same_for("RES-007", "node0", hosts("A"), "nodes");
    same_for("RES-063", "0,1,2", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, NULL, 0),
             "the peers by PMIx_Get");
}

static void compare_everybody(const char *want)
{
    pmix_value_t *v = NULL;
    pmix_proc_t *procs;
    size_t n;

    same_for("RES-003", want, peers_sorted(NULL, NULL), "no node, no namespace");
    same_for("RES-003", want, peers_sorted(NULL, ""), "no node, an empty namespace");
    same_for("RES-003", want, peers_sorted("node0", NULL), "the node by name");
    if (check_status_for("KEY-023", PMIX_SUCCESS, PMIx_Get(&me, PMIX_LOCAL_PROCS, NULL, 0, &v),
                         "local processes")) {
        procs = v->data.darray->array;
        n = 0;
        check_status_for("RES-003", PMIX_SUCCESS, PMIx_Resolve_peers(NULL, NULL, &procs, &n),
                         "peers");
        check_for("RES-004",
                  v->data.darray->type == PMIX_PROC && n == v->data.darray->size &&
                      memcmp(procs, v->data.darray->array, n * sizeof(*procs)) == 0,
                  "PMIX_LOCAL_PROCS says the same, in the same order");
        PMIX_PROC_FREE(procs, n);
        PMIX_VALUE_RELEASE(v);
    }
}

static void see_everybody(void)
{
    if (strcmp(me.nspace, "B") == 0) {
        compare_everybody("A:0,A:1,A:2,A:3,B:0,B:1");
        same_for("RES-003", "R:0,R:1", peers_sorted("node1", NULL), "another node");
        tell("seen");
        await("A is gone");
        compare_everybody("B:0,B:1");
    } else if (strcmp(me.nspace, "A") == 0) {
        await_n("seen", 2);
    }
}

static void deregister_a(void)
{
    if (node() == 0) {
        job_end("A");
        job_deregister("A");
        tell("A is gone");
    }
}

static void release_all(void)
{
    struct mallinfo2 before = {0};
    struct mallinfo2 after;

    for (int i = 0; i < 10100; i++) {
        if (i == 100) {
            before = mallinfo2();
        }
        (void) peers(NULL, "A");
        (void) hosts("A");
    }
    after = mallinfo2();
    check(after.uordblks <= before.uordblks + 65536, "memory in use grew from %zu to %zu",
          before.uordblks, after.uordblks);
}

static void order_peers(const struct job *job, struct infos *list)
{
    (void) job;
    drop(list, PMIX_LOCAL_PEERS);
    add_text(list, PMIX_LOCAL_PEERS, "2,0,1");
}

static void see_order(void)
{
    same("A:2,A:0,A:1", peers(NULL, "A"), "in the order of the host");
}

static void give_nothing(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;

    check_status(PMIX_ERR_BAD_PARAM, PMIx_Resolve_peers(NULL, me.nspace, NULL, &n),
                 "no place for processes");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Resolve_peers(NULL, me.nspace, &procs, NULL),
                 "no place for their number");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Resolve_nodes(me.nspace, NULL), "no place for nodes");
}

static void ask_outside(void)
{
    char init[16];

    snprintf(init, sizeof(init), "%d", PMIX_ERR_INIT);
    same(init, peers(NULL, "A"), "peers before PMIx_Init");
    same(init, hosts("A"), "nodes before PMIx_Init");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    same("A:0", peers(NULL, "A"), "between");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    same(init, peers(NULL, "A"), "peers after PMIx_Finalize");
    same(init, hosts("A"), "nodes after PMIx_Finalize");
}

static void *ask_often(void *arg)
{
    (void) arg;
    for (int i = 0; i < 1000; i++) {
        bool well =
            same("A:0,A:1,A:2", peers(NULL, "A"), "peers") && same("node0", hosts("A"), "nodes") &&
            same(INVALID_NAMESPACE, i % 50 == 0 ? peers(NULL, "none") : INVALID_NAMESPACE, "none");
        if (!well) {
            break;
        }
    }
    return NULL;
}

static void ask_at_once(void)
{
    pthread_t threads[16];
    int n = 0;

    while (n < 16 && pthread_create(&threads[n], NULL, ask_often, NULL) == 0) {
        n++;
    }
    check(n == 16, "%d threads", n);
    while (n > 0) {
        pthread_join(threads[--n], NULL);
    }
}

/* ---- growth */

static void both(pmix_proc_t procs[2])
{
    PMIX_LOAD_PROCID(&procs[0], "A", PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&procs[1], "B", PMIX_RANK_WILDCARD);
}

static void see_each_other(void)
{
    bool in_a = strcmp(me.nspace, "A") == 0;
    const char *other = in_a ? "B" : "A";
    struct infos now = {0};

    add_true(&now, PMIX_IMMEDIATE);
    same_for("RES-057 RES-042", in_a ? "B:0,B:1,B:2" : "A:0,A:1", peers(NULL, other),
             "the peers of %s", other);
    same_for("RES-036", "node0", hosts(other), "the nodes of %s", other);
    same_for("RES-057", in_a ? "3" : "2",
             got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, now.at, now.n), "the size of %s", other);
    free_infos(&now);
}

static void connect_jobs(void)
{
    pmix_proc_t procs[2];

    both(procs);
    check_status(PMIX_SUCCESS, PMIx_Connect(procs, 2, NULL, 0), "connect");
    see_each_other();
    check_status(PMIX_SUCCESS, PMIx_Disconnect(procs, 2, NULL, 0), "disconnect");
    if (strcmp(me.nspace, "A") == 0 && me.rank == 0) {
        check_status(PMIX_ERR_INVALID_OPERATION, PMIx_Disconnect(procs, 2, NULL, 0),
                     "disconnect again");
    }
}

static void check_connects(void)
{
    check(upcalls(ON_CONNECT, -1) == 1, "%d upcalls of connect", upcalls(ON_CONNECT, -1));
    check(upcalls(ON_DISCONNECT, -1) == 1, "%d upcalls of disconnect", upcalls(ON_DISCONNECT, -1));
}

/* The two jobs live on different nodes, whose servers know only their own. When they meet, a host
 * tells its server of the other job first. */
static void own_jobs(void)
{
    jobs_apart("A", "B");
}

static void introduce(struct upcall *copy)
{
    job_register(node() == 0 ? "B" : "A");
    if (sound_answer(copy) != PMIX_SUCCESS) {
        reply_status(copy, PMIX_ERROR);
    }
}

static pmix_status_t introduce_later(struct upcall *ask)
{
    return told("met") >= 2 ? sound_answer(ask) : (tell("met"), later(ask, NULL, introduce));
}

static void meet_by_connect(void)
{
    bool in_a = strcmp(me.nspace, "A") == 0;
    const char *other = in_a ? "B" : "A";
    pmix_proc_t procs[2];

    both(procs);
    same_for("RES-056 RES-059", INVALID_NAMESPACE, peers(NULL, other),
             "before, nobody has told of %s", other);
    check_status(PMIX_SUCCESS, PMIx_Connect(procs, 2, NULL, 0), "connect");
    same_for("RES-057", in_a ? "node1" : "node0", hosts(other), "the nodes of %s", other);
    same_for("RES-057", in_a ? "B:0,B:1" : "A:0,A:1", peers(in_a ? "node1" : "node0", other),
             "the peers of %s", other);
    check_status(PMIX_SUCCESS, PMIx_Disconnect(procs, 2, NULL, 0), "disconnect");
}

static void meet_by_group(void)
{
    bool in_a = strcmp(me.nspace, "A") == 0;
    const char *other = in_a ? "B" : "A";
    pmix_proc_t procs[4];
    pmix_info_t *results = NULL;
    size_t n = 0;

    PMIX_LOAD_PROCID(&procs[0], "A", 0);
    PMIX_LOAD_PROCID(&procs[1], "A", 1);
    PMIX_LOAD_PROCID(&procs[2], "B", 0);
    PMIX_LOAD_PROCID(&procs[3], "B", 1);
    same(INVALID_NAMESPACE, peers(NULL, other), "before, nobody has told of %s", other);
    check_status(PMIX_SUCCESS, PMIx_Group_construct("both", procs, 4, NULL, 0, &results, &n),
                 "construct");
    PMIX_INFO_FREE(results, n);
    same(in_a ? "node1" : "node0", hosts(other), "the nodes of %s", other);
    same(in_a ? "B:0,B:1" : "A:0,A:1", peers(in_a ? "node1" : "node0", other), "the peers of %s",
         other);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("both", NULL, 0), "destruct");
}

static void see_later_job(void)
{
    if (strcmp(me.nspace, "A") == 0) {
        same_for("RES-016", INVALID_NAMESPACE, peers(NULL, "B"), "before it is registered");
        tell("asked");
        await("B is there");
        same_for("RES-016", "B:0", peers(NULL, "B"), "as soon as it is registered");
        same_for("RES-016", "node0", hosts("B"), "its nodes");
        tell("seen");
        await("B is gone");
        same_for("RES-061", INVALID_NAMESPACE, peers(NULL, "B"), "peers of what was deregistered");
        same_for("RES-061", INVALID_NAMESPACE, hosts("B"), "nodes of what was deregistered");
    }
}

static void add_and_remove(void)
{
    await("asked");
    job_register("B");
    tell("B is there");
    await("seen");
    job_deregister("B");
    tell("B is gone");
}

static void see_remote_job(void)
{
    if (strcmp(me.nspace, "R") == 0) {
        return;
    }
    same("R:0,R:1,R:2", peers("node1", "R"), "peers on the other node");
    same_for("RES-060 SRV-014", "", peers(NULL, "R"), "none on this one");
    same("node1", hosts("R"), "its node");
}

static void swap_ranks(const struct job *job, struct infos *list)
{
    (void) job;
    if (told("asked") > 0 && node() == 0) {
        drop(list, PMIX_LOCAL_PEERS);
        add_text(list, PMIX_LOCAL_PEERS, "1,0");
    }
}

static void see_change(void)
{
    same("A:0,A:1", peers(NULL, "A"), "at first");
    tell("asked");
    await("changed");
    same_for("RES-062 SRV-015", "A:1,A:0", peers(NULL, "A"), "after another registration");
}

static void register_again(void)
{
    await_n("asked", 2);
    job_register("A");
    tell("changed");
}

/* ---- a large job: 100,000 processes on 1,000 nodes */

enum { LARGE_NODES = 1000, LARGE_EACH = 100 };

static void note_end(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    check_status(PMIX_SUCCESS, status, "the large job");
    tell("large");
}

static void register_large(void)
{
    char *nodes = calloc(LARGE_NODES, 8);
    char *ppn = calloc(LARGE_NODES, 16);
    struct infos list = {0};
    pmix_nspace_t name;
    char *made = NULL;
    size_t at = 0;
    size_t end = 0;

    PMIX_LOAD_NSPACE(name, "large");
    for (int i = 0; i < LARGE_NODES; i++) {
        at += (size_t) sprintf(nodes + at, "%sn%d", i > 0 ? "," : "", i);
        end += (size_t) sprintf(ppn + end, "%s%d-%d", i > 0 ? ";" : "", i * LARGE_EACH,
                                (i + 1) * LARGE_EACH - 1);
    }
    check_status(PMIX_SUCCESS, PMIx_generate_regex(nodes, &made), "regex");
    add(&list, PMIX_NODE_MAP, made, PMIX_REGEX);
    free(made);
    made = NULL;
    check_status(PMIX_SUCCESS, PMIx_generate_ppn(ppn, &made), "ppn");
    add(&list, PMIX_PROC_MAP, made, PMIX_REGEX);
    free(made);
    add_u32(&list, PMIX_JOB_SIZE, LARGE_NODES * LARGE_EACH);
    check_status(PMIX_SUCCESS,
                 PMIx_server_register_nspace(name, 0, list.at, list.n, note_end, NULL), "register");
    await("large");
    free_infos(&list);
    free(nodes);
    free(ppn);
}

static void sweep_large(void)
{
    pmix_nspace_t large;
    size_t total = 0;

    PMIX_LOAD_NSPACE(large, "large");
    await("large");
    for (int i = 0; i < LARGE_NODES; i++) {
        pmix_proc_t *procs = NULL;
        size_t n = 0;
        char name[16];

        snprintf(name, sizeof(name), "n%d", i);
        check_status(PMIX_SUCCESS, PMIx_Resolve_peers(name, large, &procs, &n), "peers on %s",
                     name);
        check(n == LARGE_EACH && procs[0].rank == (pmix_rank_t) i * LARGE_EACH &&
                  procs[n - 1].rank == (pmix_rank_t) (i + 1) * LARGE_EACH - 1,
              "the right ones on %s", name);
        total += n;
        PMIX_PROC_FREE(procs, n);
    }
    check(total == LARGE_NODES * LARGE_EACH, "%zu in all", total);
}

const struct conform_case cases[] = {
    {.ids = "RES-001 RES-002 RES-007 RES-008 RES-019 RES-063",
     .what = "a node's peers and a job's nodes",
     .own_host = true,
     .ranks = 3,
     .client = ask_simply},
    {.ids = "RES-003 RES-004 KEY-023 S06",
     .what = "without a namespace, everybody on the node",
     .nodes = 2,
     .jobs = {{"A", {4}}, {"B", {2}}, {"R", {0, 2}}},
     .client = see_everybody,
     .script = deregister_a},
    {.ids = "RES-006",
     .what = "ten thousand answers are given back",
     .ranks = 3,
     .client = release_all},
    {.ids = "RES-009",
     .what = "peers come in the order in which the host lists them",
     .ranks = 3,
     .setup = order_peers,
     .client = see_order},
    {.ids = "RES-011",
     .what = "no place for the result is a bad parameter",
     .client = give_nothing},
    {.ids = "RES-012", .what = "outside of init and finalize", .client = ask_outside, .raw = true},
    {.ids = "RES-013",
     .what = "sixteen threads at once",
     .own_host = true,
     .ranks = 3,
     .client = ask_at_once},
    {.ids = "RES-057 RES-042 RES-036 S01",
     .what = "two jobs connect, see each other and part",
     .jobs = {{"A", {2}}, {"B", {3}}},
     .client = connect_jobs,
     .after = check_connects},
    {.ids = "RES-056 RES-057 RES-059",
     .what = "connect brings what another node's server knows",
     .nodes = 2,
     .jobs = {{"A", {2}, .later = true}, {"B", {0, 2}, .later = true}},
     .script = own_jobs,
     .client = meet_by_connect,
     .host = {[ON_CONNECT] = {OWN, .own = introduce_later}}},
    {.ids = "RES-058",
     .what = "a group brings what another node's server knows",
     .nodes = 2,
     .jobs = {{"A", {2}, .later = true}, {"B", {0, 2}, .later = true}},
     .script = own_jobs,
     .client = meet_by_group,
     .host = {[ON_GROUP] = {OWN, .own = introduce_later}}},
    {.ids = "RES-016 RES-061",
     .what = "a job is known from its registration to its end",
     .jobs = {{"A", {1}}, {"B", {1}, .later = true}},
     .client = see_later_job,
     .script = add_and_remove},
    {.ids = "RES-060 SRV-014",
     .otherwise = "RES-060",
     .what = "a job without local processes",
     .nodes = 2,
     .jobs = {{"A", {1}}, {"R", {0, 3}}},
     .client = see_remote_job},
    {.ids = "RES-062 SRV-015",
     .what = "another registration changes the answer",
     .ranks = 2,
     .setup = swap_ranks,
     .client = see_change,
     .script = register_again},
    {.ids = "RES-064",
     .what = "a sweep over 100,000 processes on 1,000 nodes",
     .script = register_large,
     .client = sweep_large},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
