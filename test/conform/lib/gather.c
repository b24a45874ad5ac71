/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences, connects and groups of several nodes, as a resource manager has them: at one place, node
 * 0. A collective is whole when every node has given its share that has processes of it; those that
 * have ended are not waited for if the others may go on without them, and fail it otherwise; those
 * that have left a group are not waited for in its destruct. The first time limit that runs out
 * ends it for all who have come. One that has failed stays for those who have not. All this is the
 * postman's of node 0. */

#include "relay.h"

#include "newer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SHARES = 64, MAX_GONE = 256 };

/* A collective under way. All shares have its entry, name and operation. */
struct gathering {
    struct gathering *next;
    const struct share *shares[MAX_SHARES]; /* in the order in which they came */
    int n;
    pmix_status_t status; /* of one that has failed: nobody waits for it any more */
    int64_t deadline_ms;  /* 0: none */
};

/* A process that has ended, or that has left the group of that name. */
struct gone {
    pmix_proc_t proc;
    const char *group; /* NULL: it has ended */
};

static struct gathering *gatherings;
static size_t last_serial;
static struct gone gone[MAX_GONE];
static int n_gone;

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- who is named */

static bool same_proc(const pmix_proc_t *a, const pmix_proc_t *b)
{
    return a->rank == b->rank && strcmp(a->nspace, b->nspace) == 0;
}

static bool is_in(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < n; i++) {
        if ((procs[i].rank == proc->rank || procs[i].rank == PMIX_RANK_WILDCARD) &&
            strcmp(procs[i].nspace, proc->nspace) == 0) {
            return true;
        }
    }
    return false;
}

static bool names(const struct share *share, const pmix_proc_t *proc)
{
    return !share->alone && is_in(share->record->procs, share->record->n_procs, proc);
}

/* Is each process that a names among those of b? */
static bool covers(const struct share *b, const struct share *a)
{
    for (size_t i = 0; i < a->record->n_procs; i++) {
        pmix_proc_t proc = a->record->procs[i];
        const struct job *job = find_job(proc.nspace);
        bool all = proc.rank == PMIX_RANK_WILDCARD && job != NULL;

        for (int r = 0; r < (all ? job_size(job) : 1); r++) {
            proc.rank = all ? (pmix_rank_t) r : proc.rank;
            if (!names(b, &proc)) {
                return false;
            }
        }
    }
    return true;
}

static bool overlap(const struct share *a, const struct share *b)
{
    for (size_t i = 0; i < a->record->n_procs; i++) {
        if (names(b, &a->record->procs[i])) {
            return true;
        }
    }
    return false;
}

static bool has_gone(const pmix_proc_t *proc, const char *group)
{
    for (int i = 0; i < n_gone; i++) {
        if (same_proc(&gone[i].proc, proc) &&
            (group == NULL ? gone[i].group == NULL
                           : gone[i].group != NULL && strcmp(gone[i].group, group) == 0)) {
            return true;
        }
    }
    return false;
}

static bool has_ended(const pmix_proc_t *proc)
{
    return has_gone(proc, NULL);
}

/* ---- a gathering */

static const struct record *record_of(const struct gathering *g)
{
    return g->shares[0]->record;
}

static bool is_construct(const struct record *r)
{
    return r->entry == ON_GROUP && r->number == PMIX_GROUP_CONSTRUCT;
}

static bool is_destruct(const struct record *r)
{
    return r->entry == ON_GROUP && r->number != PMIX_GROUP_CONSTRUCT;
}

/* A share of callers that know each other; NULL: there is none. */
static const struct share *common_share(const struct gathering *g)
{
    for (int i = 0; i < g->n; i++) {
        if (!g->shares[i]->alone) {
            return g->shares[i];
        }
    }
    return NULL;
}

static bool has_come(const struct gathering *g, int node)
{
    for (int i = 0; i < g->n; i++) {
        if (!g->shares[i]->alone && g->shares[i]->node == node) {
            return true;
        }
    }
    return false;
}

