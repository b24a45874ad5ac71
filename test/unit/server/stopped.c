/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that is stopped while the server has much to tell it, and one that is stopped while it
 * is sent output. The others go on with their fences, one after each message, so that a server that
 * waited for the stopped one would keep them for ever. What waits for it is bounded: if it fits,
 * the stopped one finds everything when it goes on; if not, it has been dropped, keeps what it can
 * read, and is told so. SHM-003. Covers: SHM-003 */

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <pmix_tool.h>

#include "world.h"

enum {
    LEN = 65536,
    FEW = 64,
    MANY = 1000,
    VICTIM = 2,
    CODE = -5000,
    LIMIT = 4 << 20,
    SLACK = 20 << 20
};

/* --- the host: gives back as output of rank 0 what it is given as input --- */

struct echo {
    pmix_op_cbfunc_t fn;
    void *cbdata;
    pmix_proc_t source;
};

static void echoed(pmix_status_t status, void *cbdata)
{
    struct echo *echo = cbdata;

    echo->fn(status, echo->cbdata);
    free(echo);
}

static pmix_status_t push_stdin(const pmix_proc_t *source, const pmix_proc_t targets[], size_t n,
                                const pmix_info_t info[], size_t ninfo,
                                const pmix_byte_object_t *bytes, pmix_op_cbfunc_t fn, void *cbdata)
{
    struct echo *echo = malloc(sizeof(*echo));

    (void) targets;
    (void) n;
    (void) info;
    (void) ninfo;
    check(echo != NULL);
    *echo = (struct echo){fn, cbdata, *source};
    return PMIx_server_IOF_deliver(&echo->source, PMIX_FWD_STDOUT_CHANNEL, bytes, NULL, 0, echoed,
                                   echo);
}

static pmix_status_t iof_pull(const pmix_proc_t procs[], size_t n, const pmix_info_t info[],
                              size_t ninfo, pmix_iof_channel_t channels, pmix_op_cbfunc_t fn,
                              void *cbdata)
{
    (void) procs;
    (void) n;
    (void) info;
    (void) ninfo;
    (void) channels;
    fn(PMIX_SUCCESS, cbdata);
    return PMIX_SUCCESS;
}

static void host_echoes(unsigned node, pmix_server_module_t *module)
{
    (void) node;
    module->push_stdin = push_stdin;
    module->iof_pull = iof_pull;
}

/* With little room for who does not read, and for events of the past. */
static void host_is_small(unsigned node, pmix_server_module_t *module)
{
    char limit[32];

    host_echoes(node, module);
    snprintf(limit, sizeof(limit), "%d", LIMIT);
    setenv("PMIX_MCA_shmix_send_queue_size", limit, 1);
    setenv("PMIX_MCA_shmix_event_bytes", "262144", 1);
}

static long peak_bytes(void)
{
    struct rusage used;

    (void) getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss * 1024;
}

static long before;

static void ready(unsigned node)
{
    (void) node;
    before = peak_bytes();
}

/* MANY messages are three times as much. */
static int after_bounded(unsigned node)
{
    long grown = peak_bytes() - before;

    (void) node;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0; /* what is freed stays for a while */
#endif
    if (grown > LIMIT + SLACK) {
        fprintf(stderr, "# the server has grown by %ld bytes\n", grown);
    }
    return grown > LIMIT + SLACK;
}

/* --- the one that is stopped --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int n_seen;        /* lock */
static bool out_of_order; /* lock */

static void see(int number)
{
    pthread_mutex_lock(&lock);
    out_of_order = out_of_order || number != n_seen;
    n_seen++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

/* At least n messages, in order; returns how many. */
static int await(int n)
{
    int seen;

    pthread_mutex_lock(&lock);
    while (n_seen < n) {
        pthread_cond_wait(&more, &lock);
    }
    check(!out_of_order);
    seen = n_seen;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    int number = -1;

    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "message") && info[i].value.data.bo.size == LEN) {
            memcpy(&number, info[i].value.data.bo.bytes, sizeof(number));
        }
    }
    see(number);
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    int number = -1;

    (void) id;
    (void) channel;
    (void) source;
    (void) info;
    (void) ninfo;
    if (bytes->size == LEN) {
        memcpy(&number, bytes->bytes, sizeof(number));
    }
    see(number);
}

static void subscribe(bool output)
{
    pmix_status_t code = CODE;
    pmix_proc_t all = proc_of(me.nspace, PMIX_RANK_WILDCARD);

    if (output) {
        check(PMIx_IOF_pull(&all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, on_output, NULL, NULL) >= 0);
    } else {
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0);
    }
}

