/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "board.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define BOARD_FD "BENCH_BOARD" /* the descriptor that is inherited */

struct board {
    sem_t all_here;
    _Atomic uint64_t stamps[STAMPS];
    _Atomic uint64_t fence_bytes[BOARD_FENCES];
    _Atomic unsigned expected;
    _Atomic unsigned arrived;
};

static struct board *board;

static struct board *map(int fd)
{
    void *at = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

void board_make(void)
{
    int fd = memfd_create("bench-board", 0);
    char number[16];

    board = fd >= 0 && ftruncate(fd, sizeof(*board)) == 0 ? map(fd) : NULL;
    if (!board || sem_init(&board->all_here, 1, 0) != 0) {
        perror("bench: a board");
        exit(70);
    }
    snprintf(number, sizeof(number), "%d", fd);
    setenv(BOARD_FD, number, 1);
}

bool board_open(void)
{
    const char *fd = getenv(BOARD_FD);

    board = fd ? map(atoi(fd)) : NULL;
    if (!board) {
        fprintf(stderr, "bench: no board; bench/job starts this program\n");
    }
    return board != NULL;
}

void board_stamp(enum stamp which)
{
    uint64_t now = now_ns();
    uint64_t before = board ? atomic_load(&board->stamps[which]) : now;

    while (before < now && !atomic_compare_exchange_weak(&board->stamps[which], &before, now)) {
    }
}

uint64_t board_time(enum stamp which)
{
    return atomic_load(&board->stamps[which]);
}

void board_reset(unsigned expected)
{
    for (unsigned s = 0; s < STAMPS; s++) {
        atomic_store(&board->stamps[s], 0);
    }
    atomic_store(&board->arrived, 0);
    atomic_store(&board->expected, expected);
}

void board_arrive(void)
{
    board_stamp(STAMP_ARRIVED);
    if (atomic_fetch_add(&board->arrived, 1) + 1 == atomic_load(&board->expected)) {
        sem_post(&board->all_here);
    }
}

bool board_wait(unsigned seconds)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return sem_timedwait(&board->all_here, &until) == 0;
}

void board_count_fence(unsigned nth, uint64_t bytes)
{
    if (board && nth < BOARD_FENCES) {
        atomic_fetch_add(&board->fence_bytes[nth], bytes);
    }
}

uint64_t board_fence_bytes(unsigned nth)
{
    return nth < BOARD_FENCES ? atomic_load(&board->fence_bytes[nth]) : 0;
}
