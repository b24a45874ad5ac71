/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "fuzz_clock.h"

#include <stdatomic.h>
#include <sys/epoll.h>

static atomic_uint_fast64_t moved_ns;
static atomic_uint_fast64_t tick_ns;
static atomic_uint speed = 1;
static uint64_t begun_ns; /* machine's time from which on the speed counts */

uint64_t __real_px_clock_ns(void);
uint64_t __wrap_px_clock_ns(void);
int __real_epoll_wait(int fd, struct epoll_event *events, int most, int ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int ms);

uint64_t __wrap_px_clock_ns(void)
{
    uint64_t now = __real_px_clock_ns();
    unsigned times = atomic_load(&speed);

    if (times > 1) {
        now = begun_ns + (now - begun_ns) * times;
    }
    return now + atomic_fetch_add(&moved_ns, atomic_load(&tick_ns));
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    int times = (int) atomic_load(&speed);

    return __real_epoll_wait(fd, events, most, ms > 0 ? (ms - 1) / times + 1 : ms);
}

void fuzz_clock_reset(void)
{
    atomic_store(&moved_ns, 0);
    atomic_store(&tick_ns, 0);
    atomic_store(&speed, 1);
}

void fuzz_clock_pass(uint64_t ms)
{
    (void) atomic_fetch_add(&moved_ns, ms * 1000000);
}

void fuzz_clock_tick(uint64_t us)
{
    atomic_store(&tick_ns, us * 1000);
}

void fuzz_clock_speed(unsigned times)
{
    begun_ns = __real_px_clock_ns();
    atomic_store(&speed, times);
}
