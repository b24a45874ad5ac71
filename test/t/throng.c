/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes of large jobs.
 *
 *     throng start READY GATE TRIED   appends a byte to READY, waits until somebody has the FIFO
 * GATE open for writing, appends a byte to TRIED, and only then begins: PMIx_Init, a fence with
 * data, a neighbour's value throng fences ROUNDS SEED       fences over random subsets of the
 * processes of its node, with random pauses, now and then of the whole job
 *
 * Each prints a line that ends with "right"; anything else ends it with a message. */

#include <fcntl.h>
#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/soak/soak.h"

enum { LIMIT_S = 1200, MOST_PEERS = 64, ALL_EVERY = 64, PROVED_EVERY = 16, PAUSE_NS = 300000 };

static pmix_proc_t me;
static uint32_t job_size;

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "throng: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(1);
    }
}

static uint32_t get_u32(const pmix_proc_t *proc, const char *key)
{
    pmix_value_t *value = NULL;
    uint32_t n;

    check(PMIx_Get(proc, key, NULL, 0, &value), key);
    n = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return n;
}

static void begin(void)
{
    pmix_proc_t job;

    check(PMIx_Init(&me, NULL, 0), "init");
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    job_size = get_u32(&job, PMIX_JOB_SIZE);
}

static void post(uint32_t n)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = n};

    check(PMIx_Put(PMIX_GLOBAL, "throng.n", &value), "put");
    check(PMIx_Commit(), "commit");
}

static void fence(const pmix_proc_t *procs, size_t n, bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    check(PMIx_Fence(procs, n, &info, 1), "fence");
}

static void append_byte(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, ".", 1) != 1 || close(fd) != 0) {
        perror(path);
        exit(1);
    }
}

static void start(const char *ready, const char *gate, const char *tried)
{
    pmix_proc_t other;
    int fd;

    append_byte(ready);
    fd = open(gate, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        perror(gate);
        exit(1);
    }
    append_byte(tried);
    begin();
    post(100 + me.rank);
    fence(NULL, 0, true);
    PMIX_LOAD_PROCID(&other, me.nspace, (me.rank + 1) % job_size);
    if (get_u32(&other, "throng.n") != 100 + other.rank) {
        check(PMIX_ERROR, "the neighbour's value");
    }
    close(fd);
}

/* The ranks of this node. */
static size_t find_peers(pmix_rank_t peers[MOST_PEERS])
{
    pmix_value_t *value = NULL;
    pmix_proc_t job;
    size_t n = 0;
    char *rest = NULL;

    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    check(PMIx_Get(&job, PMIX_LOCAL_PEERS, NULL, 0, &value), "local peers");
    for (char *word = strtok_r(value->data.string, ",", &rest); word != NULL && n < MOST_PEERS;
         word = strtok_r(NULL, ",", &rest)) {
        peers[n++] = (pmix_rank_t) strtoul(word, NULL, 10);
    }
    PMIX_VALUE_RELEASE(value);
    return n;
}

static void pause_some(uint64_t *own)
{
    uint64_t z = soak_draw(own);
    struct timespec t = {0, (long) (z >> 8) % PAUSE_NS};

    if (z % 4 == 0) {
        nanosleep(&t, NULL);
    }
}

/* One fence of the processes whose bit is set, if we are one of them. All post the number of the
 * round before some fences, and nobody may find a smaller one behind it. */
static bool some(const pmix_rank_t *peers, size_t n_peers, uint64_t bits, uint32_t round)
{
    pmix_proc_t procs[MOST_PEERS];
    bool proved = round % PROVED_EVERY == 0;
    bool us = false;
    size_t n = 0;

    for (size_t i = 0; i < n_peers; i++) {
        if (bits >> i & 1) {
            PMIX_LOAD_PROCID(&procs[n], me.nspace, peers[i]);
            n++;
            us |= peers[i] == me.rank;
        }
    }
    if (!us) {
        return false;
    }
    if (proved) {
        post(round);
    }
    fence(procs, n, false);
    for (size_t i = 0; proved && i < n; i++) {
        if (get_u32(&procs[i], "throng.n") < round) {
            check(PMIX_ERROR, "a fence that has ended before all had come");
        }
    }
    return true;
}

static void fences(uint32_t rounds, uint64_t seed)
{
    pmix_rank_t peers[MOST_PEERS];
    size_t n_peers = find_peers(peers);
    uint64_t own = seed * 1000 + me.rank;
    uint64_t common = seed + peers[0];
    unsigned n = 0;

    for (uint32_t round = 1; round <= rounds; round++) {
        uint64_t bits = soak_draw(&common);

        pause_some(&own);
        if (round % ALL_EVERY == 0) {
            fence(NULL, 0, false);
            n++;
        } else {
            n += some(peers, n_peers, bits | 3U << bits % (n_peers - 1), round);
        }
    }
    fence(NULL, 0, false);
    printf("rank %u: %u fences, ", me.rank, n + 1);
}

int main(int argc, char **argv)
{
    alarm(LIMIT_S);
    if (argc == 5 && strcmp(argv[1], "start") == 0) {
        start(argv[2], argv[3], argv[4]);
    } else if (argc == 4 && strcmp(argv[1], "fences") == 0) {
        begin();
        fences((uint32_t) strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    } else {
        return 2;
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    puts("right");
    return 0;
}
