/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The directives of PMIx_Get: where to look, how long, in which scope and realm, and whether what
 * is known may be old. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROC_REALM                                                                                 \
    "pmix.proc.info" /* headers have no name for it: PMIX_PROC_INFO is a data type                 \
                      */
#define NOT_FOUND     "-46"
#define TIMED_OUT     "-24"
#define OUTSIDE_SCOPE "-62"

/* With one directive of any kind. */
static const char *got_with(pmix_rank_t rank, const char *key, const char *directive,
                            const void *value, pmix_data_type_t type)
{
    struct infos list = {0};
    const char *answer;

    add(&list, directive, value, type);
    answer = got(me.nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

/* ---- optional, immediate */

/* The server stands still: who asks it does not come back. */
static void ask_without_server(void)
{
    put_number("mine", 1);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    if (me.rank == 0) {
        kill(server_pid(0), SIGSTOP);
        same(NOT_FOUND, got_of(1, "nothing", PMIX_OPTIONAL), "a neighbour's key");
        same(NOT_FOUND, got_of(2, "nothing", PMIX_OPTIONAL), "another node's key");
        same(NOT_FOUND, got_of(0, "nothing", PMIX_OPTIONAL), "my key");
        same("1", got_of(0, "mine", PMIX_OPTIONAL), "what I posted");
        same("3", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_OPTIONAL), "the job");
        kill(server_pid(0), SIGCONT);
    }
    fence_all(NULL);
}

static void ask_at_once(void)
{
    if (me.rank == 1) {
        put_number("k", 1);
        await("asked");
        commit();
        tell("committed");
    } else {
        same_for("GET-012 GET-020", NOT_FOUND, got_of(1, "k", PMIX_IMMEDIATE),
                 "what another node has not given");
        check_for("GET-020", upcalls(ON_MODEX, -1) == 0, "the host is not asked");
        tell("asked");
        await("committed");
        same_for("GET-020", NOT_FOUND, got_of(1, "k", PMIX_IMMEDIATE),
                 "nor when it is there to be had");
        check_for("GET-020", upcalls(ON_MODEX, -1) == 0, "the host is not asked");
        same("1", got_of(1, "k", NULL), "until somebody asks");
        same_for("GET-020", "1", got_of(1, "k", PMIX_IMMEDIATE), "and then it is here");
        check_for("GET-020", upcalls(ON_MODEX, -1) == 1, "%d upcalls", upcalls(ON_MODEX, -1));
    }
}

/* ---- scope */

static const char *got_scope(pmix_rank_t rank, const char *key, pmix_scope_t scope)
{
    struct infos list = {0};
    const char *answer;

    add(&list, PMIX_DATA_SCOPE, &scope, PMIX_SCOPE);
    add_true(&list, PMIX_IMMEDIATE);
    answer = got(me.nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

static void ask_by_scope(void)
{
    put_in(me.rank == 1 ? PMIX_LOCAL : PMIX_GLOBAL, "k", 10 + me.rank);
    put_in(PMIX_REMOTE, "far", 20 + me.rank);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    if (me.rank == 0) {
        same("11", got_scope(1, "k", PMIX_LOCAL), "local, which it is");
        same(OUTSIDE_SCOPE, got_scope(1, "k", PMIX_GLOBAL), "global, which it is not");
        same("10", got_scope(0, "k", PMIX_GLOBAL), "global, which mine is");
        same("12", got_scope(2, "k", PMIX_GLOBAL), "another node's, which is global");
        same("22", got_scope(2, "far", PMIX_REMOTE), "another node's, for others only");
        same(OUTSIDE_SCOPE, got_scope(2, "far", PMIX_LOCAL), "another node's, which is not local");
    }
    fence_all(NULL);
}

/* ---- time */

static void note_status(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    pmix_status_t *to = cbdata;

    check(v == NULL, "a value without success");
    *to = status;
    tell("over");
}

static void wait_in_vain(void)
{
    static pmix_status_t status[4];
    int i = 1;
    unsigned u = 1;
    uint32_t u32 = 1;
    int32_t i32 = 1;
    const struct {
        const void *value;
        pmix_data_type_t type;
    } limits[4] = {{&i, PMIX_INT}, {&u, PMIX_UINT}, {&u32, PMIX_UINT32}, {&i32, PMIX_INT32}};
    pmix_proc_t other = process("A", 1);

    if (me.rank == 1) {
        await_n("over", 4);
        return;
    }
    for (int n = 0; n < 4; n++) {
        struct infos list = {0};

        status[n] = 1;
        add(&list, PMIX_TIMEOUT, limits[n].value, limits[n].type);
        check_status(PMIX_SUCCESS,
                     PMIx_Get_nb(&other, "nothing", list.at, list.n, note_status, &status[n]),
                     "get");
        free_infos(&list);
    }
    await_n("over", 4);
    for (int n = 0; n < 4; n++) {
        check_status_for(n == 0 ? "GET-022" : "GET-023", PMIX_ERR_TIMEOUT, status[n],
                         "a limit of type %d", limits[n].type);
    }
}

/* Rank 1 lets one second pass, in which nothing comes, and then posts. */
static void wait_without_limit(void)
{
    int zero = 0;
    int one = 1;

    if (me.rank == 1) {
        await("asking");
        same(TIMED_OUT, got_with(0, "nothing", PMIX_TIMEOUT, &one, PMIX_INT), "a second");
        put_number("late", 7);
        commit();
        await("seen");
    } else {
        tell("asking");
        same("7", got_with(1, "late", PMIX_TIMEOUT, &zero, PMIX_INT), "no limit");
        tell("seen");
    }
}

/* The first question is answered too late, and correctly; nobody waits for the answer any more. */
static void answer_as_usual(struct upcall *copy)
{
    copy->proc = &copy->record->proc;
    (void) sound_answer(copy);
}

static pmix_status_t answer_first_late(struct upcall *ask)
{
    return told("question") > 0 ? sound_answer(ask)
                                : (tell("question"), later(ask, "late", answer_as_usual));
}

static void go_on_after_timeout(void)
{
    int second = 1;

    if (me.rank == 1) {
        put_number("k", 7);
        put_number("l", 8);
        commit();
        await("seen");
    } else {
        same(TIMED_OUT, got_with(1, "k", PMIX_TIMEOUT, &second, PMIX_INT), "not in time");
        tell("late");
        same("7", got_of(1, "k", NULL), "the next time");
        same("8", got_of(1, "l", NULL), "another key");
        tell("seen");
    }
}

static void wait_for_two(void)
{
    static pmix_status_t status = 1;
    struct infos list = {0};
    pmix_proc_t other = process("A", 1);
    int two = 2;

    if (me.rank == 0) {
        add(&list, PMIX_WAIT, &two, PMIX_INT);
        check_status(PMIX_SUCCESS, PMIx_Get_nb(&other, "k", list.at, list.n, note_status, &status),
                     "get");
        free_infos(&list);
        await("over");
        check_status(PMIX_ERR_NO_PERMISSIONS, status, "what the host says");
    }
}

static void check_two(void)
{
    const struct note *wait = record_info(upcall(ON_MODEX, 0, 0), PMIX_WAIT);

    check(wait != NULL && wait->number == 2, "the host is told how many to wait for");
}

/* ---- directives of several gets */

static void take_status(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) v;
    *(pmix_status_t *) cbdata = status;
    tell("answered");
}

static pmix_status_t answer_both(struct upcall *ask)
{
    return later(ask, "both", answer_as_usual);
}

/* Rank 0 asks without a directive, and while that question is open both of the node ask for other
 * keys with the same directive. */
static void ask_alike(void)
{
    static pmix_status_t status = 1;
    static pmix_status_t alike = 1;
    pmix_proc_t target = process("A", 2);
    struct infos list = {0};

    if (me.rank == 2) {
        put_number("k0", 0);
        put_number("k1", 1);
        commit();
        await_n("seen", 2);
        return;
    }
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Get_nb(&target, "k0", NULL, 0, take_status, &status),
                     "get");
        same(NOT_FOUND, got_of(me.rank, "none", PMIX_IMMEDIATE), "the server has the question");
        tell("first");
    }
    await("first");
    add_u32(&list, PMIX_TIMEOUT, 60);
    check_status(
        PMIX_SUCCESS,
        PMIx_Get_nb(&target, me.rank == 0 ? "k0" : "k1", list.at, list.n, take_status, &alike),
        "get");
    free_infos(&list);
    same(NOT_FOUND, got_of(me.rank, "none", PMIX_IMMEDIATE), "the server has the question");
    tell("asked");
    await_n("asked", 2);
    tell("both");
    await_n("answered", 3);
    check_status(PMIX_SUCCESS, alike, "the answer");
    check_status(PMIX_SUCCESS, me.rank == 0 ? status : PMIX_SUCCESS, "the first answer");
    tell("seen");
}

