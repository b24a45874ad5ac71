/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Put with PMIX_DEL_LOCAL, PMIX_DEL_REMOTE, PMIX_DEL_GLOBAL and PMIX_DEL_INTERNAL: what goes
 * away for whom, and when (docs/decisions/0024-deletion.md). */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <string.h>

/* The distribution's headers lack them. */
#ifndef PMIX_DEL_LOCAL
#define PMIX_DEL_LOCAL    5
#define PMIX_DEL_REMOTE   6
#define PMIX_DEL_GLOBAL   7
#define PMIX_DEL_INTERNAL 8
#endif

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

static void delete (pmix_scope_t scope, const char *key)
{
    check_status(PMIX_SUCCESS, PMIx_Put(scope, key, NULL), "delete %s, scope %d", key, scope);
}

/* Commits, and waits until the server has taken it. */
static void commit_and_wait(void)
{
    commit();
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "a fence of oneself");
}

/* ---- one process */

static void delete_own(void)
{
    put_text(PMIX_GLOBAL, "k", "old");
    commit();
    fence_all(NULL);
    same("old", got_of(0, "k", PMIX_OPTIONAL), "what was put");
    delete (PMIX_DEL_GLOBAL, "k");
    same(NOT_FOUND, got_of(0, "k", NULL), "at once, before the commit");
    same(NOT_FOUND, got_of(0, "k", PMIX_OPTIONAL), "asking nobody");
    commit();
    same(NOT_FOUND, got_of(0, "k", NULL), "after the commit");
    fence_all(NULL);
    same(NOT_FOUND, got_of(0, "k", NULL), "after a fence");
    put_text(PMIX_GLOBAL, "k", "new");
    same("new", got_of(0, "k", NULL), "put again");
    commit();
    fence_all(NULL);
    same("new", got_of(0, "k", NULL), "and committed");
}

/* What a process asks to be absent, and is, is no error. */
static void delete_nothing(void)
{
    delete (PMIX_DEL_GLOBAL, "never");
    delete (PMIX_DEL_INTERNAL, "never");
    commit();
    delete (PMIX_DEL_LOCAL, "never");
    delete (PMIX_DEL_REMOTE, "never");
    commit();
    fence_all(NULL);
    same(NOT_FOUND, got_of(0, "never", PMIX_IMMEDIATE), "what was never put");
}

static void refuse(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 1};
    char key[PMIX_MAX_KEYLEN + 2];

    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    for (pmix_scope_t scope = PMIX_DEL_LOCAL; scope <= PMIX_DEL_INTERNAL; scope++) {
        check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(scope, PMIX_JOB_SIZE, NULL), "the host's key");
        check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(scope, NULL, NULL), "no key");
        check_status(PMIX_ERR_BAD_PARAM, PMIx_Put(scope, key, NULL), "a key that is too long");
        check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Put(scope, PMIX_QUALIFIED_VALUE, NULL),
                     "qualified values");
        check_status(PMIX_SUCCESS, PMIx_Put(scope, "k", &v), "a value is ignored");
    }
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Put(PMIX_DEL_INTERNAL + 1, "k", &v), "scope 9");
    commit();
    fence_all(NULL);
    same(NOT_FOUND, got_of(0, "k", PMIX_IMMEDIATE), "nothing was put");
    same("1", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL), "the host's key has not changed");
}

static void delete_internal(void)
{
    pmix_value_t v = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) "stored"};
    pmix_value_t pointer = {.type = PMIX_POINTER, .data.ptr = &v};

    put_text(PMIX_INTERNAL, "i", "mine");
    delete (PMIX_DEL_INTERNAL, "i");
    same(NOT_FOUND, got_of(0, "i", PMIX_OPTIONAL), "what was put for oneself");
    check_status(PMIX_SUCCESS, PMIx_Store_internal(&me, "s", &v), "store");
    check_status(PMIX_SUCCESS, PMIx_Store_internal(&me, "p", &pointer), "store a pointer");
    delete (PMIX_DEL_GLOBAL, "s");
    same("stored", got_of(0, "s", PMIX_OPTIONAL), "another audience");
    delete (PMIX_DEL_INTERNAL, "s");
    delete (PMIX_DEL_INTERNAL, "p");
    same(NOT_FOUND, got_of(0, "s", PMIX_OPTIONAL), "what was stored");
    same(NOT_FOUND, got_of(0, "p", PMIX_OPTIONAL), "a pointer that was stored");
    put_text(PMIX_GLOBAL, "both", "all");
    commit();
    fence_all(NULL);
    put_text(PMIX_INTERNAL, "both", "mine");
    same("mine", got_of(0, "both", NULL), "for oneself");
    delete (PMIX_DEL_INTERNAL, "both");
    same("all", got_of(0, "both", NULL), "what everybody sees is back");
    delete (PMIX_DEL_INTERNAL, "both");
    same("all", got_of(0, "both", NULL), "and is of another audience");
}

