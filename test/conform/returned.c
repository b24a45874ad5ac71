/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The callback of a non-blocking call does not run before the call has returned: not at any moment
 * between the last statement before the call and the first one behind it. To make that time long,
 * each call is held at every place where it has handed something over, behind the system call that
 * wakes the progress thread or sends to the server, as soon as it has no lock, until the callback
 * runs, which is the failure, or until the progress thread has been seen to have something that it
 * holds: it yields. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ENOUGH: yields that nobody makes by chance. ROUNDS: looks, after which a call goes on whose
 * callback waits for more than this message. */
enum { ENOUGH = 20, ROUNDS = 100000 };

static __thread bool calling; /* this thread is in the call, and is to be held */
static __thread bool handed;  /* it has handed something over since it was held */
static __thread int locks;    /* that this thread has */
static atomic_int out;        /* the call has not returned */
static atomic_int holding;    /* the call has handed something over, and is held soon or now */
static atomic_int yields;     /* of other threads since then */
static atomic_int asleep;     /* the progress thread is, so whoever hands it something wakes it */
static atomic_int called;     /* callbacks of this call */
static atomic_int early;      /* of them, before the return */
static int n_held;            /* calls that were seen to be waited for */

/* This thread is about to hand something over. */
static void hand_over(void)
{
    if (calling) {
        handed = true;
        atomic_store(&yields, 0);
        atomic_store(&holding, 1);
    }
}

/* Holds the call if it is this thread's, and has handed something over. */
static void hold(void)
{
    if (!calling || !handed || locks > 0) {
        return;
    }
    handed = false;
    for (int i = 0; i < ROUNDS && atomic_load(&yields) < ENOUGH && atomic_load(&called) == 0; i++) {
        (void) sched_yield();
    }
    n_held += atomic_load(&yields) >= ENOUGH;
    atomic_store(&holding, 0);
}

/* The functions below stand in front of the C library's, also for the library under test. */
#define IN_FRONT __attribute__((visibility("default")))

/* The C library's own, found before there are threads. */
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);
static int (*real_lock)(pthread_mutex_t *);
static int (*real_trylock)(pthread_mutex_t *);
static int (*real_unlock)(pthread_mutex_t *);
static int (*real_yield)(void);
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);

static __attribute__((constructor)) void find_real(void)
{
    *(void **) &real_write = dlsym(RTLD_NEXT, "write");
    *(void **) &real_sendmsg = dlsym(RTLD_NEXT, "sendmsg");
    *(void **) &real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    *(void **) &real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    *(void **) &real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    *(void **) &real_yield = dlsym(RTLD_NEXT, "sched_yield");
    *(void **) &real_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
}

/* Another constructor may call before find_real. */
static void look_for_real(void)
{
    if (real_write == NULL) {
        find_real();
    }
}

IN_FRONT ssize_t write(int fd, const void *bytes, size_t len)
{
    ssize_t n;

    look_for_real();
    hand_over();
    n = real_write(fd, bytes, len);
    hold();
    return n;
}

IN_FRONT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
    ssize_t n;

    look_for_real();
    hand_over();
    n = real_sendmsg(fd, msg, flags);
    hold();
    return n;
}

IN_FRONT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    look_for_real();
    locks++;
    return real_lock(mutex);
}

IN_FRONT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int rc;

    look_for_real();
    rc = real_trylock(mutex);
    locks += rc == 0;
    return rc;
}

IN_FRONT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int rc;

    look_for_real();
    rc = real_unlock(mutex);
    locks--;
    hold();
    return rc;
}

IN_FRONT int sched_yield(void)
{
    look_for_real();
    if (!calling && atomic_load(&holding)) {
        atomic_fetch_add(&yields, 1);
    }
    return real_yield();
}

IN_FRONT int epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
    int n;

    look_for_real();
    atomic_store(&asleep, timeout != 0);
    n = real_epoll_wait(fd, events, max, timeout);
    atomic_store(&asleep, 0);
    return n;
}

