/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* INI-003..005, INI-009, INI-015..017, GET-016, GET-018, EVT-001, EVT-019, EVT-023, QRY-030,
 * JOB-009: the exported calls around and without a server. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include <pmix_tool.h>

#include "test/unit/loop/asleep.h"

static void start(void)
{
    pmix_proc_t me;

    assert_int_equal(PMIx_Init(&me, NULL, 0), PMIX_ERR_UNREACH);
    assert_int_equal(me.rank, 0);
    assert_int_equal(strncmp(me.nspace, "singleton.", 10), 0);
}

static void finish(void)
{
    assert_int_equal(PMIx_Finalize(NULL, 0), PMIX_SUCCESS);
}

static void before_init(void **state)
{
    pmix_value_t value = {.type = PMIX_INT};
    pmix_value_t *got = NULL;
    pmix_proc_t *procs = NULL;
    pmix_nspace_t nspace = "x";
    pmix_status_t code = -5000;
    char *nodes = NULL;
    size_t n;

    (void) state;
    assert_int_equal(PMIx_Initialized(), 0);
    assert_int_equal(PMIx_Get(NULL, "k", NULL, 0, &got), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Put(PMIX_GLOBAL, "k", &value), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Store_internal(NULL, "k", &value), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Commit(), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Fence(NULL, 0, NULL, 0), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Finalize(NULL, 0), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Abort(1, "", NULL, 0), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Resolve_peers(NULL, nspace, &procs, &n), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Resolve_nodes(nspace, &nodes), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Register_event_handler(&code, 1, NULL, 0, NULL, NULL, NULL),
                     PMIX_ERR_INIT);
    assert_int_equal(PMIx_Deregister_event_handler(0, NULL, NULL), PMIX_ERR_INIT);
    assert_int_equal(PMIx_Notify_event(code, NULL, PMIX_RANGE_LOCAL, NULL, 0, NULL, NULL),
                     PMIX_ERR_INIT);
    assert_int_equal(PMIx_Group_construct("g", NULL, 0, NULL, 0, NULL, NULL), PMIX_ERR_INIT);
    assert_int_equal(PMIx_tool_finalize(), PMIX_ERR_INIT);
    assert_int_equal(PMIx_tool_get_servers(&procs, &n), PMIX_ERR_INIT);
    assert_false(PMIx_tool_is_connected());
    assert_non_null(strstr(PMIx_Get_version(), "PMIx Standard"));
    PMIx_Progress();
    PMIx_Heartbeat();
}

static void counted(void **state)
{
    pmix_info_t info;
    bool yes = true;

    (void) state;
    start();
    start();
    start();
    finish();
    finish();
    assert_int_equal(PMIx_Initialized(), 1);
    assert_int_equal(PMIx_Commit(), PMIX_SUCCESS);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EXTERNAL_PROGRESS, &yes, PMIX_BOOL);
    assert_int_equal(PMIx_Init(NULL, &info, 1), PMIX_ERR_BAD_PARAM);
    finish();
    assert_int_equal(PMIx_Initialized(), 0);
    assert_int_equal(PMIx_Finalize(NULL, 0), PMIX_ERR_INIT);
}

static void again_and_again(void **state)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 1};
    pmix_value_t *got = NULL;

    (void) state;
    for (int i = 0; i < 50; i++) {
        start();
        assert_int_equal(PMIx_Get(NULL, "k", NULL, 0, &got), PMIX_ERR_NOT_FOUND);
        assert_int_equal(PMIx_Put(PMIX_GLOBAL, "k", &value), PMIX_SUCCESS);
        assert_int_equal(PMIx_Get(NULL, "k", NULL, 0, &got), PMIX_SUCCESS);
        PMIx_Value_free(got, 1);
        finish();
    }
}

