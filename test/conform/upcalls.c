/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What upcalls have in common: how a host answers, what it sees of the requester, how long memory
 * stays good. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/requests.h"

#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- a call for each entry */

static pmix_status_t request_abort(const pmix_info_t *info, size_t n)
{
    (void) info;
    (void) n;
    return PMIx_Abort(3, "enough", NULL, 0);
}

static const struct call {
    enum entry entry;
    const char *name;
    pmix_status_t (*call)(const pmix_info_t *info, size_t n);
    bool with_data; /* a success without data is none */
} calls[] = {
    {ON_ABORT, "abort", request_abort, false},
    {ON_PUBLISH, "publish", request_publish, false},
    {ON_LOOKUP, "lookup", request_lookup, true},
    {ON_UNPUBLISH, "unpublish", request_unpublish, false},
    {ON_SPAWN, "spawn", request_spawn, true},
    {ON_CONNECT, "connect", request_connect, false},
    {ON_LOG, "log", request_log, false},
    {ON_ALLOCATE, "allocate", request_allocate, false},
    {ON_CONTROL, "job_control", request_control, false},
    {ON_MONITOR, "monitor", request_monitor, false},
    {ON_CREDENTIAL, "get_credential", request_credential, true},
    {ON_VALIDATE, "validate_credential", request_validate, false},
    {ON_PULL, "iof_pull", request_pull, false},
    {ON_PUSH, "push_stdin", request_push, false},
    {ON_FABRIC, "fabric", request_fabric, true},
};

enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };

#define ALL(...)                                                                                   \
    {                                                                                              \
        [ON_ABORT] = {__VA_ARGS__}, [ON_PUBLISH] = {__VA_ARGS__}, [ON_LOOKUP] = {__VA_ARGS__},     \
        [ON_UNPUBLISH] = {__VA_ARGS__}, [ON_SPAWN] = {__VA_ARGS__}, [ON_CONNECT] = {__VA_ARGS__},  \
        [ON_LOG] = {__VA_ARGS__}, [ON_ALLOCATE] = {__VA_ARGS__}, [ON_CONTROL] = {__VA_ARGS__},     \
        [ON_MONITOR] = {__VA_ARGS__}, [ON_CREDENTIAL] = {__VA_ARGS__},                             \
        [ON_VALIDATE] = {__VA_ARGS__}, [ON_PULL] = {__VA_ARGS__}, [ON_PUSH] = {__VA_ARGS__},       \
        [ON_FABRIC] = {__VA_ARGS__},                                                               \
    }

/* ---- how the host answers */

/* Every call gets the status of the case. */
static void each_gets(pmix_status_t want)
{
    if (strcmp(me.nspace, "A") != 0) {
        return;
    }
    for (int i = 0; i < N_CALLS; i++) {
        if (want != PMIX_SUCCESS || !calls[i].with_data) {
            check_status(want, calls[i].call(NULL, 0), "%s", calls[i].name);
        }
    }
}

static void succeed(void)
{
    each_gets(PMIX_SUCCESS);
}

static void unsupported(void)
{
    each_gets(PMIX_ERR_NOT_SUPPORTED);
}

static void refused(void)
{
    each_gets(PMIX_ERR_NO_PERMISSIONS);
}

/* The host's answers come from another thread. */
static void succeed_later(void)
{
    about("UPC-002 UPC-004");
    succeed();
    about(NULL);
}

static void refused_later(void)
{
    about("UPC-002 UPC-004");
    refused();
    about(NULL);
}

/* A time limit of a wrong type is refused before anybody is asked. */
static void refuse_time_limits(void)
{
    struct infos list = {0};

    add_text(&list, PMIX_TIMEOUT, "soon");
    for (int i = 0; i < N_CALLS; i++) {
        switch (calls[i].entry) {
        case ON_PUBLISH:
        case ON_LOOKUP:
        case ON_UNPUBLISH:
        case ON_LOG:
        case ON_ALLOCATE:
        case ON_CONTROL:
        case ON_MONITOR:
        case ON_CREDENTIAL:
        case ON_VALIDATE:
            check_status(PMIX_ERR_BAD_PARAM, calls[i].call(list.at, list.n), "%s", calls[i].name);
            break;
        default:
            break;
        }
    }
    free_infos(&list);
}

