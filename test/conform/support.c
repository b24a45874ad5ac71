/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who supports which attributes of which calls: what the library, and what the host says. */

#include "lib/answers.h"
#include "lib/conform.h"
#include "lib/support.h"

#include <stdlib.h>
#include <string.h>

/* ---- the host's part */

/* The host speaks of its upcalls, and of the call that a second is for. */
static void register_support(void)
{
    char *alloc[] = {(char *) PMIX_ALLOC_ID, (char *) PMIX_ALLOC_NUM_NODES, NULL};
    char *fence[] = {(char *) PMIX_TIMEOUT, NULL};

    check_status(PMIX_SUCCESS, PMIx_Register_attributes((char *) "allocate", alloc), "allocate");
    check_status(PMIX_SUCCESS, PMIx_Register_attributes((char *) "fence_nb", fence), "fence_nb");
    check_aside("QRY-046",
                PMIx_Register_attributes((char *) "fence_nb", alloc) ==
                    PMIX_ERR_REPEAT_ATTR_REGISTRATION,
                "once more");
    tell("registered");
}

/* ---- structure and levels */

static void structure(void)
{
    static const char *const two[] = {PMIX_CLIENT_ATTRIBUTES, PMIX_SERVER_ATTRIBUTES, NULL};
    static const char *const host[] = {PMIX_HOST_ATTRIBUTES, NULL};
    struct asked asked;

    await("registered");
    asked = ask_support(SUPPORT "PMIx_Get", two);
    check_status_for("QRY-041", PMIX_SUCCESS, asked.rc, "PMIx_Get");
    check_for("QRY-041",
              has_word(attributes(&asked, "PMIx_Get", PMIX_CLIENT_ATTRIBUTES), PMIX_OPTIONAL),
              "of the client");
    check_for("QRY-041",
              has_word(attributes(&asked, "PMIx_Get", PMIX_SERVER_ATTRIBUTES), PMIX_TIMEOUT),
              "of the server");
    same_for("QRY-041", "(none)", attributes(&asked, "PMIx_Get", PMIX_HOST_ATTRIBUTES),
             "the host was not asked about");
    same_for("QRY-041", "(none)", attributes(&asked, "PMIx_Get", PMIX_TOOL_ATTRIBUTES),
             "neither were tools");
    free_asked(&asked);
    check(ask_support(SUPPORT "PMIx_Nonsense", two).rc < 0, "no element for what is no function");
    asked = ask_support(SUPPORT "PMIx_Allocation_request", NULL);
    check_status_for("QRY-039", PMIX_SUCCESS, asked.rc, "all levels");
    same_for("QRY-045", PMIX_ALLOC_ID "," PMIX_ALLOC_NUM_NODES,
             attributes(&asked, "PMIx_Allocation_request", PMIX_HOST_ATTRIBUTES),
             "what the host registered as allocate");
    check_for("QRY-041",
              strcmp("(none)",
                     attributes(&asked, "PMIx_Allocation_request", PMIX_CLIENT_ATTRIBUTES)) != 0,
              "the client's");
    check_for("QRY-041",
              strcmp("(none)",
                     attributes(&asked, "PMIx_Allocation_request", PMIX_SERVER_ATTRIBUTES)) != 0,
              "the server's");
    check_for(
        "QRY-041",
        strcmp("(none)", attributes(&asked, "PMIx_Allocation_request", PMIX_TOOL_ATTRIBUTES)) != 0,
        "the tools'");
    free_asked(&asked);
    asked = ask_support(SUPPORT "PMIx_Fence", host);
    check_status_for("QRY-045", PMIX_SUCCESS, asked.rc, "the host's fence");
    same_for("QRY-045", PMIX_TIMEOUT, attributes(&asked, "PMIx_Fence", PMIX_HOST_ATTRIBUTES),
             "what it registered as fence_nb");
    free_asked(&asked);
    asked = ask_support(SUPPORT "PMIx_Publish", host);
    check_status_for("QRY-042", PMIX_SUCCESS, asked.rc, "what the host said nothing about");
    same_for("QRY-042", "", attributes(&asked, "PMIx_Publish", PMIX_HOST_ATTRIBUTES),
             "a level without support");
    free_asked(&asked);
}

static void several_calls(void)
{
    static const char *const client[] = {PMIX_CLIENT_ATTRIBUTES, NULL};
    struct asked asked;

    await("registered");
    asked = ask_support(SUPPORT "PMIx_Get,PMIx_Fence", client);
    check_status(PMIX_SUCCESS, asked.rc, "two calls in one query");
    check(asked.n == 2, "two elements, not %zu", asked.n);
    check(has_word(attributes(&asked, "PMIx_Fence", PMIX_CLIENT_ATTRIBUTES), PMIX_TIMEOUT),
          "the second");
    free_asked(&asked);
    asked = ask_support(SUPPORT "PMIx_Get,fence_nb", client);
    check_status(PMIX_ERR_PARTIAL_SUCCESS, asked.rc, "one is none");
    free_asked(&asked);
}

