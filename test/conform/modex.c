/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How keys of the application are found: what is waited for, what other nodes are asked, and how
 * old it may be. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_FOUND "-46"
#define TIMED_OUT "-24"
#define REFUSED   "-23"

static const char *got_within(const char *nspace, pmix_rank_t rank, const char *key, int seconds)
{
    struct infos list = {0};
    const char *answer;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    answer = got(nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

static void post(const char *key, uint32_t number)
{
    put_number(key, number);
    commit();
}

/* ---- the order: here, then the server, then the host */

static void look_in_order(void)
{
    if (me.rank == 1) {
        post("l", 2);
        post("k", 1); /* who has been given it is given both */
        await("seen");
        return;
    }
    same(NOT_FOUND, got_of(1, "k", PMIX_OPTIONAL), "not in this process");
    same(NOT_FOUND, got_of(1, "k", PMIX_IMMEDIATE), "not at its server");
    check(upcalls(ON_MODEX, 0) == 0, "nobody else was asked");
    same("1", got_of(1, "k", NULL), "the other node has it");
    check(upcalls(ON_MODEX, 0) == 1, "asked once");
    kill(server_pid(0), SIGSTOP);
    same("1", got_of(1, "k", NULL), "now this process has it");
    kill(server_pid(0), SIGCONT);
    same_for("NRK-010", "2", got_of(1, "l", NULL), "and its server the other key");
    same_for("NRK-010", "1", got_of(1, "k", NULL), "still");
    check_for("NRK-010", upcalls(ON_MODEX, 0) == 1, "for which nobody was asked");
    same("1", got_of(1, "k", PMIX_GET_REFRESH_CACHE), "what is to be fresh");
    check(upcalls(ON_MODEX, 0) == 2, "is asked for first");
    tell("seen");
}

/* ---- processes of the node that have not posted */

static void note_value(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) v;
    *(pmix_status_t *) cbdata = status;
    tell("answered");
}

static long ticks_of(pid_t pid)
{
    char path[64];
    unsigned long ticks[2] = {0, 0}; /* as a user, and in the kernel */
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = fopen(path, "r");
    if (check(f != NULL, "%s", path)) {
        check(fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                     &ticks[0], &ticks[1]) == 2,
              "user and system time in %s", path);
        fclose(f);
    }
    return (long) (ticks[0] + ticks[1]);
}

/* B is registered, and does not come. Rank 0 asks and dies, rank 1 goes on waiting. */
static void wait_for_nobody(void)
{
    static pmix_status_t status = 1;
    pmix_proc_t target = process("B", 0);
    long before;

    if (strcmp(me.nspace, "B") == 0) {
        post("k", 7);
        return;
    }
    await("B is known");
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&target, "k", NULL, 0, note_value, &status), "get");
    if (me.rank == 0) {
        same(NOT_FOUND, got_of(0, "none", PMIX_IMMEDIATE), "the server has the question");
        tell("asking");
        await("never");
    }
    before = ticks_of(server_pid(0)) + ticks_of(getpid());
    same_for("GET-013", TIMED_OUT, got_within("B", 0, "other", 1), "a second passes");
    check_for("NRK-003",
              ticks_of(server_pid(0)) + ticks_of(getpid()) - before < sysconf(_SC_CLK_TCK) / 5,
              "nobody works meanwhile");
    check_for("NRK-003", status == 1, "there is no answer yet");
    tell("waiting");
    await("answered");
    check_status_for("NRK-003", PMIX_SUCCESS, status, "when the process has come");
}

static void let_b_come(void)
{
    job_register("B");
    tell("B is known");
    await("asking");
    rank_kill("A", 0, SIGKILL);
    await("waiting");
    job_start("B");
}

