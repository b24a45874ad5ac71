/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a process gets of itself, of its server and of its library: a client, a server, a tool, and
 * those that have no server. What stock libraries answer, these answer, too. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix_version.h>

#ifndef PMIX_VERSION_NUMERIC
#define PMIX_VERSION_NUMERIC "pmix.vers.num"
#endif

static const pmix_rank_t no_rank[] = {PMIX_RANK_UNDEF, PMIX_RANK_INVALID};

/* The value of a key in the array that a get without a key gives; "(none)" if it is not there, and
 * "(twice)" if it is there more than once. */
static const char *in_all(const pmix_value_t *all, const char *key)
{
    const char *found = "(none)";
    int n = 0;

    if (!check(all->type == PMIX_DATA_ARRAY && all->data.darray->type == PMIX_INFO, "infos")) {
        return found;
    }
    for (size_t i = 0; i < all->data.darray->size; i++) {
        const pmix_info_t *info = (const pmix_info_t *) all->data.darray->array + i;

        if (strcmp(info->key, key) == 0) {
            found = text_of(&info->value);
            n++;
        }
    }
    return n > 1 ? "(twice)" : found;
}

/* Everything of a process in one manner (NULL: as usual), in `room` if it is to be there. */
static pmix_status_t get_all(const pmix_proc_t *proc, const char *manner, pmix_value_t *room,
                             pmix_value_t **ret)
{
    struct infos list = {0};
    pmix_status_t rc;

    *ret = room;
    if (manner != NULL) {
        add_true(&list, manner);
    }
    rc = PMIx_Get(proc, NULL, list.at, list.n, ret);
    free_infos(&list);
    return rc;
}

/* The library says its version whoever is asked. */
static void check_version(void)
{
    static const pmix_rank_t ranks[] = {0, PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF, PMIX_RANK_INVALID};
    char number[16];

    snprintf(number, sizeof(number), "%u", (unsigned) PMIX_NUMERIC_VERSION);
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
        same(number, got(me.nspace, ranks[i], PMIX_VERSION_NUMERIC, NULL, 0), "version, of %u",
             (unsigned) ranks[i]);
        same(PMIx_Get_version(), got(me.nspace, ranks[i], PMIX_VERSION_INFO, NULL, 0),
             "version in words, of %u", (unsigned) ranks[i]);
    }
}

/* The server of this name, by every way to ask for it. */
static void check_server(const char *nspace, const char *rank)
{
    const pmix_rank_t ranks[] = {me.rank, PMIX_RANK_UNDEF};
    char prefix[300];
    pmix_value_t *all;
    const char *uri;

    snprintf(prefix, sizeof(prefix), "%s.%s;", nspace, rank);
    for (size_t i = 0; i < 2; i++) {
        same(nspace, got(me.nspace, ranks[i], PMIX_SERVER_NSPACE, NULL, 0), "its namespace");
        same(rank, got(me.nspace, ranks[i], PMIX_SERVER_RANK, NULL, 0), "its rank");
        uri = got(me.nspace, ranks[i], PMIX_SERVER_URI, NULL, 0);
        check(strncmp(uri, prefix, strlen(prefix)) == 0 && strstr(uri, "://") != NULL,
              "its address: %s", uri);
    }
    if (check_status_for("GET-016", PMIX_SUCCESS, get_all(&me, NULL, NULL, &all), "all of me")) {
        same_for("GET-016", nspace, in_all(all, PMIX_SERVER_NSPACE), "its namespace, among all");
        same_for("GET-016", rank, in_all(all, PMIX_SERVER_RANK), "its rank, among all");
        PMIX_VALUE_RELEASE(all);
    }
}

/* ---- a client */

static void ask_as_client(void)
{
    check_version();
    check_server("conform-host", "0");
    same("-46", got(me.nspace, 1 - me.rank, PMIX_SERVER_URI, NULL, 0), "of another process");
    fence_all(NULL);
}

/* ---- a server */

