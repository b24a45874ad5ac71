/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Scenario S27, an unwelcome tool: one that the host refuses, keeps waiting, or gives a name, at a
 * server whose processes fence meanwhile. What tools of other users and with forged claims are
 * told, and the host of them, is in test/hostile/users.c: here all are of one user. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(const struct upcall *ask)
{
    const struct note *name = record_info(ask->record, PMIX_TOOL_NSPACE);

    return name != NULL ? name->text : "";
}

static void give_name(struct upcall *ask)
{
    pmix_proc_t name = process("given", 7);

    ask->reply.tool(PMIX_SUCCESS, &name, ask->cbdata);
}

/* By the tool's name: "refused" is, "slow" waits for a step, and one without a name gets one. */
static pmix_status_t judge(struct upcall *ask)
{
    if (strcmp(name_of(ask), "refused") == 0) {
        reply_status(ask, PMIX_ERR_NO_PERMISSIONS);
        return PMIX_SUCCESS;
    }
    if (strcmp(name_of(ask), "slow") == 0) {
        return later(ask, "a while", give_name);
    }
    give_name(ask);
    return PMIX_SUCCESS;
}

static struct infos *as(const char *name)
{
    return name[0] == '\0' ? one_pid(server_pid(0))
                           : and_text(one_pid(server_pid(0)), PMIX_TOOL_NSPACE, name);
}

static void try_all(void)
{
    const struct record *r;

    await_n("fenced", 2);
    check_status_for("TOOL-047", PMIX_ERR_NO_PERMISSIONS, tool_begin(as("refused")), "refused");
    check_for("TOOL-047", PMIx_Initialized() == 0, "it is no tool");
    check_status_for("TOOL-047", PMIX_SUCCESS, tool_begin(as("slow")), "admitted in the end");
    check_for("TOOL-047", told("a while") == 1, "not before");
    tool_end();
    check_status_for("TOOL-034", PMIX_SUCCESS, tool_begin(as("")), "one without a name");
    check_for("TOOL-034", strcmp(me.nspace, "given") == 0 && me.rank == 7, "its name is %s:%u",
              me.nspace, me.rank);
    tool_end();
    for (int i = 0; i < 3; i++) {
        r = upcall(ON_TOOL, 0, i);
        check_for("TOOL-044",
                  r != NULL && record_info(r, PMIX_USERID) != NULL &&
                      record_info(r, PMIX_USERID)->number == (int64_t) geteuid() &&
                      record_info(r, PMIX_GRPID)->number == (int64_t) getegid(),
                  "the host knows whose it is, %d", i);
    }
    tell("all tried");
}

/* In each of two fences: rank 0 says whether there is another one, so that both end alike. */
static void fence_all_the_time(void)
{
    uint32_t more = 1;
    bool waits = false;

    for (int i = 0; more != 0; i++) {
        char key[32];

        snprintf(key, sizeof(key), "more.%d", i);
        if (me.rank == 0) {
            more = told("all tried") == 0;
            put_number(key, more);
            commit();
        }
        fence_all(PMIX_COLLECT_DATA);
        check_aside("TOOL-049", get(0, key, NULL, &more) == PMIX_SUCCESS, "rank 0's word");
        if (i == 0) {
            tell("fenced");
        }
        if (me.rank == 0 && !waits && upcalls(ON_TOOL, 0) == 2) {
            waits = true; /* the slow one; there are fences before and after it */
            tell("a while");
        }
    }
}

static void be_refused(void)
{
    await("fenced");
    check_for("TOOL-003", tool_begin(one_pid(server_pid(0))) != PMIX_SUCCESS, "refused");
    check_for("TOOL-001", PMIx_Initialized() == 0, "it is no tool");
    tell("all tried");
}

const struct conform_case cases[] = {
    {.ids = "TOOL-034 TOOL-044 TOOL-047 TOOL-049 S27",
     .otherwise = "TOOL-049",
     .what = "tools that are refused, late, or renamed, beside fences",
     .ranks = 2,
     .tools = 1,
     .client = fence_all_the_time,
     .tool = try_all,
     .host = {[ON_TOOL] = {OWN, .own = judge}}},
    {.ids = "TOOL-001 TOOL-003 S27",
     .otherwise = "TOOL-003",
     .what = "a tool that the host has no entry for, beside fences",
     .ranks = 2,
     .tools = 1,
     .client = fence_all_the_time,
     .tool = be_refused,
     .host = {[ON_TOOL] = {MISSING}}},
    {.ids = "TOOL-001 TOOL-003 S27",
     .otherwise = "TOOL-001",
     .what = "a tool at a server that takes none, beside fences",
     .ranks = 2,
     .tools = 1,
     .server = without_tools,
     .client = fence_all_the_time,
     .tool = be_refused},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
