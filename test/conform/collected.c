/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a process has got without asking for it, which is the same whether it reads a segment or
 * messages: all that a collective has collected, and what it was told. The server stands still
 * while a process looks, so that nothing can come from there. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/tools.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

/* ---- in few words */

static void put_qualified(pmix_scope_t scope, const char *color, uint32_t number)
{
    pmix_info_t infos[2];
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = infos};
    pmix_value_t v = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

    PMIX_INFO_LOAD(&infos[0], "car", &number, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], "color", color, PMIX_STRING);
    PMIX_INFO_SET_QUALIFIER(&infos[1]);
    check_status(PMIX_SUCCESS, PMIx_Put(scope, PMIX_QUALIFIED_VALUE, &v), "put %s", color);
    PMIX_INFO_DESTRUCT(&infos[1]);
}

/* With PMIX_OPTIONAL, and a qualifier or a scope. */
static const char *here(pmix_rank_t rank, const char *key, const char *color, pmix_scope_t scope)
{
    struct infos list = {0};
    const char *answer;

    add_true(&list, PMIX_OPTIONAL);
    if (color != NULL) {
        add_text(&list, "color", color);
        PMIX_INFO_SET_QUALIFIER(&list.at[1]);
    }
    if (scope != PMIX_SCOPE_UNDEF) {
        add(&list, PMIX_DATA_SCOPE, &scope, PMIX_SCOPE);
    }
    answer = got(me.nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

/* Of two processes of a node one stops its server and lets it go on. */
static void look_alone(void (*look)(void))
{
    fence_all(NULL);
    if (me.rank % 2 == 0) {
        kill(server_pid(node()), SIGSTOP);
        look();
        kill(server_pid(node()), SIGCONT);
    }
    fence_all(NULL);
}

/* The server has taken what this process has committed: it answers what comes behind that. */
static void settle(void)
{
    same(NOT_FOUND, got_of(me.rank, "nothing", PMIX_IMMEDIATE), "in the end");
}

/* ---- a fence */

static void post_all_scopes(void)
{
    put_in(PMIX_GLOBAL, "all", 10 + me.rank);
    put_in(PMIX_LOCAL, "near", 20 + me.rank);
    put_in(PMIX_REMOTE, "far", 30 + me.rank);
    put_in(PMIX_INTERNAL, "mine", 40 + me.rank);
    put_text(PMIX_GLOBAL, PMIX_LOCALITY_STRING, me.rank < 2 ? "low" : "high");
    put_qualified(PMIX_GLOBAL, "red", 50 + me.rank);
    put_qualified(PMIX_LOCAL, "blue", 60 + me.rank);
    put_qualified(PMIX_REMOTE, "grey", 70 + me.rank);
    commit();
}

static void see_neighbour(void)
{
    pmix_rank_t r = me.rank ^ 1;
    char text[8];

    for (int i = 0; i < 2; i++) { /* the first look changes nothing */
        snprintf(text, sizeof(text), "%u", 10 + r);
        same(text, here(r, "all", NULL, 0), "global");
        same_for("GET-021", text, here(r, "all", NULL, PMIX_GLOBAL), "global, asked for");
        same_for("GET-011 GET-021", OUTSIDE_SCOPE, here(r, "all", NULL, PMIX_LOCAL),
                 "global is not local");
        snprintf(text, sizeof(text), "%u", 20 + r);
        same(text, here(r, "near", NULL, 0), "local");
        same_for("GET-021", text, here(r, "near", NULL, PMIX_LOCAL), "local, asked for");
        same_for("GET-011 GET-021", OUTSIDE_SCOPE, here(r, "near", NULL, PMIX_GLOBAL),
                 "local is not global");
        same_for("GET-011", OUTSIDE_SCOPE, here(r, "far", NULL, 0), "remote");
        same_for("FEN-009", NOT_FOUND, here(r, "mine", NULL, 0), "internal");
        same_for("GET-019", NOT_FOUND, here(r, "nothing", NULL, 0), "nothing");
        same(me.rank < 2 ? "low" : "high", here(r, PMIX_LOCALITY_STRING, NULL, 0), "reserved");
        snprintf(text, sizeof(text), "%u", 50 + r);
        same(text, here(r, "car", "red", 0), "qualified");
        snprintf(text, sizeof(text), "%u", 60 + r);
        same(text, here(r, "car", "blue", 0), "qualified and local");
        same_for("GET-011", OUTSIDE_SCOPE, here(r, "car", "grey", 0), "qualified and remote");
        same(NOT_FOUND, here(r, "car", NULL, 0), "without its qualifier");
    }
}

static void see_far(void)
{
    pmix_rank_t r = me.rank ^ 2;
    char text[8];

    snprintf(text, sizeof(text), "%u", 10 + r);
    same(text, here(r, "all", NULL, 0), "global");
    same_for("GET-021", text, here(r, "all", NULL, PMIX_GLOBAL), "global, asked for");
    same_for("GET-011 GET-021", OUTSIDE_SCOPE, here(r, "all", NULL, PMIX_LOCAL),
             "global is not local");
    snprintf(text, sizeof(text), "%u", 30 + r);
    same(text, here(r, "far", NULL, 0), "remote");
    same_for("GET-021", text, here(r, "far", NULL, PMIX_REMOTE), "remote, asked for");
    same_for("FEN-009", NOT_FOUND, here(r, "near", NULL, 0), "local");
    same_for("FEN-009", NOT_FOUND, here(r, "mine", NULL, 0), "internal");
    same(r < 2 ? "low" : "high", here(r, PMIX_LOCALITY_STRING, NULL, 0), "reserved");
    snprintf(text, sizeof(text), "%u", 50 + r);
    same(text, here(r, "car", "red", 0), "qualified");
    same_for("FEN-009", NOT_FOUND, here(r, "car", "blue", 0), "qualified and local");
    snprintf(text, sizeof(text), "%u", 70 + r);
    same(text, here(r, "car", "grey", 0), "qualified and remote");
}

static void see_own(void)
{
    char text[8];

    snprintf(text, sizeof(text), "%u", 30 + me.rank);
    same(text, here(me.rank, "far", NULL, 0), "my remote one");
    snprintf(text, sizeof(text), "%u", 40 + me.rank);
    same(text, here(me.rank, "mine", NULL, 0), "my internal one");
    snprintf(text, sizeof(text), "%u", 70 + me.rank);
    same(text, here(me.rank, "car", "grey", 0), "my remote one with a qualifier");
}

static void see_everybody(void)
{
    see_neighbour();
    see_far();
    see_own();
}

static void collect_scopes(void)
{
    post_all_scopes();
    fence_all(PMIX_COLLECT_DATA);
    look_alone(see_everybody);
}

/* Only one process of each node says so. */
static void see_number(void)
{
    for (pmix_rank_t r = 0; r < 4; r++) {
        check_number(100 + r, r, "number", PMIX_OPTIONAL);
    }
}

static void one_collects(void)
{
    put_number("number", 100 + me.rank);
    commit();
    fence_all(me.rank % 2 == 1 ? PMIX_COLLECT_DATA : NULL);
    look_alone(see_number);
}

static void keep_own(void)
{
    put_number("number", 1);
    put_in(PMIX_REMOTE, "far", 1);
    put_qualified(PMIX_GLOBAL, "red", 1);
    commit();
    put_number("number", 2);
    put_in(PMIX_REMOTE, "far", 2);
    put_qualified(PMIX_GLOBAL, "red", 2);
    fence_all(PMIX_COLLECT_DATA);
    check_number(2, me.rank, "number", NULL);
    check_number(2, me.rank, "far", NULL);
    same("2", here(me.rank, "car", "red", 0), "what was put since the commit");
    check_number(1, me.rank ^ 1, "number", PMIX_OPTIONAL);
    if (me.rank == 0) {
        put_number("unique", 7);
        check_number(7, PMIX_RANK_UNDEF, "unique", NULL); /* nobody is asked, nor waited for */
    }
    fence_all(NULL);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(2, me.rank ^ 1, "number", PMIX_OPTIONAL);
    fence_all(NULL);
}

/* ---- much, and again */

enum { LARGE = 400000, ROUNDS = 3, MANY = 5000 };

static void put_large(uint32_t round)
{
    char *text = malloc(LARGE);

    memset(text, 'a' + (int) (me.rank + round) % 26, LARGE - 1);
    text[LARGE - 1] = '\0';
    put_text(PMIX_GLOBAL, "large", text);
    free(text);
}

static void see_large(pmix_rank_t rank, uint32_t round)
{
    pmix_proc_t proc = process("A", rank);
    struct infos list = {0};
    pmix_value_t *v = NULL;
    char first = (char) ('a' + (rank + round) % 26);

    add_true(&list, PMIX_OPTIONAL);
    if (check_status(PMIX_SUCCESS, PMIx_Get(&proc, "large", list.at, list.n, &v), "of %u", rank)) {
        check(v->type == PMIX_STRING && strlen(v->data.string) == LARGE - 1 &&
                  v->data.string[0] == first && v->data.string[LARGE - 2] == first,
              "the text of %u in round %u", rank, round);
        PMIX_VALUE_RELEASE(v);
    }
    free_infos(&list);
}

static void collect_much(void)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (i == 0 || me.rank == i) { /* of the others little changes */
            put_large(i);
        }
        put_number("round", i);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        for (pmix_rank_t r = 0; r < 12; r++) {
            see_large(r, r <= i ? r : 0);
            check_number(i, r, "round", PMIX_OPTIONAL);
        }
        fence_all(NULL);
    }
}

