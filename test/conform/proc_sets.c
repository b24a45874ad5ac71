/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Process sets, which a host defines: events, queries, the names of a process's sets; and that a
 * set is no namespace. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/queries.h"

#include <stdio.h>
#include <string.h>

/* ---- the host */

static void define(const char *name, pmix_rank_t first, pmix_rank_t last)
{
    pmix_proc_t members[4];
    size_t n = 0;

    for (pmix_rank_t rank = first; rank <= last; rank++) {
        members[n++] = process("A", rank);
    }
    check_status(PMIX_SUCCESS, PMIx_server_define_process_set(members, n, name), "define %s", name);
}

static void delete (const char *name)
{
    check_status(PMIX_SUCCESS, PMIx_server_delete_process_set((char *) (uintptr_t) name),
                 "delete %s", name);
}

/* A set is defined and deleted while the clients listen. */
static void come_and_go(void)
{
    await_n("listens", 3);
    define("some", 0, 1);
    await_n("defined some A:0,A:1", 3);
    delete ("some");
}

/* ---- events */

/* Says what it is told: "defined NAME MEMBERS" or "deleted NAME". */
static void set_changed(size_t id, pmix_status_t status, const pmix_proc_t *source,
                        pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                        pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const char *name = "(none)";
    char members[64] = "";
    char step[128];

    (void) id, (void) source, (void) results, (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_PSET_NAME)) {
            name = info[i].value.data.string;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_PSET_MEMBERS)) {
            snprintf(members, sizeof(members), " %s", text_of(&info[i].value));
        }
    }
    snprintf(step, sizeof(step), "%s %s%s",
             status == PMIX_PROCESS_SET_DEFINE ? "defined" : "deleted", name, members);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void listen_for(pmix_status_t code)
{
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, set_changed, NULL, NULL) >= 0,
          "a handler of %d", code);
}

/* Members and others are told; members go on as before. */
static void hear(void)
{
    check(PMIX_PROCESS_SET_DEFINE == -55 && PMIX_PROCESS_SET_DELETE == -56, "the codes");
    listen_for(PMIX_PROCESS_SET_DEFINE);
    listen_for(PMIX_PROCESS_SET_DELETE);
    tell("listens");
    await_n("defined some A:0,A:1", 3);
    about("PST-002");
    await_n("deleted some", 3);
    fence_all(NULL);
    about(NULL);
}

static void told_once(void)
{
    check_for("PST-001", told("defined some A:0,A:1") == 3, "name and members, once for each");
    check_for("PST-002", told("deleted some") == 3, "the name, once for each");
}

static void define_before(void)
{
    define("early", 1, 2);
    tell("early is there");
}

static void come_late(void)
{
    await("early is there");
    listen_for(PMIX_PROCESS_SET_DEFINE);
    await_n("defined early A:1,A:2", 3);
}

/* ---- questions */

static void define_two(void)
{
    define("low", 0, 1);
    define("all", 0, 2);
    tell("two");
    await_n("asked of two", 3);
    delete ("all");
    tell("one");
}

static const char *members_of(const char *name)
{
    struct infos quals = {0};

    add_text(&quals, PMIX_PSET_NAME, name);
    return query_text(PMIX_QUERY_PSET_MEMBERSHIP, &quals);
}

/* The names of a process's sets, as a get has them: "low,all". */
static const char *sets_of(pmix_rank_t rank)
{
    static char text[64];
    pmix_proc_t proc = process(me.nspace, rank);
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(&proc, PMIX_PSET_NAMES, NULL, 0, &value);

    snprintf(text, sizeof(text), "%d", rc);
    if (rc == PMIX_SUCCESS && check(value->type == PMIX_DATA_ARRAY && value->data.darray != NULL &&
                                        value->data.darray->type == PMIX_STRING,
                                    "the names are texts")) {
        char **names = value->data.darray->array;

        text[0] = '\0';
        for (size_t i = 0; i < value->data.darray->size; i++) {
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? "," : "",
                     names[i]);
        }
    }
    if (value != NULL) {
        PMIX_VALUE_RELEASE(value);
    }
    return text;
}

static void ask(void)
{
    await("two");
    same_for("PST-003", "2", query_text(PMIX_QUERY_NUM_PSETS, NULL), "how many");
    same_for("PST-003", "low,all", query_text(PMIX_QUERY_PSET_NAMES, NULL), "their names");
    same_for("PST-003", "A:0,A:1", members_of("low"), "the members of one");
    same_for("PST-003", "A:0,A:1,A:2", members_of("all"), "and of the other");
    same_for("PST-004", "low,all", sets_of(0), "the sets of a process");
    same_for("PST-004", "all", sets_of(2), "and of another");
    tell("asked of two");
    await("one");
    same_for("PST-003", "1", query_text(PMIX_QUERY_NUM_PSETS, NULL), "how many are left");
    same_for("PST-003", "low", query_text(PMIX_QUERY_PSET_NAMES, NULL), "its name");
    check_for("PST-003", members_of("all")[0] == '-', "the other has no members");
    same_for("PST-004", "low", sets_of(1), "the set that is left");
    check_for("PST-004", strcmp("low", sets_of(2)) != 0, "a process that is in no set");
}

/* ---- what a set is not */

static void define_again(void)
{
    pmix_proc_t other = process("A", 1);

    define("pair", 0, 1);
    check_status(PMIX_ERR_EXISTS, PMIx_server_define_process_set(&other, 1, "pair"),
                 "a set is not changed");
    tell("pair is there");
}

static void use_as_job(void)
{
    pmix_proc_t all = process("pair", PMIX_RANK_WILDCARD);
    pmix_proc_t first = process("pair", 0);

    await("pair is there");
    check(fence(&all, 1, NULL) < 0, "a fence over the name of a set");
    check(fence(&first, 1, NULL) < 0, "and over a rank of it");
    check(PMIx_Connect(&all, 1, NULL, 0) < 0, "a connect");
    check(got("pair", 0, PMIX_RANK, NULL, 0)[0] == '-', "it has no ranks");
    same("A:0,A:1", members_of("pair"), "and is as it was");
}

const struct conform_case cases[] = {
    {.ids = "PST-001 PST-002",
     .otherwise = "PST-001",
     .what = "those who listen are told",
     .ranks = 3,
     .client = hear,
     .script = come_and_go,
     .after = told_once},
    {.ids = "PST-006",
     .what = "and those who listen later",
     .ranks = 3,
     .client = come_late,
     .script = define_before},
    {.ids = "PST-003 PST-004",
     .otherwise = "PST-003",
     .what = "what is asked of them",
     .ranks = 3,
     .client = ask,
     .script = define_two},
    {.ids = "PST-005",
     .what = "a set is no job",
     .ranks = 2,
     .client = use_as_job,
     .script = define_again},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
