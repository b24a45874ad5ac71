/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_CLIENT_H
#define PX_TEST_FUZZ_HALF_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

/* The client half of the library in this process, as a client or a tool, and a table of calls that
 * it can make. Statuses of the calls are ignored: only crashes and sanitizer reports count. */

/* Initialises the library. tool: contact string of the server, for PMIx_tool_init; NULL: a client,
 * whose name and server are in the environment. True if the library is initialised, connected or
 * not. */
bool half_client_start(const char *tool);
void half_client_stop(bool tool);

/* From now on calls of which a process dies end this one; in a fuzz target nobody dies. */
void half_client_mortal(void);

/* Makes call number modulo half_client_calls(). Blocks until it returns; gets and fences have a
 * time limit. */
void half_client_call(unsigned number);

unsigned half_client_calls(void); /* size of the table */
/* Name of a call, part of the file names of seeds; static. */
const char *half_client_name(unsigned number);

#endif
