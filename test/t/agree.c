/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Random posts of all processes, round by round, against a model that each process has of all: what
 * everybody posts follows from the seed, so everybody knows what everybody else must have posted,
 * and asks for it. Some of the processes read in a segment and some by messages: the answers are
 * those of the model in both. In between they ask what the host has said, at every level. usage:
 * agree SEED ROUNDS NODES; ranks are dealt to nodes in blocks */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 12, MAX_SIZE = 16, ROOM = 400 };

struct cell {
    bool there;
    pmix_data_type_t type;
    uint64_t number; /* of which the value is made */
};

static pmix_proc_t me;
static uint32_t size;
static uint32_t nodes;
static uint64_t seed;
static struct cell model[MAX_SIZE][KEYS];
static int failures;

static void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "agree: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static uint32_t next(uint64_t *rng)
{
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*rng >> 33);
}

/* Scopes stay with a key of a process. */
static pmix_scope_t scope_of(uint32_t rank, uint32_t key)
{
    static const pmix_scope_t scopes[] = {PMIX_GLOBAL, PMIX_LOCAL, PMIX_REMOTE, PMIX_GLOBAL};

    return scopes[(rank + key + seed) % 4];
}

static bool visible(uint32_t rank, uint32_t key)
{
    bool near = rank * nodes / size == me.rank * nodes / size;
    pmix_scope_t scope = scope_of(rank, key);

    return rank == me.rank || scope == PMIX_GLOBAL || scope == (near ? PMIX_LOCAL : PMIX_REMOTE);
}

/* The value that a cell stands for; bytes in `room`. */
static pmix_value_t value_of(const struct cell *cell, char *room)
{
    pmix_value_t v = {.type = cell->type};
    uint32_t len = (uint32_t) (cell->number % (ROOM - 1));

    memset(room, 'a' + (int) (cell->number % 26), len);
    room[len] = '\0';
    if (cell->type == PMIX_STRING) {
        v.data.string = room;
    } else if (cell->type == PMIX_BYTE_OBJECT) {
        v.data.bo.bytes = room;
        v.data.bo.size = len + 1;
    } else if (cell->type == PMIX_UINT16) {
        v.data.uint16 = (uint16_t) cell->number;
    } else {
        v.data.uint64 = cell->number;
    }
    return v;
}

static void name_of(uint32_t key, char *name)
{
    static const char text[] =
        "a name that is long for some of the keys, that is: not for all of them";

    snprintf(name, PMIX_MAX_KEYLEN, "agree.%u.%.*s", key, (int) (key * 6), text);
}

/* What a process posts in a round. */
static void post(uint32_t rank, uint32_t round)
{
    static const pmix_data_type_t types[] = {PMIX_UINT64, PMIX_UINT16, PMIX_STRING,
                                             PMIX_BYTE_OBJECT};
    uint64_t rng = seed ^ ((uint64_t) round << 32 | rank) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t n = next(&rng) % 5;
    char name[PMIX_MAX_KEYLEN];
    char room[ROOM];

    while (n-- > 0) {
        uint32_t key = next(&rng) % KEYS;
        struct cell *cell = &model[rank][key];
        pmix_value_t v;

        *cell = (struct cell){true, types[next(&rng) % 4], next(&rng)};
        if (rank == me.rank) {
            v = value_of(cell, room);
            name_of(key, name);
            must(PMIx_Put(scope_of(rank, key), name, &v), "put");
        }
    }
}

static void fence(bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    must(PMIx_Fence(NULL, 0, &info, 1), "fence");
    PMIX_INFO_DESTRUCT(&info);
}

static void check(uint32_t rank, uint32_t key)
{
    const struct cell *cell = &model[rank][key];
    pmix_value_t *got = NULL;
    pmix_value_t want;
    pmix_info_t info;
    pmix_proc_t proc;
    char name[PMIX_MAX_KEYLEN];
    char room[ROOM];
    bool yes = true;
    bool held;
    pmix_status_t rc;

    name_of(key, name);
    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    rc = PMIx_Get(&proc, name, &info, 1, &got);
    if (cell->there && visible(rank, key)) {
        want = value_of(cell, room);
        held = rc == PMIX_SUCCESS && PMIx_Value_compare(got, &want) == PMIX_EQUAL;
    } else {
        held = rc == PMIX_ERR_NOT_FOUND || (cell->there && rc == PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    }
    if (!held) {
        fprintf(stderr, "agree: rank %u: %s of rank %u: %s\n", me.rank, name, rank,
                PMIx_Error_string(rc));
        failures++;
    }
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(got, 1);
    }
}

