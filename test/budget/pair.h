/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_BUDGET_PAIR_H
#define PX_TEST_BUDGET_PAIR_H

/* A server whose instructions are counted, with a job of two clients. */

#define PAIR_JOB "job"

enum { PAIR_CLIENTS = 2, PAIR_SECONDS = 90 };

/* Starts the server, with no upcall but that of a subscription to output, and the clients: argv in
 * a process each, which knows by PMIX_RANK that it is one. Waits for both. 0: they and the server
 * have ended well. */
int pair_serve(char **argv);

#endif
