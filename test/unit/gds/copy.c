/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a move copies, and how: values that many ranks share are shared afterwards, and a store
 * that does not move by itself remembers deletions. */
#include "support.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/level.h"
#include "gds/publication.h"
#include "gds/slice.h"
#include "src/base/release.h"

enum { N = 300, PIECE = 1 << 17, DEAD = 4096, N_CELLS = 7, LARGE = 100000, HUGE_VALUE = 300000 };

static char large[N_CELLS][LARGE];
static char huge[HUGE_VALUE];
static char words[LARGE];
static uint32_t numbers[LARGE / 4];

static struct px_store_info info_of(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info;
}

static struct px_store *make_moving(void)
{
    struct px_store_opts opts = {
        .nspace = "job", .shared = true, .moves = true, .garbage_bytes = DEAD, .move_piece = PIECE};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

/* Replaces a large value until a move is worth it. */
static void make_dead(struct px_store *store)
{
    char *fill = calloc(3, HUGE_VALUE);
    pmix_value_t value = bytes(fill, (size_t) 3 * HUGE_VALUE);

    assert_non_null(fill);
    for (int i = 0; i < 3; i++) {
        fill[0] = (char) ('a' + i);
        assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "dead", &value, PMIX_GLOBAL), 0);
    }
    value = u32(5);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "dead", &value, PMIX_GLOBAL), 0);
    free(fill);
}

/* Moves; returns how much memory a piece has mapped at most. */
static uint64_t move(struct px_store *store)
{
    uint64_t most = 0;
    uint64_t before = 0;
    bool more = px_store_compact(store);

    while (more) {
        before = store->next->seg.populated;
        more = px_store_compact(store);
        if (more && store->next->seg.populated - before > most) {
            most = store->next->seg.populated - before;
        }
    }
    assert_int_equal(info_of(store).generation, 2);
    return most;
}

/* The cell of a rank: all have one, blocks have one, it goes round. */
static const char *one_of(const char *key, uint32_t rank)
{
    return strcmp(key, "one") == 0
               ? large[0]
               : large[strcmp(key, "blocks") == 0 ? rank * N_CELLS / N : rank % N_CELLS];
}

static const char *const keys[] = {"one", "blocks", "round"};

/* Values that differ from those of the column: newer ones, none any more, and one beyond it. */
static void change_some(struct px_store *store)
{
    pmix_value_t other = str("other");
    pmix_value_t own = bytes(large[N_CELLS - 1], LARGE - 1);

    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 7, keys[k], &other, PMIX_GLOBAL), 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 8, keys[k], &own, PMIX_GLOBAL), 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 9, keys[k], &px_deleted, PMIX_GLOBAL), 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 4 * N, keys[k], &other, PMIX_GLOBAL), 0);
    }
}

