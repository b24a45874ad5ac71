/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The bump allocator: aligned, exact, given back on failure, never beyond the segment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shmem/bump.h"
#include "shmem/header.h"
#include "src/base/status.h"

static struct px_segment seg;
static struct px_bump bump;

static int setup(void **state)
{
    struct px_header_init init = {.name = "job"};

    (void) state;
    if (px_segment_create(false, 1 << 17, NULL, &seg) || px_header_init(&seg, &init)) {
        return -1;
    }
    px_bump_init(&bump, &seg, PX_SHM_HEADER_LEN);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_segment_close(&seg);
    return 0;
}

static void takes_in_order(void **state)
{
    uint64_t expected = PX_SHM_HEADER_LEN;
    uint64_t n;

    (void) state;
    for (n = 0; n < 100; n++) {
        void *at;

        assert_int_equal(px_bump_take(&bump, n, &at), 0);
        assert_ptr_equal(at, seg.base + expected);
        assert_int_equal(px_bump_locator(&bump, at) * 8, expected);
        memset(at, 0xff, n);
        expected += (n + 7) / 8 * 8;
    }
    assert_int_equal(px_segment_header(&seg)->used, PX_SHM_HEADER_LEN);
    px_bump_publish(&bump);
    assert_int_equal(px_segment_header(&seg)->used, expected);
}

static void rollback_leaves_no_trace(void **state)
{
    void *first;
    void *second;
    uint64_t loc;
    size_t i;

    (void) state;
    assert_int_equal(px_bump_take(&bump, 1000, &first), 0);
    memset(first, 0xaa, 1000);
    px_bump_rollback(&bump);
    assert_int_equal(px_bump_take_zeroed(&bump, 2000, &second), 0);
    assert_ptr_equal(first, second);
    for (i = 0; i < 2000; i++) {
        assert_int_equal(((unsigned char *) second)[i], 0);
    }
    memset(second, 0xaa, 2000);
    px_bump_rollback(&bump);
    assert_int_equal(px_bump_copy(&bump, "abc", 3, &loc), 0);
    assert_ptr_equal(seg.base + loc * 8, first);
    assert_memory_equal(first, "abc\0\0\0\0", 8);
}

/* Memory is prepared piece by piece, only for what comes next, and stays prepared. */
static void prepares_in_pieces(void **state)
{
    uint64_t n = 70000;
    uint64_t all = 0;
    uint64_t more;
    void *at;

    (void) state;
    assert_int_equal(px_bump_take(&bump, 100, &at), 0);
    do {
        assert_int_equal(px_bump_prepare(&bump, n, 32768, &more), 0);
        assert_true(more <= 32768);
        all += more;
        assert_true(seg.populated >= bump.next + all - 16384);
    } while (more == 32768);
    assert_true(all >= 65536 && all <= n);
    assert_ptr_equal(at, seg.base + PX_SHM_HEADER_LEN);
    assert_int_equal(px_bump_take(&bump, n, &at), 0);
    px_bump_rollback(&bump);
    assert_int_equal(px_bump_prepare(&bump, 65536, 32768, &more), 0);
    assert_int_equal(more, 0);
    assert_int_equal(px_bump_prepare(&bump, UINT64_MAX, 1, &more), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(px_bump_prepare(&bump, seg.size, 1, &more), PX_ERR_OUT_OF_RESOURCE);
}

static void full(void **state)
{
    uint64_t before = bump.next;
    void *at;

    (void) state;
    assert_int_equal(px_bump_take(&bump, UINT64_MAX, &at), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(px_bump_take(&bump, UINT64_MAX - 6, &at), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(px_bump_take(&bump, seg.size, &at), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(bump.next, before);
    assert_int_equal(bump.beyond, before + seg.size); /* what a next generation needs */
    assert_int_equal(px_bump_take(&bump, seg.size - before, &at), 0);
    memset(at, 1, seg.size - before);
    assert_int_equal(px_bump_take(&bump, 1, &at), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(px_bump_take(&bump, 0, &at), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(rollback_leaves_no_trace, setup, teardown),
        cmocka_unit_test_setup_teardown(prepares_in_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(full, setup, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