/* Everything of the server itself and of one of its clients. */
static void read_all(const pmix_proc_t *own)
{
    pmix_proc_t client = process("A", 1);
    pmix_value_t room = {.type = PMIX_UNDEF};
    pmix_value_t *all;
    char rank[16];

    snprintf(rank, sizeof(rank), "%u", (unsigned) own->rank);
    if (check_status_for("GET-016", PMIX_SUCCESS, get_all(own, NULL, NULL, &all),
                         "all of itself")) {
        same_for("GET-016", own->nspace, in_all(all, PMIX_NSPACE), "its namespace");
        same_for("GET-016", rank, in_all(all, PMIX_RANK), "its rank");
        check_for("GET-016", strstr(in_all(all, PMIX_SERVER_URI), "://") != NULL, "its address");
        same_for("GET-016", "mine", in_all(all, "conform.stored"), "what the host has stored");
        PMIX_VALUE_RELEASE(all);
    }
    check_status_for("GET-016", PMIX_SUCCESS, get_all(NULL, NULL, NULL, &all), "nobody is itself");
    PMIX_VALUE_RELEASE(all);
    if (check_status_for("GET-016", PMIX_SUCCESS,
                         get_all(&client, PMIX_GET_STATIC_VALUES, &room, &all), "room")) {
        same_for("GET-016", "1", in_all(all, "number"), "what the client has posted");
        same_for("GET-016", "1", in_all(all, PMIX_LOCAL_RANK), "what the host has registered");
        PMIX_VALUE_DESTRUCT(all);
    }
    client.rank = PMIX_RANK_WILDCARD;
    check_status_for("GET-016", PMIX_ERR_BAD_PARAM, get_all(&client, NULL, NULL, &all),
                     "all of all");
    client.rank = 77;
    check_status_for("GET-016", PMIX_ERR_NOT_FOUND, get_all(&client, PMIX_OPTIONAL, NULL, &all),
                     "of nobody");
}

static void note_all(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) cbdata;
    check_for("GET-016", status == PMIX_SUCCESS && value != NULL && value->type == PMIX_DATA_ARRAY,
              "all by callback: %d", status);
    tell("called back");
}

static void ask_as_server(void)
{
    pmix_proc_t own = process("conform-host", 0);
    pmix_value_t mine = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) "mine"};

    await_n("posted", 2);
    me = own;
    check_version();
    for (size_t i = 0; i < 2; i++) {
        same("conform-host", got(own.nspace, no_rank[i], PMIX_NSPACE, NULL, 0), "my namespace");
        same("0", got(own.nspace, no_rank[i], PMIX_RANK, NULL, 0), "my rank");
        check(strstr(got(own.nspace, no_rank[i], PMIX_SERVER_URI, NULL, 0), "://") != NULL,
              "my address");
    }
    same("node0", got(own.nspace, PMIX_RANK_WILDCARD, PMIX_HOSTNAME, NULL, 0), "my node");
    same("-46", got(own.nspace, PMIX_RANK_WILDCARD, PMIX_RANK, NULL, 0), "nobody's rank");
    check_status(PMIX_SUCCESS, PMIx_Store_internal(&own, "conform.stored", &mine), "store");
    read_all(&own);
    if (check_status(PMIX_SUCCESS, PMIx_Get_nb(&own, NULL, NULL, 0, note_all, NULL), "get_nb")) {
        await("called back");
    }
    tell("asked");
}

static void post(void)
{
    put_number("number", me.rank);
    commit();
    fence_all(NULL);
    tell("posted");
    await("asked");
}

/* ---- a tool */

/* Attaches to the server of a node, which becomes the primary one. */
static void attach(int node)
{
    struct infos list = {0};
    pid_t pid = server_pid(node);

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    add_true(&list, PMIX_PRIMARY_SERVER);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(&me, NULL, list.at, list.n), "attach");
    free_infos(&list);
}

static void ask_as_tool(void)
{
    pmix_proc_t first = process("conform-host", 0);

    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    check_version();
    same(me.nspace, got(me.nspace, me.rank, PMIX_NSPACE, NULL, 0), "my namespace");
    same(me.nspace, got(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOBID, NULL, 0), "my job");
    same("1", got(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "it is alone");
    same("0", got(me.nspace, me.rank, PMIX_LOCAL_RANK, NULL, 0), "its local rank");
    check_server("conform-host", "0");
    attach(1);
    check_server("conform-host", "1");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&first, NULL, 0), "back to the first");
    check_server("conform-host", "0");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

/* ---- without a server */

/* A process that is alone: a job of one process on this node. */
static void check_alone(void)
{
    static const struct {
        const char *key;
        const char *want;
    } known[] = {
        {PMIX_JOB_SIZE, "1"},  {PMIX_UNIV_SIZE, "1"}, {PMIX_LOCAL_SIZE, "1"},
        {PMIX_NODE_SIZE, "1"}, {PMIX_MAX_PROCS, "1"}, {PMIX_LOCAL_PEERS, "0"},
        {PMIX_NUM_NODES, "1"}, {PMIX_LOCALLDR, "0"},  {PMIX_NPROC_OFFSET, "0"},
        {PMIX_PROC_MAP, "0"},
    };
    static const char *const of_me[] = {PMIX_RANK,     PMIX_LOCAL_RANK, PMIX_NODE_RANK,
                                        PMIX_APP_RANK, PMIX_APPNUM,     PMIX_GLOBAL_RANK};
    char own[300];

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        same(known[i].want, got(me.nspace, PMIX_RANK_WILDCARD, known[i].key, NULL, 0), "%s",
             known[i].key);
    }
    for (size_t i = 0; i < sizeof(of_me) / sizeof(of_me[0]); i++) {
        same("0", got(me.nspace, 0, of_me[i], NULL, 0), "my %s", of_me[i]);
    }
    same(me.nspace, got(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOBID, NULL, 0), "my job");
    same("node0", got(me.nspace, 0, PMIX_HOSTNAME, NULL, 0), "my node");
    same("node0", got(me.nspace, PMIX_RANK_WILDCARD, PMIX_NODE_MAP, NULL, 0), "all nodes");
    same_for("RES-014", "node0", hosts(me.nspace), "all nodes, resolved");
    snprintf(own, sizeof(own), "%s:0", me.nspace);
    same_for("RES-014", own, peers(NULL, me.nspace), "all processes of the node");
    same("-46", got(me.nspace, 0, PMIX_SERVER_URI, NULL, 0), "no server");
    check_version();
}

