/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A flag means the same to everyone who reads it: to the caller's library, its server, the host's
 * library. A directive whose value is no is as if absent, also as text; one without a value is on
 * (PMIX_INFO_TRUE). One case for each reader. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND "-46"

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 7 };

static struct infos with(const char *key, const char *value)
{
    struct infos list = {0};

    add_text(&list, key, value);
    return list;
}

/* ---- PMIx_Get */

static const char *got_with(pmix_rank_t rank, const char *key, struct infos list)
{
    const char *answer = got("A", rank, key, list.at, list.n);

    free_infos(&list);
    return answer;
}

static void ask_for_remote(void)
{
    struct infos list = {0};
    int one = 1;

    if (me.rank != 0) {
        put_number("k", me.rank + 6);
        commit();
        tell("posted");
        await("seen");
        return;
    }
    await_n("posted", 3);
    same(NOT_FOUND, got_with(1, "k", with(PMIX_OPTIONAL, "yes")), "the text yes");
    same("7", got_with(1, "k", with(PMIX_OPTIONAL, "false")), "the text false");
    same("8", got_with(2, "k", with(PMIX_IMMEDIATE, "no")), "the text no");
    add(&list, PMIX_OPTIONAL, &one, PMIX_INT);
    same("9", got_with(3, "k", list), "a number is no flag");
    check(upcalls(ON_MODEX, 0) == 3, "the host is asked each time");
    tell("seen");
}

/* Uses PMIx_Get_nb, since a blocking get of a server does not ask the host. */
static void ask_by_server(void)
{
    struct infos list = with(PMIX_OPTIONAL, "0");
    struct late_get asked = {.step = "answered"};

    if (node() == 0) {
        await("posted");
        get_later(&asked, "A", 1, "k", &list);
        await("answered");
        check_status(PMIX_SUCCESS, asked.status, "the text 0");
        check(asked.number == 7, "it is %u", asked.number);
        check(upcalls(ON_MODEX, 0) == 1, "the host is asked");
        tell("seen");
    }
    free_infos(&list);
}

static void post_one(void)
{
    if (me.rank == 1) {
        put_number("k", 7);
        commit();
        tell("posted");
    }
    await("seen");
}

static void describe(const struct job *job, struct infos *list)
{
    struct infos session = {0};

    (void) job;
    add_u32(&session, PMIX_SESSION_ID, 5);
    add_u32(&session, PMIX_MAX_PROCS, 900);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
    drop(list, PMIX_MAX_PROCS);
    add_u32(list, PMIX_MAX_PROCS, 800);
}

static void see_realm(void)
{
    pmix_rank_t all = PMIX_RANK_WILDCARD;

    same("900", got_with(all, PMIX_MAX_PROCS, with(PMIX_SESSION_INFO, "true")), "the session's");
    same("800", got_with(all, PMIX_MAX_PROCS, with(PMIX_SESSION_INFO, "false")), "the job's");
}

/* ---- collectives */

static pmix_rank_t neighbour(void)
{
    return 1 - me.rank;
}

static void collect_nothing(void)
{
    struct infos list = with(PMIX_COLLECT_DATA, "false");

    put_number("k", me.rank);
    commit();
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, list.at, list.n), "fence");
    free_infos(&list);
    same(NOT_FOUND, got_of(neighbour(), "k", PMIX_OPTIONAL), "nothing was collected");
    check(upcall(ON_FENCE, 0, 0)->n_blob == 0, "nothing was carried");
    fence_all(NULL);
}

/* A process and its copy: the copy goes in alone. */
static void one_clone(void)
{
    struct infos list = with(PMIX_ALL_CLONES_PARTICIPATE, "false");
    pid_t child = fork();
    int seconds = 5;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    tell("up");
    await_n("up", 2);
    if (child == 0) {
        add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
        check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, list.at, list.n), "fence");
        tell("through");
    }
    await("through");
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void construct(const char *key, const char *value, bool *ret_has_id)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);
    struct infos list = with(key, value);
    pmix_info_t *results = NULL;
    size_t n = 0;

    *ret_has_id = false;
    check_status(PMIX_SUCCESS, PMIx_Group_construct("g", &all, 1, list.at, list.n, &results, &n),
                 "construct");
    for (size_t i = 0; i < n; i++) {
        *ret_has_id = *ret_has_id || PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID);
    }
    PMIX_INFO_FREE(results, n);
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

