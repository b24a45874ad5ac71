/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The inlined case says what px_store_get says, or nothing. */
#include "support.h"

#include "gds/fast_path.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/slice.h"

enum { N_RANKS = 40 };

static struct px_store *writer;
static struct px_store *store;

static int setup(void **state)
{
    (void) state;
    alarm(60);
    writer = make_store(true);
    store = open_reader(writer);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    close_reader(writer, store);
    drop_store(writer);
    return 0;
}

static struct px_lookup_key question(const char *key, pmix_rank_t rank)
{
    struct px_lookup_key what = PX_LOOKUP_KEY_INIT;

    what.key = key;
    what.key_len = strlen(key);
    what.rank = rank;
    return what;
}

/* What px_store_get says; planting the hint on the way. */
static int spec(const struct px_lookup_key *what, pmix_value_t *ret)
{
    struct px_slice slice;
    int rc = px_store_get(store, what, &slice);

    return rc ? rc : px_slice_fill(&slice, ret);
}

/* The scalar of the inlined case. */
static bool scalar(const char *key, pmix_rank_t rank, pmix_value_t *ret)
{
    struct px_scalar found;
    const struct px_key *hinted;

    if (!px_store_hinted_key(store, key, &hinted) || !px_key_is_named(hinted, key) ||
        px_store_get_scalar(store, hinted, rank, &found) != PX_SCALAR) {
        return false;
    }
    px_word_value(found.type, found.word, ret);
    return true;
}

/* Whether the inlined case has an answer: what px_store_get says, then. */
static bool glances(const char *key, pmix_rank_t rank)
{
    struct px_lookup_key what = question(key, rank);
    pmix_value_t value;
    pmix_value_t same;
    int rc = spec(&what, &same);
    bool seen = scalar(key, rank, &value);

    if (seen) {
        assert_int_equal(rc, 0);
        assert_int_equal(value.type, same.type);
        assert_int_equal(PMIx_Value_compare(&value, &same), PMIX_EQUAL);
    }
    if (rc == 0) {
        PMIx_Value_destruct(&same);
    }
    return seen;
}

static void publish(struct px_batch *batch)
{
    assert_int_equal(px_store_publish(writer, batch), 0);
    px_batch_destroy(batch);
}

static void job_level(void **state)
{
    static pmix_value_t v[7];
    struct px_batch *batch = px_batch_create();

    (void) state;
    v[0] = u32(7);
    v[1] = str("text");
    v[2] = bytes("bytes", 5);
    v[3] = (pmix_value_t){.type = PMIX_BOOL, .data.flag = true};
    v[4] = (pmix_value_t){.type = PMIX_DOUBLE, .data.dval = 1.5};
    v[5] = str(NULL);
    v[6] = (pmix_value_t){.type = PMIX_TIMEVAL, .data.tv = {1, 2}};
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &v[0]);
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOBID, &v[1]);
    add(batch, PX_LEVEL_JOB, 0, "bytes", &v[2]);
    add(batch, PX_LEVEL_JOB, 0, "flag", &v[3]);
    add(batch, PX_LEVEL_JOB, 0, "real", &v[4]);
    add(batch, PX_LEVEL_JOB, 0, "null", &v[5]);
    add(batch, PX_LEVEL_JOB, 0, "time", &v[6]);
    add(batch, PX_LEVEL_JOB, 0, PMIX_NODE_SIZE, &v[0]);
    add(batch, PX_LEVEL_SESSION, 3, PMIX_UNIV_SIZE, &v[0]);
    publish(batch);
    assert_true(glances(PMIX_JOB_SIZE, PMIX_RANK_WILDCARD));
    assert_false(glances(PMIX_JOBID, PMIX_RANK_WILDCARD));
    assert_false(glances("bytes", PMIX_RANK_WILDCARD));
    assert_true(glances("flag", PMIX_RANK_WILDCARD));
    assert_true(glances("real", PMIX_RANK_WILDCARD));
    assert_false(glances("null", PMIX_RANK_WILDCARD));
    assert_false(glances("time", PMIX_RANK_WILDCARD));
    assert_false(glances(PMIX_NODE_SIZE, PMIX_RANK_WILDCARD));
    assert_false(glances(PMIX_UNIV_SIZE, PMIX_RANK_WILDCARD));
    assert_false(glances(PMIX_UNIV_SIZE, 0));
    assert_false(glances(PMIX_JOB_SIZE, 0));
    assert_false(glances(PMIX_JOB_SIZE, PMIX_RANK_UNDEF));
    assert_false(glances(PMIX_JOB_SIZE, PMIX_RANK_INVALID));
    assert_false(glances("nobody.has.this", PMIX_RANK_WILDCARD));
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &v[1], PMIX_SCOPE_UNDEF), 0);
    assert_false(glances(PMIX_JOB_SIZE, PMIX_RANK_WILDCARD));
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "hidden", NULL, PMIX_REMOTE), 0);
    assert_false(glances("hidden", PMIX_RANK_WILDCARD));
}