/* A group that is made, or taken apart, without those who have ended. */
static bool survives(const struct gathering *g)
{
    bool yes = false;

    for (int i = 0; i < g->n; i++) {
        yes = yes || g->shares[i]->survives;
    }
    return yes;
}

/* Nodes may have heard of a departure at different times: who is named is named by all. */
static bool all_name(const struct gathering *g, const pmix_proc_t *proc)
{
    bool all = common_share(g) != NULL;

    for (int i = 0; i < g->n; i++) {
        all = all && (g->shares[i]->alone || names(g->shares[i], proc));
    }
    return all;
}

static bool is_awaited(const struct gathering *g, const pmix_proc_t *proc)
{
    return all_name(g, proc) &&
           !(is_destruct(record_of(g)) && has_gone(proc, record_of(g)->text)) &&
           !((survives(g) || g->status != PMIX_SUCCESS) && has_ended(proc));
}

/* Is a share of this node still to come? */
static bool awaits(const struct gathering *g, int node)
{
    for (int i = 0; i < MAX_JOBS && board->jobs[i].name != NULL && !has_come(g, node); i++) {
        for (int r = 0; r < job_size(&board->jobs[i]); r++) {
            pmix_proc_t proc;

            PMIX_LOAD_PROCID(&proc, board->jobs[i].name, (pmix_rank_t) r);
            if (job_node(&board->jobs[i], proc.rank) == node && is_awaited(g, &proc)) {
                return true;
            }
        }
    }
    return false;
}

static bool all_nodes_came(const struct gathering *g)
{
    bool all = true;

    for (int node = 0; node < n_nodes(); node++) {
        all = all && !awaits(g, node);
    }
    return all;
}

/* ---- groups whose callers do not all know each other */

static bool is_added(const struct gathering *g, const pmix_proc_t *proc)
{
    for (int i = 0; i < g->n; i++) {
        if (is_in(g->shares[i]->added, g->shares[i]->n_added, proc)) {
            return true;
        }
    }
    return false;
}

static bool came_alone(const struct gathering *g, const pmix_proc_t *proc)
{
    for (int i = 0; i < g->n; i++) {
        if (g->shares[i]->alone && same_proc(&g->shares[i]->caller, proc)) {
            return true;
        }
    }
    return false;
}

static bool all_added_came(const struct gathering *g)
{
    for (int i = 0; i < g->n; i++) {
        for (size_t k = 0; k < g->shares[i]->n_added; k++) {
            const pmix_proc_t *proc = &g->shares[i]->added[k];

            if (!came_alone(g, proc) && !all_name(g, proc) && !(survives(g) && has_ended(proc))) {
                return false;
            }
        }
    }
    return true;
}

/* Leaders that come by themselves say how many they are: -1 if they do not agree. */
static int count_leaders(const struct gathering *g, int *ret_come)
{
    size_t said = 0;

    *ret_come = 0;
    for (int i = 0; i < g->n; i++) {
        size_t n = g->shares[i]->n_leaders;

        if (n > 0 && said > 0 && n != said) {
            return -1;
        }
        said = n > 0 ? n : said;
        *ret_come += n > 0;
    }
    return (int) said;
}

static bool is_whole(const struct gathering *g)
{
    int come;
    int leaders = count_leaders(g, &come);

    if (g->status != PMIX_SUCCESS || !all_added_came(g)) {
        return false;
    }
    return common_share(g) != NULL ? all_nodes_came(g) : leaders > 0 && come >= leaders;
}

/* ---- answers */

static void answer(const struct share *share, pmix_status_t status, const struct gathered *all)
{
    relay_post(
        share->node,
        &(struct letter){.kind = GATHERED, .ask = share->ask, .status = status, .gathered = all});
}

static void forget(struct gathering *g)
{
    struct gathering **link = &gatherings;

    while (*link != g) {
        link = &(*link)->next;
    }
    *link = g->next;
    free(g);
}

static void fail(struct gathering *g, pmix_status_t status)
{
    g->status = status;
    g->deadline_ms = 0;
    for (int i = 0; i < g->n; i++) {
        answer(g->shares[i], status, NULL);
    }
}

