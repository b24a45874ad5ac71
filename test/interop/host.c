/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A one-node host daemon that uses only what every PMIx of the 4.2 to 6.1 series has, in the way of
 * the older daemons (legacy client_connected, maps as plain strings). Built against our library and
 * the distribution's. usage: host N PROGRAM [ARG...]; returns the first non-zero exit code, or the
 * status of an abort. With HOST_COUNT_FDS set it says how many descriptors the job has left open,
 * with HOST_OTHER_JOB it registers another job like this one, which nobody runs, with HOST_TOOLS it
 * serves tools. */

#include <pmix.h>
#include <pmix_server.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/host/host.h"

enum { MAX_PROCS = 64 };

extern char **environ;

static const pmix_nspace_t nspace_name = "interop-job";
static const pmix_nspace_t other_name = "other-job";
static int nprocs;
static _Atomic pid_t
    pids[MAX_PROCS]; /* a thread of the library may end them while they are started */
static _Atomic int abort_status;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int completions;

static void op_done(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&lock);
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "host: an operation ended with %s\n", PMIx_Error_string(status));
    }
    completions++;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

static void wait_op(pmix_status_t rc)
{
    if (rc == PMIX_OPERATION_SUCCEEDED) {
        return;
    }
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "host: %s\n", PMIx_Error_string(rc));
        exit(70);
    }
    pthread_mutex_lock(&lock);
    while (!completions) {
        pthread_cond_wait(&came, &lock);
    }
    completions--;
    pthread_mutex_unlock(&lock);
}

static pmix_status_t abort_job(struct upcall *upcall)
{
    printf("host: abort %d: %s\n", upcall->number, upcall->text ? upcall->text : "");
    fflush(stdout);
    abort_status = upcall->number;
    px_host_reply_status(upcall, PMIX_SUCCESS);
    for (int i = 0; i < nprocs; i++) {
        kill(pids[i], SIGKILL);
    }
    return PMIX_SUCCESS;
}

/* ---- what tools ask */

static pmix_status_t name_tool(struct upcall *upcall)
{
    static _Atomic int count;
    pmix_proc_t proc;

    memset(&proc, 0, sizeof(proc));
    snprintf(proc.nspace, sizeof(proc.nspace), "interop-tool.%d", ++count);
    upcall->reply.tool(PMIX_SUCCESS, &proc, upcall->cbdata);
    return PMIX_SUCCESS;
}

static void load_table(pmix_info_t *info)
{
    pmix_proc_info_t table[MAX_PROCS];
    pmix_data_array_t array = {.type = PMIX_PROC_INFO, .size = (size_t) nprocs, .array = table};

    memset(table, 0, sizeof(table));
    for (int r = 0; r < nprocs; r++) {
        strncpy(table[r].proc.nspace, nspace_name, PMIX_MAX_NSLEN);
        table[r].proc.rank = (pmix_rank_t) r;
        table[r].hostname = (char *) "here";
        table[r].executable_name = (char *) "program";
        table[r].pid = pids[r];
        table[r].state = PMIX_PROC_STATE_RUNNING;
    }
    PMIx_Info_load(info, PMIX_QUERY_PROC_TABLE, &array, PMIX_DATA_ARRAY);
}

