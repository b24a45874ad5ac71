/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups: who is in them and in which order, names given twice, groups in the place of processes.
 * Requirement numbers in brackets. */

#include <semaphore.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>
#include <pmix_server.h>

#include "world.h"

static pmix_status_t group(struct upcall *upcall)
{
    pmix_info_t info;
    size_t id = 42;

    if (upcall->number == PMIX_GROUP_DESTRUCT) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    PMIX_INFO_LOAD(&info, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    return PMIX_SUCCESS;
}

/* The group is made as far as it can be. */
static pmix_status_t group_in_part(struct upcall *upcall)
{
    pmix_proc_t members[2] = {proc_of(WORLD_NSPACE, 1), proc_of(WORLD_NSPACE, 0)};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = members};
    pmix_info_t info[2];
    size_t id = 42;

    if (upcall->number == PMIX_GROUP_DESTRUCT) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY);
    px_host_reply_infos(upcall, PMIX_ERR_PARTIAL_SUCCESS, info, 2);
    PMIx_Value_destruct(&info[1].value);
    return PMIX_SUCCESS;
}

static void host_groups_in_part(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_GROUP] = (struct answer){OWN, .own = group_in_part};
}

static void host_groups(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_GROUP] = (struct answer){OWN, .own = group};
}

static int after_group(unsigned node)
{
    (void) node;
    return calls[ON_GROUP] == 2 ? 0 : 1;
}

/* --- acts --- */

static size_t construct(const char *name, const pmix_info_t *info, size_t ninfo, pmix_status_t want)
{
    pmix_proc_t members[2] = {proc_of(me.nspace, 1), proc_of(me.nspace, 0)};
    pmix_info_t *results = NULL;
    bool seen = false;
    size_t n = 0;
    size_t id = 0;

    check_status(PMIx_Group_construct(name, members, 2, info, ninfo, &results, &n), want);
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            id = results[i].value.data.size;
        } else if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            const pmix_proc_t *procs = results[i].value.data.darray->array;

            check(results[i].value.data.darray->size == 2);
            check(procs[0].rank == 1 && procs[1].rank == 0);
            seen = true;
        }
    }
    check(seen == (want == PMIX_SUCCESS || want == PMIX_ERR_PARTIAL_SUCCESS));
    PMIx_Info_free(results, n);
    return id;
}

/* [GRP-031], [GRP-034] */
static int act_groups_alone(void)
{
    pmix_info_t info;
    bool yes = true;

    for (int i = 0; i < 10; i++) {
        construct("g", NULL, 0, PMIX_SUCCESS);
        check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    }
    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    construct("g", &info, 1, PMIX_ERR_NOT_SUPPORTED);
    return 0;
}

/* The ranks of a group that was made of these, as text; "-11" for a status. */
static const char *make(const char *name, const pmix_rank_t *ranks, size_t n_ranks)
{
    static char text[64];
    pmix_proc_t procs[4];
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    for (size_t i = 0; i < n_ranks; i++) {
        procs[i] = proc_of(me.nspace, ranks[i]);
    }
    rc = PMIx_Group_construct(name, procs, n_ranks, NULL, 0, &results, &n);
    snprintf(text, sizeof(text), "%d", rc);
    for (size_t i = 0; !rc && i < n; i++) {
        const pmix_data_array_t *array = results[i].value.data.darray;
        size_t len = 0;

        for (size_t j = 0; PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP) && j < array->size;
             j++) {
            len += (size_t) snprintf(text + len, sizeof(text) - len, "%u ",
                                     ((const pmix_proc_t *) array->array)[j].rank);
        }
    }
    PMIx_Info_free(results, n);
    return text;
}

#define check_group(want, name, ...)                                                               \
    do {                                                                                           \
        pmix_rank_t ranks_[] = {__VA_ARGS__};                                                      \
        const char *got_ = make(name, ranks_, sizeof(ranks_) / sizeof(ranks_[0]));                 \
        check_at(strcmp(want, got_) == 0, got_, __FILE__, __LINE__);                               \
    } while (0)

/* [GRP-007], [GRP-010], [GRP-048] the order of the call; of the numbers when callers disagree. Who
 * is named twice is a member once, and a wildcard names all. */
