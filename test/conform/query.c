/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries: what comes back in which case, in which shape, what is asked of the host and what is
 * remembered. */

#include "lib/answers.h"
#include "lib/conform.h"
#include "lib/queries.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a host that knows "conform." keys: "<key> of <hostname> in upcall <number>" */

static const char *hostname_of(const pmix_query_t *q)
{
    for (size_t i = 0; i < q->nqual; i++) {
        if (PMIX_CHECK_KEY(&q->qualifiers[i], PMIX_HOSTNAME)) {
            return q->qualifiers[i].value.data.string;
        }
    }
    return "any";
}

static pmix_status_t knows_some(struct upcall *ask)
{
    struct infos list = {0};
    int asked = 0;
    char text[256];

    for (size_t i = 0; i < ask->n_queries; i++) {
        const pmix_query_t *q = &ask->queries[i];

        for (int k = 0; q->keys[k] != NULL; k++, asked++) {
            if (strcmp(q->keys[k], "fail.now") == 0) {
                free_infos(&list);
                return PMIX_ERR_NO_PERMISSIONS;
            }
            if (strcmp(q->keys[k], "fail.later") == 0) {
                free_infos(&list);
                reply_status(ask, PMIX_ERR_OUT_OF_RESOURCE);
                return PMIX_SUCCESS;
            }
            if (strncmp(q->keys[k], "conform.", 8) == 0) {
                snprintf(text, sizeof(text), "%s of %s in %d", q->keys[k], hostname_of(q),
                         upcalls(ON_QUERY, 0));
                add_text(&list, q->keys[k], text);
            }
        }
    }
    reply_infos(ask,
                list.n == 0            ? PMIX_ERR_NOT_FOUND
                : (int) list.n < asked ? PMIX_ERR_PARTIAL_SUCCESS
                                       : PMIX_SUCCESS,
                list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

#define KNOWS_SOME .host = {[ON_QUERY] = {OWN, .own = knows_some}}

/* ---- statuses */

static void statuses(void)
{
    struct asked all = ask_one("conform.a,conform.b", NULL);
    struct asked some;

    check_status_for("QRY-001", PMIX_SUCCESS, all.rc, "two keys that are known");
    same_for("QRY-001", "conform.a of any in 1", said(&all, 0, "conform.a"), "the first");
    same_for("QRY-001", "conform.b of any in 1", said(&all, 0, "conform.b"), "the second");
    free_asked(&all);
    check_status_for("QRY-002", PMIX_ERR_NOT_FOUND, ask_one("other.x,other.y", NULL).rc,
                     "keys that nobody knows");
    some = ask_one("other.x,conform.c", NULL);
    check_status_for("QRY-003", PMIX_ERR_PARTIAL_SUCCESS, some.rc, "one is known");
    same_for("QRY-003", "conform.c of any in 3", said(&some, 0, "conform.c"), "the known one");
    check_for("QRY-003", answer_to(&some, 0, "other.x") == NULL, "the other has no element");
    free_asked(&some);
    check_status_for("QRY-005", PMIX_ERR_NO_PERMISSIONS, ask_one("fail.now", NULL).rc,
                     "the host refuses at once");
    check_status_for("QRY-005", PMIX_ERR_OUT_OF_RESOURCE, ask_one("fail.later", NULL).rc,
                     "the host refuses by callback");
}

static void without_host(void)
{
    struct infos quals = {0};

    check_status_for("QRY-004", PMIX_ERR_NOT_SUPPORTED, ask_one("conform.a", NULL).rc,
                     "the host's key");
    add_text(&quals, PMIX_NSPACE, me.nspace);
    same_for("QRY-024", "2", query_text(PMIX_JOB_SIZE, &quals), "what was registered");
    same_for("QRY-024", "2", query_text(PMIX_JOB_SIZE, NULL), "of our own job");
}

/* ---- shape */

static void check_result(const struct asked *asked, int nth, const char *node, const char *keys)
{
    char **want;
    size_t n = 0;
    const pmix_info_t *info = results(asked, nth, &n);
    size_t at = 0;

    PMIX_ARGV_SPLIT(want, keys, ',');
    if (!check_for("QRY-007", info != NULL, "there are results of query %d", nth)) {
        PMIX_ARGV_FREE(want);
        return;
    }
    if (node != NULL) {
        const pmix_data_array_t *quals = info[0].value.data.darray;

        if (check_for("QRY-008",
                      n > 0 && PMIX_CHECK_KEY(&info[0], PMIX_QUERY_QUALIFIERS) &&
                          info[0].value.type == PMIX_DATA_ARRAY && quals->size == 1,
                      "its qualifiers are the first")) {
            same_for("QRY-008", node, text_of(&((const pmix_info_t *) quals->array)->value),
                     "the qualifier");
        }
        at = 1;
    }
    for (size_t k = 0; want != NULL && want[k] != NULL; k++, at++) {
        check_for("QRY-007", at < n && PMIX_CHECK_KEY(&info[at], want[k]),
                  "element %zu of query %d is %s", at, nth, want[k]);
    }
    check_for("QRY-007", at == n, "%zu elements instead of %zu", n, at);
    PMIX_ARGV_FREE(want);
}

static void add_on(struct queries *list, const char *keys, const char *node)
{
    struct infos quals = {0};

    if (node != NULL) {
        add_text(&quals, PMIX_HOSTNAME, node);
    }
    add_query(list, keys, &quals);
}

static void shape(void)
{
    struct queries list = {0};
    struct asked asked;
    size_t n;

    add_on(&list, "conform.a,conform.b", "n1");
    add_on(&list, "conform.a", "n2");
    add_on(&list, "conform.c,conform.a", NULL);
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "three queries");
    check_result(&asked, 0, "n1", "conform.a,conform.b");
    check_result(&asked, 1, "n2", "conform.a");
    check_result(&asked, 2, NULL, "conform.c,conform.a");
    check_for("QRY-007", results(&asked, 3, &n) == NULL, "no fourth");
    same_for("QRY-009", "conform.a of n1 in 1", said(&asked, 0, "conform.a"), "for the first node");
    same_for("QRY-009", "conform.a of n2 in 1", said(&asked, 1, "conform.a"), "for the second");
    same_for("QRY-009", "conform.a of any in 1", said(&asked, 2, "conform.a"), "for none");
    check_for("QRY-011", asked.info != NULL, "there is something to give back");
    about("QRY-011");
    free_asked(&asked);
    about(NULL);
    add_on(&list, "conform.d,other.x", "n1");
    add_on(&list, "other.x", "n2");
    add_on(&list, "conform.d", "n3");
    asked = ask_all(&list);
    check_status_for("QRY-007", PMIX_ERR_PARTIAL_SUCCESS, asked.rc, "some of three");
    check_result(&asked, 0, "n1", "conform.d");
    check_result(&asked, 1, "n2", "");
    check_result(&asked, 2, "n3", "conform.d");
    free_asked(&asked);
}

static size_t count(const struct asked *asked, const char *key)
{
    size_t n = 0;

    for (size_t i = 0; i < asked->n; i++) {
        n += PMIX_CHECK_KEY(&asked->info[i], key);
    }
    return n;
}

static void shape_in(const char *form, size_t pairs, size_t nested)
{
    struct asked asked;

    if (form != NULL) {
        setenv("PMIX_MCA_shmix_query_results", form, 1);
    }
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    asked = ask_one("conform.a,conform.b", NULL);
    check(count(&asked, "conform.a") == pairs && count(&asked, "conform.b") == pairs, "pairs");
    check(count(&asked, PMIX_QUERY_RESULTS) == nested && asked.n == 2 * pairs + nested,
          "and the nested form");
    check(pairs == 0 || PMIX_CHECK_KEY(&asked.info[0], "conform.a"), "pairs come first");
    free_asked(&asked);
    asked = ask_one(PMIX_QUERY_STABLE_ABI_VERSION, NULL);
    check(count(&asked, PMIX_QUERY_STABLE_ABI_VERSION) == pairs &&
              count(&asked, PMIX_QUERY_RESULTS) == nested,
          "also for versions");
    free_asked(&asked);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static void shapes(void)
{
    shape_in(NULL, 1, 1);
    shape_in("flat", 1, 0);
    shape_in("nested", 0, 1);
}

/* ---- who is meant */

static pmix_status_t ask_about(const char *key, bool procid, bool nspace, bool rank)
{
    struct infos quals = {0};
    struct asked asked;
    pmix_status_t rc;

    if (procid) {
        add(&quals, PMIX_PROCID, &me, PMIX_PROC);
    }
    if (nspace) {
        add_text(&quals, PMIX_NSPACE, me.nspace);
    }
    if (rank) {
        add(&quals, PMIX_RANK, &me.rank, PMIX_PROC_RANK);
    }
    asked = ask_one(key, &quals);
    rc = asked.rc;
    free_asked(&asked);
    return rc;
}

static void who(void)
{
    check_status_for("QRY-012", PMIX_ERR_BAD_PARAM, ask_about(PMIX_LOCAL_RANK, true, true, false),
                     "process and namespace");
    check_status_for("QRY-012", PMIX_ERR_BAD_PARAM, ask_about(PMIX_LOCAL_RANK, true, false, true),
                     "process and rank");
    check_status_for("QRY-012", PMIX_ERR_BAD_PARAM, ask_about("conform.a", true, true, true),
                     "all three, of any key");
    check_status_for("QRY-013", PMIX_ERR_BAD_PARAM, ask_about(PMIX_LOCAL_RANK, false, true, false),
                     "a rank's key, no rank");
    check_status_for("QRY-013", PMIX_ERR_BAD_PARAM, ask_about(PMIX_LOCAL_RANK, false, false, true),
                     "a rank's key, no namespace");
    check_status_for("QRY-012", PMIX_SUCCESS, ask_about(PMIX_LOCAL_RANK, true, false, false),
                     "process");
    check_status_for("QRY-012 QRY-013", PMIX_SUCCESS, ask_about(PMIX_LOCAL_RANK, false, true, true),
                     "namespace and rank");
    check_status_for("QRY-013", PMIX_SUCCESS, ask_about(PMIX_JOB_SIZE, false, true, false),
                     "a job's key");
}

static void several(void)
{
    struct queries list = {0};
    struct asked asked;
    char text[32];

    for (pmix_rank_t r = 0; r < 2; r++) {
        struct infos quals = {0};
        pmix_proc_t proc;

        PMIX_LOAD_PROCID(&proc, me.nspace, 1 - r);
        add(&quals, PMIX_PROCID, &proc, PMIX_PROC);
        add_query(&list, PMIX_GLOBAL_RANK "," PMIX_LOCAL_RANK, &quals);
    }
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "two keys of two processes");
    for (int q = 0; q < 2; q++) {
        snprintf(text, sizeof(text), "%d", 1 - q);
        same(text, said(&asked, q, PMIX_GLOBAL_RANK), "the rank, query %d", q);
        same(text, said(&asked, q, PMIX_LOCAL_RANK), "the local rank, query %d", q);
    }
    free_asked(&asked);
}

/* ---- what the host sees */

static void forge(void)
{
    struct queries list = {0};
    struct infos quals = {0};
    struct asked asked;
    uint32_t number = 4711;

    add_u32(&quals, PMIX_USERID, 0);
    add_text(&quals, PMIX_HOSTNAME, "n1");
    add_u32(&quals, PMIX_USERID, 1);
    add_required(&quals, "conform.qualifier", &number, PMIX_UINT32);
    add_u32(&quals, PMIX_GRPID, 7);
    add_true(&quals, PMIX_QUERY_LOCAL_ONLY);
    add_query(&list, "conform.a,conform.b", &quals);
    add_query(&list, "conform.c", NULL);
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "query");
    free_asked(&asked);
}

