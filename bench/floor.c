/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What this machine takes for what no library can leave out: an allocation, a miss of the cache, a
 * copy, a message. Prints "metric floor_<name> <median ns>"; knows nothing of any PMIx. */

#include <pmix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum {
    MISS_WORDS = 8 << 20, /* of 32 bits: far larger than a cache */
    READ_RANKS = 20000,
    READ_KEYS = 9,
    POSTED = 64 << 20, /* bytes of a million ranks with 64 each */
    SEGMENT = 4 << 20,
    BATCHES = 31
};

static volatile uint64_t sink; /* what is computed must not be left out */

/* For the compiler: somebody reads that memory. */
static void used(void *at)
{
    __asm__ volatile("" : : "r"(at) : "memory");
}

static void allocation(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        void *at = malloc(32);

        used(at);
        free(at);
    }
}

/* Hashes a name by 8 bytes, looks into a small table, compares: what a key given as text takes. */
static void key(unsigned n)
{
    static const char *const names[] = {PMIX_JOB_SIZE, PMIX_LOCAL_RANK, PMIX_HOSTNAME, PMIX_NODEID};
    static char table[256][16];
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        const char *name = names[i % 4];
        size_t len = strlen(name);
        uint64_t word = 0;

        memcpy(&word, name, len < 8 ? len : 8);
        word = (word ^ len) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
        sum += strcmp(table[word], name) == 0;
        memcpy(table[word], name, len < 15 ? len + 1 : 15);
    }
    sink = sum;
}

static uint32_t *chain;

/* Each load says where the next one goes. */
static void miss(unsigned n)
{
    uint32_t at = (uint32_t) sink % MISS_WORDS;

    for (unsigned i = 0; i < n; i++) {
        at = chain[at];
    }
    sink = at;
}

static bool make_chain(void)
{
    uint32_t at = 0;

    chain = malloc((size_t) MISS_WORDS * sizeof(*chain));
    for (uint32_t i = 0; chain && i < MISS_WORDS; i++) {
        /* all words in one circle: a full period, because the sizes are a power of two */
        uint32_t next = (at * UINT32_C(1664525) + UINT32_C(1013904223)) % MISS_WORDS;

        chain[at] = next;
        at = next;
    }
    return chain != NULL;
}

static void copy(unsigned n, size_t len)
{
    static char from[1 << 16];

    for (unsigned i = 0; i < n; i++) {
        char *to = malloc(len);

        if (to) {
            memcpy(to, from, len);
        }
        used(to);
        free(to);
    }
}

static void copy_64(unsigned n)
{
    copy(n, 64);
}

static void copy_list(unsigned n)
{
    copy(n, 128); /* nine host names */
}

static void procs(unsigned n, unsigned n_procs)
{
    static const pmix_nspace_t nspace = JOB_NSPACE;

    for (unsigned i = 0; i < n; i++) {
        pmix_proc_t *at = malloc(n_procs * sizeof(*at));

        for (unsigned p = 0; at && p < n_procs; p++) {
            memcpy(at[p].nspace, nspace, sizeof(nspace));
            at[p].rank = p;
        }
        used(at);
        free(at);
    }
}

static void procs_128(unsigned n)
{
    procs(n, 128);
}

static void procs_9(unsigned n)
{
    procs(n, 9);
}

static void map_segment(unsigned n)
{
    int fd = memfd_create("bench", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, SEGMENT) != 0) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        volatile char *at = mmap(NULL, SEGMENT, PROT_READ, MAP_SHARED, fd, 0);

        if (at != MAP_FAILED) {
            sink = (uint64_t) at[0];
            munmap((void *) (uintptr_t) at, SEGMENT);
        }
    }
    close(fd);
}

static int wire = -1;

static void message(unsigned n)
{
    char byte = 0;

    for (unsigned i = 0; i < n; i++) {
        if (write(wire, &byte, 1) != 1 || read(wire, &byte, 1) != 1) {
            return;
        }
    }
}

/* Another process that sends back what it gets. */
static pid_t start_echo(void)
{
    int ends[2];
    char byte;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        while (read(ends[1], &byte, 1) == 1 && write(ends[1], &byte, 1) == 1) {
        }
        _exit(0);
    }
    close(ends[1]);
    wire = ends[0];
    return pid;
}

static pmix_info_t *input;

/* What a host gives for each rank, read once: key and value. Per rank. */
static void read_input(unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n && i < READ_RANKS; i++) {
        for (unsigned k = 0; k < READ_KEYS; k++) {
            const pmix_info_t *info = &input[(size_t) i * READ_KEYS + k];

            sum += (uint64_t) (unsigned char) info->key[5] + info->value.data.uint64;
        }
    }
    sink = sum;
}

/* Memory that is new, written once: what must be kept of a large job's posted data. Per
 * megabyte. */
static void write_new(unsigned n)
{
    size_t len = (size_t) n << 20;
    char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (at != MAP_FAILED) {
        memset(at, 1, len);
        munmap(at, len);
    }
}

static const struct {
    const char *name;
    void (*run)(unsigned n);
    unsigned batch;
    unsigned times; /* the figure is of so many */
} floors[] = {
    {"allocation", allocation, 1000, 1},
    {"key", key, 1000, 1},
    {"miss", miss, 20000, 1},
    {"copy_64", copy_64, 1000, 1},
    {"copy_list", copy_list, 1000, 1},
    {"procs_128", procs_128, 50, 1},
    {"procs_9", procs_9, 500, 1},
    {"map_segment", map_segment, 50, 1},
    {"message", message, 200, 1},
    {"read_100k", read_input, READ_RANKS, 100000},
    {"read_1m", read_input, READ_RANKS, 1000000},
    {"write_64m", write_new, POSTED >> 20, POSTED >> 20},
};

int run_floor(void)
{
    pid_t echo = start_echo();

    input = calloc((size_t) READ_RANKS * READ_KEYS, sizeof(*input));
    if (!input || !make_chain() || echo < 0) {
        return 70;
    }
    memset(input, 1, (size_t) READ_RANKS * READ_KEYS * sizeof(*input));
    for (size_t f = 0; f < sizeof(floors) / sizeof(floors[0]); f++) {
        struct samples samples = {.n = 0};

        for (unsigned b = 0; b < scaled(BATCHES); b++) {
            uint64_t start = now_ns();

            floors[f].run(floors[f].batch);
            sample_add(&samples, (double) (now_ns() - start) / floors[f].batch * floors[f].times);
        }
        printf("metric floor_%s %.1f\n", floors[f].name, sample_median(&samples));
    }
    close(wire);
    free(input);
    free(chain);
    return waitpid(echo, NULL, 0) == echo ? 0 : 70;
}