/* Pointers and structures that were filled stay as they were. */
static void keep_pointers(void)
{
    pmix_value_t *pointer = NULL;
    pmix_value_t room = {.type = PMIX_UNDEF};
    pmix_value_t *place = &room;
    pmix_info_t info;
    bool yes = true;

    put_text(PMIX_GLOBAL, "k", "old");
    commit();
    fence_all(NULL);
    PMIX_INFO_LOAD(&info, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    for (pmix_rank_t r = 0; r < 2; r++) {
        pmix_proc_t proc = process("A", r);

        check_status(PMIX_SUCCESS, PMIx_Get(&proc, "k", &info, 1, &pointer), "a pointer");
        if (r != me.rank) {
            break;
        }
    }
    PMIX_INFO_LOAD(&info, PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    check_status(PMIX_SUCCESS, PMIx_Get(&me, "k", &info, 1, &place), "a structure");
    fence_all(NULL);
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(NULL);
    same(NOT_FOUND, got_of(1 - me.rank, "k", PMIX_IMMEDIATE), "it is gone");
    check(strcmp(pointer->data.string, "old") == 0, "the pointer is good");
    check(strcmp(room.data.string, "old") == 0, "so is the structure");
    PMIX_VALUE_DESTRUCT(&room);
    fence_all(NULL);
}

/* ---- the neighbours see it with the commit */

static void delete_near(void)
{
    if (me.rank == 1) {
        put_text(PMIX_GLOBAL, "k", "old");
        put_text(PMIX_GLOBAL, "other", "stays");
        commit_and_wait();
        tell("put");
        await_n("got", 2);
        delete (PMIX_DEL_GLOBAL, "k");
        tell("staged");
        await_n("looked", 2);
        commit_and_wait();
        same(NOT_FOUND, got_of(1, "k", NULL), "my own");
        tell("deleted");
        await_n("missed", 2);
        put_text(PMIX_GLOBAL, "k", "new");
        commit_and_wait();
        tell("again");
        await_n("seen", 2);
        return;
    }
    await("put");
    same("old", got_of(1, "k", NULL), "what was put");
    same("stays", got_of(1, "other", NULL), "and another one");
    tell("got");
    await("staged");
    same("old", got_of(1, "k", NULL), "before the commit");
    tell("looked");
    await("deleted");
    same(NOT_FOUND, got_of(1, "k", PMIX_IMMEDIATE), "after the commit");
    same(NOT_FOUND, got_of(1, "k", PMIX_OPTIONAL), "no copy is left");
    same(NOT_FOUND, got_of(1, "k", NULL), "nor after a wait");
    same("stays", got_of(1, "other", NULL), "the other one stays");
    tell("missed");
    await("again");
    same("new", got_of(1, "k", NULL), "put again");
    tell("seen");
}

/* A get of another key brings what there is of the process, and so takes away what is not. */
static void miss_by_another(void)
{
    if (me.rank == 1) {
        put_text(PMIX_GLOBAL, "k", "old");
        put_text(PMIX_LOCAL, "l", "old");
        commit_and_wait();
        tell("put");
        await("got");
        delete (PMIX_DEL_GLOBAL, "k");
        put_text(PMIX_LOCAL, "l", "new");
        commit_and_wait();
        tell("deleted");
        await("done");
        return;
    }
    await("put");
    same("old", got_of(1, "k", NULL), "what was put");
    tell("got");
    await("deleted");
    same("new", got_of(1, "l", NULL), "another key");
    same(NOT_FOUND, got_of(1, "k", PMIX_OPTIONAL), "brings that this one is gone");
    tell("done");
}

/* A get that waits for a deleted key gets what is put under it. */
static void wait_again(void)
{
    if (me.rank == 0) {
        put_number("k", 1);
        commit();
        delete (PMIX_DEL_GLOBAL, "k");
        commit();
        fence_all(NULL);
        await("asking");
        put_number("k", 2);
        commit();
    } else {
        struct late_get late = {.step = "answered"};

        fence_all(NULL);
        get_later(&late, "A", 0, "k", NULL);
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind the request");
        tell("asking");
        await("answered");
        check(late.status == PMIX_SUCCESS && late.number == 2, "what was put again");
    }
    fence_all(NULL);
}

/* ---- one commit */

static void delete_in_one_commit(void)
{
    put_number("gone", 1);
    delete (PMIX_DEL_GLOBAL, "gone");
    put_number("back", 1);
    put_number("shrinks", 1);
    commit();
    delete (PMIX_DEL_GLOBAL, "shrinks");
    put_in(PMIX_LOCAL, "shrinks", 2);
    delete (PMIX_DEL_GLOBAL, "back");
    put_number("back", 2);
    put_number("twice", 1);
    delete (PMIX_DEL_LOCAL, "twice");
    delete (PMIX_DEL_REMOTE, "twice");
    put_number("there", 1);
    put_number("narrow", 3);
    delete (PMIX_DEL_REMOTE, "narrow");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        bool near = r / 2 == me.rank / 2;

        same(NOT_FOUND, got_of(r, "gone", PMIX_IMMEDIATE), "put and deleted, of %u", r);
        same("2", got_of(r, "back", PMIX_IMMEDIATE), "deleted and put, of %u", r);
        same(NOT_FOUND, got_of(r, "twice", PMIX_IMMEDIATE), "deleted here and there, of %u", r);
        same("1", got_of(r, "there", PMIX_IMMEDIATE), "the one beside it, of %u", r);
        same(near ? "2" : NOT_FOUND, got_of(r, "shrinks", PMIX_IMMEDIATE), "put for less, of %u",
             r);
        same(near ? "3" : NOT_FOUND, got_of(r, "narrow", PMIX_IMMEDIATE), "for one node, of %u", r);
    }
    fence_all(NULL);
}

/* ---- scopes, over nodes */

static const struct {
    const char *name;
    pmix_scope_t put;
    pmix_scope_t gone;
    const char *near; /* what neighbours get; NULL: the value */
    const char *far;
    bool own; /* it is still there for the process itself */
} scopes[] = {
    {"ll", PMIX_LOCAL, PMIX_DEL_LOCAL, NOT_FOUND, NOT_FOUND, false},
    {"lr", PMIX_LOCAL, PMIX_DEL_REMOTE, NULL, NOT_FOUND, true},
    {"lg", PMIX_LOCAL, PMIX_DEL_GLOBAL, NOT_FOUND, NOT_FOUND, false},
    {"rl", PMIX_REMOTE, PMIX_DEL_LOCAL, OUTSIDE_SCOPE, NULL, true},
    {"rr", PMIX_REMOTE, PMIX_DEL_REMOTE, NOT_FOUND, NOT_FOUND, false},
    {"rg", PMIX_REMOTE, PMIX_DEL_GLOBAL, NOT_FOUND, NOT_FOUND, false},
    {"gl", PMIX_GLOBAL, PMIX_DEL_LOCAL, OUTSIDE_SCOPE, NULL, true},
    {"gr", PMIX_GLOBAL, PMIX_DEL_REMOTE, NULL, NOT_FOUND, true},
    {"gg", PMIX_GLOBAL, PMIX_DEL_GLOBAL, NOT_FOUND, NOT_FOUND, false},
    {"gi", PMIX_GLOBAL, PMIX_DEL_INTERNAL, NULL, NULL, true},
};

static void see_scopes(const char *directive)
{
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        for (pmix_rank_t r = 0; r < 4; r++) {
            const char *want = r == me.rank           ? scopes[i].own ? NULL : NOT_FOUND
                               : r / 2 == me.rank / 2 ? scopes[i].near
                                                      : scopes[i].far;

            same(want != NULL ? want : scopes[i].name, got_of(r, scopes[i].name, directive),
                 "%u sees %s of %u", me.rank, scopes[i].name, r);
        }
    }
}

