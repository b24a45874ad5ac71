/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Edges of gets and of arguments: what one small mistake in the library would change, and nothing
 * that the other programs look at. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/queries.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

static pmix_status_t get_with(const pmix_proc_t *proc, const char *key, const char *one,
                              const char *other, bool value, pmix_value_t **v)
{
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, one, &value, PMIX_BOOL);
    if (other != NULL) {
        add_true(&list, other);
    }
    rc = PMIx_Get(proc, key, list.at, list.n, v);
    free_infos(&list);
    return rc;
}

/* ---- numbers, which have a way of their own */

static void manners(void)
{
    pmix_value_t room = PMIX_VALUE_STATIC_INIT;
    pmix_value_t *v = &room;
    pmix_value_t *w = NULL;

    check_status_for("GET-006", PMIX_SUCCESS,
                     get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_STATIC_VALUES, NULL, true, &v),
                     "static");
    check_for("GET-006", v == &room && room.type == PMIX_UINT16 && room.data.uint16 == me.rank,
              "it is in our room");
    v = NULL;
    check_status_for("GET-007", PMIX_ERR_BAD_PARAM,
                     get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_STATIC_VALUES, NULL, true, &v),
                     "static without room");
    check_status_for(
        "GET-010", PMIX_ERR_BAD_PARAM,
        get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_STATIC_VALUES, PMIX_GET_POINTER_VALUES, true, &w),
        "both");
    w = NULL;
    check_status(PMIX_SUCCESS,
                 get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_POINTER_VALUES, NULL, true, &w),
                 "pointer");
    w = &room;
    check_status_for(
        "GET-010", PMIX_ERR_BAD_PARAM,
        get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_STATIC_VALUES, PMIX_GET_POINTER_VALUES, true, &w),
        "both, of what is known and with room");
    check_for("GET-010", w == &room, "the room is still ours");
    w = NULL;
    check_status_for("GET-032", PMIX_SUCCESS,
                     get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_POINTER_VALUES, NULL, false, &v),
                     "no pointer");
    check_status_for("GET-032", PMIX_SUCCESS,
                     get_with(&me, PMIX_LOCAL_RANK, PMIX_GET_POINTER_VALUES, NULL, false, &w),
                     "nor again");
    check_for("GET-032", v != w, "values of ours");
    PMIX_VALUE_RELEASE(v);
    PMIX_VALUE_RELEASE(w);
    v = &room;
    check_status_for("GET-006", PMIX_SUCCESS,
                     get_with(&me, PMIX_PROCID, PMIX_GET_STATIC_VALUES, NULL, true, &v),
                     "static, what the library makes");
    check_for("GET-006",
              room.type == PMIX_PROC && room.data.proc != NULL && room.data.proc->rank == me.rank,
              "the process");
    PMIX_VALUE_DESTRUCT(&room);
}

static void own_news(void)
{
    put_number("k", 1);
    commit();
    fence_all(NULL);
    about("PUT-008");
    check_number(1, me.rank, "k", NULL);
    put_number("k", 2);
    check_number(2, me.rank, "k", NULL);
    check_number(2, me.rank, "k", PMIX_OPTIONAL);
    about("GET-029");
    check_number(1, 1 - me.rank, "k", NULL);
    about(NULL);
    fence_all(NULL);
}

static void own_pointers(void)
{
    pmix_proc_t other = process(me.nspace, 1 - me.rank);
    pmix_value_t v = {.type = PMIX_POINTER, .data.ptr = &other};

    check_status_for("PUT-014", PMIX_SUCCESS, PMIx_Store_internal(&other, "own.pointer", &v),
                     "own pointer");
    same_for("PUT-014", NOT_FOUND, got_of(me.rank, "own.pointer", PMIX_OPTIONAL),
             "of the other alone");
    same_for("GET-012", NOT_FOUND, got_of(other.rank, PMIX_SERVER_URI, NULL),
             "our server is nobody else's");
    same_for("GET-012", NOT_FOUND, got_of(PMIX_RANK_WILDCARD, PMIX_RANK, NULL),
             "nor is our rank the job's");
    fence_all(NULL);
}

