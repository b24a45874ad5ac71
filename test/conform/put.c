/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Put, PMIx_Commit, PMIx_Store_internal: who sees what, and when. Values of all types are in
 * put_types.c. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

/* ---- putting */

static void reuse_buffer(void)
{
    char text[] = "first";
    char bytes[] = "12345";
    pmix_value_t v = {.type = PMIX_STRING, .data.string = text};
    pmix_value_t b = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = 5}};

    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "text", &v), "put a text");
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "bytes", &b), "put bytes");
    memset(text, 'x', 5);
    memset(bytes, 'x', 5);
    same("first", got_of(me.rank, "text", NULL), "the text as it was");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    same("first", got_of(1 - me.rank, "text", NULL), "the other's text");
    same("12345", got_of(1 - me.rank, "bytes", NULL), "the other's bytes");
}

static void refuse_keys(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 1};
    char key[PMIX_MAX_KEYLEN + 2];

    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, PMIX_JOB_SIZE, &v), "the host's key");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, "pmix.foo", &v),
                 "a key of the host's kind");
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, PMIX_GROUP_LOCAL_CID, &v),
                 "what a process is to put");
    same("1", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL), "the host's key has not changed");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, key, &v), "a key that is too long");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, NULL, &v), "no key");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, "key", NULL), "no value");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Store_internal(&me, NULL, &v), "no key to store");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Store_internal(&me, "key", NULL), "no value to store");
}

static void try_scopes(void)
{
    static const struct {
        const char *key;
        pmix_scope_t scope;
        pmix_status_t status;
    } scopes[] = {
        {"l", PMIX_LOCAL, PMIX_SUCCESS},
        {"r", PMIX_REMOTE, PMIX_SUCCESS},
        {"g", PMIX_GLOBAL, PMIX_SUCCESS},
        {"i", PMIX_INTERNAL, PMIX_SUCCESS},
        {"u", PMIX_SCOPE_UNDEF, PMIX_ERR_NOT_SUPPORTED},
        {"x", (pmix_scope_t) 77, PMIX_ERR_NOT_SUPPORTED},
    };
    pmix_value_t v = {.type = PMIX_UINT32};
    char want[16];

    for (uint32_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        v.data.uint32 = i;
        snprintf(want, sizeof(want), "%u", i);
        check_status_for("PUT-003", scopes[i].status, PMIx_Put(scopes[i].scope, scopes[i].key, &v),
                         "scope %d", scopes[i].scope);
        same_for("PUT-008", scopes[i].status == PMIX_SUCCESS ? want : NOT_FOUND,
                 got_of(0, scopes[i].key, PMIX_OPTIONAL), "my own value, scope %d",
                 scopes[i].scope);
    }
    commit();
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(want, sizeof(want), "%u", i);
        same_for("PUT-008", want, got_of(0, scopes[i].key, NULL),
                 "my own value, scope %d, committed", scopes[i].scope);
    }
}

/* ---- who sees it */

static void put_all_scopes(void)
{
    char text[64];
    static const struct {
        const char *key;
        pmix_scope_t scope;
    } all[] = {{"l", PMIX_LOCAL}, {"r", PMIX_REMOTE}, {"g", PMIX_GLOBAL}, {"i", PMIX_INTERNAL}};

    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof(text), "scope-%s-of-%u", all[i].key, me.rank);
        put_text(all[i].scope, all[i].key, text);
    }
}

/* What a process sees of another one: NULL for the value itself. */
static void see(pmix_rank_t rank, const char *key, const char *want)
{
    char value[64];

    snprintf(value, sizeof(value), "scope-%s-of-%u", key, rank);
    same(want != NULL ? want : value, got_of(rank, key, PMIX_IMMEDIATE), "%u sees %s of %u",
         me.rank, key, rank);
}

/* S08. Another node is not told of what is not meant for it, and so cannot say that it exists; nor
 * is anybody of what a process keeps for itself. */
static void see_matrix(void)
{
    put_all_scopes();
    commit();
    put_text(PMIX_GLOBAL, "u", "uncommitted");
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        bool mine = r == me.rank;
        bool near = r / 2 == me.rank / 2;

        about(mine ? "PUT-008" : "PUT-006 FEN-006");
        see(r, "g", NULL);
        about(mine ? "PUT-008" : "PUT-004");
        see(r, "l", near ? NULL : NOT_FOUND);
        about(mine ? "PUT-008" : near ? "PUT-005 GET-011" : "PUT-005");
        see(r, "r", near && !mine ? OUTSIDE_SCOPE : NULL);
        about(mine ? "PUT-008" : "PUT-007");
        see(r, "i", mine ? NULL : NOT_FOUND);
        about(mine ? "PUT-008" : "PUT-010");
        same(mine ? "uncommitted" : NOT_FOUND, got_of(r, "u", PMIX_IMMEDIATE),
             "what %u has not committed", r);
        about(NULL);
    }
    fence_all(NULL);
}

