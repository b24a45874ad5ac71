/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Monitors: what the library watches itself, and what it leaves to the host. */

#include "lib/calls.h"
#include "lib/conform.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BEATS = PMIX_EXTERNAL_ERR_BASE - 21, SILENCE = PMIX_EXTERNAL_ERR_BASE - 22 };

/* ---- events */

static pmix_proc_t silent;
static pmix_proc_t raised_by;
static char last_id[64];

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char step[64];

    (void) id;
    (void) results;
    (void) nresults;
    raised_by = *source;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_MONITOR_ID)) {
            snprintf(last_id, sizeof(last_id), "%s", info[i].value.data.string);
        }
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            silent = *info[i].value.data.proc;
        }
    }
    snprintf(step, sizeof(step), "%d at %u", status, me.rank);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void hear(pmix_status_t first, pmix_status_t second)
{
    pmix_status_t codes[] = {first, second};

    check(PMIx_Register_event_handler(codes, 2, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
}

/* How often that event came to the rank; waits for the nth. */
static void await_event(pmix_status_t code, pmix_rank_t rank, int n)
{
    char step[64];

    snprintf(step, sizeof(step), "%d at %u", code, rank);
    await_n(step, n);
}

static int events(pmix_status_t code, pmix_rank_t rank)
{
    char step[64];

    snprintf(step, sizeof(step), "%d at %u", code, rank);
    return told(step);
}

/* ---- requests */

static pmix_status_t monitor(const char *what, const char *text, pmix_status_t code,
                             struct infos *list)
{
    struct infos watched = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    if (text != NULL) {
        add_text(&watched, what, text);
    } else {
        add_true(&watched, what);
    }
    rc = PMIx_Process_monitor(watched.at, code, list->at, list->n, &results, &n);
    PMIX_INFO_FREE(results, n);
    free_infos(&watched);
    free_infos(list);
    return rc;
}

static struct infos beats(const char *id, uint32_t drops)
{
    struct infos list = {0};

    add_u32(&list, PMIX_MONITOR_HEARTBEAT_TIME, 1);
    add_u32(&list, PMIX_MONITOR_HEARTBEAT_DROPS, drops);
    add_text(&list, PMIX_MONITOR_ID, id);
    return list;
}

/* ---- heartbeats: rank 1 sends some, rank 0 does not */

static void fall_silent(void)
{
    struct infos list = beats("mine", me.rank == 0 ? 1 : 4);
    struct infos none = {0};
    pmix_status_t code = me.rank == 0 ? SILENCE : BEATS;

    hear(SILENCE, BEATS);
    fence_all(NULL);
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_HEARTBEAT, NULL, code, &list), "monitor");
    if (me.rank == 1) {
        while (events(SILENCE, 1) == 0) {
            PMIx_Heartbeat();
            check(monitor("conform.nothing", NULL, 0, &none) == PMIX_ERR_NOT_SUPPORTED,
                  "a round trip");
        }
        check(events(BEATS, 1) == 0, "no event of those that send heartbeats");
        check(silent.rank == 0 && PMIX_CHECK_NSPACE(silent.nspace, me.nspace), "who is silent");
        check(PMIX_CHECK_PROCID(&raised_by, &silent), "which is the source of the event");
        check(strcmp(last_id, "mine") == 0, "which monitor: %s", last_id);
        tell("heard");
    } else {
        await_event(SILENCE, 0, 1);
        check_status(PMIX_ERR_TIMEOUT, fence_seconds(NULL, 0, 2), "two seconds pass");
        check(events(SILENCE, 0) == 1, "one silence is told once: %d", events(SILENCE, 0));
        PMIx_Heartbeat();
        await_event(SILENCE, 0, 2);
    }
    await("heard");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_CANCEL, "mine", 0, &none), "cancel");
}

static void default_alert(void)
{
    struct infos list = beats("default", 0);

    hear(PMIX_MONITOR_HEARTBEAT_ALERT, PMIX_MONITOR_FILE_ALERT);
    check(PMIX_MONITOR_HEARTBEAT_ALERT == -109 && PMIX_MONITOR_FILE_ALERT == -110, "the codes");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_HEARTBEAT, NULL, PMIX_SUCCESS, &list),
                 "monitor");
    await_event(PMIX_MONITOR_HEARTBEAT_ALERT, 0, 1);
}