/* ---- realms */

static void three_maxima(const struct job *job, struct infos *list)
{
    struct infos session = {0};
    struct infos of_node = {0};

    (void) job;
    drop(list, PMIX_MAX_PROCS);
    add_u32(list, PMIX_MAX_PROCS, 55);
    add_u32(&session, PMIX_SESSION_ID, 7);
    add_u32(&session, PMIX_MAX_PROCS, 77);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
    add_text(&of_node, PMIX_HOSTNAME, node_name(0));
    add_u32(&of_node, PMIX_MAX_PROCS, 33);
    add_array(list, PMIX_NODE_INFO_ARRAY, &of_node);
}

static void realms_apart(void)
{
    put_number("own", 1); /* of a process with data of its own the results are remembered */
    for (int i = 0; i < 3; i++) {
        same("33", got_of(me.rank, PMIX_MAX_PROCS, PMIX_NODE_INFO), "the node's");
        same("55", got_of(me.rank, PMIX_MAX_PROCS, NULL), "the job's, right behind it");
        same("77", got_of(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, PMIX_SESSION_INFO), "the session's");
        same("55", got_of(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, NULL), "the job's");
        same("55", got_of(me.rank, PMIX_MAX_PROCS, NULL), "also by a rank");
    }
}

/* ---- without asking */

static void in_both_stores(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 9};
    pmix_proc_t other = process(me.nspace, 1);

    if (me.rank == 1) {
        put_in(PMIX_REMOTE, "far", 1);
        put_in(PMIX_LOCAL, "near", 2);
        commit();
    } else {
        put_number("mine", 5);
        check_number(5, 0, "mine", NULL);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        same(OUTSIDE_SCOPE, got_of(1, "far", PMIX_OPTIONAL), "what only one of the stores knows");
        check_status(PMIX_SUCCESS, PMIx_Store_internal(&other, "own", &v), "own value");
        same_for("GET-002", "9", got_of(1, "own", PMIX_OPTIONAL), "what is of this process");
        same_for("GET-002", "2", got_of(1, "near", PMIX_OPTIONAL), "what is for this node");
        same_for("GET-011", OUTSIDE_SCOPE, got_of(1, "far", PMIX_OPTIONAL),
                 "what is for other nodes");
    }
    fence_all(NULL);
}

static void optional_asks_nobody(void)
{
    pmix_proc_t other = process(me.nspace, 1);
    pmix_value_t *v = NULL;
    pmix_status_t rc;

    if (me.rank == 1) {
        await("tried");
        return;
    }
    kill(server_pid(0), SIGSTOP);
    about("GET-016 GET-019");
    rc = get_with(&other, NULL, PMIX_OPTIONAL, NULL, true, &v);
    check(rc == PMIX_SUCCESS || rc == PMIX_ERR_NOT_FOUND, "all that is here: %d", rc);
    if (rc == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(v);
    }
    about("GET-026");
    rc = get_with(&other, "nobody.posts", PMIX_OPTIONAL, PMIX_GET_REFRESH_CACHE, true, &v);
    check_status(PMIX_ERR_NOT_FOUND, rc, "nothing is renewed without asking");
    about(NULL);
    kill(server_pid(0), SIGCONT);
    tell("tried");
}

/* ---- what changes elsewhere */

static const char *of_all(pmix_rank_t rank, const char *key)
{
    pmix_proc_t proc = process(me.nspace, rank);
    pmix_value_t *v = NULL;
    const char *text = "(none)";

    check_status(PMIX_SUCCESS, PMIx_Get(&proc, NULL, NULL, 0, &v), "all of %u", rank);
    if (v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO) {
        const pmix_info_t *info = v->data.darray->array;

        for (size_t i = 0; i < v->data.darray->size; i++) {
            text = PMIX_CHECK_KEY(&info[i], key) ? text_of(&info[i].value) : text;
        }
        PMIX_VALUE_RELEASE(v);
    }
    return text;
}