static void wrong_names(void)
{
    static const char *const client[] = {PMIX_CLIENT_ATTRIBUTES, NULL};

    await("registered");
    check(ask_support("PMIx_Get," PMIX_QUERY_ATTRIBUTE_SUPPORT, NULL).rc < 0,
          "the key must be the first");
    check(ask_support("PMIx_Get," PMIX_QUERY_ATTRIBUTE_SUPPORT, client).rc < 0,
          "the key must be the first, one level");
    check(ask_support(SUPPORT "fence_nb", NULL).rc < 0, "an upcall is no call");
    check(ask_support(SUPPORT "allocate", client).rc < 0, "an upcall is no call, one level");
    check(ask_support(SUPPORT "PMIx_Nonsense", NULL).rc < 0, "neither is this");
}

static void chosen(void)
{
    static const char *const levels[] = {PMIX_CLIENT_ATTRIBUTES, PMIX_SERVER_ATTRIBUTES,
                                         PMIX_HOST_ATTRIBUTES, PMIX_TOOL_ATTRIBUTES};

    struct asked asked;

    await("registered");
    asked = ask_support(SUPPORT "PMIx_Fence", NULL);
    for (int i = 0; i < 4; i++) {
        check(level_of(&asked, "PMIx_Fence", levels[i]) != NULL, "%s when none is asked for",
              levels[i]);
    }
    free_asked(&asked);
    for (int chosen = 0; chosen < 4; chosen++) {
        struct infos quals = {0};
        bool flag;

        for (int i = 0; i < 4; i++) {
            flag = i == chosen;
            add(&quals, levels[i], &flag, PMIX_BOOL);
        }
        asked = ask_one(SUPPORT "PMIx_Fence", &quals);
        check_status(PMIX_SUCCESS, asked.rc, "%s", levels[chosen]);
        for (int i = 0; i < 4; i++) {
            check((level_of(&asked, "PMIx_Fence", levels[i]) != NULL) == (i == chosen),
                  "%s when %s is asked for", levels[i], levels[chosen]);
        }
        free_asked(&asked);
    }
}

/* ---- the lists of calls */

static void check_calls(const char *level, const char *const *calls)
{
    struct asked asked = ask_one(level, NULL);
    const pmix_value_t *v = answer_to(&asked, 0, level);

    check_status_for("QRY-047", PMIX_SUCCESS, asked.rc, "%s", level);
    if (check_for("QRY-047", v != NULL && v->type == PMIX_STRING, "%s is a list", level)) {
        for (int i = 0; calls[i] != NULL; i++) {
            check_for("QRY-047", has_word(v->data.string, calls[i]), "%s has %s", level, calls[i]);
        }
    }
    free_asked(&asked);
}

static void call_lists(void)
{
    static const char *const client[] = {"PMIx_Init",        "PMIx_Get",
                                         "PMIx_Get_nb",      "PMIx_Fence",
                                         "PMIx_Fence_nb",    "PMIx_Group_invite_nb",
                                         "PMIx_Value_load",  "PMIx_Error_string",
                                         "PMIx_Data_pack",   "PMIx_Process_monitor_nb",
                                         "PMIx_Heartbeat",   "PMIx_Fabric_register",
                                         "PMIx_Initialized", NULL};
    static const char *const server[] = {"PMIx_server_init",
                                         "PMIx_server_register_nspace",
                                         "PMIx_generate_regex",
                                         "PMIx_server_setup_fork",
                                         "PMIx_Register_attributes",
                                         "PMIx_Fence",
                                         NULL};
    static const char *const tool[] = {"PMIx_tool_init", "PMIx_tool_attach_to_server",
                                       "PMIx_IOF_pull", NULL};
    static const char *const host[] = {"PMIx_Allocation_request", "PMIx_Fence", NULL};
    struct asked asked;

    await("registered");
    check_calls(PMIX_CLIENT_FUNCTIONS, client);
    check_calls(PMIX_SERVER_FUNCTIONS, server);
    check_calls(PMIX_TOOL_FUNCTIONS, tool);
    check_calls(PMIX_HOST_FUNCTIONS, host);
    check_for("QRY-048",
              strcmp(PMIX_HOST_FUNCTIONS, "pmix.host.fns") == 0 &&
                  strcmp(PMIX_TOOL_ATTRIBUTES, "pmix.tool.attrs") == 0,
              "strings that are their own");
    asked = ask_one(PMIX_HOST_FUNCTIONS "," PMIX_SERVER_FUNCTIONS, NULL);
    check_status_for("QRY-040", PMIX_SUCCESS, asked.rc, "two lists in one query");
    check_for("QRY-040", has_word(said(&asked, 0, PMIX_HOST_FUNCTIONS), "PMIx_Allocation_request"),
              "the host's");
    check_for("QRY-040", has_word(said(&asked, 0, PMIX_SERVER_FUNCTIONS), "PMIx_server_init"),
              "the server's");
    free_asked(&asked);
}

