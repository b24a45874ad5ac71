/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Edges of fences, posts and gets: what one small mistake in the library would change, and nothing
 * that the other programs look at. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"
#define TIMED_OUT     "-24"

/* ---- callbacks: the slot says which */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool over[4];
    pmix_status_t status[4];
} done = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static int slots[4] = {0, 1, 2, 3};

static void on_done(pmix_status_t status, void *cbdata)
{
    int i = *(int *) cbdata;

    pthread_mutex_lock(&done.lock);
    done.status[i] = status;
    done.over[i] = true;
    pthread_cond_broadcast(&done.came);
    pthread_mutex_unlock(&done.lock);
}

static void on_value(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) v;
    on_done(status, cbdata);
}

static pmix_status_t wait_done(int i)
{
    pthread_mutex_lock(&done.lock);
    while (!done.over[i]) {
        pthread_cond_wait(&done.came, &done.lock);
    }
    pthread_mutex_unlock(&done.lock);
    return done.status[i];
}

static bool is_done(int i)
{
    bool over;

    pthread_mutex_lock(&done.lock);
    over = done.over[i];
    pthread_mutex_unlock(&done.lock);
    return over;
}

/* ---- collectives */

static void two_kinds(void)
{
    pmix_proc_t both[] = {process(me.nspace, 0), process(me.nspace, 1)};

    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Fence_nb(both, 2, NULL, 0, on_done, &slots[0]), "fence");
        check_status(PMIX_SUCCESS, PMIx_Connect_nb(both, 2, NULL, 0, on_done, &slots[1]),
                     "connect");
        tell("both");
        check_status(PMIX_SUCCESS, wait_done(1), "connected");
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind what has ended");
        check(!is_done(0), "a connect came in place of a fence");
        tell("looked");
        check_status(PMIX_SUCCESS, wait_done(0), "fenced");
    } else {
        await("both");
        check_status(PMIX_SUCCESS, PMIx_Connect(both, 2, NULL, 0), "connect");
        await("looked");
        check_status(PMIX_SUCCESS, fence(both, 2, NULL), "fence");
    }
}

static void one_runs_ahead(void)
{
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, on_done, &slots[0]), "fence");
        check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, on_done, &slots[1]), "again");
        tell("ahead");
        check_status(PMIX_SUCCESS, wait_done(0), "the first");
        await("first");
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind what has ended");
        check(!is_done(1), "the second ended with the first");
        tell("looked");
        check_status(PMIX_SUCCESS, wait_done(1), "the second");
    } else {
        await("ahead");
        fence_all(NULL);
        tell("first");
        await("looked");
        fence_all(NULL);
    }
}

/* The first limit holds: 600 seconds of another member do not prolong it. */
static void first_limit(void)
{
    tell("started");
    await_n("started", 3); /* no limit runs while another process starts */
    if (me.rank == 0) {
        struct infos list = {0};
        int two = 2;

        add(&list, PMIX_TIMEOUT, &two, PMIX_INT);
        check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, list.at, list.n, on_done, &slots[0]),
                     "fence");
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind the request");
        free_infos(&list);
        tell("limited");
        check_status(PMIX_ERR_TIMEOUT, wait_done(0), "two seconds");
        tell("over");
    } else if (me.rank == 1) {
        await("limited");
        check_status(PMIX_ERR_TIMEOUT, fence_seconds(NULL, 0, 600), "the others' limit");
    } else {
        await("over");
    }
}

static void strangers(void)
{
    pmix_proc_t others[] = {process(me.nspace, 1), process(me.nspace, 2)};

    if (me.rank == 0) {
        check(fence(others, 2, NULL) != PMIX_SUCCESS, "a fence of others");
        tell("refused");
    } else {
        await("refused");
        check_status(PMIX_SUCCESS, fence(others, 2, NULL), "their fence");
    }
}

static void stopped_server(void)
{
    struct infos list = {0};
    int one = 1;

    if (me.rank != 0) {
        await("tried");
        return;
    }
    kill(server_pid(0), SIGSTOP);
    add(&list, PMIX_TIMEOUT, &one, PMIX_INT);
    same_for("GET-022", TIMED_OUT, got(me.nspace, 1, "nobody.posts", list.at, list.n), "a get");
    check_status_for("FEN-016", PMIX_ERR_TIMEOUT, fence_seconds(NULL, 0, 1), "a fence");
    free_infos(&list);
    kill(server_pid(0), SIGCONT);
    tell("tried");
}

