/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A store that moves to a new generation: everything arrives, whoever has pointers keeps them, and
 * want of memory leaves things as they were.
 * Covers: SHM-006 */
#include "support.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "src/base/release.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { N_RANKS = 40, BIG = 100000, DEAD = 4096 };

static struct px_store *make_moving(uint64_t virtual_size)
{
    struct px_store_opts opts = {.nspace = "job",
                                 .shared = true,
                                 .virtual_size = virtual_size,
                                 .uid = 7,
                                 .gid = 8,
                                 .moves = true,
                                 .garbage_bytes = DEAD};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

static struct px_store_info info_of(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info;
}

/* Replaces a large value until that is worth a move. */
static void make_dead(struct px_store *store)
{
    static char fill[BIG];
    pmix_value_t value = bytes(fill, sizeof(fill));
    int i;

    for (i = 0; i < 3; i++) {
        memset(fill, 'a' + i, sizeof(fill));
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "big", &value, PMIX_GLOBAL), 0);
    }
}

/* --- everything there is --- */

static char names[5][8] = {"node0", "node1", "node2", "node3", "node4"};

static void add_places(struct px_batch *batch, struct px_store *store)
{
    static const char *const aliases[] = {"alias0", "10.0.0.1", NULL};
    uint32_t index;
    uint32_t i;

    for (i = 0; i < 5; i++) {
        struct px_node_def def = {
            .name = names[i], .aliases = i ? NULL : aliases, .nodeid = 50 + i};

        assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
        assert_int_equal(index, i);
    }
    for (i = 0; i < N_RANKS; i++) {
        assert_int_equal(px_batch_place_rank(batch, i, i < 20 ? i / 8 : i % 5, i / 30), 0);
    }
    assert_int_equal(px_batch_local_node(batch, 1), 0);
}

static void add_levels(struct px_batch *batch)
{
    static uint32_t numbers[] = {10, 20, 30};
    static pmix_data_array_t array = {.type = PMIX_UINT32, .size = 3, .array = numbers};
    static pmix_proc_t proc = {.nspace = "parent", .rank = 3};
    static pmix_value_t v[7];

    v[0] = u32(N_RANKS);
    v[1] = str("a session");
    v[2] = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    v[3] = (pmix_value_t){.type = PMIX_PROC, .data.proc = &proc};
    v[4] = (pmix_value_t){.type = PMIX_TIMEVAL, .data.tv = {.tv_sec = 4, .tv_usec = 5}};
    v[5] = (pmix_value_t){.type = PMIX_DOUBLE, .data.dval = 1.5};
    v[6] = (pmix_value_t){.type = PMIX_STRING};
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &v[0]);
    add(batch, PX_LEVEL_SESSION, 3, PMIX_RM_NAME, &v[1]);
    add(batch, PX_LEVEL_SESSION, 9, PMIX_RM_NAME, &v[1]);
    add(batch, PX_LEVEL_APP, 1, "numbers", &v[2]);
    add(batch, PX_LEVEL_NODE, 2, "proc", &v[3]);
    add(batch, PX_LEVEL_JOB, 0, "time", &v[4]);
    add(batch, PX_LEVEL_JOB, 0, "double", &v[5]);
    add(batch, PX_LEVEL_JOB, 0, "null", &v[6]);
}

static void add_ranks(struct px_batch *batch)
{
    static pmix_value_t v[N_RANKS * 5];
    uint32_t i;

    for (i = 0; i < N_RANKS; i++) {
        pmix_value_t *at = &v[5 * i];

        at[0] = u32(7);
        at[1] = u32(100 + i);
        at[2] = u16((uint16_t) (i * i));
        at[3] = str(names[i % 5]);
        at[4] = bytes(names, i % 12);
        add(batch, PX_LEVEL_PROC, i, "constant", &at[0]);
        add(batch, PX_LEVEL_PROC, i, "line", &at[1]);
        add(batch, PX_LEVEL_PROC, i, "array", &at[2]);
        add(batch, PX_LEVEL_PROC, i, "texts", &at[3]);
        if (i % 3) {
            add(batch, PX_LEVEL_PROC, i, "blob", &at[4]);
        }
    }
}

