/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The host daemon of the benchmark: registers one job of JOB_RANKS over JOB_NODES nodes, of which LOCAL_CLIENTS
 * ranks run here, hands fence data straight back, and starts the measuring clients. */

#include <pmix.h>
#include <pmix_server.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int completions; /* lock */

static void op_done(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "bench: an operation of the host ended with %d\n", status);
    }
    pthread_mutex_lock(&lock);
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
        fprintf(stderr, "bench: the host got %d\n", rc);
        exit(70);
    }
    pthread_mutex_lock(&lock);
    while (!completions) {
        pthread_cond_wait(&came, &lock);
    }
    completions--;
    pthread_mutex_unlock(&lock);
}

static pmix_status_t client_connected(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) object;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_SUCCESS;
}

static pmix_status_t client_finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) object;
    if (cbfunc) {
        cbfunc(PMIX_SUCCESS, cbdata);
    }
    return PMIX_SUCCESS;
}

static pmix_status_t fence(const pmix_proc_t procs[], size_t n, const pmix_info_t info[], size_t ninfo, char *data,
                           size_t ndata, pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    char *copy = ndata ? malloc(ndata) : NULL;

    (void) procs;
    (void) n;
    (void) info;
    (void) ninfo;
    if (copy) {
        memcpy(copy, data, ndata);
    }
    cbfunc(PMIX_SUCCESS, copy, copy ? ndata : 0, cbdata, free, copy);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {
    .client_connected = client_connected,
    .client_finalized = client_finalized,
    .fence_nb = fence,
};

static void load_u32(pmix_info_t *info, const char *key, uint32_t v)
{
    PMIX_INFO_LOAD(info, key, &v, PMIX_UINT32);
}

static void load_proc(pmix_info_t *info, unsigned rank)
{
    pmix_data_array_t *array = malloc(sizeof *array);
    pmix_info_t *in;
    uint16_t local = (uint16_t) local_rank_of(rank);
    pmix_rank_t r = rank;
    char node[256];

    PMIX_DATA_ARRAY_CONSTRUCT(array, 8, PMIX_INFO);
    in = (pmix_info_t *) array->array;
    node_name(node_of(rank), node, sizeof node);
    PMIX_INFO_LOAD(&in[0], PMIX_RANK, &r, PMIX_PROC_RANK);
    load_u32(&in[1], PMIX_APPNUM, 0);
    PMIX_INFO_LOAD(&in[2], PMIX_GLOBAL_RANK, &r, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&in[3], PMIX_APP_RANK, &r, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&in[4], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[5], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[6], PMIX_HOSTNAME, node, PMIX_STRING);
    load_u32(&in[7], PMIX_NODEID, node_of(rank));
    PMIX_INFO_CONSTRUCT(info);
    PMIX_LOAD_KEY(info->key, PMIX_PROC_DATA);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

static void maps(char **ret_nodes, char **ret_ppn)
{
    char *nodes = calloc(JOB_NODES, 280);
    char *ranks = calloc(JOB_RANKS, 8);
    char name[256];

    for (unsigned i = 0; i < JOB_NODES; i++) {
        node_name(i, name, sizeof name);
        sprintf(nodes + strlen(nodes), "%s%s", i ? "," : "", name);
    }
    for (unsigned r = 0; r < JOB_RANKS; r++) {
        const char *mark = r == 0 ? "" : node_of(r) != node_of(r - 1) ? ";" : ",";

        sprintf(ranks + strlen(ranks), "%s%u", mark, r);
    }
    PMIx_generate_regex(nodes, ret_nodes);
    PMIx_generate_ppn(ranks, ret_ppn);
    free(nodes);
    free(ranks);
}

static void register_job(void)
{
    enum { JOB_INFOS = 10 };
    pmix_nspace_t job;
    pmix_info_t *info;
    size_t ninfo = JOB_INFOS + JOB_RANKS;
    char *nodes = NULL;
    char *ppn = NULL;

    PMIX_LOAD_NSPACE(job, JOB_NSPACE);
    maps(&nodes, &ppn);
    PMIX_INFO_CREATE(info, ninfo);
    load_u32(&info[0], PMIX_JOB_SIZE, JOB_RANKS);
    load_u32(&info[1], PMIX_UNIV_SIZE, JOB_RANKS);
    load_u32(&info[2], PMIX_LOCAL_SIZE, LOCAL_CLIENTS);
    load_u32(&info[3], PMIX_NODE_SIZE, LOCAL_CLIENTS);
    load_u32(&info[4], PMIX_MAX_PROCS, JOB_RANKS);
    PMIX_INFO_LOAD(&info[5], PMIX_JOBID, JOB_ID, PMIX_STRING);
    PMIX_INFO_LOAD(&info[6], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[7], PMIX_PROC_MAP, ppn, PMIX_STRING);
    PMIX_INFO_LOAD(&info[8], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    load_u32(&info[9], PMIX_LOCALLDR, 0);
    for (unsigned r = 0; r < JOB_RANKS; r++) {
        load_proc(&info[JOB_INFOS + r], r);
    }
    wait_op(PMIx_server_register_nspace(job, LOCAL_CLIENTS, info, ninfo, op_done, NULL));
    PMIX_INFO_FREE(info, ninfo);
    free(nodes);
    free(ppn);
}

static char **environment(unsigned rank)
{
    pmix_proc_t proc;
    char **env = NULL;
    int rc;

    memset(&proc, 0, sizeof proc);
    strncpy(proc.nspace, JOB_NSPACE, PMIX_MAX_NSLEN);
    proc.rank = rank;
    for (char **e = environ; *e; e++) {
        PMIX_ARGV_APPEND(rc, env, *e);
    }
    (void) rc;
    if (PMIx_server_setup_fork(&proc, &env) != PMIX_SUCCESS) {
        exit(71);
    }
    return env;
}

/* Starts this program as a client of the given kind, behind the wrapper (callgrind, strace) when there is one. */
static pid_t start(unsigned rank, char *self, char *kind, const char *const *wrapper)
{
    char *argv[32];
    int n = 0;
    char **env = environment(rank);
    pid_t pid;

    for (; wrapper && wrapper[n] && n < 28; n++) {
        argv[n] = (char *) wrapper[n];
    }
    argv[n++] = self;
    argv[n++] = kind;
    argv[n] = NULL;
    pid = fork();
    if (pid == 0) {
        execvpe(argv[0], argv, env);
        _exit(127);
    }
    PMIX_ARGV_FREE(env);
    return pid;
}

static int wait_for(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    return status ? 1 : 0;
}

static void register_clients(void)
{
    pmix_proc_t proc;

    memset(&proc, 0, sizeof proc);
    strncpy(proc.nspace, JOB_NSPACE, PMIX_MAX_NSLEN);
    for (proc.rank = 0; proc.rank < LOCAL_CLIENTS; proc.rank++) {
        wait_op(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, op_done, NULL));
    }
}

int run_host(char *self, const char *const *wrapper)
{
    pid_t pids[LOCAL_CLIENTS];
    pmix_nspace_t job;
    int bad = 0;

    if (PMIx_server_init(&module, NULL, 0) != PMIX_SUCCESS) {
        fprintf(stderr, "bench: no server\n");
        return 72;
    }
    register_job();
    register_clients();
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        pids[r] = start(r, self, "client", r == 0 ? wrapper : NULL);
    }
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        bad |= wait_for(pids[r]);
    }
    /* Last, because 4.2.2 loses process data of a namespace once a client of it has finalized. */
    for (unsigned i = 0; i < INIT_CLIENTS && !wrapper; i++) {
        bad |= wait_for(start(1, self, "init", NULL));
    }
    PMIX_LOAD_NSPACE(job, JOB_NSPACE);
    PMIx_server_deregister_nspace(job, op_done, NULL);
    wait_op(PMIX_SUCCESS);
    PMIx_server_finalize();
    return bad;
}
