/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that is stopped while the server has much to tell it, and one that is stopped while it
 * is sent output; a tool that is stopped while it is sent both, or killed then. The others go on
 * with their fences, one after each message, so that a server that waited for the stopped one would
 * keep them for ever. What waits for it is bounded: if it fits, the stopped one finds everything
 * when it goes on; if not, it has lost events and output, is told how much, and is served as
 * before. SHM-003. Covers: SHM-003 */

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
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
#include <sys/wait.h>

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
    SLACK = 20 << 20,
    EVENTS = 1,
    OUTPUT = 2
};

/* --- the host: gives back as output of rank 0 what it is given as input --- */

struct echo {
    pmix_op_cbfunc_t fn;
    void *cbdata;
    pmix_proc_t source;
    pmix_byte_object_t bytes;
};

static void echoed(pmix_status_t status, void *cbdata)
{
    struct echo *echo = cbdata;

    echo->fn(status, echo->cbdata);
    free(echo);
}

static pmix_status_t push_stdin(struct upcall *upcall)
{
    struct echo *echo = malloc(sizeof(*echo));

    check(echo != NULL);
    *echo = (struct echo){
        upcall->reply.op, upcall->cbdata, *upcall->proc, {(char *) upcall->data, upcall->n_data}};
    return PMIx_server_IOF_deliver(&echo->source, PMIX_FWD_STDOUT_CHANNEL, &echo->bytes, NULL, 0,
                                   echoed, echo);
}

static void host_echoes(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_TOOL] = (struct answer){INSIDE, .status = PMIX_SUCCESS};
    answers[ON_PUSH] = (struct answer){OWN, .own = push_stdin};
    answers[ON_PULL] = (struct answer){INSIDE, .status = PMIX_SUCCESS};
}

/* With little room for who does not read, and for events of the past. */
static void host_is_small(unsigned node, struct answer *answers)
{
    char limit[32];

    host_echoes(node, answers);
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

static int n_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    check(dir != NULL);
    while (readdir(dir) != NULL) {
        n++;
    }
    closedir(dir);
    return n;
}

static long before;
static int descriptors;

static void ready(unsigned node)
{
    (void) node;
    before = peak_bytes();
    descriptors = n_descriptors();
}

/* Everybody has ended, and the server learns of that from their connections. */
static int after_all(unsigned node)
{
    (void) node;
    while (n_descriptors() != descriptors) {
        sched_yield();
    }
    return 0;
}

/* MANY messages are three times as much. */
static int after_bounded(unsigned node)
{
    long grown = peak_bytes() - before;

    (void) after_all(node);
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
static int n_seen[2];            /* lock: events, pieces of output */
static int newest[2] = {-1, -1}; /* lock */
static uint64_t lost;            /* lock: both, as the server says */
static bool out_of_order;        /* lock */

static void see(bool output, int number)
{
    pthread_mutex_lock(&lock);
    out_of_order = out_of_order || number <= newest[output];
    newest[output] = number;
    n_seen[output]++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void see_loss(const pmix_info_t info[], size_t ninfo)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "shmix.lost.events") ||
            PMIX_CHECK_KEY(&info[i], "shmix.lost.output")) {
            lost += info[i].value.data.uint64;
        }
    }
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

/* Until each of n messages was seen, or is known to be lost, and some are. */
static void await_all(int n)
{
    pthread_mutex_lock(&lock);
    while ((uint64_t) (n_seen[0] + n_seen[1]) + lost < (uint64_t) n) {
        pthread_cond_wait(&more, &lock);
    }
    check(lost > 0 && (uint64_t) (n_seen[0] + n_seen[1]) + lost == (uint64_t) n && !out_of_order);
    pthread_mutex_unlock(&lock);
}

/* At least n messages, in order; returns how many. */
static int await(bool output, int n)
{
    int seen;

    pthread_mutex_lock(&lock);
    while (n_seen[output] < n) {
        pthread_cond_wait(&more, &lock);
    }
    check(!out_of_order && newest[output] < MANY);
    seen = n_seen[output];
    pthread_mutex_unlock(&lock);
    return seen;
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    int number = -1;

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    if (status == PMIX_ERR_OUT_OF_RESOURCE) {
        see_loss(info, ninfo);
        fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
        return;
    }
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "message") && info[i].value.data.bo.size == LEN) {
            memcpy(&number, info[i].value.data.bo.bytes, sizeof(number));
        }
    }
    see(false, number);
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
    see(true, number);
}

static void subscribe(unsigned kinds)
{
    pmix_status_t codes[2] = {PMIX_ERR_OUT_OF_RESOURCE, CODE};
    pmix_proc_t all = proc_of(WORLD_NSPACE, PMIX_RANK_WILDCARD);

    if (kinds & OUTPUT) {
        check(PMIx_IOF_pull(&all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, on_output, NULL, NULL) >= 0);
    }
    check(PMIx_Register_event_handler(codes, kinds & EVENTS ? 2 : 1, NULL, 0, on_event, NULL,
                                      NULL) >= 0);
}

static void be_stopped(unsigned kinds, bool fits)
{
    raise(SIGSTOP);
    if (fits) {
        check(await(kinds == OUTPUT, FEW) == FEW && newest[kinds == OUTPUT] == FEW - 1);
    } else {
        await_all(MANY);
    }
    fence_all(false);
}

/* --- the tool that is stopped: a process that the victim starts, by a line of its own --- */

