/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/mem.h"

/* Built twice: with libc alone, and (PX_EXPECT_NATIVE) linked with jemalloc. */

#ifndef PX_EXPECT_NATIVE
#define PX_EXPECT_NATIVE 0
#endif

static void serves_what_it_should(void **state)
{
    struct px_arena *arena = px_arena_create();

    (void) state;
    assert_non_null(arena);
    assert_int_equal(px_arena_native(arena), PX_EXPECT_NATIVE);
    px_arena_destroy(arena);
    px_arena_destroy(NULL);
}

static void pieces_are_zeroed_and_aligned(void **state)
{
    struct px_arena *arena = px_arena_create();

    (void) state;
    for (size_t n = 0; n < 5000; n = n * 2 + 1) {
        unsigned char *p = px_arena_alloc(arena, n);

        assert_non_null(p);
        assert_int_equal((uintptr_t) p % _Alignof(max_align_t) == 0 || n < sizeof(max_align_t), 1);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xa5, n);
        if (n % 3 == 0) {
            px_arena_free(arena, p);
        }
    }
    px_arena_free(arena, NULL);
    px_arena_destroy(arena); /* the rest: a leak checker would tell */
}

static void strings_are_copied(void **state)
{
    struct px_arena *arena = px_arena_create();
    char text[] = "a namespace";
    char *copy = px_arena_strdup(arena, text);

    (void) state;
    text[0] = 'x';
    assert_string_equal(copy, "a namespace");
    px_arena_destroy(arena);
}

static void absurd_sizes_are_refused(void **state)
{
    struct px_arena *arena = px_arena_create();

    (void) state;
    assert_null(px_arena_alloc(arena, SIZE_MAX));
    assert_null(px_arena_alloc(arena, SIZE_MAX - 8));
    assert_non_null(px_arena_alloc(arena, 8));
    px_arena_destroy(arena);
}

static void arenas_come_and_go(void **state)
{
    (void) state;
    for (int i = 0; i < 200; i++) {
        struct px_arena *arena = px_arena_create();

        assert_non_null(arena);
        for (int k = 0; k < 20; k++) {
            assert_non_null(px_arena_alloc(arena, (size_t) (i * k)));
        }
        px_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_what_it_should), cmocka_unit_test(pieces_are_zeroed_and_aligned),
        cmocka_unit_test(strings_are_copied),    cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(arenas_come_and_go),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
