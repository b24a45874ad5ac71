/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job that posts again and again what it has posted before, so that its server's
 * segment fills with what is dead and moves. After each fence a process finds exactly what its
 * neighbour posted before it; threads that read without a fence never see values go back; pointers
 * that were given away stay good. What it prints is the same whether there is a segment or not.
 * With "starve" rank 0 has no descriptor left for new generations in some rounds; when it has, it
 * catches up without being told anything. With "large" a move takes several turns of the server.
 * moves ROUNDS [fork|starve|large]
 * Covers: SHM-004 SHM-006 */

#include <pmix.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALL = 4096, LARGE = 3000000, N_THREADS = 2, MOST_MAPPED = 4 };
enum { STARVE_FROM = 10, STARVE_TO = 40 };

static pmix_proc_t me;
static pmix_proc_t neighbour;
static pmix_proc_t job;
static atomic_bool over;
static size_t blob_size = SMALL;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "moves: rank %u: %s\n", me.rank, what);
        _exit(98);
    }
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "moves: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        _exit(99);
    }
}

static pmix_status_t get_number(const pmix_proc_t *proc, const char *key, const pmix_info_t *info,
                                size_t n, uint32_t *ret)
{
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(proc, key, info, n, &value);

    if (rc == PMIX_SUCCESS) {
        expect(value->type == PMIX_UINT32, key);
        *ret = value->data.uint32;
        PMIx_Value_free(value, 1);
    }
    return rc;
}

/* Reads without any fence: what is seen never goes back. */
static void *watch(void *arg)
{
    uint32_t last = 0;
    uint32_t now = 0;
    bool yes = true;
    pmix_info_t optional;

    (void) arg;
    PMIx_Info_load(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    while (!atomic_load(&over)) {
        pmix_status_t rc = get_number(&neighbour, "round", &optional, 1, &now);

        if (rc == PMIX_SUCCESS) {
            expect(now >= last, "a value went back");
            last = now;
        } else {
            expect(rc == PMIX_ERR_NOT_FOUND && last == 0, "a value is lost");
        }
        expect(get_number(&job, PMIX_JOB_SIZE, NULL, 0, &now) == PMIX_SUCCESS, "no job size");
        usleep(50);
    }
    return NULL;
}

static void put(uint32_t round)
{
    static char bytes[LARGE];
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = round};
    pmix_value_t blob = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = blob_size}};

    bool yes = true;
    pmix_info_t collect;

    memset(bytes, 'a' + (int) (round + me.rank) % 26, blob_size);
    check(PMIx_Put(PMIX_GLOBAL, "round", &value), "put");
    check(PMIx_Put(PMIX_GLOBAL, "blob", &blob), "put");
    check(PMIx_Commit(), "commit");
    PMIx_Info_load(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check(PMIx_Fence(NULL, 0, &collect, 1), "fence");
}

static bool is_blob(const pmix_value_t *value, uint32_t round)
{
    char want = (char) ('a' + (round + neighbour.rank) % 26);
    bool same = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == blob_size;

    for (size_t i = 0; same && i < blob_size; i++) {
        same = value->data.bo.bytes[i] == want;
    }
    return same;
}

static unsigned n_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    unsigned n = 0;

    while (maps && fgets(line, sizeof(line), maps)) {
        n += strstr(line, "memfd:shmix (") != NULL;
    }
    if (maps) {
        fclose(maps);
    }
    return n;
}

