/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gets of this process that wait for what a host says of other nodes, and requests of other nodes
 * for what processes of this one have not committed yet: each answer and each end is for those that
 * wait for it. The processes of the job are registered and do not run. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "src/context/context.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/state.h"
#include "src/wire/messages.h"

#define JOB  "job"
#define LATE "late"

enum { LOCAL = 2, SIZE = 8, FAR = 5, PATIENCE_S = 20, MOST = 8 };

/* What the host was asked; written by the server's thread. */
static struct upcall {
    pmix_modex_cbfunc_t answer;
    void *cbdata;
} upcalls[MOST];
static unsigned n_upcalls;
static sem_t asked;

/* The end of a get or of a request. */
struct end {
    sem_t reached;
    pmix_status_t status;
    uint32_t number;
};

static void end_init(struct end *end)
{
    *end = (struct end){.status = 1};
    sem_init(&end->reached, 0, 0);
}

static void await(sem_t *sem)
{
    struct timespec until;

    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    while (sem_timedwait(sem, &until) != 0) {
        assert_int_equal(errno, EINTR);
    }
}

static void nothing(void *arg)
{
    (void) arg;
}

/* True if it waits when the server has done what it was given before. */
static bool waits(struct end *end)
{
    assert_int_equal(px_loop_run(px_ctx()->loop, nothing, NULL), 0);
    assert_int_equal(px_loop_run(px_ctx()->loop, nothing, NULL), 0);
    return sem_trywait(&end->reached) != 0;
}

static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc, (void) info, (void) ninfo;
    assert_true(n_upcalls < MOST);
    upcalls[n_upcalls++] = (struct upcall){cbfunc, cbdata};
    sem_post(&asked);
    return PMIX_SUCCESS;
}

static pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

static int begin(void **state)
{
    static pmix_server_module_t module = {.direct_modex = direct_modex};
    pmix_proc_t proc = proc_of(JOB, 0);
    uint32_t size = SIZE;
    pmix_info_t info;
    int rc;

    (void) state;
    n_upcalls = 0;
    sem_init(&asked, 0, 0);
    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    rc = PMIx_server_init(&module, NULL, 0);
    rc = rc ? rc : PMIx_server_register_nspace(proc.nspace, LOCAL, &info, 1, NULL, NULL);
    for (; proc.rank < LOCAL && !rc; proc.rank++) {
        rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    }
    return rc;
}

static int end(void **state)
{
    (void) state;
    return PMIx_server_finalize();
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct end *it = cbdata;

    it->status = status;
    it->number = status == PMIX_SUCCESS ? value->data.uint32 : 0;
    sem_post(&it->reached);
}

static void ask(const char *nspace, pmix_rank_t rank, const char *key, struct end *ret)
{
    pmix_proc_t proc = proc_of(nspace, rank);

    end_init(ret);
    assert_int_equal(PMIx_Get_nb(&proc, key, NULL, 0, on_value, ret), PMIX_SUCCESS);
}

/* The answer to the upcall of that number: with a value under the key, or NULL. */
static void answer(unsigned upcall, pmix_status_t status, const char *key, uint32_t number)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    struct px_buf buf = {0};

    if (key) {
        assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, key, &value), 0);
    }
    upcalls[upcall].answer(status, (char *) buf.data, buf.len, upcalls[upcall].cbdata, NULL, NULL);
    px_buf_fini(&buf);
}

static void expect(struct end *it, pmix_status_t status, uint32_t number)
{
    await(&it->reached);
    assert_int_equal(it->status, status);
    assert_int_equal(it->number, number);
}

/* A get of any rank ends when a process of another node has the key, and not because one has not.
 */
static void any_rank(void **state)
{
    struct end any;
    struct end one;

    (void) state;
    ask(JOB, PMIX_RANK_UNDEF, "key", &any);
    ask(JOB, FAR, "other", &one);
    await(&asked);
    answer(0, PMIX_SUCCESS, "other", 1);
    expect(&one, PMIX_SUCCESS, 1);
    assert_true(waits(&any));
    ask(JOB, FAR, "key", &one);
    await(&asked);
    answer(1, PMIX_ERR_NOT_FOUND, NULL, 0);
    expect(&one, PMIX_ERR_NOT_FOUND, 0);
    assert_true(waits(&any));
    ask(JOB, FAR + 1, "key", &one);
    await(&asked);
    answer(2, PMIX_SUCCESS, "key", 7);
    expect(&one, PMIX_SUCCESS, 7);
    expect(&any, PMIX_SUCCESS, 7);
}

