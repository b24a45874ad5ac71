/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The host daemon of the benchmark: registers one job of JOB_RANKS over JOB_NODES nodes, of which
 * LOCAL_CLIENTS ranks run here, hands fence data straight back, and starts the measuring clients.
 */

#include <pmix.h>
#include <pmix_server.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "measure.h"

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
    pmix_info_t *info;
    size_t ninfo = JOB_INFOS + JOB_RANKS;
    char *nodes = NULL;
    char *ppn = NULL;

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
    daemon_register_job(JOB_NSPACE, LOCAL_CLIENTS, info, ninfo);
    PMIX_INFO_FREE(info, ninfo);
    free(nodes);
    free(ppn);
}

/* Starts this program as a client of the given kind, behind the wrapper (callgrind, strace) when
 * there is one. */
static pid_t start(unsigned rank, char *self, char *kind, const char *const *wrapper)
{
    char *argv[32];
    int n = 0;

    for (; wrapper && wrapper[n] && n < 28; n++) {
        argv[n] = (char *) wrapper[n];
    }
    argv[n++] = self;
    argv[n++] = kind;
    argv[n] = NULL;
    return daemon_spawn(JOB_NSPACE, rank, argv, -1, -1);
}

int run_host(char *self, const char *const *wrapper)
{
    pid_t pids[LOCAL_CLIENTS];
    int bad = 0;

    daemon_init(NULL);
    register_job();
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        daemon_register_client(JOB_NSPACE, r);
    }
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        pids[r] = start(r, self, "client", r == 0 ? wrapper : NULL);
    }
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        bad |= daemon_wait(pids[r]);
    }
    /* Last, because 4.2.2 loses process data of a namespace once a client of it has finalized. */
    for (unsigned i = 0; i < scaled(INIT_CLIENTS) && !wrapper; i++) {
        bad |= daemon_wait(start(1, self, "init", NULL));
    }
    daemon_fini(JOB_NSPACE);
    return bad;
}
