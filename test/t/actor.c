/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job that does one thing, named by its argument, and says how it went. Used by the
 * scripts here. */

#include <pmix.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;
static uint32_t size;

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "actor: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "actor: rank %u: %s\n", me.rank, what);
        exit(98);
    }
}

static pmix_value_t *get(pmix_rank_t rank, const char *key)
{
    pmix_proc_t proc;
    pmix_value_t *value = NULL;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    check(PMIx_Get(&proc, key, NULL, 0, &value), key);
    return value;
}

static void fence(void)
{
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
}

/* ---- abort: one process ends the job */

/* With one more word it does not end by SIGTERM, so that it has time to return from the call. */
static void act_abort(char **args)
{
    if (me.rank == size - 1) {
        if (args[1] != NULL && args[2] != NULL) {
            (void) signal(SIGTERM, SIG_IGN);
        }
        (void) PMIx_Abort(42, "had enough", NULL, 0);
        puts("returned");
        fflush(stdout);
    }
    for (;;) {
        pause();
    }
}

/* ---- die: without finalize, by a signal */

static void act_die(char **args)
{
    (void) args;
    fence();
    if (me.rank == 0) {
        raise(SIGKILL);
    }
    for (;;) {
        pause();
    }
}

/* ---- job: what pmixrun registers */

static void act_job(char **args)
{
    (void) args;
    pmix_value_t *v = get(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE);
    expect(v->type == PMIX_UINT32 && v->data.uint32 == size, "univ size");
    PMIx_Value_free(v, 1);
    v = get(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE);
    expect(v->data.uint32 == size, "local size");
    PMIx_Value_free(v, 1);
    v = get(PMIX_RANK_WILDCARD, PMIX_NUM_NODES);
    expect(v->data.uint32 == 1, "number of nodes");
    PMIx_Value_free(v, 1);
    for (pmix_rank_t rank = 0; rank < size; rank++) {
        v = get(rank, PMIX_LOCAL_RANK);
        expect(v->type == PMIX_UINT16 && v->data.uint16 == rank, "local rank");
        PMIx_Value_free(v, 1);
        v = get(rank, PMIX_APPNUM);
        expect(v->data.uint32 == 0, "application number");
        PMIx_Value_free(v, 1);
    }
    cpu_set_t cpus;
    expect(sched_getaffinity(0, sizeof(cpus), &cpus) == 0, "affinity");
    v = get(PMIX_RANK_WILDCARD, PMIX_NODE_OVERSUBSCRIBED);
    expect(v->type == PMIX_BOOL && v->data.flag == (size > (uint32_t) CPU_COUNT(&cpus)),
           "more processes than CPUs");
    PMIx_Value_free(v, 1);
    v = get(me.rank, PMIX_HOSTNAME);
    expect(v->type == PMIX_STRING && v->data.string[0] != '\0', "host name");
    PMIx_Value_free(v, 1);
    v = get(PMIX_RANK_WILDCARD, PMIX_JOBID);
    printf("rank %u: job %s\n", me.rank, v->data.string);
    PMIx_Value_free(v, 1);
}

/* ---- bound: where --bind-to core has put us */

static void act_bound(char **args)
{
    (void) args;
    pmix_value_t *cpus = get(me.rank, PMIX_CPUSET);
    pmix_value_t *where = get(me.rank, PMIX_LOCALITY_STRING);
    printf("rank %u: %s %s\n", me.rank, cpus->data.string, where->data.string);
    PMIx_Value_free(cpus, 1);
    PMIx_Value_free(where, 1);
}

/* ---- spawn: rank 0 starts "actor child" twice; the children look at their parent */

