/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: who takes part, and what is collected. How they end is in fence_end.c. */

#include "lib/calls.h"

#include <stdio.h>
#include <string.h>

static bool absent(pmix_rank_t rank, const char *key)
{
    uint32_t ignored;

    return get(rank, key, PMIX_OPTIONAL, &ignored) != PMIX_SUCCESS;
}

/* ---- who takes part */

static void directives_of_each(void)
{
    char key[32];

    snprintf(key, sizeof(key), "made.up.%u", me.rank % 4);
    check_status(PMIX_SUCCESS, fence(NULL, 0, key), "fence");
}

static void one_upcall_each(void)
{
    for (int n = 0; n < 2; n++) {
        const struct record *r = upcall(ON_FENCE, n, 0);

        check_for("FEN-010", upcalls(ON_FENCE, n) == 1, "node %d: %d upcalls", n,
                  upcalls(ON_FENCE, n));
        check_for("FEN-001",
                  r != NULL && r->n_procs == 1 && record_names(r, "A", PMIX_RANK_WILDCARD),
                  "node %d: all of A", n);
        for (int i = 0; i < 4; i++) {
            char key[32];
            snprintf(key, sizeof(key), "made.up.%d", i);
            check_for("FEN-011", record_info(r, key) != NULL, "node %d: the host sees %s", n, key);
        }
        check_for("FEN-012", r != NULL && r->n_blob == 0, "node %d: nothing was to be collected",
                  n);
    }
}

static void fence_two_jobs(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    tell("in");
    check_status(PMIX_SUCCESS, fence(both, 2, NULL), "fence");
    check(told("in") == 6, "%d had come", told("in"));
}

static void named_both(void)
{
    for (int n = 0; n < 2; n++) {
        check(upcalls(ON_FENCE, n) == 1 &&
                  record_names(upcall(ON_FENCE, n, 0), "A", PMIX_RANK_WILDCARD) &&
                  record_names(upcall(ON_FENCE, n, 0), "B", PMIX_RANK_WILDCARD),
              "node %d: one upcall, for both jobs", n);
    }
}

static void one_is_late(void)
{
    if (me.rank == 3) {
        await_n("going in", 3);
        tell("the last");
    } else {
        tell("going in");
    }
    fence_all(NULL);
    check(told("the last"), "left before the last came");
}

static void subset(void)
{
    pmix_proc_t even[] = {process(me.nspace, 0), process(me.nspace, 2)};

    if (me.rank % 2 == 0) {
        check_status(PMIX_SUCCESS, fence(even, 2, NULL), "fence");
        tell("done");
    } else {
        await_n("done", 2);
    }
}

static void myself(void)
{
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "fence");
        tell("done");
    }
    await("done");
}

static void other_notations(void)
{
    pmix_proc_t up[] = {process(me.nspace, 0), process(me.nspace, 1)};
    pmix_proc_t down[] = {up[1], up[0], up[1]};
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);

    check_status(PMIX_SUCCESS, me.rank == 0 ? fence(up, 2, NULL) : fence(down, 3, NULL),
                 "in another order");
    check_status(PMIX_SUCCESS, me.rank == 0 ? fence(up, 2, NULL) : fence(&all, 1, NULL),
                 "list and wildcard");
    check_status(PMIX_SUCCESS, me.rank == 0 ? fence(NULL, 0, NULL) : fence(down, 2, NULL),
                 "nothing and list");
}

static void start_late(void)
{
    job_register("A");
    for (pmix_rank_t r = 0; r < 3; r++) {
        job_start_rank("A", r);
    }
    await_n("going in", 3);
    job_start_rank("A", 3);
}

static void unknown_job(void)
{
    pmix_proc_t procs[] = {me, process("nosuch", PMIX_RANK_WILDCARD)};
    pmix_status_t rc = fence_seconds(procs, 2, 1);

    check(rc == PMIX_ERR_TIMEOUT || rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_INVALID_NAMESPACE,
          "it ended with %s", PMIx_Error_string(rc));
    tell("tried");
    await("registered");
    check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "later");
}

/* The server lets the host say what it thinks of a job that it has not registered. */
static pmix_status_t refuse_unknown(struct upcall *ask)
{
    for (size_t i = 0; i < ask->n_procs; i++) {
        if (strcmp(ask->procs[i].nspace, "nosuch") == 0) {
            return PMIX_ERR_NOT_FOUND;
        }
    }
    return sound_answer(ask);
}

static void register_unknown(void)
{
    await("tried");
    job_register("nosuch");
    tell("registered");
}

/* ---- what is collected */

static pmix_rank_t remote(void)
{
    return (me.rank + 2) % 4;
}

