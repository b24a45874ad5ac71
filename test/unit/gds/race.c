/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One writer, many readers, as processes and as threads. The writer publishes batch n: every key
 * says n, blobs are filled with n, tables grow, columns are replaced and overlaid. Readers check on
 * each pass that values are whole and never go back, and that one batch is seen as one: what is
 * read later is never of an earlier batch.
 * Covers: SHM-003 SHM-004 SHM-005 */
#include "support.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "src/base/atomic.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { ROUNDS = 1500, N_RANKS = 40, N_READERS = 3 };

static const char *const many[] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};

static void publish_round(struct px_store *store, uint32_t n, char *blob)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[N_RANKS + 4];
    char name[32];
    uint32_t i;

    memset(blob, 'a' + (int) (n % 26), 4096);
    v[N_RANKS] = u32(n);
    v[N_RANKS + 1] = bytes(blob, 64 + n % 4000);
    add(batch, PX_LEVEL_JOB, 0, "first", &v[N_RANKS]);
    for (i = 0; i < N_RANKS; i++) {
        v[i] = n % 3 == 0 ? u32(n) : n % 3 == 1 ? u32(n) : u32(n + i);
        if (n % 5 == 0 || i == n % N_RANKS) {
            v[i] = u32(n);
            add(batch, PX_LEVEL_PROC, i, "column", &v[i]);
        }
    }
    add(batch, PX_LEVEL_PROC, n % N_RANKS, many[n % 8], &v[N_RANKS]);
    (void) snprintf(name, sizeof(name), "fresh.%u", n);
    add(batch, PX_LEVEL_NODE, n % 7, name, &v[N_RANKS]);
    add(batch, PX_LEVEL_PROC, 1, "blob", &v[N_RANKS + 1]);
    add(batch, PX_LEVEL_JOB, 0, "last", &v[N_RANKS]);
    if (px_store_publish(store, batch)) {
        abort();
    }
    px_batch_destroy(batch);
}

/* 0, or the number of the check that failed. */
static int read_round(const struct px_store *store, uint32_t *newest)
{
    struct px_slice slice;
    const unsigned char *p;
    uint32_t first;
    uint32_t now;
    size_t i;
    char name[32];

    if (px_store_find(store, PX_LEVEL_JOB, 0, "last", 4, &slice)) {
        return *newest ? 1 : 0;
    }
    first = (uint32_t) slice.word;
    if (first < *newest) {
        return 2;
    }
    *newest = first;
    if (px_store_find(store, PX_LEVEL_JOB, 0, "first", 5, &slice) || slice.word < first) {
        return 3;
    }
    if (px_store_find(store, PX_LEVEL_PROC, 1, "blob", 4, &slice) || slice.len < 64) {
        return 4;
    }
    p = slice.payload;
    for (i = 1; i < slice.len; i++) {
        if (p[i] != p[0]) {
            return 5;
        }
    }
    if (px_store_find(store, PX_LEVEL_PROC, first % N_RANKS, "column", 6, &slice)) {
        return 6;
    }
    now = (uint32_t) slice.word;
    if (now < first) {
        return 7;
    }
    (void) snprintf(name, sizeof(name), "fresh.%u", first);
    if (px_store_find(store, PX_LEVEL_NODE, first % 7, name, strlen(name), &slice) ||
        slice.word != first) {
        return 8;
    }
    return px_store_find(store, PX_LEVEL_PROC, first % N_RANKS, many[first % 8], 2, &slice) ||
                   slice.word < first
               ? 9
               : 0;
}

static int read_until_end(const struct px_store *store)
{
    uint32_t newest = 0;

    while (newest < ROUNDS) {
        int rc = read_round(store, &newest);

        if (rc) {
            return rc;
        }
    }
    return 0;
}

static void as_processes(void **state)
{
    struct px_store *store = make_store(true);
    char *blob = malloc(4096);
    pid_t pids[N_READERS];
    uint32_t i;

    (void) state;
    for (i = 0; i < N_READERS; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            struct px_store *reader;

            alarm(60);
            if (px_store_open(dup(px_store_fd(store)), &reader)) {
                _exit(100);
            }
            _exit(read_until_end(reader));
        }
    }
    for (i = 1; i <= ROUNDS; i++) {
        publish_round(store, i, blob);
    }
    for (i = 0; i < N_READERS; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    free(blob);
    drop_store(store);
}

static void *reader_thread(void *arg)
{
    return (void *) (intptr_t) read_until_end(arg);
}

static void as_threads(void **state)
{
    struct px_store *store = make_store(false); /* one mapping, so that TSan sees both sides */
    char *blob = malloc(4096);
    pthread_t threads[N_READERS];
    uint32_t i;

    (void) state;
    for (i = 0; i < N_READERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, reader_thread, store), 0);
    }
    for (i = 1; i <= ROUNDS; i++) {
        publish_round(store, i, blob);
    }
    for (i = 0; i < N_READERS; i++) {
        void *rc;

        assert_int_equal(pthread_join(threads[i], &rc), 0);
        assert_int_equal((intptr_t) rc, 0);
    }
    free(blob);
    drop_store(store);
}

/* The writer dies at any moment: what is left is sound and whole. */
static void killed_writer(void **state)
{
    uint64_t rng = 20261120;
    unsigned trial;

    (void) state;
    for (trial = 0; trial < 20; trial++) {
        struct px_store *store = make_store(true);
        uint64_t until = next_random(&rng) % 200;
        uint32_t newest = 0;
        pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0) {
            char *blob = malloc(4096);
            uint32_t round = 1;

            while (blob) { /* until it is killed */
                publish_round(store, round++, blob);
            }
            _exit(1);
        }
        while (px_load_acquire(&px_store_header(store)->sequence) < until) {
        }
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_sound(store);
        assert_int_equal(read_round(store, &newest), 0);
        px_store_destroy(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_processes),
        cmocka_unit_test(as_threads),
        cmocka_unit_test(killed_writer),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