static void wait_for_the_dead(void)
{
    if (me.rank == 0) {
        tell("asking");
        same(NOT_FOUND, got_of(1, "k", NULL), "of one that ends well");
        tell("one is gone");
        same(NOT_FOUND, got_of(2, "k", NULL), "of one that is killed");
        same(NOT_FOUND, got_of(2, "k", NULL), "of one that is dead");
    } else {
        tell(me.rank == 2 ? "two is connected" : "one is");
        await(me.rank == 1 ? "asking" : "never");
    }
}

/* One that nobody knows to have been there could only be told of by its host. */
static void kill_two(void)
{
    await("one is gone");
    await("two is connected");
    rank_kill("A", 2, SIGKILL);
}

/* ---- what the host is asked */

static void ask_with_directives(void)
{
    if (me.rank == 1) {
        post("k", 7);
        await("seen");
    } else {
        same("7", got_within("A", 1, "k", 30), "the key");
        tell("seen");
    }
}

static void check_directives(void)
{
    const struct record *r = upcall(ON_MODEX, 0, 0);
    const struct note *key = record_info(r, PMIX_REQUIRED_KEY);
    const struct note *limit = record_info(r, PMIX_TIMEOUT);

    check(upcalls(ON_MODEX, -1) == 1, "%d upcalls", upcalls(ON_MODEX, -1));
    check(r != NULL && strcmp(r->proc.nspace, "A") == 0 && r->proc.rank == 1, "whose data");
    check(key != NULL && strcmp(key->text, "k") == 0, "which key");
    check(limit != NULL && limit->number == 30, "how long");
}

static void ask_nobody(void)
{
    if (me.rank == 0) {
        same(NOT_FOUND, got_of(1, "k", NULL), "nobody can ask the other node");
    }
}

/* What the first, the second, ... question gets. */
static void answer_now(struct upcall *copy)
{
    copy->proc = &copy->record->proc;
    (void) sound_answer(copy);
}

static void answer_empty(struct upcall *copy)
{
    reply_bytes(copy, PMIX_SUCCESS, NULL, 0);
}

static void answer_refused(struct upcall *copy)
{
    reply_status(copy, PMIX_ERR_NO_PERMISSIONS);
}

static pmix_status_t answer_by_key(struct upcall *ask)
{
    const struct note *key = record_info(ask->record, PMIX_REQUIRED_KEY);
    const char *name = key != NULL ? key->text : "";

    return strcmp(name, "at once") == 0   ? PMIX_ERR_NO_PERMISSIONS
           : strcmp(name, "refused") == 0 ? later(ask, NULL, answer_refused)
           : strcmp(name, "empty") == 0   ? later(ask, NULL, answer_empty)
                                          : later(ask, "asked for the last", answer_now);
}

static void get_answers(void)
{
    if (me.rank == 1) {
        post("late", 7);
        await_upcalls(ON_MODEX, 4);
        tell("asked for the last");
        await("seen");
        return;
    }
    same(REFUSED, got_of(1, "at once", NULL), "refused at once");
    same(REFUSED, got_of(1, "refused", NULL), "refused later");
    same(NOT_FOUND, got_of(1, "empty", NULL), "an answer without data");
    same("7", got_of(1, "late", NULL), "a late answer");
    tell("seen");
}

/* ---- one question for many */

static pmix_status_t answer_both(struct upcall *ask)
{
    return later(ask, "both", answer_now);
}

static void ask_together(void)
{
    static pmix_status_t status = 1;
    pmix_proc_t target = process("A", 2);
    char key[16];

    if (me.rank == 2) {
        for (int i = 0; i < 10; i++) {
            snprintf(key, sizeof(key), "k%d", i);
            put_number(key, (uint32_t) i);
        }
        commit();
        await_n("seen", 2);
        return;
    }
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&target, "k0", NULL, 0, note_value, &status), "get");
    same(NOT_FOUND, got_of(me.rank, "none", PMIX_IMMEDIATE), "the server has the question");
    tell("asked");
    await_n("asked", 2);
    tell("both");
    await_n("answered", 2);
    check_status_for("NRK-011", PMIX_SUCCESS, status, "the answer");
    for (int i = 0; i < 10; i++) {
        char want[16];

        snprintf(key, sizeof(key), "k%d", i);
        snprintf(want, sizeof(want), "%d", i);
        same_for("NRK-010", want, got_of(2, key, NULL), "%s", key);
    }
    tell("seen");
}

