/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The writer ends at every single store of a scripted history, in a process of its own: values of
 * every kind of column, records, versions, growing tables, nodes and ranks that come, values that
 * are hidden, qualified, of a process set; a move to another generation, since much is dead, and
 * more of the same there; a publication that the segment has no room for, and so moves it; all
 * nodes and ranks registered again; deregistration. Each segment left behind must verify, must be
 * the state after some number of whole publications, and that number never falls as the writer
 * lives longer; one that was superseded has a next one, which is no older. This program is built
 * with a store hook (shmem/put.h); a first run compares the segments with a copy that knows only
 * what the hook was told, so no store is missed. Covers: SHM-003 SHM-004 */
#include "support.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shmem/put.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/slice.h"

enum {
    N_STEPS = 17,
    MOVE_AT = 10, /* what is dead is left behind after this step */
    FULL_AT = 13, /* this step does not fit */
    REGISTER_AT = 15,
    N_RANKS = 24,
    N_NODES = 4,
    SIZE = 1 << 18,
    FULL = SIZE + SIZE / 4,
    ROOM = 4 * SIZE, /* of the last generation, at most */
    N_GENERATIONS = 3
};

static unsigned long n_stores;
static unsigned long last_store;

/* A copy of a segment that is made of announced stores alone. */
static struct shadow {
    const unsigned char *base; /* NULL: not used */
    size_t size;
    unsigned char *copy;
    size_t end; /* nothing has been announced beyond */
    size_t at;  /* announced last, and not copied yet */
    size_t len;
} shadows[N_GENERATIONS + 1];
static bool shadowing;

static void settle(struct shadow *shadow)
{
    memcpy(shadow->copy + shadow->at, shadow->base + shadow->at, shadow->len);
    shadow->len = 0;
    if (memcmp(shadow->copy, shadow->base, shadow->end) != 0) {
        (void) fprintf(stderr, "crash: a store was not announced\n");
        abort();
    }
}

/* A segment's first store is its header, at its start. */
static struct shadow *shadow_of(const unsigned char *at)
{
    struct shadow *shadow = shadows;

    while (shadow->base && (at < shadow->base || at >= shadow->base + shadow->size)) {
        shadow++;
    }
    if (!shadow->base) {
        shadow->base = at;
        shadow->size = shadow == &shadows[N_GENERATIONS - 1] ? ROOM : SIZE;
        shadow->copy = calloc(1, shadow->size);
    }
    return shadow;
}

static void announce(const unsigned char *at, size_t len)
{
    struct shadow *shadow;
    struct shadow *each;

    for (each = shadows; each->base; each++) {
        settle(each);
    }
    shadow = shadow_of(at);
    shadow->at = (size_t) (at - shadow->base);
    shadow->len = len;
    if (shadow->end < shadow->at + len) {
        shadow->end = shadow->at + len;
    }
}

void px_shm_store_hook(const void *at, size_t len)
{
    if (shadowing) {
        announce(at, len);
    }
    if (++n_stores == last_store) {
        _exit(0);
    }
}

static const char *const nodes[N_NODES] = {"n0", "n1", "n2", "n3"};

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

/* A value that the readers may not see, one with a qualifier, the members of a process set. */
static void add_special(struct px_batch *batch, uint32_t step, pmix_value_t *v)
{
    static char blob[2048];
    static pmix_info_t qual = {.key = "qual", .value = {.type = PMIX_UINT32}};
    struct px_store_entry hidden = {
        .level = PX_LEVEL_PROC, .index = step, .key = "hidden", .scope = PMIX_REMOTE};
    struct px_store_entry qualified = {.level = PX_LEVEL_PROC,
                                       .index = 1,
                                       .key = "qualified",
                                       .value = v,
                                       .quals = &qual,
                                       .n_quals = 1};

    memset(blob, 'a' + (int) step, sizeof(blob));
    v[1] = bytes(blob, sizeof(blob));
    assert_int_equal(px_batch_add(batch, &hidden), 0);
    assert_int_equal(px_batch_add(batch, &qualified), 0);
    add(batch, PX_LEVEL_JOB, 0, "set", &v[1]);
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
        (void) snprintf(fresh[i], sizeof(fresh[i]), "fresh.%u.%u", step, i);
        add(batch, PX_LEVEL_APP, i % 3, fresh[i], &v[N_RANKS]);
    }
    add_special(batch, step, &v[N_RANKS]);
    if (step % 3 == 0) {
        struct px_node_def def = {.name = nodes[step / 3 % 4], .nodeid = PX_NO_NODEID};
        uint32_t index;

        assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
        assert_int_equal(px_batch_place_rank(batch, step, index, step % 2), 0);
        assert_int_equal(px_batch_local_node(batch, index), 0);
    }
}

