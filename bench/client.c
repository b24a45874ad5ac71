/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The measuring client. Rank 0 measures the reads, both ranks take part in what is collective.
 * Every value is compared with what the host registered or the peer posted before its metric
 * counts; a metric that the library answers wrongly is reported as failed. Prints "metric <name>
 * <median ns>" or "metric <name> failed". */

#include <pmix.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "fair.h"
#include "measure.h"

enum {
    BATCH = 200,
    BATCHES = 101,
    COLLECTIVES = 101,
    ROUNDS_64 = 41,
    ROUNDS_64K = 15,
    LARGE = 65536,
    SMALL = 64,
    THREADS = 8,
    THREAD_GETS = 50000,
    THREAD_ROUNDS = 11
};

static pmix_proc_t self;
static unsigned long
    only_ops; /* BENCH_OPS: that many operations of BENCH_ONLY, for counting instructions */
static const char *only;

/* A process of our job; the same storage each time, as programs have it: copying a name of 256
 * bytes would cost as much as what is measured. */
static const pmix_proc_t *proc_of(pmix_rank_t rank)
{
    static __thread pmix_proc_t proc;

    if (proc.nspace[0] == '\0') {
        proc = self;
    }
    proc.rank = rank;
    return &proc;
}

static void result(const char *name, bool valid, struct samples *samples)
{
    if (valid && samples->n) {
        printf("metric %s %.1f\n", name, sample_median(samples));
    } else {
        printf("metric %s failed\n", name);
    }
    fflush(stdout);
}

/* One operation; true when what it read is right. */
typedef bool (*op_fn)(unsigned i);

