/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get and PMIx_Get_nb: what the arguments mean, in which manner values are handed out, and
 * which status says what. The directives about where to look are in get_directives.c, processes of
 * other nodes in modex.c. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

/* ---- values as they are handed out */

/* One get in a manner (NULL: as usual); the value is the library's or the caller's accordingly. */
static pmix_status_t get_as(const char *manner, pmix_rank_t rank, const char *key, pmix_value_t **v)
{
    struct infos list = {0};
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    if (manner != NULL) {
        add_true(&list, manner);
    }
    rc = PMIx_Get(&proc, key, list.at, list.n, v);
    free_infos(&list);
    return rc;
}

static bool is_text(const pmix_value_t *v, const char *text)
{
    return v != NULL && v->type == PMIX_STRING && v->data.string != NULL &&
           strcmp(v->data.string, text) == 0;
}

static void post_and_fence(void)
{
    char text[64];

    snprintf(text, sizeof(text), "text of %u", me.rank);
    put_text(PMIX_GLOBAL, "text", text);
    put_number("number", 100 + me.rank);
    commit();
    fence_all(PMIX_COLLECT_DATA);
}

static void ask_about_self(void)
{
    pmix_value_t *v = NULL;

    post_and_fence();
    if (check_status(PMIX_SUCCESS, PMIx_Get(NULL, "number", NULL, 0, &v), "what I posted")) {
        check(v->type == PMIX_UINT32 && v->data.uint32 == 100 + me.rank, "%u has got %u", me.rank,
              v->data.uint32);
        PMIX_VALUE_RELEASE(v);
    }
    if (check_status(PMIX_SUCCESS, PMIx_Get(NULL, PMIX_GLOBAL_RANK, NULL, 0, &v),
                     "what the host says of me")) {
        check(v->data.uint32 == me.rank, "%u is %u", me.rank, v->data.uint32);
        PMIX_VALUE_RELEASE(v);
    }
}

static void change(pmix_rank_t rank)
{
    pmix_value_t *one = NULL;
    pmix_value_t *two = NULL;
    char text[64];

    snprintf(text, sizeof(text), "text of %u", rank);
    check_status(PMIX_SUCCESS, get_as(NULL, rank, "text", &one), "get of %u", rank);
    check_status(PMIX_SUCCESS, get_as(NULL, rank, "text", &two), "get of %u", rank);
    check(one != two && one->data.string != two->data.string, "each get gives a value of its own");
    memset(one->data.string, 'x', strlen(one->data.string));
    check(is_text(two, text), "a change of one is none of the other");
    PMIX_VALUE_RELEASE(one);
    PMIX_VALUE_RELEASE(two);
    same(text, got_of(rank, "text", NULL), "nor of what is kept");
}

static void change_values(void)
{
    post_and_fence();
    change(me.rank);
    change(1 - me.rank);
}

static void point(pmix_rank_t rank, const char *key, const char *text)
{
    pmix_value_t *one = NULL;
    pmix_value_t *two = NULL;

    check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, rank, key, &one), "%s of %u", key,
                 rank);
    check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, rank, key, &two), "%s of %u again",
                 key, rank);
    check(one != NULL && one == two, "the same address each time");
    check(text == NULL || is_text(one, text), "the right text");
}

static void point_at_values(void)
{
    char text[64];

    post_and_fence();
    snprintf(text, sizeof(text), "text of %u", 1 - me.rank);
    point(1 - me.rank, "text", text);
    point(1 - me.rank, "number", NULL);
    point(PMIX_RANK_WILDCARD, PMIX_JOBID, "A");
    point(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL);
}

/* Is the address in memory that this process maps, shared, for reading only? */
static bool in_segment(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long from;
    unsigned long to;
    char how[8];
    char line[512];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
        found = sscanf(line, "%lx-%lx %7s", &from, &to, how) == 3 && (uintptr_t) address >= from &&
                (uintptr_t) address < to && strcmp(how, "r--s") == 0;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static void point_into_segment(void)
{
    pmix_value_t *v = NULL;

    post_and_fence();
    if (check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, 1 - me.rank, "text", &v),
                     "the other's text")) {
        check(in_segment(v->data.string), "what the other posted lies in the segment");
    }
    if (check_status(PMIX_SUCCESS,
                     get_as(PMIX_GET_POINTER_VALUES, PMIX_RANK_WILDCARD, PMIX_JOBID, &v),
                     "the job")) {
        check(in_segment(v->data.string), "what the host registered lies in the segment");
    }
}