static void all_is_new(void)
{
    pmix_proc_t other = process(me.nspace, 1 - me.rank);
    struct infos list = {0};

    add_true(&list, PMIX_GET_REFRESH_CACHE);
    for (uint32_t i = 1; i <= 3; i++) {
        put_number("k", i);
        commit();
        fence_all(NULL);
        same_for("GET-016 GET-029",
                 i == 1   ? "1"
                 : i == 2 ? "2"
                          : "3",
                 of_all(other.rank, "k"), "after fence %u", i);
        fence_all(NULL);
    }
    check_status_for("GET-027", PMIX_SUCCESS, PMIx_Get(&other, NULL, list.at, list.n, NULL),
                     "all renewed, and nothing given");
    free_infos(&list);
    fence_all(NULL);
}

/* ---- by callback */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int n;
    pmix_value_t *kept;
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static void is_over(void)
{
    pthread_mutex_lock(&heard.lock);
    heard.n++;
    pthread_cond_broadcast(&heard.came);
    pthread_mutex_unlock(&heard.lock);
}

static void wait_over(int n)
{
    pthread_mutex_lock(&heard.lock);
    while (heard.n < n) {
        pthread_cond_wait(&heard.came, &heard.lock);
    }
    pthread_mutex_unlock(&heard.lock);
}

static void keep(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) cbdata;
    check_status_for("GET-014", PMIX_SUCCESS, status, "get");
    heard.kept = v;
    is_over();
}

static void pointers_stay(void)
{
    pmix_proc_t other = process(me.nspace, 1 - me.rank);
    struct infos list = {0};

    put_text(PMIX_GLOBAL, "k", "a text that is longer than a word");
    commit();
    fence_all(NULL);
    add_true(&list, PMIX_GET_POINTER_VALUES);
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&other, "k", list.at, list.n, keep, NULL), "pointer");
    wait_over(1);
    fence_all(NULL); /* what would be freed would be used again */
    same_for("GET-004", "a text that is longer than a word", text_of(heard.kept), "it stays");
    free_infos(&list);
}

static void shaped(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                   pmix_release_cbfunc_t release, void *data)
{
    int counts[2] = {0};

    (void) cbdata;
    check_status_for("QRY-018", PMIX_SUCCESS, status, "query");
    for (size_t i = 0; i < n; i++) {
        counts[0] += PMIX_CHECK_KEY(&info[i], PMIX_QUERY_RESULTS);
        counts[1] += PMIX_CHECK_KEY(&info[i], PMIX_JOB_SIZE);
    }
    check_for("QRY-007", counts[0] == 1 && counts[1] == 1, "as pairs and nested, by callback, too");
    release(data);
    is_over();
}

static void no_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void arguments(void)
{
    struct queries list = {0};
    pmix_info_t poison;
    pmix_info_t *info = &poison;
    size_t n = 77;

    add_query(&list, PMIX_JOB_SIZE, NULL);
    check_status_for("QRY-018", PMIX_SUCCESS, PMIx_Query_info_nb(list.at, list.n, shaped, NULL),
                     "query");
    wait_over(1);
    free_queries(&list);
    check_status_for("QRY-002", PMIX_ERR_BAD_PARAM, PMIx_Query_info(NULL, 0, &info, &n),
                     "no query");
    check_for("QRY-002", info == NULL && n == 0, "and no results");
    check_status_for("FEN-015", PMIX_ERR_BAD_PARAM, PMIx_Fence(NULL, 1, NULL, 0), "no processes");
    check_status_for("FEN-015", PMIX_ERR_BAD_PARAM, PMIx_Fence_nb(NULL, 1, NULL, 0, no_op, NULL),
                     "nor here");
    check_status_for("FEN-015", PMIX_ERR_BAD_PARAM, PMIx_Fence_nb(NULL, 0, NULL, 0, NULL, NULL),
                     "no callback");
    check_status_for("GET-014", PMIX_ERR_BAD_PARAM, PMIx_Get_nb(&me, "k", NULL, 0, NULL, NULL),
                     "nor for a get");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Publish(NULL, 1), "nothing to publish");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Lookup_nb(NULL, NULL, 0, NULL, NULL), "to look up");
}

