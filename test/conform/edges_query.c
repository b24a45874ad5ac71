/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Edges of queries and resolve: what one small mistake in the library would change, and nothing
 * that the other programs look at. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/queries.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- what is remembered */

/* "conform." keys: how often the host was asked by now; others are nobody's. PMIX_TIME_REMAINING:
 * the same as a number. PMIX_NODE_SIZE: how many nodes were named. */
static pmix_status_t counts(struct upcall *ask)
{
    struct infos list = {0};
    size_t asked = 0;
    uint32_t number = (uint32_t) upcalls(ON_QUERY, 0);
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    for (size_t i = 0; i < ask->n_queries; i++) {
        const pmix_query_t *q = &ask->queries[i];
        uint32_t nodes = 0;

        for (size_t k = 0; k < q->nqual; k++) {
            nodes += PMIX_CHECK_KEY(&q->qualifiers[k], PMIX_HOSTNAME);
        }
        for (int k = 0; q->keys[k] != NULL; k++, asked++) {
            if (strncmp(q->keys[k], "conform.", 8) == 0) {
                add_text(&list, q->keys[k], text);
            } else if (strcmp(q->keys[k], PMIX_TIME_REMAINING) == 0) {
                add_u32(&list, PMIX_TIME_REMAINING, number);
            } else if (strcmp(q->keys[k], PMIX_NODE_SIZE) == 0 && nodes > 1) {
                add_u32(&list, PMIX_NODE_SIZE, nodes);
            }
        }
    }
    reply_infos(ask,
                list.n == 0      ? PMIX_ERR_NOT_FOUND
                : list.n < asked ? PMIX_ERR_PARTIAL_SUCCESS
                                 : PMIX_SUCCESS,
                list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

#define COUNTS .host = {[ON_QUERY] = {OWN, .own = counts}}

static void half_an_answer(void)
{
    for (int i = 1; i <= 2; i++) {
        struct asked asked = ask_one("conform.a,other.x", NULL);

        check_status_for("QRY-003", PMIX_ERR_PARTIAL_SUCCESS, asked.rc, "one of two, time %d", i);
        free_asked(&asked);
        check_for("QRY-019", upcalls(ON_QUERY, 0) == i, "the host is asked each time");
    }
}

static struct asked ask_two_nodes(void)
{
    struct queries list = {0};

    for (int i = 1; i <= 2; i++) {
        struct infos quals = {0};

        add_text(&quals, PMIX_HOSTNAME, i == 1 ? "n1" : "n2");
        add_query(&list, "conform.a", &quals);
    }
    return ask_all(&list);
}

static void several_remembered(void)
{
    struct asked asked;
    struct infos quals = {0};
    bool no = false;
    size_t n = 0;

    for (int i = 1; i <= 2; i++) {
        asked = ask_two_nodes();
        same_for("QRY-001 QRY-019", "1", said(&asked, 0, "conform.a"), "of the first node, time %d",
                 i);
        same_for("QRY-001 QRY-019", "1", said(&asked, 1, "conform.a"),
                 "of the second node, time %d", i);
        free_asked(&asked);
    }
    check_for("QRY-019", upcalls(ON_QUERY, 0) == 1, "several queries at once are remembered");
    add_text(&quals, PMIX_HOSTNAME, "n1");
    same_for("QRY-022", "2", query_text("conform.a", &quals), "one of them is another question");
    add_text(&quals, PMIX_HOSTNAME, "n1");
    add(&quals, PMIX_QUERY_REFRESH_CACHE, &no, PMIX_BOOL);
    same_for("QRY-021", "2", query_text("conform.a", &quals), "a refresh that is false is none");
    same_for("QRY-032", "3", query_text(PMIX_TIME_REMAINING, NULL), "the time that is left");
    same_for("QRY-032", "4", query_text(PMIX_TIME_REMAINING, NULL), "is asked for each time");
    asked = ask_one(PMIX_JOB_SIZE "," PMIX_JOB_NUM_APPS, NULL);
    same_for("QRY-001", "1", said(&asked, 0, PMIX_JOB_SIZE), "two keys that are here: the first");
    same_for("QRY-001", "1", said(&asked, 0, PMIX_JOB_NUM_APPS), "and the second");
    free_asked(&asked);
    asked = ask_one("conform.b,conform.b", NULL);
    check_status_for("QRY-001", PMIX_SUCCESS, asked.rc, "one key twice");
    check_for("QRY-001", results(&asked, 0, &n) != NULL && n == 2, "has two answers, not %zu", n);
    free_asked(&asked);
    add_text(&quals, PMIX_HOSTNAME, "n2");
    add_text(&quals, PMIX_HOSTNAME, node_name(0));
    same_for("QRY-035", "2", query_text(PMIX_NODE_SIZE, &quals),
             "two nodes are not answered by one");
}

static void names_are_new(void)
{
    same("A", query_text(PMIX_QUERY_NAMESPACES, NULL), "one job");
    tell("looked");
    await("registered");
    same("A,B", query_text(PMIX_QUERY_NAMESPACES, NULL), "and then another");
}

static void register_b(void)
{
    await("looked");
    job_register("B");
    tell("registered");
}

/* ---- what the server answers */

static void two_maxima(const struct job *job, struct infos *list)
{
    struct infos session = {0};

    if (strcmp(job->name, "B") == 0) {
        drop(list, PMIX_MAX_PROCS);
        add_u32(list, PMIX_MAX_PROCS, 55);
        add_u32(&session, PMIX_SESSION_ID, 7);
        add_u32(&session, PMIX_MAX_PROCS, 77);
        add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
    }
}

static void of_other_jobs(void)
{
    struct queries list = {0};
    struct infos quals = {0};
    struct asked asked;

    add_text(&quals, PMIX_NSPACE, "A");
    add_query(&list, PMIX_JOB_SIZE, &quals);
    add_text(&quals, PMIX_NSPACE, "B");
    add_query(&list, PMIX_JOB_SIZE, &quals);
    asked = ask_all(&list);
    check_status_for("QRY-009", PMIX_SUCCESS, asked.rc, "one key of two jobs");
    same_for("QRY-009 QRY-014", "1", said(&asked, 0, PMIX_JOB_SIZE), "of ours");
    same_for("QRY-009 QRY-014", "3", said(&asked, 1, PMIX_JOB_SIZE), "of the other");
    free_asked(&asked);
    add_text(&quals, PMIX_NSPACE, "B");
    same_for("QRY-023", "55", query_text(PMIX_MAX_PROCS, &quals), "of the job");
    add_text(&quals, PMIX_NSPACE, "B");
    add_true(&quals, PMIX_SESSION_INFO);
    same_for("QRY-024", "77", query_text(PMIX_MAX_PROCS, &quals), "of its session");
}

static void unmet(void)
{
    struct infos quals = {0};
    bool yes = true;
    struct asked asked;
    char version[32];

    add_required(&quals, "made.up", &yes, PMIX_BOOL);
    check_status(PMIX_ERR_NOT_SUPPORTED, ask_one("other.x", &quals).rc,
                 "a required qualifier that nobody knows");
    /* First without the server, so that it is not remembered. */
    kill(server_pid(0), SIGSTOP);
    asked = ask_one(PMIX_JOB_SIZE "," PMIX_QUERY_STABLE_ABI_VERSION, NULL);
    snprintf(version, sizeof(version), "%s", said(&asked, 0, PMIX_QUERY_STABLE_ABI_VERSION));
    free_asked(&asked);
    kill(server_pid(0), SIGCONT);
    same_for("QRY-030", query_text(PMIX_QUERY_STABLE_ABI_VERSION, NULL), version, "is known here");
    asked = ask_one("conform.a," PMIX_QUERY_STABLE_ABI_VERSION, NULL);
    same_for("QRY-025 QRY-030", version, said(&asked, 0, PMIX_QUERY_STABLE_ABI_VERSION),
             "the version among others");
    free_asked(&asked);
}

static void support_once(void)
{
    struct asked asked = ask_one(PMIX_QUERY_ATTRIBUTE_SUPPORT ",PMIx_Fence", NULL);
    int before = upcalls(ON_QUERY, 0);
    struct infos quals = {0};
    bool yes = true;

    check_status_for("QRY-040", PMIX_SUCCESS, asked.rc, "what is supported");
    check_for("QRY-041", asked.n == 4, "%zu elements, one for each level", asked.n);
    free_asked(&asked);
    check_for("QRY-028", before == 0, "the host is not asked");
    add_required(&quals, "made.up", &yes, PMIX_BOOL);
    check_status_for("QRY-040", PMIX_ERR_NOT_SUPPORTED,
                     ask_one(PMIX_QUERY_ATTRIBUTE_SUPPORT ",PMIx_Fence", &quals).rc,
                     "a required qualifier that nobody knows");
}

/* ---- resolve */

static pmix_status_t declines(struct upcall *ask)
{
    (void) ask;
    return PMIX_ERR_NOT_SUPPORTED;
}

static void declined_once(void)
{
    for (int i = 0; i < 3; i++) {
        same_for("RES-020", "node0", hosts("B"), "nodes, time %d", i);
    }
    check_for("RES-032", upcalls(ON_QUERY, 0) == 1, "the host has declined nodes for good");
    for (int i = 0; i < 3; i++) {
        same_for("RES-020", "B:0", peers("node0", "B"), "peers, time %d", i);
    }
    check_for("RES-032", upcalls(ON_QUERY, 0) == 2, "and peers");
}

static pmix_status_t wrong_type(struct upcall *ask)
{
    struct infos list = {0};

    add_u32(&list, ask->queries[0].keys[0], 1);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void wrong_types(void)
{
    char want[16];

    snprintf(want, sizeof(want), "%d", PMIX_ERR_TYPE_MISMATCH);
    same(want, hosts("A"), "a number is no list of nodes");
    same(want, peers("node0", "A"), "nor of processes");
}

static void wait_for_host(void)
{
    await("asked");
}

static void host_asks(void)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    const struct record *r;
    const struct note *node;

    check_status_for("RES-018", PMIX_SUCCESS, PMIx_Resolve_peers(NULL, job.nspace, &procs, &n),
                     "the server's own call");
    check_for("RES-018", n == 1, "%zu processes", n);
    PMIX_PROC_FREE(procs, n);
    r = upcall(ON_QUERY, 0, 0);
    node = note_info(record_info(r, PMIX_QUERY_RESOLVE_PEERS), PMIX_HOSTNAME);
    check_for("RES-026", node != NULL && strcmp(node->text, "node0") == 0,
              "the host is told which node");
    tell("asked");
}

static void met_and_gone(void)
{
    pmix_proc_t b = process("B", PMIX_RANK_WILDCARD);
    pmix_value_t *v = NULL;

    same("node0", hosts("B"), "a job");
    check_status(PMIX_SUCCESS, PMIx_Get(&b, PMIX_JOB_SIZE, NULL, 0, &v), "that was looked into");
    PMIX_VALUE_RELEASE(v);
    same("node0", hosts("B"), "is known");
    tell("looked");
    await("gone");
    same("-44", hosts("B"), "until it is gone");
    same("-44", peers("node0", "B"), "also its peers");
}

static void deregister_b(void)
{
    await("looked");
    job_deregister("B");
    tell("gone");
}

/* ---- reports */

static void no_reports(void)
{
    pmix_status_t rc = ask_one(PMIX_QUERY_RESULTS, NULL).rc;

    check(rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_BAD_PARAM, "results: %d", rc);
    rc = ask_one(PMIX_QUERY_QUALIFIERS, NULL).rc;
    check(rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_BAD_PARAM, "qualifiers: %d", rc);
}

/* ---- the structure */

static void structures(void)
{
    static const char *const words[] = {"one", "two", "three"};
#ifdef PMIX_QUERY_STATIC_INIT
    pmix_query_t fixed = PMIX_QUERY_STATIC_INIT;

    check_for("QRY-052", fixed.keys == NULL && fixed.qualifiers == NULL && fixed.nqual == 0,
              "initialised without a call");
#else
    check_for("QRY-052", false, "there is no PMIX_QUERY_STATIC_INIT");
#endif
    pmix_query_t one;
    pmix_query_t *several;
    int rc;

    memset(&one, 0x55, sizeof(one));
    PMIX_QUERY_CONSTRUCT(&one);
    check_for("QRY-049", one.keys == NULL && one.qualifiers == NULL && one.nqual == 0,
              "constructed");
    for (int i = 0; i < 3; i++) {
        PMIX_ARGV_APPEND(rc, one.keys, words[i]);
        check_status_for("QRY-053", PMIX_SUCCESS, rc, "append");
    }
    check_for("QRY-053",
              strcmp(one.keys[0], "one") == 0 && strcmp(one.keys[2], "three") == 0 &&
                  one.keys[3] == NULL,
              "three keys");
    PMIX_QUERY_QUALIFIERS_CREATE(&one, 4);
    check_for("QRY-051", one.qualifiers != NULL && one.nqual == 4, "four qualifiers");
    PMIX_INFO_LOAD(&one.qualifiers[3], PMIX_NSPACE, "A", PMIX_STRING);
    PMIX_QUERY_DESTRUCT(&one);
    PMIX_QUERY_CREATE(several, 3);
    check_for("QRY-050", several != NULL && several[2].keys == NULL && several[2].nqual == 0,
              "three queries");
    PMIX_ARGV_APPEND(rc, several[2].keys, "one");
    PMIX_QUERY_QUALIFIERS_CREATE(&several[1], 1);
    PMIX_QUERY_FREE(several, 3);
    check_for("QRY-050", several == NULL, "the pointer is cleared");
    PMIX_QUERY_CREATE(several, 1);
    PMIX_ARGV_APPEND(rc, several->keys, "one");
    PMIX_QUERY_RELEASE(several);
    check_for("QRY-050", several == NULL, "the pointer to one is cleared");
}

const struct conform_case cases[] = {
    {.ids = "QRY-049 QRY-050 QRY-051 QRY-052 QRY-053",
     .what = "the structure is made and unmade",
     .alone = true,
     .client = structures},
    {.ids = "QRY-036", .what = "what only reports cannot be asked for", .client = no_reports},
    {.ids = "QRY-003 QRY-019",
     .what = "half an answer is no answer the next time",
     .client = half_an_answer,
     COUNTS},
    {.ids = "QRY-001 QRY-019 QRY-021 QRY-022 QRY-032 QRY-035",
     .what = "what is remembered, and what not",
     .client = several_remembered,
     COUNTS},
    {.ids = "QRY-028",
     .what = "namespaces are asked for each time",
     .jobs = {{"A", {1}}, {"B", {1}, .later = true, .quiet = true}},
     .client = names_are_new,
     .script = register_b},
    {.ids = "QRY-009 QRY-014 QRY-023 QRY-024",
     .what = "one key of two jobs and of two realms",
     .jobs = {{"A", {1}}, {"B", {3}, .quiet = true}},
     .setup = two_maxima,
     .client = of_other_jobs},
    {.ids = "QRY-025 QRY-030",
     .otherwise = "QRY-025",
     .what = "what nobody knows, and versions among other keys",
     .client = unmet,
     COUNTS},
    {.ids = "QRY-028 QRY-040 QRY-041",
     .what = "each level answers once, and the host is left alone",
     .client = support_once,
     COUNTS},
    {.ids = "RES-020 RES-032",
     .what = "a host that declines is asked once for each kind",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .client = declined_once,
     .host = {[ON_QUERY] = {OWN, .own = declines}}},
    {.ids = "RES-027",
     .what = "an answer of another type",
     .client = wrong_types,
     .host = {[ON_QUERY] = {OWN, .own = wrong_type}}},
    {.ids = "RES-018 RES-026",
     .what = "the server's own call names its node",
     .client = wait_for_host,
     .script = host_asks,
     .host = {[ON_QUERY] = {OWN, .own = declines}}},
    {.ids = "RES-061",
     .what = "a job that a client has read and that is gone",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .client = met_and_gone,
     .script = deregister_b},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