static void fill(struct px_store *store)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t late = str("late");
    pmix_value_t nested = u32(5);
    pmix_info_t quals[2] = {{.key = "q1", .value = u32(1)}, {.key = "q2", .value = str("two")}};
    struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                   .index = 2,
                                   .key = "qualified",
                                   .value = &nested,
                                   .scope = PMIX_LOCAL,
                                   .quals = quals,
                                   .n_quals = 2};
    pmix_data_array_t infos = {.type = PMIX_INFO, .size = 2, .array = quals};
    pmix_value_t array = {.type = PMIX_DATA_ARRAY, .data.darray = &infos};

    add_places(batch, store);
    add_levels(batch);
    add_ranks(batch);
    add(batch, PX_LEVEL_JOB, 0, "infos", &array);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 4, "texts", &late, PMIX_LOCAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 1000, "texts", &late, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 5, "hidden", NULL, PMIX_REMOTE), 0);
    px_store_set_flags(store, PX_STORE_JOB_COMPLETE);
}

/* --- comparison --- */

struct pair {
    const struct px_store *other;
    enum px_level level;
    uint32_t index;
    unsigned n;
};

static int count(void *arg, const char *key, const struct px_slice *slice)
{
    (void) key;
    (void) slice;
    ++*(unsigned *) arg;
    return 0;
}

static int same_value(void *arg, const char *key, const struct px_slice *slice)
{
    struct pair *pair = arg;
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_slice other;
    pmix_value_t a;
    pmix_value_t b;

    pair->n++;
    if (slice->hidden) {
        assert_int_equal(find(pair->other, pair->level, pair->index, key, &other),
                         PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
        return 0;
    }
    if (slice->quals) {
        pmix_info_t *quals;

        spec.rank = pair->index;
        spec.key = key;
        spec.key_len = strlen(key);
        assert_int_equal(px_slice_quals(slice, &quals, &spec.n_quals), 0);
        spec.quals = quals;
        assert_int_equal(px_store_get(pair->other, &spec, &other), 0);
        PMIx_Info_free(quals, spec.n_quals);
    } else {
        assert_int_equal(find(pair->other, pair->level, pair->index, key, &other), 0);
    }
    assert_int_equal(slice->type, other.type);
    assert_int_equal(slice->scope, other.scope);
    assert_int_equal(slice->form, other.form);
    assert_int_equal(px_slice_fill(slice, &a), 0);
    assert_int_equal(px_slice_fill(&other, &b), 0);
    assert_int_equal(PMIx_Value_compare(&a, &b), PMIX_EQUAL);
    PMIx_Value_destruct(&a);
    PMIx_Value_destruct(&b);
    return 0;
}

static void assert_same_places(const struct px_store *a, const struct px_store *b)
{
    struct px_node_view one;
    struct px_node_view two;
    uint32_t i;

    assert_int_equal(px_store_local_node(a), px_store_local_node(b));
    assert_int_equal(px_store_node_by_name(b, "10.0.0.1"), 0);
    for (i = 0; i < 5; i++) {
        assert_int_equal(px_store_node(a, i, &one), 0);
        assert_int_equal(px_store_node(b, i, &two), 0);
        assert_string_equal(one.name, two.name);
        assert_int_equal(one.nodeid, two.nodeid);
        assert_int_equal(one.n_ranks, two.n_ranks);
    }
    for (i = 0; i < N_RANKS; i++) {
        assert_int_equal(px_store_node_of(a, i), px_store_node_of(b, i));
        assert_int_equal(px_store_app_of(a, i), px_store_app_of(b, i));
    }
}

/* Whatever one tells the other tells, and no more. */
static void assert_same(const struct px_store *a, const struct px_store *b)
{
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5, 9, 30, 39, 40, 1000};
    int level;
    size_t i;

    for (level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
        for (i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
            struct pair pair = {.other = b, .level = (enum px_level) level, .index = indices[i]};
            unsigned n = 0;

            assert_int_equal(px_store_each(a, pair.level, pair.index, same_value, &pair), 0);
            assert_int_equal(px_store_each(b, pair.level, pair.index, count, &n), 0);
            assert_int_equal(pair.n, n);
        }
    }
    assert_int_equal(px_store_flags(a), px_store_flags(b));
    assert_int_equal(px_store_header(a)->session, px_store_header(b)->session);
    assert_int_equal(px_store_header(a)->extent, px_store_header(b)->extent);
    assert_int_equal(px_store_header(a)->id.epoch, px_store_header(b)->id.epoch);
    assert_int_equal(px_store_header(a)->id.uid, px_store_header(b)->id.uid);
    assert_int_equal(px_store_header(a)->id.gid, px_store_header(b)->id.gid);
    assert_same_places(a, b);
}