static void be_singleton(void)
{
    pmix_value_t *all;

    setenv("PMIX_HOSTNAME", "node0", 1);
    check_status(PMIX_ERR_UNREACH, PMIx_Init(&me, NULL, 0), "init");
    put_number("number", 5);
    commit();
    check_alone();
    if (check_status(PMIX_SUCCESS, get_all(&me, NULL, NULL, &all), "all of me")) {
        same("5", in_all(all, "number"), "what I posted");
        same("0", in_all(all, PMIX_LOCAL_RANK), "my local rank");
        same("node0", in_all(all, PMIX_HOSTNAME), "my node");
        PMIX_VALUE_RELEASE(all);
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* The name stays when a server is found later. */
static void be_lonely_tool(void)
{
    struct infos list = {0};
    pmix_proc_t first;

    setenv("PMIX_HOSTNAME", "node0", 1);
    add_true(&list, PMIX_TOOL_DO_NOT_CONNECT);
    check_status(PMIX_SUCCESS, PMIx_tool_init(&me, list.at, list.n), "tool_init");
    free_infos(&list);
    PMIX_LOAD_PROCID(&me, got("", PMIX_RANK_INVALID, PMIX_NSPACE, NULL, 0), 0);
    check(me.nspace[0] != '\0' && me.nspace[0] != '-', "a name of its own: %s", me.nspace);
    check_alone();
    first = me;
    attach(0);
    check(PMIX_CHECK_PROCID(&first, &me), "the same name: %s:%u", me.nspace, (unsigned) me.rank);
    check_server("conform-host", "0");
    same("1", got(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "still alone");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void be_named_tool(void)
{
    struct infos list = {0};

    setenv("PMIX_HOSTNAME", "node0", 1);
    add_true(&list, PMIX_TOOL_DO_NOT_CONNECT);
    add_text(&list, PMIX_TOOL_NSPACE, "conform-tool");
    check_status(PMIX_SUCCESS, PMIx_tool_init(&me, list.at, list.n), "tool_init");
    free_infos(&list);
    same("conform-tool", me.nspace, "the name that was given");
    check_alone();
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

#define OTHER_KEYS "4.2 answers fewer keys"

const struct conform_case cases[] = {
    {.ids = "GET-002 GET-016",
     .otherwise = "GET-002",
     .what = "a client asks about itself, its server and its library",
     .own_host = true,
     .ranks = 2,
     .client = ask_as_client,
     .ours_only = OTHER_KEYS},
    {.ids = "SRV-002 GET-016",
     .otherwise = "SRV-002",
     .what = "a server asks about itself, and for everything of a process",
     .ranks = 2,
     .script = ask_as_server,
     .client = post,
     .ours_only = OTHER_KEYS},
    {.ids = "GET-002 GET-016",
     .otherwise = "GET-002",
     .what = "a tool asks about itself and whichever server is the primary one",
     .jobs = {{"A", {1, 1}, .quiet = true}},
     .nodes = 2,
     .tools = 1,
     .server = as_node0,
     .tool = ask_as_tool,
     .ours_only = OTHER_KEYS},
    {.ids = "INI-003 RES-014",
     .otherwise = "INI-003",
     .what = "a singleton is a job of one process",
     .alone = true,
     .client = be_singleton,
     .ours_only = OTHER_KEYS},
    {.ids = "INI-003 RES-014 GET-016",
     .otherwise = "INI-003",
     .what = "a tool without a server has a name, which it keeps when it finds one",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = as_node0,
     .tool = be_lonely_tool,
     .ours_only = OTHER_KEYS},
    {.ids = "INI-003 RES-014",
     .otherwise = "INI-003",
     .what = "a tool without a server is a job of one process under the name that it was given",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = be_named_tool,
     .ours_only = OTHER_KEYS},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
