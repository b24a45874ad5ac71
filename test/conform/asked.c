/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gets that the server decides about: who waits for what, what the host is asked, and what goes
 * along with an answer. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The server has read all that this process sent before. */
static void reach_host(void)
{
    struct infos list = {0};
    char key[32];

    snprintf(key, sizeof(key), "reached.by.%u", me.rank);
    add_u32(&list, key, 1);
    check_status(PMIX_SUCCESS, PMIx_Publish(list.at, list.n), "publish");
    free_infos(&list);
}

#define HEARS [ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}

/* ---- a job that is known by the name of a process only */

static void name_a_process(const char *nspace)
{
    pmix_proc_t proc = process(nspace, 0);

    PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
}

static void ask_for_the_job(void)
{
    struct late_get size = {.step = "answered"};

    if (me.nspace[0] == 'A') {
        get_later(&size, "B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL);
        reach_host();
        tell("asked");
        await("answered");
        check_status(PMIX_SUCCESS, size.status, "the job's size");
        check(size.number == 1, "it is %u", size.number);
    }
}

static void register_what_is_asked(void)
{
    name_a_process("B");
    job_register("A");
    job_start("A");
    await("asked");
    check(!told("answered"), "it is not registered yet");
    job_register("B");
    job_start("B");
}

/* ---- who asks leaves, and then the job is registered: nobody wants to know any more */

static void ask_and_leave(void)
{
    static struct late_get posted = {.step = "answered"};

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.nspace[0] == 'A') {
        get_later(&posted, "B", 1, "posted", NULL);
        reach_host();
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* The process has ended, so the loop sees the end of its connection in this round or the next. */
static void register_too_late(void)
{
    if (node() == 0) {
        name_a_process("B");
        job_register("A");
        job_start("A");
        job_end("A");
        for (int i = 0; i < 3; i++) {
            name_a_process("C");
        }
        job_register("B");
    }
}

static void nobody_was_asked(void)
{
    check(upcalls(ON_MODEX, -1) == 0, "%d upcalls for data", upcalls(ON_MODEX, -1));
}

/* ---- keys and processes of one upcall */

static void ask_for_two(void)
{
    struct late_get none = {.step = "refused"};
    struct late_get other_rank = {.step = "answered"};

    get_later(&none, "A", 2, "not.there", NULL);
    get_later(&other_rank, "A", 3, "there", NULL);
    reach_host();
    tell("two are asked");
    await("refused");
    await("answered");
    check_status(PMIX_ERR_NOT_FOUND, none.status, "what the host refuses");
    check_status(PMIX_SUCCESS, other_rank.status, "the key of another process");
    check(other_rank.number == 3, "its number is %u", other_rank.number);
}

static void ask_for_another_key(void)
{
    struct late_get other_key = {.step = "answered, too"};

    await("two are asked");
    get_later(&other_key, "A", 2, "there", NULL);
    reach_host();
    tell("asked");
    await("answered, too");
    check_status(PMIX_SUCCESS, other_key.status, "another key of the process");
    check(other_key.number == 2, "its number is %u", other_key.number);
}

static void ask_for_three(void)
{
    put_number("there", me.rank);
    commit();
    fence_all(NULL);
    if (me.rank == 0) {
        ask_for_two();
    } else if (me.rank == 1) {
        ask_for_another_key();
    }
    fence_all(NULL);
}

static void refuse(struct upcall *copy)
{
    reply_status(copy, PMIX_ERR_NOT_FOUND);
}

/* The first, when all three have been asked; the others are answered as usual. */
static pmix_status_t refuse_one_key(struct upcall *upcall)
{
    const struct note *key = record_info(upcall->record, PMIX_REQUIRED_KEY);

    return key != NULL && strcmp(key->text, "not.there") == 0 ? later(upcall, "asked", refuse)
                                                              : sound_answer(upcall);
}

static void three_upcalls(void)
{
    check(upcalls(ON_MODEX, 0) == 3, "%d upcalls for data", upcalls(ON_MODEX, 0));
}

/* ---- what the host of another node asks for */

static void end_without_commit(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    tell("up");
    await("asked");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

struct given {
    pmix_status_t status;
    size_t n;
};

static void take(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct given *given = cbdata;

    (void) data;
    given->status = status;
    given->n = n;
    tell("given");
}

static void ask_for_what_never_comes(void)
{
    pmix_proc_t proc = process("A", PMIX_RANK_WILDCARD);
    struct given job = {.status = PMIX_ERROR};
    struct given data = {.status = PMIX_ERROR};

    await("up");
    check_status(PMIX_SUCCESS, PMIx_server_dmodex_request(&proc, take, &job), "of the job");
    await("given");
    check_status(PMIX_SUCCESS, job.status, "the job");
    check(job.n > 0, "nothing is given of the job");
    proc.rank = 0;
    check_status(PMIX_SUCCESS, PMIx_server_dmodex_request(&proc, take, &data), "of the process");
    tell("asked");
    await_n("given", 2);
    check_status(PMIX_ERR_NOT_FOUND, data.status, "a process that ended without a commit");
    check(data.n == 0, "%zu bytes of nothing", data.n);
}

/* ---- by messages: what goes along with the first answer about another job */

static const char *with(const char *directive, const char *nspace, pmix_rank_t rank,
                        const char *key)
{
    struct infos list = {0};
    const char *text;

    add_true(&list, directive);
    if (strcmp(directive, PMIX_NODE_INFO) == 0) {
        add_text(&list, PMIX_HOSTNAME, node_name(0));
    }
    text = got(nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return text;
}

static void post(void)
{
    put_number("posted", 7);
    put_in(PMIX_REMOTE, "for.others", 8);
    commit();
    tell("posted");
    await_n("posted", 2);
}

static void ask_of_a_process_first(void)
{
    post();
    if (me.nspace[0] == 'A') {
        same("7", got("B", 0, "posted", NULL, 0), "what B has posted");
        same("1", with(PMIX_OPTIONAL, "B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "the size of B");
    }
    fence_all(NULL);
}

static void ask_of_a_level_first(void)
{
    if (me.nspace[0] == 'A') {
        same("4", with(PMIX_NODE_INFO, "B", PMIX_RANK_WILDCARD, "site.gpus"), "of the node");
    }
    fence_all(NULL);
}

static void equip_node(const struct job *job, struct infos *list)
{
    struct infos inner = {0};

    (void) job;
    add_text(&inner, PMIX_HOSTNAME, node_name(0));
    add_u32(&inner, "site.gpus", 4);
    add_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

static void ask_for_no_key_of_the_job(void)
{
    same("-46", got("B", PMIX_RANK_WILDCARD, "pmix.none.such", NULL, 0), "of another job");
    same("-46", got("A", PMIX_RANK_WILDCARD, "pmix.none.such", NULL, 0), "of a job");
    tell("asked");
}

static void ask_in_the_host(void)
{
    await_n("asked", 2);
    same("-46", got("A", PMIX_RANK_WILDCARD, "pmix.none.such", NULL, 0), "of a job, in the host");
}

/* ---- in the host's own process */

static void post_and_wait(void)
{
    put_number("posted", 7);
    commit();
    tell("posted");
    await("looked");
}

static void look_in_the_host(void)
{
    struct late_get late = {.step = "late"};
    struct infos list = {0};
    bool yes = true;
    int second = 1;

    await("posted");
    about("GET-033");
    add_required(&list, "made.up", &yes, PMIX_BOOL);
    same("-47", got("A", 0, "posted", list.at, list.n), "a required directive of nobody's");
    free_infos(&list);
    same("7", got("A", 0, "posted", NULL, 0), "without it");
    about("GET-022");
    add(&list, PMIX_TIMEOUT, &second, PMIX_INT);
    get_later(&late, "A", 0, "never.posted", &list);
    await("late");
    check_status(PMIX_ERR_TIMEOUT, late.status, "a limit that passes in the server");
    free_infos(&list);
    tell("looked");
}

/* ---- a commit without the key starts the limit of who waits already */

static void limit_missing_keys(struct infos *list)
{
    (void) list;
    check(setenv("PMIX_MCA_shmix_missing_key_wait", "1", 1) == 0, "no setting");
}

static void wait_for_another_key(void)
{
    struct late_get never = {.step = "answered"};

    if (me.rank == 0) {
        get_later(&never, "A", 1, "never.posted", NULL);
        reach_host();
        tell("asked");
        await("answered");
        check_status(PMIX_ERR_NOT_FOUND, never.status, "what was not committed");
    } else {
        await("asked");
        put_number("posted", 7);
        commit();
        await("answered");
    }
}

/* ---- what the host keeps of a process for itself */

static void keep_a_note(void)
{
    pmix_proc_t first = process("A", 0);
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 5};

    about("PUT-014");
    check_status(PMIX_SUCCESS, PMIx_Store_internal(&first, "host.note", &value), "store");
    same("5", got("A", 0, "host.note", NULL, 0), "the host reads it");
    tell("kept");
}

static void look_for_the_note(void)
{
    about("FEN-009 PUT-014");
    await("kept");
    if (me.rank == 0) {
        put_number("posted", 7);
        commit();
    }
    fence_all(NULL);
    if (me.rank == 1) {
        same("7", got("A", 0, "posted", NULL, 0), "what was posted");
        same("-46", with(PMIX_OPTIONAL, "A", 0, "host.note"), "what came along");
        same("-46", with(PMIX_IMMEDIATE, "A", 0, "host.note"), "what the server is asked for");
    }
    fence_all(NULL);
}

/* ---- another rank of the node resolves a job that only the host knew */

static void resolve_what_was_got(void)
{
    if (me.nspace[0] == 'A' && me.rank == 0) {
        same("1", got("B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "the size of B");
        tell("got");
    } else if (me.nspace[0] == 'A') {
        await("got");
        same("B:0", peers("node1", "B"), "who asked for nothing resolves it, too");
        tell("resolved");
    }
    await("resolved");
}

static void start_apart(void)
{
    jobs_apart("A", "B");
}

/* ---- a get waits for a value that is posted after it */

static void wait_for_value(void)
{
    if (me.rank == 0) {
        struct late_get late = {.step = "answered"};

        get_later(&late, "A", 1, "late", NULL);
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind the request");
        check(!told("answered"), "answered before it was posted");
        tell("asking");
        same_for("GET-015 NRK-002", "7", got_of(1, "late", NULL), "what is posted later");
        await("answered");
        check(late.status == PMIX_SUCCESS && late.number == 7, "by callback");
    } else {
        await("asking");
        put_number("late", 7);
        commit();
    }
}

const struct conform_case cases[] = {
    {.ids = "KEY-003",
     .what = "a job of which only a process is named is waited for",
     .jobs = {{"A", {1}, .later = true}, {"B", {1}, .later = true}},
     .client = ask_for_the_job,
     .script = register_what_is_asked,
     .host = {HEARS},
     .seconds = 20},
    {.ids = "NRK-003",
     .what = "nobody is asked for one who has left",
     .nodes = 2,
     .jobs = {{"A", {1, 0}, .later = true}, {"B", {1, 1}, .later = true}},
     .client = ask_and_leave,
     .script = register_too_late,
     .after = nobody_was_asked,
     .host = {HEARS},
     .raw = true,
     .seconds = 20},
    {.ids = "NRK-011",
     .what = "what one upcall refuses is refused to nobody else",
     .nodes = 2,
     .ranks = 2,
     .client = ask_for_three,
     .after = three_upcalls,
     .host = {[ON_MODEX] = {OWN, .own = refuse_one_key}, HEARS},
     .seconds = 20},
    {.ids = "NRK-007",
     .what = "a host asks for a job, and for a process that ends without a commit",
     .client = end_without_commit,
     .script = ask_for_what_never_comes,
     .raw = true,
     .seconds = 20},
    {.ids = "KEY-003",
     .what = "with the first value of another job comes what is known of the job",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .client = ask_of_a_process_first,
     .seconds = 20},
    {.ids = "GET-034",
     .what = "the first that is asked of another job is a level of it",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .setup = equip_node,
     .client = ask_of_a_level_first,
     .seconds = 20},
    {.ids = "GET-012",
     .what = "no host is asked for what a registered job does not have",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .client = ask_for_no_key_of_the_job,
     .script = ask_in_the_host,
     .after = nobody_was_asked,
     .seconds = 20},
    {.ids = "GET-033 GET-022",
     .what = "required directives and limits in the host's own process",
     .client = post_and_wait,
     .script = look_in_the_host,
     .seconds = 20},
    {.ids = "NRK-002",
     .what = "a commit without the key starts the limit of who waits already",
     .ranks = 2,
     .client = wait_for_another_key,
     .server = limit_missing_keys,
     .host = {HEARS},
     .seconds = 20,
     .ours_only = "a parameter of this library"},
    {.ids = "FEN-009 PUT-014",
     .what = "what the host stores of a process for itself stays its own",
     .ranks = 2,
     .client = look_for_the_note,
     .script = keep_a_note,
     .seconds = 20},
    {.ids = "RES-057",
     .what = "a job that one process has got from the host can be resolved by another",
     .nodes = 2,
     .jobs = {{"A", {2, 0}, .later = true}, {"B", {0, 1}, .later = true}},
     .client = resolve_what_was_got,
     .script = start_apart,
     .seconds = 20},
    {.ids = "GET-015 NRK-002",
     .otherwise = "NRK-002",
     .what = "a get waits for the value",
     .ranks = 2,
     .client = wait_for_value},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