/* Those who have joined an upcall get its answer; who was told that the key is not there may ask
 * again. */
static void shared(void **state)
{
    struct end ends[3];

    (void) state;
    ask(JOB, FAR, "key", &ends[0]);
    ask(JOB, FAR, "key", &ends[1]);
    ask(JOB, FAR + 1, "key", &ends[2]);
    await(&asked);
    await(&asked);
    assert_true(waits(&ends[0]));
    assert_int_equal(n_upcalls, 2);
    answer(0, PMIX_ERR_NOT_FOUND, NULL, 0);
    expect(&ends[0], PMIX_ERR_NOT_FOUND, 0);
    expect(&ends[1], PMIX_ERR_NOT_FOUND, 0);
    assert_true(waits(&ends[2]));
    ask(JOB, FAR, "key", &ends[0]);
    await(&asked);
    answer(2, PMIX_SUCCESS, "key", 3);
    expect(&ends[0], PMIX_SUCCESS, 3);
    answer(1, PMIX_SUCCESS, "key", 4);
    expect(&ends[2], PMIX_SUCCESS, 4);
}

/* Who has asked for a job that is registered meanwhile waits for its process, whatever the host
 * says of the job then. */
static void registered_meanwhile(void **state)
{
    pmix_proc_t proc = proc_of(LATE, 0);
    struct end one;

    (void) state;
    ask(LATE, 0, "key", &one);
    await(&asked);
    assert_int_equal(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                     PMIX_SUCCESS);
    assert_int_equal(PMIx_server_register_nspace(proc.nspace, 1, NULL, 0, NULL, NULL),
                     PMIX_SUCCESS);
    answer(0, PMIX_ERR_NOT_FOUND, NULL, 0);
    assert_true(waits(&one));
    PMIx_server_deregister_client(&proc, NULL, NULL);
    expect(&one, PMIX_ERR_NOT_FOUND, 0);
}

/* --- the end of a process for which many wait */

enum { CROWD = 1000, AT_ONCE = 512 };

static unsigned count_waiting(void)
{
    const struct px_server *s = px_ctx()->server;
    unsigned n = 0;

    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        for (const struct px_list *at = s->gets[i].next; at != &s->gets[i]; at = at->next) {
            n++;
        }
    }
    return n;
}

/* The process ends, and once more while the gets do. */
static void depart(void *arg)
{
    pmix_proc_t proc = proc_of(JOB, 0);
    struct px_server *s = px_ctx()->server;
    unsigned n = count_waiting();

    (void) arg;
    assert_int_equal(n, CROWD);
    px_gets_proc_departed(s, px_local_proc_of(s, &proc));
    assert_in_range(count_waiting(), CROWD - AT_ONCE, CROWD - 1);
    px_gets_proc_departed(s, px_local_proc_of(s, &proc));
    assert_in_range(count_waiting(), CROWD - AT_ONCE, CROWD - 1);
}

static void an_end_in_parts(void **state)
{
    static struct end ends[CROWD];

    (void) state;
    for (int i = 0; i < CROWD; i++) {
        ask(JOB, 0, "key", &ends[i]);
    }
    assert_true(waits(&ends[0]));
    assert_int_equal(px_loop_run(px_ctx()->loop, depart, NULL), 0);
    for (int i = 0; i < CROWD; i++) {
        expect(&ends[i], PMIX_ERR_NOT_FOUND, 0);
    }
}

/* The task that follows the host's answer. */
static void after_answer(struct px_task *task)
{
    (void) task;
    assert_in_range(count_waiting(), CROWD - AT_ONCE, CROWD - 1);
}