static void alone(void)
{
    pmix_proc_t procs[2];

    check_status_for("INI-003", PMIX_ERR_UNREACH, PMIx_Init(&me, NULL, 0), "init without a server");
    procs[0] = me;
    procs[1] = process(me.nspace, me.rank + 1);
    check_for("INI-003", fence(procs, 1, NULL) == PMIX_SUCCESS, "by itself");
    check_for("FEN-025", fence(procs, 2, NULL) < 0, "a fence with somebody who is not there");
    check_for("FEN-025", fence(&procs[1], 1, NULL) < 0, "or only with him");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- gets under way */

static void start_get(pmix_rank_t rank, const char *key, int slot)
{
    pmix_proc_t proc = process(me.nspace, rank);

    check_status(PMIX_SUCCESS, PMIx_Get_nb(&proc, key, NULL, 0, on_value, &slots[slot]), "get");
}

static void not_behind_an_old_one(void)
{
    if (me.rank == 0) {
        start_get(1, "missing", 0);
        await_upcalls(ON_MODEX, 1);
        tell("asked");
        fence_all(PMIX_COLLECT_DATA);
        check_number(7, 1, "k", NULL);
        check_for("GET-029", !is_done(0), "the other get is still under way");
        tell("go");
        check_status_for("GET-029", PMIX_ERR_NOT_FOUND, wait_done(0), "the other get");
    } else {
        await("asked");
        put_number("k", 7);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        await("go");
    }
}

/* The same where the fence collects nothing, and the older get waits in the server. */
static void not_behind_one_that_waits(void)
{
    if (me.rank == 0) {
        start_get(1, "missing", 0);
        tell("asked");
        fence_all(NULL);
        check_number(7, 1, "k", NULL);
        check(!is_done(0), "the other get is still under way");
        tell("go");
        check_status(PMIX_SUCCESS, wait_done(0), "the other get");
    } else {
        await("asked");
        put_number("k", 7);
        commit();
        fence_all(NULL);
        await("go");
        put_number("missing", 8);
        commit();
    }
    fence_all(NULL);
}

/* The server waits for a key of a process that has committed others. */
static void wait_long(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_missing_key_wait", "60", 1);
}

static void not_behind_another_rank(void)
{
    if (me.rank == 0) {
        await("posted");
        start_get(1, "missing", 0);
        check_number(7, 2, "k", NULL);
        same_for("GET-020", "7", got_of(2, "k", PMIX_IMMEDIATE), "the server has it");
        tell("got");
        check_status_for("NRK-004", PMIX_ERR_NOT_FOUND, wait_done(0), "what rank 1 does not post");
    } else if (me.rank == 1) {
        await("got");
    } else {
        put_number("k", 7);
        commit();
        tell("posted");
        await("got");
    }
}

static void in_a_callback(pmix_status_t status, void *cbdata)
{
    pmix_proc_t other = process(me.nspace, 1);
    pmix_value_t *v = NULL;
    pmix_status_t rc = PMIx_Get(&other, "nobody.posts", NULL, 0, &v);

    check_status(PMIX_ERR_WOULD_BLOCK, rc, "a get that would wait for this thread");
    on_done(status, cbdata);
}

static void from_a_callback(void)
{
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, in_a_callback, &slots[0]), "fence");
    check_status(PMIX_SUCCESS, wait_done(0), "fenced");
    tell("done");
    await_n("done", 2); /* rank 1 is there as long as somebody asks for what it may post */
}

static void static_from_server(void)
{
    struct infos list = {0};
    pmix_value_t room = PMIX_VALUE_STATIC_INIT;
    pmix_value_t *v = &room;
    pmix_proc_t other = process(me.nspace, 1);
    bool yes = true;

    if (me.rank == 1) {
        put_number("k", 7);
        commit();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        add_required(&list, PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
        check_status(PMIX_SUCCESS, PMIx_Get(&other, "k", list.at, list.n, &v), "static, required");
        check(v == &room && room.type == PMIX_UINT32 && room.data.uint32 == 7, "the value");
        PMIX_VALUE_DESTRUCT(&room);
        free_infos(&list);
    }
    fence_all(NULL);
}

/* ---- two stores, scopes and pointers */

static void *pointer_to(pmix_rank_t rank, const char *key)
{
    struct infos list = {0};
    pmix_value_t *v = NULL;
    pmix_proc_t proc = process(me.nspace, rank);

    add_true(&list, PMIX_GET_POINTER_VALUES);
    check_status(PMIX_SUCCESS, PMIx_Get(&proc, key, list.at, list.n, &v), "pointer to %s", key);
    free_infos(&list);
    return v;
}

static void both_stores(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 9};
    pmix_proc_t other = process(me.nspace, 1);

    if (me.rank == 1) {
        put_in(PMIX_REMOTE, "far", 1);
        put_in(PMIX_LOCAL, "near", 2);
        commit();
    } else {
        check_status(PMIX_SUCCESS, PMIx_Store_internal(&other, "own", &v), "own value");
    }
    fence_all(NULL);
    if (me.rank == 0) {
        same_for("GET-011", OUTSIDE_SCOPE, got_of(1, "far", NULL), "what is for other nodes");
        same_for("GET-002", "9", got_of(1, "own", NULL), "what is of this process");
        same_for("GET-002", "9", got_of(1, "own", PMIX_OPTIONAL), "also from here");
        same_for("GET-002", "2", got_of(1, "near", NULL), "what is for this node");
        check_for("GET-004",
                  pointer_to(PMIX_RANK_WILDCARD, PMIX_LOCAL_PROCS) ==
                      pointer_to(PMIX_RANK_WILDCARD, PMIX_LOCAL_PROCS),
                  "one value, one pointer");
        check_for("GET-004", pointer_to(0, PMIX_PROCID) == pointer_to(0, PMIX_PROCID),
                  "also of what is known");
    }
    fence_all(NULL);
}

