/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_FD_TABLE_H
#define PX_NET_FD_TABLE_H

/* The size of the process's table of descriptors. The kernel enlarges it when a new descriptor does
 * not fit. In a process of several threads that takes an RCU grace period, some 10 to 30 ms, in
 * which the thread that asked for the descriptor sleeps in the kernel; a progress thread then
 * serves nobody. So a server has the table enlarged before connections come, by a thread that ends
 * when this is done. The table does not shrink. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* One enlargement. A zeroed struct is of none. Owned by who begins it. */
struct px_fd_table_room {
    pthread_t thread;
    bool begun;    /* the thread has to be joined */
    int fd;        /* a descriptor to duplicate */
    int n;         /* descriptors that shall fit */
    int size;      /* that fitted before */
    uint64_t made; /* atomic: 1 when it is done; enlarge pairs with px_fd_table_fits */
};

/* Makes room for n descriptors at once if the process has one thread: then it takes no time. Any
 * thread. */
void px_fd_table_alone(int n);

/* Begins to make room for descriptors below n, of which there are never more than the process's
 * limit. fd is any open descriptor, which stays so until px_fd_table_end. If they fit, or without a
 * thread or memory, nothing happens: the kernel enlarges the table when it has to. Any thread, one
 * at a time. */
void px_fd_table_begin(struct px_fd_table_room *room, int fd, int n);

/* False if a descriptor with that number does not fit before the end of what has begun. The thread
 * that has begun it, or one that it has told. */
bool px_fd_table_fits(const struct px_fd_table_room *room, int fd);

/* Waits for the end of what has begun, if anything has. Not in a forked child. */
void px_fd_table_end(struct px_fd_table_room *room);

#endif