/* The client makes no calls whose results are data if the host answers success by status alone. */
static void each_once(void)
{
    for (int i = 0; i < N_CALLS; i++) {
        pmix_status_t status = the_case()->host[calls[i].entry].status;
        bool good = status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED;
        int n = upcalls(calls[i].entry, 0);

        check(n == 1 || (n == 0 && good && calls[i].with_data) ||
                  (n == 2 && calls[i].entry == ON_FABRIC) ||
                  (n == 2 && calls[i].entry == ON_PULL &&
                   record_info(upcall(ON_PULL, 0, 1), PMIX_IOF_STOP) != NULL),
              "%s was asked %d times", calls[i].name, n);
    }
}

static void none(void)
{
    for (int i = 0; i < N_CALLS; i++) {
        check(upcalls(calls[i].entry, -1) == 0, "nobody could be asked");
    }
}

/* ---- who asks */

static void watch(void)
{
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;
    pmix_status_t rc;

    refused();
    if (strcmp(me.nspace, "A") == 0) {
        rc = PMIx_Register_event_handler(&code, 1, NULL, 0, ignore_event, NULL, NULL);
        check(rc >= 0, "the handler is registered: %d", rc);
        await_upcalls(ON_REGISTER, 1);
    }
}

/* ---- codes that no handler needs any more */

/* The event is raised by this process for itself, so that only its handler knows. */
static void fire_once(void)
{
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;
    struct infos list = {0};
    pmix_status_t rc;

    add_true(&list, PMIX_EVENT_ONESHOT);
    rc = PMIx_Register_event_handler(&code, 1, list.at, list.n, ignore_event, NULL, NULL);
    check(rc >= 0, "the handler is registered: %d", rc);
    check(upcalls(ON_DEREGISTER, -1) == 0, "still wanted");
    check_status(PMIX_SUCCESS,
                 PMIx_Notify_event(code, NULL, PMIX_RANGE_PROC_LOCAL, NULL, 0, NULL, NULL),
                 "raise");
    await_upcalls(ON_DEREGISTER, 1);
    free_infos(&list);
}

static void fail_to_register(void)
{
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;

    check_status(PMIX_ERR_NO_PERMISSIONS,
                 PMIx_Register_event_handler(&code, 1, NULL, 0, ignore_event, NULL, NULL),
                 "the host refuses");
    await_upcalls(ON_DEREGISTER, 1);
}

static void dropped_once(void)
{
    char code[16];

    snprintf(code, sizeof(code), "%d", PMIX_EVENT_NODE_DOWN);
    check(upcalls(ON_DEREGISTER, -1) == 1, "dropped %d times", upcalls(ON_DEREGISTER, -1));
    check(strcmp(upcall(ON_DEREGISTER, 0, 0)->text, code) == 0, "dropped %s",
          upcall(ON_DEREGISTER, 0, 0)->text);
}

static void check_requester(const struct record *r, const char *name)
{
    const struct note *user = record_info(r, PMIX_USERID);
    const struct note *group = record_info(r, PMIX_GRPID);

    check(r != NULL && user != NULL && user->type == PMIX_UINT32 &&
              user->number == (int64_t) geteuid(),
          "%s has the user", name);
    check(r != NULL && group != NULL && group->type == PMIX_UINT32 &&
              group->number == (int64_t) getegid(),
          "%s has the group", name);
}

static void check_requesters(void)
{
    for (int i = 0; i < N_CALLS; i++) {
        if (calls[i].entry != ON_ABORT && calls[i].entry != ON_CONNECT) {
            check_requester(upcall(calls[i].entry, 0, 0), calls[i].name);
        }
    }
    check_requester(upcall(ON_REGISTER, 0, 0), "register_events");
}

/* ---- memory */

static const pmix_info_t *given;
static size_t n_given;

static void look_late(struct upcall *ask)
{
    check(n_given >= 1 && PMIX_CHECK_KEY(&given[0], "word") && given[0].value.type == PMIX_STRING &&
              strcmp(given[0].value.data.string, "hello") == 0,
          "what was given is still there");
    reply_status(ask, PMIX_SUCCESS);
}