/* A list in the shared memory. */
struct list {
    pmix_proc_t *at;
    size_t n;
};

static void put(struct list *list, const pmix_proc_t *proc)
{
    pmix_proc_t *at = board_room((list->n + 1) * sizeof(*at));

    if (!is_in(list->at, list->n, proc)) {
        memcpy(at, list->at != NULL ? list->at : at, list->n * sizeof(*at));
        at[list->n++] = *proc;
        list->at = at;
    }
}

/* Those who know each other, in the order of the first share, or leaders as they came; the added.
 */
static struct list members_of(const struct gathering *g)
{
    const struct share *common = common_share(g);
    struct list list = {NULL, 0};

    for (size_t i = 0; common != NULL && i < common->record->n_procs; i++) {
        put(&list, &common->record->procs[i]);
    }
    for (int i = 0; i < g->n; i++) {
        if (g->shares[i]->n_leaders > 0) {
            put(&list, &g->shares[i]->caller);
        }
    }
    for (int i = 0; i < g->n; i++) {
        for (size_t k = 0; k < g->shares[i]->n_added; k++) {
            put(&list, &g->shares[i]->added[k]);
        }
    }
    return list;
}

static struct list lost_of(const struct gathering *g)
{
    struct list list = {NULL, 0};

    for (int i = 0; survives(g) && i < n_gone; i++) {
        if (gone[i].group == NULL && (all_name(g, &gone[i].proc) || is_added(g, &gone[i].proc))) {
            put(&list, &gone[i].proc);
        }
    }
    return list;
}

/* Who is in a group of this name has not left it. */
static void forget_left(const char *group, const struct list *members)
{
    int n = 0;

    for (int i = 0; i < n_gone; i++) {
        if (gone[i].group == NULL || strcmp(gone[i].group, group) != 0 ||
            !is_in(members->at, members->n, &gone[i].proc)) {
            gone[n++] = gone[i];
        }
    }
    n_gone = n;
}

static void complete(struct gathering *g)
{
    struct gathered *all = board_room(sizeof(*all));
    const struct share **shares = board_room((size_t) g->n * sizeof(struct share *));
    bool construct = is_construct(record_of(g));
    struct list members = construct ? members_of(g) : (struct list){NULL, 0};
    struct list lost = lost_of(g);

    *all = (struct gathered){.serial = 1000 + ++last_serial,
                             .shares = shares,
                             .members = members.at,
                             .n_members = members.n,
                             .lost = lost.at,
                             .n_lost = lost.n};
    for (int i = 0; i < g->n; i++) {
        const struct share *share = g->shares[i];

        if (share->alone && !is_in(members.at, members.n, &share->caller)) {
            answer(share, PMIX_ERR_NOT_A_MEMBER, NULL);
        } else {
            shares[all->n++] = share;
        }
    }
    if (construct) {
        forget_left(record_of(g)->text, &members);
    }
    for (size_t i = 0; i < all->n; i++) {
        answer(shares[i], PMIX_SUCCESS, all);
    }
    forget(g);
}

/* ---- what changes them */

/* Somebody has ended who is waited for. */
static bool lacks_somebody(const struct gathering *g)
{
    for (int i = 0; i < n_gone && !survives(g); i++) {
        const pmix_proc_t *proc = &gone[i].proc;
        const struct job *job = find_job(proc->nspace);

        if (gone[i].group == NULL && job != NULL &&
            ((is_awaited(g, proc) && !has_come(g, job_node(job, proc->rank))) ||
             (is_added(g, proc) && !came_alone(g, proc) && !all_name(g, proc)))) {
            return true;
        }
    }
    return false;
}

/* Failed ones go when all have been told; of callers by themselves nobody knows how many they are.
 */
static void sweep(void)
{
    struct gathering *next;

    for (struct gathering *g = gatherings; g != NULL; g = next) {
        next = g->next;
        if (g->status == PMIX_SUCCESS && lacks_somebody(g)) {
            fail(g, is_construct(record_of(g)) ? PMIX_GROUP_CONSTRUCT_ABORT
                                               : PMIX_ERR_LOST_CONNECTION);
        }
        if (is_whole(g)) {
            complete(g);
        } else if (g->status != PMIX_SUCCESS && (common_share(g) == NULL || all_nodes_came(g))) {
            forget(g);
        }
    }
}

