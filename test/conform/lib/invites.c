/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invites.h"

#include "answers.h"
#include "calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNUSED_CODE = PMIX_EXTERNAL_ERR_BASE - 4711 };

struct ending joined;
struct ending invited;
pmix_status_t heard_status;
pmix_rank_t heard_affected = PMIX_RANK_UNDEF;
char heard_members[160];
char asked_to[64];
pmix_proc_t asked_by;
static int to_answer = -1;
static bool unheard;

const char *step_of(const char *step, pmix_rank_t rank)
{
    static _Thread_local char text[48];

    snprintf(text, sizeof(text), "%s %u", step, rank);
    return text;
}

const char *event_step(pmix_status_t code, pmix_rank_t rank)
{
    char step[32];

    snprintf(step, sizeof(step), "event %d", code);
    return step_of(step, rank);
}

static void note_ending(struct ending *ending, pmix_status_t status, const pmix_info_t *info,
                        size_t n)
{
    *ending = (struct ending){.status = status};
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(ending->members, sizeof(ending->members), "%s", text_of(&info[i].value));
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_CONTEXT_ID)) {
            ending->id = info[i].value.data.size;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO)) {
            ending->has_data = true;
        }
    }
}

/* ---- events */

void hear(pmix_status_t code, pmix_notification_fn_t handler)
{
    check(PMIx_Register_event_handler(&code, code == 0 ? 0 : 1, NULL, 0, handler, NULL, NULL) >= 0,
          "handler of %d", code);
}

void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
              size_t ninfo, pmix_info_t *results, size_t nresults,
              pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    heard_members[0] = '\0';
    for (size_t i = 0; i < ninfo; i++) {
        if (info[i].value.type == PMIX_STATUS) {
            heard_status = info[i].value.data.status;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            heard_affected = info[i].value.data.proc->rank;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(heard_members, sizeof(heard_members), "%s", text_of(&info[i].value));
        }
    }
    tell(event_step(code, me.rank));
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

void settle_events(void)
{
    hear(UNUSED_CODE, on_event);
    hear(UNUSED_CODE - 1, on_event);
}

/* ---- invitees */

static void join_done(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                      pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    note_ending(&joined, status, info, n);
    if (release != NULL) {
        release(release_cbdata);
    }
    tell(step_of("joined", me.rank));
}

static void on_invited(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                       size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const char *group = "";

    (void) id;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ID)) {
            group = info[i].value.data.string;
        }
    }
    check(code == PMIX_GROUP_INVITED && group[0] != '\0', "an invitation to '%s'", group);
    snprintf(asked_to, sizeof(asked_to), "%s", group);
    asked_by = *source;
    if (to_answer >= 0) {
        check_status(PMIX_SUCCESS,
                     PMIx_Group_join_nb(group, source, (pmix_group_opt_t) to_answer, NULL, 0,
                                        unheard ? NULL : join_done, NULL),
                     "join");
    }
    tell(step_of("asked", me.rank));
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

void answer_all(pmix_group_opt_t answer)
{
    to_answer = (int) answer;
    hear(PMIX_GROUP_INVITED, on_invited);
}

void answer_unheard(void)
{
    unheard = true;
    answer_all(PMIX_GROUP_ACCEPT);
}

void answer_none(void)
{
    to_answer = -1;
    hear(PMIX_GROUP_INVITED, on_invited);
}

void join_later(const char *group, pmix_group_opt_t answer, const struct infos *list)
{
    pmix_proc_t leader = process("A", 0);

    check_status(PMIX_SUCCESS,
                 PMIx_Group_join_nb(group, &leader, answer, list != NULL ? list->at : NULL,
                                    list != NULL ? list->n : 0, join_done, NULL),
                 "join %s", group);
}

void check_joined(int n, pmix_status_t status, const char *members)
{
    await_n(step_of("joined", me.rank), n);
    check_status(status, joined.status, "the join of %u", me.rank);
    same(members, joined.members, "what the join of %u says", me.rank);
}

/* ---- the leader */

pmix_status_t invite(const char *group, const pmix_proc_t *procs, size_t n,
                     const struct infos *list)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc = PMIx_Group_invite(group, procs, n, list != NULL ? list->at : NULL,
                                         list != NULL ? list->n : 0, &results, &n_results);

    note_ending(&invited, rc, results, n_results);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

static void invite_done(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                        pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    note_ending(&invited, status, info, n);
    if (release != NULL) {
        release(release_cbdata);
    }
    tell(step_of("invited all", me.rank));
}

void invite_later(const char *group, const pmix_proc_t *procs, size_t n, const struct infos *list)
{
    check_status(PMIX_SUCCESS,
                 PMIx_Group_invite_nb(group, procs, n, list != NULL ? list->at : NULL,
                                      list != NULL ? list->n : 0, invite_done, NULL),
                 "invite %s", group);
}

enum { MOST = 32 };

static size_t ranks(pmix_rank_t first, pmix_rank_t last, pmix_proc_t *procs)
{
    size_t n = 0;

    for (pmix_rank_t rank = first; rank <= last && n < MOST; rank++) {
        procs[n++] = process("A", rank);
    }
    return n;
}

pmix_status_t invite_ranks(const char *group, pmix_rank_t first, pmix_rank_t last,
                           const struct infos *list)
{
    pmix_proc_t procs[MOST];

    return invite(group, procs, ranks(first, last, procs), list);
}

void invite_ranks_later(const char *group, pmix_rank_t first, pmix_rank_t last,
                        const struct infos *list)
{
    pmix_proc_t procs[MOST];

    invite_later(group, procs, ranks(first, last, procs), list);
}

pmix_status_t fence_group(const char *group)
{
    pmix_proc_t all = process(group, PMIX_RANK_WILDCARD);

    return PMIx_Fence(&all, 1, NULL, 0);
}

/* ---- the host */

void say_ended(pmix_status_t code, pmix_rank_t rank)
{
    pmix_proc_t proc = process("A", rank);
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    add_true(&list, PMIX_EVENT_NON_DEFAULT);
    rc = PMIx_Notify_event(code, &proc, PMIX_RANGE_SESSION, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

void kill_and_say(pmix_rank_t rank, pmix_status_t code)
{
    char killed[32];

    snprintf(killed, sizeof(killed), "killed %u", rank);
    if (rank_pid("A", rank) > 0) {
        rank_kill("A", rank, SIGKILL);
        tell(killed);
    }
    await(killed);
    say_ended(code, rank);
    tell("said");
}

void stay_until_killed(void)
{
    for (;;) {
        (void) pause();
    }
}