static void bad_arguments(void **state)
{
    pmix_value_t *got = NULL;
    pmix_fabric_t fabric;

    (void) state;
    start();
    assert_int_equal(PMIx_Get(NULL, NULL, NULL, 0, &got), PMIX_SUCCESS); /* all of a singleton */
    PMIx_Value_free(got, 1);
    assert_int_equal(PMIx_Get(NULL, "k", NULL, 1, &got), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Get(NULL, "k", NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Get_nb(NULL, "k", NULL, 0, NULL, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Fence(NULL, 1, NULL, 0), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Publish(NULL, 0), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Lookup(NULL, 0, NULL, 0), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Resolve_peers(NULL, NULL, NULL, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Resolve_nodes(NULL, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Spawn(NULL, 0, NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Group_construct("", NULL, 0, NULL, 0, NULL, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Query_info(NULL, 0, NULL, NULL), PMIX_ERR_BAD_PARAM);
    PMIx_Fabric_construct(&fabric);
    assert_int_equal(PMIx_Fabric_deregister(NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Fabric_register(&fabric, NULL, 0), PMIX_ERR_UNREACH);
    assert_int_equal(PMIx_Deregister_event_handler(12345, NULL, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Init(NULL, NULL, 1), PMIX_ERR_BAD_PARAM);
    finish();
}

static void abi_at_any_time(void **state)
{
    char *keys[] = {(char *) PMIX_QUERY_STABLE_ABI_VERSION, NULL};
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;

    (void) state;
    assert_int_equal(PMIx_Query_info(&query, 1, &results, &n), PMIX_SUCCESS);
    assert_int_equal(n, 2); /* the pair, and what belongs to the query */
    assert_string_equal(results[0].key, PMIX_QUERY_STABLE_ABI_VERSION);
    assert_int_equal(results[0].value.type, PMIX_STRING);
    PMIx_Info_free(results, n);
    keys[0] = (char *) PMIX_QUERY_NAMESPACES;
    assert_int_equal(PMIx_Query_info(&query, 1, &results, &n), PMIX_ERR_INIT);
}

static pmix_status_t inner_fence;
static pmix_status_t inner_get;
static pmix_status_t inner_dereg;
static volatile int n_events;

static void handler(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t *results, size_t nresults,
                    pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    pmix_value_t *got = NULL;

    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    n_events++;
    inner_fence = PMIx_Fence(NULL, 0, NULL, 0);
    inner_get = PMIx_Get(NULL, "k", NULL, 0, &got);
    if (inner_get == PMIX_SUCCESS) {
        PMIx_Value_free(got, 1);
    }
    inner_dereg = PMIx_Deregister_event_handler(id, NULL, NULL);
    cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* On the progress thread a wait would wait for itself; reads answer. */
static void inside_a_handler(void **state)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 1};
    pmix_status_t code = -5000;
    pmix_status_t id;

    (void) state;
    n_events = 0;
    start();
    assert_int_equal(PMIx_Put(PMIX_GLOBAL, "k", &value), PMIX_SUCCESS);
    id = PMIx_Register_event_handler(&code, 1, NULL, 0, handler, NULL, NULL);
    assert_int_equal(id, 1);
    assert_int_equal(PMIx_Notify_event(code, NULL, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL),
                     PMIX_SUCCESS);
    assert_int_equal(PMIx_Deregister_event_handler((size_t) id, NULL, NULL),
                     PMIX_ERR_BAD_PARAM); /* it did */
    assert_int_equal(n_events, 1);
    assert_int_equal(inner_fence, PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(inner_get, PMIX_SUCCESS);
    assert_int_equal(inner_dereg, PMIX_SUCCESS);
    finish();
}

/* Nothing calls back in a child that has not initialised the library: no call may promise it. These
 * callbacks are not called. */
static void got_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                      pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    (void) status;
    (void) info;
    (void) ninfo;
    (void) cbdata;
    (void) release_fn;
    (void) release_cbdata;
}

static void got_distances(pmix_status_t status, pmix_device_distance_t *dist, size_t ndist,
                          void *cbdata, pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    (void) status;
    (void) dist;
    (void) ndist;
    (void) cbdata;
    (void) release_fn;
    (void) release_cbdata;
}

static void op_over(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void registered(pmix_status_t status, size_t id, void *cbdata)
{
    (void) status;
    (void) id;
    (void) cbdata;
}

/* The first call that does not say PMIX_ERR_UNREACH; 0: all do. */
static int promises_of_child(void)
{
    char key[] = PMIX_QUERY_ATTRIBUTE_SUPPORT;
    char *keys[] = {key, NULL};
    pmix_query_t query = {.keys = keys};
    pmix_status_t code = -5000;
    pmix_status_t rc[4];

    rc[0] = PMIx_Query_info_nb(&query, 1, got_infos, NULL);
    rc[1] = PMIx_Compute_distances_nb(NULL, NULL, NULL, 0, got_distances, NULL);
    rc[2] = PMIx_IOF_deregister(1, NULL, 0, op_over, NULL);
    rc[3] = PMIx_Register_event_handler(&code, 1, NULL, 0, handler, registered, NULL);
    for (int i = 0; i < 4; i++) {
        if (rc[i] != PMIX_ERR_UNREACH) {
            return i + 1;
        }
    }
    return 0;
}

static void got_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status;
    (void) value;
    (void) cbdata;
}

static int child_of_client(void)
{
    pmix_value_t *got = NULL;
    pmix_proc_t me;

    if (PMIx_Get(NULL, "k", NULL, 0, &got) != PMIX_SUCCESS || got->data.integer != 1) {
        return 1;
    }
    PMIx_Value_free(got, 1);
    if (PMIx_Get_nb(NULL, "other", NULL, 0, got_value, NULL) != PMIX_ERR_UNREACH) {
        return 2;
    }
    if (promises_of_child() != 0) {
        return 10 + promises_of_child();
    }
    if (PMIx_Init(&me, NULL, 0) != PMIX_ERR_UNREACH) {
        return 3;
    }
    if (PMIx_Get(NULL, "k", NULL, 0, &got) != PMIX_ERR_NOT_FOUND) {
        return 4;
    }
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 5;
}

static void forked(void **state)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 1};
    int status = -1;
    pid_t pid;

    (void) state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it takes no thread of a child where its parent had one */
#endif
    start();
    assert_int_equal(PMIx_Put(PMIX_GLOBAL, "k", &value), PMIX_SUCCESS);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(child_of_client());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    finish();
}

static int n_called;

static void called(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    *(pmix_status_t *) cbdata = status;
    n_called++;
}

static void driven_by_hand(void **state)
{
    pmix_status_t status = 1;
    pmix_info_t info;
    bool yes = true;

    (void) state;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EXTERNAL_PROGRESS, &yes, PMIX_BOOL);
    n_called = 0;
    assert_int_equal(PMIx_Init(NULL, &info, 1), PMIX_ERR_UNREACH);
    assert_int_equal(PMIx_Get_nb(NULL, "k", NULL, 0, called, &status), PMIX_SUCCESS);
    assert_int_equal(n_called, 0);
    while (n_called == 0) {
        PMIx_Progress();
    }
    assert_int_equal(status, PMIX_ERR_NOT_FOUND);
    assert_int_equal(PMIx_Notify_event(-5000, NULL, PMIX_RANGE_LOCAL, NULL, 0, NULL, NULL),
                     PMIX_SUCCESS);
    finish();
}

static void tool_without_server(void **state)
{
    pmix_info_t info[2];
    pmix_proc_t me;
    bool yes = true;

    (void) state;
    PMIx_Info_construct(&info[0]);
    PMIx_Info_construct(&info[1]);
    PMIx_Info_load(&info[0], PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);
    assert_int_equal(PMIx_tool_init(&me, info, 1), PMIX_SUCCESS);
    assert_string_equal(me.nspace, "");
    assert_int_equal(me.rank, PMIX_RANK_UNDEF);
    assert_false(PMIx_tool_is_connected());
    assert_int_equal(PMIx_tool_init(&me, info, 1), PMIX_SUCCESS);
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
    PMIx_Info_load(&info[1], PMIX_TOOL_NSPACE, "mytool", PMIX_STRING);
    assert_int_equal(PMIx_tool_init(&me, info, 2), PMIX_SUCCESS);
    assert_string_equal(me.nspace, "mytool");
    assert_int_equal(me.rank, 0);
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
    PMIx_Info_load(&info[0], PMIX_TOOL_ATTACHMENT_FILE, "/nonexistent/file", PMIX_STRING);
    assert_int_equal(PMIx_tool_init(&me, info, 1), PMIX_ERR_UNREACH);
    assert_int_equal(PMIx_Initialized(), 0);
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
}

/* A listener that takes connections and never answers. */
static int listen_unix(char *uri, size_t room)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(sa_family_t);

    assert_int_equal(bind(fd, (struct sockaddr *) &at, len), 0); /* the kernel chooses a name */
    len = sizeof(at);
    assert_int_equal(getsockname(fd, (struct sockaddr *) &at, &len), 0);
    assert_int_equal(listen(fd, 8), 0);
    snprintf(uri, room, "host.0;unix://@%.*s",
             (int) (len - offsetof(struct sockaddr_un, sun_path) - 1), at.sun_path + 1);
    return fd;
}

static int listen_tcp(char *uri, size_t room)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(at);

    assert_int_equal(bind(fd, (struct sockaddr *) &at, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *) &at, &len), 0);
    assert_int_equal(listen(fd, 8), 0);
    snprintf(uri, room, "host.0;tcp4://127.0.0.1:%u", ntohs(at.sin_port));
    return fd;
}

/* The next connection. */
static int accept_one(int listener)
{
    int fd = accept(listener, NULL, NULL);

    while (fd < 0) {
        (void) sched_yield();
        fd = accept(listener, NULL, NULL);
    }
    return fd;
}

/* A call that a thread makes. */
struct
try {
    pmix_status_t (*fn)(void);
    _Atomic pid_t tid;
    pmix_status_t rc;
    pthread_t thread;
};

static char server_uri[256];

static pmix_status_t try_attach(void)
{
    pmix_info_t info;
    pmix_status_t rc;

    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_SERVER_URI, server_uri, PMIX_STRING);
    rc = PMIx_tool_attach_to_server(NULL, NULL, &info, 1);
    PMIx_Info_destruct(&info);
    return rc;
}

