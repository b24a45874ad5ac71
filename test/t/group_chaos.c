/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A group that is made, used and taken apart while some of the job are killed, stopped for a while,
 * or say goodbye, all chosen by a seed that every process has; in some groups handlers decide what
 * becomes of it then. Says "SEED RANK kill" or "SEED RANK leave" of who is going to be gone, then
 * "SEED RANK STATUS" of the construct and, after a success, the members. usage: group_chaos SEED
 * collective|bootstrap|added */

#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* All call it together, or each by itself, or every third rank leads, in one of these two ways, and
 * adds the others. */
enum kind { COLLECTIVE, BOOTSTRAP, ADDED };

enum fate { LIVES, DIES_BEFORE, DIES_AFTER, STOPS, GOES, N_FATES };

static pmix_proc_t me;
static unsigned seed;
static unsigned state;

static unsigned pick(unsigned n)
{
    return (unsigned) rand_r(&state) % n;
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "group_chaos: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static uint32_t job_size(void)
{
    pmix_value_t *v = NULL;
    pmix_proc_t job;
    uint32_t n;

    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    check(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &v), "job size");
    n = v->data.uint32;
    PMIX_VALUE_RELEASE(v);
    return n;
}

/* The time that a few requests take. */
static void dawdle(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        check(PMIx_Fence(&me, 1, NULL, 0), "a fence of one");
    }
}

