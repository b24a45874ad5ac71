/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_CLIENT_H
#define PX_TEST_FUZZ_HALF_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

/* The client half of the library in this process: a client, or a tool, that makes the calls of a
 * table. Whatever they return is as good as anything. */

/* True if the library is up, with a server or without one. tool: its server is at this address;
 * else the environment says who this is. */
bool half_client_start(const char *tool);
void half_client_stop(bool tool);

/* Makes the call of that number, which is taken modulo the size of the table. */
void half_client_call(unsigned number);

unsigned half_client_calls(void);
/* Its name, for files. */
const char *half_client_name(unsigned number);

#endif