/* The first key of the first query: namespaces, or the table of the job. */
static pmix_status_t answer_query(struct upcall *upcall)
{
    const pmix_query_t *query = upcall->queries;
    bool of_job = query->nqual == 0 || query->qualifiers[0].value.type != PMIX_STRING ||
                  strcmp(query->qualifiers[0].value.data.string, nspace_name) == 0;
    pmix_info_t info;

    memset(&info, 0, sizeof(info));
    if (strcmp(query->keys[0], PMIX_QUERY_NAMESPACES) == 0) {
        PMIx_Info_load(&info, PMIX_QUERY_NAMESPACES, nspace_name, PMIX_STRING);
    } else if (strcmp(query->keys[0], PMIX_QUERY_PROC_TABLE) == 0 && of_job) {
        load_table(&info);
    } else {
        return PMIX_ERR_NOT_FOUND;
    }
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

static pmix_status_t allocate(struct upcall *upcall)
{
    pmix_info_t info;

    memset(&info, 0, sizeof(info));
    PMIx_Info_load(&info, PMIX_ALLOC_ID, "seventeen", PMIX_STRING);
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

/* Only to end processes. */
static pmix_status_t control(struct upcall *upcall)
{
    bool kills = upcall->n_infos > 0 && PMIX_CHECK_KEY(&upcall->infos[0], PMIX_JOB_CTRL_KILL);

    if (!kills) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    for (size_t i = 0; i < upcall->n_procs; i++) {
        if (upcall->procs[i].rank < (pmix_rank_t) nprocs) {
            kill(pids[upcall->procs[i].rank], SIGKILL);
        }
    }
    px_host_reply_status(upcall, PMIX_SUCCESS);
    return PMIX_SUCCESS;
}

static void serve_tools(struct answer *to)
{
    to[ON_TOOL] = (struct answer){OWN, .own = name_tool};
    to[ON_QUERY] = (struct answer){OWN, .own = answer_query};
    to[ON_ALLOCATE] = (struct answer){OWN, .own = allocate};
    to[ON_CONTROL] = (struct answer){OWN, .own = control};
}

static struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED1] = {AT_ONCE, .status = PMIX_SUCCESS},
    [ON_FINALIZED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_ABORT] = {OWN, .own = abort_job},
    [ON_FENCE] = {OWN, .own = px_host_fence_alone},
    [ON_MODEX] = {AT_ONCE, .status = PMIX_ERR_NOT_FOUND},
    [ON_PUBLISH] = {OWN, .own = px_host_publish},
    [ON_LOOKUP] = {OWN, .own = px_host_lookup},
    [ON_UNPUBLISH] = {OWN, .own = px_host_unpublish},
    [ON_REGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_NOTIFY] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
};

static void load_u32(pmix_info_t *info, const char *key, uint32_t v)
{
    PMIX_INFO_LOAD(info, key, &v, PMIX_UINT32);
}

static void load_proc(pmix_info_t *info, uint32_t rank, const char *host)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_info_t *in;
    uint16_t local = (uint16_t) rank;
    int app = 0;

    PMIX_DATA_ARRAY_CONSTRUCT(array, 7, PMIX_INFO);
    in = (pmix_info_t *) array->array;
    PMIX_INFO_LOAD(&in[0], PMIX_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&in[1], PMIX_APPNUM, &app, PMIX_INT);
    load_u32(&in[2], PMIX_GLOBAL_RANK, rank);
    PMIX_INFO_LOAD(&in[3], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[4], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[5], PMIX_HOSTNAME, host, PMIX_STRING);
    load_u32(&in[6], PMIX_NODEID, 0);
    PMIX_INFO_CONSTRUCT(info);
    PMIX_LOAD_KEY(info->key, PMIX_PROC_DATA);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

static void register_job(const char *host)
{
    enum { JOB_INFOS = 9 };
    pmix_info_t *info;
    size_t ninfo = JOB_INFOS + (size_t) nprocs;
    char ranks[1024] = "";
    char *nodes = NULL;
    char *ppn = NULL;

    for (int r = 0; r < nprocs; r++) {
        snprintf(ranks + strlen(ranks), sizeof(ranks) - strlen(ranks), "%s%d", r ? "," : "", r);
    }
    PMIx_generate_regex(host, &nodes);
    PMIx_generate_ppn(ranks, &ppn);
    PMIX_INFO_CREATE(info, ninfo);
    load_u32(&info[0], PMIX_JOB_SIZE, (uint32_t) nprocs);
    load_u32(&info[1], PMIX_UNIV_SIZE, (uint32_t) nprocs);
    load_u32(&info[2], PMIX_LOCAL_SIZE, (uint32_t) nprocs);
    load_u32(&info[3], PMIX_MAX_PROCS, (uint32_t) nprocs);
    PMIX_INFO_LOAD(&info[4], PMIX_JOBID, "interop.1", PMIX_STRING);
    PMIX_INFO_LOAD(&info[5], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[6], PMIX_PROC_MAP, ppn, PMIX_STRING);
    PMIX_INFO_LOAD(&info[7], PMIX_LOCAL_PEERS, ranks, PMIX_STRING);
    load_u32(&info[8], PMIX_LOCALLDR, 0);
    for (int r = 0; r < nprocs; r++) {
        load_proc(&info[JOB_INFOS + r], (uint32_t) r, host);
    }
    wait_op(PMIx_server_register_nspace(nspace_name, nprocs, info, ninfo, op_done, NULL));
    if (getenv("HOST_OTHER_JOB")) {
        wait_op(PMIx_server_register_nspace(other_name, 0, info, ninfo, op_done, NULL));
    }
    PMIX_INFO_FREE(info, ninfo);
    free(nodes);
    free(ppn);
}