static void act_spawn(char **args)
{
    pmix_nspace_t nspace;

    if (me.rank == 0) {
        pmix_app_t *app = PMIx_App_create(1);
        app->cmd = strdup(args[0]);
        app->maxprocs = 2;
        check(PMIx_Argv_append_nosize(&app->argv, args[0]), "argv");
        check(PMIx_Argv_append_nosize(&app->argv, "child"), "argv");
        check(PMIx_Argv_append_nosize(&app->env, "FROM_PARENT=yes"), "env");
        check(PMIx_Spawn(NULL, 0, app, 1, nspace), "spawn");
        PMIx_App_free(app, 1);
        printf("spawned %s\n", nspace);
        app = PMIx_App_create(1);
        app->cmd = strdup("/nonexistent/program");
        app->maxprocs = 1;
        check(PMIx_Argv_append_nosize(&app->argv, app->cmd), "argv");
        expect(PMIx_Spawn(NULL, 0, app, 1, nspace) != PMIX_SUCCESS,
               "a missing program was spawned");
        PMIx_App_free(app, 1);
    }
}

static void act_child(char **args)
{
    (void) args;
    pmix_value_t *v = get(me.rank, PMIX_PARENT_ID);
    expect(v->type == PMIX_PROC, "type of the parent's id");
    const char *from = getenv("FROM_PARENT");
    expect(from != NULL && strcmp(from, "yes") == 0, "environment of the application");
    printf("child %u of %u, parent rank %u\n", me.rank, size, v->data.proc->rank);
    PMIx_Value_free(v, 1);
}

/* ---- notice: rank 0 is told when the job that it has started ends */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool registered;
static bool told;

static void set(bool *flag)
{
    pthread_mutex_lock(&lock);
    *flag = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void await(const bool *flag)
{
    pthread_mutex_lock(&lock);
    while (!*flag) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void on_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    set(&told);
    cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void on_registered(pmix_status_t status, size_t id, void *cbdata)
{
    (void) id;
    (void) cbdata;
    check(status, "register");
    set(&registered);
}

static void act_notice(char **args)
{
    pmix_status_t code = PMIX_EVENT_JOB_END;
    pmix_app_t *app = PMIx_App_create(1);
    pmix_info_t *how = PMIx_Info_create(1);
    pmix_nspace_t nspace;
    bool yes = true;

    PMIx_Register_event_handler(&code, 1, NULL, 0, on_end, on_registered, NULL);
    await(&registered);
    app->cmd = strdup("true");
    app->maxprocs = 1;
    check(PMIx_Argv_append_nosize(&app->argv, "true"), "argv");
    check(PMIx_Info_load(how, PMIX_NOTIFY_COMPLETION, &yes, PMIX_BOOL), "load");
    check(PMIx_Spawn(how, 1, app, 1, nspace), args[1]);
    await(&told);
    printf("told that the job has ended\n");
    PMIx_Info_free(how, 1);
    PMIx_App_free(app, 1);
}

/* ---- query: what the host knows */

static void act_query(char **args)
{
    (void) args;
    pmix_query_t *q = PMIx_Query_create(1);
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool seen_names = false;
    bool seen_table = false;

    check(PMIx_Argv_append_nosize(&q->keys, PMIX_QUERY_NAMESPACES), "keys");
    check(PMIx_Argv_append_nosize(&q->keys, PMIX_QUERY_PROC_TABLE), "keys");
    q->qualifiers = PMIx_Info_create(1);
    q->nqual = 1;
    check(PMIx_Info_load(q->qualifiers, PMIX_NSPACE, me.nspace, PMIX_STRING), "load");
    check(PMIx_Query_info(q, 1, &results, &n), "query");
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_QUERY_NAMESPACES)) {
            seen_names = strstr(results[i].value.data.string, me.nspace) != NULL;
        } else if (PMIX_CHECK_KEY(&results[i], PMIX_QUERY_PROC_TABLE)) {
            const pmix_data_array_t *a = results[i].value.data.darray;
            const pmix_proc_info_t *table = a->array;
            seen_table = a->size == size && table[me.rank].pid == getpid();
        }
    }
    expect(seen_names, "our namespace is not among the namespaces");
    expect(seen_table, "the process table does not have us");
    PMIx_Info_free(results, n);
    PMIx_Query_free(q, 1);
    fence(); /* nobody ends while another asks */
    printf("rank %u: queries answered\n", me.rank);
}