/* Who reads by messages keeps what it was told, until it asks for what is new. */
static void look(uint32_t round)
{
    pmix_value_t *value = NULL;
    uint32_t number = 0;
    bool yes = true;
    pmix_info_t refresh;
    size_t n = n_mapped() == 0;

    PMIx_Info_load(&refresh, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    check(get_number(&neighbour, "round", &refresh, n, &number), "get");
    expect(number == round, "not what was posted before the fence");
    check(PMIx_Get(&neighbour, "blob", &refresh, n, &value), "get");
    expect(is_blob(value, round), "the bytes are not those of this round");
    PMIx_Value_free(value, 1);
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
}

/* From now on no descriptor can be had, or as many as before. */
static void starve(bool on)
{
    static struct rlimit before;
    struct rlimit limit;
    int lowest;

    if (on) {
        lowest = dup(0);
        expect(lowest >= 0 && getrlimit(RLIMIT_NOFILE, &before) == 0, "limits");
        close(lowest);
        limit = (struct rlimit){.rlim_cur = (rlim_t) lowest, .rlim_max = before.rlim_max};
    }
    expect(setrlimit(RLIMIT_NOFILE, on ? &limit : &before) == 0, "limits");
}

/* What the neighbour posted in this round is seen in the end, though nobody says anything. */
static void await(uint32_t round)
{
    uint32_t number = 0;

    while (n_mapped() > 0 && number != round) {
        check(get_number(&neighbour, "round", NULL, 0, &number), "get");
    }
}

/* Whether rank 0 cannot follow in this round. */
static bool is_starved(uint32_t round)
{
    if (me.rank == 0 && round == STARVE_FROM) {
        starve(true);
    } else if (me.rank == 0 && round == STARVE_TO) {
        starve(false);
        await(round);
    }
    return me.rank == 0 && round >= STARVE_FROM && round < STARVE_TO;
}

/* A borrowed value, where there is something to borrow from. */
static pmix_value_t *borrow(void)
{
    pmix_value_t *value = NULL;
    bool yes = true;
    pmix_info_t pointer;

    PMIx_Info_load(&pointer, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    check(PMIx_Get(&neighbour, "blob", &pointer, 1, &value), "get by pointer");
    return value;
}

/* What a child reads. The address sanitizer's malloc is of no use after a fork among threads: it
 * gives the storage itself there. */
static pmix_status_t get_in_child(uint32_t *ret)
{
#ifdef __SANITIZE_ADDRESS__
    pmix_value_t storage = {.type = PMIX_UNDEF};
    pmix_value_t *value = &storage;
    pmix_info_t here;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&here, PMIX_GET_STATIC_VALUES, NULL, PMIX_BOOL);
    rc = PMIx_Get(&neighbour, "round", &here, 1, &value);
    *ret = rc == PMIX_SUCCESS ? storage.data.uint32 : 0;
    return rc;
#else
    return get_number(&neighbour, "round", NULL, 0, ret);
#endif
}

/* A child reads what its parent has mapped, and goes. */
static void fork_and_read(uint32_t round)
{
    bool shared = n_mapped() > 0;
    int status;
    pid_t pid = fork();

    expect(pid >= 0, "fork");
    if (pid == 0) {
        uint32_t number = 0;
        bool found = get_in_child(&number) == PMIX_SUCCESS;

        found = found && (number == round || !shared);
#ifndef __SANITIZE_ADDRESS__ /* which looks for threads at an exit that only the parent has */
        if (round % 32 == 0) {
            exit(found ? 0 : 1); /* with what the library does at an end */
        }
#endif
        _exit(found ? 0 : 1);
    }
    expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "a forked child reads");
}

int main(int argc, char **argv)
{
    uint32_t n_rounds = argc > 1 ? (uint32_t) strtoul(argv[1], NULL, 10) : 100;
    bool forks = argc > 2 && strcmp(argv[2], "fork") == 0;
    bool starves = argc > 2 && strcmp(argv[2], "starve") == 0;
    bool large = argc > 2 && strcmp(argv[2], "large") == 0;
    pthread_t threads[N_THREADS];
    pmix_value_t *first = NULL;
    uint32_t size = 0;

    alarm(100);
    blob_size = large ? LARGE : SMALL;
    check(PMIx_Init(&me, NULL, 0), "init");
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    check(get_number(&job, PMIX_JOB_SIZE, NULL, 0, &size), "job size");
    PMIX_LOAD_PROCID(&neighbour, me.nspace, (me.rank + 1) % size);
    for (int i = 0; i < N_THREADS; i++) {
        expect(pthread_create(&threads[i], NULL, watch, NULL) == 0, "thread");
    }
    for (uint32_t round = 1; round <= n_rounds; round++) {
        put(round);
        first = first ? first : borrow();
        if (forks && round % 16 == 0) {
            fork_and_read(round);
        }
        if (starves && is_starved(round)) {
            check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
        } else {
            look(round);
        }
    }
    atomic_store(&over, true);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    expect(is_blob(first, 1), "a pointer leads to something else");
    expect(n_mapped() <= MOST_MAPPED, "old generations stay mapped");
    printf("rank %u of %u: %u rounds\n", me.rank, size, n_rounds);
    check(PMIx_Finalize(NULL, 0), "finalize");
    expect(n_mapped() == 0, "something stays mapped");
    return 0;
}
