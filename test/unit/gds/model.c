/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Random publications against a sorted array, in both forms at once: every answer of the shared
 * form, of a reader of it, and of the private form is the model's. The same for a store that moves
 * from generation to generation: a reader of an old one finds what was there when it was
 * superseded, no more and no less. SEED in the environment repeats a run. */
#include "support.h"

#include "gds/format.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

enum { N_KEYS = 12, N_RANKS = 60, N_INDEX = 8, MAX_ROWS = N_KEYS * (N_RANKS + 4 * N_INDEX) };
enum { LONGEST = 6000 }; /* of a value: more than what is copied whatever the time */

struct row {
    uint32_t id; /* level, index, key */
    bool hidden;
    bool gone; /* not in a model: what is to be deleted */
    pmix_scope_t scope;
    pmix_data_type_t type;
    uint64_t number; /* scalars: the value; others: what their bytes are made of */
    uint32_t len;
};

struct model {
    struct row rows[MAX_ROWS];
    size_t n;
};

static const char *const keys[N_KEYS] = {
    "pmix.lrank",
    "pmix.hname",
    "pmix.job.size",
    "a",
    "ab",
    "abc",
    "key with blanks",
    "x.very.long.key.that.does.not.fit.into.a.few.words.and.goes.on.and.on.and.on.and.on",
    "pmix.univ.size",
    "k9",
    "k10",
    "k11",
};

static uint32_t row_id(enum px_level level, uint32_t index, uint32_t key)
{
    return (uint32_t) level << 24 | index << 8 | key;
}