/* ---- callbacks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

static void note(void)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&early, atomic_load(&out));
    atomic_fetch_add(&called, 1);
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
}

static void note_and_release(pmix_release_cbfunc_t release, void *release_cbdata)
{
    note();
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* Callbacks that look at nothing. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NOTES(name, ...)                                                                           \
    static void name(pmix_status_t status, __VA_ARGS__)                                            \
    {                                                                                              \
        note();                                                                                    \
    }
#define RELEASES(name, type)                                                                       \
    static void name(pmix_status_t status, type *at, size_t n, void *cbdata,                       \
                     pmix_release_cbfunc_t release, void *release_cbdata)                          \
    {                                                                                              \
        note_and_release(release, release_cbdata);                                                 \
    }

NOTES(on_op, void *cbdata)
NOTES(on_value, pmix_value_t *value, void *cbdata)
NOTES(on_lookup, pmix_pdata_t *data, size_t n, void *cbdata)
NOTES(on_spawn, pmix_nspace_t nspace, void *cbdata)
NOTES(on_credential, pmix_byte_object_t *credential, pmix_info_t *info, size_t n, void *cbdata)
NOTES(on_validation, pmix_info_t *info, size_t n, void *cbdata)
NOTES(on_modex, char *data, size_t n, void *cbdata)
RELEASES(on_infos, pmix_info_t)
RELEASES(on_distances, pmix_device_distance_t)

static size_t number; /* of the last handler or subscription */

static void on_number(pmix_status_t status, size_t id, void *cbdata)
{
    (void) cbdata;
    check(status == PMIX_SUCCESS, "registered: %d", status);
    number = id;
    note();
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
}

static void on_setup(pmix_status_t status, pmix_info_t info[], size_t n, void *given,
                     pmix_op_cbfunc_t release, void *release_cbdata)
{
    note();
    if (release != NULL) {
        release(PMIX_SUCCESS, release_cbdata);
    }
}

/* ---- one call */

/* A progress thread that is awake finds what it is handed without a system call, behind which the
 * call would be held. */
static void begin(void)
{
    for (int i = 0; i < ROUNDS && atomic_load(&asleep) == 0; i++) {
        (void) sched_yield();
    }
    atomic_store(&called, 0);
    atomic_store(&early, 0);
    handed = false;
    calling = true;
    atomic_store(&out, 1);
}

/* What the checks of a call are for. */
static const char *ids_of(const char *name)
{
    return strncmp(name, "PMIx_Get_nb", 11) == 0       ? "GET-014"
           : strncmp(name, "PMIx_Fence", 10) == 0      ? "FEN-015"
           : strncmp(name, "PMIx_Query_info", 15) == 0 ? "QRY-018"
           : strncmp(name, "PMIx_Group", 10) == 0      ? "GRP-106"
                                                       : NULL;
}

/* Waits for the callback of a call that was accepted. `out` is 0 since its return. */
static void end(const char *name, pmix_status_t rc)
{
    calling = false;
    atomic_store(&holding, 0);
    about(ids_of(name));
    pthread_mutex_lock(&lock);
    while (rc == PMIX_SUCCESS && atomic_load(&called) == 0) {
        pthread_cond_wait(&ended, &lock);
    }
    pthread_mutex_unlock(&lock);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "%s: %s", name,
          PMIx_Error_string(rc));
    check(atomic_load(&called) == (rc == PMIX_SUCCESS), "%s: %d callbacks", name,
          atomic_load(&called));
    check(atomic_load(&early) == 0, "%s: the callback came before the call had returned", name);
    about(NULL);
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        pmix_status_t rc_;                                                                         \
        begin();                                                                                   \
        rc_ = (call);                                                                              \
        atomic_store(&out, 0);                                                                     \
        end(#call, rc_);                                                                           \
    } while (0)

