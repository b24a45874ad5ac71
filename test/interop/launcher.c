/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A launcher tool, as prun is one: it finds a daemon, asks it for a job, gives that job its own
 * standard input, shows what it writes, and ends as it ends.
 *
 *     launcher DIRECTORY [--uri FILE] [--forward yes|no] N PROGRAM [ARG...]
 *
 * DIRECTORY is its own session directory, in which no daemon is: it is found in the system
 * directory, or by the file into which it has written where it is. The output of the job is
 * forwarded to launchers by default, and is asked for, or not wanted, with --forward. */

#include <pmix.h>
#include <pmix_server.h>
#include <pmix_tool.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/interop/marks.h"

static bool set_up;       /* a mark */
static bool over;         /* a mark: the job has ended */
static pmix_status_t end; /* how; written before that mark */

static void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "launcher: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void on_set_up(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *provided,
                      pmix_op_cbfunc_t done, void *cbdata)
{
    (void) info;
    (void) ninfo;
    (void) provided;
    must(status, "the application's set-up");
    if (done) {
        done(PMIX_SUCCESS, cbdata);
    }
    mark(&set_up);
}

static void on_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_JOB_TERM_STATUS)) {
            end = info[i].value.data.status;
        }
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    mark(&over);
}

static void flag(pmix_info_t *info, const char *key)
{
    bool yes = true;

    PMIX_INFO_LOAD(info, key, &yes, PMIX_BOOL);
}

static void find_daemon(const char *directory, const char *uri)
{
    char text[1024];
    pmix_info_t info[4];
    size_t n = 3;
    pmix_proc_t self;

    flag(&info[0], PMIX_LAUNCHER);
    flag(&info[1], PMIX_SERVER_TOOL_SUPPORT);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TMPDIR, directory, PMIX_STRING);
    if (uri) {
        snprintf(text, sizeof(text), "file:%s", uri);
        PMIX_INFO_LOAD(&info[3], PMIX_SERVER_URI, text, PMIX_STRING);
        n++;
    }
    must(PMIx_tool_init(&self, info, n), "init");
    for (size_t i = 0; i < n; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
}

/* Launchers ask their library for environment of the processes before they spawn. */
static void prepare(void)
{
    static const pmix_nspace_t nspace = ""; /* the job has no name yet */
    pmix_info_t info[2];

    flag(&info[0], PMIX_SETUP_APP_ENVARS);
    flag(&info[1], PMIX_SETUP_APP_NONENVARS);
    must(PMIx_server_setup_application(nspace, info, 2, on_set_up, NULL), "set up");
    await(&set_up);
}

static void spawn(int n, char **command, const char *forward, pmix_nspace_t nspace)
{
    bool wanted = forward && !strcmp(forward, "yes");
    pmix_app_t app;
    pmix_info_t info[4];

    memset(&app, 0, sizeof(app));
    app.cmd = command[0];
    app.argv = command;
    app.maxprocs = n;
    flag(&info[0], PMIX_FWD_STDIN);
    flag(&info[1], PMIX_NOTIFY_COMPLETION);
    PMIX_INFO_LOAD(&info[2], PMIX_FWD_STDOUT, &wanted, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[3], PMIX_FWD_STDERR, &wanted, PMIX_BOOL);
    must(PMIx_Spawn(info, forward ? 4 : 2, &app, 1, nspace), "spawn");
}

int main(int argc, char **argv)
{
    const char *directory = argv[argc > 1];
    const char *uri = NULL;
    const char *forward = NULL;
    pmix_status_t codes[] = {PMIX_EVENT_JOB_END, PMIX_ERR_LOST_CONNECTION};
    pmix_nspace_t nspace;
    pmix_proc_t target;
    pmix_info_t info;

    alarm(120);
    if (argc > 3 && !strcmp(argv[2], "--uri")) {
        uri = argv[3];
        argv += 2;
        argc -= 2;
    }
    if (argc > 3 && !strcmp(argv[2], "--forward")) {
        forward = argv[3];
        argv += 2;
        argc -= 2;
    }
    if (argc < 4) {
        return 64;
    }
    find_daemon(directory, uri);
    must(PMIx_Register_event_handler(codes, 2, NULL, 0, on_end, NULL, NULL) < 0, "handler");
    prepare();
    spawn(atoi(argv[2]), argv + 3, forward, nspace);
    flag(&info, PMIX_IOF_PUSH_STDIN);
    PMIX_LOAD_PROCID(&target, nspace, 0);
    must(PMIx_IOF_push(&target, 1, NULL, &info, 1, NULL, NULL), "push");
    await(&over);
    must(PMIx_tool_finalize(), "finalize");
    return end == PMIX_SUCCESS ? 0 : 3;
}
