/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_SERVER_JOB_OF_TWO_H
#define PX_TEST_SERVER_JOB_OF_TWO_H

#include <pmix_server.h>

/* A server in the test's own process, with one job of two processes of this user, which are
 * registered and do not run: for tests that call its private functions. */

#define JOB "job"

/* The host's module; a test fills in what it needs before the start. */
extern pmix_server_module_t job_of_two_module;

/* Setup and teardown of a test or of all tests of a program. */
int job_of_two_start(void **state);
int job_of_two_stop(void **state);

#endif