/* The same for a function without a result. */
#define TRY_VOID(call)                                                                             \
    do {                                                                                           \
        begin();                                                                                   \
        call;                                                                                      \
        atomic_store(&out, 0);                                                                     \
        end(#call, PMIX_SUCCESS);                                                                  \
    } while (0)

/* ---- calls of the progress thread, in a callback */

static pmix_status_t get_here(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    return PMIx_Get_nb(&job, PMIX_JOB_SIZE, NULL, 0, on_value, NULL);
}

static pmix_status_t get_elsewhere(void)
{
    pmix_proc_t other = process(me.nspace, 1);
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    return PMIx_Get_nb(&other, "posted", &info, 1, on_value, NULL);
}

static pmix_status_t fence_alone(void)
{
    return PMIx_Fence_nb(&me, 1, NULL, 0, on_op, NULL);
}

static pmix_status_t notify(void)
{
    return PMIx_Notify_event(PMIX_EVENT_NODE_DOWN, &me, PMIX_RANGE_PROC_LOCAL, NULL, 0, on_op,
                             NULL);
}

static pmix_status_t deregister(void)
{
    return PMIx_Deregister_event_handler(12345, on_op, NULL);
}

static pmix_status_t (*const from_callbacks[])(void) = {get_here, get_elsewhere, fence_alone,
                                                        notify, deregister};
static const char *const names[] = {
    "PMIx_Get_nb in a callback", "PMIx_Get_nb in a callback", "PMIx_Fence_nb in a callback",
    "PMIx_Notify_event in a callback", "PMIx_Deregister_event_handler in a callback"};
static pmix_status_t result; /* of the call in the callback */

static void call_from_callback(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status, (void) value;
    atomic_store(&out, 1);
    result = from_callbacks[(uintptr_t) cbdata]();
    atomic_store(&out, 0);
}

static void try_in_callback(size_t which)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    atomic_store(&called, 0);
    atomic_store(&early, 0);
    check_status(PMIX_SUCCESS,
                 PMIx_Get_nb(&job, PMIX_JOB_SIZE, NULL, 0, call_from_callback, (void *) which),
                 "get");
    end(names[which], PMIX_SUCCESS);
    check_status(PMIX_SUCCESS, result, "its status");
}

static void try_data(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_proc_t other = process(me.nspace, 1);
    char *keys[] = {"word", NULL};
    pmix_info_t info;

    TRY(PMIx_Get_nb(&job, PMIX_JOB_SIZE, NULL, 0, on_value, NULL));
    TRY(PMIx_Get_nb(&other, "posted", NULL, 0, on_value, NULL));
    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    TRY(PMIx_Get_nb(&other, "posted", &info, 1, on_value, NULL));
    TRY(PMIx_Get_nb(&other, "nowhere", &info, 1, on_value, NULL));
    TRY(PMIx_Get_nb(&other, NULL, NULL, 0, on_value, NULL));
    TRY(PMIx_Get_nb(&me, PMIX_LOCAL_PROCS, NULL, 0, on_value, NULL));
    TRY(PMIx_Get_nb(&me, PMIX_GROUP_NAMES, NULL, 0, on_value, NULL));
    TRY(PMIx_Fence_nb(&me, 1, NULL, 0, on_op, NULL));
    PMIX_INFO_LOAD(&info, "word", "text", PMIX_STRING);
    TRY(PMIx_Publish_nb(&info, 1, on_op, NULL));
    TRY(PMIx_Lookup_nb(keys, NULL, 0, on_lookup, NULL));
    TRY(PMIx_Unpublish_nb(keys, NULL, 0, on_op, NULL));
    PMIX_INFO_DESTRUCT(&info);
}

static void try_jobs(void)
{
    char block[] = "block";
    pmix_proc_t self = me;
    pmix_query_t query = {.keys = NULL};
    pmix_info_t info;
    pmix_app_t app;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("true");
    app.maxprocs = 1;
    TRY(PMIx_Spawn_nb(NULL, 0, &app, 1, on_spawn, NULL));
    PMIX_APP_DESTRUCT(&app);
    TRY(PMIx_Connect_nb(&self, 1, NULL, 0, on_op, NULL));
    TRY(PMIx_Disconnect_nb(&self, 1, NULL, 0, on_op, NULL));
    (void) PMIx_Argv_append_nosize(&query.keys, "unknown.to.all");
    TRY(PMIx_Query_info_nb(&query, 1, on_infos, NULL));
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_INFO_LOAD(&info, PMIX_LOG_STDERR, "text", PMIX_STRING);
    TRY(PMIx_Log_nb(&info, 1, NULL, 0, on_op, NULL));
    TRY(PMIx_Allocation_request_nb(PMIX_ALLOC_NEW, &info, 1, on_infos, NULL));
    TRY(PMIx_Job_control_nb(&self, 1, &info, 1, on_infos, NULL));
    TRY(PMIx_Process_monitor_nb(&info, PMIX_MONITOR_HEARTBEAT_ALERT, NULL, 0, on_infos, NULL));
    TRY(PMIx_Session_control(0, &info, 1, on_infos, NULL));
    if (shared_form()) { /* a server that is not known to be ours does not have it */
        TRY(PMIx_Resource_block_nb(PMIX_RESOURCE_BLOCK_DEFINE, block, NULL, 0, NULL, 0, on_op,
                                   NULL));
    }
    PMIX_INFO_DESTRUCT(&info);
}

