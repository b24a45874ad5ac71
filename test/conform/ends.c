/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What ends when a process or a job does: what waits for it, and what a server keeps of it. And how
 * many jobs a server can have at once. */

#include "lib/calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- a process that ends before it has come: the last of the job, which is never started */

static void miss_the_last(void)
{
    pmix_rank_t last = (pmix_rank_t) job_size(find_job("A")) - 1;
    pmix_proc_t rest[] = {process("A", 0), process("A", 1)};
    uint32_t ignored;
    pmix_status_t rc;

    tell("going in");
    if (me.rank == 0) {
        check_status_for("NRK-004", PMIX_ERR_NOT_FOUND, get(last, "never.posted", NULL, &ignored),
                         "a get of the last");
    }
    rc = fence(NULL, 0, NULL);
    check_for("FEN-018", rc != PMIX_SUCCESS, "a fence without the last succeeded");
    rc = fence(NULL, 0, NULL);
    check_for("FEN-018", rc != PMIX_SUCCESS, "another one succeeded");
    check_status(PMIX_SUCCESS, fence(rest, 2, NULL), "among the others");
    check_status_for("NRK-004", PMIX_ERR_NOT_FOUND, get(last, "never.posted", NULL, &ignored),
                     "a get of the dead");
}

static void start_all_but_the_last(void)
{
    job_register("A");
    job_start_rank("A", 0);
    job_start_rank("A", 1);
    await_n("going in", 2);
}

static void say(pmix_status_t code, const pmix_proc_t *source, struct infos *list)
{
    pmix_status_t rc =
        PMIx_Notify_event(code, source, PMIX_RANGE_RM, list->at, list->n, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %s",
          PMIx_Error_string(rc));
    free_infos(list);
}

static void say_terminated(void)
{
    pmix_proc_t last = process("A", 2);
    struct infos list = {0};

    start_all_but_the_last();
    add(&list, PMIX_EVENT_AFFECTED_PROC, &last, PMIX_PROC);
    say(PMIX_EVENT_PROC_TERMINATED, NULL, &list);
}

static void say_aborted(void)
{
    pmix_proc_t last = process("A", 2);
    struct infos list = {0};

    start_all_but_the_last();
    say(PMIX_ERR_PROC_ABORTED, &last, &list);
}

static void say_failed_to_start(void)
{
    pmix_proc_t procs[] = {process("B", 0), process("A", 2)};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = procs};
    pmix_proc_t self = process("host", 0);
    struct infos list = {0};

    start_all_but_the_last();
    add(&list, PMIX_EVENT_AFFECTED_PROCS, &array, PMIX_DATA_ARRAY);
    say(PMIX_ERR_PROC_FAILED_TO_START, &self, &list);
}

static void deregister_the_last(void)
{
    pmix_proc_t last = process("A", 2);

    start_all_but_the_last();
    PMIx_server_deregister_client(&last, NULL, NULL);
}

static void say_before_anybody_comes(void)
{
    pmix_proc_t last = process("A", 2);
    struct infos list = {0};

    job_register("A");
    add(&list, PMIX_EVENT_AFFECTED_PROC, &last, PMIX_PROC);
    say(PMIX_EVENT_PROC_TERMINATED, NULL, &list);
    job_start_rank("A", 0);
    job_start_rank("A", 1);
}

static void host_is_told(void)
{
    for (int i = 0; i < 2; i++) {
        const struct note *status =
            record_info(upcall(ON_FENCE, 0, i), PMIX_LOCAL_COLLECTIVE_STATUS);

        check_for("FEN-018", status != NULL && status->number != PMIX_SUCCESS,
                  "fence %d: what is wrong here is not said", i);
    }
}

/* It has posted, finalized and ended: what it posted stays. */
static void one_is_finished(void)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);
    uint32_t ignored;

    if (me.rank == 2) {
        put_number("last.words", 2);
        commit();
    }
    check_status(PMIX_SUCCESS, fence(&all, 1, NULL), "all of them");
    if (me.rank == 2) {
        return;
    }
    tell("going in");
    check_status_for("NRK-004", PMIX_ERR_NOT_FOUND, get(2, "never.posted", NULL, &ignored),
                     "a get of the finished");
    check_for("FEN-018", fence(&all, 1, NULL) != PMIX_SUCCESS,
              "a fence with the finished succeeded");
    check_number(2, 2, "last.words", NULL);
}