static void put_scopes(void)
{
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        put_text(scopes[i].put, scopes[i].name, scopes[i].name);
    }
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
            (void) got_of(r, scopes[i].name, PMIX_IMMEDIATE); /* so that there are copies */
        }
    }
    fence_all(NULL);
}

static void delete_scopes(void)
{
    put_scopes();
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        delete (scopes[i].gone, scopes[i].name);
    }
    commit();
    fence_all(PMIX_COLLECT_DATA);
    see_scopes(PMIX_IMMEDIATE);
    fence_all(NULL);
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
        put_text(scopes[i].put, scopes[i].name, "again");
    }
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        bool near = r / 2 == me.rank / 2;

        for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
            const char *want = scopes[i].put == PMIX_LOCAL && !near ? NOT_FOUND
                               : scopes[i].put == PMIX_REMOTE && near && r != me.rank
                                   ? OUTSIDE_SCOPE
                                   : "again";

            same(want, got_of(r, scopes[i].name, PMIX_IMMEDIATE), "%s of %u again", scopes[i].name,
                 r);
        }
    }
    fence_all(NULL);
}

/* What a fence has brought to other nodes goes with the next one that collects. */
static void delete_far(void)
{
    pmix_rank_t far = (me.rank + 1) % 3;

    put_number("k", me.rank);
    put_number("other", me.rank);
    put_number("unique", 7);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(far, far, "k", PMIX_IMMEDIATE);
    check_number(far, far, "k", PMIX_OPTIONAL);
    fence_all(NULL);
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(NULL);
    check_number(far, far, "k", PMIX_OPTIONAL); /* nothing was collected */
    fence_all(PMIX_COLLECT_DATA);
    same(NOT_FOUND, got_of(far, "k", PMIX_OPTIONAL), "no copy is left");
    same(NOT_FOUND, got_of(far, "k", PMIX_IMMEDIATE), "nor at the server");
    same(NOT_FOUND, got_of(far, "k", NULL), "nor where it was put");
    check_number(far, far, "other", PMIX_IMMEDIATE);
    fence_all(PMIX_COLLECT_DATA);
    same(NOT_FOUND, got_of(far, "k", PMIX_IMMEDIATE), "nor after one more fence");
    fence_all(NULL);
    put_number("k", 10 + me.rank);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(10 + far, far, "k", PMIX_IMMEDIATE);
    fence_all(NULL);
}

