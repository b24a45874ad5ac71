/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* INI-009: what a finalize leaves behind if a thread stays inside a call. Until the thread has
 * left, every init is refused; then the next init ends the former life and begins its own. There is
 * never more than one progress thread. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>
#include <pmix_tool.h>

/* --- the clock of the library --- */

static __thread bool stays;   /* the calling thread stays where it next asks for the time */
static __thread bool hurries; /* a second passes each time that the calling thread asks */
static __thread time_t ahead;
static sem_t inside;
static sem_t leave;

static void await(sem_t *sem)
{
    while (sem_wait(sem) != 0 && errno == EINTR) {
    }
}

/* In place of that of the C library. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    long rc = syscall(SYS_clock_gettime, clock, now);

    if (stays) {
        stays = false;
        (void) sem_post(&inside);
        await(&leave);
    }
    if (hurries) {
        ahead++;
        now->tv_sec += ahead;
    }
    return (int) rc;
}

/* --- roles --- */

static pmix_status_t begin_tool(bool launcher)
{
    bool yes = true;
    pmix_info_t info[3];
    pmix_status_t rc;

    for (int i = 0; i < 3; i++) {
        PMIx_Info_construct(&info[i]);
    }
    PMIx_Info_load(&info[0], PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);
    PMIx_Info_load(&info[1], PMIX_TOOL_NSPACE, "mytool", PMIX_STRING);
    PMIx_Info_load(&info[2], PMIX_LAUNCHER, &yes, PMIX_BOOL);
    rc = PMIx_tool_init(NULL, info, launcher ? 3 : 2);
    for (int i = 0; i < 3; i++) {
        PMIx_Info_destruct(&info[i]);
    }
    return rc;
}

static pmix_status_t init_client(void)
{
    return PMIx_Init(NULL, NULL, 0);
}

static pmix_status_t finalize_client(void)
{
    return PMIx_Finalize(NULL, 0);
}

static pmix_status_t init_tool(void)
{
    return begin_tool(false);
}

static pmix_status_t init_launcher(void)
{
    return begin_tool(true);
}

static pmix_status_t init_server(void)
{
    return PMIx_server_init(NULL, NULL, 0);
}

static const struct role {
    pmix_status_t (*init)(void);
    pmix_status_t (*finalize)(void);
    pmix_status_t began;
} client = {init_client, finalize_client, PMIX_ERR_UNREACH},
  tool = {init_tool, PMIx_tool_finalize, PMIX_SUCCESS},
  launcher = {init_launcher, PMIx_tool_finalize, PMIX_SUCCESS},
  server = {init_server, PMIx_server_finalize, PMIX_SUCCESS};
static const struct role *const roles[] = {&client, &tool, &launcher, &server};
enum { ROLES = sizeof(roles) / sizeof(roles[0]) };

/* --- the process --- */

static int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        n++;
    }
    (void) closedir(dir);
    return n;
}

static int count_progress_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    int n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[300];
        char name[32] = "";
        FILE *file;

        (void) snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "re"); /* there is none if the thread has ended */
        if (file != NULL) {
            n += fgets(name, sizeof(name), file) != NULL && strcmp(name, "pmix-progress\n") == 0;
            (void) fclose(file);
        }
    }
    (void) closedir(dir);
    return n;
}

/* A thread gets its name, and leaves the list, a moment after it is started or joined. */
static void await_progress_threads(int n)
{
    while (count_progress_threads() != n) {
        (void) sched_yield();
    }
}

/* --- one life and the next --- */

static sem_t called;
static pmix_status_t inner_init;

/* On the progress thread of the former life. */
static void got_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status;
    (void) value;
    (void) cbdata;
    inner_init = PMIx_Init(NULL, NULL, 0);
    (void) sem_post(&called);
}

static void *stay_inside(void *arg)
{
    pmix_status_t *rc = arg;

    stays = true;
    *rc = PMIx_Get_nb(NULL, PMIX_PROCID, NULL, 0, got_value, NULL);
    return NULL;
}

#if defined(__SANITIZE_THREAD__) /* it takes no thread of a child where its parent had one */
enum { CAN_FORK = false };
#else
enum { CAN_FORK = true };
#endif

static int child(void)
{
    pmix_status_t rc = PMIx_Init(NULL, NULL, 0);

    return rc == PMIX_ERR_UNREACH && PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}

/* A forked child has none of the former life. */
static void start_in_child(void)
{
    int status = -1;
    pid_t pid = CAN_FORK ? fork() : -1;

    assert_true(pid >= 0 || !CAN_FORK);
    if (pid == 0) {
        _exit(child());
    }
    if (CAN_FORK) {
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

static void two_lives(const struct role *role)
{
    int fds = count_entries("/proc/self/fd");
    pmix_status_t rc = 1;
    pthread_t thread;

    assert_int_equal(role->init(), role->began);
    assert_int_equal(pthread_create(&thread, NULL, stay_inside, &rc), 0);
    await(&inside);
    hurries = true;
    assert_int_equal(role->finalize(), PMIX_SUCCESS);
    hurries = false;
    assert_int_equal(PMIx_Initialized(), 0);
    for (int i = 0; i < ROLES; i++) {
        assert_int_equal(roles[i]->init(), PMIX_ERR_RESOURCE_BUSY);
        assert_int_equal(PMIx_Initialized(), 0);
    }
    assert_int_equal(role->finalize(), PMIX_ERR_INIT);
    await_progress_threads(1);
    start_in_child();

    (void) sem_post(&leave);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(rc, PMIX_SUCCESS);
    await(&called);
    assert_int_equal(inner_init, PMIX_ERR_RESOURCE_BUSY);
    assert_int_equal(role->init(), role->began);
    await_progress_threads(1);
    assert_int_equal(role->finalize(), PMIX_SUCCESS);
    await_progress_threads(0);
    assert_int_equal(count_entries("/proc/self/fd"), fds);
}

static void of_a_client(void **state)
{
    (void) state;
    two_lives(&client);
}

static void of_a_tool(void **state)
{
    (void) state;
    two_lives(&tool);
}

static void of_a_launcher(void **state)
{
    (void) state;
    two_lives(&launcher);
}

static void of_a_server(void **state)
{
    (void) state;
    two_lives(&server);
}

/* The next life may be of another role. */
static void of_another_role(void **state)
{
    pmix_status_t rc = 1;
    pthread_t thread;

    (void) state;
    assert_int_equal(init_launcher(), PMIX_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, stay_inside, &rc), 0);
    await(&inside);
    hurries = true;
    assert_int_equal(PMIx_tool_finalize(), PMIX_SUCCESS);
    hurries = false;
    (void) sem_post(&leave);
    assert_int_equal(pthread_join(thread, NULL), 0);
    await(&called);
    assert_int_equal(init_client(), PMIX_ERR_UNREACH);
    await_progress_threads(1);
    assert_int_equal(finalize_client(), PMIX_SUCCESS);
    await_progress_threads(0);
}

static int set_up(void **state)
{
    (void) state;
    alarm(60);
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    (void) sem_init(&inside, 0, 0);
    (void) sem_init(&leave, 0, 0);
    (void) sem_init(&called, 0, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_client),     cmocka_unit_test(of_a_tool),
        cmocka_unit_test(of_a_launcher),   cmocka_unit_test(of_a_server),
        cmocka_unit_test(of_another_role),
    };

    return cmocka_run_group_tests_name("former_life", tests, set_up, NULL);
}