/* Of one process there are more values than a server looks at in one go; little of the others. */
static void collect_many(void)
{
    char key[32];

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; me.rank == 1 && i < MANY; i += 1 + 100 * round) {
            snprintf(key, sizeof(key), "value.%u", i);
            put_number(key, i + round);
        }
        put_number("round", round);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        for (uint32_t i = 0; i < MANY; i += 101) {
            snprintf(key, sizeof(key), "value.%u", i);
            check_number(i + round, 1, key, PMIX_OPTIONAL);
        }
        for (pmix_rank_t r = 0; r < 4; r++) {
            check_number(round, r, "round", PMIX_OPTIONAL);
        }
        fence_all(NULL);
    }
}

/* ---- several jobs, a group */

static void collect_jobs(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};
    const char *other = me.nspace[0] == 'A' ? "B" : "A";
    struct infos list = {0};

    put_number("number", me.rank + (me.nspace[0] == 'A' ? 10 : 20));
    commit();
    check_status_for("FEN-002", PMIX_SUCCESS, fence(both, 2, PMIX_COLLECT_DATA), "fence");
    add_true(&list, PMIX_OPTIONAL);
    same_for("FEN-006", other[0] == 'A' ? "10" : "20", got(other, 0, "number", list.at, list.n),
             "its first");
    same_for("FEN-006", other[0] == 'A' ? "11" : "21", got(other, 1, "number", list.at, list.n),
             "its second");
    free_infos(&list);
    same("2", got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "its size");
    check_status(PMIX_SUCCESS, fence(both, 2, NULL), "fence");
}