/* All that a process has is deleted: a fence brings that, too. */
static void delete_all(void)
{
    pmix_rank_t far = (me.rank + 1) % 3;

    put_number("k", me.rank);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(far, far, "k", PMIX_OPTIONAL);
    fence_all(NULL);
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    same(NOT_FOUND, got_of(far, "k", PMIX_OPTIONAL), "no copy is left");
    fence_all(NULL);
}

/* Without a fence: direct modex does not find what was deleted, a refresh takes the copy away. */
static void delete_asked(void)
{
    pmix_rank_t far = 1 - me.rank;

    put_number("k", me.rank);
    commit();
    fence_all(NULL);
    check_number(far, far, "k", NULL);
    fence_all(NULL);
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(NULL);
    same(NOT_FOUND, got_of(far, "k", PMIX_GET_REFRESH_CACHE), "a refresh");
    same(NOT_FOUND, got_of(far, "k", PMIX_OPTIONAL), "takes the copy away");
    fence_all(NULL);
}

static void delete_unasked(void)
{
    put_number("k", me.rank);
    put_number("other", me.rank);
    commit();
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(NULL);
    same(NOT_FOUND, got_of(1 - me.rank, "k", NULL), "what was deleted before anybody asked");
    check_number(1 - me.rank, 1 - me.rank, "other", NULL);
    fence_all(NULL);
}

/* A deletion goes once, and its value no more; what no fence has carried leaves nothing behind. */
static void delete_and_count(void)
{
    static char text[20001];

    memset(text, 'a', sizeof(text) - 1);
    put_text(PMIX_GLOBAL, "k", text);
    put_text(PMIX_GLOBAL, "other", text);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    delete (PMIX_DEL_GLOBAL, "k");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    fence_all(PMIX_COLLECT_DATA);
    put_text(PMIX_GLOBAL, "late", text);
    commit();
    delete (PMIX_DEL_GLOBAL, "late");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    same(NOT_FOUND, got_of(1 - me.rank, "late", PMIX_IMMEDIATE), "what nobody has seen");
    put_text(PMIX_GLOBAL, "k", text);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check(strncmp(got_of(1 - me.rank, "k", PMIX_IMMEDIATE), "aaaa", 4) == 0, "put again");
    fence_all(NULL);
}

