/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job on several nodes (pmixrun --nodes) that does one thing, named by its first
 * argument; the second is the number of nodes. Ranks are dealt to nodes in blocks. Used by
 * run_nodes.sh. */

#include "across.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- fences: many in a row, some late, new data each time; then of the first and the last
 * alone */

static void act_fences(void)
{
    const char *how =
        getenv("PMIX_MCA_gds") ? PMIX_IMMEDIATE : PMIX_OPTIONAL; /* where segments are, at hand */
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

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    {"layout", act_layout},   {"scopes", act_scopes},   {"fences", act_fences},
    {"plain", act_plain},     {"late", act_late},       {"events", act_events},
    {"publish", act_publish}, {"group", act_group},     {"lost", act_lost},
    {"timeout", act_timeout}, {"connect", act_connect}, {"child", act_child},
    {"stay", act_stay},       {"monitor", act_monitor}, {"over", act_over},
    {"brief", act_brief},     {"nothing", act_nothing},
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
    bool done = false;
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(argv[1], acts[i].name) == 0) {
            acts[i].act();
            done = true;
        }
    }
    expect(done, "what is to be done?");
    must(PMIx_Finalize(NULL, 0), "finalize");
    return failures == 0 ? 0 : 98;
}
