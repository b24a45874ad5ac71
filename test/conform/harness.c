/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One example of each thing that the harness can do. They are also its tests. */

#include "lib/conform.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void put_number(const char *key, uint32_t number)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};

    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, key, &v), "put %s", key);
}

static uint32_t get_number(const char *nspace, pmix_rank_t rank, const char *key)
{
    pmix_value_t *v = NULL;
    uint32_t number = UINT32_MAX;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    if (check_status(PMIX_SUCCESS, PMIx_Get(&proc, key, NULL, 0, &v), "get %s of %s:%u", key,
                     nspace, rank)) {
        number = v->data.uint32;
        PMIX_VALUE_RELEASE(v);
    }
    return number;
}

/* ---- a job, and the records of its upcalls */

static void see_job(void)
{
    check(get_number(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == 3,
          "the job has three processes");
}

static void check_clients(void)
{
    check(upcalls(ON_CONNECTED, 0) == 3 && upcalls(ON_FINALIZED, -1) == 3, "%d came, %d went",
          upcalls(ON_CONNECTED, 0), upcalls(ON_FINALIZED, -1));
}

/* ---- two nodes */

static void exchange(void)
{
    pmix_rank_t other = (me.rank + 2) % 4;

    put_number("number", me.rank + 100);
    check_status(PMIX_SUCCESS, PMIx_Commit(), "commit");
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "fence");
    check(get_number(me.nspace, other, "number") == other + 100, "what the other node posted");
}

static void check_exchange(void)
{
    check(upcalls(ON_FENCE, 0) == 1 && upcalls(ON_FENCE, 1) == 1, "one upcall on each node");
    check(record_names(upcall(ON_FENCE, 1, 0), "A", PMIX_RANK_WILDCARD),
          "the upcall names the job");
    check(upcalls(ON_MODEX, -1) > 0, "what was not collected is fetched");
}

/* ---- answers of the host */

static void publish_something(void)
{
    struct infos list = {0};

    add_text(&list, "word", "hello");
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Publish(list.at, list.n), "publish, refused");
    free_infos(&list);
}

static void check_published(void)
{
    const struct note *word = record_info(upcall(ON_PUBLISH, 0, 0), "word");

    check(word != NULL && strcmp(word->text, "hello") == 0, "the host saw what was published");
}

static void look_late(void)
{
    pmix_pdata_t *pdata;

    PMIX_PDATA_CREATE(pdata, 1);
    PMIX_LOAD_KEY(pdata[0].key, "nothing");
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Lookup(pdata, 1, NULL, 0), "lookup");
    check(told("enough"), "the answer waited");
    PMIX_PDATA_FREE(pdata, 1);
}

static void let_look(void)
{
    await_upcalls(ON_LOOKUP, 1);
    tell("enough");
}

static void exchange_late(void)
{
    exchange();
    check(told("enough"), "the sound answer waited");
}

static void let_fence(void)
{
    await_upcalls(ON_FENCE, 2);
    tell("enough");
}

static pmix_status_t answer_query(struct upcall *ask)
{
    struct infos list = {0};

    add_text(&list, ask->queries[0].keys[0], "42");
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void ask_query(void)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    int rc;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, "conform.answer");
    check_status(PMIX_SUCCESS, rc, "append");
    check_status(PMIX_SUCCESS, PMIx_Query_info(&query, 1, &results, &n), "query");
    check(n >= 1, "%zu results", n);
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
}

static void check_query(void)
{
    const struct record *r = upcall(ON_QUERY, 0, 0);

    check(r != NULL && r->proc.rank == 0 && record_info(r, "conform.answer") != NULL,
          "the host saw the query");
}

/* ---- several jobs; a rank is killed */

static void be_killed(void)
{
    if (strcmp(me.nspace, "B") == 0) {
        tell("B is up");
        await("never");
    }
    await("B is gone");
}

static void kill_b(void)
{
    await_n("B is up", 2);
    rank_kill("B", 1, SIGKILL);
    rank_kill("B", 0, SIGKILL);
    tell("B is gone");
}

/* ---- a tool */

static void be_tool(void)
{
    struct infos list = {0};
    pid_t pid = server_pid(0);
    pmix_proc_t proc;

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    if (check_status(PMIX_SUCCESS, PMIx_tool_init(&proc, list.at, list.n), "tool_init")) {
        check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    }
    free_infos(&list);
}

static void check_tool(void)
{
    check(upcalls(ON_TOOL, 0) == 1, "the host was asked about the tool");
}

/* ---- no host at all */

static void be_alone(void)
{
    check(strcmp(PMIx_Error_string(PMIX_SUCCESS), PMIx_Error_string(PMIX_ERROR)) != 0,
          "statuses have names");
}

const struct conform_case cases[] = {
    {.ids = "HARNESS",
     .what = "three processes on a node",
     .ranks = 3,
     .client = see_job,
     .after = check_clients},
    {.ids = "HARNESS",
     .what = "two nodes exchange data",
     .nodes = 2,
     .ranks = 2,
     .client = exchange,
     .after = check_exchange},
    {.ids = "HARNESS",
     .what = "the host refuses at once",
     .client = publish_something,
     .after = check_published,
     .host = {[ON_PUBLISH] = {AT_ONCE, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "HARNESS",
     .what = "the host answers late",
     .client = look_late,
     .script = let_look,
     .host = {[ON_LOOKUP] = {CALLBACK, PMIX_ERR_NOT_FOUND, .when = "enough"}}},
    {.ids = "HARNESS",
     .what = "a sound answer from another thread, late",
     .nodes = 2,
     .ranks = 2,
     .client = exchange_late,
     .script = let_fence,
     .after = check_exchange,
     .host = {[ON_FENCE] = {DELAYED, .when = "enough"}}},
    {.ids = "HARNESS",
     .what = "the host has an answer of its own",
     .client = ask_query,
     .after = check_query,
     .host = {[ON_QUERY] = {OWN, .own = answer_query}}},
    {.ids = "HARNESS",
     .what = "of two jobs one is killed",
     .jobs = {{"A", {1}}, {"B", {2}}},
     .client = be_killed,
     .script = kill_b},
    {.ids = "HARNESS",
     .what = "a tool comes and goes",
     .tools = 1,
     .tool = be_tool,
     .after = check_tool},
    {.ids = "HARNESS", .what = "a process without a host", .alone = true, .client = be_alone},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
