/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a host answers with data comes to the caller as it is: from inside of the upcall and from
 * another thread, to a client, a tool and the host's own process. What the host gave is its own
 * again at once, or when it is released, and is spoiled then. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char secret[] = "se\0cret"; /* bytes, no text */

/* ---- the host */

static void give_lookup(struct upcall *ask)
{
    pmix_pdata_t data[2];
    char text[] = "from the host";

    memset(data, 0, sizeof(data));
    for (int i = 0; i < 2; i++) {
        PMIX_LOAD_PROCID(&data[i].proc, "far", (pmix_rank_t) i);
        PMIX_LOAD_KEY(data[i].key, i == 0 ? "word" : "number");
    }
    data[0].value.type = PMIX_STRING;
    data[0].value.data.string = text;
    data[1].value.type = PMIX_UINT32;
    data[1].value.data.uint32 = 42;
    ask->reply.lookup(PMIX_SUCCESS, data, 2, ask->cbdata);
    memset(text, 'x', sizeof(text) - 1);
    memset(data, 0x55, sizeof(data));
}

static void give_spawn(struct upcall *ask)
{
    pmix_nspace_t nspace = "new.job";

    ask->reply.spawn(PMIX_SUCCESS, nspace, ask->cbdata);
    memset(nspace, 'x', sizeof(nspace) - 1);
}

static struct infos answer_infos(void)
{
    struct infos list = {0};

    add_text(&list, "conform.text", "of the host");
    add_u32(&list, "conform.number", 42);
    return list;
}

static void give_credential(struct upcall *ask)
{
    struct infos list = answer_infos();
    char bytes[sizeof(secret)];
    pmix_byte_object_t credential = {bytes, sizeof(bytes)};

    memcpy(bytes, secret, sizeof(bytes));
    ask->reply.cred(PMIX_SUCCESS, &credential, list.at, list.n, ask->cbdata);
    memset(bytes, 'x', sizeof(bytes));
    free_infos(&list);
}

static void give_validation(struct upcall *ask)
{
    struct infos list = answer_infos();

    ask->reply.valid(PMIX_SUCCESS, list.at, list.n, ask->cbdata);
    free_infos(&list);
}

static void give_query(struct upcall *ask)
{
    struct infos list = {0};

    add_u32(&list, "conform.question", 42);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
}

static void give(struct upcall *ask)
{
    struct infos list;

    switch (ask->entry) {
    case ON_LOOKUP:
        give_lookup(ask);
        break;
    case ON_SPAWN:
        give_spawn(ask);
        break;
    case ON_CREDENTIAL:
        give_credential(ask);
        break;
    case ON_VALIDATE:
        give_validation(ask);
        break;
    case ON_QUERY:
        give_query(ask);
        break;
    default:
        list = answer_infos();
        reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
        free_infos(&list);
        break;
    }
}

static pmix_status_t inside(struct upcall *ask)
{
    give(ask);
    return PMIX_SUCCESS;
}

static pmix_status_t by_another_thread(struct upcall *ask)
{
    return later(ask, NULL, give);
}

/* A failure may have infos that say more; a namespace or a credential beside one is for nobody. */
static pmix_status_t refuse(struct upcall *ask)
{
    struct infos list = answer_infos();
    pmix_byte_object_t credential = {(char *) (uintptr_t) secret, sizeof(secret)};
    pmix_nspace_t nspace = "no.job";

    if (ask->entry == ON_SPAWN) {
        ask->reply.spawn(PMIX_ERR_NO_PERMISSIONS, nspace, ask->cbdata);
    } else if (ask->entry == ON_CREDENTIAL) {
        ask->reply.cred(PMIX_ERR_NO_PERMISSIONS, &credential, list.at, list.n, ask->cbdata);
    } else if (ask->entry == ON_VALIDATE) {
        ask->reply.valid(PMIX_ERR_NO_PERMISSIONS, list.at, list.n, ask->cbdata);
    } else {
        reply_infos(ask, PMIX_ERR_NO_PERMISSIONS, list.at, list.n);
    }
    free_infos(&list);
    return PMIX_SUCCESS;
}

/* ---- the callers */

static void check_infos(const char *what, const pmix_info_t *info, size_t n)
{
    if (check(n == 2, "%s: %zu results", what, n)) {
        check(PMIX_CHECK_KEY(&info[0], "conform.text"), "%s: the first", what);
        same("of the host", text_of(&info[0].value), "%s: its value", what);
        check(PMIX_CHECK_KEY(&info[1], "conform.number"), "%s: the second", what);
        same("42", text_of(&info[1].value), "%s: its value", what);
    }
}

static void check_results(const char *what, pmix_status_t rc, pmix_info_t *info, size_t n)
{
    check_status(PMIX_SUCCESS, rc, "%s", what);
    check_infos(what, info, n);
    PMIX_INFO_FREE(info, n);
}