static void the_last_scope(void)
{
    pmix_rank_t other = 1 - me.rank;

    put_in(PMIX_GLOBAL, "k", 1);
    put_in(PMIX_LOCAL, "k", 2);
    put_in(PMIX_GLOBAL, "there", 3);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(3, other, "there", NULL);
    same(NOT_FOUND, got_of(other, "k", PMIX_IMMEDIATE), "a key that is for its own node now");
    check_number(2, me.rank, "k", NULL);
    check_for("PUT-003", PMIx_Put(77, "x", &(pmix_value_t){.type = PMIX_BOOL}) < 0,
              "a scope that there is not");
    check_for("PUT-003", PMIx_Put(PMIX_SCOPE_UNDEF, "x", &(pmix_value_t){.type = PMIX_BOOL}) < 0,
              "or none");
    fence_all(NULL);
}

static void hosts_word(void)
{
    pmix_rank_t other = 1 - me.rank;

    put_text(PMIX_GLOBAL, PMIX_HOSTNAME, "elsewhere");
    put_number("k", 1);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(1, other, "k", NULL);
    same(node_name(0), got_of(other, PMIX_HOSTNAME, NULL), "where it is, the host says");
    fence_all(NULL);
}

static void changed_there(void)
{
    for (uint32_t i = 1; i <= 3; i++) {
        put_number("k", i);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        for (pmix_rank_t r = 0; r < 4; r++) {
            about(job_node(find_job("A"), r) == node() ? "GET-029" : "FEN-006");
            check_number(i, r, "k", NULL);
            check_number(i, r, "k", PMIX_IMMEDIATE);
        }
        about(NULL);
        fence_all(NULL);
    }
}

/* ---- ends */

static void forgotten_job(void)
{
    pmix_proc_t any = process("B", PMIX_RANK_UNDEF);

    check_status(PMIX_SUCCESS, PMIx_Get_nb(&any, "k", NULL, 0, on_value, &slots[0]), "get");
    fence_all(NULL); /* behind the request */
    tell("asked");
    check(wait_done(0) != PMIX_SUCCESS, "a job that is gone has no key");
}

static void any_process(void)
{
    pmix_proc_t any = process(me.nspace, PMIX_RANK_UNDEF);

    if (me.rank == 1) {
        check_status(PMIX_SUCCESS, PMIx_Get_nb(&any, "late", NULL, 0, on_value, &slots[0]), "get");
    }
    fence_all(NULL); /* behind the request */
    if (me.rank == 1) {
        check_status(PMIX_SUCCESS, wait_done(0), "what any process posts");
    } else {
        put_number("late", 1);
        commit();
    }
    fence_all(NULL);
}

static void deregister_b(void)
{
    await("asked");
    job_deregister("B");
}

static void lost_server(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    put_number("a", 1);
    commit();
    fence_all(NULL);
    tell("up");
    while (fence(NULL, 0, NULL) == PMIX_SUCCESS) {
    }
    same_for("GET-013 SHM-016", "-61", got_of(1, "nobody.posts", NULL),
             "what only the server could tell");
    if (n_segments() > 0) {
        same_for("SHM-016", "1", got_of(1 - me.rank, "a", PMIX_OPTIONAL), "what is mapped stays");
    }
    put_number("b", 2);
    check_for("PUT-011", PMIx_Commit() < 0, "a commit that goes nowhere");
    check_for("PUT-011", PMIx_Commit() < 0, "is not forgotten");
    (void) PMIx_Finalize(NULL, 0); /* any status: there is nobody to tell */
}

