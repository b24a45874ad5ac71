/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An MPI program for the calls that need more of PMIx than a start. Its argument says which. Every
 * process that finds everything right writes one line. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER = 42, N_SPAWNED = 2, EXIT_CODE = 9 };

static int rank, size;

static void say(const char *what, int right)
{
    char line[96];
    int n = snprintf(line, sizeof(line), "%s %d %s\n", what, rank, right ? "right" : "wrong");

    fwrite(line, 1, (size_t) n, stdout);
    fflush(stdout);
}

/* The sum of the ranks of parents and children together. */
static int sum_of_all(MPI_Comm inter, int high)
{
    MPI_Comm all;
    int mine, sum;

    MPI_Intercomm_merge(inter, high, &all);
    MPI_Comm_rank(all, &mine);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    return sum;
}

static void be_child(MPI_Comm parent)
{
    int n_parents;

    MPI_Comm_remote_size(parent, &n_parents);
    int n = n_parents + size;
    say("child", size == N_SPAWNED && sum_of_all(parent, 1) == n * (n - 1) / 2);
    MPI_Comm_disconnect(&parent);
}

static void spawn(char *program)
{
    MPI_Comm children;
    int codes[N_SPAWNED];
    int n = size + N_SPAWNED;

    MPI_Comm_spawn(program, MPI_ARGV_NULL, N_SPAWNED, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   codes);
    say("parent", sum_of_all(children, 0) == n * (n - 1) / 2);
    MPI_Comm_disconnect(&children);
}

/* Even ranks publish a port and accept, odd ones look it up and connect. */
static void meet(void)
{
    MPI_Comm half, inter;
    char port[MPI_MAX_PORT_NAME] = "";
    int accepts = rank % 2 == 0;
    int first = rank < 2;
    int n = ANSWER;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (accepts && first) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("meeting", MPI_INFO_NULL, port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!accepts && first) {
        MPI_Lookup_name("meeting", MPI_INFO_NULL, port);
    }
    if (accepts) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    } else {
        n = 0;
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    }
    MPI_Bcast(&n, 1, MPI_INT, !accepts ? 0 : first ? MPI_ROOT : MPI_PROC_NULL, inter);
    say(accepts ? "accepted" : "connected", n == ANSWER);
    MPI_Comm_disconnect(&inter);
    if (accepts && first) {
        MPI_Unpublish_name("meeting", MPI_INFO_NULL, port);
        MPI_Close_port(port);
    }
    MPI_Comm_free(&half);
}

/* Everybody puts its rank to everybody, and counts at rank 0. */
static void put(void)
{
    MPI_Win window;
    int *at, one = 1, right = 1;

    MPI_Win_allocate((MPI_Aint) (size + 1) * (MPI_Aint) sizeof(int), sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &at, &window);
    memset(at, 0, (size_t) (size + 1) * sizeof(int));
    MPI_Win_fence(0, window);
    for (int i = 0; i < size; i++) {
        MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, window);
    }
    MPI_Accumulate(&one, 1, MPI_INT, 0, size, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < size; i++) {
        right = right && at[i] == i;
    }
    say("window", right && at[size] == (rank == 0 ? size : 0));
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
    } else if (strcmp(what, "spawn") == 0) {
        spawn(argv[0]);
    } else if (strcmp(what, "meet") == 0) {
        meet();
    } else if (strcmp(what, "put") == 0) {
        put();
    } else if (strcmp(what, "abort") == 0 && rank == 1) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_CODE);
    } else if (strcmp(what, "signal") == 0 && rank == 1) {
        abort();
    } else {
        MPI_Barrier(MPI_COMM_WORLD); /* which rank 1 never reaches */
    }
    MPI_Finalize();
    return 0;
}