/* ---- the store changes while pointers are held */

enum { UPDATES = 1000, GROWTH = 500 };

static void grow_by(int n)
{
    char key[32];
    char text[300];

    memset(text, 'g', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "more.%d", i);
        put_text(PMIX_GLOBAL, key, text);
    }
    commit();
}

static void update_often(void)
{
    char text[32];

    for (int i = 1; i <= UPDATES; i++) {
        snprintf(text, sizeof(text), "update %d", i);
        put_text(PMIX_GLOBAL, "text", text);
        commit();
    }
    grow_by(GROWTH);
}

static void hold_pointer(void)
{
    pmix_value_t *held = NULL;

    post_and_fence();
    if (me.rank == 1) {
        await("held");
        update_often();
        fence_all(PMIX_COLLECT_DATA);
        fence_all(NULL);
        return;
    }
    check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, 1, "text", &held), "pointer");
    tell("held");
    fence_all(PMIX_COLLECT_DATA);
    check(is_text(held, "text of 1"), "what the pointer shows has not changed");
    same("update 1000", got_of(1, "text", NULL), "a new get sees what is new");
    check(is_text(held, "text of 1"), "still");
    fence_all(NULL);
}

/* ---- values in the caller's memory */

static void fill(pmix_rank_t rank, const char *key, pmix_data_type_t type)
{
    pmix_value_t room;
    pmix_value_t *to = &room;
    pmix_value_t *usual = NULL;

    memset(&room, 0x5a, sizeof(room));
    check_status_for("GET-006", PMIX_SUCCESS, get_as(PMIX_GET_STATIC_VALUES, rank, key, &to),
                     "%s of %u", key, rank);
    check_for("GET-006", to == &room && room.type == type, "%s is in the given place", key);
    check_status_for("GET-002", PMIX_SUCCESS, get_as(NULL, rank, key, &usual), "%s of %u as usual",
                     key, rank);
    if (type == PMIX_STRING) {
        check_for("GET-002 GET-006", is_text(&room, usual->data.string), "the same text");
    } else {
        check_for("GET-002 GET-006", room.data.uint32 == usual->data.uint32, "the same number");
    }
    PMIX_VALUE_DESTRUCT(&room);
    PMIX_VALUE_RELEASE(usual);
}

static void fill_values(void)
{
    post_and_fence();
    for (pmix_rank_t r = 0; r < 2; r++) {
        fill(r, "text", PMIX_STRING);
        fill(r, "number", PMIX_UINT32);
    }
    fill(PMIX_RANK_WILDCARD, PMIX_JOBID, PMIX_STRING);
    fill(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32);
}

/* ---- every manner, in every order */

static bool is_manner(const char *manner, const char *key)
{
    return manner != NULL && strcmp(manner, key) == 0;
}

/* What one manner says: text, or a status. */
static const char *said_in(const char *manner, pmix_rank_t rank, const char *key)
{
    static char text[8][256];
    static unsigned turn;
    char *to = text[turn++ % 8];
    pmix_value_t room;
    pmix_value_t *v = &room;
    pmix_status_t rc = get_as(manner, rank, key, &v);
    bool fills = is_manner(manner, PMIX_GET_STATIC_VALUES);
    bool points = is_manner(manner, PMIX_GET_POINTER_VALUES);

    if (rc != PMIX_SUCCESS) {
        snprintf(to, sizeof(text[0]), "%d", rc);
        return to;
    }
    snprintf(to, sizeof(text[0]), "%s", text_of(v));
    if (fills) {
        check_for("GET-006", v == &room, "%s of %u is in the given place", key, rank);
        PMIX_VALUE_DESTRUCT(&room);
    } else if (!points) {
        PMIX_VALUE_RELEASE(v);
    }
    return to;
}