static void check_ids(const struct note *q)
{
    int ids[2] = {0};

    for (size_t i = 0; q != NULL && i < q->n_sub; i++) {
        const struct note *note = &q->sub[i];

        if (strcmp(note->key, PMIX_USERID) == 0) {
            check_for("QRY-016", note->type == PMIX_UINT32 && note->number == (int64_t) geteuid(),
                      "the real user");
            ids[0]++;
        } else if (strcmp(note->key, PMIX_GRPID) == 0) {
            check_for("QRY-016", note->type == PMIX_UINT32 && note->number == (int64_t) getegid(),
                      "the real group");
            ids[1]++;
        }
    }
    check_for("QRY-015", ids[0] == 1 && ids[1] == 1, "each id once, not %d and %d times", ids[0],
              ids[1]);
}

static void check_seen(void)
{
    const struct record *r = upcall(ON_QUERY, 0, 0);
    const struct note *q = record_info(r, "conform.a,conform.b");
    const struct note *extra = note_info(q, "conform.qualifier");

    check_for("QRY-017", r != NULL && r->n_infos == 2, "both queries come in one upcall");
    check_ids(q);
    check_ids(record_info(r, "conform.c"));
    check_for("QRY-017", extra != NULL && extra->type == PMIX_UINT32 && extra->number == 4711,
              "the qualifier arrives");
    check_for("QRY-017", extra != NULL && (extra->flags & PMIX_INFO_REQD) != 0,
              "and is required still");
    check_for("QRY-017",
              note_info(q, PMIX_HOSTNAME) != NULL &&
                  strcmp(note_info(q, PMIX_HOSTNAME)->text, "n1") == 0,
              "so does this");
    check_for("QRY-026",
              note_info(q, PMIX_QUERY_LOCAL_ONLY) != NULL &&
                  note_info(q, PMIX_QUERY_LOCAL_ONLY)->number == 1,
              "and the order to stay local");
}

