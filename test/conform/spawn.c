/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Abort, and spawn: what the host is asked, what comes back, what parent and child know of each
 * other. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- abort */

static void ask_for_abort(void)
{
    pmix_proc_t procs[] = {process("A", 1), process("A", 0)};

    if (me.rank != 0) {
        return;
    }
    check_status_for("SPN-002", PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED, PMIx_Abort(7, "why", procs, 2),
                     "the host's word about some");
    check_status_for("SPN-002", PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED, PMIx_Abort(0, NULL, NULL, 0),
                     "about all");
    check_status_for("SPN-002", PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED,
                     PMIx_Abort(-3, "", &procs[0], 1), "about one");
}

static void see_aborts(void)
{
    static const int statuses[] = {7, 0, -3};
    static const char *const texts[] = {"why", "", ""};

    about("SPN-001");
    if (!check(upcalls(ON_ABORT, 0) == 3, "%d upcalls", upcalls(ON_ABORT, 0))) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        const struct record *r = upcall(ON_ABORT, 0, i);

        check(r->number == statuses[i], "status %d, not %d", r->number, statuses[i]);
        same(texts[i], r->text, "message %d", i);
        check(strcmp(r->proc.nspace, "A") == 0 && r->proc.rank == 0, "who asks");
    }
    check(upcall(ON_ABORT, 0, 0)->n_procs == 2 && record_names(upcall(ON_ABORT, 0, 0), "A", 1) &&
              record_names(upcall(ON_ABORT, 0, 0), "A", 0),
          "both");
    check(upcall(ON_ABORT, 0, 1)->n_procs == 0 ||
              record_names(upcall(ON_ABORT, 0, 1), "A", PMIX_RANK_WILDCARD),
          "nobody named means the whole job");
    check(upcall(ON_ABORT, 0, 2)->n_procs == 1 && record_names(upcall(ON_ABORT, 0, 2), "A", 1),
          "one");
}

/* Rank 1 asks for its own end; the host answers when it is dead. */
static void abort_self(void)
{
    if (me.rank == 1) {
        (void) PMIx_Abort(9, "enough", &me, 1);
        tell("returned");
        await("never");
    }
    await("killed");
}

static void comply(void)
{
    await_upcalls(ON_ABORT, 1);
    rank_kill("A", 1, SIGKILL);
    tell("killed");
}

static void not_returned(void)
{
    check(told("returned") == 0, "the call has returned");
}

/* ---- what the host is asked for a spawn */

enum { N_APPS = 2 };

static pmix_app_t *make_apps(void)
{
    pmix_app_t *apps;
    int rc;

    PMIX_APP_CREATE(apps, N_APPS);
    apps[0].cmd = strdup("/bin/one");
    PMIX_ARGV_APPEND(rc, apps[0].argv, "one");
    PMIX_ARGV_APPEND(rc, apps[0].argv, "a b");
    PMIX_ARGV_APPEND(rc, apps[0].argv, "");
    PMIX_ARGV_APPEND(rc, apps[0].env, "X=1");
    PMIX_ARGV_APPEND(rc, apps[0].env, "Y=");
    (void) rc;
    apps[0].cwd = strdup("/usr");
    apps[0].maxprocs = 3;
    PMIX_INFO_CREATE(apps[0].info, 1);
    apps[0].ninfo = 1;
    PMIX_INFO_LOAD(&apps[0].info[0], PMIX_HOST, "node0", PMIX_STRING);
    apps[1].cmd = strdup("two");
    apps[1].maxprocs = 1;
    return apps;
}

static void spawn_two(void)
{
    struct infos list = {0};
    pmix_app_t *apps = make_apps();
    pmix_nspace_t nspace = "";

    add_text(&list, "conform.word", "of the job");
    add_required(&list, PMIX_MAPBY, "slot", PMIX_STRING);
    check_status(PMIX_SUCCESS, PMIx_Spawn(list.at, list.n, apps, N_APPS, nspace), "spawn");
    same("child", nspace, "the name of the job");
    check_status(PMIX_SUCCESS, PMIx_Spawn(list.at, list.n, apps, N_APPS, NULL),
                 "with no room for the name");
    free_infos(&list);
    PMIX_APP_FREE(apps, N_APPS);
}