/* ---- control: rank 0 stops, continues and ends rank 1 */

static void control(pmix_proc_t *target, const char *key, const void *value, pmix_data_type_t type)
{
    pmix_info_t *how = PMIx_Info_create(1);
    pmix_info_t *results = NULL;
    size_t n = 0;

    check(PMIx_Info_load(how, key, value, type), "load");
    check(PMIx_Job_control(target, 1, how, 1, &results, &n), key);
    PMIx_Info_free(how, 1);
    if (results != NULL) {
        PMIx_Info_free(results, n);
    }
}

static void act_control(char **args)
{
    (void) args;
    bool yes = true;
    pmix_proc_t target;

    fence();
    if (me.rank != 0) {
        for (;;) {
            pause();
        }
    }
    PMIX_LOAD_PROCID(&target, me.nspace, 1);
    control(&target, PMIX_JOB_CTRL_PAUSE, &yes, PMIX_BOOL);
    control(&target, PMIX_JOB_CTRL_RESUME, &yes, PMIX_BOOL);
    control(&target, PMIX_JOB_CTRL_TERMINATE, &yes, PMIX_BOOL);
    printf("rank 1 was told to end\n");
}

/* ---- log */

static void act_log(char **args)
{
    (void) args;
    pmix_info_t *data = PMIx_Info_create(1);

    check(PMIx_Info_load(data, PMIX_LOG_STDOUT, "a line for the log", PMIX_STRING), "load");
    check(PMIx_Log(data, 1, NULL, 0), "log");
    PMIx_Info_free(data, 1);
}

/* ---- group: all construct one with a context id */

static void act_group(char **args)
{
    (void) args;
    pmix_proc_t *members = PMIx_Proc_create(size);
    pmix_info_t *how = PMIx_Info_create(1);
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool yes = true;
    bool seen = false;

    for (uint32_t i = 0; i < size; i++) {
        PMIX_LOAD_PROCID(&members[i], me.nspace, i);
    }
    check(PMIx_Info_load(how, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL), "load");
    check(PMIx_Group_construct("actors", members, size, how, 1, &results, &n), "construct");
    for (size_t i = 0; i < n; i++) {
        seen = seen || PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID);
    }
    expect(seen, "no context id");
    PMIx_Info_free(results, n);
    check(PMIx_Group_destruct("actors", NULL, 0), "destruct");
    PMIx_Info_free(how, 1);
    PMIx_Proc_free(members, size);
    printf("rank %u: group made and undone\n", me.rank);
}

/* ---- names: four processes at two nodes; an order that they disagree on, one name for two groups,
 * and a name that is taken */

/* Makes a group of these; says who is in it, or the status. */
static void make(const char *name, const pmix_rank_t *ranks, size_t n_ranks)
{
    pmix_proc_t procs[4];
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (size_t i = 0; i < n_ranks; i++) {
        PMIX_LOAD_PROCID(&procs[i], me.nspace, ranks[i]);
    }
    pmix_status_t rc = PMIx_Group_construct(name, procs, n_ranks, NULL, 0, &results, &n);
    if (rc != PMIX_SUCCESS) {
        printf("%s %u: %s\n", name, me.rank, PMIx_Error_string(rc));
    }
    for (size_t i = 0; i < n; i++) {
        const pmix_data_array_t *members = results[i].value.data.darray;
        if (!PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            continue;
        }
        printf("%s", name);
        for (size_t j = 0; j < members->size; j++) {
            printf(" %u", ((const pmix_proc_t *) members->array)[j].rank);
        }
        printf("\n");
    }
    PMIx_Info_free(results, n);
}