/* What came before is still read; what takes the server says why it cannot be had. */
static void is_cut_off(void)
{
    uint32_t pid;

    check_status(PMIx_Fence(NULL, 0, NULL, 0), PMIX_ERR_LOST_CONNECTION);
    check(await(0) < MANY);
    check_status(get_with(0, "pid", NULL, &pid), PMIX_SUCCESS);
    check_status(get_with(0, "none", NULL, &pid), PMIX_ERR_LOST_CONNECTION);
}

static void be_stopped(bool fits)
{
    raise(SIGSTOP);
    if (!fits) {
        is_cut_off();
        return;
    }
    check(await(FEW) == FEW);
    fence_all(false);
}

/* --- the others --- */

static char state_of(uint32_t pid)
{
    char path[64];
    char line[512] = "";
    const char *end;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    f = fopen(path, "r");
    check(f != NULL);
    check(fgets(line, sizeof(line), f) != NULL);
    fclose(f);
    end = strrchr(line, ')');
    return end ? end[2] : '?';
}

static void send_message(int number, bool output)
{
    static char bytes[LEN];
    pmix_byte_object_t bo = {.bytes = bytes, .size = LEN};
    pmix_info_t info;

    memcpy(bytes, &number, sizeof(number));
    if (output) {
        check_status(PMIx_IOF_push(NULL, 0, &bo, NULL, 0, NULL, NULL), PMIX_SUCCESS);
        return;
    }
    PMIX_INFO_LOAD(&info, "message", &bo, PMIX_BYTE_OBJECT);
    check_status(PMIx_Notify_event(CODE, &me, PMIX_RANGE_LOCAL, &info, 1, NULL, NULL),
                 PMIX_SUCCESS);
    PMIx_Value_destruct(&info.value);
}

static void go_on(uint32_t victim, bool output, bool fits)
{
    pmix_proc_t both[2] = {proc_of(me.nspace, 0), proc_of(me.nspace, 1)};

    while (state_of(victim) != 'T') {
        continue; /* it is on its way: it stops itself next */
    }
    for (int i = 0; i < (fits ? FEW : MANY); i++) {
        if (me.rank == 0) {
            send_message(i, output);
        }
        check_status(PMIx_Fence(both, 2, NULL, 0), PMIX_SUCCESS);
    }
    check(state_of(victim) == 'T');
    check_status(PMIx_Fence(both, 2, NULL, 0), PMIX_SUCCESS);
    if (me.rank == 0) {
        check(kill((pid_t) victim, SIGCONT) == 0);
    }
    if (fits) {
        fence_all(false);
    }
}

static int run(bool output, bool fits)
{
    uint32_t victim;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    post(PMIX_GLOBAL, "pid", (uint32_t) getpid());
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    if (me.rank == VICTIM) {
        subscribe(output);
    }
    fence_all(true);
    if (me.rank == VICTIM) {
        be_stopped(fits);
    } else {
        check_status(get_with(VICTIM, "pid", NULL, &victim), PMIX_SUCCESS);
        go_on(victim, output, fits);
    }
    return 0;
}

static int act_few_events(void)
{
    return run(false, true);
}

static int act_many_events(void)
{
    return run(false, false);
}

static int act_little_output(void)
{
    return run(true, true);
}

static int act_much_output(void)
{
    return run(true, false);
}

static const struct act acts[] = {
    {"few events", act_few_events},
    {"many events", act_many_events},
    {"little output", act_little_output},
    {"much output", act_much_output},
    {NULL, NULL},
};

#define RUN(...)                                                                                   \
    assert_int_equal(world_run(&(struct world){.n_nodes = 1, .per_node = 3, __VA_ARGS__}), 0)

static void few_events(void **state)
{
    (void) state;
    RUN(.act = "few events", .host = host_echoes);
}

static void many_events(void **state)
{
    (void) state;
    RUN(.act = "many events", .host = host_is_small, .ready = ready, .after = after_bounded);
}

static void little_output(void **state)
{
    (void) state;
    RUN(.act = "little output", .host = host_echoes);
}

static void much_output(void **state)
{
    (void) state;
    RUN(.act = "much output", .host = host_is_small, .ready = ready, .after = after_bounded);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_events),
        cmocka_unit_test(many_events),
        cmocka_unit_test(little_output),
        cmocka_unit_test(much_output),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