/* ---- by callback */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t caller;
    int n;
    bool inside;
} heard = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, false};

static void hear(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                 pmix_release_cbfunc_t release, void *release_data)
{
    struct asked asked = {status, info, ninfo};

    check_status(PMIX_SUCCESS, status, "the callback's status");
    check(cbdata == &heard, "the callback's data");
    same("conform.a of any in 1", said(&asked, 0, "conform.a"), "the answer");
    if (check(release != NULL, "there is a release function")) {
        release(release_data);
    }
    pthread_mutex_lock(&heard.lock);
    heard.inside = heard.inside || pthread_equal(heard.caller, pthread_self());
    heard.n++;
    pthread_cond_broadcast(&heard.changed);
    pthread_mutex_unlock(&heard.lock);
}

static void by_callback(void)
{
    struct queries list = {0};
    struct infos quals = {0};

    heard.caller = pthread_self();
    add_query(&list, "conform.a", NULL);
    for (int i = 1; i <= 2; i++) { /* the second is known */
        check_status(PMIX_SUCCESS, PMIx_Query_info_nb(list.at, list.n, hear, &heard), "query");
        pthread_mutex_lock(&heard.lock);
        while (heard.n < i) {
            pthread_cond_wait(&heard.changed, &heard.lock);
        }
        pthread_mutex_unlock(&heard.lock);
    }
    check(!heard.inside, "not from inside of the call");
    check(PMIx_Query_info_nb(list.at, list.n, NULL, NULL) < 0, "a callback is needed");
    free_queries(&list);
    add(&quals, PMIX_PROCID, &me, PMIX_PROC);
    add_text(&quals, PMIX_NSPACE, me.nspace);
    add_query(&list, "conform.a", &quals);
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Query_info_nb(list.at, list.n, hear, &heard), "refused");
    free_queries(&list);
    check_status(PMIX_ERR_NOT_FOUND, ask_one("other.x", NULL).rc,
                 "whatever was under way has ended");
    check(heard.n == 2, "what is refused is not called back");
}

