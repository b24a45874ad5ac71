/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a host tells of a job: its size, its nodes, and nine facts of each process. */

#include "layout.h"

#include <pmix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"

enum { NAME = 256, DIGITS = 12, JOB_INFOS = 11, PROC_INFOS = 9 };

static void load_u32(pmix_info_t *info, const char *key, uint32_t v)
{
    PMIX_INFO_LOAD(info, key, &v, PMIX_UINT32);
}

static void load_rank(pmix_info_t *info, const char *key, pmix_rank_t v)
{
    PMIX_INFO_LOAD(info, key, &v, PMIX_PROC_RANK);
}

static void *block(size_t n, size_t size)
{
    void *at = calloc(n, size);

    if (!at) {
        fprintf(stderr, "bench: no memory for the job\n");
        exit(70);
    }
    return at;
}

void locality_of(unsigned local_rank, char ret[LOCALITY])
{
    snprintf(ret, LOCALITY, "NM%u:SK%u:L3%u:L2%u:L1%u:CR%u:HT%u", local_rank / 64, local_rank / 64,
             local_rank / 8, local_rank, local_rank, local_rank, local_rank);
}

static void load_proc(const struct layout *layout, pmix_info_t *info, unsigned rank)
{
    pmix_data_array_t *array = block(1, sizeof(*array));
    uint16_t local = (uint16_t) (layout->local_rank_of(rank) + daemon_corrupts());
    pmix_info_t *in;
    char locality[LOCALITY];
    char node[NAME];

    PMIX_DATA_ARRAY_CONSTRUCT(array, PROC_INFOS, PMIX_INFO);
    in = (pmix_info_t *) array->array;
    layout->node_name(layout->node_of(rank), node, sizeof(node));
    node[0] = (char) (node[0] + (char) daemon_corrupts());
    load_rank(&in[0], PMIX_RANK, rank);
    load_u32(&in[1], PMIX_APPNUM, 0);
    load_rank(&in[2], PMIX_GLOBAL_RANK, rank);
    load_rank(&in[3], PMIX_APP_RANK, rank);
    PMIX_INFO_LOAD(&in[4], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[5], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[6], PMIX_HOSTNAME, node, PMIX_STRING);
    load_u32(&in[7], PMIX_NODEID, layout->node_of(rank) + daemon_corrupts());
    locality_of(local, locality);
    PMIX_INFO_LOAD(&in[8], PMIX_LOCALITY_STRING, locality, PMIX_STRING);
    PMIX_INFO_CONSTRUCT(info);
    PMIX_LOAD_KEY(info->key, PMIX_PROC_DATA);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

static void load_maps(const struct layout *layout, pmix_info_t *nodes_info, pmix_info_t *procs_info)
{
    char *nodes = block(layout->nodes, NAME + 1);
    char *ranks = block(layout->ranks, DIGITS);
    char *map = NULL;
    char name[NAME];
    size_t len = 0;

    for (unsigned i = 0; i < layout->nodes; i++) {
        layout->node_name(i, name, sizeof(name));
        len += (size_t) sprintf(nodes + len, "%s%s", i ? "," : "", name);
    }
    len = 0;
    for (unsigned r = 0; r < layout->ranks; r++) {
        const char *mark = !r ? "" : layout->node_of(r) != layout->node_of(r - 1) ? ";" : ",";

        len += (size_t) sprintf(ranks + len, "%s%u", mark, r);
    }
    PMIx_generate_regex(nodes, &map);
    PMIX_INFO_LOAD(nodes_info, PMIX_NODE_MAP, map, PMIX_STRING);
    free(map);
    map = NULL;
    PMIx_generate_ppn(ranks, &map);
    PMIX_INFO_LOAD(procs_info, PMIX_PROC_MAP, map, PMIX_STRING);
    free(map);
    free(nodes);
    free(ranks);
}

struct local {
    char *peers; /* "0,1,2" */
    unsigned first;
    unsigned n;
};

static struct local locals(const struct layout *layout)
{
    struct local local = {.peers = block(layout->ranks, DIGITS), .first = 0, .n = 0};
    size_t len = 0;

    for (unsigned r = 0; r < layout->ranks; r++) {
        if (layout->node_of(r) == layout->here) {
            local.first = local.n ? local.first : r;
            len += (size_t) sprintf(local.peers + len, "%s%u", local.n ? "," : "", r);
            local.n++;
        }
    }
    return local;
}

void layout_register(const struct layout *layout)
{
    struct local local = locals(layout);
    size_t ninfo = JOB_INFOS + layout->ranks;
    pmix_info_t *info;

    PMIX_INFO_CREATE(info, ninfo);
    load_u32(&info[0], PMIX_JOB_SIZE, layout->ranks + daemon_corrupts());
    load_u32(&info[1], PMIX_UNIV_SIZE, layout->ranks);
    load_u32(&info[2], PMIX_LOCAL_SIZE, local.n + daemon_corrupts());
    load_u32(&info[3], PMIX_NODE_SIZE, local.n);
    load_u32(&info[4], PMIX_MAX_PROCS, layout->ranks);
    PMIX_INFO_LOAD(&info[5], PMIX_JOBID, layout->job_id, PMIX_STRING);
    load_maps(layout, &info[6], &info[7]);
    PMIX_INFO_LOAD(&info[8], PMIX_LOCAL_PEERS, local.peers, PMIX_STRING);
    load_rank(&info[9], PMIX_LOCALLDR, local.first);
    load_u32(&info[10], PMIX_NUM_NODES, layout->nodes);
    for (unsigned r = 0; r < layout->ranks; r++) {
        load_proc(layout, &info[JOB_INFOS + r], r);
    }
    daemon_register_job(layout->nspace, (int) local.n, info, ninfo);
    PMIX_INFO_FREE(info, ninfo);
    free(local.peers);
    for (unsigned r = 0; r < layout->ranks; r++) {
        if (layout->node_of(r) == layout->here) {
            daemon_register_client(layout->nspace, r);
        }
    }
}