static void check_two_upcalls(void)
{
    check(upcalls(ON_MODEX, -1) == 2, "%d upcalls", upcalls(ON_MODEX, -1));
}

/* Asks for key "k" of a rank; 0 seconds: without a time limit. */
static void ask_of(pmix_rank_t rank, uint32_t seconds, pmix_status_t *status)
{
    pmix_proc_t target = process("A", rank);
    struct infos list = {0};

    if (seconds > 0) {
        add_u32(&list, PMIX_TIMEOUT, seconds);
    }
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&target, "k", list.at, list.n, take_status, status),
                 "get");
    free_infos(&list);
    same(NOT_FOUND, got_of(me.rank, "none", PMIX_IMMEDIATE), "the server has the question");
}

/* Rank 0 asks two processes of the other node, one of them both with the directive that the other
 * one is asked with and without it. */
static void ask_each(void)
{
    static pmix_status_t status[] = {1, 1, 1};

    if (me.rank != 0) {
        put_number("k", 0);
        commit();
        await("seen");
        return;
    }
    ask_of(1, 60, &status[0]);
    ask_of(2, 0, &status[1]);
    ask_of(2, 60, &status[2]);
    tell("both");
    await_n("answered", 3);
    for (int i = 0; i < 3; i++) {
        check_status(PMIX_SUCCESS, status[i], "answer");
    }
    tell("seen");
}