static int act_group_order(void)
{
    check_group("0 1 2 3 ", "g", PMIX_RANK_WILDCARD);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    if (me.rank == 1) {
        return 0;
    }
    check_group("2 0 3 ", "g", 2, 0, 3);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    check_group("2 0 3 ", "g", 2, 0, 2, 3);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    if (me.rank == 2) {
        check_group("0 2 3 ", "g", 3, 0, 2);
    } else {
        check_group("0 2 3 ", "g", 2, 3, 0);
    }
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    return 0;
}

static _Atomic int made_status;

static void made(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                 pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    (void) info;
    (void) ninfo;
    (void) cbdata;
    if (release_fn) {
        release_fn(release_cbdata);
    }
    made_status = status;
}

/* [GRP-004], [GRP-099] a name has one group for each process. */
static int act_group_twice(void)
{
    pmix_proc_t mine[2] = {proc_of(me.nspace, me.rank & ~1U), proc_of(me.nspace, me.rank | 1U)};
    pmix_proc_t all = proc_of("g", PMIX_RANK_WILDCARD);

    if (me.rank == 0) { /* started, and not complete before rank 1 comes */
        made_status = 1;
        check_status(PMIx_Group_construct_nb("g", mine, 2, NULL, 0, made, NULL), PMIX_SUCCESS);
        check_group("-11", "g", 0, 1);
        check_group("-11", "g", 0, 2);
    }
    fence_all(false);
    if (me.rank == 2) { /* with one that is about to be in it */
        check_group("-11", "g", 2, 1);
    }
    fence_all(false);
    if (me.rank == 1) {
        check_group("0 1 ", "g", 0, 1);
    } else if (me.rank > 1) { /* with none that is in it */
        check_group("3 2 ", "g", 3, 2);
    }
    fence_all(false);
    while (me.rank == 0 && made_status == 1) { /* by messages it asks the server once more */
        (void) sched_yield();
    }
    check(me.rank != 0 || made_status == PMIX_SUCCESS);
    check_group("-11", "g", 0, 1, 2, 3);
    check_status(PMIx_Fence(&all, 1, NULL, 0), PMIX_SUCCESS); /* each its own */
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    fence_all(false); /* both are gone */
    check_group("3 0 1 2 ", "g", 3, 0, 1, 2);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_ERR_NOT_FOUND);
    return 0;
}

/* --- groups in the place of processes --- */

static _Atomic int told[2];
static sem_t last_told;

static void on_told(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t results[], size_t nresults,
                    pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    told[status == -5001]++;
    if (status == -5001) {
        (void) sem_post(&last_told);
    }
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void tell(pmix_status_t code, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t to = proc_of(nspace, rank);
    pmix_info_t info = {.key = PMIX_EVENT_CUSTOM_RANGE,
                        .value = {.type = PMIX_PROC, .data.proc = &to}};

    check_status(PMIx_Notify_event(code, NULL, PMIX_RANGE_CUSTOM, &info, 1, NULL, NULL),
                 PMIX_SUCCESS);
}

/* [GRP-006] a rank of a group is one process; [GRP-005], [GRP-008] in other groups too. */
static int act_group_as_proc(void)
{
    pmix_status_t codes[2] = {-5000, -5001};
    pmix_proc_t both[2] = {proc_of(me.nspace, 0), proc_of("g", PMIX_RANK_WILDCARD)};
    pmix_info_t *results = NULL;
    size_t n = 0;

    check(sem_init(&last_told, 0, 0) == 0);
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, on_told, NULL, NULL) >= 0);
    if (me.rank > 0) {
        check_group("3 1 2 ", "g", 3, 1, 2);
    }
    fence_all(false);
    if (me.rank == 1) {
        tell(-5000, "g", 0);
        tell(-5001, me.nspace, PMIX_RANK_WILDCARD);
    }
    (void) sem_wait(&last_told); /* events of one source come in order */
    check(told[0] == (me.rank == 3));
    if (me.rank > 0) {
        check_status(PMIx_Group_construct("h", both, 2, NULL, 0, &results, &n), PMIX_SUCCESS);
        PMIx_Info_free(results, n);
    } else {
        check_group("0 3 1 2 ", "h", 0, 3, 1, 2);
    }
    check_status(PMIx_Group_destruct("h", NULL, 0), PMIX_SUCCESS);
    return 0;
}

/* What a process belongs to, asked with PMIx_Get and PMIx_Query_info; never remembered. */
static bool has_name(const pmix_value_t *value, const char *name)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    return array && array->type == PMIX_STRING && array->size == 1 &&
           strcmp(((char **) array->array)[0], name) == 0;
}

