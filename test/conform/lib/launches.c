/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "launches.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "children.h"
#include "tools.h"

struct infos *launcher_alone(void)
{
    struct infos *list = one_true(PMIX_LAUNCHER);

    add_true(list, PMIX_TOOL_DO_NOT_CONNECT);
    return list;
}

void hear_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    static char line[1024];
    static size_t len;

    (void) id, (void) source, (void) info, (void) ninfo;
    for (size_t i = 0; bytes != NULL && i < bytes->size; i++) {
        if (bytes->bytes[i] == '\n') {
            tell(path_named("%s: %.*s", channel == PMIX_FWD_STDOUT_CHANNEL ? "out" : "err",
                            (int) len, line));
            len = 0;
        } else if (len < sizeof(line)) {
            line[len++] = bytes->bytes[i];
        }
    }
}

static const pmix_info_t *find_info(const pmix_info_t info[], size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return &info[i];
        }
    }
    return NULL;
}

/* The end of a job: "end NAME: how", with the process and its status if one has failed. */
static void hear_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const pmix_info_t *job = find_info(info, ninfo, PMIX_EVENT_AFFECTED_PROC);
    const pmix_info_t *how = find_info(info, ninfo, PMIX_JOB_TERM_STATUS);
    const pmix_info_t *who = find_info(info, ninfo, PMIX_PROCID);
    const pmix_info_t *code = find_info(info, ninfo, PMIX_EXIT_CODE);

    (void) id, (void) status, (void) source, (void) results, (void) nresults;
    check(job != NULL && how != NULL && find_info(info, ninfo, PMIX_EVENT_TIMESTAMP) != NULL,
          "what the event has to say");
    check((who != NULL) == (code != NULL), "who has failed, and how");
    tell(who != NULL
             ? path_named("end %s: %d, %u with %d", job->value.data.proc->nspace,
                          how->value.data.status, who->value.data.proc->rank,
                          code->value.data.integer)
             : path_named("end %s: %d", job->value.data.proc->nspace, how->value.data.status));
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

void hear_ends(void)
{
    pmix_status_t code = PMIX_EVENT_JOB_END;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, hear_end, NULL, NULL) >= 0, "a handler");
}

void begin_alone(void)
{
    pmix_proc_t any = process("", PMIX_RANK_WILDCARD);

    check_status(PMIX_SUCCESS, tool_begin(launcher_alone()), "tool_init");
    hear_ends();
    check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL,
                        hear_output, NULL, NULL) > 0,
          "output");
}

const char *launch_job(struct infos *list, int n, const char *what, const char *option,
                       const char *text)
{
    char *args[] = {(char *) (uintptr_t) what, (char *) (uintptr_t) option,
                    (char *) (uintptr_t) text, NULL};
    char *env[] = {(char *) (uintptr_t) path_named(CHILD "=%s", text), NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = n};
    struct infos more = {0};
    pmix_nspace_t nspace = "";
    pmix_status_t rc;

    list = list != NULL ? list : &more;
    add_true(list, PMIX_FWD_STDOUT);
    add_true(list, PMIX_FWD_STDERR);
    if (what == NULL) {
        args[0] = (char *) (uintptr_t) CHILD_SELF;
        app.cmd = args[0];
        args[1] = NULL;
        app.env = env;
    }
    rc = PMIx_Spawn(list->at, list->n, &app, 1, nspace);
    free_infos(list);
    return rc == PMIX_SUCCESS ? path_named("%s", nspace) : path_named("%d", rc);
}

const char *launch(int n, const char *what, const char *option, const char *text)
{
    return launch_job(NULL, n, what, option, text);
}

void await_end(const char *job, const char *how)
{
    await(path_named("end %s: %s", job, how));
}

/* Where our standard output goes meanwhile. */
static int saved;
static int pipe_ends[2];

void divert_output(void)
{
    saved = dup(STDOUT_FILENO);
    check(pipe(pipe_ends) == 0 && dup2(pipe_ends[1], STDOUT_FILENO) >= 0, "a pipe");
}

const char *restored_output(void)
{
    static char text[64];
    ssize_t n;

    check(dup2(saved, STDOUT_FILENO) >= 0 && close(saved) == 0 && close(pipe_ends[1]) == 0,
          "restored");
    n = read(pipe_ends[0], text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipe_ends[0]);
    return text;
}