static void on_demand(void)
{
    uint32_t got;

    put_number("number", me.rank);
    commit();
    fence_all(NULL);
    check(get(remote(), "number", PMIX_OPTIONAL, &got) != PMIX_SUCCESS, "nothing was collected");
    tell("looked");
    await_n("looked", 4);
    if (me.rank == 0) {
        check_number(2, 2, "number", NULL);
        check_number(2, 2, "number", NULL);
    }
    fence_all(NULL);
}

static void one_modex(void)
{
    const struct record *r = upcall(ON_MODEX, 0, 0);

    check(upcalls(ON_MODEX, -1) == 1, "%d upcalls", upcalls(ON_MODEX, -1));
    check(r != NULL && strcmp(r->proc.nspace, "A") == 0 && r->proc.rank == 2, "for rank 2");
    check(upcalls(ON_FENCE, 0) == 2 && upcall(ON_FENCE, 0, 0)->n_blob == 0,
          "the fence carried nothing");
}

static void collected(void)
{
    const struct job *job = find_job(me.nspace);
    uint32_t found;

    put_number("number", me.rank + 7);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (int r = 0; r < job_size(job); r++) {
        check_number((uint32_t) r + 7, (pmix_rank_t) r, "number", PMIX_OPTIONAL);
        check_number((uint32_t) r + 7, (pmix_rank_t) r, "number", PMIX_IMMEDIATE);
        check_for("FEN-012",
                  get((pmix_rank_t) r, "number", NULL, &found) == PMIX_SUCCESS &&
                      found == (uint32_t) r + 7,
                  "what was joined has the number of %d", r);
    }
}

static void only_committed(void)
{
    put_number("committed", 1);
    commit();
    put_number("kept", 2);
    fence_all(PMIX_COLLECT_DATA);
    check_number(1, remote(), "committed", PMIX_OPTIONAL);
    check(absent(remote(), "kept"), "what was not committed stays");
    fence_all(NULL);
}

static void job_info_too(void)
{
    struct infos list = {0};
    bool no = false;
    pmix_rank_t other = remote();

    put_number("first", 1);
    commit();
    check_status(PMIX_SUCCESS, fence(NULL, 0, PMIX_COLLECT_GENERATED_JOB_INFO), "that alone");
    check(absent(other, "first"), "that alone collects just that");
    add_true(&list, PMIX_COLLECT_DATA);
    add(&list, PMIX_COLLECT_GENERATED_JOB_INFO, &no, PMIX_BOOL);
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, list.at, list.n), "without it");
    check_number(1, other, "first", PMIX_OPTIONAL);
    check_number(other, other, PMIX_GLOBAL_RANK, PMIX_OPTIONAL);
    free_infos(&list);
}

static void job_info_asked(void)
{
    check(record_info(upcall(ON_FENCE, 0, 0), PMIX_COLLECT_GENERATED_JOB_INFO) != NULL,
          "the host is told");
}

/* The host tells where processes are, and nothing else of them. */
static void maps_alone(const struct job *job, struct infos *list)
{
    (void) job;
    drop(list, PMIX_PROC_INFO_ARRAY);
}

/* What a server has made of that about processes of the other node, and that it can be required. */
static void generated(void)
{
    static const int wants[][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 0}, {1, 1}};
    pmix_rank_t other = remote();

    for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
        struct infos list = {0};
        bool collect = wants[i][0] > 0;
        bool made = wants[i][1] > 0;

        if (wants[i][0] >= 0) {
            add_required(&list, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
        }
        if (wants[i][1] >= 0) {
            add_required(&list, PMIX_COLLECT_GENERATED_JOB_INFO, &made, PMIX_BOOL);
        }
        check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, list.at, list.n), "fence %zu", i);
        free_infos(&list);
        check_number(other % 2, other, PMIX_LOCAL_RANK, PMIX_OPTIONAL);
        check_number(other % 2, other, PMIX_NODE_RANK, PMIX_OPTIONAL);
        check_number(other / 2, other, PMIX_NODEID, PMIX_OPTIONAL);
    }
}

static pmix_status_t refuse_unprocessed(struct upcall *ask)
{
    for (size_t i = 0; i < ask->n_infos; i++) {
        if ((ask->infos[i].flags & PMIX_INFO_REQD) != 0 &&
            (ask->infos[i].flags & PMIX_INFO_REQD_PROCESSED) == 0) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
    }
    return sound_answer(ask);
}