static struct row *model_find(struct model *m, uint32_t id)
{
    size_t low = 0;
    size_t high = m->n;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (m->rows[mid].id < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < m->n && m->rows[low].id == id ? &m->rows[low] : NULL;
}

static void model_set(struct model *m, const struct row *row)
{
    struct row *old = model_find(m, row->id);
    size_t i;

    if (row->gone) {
        if (old) {
            memmove(old, old + 1, (size_t) (&m->rows[m->n] - (old + 1)) * sizeof(*old));
            m->n--;
        }
        return;
    }
    if (old) {
        if (!row->hidden || old->hidden) {
            *old = *row;
        }
        return;
    }
    assert_true(m->n < MAX_ROWS);
    for (i = m->n++; i > 0 && m->rows[i - 1].id > row->id; i--) {
        m->rows[i] = m->rows[i - 1];
    }
    m->rows[i] = *row;
}

static void make_bytes(const struct row *row, char *to)
{
    uint64_t state = row->number;
    uint32_t i;

    for (i = 0; i < row->len; i++) {
        to[i] = (char) ('a' + next_random(&state) % 26);
    }
    to[row->len] = '\0';
}

/* A value for a row; its bytes in `store`, which has room for LONGEST + 1. */
static pmix_value_t row_value(const struct row *row, char *store)
{
    pmix_value_t v = {.type = row->type};

    switch (row->type) {
    case PMIX_STRING:
        make_bytes(row, store);
        v.data.string = store;
        break;
    case PMIX_BYTE_OBJECT:
        make_bytes(row, store);
        v.data.bo.bytes = row->len ? store : NULL;
        v.data.bo.size = row->len;
        break;
    case PMIX_UINT16:
        v.data.uint16 = (uint16_t) row->number;
        break;
    case PMIX_UINT64:
        v.data.uint64 = row->number;
        break;
    default:
        v.data.uint32 = (uint32_t) row->number;
        break;
    }
    return v;
}

static void random_row(uint64_t *rng, uint32_t id, uint32_t style, struct row *ret)
{
    static const pmix_data_type_t types[] = {PMIX_UINT32, PMIX_UINT16, PMIX_UINT64, PMIX_STRING,
                                             PMIX_BYTE_OBJECT};
    uint32_t rank = id >> 8 & 0xffff;

    *ret = (struct row){.id = id, .type = types[next_random(rng) % 5]};
    ret->scope = next_random(rng) % 8 ? PMIX_GLOBAL : PMIX_LOCAL;
    ret->len = next_random(rng) % (next_random(rng) % 16  ? 20
                                   : next_random(rng) % 4 ? 500
                                                          : LONGEST);
    ret->number = next_random(rng) % 4 ? next_random(rng) % 5
                                       : (uint64_t) next_random(rng) << 32 | next_random(rng);
    if (style % 4) {
        ret->scope = PMIX_GLOBAL;
        ret->type = types[style % 5];
        ret->len = style % 20;
        ret->number = style % 3 == 0   ? style
                      : style % 3 == 1 ? style + 3 * rank
                                       : rank % (1 + style % 9);
    }
    if (ret->type == PMIX_UINT16) {
        ret->number &= UINT16_MAX;
    } else if (ret->type == PMIX_UINT32) {
        ret->number &= UINT32_MAX;
    }
    if (next_random(rng) % 40 == 0) {
        ret->hidden = true;
        ret->type = PMIX_UNDEF;
    }
    ret->gone = next_random(rng) % 40 == 0;
}

static void check_slice(const struct row *row, const struct px_slice *slice)
{
    char want[LONGEST + 1];

    assert_int_equal(slice->type, row->type);
    assert_int_equal(slice->scope, row->scope);
    if (row->type == PMIX_STRING || row->type == PMIX_BYTE_OBJECT) {
        make_bytes(row, want);
        assert_int_equal(slice->len, row->len + (row->type == PMIX_STRING));
        assert_memory_equal(slice->payload, want, slice->len);
    } else {
        assert_true(slice->inlined);
        assert_int_equal(slice->word, row->number);
    }
}

static void check_one(struct model *m, const struct px_store *store, enum px_level level,
                      uint32_t index, uint32_t key)
{
    struct row *row = model_find(m, row_id(level, index, key));
    struct px_slice slice;
    int rc = find(store, level, index, keys[key], &slice);

    if (!row) {
        assert_int_equal(rc, PMIX_ERR_NOT_FOUND);
    } else if (row->hidden) {
        assert_int_equal(rc, PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    } else {
        assert_int_equal(rc, 0);
        check_slice(row, &slice);
    }
}

struct seen {
    struct model *model;
    enum px_level level;
    uint32_t index;
    size_t n;
};

static int see(void *arg, const char *key, const struct px_slice *slice)
{
    struct seen *seen = arg;
    struct row *row;
    uint32_t k;

    for (k = 0; k < N_KEYS && strcmp(keys[k], key); k++) {
    }
    row = model_find(seen->model, row_id(seen->level, seen->index, k));
    assert_non_null(row);
    assert_int_equal(slice->hidden, row->hidden);
    if (!row->hidden) {
        check_slice(row, slice);
    }
    seen->n++;
    return 0;
}

static void check_each(struct model *m, const struct px_store *store, enum px_level level,
                       uint32_t index)
{
    struct seen seen = {.model = m, .level = level, .index = index};
    size_t want = 0;
    uint32_t key;

    for (key = 0; key < N_KEYS; key++) {
        want += model_find(m, row_id(level, index, key)) != NULL;
    }
    assert_int_equal(px_store_each(store, level, index, see, &seen), 0);
    assert_int_equal(seen.n, want);
}

static void check_all(struct model *m, const struct px_store *store)
{
    uint32_t level;

    for (level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
        uint32_t n = level == PX_LEVEL_PROC ? N_RANKS + 2 : level == PX_LEVEL_JOB ? 1 : N_INDEX;
        uint32_t index;
        uint32_t key;

        for (index = 0; index < n; index++) {
            for (key = 0; key < N_KEYS; key++) {
                check_one(m, store, (enum px_level) level, index, key);
            }
            check_each(m, store, (enum px_level) level, index);
        }
    }
}

/* One batch: either single values, or one key over many ranks. */
static void random_batch(uint64_t *rng, struct model *m, struct px_store *a, struct px_store *b)
{
    static char room[2 * N_RANKS][LONGEST + 1];
    static pmix_value_t values[2 * N_RANKS];
    struct px_batch *batch = px_batch_create();
    uint32_t style = next_random(rng);
    bool wide = next_random(rng) % 3 == 0;
    uint32_t step = next_random(rng) % 3 + 1;
    uint32_t key = next_random(rng) % N_KEYS;
    uint32_t n = wide ? N_RANKS / step : next_random(rng) % 6 + 1;
    uint32_t i;

    for (i = 0; i < n; i++) {
        enum px_level level = wide ? PX_LEVEL_PROC : (enum px_level)(next_random(rng) % 5);
        uint32_t index = wide                     ? i * step
                         : level == PX_LEVEL_PROC ? next_random(rng) % N_RANKS
                         : level == PX_LEVEL_JOB  ? 0
                                                  : next_random(rng) % N_INDEX;
        struct row row;
        struct px_store_entry entry = {.level = level, .index = index};

        key = wide ? key : next_random(rng) % N_KEYS;
        random_row(rng, row_id(level, index, key), wide ? style : 0, &row);
        values[i] = row_value(&row, room[i]);
        entry.key = keys[key];
        entry.value = row.gone ? &px_deleted : row.hidden ? NULL : &values[i];
        entry.scope = row.gone ? PMIX_GLOBAL : row.scope;
        assert_int_equal(px_batch_add(batch, &entry), 0);
        model_set(m, &row);
    }
    assert_int_equal(px_store_publish(a, batch), 0);
    assert_int_equal(px_store_publish(b, batch), 0);
    px_batch_destroy(batch);
}

static uint64_t start_random(void)
{
    const char *seed = getenv("SEED");
    uint64_t rng = seed ? strtoull(seed, NULL, 0) : (uint64_t) getpid() * 2654435761u;

    print_message("# SEED=%llu\n", (unsigned long long) rng);
    return rng;
}

static void random_operations(void **state)
{
    static struct model model;
    uint64_t rng = start_random();
    struct px_store *shared = make_store(true);
    struct px_store *private = make_store(false);
    struct px_store *reader = open_reader(shared);
    unsigned rounds = getenv("PX_LONG") ? 40000 : 400;
    unsigned round;

    (void) state;
    for (round = 0; round < rounds; round++) {
        random_batch(&rng, &model, shared, private);
        if (round % 20 == 0 || round == rounds - 1) {
            check_all(&model, shared);
            check_all(&model, private);
            check_all(&model, reader);
            assert_sound(reader);
            assert_sound(private);
        }
    }
    assert_memory_equal(px_store_header(shared)->id.reserved, px_store_header(private)->id.reserved,
                        sizeof(px_store_header(shared)->id.reserved));
    /* the same bytes in both forms, but for what the header says about size and time */
    assert_int_equal(px_store_header(shared)->used, px_store_header(private)->used);
    assert_memory_equal(shared->seg.base + PX_SHM_HEADER_LEN, private->seg.base + PX_SHM_HEADER_LEN,
                        px_store_header(shared)->used - PX_SHM_HEADER_LEN);
    close_reader(shared, reader);
    drop_store(private);
    drop_store(shared);
}

static uint32_t generation(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info.generation;
}

/* A reader of one generation, and what it must find. */
struct witness {
    struct px_store *reader;
    struct model model;
};

static void check_witness(struct witness *w)
{
    assert_true(px_store_superseded(w->reader));
    check_all(&w->model, w->reader);
    assert_sound(w->reader);
    px_store_destroy(w->reader);
}

/* What a batch and the housekeeping after it do to a reader: it stays, or the one of before is
 * looked at for the last time. */
static unsigned follow(struct px_store *store, struct witness *w, const struct model *before,
                       const struct model *after)
{
    unsigned moves = 0;
    bool again;
    struct px_store_info was;
    struct px_store_info now;

    if (generation(store) != generation(w->reader)) { /* it had to grow: for this batch */
        w->model = *before;
        check_witness(w);
        w->reader = open_reader(store);
        moves++;
    }
    px_store_info(store, &was);
    again = px_store_compact(store);
    assert_int_equal(again, px_store_is_moving(store));
    if (generation(store) != generation(w->reader)) {
        assert_false(px_store_is_moving(store));
        w->model = *after;
        check_witness(w);
        w->reader = open_reader(store);
        moves++;
        px_store_info(store, &now);
        assert_true(store->move_piece < 4096 ||
                    now.used_bytes < was.used_bytes - was.garbage_bytes / 2);
    }
    assert_false(px_store_superseded(w->reader));
    return moves;
}

/* piece: bytes that a call of px_store_compact copies; 0: all of it. */
static void move(size_t piece)
{
    static struct model model;
    static struct model before;
    static struct witness witness;
    struct px_store_opts opts = {.nspace = "job",
                                 .shared = true,
                                 .virtual_size = piece ? 0 : 1 << 18,
                                 .moves = true,
                                 .garbage_bytes = 4096,
                                 .move_piece = piece};
    uint64_t rng = start_random();
    struct px_store *private = make_store(false);
    struct px_store *store;
    unsigned moves = 0;
    unsigned in_between = 0;
    unsigned round;

    memset(&model, 0, sizeof(model));
    assert_int_equal(px_store_create(&opts, &store), 0);
    witness.reader = open_reader(store);
    for (round = 0; round < 1500; round++) {
        uint64_t sequence = px_store_header(store)->sequence;

        before = model;
        in_between += px_store_is_moving(store);
        random_batch(&rng, &model, store, private);
        moves += follow(store, &witness, &before, &model);
        assert_true(px_store_header(store)->sequence >= sequence);
        if (round % 10 == 0) {
            check_all(&model, store);
            check_all(&model, witness.reader);
            assert_sound(store);
        }
    }
    print_message("# %u moves, %u batches during them, %llu bytes, alone %llu\n", moves, in_between,
                  (unsigned long long) px_store_header(store)->used,
                  (unsigned long long) px_store_header(private)->used);
    assert_true(moves > (piece ? 2 : 5));
    assert_true(piece == 0 || in_between > moves);
    assert_true(px_store_header(store)->used < px_store_header(private)->used);
    check_all(&model, store);
    close_reader(store, witness.reader);
    drop_store(private);
    drop_store(store);
}

static void moving(void **state)
{
    (void) state;
    move(0);
}

/* Batches between the pieces of a move arrive, too, whatever has been copied by then. */
static void moving_in_pieces(void **state)
{
    (void) state;
    move(400);
    move(3000);
    move(30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_operations),
                                       cmocka_unit_test(moving),
                                       cmocka_unit_test(moving_in_pieces)};

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