static bool in_blob(const struct record *r, const char *text)
{
    return r != NULL && r->n_blob > 0 && memmem(r->blob, r->n_blob, text, strlen(text)) != NULL;
}

static void check_matrix(void)
{
    const struct record *r = upcall(ON_FENCE, 1, 0);

    check_for("FEN-010", upcalls(ON_FENCE, 0) == 2 && upcalls(ON_FENCE, 1) == 2,
              "one upcall of each fence");
    check_for("FEN-006", upcalls(ON_MODEX, -1) == 0, "%d upcalls of direct modex",
              upcalls(ON_MODEX, -1));
    check_for("FEN-006", in_blob(r, "scope-g-of-2") && in_blob(r, "scope-r-of-2"),
              "what travels has what is for others");
    check_for("PUT-004", !in_blob(r, "scope-l-of"), "nothing that is local");
    check_for("PUT-007", !in_blob(r, "scope-i-of"), "nothing that is internal");
    check_for("FEN-007", !in_blob(r, "uncommitted"), "nothing that was not committed");
}

/* ---- when */

static void put_again(void)
{
    pmix_rank_t other = (me.rank + 1) % 4;

    for (uint32_t i = 1; i <= 3; i++) {
        put_number("again", 10 * i);
        put_number("again", i);
        put_number(i == 2 ? "second" : "some", 7);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        same(i == 1 ? "1" : i == 2 ? "2" : "3", got_of(other, "again", NULL), "the value put last");
        same("7", got_of(other, "some", NULL), "what was put before is still there");
        fence_all(NULL);
    }
    same("7", got_of(other, "second", NULL), "so is what was put once");
    fence_all(NULL);
}

static void commit_late(void)
{
    if (me.rank == 1) {
        put_number("k", 5);
        tell("put");
        await("asked");
        commit();
        tell("committed");
        await("seen");
    } else {
        await("put");
        same(NOT_FOUND, got_of(1, "k", PMIX_IMMEDIATE), "before the commit");
        same(NOT_FOUND, got_of(1, "k", PMIX_OPTIONAL), "before the commit");
        tell("asked");
        await("committed");
        same("5", got_of(1, "k", NULL), "after the commit");
        tell("seen");
    }
}

/* The server stands still while a process commits. */
static void commit_to_sleeper(void)
{
    if (me.rank == 0) {
        put_number("k", 5);
        kill(server_pid(0), SIGSTOP);
        about("PUT-011");
        commit();
        commit();
        about(NULL);
        kill(server_pid(0), SIGCONT);
    }
    fence_all(NULL);
    same_for("PUT-012", "5", got_of(0, "k", PMIX_IMMEDIATE), "what was committed before the fence");
    fence_all(NULL);
}

static void commit_nothing(void)
{
    commit();
    commit();
    put_number("k", 1);
    commit();
    commit();
    same("1", got_of(0, "k", NULL), "it is still there");
}

/* ---- what a process keeps for itself */

static pmix_status_t store(const char *nspace, pmix_rank_t rank, const char *key, const char *text)
{
    pmix_value_t v = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) text};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return PMIx_Store_internal(&proc, key, &v);
}

static void store_for_self(void)
{
    check_status(PMIX_SUCCESS, store("A", me.rank, "kept", "kept-for-me"), "store");
    check_status(PMIX_SUCCESS, store("A", 3, "told", "told-of-three"), "store for another process");
    check_status_for("PUT-014", PMIX_SUCCESS, store("other", 3, "told", "told-of-stranger"),
                     "store for a process of another job");
    put_text(PMIX_GLOBAL, "given", "given-to-all");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    same_for("PUT-014", "kept-for-me", got_of(me.rank, "kept", NULL), "my own");
    same_for("PUT-014", "told-of-three", got_of(3, "told", NULL), "of another process");
    same_for("PUT-014", "told-of-stranger", got("other", 3, "told", NULL, 0),
             "of a process of another job");
    for (pmix_rank_t r = 0; r < 4; r++) {
        same("given-to-all", got_of(r, "given", PMIX_IMMEDIATE), "what %u has put", r);
        if (r != me.rank) {
            same_for("PUT-015", NOT_FOUND, got_of(r, "kept", PMIX_IMMEDIATE), "what %u keeps", r);
        }
    }
    fence_all(NULL);
}