static pmix_status_t keep_infos(struct upcall *ask)
{
    given = ask->infos;
    n_given = ask->n_infos;
    return later(ask, "look", look_late);
}

/* What the host gives is its own again as soon as its call returns. */
static void give_and_spoil(struct upcall *ask)
{
    pmix_pdata_t data;
    char text[] = "from the host";

    memset(&data, 0, sizeof(data));
    PMIX_LOAD_PROCID(&data.proc, "A", 0);
    PMIX_LOAD_KEY(data.key, "word");
    data.value.type = PMIX_STRING;
    data.value.data.string = text;
    ask->reply.lookup(PMIX_SUCCESS, &data, 1, ask->cbdata);
    memset(text, 'x', sizeof(text) - 1);
    memset(&data, 0x55, sizeof(data));
}

static pmix_status_t lend(struct upcall *ask)
{
    return later(ask, NULL, give_and_spoil);
}

static void released(void *cbdata)
{
    pmix_info_t *info = cbdata;

    memset(info->value.data.string, 'x', strlen(info->value.data.string));
    PMIX_INFO_FREE(info, 1);
    tell("released");
}

static void give_for_release(struct upcall *ask)
{
    pmix_info_t *info;

    PMIX_INFO_CREATE(info, 1);
    PMIX_INFO_LOAD(info, "result", "of the host", PMIX_STRING);
    ask->reply.info(PMIX_SUCCESS, info, 1, ask->cbdata, released, info);
}

static pmix_status_t lend_until_released(struct upcall *ask)
{
    return later(ask, NULL, give_for_release);
}

static void publish_later(void)
{
    check_status(PMIX_SUCCESS, request_publish(NULL, 0), "publish");
}

static void borrow(void)
{
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_pdata_t *pdata;

    add_text(&list, "word", "hello");
    check_status(PMIX_SUCCESS, PMIx_Publish_nb(list.at, list.n, call_done, NULL), "publish");
    check(!call_is_over(), "the upcall has returned, and waits");
    tell("look");
    check_status(PMIX_SUCCESS, await_call(), "publish");
    free_infos(&list);
    PMIX_PDATA_CREATE(pdata, 1);
    PMIX_LOAD_KEY(pdata[0].key, "word");
    check_status(PMIX_SUCCESS, PMIx_Lookup(pdata, 1, NULL, 0), "lookup");
    same("from the host", text_of(&pdata[0].value), "what was looked up");
    PMIX_PDATA_FREE(pdata, 1);
    add_true(&list, PMIX_JOB_CTRL_PAUSE);
    check_status(PMIX_SUCCESS, PMIx_Job_control(NULL, 0, list.at, list.n, &results, &n),
                 "job control");
    if (check(n == 1, "%zu results", n)) {
        same("of the host", text_of(&results[0].value), "the result");
    }
    PMIX_INFO_FREE(results, n);
    free_infos(&list);
    await("released");
}

static void once_released(void)
{
    check(told("released") == 1, "released once, not %d times", told("released"));
}

/* ---- what is required */

static void required(void)
{
    struct infos list = {0};
    bool yes = true;
    int seconds = 30;
    uint32_t number = 1;

    add_required(&list, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    add_required(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    add_required(&list, "conform.unknown", &number, PMIX_UINT32);
    add_true(&list, "conform.wish");
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, list.at, list.n), "fence");
    free_infos(&list);
}

static void check_required(void)
{
    const struct record *r = upcall(ON_FENCE, 0, 0);
    const struct note *unknown = record_info(r, "conform.unknown");
    const struct note *wish = record_info(r, "conform.wish");
    const char *const ours[] = {PMIX_COLLECT_DATA, PMIX_TIMEOUT};

    for (int i = 0; i < 2; i++) {
        const struct note *note = record_info(r, ours[i]);

        check(note != NULL && (note->flags & PMIX_INFO_REQD) != 0 &&
                  (note->flags & PMIX_INFO_REQD_PROCESSED) != 0,
              "%s was required, and is processed", ours[i]);
    }
    check(unknown != NULL && (unknown->flags & PMIX_INFO_REQD) != 0 &&
              (unknown->flags & PMIX_INFO_REQD_PROCESSED) == 0,
          "the unknown one is the host's to process");
    check(wish != NULL && (wish->flags & (PMIX_INFO_REQD | PMIX_INFO_REQD_PROCESSED)) == 0,
          "a wish is a wish");
}