static bool words_are(char **words, const char *const *want)
{
    int i = 0;

    for (; want[i] != NULL; i++) {
        if (words == NULL || words[i] == NULL || strcmp(words[i], want[i]) != 0) {
            return false;
        }
    }
    return words == NULL || words[i] == NULL;
}

static void see_apps(const pmix_app_t *apps)
{
    static const char *const argv[] = {"one", "a b", "", NULL};
    static const char *const env[] = {"X=1", "Y=", NULL};
    static const char *const none[] = {NULL};

    check(strcmp(apps[0].cmd, "/bin/one") == 0 && strcmp(apps[1].cmd, "two") == 0, "commands");
    check(words_are(apps[0].argv, argv), "arguments of the first");
    check(words_are(apps[0].env, env), "environment of the first");
    check(apps[0].cwd != NULL && strcmp(apps[0].cwd, "/usr") == 0, "directory of the first");
    check(apps[0].maxprocs == 3 && apps[1].maxprocs == 1, "how many");
    check(apps[0].ninfo == 1 && PMIX_CHECK_KEY(&apps[0].info[0], PMIX_HOST) &&
              strcmp(apps[0].info[0].value.data.string, "node0") == 0,
          "directive of the first");
    check(words_are(apps[1].env, none) && apps[1].cwd == NULL && apps[1].ninfo == 0,
          "nothing more of the second");
}

static pmix_status_t look_at_spawn(struct upcall *ask)
{
    about("SPN-003");
    check(ask->proc != NULL && strcmp(ask->proc->nspace, "A") == 0 && ask->proc->rank == 0,
          "who asks");
    check(ask->n_infos >= 2 && PMIX_CHECK_KEY(&ask->infos[0], "conform.word") &&
              strcmp(ask->infos[0].value.data.string, "of the job") == 0,
          "the first directive");
    check(ask->n_infos >= 2 && PMIX_CHECK_KEY(&ask->infos[1], PMIX_MAPBY) &&
              PMIX_INFO_IS_REQUIRED(&ask->infos[1]),
          "the second, required");
    if (check(ask->n_apps == N_APPS, "%zu applications", ask->n_apps)) {
        see_apps(ask->apps);
    }
    ask->reply.spawn(PMIX_SUCCESS, (char *) "child", ask->cbdata);
    return PMIX_SUCCESS;
}

/* ---- what the server adds */

static void spawn_one(void)
{
    pmix_app_t *app;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("one");
    app->maxprocs = 1;
    check_status(PMIX_SUCCESS, PMIx_Spawn(NULL, 0, app, 1, NULL), "spawn");
    PMIX_APP_FREE(app, 1);
}

static void spawn_as_tool(void)
{
    await("a process has");
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    spawn_one();
    tool_end();
}

static void spawn_as_client(void)
{
    spawn_one();
    tell("a process has");
}

static pmix_status_t name_child(struct upcall *ask)
{
    ask->reply.spawn(PMIX_SUCCESS, (char *) "child", ask->cbdata);
    return PMIX_SUCCESS;
}