static void check_kept(void)
{
    const struct record *r = upcall(ON_FENCE, 0, 0);

    check_for("PUT-015", in_blob(r, "given-to-all"), "what was put travels");
    check_for("PUT-015", !in_blob(r, "kept-for-me") && !in_blob(r, "told-of"),
              "what was stored does not");
}

static void store_reserved(void)
{
    check_status(PMIX_SUCCESS, store("A", 0, PMIX_ANL_MAP, "mine"), "store a key of the host's");
    same("mine", got_of(0, PMIX_ANL_MAP, NULL), "it is there");
}

/* ---- qualified values */

static void put_qualified(const char *color, uint32_t number)
{
    pmix_info_t infos[2];
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = infos};
    pmix_value_t v = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

    PMIX_INFO_LOAD(&infos[0], "key", &number, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], "color", color, PMIX_STRING);
    PMIX_INFO_SET_QUALIFIER(&infos[1]);
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, PMIX_QUALIFIED_VALUE, &v), "put %s", color);
    PMIX_INFO_DESTRUCT(&infos[1]);
}

/* A qualifier is none of the directives, even if it is named like one. */
static const char *got_optional(pmix_rank_t rank)
{
    struct infos list = {0};
    const char *answer;

    add_true(&list, PMIX_OPTIONAL);
    PMIX_INFO_SET_QUALIFIER(&list.at[0]);
    add_true(&list, PMIX_IMMEDIATE);
    answer = got(me.nspace, rank, "key", list.at, list.n);
    free_infos(&list);
    return answer;
}

static const char *got_qualified(pmix_rank_t rank, const char *color)
{
    struct infos list = {0};
    const char *answer;

    add_text(&list, "color", color);
    PMIX_INFO_SET_QUALIFIER(&list.at[0]);
    add_true(&list, PMIX_IMMEDIATE);
    answer = got(me.nspace, rank, "key", list.at, list.n);
    free_infos(&list);
    return answer;
}

static void use_qualified(void)
{
    pmix_rank_t other = (me.rank + 1) % 4;

    put_qualified("red", 1);
    put_qualified("blue", 2);
    put_number("key", 3);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = me.rank; r != 5; r = r == me.rank ? other : 5) {
        same("1", got_qualified(r, "red"), "the red one of %u", r);
        same("2", got_qualified(r, "blue"), "the blue one of %u", r);
        same("3", got_of(r, "key", PMIX_IMMEDIATE), "the plain one of %u", r);
        same(NOT_FOUND, got_qualified(r, "green"), "there is no green one of %u", r);
        same(NOT_FOUND, got_optional(r), "nor one that is called optional");
    }
    fence_all(NULL);
}

/* ---- more values than a server takes at once */

enum { MANY = 9000, ALL = 3 }; /* a round in which all are for everybody */

static const pmix_scope_t scopes_of_many[] = {PMIX_LOCAL, PMIX_REMOTE, PMIX_GLOBAL};

static pmix_scope_t scope_of_many(int round, int i)
{
    return round == ALL ? PMIX_GLOBAL : scopes_of_many[(i + round) % 3];
}

/* The n-th of a round is the next one, or another one: two orders. */
static void put_many(int round)
{
    char key[32];

    for (int n = 0; n < MANY; n++) {
        int i = round % 2 ? (n * 7) % MANY : n;

        pmix_value_t value = {.type = PMIX_UINT32,
                              .data.uint32 = (uint32_t) (i + 10000 * (int) me.rank)};

        snprintf(key, sizeof(key), "many.%d.%d", round, i);
        check_status(PMIX_SUCCESS, PMIx_Put(scope_of_many(round, i), key, &value), "put %s", key);
    }
    commit();
}

static void see_many(int round)
{
    pmix_rank_t near = me.rank ^ 1;
    pmix_rank_t far = me.rank ^ 2;
    char key[32];
    char want[16];

    for (int i = 0; i < MANY; i += i % 50 < 3 ? 1 : 47) {
        pmix_scope_t scope = scope_of_many(round, i);

        snprintf(key, sizeof(key), "many.%d.%d", round, i);
        snprintf(want, sizeof(want), "%d", i + 10000 * (int) near);
        about(scope == PMIX_REMOTE ? "PUT-005" : "PUT-004");
        same(scope == PMIX_REMOTE ? OUTSIDE_SCOPE : want, got_of(near, key, PMIX_IMMEDIATE),
             "%s of %u", key, near);
        snprintf(want, sizeof(want), "%d", i + 10000 * (int) far);
        about(scope == PMIX_LOCAL ? "PUT-004" : "PUT-006");
        same(scope == PMIX_LOCAL ? NOT_FOUND : want, got_of(far, key, PMIX_IMMEDIATE), "%s of %u",
             key, far);
    }
}