static void check_three_upcalls(void)
{
    check(upcalls(ON_MODEX, -1) == 3, "%d upcalls", upcalls(ON_MODEX, -1));
}

/* ---- true or false, known or not */

static void say_false(void)
{
    struct infos list = {0};
    bool no = false;

    if (me.rank == 1) {
        put_number("k", 7);
        commit();
        await("seen");
        return;
    }
    add(&list, PMIX_OPTIONAL, NULL, PMIX_BOOL); /* without a value: true */
    list.at[0].value.type = PMIX_UNDEF;
    same(NOT_FOUND, got("A", 1, "k", list.at, list.n), "optional, without a value");
    check(upcalls(ON_MODEX, 0) == 0, "nobody is asked");
    free_infos(&list);
    add(&list, PMIX_OPTIONAL, &no, PMIX_BOOL);
    add(&list, PMIX_IMMEDIATE, &no, PMIX_BOOL);
    add(&list, PMIX_GET_POINTER_VALUES, &no, PMIX_BOOL);
    same("7", got("A", 1, "k", list.at, list.n), "neither optional nor immediate");
    check(upcalls(ON_MODEX, 0) == 1, "the host is asked");
    free_infos(&list);
    tell("seen");
}

static const char *got_required(pmix_rank_t rank, const char *directive, bool required)
{
    struct infos list = {0};
    const char *answer;
    bool yes = true;

    if (required) {
        add_required(&list, directive, &yes, PMIX_BOOL);
    } else {
        add_true(&list, directive);
    }
    answer = got("A", rank, "k", list.at, list.n);
    free_infos(&list);
    return answer;
}

static void say_unknown(void)
{
    char unsupported[16];

    snprintf(unsupported, sizeof(unsupported), "%d", PMIX_ERR_NOT_SUPPORTED);
    put_number("k", 7);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 2; r++) {
        same("7", got_required(r, "made.up", false), "an unknown directive");
        same(unsupported, got_required(r, "made.up", true), "one that is required");
        same("7", got_required(r, PMIX_IMMEDIATE, true), "a known one that is required");
    }
    fence_all(NULL);
}

/* ---- realms */

static void describe_realms(const struct job *job, struct infos *list)
{
    struct infos session = {0};
    struct infos app = {0};
    struct infos at = {0};

    (void) job;
    add_u32(&session, PMIX_SESSION_ID, 5);
    add_u32(&session, PMIX_NUM_NODES, 9);
    add_u32(&session, PMIX_MAX_PROCS, 900);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
    drop(list, PMIX_MAX_PROCS);
    add_u32(list, PMIX_MAX_PROCS, 800);
    add_u32(&app, PMIX_APPNUM, 0);
    add_u32(&app, PMIX_NUM_NODES, 7);
    add_u32(&app, PMIX_MAX_PROCS, 700);
    add_array(list, PMIX_APP_INFO_ARRAY, &app);
    add_text(&at, PMIX_HOSTNAME, "node0");
    add_u32(&at, PMIX_NODEID, 0);
    add_u32(&at, PMIX_MAX_PROCS, 600);
    add_array(list, PMIX_NODE_INFO_ARRAY, &at);
}