static void belongs(const pmix_proc_t *proc, const char *key, const char *name)
{
    pmix_value_t *value = NULL;
    pmix_info_t *results = NULL;
    pmix_query_t query;
    size_t n = 0;
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_proc_t who = *proc;
    pmix_info_t qualifier = {.key = PMIX_PROCID, .value = {.type = PMIX_PROC, .data.proc = &who}};
    pmix_status_t rc = PMIx_Get(proc, key, NULL, 0, &value);

    check_status(rc, name ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND);
    if (name) {
        check(has_name(value, name));
        PMIx_Value_free(value, 1);
    }
    query = (pmix_query_t){.keys = keys, .qualifiers = &qualifier, .nqual = 1};
    rc = PMIx_Query_info(&query, 1, &results, &n);
    check((rc == PMIX_SUCCESS) == (name != NULL));
    if (name) {
        check(n > 0 && PMIX_CHECK_KEY(&results[0], key) && has_name(&results[0].value, name));
    }
    PMIx_Info_free(results, n);
}

static int act_names(void)
{
    pmix_proc_t first = proc_of(me.nspace, 0);
    pmix_proc_t third = proc_of(me.nspace, 2);

    belongs(&first, PMIX_PSET_NAMES, "some");
    belongs(&third, PMIX_PSET_NAMES, NULL);
    belongs(&first, PMIX_GROUP_NAMES, NULL);
    fence_all(false);
    if (me.rank < 2) {
        construct("g", NULL, 0, PMIX_SUCCESS);
    }
    fence_all(false);
    belongs(&first, PMIX_GROUP_NAMES, "g");
    belongs(&third, PMIX_GROUP_NAMES, NULL);
    fence_all(false);
    if (me.rank < 2) {
        check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    }
    fence_all(false);
    belongs(&first, PMIX_GROUP_NAMES, NULL);
    return 0;
}

static void ready_set(unsigned node)
{
    pmix_proc_t members[2] = {proc_of(WORLD_NSPACE, 0), proc_of(WORLD_NSPACE, 1)};

    (void) node;
    check_status(PMIx_server_define_process_set(members, 2, "some"), PMIX_SUCCESS);
}

/* [GRP-032], [GRP-037], [GRP-041] */
static int act_groups_hosted(void)
{
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    check(construct("g", &info, 1, PMIX_SUCCESS) == 42);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    return 0;
}

/* The host's status is that of the call, and the group exists. [GRP-032] */
static int act_groups_in_part(void)
{
    pmix_info_t info[2];
    bool yes = true;

    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_OPTIONAL, &yes, PMIX_BOOL);
    check(construct("g", info, 2, PMIX_ERR_PARTIAL_SUCCESS) == 42);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    return 0;
}

/* Bootstrap and an added member, all of one node. [GRP-054] */
static int act_bootstrap(void)
{
    pmix_info_t info[2];
    size_t leaders = 2;
    pmix_proc_t extra = proc_of(me.nspace, 2);
    pmix_data_array_t added = {.type = PMIX_PROC, .size = 1, .array = &extra};
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool seen = false;

    if (me.rank == 2) {
        check_status(PMIx_Group_construct("b", NULL, 0, NULL, 0, &results, &n), PMIX_SUCCESS);
    } else {
        PMIX_INFO_LOAD(&info[0], PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
        PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
        check_status(PMIx_Group_construct("b", &me, 1, info, me.rank == 0 ? 2 : 1, &results, &n),
                     PMIX_SUCCESS);
        PMIx_Value_destruct(&info[1].value);
    }
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            check(results[i].value.data.darray->size == 3);
            seen = true;
        }
    }
    check(seen);
    PMIx_Info_free(results, n);
    return 0;
}

/* Names of members that are added count for the caller while others are waited for: meanwhile the
 * server takes no more than the message of this one. [GRP-054] */
static int act_added_count(void)
{
    enum { MANY = 3000 };
    static pmix_proc_t procs[MANY];
    pmix_data_array_t added = {.type = PMIX_PROC, .size = MANY, .array = procs};
    pmix_info_t info[4];
    size_t leaders = 2;
    int seconds = 1;
    bool yes = true;

    for (pmix_rank_t r = 0; r < MANY; r++) {
        procs[r] = proc_of("far", r);
    }
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    PMIX_INFO_LOAD(&info[2], PMIX_GROUP_LOCAL_ONLY, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[3], PMIX_TIMEOUT, &seconds, PMIX_INT);
    made_status = 1;
    check_status(PMIx_Group_construct_nb("b", &me, 1, info, 4, made, NULL), PMIX_SUCCESS);
    check_status(PMIx_Fence(&me, 1, NULL, 0), PMIX_ERR_OUT_OF_RESOURCE);
    while (made_status == 1) {
        (void) sched_yield();
    }
    check(made_status == PMIX_ERR_TIMEOUT);
    check_status(PMIx_Fence(&me, 1, NULL, 0), PMIX_SUCCESS);
    PMIx_Value_destruct(&info[1].value);
    return 0;
}