/* ---- memory */

static const char *on_node(const char *key, const char *node, bool refresh)
{
    struct infos quals = {0};

    if (node != NULL) {
        add_text(&quals, PMIX_HOSTNAME, node);
    }
    if (refresh) {
        add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    }
    return query_text(key, &quals);
}

static const char *get_kept(const char *key)
{
    struct infos list = {0};
    const char *text;

    add_true(&list, PMIX_OPTIONAL);
    text = got(me.nspace, PMIX_RANK_WILDCARD, key, list.at, list.n);
    free_infos(&list);
    return text;
}

static void remember(void)
{
    same_for("QRY-019", "conform.a of any in 1", on_node("conform.a", NULL, false),
             "the first time");
    same_for("QRY-020", "conform.a of any in 1", get_kept("conform.a"), "a get finds it");
    kill(server_pid(0), SIGSTOP);
    same_for("QRY-019 QRY-025", "conform.a of any in 1", on_node("conform.a", NULL, false),
             "the second, without a server");
    same_for("QRY-020", "conform.a of any in 1", get_kept("conform.a"), "so does a get");
    kill(server_pid(0), SIGCONT);
    check_for("QRY-019", upcalls(ON_QUERY, 0) == 1, "the host was asked once");
    same_for("QRY-021", "conform.a of any in 2", on_node("conform.a", NULL, true), "refreshed");
    check_for("QRY-021", upcalls(ON_QUERY, 0) == 2, "the host was asked again");
    same_for("QRY-021", "conform.a of any in 2", on_node("conform.a", NULL, false),
             "the new one is kept");
    same_for("QRY-020 QRY-021", "conform.a of any in 2", get_kept("conform.a"),
             "a get finds the new one");
    check_for("QRY-019", upcalls(ON_QUERY, 0) == 2, "and the host is left alone");
}