/* Stops this process until its child lets it go on. */
static void stop(void)
{
    pid_t parent = getpid();

    if (fork() == 0) {
        struct timespec while_stopped = {.tv_nsec = 200000000};

        nanosleep(&while_stopped, NULL);
        kill(parent, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void say(pmix_status_t rc, const pmix_info_t *results, size_t n)
{
    char text[512];
    size_t len =
        (size_t) snprintf(text, sizeof(text), "%u %u %s", seed, me.rank, PMIx_Error_string(rc));

    for (size_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        const pmix_data_array_t *list = results[i].value.data.darray;

        for (size_t k = 0; PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP) && k < list->size;
             k++) {
            len += (size_t) snprintf(text + len, sizeof(text) - len, " %u",
                                     ((const pmix_proc_t *) list->array)[k].rank);
        }
    }
    puts(text);
    fflush(stdout);
}

static void answered(pmix_status_t rc, pmix_info_t *info, size_t n, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) rc;
    (void) info;
    (void) n;
    (void) cbdata;
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* What the group can be used for afterwards may fail, but ends. */
static void use(void)
{
    pmix_info_t limit;
    pmix_proc_t all;
    int seconds = 5;

    PMIX_LOAD_PROCID(&all, "g", PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    (void) PMIx_Fence(&all, 1, &limit, 1);
    (void) PMIx_Group_destruct("g", &limit, 1);
}

/* What the handlers of this process say of members that have ended: a status, and that it leads. */
static struct {
    bool wanted;
    bool leads;
    bool listens;
    bool claims;
    pmix_status_t verdict;
} decision;

static void decide(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    static pmix_info_t claim;

    (void) id;
    (void) code;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, &decision.claims, PMIX_BOOL);
    done(decision.verdict, &claim, decision.claims, NULL, NULL, cbdata);
}

/* Everybody picks for all. */
static void pick_decision(uint32_t n)
{
    pmix_status_t codes[] = {PMIX_GROUP_MEMBER_FAILED, PMIX_GROUP_LEADER_FAILED};

    decision.wanted = pick(3) > 0;
    for (pmix_rank_t r = 0; r < n; r++) {
        unsigned of = pick(64);

        if (r == me.rank) {
            decision.leads = of % 8 == 0;
            decision.listens = of % 4 > 0;
            decision.claims = of / 32 > 0;
            decision.verdict =
                of / 4 % 8 == 0 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE;
        }
    }
    if (decision.wanted && decision.listens) {
        pmix_status_t rc = PMIx_Register_event_handler(codes, 2, NULL, 0, decide, NULL, NULL);

        check(rc < 0 ? rc : PMIX_SUCCESS, "handler");
    }
}

/* The processes that this one names when it calls, and directives that say who else there is. */
struct parties {
    pmix_proc_t procs[16];
    size_t n_procs;
    pmix_info_t info[2];
    size_t n_info;
};

static void find_parties(enum kind kind, size_t n, struct parties *ret)
{
    pmix_proc_t added[16];
    pmix_data_array_t array = {.type = PMIX_PROC, .array = added};
    bool alone = kind == BOOTSTRAP || (kind == ADDED && seed % 2 == 0);
    size_t n_leaders = kind == ADDED ? (n + 2) / 3 : n;

    for (pmix_rank_t r = 0; r < n; r++) {
        bool leads = kind != ADDED || r % 3 == 0;
        pmix_proc_t *at = leads ? &ret->procs[ret->n_procs++] : &added[array.size++];

        PMIX_LOAD_PROCID(at, me.nspace, r);
    }
    if (kind == ADDED && me.rank % 3 != 0) {
        ret->n_procs = 0;
        return;
    }
    if (alone) {
        ret->procs[0] = me;
        ret->n_procs = 1;
        PMIX_INFO_LOAD(&ret->info[ret->n_info++], PMIX_GROUP_BOOTSTRAP, &n_leaders, PMIX_SIZE);
    }
    if (kind == ADDED) {
        PMIX_INFO_LOAD(&ret->info[ret->n_info++], PMIX_GROUP_ADD_MEMBERS, &array, PMIX_DATA_ARRAY);
    }
}

static void take_part(size_t n, enum fate fate, enum kind kind, bool survive, unsigned later)
{
    struct parties parties = {.n_info = 0};
    pmix_info_t info[6];
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    size_t n_info = 0;
    const pmix_proc_t *procs = parties.procs;
    int seconds = kind == COLLECTIVE ? 30 : 2;
    pmix_status_t rc;

    find_parties(kind, n, &parties);
    PMIX_INFO_LOAD(&info[n_info++], PMIX_TIMEOUT, &seconds, PMIX_INT);
    while (parties.n_info > 0) {
        info[n_info++] = parties.info[--parties.n_info];
    }
    if (survive) {
        PMIX_INFO_LOAD(&info[n_info++], PMIX_GROUP_FT_COLLECTIVE, &survive, PMIX_BOOL);
    }
    if (decision.wanted) {
        PMIX_INFO_LOAD(&info[n_info++], PMIX_GROUP_NOTIFY_TERMINATION, &decision.wanted, PMIX_BOOL);
    }
    if (decision.leads) {
        PMIX_INFO_LOAD(&info[n_info++], PMIX_GROUP_LEADER, &decision.leads, PMIX_BOOL);
    }
    if (fate == DIES_AFTER) {
        check(PMIx_Group_construct_nb("g", procs, parties.n_procs, info, n_info, answered, NULL),
              "construct");
        dawdle(later);
        raise(SIGKILL);
    }
    rc = PMIx_Group_construct("g", procs, parties.n_procs, info, n_info, &results, &n_results);
    say(rc, results, n_results);
    PMIX_INFO_FREE(results, n_results);
    for (size_t i = 0; i < n_info; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    if (rc == PMIX_SUCCESS) {
        use();
    }
}

int main(int argc, char **argv)
{
    unsigned later = 0;
    enum fate fate = LIVES;
    uint32_t n;
    enum kind kind = COLLECTIVE;
    bool survive;

    seed = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : 1;
    state = 7919 * seed;
    (void) pick(1);
    alarm(100);
    check(PMIx_Init(&me, NULL, 0), "init");
    n = job_size();
    if (argc > 2 && strcmp(argv[2], "collective") != 0) {
        kind = strcmp(argv[2], "added") == 0 ? ADDED : BOOTSTRAP;
    }
    survive = pick(2) == 0;
    for (pmix_rank_t r = 0; r < n; r++) { /* everybody picks for all */
        enum fate one = pick(3) == 0 ? (enum fate) pick(N_FATES) : LIVES;
        unsigned wait = pick(8);

        fate = r == me.rank ? one : fate;
        later = r == me.rank ? wait : later;
    }
    pick_decision(n);
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    dawdle(later);
    if (fate == DIES_BEFORE || fate == DIES_AFTER || fate == GOES) {
        printf("%u %u %s\n", seed, me.rank, fate == GOES ? "leave" : "kill");
        fflush(stdout);
    }
    if (fate == DIES_BEFORE) {
        raise(SIGKILL);
    }
    if (fate == STOPS) {
        stop();
    }
    if (fate != GOES) {
        take_part(n, fate, kind, survive, later / 2);
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