/* Of a node whose name is a string of NULL: of one's own, as clients of OpenPMIx mean it. */
static const char *got_of_unnamed_node(const char *key)
{
    struct infos list = {0};
    const char *answer;

    add_true(&list, PMIX_NODE_INFO);
    add_text(&list, PMIX_HOSTNAME, NULL);
    answer = got(me.nspace, PMIX_RANK_WILDCARD, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

static void ask_by_realm(void)
{
    static const struct {
        const char *realm;
        const char *key;
        const char *want;
    } table[] = {
        {PMIX_SESSION_INFO, PMIX_NUM_NODES, "9"},
        {PMIX_JOB_INFO, PMIX_NUM_NODES, "1"},
        {PMIX_APP_INFO, PMIX_NUM_NODES, "7"},
        {NULL, PMIX_NUM_NODES, "1"},
        {PMIX_SESSION_INFO, PMIX_MAX_PROCS, "900"},
        {PMIX_JOB_INFO, PMIX_MAX_PROCS, "800"},
        {PMIX_APP_INFO, PMIX_MAX_PROCS, "700"},
        {PMIX_NODE_INFO, PMIX_MAX_PROCS, "600"},
        {NULL, PMIX_MAX_PROCS, "800"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        same(table[i].want, got_of(PMIX_RANK_WILDCARD, table[i].key, table[i].realm), "%s of %s",
             table[i].key, table[i].realm != NULL ? table[i].realm : "the job, by default");
    }
    same("600", got_of_unnamed_node(PMIX_MAX_PROCS), "the node, without a name");
    same("node0", got_of(1, PMIX_HOSTNAME, PROC_REALM), "the node of a process");
    same("1", got_of(1, PMIX_RANK, PROC_REALM), "what a process is");
}

/* ---- keys */

static void use_odd_keys(void)
{
    char key[PMIX_MAX_KEYLEN + 2];
    pmix_value_t *v = NULL;

    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Get(&me, key, NULL, 0, &v), "a key that is too long");
    key[PMIX_MAX_KEYLEN] = '\0';
    put_number(key, 3);
    same("3", got_of(0, key, NULL), "the longest key");
}

const struct conform_case cases[] = {
    {.ids = "GET-017", .what = "long keys", .client = use_odd_keys},
    {.ids = "GET-019",
     .what = "optional means only in this process",
     .jobs = {{"A", {2, 1}}},
     .nodes = 2,
     .client = ask_without_server},
    {.ids = "GET-020 GET-012",
     .what = "immediate means without the host",
     .nodes = 2,
     .client = ask_at_once},
    {.ids = "GET-021",
     .what = "a scope is searched",
     .jobs = {{"A", {2, 1}}},
     .nodes = 2,
     .client = ask_by_scope},
    {.ids = "GET-022 GET-023",
     .otherwise = "GET-022",
     .what = "time runs out, in every type of number",
     .ranks = 2,
     .client = wait_in_vain},
    {.ids = "GET-022", .what = "zero is no limit", .ranks = 2, .client = wait_without_limit},
    {.ids = "GET-024",
     .what = "an answer after its time does no harm",
     .nodes = 2,
     .client = go_on_after_timeout,
     .host = {[ON_MODEX] = {OWN, .own = answer_first_late}}},
    {.ids = "GET-025",
     .what = "the host is told how many values to wait for",
     .nodes = 2,
     .client = wait_for_two,
     .after = check_two,
     .host = {[ON_MODEX] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "NRK-011",
     .what = "two ask alike beside another question",
     .jobs = {{"A", {2, 1}}},
     .nodes = 2,
     .client = ask_alike,
     .after = check_two_upcalls,
     .host = {[ON_MODEX] = {OWN, .own = answer_both}}},
    {.ids = "NRK-011",
     .what = "questions about one process are not those about another one",
     .jobs = {{"A", {1, 2}}},
     .nodes = 2,
     .client = ask_each,
     .after = check_three_upcalls,
     .host = {[ON_MODEX] = {OWN, .own = answer_both}}},
    {.ids = "GET-032",
     .what = "what is false is as if it were not there",
     .nodes = 2,
     .client = say_false},
    {.ids = "GET-033", .what = "unknown directives", .ranks = 2, .client = say_unknown},
    {.ids = "GET-034",
     .what = "realms have values of their own",
     .ranks = 2,
     .setup = describe_realms,
     .client = ask_by_realm},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