static void see_group(void)
{
    for (pmix_rank_t r = 0; r < 4; r++) {
        check_number(200 + r, r, "number", PMIX_OPTIONAL);
        if (r != me.rank) {
            same_for("GET-019", r / 2 == me.rank / 2 ? OUTSIDE_SCOPE : "5", here(r, "far", NULL, 0),
                     "of %u", r);
        }
    }
}

static void collect_group(void)
{
    pmix_proc_t members[] = {process("A", 0), process("A", 1), process("A", 2), process("A", 3)};
    pmix_info_t *results = NULL;
    size_t n = 0;

    put_number("number", 200 + me.rank);
    put_in(PMIX_REMOTE, "far", 5);
    check_status(PMIX_SUCCESS, PMIx_Group_construct("crew", members, 4, NULL, 0, &results, &n),
                 "construct");
    PMIX_INFO_FREE(results, n);
    look_alone(see_group);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("crew", NULL, 0), "destruct");
}

/* ---- what was told by a get */

static void see_hidden(void)
{
    same_for("GET-011", OUTSIDE_SCOPE, here(1, "hidden", NULL, 0), "what was told before");
    same_for("FEN-006 GET-019", "1", here(1, "other", NULL, 0), "another key");
}

static void change_scope(void)
{
    if (me.rank == 1) {
        put_in(PMIX_REMOTE, "hidden", 1);
        put_in(PMIX_GLOBAL, "other", 1);
        commit();
        settle();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        same_for("GET-011", OUTSIDE_SCOPE, got_of(1, "hidden", NULL), "remote");
        same("1", got_of(1, "other", NULL), "another key");
    }
    look_alone(see_hidden);
    if (me.rank == 1) {
        put_in(PMIX_GLOBAL, "hidden", 2);
        commit();
        settle();
        tell("changed");
    } else {
        await("changed");
        same("2", got_of(1, "hidden", NULL), "global by now");
        same_for("GET-019", "2", here(1, "hidden", NULL, 0), "and known");
    }
    fence_all(NULL);
}

/* ---- what is near does not grow old: what modex.c does not ask for */

static const char *got_red(pmix_rank_t rank)
{
    struct infos list = {0};
    const char *answer;

    add_text(&list, "color", "red");
    PMIX_INFO_SET_QUALIFIER(&list.at[0]);
    answer = got("A", rank, "car", list.at, list.n);
    free_infos(&list);
    return answer;
}

