/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_FD_TABLE_H
#define PX_NET_FD_TABLE_H

/* The size of the process's table of descriptors. The kernel enlarges the table when a new
 * descriptor does not fit. In a process of several threads this takes an RCU grace period, some 10
 * to 30 ms, and the thread that asked for the descriptor sleeps in the kernel meanwhile: no peer is
 * served if that is the progress thread. So a server enlarges the table before connections come: at
 * once while the process has one thread, and otherwise in a thread that does only this. The table
 * does not shrink. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* One enlargement in a thread. Zeros: there is none. Belongs to the caller of px_fd_table_begin. */
struct px_fd_table_room {
    pthread_t thread;
    bool begun;    /* the thread has to be joined */
    int fd;        /* a descriptor to duplicate */
    int n;         /* descriptors that shall fit */
    int size;      /* that fitted before */
    uint64_t made; /* atomic: 1 when it is done; enlarge pairs with px_fd_table_fits */
};

/* Enlarges the table to n places if the process has one thread, which does not wait then. Does
 * nothing in a process of several threads. Any thread. */
void px_fd_table_alone(int n);

/* Starts a thread that enlarges the table to n places. fd is an open descriptor; the caller keeps
 * it open until px_fd_table_end. Does nothing if the table has n places, if n is above the
 * process's limit of descriptors, or if no thread can be started: the kernel enlarges the table
 * when it has to. Any thread, one at a time. */
void px_fd_table_begin(struct px_fd_table_room *room, int fd, int n);

/* False if the table has no place for descriptor number fd, and the thread has not ended yet. The
 * thread that called px_fd_table_begin, or one that runs after that call. */
bool px_fd_table_fits(const struct px_fd_table_room *room, int fd);

/* Waits until the thread has ended, if there is one. Not in a forked child. */
void px_fd_table_end(struct px_fd_table_room *room);

#endif
