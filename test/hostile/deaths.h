/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_HOSTILE_DEATHS_H
#define PX_TEST_HOSTILE_DEATHS_H

#include <pmix_common.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Servers, tools and processes of jobs of which one kills itself at its k-th step of a call. A step
 * is a call of the C library that the kernel may see, made by the library under test or its host.
 */

enum who { NOBODY, SERVER, SECOND, TOOL, PROCESS };
enum op { CONNECT, ATTACH, DISCONNECT, PULL, PUSH, SPAWN, FINALIZE, N_OPS };
extern const char *const op_names[N_OPS];

enum { PATIENCE_MS = 20000, MAX_STATUSES = 8 };

/* What all processes share. */
struct board {
    atomic_int victim;  /* enum who: whose steps are counted */
    atomic_long steps;  /* that it has made */
    atomic_long fatal;  /* the one that it dies at; 0: none */
    atomic_int started; /* processes of jobs, */
    atomic_int ended;   /* those that have ended as the host knows, */
    atomic_int failed;  /* the status of one of which something was wrong; 0: none */
    char dir[256];      /* of the servers' files */
};
extern struct board *board;

/* ---- deaths_steps.c */

/* The board of this program, made or inherited. False: there is none. */
bool board_open(void);
/* This process is that one, and counts its steps from now on. */
void steps_as(enum who who);
/* What this thread does until the next call is its own business, or again the library's. */
void steps_aside(bool aside);
/* The blocks that this process has allocated and not freed; 0 if a sanitizer allocates. */
long blocks_live(void);

/* ---- deaths_roles.c */

/* From the driver to a server or tool, and back. */
enum what { PREPARE, RUN, SETTLE, CYCLES, END };
struct order {
    enum what what;
    enum op op;
    enum who victim;
    long n; /* the fatal step; how many cycles */
};
struct outcome {
    pmix_status_t status[MAX_STATUSES]; /* of the calls of an operation */
    int n;
    int descriptors;
    long blocks;
    int wrong; /* 0, or the line of a check that has failed */
};
struct ends {
    int in;
    int out;
};

/* Each runs until its orders end; does not return. */
void be_server(enum who who, struct ends ends);
void be_tool(struct ends ends);
void be_process(void);

/* Whether a process that ended so has done what it should, or was killed as it should be. */
bool is_good_end(int status);
/* How many descriptors this process has. */
int descriptors(void);
/* Waits a millisecond before the caller looks again; false when ms of them have gone by since *gone
 * was 0. For what the kernel announces to nobody: that the library has closed a descriptor of this
 * process, or that a joined thread is no longer in /proc. */
bool wait_a_little(int *gone, int ms);
/* Reads or writes all of it: false if the other side has ended. */
bool get_all(int fd, void *to, size_t n);
bool put_all(int fd, const void *from, size_t n);

#endif