static void scopes(void)
{
    uint32_t ignored;

    put_text(PMIX_LOCAL, "local", "word-for-here");
    put_text(PMIX_REMOTE, "remote", "word-for-there");
    put_text(PMIX_GLOBAL, "global", "word-for-all");
    put_text(PMIX_INTERNAL, "internal", "word-for-none");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_status(PMIX_SUCCESS, get(remote(), "remote", PMIX_OPTIONAL, &ignored), "remote");
    check_status(PMIX_SUCCESS, get(remote(), "global", PMIX_OPTIONAL, &ignored), "global");
    check(absent(remote(), "local"), "local left its node");
    check(absent(remote(), "internal") && absent(me.rank ^ 1, "internal"),
          "internal left its process");
    check_status(PMIX_SUCCESS, get(me.rank ^ 1, "local", PMIX_OPTIONAL, &ignored), "local, here");
    fence_all(NULL);
}

static void blob_in_scope(void)
{
    const struct record *r = upcall(ON_FENCE, 0, 0);

    check(r != NULL && memmem(r->blob, r->n_blob, "word-for-there", 14) != NULL &&
              memmem(r->blob, r->n_blob, "word-for-all", 12) != NULL,
          "the blob has what is for others");
    check(r != NULL && memmem(r->blob, r->n_blob, "word-for-here", 13) == NULL &&
              memmem(r->blob, r->n_blob, "word-for-none", 13) == NULL,
          "the blob has what is not for others");
}

static void collected_each_time(void)
{
    for (uint32_t i = 0; i < 300; i++) {
        char key[32];

        snprintf(key, sizeof(key), "key%u", i);
        put_number(key, i);
        put_number("again", i);
        commit();
        fence_all(PMIX_COLLECT_DATA);
        about("FEN-013 FEN-028");
        for (pmix_rank_t r = 0; r < 4; r++) {
            check_number(i, r, key, PMIX_OPTIONAL);
            check_number(i, r, "again", PMIX_OPTIONAL);
        }
        about(NULL);
        fence_all(NULL);
    }
}

const struct conform_case cases[] = {
    {.ids = "FEN-001 FEN-010 FEN-011 FEN-012",
     .what = "no processes means all of the job; one upcall on each node",
     .nodes = 2,
     .ranks = 4,
     .client = directives_of_each,
     .after = one_upcall_each},
    {.ids = "FEN-002",
     .what = "wildcards of several jobs",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}, {"B", {1, 2}}},
     .client = fence_two_jobs,
     .after = named_both},
    {.ids = "FEN-003",
     .what = "nobody leaves before the last has come",
     .ranks = 4,
     .client = one_is_late},
    {.ids = "FEN-003",
     .what = "nor on another node",
     .nodes = 2,
     .ranks = 2,
     .client = one_is_late},
    {.ids = "FEN-004",
     .what = "a subset does not involve the rest",
     .nodes = 2,
     .ranks = 2,
     .client = subset},
    {.ids = "FEN-005",
     .what = "nothing is collected unless asked for",
     .nodes = 2,
     .ranks = 2,
     .client = on_demand,
     .after = one_modex},
    {.ids = "FEN-006 FEN-012",
     .otherwise = "FEN-006",
     .what = "all data is here after a collecting fence",
     .nodes = 4,
     .ranks = 2,
     .client = collected,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-007",
     .what = "only what was committed is collected",
     .nodes = 2,
     .ranks = 2,
     .client = only_committed,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-008",
     .what = "job information is collected apart",
     .nodes = 2,
     .ranks = 2,
     .client = job_info_too,
     .after = job_info_asked,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-008",
     .what = "what servers make themselves is known on every node",
     .nodes = 2,
     .ranks = 2,
     .client = generated,
     .setup = maps_alone,
     .host = {[ON_MODEX] = {MISSING}, [ON_FENCE] = {OWN, .own = refuse_unprocessed}}},
    {.ids = "FEN-009",
     .what = "scopes hold in collection",
     .nodes = 2,
     .ranks = 2,
     .client = scopes,
     .after = blob_in_scope,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-013 FEN-028",
     .otherwise = "FEN-013",
     .what = "what was collected is in memory when the fence returns",
     .nodes = 2,
     .ranks = 2,
     .client = collected_each_time,
     .host = {[ON_MODEX] = {MISSING}}},
    {.ids = "FEN-022",
     .what = "the same processes in other words",
     .ranks = 2,
     .client = other_notations},
    {.ids = "FEN-023",
     .what = "a member that has not even started",
     .jobs = {{"A", {4}, .later = true}},
     .client = one_is_late,
     .script = start_late},
    {.ids = "FEN-025",
     .what = "a job that nobody has registered",
     .jobs = {{"A", {1}}, {"nosuch", {1}, .later = true}},
     .client = unknown_job,
     .script = register_unknown,
     .host = {[ON_FENCE] = {OWN, .own = refuse_unknown}}},
    {.ids = "FEN-026", .what = "one process by itself", .nodes = 2, .ranks = 2, .client = myself},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