static void see_additions(void)
{
    static const char *const kinds[] = {PMIX_REQUESTOR_IS_CLIENT, PMIX_REQUESTOR_IS_TOOL};
    const struct note *first;

    if (!check(upcalls(ON_SPAWN, 0) == 2, "%d upcalls", upcalls(ON_SPAWN, 0))) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        const struct record *r = upcall(ON_SPAWN, 0, i);
        const struct note *spawned = record_info(r, PMIX_SPAWNED);
        const struct note *parent = record_info(r, PMIX_PARENT_ID);
        const struct note *user = record_info(r, PMIX_USERID);
        const struct note *group = record_info(r, PMIX_GRPID);
        const struct note *kind = record_info(r, kinds[i]);
        char name[PMIX_MAX_NSLEN + 16];

        snprintf(name, sizeof(name), "%s:%u", r->proc.nspace, r->proc.rank);
        check(spawned != NULL && spawned->number == 1, "spawned, %d", i);
        check(parent != NULL && strcmp(parent->text, name) == 0, "parent, %d", i);
        check(user != NULL && user->number == (int64_t) geteuid(), "user, %d", i);
        check(group != NULL && group->number == (int64_t) getegid(), "group, %d", i);
        check(kind != NULL && kind->number == 1, "kind, %d", i);
        check(record_info(r, kinds[1 - i]) == NULL, "and not the other kind, %d", i);
    }
    first = record_info(upcall(ON_SPAWN, 0, 0), PMIX_PARENT_ID);
    same("A:0", first != NULL ? first->text : "(none)", "the first parent");
}

/* ---- family */

static void name_parent(const struct job *job, struct infos *list)
{
    pmix_proc_t parent = process("A", 0);

    if (strcmp(job->name, "B") == 0) {
        add(list, PMIX_PARENT_ID, &parent, PMIX_PROC);
        add_true(list, PMIX_SPAWNED);
    }
}

static void on_abort(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t n, pmix_info_t results[], size_t n_results,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) info;
    (void) n;
    (void) results;
    (void) n_results;
    if (strcmp(source->nspace, "B") == 0 && source->rank == 0) {
        tell("heard");
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void listen_for_aborts(void)
{
    pmix_status_t code = PMIX_ERR_PROC_ABORTED;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_abort, NULL, NULL) >= 0, "register");
    tell("listening");
    await_n("heard", 2); /* all but the one that it is about */
}