static void everything_arrives(void **state)
{
    struct px_store *store = make_moving(0);
    struct px_store *reader;
    struct px_store *next;

    (void) state;
    fill(store);
    make_dead(store);
    reader = open_reader(store);
    assert_int_equal(info_of(store).generation, 1);
    assert_true(info_of(store).garbage_bytes > 2 * BIG);
    px_store_compact(store);
    assert_int_equal(info_of(store).generation, 2);
    assert_true(info_of(store).garbage_bytes < 1024); /* the first tables */
    assert_true(info_of(store).used_bytes < BIG + 20000);
    assert_true(info_of(store).sequence >= info_of(reader).sequence);
    assert_true(info_of(reader).superseded);
    assert_int_equal(px_store_header(reader)->state >> 32, 2);
    next = open_reader(store);
    assert_false(info_of(next).superseded);
    assert_same(reader, next);
    assert_sound(reader);
    px_store_compact(store); /* nothing to do */
    assert_int_equal(info_of(store).generation, 2);
    close_reader(store, reader);
    close_reader(store, next);
    drop_store(store);
}

enum { N_LARGE = 6, LARGE = 1 << 20, PIECE = 1 << 17, WANDERS = 3, N_RANKS_WIDE = 2000 };
enum { N_MIDDLING = 100, MIDDLING = 8192 };

static char large[N_LARGE + 1][LARGE];
static char pattern[MIDDLING + N_MIDDLING];

/* Values that a piece has no room for, one beyond the column of its key, a column of which a piece
 * has room for some, and one of small ones. */