/* Every node and rank once more, elsewhere than before. */
static void add_registration(struct px_batch *batch, struct px_store *store)
{
    static const char *const aliases[] = {"alias", NULL};
    uint32_t index[N_NODES];
    uint32_t i;

    for (i = 0; i < N_NODES; i++) {
        struct px_node_def def = {
            .name = nodes[i], .aliases = i ? NULL : aliases, .nodeid = 10 + i};

        assert_int_equal(px_batch_node(batch, store, &def, &index[i]), 0);
    }
    for (i = 0; i < N_RANKS; i++) {
        assert_int_equal(px_batch_place_rank(batch, i, index[i % N_NODES], i % 2), 0);
    }
    assert_int_equal(px_batch_local_node(batch, index[N_NODES - 1]), 0);
}

/* Pointers into a generation keep it mapped here: it is still to be looked at. */
static void keep_mapped(const struct px_store *store)
{
    const pmix_value_t *pointer;
    struct px_slice slice;

    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "set", &slice), 0);
    assert_int_equal(px_slice_pointer(&slice, &pointer), 0);
}

static void write_history(struct px_store *store)
{
    static char fill[FULL];
    pmix_value_t full = bytes(fill, sizeof(fill));
    uint32_t step;

    for (step = 1; step <= N_STEPS; step++) {
        struct px_batch *batch = px_batch_create();
        pmix_value_t v[N_RANKS + 2];
        char fresh[8][16];

        add_step(batch, store, step, v, fresh);
        if (step == FULL_AT) {
            keep_mapped(store);
            memset(fill, 'f', sizeof(fill));
            add(batch, PX_LEVEL_JOB, 0, "full", &full);
        } else if (step == REGISTER_AT) {
            add_registration(batch, store);
        }
        if (px_store_publish(store, batch)) {
            _exit(3);
        }
        px_batch_destroy(batch);
        if (step == MOVE_AT) {
            keep_mapped(store);
            px_store_compact(store);
        } else if (step == REGISTER_AT) {
            px_store_set_flags(store, PX_STORE_JOB_COMPLETE);
        }
    }
}

static void check_special(const struct px_store *store, uint32_t steps)
{
    struct px_slice slice;
    uint32_t step;

    if (steps) {
        assert_int_equal(find(store, PX_LEVEL_JOB, 0, "set", &slice), 0);
        assert_int_equal(slice.len, 2048);
        assert_int_equal(((const char *) slice.payload)[2047], 'a' + steps);
    }
    for (step = 1; step <= N_STEPS; step++) {
        assert_int_equal(find(store, PX_LEVEL_PROC, step, "hidden", &slice),
                         step <= steps ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : PMIX_ERR_NOT_FOUND);
    }
}

/* The publication that did not fit, and the second registration. */
static void check_great(const struct px_store *store, uint32_t steps)
{
    struct px_slice slice;
    uint32_t rank;

    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "full", &slice),
                     steps >= FULL_AT ? 0 : PMIX_ERR_NOT_FOUND);
    if (steps >= FULL_AT) {
        assert_int_equal(slice.len, FULL);
        assert_int_equal(((const char *) slice.payload)[FULL - 1], 'f');
    }
    for (rank = 0; rank < N_RANKS && steps >= REGISTER_AT; rank++) {
        uint32_t index = px_store_node_by_name(store, nodes[rank % N_NODES]);

        assert_int_not_equal(index, PX_NO_NODE);
        assert_int_equal(px_store_node_of(store, rank), index);
    }
    assert_true(steps >= REGISTER_AT || px_store_flags(store) == 0);
    assert_int_equal(px_store_node_by_name(store, "alias") != PX_NO_NODE, steps >= REGISTER_AT);
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
    check_special(store, steps);
    check_great(store, steps);
    if (steps) {
        assert_int_equal(word(store, PX_LEVEL_JOB, 0, "step"), steps);
        assert_int_equal(word(store, PX_LEVEL_NODE, steps % 2, "step"), steps);
    } else {
        assert_int_equal(find(store, PX_LEVEL_JOB, 0, "step", &slice), PMIX_ERR_NOT_FOUND);
    }
    for (step = 1; step <= N_STEPS; step++) {
        (void) snprintf(key, sizeof(key), "fresh.%u.7", step);
        assert_int_equal(find(store, PX_LEVEL_APP, 7 % 3, key, &slice),
                         step <= steps ? 0 : PMIX_ERR_NOT_FOUND);
        if (step % 3 == 0 && step / 3 < 4) {
            uint32_t index = px_store_node_by_name(store, nodes[step / 3 % 4]);

            assert_int_equal(index == PX_NO_NODE, step > steps);
            if (steps < REGISTER_AT) {
                assert_int_equal(px_store_node_of(store, step), index);
            }
        }
    }
}

