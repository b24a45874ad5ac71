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

struct fence {
    _Atomic uint64_t bytes;
    _Atomic uint64_t asked;
    _Atomic uint64_t answered;
};

struct board {
    sem_t all_here;
    _Atomic uint64_t stamps[STAMPS];
    struct fence fences[BOARD_FENCES];
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

/* Keeps the later of the time that is there and the present one. */
static void keep_latest(_Atomic uint64_t *at)
{
    uint64_t now = now_ns();
    uint64_t before = atomic_load(at);

    while (before < now && !atomic_compare_exchange_weak(at, &before, now)) {
    }
}

void board_stamp(enum stamp which)
{
    if (board) {
        keep_latest(&board->stamps[which]);
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

void board_fence_asked(unsigned nth, uint64_t bytes)
{
    if (board && nth < BOARD_FENCES) {
        atomic_fetch_add(&board->fences[nth].bytes, bytes);
        keep_latest(&board->fences[nth].asked);
    }
}

void board_fence_answered(unsigned nth)
{
    if (board && nth < BOARD_FENCES) {
        atomic_store(&board->fences[nth].answered, now_ns());
    }
}

struct board_fence board_fence(unsigned nth)
{
    struct board_fence ret = {0};

    if (nth < BOARD_FENCES) {
        ret.bytes = atomic_load(&board->fences[nth].bytes);
        ret.asked = atomic_load(&board->fences[nth].asked);
        ret.answered = atomic_load(&board->fences[nth].answered);
    }
    return ret;
}
