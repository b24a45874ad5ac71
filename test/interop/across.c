/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client of a job of four ranks on two nodes, two on each, blockwise: who is where, what two
 * commits and a collecting fence bring, what is fetched from where it was posted, whether a fence
 * without data waits for everybody. One line "ok - what" or "not ok - what" a check.
 *
 *     across DIRECTORY    that both nodes see, with a fifo "words" in it */

#include <pmix.h>

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 4, PER_NODE = 2, PATIENCE_MS = 50 };

static pmix_proc_t self;
static int failures;

static void check(bool held, const char *what)
{
    failures += !held;
    printf("%s - rank %u: %s\n", held ? "ok" : "not ok", self.rank, what);
    fflush(stdout);
}

static bool u32_in_time(pmix_rank_t rank, const char *key, uint32_t want, int seconds)
{
    pmix_proc_t proc = self;
    pmix_info_t limit;
    pmix_value_t *value = NULL;
    uint32_t got = UINT32_MAX;
    pmix_status_t rc;

    proc.rank = rank;
    PMIX_INFO_CONSTRUCT(&limit);
    PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    rc = PMIx_Get(&proc, key, &limit, seconds ? 1 : 0, &value);
    PMIX_INFO_DESTRUCT(&limit);
    if (rc != PMIX_SUCCESS || !value) {
        fprintf(stderr, "rank %u: get %s of %u: %s\n", self.rank, key, rank, PMIx_Error_string(rc));
        return false;
    }
    if (value->type == PMIX_UINT32 || value->type == PMIX_PROC_RANK) {
        got = value->data.uint32;
    } else if (value->type == PMIX_UINT16) {
        got = value->data.uint16;
    }
    PMIX_VALUE_RELEASE(value);
    return got == want;
}

static bool u32_is(pmix_rank_t rank, const char *key, uint32_t want)
{
    return u32_in_time(rank, key, want, 0);
}

static void who_is_where(void)
{
    uint32_t node = self.rank / PER_NODE;
    char peers[32];
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;
    pmix_value_t *value = NULL;
    pmix_proc_t job = self;

    job.rank = PMIX_RANK_WILDCARD;
    snprintf(peers, sizeof(peers), "%u,%u", node * PER_NODE, node * PER_NODE + 1);
    check(u32_is(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, SIZE), "job size");
    check(u32_is(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, PER_NODE), "local size");
    check(u32_is(self.rank, PMIX_LOCAL_RANK, self.rank % PER_NODE), "local rank");
    check(u32_is(self.rank, PMIX_NODEID, node), "own node");
    check(u32_is((self.rank + PER_NODE) % SIZE, PMIX_NODEID, 1 - node), "the other node");
    check(PMIx_Get(&job, PMIX_LOCAL_PEERS, NULL, 0, &value) == PMIX_SUCCESS &&
              !strcmp(value->data.string, peers),
          "local peers");
    PMIX_VALUE_RELEASE(value);
    check(PMIx_Resolve_peers(NULL, self.nspace, &procs, &n) == PMIX_SUCCESS && n == PER_NODE &&
              procs[0].rank == node * PER_NODE,
          "peers of this node");
    PMIX_PROC_FREE(procs, n);
    check(PMIx_Resolve_nodes(self.nspace, &nodes) == PMIX_SUCCESS && nodes && strchr(nodes, ','),
          "nodes of the job");
    free(nodes);
}

static void post(const char *key, uint32_t v)
{
    pmix_value_t value = {.type = PMIX_UINT32};

    value.data.uint32 = v;
    check(PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS,
          "put and commit");
}

static void fence_of(const pmix_proc_t *procs, size_t n)
{
    pmix_info_t info;
    bool collect = true;

    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    check(PMIx_Fence(procs, n, &info, 1) == PMIX_SUCCESS, "fence");
    PMIX_INFO_DESTRUCT(&info);
}

static void fence(void)
{
    fence_of(NULL, 0);
}

static void everybody_has(const char *key, uint32_t factor)
{
    for (uint32_t r = 0; r < SIZE; r++) {
        check(u32_is(r, key, r * factor), key);
    }
}

static void collected(void)
{
    post("across-first", self.rank * 7);
    post("across-second", self.rank * 9);
    fence();
    everybody_has("across-first", 7);
    everybody_has("across-second", 9);
}

/* Whose node has nothing new waits for the others all the same. */
static void of_one_node(void)
{
    if (self.rank == 0) {
        post("across-third", 42);
    }
    fence();
    check(u32_is(0, "across-third", 42), "data of one node only");
}

/* Everybody by name is everybody, also if the other node says so in another way. */
static void listed(void)
{
    pmix_proc_t procs[SIZE];

    for (uint32_t r = 0; r < SIZE; r++) {
        PMIX_LOAD_PROCID(&procs[r], self.nspace, r);
    }
    post("across-fourth", self.rank * 13);
    if (self.rank < PER_NODE) {
        fence_of(procs, SIZE);
    } else {
        fence();
    }
    everybody_has("across-fourth", 13);
}

/* Nobody waits for anybody: who is asked too early answers when it has posted. It is the first that
 * it posts: Slurm does not say at the other node which key is wanted. */
static void fetched(void)
{
    post("across-direct", self.rank * 11);
    for (uint32_t r = 0; r < SIZE; r++) {
        check(u32_in_time(r, "across-direct", r * 11, 30), "fetched without a fence");
    }
}

/* --- a fence without data --- */

static const char *directory;

static const char *in_directory(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

/* A word to rank 0: of one letter, through a fifo. */
static void say(int fd, char what)
{
    check(write(fd, &what, 1) == 1, "say");
}

/* How many words come: `n` of them, or until nobody can say any more. */
static int hear(int fd, int n)
{
    char what;
    int heard = 0;

    while (heard < n && read(fd, &what, 1) == 1) {
        heard++;
    }
    return heard;
}

/* Rank 0 comes last, when all others wait, and has left a host that does not wait the time to let
 * somebody pass. */
static void come_late(void)
{
    int words = open(in_directory("words"), O_RDONLY);
    struct pollfd more = {.fd = words, .events = POLLIN};
    int come;

    check(hear(words, SIZE - 1) == SIZE - 1, "all others wait");
    check(poll(&more, 1, PATIENCE_MS) == 0, "nobody has passed");
    come = open(in_directory("come"), O_CREAT | O_WRONLY, 0600);
    check(come >= 0, "come");
    close(come);
    check(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "fence without data");
    (void) hear(words, SIZE);
    close(words);
}

static int passing[2]; /* a pipe */

static void passed(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    check(status == PMIX_SUCCESS, "fence without data");
    say(passing[1], 'p');
}

static void wait_for_the_last(void)
{
    int words = open(in_directory("words"), O_WRONLY);

    check(words >= 0 && pipe(passing) == 0, "words");
    check(PMIx_Fence_nb(NULL, 0, NULL, 0, passed, NULL) == PMIX_SUCCESS, "fence without data");
    say(words, 'w');
    check(hear(passing[0], 1) == 1 && access(in_directory("come"), F_OK) == 0,
          "a fence without data waits for the other node");
    say(words, 'p');
    close(words);
}

int main(int argc, char **argv)
{
    alarm(60);
    if (argc != 2) {
        fprintf(stderr, "usage: across DIRECTORY\n");
        return 2;
    }
    directory = argv[1];
    check(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
    if (failures) {
        return 1;
    }
    who_is_where();
    fetched();
    collected();
    of_one_node();
    listed();
    fence();
    if (self.rank == 0) {
        come_late();
    } else {
        wait_for_the_last();
    }
    check(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "finalize");
    return failures ? 1 : 0;
}