/* One is found that was not asked for, one is asked for that was not found. */
static void look_up(void)
{
    pmix_pdata_t *data;

    PMIX_PDATA_CREATE(data, 3);
    PMIX_LOAD_KEY(data[0].key, "number");
    PMIX_LOAD_KEY(data[1].key, "nowhere");
    PMIX_LOAD_KEY(data[2].key, "word");
    check_status(PMIX_ERR_PARTIAL_SUCCESS, PMIx_Lookup(data, 3, NULL, 0), "lookup");
    same("42", text_of(&data[0].value), "a number");
    check(data[0].proc.rank == 1 && strcmp(data[0].proc.nspace, "far") == 0, "who published it");
    check(data[1].value.type == PMIX_UNDEF, "nothing");
    same("from the host", text_of(&data[2].value), "a text");
    check(data[2].proc.rank == 0, "who published that");
    PMIX_PDATA_FREE(data, 3);
}

static void spawn(void)
{
    pmix_nspace_t nspace = "";
    pmix_app_t *app;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("true");
    app->maxprocs = 1;
    check_status(PMIX_SUCCESS, PMIx_Spawn(NULL, 0, app, 1, nspace), "spawn");
    same("new.job", nspace, "the new job");
    PMIX_APP_FREE(app, 1);
}

static void got_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                           size_t ninfo, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "a credential");
    check(credential != NULL && credential->size == sizeof(secret) &&
              memcmp(credential->bytes, secret, sizeof(secret)) == 0,
          "its bytes");
    check_infos("credential", info, ninfo);
    tell(cbdata);
}

static void credentials(const char *step)
{
    pmix_byte_object_t credential = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    check_status(PMIX_SUCCESS, PMIx_Get_credential(NULL, 0, &credential), "the form that waits");
    check(credential.size == sizeof(secret) &&
              memcmp(credential.bytes, secret, sizeof(secret)) == 0,
          "the bytes");
    rc = PMIx_Validate_credential(&credential, NULL, 0, &results, &n);
    check_results("validation", rc, results, n);
    free(credential.bytes);
    check_status(PMIX_SUCCESS, PMIx_Get_credential_nb(NULL, 0, got_credential, (void *) step),
                 "the other form");
    await(step);
}

static void fabric(void)
{
    pmix_fabric_t fabric;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    check_status(PMIX_SUCCESS, PMIx_Fabric_register(&fabric, NULL, 0), "fabric");
    check_infos("fabric", fabric.info, fabric.ninfo);
    check_status(PMIX_SUCCESS, PMIx_Fabric_update(&fabric), "its update");
    check_infos("its update", fabric.info, fabric.ninfo);
    PMIx_Fabric_deregister(&fabric);
}

static void requests(void)
{
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    add_true(&list, PMIX_JOB_CTRL_PAUSE);
    rc = PMIx_Allocation_request(PMIX_ALLOC_NEW, list.at, list.n, &results, &n);
    check_results("allocation", rc, results, n);
    rc = PMIx_Job_control(NULL, 0, list.at, list.n, &results, &n);
    check_results("job control", rc, results, n);
    free_infos(&list);
    add_true(&list, PMIX_MONITOR_HEARTBEAT);
    rc = PMIx_Process_monitor(list.at, PMIX_MONITOR_HEARTBEAT_ALERT, NULL, 0, &results, &n);
    check_results("monitoring", rc, results, n);
    free_infos(&list);
    same("42", query_text("conform.question", NULL), "a query");
}

/* ---- what is refused */

static void refused(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                    pmix_release_cbfunc_t release, void *release_data)
{
    check_status(PMIX_ERR_NO_PERMISSIONS, status, "a refusal");
    check_infos("a refusal", info, ninfo);
    if (release != NULL) {
        release(release_data);
    }
    tell(cbdata);
}

static void invalid(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata)
{
    refused(status, info, ninfo, cbdata, NULL, NULL);
}

static void no_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                          size_t ninfo, void *cbdata)
{
    (void) info;
    (void) ninfo;
    check_status(PMIX_ERR_NO_PERMISSIONS, status, "no credential");
    check(credential == NULL, "a failed credential is none");
    tell(cbdata);
}