static const struct {
    pmix_rank_t rank;
    const char *key;
    const char *want; /* NULL: as a get without directives says */
} everything[] = {
    {0, PMIX_PROCID, NULL},
    {1, PMIX_PROCID, NULL},
    {0, PMIX_NSPACE, "A"},
    {1, PMIX_NSPACE, "A"},
    {0, PMIX_VERSION_INFO, NULL},
    {PMIX_RANK_WILDCARD, PMIX_VERSION_INFO, NULL},
    {0, PMIX_RANK, "0"},
    {1, PMIX_RANK, "1"},
    {PMIX_RANK_INVALID, PMIX_RANK, NULL},
    {0, PMIX_SERVER_URI, NULL},
    {0, PMIX_SERVER_NSPACE, NULL},
    {0, PMIX_SERVER_RANK, NULL},
    {0, PMIX_GLOBAL_RANK, "0"},
    {1, PMIX_LOCAL_RANK, "1"},
    {1, PMIX_HOSTNAME, NULL},
    {PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, "2"},
    {PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, "0,1"},
    {PMIX_RANK_WILDCARD, PMIX_NODE_MAP, NULL},
    {PMIX_RANK_WILDCARD, PMIX_PROC_MAP, NULL},
    {0, "text", "text of 0"},
    {1, "text", "text of 1"},
    {1, "number", "101"},
    {1, "remote", OUTSIDE_SCOPE},
    {PMIX_RANK_WILDCARD, PMIX_ANL_MAP, NOT_FOUND},
};

/* One key in one order of the manners: number `order` of the 24, read twice. */
static void ask_in_order(size_t i, unsigned order)
{
    const char *manners[] = {NULL, PMIX_GET_POINTER_VALUES, PMIX_GET_STATIC_VALUES, PMIX_OPTIONAL};
    const char *want = everything[i].want;

    for (unsigned n = 4; n > 0; n--) {
        unsigned pick = order % n;
        const char *manner = manners[pick];
        const char *is = said_in(manner, everything[i].rank, everything[i].key);

        about(is_manner(manner, PMIX_GET_POINTER_VALUES)  ? "GET-004"
              : is_manner(manner, PMIX_GET_STATIC_VALUES) ? "GET-006"
                                                          : "GET-002");
        order /= n;
        memmove(&manners[pick], &manners[pick + 1], (n - 1 - pick) * sizeof(manners[0]));
        want = want != NULL ? want : is;
        same(want, is, "%s of %d, %s", everything[i].key, (int) everything[i].rank,
             manner != NULL ? manner : "as usual");
        check(everything[i].want != NULL || is[0] != '-', "%s is there", everything[i].key);
        same(is, said_in(manner, everything[i].rank, everything[i].key), "%s, again",
             everything[i].key);
    }
    about(NULL);
}

/* Rank 0 asks in each order; what comes between makes what it has looked up before be looked up
 * again. */
static void ask_in_every_manner(void)
{
    put_in(PMIX_REMOTE, "remote", 1);
    post_and_fence();
    for (unsigned order = 0; me.rank == 0 && order < 24; order++) {
        for (size_t i = 0; i < sizeof(everything) / sizeof(everything[0]); i++) {
            ask_in_order(i, order);
        }
        put_number("order", order);
        commit();
    }
    fence_all(NULL);
}

static void give_bad_places(void)
{
    struct infos both = {0};
    pmix_value_t *nowhere = NULL;
    pmix_value_t room;
    pmix_value_t *to = &room;

    put_number("number", 5);
    check_status_for("GET-007", PMIX_ERR_BAD_PARAM,
                     get_as(PMIX_GET_STATIC_VALUES, 0, "number", &nowhere), "no place");
    check_status_for("GET-007", PMIX_ERR_BAD_PARAM,
                     get_as(PMIX_GET_STATIC_VALUES, 0, "number", NULL), "no place for the place");
    check_status_for("GET-007", PMIX_ERR_BAD_PARAM, get_as(NULL, 0, "number", NULL),
                     "no place for a pointer");
    add_true(&both, PMIX_GET_STATIC_VALUES);
    add_true(&both, PMIX_GET_POINTER_VALUES);
    check_status_for("GET-010", PMIX_ERR_BAD_PARAM, PMIx_Get(&me, "number", both.at, both.n, &to),
                     "in a place, and by pointer");
    free_infos(&both);
}