static void made(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                 pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    printf("started %zu %s\n", n, PMIx_Error_string(status));
    (void) info;
    if (release_fn != NULL) {
        release_fn(release_cbdata);
    }
    sem_post(cbdata);
}

static void act_names(char **args)
{
    const pmix_rank_t both[2][3] = {{2, 3, 1}, {3, 2, 1}};
    const pmix_rank_t halves[2][2] = {{2, 0}, {3, 1}};
    const pmix_rank_t third[2] = {3, 0};
    pmix_proc_t mine[2];
    sem_t done;

    (void) args;
    if (me.rank > 0) {
        make("disagree", both[me.rank > 1], 3);
    }
    make("half", halves[me.rank % 2], 2);
    check(PMIx_Group_destruct("half", NULL, 0), "destruct");
    PMIX_LOAD_PROCID(&mine[0], me.nspace, 0);
    PMIX_LOAD_PROCID(&mine[1], me.nspace, 2);
    expect(sem_init(&done, 0, 0) == 0, "semaphore");
    if (me.rank == 0) {
        check(PMIx_Group_construct_nb("taken", mine, 2, NULL, 0, made, &done), "construct_nb");
    }
    fence();
    if (me.rank == 3) {
        make("taken", third, 2);
    }
    fence();
    if (me.rank == 2) {
        make("taken", halves[0], 2);
    } else if (me.rank == 0) {
        expect(sem_wait(&done) == 0, "wait");
    }
    fence();
    fflush(stdout);
}

/* ---- lookup: without a publisher, it ends in time */

static void act_lookup(char **args)
{
    (void) args;
    pmix_pdata_t *data = PMIx_Pdata_create(1);
    pmix_info_t *how = PMIx_Info_create(2);
    int all = 0;
    int seconds = 1;

    PMIX_LOAD_KEY(data->key, "actor.nothing");
    expect(PMIx_Lookup(data, 1, NULL, 0) == PMIX_ERR_NOT_FOUND, "found what nobody published");
    check(PMIx_Info_load(&how[0], PMIX_WAIT, &all, PMIX_INT), "load");
    check(PMIx_Info_load(&how[1], PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
    expect(PMIx_Lookup(data, 1, how, 2) != PMIX_SUCCESS, "found what nobody published");
    PMIx_Pdata_free(data, 1);
    PMIx_Info_free(how, 2);
    printf("rank %u: nothing found, in time\n", me.rank);
}

/* ---- hold: posts something, then stays until the other end of a fifo is closed */

static void act_hold(char **args)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = me.rank + 70};
    FILE *fifo;

    check(PMIx_Put(PMIX_GLOBAL, "posted", &v), "put");
    check(PMIx_Commit(), "commit");
    fence();
    printf("rank %u holds\n", me.rank);
    fflush(stdout);
    fifo = fopen(args[2], "re");
    expect(fifo && fgetc(fifo) == EOF, "fifo");
    fclose(fifo);
}

/* ---- absent: the last process ends without having come */

static void act_absent(char **args)
{
    pmix_value_t *value = NULL;
    pmix_proc_t last;

    (void) args;
    PMIX_LOAD_PROCID(&last, me.nspace, size - 1);
    expect(PMIx_Get(&last, "never.posted", NULL, 0, &value) == PMIX_ERR_NOT_FOUND,
           "a get of the absent");
    expect(PMIx_Fence(NULL, 0, NULL, 0) != PMIX_SUCCESS, "a fence with the absent succeeded");
    check(PMIx_Fence(&me, 1, NULL, 0), "a fence of its own");
    printf("rank %u: the last is not waited for\n", me.rank);
}

/* ---- ask: requests that the host answers, one after the other, with what came of each */

static pmix_status_t ask_publish(const char *key)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, key, "\x01\"text", PMIX_STRING);
    pmix_status_t rc = PMIx_Publish(&info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return rc;
}