/* Of groups, callers that come by themselves belong to those of the name. Members of a destruct may
 * be written differently by nodes that have not heard of a departure. */
static bool fits(const struct gathering *g, const struct share *share)
{
    const struct share *common = common_share(g);

    if (record_of(g)->entry != share->record->entry ||
        record_of(g)->number != share->record->number ||
        strcmp(record_of(g)->text, share->record->text) != 0 || g->n == MAX_SHARES) {
        return false;
    }
    if (share->alone || common == NULL) {
        return share->alone == (common == NULL) || g->status == PMIX_SUCCESS;
    }
    return !has_come(g, share->node) &&
           (is_destruct(share->record) ? overlap(common, share) || overlap(share, common)
                                       : covers(common, share) && covers(share, common));
}

/* The oldest that it fits, or a new one at the end. */
static struct gathering *find_gathering(const struct share *share)
{
    struct gathering **link = &gatherings;

    while (*link != NULL && !fits(*link, share)) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        *link = calloc(1, sizeof(**link));
        if (*link == NULL) {
            abort();
        }
    }
    return *link;
}

static void limit(struct gathering *g, const struct share *share)
{
    const struct note *note = record_info(share->record, PMIX_TIMEOUT);
    int64_t end_ms = note != NULL && note->number > 0 ? now_ms() + 1000 * note->number : 0;

    if (end_ms > 0 && (g->deadline_ms == 0 || end_ms < g->deadline_ms)) {
        g->deadline_ms = end_ms;
    }
}

void gather_share(const struct share *share)
{
    const struct note *failed = record_info(share->record, PMIX_LOCAL_COLLECTIVE_STATUS);
    struct gathering *g = find_gathering(share);
    int come;

    g->shares[g->n++] = share;
    if (g->status != PMIX_SUCCESS) {
        answer(share, g->status, NULL);
    } else if (failed != NULL && failed->number != PMIX_SUCCESS && !share->survives) {
        fail(g, (pmix_status_t) failed->number);
    } else if (count_leaders(g, &come) < 0) {
        fail(g, PMIX_ERR_BAD_PARAM);
    } else {
        limit(g, share);
    }
    sweep();
}

static void note_gone(const pmix_proc_t *proc, const char *group)
{
    if (n_gone == MAX_GONE) {
        board_line(true, "more ends than the relay can keep");
        return;
    }
    gone[n_gone++] = (struct gone){.proc = *proc, .group = group};
    sweep();
}

void gather_ended(const pmix_proc_t *proc)
{
    note_gone(proc, NULL);
}

void gather_left(const char *group, const pmix_proc_t *proc)
{
    note_gone(proc, group);
}

void gather_started(const pmix_proc_t *proc)
{
    int n = 0;

    for (int i = 0; i < n_gone; i++) {
        if (gone[i].group != NULL || !same_proc(&gone[i].proc, proc)) {
            gone[n++] = gone[i];
        }
    }
    n_gone = n;
}

/* ---- time */

int gather_wait_ms(void)
{
    int64_t first = INT64_MAX;
    int64_t now = now_ms();

    for (const struct gathering *g = gatherings; g != NULL; g = g->next) {
        first = g->deadline_ms > 0 && g->deadline_ms < first ? g->deadline_ms : first;
    }
    return first == INT64_MAX ? -1 : first <= now ? 0 : (int) (first - now);
}

/* Whose time is over is forgotten, so that the same processes can try again. */
void gather_expire(void)
{
    struct gathering *next;

    for (struct gathering *g = gatherings; g != NULL; g = next) {
        next = g->next;
        if (g->deadline_ms > 0 && now_ms() >= g->deadline_ms) {
            fail(g, PMIX_ERR_TIMEOUT);
            forget(g);
        }
    }
}

void gather_free(void)
{
    while (gatherings != NULL) {
        forget(gatherings);
    }
}
