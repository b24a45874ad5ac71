/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The short way says what the long one says, or nothing. */
#include "support.h"

#include "gds/state.h"

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

/* A value of px_store_get_simple, in each manner. */
static void each_manner(const struct px_lookup_key *what, const pmix_value_t *same)
{
    pmix_value_t here = {.type = PMIX_UNDEF};
    const pmix_value_t *borrowed;
    pmix_value_t *value = NULL;
    struct px_slice slice;

    assert_int_equal(px_store_get_simple(store, what, PX_RETURN_COPY, &value), PX_LOOKUP_DONE);
    assert_int_equal(PMIx_Value_compare(value, (pmix_value_t *) (uintptr_t) same), PMIX_EQUAL);
    PMIx_Value_free(value, 1);
    value = &here;
    assert_int_equal(px_store_get_simple(store, what, PX_RETURN_FILL, &value), PX_LOOKUP_DONE);
    assert_ptr_equal(value, &here);
    assert_int_equal(PMIx_Value_compare(&here, (pmix_value_t *) (uintptr_t) same), PMIX_EQUAL);
    PMIx_Value_destruct(&here);
    assert_int_equal(px_store_get(store, what, &slice), 0);
    assert_int_equal(px_slice_pointer(&slice, &borrowed), 0);
    assert_int_equal(px_store_get_simple(store, what, PX_RETURN_POINTER, &value), PX_LOOKUP_DONE);
    assert_ptr_equal(value, borrowed);
}

/* The same answer as that of px_store_get, or none. */
static enum px_lookup_result looks(const struct px_lookup_key *what)
{
    pmix_value_t *value = NULL;
    enum px_lookup_result seen = px_store_get_simple(store, what, PX_RETURN_COPY, &value);
    pmix_value_t same = {.type = PMIX_UNDEF};
    int rc = spec(what, &same);

    assert_int_equal(seen == PX_LOOKUP_DONE, value != NULL);
    if (seen == PX_LOOKUP_DONE) {
        assert_int_equal(rc, 0);
        assert_int_equal(value->type, same.type);
        PMIx_Value_free(value, 1);
        each_manner(what, &same);
    } else if (seen == PX_LOOKUP_NO_KEY) {
        assert_int_equal(rc, PMIX_ERR_NOT_FOUND);
        assert_false(px_store_has_key(store, what->key, what->key_len));
    }
    if (rc == 0) {
        PMIx_Value_destruct(&same);
    }
    return seen;
}

/* Whether the fast path has an answer: what px_store_get says, then. */
static bool glances(const char *key, pmix_rank_t rank)
{
    struct px_lookup_key what = question(key, rank);
    pmix_value_t *value = NULL;
    pmix_value_t same;
    int rc = spec(&what, &same);
    bool seen = px_store_get_fast(store, rank, key, &value);

    assert_int_equal(seen, value != NULL);
    if (seen) {
        assert_int_equal(rc, 0);
        assert_int_equal(value->type, same.type);
        assert_int_equal(PMIx_Value_compare(value, &same), PMIX_EQUAL);
        PMIx_Value_free(value, 1);
    }
    if (rc == 0) {
        PMIx_Value_destruct(&same);
    }
    assert_int_equal(looks(&what) == PX_LOOKUP_DONE, seen);
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
    assert_true(glances(PMIX_JOBID, PMIX_RANK_WILDCARD));
    assert_true(glances("bytes", PMIX_RANK_WILDCARD));
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
    assert_true(glances(PMIX_JOB_SIZE, PMIX_RANK_WILDCARD));
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
        for (k = 0; k < 4; k++) {
            assert_int_equal(glances(keys[k], r), r < N_RANKS);
        }
        (void) glances("many", r);
        (void) glances("gaps", r);
    }
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 4, "line", &late, PMIX_SCOPE_UNDEF), 0);
    for (r = 0; r < N_RANKS; r++) {
        (void) glances("line", r);
    }
}