static void say_finished(void)
{
    pmix_proc_t last = process("A", 2);
    struct infos list = {0};

    await_n("going in", 2);
    await_upcalls(ON_FINALIZED, 1);
    add(&list, PMIX_EVENT_AFFECTED_PROC, &last, PMIX_PROC);
    say(PMIX_EVENT_PROC_TERMINATED, NULL, &list);
}

/* Said of one that is there after all, started again. */
static void second_life(void)
{
    check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "all of them");
}

static void start_again(void)
{
    pmix_proc_t last = process("A", 2);
    struct infos list = {0};

    job_register("A");
    add(&list, PMIX_EVENT_AFFECTED_PROC, &last, PMIX_PROC);
    say(PMIX_EVENT_PROC_TERMINATED, NULL, &list);
    job_start_rank("A", 2);
    await_upcalls(ON_CONNECTED, 1);
    job_start_rank("A", 0);
    job_start_rank("A", 1);
}

/* ---- a client that is deregistered is not known any more, and may be registered again */

static void be_known(void)
{
    if (told("unknown") && !told("known again")) {
        check(PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS, "init of one that is deregistered");
        return;
    }
    if (check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init")) {
        check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "fence");
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    }
}

static void forget_and_learn(void)
{
    pmix_proc_t first = process("A", 0);
    pmix_status_t rc;

    job_register("A");
    PMIx_server_deregister_client(&first, NULL, NULL);
    tell("unknown");
    job_start_rank("A", 0);
    job_end("A");
    rc = PMIx_server_register_client(&first, geteuid(), getegid(), NULL, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "it is registered again: %d", rc);
    tell("known again");
    job_start_rank("A", 0);
    job_start_rank("A", 1);
    job_end("A");
}

/* ---- connected sets go with their jobs */

static void connect_once(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    if (!told("again")) {
        check_status(PMIX_SUCCESS, PMIx_Connect(both, 2, NULL, 0), "connect");
    } else {
        check_status(PMIX_ERR_INVALID_OPERATION, PMIx_Disconnect(both, 2, NULL, 0),
                     "others of the same name");
        check_status(PMIX_SUCCESS, PMIx_Connect(both, 2, NULL, 0), "connect");
        check_status(PMIX_SUCCESS, PMIx_Disconnect(both, 2, NULL, 0), "disconnect");
    }
}

static void two_jobs_twice(void)
{
    for (int i = 0; i < 2; i++) {
        if (i > 0) {
            tell("again");
        }
        job_register("A");
        job_register("B");
        job_start("A");
        job_start("B");
        job_end("A");
        job_end("B");
        job_deregister("A");
        job_deregister("B");
    }
}

/* ---- a thousand jobs */

enum { MANY = 1000, LEAST_DESCRIPTORS = 256 };

static int descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 4096; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static int mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    int n = 0;
    int c;

    while (f != NULL && (c = fgetc(f)) != EOF) {
        n += c == '\n';
    }
    if (f != NULL) {
        fclose(f);
    }
    return n;
}

static pmix_proc_t nth(int i, pmix_rank_t rank)
{
    char name[32];

    snprintf(name, sizeof(name), "many%d", i);
    return process(name, rank);
}

static void register_many(void)
{
    for (int i = 0; i < MANY; i++) {
        pmix_proc_t proc = nth(i, 0);
        struct infos list = {0};
        pmix_status_t rc;

        add_u32(&list, PMIX_JOB_SIZE, 1);
        add_u32(&list, PMIX_UNIV_SIZE, (uint32_t) i + 1);
        rc = PMIx_server_register_nspace(proc.nspace, 1, list.at, list.n, NULL, NULL);
        check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "job %d: %s", i,
              PMIx_Error_string(rc));
        rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
        check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "its client: %s",
              PMIx_Error_string(rc));
        free_infos(&list);
    }
}

static void limit_descriptors(struct infos *list)
{
    struct rlimit limit = {.rlim_cur = LEAST_DESCRIPTORS, .rlim_max = LEAST_DESCRIPTORS};

    (void) list;
    check(setrlimit(RLIMIT_NOFILE, &limit) == 0, "no limit could be set");
}

