/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Everything of a process as infos, out of one store or two. */

#include "src/nspace/proc_infos.h"

#include "gds/batch.h"
#include "gds/publication.h"
#include "test/unit/nspace/build.h"

static void put(struct px_store *store, const char *key, uint32_t number, pmix_scope_t scope,
                const pmix_info_t *quals)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                   .index = 3,
                                   .key = key,
                                   .value = scope == PMIX_REMOTE ? NULL : &value,
                                   .quals = quals,
                                   .n_quals = quals != NULL,
                                   .scope = scope};

    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

/* The number under a key of an array; UINT32_MAX: it is not there exactly once. */
static uint32_t number_of(const pmix_value_t *all, const char *key)
{
    const pmix_info_t *infos = all->data.darray->array;
    uint32_t found = UINT32_MAX;

    for (size_t i = 0; i < all->data.darray->size; i++) {
        if (strcmp(infos[i].key, key) == 0) {
            assert_int_equal(found, UINT32_MAX);
            assert_int_equal(infos[i].value.type, PMIX_UINT32);
            found = infos[i].value.data.uint32;
        }
    }
    return found;
}

/* Of a key in several places the first wins; what is not for readers is not there. */
static void first_wins(void **state)
{
    struct px_store *first = make_store();
    struct px_store *second = make_store();
    struct px_proc_infos infos = {0};
    pmix_value_t added = {.type = PMIX_UINT32, .data.uint32 = 7};
    pmix_value_t *all = NULL;

    (void) state;
    put(first, "both", 1, PMIX_GLOBAL, NULL);
    put(second, "both", 2, PMIX_GLOBAL, NULL);
    put(second, "second", 3, PMIX_LOCAL, NULL);
    put(second, "elsewhere", 4, PMIX_REMOTE, NULL);
    put(second, "shmix.change", 5, PMIX_UNDEF, NULL);
    assert_int_equal(px_proc_infos_take(&infos, &all), PMIX_ERR_NOT_FOUND);
    assert_int_equal(px_proc_infos_add_store(&infos, first, 3), 0);
    assert_int_equal(px_proc_infos_add_store(&infos, second, 3), 0);
    assert_int_equal(px_proc_infos_add(&infos, "second", &added), 0);
    assert_int_equal(px_proc_infos_add(&infos, "third", &added), 0);
    assert_int_equal(px_proc_infos_take(&infos, &all), 0);
    assert_int_equal(all->type, PMIX_DATA_ARRAY);
    assert_int_equal(all->data.darray->type, PMIX_INFO);
    assert_int_equal(all->data.darray->size, 3);
    assert_int_equal(number_of(all, "both"), 1);
    assert_int_equal(number_of(all, "second"), 3);
    assert_int_equal(number_of(all, "third"), 7);
    PMIx_Value_free(all, 1);
    assert_int_equal(px_proc_infos_take(&infos, &all), PMIX_ERR_NOT_FOUND);
    px_proc_infos_fini(&infos);
    px_store_destroy(first);
    px_store_destroy(second);
}

/* A key has a value for each set of qualifiers, and they are all there. */
static void qualified(void **state)
{
    struct px_store *store = make_store();
    struct px_proc_infos infos = {0};
    pmix_value_t *all = NULL;
    size_t n = 0;

    (void) state;
    put(store, "key", 1, PMIX_GLOBAL, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        pmix_info_t qual = {.key = "site.qual", .flags = PMIX_INFO_QUALIFIER};

        qual.value = (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = i};
        put(store, "key", 10 + i, PMIX_GLOBAL, &qual);
    }
    assert_int_equal(px_proc_infos_add_store(&infos, store, 3), 0);
    assert_int_equal(px_proc_infos_take(&infos, &all), 0);
    assert_int_equal(number_of(all, "key"), 1);
    for (size_t i = 0; i < all->data.darray->size; i++) {
        const pmix_info_t *info = (const pmix_info_t *) all->data.darray->array + i;

        n += strcmp(info->key, PMIX_QUALIFIED_VALUE) == 0;
    }
    assert_int_equal(n, 2);
    PMIx_Value_free(all, 1);
    px_proc_infos_fini(&infos);
    px_store_destroy(store);
}

/* What is not taken is freed (the sanitizers look). */
static void dropped(void **state)
{
    struct px_store *store = make_store();
    struct px_proc_infos infos = {0};

    (void) state;
    put(store, "key", 1, PMIX_GLOBAL, NULL);
    assert_int_equal(px_proc_infos_add_store(&infos, store, 3), 0);
    assert_int_equal(infos.n, 1);
    px_proc_infos_fini(&infos);
    assert_int_equal(infos.n, 0);
    px_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_wins),
        cmocka_unit_test(qualified),
        cmocka_unit_test(dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