static struct px_store *create(void)
{
    struct px_store_opts opts = {
        .nspace = "job", .shared = true, .virtual_size = SIZE, .moves = true, .garbage_bytes = 1};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

/* A process that shares our descriptors, so that a generation which it makes outlives it. */
static pid_t fork_sharing_files(void)
{
    return (pid_t) syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Sound, and the state after a whole number of steps, which it returns. */
static uint32_t check_left(const struct px_store *store)
{
    struct px_store_info info;
    struct px_slice slice;
    uint32_t steps = 0;

    assert_sound(store);
    px_store_info(store, &info);
    if (find(store, PX_LEVEL_JOB, 0, "step", &slice) == 0) {
        steps = (uint32_t) slice.word;
    }
    if (info.generation == 1) {
        assert_int_equal(info.sequence, steps);
    }
    check_prefix(store, steps);
    return steps;
}

/* A segment's descriptor among ours, which we share with the writer. */
static bool is_segment(const char *fd)
{
    char path[64];
    char to[64] = "";

    (void) snprintf(path, sizeof(path), "/proc/self/fd/%.20s", fd);
    return readlink(path, to, sizeof(to) - 1) > 0 && strstr(to, "memfd:shmix") != NULL;
}

/* What the writer has left of a generation, which is whole, as a reader finds it; NULL: it is not
 * there. Closes all but the first generation's descriptors when `generation` is 0. */
static struct px_store *find_generation(uint32_t generation, int first)
{
    DIR *dir = opendir("/proc/self/fd");
    struct px_store *found = NULL;
    const struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        int fd = atoi(entry->d_name);
        struct px_store *store;

        if (!is_segment(entry->d_name) || fd == first) {
            continue;
        }
        if (generation == 0) {
            close(fd);
        } else if (!found && px_store_open(dup(fd), &store) == 0) {
            found = px_store_header(store)->id.generation == generation ? store : NULL;
            px_store_destroy(found ? NULL : store);
        }
    }
    closedir(dir);
    return found;
}

static uint32_t next_of(const struct px_store *store)
{
    return (uint32_t) (px_store_header(store)->state >> 32);
}

/* The steps that the newest generation shows, each one being no older than the one before. */
static uint32_t check_all_left(const struct px_store *store, int first, bool ended)
{
    static const uint32_t last_of[N_GENERATIONS] = {MOVE_AT, FULL_AT - 1, N_STEPS};
    struct px_store *newer = NULL;
    uint32_t shown = check_left(store);
    uint32_t generation;

    for (generation = next_of(store); generation; generation = next_of(newer)) {
        assert_in_range(generation, 2, N_GENERATIONS);
        assert_int_equal(shown, last_of[generation - 2]);
        px_store_destroy(newer);
        newer = find_generation(generation, first);
        assert_non_null(newer);
        assert_true(check_left(newer) >= shown);
        shown = check_left(newer);
        store = newer;
    }
    assert_int_equal((uint32_t) px_store_header(store)->state, ended ? PX_SHM_DEAD : PX_SHM_LIVE);
    px_store_destroy(newer);
    return shown;
}

/* Runs the history up to a store; returns how many publications the newest segment shows. */
static uint32_t run_until(unsigned long k, unsigned long *ret_stores)
{
    struct px_store *store = create();
    unsigned long *total =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t shown;
    int status;
    pid_t pid;

    pid = fork_sharing_files();
    assert_true(pid >= 0);
    if (pid == 0) {
        n_stores = 0;
        last_store = k;
        write_history(store);
        if (unshare(CLONE_FILES)) { /* from now on it closes its own */
            _exit(4);
        }
        px_store_destroy(store);
        *total = n_stores;
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    shown = check_all_left(store, px_store_fd(store), k == 0);
    (void) find_generation(0, px_store_fd(store));
    *ret_stores = *total;
    (void) munmap(total, 4096);
    px_store_destroy(store);
    return shown;
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
    assert_int_equal(before, N_STEPS); /* the last store says that nothing comes any more */
}

/* Between two announcements nothing changes but what the first one named. */
static void no_other_stores(void **state)
{
    struct px_store *store;
    struct shadow *shadow;

    (void) state;
    shadowing = true;
    store = create();
    write_history(store);
    shadowing = false;
    for (shadow = shadows; shadow->base; shadow++) {
        if (shadow->base == store->seg.base) {
            settle(shadow);
            assert_true(store->seg.size <= shadow->size);
            assert_memory_equal(shadow->copy, shadow->base, store->seg.size);
        }
    }
    assert_non_null(shadows[N_GENERATIONS - 1].base); /* it has moved */
    px_store_destroy(store);
    for (shadow = shadows; shadow->base; shadow++) {
        free(shadow->copy);
        shadow->base = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_stores),
        cmocka_unit_test(every_store),
    };

    alarm(240);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