static bool u32_is(pmix_rank_t rank, const char *key, pmix_data_type_t type, uint32_t want)
{
    const pmix_proc_t *proc = proc_of(rank);
    pmix_value_t *value = NULL;
    bool good = false;

    if (PMIx_Get(proc, key, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    if (value->type == type) {
        good = (type == PMIX_UINT16 ? value->data.uint16 : value->data.uint32) == want;
    }
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool get_job(unsigned i)
{
    (void) i;
    return u32_is(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, JOB_RANKS);
}

static uint16_t local_ranks[JOB_RANKS];

static bool get_proc_u16(unsigned i)
{
    (void) i;
    return u32_is(self.rank, PMIX_LOCAL_RANK, PMIX_UINT16, local_ranks[self.rank]);
}

static bool get_proc_u32(unsigned i)
{
    (void) i;
    return u32_is(self.rank, PMIX_NODEID, PMIX_UINT32, node_of(self.rank));
}

static char names[JOB_NODES][256];

static bool get_proc_random(unsigned i)
{
    unsigned rank = (i * 7919u) % JOB_RANKS;

    return u32_is(rank, PMIX_LOCAL_RANK, PMIX_UINT16, local_ranks[rank]);
}

static bool get_str(unsigned i)
{
    unsigned rank = self.rank;
    const pmix_proc_t *proc = proc_of(rank);
    pmix_value_t *value = NULL;
    bool good;

    (void) i;
    if (PMIx_Get(proc, PMIX_HOSTNAME, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_STRING && value->data.string &&
           !strcmp(value->data.string, names[node_of(rank)]);
    PMIX_VALUE_RELEASE(value);
    return good;
}

static pmix_info_t static_directive;
static pmix_info_t pointer_directive;
static pmix_info_t optional_directive;
static pmix_info_t by_name[JOB_NODES];

static bool get_static(unsigned i)
{
    const pmix_proc_t *proc = proc_of(PMIX_RANK_WILDCARD);
    pmix_value_t storage;
    pmix_value_t *value = &storage;

    (void) i;
    memset(&storage, 0, sizeof(storage));
    return PMIx_Get(proc, PMIX_JOB_SIZE, &static_directive, 1, &value) == PMIX_SUCCESS &&
           value == &storage && storage.type == PMIX_UINT32 && storage.data.uint32 == JOB_RANKS;
}

/* A library that ignores the directive gives another copy each time. */
static bool get_pointer(unsigned i)
{
    static const pmix_value_t *before;
    const pmix_proc_t *proc = proc_of(self.rank);
    pmix_value_t *value = NULL;
    bool good;

    (void) i;
    if (PMIx_Get(proc, PMIX_HOSTNAME, &pointer_directive, 1, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_STRING && !strcmp(value->data.string, names[node_of(self.rank)]) &&
           (!before || before == value);
    before = value;
    return good;
}

static bool get_miss(unsigned i)
{
    const pmix_proc_t *proc = proc_of(1);
    pmix_value_t *value = NULL;

    (void) i;
    return PMIx_Get(proc, "bench-nobody-has-this", &optional_directive, 1, &value) ==
           PMIX_ERR_NOT_FOUND;
}

static bool get_node(unsigned i)
{
    const pmix_proc_t *proc = proc_of(PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;
    bool good;

    (void) i;
    if (PMIx_Get(proc, PMIX_LOCAL_SIZE, &by_name[0], 1, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_UINT32 && value->data.uint32 == LOCAL_CLIENTS;
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool put_u32(unsigned i)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_UINT32;
    value.data.uint32 = i;
    return PMIx_Put(PMIX_LOCAL, "bench-put", &value) == PMIX_SUCCESS;
}

static bool put_commit(unsigned i)
{
    return put_u32(i) && PMIx_Commit() == PMIX_SUCCESS;
}

static bool resolve_peers(unsigned i)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    bool good = PMIx_Resolve_peers(names[0], self.nspace, &procs, &n) == PMIX_SUCCESS &&
                n == LOCAL_CLIENTS && procs[1].rank == 1;

    (void) i;
    PMIX_PROC_FREE(procs, n);
    return good;
}

static bool peers_of(unsigned node, size_t want)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    bool good = PMIx_Resolve_peers(names[node], self.nspace, &procs, &n) == PMIX_SUCCESS &&
                n == want && node_of(procs[0].rank) == node && node_of(procs[n - 1].rank) == node &&
                procs[n - 1].rank == procs[0].rank + want - 1;

    PMIX_PROC_FREE(procs, n);
    return good;
}

static bool resolve_peers_128(unsigned i)
{
    (void) i;
    return peers_of(1, FULL_NODE);
}

static bool resolve_peers_9(unsigned i)
{
    (void) i;
    return peers_of(JOB_NODES - 1, LAST_NODE);
}

static bool resolve_nodes(unsigned i)
{
    char *list = NULL;
    bool good = PMIx_Resolve_nodes(self.nspace, &list) == PMIX_SUCCESS && list &&
                strstr(list, "bench-node01");

    (void) i;
    free(list);
    return good;
}

static bool barrier(unsigned i)
{
    (void) i;
    return PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS;
}

static void set_up(void)
{
    bool yes = true;

    for (unsigned n = 0; n < JOB_NODES; n++) {
        node_name(n, names[n], sizeof(names[n]));
        PMIX_INFO_CONSTRUCT(&by_name[n]);
        PMIX_INFO_LOAD(&by_name[n], PMIX_HOSTNAME, names[n], PMIX_STRING);
    }
    for (unsigned r = 0; r < JOB_RANKS; r++) {
        local_ranks[r] = (uint16_t) local_rank_of(r);
    }
    PMIX_INFO_CONSTRUCT(&static_directive);
    PMIX_INFO_LOAD(&static_directive, PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&pointer_directive);
    PMIX_INFO_LOAD(&pointer_directive, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&optional_directive);
    PMIX_INFO_LOAD(&optional_directive, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    fair_set_up(&self, names);
}

static void tear_down(void)
{
    for (unsigned n = 0; n < JOB_NODES; n++) {
        PMIX_INFO_DESTRUCT(&by_name[n]);
    }
    PMIX_INFO_DESTRUCT(&static_directive);
    PMIX_INFO_DESTRUCT(&pointer_directive);
    PMIX_INFO_DESTRUCT(&optional_directive);
    fair_tear_down();
}

/* Batches of one operation, every answer looked at. */
static void measure(const char *name, op_fn op, unsigned batch, unsigned batches)
{
    struct samples samples = {.n = 0};
    bool valid = true;
    unsigned i = 0;

    for (unsigned b = 0; b < batches && valid; b++) {
        uint64_t start = now_ns();

        for (unsigned k = 0; k < batch; k++) {
            valid &= op(i++);
        }
        sample_add(&samples, (double) (now_ns() - start) / batch);
    }
    result(name, valid, &samples);
}

struct modex {
    const char *suffix;
    size_t len;
    char key[64];
    struct samples fence, first, repeat, pointer;
    bool valid;
    bool pointer_valid;
};

static bool post(const char *key, size_t len, unsigned round)
{
    pmix_value_t value;
    char *bytes = malloc(len);
    bool good;

    memset(bytes, (int) (self.rank + round), len);
    bytes[len - 1] = (char) (bytes[len - 1] + (char) daemon_corrupts());
    memset(&value, 0, sizeof(value));
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = bytes;
    value.data.bo.size = len;
    good = PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS;
    free(bytes);
    return good;
}

/* NULL unless the library gives what the peer posted in that round. */
static pmix_value_t *peer_value(const struct modex *m, const pmix_info_t *directive, unsigned round)
{
    const pmix_proc_t *proc = proc_of((self.rank + 1) % LOCAL_CLIENTS);
    char mark = (char) (proc->rank + round);
    pmix_value_t *value = NULL;

    if (PMIx_Get(proc, m->key, directive, directive ? 1 : 0, &value) != PMIX_SUCCESS || !value) {
        return NULL;
    }
    if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size != m->len ||
        value->data.bo.bytes[0] != mark || value->data.bo.bytes[m->len - 1] != mark) {
        return NULL;
    }
    return value;
}

static bool peer_copy(const struct modex *m, unsigned round)
{
    pmix_value_t *value = peer_value(m, NULL, round);

    if (!value) {
        return false;
    }
    PMIX_VALUE_RELEASE(value);
    return true;
}

static void modex_gets(struct modex *m, unsigned round)
{
    unsigned batch = scaled(BATCH);
    const pmix_value_t *value;
    uint64_t start = now_ns();

    m->valid &= peer_copy(m, round);
    sample_add(&m->first, (double) (now_ns() - start));
    start = now_ns();
    for (unsigned k = 0; k < batch; k++) {
        m->valid &= peer_copy(m, round);
    }
    sample_add(&m->repeat, (double) (now_ns() - start) / batch);
    value = peer_value(m, &pointer_directive, round);
    start = now_ns();
    for (unsigned k = 0; k < batch && m->pointer_valid; k++) {
        m->pointer_valid = value && peer_value(m, &pointer_directive, round) == value;
    }
    sample_add(&m->pointer, (double) (now_ns() - start) / batch);
}

static void modex_round(struct modex *m, const pmix_info_t *collect, unsigned round)
{
    uint64_t start;

    snprintf(m->key, sizeof(m->key), "bench-%s-%u", m->suffix, round);
    m->valid &= post(m->key, m->len, round) && barrier(0);
    start = now_ns();
    m->valid &= PMIx_Fence(NULL, 0, collect, 1) == PMIX_SUCCESS;
    sample_add(&m->fence, (double) (now_ns() - start));
    modex_gets(m, round);
    m->valid &= barrier(0);
}

static void modex_result(const char *what, const char *suffix, bool valid, struct samples *samples)
{
    char name[64];

    snprintf(name, sizeof(name), "%s_%s", what, suffix);
    result(name, valid, samples);
}

/* Rounds of put, commit, collecting fence, first and repeated get of the peer's value; data
 * accumulate. */
static void modex(const char *suffix, size_t len, unsigned rounds)
{
    static struct modex m;
    bool yes = true;
    pmix_info_t collect;

    m = (struct modex){.suffix = suffix, .len = len, .valid = true, .pointer_valid = true};
    PMIX_INFO_CONSTRUCT(&collect);
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    for (unsigned round = 0; round < rounds; round++) {
        modex_round(&m, &collect, round);
    }
    PMIX_INFO_DESTRUCT(&collect);
    if (self.rank == 0) {
        modex_result("modex_fence", suffix, m.valid, &m.fence);
        modex_result("get_modex_first", suffix, m.valid, &m.first);
        modex_result("get_modex_repeat", suffix, m.valid, &m.repeat);
        modex_result("get_modex_pointer", suffix, m.pointer_valid, &m.pointer);
    }
}

static const struct {
    const char *name;
    op_fn op;
    bool collective;
} metrics[] = {
    {"get_job", get_job, false},
    {"get_proc_u16", get_proc_u16, false},
    {"get_proc_u32", get_proc_u32, false},
    {"get_proc_random", get_proc_random, false},
    {"get_str", get_str, false},
    {"get_static", get_static, false},
    {"get_pointer", get_pointer, false},
    {"get_miss", get_miss, false},
    {"get_node", get_node, false},
    {"resolve_peers", resolve_peers, false},
    {"resolve_peers_128", resolve_peers_128, false},
    {"resolve_peers_9", resolve_peers_9, false},
    {"resolve_nodes", resolve_nodes, false},
    {"put", put_u32, false},
    {"commit", put_commit, false},
    {"fair_job", fair_job, false},
    {"fair_number", fair_number, false},
    {"fair_string", fair_string, false},
    {"fair_any", fair_any, false},
    {"fair_static", fair_static, false},
    {"fair_pointer", fair_pointer, false},
    {"fair_miss", fair_miss, false},
    {"fair_node", fair_node, false},
    {"fair_peers", fair_peers, false},
    {"barrier", barrier, true},
};

enum { METRICS = sizeof(metrics) / sizeof(metrics[0]) };

/* All threads do the same gets at once; wall time over all gets, so that a library that does not
 * serialise them needs as long on one CPU as one thread, and half as long on two. */
static void *reader(void *arg)
{
    unsigned n = scaled(THREAD_GETS);
    bool *good = arg;

    for (unsigned i = 0; i < n && *good; i++) {
        *good = get_proc_random(i);
    }
    return NULL;
}

static void measure_threads(const char *name, unsigned n_threads)
{
    struct samples samples = {.n = 0};
    pthread_t threads[THREADS];
    bool good[THREADS];
    bool valid = true;

    for (unsigned round = 0; round < scaled(THREAD_ROUNDS) && valid; round++) {
        uint64_t start = now_ns();
        unsigned n = 0;

        for (; n < n_threads && valid; n++) {
            good[n] = true;
            valid = pthread_create(&threads[n], NULL, reader, &good[n]) == 0;
        }
        n -= !valid;
        while (n-- > 0) {
            pthread_join(threads[n], NULL);
            valid &= good[n];
        }
        sample_add(&samples, (double) (now_ns() - start) / (n_threads * scaled(THREAD_GETS)));
    }
    result(name, valid, &samples);
}

static void run_only(void)
{
    for (unsigned m = 0; m < METRICS; m++) {
        if (!strcmp(metrics[m].name, only) && (self.rank == 0 || metrics[m].collective)) {
            for (unsigned long i = 0; i < only_ops; i++) {
                (void) metrics[m].op((unsigned) i);
            }
        }
    }
    (void) barrier(0);
}

static void run_all(void)
{
    for (unsigned m = 0; m < METRICS; m++) {
        if (metrics[m].collective) {
            (void) barrier(0);
            if (self.rank == 0) {
                measure(metrics[m].name, metrics[m].op, 1, scaled(COLLECTIVES));
            } else {
                for (unsigned i = 0; i < scaled(COLLECTIVES); i++) {
                    (void) metrics[m].op(i);
                }
            }
        } else if (self.rank == 0) {
            unsigned batch = metrics[m].op == put_commit ? 1 : scaled(BATCH);

            measure(metrics[m].name, metrics[m].op, batch, scaled(BATCHES));
        }
    }
    modex("64", SMALL, scaled(ROUNDS_64));
    modex("64k", LARGE, scaled(ROUNDS_64K));
    if (self.rank == 0) {
        fair_set_posted("bench-64", scaled(ROUNDS_64), SMALL);
        measure("fair_posted_64", fair_posted, scaled(BATCH), scaled(BATCHES));
        measure_threads("get_1_thread", 1);
        measure_threads("get_8_threads", THREADS);
    }
    (void) barrier(0);
}

int run_client(void)
{
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) {
        fprintf(stderr, "bench: init failed\n");
        return 1;
    }
    set_up();
    only = getenv("BENCH_ONLY");
    if (only) {
        const char *ops = getenv("BENCH_OPS");

        only_ops = ops ? strtoul(ops, NULL, 10) : 0;
        run_only();
    } else {
        run_all();
    }
    tear_down();
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}

/* A process's first get, and its second. Of the job, because 4.2.2 has lost the ranks' data by
 * then. */
static void first_gets(void)
{
    static const char *const what[] = {"first_get", "second_get"};

    for (unsigned i = 0; i < 2; i++) {
        struct samples samples = {.n = 0};
        uint64_t start = now_ns();
        bool good = get_job(i);

        sample_add(&samples, (double) (now_ns() - start));
        result(what[i], good, &samples);
    }
}

int run_init_client(void)
{
    uint64_t start = now_ns();
    bool good;

    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    printf("metric init %.1f\n", (double) (now_ns() - start));
    first_gets();
    start = now_ns();
    good = PMIx_Finalize(NULL, 0) == PMIX_SUCCESS;
    printf("metric finalize %.1f\n", (double) (now_ns() - start));
    return good ? 0 : 1;
}
