/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What is noted is found by the same string, rank and state only, and by its thread only. */
#include "support.h"

#include <pthread.h>

#include "gds/thread_cache.h"

static struct px_store *store;
static const char name[] = "name";

static int setup(void **state)
{
    (void) state;
    alarm(60);
    store = make_store(false);
    px_reader_enter();
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_reader_leave();
    drop_store(store);
    return 0;
}

static struct px_cached_result what(pmix_rank_t rank, uint64_t word)
{
    return (struct px_cached_result){.rank = rank,
                                     .sequence = 5,
                                     .changes = 7,
                                     .key = (uintptr_t) name,
                                     .type = PMIX_UINT32,
                                     .word = word};
}

static void same_question(void **state)
{
    struct px_cached_result noted = what(3, 42);
    const struct px_cached_result *at;

    (void) state;
    assert_null(px_thread_cache_find(store, px_reader_self, name, 3, 5, 7));
    px_thread_cache_put(store, px_reader_self, name, &noted);
    at = px_thread_cache_find(store, px_reader_self, name, 3, 5, 7);
    assert_non_null(at);
    assert_memory_equal(at, &noted, sizeof(noted));
    assert_null(px_thread_cache_find(store, px_reader_self, name, 4, 5, 7));
    assert_null(px_thread_cache_find(store, px_reader_self, name, 3, 6, 7));
    assert_null(px_thread_cache_find(store, px_reader_self, name, 3, 5, 8));
    noted.sequence = 6;
    px_thread_cache_put(store, px_reader_self, name, &noted);
    assert_null(px_thread_cache_find(store, px_reader_self, name, 3, 5, 7));
    assert_non_null(px_thread_cache_find(store, px_reader_self, name, 3, 6, 7));
}

/* More than there are places for: each is forgotten or right. */
static void many(void **state)
{
    pmix_rank_t kept = 0;
    pmix_rank_t rank;

    (void) state;
    for (rank = 0; rank < 1000; rank++) {
        struct px_cached_result noted = what(rank, rank);

        px_thread_cache_put(store, px_reader_self, name, &noted);
    }
    for (rank = 0; rank < 1000; rank++) {
        const struct px_cached_result *at =
            px_thread_cache_find(store, px_reader_self, name, rank, 5, 7);

        kept += at != NULL;
        assert_true(!at || at->word == rank);
    }
    assert_in_range(kept, 1, 1 << PX_THREAD_CACHE_BITS);
}

static void *spec(void *arg)
{
    px_reader_enter();
    if (px_thread_cache_find(store, px_reader_self, name, 3, 5, 7)) {
        arg = NULL;
    }
    px_reader_leave();
    return arg;
}

static void each_thread_its_own(void **state)
{
    struct px_cached_result noted = what(3, 42);
    pthread_t thread;
    void *rc;

    (void) state;
    px_thread_cache_put(store, px_reader_self, name, &noted);
    assert_int_equal(pthread_create(&thread, NULL, spec, store), 0);
    assert_int_equal(pthread_join(thread, &rc), 0);
    assert_ptr_equal(rc, store);
}

static void no_place(void **state)
{
    struct px_reader crowd = {.number = PX_READERS};
    struct px_cached_result noted = what(3, 42);

    (void) state;
    px_thread_cache_put(store, &crowd, name, &noted);
    assert_null(px_thread_cache_find(store, &crowd, name, 3, 5, 7));
    fail_allocs_after(0);
    px_thread_cache_put(store, px_reader_self, name, &noted);
    fail_allocs_after(-1);
    assert_null(px_thread_cache_find(store, px_reader_self, name, 3, 5, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_question, setup, teardown),
        cmocka_unit_test_setup_teardown(many, setup, teardown),
        cmocka_unit_test_setup_teardown(each_thread_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(no_place, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