static void check_one(void)
{
    check_for("NRK-010 NRK-011", upcalls(ON_MODEX, -1) == 1, "%d upcalls", upcalls(ON_MODEX, -1));
}

/* ---- whose key it is nobody knows */

static void ask_for_unknown(void)
{
    if (me.rank == 1) {
        await("asked");
        put_number("unique", 7);
        commit();
    } else if (me.rank == 0) {
        same(TIMED_OUT, got_within("A", PMIX_RANK_UNDEF, "unique", 1), "before anybody has it");
        tell("asked");
    }
    fence_all(PMIX_COLLECT_DATA);
    same("7", got_of(PMIX_RANK_UNDEF, "unique", NULL), "when it was exchanged, to %u", me.rank);
    fence_all(NULL);
}

/* ---- what a server gives to others */

enum { TIMES = 2000 };

static struct given {
    const char *step;
    pmix_status_t status;
    char bytes[4096];
    size_t n;
} given;

static void take(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct given *g = cbdata;

    g->status = status;
    g->n = n < sizeof(g->bytes) ? n : sizeof(g->bytes);
    memcpy(g->bytes, data != NULL ? data : "", g->n);
    tell(g->step);
}

static bool has(const char *text)
{
    return memmem(given.bytes, given.n, text, strlen(text)) != NULL;
}

static pmix_status_t request(pmix_rank_t rank, const char *step)
{
    pmix_proc_t proc = process("A", rank);

    given = (struct given){.step = step, .status = 1};
    return PMIx_server_dmodex_request(&proc, take, &given);
}

/* Before the process is there, before it has committed, and then often. */
static void give(void)
{
    struct mallinfo2 before;
    struct mallinfo2 after;
    pmix_status_t rc;

    job_register("A");
    check_status_for("NRK-013", PMIX_SUCCESS, request(0, "given"), "request");
    job_start("A");
    await("up");
    check(told("given") == 0, "nothing is given before the commit");
    tell("go");
    await("given");
    check(told("committing"), "the answer waited for the commit");
    check_status(PMIX_SUCCESS, given.status, "the answer");
    check(has("text-for-all") && has("text-for-others"), "global and remote values");
    check_for("NRK-008", !has("text-for-neighbours") && !has("text-for-me"), "no others");
    for (int i = 0; i < 100; i++) {
        check_status(PMIX_SUCCESS, request(0, "warm"), "request");
        await_n("warm", i + 1);
    }
    before = mallinfo2();
    for (int i = 0; i < TIMES; i++) {
        (void) request(0, "again");
        await_n("again", i + 1);
    }
    after = mallinfo2();
    check_for("NRK-009", after.uordblks < before.uordblks + TIMES * 8,
              "memory in use grew from %zu to %zu", before.uordblks, after.uordblks);
    rc = request(9, "nobody");
    if (rc == PMIX_SUCCESS) {
        await("nobody");
        rc = given.status;
    }
    check_status(PMIX_ERR_NOT_FOUND, rc, "a process that is nobody");
    tell("done");
}

static void be_given(void)
{
    put_text(PMIX_GLOBAL, "g", "text-for-all");
    put_text(PMIX_REMOTE, "r", "text-for-others");
    put_text(PMIX_LOCAL, "l", "text-for-neighbours");
    put_text(PMIX_INTERNAL, "i", "text-for-me");
    tell("up");
    await("go");
    tell("committing");
    commit();
    await("done");
}

/* ---- S09 */

