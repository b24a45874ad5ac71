/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The writer ends at every single store of a scripted history, in a process of its own. Each
 * segment left behind must verify, must be the state after some number of whole publications, and
 * that number never falls as the writer lives longer. This program is built with a store hook
 * (shmem/put.h). */
#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "shmem/put.h"

enum { N_STEPS = 14, N_RANKS = 24 };

static unsigned long n_stores;
static unsigned long last_store;

void px_shm_store_hook(void)
{
    if (++n_stores == last_store) {
        _exit(0);
    }
}

static const char *const nodes[] = {"n0", "n1", "n2", "n3"};

/* What step says about a key at process level: 0 nothing, else value + 1. */
static uint32_t proc_value(uint32_t step, uint32_t rank)
{
    switch (step % 5) {
    case 0:
        return 1 + step; /* the same for all: a column */
    case 1:
        return 1 + (rank * rank + step) % 200; /* other columns */
    case 2:
        return rank % 11 == step % 11 ? 1 + step : 0; /* a few above the column */
    case 3:
        return rank < step ? 1 + step * rank : 0;
    default:
        return 0;
    }
}

static void add_step(struct px_batch *batch, struct px_store *store, uint32_t step, pmix_value_t *v,
                     char (*fresh)[16])
{
    uint32_t i;

    for (i = 0; i < N_RANKS; i++) {
        uint32_t value = proc_value(step, i);

        v[i] = u32(value - 1);
        if (value) {
            add(batch, PX_LEVEL_PROC, i, "column", &v[i]);
        }
    }
    v[N_RANKS] = u32(step);
    add(batch, PX_LEVEL_JOB, 0, "step", &v[N_RANKS]);
    add(batch, PX_LEVEL_NODE, step % 2, "step", &v[N_RANKS]);
    for (i = 0; i < 8; i++) { /* enough keys and records that both tables grow */
        (void) snprintf(fresh[i], sizeof fresh[i], "fresh.%u.%u", step, i);
        add(batch, PX_LEVEL_APP, i % 3, fresh[i], &v[N_RANKS]);
    }
    if (step % 3 == 0) {
        struct px_node_def def = {.name = nodes[step / 3 % 4], .nodeid = PX_NO_NODEID};
        uint32_t index;

        assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
        assert_int_equal(px_batch_place(batch, step, index, step % 2), 0);
        assert_int_equal(px_batch_local_node(batch, index), 0);
    }
}

static void write_history(struct px_store *store)
{
    uint32_t step;

    for (step = 1; step <= N_STEPS; step++) {
        struct px_batch *batch = px_batch_create();
        pmix_value_t v[N_RANKS + 1];
        char fresh[8][16];

        add_step(batch, store, step, v, fresh);
        if (px_store_publish(store, batch)) {
            _exit(3);
        }
        px_batch_destroy(batch);
    }
}

static void check_procs(const struct px_store *store, uint32_t steps)
{
    uint32_t rank;

    for (rank = 0; rank < N_RANKS; rank++) {
        struct px_slice slice = {0};
        uint32_t want = 0;
        uint32_t step;

        for (step = 1; step <= steps; step++) {
            uint32_t value = proc_value(step, rank);

            want = value ? value : want;
        }
        if (want) {
            assert_int_equal(word(store, PX_LEVEL_PROC, rank, "column"), want - 1);
        } else {
            assert_int_equal(find(store, PX_LEVEL_PROC, rank, "column", &slice),
                             PMIX_ERR_NOT_FOUND);
        }
    }
}

static void check_prefix(const struct px_store *store, uint32_t steps)
{
    struct px_slice slice;
    char key[24];
    uint32_t step;

    check_procs(store, steps);
    if (steps) {
        assert_int_equal(word(store, PX_LEVEL_JOB, 0, "step"), steps);
        assert_int_equal(word(store, PX_LEVEL_NODE, steps % 2, "step"), steps);
    } else {
        assert_int_equal(find(store, PX_LEVEL_JOB, 0, "step", &slice), PMIX_ERR_NOT_FOUND);
    }
    for (step = 1; step <= N_STEPS; step++) {
        (void) snprintf(key, sizeof key, "fresh.%u.7", step);
        assert_int_equal(find(store, PX_LEVEL_APP, 7 % 3, key, &slice),
                         step <= steps ? 0 : PMIX_ERR_NOT_FOUND);
        if (step % 3 == 0 && step / 3 < 4) {
            uint32_t index = px_store_node_by_name(store, nodes[step / 3 % 4]);

            assert_int_equal(index == PX_NO_NODE, step > steps);
            assert_int_equal(px_store_node_of(store, step), index);
        }
    }
}

/* Runs the history up to a store; returns how many publications the segment shows. */
static uint32_t run_until(unsigned long k, unsigned long *ret_stores)
{
    struct px_store *store = make_store(true);
    unsigned long *count =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct px_store_info info;
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        n_stores = 0;
        last_store = k;
        write_history(store);
        *count = n_stores;
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_sound(store);
    px_store_info(store, &info);
    check_prefix(store, (uint32_t) info.sequence);
    *ret_stores = *count;
    (void) munmap(count, 4096);
    px_store_destroy(store);
    return (uint32_t) info.sequence;
}

static void every_store(void **state)
{
    unsigned long total;
    unsigned long none;
    unsigned long k;
    uint32_t before = 0;

    (void) state;
    assert_int_equal(run_until(0, &total), N_STEPS);
    print_message("# %lu stores\n", total);
    assert_true(total > 500);
    for (k = 1; k <= total; k++) {
        uint32_t now = run_until(k, &none);

        assert_true(now >= before);
        before = now;
    }
    assert_int_equal(before, N_STEPS - 1); /* the last store is the last publication's number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_store)};

    alarm(240);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