static void fill_large(struct px_store *store)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[N_LARGE];
    pmix_value_t numbers[N_RANKS_WIDE];
    pmix_value_t middling[N_MIDDLING];

    for (uint32_t i = 0; i < N_MIDDLING; i++) { /* each another part of the pattern */
        middling[i] = bytes(pattern + i, MIDDLING);
        add(batch, PX_LEVEL_PROC, i, "middling", &middling[i]);
    }
    for (uint32_t i = 0; i < N_LARGE; i++) {
        memset(large[i], 'A' + (int) i, LARGE);
        v[i] = bytes(large[i], LARGE);
        add(batch, PX_LEVEL_PROC, i == N_LARGE - 1 ? 500 : i, "large", &v[i]);
    }
    add(batch, PX_LEVEL_JOB, 0, "large", &v[0]);
    for (uint32_t i = 0; i < N_RANKS_WIDE; i++) {
        numbers[i] = u32(i * i);
        add(batch, PX_LEVEL_PROC, i, "wide", &numbers[i]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

/* A move goes on piece by piece, and no piece is much larger than was asked for. */
static void large_in_pieces(void **state)
{
    struct px_store *store = make_moving(0);
    struct px_store *reader;
    pmix_value_t value;
    uint64_t most = 0;
    unsigned pieces = 1;

    (void) state;
    store->move_piece = PIECE;
    for (int i = 0; i < MIDDLING + N_MIDDLING; i++) {
        pattern[i] = (char) (i * i / 7);
    }
    fill(store);
    fill_large(store);
    for (int i = 0; i < 3; i++) {
        memset(large[N_LARGE], 'x' + i, LARGE);
        value = bytes(large[N_LARGE], LARGE);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, WANDERS, "large", &value, PMIX_GLOBAL), 0);
    }
    assert_true(px_store_compact(store));
    while (px_store_is_moving(store)) {
        uint64_t before = store->next->seg.populated;

        value = u32(pieces);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 7, "piece", &value, PMIX_GLOBAL), 0);
        (void) px_store_compact(store);
        if (px_store_is_moving(store) && store->next->seg.populated - before > most) {
            most = store->next->seg.populated - before;
        }
        pieces++;
    }
    print_message("# %u pieces, %llu bytes at most\n", pieces, (unsigned long long) most);
    assert_int_equal(info_of(store).generation, 2);
    assert_true(pieces >= 7 * LARGE / PIECE);
    assert_true(most <= 3 * PIECE);
    reader = open_reader(store);
    memset(large[WANDERS], 'z', LARGE);
    for (uint32_t i = 0; i < N_LARGE; i++) {
        struct px_slice slice;

        assert_int_equal(find(reader, PX_LEVEL_PROC, i == N_LARGE - 1 ? 500 : i, "large", &slice),
                         0);
        assert_int_equal(slice.len, LARGE);
        assert_memory_equal(slice.payload, large[i], LARGE);
    }
    for (uint32_t i = 0; i < N_MIDDLING; i++) {
        struct px_slice slice;

        assert_int_equal(find(reader, PX_LEVEL_PROC, i, "middling", &slice), 0);
        assert_int_equal(slice.len, MIDDLING);
        assert_memory_equal(slice.payload, pattern + i, MIDDLING);
    }
    assert_int_equal(word(reader, PX_LEVEL_PROC, 7, "piece"), pieces - 1);
    assert_int_equal(word(reader, PX_LEVEL_PROC, 1999, "wide"), 1999 * 1999);
    assert_sound(reader);
    close_reader(store, reader);
    drop_store(store);
    px_release_wait(); /* another test forks */
}

/* --- who has pointers --- */

static unsigned n_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    unsigned n = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        n += strstr(line, "memfd:shmix") != NULL;
    }
    (void) fclose(maps);
    return n;
}

static void pointers_stay(void **state)
{
    struct px_store *store = make_moving(0);
    const pmix_value_t *pointer;
    struct px_slice slice;

    (void) state;
    fill(store);
    assert_int_equal(n_mapped(), 1);
    make_dead(store);
    px_store_compact(store);
    assert_int_equal(info_of(store).generation, 2);
    assert_int_equal(n_mapped(), 1);
    assert_false(px_store_is_pinned(store));
    assert_int_equal(find(store, PX_LEVEL_PROC, 4, "texts", &slice), 0);
    assert_int_equal(px_slice_pointer(&slice, &pointer), 0);
    assert_true(px_store_is_pinned(store));
    make_dead(store);
    px_store_compact(store);
    make_dead(store);
    px_store_compact(store);
    assert_int_equal(info_of(store).generation, 4);
    assert_int_equal(n_mapped(), 2); /* the second for the pointer, the third is gone */
    assert_string_equal(pointer->data.string, "late");
    drop_store(store);
    assert_int_equal(n_mapped(), 0);
}

/* --- want --- */

static void no_memory(void **state)
{
    struct px_store *store = make_moving(0);
    struct px_store *reader;
    struct px_store *next;
    long n;

    (void) state;
    fill(store);
    make_dead(store);
    reader = open_reader(store);
    for (n = 0; info_of(store).generation == 1; n++) {
        store->garbage_limit = DEAD;
        assert_int_equal(n_mapped(), 2);
        assert_false(info_of(reader).superseded);
        fail_allocs_after(n);
        px_store_compact(store);
        fail_allocs_after(-1);
    }
    assert_true(n > 20);
    next = open_reader(store);
    assert_same(reader, next);
    close_reader(store, reader);
    close_reader(store, next);
    drop_store(store);
}

