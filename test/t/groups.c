/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups whose members do not all call it with the same list: leaders that come by themselves, and
 * processes that leaders add. A job of four, wherever its processes are. Says what every process
 * has got: its rank, the status, the members, and whether all have the same context id. */

#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4

static pmix_proc_t me;

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "groups: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static void fence(void)
{
    bool yes = true;
    pmix_info_t collect;

    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check(PMIx_Fence(NULL, 0, &collect, 1), "fence");
}

/* ---- how this process calls it */

struct call {
    pmix_proc_t procs[SIZE];
    size_t n_procs;
    pmix_proc_t added[SIZE];
    size_t n_added;
    size_t leaders; /* 0: it is no bootstrap */
    bool wants_id;
    int timeout; /* 0: none */
    pmix_proc_t order[SIZE];
    size_t n_order; /* 0: none is asked for */
};

static void name(pmix_proc_t *list, size_t *n, pmix_rank_t rank)
{
    PMIX_LOAD_PROCID(&list[*n], me.nspace, rank);
    (*n)++;
}

static pmix_status_t construct(struct call *call, pmix_info_t **results, size_t *n_results)
{
    pmix_data_array_t added = {.type = PMIX_PROC, .size = call->n_added, .array = call->added};
    pmix_data_array_t order = {.type = PMIX_PROC, .size = call->n_order, .array = call->order};
    pmix_info_t info[5];
    size_t n = 0;

    memset(info, 0, sizeof(info));
    if (call->leaders > 0) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_BOOTSTRAP, &call->leaders, PMIX_SIZE);
    }
    if (call->n_added > 0) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    }
    if (call->wants_id) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_ASSIGN_CONTEXT_ID, &call->wants_id, PMIX_BOOL);
    }
    if (call->n_order > 0) {
        PMIX_INFO_LOAD(&info[n++], PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, &order, PMIX_DATA_ARRAY);
    }
    if (call->timeout > 0) {
        PMIX_INFO_LOAD(&info[n++], PMIX_TIMEOUT, &call->timeout, PMIX_INT);
    }
    pmix_status_t rc = PMIx_Group_construct("g", call->n_procs > 0 ? call->procs : NULL,
                                            call->n_procs, info, n, results, n_results);
    for (size_t i = 0; i < n; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    return rc;
}

/* ---- what it has got */

static void say_members(const pmix_info_t *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            const pmix_data_array_t *list = results[i].value.data.darray;
            for (size_t k = 0; k < list->size; k++) {
                printf(" %u", ((pmix_proc_t *) list->array)[k].rank);
            }
        }
    }
}

static size_t id_of(const pmix_info_t *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            return results[i].value.data.size;
        }
    }
    return 0;
}

/* Whether all members, which are all of the job, have the same id. */
static bool same_id(size_t id)
{
    pmix_value_t v = {.type = PMIX_SIZE, .data.size = id};
    bool same = id != 0;

    check(PMIx_Put(PMIX_GLOBAL, "id", &v), "put");
    check(PMIx_Commit(), "commit");
    fence();
    for (pmix_rank_t r = 0; r < SIZE; r++) {
        pmix_value_t *other = NULL;
        pmix_proc_t proc;
        PMIX_LOAD_PROCID(&proc, me.nspace, r);
        check(PMIx_Get(&proc, "id", NULL, 0, &other), "get");
        same = same && other->data.size == id;
        PMIX_VALUE_RELEASE(other);
    }
    return same;
}

/* The outcome, where not all of the job take part. */
static void make_part(struct call *call)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc = construct(call, &results, &n);

    printf("%u %s", me.rank, PMIx_Error_string(rc));
    if (rc == PMIX_SUCCESS) {
        say_members(results, n);
    }
    printf("\n");
    PMIX_INFO_FREE(results, n);
}