static void fill_shared(struct px_store *store)
{
    struct px_batch *batch = px_batch_create();
    pmix_data_array_t array = {.type = PMIX_UINT32, .size = sizeof(numbers) / 4, .array = numbers};
    pmix_value_t *v = calloc((size_t) N * 4, sizeof(*v));
    pmix_value_t shared[] = {
        bytes(huge, HUGE_VALUE), str(words), {.type = PMIX_DATA_ARRAY, .data.darray = &array}};

    for (uint32_t i = 0; i < N_CELLS; i++) {
        memset(large[i], 'A' + (int) i, LARGE);
    }
    memset(huge, 'h', HUGE_VALUE);
    memset(words, 't', LARGE - 1);
    for (uint32_t i = 0; i < N; i++) {
        for (size_t k = 0; k < 3; k++) {
            v[4 * i + k] = bytes(one_of(keys[k], i), LARGE);
            add(batch, PX_LEVEL_PROC, i, keys[k], &v[4 * i + k]);
        }
        add(batch, PX_LEVEL_PROC, i, "huge", &shared[0]);
        add(batch, PX_LEVEL_PROC, i, "text", &shared[1]);
        add(batch, PX_LEVEL_PROC, i, "numbers", &shared[2]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    free(v);
}

static void assert_bytes(const struct px_store *store, uint32_t rank, const char *key,
                         const void *value, size_t len)
{
    struct px_slice slice;

    assert_int_equal(find(store, PX_LEVEL_PROC, rank, key, &slice), 0);
    assert_int_equal(slice.len, len);
    assert_memory_equal(slice.payload, value, len);
    assert_int_equal(slice.scope, PMIX_SCOPE_UNDEF);
}

static void assert_shared_values(const struct px_store *store)
{
    struct px_slice slice;

    for (uint32_t i = 0; i < N; i++) {
        for (size_t k = 0; k < 3; k++) {
            if (i < 7 || i > 9) {
                assert_bytes(store, i, keys[k], one_of(keys[k], i), LARGE);
            }
        }
        assert_bytes(store, i, "huge", huge, HUGE_VALUE);
        assert_bytes(store, i, "text", words, LARGE);
        assert_int_equal(find(store, PX_LEVEL_PROC, i, "numbers", &slice), 0);
        assert_memory_equal((const char *) slice.payload + slice.len - sizeof(numbers), numbers,
                            sizeof(numbers));
    }
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(text(store, PX_LEVEL_PROC, 7, keys[k]), "other");
        assert_int_equal(find(store, PX_LEVEL_PROC, 8, keys[k], &slice), 0);
        assert_int_equal(slice.len, LARGE - 1);
        assert_int_equal(find(store, PX_LEVEL_PROC, 9, keys[k], &slice), PMIX_ERR_NOT_FOUND);
        assert_string_equal(text(store, PX_LEVEL_PROC, 4 * N, keys[k]), "other");
    }
}

/* Values that ranks share, large ones of few cells, are copied once; and no piece maps much more
 * than was asked for. */
static void shared_stay_shared(void **state)
{
    struct px_store *store = make_moving();
    struct px_store *reader;
    uint64_t most;
    uint64_t used;

    (void) state;
    for (uint32_t i = 0; i < LARGE / 4; i++) {
        numbers[i] = i * i;
    }
    fill_shared(store);
    change_some(store);
    used = info_of(store).used_bytes;
    make_dead(store);
    most = move(store);
    print_message("# used %llu, %llu\n", (unsigned long long) used,
                  (unsigned long long) info_of(store).used_bytes);
    assert_true(info_of(store).used_bytes < used + LARGE);
    assert_true(most <= 4 * PIECE);
    reader = open_reader(store);
    assert_shared_values(reader);
    assert_sound(reader);
    close_reader(store, reader);
    drop_store(store);
    px_release_wait();
}

/* Without memory for any step the store stays as it is, and moves later. */
static void no_memory(void **state)
{
    struct px_store *store = make_moving();
    struct px_batch *batch = px_batch_create();
    pmix_data_array_t array = {.type = PMIX_UINT32, .size = 2000, .array = numbers};
    pmix_value_t shared[] = {str(words), {.type = PMIX_DATA_ARRAY, .data.darray = &array}};
    long n;

    (void) state;
    for (uint32_t i = 0; i < 20; i++) {
        add(batch, PX_LEVEL_PROC, i, "both", &shared[i % 2]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    make_dead(store);
    for (n = 0; info_of(store).generation == 1; n++) {
        store->garbage_limit = DEAD;
        fail_allocs_after(n);
        while (px_store_compact(store)) {
        }
        fail_allocs_after(-1);
    }
    assert_true(n > 10);
    for (uint32_t i = 0; i < 20; i += 2) {
        assert_bytes(store, i, "both", words, LARGE);
    }
    drop_store(store);
}

/* --- deletions --- */

/* A private store that is enlarged, as that of a client, still knows which values of it were
 * deleted, and under which scope; one that moves leaves that behind. */
static void deletions(void **state)
{
    struct px_store_opts opts = {.nspace = "job", .virtual_size = 1 << 16};
    pmix_value_t value = bytes(huge, HUGE_VALUE);
    pmix_value_t number = u32(5);
    struct px_store *store;
    struct px_store *next;
    pmix_scope_t scope;

    (void) state;
    assert_int_equal(px_store_create(&opts, &store), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "key", &number, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "key", &px_deleted, PMIX_LOCAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "other", &number, PMIX_GLOBAL), 0);
    assert_true(px_store_is_deleted(store, 3, "key", 3, &scope));
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "huge", &value, PMIX_GLOBAL),
                     PMIX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(px_store_enlarge(store, &next), 0);
    scope = PMIX_SCOPE_UNDEF;
    assert_true(px_store_is_deleted(next, 3, "key", 3, &scope));
    assert_int_equal(scope, PMIX_LOCAL);
    assert_false(px_store_is_deleted(next, 3, "other", 5, &scope));
    assert_int_equal(word(next, PX_LEVEL_PROC, 3, "other"), 5);
    drop_store(next);
    drop_store(store);
    store = make_moving();
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "key", &number, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "key", &px_deleted, PMIX_LOCAL), 0);
    make_dead(store);
    (void) move(store);
    assert_false(px_store_is_deleted(store, 3, "key", 3, &scope));
    drop_store(store);
}

/* --- nodes --- */

/* Nodes of which nothing but the name and the number is known, no rank and not which one is the
 * readers' own, answer by their placement after a move, too. */
static void nodes_only(void **state)
{
    struct px_store *store = make_moving();
    struct px_batch *batch = px_batch_create();
    struct px_node_def def = {.name = "n1", .nodeid = 17};
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;
    uint32_t index;

    (void) state;
    spec.rank = PMIX_RANK_UNDEF;
    spec.key = PMIX_NODEID;
    spec.key_len = strlen(PMIX_NODEID);
    spec.hostname = "n1";
    assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(px_store_get(store, &spec, &slice), 0);
    assert_int_equal(slice.word, 17);
    make_dead(store);
    (void) move(store);
    assert_int_equal(px_store_get(store, &spec, &slice), 0);
    assert_int_equal(slice.word, 17);
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_stay_shared),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(deletions),
        cmocka_unit_test(nodes_only),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
