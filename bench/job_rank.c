/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a large job (job.c, or pmixrun): initialises, posts BYTES bytes (a multiple of 8),
 * commits, fences with the data, reads what every rank posted and compares each byte, finalizes.
 * Public interface only.
 *
 * usage: job_rank BYTES pointer|copy, with JOB_START set to the CLOCK_MONOTONIC nanoseconds at
 * which the job was started.
 *
 * Prints one line: "rank R node N", then pairs of name and number: nanoseconds of each phase,
 * processor time of all of them together, and, while everybody is there, KiB of memory: its own
 * share, and by the first process of a node that of its parent, the server, and of the shared
 * mappings. Exits with 1 when an answer was wrong. */

#include <pmix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define KEY "job-endpoint"

enum { START, INIT, POST, FENCE, VERIFY, FINALIZE, PHASES };
static const char *const phase_names[PHASES] = {"start", "init",   "post",
                                                "fence", "verify", "finalize"};

struct kept {
    uint64_t ns[PHASES];
    uint64_t cpu_ns; /* of all threads, from before init until after finalize, without weigh */
    uint32_t node;
    uint32_t size;
    bool first; /* of its node */
    long own_kb;
    long shared_kb;
    long server_pss_kb;
    long server_rss_kb;
};

static pmix_proc_t self;

static void die(const char *what, int status)
{
    fprintf(stderr, "job_rank: rank %u: %s: %s\n", self.rank, what, PMIx_Error_string(status));
    exit(70);
}

static void must(int status, const char *what)
{
    if (status != PMIX_SUCCESS) {
        die(what, status);
    }
}

/* Different words in every rank. */
static void fill(uint64_t *words, size_t n, uint32_t rank)
{
    uint64_t x = rank + 1;

    for (size_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        words[i] = x;
    }
}

static uint32_t number(const pmix_proc_t *proc, const char *key, pmix_data_type_t type)
{
    pmix_value_t *value = NULL;
    uint32_t n;

    must(PMIx_Get(proc, key, NULL, 0, &value), key);
    if (value->type != type) {
        die(key, PMIX_ERR_TYPE_MISMATCH);
    }
    n = type == PMIX_UINT16 ? value->data.uint16 : value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return n;
}

static void look_around(struct kept *kept)
{
    pmix_proc_t all = self;

    all.rank = PMIX_RANK_WILDCARD;
    kept->size = number(&all, PMIX_JOB_SIZE, PMIX_UINT32);
    kept->node = number(&self, PMIX_NODEID, PMIX_UINT32);
    kept->first = number(&self, PMIX_LOCAL_RANK, PMIX_UINT16) == 0;
}

static void post(size_t n)
{
    uint64_t *words = malloc(n * sizeof(*words));
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *) words, .size = n * sizeof(*words)}};

    if (!words) {
        die("post", PMIX_ERR_NOMEM);
    }
    fill(words, n, self.rank);
    must(PMIx_Put(PMIX_GLOBAL, KEY, &value), "put");
    must(PMIx_Commit(), "commit");
    free(words);
}

static void fence(bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    must(PMIx_Fence(NULL, 0, &info, 1), "fence");
    PMIX_INFO_DESTRUCT(&info);
}

/* Begins with its neighbour, so that not all ask for the same at once. */
static void verify(uint32_t size, size_t n, bool pointers)
{
    uint64_t *want = malloc(n * sizeof(*want));
    pmix_info_t by_pointer;
    bool yes = true;

    if (!want) {
        die("verify", PMIX_ERR_NOMEM);
    }
    PMIX_INFO_LOAD(&by_pointer, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    for (uint32_t i = 1; i <= size; i++) {
        pmix_proc_t peer = self;
        pmix_value_t *value = NULL;

        peer.rank = (self.rank + i) % size;
        must(PMIx_Get(&peer, KEY, &by_pointer, pointers ? 1 : 0, &value), "get");
        fill(want, n, peer.rank);
        if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size != n * sizeof(*want) ||
            memcmp(value->data.bo.bytes, want, n * sizeof(*want)) != 0) {
            die("a wrong answer", PMIX_ERROR);
        }
        if (!pointers) {
            PMIX_VALUE_RELEASE(value);
        }
    }
    free(want);
}

/* Everybody has come, and nobody has gone. */
static void weigh(struct kept *kept)
{
    struct memory now;

    fence(false);
    now = memory_of(getpid());
    kept->own_kb = now.pss_kb;
    kept->shared_kb = now.shared_kb;
    if (kept->first) {
        now = memory_of(getppid());
        kept->server_pss_kb = now.pss_kb;
        kept->server_rss_kb = now.rss_kb + now.shared_kb;
    }
    fence(false);
}

static void print(const struct kept *kept)
{
    char line[1024];
    size_t n = 0;

    n += (size_t) snprintf(line, sizeof(line), "rank %u node %u", self.rank, kept->node);
    for (unsigned i = 0; i < PHASES; i++) {
        n += (size_t) snprintf(line + n, sizeof(line) - n, " %s_ns %llu", phase_names[i],
                               (unsigned long long) kept->ns[i]);
    }
    n += (size_t) snprintf(line + n, sizeof(line) - n, " client_cpu_ns %llu client_pss_kb %ld",
                           (unsigned long long) kept->cpu_ns, kept->own_kb);
    if (kept->first) {
        n += (size_t) snprintf(line + n, sizeof(line) - n,
                               " server_pss_kb %ld server_rss_kb %ld shared_kb %ld",
                               kept->server_pss_kb, kept->server_rss_kb, kept->shared_kb);
    }
    line[n++] = '\n';
    if (write(STDOUT_FILENO, line, n) != (ssize_t) n) { /* whole, among those of others */
        exit(70);
    }
}

int main(int argc, char **argv)
{
    const char *start = getenv("JOB_START");
    size_t n = argc > 2 ? strtoul(argv[1], NULL, 10) / sizeof(uint64_t) : 0;
    struct kept kept = {.ns = {0}};
    uint64_t at[PHASES + 1];
    uint64_t cpu = cpu_ns();
    uint64_t apart;

    at[INIT] = now_ns();
    at[START] = start ? strtoull(start, NULL, 10) : at[INIT];
    if (!n) {
        fprintf(stderr, "usage: job_rank BYTES pointer|copy\n");
        return 2;
    }
    must(PMIx_Init(&self, NULL, 0), "init");
    at[POST] = now_ns();
    post(n);
    at[FENCE] = now_ns();
    fence(true);
    at[VERIFY] = now_ns();
    look_around(&kept);
    verify(kept.size, n, strcmp(argv[2], "pointer") == 0);
    kept.ns[VERIFY] = now_ns() - at[VERIFY];
    apart = cpu_ns();
    weigh(&kept);
    apart = cpu_ns() - apart;
    at[FINALIZE] = now_ns();
    must(PMIx_Finalize(NULL, 0), "finalize");
    kept.ns[FINALIZE] = now_ns() - at[FINALIZE];
    kept.cpu_ns = cpu_ns() - cpu - apart;
    for (unsigned i = 0; i < VERIFY; i++) {
        kept.ns[i] = at[i + 1] - at[i];
    }
    print(&kept);
    return 0;
}
