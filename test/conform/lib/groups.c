/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "groups.h"

#include "answers.h"
#include "calls.h"

#include <stdio.h>
#include <string.h>

/* What the last construct in the background brought: written before call_done. */
static struct made last_made;

static struct made read_results(pmix_status_t status, const pmix_info_t *info, size_t n)
{
    struct made made = {.status = status};

    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(made.members, sizeof(made.members), "%s", text_of(&info[i].value));
            made.n_lists++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_CONTEXT_ID)) {
            check(info[i].value.type == PMIX_SIZE, "a context id is a size");
            made.id = info[i].value.data.size;
            made.n_ids++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO)) {
            made.n_given++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO_ARRAY)) {
            made.n_given += (int) info[i].value.data.darray->size;
        }
    }
    return made;
}

struct made make_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list)
{
    struct infos none = {0};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;
    struct made made;

    list = list != NULL ? list : &none;
    rc = PMIx_Group_construct(name, procs, n, list->at, list->n, &results, &n_results);
    made = read_results(rc, results, n_results);
    PMIX_INFO_FREE(results, n_results);
    free_infos(list);
    return made;
}

void group_done(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                pmix_release_cbfunc_t release, void *release_cbdata)
{
    last_made = read_results(status, info, n);
    if (release != NULL) {
        release(release_cbdata);
    }
    call_done(status, cbdata);
}

void begin_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list)
{
    struct infos none = {0};

    list = list != NULL ? list : &none;
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct_nb(name, procs, n, list->at, list->n, group_done, NULL),
                 "construct %s", name);
    free_infos(list);
    (void) call_is_over();
}

struct made await_group(void)
{
    (void) await_call();
    return last_made;
}

size_t all_from(pmix_rank_t first, pmix_proc_t *procs)
{
    pmix_rank_t n = (pmix_rank_t) job_size(find_job("A"));

    for (pmix_rank_t i = 0; i < n; i++) {
        procs[i] = process("A", (first + i) % n);
    }
    return n;
}

pmix_status_t destruct(const char *name)
{
    return PMIx_Group_destruct(name, NULL, 0);
}

const char *given(pmix_rank_t rank, const char *key, size_t id)
{
    pmix_info_t with[2];
    const char *text;

    PMIX_INFO_LOAD(&with[0], PMIX_OPTIONAL, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&with[1], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    PMIX_INFO_SET_QUALIFIER(&with[1]);
    text = got("A", rank, key, with, id > 0 ? 2 : 1);
    PMIX_INFO_DESTRUCT(&with[0]);
    PMIX_INFO_DESTRUCT(&with[1]);
    return text;
}

const struct record *group_upcall(int node, pmix_group_operation_t operation, int nth)
{
    for (int i = 0; i < upcalls(ON_GROUP, node); i++) {
        const struct record *r = upcall(ON_GROUP, node, i);

        if (r->number == (int) operation && nth-- == 0) {
            return r;
        }
    }
    return NULL;
}

int group_upcalls(int node, pmix_group_operation_t operation)
{
    int n = 0;

    while (group_upcall(node, operation, n) != NULL) {
        n++;
    }
    return n;
}

/* ---- events */

static const char *watched;

static const char *event_at(const char *event)
{
    static _Thread_local char text[400];

    snprintf(text, sizeof(text), "%s at %u", event, me.rank);
    return text;
}

/* Whom it concerns or who is left is told before what it is. */
static void group_event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                             pmix_info_t info[], size_t ninfo, pmix_info_t *results,
                             size_t nresults, pmix_event_notification_cbfunc_fn_t done,
                             void *cbdata)
{
    const char *what = status == PMIX_GROUP_MEMBER_FAILED ? "failed"
                       : status == PMIX_GROUP_LEFT        ? "left"
                                                          : "update";
    const char *group = "";
    char text[320];

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ID)) {
            group = info[i].value.data.string;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            snprintf(text, sizeof(text), "%s %u", what, info[i].value.data.proc->rank);
            tell(event_at(text));
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(text, sizeof(text), "%s %s", what, text_of(&info[i].value));
            tell(event_at(text));
        }
    }
    check(strcmp(group, watched) == 0, "the event names the group, not \"%s\"", group);
    tell(event_at(what));
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

void watch_group(const char *name)
{
    pmix_status_t codes[] = {PMIX_GROUP_MEMBER_FAILED, PMIX_GROUP_MEMBERSHIP_UPDATE,
                             PMIX_GROUP_LEFT};

    watched = name;
    check(PMIx_Register_event_handler(codes, 3, NULL, 0, group_event_came, NULL, NULL) >= 0,
          "a handler");
}

void await_group_event(const char *event, int nth)
{
    await_n(event_at(event), nth);
}

int group_events(const char *event)
{
    return told(event_at(event));
}