static void make(struct call *call)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc = construct(call, &results, &n);

    printf("%u %s", me.rank, PMIx_Error_string(rc));
    if (rc == PMIX_SUCCESS) {
        say_members(results, n);
        printf("%s", same_id(id_of(results, n)) ? " with an id" : "");
        check(PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    printf("\n");
    PMIX_INFO_FREE(results, n);
}

/* ---- ways */

/* Ranks 0 and 3 lead, each by itself; both add 1, one adds 2. */
static void act_bootstrap(void)
{
    struct call call = {.leaders = 2, .wants_id = me.rank == 3};

    if (me.rank == 0 || me.rank == 3) {
        name(call.procs, &call.n_procs, me.rank);
        name(call.added, &call.n_added, 1);
    } else {
        call.leaders = 0;
    }
    if (me.rank == 3) {
        name(call.added, &call.n_added, 2);
    }
    make(&call);
}

/* Ranks 0 and 3 lead together; rank 0 adds 2, rank 3 both others. */
static void act_added(void)
{
    struct call call = {.wants_id = me.rank == 0};

    if (me.rank == 0 || me.rank == 3) {
        name(call.procs, &call.n_procs, 3);
        name(call.procs, &call.n_procs, 0);
        name(call.added, &call.n_added, 2);
    }
    if (me.rank == 3) {
        name(call.added, &call.n_added, 1);
    }
    make(&call);
}

/* The leaders do not agree how many they are. */
static void act_disagree(void)
{
    struct call call = {.leaders = me.rank == 0 ? 2 : 3};

    if (me.rank == 0 || me.rank == 3) {
        name(call.procs, &call.n_procs, me.rank);
        make(&call);
    }
}

/* One of those that are added ends without having come. */
static void act_absent(void)
{
    struct call call = {0};

    if (me.rank == 0 || me.rank == 3) {
        name(call.procs, &call.n_procs, 3);
        name(call.procs, &call.n_procs, 0);
        name(call.added, &call.n_added, 1);
        make(&call);
    }
}

/* A leader is waited for as long as the other one said. */
static void act_timeout(void)
{
    struct call call = {.leaders = 2, .timeout = 1};

    if (me.rank == 0) {
        name(call.procs, &call.n_procs, 0);
        make(&call);
    }
}

/* ---- a stranger, which comes before the one that is added */

static void stranger_answered(pmix_status_t rc, pmix_info_t *info, size_t n, void *cbdata,
                              pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) info;
    (void) n;
    *(pmix_status_t *) cbdata = rc;
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* It says that it is there when its server, and with that its host, has heard of it. */
static void be_stranger(void)
{
    static pmix_status_t said;
    pmix_value_t v = {.type = PMIX_BOOL, .data.flag = true};

    check(PMIx_Group_construct_nb("g", NULL, 0, NULL, 0, stranger_answered, &said), "stranger");
    check(PMIx_Fence(&me, 1, NULL, 0), "fence of a stranger");
    check(PMIx_Put(PMIX_GLOBAL, "there", &v), "put");
    check(PMIx_Commit(), "commit");
    fence();
    printf("%u %s\n", me.rank, PMIx_Error_string(said));
}

static void await_stranger(void)
{
    pmix_value_t *v = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, me.nspace, 2);
    check(PMIx_Get(&proc, "there", NULL, 0, &v), "get");
    PMIX_VALUE_RELEASE(v);
}

/* Ranks 0 and 3 lead and add 1; nobody adds 2. */
static void with_stranger(bool together)
{
    struct call call = {.leaders = together ? 0 : 2};

    if (me.rank == 2) {
        be_stranger();
        return;
    }
    if (me.rank == 1) {
        await_stranger();
        call.leaders = 0;
    } else {
        name(call.procs, &call.n_procs, together ? 3 : me.rank);
        name(call.added, &call.n_added, 1);
    }
    if (me.rank != 1 && together) {
        name(call.procs, &call.n_procs, 0);
    }
    make_part(&call);
    fence();
}

static void act_stranger(void)
{
    with_stranger(true);
}

static void act_bootstranger(void)
{
    with_stranger(false);
}

/* ---- an order that some ask for */

static void name_all(struct call *call)
{
    for (pmix_rank_t r = 0; r < SIZE; r++) {
        name(call->procs, &call->n_procs, r);
    }
}

