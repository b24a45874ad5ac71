/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "pair.h"

#include <pmix_server.h>

#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts a client. Its process id, or -1. */
static pid_t start_client(pmix_rank_t rank, char **argv)
{
    extern char **environ;
    pid_t pid;
    char **env = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, PAIR_JOB, rank);
    for (char **item = environ; *item; item++) {
        PMIx_Argv_append_nosize(&env, *item);
    }
    if (PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL) < 0 ||
        PMIx_server_setup_fork(&proc, &env) != PMIX_SUCCESS) {
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        execve(argv[0], argv, env);
        _exit(127);
    }
    PMIx_Argv_free(env);
    return pid;
}

static pmix_status_t accept_pull(const pmix_proc_t procs[], size_t nprocs,
                                 const pmix_info_t directives[], size_t ndirs,
                                 pmix_iof_channel_t channels, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) procs, (void) nprocs, (void) directives, (void) ndirs, (void) channels, (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

int pair_serve(char **argv)
{
    static pmix_server_module_t module = {.iof_pull = accept_pull};
    const pmix_nspace_t job = PAIR_JOB;
    uint32_t size = PAIR_CLIENTS;
    pid_t pids[PAIR_CLIENTS];
    char host[256] = "";
    char *nodes = NULL;
    char *ranks = NULL;
    pmix_info_t infos[5];
    int bad = 0;

    PMIX_INFO_LOAD(&infos[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    PMIX_INFO_LOAD(&infos[2], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    (void) gethostname(host, sizeof(host) - 1);
    if (PMIx_generate_regex(host, &nodes) != PMIX_SUCCESS ||
        PMIx_generate_ppn("0,1", &ranks) != PMIX_SUCCESS) {
        return 1;
    }
    PMIX_INFO_LOAD(&infos[3], PMIX_NODE_MAP, nodes, PMIX_REGEX);
    PMIX_INFO_LOAD(&infos[4], PMIX_PROC_MAP, ranks, PMIX_REGEX);
    free(nodes);
    free(ranks);
    if (PMIx_server_init(&module, NULL, 0) != PMIX_SUCCESS ||
        PMIx_server_register_nspace(job, PAIR_CLIENTS, infos, 5, NULL, NULL) < 0) {
        return 1;
    }
    for (int i = 0; i < 5; i++) {
        PMIX_INFO_DESTRUCT(&infos[i]);
    }
    for (pmix_rank_t r = 0; r < PAIR_CLIENTS; r++) {
        pids[r] = start_client(r, argv);
    }
    for (pmix_rank_t r = 0; r < PAIR_CLIENTS; r++) {
        int status = 1;

        bad |= pids[r] < 0 || waitpid(pids[r], &status, 0) != pids[r] || status != 0;
    }
    return PMIx_server_finalize() != PMIX_SUCCESS || bad;
}