/* What the host has said, level by level: a process, its node (by number, or as ours), the job; and
 * nobody's job. */
static void check_host(uint64_t *rng)
{
    uint32_t node = next(rng) % nodes;
    uint32_t rank = next(rng) % size;
    uint32_t home = rank * nodes / size;
    uint32_t here = me.rank * nodes / size;
    bool yes = true;
    pmix_info_t of_node[2];
    pmix_info_t immediate;
    const struct {
        uint32_t rank;
        const char *key;
        const char *nspace;
        const pmix_info_t *info;
        size_t n_infos;
        uint32_t want;
        bool there;
    } asked[] = {
        {rank, PMIX_NODEID, me.nspace, NULL, 0, home, true},
        {rank, PMIX_LOCAL_RANK, me.nspace, NULL, 0, rank - home * size / nodes, true},
        {rank, PMIX_APPNUM, me.nspace, NULL, 0, 0, true},
        {PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, me.nspace, NULL, 0, size, true},
        {PMIX_RANK_WILDCARD, PMIX_NUM_NODES, me.nspace, NULL, 0, nodes, true},
        {PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, me.nspace, of_node, 2,
         (node + 1) * size / nodes - node * size / nodes, true},
        {PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, me.nspace, of_node, 1,
         (here + 1) * size / nodes - here * size / nodes, true},
        {rank, "agree.none", me.nspace, &immediate, 1, 0, false},
        {rank, PMIX_LOCAL_RANK, "nobody's job", &immediate, 1, 0, false},
    };
    uint32_t which = next(rng) % (sizeof(asked) / sizeof(asked[0]));
    pmix_value_t *got = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;
    uint32_t number;

    PMIX_INFO_LOAD(&of_node[0], PMIX_NODE_INFO, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&of_node[1], PMIX_NODEID, &node, PMIX_UINT32);
    PMIX_INFO_LOAD(&immediate, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    PMIX_LOAD_PROCID(&proc, asked[which].nspace, asked[which].rank);
    rc = PMIx_Get(&proc, asked[which].key, asked[which].info, asked[which].n_infos, &got);
    number = rc != PMIX_SUCCESS         ? 0
             : got->type == PMIX_UINT16 ? got->data.uint16
                                        : got->data.uint32;
    if ((rc == PMIX_SUCCESS) != asked[which].there || number != asked[which].want) {
        fprintf(stderr, "agree: rank %u: question %u of rank %u, node %u: %u, not %u (%s)\n",
                me.rank, which, rank, node, number, asked[which].want, PMIx_Error_string(rc));
        failures++;
    }
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(got, 1);
    }
}

int main(int argc, char **argv)
{
    pmix_value_t *v = NULL;
    pmix_proc_t job;
    uint64_t rng;
    uint32_t rounds;

    if (argc != 4) {
        return 2;
    }
    alarm(240);
    seed = strtoull(argv[1], NULL, 0);
    rounds = (uint32_t) strtoul(argv[2], NULL, 0);
    nodes = (uint32_t) strtoul(argv[3], NULL, 0);
    must(PMIx_Init(&me, NULL, 0), "init");
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    must(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &v), "size");
    size = v->data.uint32;
    PMIx_Value_free(v, 1);
    if (size > MAX_SIZE) {
        return 2;
    }
    rng = seed ^ me.rank;
    for (uint32_t round = 0; round < rounds && failures == 0; round++) {
        for (uint32_t rank = 0; rank < size; rank++) {
            post(rank, round);
        }
        must(PMIx_Commit(), "commit");
        fence(true);
        for (uint32_t i = 0; i < size * KEYS; i++) {
            check(i / KEYS, i % KEYS);
            check_host(&rng);
        }
        fence(false); /* nobody posts before all have looked */
    }
    must(PMIx_Finalize(NULL, 0), "finalize");
    return failures > 0;
}
