/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a tool puts and commits: clients and tools of its server get it while it is connected. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

static struct infos *as(struct infos *list, const char *nspace, pmix_rank_t rank)
{
    add_text(list, PMIX_TOOL_NSPACE, nspace);
    add(list, PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    return list;
}

/* A tool of that name at the job's server. */
static void begin_as(const char *nspace, pmix_rank_t rank)
{
    check_status(PMIX_SUCCESS, tool_begin(as(one_pid(server_pid(0)), nspace, rank)), "tool_init");
}

/* PMIx_Get of the tool's value, with one directive that is true, or NULL for none. */
static const char *posted(pmix_rank_t rank, const char *key, const char *directive)
{
    struct infos list = {0};
    const char *text;

    if (directive != NULL) {
        add_true(&list, directive);
    }
    text = got("poster", rank, key, list.at, list.n);
    free_infos(&list);
    return text;
}

/* The same, waiting for it up to a minute. */
static const char *awaited(pmix_rank_t rank, const char *key)
{
    struct infos list = {0};
    const char *text;
    int seconds = 60;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    text = got("poster", rank, key, list.at, list.n);
    free_infos(&list);
    return text;
}

/* A commit waits for no answer: a question that the server answers behind it does. */
static void post(const char *key, const char *text)
{
    struct infos quals = {0};
    struct asked asked;

    put_text(PMIX_GLOBAL, key, text);
    commit();
    add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    asked = ask_one("conform.question", &quals);
    check_status(PMIX_SUCCESS, asked.rc, "query");
    free_asked(&asked);
}

/* All that a tool does: posts a word, tells that it has, and ends when it is told to. */
static void post_until(const char *nspace, pmix_rank_t rank, const char *text, const char *said,
                       const char *end)
{
    begin_as(nspace, rank);
    post("word", text);
    tell(said);
    await(end);
    tool_end();
}

/* ---- while it is connected, and after */

static void be_poster(void)
{
    begin_as("poster", 3);
    put_text(PMIX_LOCAL, "near", "here");
    put_text(PMIX_REMOTE, "far", "away");
    post("word", "first");
    tell("posted");
    await_n("read", 3);
    post("word", "second");
    tell("posted again");
    await_n("waits for later", 3);
    post("later", "it comes");
    await_n("waits for never", 3);
    tool_end();
    tell("gone");
}

/* In two clients and in another tool. */
static void read_it(void)
{
    about("TOOL-041");
    await("posted");
    same("first", posted(3, "word", NULL), "a value");
    same("here", posted(3, "near", NULL), "for processes of this node");
    same(OUTSIDE_SCOPE, posted(3, "far", NULL), "for those of others");
    same(NOT_FOUND, posted(3, "nothing", PMIX_IMMEDIATE), "what it has not put");
    tell("read");
    await("posted again");
    same("second", posted(3, "word", PMIX_GET_REFRESH_CACHE), "a later value");
    same("1", got("A", PMIX_RANK_WILDCARD, PMIX_NUM_NODES, NULL, 0), "the job's are beside it");
    tell("waits for later");
    same("it comes", awaited(3, "later"), "a value that comes");
    tell("waits for never");
    same_for("TOOL-040", NOT_FOUND, awaited(3, "never"), "the wait ends when the tool has gone");
    await("gone");
    same_for("TOOL-040", NOT_FOUND, posted(3, "word", PMIX_GET_REFRESH_CACHE), "it is gone");
}

static void be_tool(void)
{
    if (tool_number() == 0) {
        be_poster();
        return;
    }
    about("TOOL-041");
    begin_as("reader", 0);
    read_it();
    tool_end();
}

/* ---- its name is no job's */

static void post_as_job(void)
{
    about("TOOL-041");
    post_until("A", 7, "of a tool", "posted", "read");
    post_until("poster", 0, "of a tool", "posted again", "read again");
}

static void be_unmoved(void)
{
    about("TOOL-041");
    await("posted");
    same(NOT_FOUND, got_of(7, "word", PMIX_IMMEDIATE), "a tool puts nothing into a job");
    tell("read");
    await("posted again");
    same("of a tool", posted(0, "word", NULL), "a tool that has posted");
    same("A", query_text(PMIX_QUERY_NAMESPACES, NULL), "is no job");
    same(NOT_FOUND, posted(0, PMIX_JOB_SIZE, NULL), "and has no job's information");
    fence_all(NULL);
    tell("read again");
}

/* ---- of several tools */

static void post_beside(void)
{
    about("TOOL-040");
    if (tool_number() == 0) {
        post_until("poster", 0, "of 0", "posted", "never"); /* it is killed */
    } else {
        post_until("poster", 1, "of 1", "posted", "seen");
    }
}

static void kill_one(void)
{
    await("looked");
    rank_kill("tool", 0, SIGKILL);
    tell("one is killed");
}

static void look_at_both(void)
{
    about("TOOL-040");
    await_n("posted", 2);
    same("of 0", posted(0, "word", NULL), "of the first");
    same("of 1", posted(1, "word", NULL), "of the second");
    tell("looked");
    await("one is killed");
    while (strcmp(posted(0, "word", PMIX_GET_REFRESH_CACHE), "of 0") == 0) {
    }
    same(NOT_FOUND, posted(0, "word", PMIX_GET_REFRESH_CACHE), "the first has gone");
    same("of 1", posted(1, "word", PMIX_GET_REFRESH_CACHE), "the second is there");
    tell("seen");
}

/* ---- a bound */

static void small(int number, struct infos *list)
{
    setenv("PMIX_MCA_shmix_rank_posted", "4096", 1);
    serve_tools(number, list);
}

static void post_too_much(void)
{
    static char text[8192];
    struct infos list = {0};
    pmix_status_t rc;

    about("TOOL-041");
    memset(text, 'x', sizeof(text) - 1);
    begin_server(1);
    check_status(PMIX_SUCCESS, tool_begin(as(to_server(1), "poster", 0)), "tool_init");
    post("small", "fits");
    put_text(PMIX_GLOBAL, "large", text);
    rc = PMIx_Commit();
    add_true(&list, PMIX_IMMEDIATE);
    for (int i = 0; i < 1000 && rc == PMIX_SUCCESS; i++) {
        (void) got("nobody", 0, "word", list.at, list.n); /* a way to the server and back */
        rc = PMIx_Commit();
    }
    free_infos(&list);
    check(rc == PMIX_ERR_OUT_OF_RESOURCE, "more than one may post: %d", rc);
    tool_end();
    server_end(1);
    remove_folder("dir");
}

/* A host whose other nodes have nothing to give. */
#define NOBODY_ELSE_POSTS                                                                          \
    {                                                                                              \
        [ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}, [ON_QUERY] = { OWN, .own = answer_question }   \
    }

const struct conform_case cases[] = {
    {.ids = "TOOL-040 TOOL-041",
     .otherwise = "TOOL-041",
     .what = "what a tool posts is got by clients and tools, while it is connected",
     .ranks = 2,
     .tools = 2,
     .client = read_it,
     .tool = be_tool,
     .host = NOBODY_ELSE_POSTS},
    {.ids = "TOOL-041",
     .what = "what a tool posts is of no job",
     .tools = 1,
     .client = be_unmoved,
     .tool = post_as_job,
     .host = NOBODY_ELSE_POSTS},
    {.ids = "TOOL-040",
     .what = "what a tool posts goes with it alone",
     .tools = 2,
     .client = look_at_both,
     .tool = post_beside,
     .script = kill_one,
     .host = NOBODY_ELSE_POSTS},
    {.ids = "TOOL-041",
     .what = "what a tool posts has a bound",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = small,
     .tool = post_too_much,
     .host = {[ON_QUERY] = {OWN, .own = answer_question}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
