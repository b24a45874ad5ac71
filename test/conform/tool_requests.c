/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What tools ask for: queries about jobs and queues, tables of processes, the servers of the node,
 * and what queries are not for. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what the host knows */

/* Answers every key with its name and the namespace that is asked about; of a key that starts so it
 * knows nothing. */
static pmix_status_t answer(struct upcall *ask)
{
    struct infos list = {0};

    for (size_t q = 0; q < ask->n_queries; q++) {
        const pmix_query_t *query = &ask->queries[q];
        const char *of = "";

        for (size_t i = 0; i < query->nqual; i++) {
            if (PMIX_CHECK_KEY(&query->qualifiers[i], PMIX_NSPACE)) {
                of = query->qualifiers[i].value.data.string;
            }
        }
        for (int k = 0; query->keys[k] != NULL; k++) {
            if (strncmp(query->keys[k], "conform.", 8) != 0) {
                add_text(&list, query->keys[k], path_named("host %s", of));
            }
        }
    }
    reply_infos(ask, list.n > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static const char *asked_of(const char *key, const char *nspace)
{
    struct infos quals = {0};

    add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    if (nspace != NULL) {
        add_text(&quals, PMIX_NSPACE, nspace);
    }
    return query_text(key, &quals);
}

/* Three queries at once, each about another job. */
static void ask_three(void)
{
    static const char *const jobs[] = {"J1", "J2", "J3"};
    struct queries list = {0};
    struct asked asked;

    about("TOOL-062");
    for (int i = 0; i < 3; i++) {
        struct infos quals = {0};

        add_text(&quals, PMIX_NSPACE, jobs[i]);
        add_query(&list, PMIX_QUERY_JOB_STATUS, &quals);
    }
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "query");
    check(asked.n >= 3, "one array of results, of %zu", asked.n);
    for (int i = 0; i < 3; i++) {
        size_t n = 0;
        const pmix_info_t *of = results(&asked, i, &n);

        check(of != NULL && n > 0, "the results of query %d", i);
    }
    same("host J1", said(&asked, 0, PMIX_QUERY_JOB_STATUS), "the first job's");
    free_asked(&asked);
}

static void ask_host(void)
{
    static const char *const keys[] = {PMIX_QUERY_JOB_STATUS, PMIX_QUERY_QUEUE_LIST,
                                       PMIX_QUERY_QUEUE_STATUS, PMIX_QUERY_NAMESPACES};

    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        int before = upcalls(ON_QUERY, 0);

        same_for("TOOL-061", "host J1", asked_of(keys[i], "J1"), "%s", keys[i]);
        check_for("TOOL-061", upcalls(ON_QUERY, 0) == before + 1, "%s is relayed", keys[i]);
    }
    ask_three();
    about("TOOL-065");
    await("published"); /* which is behind the commit */
    same("-46", asked_of("conform.word", "A"), "what was put is not found by a query");
    same("-46", asked_of("conform.published", NULL), "nor what was published");
    same("host ", asked_of(PMIX_QUERY_QUEUE_LIST, NULL), "the host answers still");
    about(NULL);
    tell("asked");
    tool_end();
}

static void put_word(void)
{
    struct infos list = {0};

    put_text(PMIX_GLOBAL, "conform.word", "posted");
    commit();
    add_text(&list, "conform.published", "published");
    check_status_for("TOOL-065", PMIX_SUCCESS, PMIx_Publish(list.at, list.n), "publish");
    free_infos(&list);
    tell("published");
    await("asked");
}

/* ---- what the library knows */

static pid_t pids[3];

