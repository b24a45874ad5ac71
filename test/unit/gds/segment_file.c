/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Segments as bytes: what is saved is loaded, a copy taken while the writer publishes is sound, and
 * bytes that are no segment are refused. */
#include "support.h"

#include <pthread.h>

#include "gds/segment_file.h"
#include "shmem/put.h"

enum { ROUNDS = 600, COPIES = 40 };

static void *publish_many(void *arg)
{
    struct px_store *store = arg;
    uint32_t i;

    for (i = 1; i <= ROUNDS; i++) {
        pmix_value_t v = u32(i);
        char name[24];

        (void) snprintf(name, sizeof(name), "fresh.%u", i);
        if (put_one(store, PX_LEVEL_JOB, 0, "last", &v, 0) ||
            put_one(store, PX_LEVEL_NODE, i % 3, name, &v, 0)) {
            abort();
        }
    }
    return NULL;
}

static void same_again(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *copy;
    pmix_value_t v[2] = {u32(7), str("text")};
    void *bytes;
    size_t len;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "number", &v[0], 0), 0);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "words", &v[1], 0), 0);
    assert_int_equal(px_store_save(store, &bytes, &len), 0);
    drop_store(store);
    assert_int_equal(px_store_load(bytes, len, &copy), 0);
    assert_sound(copy);
    assert_int_equal(word(copy, PX_LEVEL_PROC, 3, "number"), 7);
    assert_string_equal(text(copy, PX_LEVEL_JOB, 0, "words"), "text");
    assert_string_equal(px_store_nspace(copy), "job");
    free(bytes);
    px_store_destroy(copy);
}

static void while_written(void **state)
{
    struct px_store *store = make_store(false);
    pthread_t writer;
    uint64_t before = 0;
    unsigned i;

    (void) state;
    assert_int_equal(pthread_create(&writer, NULL, publish_many, store), 0);
    for (i = 0; i < COPIES || before < 2 * ROUNDS; i++) {
        struct px_store *copy;
        void *bytes;
        size_t len;
        int rc = px_store_save(store, &bytes, &len);

        if (rc) {
            assert_int_equal(rc, PMIX_ERR_RESOURCE_BUSY);
            continue;
        }
        assert_int_equal(px_store_load(bytes, len, &copy), 0);
        assert_sound(copy);
        assert_true(px_store_header(copy)->sequence >= before);
        before = px_store_header(copy)->sequence;
        free(bytes);
        px_store_destroy(copy);
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    drop_store(store);
}

static void refused(void **state)
{
    struct px_store *store = make_store(false);
    struct px_store *copy;
    pmix_value_t v = u32(7);
    void *bytes;
    size_t len;
    long n;
    int rc;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "number", &v, 0), 0);
    assert_int_equal(px_store_save(store, &bytes, &len), 0);
    assert_int_equal(px_store_load(bytes, 100, &copy), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_store_load(bytes, len - 8, &copy), PMIX_ERR_UNPACK_FAILURE);
    ((struct px_store_header *) bytes)->id.major++;
    assert_int_equal(px_store_load(bytes, len, &copy), PMIX_ERR_NOT_SUPPORTED);
    memset(bytes, 'x', len);
    assert_int_equal(px_store_load(bytes, len, &copy), PMIX_ERR_UNPACK_FAILURE);
    free(bytes);
    px_publish(&px_store_header(store)->used, UINT64_MAX);
    assert_int_equal(px_store_save(store, &bytes, &len), PMIX_ERR_UNPACK_FAILURE);
    px_store_destroy(store);

    store = make_store(false);
    assert_int_equal(px_store_save(store, &bytes, &len), 0);
    for (n = 0, rc = PMIX_ERR_NOMEM; rc == PMIX_ERR_NOMEM; n++) {
        fail_allocs_after(n);
        rc = px_store_load(bytes, len, &copy);
        fail_allocs_after(-1);
    }
    assert_int_equal(rc, 0);
    assert_true(n > 1);
    px_store_destroy(copy);
    free(bytes);
    px_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_again),
        cmocka_unit_test(while_written),
        cmocka_unit_test(refused),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
