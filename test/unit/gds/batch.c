/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collecting a batch: what is refused, and what happens without memory at each step. */
#include "support.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"

static void refusals(void **state)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t v = u32(1);
    char key[PMIX_MAX_KEYLEN + 2];
    struct px_store_entry entry = {.level = PX_LEVEL_JOB, .key = key, .value = &v};

    (void) state;
    memset(key, 'k', sizeof(key));
    key[PMIX_MAX_KEYLEN + 1] = '\0';
    assert_int_equal(px_batch_add(batch, &entry), PMIX_ERR_BAD_PARAM);
    key[PMIX_MAX_KEYLEN] = '\0';
    assert_int_equal(px_batch_add(batch, &entry), 0);
    key[0] = '\0';
    assert_int_equal(px_batch_add(batch, &entry), PMIX_ERR_BAD_PARAM);
    entry.key = NULL;
    assert_int_equal(px_batch_add(batch, &entry), PMIX_ERR_BAD_PARAM);
    entry.key = "k";
    entry.level = PX_LEVEL_PROC;
    entry.index = PMIX_RANK_WILDCARD;
    assert_int_equal(px_batch_add(batch, &entry), PMIX_ERR_BAD_PARAM);
    entry.index = 0;
    entry.level = (enum px_level) 9;
    assert_int_equal(px_batch_add(batch, &entry), PMIX_ERR_BAD_PARAM);
    px_batch_destroy(batch);
    px_batch_destroy(NULL);
}

static int try_all(struct px_store *store, struct px_batch *batch, pmix_value_t *v, char (*keys)[8])
{
    static const char *const aliases[] = {"alias", NULL};
    uint32_t i;
    int rc = 0;

    for (i = 0; rc == 0 && i < 40; i++) {
        struct px_store_entry proc = {
            .level = PX_LEVEL_PROC, .index = i, .key = keys[i % 20], .value = v};
        struct px_store_entry app = {.level = PX_LEVEL_APP, .index = i, .key = keys[i], .value = v};
        struct px_node_def def = {.name = keys[i], .aliases = i == 5 ? aliases : NULL, .nodeid = i};
        uint32_t node;

        rc = px_batch_add(batch, &proc);
        rc = rc ? rc : px_batch_add(batch, &app);
        rc = rc ? rc : px_batch_node(batch, store, &def, &node);
        rc = rc ? rc : px_batch_place_rank(batch, i, node, 0);
    }
    return rc;
}

static void without_memory(void **state)
{
    struct px_store *store = make_store(false);
    pmix_value_t v = u32(5);
    char keys[40][8];
    long left = 0;
    int rc;
    uint32_t i;

    (void) state;
    for (i = 0; i < 40; i++) {
        (void) snprintf(keys[i], sizeof(keys[i]), "k%u", i);
    }
    do {
        struct px_batch *batch = px_batch_create();

        fail_allocs_after(left++);
        rc = try_all(store, batch, &v, keys);
        fail_allocs_after(-1);
        assert_true(rc == 0 || rc == PMIX_ERR_NOMEM);
        if (rc == 0) {
            assert_int_equal(px_store_publish(store, batch), 0);
        }
        px_batch_destroy(batch);
    } while (rc);
    assert_int_equal(word(store, PX_LEVEL_PROC, 39, "k19"), 5);
    assert_int_equal(word(store, PX_LEVEL_APP, 39, "k39"), 5);
    assert_int_equal(px_store_node_by_name(store, "alias"), 5);
    drop_store(store);
}

static void many_keys(void **state)
{
    enum { N = 20000 };
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    char(*keys)[16] = malloc(N * sizeof(*keys));
    pmix_value_t *v = malloc(N * sizeof(*v));
    uint32_t i;

    (void) state;
    for (i = 0; i < N; i++) {
        (void) snprintf(keys[i], sizeof(keys[i]), "key.%u", i);
        v[i] = u32(i);
        add(batch, PX_LEVEL_PROC, i, keys[i], &v[i]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    for (i = 0; i < N; i++) {
        assert_int_equal(word(store, PX_LEVEL_PROC, i, keys[i]), i);
    }
    free(keys);
    free(v);
    drop_store(store);
}

/* Keys that a peer has made to collide: behind a word that makes one factor 0 nothing before
 * counts. They are refused before they cost the square of their number. */
static void chosen_keys(void **state)
{
    static const unsigned char nothing[8] = {0x93, 0xfd, 0x59, 0x66, 0xb8, 0xfe, 0xe8, 0xd6};
    static char keys[2000][20];
    struct px_batch *batch = px_batch_create();
    pmix_value_t v = u32(1);
    uint32_t taken = 0;
    int rc = 0;

    (void) state;
    while (rc == 0 && taken < 2000) {
        struct px_store_entry entry = {.level = PX_LEVEL_PROC, .key = keys[taken], .value = &v};

        (void) snprintf(keys[taken], 9, "key%05u", taken);
        memcpy(keys[taken] + 8, nothing, 8);
        rc = px_batch_add(batch, &entry);
        taken += rc == 0;
    }
    assert_int_equal(rc, PMIX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(taken, 1025);
    px_batch_destroy(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(many_keys),
        cmocka_unit_test(chosen_keys),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