static void few_ranks(void **state)
{
    pmix_value_t v[3] = {u32(8), str("endpoint"), bytes("\1\2\3", 3)};

    (void) state;
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "number", &v[0], PMIX_GLOBAL), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "text", &v[1], PMIX_LOCAL), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "bytes", &v[2], PMIX_GLOBAL), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "hidden", NULL, PMIX_REMOTE), 0);
    assert_true(glances("number", 7));
    assert_true(glances("text", 7));
    assert_true(glances("bytes", 7));
    assert_false(glances("hidden", 7));
    assert_false(glances("number", 6));
    assert_false(glances("number", PMIX_RANK_WILDCARD));
    v[0].data.uint32 = 9;
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 7, "number", &v[0], PMIX_GLOBAL), 0);
    assert_true(glances("number", 7));
}

/* Nodes by each way of naming them, and the realms that a directive may name. */
static void of_nodes(void **state)
{
    static const char *const names[] = {"n0", "n1", "other", "nobody", NULL};
    static const char *const aliases[] = {"other", NULL};
    static const char *const keys[] = {
        PMIX_LOCAL_SIZE, PMIX_NODEID,   PMIX_HOSTNAME, PMIX_AVAIL_PHYS_MEMORY,
        PMIX_LOCAL_RANK, PMIX_JOB_SIZE, "of.a.node",   "of.nobody"};
    static const enum px_realm realms[] = {PX_REALM_NONE, PX_REALM_JOB, PX_REALM_NODE,
                                           PX_REALM_PROC};
    static const pmix_rank_t ranks[] = {
        PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF, PMIX_RANK_INVALID, 0, 1, 5};
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[4] = {u32(1), u32(2), u32(3), u16(4)};
    unsigned done = 0;
    uint32_t index[2];

    (void) state;
    for (uint32_t i = 0; i < 2; i++) {
        struct px_node_def def = {
            .name = names[i], .nodeid = 50 + i, .aliases = i ? aliases : NULL};

        assert_int_equal(px_batch_node(batch, writer, &def, &index[i]), 0);
        assert_int_equal(px_batch_place_rank(batch, i, index[i], 0), 0);
    }
    assert_int_equal(px_batch_local_node(batch, index[0]), 0);
    add(batch, PX_LEVEL_NODE, index[0], PMIX_AVAIL_PHYS_MEMORY, &v[0]);
    add(batch, PX_LEVEL_NODE, index[1], "of.a.node", &v[1]);
    add(batch, PX_LEVEL_NODE, index[1], PMIX_JOB_SIZE, &v[1]);
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &v[2]);
    add(batch, PX_LEVEL_JOB, 0, PMIX_LOCAL_RANK, &v[2]);
    add(batch, PX_LEVEL_PROC, 0, PMIX_LOCAL_RANK, &v[3]);
    publish(batch);
    for (unsigned i = 0; i < 8 * 4 * 6 * 5 * 3; i++) {
        struct px_lookup_key what = question(keys[i % 8], ranks[i / 32 % 6]);

        what.realm = realms[i / 8 % 4];
        what.hostname = names[i / 192 % 5];
        what.nodeid = i / 960 == 0 ? PX_NO_NODEID : 50 + i / 960; /* the second, or nobody's */
        what.self = 0;
        done += looks(&what) == PX_LOOKUP_DONE;
    }
    assert_in_range(done, 200, 8 * 4 * 6 * 5 * 3);
    struct px_lookup_key by_alias = question(PMIX_LOCAL_SIZE, PMIX_RANK_WILDCARD);
    by_alias.hostname = "other";
    assert_int_equal(looks(&by_alias), PX_LOOKUP_DONE);
    by_alias.key = "of.nobody";
    by_alias.key_len = strlen("of.nobody");
    assert_int_equal(looks(&by_alias), PX_LOOKUP_NO_KEY);
}

