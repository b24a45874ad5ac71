/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A launcher of root without entries of its own, which has started a job and let in a process of
 * user 1002 and one of root. What the library does for it to processes (start, signal, feed), it
 * does for root alone. Covers: TOOL-041. usage: launcher */

#include "actors.h"

#include <pmix_tool.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct shared {
    struct contact contacts[2];
    pmix_nspace_t job; /* which the launcher has started */
} * shared;

static char cmd[] = "tail";
static char follow[] = "-f";
static char nothing[] = "/dev/null";
static char *args[] = {cmd, follow, nothing, NULL};
static const pmix_app_t app = {.cmd = cmd, .argv = args, .maxprocs = 1};

/* --- the actors */

static pmix_status_t spawn(void)
{
    pmix_nspace_t nspace;

    return PMIx_Spawn(NULL, 0, &app, 1, nspace);
}

static pmix_status_t end(void)
{
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, shared->job, PMIX_RANK_WILDCARD);
    return PMIx_Abort(1, "enough", &all, 1);
}

static pmix_status_t kill_all(void)
{
    pmix_proc_t all;
    pmix_info_t how;

    PMIX_LOAD_PROCID(&all, shared->job, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&how, PMIX_JOB_CTRL_KILL, NULL, PMIX_BOOL);
    return PMIx_Job_control(&all, 1, &how, 1, NULL, NULL);
}

static pmix_status_t feed(void)
{
    pmix_byte_object_t bytes = {.bytes = cmd, .size = sizeof(cmd)};
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, shared->job, PMIX_RANK_WILDCARD);
    return PMIx_IOF_push(&all, 1, &bytes, NULL, 0, NULL, NULL);
}

/* Is a process of the launcher that talks as a tool does. */
static void connect_to(int which, const char *name)
{
    static const char *const uris[] = {"PMIX_SHMIX_URI", "PMIX_SERVER_URI41", "PMIX_SERVER_URI4"};
    pmix_proc_t me;

    for (int i = 0; i < 3; i++) {
        setenv(uris[i], shared->contacts[which].env[i], 1);
    }
    setenv("PMIX_NAMESPACE", name, 1);
    setenv("PMIX_RANK", "0", 1);
    say(PMIx_tool_init(&me, NULL, 0) == PMIX_SUCCESS && strcmp(me.nspace, name) == 0,
        "a process of the launcher");
}

static void be_refused(void)
{
    connect_to(0, "other");
    say(spawn() == PMIX_ERR_NO_PERMISSIONS, "nothing is started for another user");
    say(end() == PMIX_ERR_NO_PERMISSIONS, "nor ended");
    say(kill_all() == PMIX_ERR_NO_PERMISSIONS, "nor signalled");
    say(feed() == PMIX_ERR_NO_PERMISSIONS, "nor fed");
    PMIx_tool_finalize();
}

static void be_served(void)
{
    connect_to(1, "own");
    say(spawn() == PMIX_SUCCESS, "for its own user it is started");
    say(kill_all() == PMIX_SUCCESS, "and the job is there to be signalled");
    PMIx_tool_finalize();
}

/* --- the launcher */

static int start_launcher(void)
{
    static pmix_server_module_t module;
    pmix_info_t info[2];
    pmix_proc_t me;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[0], PMIX_LAUNCHER, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_TOOL_DO_NOT_CONNECT, NULL, PMIX_BOOL);
    rc = PMIx_tool_init(&me, info, 2);
    rc = rc == PMIX_SUCCESS ? PMIx_tool_set_server_module(&module) : rc;
    rc = rc == PMIX_SUCCESS ? PMIx_Spawn(NULL, 0, &app, 1, shared->job) : rc;
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "launcher: %s\n", PMIx_Error_string(rc));
    }
    return rc == PMIX_SUCCESS ? 0 : 1;
}

int main(void)
{
    struct actor other;
    struct actor own;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    shared = actors_memory(sizeof(*shared));
    other = actor_start(SECOND, be_refused);
    own = actor_start(0, be_served);
    if (start_launcher() != 0) {
        return 1;
    }
    add_job("other", SECOND);
    add_job("own", 0);
    contact_read(&shared->contacts[0], "other");
    contact_read(&shared->contacts[1], "own");
    bad += actor_finish(&other);
    bad += actor_finish(&own);
    PMIx_tool_finalize();
    return bad != 0;
}