/* Each form of a column, and beyond its end. */
static void columns(void **state)
{
    static const char *const few[] = {"one", "two", "three"};
    static pmix_value_t v[6][N_RANKS];
    static char names[N_RANKS][16];
    static const char *const keys[6] = {"constant", "line", "array", "few", "many", "gaps"};
    struct px_batch *batch = px_batch_create();
    pmix_value_t late = u32(99);
    uint32_t r;
    size_t k;

    (void) state;
    for (r = 0; r < N_RANKS; r++) {
        (void) snprintf(names[r], sizeof(names[r]), "name%u", r);
        v[0][r] = u32(5);
        v[1][r] = u32(3 * r + 1);
        v[2][r] = u16((uint16_t) (r * r));
        v[3][r] = str(few[r % 3]);
        v[4][r] = str(names[r]);
        v[5][r] = u32(r);
        for (k = 0; k < 6; k++) {
            if (k < 5 || r % 3) {
                add(batch, PX_LEVEL_PROC, r, keys[k], &v[k][r]);
            }
        }
    }
    publish(batch);
    for (r = 0; r < N_RANKS + 2; r++) {
        for (k = 0; k < 3; k++) {
            assert_int_equal(glances(keys[k], r), r < N_RANKS);
        }
        assert_false(glances("few", r));
        (void) glances("many", r);
        (void) glances("gaps", r);
    }
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 4, "line", &late, PMIX_SCOPE_UNDEF), 0);
    for (r = 0; r < N_RANKS; r++) {
        (void) glances("line", r);
    }
}

/* Records are left to px_store_get. */
static void few_ranks(void **state)
{
    pmix_value_t v = u32(8);

    (void) state;
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "number", &v, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "hidden", NULL, PMIX_REMOTE), 0);
    assert_false(glances("number", 7));
    assert_false(glances("hidden", 7));
    assert_false(glances("number", PMIX_RANK_WILDCARD));
}

/* One address, several strings, one after the other: a hint is not the answer. */
static void strings_change(void **state)
{
    pmix_value_t v[2] = {u32(1), u32(2)};
    pmix_value_t value;
    char key[32] = "first.key";

    (void) state;
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "first.key", &v[0], PMIX_SCOPE_UNDEF), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "second.key", &v[1], PMIX_SCOPE_UNDEF), 0);
    assert_true(glances(key, PMIX_RANK_WILDCARD));
    strcpy(key, "second.key");
    assert_false(scalar(key, PMIX_RANK_WILDCARD, &value));
    assert_false(glances(key, PMIX_RANK_WILDCARD)); /* the second is for px_store_get */
    strcpy(key, "second.key.longer");
    assert_false(glances(key, PMIX_RANK_WILDCARD));
    strcpy(key, "second");
    assert_false(glances(key, PMIX_RANK_WILDCARD));
    key[0] = '\0';
    assert_false(scalar(key, PMIX_RANK_WILDCARD, &value));
}

/* The next address behind `from` whose hints are those of `of`. */
static char *place_like(char *from, const char *of)
{
    while (px_key_hints(store, from) != px_key_hints(store, of)) {
        from++;
    }
    return from;
}

/* Strings that share their hints take turns: two of them find theirs and store nothing; a third is
 * answered, too. */
static void strings_meet(void **state)
{
    static const char *const names[] = {"number", "text", "other"};
    static char room[65536];
    pmix_value_t v[3] = {u32(1), u32(2), u32(3)};
    uint64_t hints[PX_KEY_WAYS];
    pmix_value_t value;
    char *keys[3];
    char *at = room + 1;
    int i;

    (void) state;
    for (i = 0; i < 3; i++) {
        assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, names[i], &v[i], PMIX_SCOPE_UNDEF), 0);
        keys[i] = i ? place_like(at, room) : room;
        at = strcpy(keys[i], names[i]) + 16;
    }
    assert_true(glances(keys[0], PMIX_RANK_WILDCARD));
    assert_false(glances(keys[1], PMIX_RANK_WILDCARD));
    memcpy(hints, px_key_hints(store, room), sizeof(hints));
    assert_true(hints[0] != 0 && hints[1] != 0 && hints[0] != hints[1]);
    for (i = 0; i < 10; i++) {
        struct px_lookup_key what = question(keys[i % 2], PMIX_RANK_WILDCARD);

        assert_int_equal(spec(&what, &value), 0);
        assert_int_equal(value.data.uint32, v[i % 2].data.uint32);
        assert_int_equal(glances(keys[i % 2], PMIX_RANK_WILDCARD), i % 2 == 0);
    }
    assert_memory_equal(hints, px_key_hints(store, room), sizeof(hints));
    for (i = 0; i < 9; i++) {
        (void) glances(keys[i % 3], PMIX_RANK_WILDCARD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(job_level, setup, teardown),
        cmocka_unit_test_setup_teardown(columns, setup, teardown),
        cmocka_unit_test_setup_teardown(few_ranks, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_change, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_meet, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
