/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A minimal host: a daemon that starts processes and serves them. What Slurm's daemon or pmixrun
 * do, in one page.
 *
 *     examples/host 3 examples/hello
 *
 * 1. start the server half of the library, with the upcalls that this host answers;
 * 2. tell it about a job: its size, who is where, what each process is;
 * 3. give each process the environment that PMIx_server_setup_fork makes, and start it;
 * 4. wait for the processes, forget the job, stop. */

#include <pmix_server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const pmix_nspace_t job = "example-job";

extern char **environ;

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "host: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

/* ---- 1. Upcalls: what processes ask of their host. They run on the library's thread and must not
 * wait. */

static pmix_status_t on_abort(const pmix_proc_t *proc, void *server_object, int status,
                              const char msg[], pmix_proc_t procs[], size_t nprocs,
                              pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) server_object;
    (void) procs;
    (void) nprocs;
    (void) cbfunc;
    (void) cbdata;
    fprintf(stderr, "host: rank %u aborts with %d: %s\n", proc->rank, status,
            msg != NULL ? msg : "");
    _exit(1); /* a real host would end the processes first */
}

/* All processes of this node have come to a fence. We are the only node: what they gave is the
 * result. */
static pmix_status_t on_fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t cbfunc,
                              void *cbdata)
{
    (void) procs;
    (void) nprocs;
    (void) info;
    (void) ninfo;
    cbfunc(PMIX_SUCCESS, data, ndata, cbdata, free, data);
    return PMIX_SUCCESS;
}

static pmix_server_module_t upcalls = {.abort = on_abort, .fence_nb = on_fence};

/* ---- 2. The job. An info list grows as entries are added, and becomes an array at the end. */

static void add(void *list, const char *key, const void *value, pmix_data_type_t type)
{
    check(PMIx_Info_list_add(list, key, value, type), key);
}

/* Facts about one process. */
static void add_proc(void *list, pmix_rank_t rank)
{
    void *facts = PMIx_Info_list_start();
    uint16_t local = (uint16_t) rank;
    pmix_data_array_t array;

    add(facts, PMIX_RANK, &rank, PMIX_PROC_RANK);
    add(facts, PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    add(facts, PMIX_NODE_RANK, &local, PMIX_UINT16);
    check(PMIx_Info_list_convert(facts, &array), "convert");
    add(list, PMIX_PROC_DATA, &array, PMIX_DATA_ARRAY);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    PMIx_Info_list_release(facts);
}

static void register_job(uint32_t n)
{
    void *list = PMIx_Info_list_start();
    char host[256] = "";
    char ranks[4096] = "0";
    char *nodes;
    char *procs;
    pmix_data_array_t array;

    for (uint32_t rank = 1; rank < n; rank++) {
        snprintf(ranks + strlen(ranks), sizeof(ranks) - strlen(ranks), ",%u", rank);
    }
    gethostname(host, sizeof(host) - 1);
    check(PMIx_generate_regex(host, &nodes), "node map");   /* a short form of "node1,node2,..." */
    check(PMIx_generate_ppn(ranks, &procs), "process map"); /* ranks per node: "0,1;2,3" */
    add(list, PMIX_JOB_SIZE, &n, PMIX_UINT32);
    add(list, PMIX_UNIV_SIZE, &n, PMIX_UINT32);
    add(list, PMIX_LOCAL_SIZE, &n, PMIX_UINT32);
    add(list, PMIX_LOCAL_PEERS, ranks, PMIX_STRING);
    add(list, PMIX_NODE_MAP, nodes, PMIX_STRING);
    add(list, PMIX_PROC_MAP, procs, PMIX_STRING);
    for (pmix_rank_t rank = 0; rank < n; rank++) {
        add_proc(list, rank);
    }
    check(PMIx_Info_list_convert(list, &array), "convert");
    check(PMIx_server_register_nspace(job, (int) n, array.array, array.size, NULL, NULL),
          "register the job");
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    PMIx_Info_list_release(list);
    free(nodes);
    free(procs);
}

/* ---- 3. Processes. */

static void start(pmix_rank_t rank, char **argv)
{
    pmix_proc_t proc;
    char **env = NULL;

    PMIX_LOAD_PROCID(&proc, job, rank);
    check(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
          "register a process");
    for (char **e = environ; *e != NULL; e++) {
        check(PMIx_Argv_append_nosize(&env, *e), "copy the environment");
    }
    check(PMIx_server_setup_fork(&proc, &env), "set up the environment");
    pid_t pid = fork();
    if (pid == 0) {
        execve(argv[0], argv, env);
        _exit(127);
    }
    PMIx_Argv_free(env);
    if (pid < 0) {
        perror("host: fork");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    int code = 0;

    if (n < 1 || n > 1000) {
        fprintf(stderr, "usage: host N PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    check(PMIx_server_init(&upcalls, NULL, 0), "start the server");
    register_job((uint32_t) n);
    for (int rank = 0; rank < n; rank++) {
        start((pmix_rank_t) rank, argv + 2);
    }

    /* 4. The end. */
    for (int i = 0; i < n; i++) {
        int status;
        if (wait(&status) > 0 && status != 0) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        }
    }
    PMIx_server_deregister_nspace(job, NULL, NULL);
    check(PMIx_server_finalize(), "stop the server");
    return code;
}