static void die(void)
{
    await_n("up", 2);
    host_dies();
}

/* Over TCP the kernel does not say which process it is, so the second has the socket alone. */
static void impostor(void)
{
    static const char *const tcp[] = {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI51",
                                      "PMIX_SERVER_URI61"};
    pmix_status_t rc;

    if (told("first") == 0) {
        check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "the first");
        tell("first");
        await("second");
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
        return;
    }
    for (size_t i = 0; i < sizeof(tcp) / sizeof(tcp[0]); i++) {
        unsetenv(tcp[i]);
    }
    rc = PMIx_Init(&me, NULL, 0);
    check(rc != PMIX_SUCCESS, "a process that is no child of the one that it claims to be");
    tell("second");
    (void) PMIx_Finalize(NULL, 0); /* may not be up */
}

static void start_twice(void)
{
    job_register("A");
    job_start_rank("A", 0);
    await("first");
    job_start_rank("A", 0);
}

static void connected_here(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};
    const char *other = strcmp(me.nspace, "A") == 0 ? "B" : "A";
    struct infos list = {0};

    check_status(PMIX_SUCCESS, PMIx_Connect(both, 2, NULL, 0), "connect");
    add_true(&list, PMIX_OPTIONAL);
    same("1", got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, list.at, list.n), "it is here now");
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_Disconnect(both, 2, NULL, 0), "disconnect");
}

const struct conform_case cases[] = {
    {.ids = "FEN-020", .what = "a fence and a connect are two", .ranks = 2, .client = two_kinds},
    {.ids = "FEN-021", .what = "one member is a fence ahead", .ranks = 2, .client = one_runs_ahead},
    {.ids = "FEN-016",
     .what = "the first limit holds for all",
     .ranks = 3,
     .client = first_limit,
     .seconds = 30},
    {.ids = "FEN-025", .what = "a fence of others", .ranks = 3, .client = strangers},
    {.ids = "FEN-016 GET-022",
     .what = "a limit holds without the server",
     .ranks = 2,
     .client = stopped_server,
     .seconds = 30},
    {.ids = "FEN-025 INI-003", .what = "alone, with others", .client = alone, .alone = true},
    {.ids = "GET-029 FEN-006",
     .otherwise = "FEN-006",
     .what = "a get after a fence does not wait for an older one",
     .nodes = 2,
     .client = not_behind_an_old_one,
     .seconds = 20,
     .host = {[ON_MODEX] = {CALLBACK, PMIX_ERR_NOT_FOUND, .when = "go"}}},
    {.ids = "GET-029",
     .what = "nor where the fence collects nothing",
     .ranks = 2,
     .client = not_behind_one_that_waits,
     .server = wait_long,
     .seconds = 20},
    {.ids = "GET-020 GET-029 NRK-004",
     .otherwise = "GET-029",
     .what = "nor for one of another process",
     .ranks = 3,
     .client = not_behind_another_rank,
     .seconds = 20},
    {.ids = "GET-015",
     .what = "a get from a callback",
     .ranks = 2,
     .client = from_a_callback,
     .seconds = 20},
    {.ids = "GET-006", .what = "static from the server", .ranks = 2, .client = static_from_server},
    {.ids = "GET-002 GET-004 GET-011",
     .what = "own values beside posted ones",
     .ranks = 2,
     .client = both_stores},
    {.ids = "PUT-003 PUT-009",
     .otherwise = "PUT-009",
     .what = "the last put before a commit counts",
     .nodes = 2,
     .client = the_last_scope},
    {.ids = "KEY-001",
     .what = "a posted host name",
     .own_host = true,
     .ranks = 2,
     .client = hosts_word},
    {.ids = "FEN-006 GET-029",
     .otherwise = "FEN-006",
     .what = "a key that changes from fence to fence",
     .nodes = 2,
     .ranks = 2,
     .client = changed_there},
    {.ids = "SRV-016",
     .what = "who waits for a job that goes",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .client = forgotten_job,
     .script = deregister_b,
     .seconds = 20},
    {.ids = "GET-029", .what = "who waits for any process", .ranks = 2, .client = any_process},
    {.ids = "GET-013 PUT-011 SHM-016",
     .what = "without the server",
     .ranks = 2,
     .client = lost_server,
     .script = die,
     .raw = true,
     .dirty = true},
    {.ids = "INI-015",
     .what = "another process of the same user in the name of a rank",
     .jobs = {{"A", {1}, .later = true}},
     .client = impostor,
     .script = start_twice,
     .raw = true},
    {.ids = "RES-057",
     .what = "what a connect brings is here",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .client = connected_here},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