/* The host has told that a job has ended of which this server knows nothing else. A construct that
 * adds all of its processes asks its member about them, and is made without them. [GRP-089] */
static void ready_unknown_job(unsigned node)
{
    pmix_proc_t gone = proc_of("zzz", PMIX_RANK_WILDCARD);
    pmix_info_t info = {.key = PMIX_EVENT_AFFECTED_PROC,
                        .value = {.type = PMIX_PROC, .data.proc = &gone}};

    (void) node;
    check_status(
        PMIx_Notify_event(PMIX_ERR_PROC_ABORTED, &gone, PMIX_RANGE_GLOBAL, &info, 1, NULL, NULL),
        PMIX_SUCCESS);
}

static void go_on(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t results[], size_t nresults,
                  pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static int act_unknown_job(void)
{
    pmix_proc_t gone = proc_of("zzz", PMIX_RANK_WILDCARD);
    pmix_data_array_t added = {.type = PMIX_PROC, .size = 1, .array = &gone};
    pmix_status_t failed = PMIX_GROUP_MEMBER_FAILED;
    size_t leaders = 1;
    bool yes = true;
    pmix_info_t info[4];
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool alone = false;

    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_LOCAL_ONLY, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[2], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[3], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
    check(PMIx_Register_event_handler(&failed, 1, NULL, 0, go_on, NULL, NULL) >= 0);
    check_status(PMIx_Group_construct("g", &me, 1, info, 4, &results, &n), PMIX_SUCCESS);
    PMIx_Value_destruct(&info[3].value);
    for (size_t i = 0; i < n; i++) {
        alone |= PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP) &&
                 results[i].value.data.darray->size == 1;
    }
    check(alone);
    PMIx_Info_free(results, n);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    return 0;
}

static const struct act acts[] = {
    {"groups_alone", act_groups_alone},
    {"groups_hosted", act_groups_hosted},
    {"group_order", act_group_order},
    {"group_twice", act_group_twice},
    {"group_as_proc", act_group_as_proc},
    {"names", act_names},
    {"bootstrap", act_bootstrap},
    {"groups_in_part", act_groups_in_part},
    {"added_count", act_added_count},
    {"unknown_job", act_unknown_job},
    {NULL, NULL},
};

#define RUN(...) assert_int_equal(world_run(&(struct world){__VA_ARGS__}), 0)

static void groups(void **state)
{
    (void) state;
    RUN(.act = "groups_alone", .n_nodes = 1, .per_node = 2);
    RUN(.act = "groups_hosted", .n_nodes = 1, .per_node = 2, .host = host_groups,
        .after = after_group);
    RUN(.act = "groups_in_part", .n_nodes = 1, .per_node = 2, .host = host_groups_in_part,
        .after = after_group);
    RUN(.act = "bootstrap", .n_nodes = 1, .per_node = 3);
    RUN(.act = "names", .n_nodes = 1, .per_node = 3, .ready = ready_set);
    RUN(.act = "unknown_job", .n_nodes = 1, .per_node = 1, .ready = ready_unknown_job);
}

static void what_counts(void **state)
{
    (void) state;
    setenv("PMIX_MCA_shmix_peer_requests", "2500000", 1);
    RUN(.act = "added_count", .n_nodes = 1, .per_node = 1);
    unsetenv("PMIX_MCA_shmix_peer_requests");
}

static void group_names(void **state)
{
    (void) state;
    for (int private_store = 0; private_store < 2; private_store++) {
        RUN(.act = "group_order", .n_nodes = 1, .per_node = 4, .private_store = private_store);
        RUN(.act = "group_as_proc", .n_nodes = 1, .per_node = 4, .private_store = private_store);
        RUN(.act = "group_twice", .n_nodes = 1, .per_node = 4, .private_store = private_store);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(group_names),
        cmocka_unit_test(what_counts),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