static int run_tool(pid_t server, bool fits)
{
    pmix_query_t *query = PMIx_Query_create(1);
    pmix_info_t *results = NULL;
    pmix_info_t info;
    size_t n = 0;

    alarm(60);
    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &server, PMIX_PID);
    check_status(PMIx_tool_init(&me, &info, 1), PMIX_SUCCESS);
    subscribe(EVENTS | OUTPUT);
    check(write(STDOUT_FILENO, "", 1) == 1);
    raise(SIGSTOP);
    check_status(PMIx_Argv_append_nosize(&query->keys, PMIX_QUERY_NAMESPACES), PMIX_SUCCESS);
    if (fits) {
        check(await(false, FEW) == FEW && await(true, FEW) == FEW);
    } else {
        await_all(2 * MANY);
    }
    check_status(PMIx_Query_info(query, 1, &results, &n), PMIX_SUCCESS);
    PMIx_Info_free(results, n);
    PMIx_Query_free(query, 1);
    check_status(PMIx_tool_finalize(), PMIX_SUCCESS);
    return 0;
}

/* Returns when it has subscribed. */
static pid_t start_tool(bool fits)
{
    char server[32];
    char *argv[] = {(char *) "tool", (char *) "tool", server, (char *) (fits ? "fits" : "many"),
                    NULL};
    int ready[2];
    char byte;
    pid_t pid;

    snprintf(server, sizeof(server), "%d", (int) getppid());
    check(pipe(ready) == 0);
    pid = fork();
    check(pid >= 0);
    if (pid == 0) {
        (void) dup2(ready[1], STDOUT_FILENO);
        (void) unsetenv("PMIX_NAMESPACE");
        (void) unsetenv("PMIX_RANK");
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    close(ready[1]);
    check(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    return pid;
}

/* --- the others --- */

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

static void send_messages(int number, unsigned kinds)
{
    if (kinds & EVENTS) {
        send_message(number, false);
    }
    if (kinds & OUTPUT) {
        send_message(number, true);
    }
}

static void go_on(uint32_t victim, unsigned kinds, bool fits, int end)
{
    pmix_proc_t both[2] = {proc_of(me.nspace, 0), proc_of(me.nspace, 1)};

    while (world_state_of(victim) != 'T') {
        continue; /* it is on its way: it stops itself next */
    }
    for (int i = 0; i < (fits ? FEW : MANY); i++) {
        if (me.rank == 0) {
            send_messages(i, kinds);
        }
        check_status(PMIx_Fence(both, 2, NULL, 0), PMIX_SUCCESS);
    }
    check(world_state_of(victim) == 'T');
    check_status(PMIx_Fence(both, 2, NULL, 0), PMIX_SUCCESS);
    if (me.rank == 0) {
        check(kill((pid_t) victim, end) == 0);
    }
    fence_all(false);
}

static int run(unsigned kinds, bool fits)
{
    uint32_t victim;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    post(PMIX_GLOBAL, "pid", (uint32_t) getpid());
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    if (me.rank == VICTIM) {
        subscribe(kinds);
    }
    fence_all(true);
    if (me.rank == VICTIM) {
        be_stopped(kinds, fits);
    } else {
        check_status(get_with(VICTIM, "pid", NULL, &victim), PMIX_SUCCESS);
        go_on(victim, kinds, fits, SIGCONT);
    }
    return 0;
}

/* The same with a tool, and everybody there at the end. */
static int run_with_tool(bool fits, int end)
{
    pid_t tool = 0;
    uint32_t victim;
    int status;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (me.rank == VICTIM) {
        tool = start_tool(fits);
        post(PMIX_GLOBAL, "pid", (uint32_t) tool);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    fence_all(true);
    if (me.rank != VICTIM) {
        check_status(get_with(VICTIM, "pid", NULL, &victim), PMIX_SUCCESS);
        go_on(victim, EVENTS | OUTPUT, fits, end);
    } else {
        check(waitpid(tool, &status, 0) == tool);
        check(end == SIGKILL ? WIFSIGNALED(status) : status == 0);
    }
    if (me.rank == VICTIM) {
        fence_all(false);
    }
    return 0;
}

static int act_few_events(void)
{
    return run(EVENTS, true);
}

static int act_many_events(void)
{
    return run(EVENTS, false);
}

static int act_little_output(void)
{
    return run(OUTPUT, true);
}

static int act_much_output(void)
{
    return run(OUTPUT, false);
}

static int act_tool_few(void)
{
    return run_with_tool(true, SIGCONT);
}

static int act_tool_many(void)
{
    return run_with_tool(false, SIGCONT);
}

static int act_tool_killed(void)
{
    return run_with_tool(true, SIGKILL);
}

static const struct act acts[] = {
    {"few events", act_few_events},       {"many events", act_many_events},
    {"little output", act_little_output}, {"much output", act_much_output},
    {"tool few", act_tool_few},           {"tool many", act_tool_many},
    {"tool killed", act_tool_killed},     {NULL, NULL},
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

static void tool_few(void **state)
{
    (void) state;
    RUN(.act = "tool few", .host = host_echoes, .ready = ready, .after = after_all);
}

static void tool_many(void **state)
{
    (void) state;
    RUN(.act = "tool many", .host = host_is_small, .ready = ready, .after = after_bounded);
}

static void tool_killed(void **state)
{
    (void) state;
    RUN(.act = "tool killed", .host = host_echoes, .ready = ready, .after = after_all);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_events),    cmocka_unit_test(many_events),
        cmocka_unit_test(little_output), cmocka_unit_test(much_output),
        cmocka_unit_test(tool_few),      cmocka_unit_test(tool_many),
        cmocka_unit_test(tool_killed),
    };

    if (argc == 4 && strcmp(argv[1], "tool") == 0) {
        return run_tool((pid_t) atoi(argv[2]), strcmp(argv[3], "fits") == 0);
    }
    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
