/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A group that is constructed in parts by a job of four processes: ranks 0 and 3 are leaders and
 * add ranks 1 and 2. Rank 1 kills itself after the call of rank 0. Ranks 2 and 3 call after an
 * event has asked rank 0 whether to go on without it, or at once if no process has a handler. Each
 * process prints "RANK STATUS MEMBERS, asked N".
 *
 * usage: group_asked together|alone go|abort|nobody
 *
 * together: both leaders name each other; alone: each names itself, and the number of leaders.
 * go, abort: what the handler of rank 2 returns, the others go on; nobody: there are no handlers.
 */

#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 4, VICTIM = 1 };

static pmix_proc_t me;
static bool alone;
static const char *how = "go";

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int n_asked;
    bool over;
    pmix_status_t status;
    char members[32];
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "group_asked: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

/* ---- messages between the processes: rank 0 posts that it was asked */

static void say_asked(void)
{
    pmix_value_t v = {.type = PMIX_BOOL, .data.flag = true};

    check(PMIx_Put(PMIX_GLOBAL, "asked", &v), "put");
    check(PMIx_Commit(), "commit");
}

/* Gets again, since a get has a time limit of its own. */
static void await_asked(void)
{
    pmix_value_t *v = NULL;
    pmix_proc_t first;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&first, me.nspace, 0);
    do {
        rc = PMIx_Get(&first, "asked", NULL, 0, &v);
    } while (rc == PMIX_ERR_NOT_FOUND);
    check(rc, "asked");
    PMIX_VALUE_RELEASE(v);
}

/* A fence of rank 0, which has called, with rank 1, which may then be killed. */
static void meet_victim(void)
{
    pmix_proc_t procs[2];

    PMIX_LOAD_PROCID(&procs[0], me.nspace, 0);
    PMIX_LOAD_PROCID(&procs[1], me.nspace, VICTIM);
    check(PMIx_Fence(procs, 2, NULL, 0), "a fence of two");
}

/* ---- the question */

static void asked(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    bool aborts = me.rank == 2 && strcmp(how, "abort") == 0;

    (void) id, (void) code, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    pthread_mutex_lock(&seen.lock);
    seen.n_asked++;
    pthread_cond_signal(&seen.more);
    pthread_mutex_unlock(&seen.lock);
    done(aborts ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL,
         cbdata);
}

/* ---- the call */

static void made(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                 pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&seen.lock);
    seen.status = status;
    for (size_t i = 0; i < n; i++) {
        const pmix_data_array_t *list = info[i].value.data.darray;

        for (size_t k = 0; PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP) && k < list->size; k++) {
            size_t len = strlen(seen.members);

            (void) snprintf(seen.members + len, sizeof(seen.members) - len, " %u",
                            ((const pmix_proc_t *) list->array)[k].rank);
        }
    }
    seen.over = true;
    pthread_cond_signal(&seen.more);
    pthread_mutex_unlock(&seen.lock);
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* Starts the construct. The fence of this process alone comes back after it, so on return the
 * request is at the server and its host. */
static void call(void)
{
    pmix_proc_t procs[SIZE];
    pmix_data_array_t added = {.type = PMIX_PROC, .size = 2, .array = &procs[1]};
    pmix_proc_t leaders[2];
    pmix_info_t info[3];
    size_t n_leaders = 2;
    size_t n = 0;
    bool yes = true;
    bool is_leader = me.rank == 0 || me.rank == 3;
    size_t n_named = alone ? 1 : 2;

    for (pmix_rank_t r = 0; r < SIZE; r++) {
        PMIX_LOAD_PROCID(&procs[r], me.nspace, r);
    }
    leaders[0] = alone ? me : procs[0];
    leaders[1] = procs[3];
    if (is_leader) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    }
    if (is_leader && alone) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_BOOTSTRAP, &n_leaders, PMIX_SIZE);
    }
    check(PMIx_Group_construct_nb("g", is_leader ? leaders : NULL, is_leader ? n_named : 0, info, n,
                                  made, NULL),
          "construct");
    check(PMIx_Fence(&me, 1, NULL, 0), "behind it");
    while (n > 0) {
        PMIX_INFO_DESTRUCT(&info[--n]);
    }
}

static void await_seen(const bool *over, int n_asked)
{
    pthread_mutex_lock(&seen.lock);
    while (!*over && seen.n_asked < n_asked) {
        pthread_cond_wait(&seen.more, &seen.lock);
    }
    pthread_mutex_unlock(&seen.lock);
}

static void take_part(bool nobody)
{
    static const bool never;

    if (me.rank > 0 && !nobody) {
        await_asked();
    }
    call();
    if (me.rank == 0) {
        meet_victim();
    }
    if (me.rank == 0 && !nobody) {
        await_seen(&never, 1);
        say_asked();
    }
    await_seen(&seen.over, SIZE);
    printf("%u %s%s, asked %d\n", me.rank, PMIx_Error_string(seen.status), seen.members,
           seen.n_asked);
    if (seen.status == PMIX_SUCCESS) {
        pmix_proc_t all;

        PMIX_LOAD_PROCID(&all, "g", PMIX_RANK_WILDCARD);
        check(PMIx_Fence(&all, 1, NULL, 0), "a fence of the group");
        check(PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
}

int main(int argc, char **argv)
{
    pmix_status_t code = PMIX_GROUP_MEMBER_FAILED;
    bool nobody;

    alarm(60);
    check(PMIx_Init(&me, NULL, 0), "init");
    alone = argc > 1 && strcmp(argv[1], "alone") == 0;
    how = argc > 2 ? argv[2] : how;
    nobody = strcmp(how, "nobody") == 0;
    if (!nobody && PMIx_Register_event_handler(&code, 1, NULL, 0, asked, NULL, NULL) < 0) {
        return 99;
    }
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    if (me.rank == VICTIM) {
        meet_victim();
        raise(SIGKILL);
    }
    take_part(nobody);
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
