/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events that are kept for who registers later: as many as fit the bound of bytes, the newest, in
 * order. [EVT-013] Codes are taken up to the bound of their number. Ends of which clients speak. */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "src/event/process_end.h"
#include "world.h"

enum { LEN = 65536, N = 10, FIT = 3, TOO_LARGE = 50, LAST = 99, CODE = -5000, NAMES = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int seen[2 * N]; /* lock */
static int n_seen;      /* lock */

static void host_is_small(unsigned node, struct answer *answers)
{
    char limit[32];

    (void) node;
    (void) answers;
    snprintf(limit, sizeof(limit), "%d", FIT * LEN + LEN / 2);
    setenv("PMIX_MCA_shmix_event_bytes", limit, 1);
}

static void host_takes_few_codes(unsigned node, struct answer *answers)
{
    (void) node;
    (void) answers;
    setenv("PMIX_MCA_shmix_max_codes", "3", 1);
}

static void notify(int number, size_t len)
{
    pmix_byte_object_t bo = {.bytes = calloc(1, len), .size = len};
    pmix_info_t info;

    check(bo.bytes != NULL);
    memcpy(bo.bytes, &number, sizeof(number));
    PMIX_INFO_LOAD(&info, "message", &bo, PMIX_BYTE_OBJECT);
    check_status(PMIx_Notify_event(CODE, &me, PMIX_RANGE_LOCAL, &info, 1, NULL, NULL),
                 PMIX_SUCCESS);
    PMIx_Info_destruct(&info);
    free(bo.bytes);
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "message") && n_seen < 2 * N) {
            memcpy(&seen[n_seen++], info[i].value.data.bo.bytes, sizeof(int));
        }
    }
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void register_late(void)
{
    pmix_status_t code = CODE;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0);
    pthread_mutex_lock(&lock);
    while (n_seen == 0 || seen[n_seen - 1] != LAST) {
        pthread_cond_wait(&more, &lock);
    }
    check(n_seen == FIT + 1);
    for (int i = 0; i < FIT; i++) {
        check(seen[i] == N - FIT + i);
    }
    pthread_mutex_unlock(&lock);
}

/* The one that is too large does not drive out the others. */
static int act_late(void)
{
    if (me.rank == 0) {
        for (int i = 0; i < N; i++) {
            notify(i, LEN);
        }
        notify(TOO_LARGE, 8 * LEN);
        notify(LAST, sizeof(int));
    }
    fence_all(false);
    if (me.rank == 1) {
        register_late();
    }
    fence_all(false);
    return 0;
}

/* As many codes as the server takes, one more, and again as many when those are deregistered. */
static int act_many(void)
{
    const pmix_status_t codes[4] = {CODE, CODE - 1, CODE - 2, CODE - 3};
    int id = PMIx_Register_event_handler((pmix_status_t *) codes, 2, NULL, 0, on_event, NULL, NULL);

    check(id >= 0);
    check(PMIx_Register_event_handler((pmix_status_t *) &codes[2], 2, NULL, 0, on_event, NULL,
                                      NULL) == PMIX_ERR_OUT_OF_RESOURCE);
    check(PMIx_Register_event_handler((pmix_status_t *) &codes[2], 1, NULL, 0, on_event, NULL,
                                      NULL) >= 0);
    check_status(PMIx_Deregister_event_handler((size_t) id, NULL, NULL), PMIX_SUCCESS);
    check(PMIx_Register_event_handler((pmix_status_t *) &codes[1], 1, NULL, 0, on_event, NULL,
                                      NULL) >= 0);
    return 0;
}

/* An event for many names, of which the last is here. */
static void notify_among(int number, pmix_rank_t rank)
{
    static pmix_proc_t names[NAMES];
    pmix_data_array_t range = {.type = PMIX_PROC, .size = NAMES, .array = names};
    pmix_byte_object_t bo = {.bytes = (char *) &number, .size = sizeof(number)};
    pmix_info_t infos[2];

    for (unsigned i = 0; i < NAMES - 1; i++) {
        PMIX_LOAD_PROCID(&names[i], i % 2 ? "nobody" : me.nspace, 1000 + i);
    }
    PMIX_LOAD_PROCID(&names[NAMES - 1], me.nspace, rank);
    PMIX_INFO_LOAD(&infos[0], "message", &bo, PMIX_BYTE_OBJECT);
    PMIX_INFO_LOAD(&infos[1], PMIX_EVENT_CUSTOM_RANGE, &range, PMIX_DATA_ARRAY);
    check_status(PMIx_Notify_event(CODE, &me, PMIX_RANGE_CUSTOM, infos, 2, NULL, NULL),
                 PMIX_SUCCESS);
    PMIx_Info_destruct(&infos[0]);
    PMIx_Info_destruct(&infos[1]);
}

