/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that starts many jobs one after the other, AT_ONCE at a time, hears of the end of each,
 * and looks at what its server has then: as many descriptors and segments as after the first ten,
 * and little more memory. many_clients JOBS KIND SEED AT_ONCE; "many_clients child" is a process of
 * such a job: it posts, reads what its neighbour has posted, and ends; "many_clients reader SEED"
 * reads until it is killed, in the middle of it. */

#include <dirent.h>
#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4, FIRST = 10, LIFE_US = 3000 };

/* Seconds to live: at least, and for so many jobs one more. */
enum { PATIENCE_S = 600, JOBS_A_SECOND = 5 };

static pmix_proc_t me;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fewer = PTHREAD_COND_INITIALIZER;
static int n_running; /* lock */
static int n_failed;  /* lock */
static int at_once = 1;

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "many_clients: %s: %s\n", what, PMIx_Error_string(rc));
        exit(99);
    }
}

/* --- a process of a job --- */

static void be_child(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 100 + me.rank};
    pmix_value_t *got = NULL;
    pmix_proc_t other;
    pmix_info_t collect;
    bool yes = true;

    check(PMIx_Put(PMIX_GLOBAL, "number", &v), "put");
    check(PMIx_Commit(), "commit");
    PMIx_Info_load(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check(PMIx_Fence(NULL, 0, &collect, 1), "fence");
    PMIX_LOAD_PROCID(&other, me.nspace, (me.rank + 1) % RANKS);
    check(PMIx_Get(&other, "number", NULL, 0, &got), "get");
    if (got->data.uint32 != 100 + other.rank) {
        exit(98);
    }
    PMIx_Value_free(got, 1);
    check(PMIx_Finalize(NULL, 0), "finalize");
}

/* Has itself killed by the kernel some moments later. */
static void be_reader(unsigned seed)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {{0, 0}, {0, 0}};
    pmix_value_t *got = NULL;
    pmix_proc_t job;
    timer_t timer;

    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    seed += me.rank;
    when.it_value.tv_nsec = 1000L * (1 + rand_r(&seed) % LIFE_US);
    if (timer_create(CLOCK_MONOTONIC, &how, &timer) || timer_settime(timer, 0, &when, NULL)) {
        exit(96);
    }
    for (;;) {
        check(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &got), "get");
        PMIx_Value_free(got, 1);
        check(PMIx_Get(&me, PMIX_HOSTNAME, NULL, 0, &got), "get");
        PMIx_Value_free(got, 1);
    }
}

/* --- the one that starts them --- */

static void on_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    bool failed = true;

    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_JOB_TERM_STATUS)) {
            failed = info[i].value.data.status != PMIX_SUCCESS;
        }
    }
    pthread_mutex_lock(&lock);
    n_running--;
    n_failed += failed;
    pthread_cond_signal(&fewer);
    pthread_mutex_unlock(&lock);
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void wait_until_at_most(int n)
{
    pthread_mutex_lock(&lock);
    while (n_running > n) {
        pthread_cond_wait(&fewer, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void start_job(char *program, const char *kind, unsigned seed)
{
    char number[16];
    pmix_nspace_t nspace;
    pmix_app_t *app = PMIx_App_create(1);
    pmix_info_t notify;
    bool yes = true;

    wait_until_at_most(at_once - 1);
    pthread_mutex_lock(&lock);
    n_running++;
    pthread_mutex_unlock(&lock);
    app->cmd = strdup(program);
    app->maxprocs = RANKS;
    check(PMIx_Argv_append_nosize(&app->argv, program), "argv");
    check(PMIx_Argv_append_nosize(&app->argv, kind), "argv");
    snprintf(number, sizeof(number), "%u", seed);
    check(PMIx_Argv_append_nosize(&app->argv, number), "argv");
    PMIx_Info_load(&notify, PMIX_NOTIFY_COMPLETION, &yes, PMIX_BOOL);
    check(PMIx_Spawn(&notify, 1, app, 1, nspace), "spawn");
    PMIx_App_free(app, 1);
}

struct taken {
    int descriptors;
    int segments;
    long kib;
};

static void count_lines(const char *path, const char *what, int *n, long *number)
{
    FILE *file = fopen(path, "re");
    char line[4096];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *at = strstr(line, what);

        *n += at != NULL;
        *number = at != NULL ? atol(at + strlen(what)) : *number;
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* What the server has when no job is there. The host answers a query after all that it was told
 * before. */
static struct taken look(void)
{
    struct taken taken = {0};
    char path[64];
    pmix_query_t *query = PMIx_Query_create(1);
    pmix_info_t *results = NULL;
    size_t n = 0;
    long none;
    int once = 0;
    DIR *dir;

    wait_until_at_most(0);
    check(PMIx_Argv_append_nosize(&query->keys, PMIX_QUERY_NAMESPACES), "keys");
    check(PMIx_Query_info(query, 1, &results, &n), "query");
    PMIx_Info_free(results, n);
    PMIx_Query_free(query, 1);
    snprintf(path, sizeof(path), "/proc/%d/fd", (int) getppid());
    dir = opendir(path);
    while (dir != NULL && readdir(dir) != NULL) {
        taken.descriptors++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    snprintf(path, sizeof(path), "/proc/%d/maps", (int) getppid());
    count_lines(path, "memfd:shmix (", &taken.segments, &none);
    snprintf(path, sizeof(path), "/proc/%d/status", (int) getppid());
    count_lines(path, "RssAnon:", &once, &taken.kib);
    return taken;
}

static int start_all(char *program, int n_jobs, const char *kind, unsigned seed)
{
    pmix_status_t code = PMIX_EVENT_JOB_END;
    struct taken first = {0};
    struct taken last;

    if (n_jobs <= FIRST) {
        fprintf(stderr, "many_clients: more than %d jobs are needed\n", FIRST);
        return 97;
    }
    if (PMIx_Register_event_handler(&code, 1, NULL, 0, on_end, NULL, NULL) < 0) {
        return 97;
    }
    for (int i = 0; i < n_jobs; i++) {
        if (i == FIRST) {
            first = look();
        }
        start_job(program, kind, seed + RANKS * (unsigned) i);
    }
    last = look();
    printf("%d jobs, %d failed\n", n_jobs, n_failed);
    printf("descriptors %+d segments %+d\n", last.descriptors - first.descriptors,
           last.segments - first.segments);
    printf("kib %ld\n", last.kib - first.kib);
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 97;
    }
    alarm(PATIENCE_S);
    check(PMIx_Init(&me, NULL, 0), "init");
    if (strcmp(argv[1], "child") == 0) {
        be_child();
        return 0;
    }
    if (strcmp(argv[1], "reader") == 0) {
        be_reader((unsigned) strtoul(argv[2], NULL, 10));
    }
    at_once = argc < 5 ? 0 : atoi(argv[4]);
    if (at_once < 1) {
        return 97;
    }
    alarm(PATIENCE_S + (unsigned) atoi(argv[1]) / JOBS_A_SECOND);
    return start_all(argv[0], atoi(argv[1]), argv[2], (unsigned) strtoul(argv[3], NULL, 10));
}