/* A failed call leaves what it would fill in alone. */
static void fail_in_the_forms_that_wait(pmix_byte_object_t *given, struct infos *list)
{
    pmix_info_t *results = list->at;
    size_t n = 7;
    pmix_nspace_t nspace = "before";
    pmix_byte_object_t credential = *given;
    pmix_app_t *app;

    check_status(PMIX_ERR_NO_PERMISSIONS,
                 PMIx_Job_control(NULL, 0, list->at, list->n, &results, &n), "job control");
    check_status(PMIX_ERR_NO_PERMISSIONS,
                 PMIx_Allocation_request(PMIX_ALLOC_NEW, list->at, list->n, &results, &n),
                 "allocation");
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Validate_credential(given, NULL, 0, &results, &n),
                 "validation");
    check(results == list->at && n == 7, "results are left alone");
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Get_credential(NULL, 0, &credential), "credential");
    check(credential.bytes == given->bytes && credential.size == given->size, "it is left alone");
    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("true");
    app->maxprocs = 1;
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Spawn(NULL, 0, app, 1, nspace), "spawn");
    same("before", nspace, "no namespace");
    PMIX_APP_FREE(app, 1);
}

static void be_refused(const char *step)
{
    pmix_byte_object_t given = {(char *) (uintptr_t) secret, sizeof(secret)};
    struct infos list = {0};

    add_true(&list, PMIX_JOB_CTRL_PAUSE);
    fail_in_the_forms_that_wait(&given, &list);
    check_status(PMIX_SUCCESS,
                 PMIx_Job_control_nb(NULL, 0, list.at, list.n, refused, (void *) step),
                 "job control");
    check_status(
        PMIX_SUCCESS,
        PMIx_Allocation_request_nb(PMIX_ALLOC_NEW, list.at, list.n, refused, (void *) step),
        "allocation");
    check_status(PMIX_SUCCESS, PMIx_Validate_credential_nb(&given, NULL, 0, invalid, (void *) step),
                 "validation");
    check_status(PMIX_SUCCESS, PMIx_Get_credential_nb(NULL, 0, no_credential, (void *) step),
                 "credential");
    await_n(step, 4);
    free_infos(&list);
}

static void client_is_refused(void)
{
    be_refused("client");
}

static void host_is_refused(void)
{
    be_refused("host");
}

static void ask_for_all(const char *step)
{
    if (the_case()->host[ON_LOOKUP].own == by_another_thread) {
        about("UPC-002 UPC-004");
    }
    look_up();
    spawn();
    credentials(step);
    requests();
    fabric();
    about(NULL);
}

static void by_client(void)
{
    char step[32];

    snprintf(step, sizeof(step), "client %u", me.rank);
    ask_for_all(step);
}

static void by_tool(void)
{
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "the tool");
    ask_for_all("tool");
    tool_end();
}

static void by_host(void)
{
    ask_for_all("host");
}

#define ALL(fn)                                                                                    \
    {                                                                                              \
        [ON_LOOKUP] = {OWN, .own = (fn)}, [ON_SPAWN] = {OWN, .own = (fn)},                         \
        [ON_CREDENTIAL] = {OWN, .own = (fn)}, [ON_VALIDATE] = {OWN, .own = (fn)},                  \
        [ON_FABRIC] = {OWN, .own = (fn)}, [ON_QUERY] = {OWN, .own = (fn)},                         \
        [ON_ALLOCATE] = {OWN, .own = (fn)}, [ON_CONTROL] = {OWN, .own = (fn)},                     \
        [ON_MONITOR] = {OWN, .own = (fn)},                                                         \
    }

const struct conform_case cases[] = {
    {.ids = "UPC-002",
     .what = "data for a client, from inside of the upcall",
     .client = by_client,
     .host = ALL(inside)},
    {.ids = "UPC-002 UPC-004",
     .otherwise = "UPC-002",
     .what = "data for clients, from another thread",
     .ranks = 2,
     .client = by_client,
     .host = ALL(by_another_thread)},
    {.ids = "UPC-002",
     .what = "data for a tool, from inside of the upcall",
     .tools = 1,
     .tool = by_tool,
     .host = ALL(inside)},
    {.ids = "UPC-002 UPC-004",
     .otherwise = "UPC-002",
     .what = "data for a tool, from another thread",
     .tools = 1,
     .tool = by_tool,
     .host = ALL(by_another_thread)},
    {.ids = "UPC-002",
     .what = "data for the host's own process, from inside of the upcall",
     .script = by_host,
     .host = ALL(inside)},
    {.ids = "UPC-002 UPC-004",
     .otherwise = "UPC-002",
     .what = "data for the host's own process, from another thread",
     .script = by_host,
     .host = ALL(by_another_thread)},
    {.ids = "UPC-002",
     .what = "infos beside a failure reach a client's callback, and nothing else",
     .client = client_is_refused,
     .host = ALL(refuse),
     .ours_only = "the distribution's library changes results of calls that fail"},
    {.ids = "UPC-002",
     .what = "infos beside a failure reach the callback of the host's own process",
     .script = host_is_refused,
     .host = ALL(refuse),
     .ours_only = "the distribution's library changes results of calls that fail"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