/* The last rank of the group tells the first, which is another process in another order. */
static void check_ranks(void)
{
    pmix_proc_t third;

    PMIX_LOAD_PROCID(&third, "g", 2);
    if (me.rank == 3) { /* the third of 2, 0, 3, 1 */
        check(PMIx_Fence(&third, 1, NULL, 0), "a fence of the third");
    }
}

/* One asks, the others do not care. */
static void act_order(void)
{
    static const pmix_rank_t wanted[SIZE] = {2, 0, 3, 1};
    struct call call = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    name_all(&call);
    for (int i = 0; me.rank == 0 && i < SIZE; i++) {
        name(call.order, &call.n_order, wanted[i]);
    }
    check(construct(&call, &results, &n), "construct");
    printf("%u", me.rank);
    say_members(results, n);
    printf("\n");
    PMIX_INFO_FREE(results, n);
    check_ranks();
    check(PMIx_Group_destruct("g", NULL, 0), "destruct");
}

/* Two want different ones. */
static void act_contradict(void)
{
    struct call call = {0};

    name_all(&call);
    if (me.rank == 0 || me.rank == 3) {
        name(call.order, &call.n_order, me.rank);
        name(call.order, &call.n_order, 1);
    }
    make_part(&call);
    fence();
}

/* Leaders by themselves: one asks for an order. */
static void act_bootorder(void)
{
    struct call call = {.leaders = SIZE};

    name(call.procs, &call.n_procs, me.rank);
    for (pmix_rank_t r = SIZE; me.rank == 2 && r > 0; r--) {
        name(call.order, &call.n_order, r - 1);
    }
    make_part(&call);
    fence();
}

/* ---- names that stand for several */

/* Ranks 0 and 1 lead by themselves, and add all of the job. */
static void act_wildcard(void)
{
    struct call call = {.leaders = me.rank < 2 ? 2 : 0};

    if (me.rank < 2) {
        name(call.procs, &call.n_procs, me.rank);
        name(call.added, &call.n_added, PMIX_RANK_WILDCARD);
    }
    make_part(&call);
    fence();
}

/* Rank 0 leads and adds a group of the others that it is in, and the last rank. */
static void act_nested(void)
{
    struct call call = {0};
    pmix_proc_t inner[3];
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (pmix_rank_t r = 0; r < 3; r++) {
        PMIX_LOAD_PROCID(&inner[r], me.nspace, r);
    }
    if (me.rank < 3) {
        check(PMIx_Group_construct("in", inner, 3, NULL, 0, &results, &n), "construct in");
        PMIX_INFO_FREE(results, n);
    }
    if (me.rank == 0) {
        name(call.procs, &call.n_procs, 0);
        PMIX_LOAD_PROCID(&call.added[0], "in", PMIX_RANK_WILDCARD);
        call.n_added = 1;
        name(call.added, &call.n_added, 3);
    }
    make_part(&call);
    fence();
}

/* A job has the name. */
static void act_jobname(void)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
    printf("%u %s\n", me.rank,
           PMIx_Error_string(PMIx_Group_construct(me.nspace, &all, 1, NULL, 0, &results, &n)));
    fence();
}

/* ---- what a launcher says of ends */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int n;
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void hear(pmix_status_t status, pmix_rank_t rank)
{
    printf("%u %s %u\n", me.rank, PMIx_Error_string(status), rank);
    pthread_mutex_lock(&heard.lock);
    heard.n++;
    pthread_cond_signal(&heard.more);
    pthread_mutex_unlock(&heard.lock);
}

static void destructed(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    hear(status, 0);
}

static void await_ends(int n)
{
    pthread_mutex_lock(&heard.lock);
    while (heard.n < n) {
        pthread_cond_wait(&heard.more, &heard.lock);
    }
    pthread_mutex_unlock(&heard.lock);
}