static pmix_status_t ask_lookup(const char *key)
{
    pmix_pdata_t data;

    memset(&data, 0, sizeof(data));
    PMIX_LOAD_KEY(data.key, key);
    pmix_status_t rc = PMIx_Lookup(&data, 1, NULL, 0);
    PMIX_VALUE_DESTRUCT(&data.value);
    return rc;
}

static pmix_status_t ask_one(const char *what)
{
    char *none[] = {(char *) "actor.none", NULL};
    pmix_byte_object_t credential = {0};
    bool yes = true;
    pmix_info_t collect;

    if (strcmp(what, "fence") == 0) {
        pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = me.rank};
        check(PMIx_Put(PMIX_GLOBAL, "posted", &v), "put");
        check(PMIx_Commit(), "commit");
        PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
        return PMIx_Fence(NULL, 0, &collect, 1);
    }
    if (strcmp(what, "unpublish") == 0) {
        return PMIx_Unpublish(none, NULL, 0);
    }
    if (strcmp(what, "lookup") == 0) {
        return ask_lookup("actor.publish");
    }
    if (strcmp(what, "credential") == 0) {
        return PMIx_Get_credential(NULL, 0, &credential);
    }
    char key[64];
    snprintf(key, sizeof(key), "actor.%s", what);
    return ask_publish(key); /* publish, publish2, ... */
}

static void act_ask(char **args)
{
    for (char **what = args + 2; *what != NULL; what++) {
        pmix_status_t rc = ask_one(*what);
        printf("%u %s %s\n", me.rank, *what, PMIx_Error_string(rc));
        fflush(stdout);
    }
}

/* ---- quit: the last one ends as if all were well, without finalize, and the others cannot connect
 * with it */

static void act_quit(char **args)
{
    pmix_proc_t all;

    (void) args;
    fence();
    if (me.rank == size - 1) {
        exit(0);
    }
    PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
    expect(PMIx_Connect(&all, 1, NULL, 0) == PMIX_ERR_LOST_CONNECTION, "connected with the lost");
}

/* ---- keyed: keys made of the namespace, as many programs make them */

static void act_keyed(char **args)
{
    char key[PMIX_MAX_KEYLEN + 1];
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = me.rank};

    (void) args;
    snprintf(key, sizeof(key), "%s-%u-key", me.nspace, me.rank);
    check(PMIx_Put(PMIX_GLOBAL, key, &v), "put");
    check(PMIx_Commit(), "commit");
    fence();
    for (pmix_rank_t rank = 0; rank < size; rank++) {
        snprintf(key, sizeof(key), "%s-%u-key", me.nspace, rank);
        pmix_value_t *got = get(rank, key);
        expect(got->type == PMIX_UINT32 && got->data.uint32 == rank, "value");
        PMIx_Value_free(got, 1);
    }
    printf("rank %u has read %u keys\n", me.rank, size);
}

static const struct {
    const char *name;
    void (*act)(char **args);
} acts[] = {
    {"abort", act_abort},   {"die", act_die},     {"job", act_job},       {"bound", act_bound},
    {"spawn", act_spawn},   {"child", act_child}, {"query", act_query},   {"control", act_control},
    {"log", act_log},       {"group", act_group}, {"names", act_names},   {"lookup", act_lookup},
    {"notice", act_notice}, {"hold", act_hold},   {"absent", act_absent}, {"ask", act_ask},
    {"keyed", act_keyed},   {"quit", act_quit},
};

int main(int argc, char **argv)
{
    alarm(120);
    check(PMIx_Init(&me, NULL, 0), "init");
    pmix_value_t *v = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    size = v->data.uint32;
    PMIx_Value_free(v, 1);
    bool done = false;
    for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(argv[1], acts[i].name) == 0) {
            acts[i].act(argv);
            done = true;
        }
    }
    expect(done, "what is to be done?");
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