/* ---- who comes */

static void only_new(void)
{
    check(upcalls(ON_CONNECTED, 0) == 2 && upcalls(ON_CONNECTED1, 0) == 0,
          "%d of the new, %d of the old", upcalls(ON_CONNECTED, 0), upcalls(ON_CONNECTED1, 0));
}

static void only_old(void)
{
    check(upcalls(ON_CONNECTED1, 0) == 2, "%d of the old", upcalls(ON_CONNECTED1, 0));
}

static pmix_status_t is_known(struct upcall *ask)
{
    bool known = false;

    for (int i = 0; i < upcalls(ON_CONNECTED, 0); i++) {
        const pmix_proc_t *proc = &upcall(ON_CONNECTED, 0, i)->proc;

        known = known ||
                (proc->rank == ask->proc->rank && strcmp(proc->nspace, ask->proc->nspace) == 0);
    }
    check(known, "%s:%u has been announced before", ask->proc->nspace, ask->proc->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

/* ---- the module itself */

static void fields(void)
{
    static pmix_server_module_t module;
    void *const found[] = {&module.client_connected,
                           &module.client_finalized,
                           &module.abort,
                           &module.fence_nb,
                           &module.direct_modex,
                           &module.publish,
                           &module.lookup,
                           &module.unpublish,
                           &module.spawn,
                           &module.connect,
                           &module.disconnect,
                           &module.register_events,
                           &module.deregister_events,
                           &module.listener,
                           &module.notify_event,
                           &module.query,
                           &module.tool_connected,
                           &module.log,
                           &module.allocate,
                           &module.job_control,
                           &module.monitor,
                           &module.get_credential,
                           &module.validate_credential,
                           &module.iof_pull,
                           &module.push_stdin,
                           &module.group,
                           &module.fabric,
                           &module.client_connected2};
    size_t n = sizeof(found) / sizeof(found[0]);

    check(n == 28 && sizeof(module) >= n * sizeof(void (*)(void)), "there is room for them");
    for (size_t i = 0; i < n; i++) {
        check((char *) found[i] == (char *) &module + i * sizeof(void (*)(void)),
              "entry %zu is in its place", i);
    }
}

/* A server asks its own host like a process does. */
static void ask_own_host(void)
{
    pmix_fabric_t fabric;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    check_status(PMIX_SUCCESS, PMIx_Fabric_register(&fabric, NULL, 0), "Fabric_register");
    check_status(PMIX_SUCCESS, PMIx_Fabric_update(&fabric), "Fabric_update");
    check_status(PMIX_SUCCESS, PMIx_Fabric_deregister(&fabric), "Fabric_deregister");
}

static void check_own_host(void)
{
    const struct record *r = upcall(ON_FABRIC, 0, 1);

    check(upcalls(ON_FABRIC, 0) == 2, "asked twice");
    check(r != NULL && r->number == PMIX_FABRIC_UPDATE_INFO && strcmp(r->proc.nspace, "A") != 0,
          "by the server");
}

static void bare(void)
{
    about("UPC-009 UPC-010"); /* the library listens itself: the ranks have connected */
    fence_all(NULL);
    about(NULL);
    unsupported();
}

#define TWO_JOBS .jobs = {{"A", {1}}, {"B", {0, 1}}}, .nodes = 2, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "UPC-001",
     .what = "a host without the entry",
     TWO_JOBS,
     .client = unsupported,
     .after = none,
     .host = ALL(MISSING)},
    {.ids = "UPC-002",
     .what = "done at once",
     TWO_JOBS,
     .client = succeed,
     .after = each_once,
     .host = ALL(AT_ONCE, PMIX_OPERATION_SUCCEEDED)},
    {.ids = "UPC-002",
     .what = "a time limit of a wrong type is refused",
     .client = refuse_time_limits,
     .after = none,
     .host = ALL(AT_ONCE, PMIX_OPERATION_SUCCEEDED)},
    {.ids = "UPC-002",
     .what = "not supported, at once",
     TWO_JOBS,
     .client = unsupported,
     .after = each_once,
     .host = ALL(AT_ONCE, PMIX_ERR_NOT_SUPPORTED)},
    {.ids = "UPC-002",
     .what = "refused at once",
     TWO_JOBS,
     .client = refused,
     .after = each_once,
     .host = ALL(AT_ONCE, PMIX_ERR_NO_PERMISSIONS)},
    {.ids = "UPC-002 UPC-004",
     .otherwise = "UPC-002",
     .what = "done later, by another thread",
     TWO_JOBS,
     .client = succeed_later,
     .after = each_once,
     .host = ALL(CALLBACK, PMIX_SUCCESS)},
    {.ids = "UPC-002 UPC-004",
     .otherwise = "UPC-002",
     .what = "refused later, by another thread",
     TWO_JOBS,
     .client = refused_later,
     .after = each_once,
     .host = ALL(CALLBACK, PMIX_ERR_NO_PERMISSIONS)},
    {.ids = "UPC-002",
     .what = "done from inside of the upcall",
     TWO_JOBS,
     .client = succeed,
     .after = each_once,
     .host = ALL(INSIDE, PMIX_SUCCESS)},
    {.ids = "UPC-005",
     .what = "the host sees who asks",
     TWO_JOBS,
     .client = watch,
     .after = check_requesters,
     .host = ALL(AT_ONCE, PMIX_ERR_NO_PERMISSIONS)},
    {.ids = "UPC-003",
     .what = "what is given stays, what comes is copied or released",
     .client = borrow,
     .after = once_released,
     .host = {[ON_PUBLISH] = {OWN, .own = keep_infos},
              [ON_LOOKUP] = {OWN, .own = lend},
              [ON_CONTROL] = {OWN, .own = lend_until_released}}},
    {.ids = "UPC-006",
     .what = "what the library has done of what is required is marked",
     .nodes = 2,
     .client = required,
     .after = check_required},
    {.ids = "UPC-002",
     .what = "the code of a one-shot handler is dropped",
     .client = fire_once,
     .after = dropped_once},
    {.ids = "UPC-002",
     .what = "the code of a handler of the server itself is dropped, too",
     .script = fire_once,
     .after = dropped_once},
    {.ids = "UPC-002",
     .what = "the code of a registration that failed is dropped",
     .client = fail_to_register,
     .after = dropped_once,
     .host = {[ON_REGISTER] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "UPC-007",
     .what = "of the two that announce clients the newer",
     .ranks = 2,
     .after = only_new,
     .host = {[ON_CONNECTED1] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}}},
    {.ids = "UPC-007",
     .what = "the older where it is alone",
     .ranks = 2,
     .after = only_old,
     .host = {[ON_CONNECTED] = {MISSING}, [ON_CONNECTED1] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}}},
    {.ids = "UPC-008",
     .what = "clients are announced before they ask",
     .ranks = 16,
     .client = publish_later,
     .host = {[ON_PUBLISH] = {OWN, .own = is_known}, [ON_CONNECTED] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "UPC-002",
     .what = "a server asks its own host",
     .script = ask_own_host,
     .after = check_own_host,
     .host = {[ON_FABRIC] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "UPC-010",
     .what = "entries have their names and places",
     .alone = true,
     .client = fields},
    {.ids = "UPC-010 UPC-009",
     .otherwise = "UPC-010",
     .what = "a module of zeros",
     .client = bare,
     .host = {[ON_CONNECTED] = {MISSING},
              [ON_FINALIZED] = {MISSING},
              [ON_ABORT] = {MISSING},
              [ON_FENCE] = {MISSING},
              [ON_MODEX] = {MISSING},
              [ON_CONNECT] = {MISSING},
              [ON_DISCONNECT] = {MISSING},
              [ON_REGISTER] = {MISSING},
              [ON_DEREGISTER] = {MISSING},
              [ON_NOTIFY] = {MISSING},
              [ON_TOOL] = {MISSING},
              [ON_GROUP] = {MISSING}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