static void want_no_id(void)
{
    bool has_id;

    construct(PMIX_GROUP_ASSIGN_CONTEXT_ID, "no", &has_id);
    check(!has_id && upcalls(ON_GROUP, -1) == 0, "nobody is asked for a context id");
    construct(PMIX_GROUP_ASSIGN_CONTEXT_ID, "yes", &has_id);
    check(has_id, "there is one");
}

static void not_only_local(void)
{
    bool has_id;
    int n = 0;

    construct(PMIX_GROUP_LOCAL_ONLY, "false", &has_id);
    for (int i = 0; i < upcalls(ON_GROUP, -1); i++) {
        n += upcall(ON_GROUP, -1, i)->number == PMIX_GROUP_CONSTRUCT;
    }
    check(n == 2, "each host is asked, not %d", n);
}

/* ---- events */

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell("event");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void notify(const char *key, const char *value)
{
    struct infos list = with(key, value);
    pmix_status_t rc =
        PMIx_Notify_event(CODE, &me, PMIX_RANGE_SESSION, list.at, list.n, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

static void listen_late(void)
{
    pmix_status_t code = CODE;

    if (me.rank == 0) {
        notify(PMIX_EVENT_DO_NOT_CACHE, "false");
    }
    fence_all(NULL);
    if (me.rank == 1) {
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, event_came, NULL, NULL) >= 0,
              "a late handler");
    }
    await("event");
}

static void tell_host(void)
{
    notify(PMIX_EVENT_STAYS_LOCAL, "no");
    await_upcalls(ON_NOTIFY, 1);
}

/* ---- output that came before somebody asked */

enum { PIECE = 1024, PIECES = 4, CACHE = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char first_shown;
static size_t n_shown;

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) info;
    (void) ninfo;
    pthread_mutex_lock(&lock);
    first_shown = n_shown == 0 ? bytes->bytes[0] : first_shown;
    n_shown += bytes->size;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

static void print(void)
{
    pmix_proc_t source = process("A", 0);

    for (int i = 0; i < PIECES; i++) {
        char piece[PIECE];
        pmix_byte_object_t bytes = {.bytes = piece, .size = sizeof(piece)};
        pmix_status_t rc;

        memset(piece, 'a' + i, sizeof(piece));
        rc = PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL);
        check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver");
    }
    tell("printed");
}

static void pull_oldest(void)
{
    pmix_proc_t source = process("A", 0);
    struct infos list = with(PMIX_IOF_DROP_OLDEST, "false");

    await("printed");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    check(PMIx_IOF_pull(&source, 1, list.at, list.n, PMIX_FWD_STDOUT_CHANNEL, show, NULL, NULL) >=
              0,
          "pull");
    free_infos(&list);
    pthread_mutex_lock(&lock);
    while (n_shown < CACHE) {
        pthread_cond_wait(&more, &lock);
    }
    check(n_shown == CACHE && first_shown == 'a', "%zu bytes from %c", n_shown, first_shown);
    pthread_mutex_unlock(&lock);
}

/* ---- what a host says */

static void no_tools(struct infos *list)
{
    add_text(list, PMIX_SERVER_TOOL_SUPPORT, "false");
}

static bool has_rendezvous(void)
{
    DIR *dir = opendir(scratch());
    bool found = false;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        found = found || strstr(e->d_name, ".tool") != NULL;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return found;
}

static void look_for_rendezvous(void)
{
    check_for("MAC-009 SRV-002", !has_rendezvous(), "no tool is to find the server");
}

static int n_settings;

static void take_settings(pmix_status_t status, pmix_info_t info[], size_t n, void *cbdata,
                          pmix_op_cbfunc_t done, void *done_data)
{
    check_status(PMIX_SUCCESS, status, "settings");
    n_settings = 0;
    for (size_t i = 0; i < n; i++) {
        n_settings += info[i].value.type == PMIX_ENVAR &&
                      strcmp(info[i].value.data.envar.envar, "PMIX_MCA_site_word") == 0;
    }
    if (done != NULL) {
        done(PMIX_SUCCESS, done_data);
    }
    tell(cbdata);
}

static void set_up(const char *key, const char *value, const char *other, bool wanted)
{
    static const char step[] = "set up";
    pmix_nspace_t nspace = "A";
    struct infos list = with(key, value);
    int before = told(step);

    if (other != NULL) {
        add_true(&list, other);
    }
    check_status(PMIX_SUCCESS,
                 PMIx_server_setup_application(nspace, list.at, list.n, take_settings,
                                               (void *) (uintptr_t) step),
                 "setup_application");
    await_n(step, before + 1);
    check_for("MAC-009 SRV-022", n_settings == wanted, "%s=%s: %d settings", key, value,
              n_settings);
    free_infos(&list);
}