static void remember_each(void)
{
    same("conform.a of n1 in 1", on_node("conform.a", "n1", false), "of one node");
    same("conform.a of n2 in 2", on_node("conform.a", "n2", false), "of another");
    same("conform.a of any in 3", on_node("conform.a", NULL, false), "of none");
    same("conform.a of n1 in 1", on_node("conform.a", "n1", false), "of one node again");
    same("conform.a of n2 in 2", on_node("conform.a", "n2", false), "of another again");
    same("conform.a of any in 3", get_kept("conform.a"),
         "a get finds what was asked without a node");
    same("conform.b of n1 in 4", on_node("conform.b", "n1", false), "another key of a node");
    same("-46", get_kept("conform.b"), "is not the job's");
}

static void remember_mixed(void)
{
    struct asked asked = ask_one("conform.a,other.x", NULL);

    check_status_for("QRY-019", PMIX_ERR_PARTIAL_SUCCESS, asked.rc, "one of two");
    free_asked(&asked);
    same_for("QRY-020", "conform.a of any in 1", get_kept("conform.a"), "what came is kept");
}

/* ---- what is registered, before anybody is asked */

static void registered_here(void)
{
    struct infos quals = {0};
    pmix_proc_t other;

    if (me.rank != 0) {
        return;
    }
    kill(server_pid(0), SIGSTOP);
    same_for("QRY-025", "2", query_text(PMIX_JOB_SIZE, NULL), "the size of the job");
    PMIX_LOAD_PROCID(&other, me.nspace, 1);
    add(&quals, PMIX_PROCID, &other, PMIX_PROC);
    same_for("QRY-025", "1", query_text(PMIX_LOCAL_RANK, &quals), "a local rank");
    kill(server_pid(0), SIGCONT);
}

static void nobody_asked(void)
{
    check_for("QRY-024", upcalls(ON_QUERY, -1) == 0, "the host was not asked");
}

/* ---- what a get does not do */

