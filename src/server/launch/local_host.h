/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_HOST_H
#define PX_SERVER_LOCAL_HOST_H

/* The host that the library itself is for the server of a launcher. It starts processes on this
 * node (Standard, chapter Process Management: PMIx_Spawn of a tool that has no server). */

#include <stdbool.h>

#include <pmix_server.h>

/* Adds the entries of this host to a module. given: the tool has given the module: only those that
 * start jobs and end them are added, each if the module has none; else the module is empty, and
 * tools of this user are admitted, too. */
void px_local_host_fill(pmix_server_module_t *module, bool given);

#endif