static void growth(void **state)
{
    static char fill_with[1 << 20];
    pmix_value_t value = bytes(fill_with, sizeof(fill_with));
    struct px_store *store = make_moving(1 << 16);
    struct px_store *reader = open_reader(store);
    struct px_slice slice;

    (void) state;
    fill(store);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 1, "large", &value, PMIX_GLOBAL), 0);
    assert_true(info_of(reader).superseded);
    assert_true(info_of(store).shared);
    assert_true(info_of(store).generation > 1);
    assert_int_equal(find(store, PX_LEVEL_PROC, 1, "large", &slice), 0);
    assert_int_equal(slice.len, sizeof(fill_with));
    assert_string_equal(text(store, PX_LEVEL_PROC, 4, "texts"), "late");
    px_store_compact(store);
    close_reader(store, reader);
    drop_store(store);
}

/* Where no larger file may be, a store that nobody has the descriptor of becomes private. */
static void growth_without_files(void)
{
    static char fill_with[1 << 20];
    struct rlimit limit = {.rlim_cur = 1 << 17, .rlim_max = 1 << 17};
    pmix_value_t value = bytes(fill_with, sizeof(fill_with));
    struct px_store *store;
    struct px_store *reader;
    int i;

    (void) signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    store = make_moving(1 << 16);
    fill(store);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 1, "large", &value, PMIX_GLOBAL), 0);
    assert_false(info_of(store).shared);
    assert_int_equal(px_store_fd(store), -1);
    assert_string_equal(text(store, PX_LEVEL_PROC, 4, "texts"), "late");
    make_dead(store);
    px_store_compact(store);
    assert_string_equal(text(store, PX_LEVEL_PROC, 4, "texts"), "late");
    drop_store(store);
    store = make_moving(1 << 16); /* one that is read stays what it is */
    fill(store);
    reader = open_reader(store);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 1, "large", &value, PMIX_GLOBAL),
                     PMIX_ERR_OUT_OF_RESOURCE);
    assert_false(info_of(reader).superseded);
    for (i = 0; i < 100; i++) { /* what is dead makes room */
        memset(fill_with, 'a' + i % 26, 8192);
        value.data.bo.size = 8192;
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 1, "some", &value, PMIX_GLOBAL), 0);
    }
    assert_true(info_of(store).shared);
    assert_true(info_of(reader).superseded);
    px_store_destroy(reader);
    drop_store(store);
}

/* Where address space is scarce a store takes little of it at first. */
static void scarce_space(void)
{
    static char fill_with[8 << 20];
    struct rlimit limit = {.rlim_cur = 512 << 20, .rlim_max = 512 << 20};
    pmix_value_t value = bytes(fill_with, sizeof(fill_with));
    struct px_store *stores[40];
    int i;

    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (i = 0; i < 40; i++) {
        stores[i] = make_moving(0);
        assert_true(stores[i]->seg.size <= 1 << 20);
        fill(stores[i]);
    }
    assert_int_equal(put_one(stores[0], PX_LEVEL_PROC, 1, "large", &value, PMIX_GLOBAL), 0);
    px_store_compact(stores[0]);
    assert_true(info_of(stores[0]).shared);
    for (i = 0; i < 40; i++) {
        drop_store(stores[i]);
    }
}

static void in_a_child(void (*fn)(void))
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        fn();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static void limits(void **state)
{
    (void) state;
    in_a_child(growth_without_files);
    if (!SANITIZED) { /* a sanitizer takes all the address space there is */
        in_a_child(scarce_space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives),
        cmocka_unit_test(large_in_pieces),
        cmocka_unit_test(pointers_stay),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(growth),
        cmocka_unit_test(limits),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
