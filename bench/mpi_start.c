/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* MPI_Init and MPI_Finalize, and nothing between them. Each rank prints a line: its number, what
 * the two took in nanoseconds, and the most memory that it had. Built by bench/launch.py with
 * mpicc. */

#include <mpi.h>

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long) t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    long long start = now_ns();
    long long up, down;
    struct rusage used;
    int rank;

    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        return 1;
    }
    up = now_ns();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    down = now_ns();
    if (MPI_Finalize() != MPI_SUCCESS) {
        return 1;
    }
    getrusage(RUSAGE_SELF, &used);
    printf("rank %d init_ns %lld finalize_ns %lld peak_kb %ld\n", rank, up - start, now_ns() - down,
           used.ru_maxrss);
    return 0;
}