static void be_parent(void)
{
    pmix_app_t *app;
    pmix_nspace_t nspace = "";

    put_number("parent.word", 5);
    commit();
    PMIX_APP_CREATE(app, N_APPS);
    for (int i = 0; i < N_APPS; i++) {
        app[i].cmd = strdup(i == 0 ? "child" : "other");
        app[i].maxprocs = 1;
        PMIX_INFO_CREATE(app[i].info, 1);
        app[i].ninfo = 1;
        PMIX_INFO_LOAD(&app[i].info[0], PMIX_HOST, i == 0 ? "here" : "there", PMIX_STRING);
    }
    check_status(PMIX_SUCCESS, PMIx_Spawn(NULL, 0, app, N_APPS, nspace), "spawn");
    PMIX_APP_FREE(app, N_APPS);
    same("B", nspace, "the job");
    same("2", got(nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "its size");
    same(n_nodes() == 1 ? "B:0,B:1" : "B:0", peers_sorted("node0", nspace), "its processes");
    same("node0", got(nspace, 0, PMIX_HOSTNAME, NULL, 0), "where the first is");
    await_n("posted", 2);
    same("7", got(nspace, 1, "child.word", NULL, 0), "what a child has posted");
}

static void be_child(void)
{
    put_number("child.word", 6 + me.rank);
    commit();
    tell("posted");
    same("A:0", got("B", me.rank, PMIX_PARENT_ID, NULL, 0), "the parent's name");
    same("1", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "the size of its job");
    same("A:0", peers_sorted("node0", "A"), "the processes of its job");
    same("5", got("A", 0, "parent.word", NULL, 0), "what it has posted");
}

static void be_family(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    if (strcmp(me.nspace, "A") == 0) {
        be_parent();
    } else {
        be_child();
    }
    check_status(PMIX_SUCCESS, fence(both, 2, NULL), "a fence of both jobs");
    listen_for_aborts();
    check_status(PMIX_SUCCESS, PMIx_Disconnect(both, 2, NULL, 0), "they were connected");
}

static void bear(struct upcall *copy)
{
    await_n("registered", n_nodes());
    copy->reply.spawn(PMIX_SUCCESS, (char *) "B", copy->cbdata);
}

static pmix_status_t bear_later(struct upcall *ask)
{
    return later(ask, NULL, bear);
}

static void start_child(void)
{
    pmix_proc_t child = process("B", 0);
    struct infos list = {0};
    pmix_status_t rc;

    await_upcalls(ON_SPAWN, 1);
    job_register("B");
    tell("registered");
    await_n("registered", n_nodes());
    job_start("B");
    await_n("listening", 3);
    add(&list, PMIX_EVENT_AFFECTED_PROC, &child, PMIX_PROC);
    rc = PMIx_Notify_event(PMIX_ERR_PROC_ABORTED, &child, PMIX_RANGE_GLOBAL, list.at, list.n, NULL,
                           NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify");
    free_infos(&list);
}

/* ---- all of it: a family of which a child aborts, and a spawn that fails */

static void spawn_missing(void)
{
    pmix_app_t *app;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("missing");
    app->maxprocs = 1;
    check_status_for("SPN-006", PMIX_ERR_JOB_EXE_NOT_FOUND, PMIx_Spawn(NULL, 0, app, 1, NULL),
                     "an executable that is not there");
    PMIX_APP_FREE(app, 1);
}

static void live_and_abort(void)
{
    about("SPN-005");
    be_family();
    if (strcmp(me.nspace, "A") == 0) {
        spawn_missing();
    } else if (me.rank == 1) {
        check_status_for("SPN-001", PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED,
                         PMIx_Abort(7, "message", NULL, 0), "the host goes on");
    }
}

static pmix_status_t bear_or_fail(struct upcall *ask)
{
    if (ask->n_apps > 0 && strcmp(ask->apps[0].cmd, "missing") == 0) {
        ask->reply.spawn(PMIX_ERR_JOB_EXE_NOT_FOUND, (char *) "", ask->cbdata);
        return PMIX_SUCCESS;
    }
    return bear_later(ask);
}

/* The application `name` of a spawn is for one process, there. */
static void check_app(const struct record *r, const char *name, const char *where)
{
    const struct note *app = record_info(r, name);
    const struct note *place = app != NULL ? note_info(app, PMIX_HOST) : NULL;

    check_for("SPN-004", app != NULL && app->number == 1, "%s, for one process", name);
    same_for("SPN-004", where, place != NULL ? place->text : "(none)", "and where");
}

/* A library that does not pass the spawn or the abort to its host leaves no record of it. */
static void see_family(void)
{
    const struct record *r = upcall(ON_SPAWN, 0, 0);
    const struct note *parent = r != NULL ? record_info(r, PMIX_PARENT_ID) : NULL;

    if (!check_for("SPN-004", r != NULL, "the host was asked to spawn")) {
        return;
    }
    check_app(r, "child", "here");
    check_app(r, "other", "there");
    same_for("SPN-004", "A:0", parent != NULL ? parent->text : "(none)", "the parent");
    for (const char *const *key = (const char *const[]){PMIX_SPAWNED, PMIX_REQUESTOR_IS_CLIENT,
                                                        PMIX_USERID, PMIX_GRPID, NULL};
         *key != NULL; key++) {
        check_for("SPN-004", record_info(r, *key) != NULL, "%s", *key);
    }
    about("SPN-001");
    r = upcall(ON_ABORT, 0, 0);
    if (check(r != NULL, "the host was asked to abort")) {
        check(r->number == 7 && strcmp(r->text, "message") == 0, "%d, %s", (int) r->number,
              r->text);
        check(strcmp(r->proc.nspace, "B") == 0 && r->proc.rank == 1, "who");
        check(r->n_procs == 0 || record_names(r, "B", PMIX_RANK_WILDCARD), "all of its job");
    }
}

/* ---- errors of a spawn */

static pmix_status_t fail_as_told(struct upcall *ask)
{
    pmix_status_t status = PMIX_ERROR;
    bool at_once = false;

    for (size_t i = 0; i < ask->n_infos; i++) {
        if (PMIX_CHECK_KEY(&ask->infos[i], "conform.status")) {
            status = ask->infos[i].value.data.status;
        } else if (PMIX_CHECK_KEY(&ask->infos[i], "conform.at.once")) {
            at_once = true;
        }
    }
    if (at_once) {
        return status;
    }
    reply_status(ask, status);
    return PMIX_SUCCESS;
}

static void fail_to_spawn(void)
{
    pmix_app_t *app;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("one");
    app->maxprocs = 1;
    for (pmix_status_t status = PMIX_ERR_JOB_ALLOC_FAILED;
         status <= PMIX_ERR_JOB_APP_NOT_EXECUTABLE; status++) {
        for (int at_once = 0; at_once < 2; at_once++) {
            struct infos list = {0};
            pmix_nspace_t nspace = "untouched";

            add(&list, "conform.status", &status, PMIX_STATUS);
            if (at_once) {
                add_true(&list, "conform.at.once");
            }
            check_status(status, PMIx_Spawn(list.at, list.n, app, 1, nspace), "spawn, %s",
                         at_once ? "returned" : "called back");
            same("untouched", nspace, "no name");
            free_infos(&list);
        }
    }
    PMIX_APP_FREE(app, 1);
}

static void cannot_spawn(void)
{
    pmix_app_t *app;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("one");
    app->maxprocs = 1;
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Spawn(NULL, 0, app, 1, NULL), "spawn");
    PMIX_APP_FREE(app, 1);
}

const struct conform_case cases[] = {
    {.ids = "SPN-001 SPN-002",
     .what = "an abort reaches the host as it is, and the host's refusal the caller",
     .ranks = 2,
     .client = ask_for_abort,
     .after = see_aborts,
     .host = {[ON_ABORT] = {CALLBACK, PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED}}},
    {.ids = "SPN-002",
     .what = "an abort of the caller itself does not return",
     .ranks = 2,
     .client = abort_self,
     .script = comply,
     .after = not_returned,
     .host = {[ON_ABORT] = {CALLBACK, PMIX_SUCCESS, .when = "killed"}}},
    {.ids = "SPN-003",
     .what = "the host sees the directives and applications of a spawn as they were given",
     .client = spawn_two,
     .host = {[ON_SPAWN] = {OWN, .own = look_at_spawn}}},
    {.ids = "SPN-004",
     .what = "and who asks, a process of a job or a tool",
     .tools = 1,
     .client = spawn_as_client,
     .tool = spawn_as_tool,
     .after = see_additions,
     .host = {[ON_SPAWN] = {OWN, .own = name_child}}},
    {.ids = "SPN-005",
     .what = "parent and children read each other's data and hear of errors",
     .jobs = {{"A", {1}}, {"B", {2}, .later = true}},
     .setup = name_parent,
     .script = start_child,
     .client = be_family,
     .host = {[ON_SPAWN] = {OWN, .own = bear_later}}},
    {.ids = "SPN-005",
     .what = "also on two nodes",
     .nodes = 2,
     .jobs = {{"A", {1}}, {"B", {1, 1}, .later = true}},
     .setup = name_parent,
     .script = start_child,
     .client = be_family,
     .host = {[ON_SPAWN] = {OWN, .own = bear_later}}},
    {.ids = "SPN-001 SPN-004 SPN-005 SPN-006 S33",
     .otherwise = "SPN-005",
     .what = "a spawn of two applications, a child that aborts, a spawn that fails",
     .jobs = {{"A", {1}}, {"B", {2}, .later = true}},
     .setup = name_parent,
     .script = start_child,
     .client = live_and_abort,
     .after = see_family,
     .host = {[ON_SPAWN] = {OWN, .own = bear_or_fail},
              [ON_ABORT] = {CALLBACK, PMIX_ERR_PARAM_VALUE_NOT_SUPPORTED}}},
    {.ids = "SPN-006",
     .what = "why the host could not spawn is told as it says",
     .client = fail_to_spawn,
     .host = {[ON_SPAWN] = {OWN, .own = fail_as_told}}},
    {.ids = "SPN-006 S33",
     .otherwise = "SPN-006",
     .what = "a host without the entry",
     .client = cannot_spawn,
     .host = {[ON_SPAWN] = {MISSING}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
