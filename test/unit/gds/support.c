/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "support.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

size_t n_allocs;
static long allocs_left = -1;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static bool refuse(void)
{
    __atomic_add_fetch(&n_allocs, 1, __ATOMIC_RELAXED);
    if (allocs_left > 0) {
        allocs_left--;
        return false;
    }
    return allocs_left == 0;
}

void *__wrap_malloc(size_t n)
{
    return refuse() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return refuse() ? NULL : __real_realloc(p, n);
}

void fail_allocs_after(long n)
{
    allocs_left = n;
}

uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*state >> 33);
}

struct px_store *make_store(bool shared)
{
    struct px_store_opts opts = {.nspace = "job", .shared = shared, .uid = getuid()};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

struct px_store *open_reader(struct px_store *store)
{
    struct px_store *reader = NULL;

    if (px_store_fd(store) < 0) {
        return store;
    }
    assert_int_equal(px_store_open(dup(px_store_fd(store)), &reader), 0);
    return reader;
}

void close_reader(struct px_store *store, struct px_store *reader)
{
    if (reader != store) {
        px_store_destroy(reader);
    }
}

void assert_sound(const struct px_store *store)
{
    struct px_fault fault = {0};
    int rc = px_format_verify(&store->seg, PX_VERIFY_ALL, &fault);

    if (rc) {
        print_message("# %s at %llu\n", fault.what, (unsigned long long) fault.loc);
    }
    assert_int_equal(rc, 0);
}

void drop_store(struct px_store *store)
{
    assert_sound(store);
    px_store_destroy(store);
}

void add(struct px_batch *batch, enum px_level level, uint32_t index, const char *key,
         const pmix_value_t *value)
{
    struct px_store_entry entry = {.level = level, .index = index, .key = key, .value = value};

    assert_int_equal(px_batch_add(batch, &entry), 0);
}

int put_one(struct px_store *store, enum px_level level, uint32_t index, const char *key,
            const pmix_value_t *value, pmix_scope_t scope)
{
    struct px_store_entry entry = {
        .level = level, .index = index, .key = key, .value = value, .scope = scope};
    struct px_batch *batch = px_batch_create();
    int rc = batch ? px_batch_add(batch, &entry) : PMIX_ERR_NOMEM;

    if (rc == 0) {
        rc = px_store_publish(store, batch);
    }
    px_batch_destroy(batch);
    return rc;
}

int find(const struct px_store *store, enum px_level level, uint32_t index, const char *key,
         struct px_slice *ret)
{
    return px_store_find(store, level, index, key, strlen(key), ret);
}

uint64_t word(const struct px_store *store, enum px_level level, uint32_t index, const char *key)
{
    struct px_slice slice = {0};

    assert_int_equal(find(store, level, index, key, &slice), 0);
    assert_true(slice.inlined);
    return slice.word;
}

const char *text(const struct px_store *store, enum px_level level, uint32_t index, const char *key)
{
    struct px_slice slice = {0};

    assert_int_equal(find(store, level, index, key, &slice), 0);
    assert_int_equal(slice.type, PMIX_STRING);
    assert_false(slice.inlined);
    return slice.payload;
}