static void count_blobs(void)
{
    static const struct {
        size_t least;
        size_t most;
    } want[] = {{40000, 41000}, {25, 200}, {24, 24}, {24, 24}, {20000, 20500}};

    for (int i = 0; i < 5; i++) {
        const struct record *r = upcall(ON_FENCE, 0, i);

        check(r != NULL && r->n_blob >= want[i].least && r->n_blob <= want[i].most,
              "fence %d carries %zu bytes", i, r != NULL ? (size_t) r->n_blob : 0);
    }
}

/* ---- everything, and anybody's */

static void count_all(pmix_rank_t rank, const char *key, int want)
{
    pmix_proc_t proc = process("A", rank);
    pmix_value_t *value = NULL;
    int n = 0;

    check_status(PMIX_SUCCESS, PMIx_Get(&proc, NULL, NULL, 0, &value), "everything");
    for (size_t i = 0; value != NULL && i < value->data.darray->size; i++) {
        n += strcmp(((pmix_info_t *) value->data.darray->array)[i].key, key) == 0;
    }
    check(n == want, "%u has %d of %s in everything of %u", me.rank, n, key, rank);
    PMIX_VALUE_RELEASE(value);
}

static void get_everything(void)
{
    put_number("k", 1);
    put_number("other", 1);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    count_all(1 - me.rank, "k", 1);
    fence_all(NULL);
    delete (PMIX_DEL_GLOBAL, "k");
    count_all(me.rank, "k", 0);
    commit();
    count_all(me.rank, "k", 0);
    fence_all(PMIX_COLLECT_DATA);
    count_all(1 - me.rank, "k", 0);
    count_all(1 - me.rank, "other", 1);
    fence_all(NULL);
}

/* A key that only one process has moves to another one. */
static void move_unique(void)
{
    for (uint32_t round = 0; round < 3; round++) {
        if (round > 0 && me.rank == (round - 1) % 2) {
            delete (PMIX_DEL_GLOBAL, "unique");
        }
        if (me.rank == round % 2) {
            put_number("unique", round);
        }
        commit();
        fence_all(PMIX_COLLECT_DATA);
        check_number(round, PMIX_RANK_UNDEF, "unique", NULL);
        fence_all(NULL);
    }
}

/* ---- many */

/* Keys that come and go do not fill what is kept. */
static void come_and_go(void)
{
    char key[32];

    for (uint32_t i = 0; i < 2000; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        put_number(key, i);
        commit();
        delete (PMIX_DEL_GLOBAL, key);
        commit();
    }
    put_number("last", 1);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(1, 1 - me.rank, "last", PMIX_IMMEDIATE);
    same(NOT_FOUND, got_of(1 - me.rank, "key-7", PMIX_IMMEDIATE), "one of them");
    fence_all(NULL);
}

#define CASE(...)                                                                                  \
    {                                                                                              \
        .ids = "PUT-019", .ours_only = "the distribution's library cannot delete", __VA_ARGS__     \
    }

const struct conform_case cases[] = {
    CASE(.what = "one's own value", .client = delete_own),
    CASE(.what = "what was never put", .client = delete_nothing),
    CASE(.what = "what is refused", .client = refuse),
    CASE(.what = "what a process keeps", .client = delete_internal),
    CASE(.what = "pointers stay good", .ranks = 2, .client = keep_pointers),
    CASE(.what = "neighbours see it at the commit", .ranks = 3, .client = delete_near),
    CASE(.what = "a get of another key brings it", .ranks = 2, .client = miss_by_another),
    CASE(.what = "a get waits for the next value", .ranks = 2, .client = wait_again),
    CASE(.what = "put and deleted in one commit", .nodes = 2, .ranks = 2,
         .client = delete_in_one_commit),
    CASE(.what = "scopes over two nodes", .nodes = 2, .ranks = 2, .client = delete_scopes),
    CASE(.what = "the next collecting fence carries it", .nodes = 3, .client = delete_far),
    CASE(.what = "what the fences carry", .nodes = 2, .client = delete_and_count,
         .after = count_blobs),
    CASE(.what = "the last value", .nodes = 3, .client = delete_all),
    CASE(.what = "a refresh of a deleted key", .nodes = 2, .client = delete_asked),
    CASE(.what = "direct modex has it not", .nodes = 2, .client = delete_unasked),
    CASE(.what = "everything of a process", .ranks = 2, .client = get_everything),
    CASE(.what = "everything of a process of another node", .nodes = 2, .client = get_everything),
    CASE(.what = "a unique key moves", .nodes = 2, .client = move_unique),
    CASE(.what = "many keys", .nodes = 2, .client = come_and_go),
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