static void try_security(void)
{
    char bytes[] = "secret";
    pmix_byte_object_t credential = {bytes, sizeof(bytes)};
    pmix_fabric_t fabric;

    TRY(PMIx_Get_credential_nb(NULL, 0, on_credential, NULL));
    TRY(PMIx_Validate_credential_nb(&credential, NULL, 0, on_validation, NULL));
    PMIX_FABRIC_CONSTRUCT(&fabric);
    TRY(PMIx_Fabric_register_nb(&fabric, NULL, 0, on_op, NULL));
    TRY(PMIx_Fabric_update_nb(&fabric, on_op, NULL));
    TRY(PMIx_Fabric_deregister_nb(&fabric, on_op, NULL));
}

static void try_events(void)
{
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    TRY(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, on_number, NULL));
    TRY(PMIx_Notify_event(code, &me, PMIX_RANGE_PROC_LOCAL, NULL, 0, on_op, NULL));
    TRY(PMIx_Notify_event(-5000, &me, PMIX_RANGE_LOCAL, NULL, 0, on_op, NULL));
    TRY(PMIx_Deregister_event_handler(number, on_op, NULL));
    TRY(PMIx_IOF_pull(&job, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, on_output, on_number, NULL));
    TRY(PMIx_IOF_deregister(number, NULL, 0, on_op, NULL));
}

static void try_input(void)
{
    char text[] = "text";
    pmix_byte_object_t bytes = {text, sizeof(text)};

    TRY(PMIx_IOF_push(&me, 1, &bytes, NULL, 0, on_op, NULL));
}

/* A machine with one device: this one need not have any. */
#define SETS "cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\""
static const char machine[] = "<topology version=\"2.0\">\n<object type=\"Machine\" " SETS ">\n"
                              "<object type=\"NUMANode\" os_index=\"0\" " SETS "/>\n"
                              "<object type=\"PU\" os_index=\"0\" " SETS "/>\n"
                              "<object type=\"OSDev\" osdev_type=\"2\"/>\n</object>\n</topology>\n";

static void try_distances(void)
{
    const char *path = path_named("%s/machine.xml", scratch());

    write_text(path, machine);
    setenv("HWLOC_XMLFILE", path, 1);
    TRY(PMIx_Compute_distances_nb(NULL, NULL, NULL, 0, on_distances, NULL));
    (void) unlink(path);
}

static void try_groups(void)
{
    pmix_proc_t other = process(me.nspace, 1);

    TRY(PMIx_Group_construct_nb("g", &me, 1, NULL, 0, on_infos, NULL));
    TRY(PMIx_Group_destruct_nb("g", NULL, 0, on_op, NULL));
    TRY(PMIx_Group_construct_nb("h", &me, 1, NULL, 0, on_infos, NULL));
    TRY(PMIx_Group_leave_nb("h", NULL, 0, on_op, NULL));
    TRY(PMIx_Group_invite_nb("i", &me, 1, NULL, 0, on_infos, NULL));
    TRY(PMIx_Group_join_nb("j", &other, PMIX_GROUP_DECLINE, NULL, 0, on_infos, NULL));
}

static void client(void)
{
    if (me.rank == 1) {
        put_number("posted", 1);
        commit();
        tell("posted");
        return;
    }
    await("posted");
    try_data();
    try_jobs();
    try_security();
    try_events();
    try_input();
    try_distances();
    try_groups();
    check(n_held >= 20, "%d calls were waited for", n_held);
    for (size_t i = 0; i < sizeof(from_callbacks) / sizeof(from_callbacks[0]); i++) {
        try_in_callback(i);
    }
}