static pmix_status_t try_disconnect(void)
{
    const pmix_proc_t nobody = {.nspace = "nobody", .rank = 0};

    return PMIx_tool_disconnect(&nobody);
}

static void *try_it(void *arg)
{
    struct try *try = arg;

    try->tid = thread_id();
    try->rc = try->fn();
    return NULL;
}

/* Returns when the thread waits. */
static void begin_try(struct try *try)
{
    assert_int_equal(pthread_create(&try->thread, NULL, try_it, try), 0);
    while (try->tid == 0) {
        (void) sched_yield();
    }
    await_sleep(try->tid);
}

/* A thread connects; others wait for it: one that ends the tool, then those that use it. */
static void tool_ends_meanwhile(void **state)
{
    struct try tries[] = {{.fn = try_attach},
                          {.fn = PMIx_tool_finalize},
                          {.fn = try_attach},
                          {.fn = try_disconnect},
                          {.fn = PMIx_tool_finalize}};
    int listener = listen_tcp(server_uri, sizeof(server_uri));
    pmix_info_t info;
    bool yes = true;
    int fd;

    (void) state;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);
    assert_int_equal(PMIx_tool_init(NULL, &info, 1), PMIX_SUCCESS);
    begin_try(&tries[0]);
    fd = accept_one(listener);
    (void) close(listener); /* nobody else connects */
    for (size_t i = 1; i < 5; i++) {
        begin_try(&tries[i]);
    }
    (void) close(fd);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(pthread_join(tries[i].thread, NULL), 0);
    }
    assert_true(tries[1].rc == PMIX_SUCCESS || tries[4].rc == PMIX_SUCCESS);
    assert_true(tries[1].rc == PMIX_ERR_INIT || tries[4].rc == PMIX_ERR_INIT);
    assert_true(tries[2].rc == PMIX_ERR_INIT || tries[2].rc == PMIX_ERR_UNREACH);
    assert_true(tries[3].rc == PMIX_ERR_INIT || tries[3].rc == PMIX_ERR_NOT_FOUND);
    assert_int_equal(PMIx_Initialized(), 0);
}