static void end_came(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        const pmix_proc_t *ended = info[i].value.data.proc;

        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) && ended->rank % 3 != 0) {
            hear(status, ended->rank);
        }
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* Rank 1 is killed, rank 2 says goodbye, and the others hear of both. */
static void act_ends(void)
{
    pmix_status_t codes[] = {PMIX_EVENT_PROC_TERMINATED, PMIX_ERR_PROC_ABORTED_BY_SIG};

    if (me.rank % 3 == 0) {
        check(PMIx_Register_event_handler(codes, 2, NULL, 0, end_came, NULL, NULL) < 0, "handler");
    }
    fence();
    if (me.rank == 1) {
        raise(SIGKILL);
    }
    await_ends(me.rank % 3 == 0 ? 2 : 0);
}

/* The first leaves while the others take the group apart, which have called when all meet. */
static void act_left(void)
{
    pmix_proc_t all;
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (int round = 0; round < 2; round++) {
        PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
        check(PMIx_Group_construct("g", &all, 1, NULL, 0, &results, &n), "construct");
        PMIX_INFO_FREE(results, n);
        if (me.rank > 0) {
            check(PMIx_Group_destruct_nb("g", NULL, 0, destructed, NULL), "destruct");
        }
        fence();
        if (me.rank == 0) {
            check(PMIx_Group_leave("g", NULL, 0), "leave");
        } else {
            await_ends(round + 1);
        }
        fence();
    }
}

static bool announced[2]; /* ends, where the construct, the destruct wants it */

static pmix_status_t make_of(const pmix_rank_t *ranks, size_t n)
{
    struct call call = {0};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;
    pmix_info_t flag;

    PMIX_INFO_LOAD(&flag, PMIX_GROUP_NOTIFY_TERMINATION, &announced[0], PMIX_BOOL);

    for (size_t i = 0; i < n; i++) {
        name(call.procs, &call.n_procs, ranks[i]);
    }
    rc = PMIx_Group_construct("g", call.procs, call.n_procs, &flag, 1, &results, &n_results);
    PMIX_INFO_FREE(results, n_results);
    return rc;
}

/* The last rank is killed in the group of it and the first two, who destruct it; then the third,
 * which may be of the same node, is in a group of that name. */
static void act_succeeded(void)
{
    static const pmix_rank_t first[] = {0, 1, 3};
    static const pmix_rank_t second[] = {0, 1, 2};
    pmix_proc_t left[3];
    pmix_info_t flag;
    size_t n = 0;

    PMIX_INFO_LOAD(&flag, PMIX_GROUP_NOTIFY_TERMINATION, &announced[1], PMIX_BOOL);
    if (me.rank != 2) {
        check(make_of(first, 3), "the first group");
    }
    if (me.rank == 3) {
        raise(SIGKILL);
    } else if (me.rank != 2) {
        printf("%u %s\n", me.rank, PMIx_Error_string(PMIx_Group_destruct("g", &flag, 1)));
    }
    for (size_t i = 0; i < 3; i++) {
        name(left, &n, second[i]);
    }
    check(PMIx_Fence(left, n, NULL, 0), "a fence of those who live");
    check(make_of(second, 3), "the second group");
    printf("%u %s\n", me.rank, PMIx_Error_string(PMIx_Group_destruct("g", NULL, 0)));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*act)(void);
    } acts[] = {
        {"bootstrap", act_bootstrap},       {"added", act_added},
        {"disagree", act_disagree},         {"absent", act_absent},
        {"timeout", act_timeout},           {"stranger", act_stranger},
        {"bootstranger", act_bootstranger}, {"order", act_order},
        {"contradict", act_contradict},     {"bootorder", act_bootorder},
        {"wildcard", act_wildcard},         {"nested", act_nested},
        {"jobname", act_jobname},           {"ends", act_ends},
        {"succeeded", act_succeeded},       {"left", act_left},
    };

    alarm(120);
    announced[0] = argc > 2 && strcmp(argv[2], "construct") == 0;
    announced[1] = argc > 2 && strcmp(argv[2], "destruct") == 0;
    check(PMIx_Init(&me, NULL, 0), "init");
    for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(argv[1], acts[i].name) == 0) {
            acts[i].act();
        }
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