static void tool(void)
{
    check_status(PMIX_SUCCESS, PMIx_tool_init(&me, NULL, 0), "tool_init");
    try_events();
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void support_tools(struct infos *list)
{
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
}

static void try_registrations(pmix_proc_t *proc)
{
    pmix_nspace_t nowhere = "";
    pmix_info_t info;
    uint32_t one = 1;

    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &one, PMIX_UINT32);
    TRY(PMIx_server_register_nspace(proc->nspace, 1, &info, 1, on_op, NULL));
    TRY(PMIx_server_register_client(proc, geteuid(), getegid(), NULL, on_op, NULL));
    TRY(PMIx_server_setup_local_support(proc->nspace, NULL, 0, on_op, NULL));
    TRY(PMIx_server_setup_application(proc->nspace, NULL, 0, on_setup, NULL));
    TRY(PMIx_server_register_resources(&info, 1, on_op, NULL));
    TRY(PMIx_server_deregister_resources(&info, 1, on_op, NULL));
    TRY_VOID(PMIx_server_deregister_client(proc, on_op, NULL));
    TRY_VOID(PMIx_server_deregister_nspace(proc->nspace, on_op, NULL));
    TRY_VOID(PMIx_server_deregister_client(NULL, on_op, NULL)); /* refused */
    TRY_VOID(PMIx_server_deregister_nspace(nowhere, on_op, NULL));
}

static void host(void)
{
    pmix_proc_t proc = process("B", 0);
    pmix_proc_t other = process("A", 1);
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_info_t info;
    pmix_byte_object_t bytes = {"text", 4};

    try_registrations(&proc);
    await("posted");
    TRY(PMIx_server_dmodex_request(&other, on_modex, NULL));
    TRY(PMIx_server_dmodex_request(&job, on_modex, NULL));
    TRY(PMIx_Get_nb(&other, "posted", NULL, 0, on_value, NULL));
    TRY(PMIx_Get_nb(&job, "nothing", NULL, 0, on_value, NULL));
    TRY(PMIx_server_collect_inventory(NULL, 0, on_infos, NULL));
    PMIX_INFO_LOAD(&info, PMIX_HOSTNAME, "elsewhere", PMIX_STRING);
    TRY(PMIx_server_deliver_inventory(&info, 1, NULL, 0, on_op, NULL));
    PMIX_INFO_DESTRUCT(&info);
    TRY(PMIx_server_IOF_deliver(&other, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, on_op, NULL));
#ifndef CONFORM_THEIRS
    TRY(PMIx_server_IOF_flow_control(NULL, PMIX_FWD_STDIN_CHANNEL, false, NULL, 0, on_op, NULL));
#endif
    PMIX_LOAD_PROCID(&me, "A", 0);
    try_events();
    try_security();
    check(n_held >= 10, "%d calls were waited for", n_held);
}

#define INFOS                                                                                      \
    {                                                                                              \
        CALLBACK, PMIX_SUCCESS                                                                     \
    }

const struct conform_case cases[] = {
    /* On one node: whether a call has returned is between two threads of its process, wherever the
     * answer comes from. */
    {.ids = "GET-014 FEN-015 QRY-018 GRP-106",
     .what = "no callback before its call has returned",
     .ranks = 2,
     .tools = 1,
     .client = client,
     .tool = tool,
     .script = host,
     .server = support_tools,
     .host = {[ON_PUBLISH] = INFOS,
              [ON_LOOKUP] = INFOS,
              [ON_UNPUBLISH] = INFOS,
              [ON_SPAWN] = INFOS,
              [ON_LOG] = INFOS,
              [ON_ALLOCATE] = INFOS,
              [ON_CONTROL] = INFOS,
              [ON_MONITOR] = INFOS,
              [ON_CREDENTIAL] = INFOS,
              [ON_VALIDATE] = INFOS,
              [ON_PULL] = INFOS,
              [ON_PUSH] = INFOS,
              [ON_FABRIC] = INFOS},
     .ours_only = "another library calls back while the call is held, or not at all"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
