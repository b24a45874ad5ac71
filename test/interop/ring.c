/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An ordinary MPI program: collectives, a shared-memory split, a duplicated communicator, a ring of
 * sends. Prints one line a rank, which the tests compare; returns non-zero when a result is wrong.
 * With RING_MAPS set, says which libpmix this process has mapped. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(int rank, const char *what, int got, int want)
{
    if (got != want) {
        fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, got, want);
        wrong = 1;
    }
}

static void show_library(int rank)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof(line), maps)) {
        char *path = strchr(line, '/');

        if (path && strstr(path, "/libpmix.so") && strstr(line, "r-xp")) {
            printf("library %d %s", rank, path);
        }
    }
    if (maps) {
        fclose(maps);
    }
}

static void collectives(int rank, int size)
{
    int one = rank + 1;
    int sum = 0;
    int *all = calloc((size_t) size, sizeof(*all));

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(rank, "allreduce", sum, size * (size + 1) / 2);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        expect(rank, "allgather", all[i], i);
    }
    free(all);
}

static int shared_peers(int rank)
{
    MPI_Comm node;
    int peers = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &peers);
    MPI_Comm_free(&node);
    return peers;
}

static void ring(int rank, int size)
{
    MPI_Comm dup;
    int token = -1;
    int mine = rank * 7;
    int left = (rank + size - 1) % size;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    for (int lap = 0; lap < 3; lap++) {
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, lap, &token, 1, MPI_INT, left, lap, dup,
                     MPI_STATUS_IGNORE);
        expect(rank, "ring", token, left * 7);
    }
    MPI_Comm_free(&dup);
}

int main(int argc, char **argv)
{
    int rank;
    int size;
    int peers;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    collectives(rank, size);
    peers = shared_peers(rank);
    ring(rank, size);
    printf("ring rank %d of %d, %d on this node, %s\n", rank, size, peers,
           wrong ? "WRONG" : "right");
    if (getenv("RING_MAPS")) {
        show_library(rank);
    }
    fflush(stdout);
    MPI_Finalize();
    return wrong;
}