/* ---- without blocking */

static _Thread_local bool calling;

struct outcome {
    const char *step; /* told when it has come */
    int n;
    pmix_status_t status;
    uint32_t number;
    bool has_value;
    bool inside; /* of the call */
};

static void came(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    struct outcome *a = cbdata;

    a->n++;
    a->inside = calling;
    a->status = status;
    a->has_value = v != NULL;
    a->number = v != NULL && v->type == PMIX_UINT32 ? v->data.uint32 : 0;
    tell(a->step);
}

static pmix_status_t start_get(const pmix_proc_t *proc, const char *key, const char *directive,
                               struct outcome *a)
{
    struct infos list = {0};
    pmix_status_t rc;

    if (directive != NULL) {
        add_true(&list, directive);
    }
    calling = true;
    rc = PMIx_Get_nb(proc, key, list.at, list.n, came, a);
    calling = false;
    free_infos(&list);
    return rc;
}

static void ask_without_blocking(void)
{
    struct outcome here = {.step = "here"};
    struct outcome other = {.step = "other"};
    struct outcome none = {.step = "none"};
    pmix_proc_t proc;

    post_and_fence();
    PMIX_LOAD_PROCID(&proc, me.nspace, 1 - me.rank);
    check_status(PMIX_SUCCESS, start_get(NULL, "number", NULL, &here), "mine");
    check_status(PMIX_SUCCESS, start_get(&proc, "number", NULL, &other), "the other's");
    check_status(PMIX_SUCCESS, start_get(&proc, "nothing", PMIX_OPTIONAL, &none), "nobody's");
    await_n("here", 2);
    await_n("other", 2);
    await_n("none", 2);
    check(here.n == 1 && here.status == PMIX_SUCCESS && here.number == 100 + me.rank, "mine");
    check(other.n == 1 && other.status == PMIX_SUCCESS && other.number == 101 - me.rank,
          "the other's");
    check(none.n == 1 && none.status == PMIX_ERR_NOT_FOUND && !none.has_value,
          "no value when there is none");
    check(!here.inside && !other.inside && !none.inside, "no callback within the call");
}

/* A call that is refused never calls back: what follows it does. */
static void refuse_without_blocking(void)
{
    struct outcome refused = {.step = "refused"};
    struct outcome last = {.step = "last"};
    struct infos list = {0};
    pmix_proc_t all;
    char key[PMIX_MAX_KEYLEN + 2];
    pmix_status_t rc;

    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    put_number("number", 5);
    add_true(&list, PMIX_GET_STATIC_VALUES);
    rc = PMIx_Get_nb(&me, "number", list.at, list.n, came, &refused);
    check_for("GET-009", rc == PMIX_ERR_NOT_SUPPORTED || rc == PMIX_ERR_BAD_PARAM,
              "in a given place: %d", rc);
    free_infos(&list);
    check_status_for("GET-017", PMIX_ERR_BAD_PARAM, start_get(&me, key, NULL, &refused),
                     "a key that is too long");
    all = process(me.nspace, PMIX_RANK_WILDCARD);
    check_status_for("GET-016", PMIX_ERR_BAD_PARAM, start_get(&all, NULL, NULL, &refused),
                     "no key of nobody");
    check_status_for("GET-014", PMIX_ERR_BAD_PARAM, PMIx_Get_nb(&me, "number", NULL, 0, NULL, NULL),
                     "no callback");
    check_status(PMIX_SUCCESS, start_get(&me, "number", NULL, &last), "a good one");
    await("last");
    check_for("GET-014", refused.n == 0, "%d callbacks of refused calls", refused.n);
}

/* ---- statuses */

static void see_scopes(void)
{
    if (me.rank == 1) {
        put_in(PMIX_REMOTE, "remote", 1);
        put_in(PMIX_LOCAL, "local", 2);
        commit();
    }
    fence_all(PMIX_COLLECT_DATA);
    if (me.rank == 0) {
        same(OUTSIDE_SCOPE, got_of(1, "remote", PMIX_OPTIONAL), "a neighbour's remote key, here");
        same(OUTSIDE_SCOPE, got_of(1, "remote", NULL), "the same, of the server");
        same(OUTSIDE_SCOPE, got_of(1, "remote", PMIX_IMMEDIATE), "the same, immediate");
    } else if (me.rank == 2) {
        same(NOT_FOUND, got_of(1, "local", PMIX_IMMEDIATE), "another node's local key");
        same(NOT_FOUND, got_of(1, "local", NULL), "another node's local key, asked for over there");
    }
    if (me.rank != 1) {
        tell("seen");
    }
    await_n("seen", 2); /* nobody has waited for the end of rank 1 */
}