static void many_jobs(void)
{
    int fds = descriptors();
    int maps = mappings();

    register_many();
    check(descriptors() - fds <= (the_case()->server ? LEAST_DESCRIPTORS / 2 : MANY),
          "%d descriptors more", descriptors() - fds);
    check(!shared_form() || descriptors() - fds >= LEAST_DESCRIPTORS / 2 - 8, "only %d segments",
          descriptors() - fds);
    check(mappings() - maps <= 2 * MANY + 100, "%d mappings more", mappings() - maps);
    job_register("A");
    job_start("A");
    job_end("A");
    for (int i = 0; i < MANY; i++) {
        pmix_proc_t proc = nth(i, 0);

        PMIx_server_deregister_nspace(proc.nspace, NULL, NULL);
    }
    check(descriptors() - fds <= 8, "%d descriptors are left", descriptors() - fds);
    check(mappings() - maps <= 100, "%d mappings are left", mappings() - maps);
}

/* What another job has comes by message, also where it is the server that has no segment. */
static void see_many(void)
{
    put_number("number", me.rank + 10);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        check_number(r + 10, r, "number", NULL);
        check_number(r, r, PMIX_GLOBAL_RANK, NULL);
    }
    for (int i = (int) me.rank; i < MANY; i += 37) {
        pmix_proc_t proc = nth(i, PMIX_RANK_WILDCARD);
        pmix_value_t *v = NULL;

        if (check_status(PMIX_SUCCESS, PMIx_Get(&proc, PMIX_UNIV_SIZE, NULL, 0, &v),
                         "get of job %d", i)) {
            check(v->data.uint32 == (uint32_t) i + 1, "job %d has another's value", i);
            PMIX_VALUE_RELEASE(v);
        }
    }
}

#define LATER                                                                                      \
    {                                                                                              \
        {                                                                                          \
            "A", {3}, .later = true                                                                \
        }                                                                                          \
    }

const struct conform_case cases[] = {
    {.ids = "FEN-018 NRK-004",
     .what = "the host says that a process has terminated",
     .jobs = LATER,
     .seconds = 10,
     .client = miss_the_last,
     .script = say_terminated,
     .after = host_is_told},
    {.ids = "FEN-018 NRK-004",
     .what = "the host says that a process has aborted",
     .jobs = LATER,
     .seconds = 10,
     .client = miss_the_last,
     .script = say_aborted,
     .after = host_is_told},
    {.ids = "FEN-018 NRK-004",
     .what = "the host says that several have not been started",
     .jobs = LATER,
     .seconds = 10,
     .client = miss_the_last,
     .script = say_failed_to_start,
     .after = host_is_told},
    {.ids = "FEN-018 NRK-004",
     .what = "the host says so before the others have come",
     .jobs = LATER,
     .seconds = 10,
     .client = miss_the_last,
     .script = say_before_anybody_comes,
     .after = host_is_told},
    {.ids = "FEN-018 NRK-004 SRV-019",
     .otherwise = "SRV-019",
     .what = "the host deregisters a process that has not come",
     .jobs = LATER,
     .seconds = 10,
     .client = miss_the_last,
     .script = deregister_the_last,
     .after = host_is_told},
    {.ids = "FEN-018 NRK-004",
     .what = "the host says that a process is finished",
     .ranks = 3,
     .seconds = 10,
     .client = one_is_finished,
     .script = say_finished},
    {.ids = "FEN-023",
     .what = "a process comes whose end was reported",
     .jobs = LATER,
     .seconds = 10,
     .client = second_life,
     .script = start_again},
    {.ids = "SRV-019",
     .what = "a client is deregistered, and registered again",
     .jobs = {{"A", {2}, .later = true}},
     .seconds = 10,
     .client = be_known,
     .script = forget_and_learn,
     .raw = true},
    {.ids = "SRV-016",
     .what = "what was connected is forgotten with the jobs",
     .client = connect_once,
     .script = two_jobs_twice,
     .jobs = {{"A", {2}, .later = true}, {"B", {1}, .later = true}}},
    {.ids = "SRV-021",
     .what = "a thousand jobs at once",
     .jobs = {{"A", {4}, .later = true}},
     .client = see_many,
     .script = many_jobs},
    {.ids = "SRV-021",
     .what = "a thousand jobs with few descriptors",
     .jobs = {{"A", {4}, .later = true}},
     .client = see_many,
     .script = many_jobs,
     .server = limit_descriptors,
     .unmapped = true,
     .ours_only = "how many descriptors it takes is its own"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