static void start(int rank, char **command)
{
    pmix_proc_t proc;
    char **env = NULL;

    memset(&proc, 0, sizeof(proc));
    strncpy(proc.nspace, nspace_name, PMIX_MAX_NSLEN);
    proc.rank = (pmix_rank_t) rank;
    wait_op(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, op_done, NULL));
    for (char **e = environ; *e; e++) {
        if (strncmp(*e, "PMIX_", 5) != 0 || strncmp(*e, "PMIX_MCA_", 9) == 0) {
            PMIX_ARGV_APPEND(abort_status, env, *e);
        }
    }
    abort_status = 0;
    if (PMIx_server_setup_fork(&proc, &env) != PMIX_SUCCESS) {
        exit(71);
    }
    pids[rank] = fork();
    if (pids[rank] == 0) {
        const char *path = getenv("CLIENT_LIBRARY_PATH");

        if (path) {
            PMIX_SETENV(abort_status, "LD_LIBRARY_PATH", path, &env);
        }
        execve(command[0], command, env);
        _exit(127);
    }
    PMIX_ARGV_FREE(env);
}

/* Descriptors this process has open. */
static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 4096; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static int reap(void)
{
    int result = 0;

    for (int i = 0; i < nprocs; i++) {
        int status;

        if (waitpid(pids[i], &status, 0) == pids[i] && status && !result) {
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    return abort_status ? abort_status : result;
}

/* Says how many more descriptors there are than before the job, once the server has seen its
 * clients go, and its tools, which have their answers then. */
static void settle(int before)
{
    struct timespec tick = {.tv_nsec = 10000000};
    int more = open_descriptors() - before;

    for (int i = 0; more > 0 && i < 1000; i++) {
        nanosleep(&tick, NULL);
        more = open_descriptors() - before;
    }
    printf("host: %d descriptors more\n", more);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char host[256] = "";
    int result;
    int before;
    pmix_status_t rc;
    pmix_info_t tools;
    static const struct px_host module = {.answers = answers};

    alarm(150);
    nprocs = argc > 2 ? atoi(argv[1]) : 0;
    if (nprocs < 1 || nprocs > MAX_PROCS) {
        fprintf(stderr, "usage: host N PROGRAM [ARG...]\n");
        return 64;
    }
    gethostname(host, sizeof(host) - 1);
    if (getenv("HOST_TOOLS")) {
        bool yes = true;
        serve_tools(answers);
        PMIX_INFO_LOAD(&tools, PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
    }
    rc = PMIx_server_init(px_host_module(&module), &tools, getenv("HOST_TOOLS") ? 1 : 0);
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "host: server init: %s\n", PMIx_Error_string(rc));
        return 72;
    }
    register_job(host);
    before = open_descriptors();
    for (int r = 0; r < nprocs; r++) {
        start(r, argv + 2);
    }
    result = reap();
    if (getenv("HOST_COUNT_FDS") || getenv("HOST_TOOLS")) {
        settle(before);
    }
    PMIx_server_deregister_nspace(nspace_name, op_done, NULL);
    wait_op(PMIX_SUCCESS);
    rc = PMIx_server_finalize();
    return rc == PMIX_SUCCESS ? result : 73;
}