static void answer_crowd(void *arg)
{
    static struct px_task task = {.run = after_answer};

    (void) arg;
    answer(0, PMIX_ERR_NOT_FOUND, NULL, 0);
    px_loop_post(px_ctx()->loop, &task);
}

/* One answer for many. */
static void an_answer_in_parts(void **state)
{
    static struct end ends[CROWD];

    (void) state;
    for (int i = 0; i < CROWD; i++) {
        ask(JOB, FAR, "key", &ends[i]);
    }
    assert_true(waits(&ends[0]));
    assert_int_equal(n_upcalls, 1);
    assert_int_equal(px_loop_run(px_ctx()->loop, answer_crowd, NULL), 0);
    for (int i = 0; i < CROWD; i++) {
        expect(&ends[i], PMIX_ERR_NOT_FOUND, 0);
    }
}

/* The server ends before all have their answer. */
static void an_answer_at_the_end(void **state)
{
    static struct end ends[CROWD];

    (void) state;
    for (int i = 0; i < CROWD; i++) {
        ask(JOB, FAR, "key", &ends[i]);
    }
    assert_true(waits(&ends[0]));
    answer(0, PMIX_ERR_NOT_FOUND, NULL, 0);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    for (int i = 0; i < CROWD; i++) {
        await(&ends[i].reached);
    }
}

/* A namespace that goes takes all with it; those about its processes end as if these had gone. */
static void an_end_of_all(void **state)
{
    static struct end ends[CROWD];
    pmix_nspace_t job = JOB;

    (void) state;
    for (int i = 0; i < CROWD; i++) {
        ask(JOB, i % LOCAL, "key", &ends[i]);
    }
    PMIx_server_deregister_nspace(job, NULL, NULL);
    for (int i = 0; i < CROWD; i++) {
        expect(&ends[i], PMIX_ERR_NOT_FOUND, 0);
    }
}

/* --- requests of other nodes */

static void on_data(pmix_status_t status, char *data, size_t size, void *cbdata)
{
    struct end *it = cbdata;

    (void) data;
    (void) size;
    it->status = status;
    sem_post(&it->reached);
}

static void request(pmix_rank_t rank, struct end *ret)
{
    pmix_proc_t proc = proc_of(JOB, rank);

    end_init(ret);
    assert_int_equal(PMIx_server_dmodex_request(&proc, on_data, ret), PMIX_SUCCESS);
}

/* The process of that number commits. */
static void commit(void *arg)
{
    pmix_proc_t proc = proc_of(JOB, *(pmix_rank_t *) arg);
    struct px_server *s = px_ctx()->server;

    px_dmodex_requests_committed(s, px_local_proc_of(s, &proc));
}

static void its_own_process(void **state)
{
    struct end ends[3];
    pmix_rank_t rank = 1;

    (void) state;
    request(0, &ends[0]);
    request(1, &ends[1]);
    request(1, &ends[2]);
    assert_true(waits(&ends[1]));
    assert_int_equal(px_loop_run(px_ctx()->loop, commit, &rank), 0);
    expect(&ends[1], PMIX_SUCCESS, 0);
    expect(&ends[2], PMIX_SUCCESS, 0);
    assert_true(waits(&ends[0]));
    request(1, &ends[1]); /* it has not really committed */
    rank = 0;
    assert_int_equal(px_loop_run(px_ctx()->loop, commit, &rank), 0);
    expect(&ends[0], PMIX_SUCCESS, 0);
    assert_true(waits(&ends[1]));
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
    expect(&ends[1], PMIX_ERR_LOST_CONNECTION, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_rank, begin, end),
        cmocka_unit_test_setup_teardown(shared, begin, end),
        cmocka_unit_test_setup_teardown(registered_meanwhile, begin, end),
        cmocka_unit_test_setup_teardown(an_end_in_parts, begin, end),
        cmocka_unit_test_setup_teardown(an_end_of_all, begin, end),
        cmocka_unit_test_setup_teardown(an_answer_in_parts, begin, end),
        cmocka_unit_test_setup(an_answer_at_the_end, begin),
        cmocka_unit_test_setup(its_own_process, begin),
    };

    alarm(120);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