static void put_and_see_many(void)
{
    about("PUT-006");
    for (int round = 0; round <= ALL; round++) {
        put_many(round);
    }
    fence_all(PMIX_COLLECT_DATA);
    for (int round = 0; round <= ALL; round++) {
        see_many(round);
    }
    fence_all(NULL);
}

/* ---- values that the server copies in pieces */

enum { LARGE = 5000000, TIMES = 6 };

/* A value of so many bytes, all of them the number. */
static void put_large(int number)
{
    static char bytes[LARGE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, LARGE}};

    memset(bytes, number, LARGE);
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "large", &value), "put %d", number);
    commit();
}

static void see_large(pmix_rank_t rank, int number)
{
    pmix_proc_t proc = process(me.nspace, rank);
    pmix_value_t *value = NULL;
    bool same_bytes;

    check_status(PMIX_SUCCESS, PMIx_Get(&proc, "large", NULL, 0, &value), "get %d", number);
    same_bytes = value && value->type == PMIX_BYTE_OBJECT && value->data.bo.size == LARGE;
    for (size_t i = 0; same_bytes && i < LARGE; i++) {
        same_bytes = value->data.bo.bytes[i] == number;
    }
    check(same_bytes, "the bytes of %d", number);
    PMIX_VALUE_RELEASE(value);
}

/* The segment has garbage enough that it moves meanwhile. */
static void replace_large(void)
{
    for (int i = 1; i <= TIMES; i++) {
        put_large(i);
        fence_all(PMIX_COLLECT_DATA);
        see_large(me.rank ^ 1, i);
        see_large(me.rank ^ 2, i);
        fence_all(NULL);
    }
}

/* ---- publishing is something else */

static void publish_and_put(void)
{
    struct infos list = {0};
    pmix_pdata_t *pdata;

    add_text(&list, "published", "word");
    check_status(PMIX_SUCCESS, PMIx_Publish(list.at, list.n), "publish");
    free_infos(&list);
    same(NOT_FOUND, got_of(0, "published", PMIX_IMMEDIATE), "get what was published");
    put_number("put", 1);
    commit();
    PMIX_PDATA_CREATE(pdata, 1);
    PMIX_LOAD_KEY(pdata[0].key, "put");
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Lookup(pdata, 1, NULL, 0), "look up what was put");
    PMIX_PDATA_FREE(pdata, 1);
}

static void check_published(void)
{
    check(upcalls(ON_PUBLISH, 0) == 1 && upcalls(ON_LOOKUP, 0) == 1, "the host was asked of both");
}

const struct conform_case cases[] = {
    {.ids = "PUT-001", .what = "a value is copied", .ranks = 2, .client = reuse_buffer},
    {.ids = "PUT-002", .what = "reserved keys are refused", .client = refuse_keys},
    {.ids = "PUT-003 PUT-008",
     .what = "scopes, and one's own values in each",
     .client = try_scopes},
    {.ids = "PUT-004 PUT-005 PUT-006 PUT-007 PUT-008 PUT-010 GET-011 FEN-006 FEN-007 FEN-010 S08",
     .what = "who sees what over two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = see_matrix,
     .after = check_matrix},
    {.ids = "PUT-009", .what = "a key is put again", .nodes = 2, .ranks = 2, .client = put_again},
    {.ids = "PUT-010",
     .what = "nothing is seen before the commit",
     .ranks = 2,
     .client = commit_late},
    {.ids = "PUT-011 PUT-012",
     .what = "a commit does not wait for the server",
     .ranks = 2,
     .client = commit_to_sleeper},
    {.ids = "PUT-012", .what = "a commit of nothing", .client = commit_nothing},
    {.ids = "PUT-014 PUT-015",
     .what = "what is stored stays in the process",
     .nodes = 2,
     .ranks = 2,
     .client = store_for_self,
     .after = check_kept},
    {.ids = "PUT-016",
     .what = "reserved keys may be stored",
     .own_host = true,
     .client = store_reserved},
    {.ids = "PUT-017", .what = "qualified values", .nodes = 2, .ranks = 2, .client = use_qualified},
    {.ids = "PUT-004 PUT-005 PUT-006",
     .what = "thousands of values in a commit",
     .nodes = 2,
     .ranks = 2,
     .client = put_and_see_many},
    {.ids = "PUT-009",
     .what = "values of megabytes are put again",
     .nodes = 2,
     .ranks = 2,
     .client = replace_large},
    {.ids = "PUT-018",
     .what = "what is published is not put, and the other way round",
     .client = publish_and_put,
     .after = check_published,
     .host = {[ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED},
              [ON_LOOKUP] = {AT_ONCE, PMIX_ERR_NOT_FOUND}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