static void derived(void **state)
{
    static const char *const keys[] = {PMIX_RANK, PMIX_APPNUM, PMIX_NODEID, PMIX_HOSTNAME};
    static const char *const nodes[] = {"a", "b", "c"};
    struct px_batch *batch = px_batch_create();
    pmix_value_t own = str("elsewhere");
    uint32_t index[3];
    uint32_t r;
    size_t k;

    (void) state;
    for (r = 0; r < 3; r++) {
        struct px_node_def def = {.name = nodes[r], .nodeid = 50 + r};

        assert_int_equal(px_batch_node(batch, writer, &def, &index[r]), 0);
    }
    for (r = 0; r < N_RANKS; r++) {
        assert_int_equal(px_batch_place_rank(batch, r, index[r % 3], r < 20 ? 0 : PX_NO_APP), 0);
    }
    assert_int_equal(px_batch_local_node(batch, index[0]), 0);
    publish(batch);
    for (k = 0; k < 4; k++) {
        assert_true(glances(keys[k], 3));
        assert_int_equal(glances(keys[k], 30), k != 1);
        assert_false(glances(keys[k], N_RANKS));
    }
    assert_false(glances(PMIX_LOCAL_SIZE, 3));
    assert_int_equal(put_one(writer, PX_LEVEL_PROC, 3, PMIX_HOSTNAME, &own, PMIX_SCOPE_UNDEF), 0);
    assert_true(glances(PMIX_HOSTNAME, 3));
    (void) glances(PMIX_HOSTNAME, 4);
}

/* One address, several strings, one after the other: a hint is not the answer. */
static void strings_change(void **state)
{
    pmix_value_t v[2] = {u32(1), u32(2)};
    pmix_value_t *value = NULL;
    char key[32] = "first.key";

    (void) state;
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "first.key", &v[0], PMIX_SCOPE_UNDEF), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "second.key", &v[1], PMIX_SCOPE_UNDEF), 0);
    assert_true(glances(key, PMIX_RANK_WILDCARD));
    strcpy(key, "second.key");
    assert_false(px_store_get_fast(store, PMIX_RANK_WILDCARD, key, &value));
    assert_true(glances(key, PMIX_RANK_WILDCARD));
    strcpy(key, "second.key.longer");
    assert_false(glances(key, PMIX_RANK_WILDCARD));
    strcpy(key, "second");
    assert_false(glances(key, PMIX_RANK_WILDCARD));
    key[0] = '\0';
    assert_false(px_store_get_fast(store, PMIX_RANK_WILDCARD, key, &value));
    assert_null(value);
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
    pmix_value_t v[3] = {u32(1), str("text"), u32(3)};
    uint64_t hints[PX_KEY_WAYS];
    pmix_value_t *value;
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
    assert_true(glances(keys[1], PMIX_RANK_WILDCARD));
    memcpy(hints, px_key_hints(store, room), sizeof(hints));
    assert_true(hints[0] != 0 && hints[1] != 0 && hints[0] != hints[1]);
    for (i = 0; i < 10; i++) {
        assert_true(px_store_get_fast(store, PMIX_RANK_WILDCARD, keys[i % 2], &value));
        assert_int_equal(value->type, v[i % 2].type);
        PMIx_Value_free(value, 1);
        assert_true(glances(keys[i % 2], PMIX_RANK_WILDCARD));
    }
    assert_memory_equal(hints, px_key_hints(store, room), sizeof(hints));
    for (i = 0; i < 9; i++) {
        assert_true(glances(keys[i % 3], PMIX_RANK_WILDCARD));
    }
}

static void without_memory(void **state)
{
    pmix_value_t v[2] = {u32(1), str("text")};
    pmix_value_t *value = NULL;
    long n;

    (void) state;
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "number", &v[0], PMIX_SCOPE_UNDEF), 0);
    assert_int_equal(put_one(writer, PX_LEVEL_JOB, 0, "text", &v[1], PMIX_SCOPE_UNDEF), 0);
    assert_true(glances("number", PMIX_RANK_WILDCARD));
    assert_true(glances("text", PMIX_RANK_WILDCARD));
    for (n = 0; n < 2; n++) {
        fail_allocs_after(n);
        assert_int_equal(px_store_get_fast(store, PMIX_RANK_WILDCARD, "text", &value), false);
        assert_null(value);
        fail_allocs_after(-1);
    }
    fail_allocs_after(0);
    assert_false(px_store_get_fast(store, PMIX_RANK_WILDCARD, "number", &value));
    fail_allocs_after(-1);
    assert_null(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(job_level, setup, teardown),
        cmocka_unit_test_setup_teardown(columns, setup, teardown),
        cmocka_unit_test_setup_teardown(few_ranks, setup, teardown),
        cmocka_unit_test_setup_teardown(derived, setup, teardown),
        cmocka_unit_test_setup_teardown(of_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_change, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_meet, setup, teardown),
        cmocka_unit_test_setup_teardown(without_memory, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