static void no_gets(void)
{
    static const char *const keys[] = {PMIX_QUERY_QUEUE_STATUS, PMIX_QUERY_QUEUE_LIST,
                                       PMIX_QUERY_ALLOC_STATUS, PMIX_QUERY_RESULTS,
                                       PMIX_QUERY_QUALIFIERS};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        same_for("QRY-037 QRY-036", "-46", got(me.nspace, PMIX_RANK_WILDCARD, keys[i], NULL, 0),
                 "get of %s", keys[i]);
        same_for("QRY-037 QRY-036", "-46", got(me.nspace, me.rank, keys[i], NULL, 0),
                 "get of %s of ourselves", keys[i]);
    }
}

static void check_no_gets(void)
{
    check_for("QRY-037", upcalls(ON_QUERY, -1) == 0 && upcalls(ON_MODEX, -1) == 0,
              "the host was asked for nothing");
}

static void ignored(void)
{
    struct infos quals = {0};

    add_u32(&quals, PMIX_APPNUM, 0);
    add_true(&quals, PMIX_QUERY_REPORT_AVG);
    add_text(&quals, PMIX_ALLOC_QUEUE, "fast");
    same("A", query_text(PMIX_QUERY_NAMESPACES, &quals), "qualifiers that say nothing here");
    add_true(&quals, PMIX_QUERY_REPORT_MINMAX);
    same("1", query_text(PMIX_JOB_SIZE, &quals), "of the job");
    check_status(PMIX_ERR_NOT_FOUND, ask_one("pmix.no.such.key", NULL).rc,
                 "a key that there is not");
}

const struct conform_case cases[] = {
    {.ids = "QRY-001 QRY-002 QRY-003 QRY-005 S29",
     .what = "all, none, some, an error",
     .client = statuses,
     KNOWS_SOME},
    {.ids = "QRY-004 QRY-024 S29",
     .what = "a host that has no queries",
     .ranks = 2,
     .client = without_host},
    {.ids = "QRY-007 QRY-008 QRY-009 QRY-011 S29",
     .what = "one element a query, its qualifiers in front",
     .client = shape,
     KNOWS_SOME},
#ifndef CONFORM_THEIRS
    {.ids = "QRY-010",
     .what = "pairs, nested, or both",
     .raw = true,
     .client = shapes,
     KNOWS_SOME,
     .ours_only = "the parameter is ours"},
#endif
    {.ids = "QRY-012 QRY-013 S29",
     .what = "a process is named in one way, and as a whole",
     .client = who,
     KNOWS_SOME},
    {.ids = "QRY-014",
     .what = "a process is for all keys of its query, and for no other query",
     .ranks = 2,
     .client = several},
    {.ids = "QRY-015 QRY-016 QRY-017 QRY-026 S29",
     .what = "the host sees what was asked, and who really asked",
     .client = forge,
     .after = check_seen,
     KNOWS_SOME},
    {.ids = "QRY-018",
     .what = "an answer by callback, later, once",
     .client = by_callback,
     KNOWS_SOME},
    {.ids = "QRY-019 QRY-020 QRY-021 QRY-025 S29",
     .what = "an answer is remembered until it is refreshed",
     .client = remember,
     .seconds = 10,
     KNOWS_SOME},
    {.ids = "QRY-022",
     .what = "an answer is remembered with its qualifiers",
     .client = remember_each,
     KNOWS_SOME},
    {.ids = "QRY-019 QRY-020",
     .what = "half an answer is remembered, too",
     .client = remember_mixed,
     KNOWS_SOME},
    {.ids = "QRY-025 QRY-024",
     .what = "what was registered is found here first",
     .ranks = 2,
     .client = registered_here,
     .after = nobody_asked,
     .seconds = 10,
     KNOWS_SOME},
    {.ids = "QRY-037 QRY-036",
     .what = "what is of the system is not for a get",
     .client = no_gets,
     .after = check_no_gets,
     KNOWS_SOME},
    {.ids = "QRY-038", .what = "directives that do not apply", .client = ignored, KNOWS_SOME},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