static void check_table(const char *key, const char *hostname, size_t want)
{
    struct infos quals = {0};
    struct asked asked;
    const pmix_value_t *v;

    add_text(&quals, PMIX_NSPACE, "A");
    if (hostname != NULL) {
        add_text(&quals, PMIX_HOSTNAME, hostname);
    }
    asked = ask_one(key, &quals);
    v = answer_to(&asked, 0, key);
    check_status(PMIX_SUCCESS, asked.rc, "%s", key);
    if (check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_PROC_INFO &&
                  v->data.darray->size == want,
              "a table of %zu", want)) {
        const pmix_proc_info_t *table = v->data.darray->array;

        for (size_t i = 0; i < want; i++) {
            check(strcmp(table[i].proc.nspace, "A") == 0 && table[i].proc.rank == (pmix_rank_t) i,
                  "in order of rank, not %s:%u", table[i].proc.nspace, table[i].proc.rank);
            check(table[i].hostname != NULL && strcmp(table[i].hostname, node_name(0)) == 0,
                  "rank %zu: its node", i);
            check(table[i].pid == pids[i], "rank %zu: its process", i);
        }
    }
    free_asked(&asked);
}

static const char *pid_path(pmix_rank_t rank)
{
    return path_named("%s/pid%u", scratch(), rank);
}

static void see_tables(void)
{
    struct asked asked;

    about("TOOL-063");
    await_n("up", 3);
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        pids[rank] = atoi(read_text(pid_path(rank)));
        (void) unlink(pid_path(rank));
    }
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    check_table(PMIX_QUERY_PROC_TABLE, NULL, 3);
    check_table(PMIX_QUERY_LOCAL_PROC_TABLE, NULL, 3);
    check_table(PMIX_QUERY_LOCAL_PROC_TABLE, node_name(0), 3);
    asked = ask_one(PMIX_QUERY_PROC_TABLE, NULL);
    check(asked.rc != PMIX_SUCCESS, "a table of no job");
    free_asked(&asked);
    tool_end();
    tell("seen");
}

static void be_there(void)
{
    write_text(pid_path(me.rank), path_named("%d", (int) getpid()));
    tell("up");
    await("seen");
}

/* ---- the servers of the node */

static void check_servers(size_t want)
{
    struct asked asked = ask_one(PMIX_QUERY_AVAIL_SERVERS, NULL);
    const pmix_value_t *v = answer_to(&asked, 0, PMIX_QUERY_AVAIL_SERVERS);

    check_status(PMIX_SUCCESS, asked.rc, "query");
    if (check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->size == want,
              "%zu servers", want)) {
        for (size_t i = 0; i < want; i++) {
            const pmix_info_t *info = (const pmix_info_t *) v->data.darray->array + i;
            const pmix_info_t *first = info->value.data.darray->array;

            check(PMIX_CHECK_KEY(info, PMIX_SERVER_INFO_ARRAY) &&
                      PMIX_CHECK_KEY(first, PMIX_NSPACE) &&
                      strncmp(first->value.data.string, "server", 6) == 0,
                  "an array that begins with a namespace");
        }
    }
    free_asked(&asked);
}

static void see_servers(void)
{
    about("TOOL-064");
    setenv("TMPDIR", make_folder("none"), 1);
    begin_server(1);
    begin_server(2);
    check_status(PMIX_SUCCESS,
                 tool_begin(and_text(one_true(PMIX_TOOL_DO_NOT_CONNECT), PMIX_SERVER_TMPDIR,
                                     make_folder("dir"))),
                 "tool_init");
    check_servers(2);
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "finalize");
    check_status(PMIX_SUCCESS, tool_begin(to_server(2)), "tool_init");
    check_servers(2);
    server_end(1);
    check_servers(1);
    tool_end();
    server_end(2);
    remove_folder("dir");
    remove_folder("none");
}

const struct conform_case cases[] = {
    {.ids = "TOOL-061 TOOL-062 TOOL-065",
     .otherwise = "TOOL-061",
     .what = "queries of a tool go to the host",
     .tools = 1,
     .client = put_word,
     .tool = ask_host,
     .host = {[ON_QUERY] = {OWN, .own = answer}, [ON_PUBLISH] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-063",
     .what = "tables of processes",
     .ranks = 3,
     .tools = 1,
     .client = be_there,
     .tool = see_tables},
    {.ids = "TOOL-064",
     .what = "the servers of the node",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = see_servers},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
