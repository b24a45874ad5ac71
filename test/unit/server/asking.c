/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that is stopped while it waits for a value, by direct modex where that is of another
 * node, and in a fence with a time limit. The others do without it, and their gets and fences with
 * a limit end at that; when it goes on it finds what has become of what it waited for. SHM-003.
 * Covers: SHM-003 */

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "world.h"

enum { VICTIM = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pmix_status_t fenced = PMIX_ERR_INIT; /* lock */
static pmix_status_t came = PMIX_ERR_INIT;   /* lock */

static void on_fence(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&lock);
    fenced = status;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&lock);
    came = status == PMIX_SUCCESS && value->data.uint32 != 7 ? PMIX_ERROR : status;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void ask_and_stop(const pmix_info_t *second)
{
    pmix_proc_t zero = proc_of(me.nspace, 0);

    check_status(PMIx_Get_nb(&zero, "late", NULL, 0, on_value, NULL), PMIX_SUCCESS);
    check_status(PMIx_Fence_nb(NULL, 0, second, 1, on_fence, NULL), PMIX_SUCCESS);
    post(PMIX_GLOBAL, "pid", (uint32_t) getpid());
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    raise(SIGSTOP);
    pthread_mutex_lock(&lock);
    while (fenced == PMIX_ERR_INIT || came == PMIX_ERR_INIT) {
        pthread_cond_wait(&more, &lock);
    }
    check_status(came, PMIX_SUCCESS);
    check_status(fenced, PMIX_ERR_TIMEOUT);
    pthread_mutex_unlock(&lock);
}

static void do_without(const pmix_info_t *second, bool far)
{
    pmix_proc_t stopped = proc_of(me.nspace, VICTIM);
    pmix_proc_t three[3] = {proc_of(me.nspace, 0), proc_of(me.nspace, 1), stopped};
    pmix_value_t *value = NULL;
    uint32_t victim;

    check_status(get_with(VICTIM, "pid", NULL, &victim), PMIX_SUCCESS);
    while (world_state_of(victim) != 'T') {
        continue;
    }
    if (!far && me.rank < VICTIM) {
        check_status(PMIx_Fence(three, 3, second, 1), PMIX_ERR_TIMEOUT);
    }
    /* It has posted other things, and its host passes on what there is. */
    check_status(PMIx_Get(&stopped, "never", second, 1, &value),
                 far && me.rank < VICTIM ? PMIX_ERR_NOT_FOUND : PMIX_ERR_TIMEOUT);
    three[2] = proc_of(me.nspace, VICTIM + 1);
    check(world_state_of(victim) == 'T');
    check_status(PMIx_Fence(three, 3, NULL, 0), PMIX_SUCCESS);
    if (me.rank == 0) {
        post(PMIX_GLOBAL, "late", 7);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
        check(kill((pid_t) victim, SIGCONT) == 0);
    }
}

static int spec(bool far)
{
    pmix_info_t second;
    int seconds = 1;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    PMIX_INFO_LOAD(&second, PMIX_TIMEOUT, &seconds, PMIX_INT);
    if (me.rank == VICTIM) {
        ask_and_stop(&second);
    } else {
        do_without(&second, far);
    }
    fence_all(false);
    return 0;
}

static int act_near(void)
{
    return spec(false);
}

static int act_far(void)
{
    return spec(true);
}

static const struct act acts[] = {{"near", act_near}, {"far", act_far}, {NULL, NULL}};

static void near(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "near", .n_nodes = 1, .per_node = 4}), 0);
}

static void far(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "far", .n_nodes = 2, .per_node = 2}), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near),
        cmocka_unit_test(far),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