static void post_round(uint32_t i)
{
    char text[16];

    snprintf(text, sizeof(text), "round %u", i);
    put_text(PMIX_GLOBAL, PMIX_LOCALITY_STRING, text);
    put_qualified(PMIX_LOCAL, "red", i);
    put_in(PMIX_LOCAL, "unique", i);
    commit();
    settle();
}

static void see_reserved(uint32_t i)
{
    char text[16];

    snprintf(text, sizeof(text), "round %u", i);
    same(text, got("A", 1, PMIX_LOCALITY_STRING, NULL, 0), "a reserved key");
}

static void see_qualified(uint32_t i)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", i);
    same(text, got_red(1), "a qualified value");
}

static void see_unique(uint32_t i)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", i);
    same(text, got("A", PMIX_RANK_UNDEF, "unique", NULL, 0), "of whoever has it");
}

/* Each round is posted and then seen by all the others. */
static void rounds(bool posts, void (*act)(uint32_t round))
{
    for (uint32_t i = 1; i <= 4; i++) {
        char posted[16];
        char seen[16];

        snprintf(posted, sizeof(posted), "posted %u", i);
        snprintf(seen, sizeof(seen), "seen %u", i);
        if (posts) {
            act(i);
            tell(posted);
        } else {
            await(posted);
            act(i);
            tell(seen);
        }
        await_n(seen, 3 + the_case()->tools);
    }
}

static void post_and_see(void)
{
    static void (*const act[])(uint32_t round) = {see_reserved, post_round, see_qualified,
                                                  see_unique};

    rounds(me.rank == 1, act[me.rank]); /* who reads another key, too, is told of everything */
}

/* The values that change, and what does not. */
static void tool_round(uint32_t i)
{
    see_unique(i);
    see_reserved(i);
    see_qualified(i);
    same("4", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "the job's size");
    same(node_name(0), got("A", PMIX_RANK_WILDCARD, PMIX_NODE_MAP, NULL, 0), "the node map");
    same("0,1,2,3", got("A", PMIX_RANK_WILDCARD, PMIX_PROC_MAP, NULL, 0), "the process map");
}

static void tool_reads(void)
{
    pmix_proc_t self;

    await("posted 1");
    check_status(PMIX_SUCCESS, PMIx_tool_init(&self, NULL, 0), "tool_init");
    rounds(false, tool_round);
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void maps(const struct job *job, struct infos *list)
{
    (void) job;
    add_text(list, PMIX_NODE_MAP, node_name(0));
    add_text(list, PMIX_PROC_MAP, "0,1,2,3");
}

const struct conform_case cases[] = {
    {.ids = "FEN-006 FEN-009 GET-011 GET-019 GET-021",
     .otherwise = "FEN-006",
     .what = "a collecting fence brings everything that may be seen, and its scope",
     .nodes = 2,
     .ranks = 2,
     .client = collect_scopes,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-006 GET-011 GET-019",
     .what = "the same without another node",
     .ranks = 2,
     .client = change_scope},
    {.ids = "FEN-006",
     .what = "one participant of a node collects for all of it",
     .nodes = 2,
     .ranks = 2,
     .client = one_collects,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-007",
     .what = "a fence does not take back what was put since the commit",
     .ranks = 2,
     .client = keep_own},
    {.ids = "FEN-006",
     .what = "much data of several nodes, and then what has changed of it",
     .nodes = 3,
     .ranks = 4,
     .client = collect_much,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-006",
     .what = "thousands of values of one process",
     .nodes = 2,
     .ranks = 2,
     .client = collect_many,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-002 FEN-006",
     .what = "the data of two jobs",
     .jobs = {{"A", {2}}, {"B", {2}}},
     .client = collect_jobs,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-002 FEN-006",
     .what = "the data of two jobs on two nodes",
     .nodes = 2,
     .jobs = {{"A", {1, 1}}, {"B", {1, 1}}},
     .client = collect_jobs,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-006 GET-019",
     .otherwise = "FEN-006",
     .what = "the construction of a group brings what its members have posted",
     .nodes = 2,
     .ranks = 2,
     .client = collect_group,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "GET-029",
     .what = "what is near does not grow old, whatever its key",
     .ranks = 4,
     .client = post_and_see},
    {.ids = "GET-029",
     .what = "nor for a tool",
     .ranks = 4,
     .tools = 1,
     .client = post_and_see,
     .tool = tool_reads,
     .server = as_node0,
     .setup = maps},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