static int count_connections(int listener)
{
    int n = 0;
    int fd;

    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        (void) close(fd);
        n++;
    }
    return n;
}

/* A server that is stopped is waited for once, not again by each way to it. */
static void stopped_server(void **state)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMIX_RANK", "PMIX_SHMIX_URI",
                                        "PMIX_SERVER_URI41",
                                        "PMIX_MCA_ptl_base_connection_wait_time"};
    char uris[2][256];
    int fds[2];

    (void) state;
    fds[0] = listen_unix(uris[0], sizeof(uris[0]));
    fds[1] = listen_tcp(uris[1], sizeof(uris[1]));
    setenv(names[0], "job", 1);
    setenv(names[1], "0", 1);
    setenv(names[2], uris[0], 1);
    setenv(names[3], uris[1], 1);
    setenv(names[4], "1", 1);
    assert_int_equal(PMIx_Init(NULL, NULL, 0), PMIX_ERR_TIMEOUT);
    assert_int_equal(count_connections(fds[0]), 1);
    assert_int_equal(count_connections(fds[1]), 0);
    /* What refuses is no server: the other way is tried. */
    (void) close(fds[0]);
    assert_int_equal(PMIx_Init(NULL, NULL, 0), PMIX_ERR_TIMEOUT);
    assert_int_equal(count_connections(fds[1]), 1);
    (void) close(fds[1]);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsetenv(names[i]);
    }
}

static int set_up(void **state)
{
    (void) state;
    alarm(120);
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_init),
        cmocka_unit_test(stopped_server),
        cmocka_unit_test(counted),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(abi_at_any_time),
        cmocka_unit_test(inside_a_handler),
        cmocka_unit_test(forked),
        cmocka_unit_test(driven_by_hand),
        cmocka_unit_test(tool_without_server),
        cmocka_unit_test(tool_ends_meanwhile),
    };

    return cmocka_run_group_tests_name("life", tests, set_up, NULL);
}