/* ---- claims are true */

static pmix_status_t get_with(const char *key, const void *value, pmix_data_type_t type)
{
    struct infos list = {0};
    pmix_value_t *v = NULL;
    pmix_proc_t job;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    add_required(&list, key, value, type);
    rc = PMIx_Get(&job, PMIX_JOB_SIZE, list.at, list.n, &v);
    if (rc == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(v);
    }
    free_infos(&list);
    return rc;
}

static void claims(void)
{
    static const char *const client[] = {PMIX_CLIENT_ATTRIBUTES, NULL};
    struct asked asked = ask_support(SUPPORT "PMIx_Get", client);
    const char *list = attributes(&asked, "PMIx_Get", PMIX_CLIENT_ATTRIBUTES);
    bool yes = true;
    int seconds = 5;
    pmix_scope_t scope = PMIX_LOCAL;

    check(has_word(list, PMIX_OPTIONAL) && has_word(list, PMIX_IMMEDIATE) &&
              has_word(list, PMIX_TIMEOUT) && has_word(list, PMIX_JOB_INFO) &&
              has_word(list, PMIX_DATA_SCOPE),
          "five attributes are claimed");
    check_status(PMIX_SUCCESS, get_with(PMIX_OPTIONAL, &yes, PMIX_BOOL), "optional");
    check_status(PMIX_SUCCESS, get_with(PMIX_IMMEDIATE, &yes, PMIX_BOOL), "immediate");
    check_status(PMIX_SUCCESS, get_with(PMIX_TIMEOUT, &seconds, PMIX_INT), "timeout");
    check_status(PMIX_SUCCESS, get_with(PMIX_JOB_INFO, &yes, PMIX_BOOL), "job's");
    check(get_with(PMIX_DATA_SCOPE, &scope, PMIX_SCOPE) != PMIX_ERR_NOT_SUPPORTED, "scope");
    check(!has_word(list, "conform.unknown"), "this is not claimed");
    check_status(PMIX_ERR_NOT_SUPPORTED, get_with("conform.unknown", &yes, PMIX_BOOL),
                 "and is refused");
    free_asked(&asked);
}

/* ---- the host asks itself, at once */

static void ask_in_host(void)
{
    struct asked asked = ask_support(SUPPORT "PMIx_Get", NULL);
    char *names[] = {(char *) PMIX_TIMEOUT, NULL};

    check_status_for("QRY-044", PMIX_SUCCESS, asked.rc, "in the host");
    check_for("QRY-044",
              has_word(attributes(&asked, "PMIx_Get", PMIX_SERVER_ATTRIBUTES), PMIX_TIMEOUT),
              "the server's part");
    check_for("QRY-044",
              has_word(attributes(&asked, "PMIx_Get", PMIX_CLIENT_ATTRIBUTES), PMIX_OPTIONAL),
              "the client's part");
    free_asked(&asked);
    check_status_for("QRY-046", PMIX_SUCCESS,
                     PMIx_Register_attributes((char *) "direct_modex", names),
                     "the library's is no hindrance");
    asked = ask_support(SUPPORT "PMIx_Get", NULL);
    same_for("QRY-046", PMIX_TIMEOUT, attributes(&asked, "PMIx_Get", PMIX_HOST_ATTRIBUTES),
             "the host's part");
    free_asked(&asked);
}

static void nobody_asked(void)
{
    check(upcalls(ON_QUERY, -1) == 0, "the host was not asked");
}

#define REGISTERS .script = register_support

const struct conform_case cases[] = {
    {.ids = "QRY-039 QRY-041 QRY-042 QRY-045 QRY-046 S30",
     .what = "calls, levels, attributes",
     .client = structure,
     .after = nobody_asked,
     .host = {[ON_QUERY] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     REGISTERS},
    {.ids = "QRY-043", .what = "several calls in one query", .client = several_calls, REGISTERS},
    {.ids = "QRY-039 S30",
     .what = "wrong order, and names of upcalls",
     .client = wrong_names,
     REGISTERS},
    {.ids = "QRY-040", .what = "levels are chosen by flags", .client = chosen, REGISTERS},
    {.ids = "QRY-047 QRY-048 QRY-040",
     .what = "the calls of each level",
     .client = call_lists,
     REGISTERS},
    {.ids = "QRY-044 S30", .what = "what is claimed right after init works", .client = claims},
    {.ids = "QRY-044 QRY-046", .what = "the host asks for itself", .script = ask_in_host},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
