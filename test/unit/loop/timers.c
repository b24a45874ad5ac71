/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/loop/timers.h"

/* Against a plain search of all timers: adding and removing any of them at random. */

enum { TIMERS = 100, STEPS = 20000, TIMES = 40 };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*seed >> 33);
}

/* A timer of the test. */
struct entry {
    struct px_timer timer;
    bool in;
};

static uint64_t earliest(const struct entry *entries)
{
    uint64_t found = UINT64_MAX;

    for (size_t i = 0; i < TIMERS; i++) {
        if (entries[i].in && entries[i].timer.due_ns < found) {
            found = entries[i].timer.due_ns;
        }
    }
    return found;
}

static void change(struct px_timer **first, struct px_timer *timer, uint64_t *seed)
{
    struct entry *entry = px_container_of(timer, struct entry, timer);

    if (entry->in) {
        px_timers_remove(first, timer);
    } else {
        timer->due_ns = draw(seed) % TIMES;
        px_timers_add(first, timer);
    }
    entry->in = !entry->in;
}

static void the_first_is_the_earliest(void **state)
{
    static struct entry entries[TIMERS];
    const char *given = getenv("SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t) getpid() * 2654435761u;
    struct px_timer *first = NULL;

    (void) state;
    printf("# SEED=%llu\n", (unsigned long long) seed);
    for (unsigned i = 0; i < STEPS; i++) {
        bool pop = first != NULL && draw(&seed) % 3 == 0;

        change(&first, pop ? first : &entries[draw(&seed) % TIMERS].timer, &seed);
        assert_int_equal(first != NULL ? first->due_ns : UINT64_MAX, earliest(entries));
    }
    while (first != NULL) {
        assert_int_equal(first->due_ns, earliest(entries));
        change(&first, first, &seed);
    }
    assert_int_equal(earliest(entries), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_the_earliest),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
