/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/heap/heap.h"

enum { BLOCKS = 1000, BYTES = 3000, SMALL = 2000 };

static void *blocks[BLOCKS];

static void take_and_free(size_t bytes)
{
    volatile char *block = malloc(bytes);

    assert_non_null(block);
    block[bytes - 1] = 1;
    free((void *) block);
}

/* What is in use is counted as it comes and goes, and what is freed goes back to the kernel. */
static void follows_blocks(void **state)
{
    struct px_heap before = px_heap_look();
    struct px_heap full;
    struct px_heap after;

    (void) state;
    if (before.used == 0) {
        skip(); /* the allocator of a sanitizer, which does not count for us */
    }
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BYTES);
        assert_non_null(blocks[i]);
        memset(blocks[i], i, BYTES);
    }
    full = px_heap_look();
    assert_true(full.used - before.used >= (size_t) BLOCKS * BYTES);
    assert_true(full.used - before.used <= (size_t) BLOCKS * BYTES * 5 / 4);
    assert_true(full.held >= full.used);
    for (int i = 0; i < BLOCKS; i++) {
        free(blocks[i]);
    }
    after = px_heap_look();
    assert_true(after.used <= before.used + BYTES);
    assert_true(after.held <= full.held);
    if (strncmp(px_heap_name(), "jemalloc", 8) == 0) {
        while (px_heap_look().held > full.held - (size_t) BLOCKS * BYTES / 2) {
            take_and_free(SMALL); /* time passes for it when something is allocated */
        }
    }
}

static long page_faults(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* What is freed and allocated again, as the buffers of messages are, has its pages still. */
static void keeps_pages(void **state)
{
    (void) state;
    if (px_heap_look().used == 0) {
        skip(); /* a sanitizer keeps what is freed for a while */
    }
    for (size_t bytes = 64; bytes <= (size_t) 64 * 1024; bytes *= 2) {
        long before;

        take_and_free(bytes);
        before = page_faults();
        for (int i = 0; i < BLOCKS; i++) {
            take_and_free(bytes);
        }
        assert_true(page_faults() - before < BLOCKS / 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_blocks),
                                       cmocka_unit_test(keeps_pages)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
