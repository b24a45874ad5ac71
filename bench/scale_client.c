/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The clients of scale: "first" and "next" initialise and read processes at random, "post" and
 * "post-too" post and read after a collecting fence, "watch" reads on while the segment moves. They
 * print pairs of name and number, and
 * "end" when all they read was right. */

#include <pmix.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"
#include "measure.h"
#include "scale.h"

enum { BATCH = 1000, BATCHES = 101 };

static pmix_proc_t self;
static unsigned n_ranks;
static unsigned seed = 12345;

/* What is expected, made before anything is measured. */
static char (*names)[SCALE_TEXT];
static char localities[SCALE_PER_NODE][SCALE_TEXT];

static bool expect(void)
{
    unsigned nodes = scale_node(n_ranks - 1) + 1;

    names = malloc(nodes * sizeof(*names));
    for (unsigned n = 0; names && n < nodes; n++) {
        scale_node_name(n, names[n]);
    }
    for (unsigned r = 0; r < SCALE_PER_NODE; r++) {
        locality_of(r, localities[r]);
    }
    return names != NULL;
}

static unsigned random_rank(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (unsigned) (((uint64_t) seed * n_ranks) >> 32);
}

static pmix_value_t *get(unsigned rank, const char *key, const pmix_info_t *info)
{
    pmix_proc_t proc = self;
    pmix_value_t *value = NULL;

    proc.rank = rank;
    return PMIx_Get(&proc, key, info, info ? 1 : 0, &value) == PMIX_SUCCESS ? value : NULL;
}