static void calls_that_wait(pmix_status_t status, void *cbdata)
{
    struct queries list = {0};
    pmix_info_t *info = NULL;
    size_t n = 0;

    (void) cbdata;
    check_status(PMIX_SUCCESS, status, "fence");
    check_status_for("FEN-015", PMIX_ERR_WOULD_BLOCK, PMIx_Fence(&me, 1, NULL, 0), "a fence");
    add_query(&list, PMIX_QUERY_NAMESPACES, NULL);
    check_status_for("QRY-018", PMIX_ERR_WOULD_BLOCK, PMIx_Query_info(list.at, list.n, &info, &n),
                     "a query");
    free_queries(&list);
    check_status_for("INI-003", PMIX_ERR_WOULD_BLOCK, PMIx_Finalize(NULL, 0), "the end");
    is_over();
}

static void from_a_callback(void)
{
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, calls_that_wait, NULL), "fence");
    wait_over(1);
    fence_all(NULL);
}

static void required_alone(void)
{
    struct infos list = {0};
    bool yes = true;

    add_required(&list, "made.up", &yes, PMIX_BOOL);
    check_status_for("GET-033", PMIX_ERR_NOT_SUPPORTED, PMIx_Init(&me, list.at, list.n), "init");
    check_status_for("INI-003", PMIX_ERR_UNREACH, PMIx_Init(&me, NULL, 0), "init without a server");
    check_status_for("FEN-011", PMIX_ERR_NOT_SUPPORTED, PMIx_Fence(&me, 1, list.at, list.n),
                     "fence");
    check_status_for("GET-033", PMIX_ERR_NOT_SUPPORTED, PMIx_Finalize(list.at, list.n), "finalize");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    free_infos(&list);
}

const struct conform_case cases[] = {
    {.ids = "GET-006 GET-007 GET-010 GET-032",
     .what = "each manner of giving a number",
     .ranks = 2,
     .client = manners},
    {.ids = "PUT-008 GET-029", .what = "own news", .ranks = 2, .client = own_news},
    {.ids = "PUT-014 GET-012",
     .what = "what is of one process alone",
     .ranks = 2,
     .client = own_pointers},
    {.ids = "GET-034",
     .what = "realms are remembered apart",
     .setup = three_maxima,
     .client = realms_apart},
    {.ids = "GET-002 GET-011",
     .what = "two stores, without asking",
     .ranks = 2,
     .client = in_both_stores,
     .form = SHARED},
    {.ids = "GET-016 GET-019 GET-026",
     .what = "what is optional asks nobody",
     .ranks = 2,
     .client = optional_asks_nobody,
     .seconds = 20},
    {.ids = "GET-016 GET-027 GET-029",
     .what = "all of a process is new",
     .ranks = 2,
     .client = all_is_new},
    {.ids = "GET-004 GET-014",
     .what = "a pointer that came by callback",
     .ranks = 2,
     .client = pointers_stay},
    {.ids = "QRY-002 QRY-007 QRY-018 FEN-015 GET-014",
     .what = "arguments that are not there",
     .client = arguments},
    {.ids = "QRY-018 FEN-015 INI-003",
     .what = "calls that would wait, from a callback",
     .ranks = 2,
     .client = from_a_callback,
     .seconds = 20},
    {.ids = "FEN-011 INI-003 GET-033",
     .what = "required directives without a server",
     .client = required_alone,
     .alone = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