static void find_nothing(void)
{
    same(NOT_FOUND, got_of(PMIX_RANK_WILDCARD, PMIX_ANL_MAP, NULL),
         "a reserved key that the host has not given");
    same(NOT_FOUND, got_of(0, PMIX_FABRIC_COORDINATES, NULL), "one of a process");
    same(NOT_FOUND, got_of(0, "nothing", PMIX_OPTIONAL), "a key of the application");
}

static void fail_otherwise(void)
{
    struct infos list = {0};
    pmix_value_t *v = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;
    int second = 1;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    add(&list, PMIX_TIMEOUT, &second, PMIX_INT);
    PMIX_LOAD_PROCID(&proc, "B", 0);
    check_status(PMIX_ERR_TIMEOUT, PMIx_Get(&proc, "nothing", list.at, list.n, &v), "in time");
    tell("asking");
    rc = PMIx_Get(&proc, "nothing", NULL, 0, &v);
    check(rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_UNREACH, "without a server: %d", rc);
    free_infos(&list);
    (void) PMIx_Finalize(NULL, 0);
}

static void die_when_asked(void)
{
    await("asking");
    host_dies();
}

static void ask_outside(void)
{
    struct outcome a = {.step = "outside"};
    pmix_value_t *v = NULL;

    check_status(PMIX_ERR_INIT, PMIx_Get(&me, PMIX_JOB_SIZE, NULL, 0, &v), "before PMIx_Init");
    check_status(PMIX_ERR_INIT, start_get(&me, PMIX_JOB_SIZE, NULL, &a), "before PMIx_Init");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    same("1", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL), "between");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    check_status(PMIX_ERR_INIT, PMIx_Get(&me, PMIX_JOB_SIZE, NULL, 0, &v), "after PMIx_Finalize");
    check(a.n == 0, "no callback");
}

const struct conform_case cases[] = {
    {.ids = "GET-001", .what = "no process means the caller", .ranks = 2, .client = ask_about_self},
    {.ids = "GET-003", .what = "a value is the caller's own", .ranks = 2, .client = change_values},
    {.ids = "GET-004",
     .what = "a pointer is the same each time",
     .own_host = true,
     .ranks = 2,
     .client = point_at_values},
    {.ids = "GET-004",
     .what = "a pointer leads into the segment",
     .ranks = 2,
     .client = point_into_segment,
     .form = SHARED},
    {.ids = "GET-005",
     .what = "what a pointer shows does not change",
     .ranks = 2,
     .client = hold_pointer},
    {.ids = "GET-002 GET-006",
     .what = "a value in the caller's memory",
     .ranks = 2,
     .client = fill_values},
    {.ids = "GET-002 GET-004 GET-006",
     .what = "in every manner a get says the same, in whatever order they are asked for",
     .ranks = 2,
     .client = ask_in_every_manner},
    {.ids = "GET-007 GET-010", .what = "bad places are refused", .client = give_bad_places},
    {.ids = "GET-014",
     .what = "the answer comes after the call, once",
     .ranks = 2,
     .client = ask_without_blocking},
    {.ids = "GET-009 GET-014 GET-016 GET-017",
     .what = "a refused call does not call back",
     .client = refuse_without_blocking},
    {.ids = "GET-011",
     .what = "a key outside of the scope is not waited for",
     .jobs = {{"A", {2, 1}}},
     .nodes = 2,
     .client = see_scopes},
    {.ids = "GET-012", .what = "what is not there", .client = find_nothing},
    {.ids = "GET-013",
     .what = "time runs out, the server goes",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .client = fail_otherwise,
     .script = die_when_asked,
     .raw = true,
     .dirty = true},
    {.ids = "GET-018", .what = "outside of init and finalize", .client = ask_outside, .raw = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
