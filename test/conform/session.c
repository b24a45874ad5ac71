/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A name means a job of the session that one is in. A server knows one job of each name; what a
 * host tells of another session's job of that name is no answer, and takes nothing's place. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <string.h>

static void add_job(struct infos *list, uint32_t session, const char *name, const char *ranks,
                    uint32_t size)
{
    struct infos around = {0};
    struct infos job = {0};
    struct infos here = {0};

    add_text(&here, PMIX_HOSTNAME, "node0");
    add_text(&here, PMIX_LOCAL_PEERS, ranks);
    add_text(&job, PMIX_NSPACE, name);
    add_u32(&job, PMIX_JOB_SIZE, size);
    add_array(&job, PMIX_NODE_INFO_ARRAY, &here);
    add_u32(&around, PMIX_SESSION_ID, session);
    add_u32(&around, PMIX_UNIV_SIZE, session * 10);
    add_array(&around, PMIX_JOB_INFO_ARRAY, &job);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &around);
}

static void in_two_sessions(const struct job *job, struct infos *list)
{
    free_infos(list);
    if (strcmp(job->name, "A") == 0) {
        add_job(list, 1, "A", "0", 1);
    } else {
        add_job(list, 1, "X", "0,1", 2);
        add_job(list, 2, "X", "0,1,2", 3);
    }
}

static void check_layout(const char *when)
{
    same("X:0,X:1", peers("node0", "X"), "peers, %s", when);
    same("2", got("X", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "size, %s", when);
    same("1", got("X", PMIX_RANK_WILDCARD, PMIX_SESSION_ID, NULL, 0), "session, %s", when);
}

static void see_own_session(void)
{
    struct infos own = {0};
    struct infos other = {0};

    check_layout("registered in two sessions at once");
    await("again");
    check_layout("after another registration");
    add_true(&own, PMIX_SESSION_INFO);
    add_u32(&own, PMIX_SESSION_ID, 1);
    add_true(&other, PMIX_SESSION_INFO);
    add_u32(&other, PMIX_SESSION_ID, 3);
    same("10", got("A", PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, own.at, own.n),
         "the own session's size");
    same("-46", got("A", PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, other.at, other.n),
         "another session's is not known");
    free_infos(&own);
    free_infos(&other);
}

static void register_other(void)
{
    pmix_proc_t x = process("X", PMIX_RANK_WILDCARD);
    struct infos list = {0};

    add_job(&list, 2, "X", "0,1,2", 3);
    check_status(PMIX_ERR_EXISTS,
                 PMIx_server_register_nspace(x.nspace, 2, list.at, list.n, NULL, NULL),
                 "the name is another job's");
    check_layout("in the server");
    free_infos(&list);
    tell("again");
}

const struct conform_case cases[] = {
    {.ids = "RES-035",
     .what = "the job of another session is another job",
     .jobs = {{"A", {1}}, {"X", {2}, .quiet = true}},
     .setup = in_two_sessions,
     .client = see_own_session,
     .script = register_other},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