/* A long range names a process or its whole job among many who are not here: whether they have
 * registered before (rank 1) or come late (rank 2), they get what is for them. */
static int act_among(void)
{
    pmix_status_t code = CODE;

    if (me.rank == 1) {
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0);
    }
    fence_all(false);
    if (me.rank == 0) {
        notify_among(1, 1);
        notify_among(2, 2);
        notify_among(3, PMIX_RANK_WILDCARD);
        notify(LAST, sizeof(int));
    }
    fence_all(false);
    if (me.rank == 2) {
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0);
    }
    if (me.rank != 0) {
        pthread_mutex_lock(&lock);
        while (n_seen == 0 || seen[n_seen - 1] != LAST) {
            pthread_cond_wait(&more, &lock);
        }
        check(n_seen == 3 && seen[0] == (int) me.rank && seen[1] == 3);
        pthread_mutex_unlock(&lock);
    }
    fence_all(false);
    return 0;
}

static bool heard; /* lock */

static void on_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    pthread_mutex_lock(&lock);
    heard = true;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    fn(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void on_invited(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id, (void) status, (void) info, (void) ninfo, (void) results, (void) nresults;
    check_status(PMIx_Group_join_nb("g", source, PMIX_GROUP_ACCEPT, NULL, 0, NULL, NULL),
                 PMIX_SUCCESS);
    fn(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void hear(pmix_status_t code, pmix_notification_fn_t fn)
{
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, fn, NULL, NULL) >= 0);
}

/* Says that rank 1 has ended. */
static void slander(void)
{
    pmix_proc_t proc = proc_of(me.nspace, 1);
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    check_status(
        PMIx_Notify_event(PMIX_ERR_PROC_ABORTED, &me, PMIX_RANGE_SESSION, &info, 1, NULL, NULL),
        PMIX_SUCCESS);
    PMIx_Info_destruct(&info);
}

/* What a process says of the end of others has no effect on who invites them. */
static int act_slander(void)
{
    pmix_proc_t invitee = proc_of(me.nspace, 1);

    if (me.rank == 0) {
        hear(PMIX_ERR_PROC_ABORTED, on_end);
    } else if (me.rank == 1) {
        hear(PMIX_GROUP_INVITED, on_invited);
    }
    fence_all(false);
    if (me.rank == 2) {
        slander();
    }
    if (me.rank == 0) {
        pthread_mutex_lock(&lock);
        while (!heard) {
            pthread_cond_wait(&more, &lock);
        }
        pthread_mutex_unlock(&lock);
        check_status(PMIx_Group_invite("g", &invitee, 1, NULL, 0, NULL, NULL), PMIX_SUCCESS);
    }
    fence_all(false);
    return 0;
}

static const struct act acts[] = {{"late", act_late},
                                  {"many", act_many},
                                  {"among", act_among},
                                  {"slander", act_slander},
                                  {NULL, NULL}};

static _Atomic bool marked; /* in the host */

/* Servers of other nodes, which the host tells, know it by the mark. */
static pmix_status_t see_mark(struct upcall *upcall)
{
    for (size_t i = 0; upcall->number == PMIX_ERR_PROC_ABORTED && i < upcall->n_infos; i++) {
        marked = marked || PMIX_CHECK_KEY(&upcall->infos[i], PX_KEY_END_BY_CLIENT);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static void host_sees_marks(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_NOTIFY] = (struct answer){.how = OWN, .own = see_mark};
}

static int is_marked(unsigned node)
{
    (void) node;
    return marked ? 0 : 1;
}

static void slandered(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "slander",
                                               .n_nodes = 1,
                                               .per_node = 3,
                                               .host = host_sees_marks,
                                               .after = is_marked}),
                     0);
}

static void among_many(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "among", .n_nodes = 1, .per_node = 3}), 0);
}

static void many_codes(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "many", .n_nodes = 1, .per_node = 1, .host = host_takes_few_codes}),
                     0);
}

static void late(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "late", .n_nodes = 1, .per_node = 2, .host = host_is_small}),
                     0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late),
        cmocka_unit_test(many_codes),
        cmocka_unit_test(among_many),
        cmocka_unit_test(slandered),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