static void fetch_on_demand(void)
{
    int before;

    if (me.rank == 2) {
        post("other", 1);
        await("asking");
        same_for("GET-022", TIMED_OUT, got_within("A", 0, "never", 1), "a second passes");
        tell("posting");
        post("k", 7);
        post("k2", 8);
        tell("posted");
        await_n("end", 2);
        put_number("k3", 9);
        tell("put");
        await("seen");
        return;
    }
    if (me.rank == 0) {
        tell("asking");
        same_for("NRK-005", "7", got_within("A", 2, "k", 30), "what comes later");
        check_for("NRK-005", told("posting"), "it was waited for");
        await("posted");
        tell("first");
    }
    await("first");
    before = upcalls(ON_MODEX, 0);
    same_for("NRK-007", "8", got_of(2, "k2", NULL), "together");
    tell("end");
    await_n("end", 2);
    check_for("NRK-011", upcalls(ON_MODEX, 0) <= before + 1, "%d upcalls more",
              upcalls(ON_MODEX, 0) - before);
    await("put");
    before = upcalls(ON_MODEX, 0);
    same_for("GET-020", NOT_FOUND, got_of(2, "k3", PMIX_IMMEDIATE), "uncommitted, at once");
    check_for("GET-020", upcalls(ON_MODEX, 0) == before, "the host is not asked");
    tell("seen");
}

/* ---- S10 */

static void refresh_all(pmix_rank_t rank)
{
    pmix_proc_t proc = process("A", rank);
    struct infos list = {0};
    pmix_value_t *v = NULL;

    add_true(&list, PMIX_GET_REFRESH_CACHE);
    check_status(PMIX_SUCCESS, PMIx_Get(&proc, NULL, list.at, list.n, &v), "all of %u", rank);
    free_infos(&list);
}

static void refresh_far(void)
{
    struct infos both = {0};

    same("1", got_of(2, "a", NULL), "at first");
    same("1", got_of(2, "b", NULL), "at first");
    tell("old");
    await("new");
    same_for("GET-026", "1", got_of(2, "a", NULL), "what is known");
    same_for("GET-026", "2", got_of(2, "a", PMIX_GET_REFRESH_CACHE), "what is fresh");
    same_for("GET-026", "2", got_of(2, "a", NULL), "what is known then");
    same_for("GET-027", "1", got_of(2, "b", NULL), "the other key is old");
    refresh_all(2);
    same_for("GET-027", "2", got_of(2, "b", NULL), "until all are fresh");
    add_true(&both, PMIX_GET_REFRESH_CACHE);
    add_true(&both, PMIX_IMMEDIATE);
    same_for("GET-031", "2", got("A", 2, "a", both.at, both.n), "fresh, and at once");
    same_for("GET-030", NOT_FOUND, got_of(2, "none", PMIX_GET_REFRESH_CACHE),
             "fresh, but not there");
    free_infos(&both);
}

/* Seconds that the other node waits for a key which its process has not. */
static void wait_little(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_missing_key_wait", "1", 1);
}

static void grow_old(void)
{
    if (me.rank == 0) {
        refresh_far();
        tell("seen");
    } else if (me.rank == 2) {
        put_number("a", 1);
        post("b", 1);
        await("old");
        put_number("a", 2);
        post("b", 2);
        same(NOT_FOUND, got_of(2, "nothing", PMIX_IMMEDIATE), "its server has both");
        tell("new");
        await("seen");
    }
}

/* The server has taken what this process has committed: it answers what comes behind that. */
static void post_and_settle(uint32_t i)
{
    put_in(PMIX_LOCAL, "near", i);
    put_text(PMIX_LOCAL, "text", i % 2 != 0 ? "odd" : "even");
    post("a", i);
    same(NOT_FOUND, got_of(0, "nothing", PMIX_IMMEDIATE), "in the end");
}