static void want_settings(void)
{
    setenv("PMIX_MCA_site_word", "travels", 1);
    set_up(PMIX_SETUP_APP_ENVARS, "true", NULL, true);
    set_up(PMIX_SETUP_APP_ENVARS, "false", NULL, false);
    set_up(PMIX_SETUP_APP_ENVARS, "false", PMIX_SETUP_APP_ALL, true);
    set_up(PMIX_SETUP_APP_ALL, "no", PMIX_SETUP_APP_ENVARS, true);
    unsetenv("PMIX_MCA_site_word");
}

static void with_data(const struct job *job, struct infos *list)
{
    (void) job;
    add_text(list, PMIX_REGISTER_NODATA, "false");
}

static void see_data(void)
{
    same_for("MAC-009 SRV-009", "1", got_of(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL),
             "the job's size");
}

/* ---- values that are none */

static void refuse_types(void)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);
    struct infos list = with(PMIX_TIMEOUT, "soon");
    struct infos about = with(PMIX_EVENT_AFFECTED_PROC, "nobody");
    struct infos limit = with(PMIX_IOF_CACHE_SIZE, "much");
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status(PMIX_ERR_BAD_PARAM, PMIx_Fence(NULL, 0, list.at, list.n), "fence");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Connect(&all, 1, list.at, list.n), "connect");
    check_status(PMIX_ERR_BAD_PARAM,
                 PMIx_Group_construct("g", &all, 1, list.at, list.n, &results, &n), "construct");
    check_status(PMIX_ERR_BAD_PARAM,
                 PMIx_Notify_event(CODE, &me, PMIX_RANGE_SESSION, about.at, about.n, NULL, NULL),
                 "notify");
    check_status(
        PMIX_ERR_BAD_PARAM,
        PMIx_IOF_pull(&all, 1, limit.at, limit.n, PMIX_FWD_STDOUT_CHANNEL, show, NULL, NULL),
        "pull");
    free_infos(&list);
    free_infos(&about);
    free_infos(&limit);
    fence_all(NULL); /* nobody waits in one that was refused */
}

const struct conform_case cases[] = {
    {.ids = "MAC-009",
     .what = "a value of a wrong type is refused",
     .ranks = 2,
     .client = refuse_types},
    {.ids = "GET-032",
     .what = "PMIX_OPTIONAL and PMIX_IMMEDIATE, in a client",
     .jobs = {{"A", {1, 3}}},
     .nodes = 2,
     .client = ask_for_remote},
    {.ids = "GET-032",
     .what = "PMIX_OPTIONAL, in a server",
     .nodes = 2,
     .client = post_one,
     .script = ask_by_server},
    {.ids = "GET-032", .what = "realms, in a client", .setup = describe, .client = see_realm},
    {.ids = "GET-032", .what = "realms, in a server", .setup = describe, .script = see_realm},
    {.ids = "MAC-009", .what = "PMIX_COLLECT_DATA", .nodes = 2, .client = collect_nothing},
    {.ids = "MAC-009", .what = "PMIX_ALL_CLONES_PARTICIPATE", .client = one_clone, .raw = true},
    {.ids = "MAC-009", .what = "PMIX_GROUP_ASSIGN_CONTEXT_ID", .client = want_no_id},
    {.ids = "MAC-009", .what = "PMIX_GROUP_LOCAL_ONLY", .nodes = 2, .client = not_only_local},
    {.ids = "MAC-009",
     .what = "PMIX_EVENT_DO_NOT_CACHE",
     .ranks = 2,
     .client = listen_late,
     .seconds = 20},
    {.ids = "MAC-009", .what = "PMIX_EVENT_STAYS_LOCAL", .client = tell_host, .seconds = 20},
    {.ids = "MAC-009",
     .what = "PMIX_IOF_DROP_OLDEST",
     .script = print,
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}},
     .client = pull_oldest},
    {.ids = "MAC-009 SRV-002",
     .otherwise = "SRV-002",
     .what = "PMIX_SERVER_TOOL_SUPPORT",
     .server = no_tools,
     .client = look_for_rendezvous},
    {.ids = "MAC-009 SRV-022",
     .otherwise = "SRV-022",
     .what = "PMIX_SETUP_APP_ENVARS and ALL",
     .script = want_settings},
    {.ids = "MAC-009 SRV-009",
     .otherwise = "SRV-009",
     .what = "PMIX_REGISTER_NODATA",
     .setup = with_data,
     .client = see_data},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