static bool random_scalar(void)
{
    unsigned rank = random_rank();
    pmix_value_t *value = get(rank, PMIX_LOCAL_RANK, NULL);
    bool good;

    if (!value) {
        return false;
    }
    good = value->type == PMIX_UINT16 && value->data.uint16 == scale_local_rank(rank);
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool random_string(void)
{
    unsigned rank = random_rank();
    pmix_value_t *value = get(rank, PMIX_HOSTNAME, NULL);
    bool good;

    if (!value) {
        return false;
    }
    good = value->type == PMIX_STRING && !strcmp(value->data.string, names[scale_node(rank)]);
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool random_locality(void)
{
    unsigned rank = random_rank();
    pmix_value_t *value = get(rank, PMIX_LOCALITY_STRING, NULL);
    bool good;

    if (!value) {
        return false;
    }
    good = value->type == PMIX_STRING &&
           !strcmp(value->data.string, localities[scale_local_rank(rank)]);
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool peers(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char node[SCALE_TEXT];
    bool good;

    scale_node_name(1, node);
    good = PMIx_Resolve_peers(node, self.nspace, &procs, &n) == PMIX_SUCCESS &&
           n == SCALE_PER_NODE && procs[n - 1].rank == SCALE_LOCAL + SCALE_PER_NODE - 1;
    PMIX_PROC_FREE(procs, n);
    return good;
}

/* The list of all nodes; looked at is its end: to count them would take longer than the call. */
static bool nodes(void)
{
    char *list = NULL;
    char last[SCALE_TEXT];
    const char *end;
    bool good;

    scale_node_name(scale_node(n_ranks - 1), last);
    good = PMIx_Resolve_nodes(self.nspace, &list) == PMIX_SUCCESS;
    end = good ? strrchr(list, ',') : NULL;
    good = end && !strcmp(end + 1, last);
    free(list);
    return good;
}

static bool measured(const char *name, bool (*op)(void), unsigned batch, unsigned batches)
{
    struct samples samples = {.n = 0};
    bool good = true;

    for (unsigned b = 0; b < scaled(batches) && good; b++) {
        uint64_t start = now_ns();

        for (unsigned i = 0; i < batch && good; i++) {
            good = op();
        }
        sample_add(&samples, (double) (now_ns() - start) / batch);
    }
    if (good) {
        printf("%s %.1f\n", name, sample_median(&samples));
    } else {
        fprintf(stderr, "scale: %s: a wrong answer\n", name);
    }
    return good;
}

static bool first_client(void)
{
    bool ready = expect();
    struct memory before = memory_of(getpid());
    uint64_t start = now_ns();
    bool good = ready && PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS;

    if (!good) {
        fprintf(stderr, "scale: the first client cannot initialise\n");
        return false;
    }
    printf("first_init_ns %.0f\n", (double) (now_ns() - start));
    printf("client_init_private_kb %ld\n", memory_of(getpid()).private_kb - before.private_kb);
    good = measured("get_random_scalar_ns", random_scalar, BATCH, BATCHES) &&
           measured("get_random_hostname_ns", random_string, BATCH, BATCHES) &&
           measured("get_random_locality_ns", random_locality, BATCH, BATCHES) &&
           measured("resolve_128_peers_ns", peers, 20, BATCHES);
    printf("client_private_kb %ld\n", memory_of(getpid()).private_kb - before.private_kb);
    return good && measured("resolve_nodes_ns", nodes, 20, BATCHES);
}

static bool job_size(void)
{
    pmix_value_t *value = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL);
    bool good = value && value->type == PMIX_UINT32 && value->data.uint32 == n_ranks;

    if (value) {
        PMIX_VALUE_RELEASE(value);
    }
    return good;
}

static bool next_client(void)
{
    uint64_t start = now_ns();
    bool good = PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS;

    printf("init_ns %.0f\n", (double) (now_ns() - start));
    return good && job_size();
}

/* --- posted data --- */

static pmix_info_t *pointer_directive;

static bool is_posted(unsigned rank, const pmix_value_t *value)
{
    char want[SCALE_POSTED];

    scale_value(rank, want);
    return value && value->type == PMIX_BYTE_OBJECT && value->data.bo.size == SCALE_POSTED &&
           !memcmp(value->data.bo.bytes, want, SCALE_POSTED);
}

static bool random_posted(void)
{
    unsigned rank = random_rank();
    pmix_value_t *value = get(rank, SCALE_KEY, NULL);
    bool good = is_posted(rank, value);

    if (value) {
        PMIX_VALUE_RELEASE(value);
    }
    return good;
}

static bool random_pointer(void)
{
    unsigned rank = random_rank();

    return is_posted(rank, get(rank, SCALE_KEY, pointer_directive));
}

static bool post(void)
{
    char bytes[SCALE_POSTED];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};

    scale_value(self.rank, bytes);
    value.data.bo.bytes = bytes;
    value.data.bo.size = SCALE_POSTED;
    return PMIx_Put(PMIX_GLOBAL, SCALE_KEY, &value) == PMIX_SUCCESS &&
           PMIx_Commit() == PMIX_SUCCESS;
}

static bool posting_client(bool reads)
{
    bool yes = true;
    pmix_info_t collect;
    pmix_info_t pointer;
    uint64_t start;
    bool good;

    PMIX_INFO_CONSTRUCT(&collect);
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&pointer);
    PMIX_INFO_LOAD(&pointer, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    pointer_directive = &pointer;
    good = PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS && post() &&
           PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS;
    start = now_ns();
    good = good && PMIx_Fence(NULL, 0, &collect, 1) == PMIX_SUCCESS;
    printf("posted_fence_ns %.0f\n", (double) (now_ns() - start));
    if (good && reads) {
        good = measured("posted_first_ns", random_posted, 1, 1001) &&
               measured("posted_random_ns", random_posted, BATCH, BATCHES) &&
               measured("posted_pointer_ns", random_pointer, BATCH, BATCHES);
    }
    PMIX_INFO_DESTRUCT(&collect);
    PMIX_INFO_DESTRUCT(&pointer);
    return good;
}

/* Reads at random, each read timed, by the clock and by what the thread has worked; until there is
 * nothing more to come from the host, or so often. */
static bool watch(const char *when, unsigned most)
{
    struct pollfd end = {.fd = 0, .events = POLLIN};
    unsigned long n = 0;
    unsigned long slow = 0;
    uint64_t longest = 0;
    uint64_t hardest = 0;

    while (most ? n < most : n % BATCH != 0 || poll(&end, 1, 0) == 0) {
        uint64_t start = now_ns();
        uint64_t worked = thread_cpu_ns();
        bool good = random_scalar();
        uint64_t took = now_ns() - start;

        worked = thread_cpu_ns() - worked;
        hardest = worked > hardest ? worked : hardest;
        if (!good) {
            return false;
        }
        n++;
        slow += took > 100000;
        longest = took > longest ? took : longest;
    }
    printf("%s_gets %lu\n%s_longest_ns %.0f\n%s_longest_cpu_ns %.0f\n%s_over_100us %lu\n", when, n,
           when, (double) longest, when, (double) hardest, when, slow);
    return true;
}

static bool watching_client(void)
{
    bool good = PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS && watch("quiet", 1000 * BATCH);

    puts(good ? "end" : "failed");
    fflush(stdout);
    return good && watch("moving", 0);
}

int scale_client(const char *kind, unsigned ranks)
{
    bool first = !strcmp(kind, "first");
    char end;
    bool good;

    n_ranks = ranks;
    good = first                    ? first_client()
           : !strcmp(kind, "next")  ? next_client()
           : !strcmp(kind, "watch") ? watching_client()
                                    : posting_client(!strcmp(kind, "post"));
    puts(good ? "end" : "failed"); /* the host reads up to here: this process may stay */
    fflush(stdout);
    free(names);
    if (first && read(0, &end, 1) != 0) {
        return 1;
    }
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS && good ? 0 : 1;
}