static void see_newest(uint32_t i)
{
    check_number(i, 1, "a", NULL); /* without being asked to */
    check_number(i, 1, "near", NULL);
    check_number(i, 1, "a", PMIX_IMMEDIATE);
    same(i % 2 != 0 ? "odd" : "even", got_of(1, "text", NULL), "a text");
}

/* No call but the gets tells a reader that there is something new. */
static void stay_fresh(void)
{
    char step[2][16];

    for (uint32_t i = 1; i <= 5; i++) {
        snprintf(step[0], sizeof(step[0]), "posted %u", i);
        snprintf(step[1], sizeof(step[1]), "seen %u", i);
        if (me.rank == 1) {
            post_and_settle(i);
            tell(step[0]);
        } else {
            await(step[0]);
            see_newest(i);
            tell(step[1]);
        }
        await_n(step[1], 2);
    }
}

static void count_sizes(const struct job *job, struct infos *list)
{
    (void) job;
    drop(list, PMIX_MAX_PROCS);
    add_u32(list, PMIX_MAX_PROCS, told("old") > 0 ? 200 : 100);
}

static void refresh_job(void)
{
    same("100", got_of(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, NULL), "at first");
    tell("old");
    await("new");
    same("200", got_of(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, PMIX_GET_REFRESH_CACHE), "fresh");
    same("200", got_of(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, NULL), "and kept");
    refresh_all(PMIX_RANK_WILDCARD);
    same("1", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL), "the rest");
}

static void register_again(void)
{
    await("old");
    job_register("A");
    tell("new");
}

#define TWO_AND_ONE .jobs = {{"A", {2, 1}}}, .nodes = 2

const struct conform_case cases[] = {
    {.ids = "NRK-001 NRK-010",
     .otherwise = "NRK-001",
     .what = "first here, then the server, then the host",
     .nodes = 2,
     .client = look_in_order},
    {.ids = "NRK-003 GET-013",
     .what = "who does not come is waited for in silence",
     .jobs = {{"A", {2}}, {"B", {1}, .later = true}},
     .client = wait_for_nobody,
     .script = let_b_come},
    {.ids = "NRK-004",
     .what = "who has gone is not waited for",
     .ranks = 3,
     .client = wait_for_the_dead,
     .script = kill_two},
    {.ids = "NRK-005",
     .what = "the host is told what is wanted",
     .nodes = 2,
     .client = ask_with_directives,
     .after = check_directives},
    {.ids = "NRK-006",
     .what = "a host that asks nobody",
     .nodes = 2,
     .client = ask_nobody,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "NRK-014",
     .what = "a host that is late, refuses, or has nothing",
     .nodes = 2,
     .client = get_answers,
     .host = {[ON_MODEX] = {OWN, .own = answer_by_key}}},
    {.ids = "NRK-010 NRK-011",
     .what = "two ask once",
     TWO_AND_ONE,
     .client = ask_together,
     .after = check_one,
     .host = {[ON_MODEX] = {OWN, .own = answer_both}}},
    {.ids = "NRK-012", .what = "a key of nobody knows whom", .nodes = 2, .client = ask_for_unknown},
    {.ids = "NRK-007 NRK-008 NRK-009 NRK-013",
     .otherwise = "NRK-007",
     .what = "what is given to other nodes",
     .jobs = {{"A", {1}, .later = true}},
     .client = be_given,
     .script = give},
    {.ids = "NRK-005 NRK-007 NRK-011 GET-020 GET-022 S09",
     .what = "on demand, and late",
     TWO_AND_ONE,
     .client = fetch_on_demand},
    {.ids = "GET-026 GET-027 GET-030 GET-031 S10",
     .what = "what is far grows old, and is refreshed",
     TWO_AND_ONE,
     .client = grow_old,
     .server = wait_little},
    {.ids = "GET-029 S10", .what = "what is near stays new", .ranks = 3, .client = stay_fresh},
    {.ids = "GET-028 S10",
     .what = "what the host registers anew",
     .setup = count_sizes,
     .client = refresh_job,
     .script = register_again},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
