/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_NSPACE_BUILD_H
#define PX_TEST_NSPACE_BUILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

#include "gds/lookup.h"
#include "gds/store.h"
#include "src/nspace/jobinfo.h"
#include "gds/slice.h"

/* Building registrations and looking into stores. Not every test uses all of it. */
#define MAYBE __attribute__((unused))

struct list {
    pmix_info_t at[64];
    size_t n;
};

static inline pmix_info_t *next_info(struct list *list, const char *key, pmix_data_type_t type)
{
    pmix_info_t *info = &list->at[list->n++];

    assert_true(list->n <= 64);
    memset(info, 0, sizeof(*info));
    memcpy(info->key, key, strlen(key) + 1);
    info->value.type = type;
    return info;
}

MAYBE static void put_text(struct list *list, const char *key, const char *text)
{
    next_info(list, key, PMIX_STRING)->value.data.string = text ? strdup(text) : NULL;
}

MAYBE static void put_u32(struct list *list, const char *key, uint32_t v)
{
    next_info(list, key, PMIX_UINT32)->value.data.uint32 = v;
}

MAYBE static void put_u16(struct list *list, const char *key, uint16_t v)
{
    next_info(list, key, PMIX_UINT16)->value.data.uint16 = v;
}

MAYBE static void put_int(struct list *list, const char *key, int v)
{
    next_info(list, key, PMIX_INT)->value.data.integer = v;
}

MAYBE static void put_rank(struct list *list, const char *key, pmix_rank_t v)
{
    next_info(list, key, PMIX_PROC_RANK)->value.data.rank = v;
}

MAYBE static void put_bool(struct list *list, const char *key, bool v)
{
    next_info(list, key, PMIX_BOOL)->value.data.flag = v;
}

/* Moves the elements of `inner` into an array. */
MAYBE static void put_array(struct list *list, const char *key, struct list *inner)
{
    pmix_data_array_t *array = calloc(1, sizeof(*array));
    pmix_info_t *infos = calloc(inner->n ? inner->n : 1, sizeof(*infos));

    assert_non_null(array);
    assert_non_null(infos);
    memcpy(infos, inner->at, inner->n * sizeof(*infos));
    *array = (pmix_data_array_t){.type = PMIX_INFO, .size = inner->n, .array = infos};
    next_info(list, key, PMIX_DATA_ARRAY)->value.data.darray = array;
    inner->n = 0;
}

MAYBE static void drop(struct list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        PMIx_Value_destruct(&list->at[i].value);
    }
    list->n = 0;
}

MAYBE static struct px_store *make_store(void)
{
    struct px_store_opts opts = {.nspace = "job", .virtual_size = UINT64_C(1) << 30};
    struct px_store *store = NULL;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

/* Registers and drops the list. */
MAYBE static int store_list(struct px_store *store, struct list *list, const char *hostname)
{
    int rc = px_jobinfo_store(store, list->at, list->n, hostname);

    drop(list);
    return rc;
}

MAYBE static int ask(const struct px_store *store, pmix_rank_t rank, const char *key,
                     pmix_value_t *ret)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;
    int rc;

    a.rank = rank;
    a.key = key;
    a.key_len = strlen(key);
    rc = px_store_get(store, &a, &slice);
    return rc ? rc : px_slice_fill(&slice, ret);
}

#define expect_u32(store, rank, key, want)                                                         \
    do {                                                                                           \
        pmix_value_t v_;                                                                           \
        assert_int_equal(ask((store), (rank), (key), &v_), 0);                                     \
        assert_true(v_.type == PMIX_UINT32 || v_.type == PMIX_PROC_RANK);                          \
        assert_int_equal(v_.data.uint32, (want));                                                  \
    } while (0)

#define expect_u16(store, rank, key, want)                                                         \
    do {                                                                                           \
        pmix_value_t v_;                                                                           \
        assert_int_equal(ask((store), (rank), (key), &v_), 0);                                     \
        assert_int_equal(v_.type, PMIX_UINT16);                                                    \
        assert_int_equal(v_.data.uint16, (want));                                                  \
    } while (0)

#define expect_text(store, rank, key, want)                                                        \
    do {                                                                                           \
        pmix_value_t v_;                                                                           \
        assert_int_equal(ask((store), (rank), (key), &v_), 0);                                     \
        assert_int_equal(v_.type, PMIX_STRING);                                                    \
        assert_string_equal(v_.data.string, (want));                                               \
        PMIx_Value_destruct(&v_);                                                                  \
    } while (0)

#define expect_none(store, rank, key)                                                              \
    do {                                                                                           \
        pmix_value_t v_;                                                                           \
        assert_int_equal(ask((store), (rank), (key), &v_), PMIX_ERR_NOT_FOUND);                    \
    } while (0)

#endif