/* ---- files */

static void change(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    check(fd >= 0 && write(fd, "more", 4) == 4 && close(fd) == 0, "%s", path);
}

static void watch_file(void)
{
    struct infos list = {0};
    char path[512];

    snprintf(path, sizeof(path), "%s/file", scratch());
    change(path);
    hear(SILENCE, PMIX_MONITOR_FILE_ALERT);
    add_u32(&list, PMIX_MONITOR_FILE_CHECK_TIME, 1);
    add_u32(&list, PMIX_MONITOR_FILE_DROPS, 1);
    add_true(&list, PMIX_MONITOR_FILE_SIZE);
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_FILE, path, SILENCE, &list), "by its size");
    await_event(SILENCE, 0, 1);
    change(path);
    await_event(SILENCE, 0, 2);
    add_u32(&list, PMIX_MONITOR_FILE_CHECK_TIME, 1);
    add_text(&list, PMIX_MONITOR_FILE_MODIFY, "yes");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_FILE, path, PMIX_MONITOR_FILE_ALERT, &list),
                 "by its time");
    await_event(PMIX_MONITOR_FILE_ALERT, 0, 1);
    check(unlink(path) == 0, "unlink");
    check(upcalls(ON_MONITOR, 0) == 0, "the host is not asked");
}

/* ---- what is the host's */

static void ask_host(void)
{
    struct infos list = {0};
    const struct record *r;

    check_status(PMIX_SUCCESS, monitor("conform.monitor", "text", SILENCE, &list), "another kind");
    r = upcall(ON_MONITOR, 0, 0);
    if (check(upcalls(ON_MONITOR, 0) == 1, "the host is asked")) {
        check(strcmp(record_info(r, "conform.monitor")->text, "text") == 0, "what to watch");
        check(r->number == SILENCE, "the caller's code");
    }
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_HEARTBEAT, NULL, SILENCE, &list),
                 "heartbeats without a time");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_CANCEL, "theirs", 0, &list),
                 "the end of the host's");
    check(upcalls(ON_MONITOR, 0) == 3, "the host is asked");
    list = beats("id", 9);
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_HEARTBEAT, NULL, SILENCE, &list), "heartbeats");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_CANCEL, "id", 0, &list), "their end");
    check(upcalls(ON_MONITOR, 0) == 3, "the host is not asked");
    check_status(PMIX_SUCCESS, monitor(PMIX_MONITOR_CANCEL, "id", 0, &list), "once more");
    check(upcalls(ON_MONITOR, 0) == 4, "which is none of the library's");
    add_text(&list, PMIX_MONITOR_HEARTBEAT_TIME, "soon");
    check_status(PMIX_ERR_BAD_PARAM, monitor(PMIX_MONITOR_HEARTBEAT, NULL, SILENCE, &list),
                 "no time");
}

/* So many of one process that the server takes no more. */
static void ask_too_often(void)
{
    pmix_status_t rc = PMIX_SUCCESS;
    int n = 0;

    while (rc == PMIX_SUCCESS && n < 1000) {
        struct infos list = beats("many", 1000);

        rc = monitor(PMIX_MONITOR_HEARTBEAT, NULL, SILENCE, &list);
        n++;
    }
    check_status(PMIX_ERR_OUT_OF_RESOURCE, rc, "after %d", n);
}

const struct conform_case cases[] = {
    {.ids = "JOB-004",
     .what = "what the library watches does not come to the host, all else does",
     .host = {[ON_MONITOR] = {CALLBACK, PMIX_SUCCESS}},
     .client = ask_host},
    {.ids = "JOB-004",
     .what = "the monitors of one process are bounded",
     .host = {[ON_MONITOR] = {MISSING}},
     .client = ask_too_often},
    {.ids = "JOB-005",
     .what = "who sends no heartbeats is reported, once for each silence",
     .ranks = 2,
     .host = {[ON_MONITOR] = {MISSING}},
     .client = fall_silent},
    {.ids = "JOB-005",
     .what = "the event has a code of its own",
     .host = {[ON_MONITOR] = {MISSING}},
     .client = default_alert},
    {.ids = "JOB-005",
     .what = "a file that does not change is reported",
     .host = {[ON_MONITOR] = {CALLBACK, PMIX_SUCCESS}},
     .client = watch_file},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
