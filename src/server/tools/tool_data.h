/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TOOL_DATA_H
#define PX_SERVER_TOOL_DATA_H

/* What tools have committed (docs/decisions/0037-what-tools-post.md): got from this server by its
 * clients and tools, as far as their user may have it, while the tool is connected. A tool's
 * namespace is no job: no list, query, resolve call or collective knows of it. Loop thread. */

#include <pmix_common.h>

struct px_nspace;
struct px_peer;
struct px_server;

/* The record that a commit of the tool goes to, made by its first one. It lives until
 * px_tool_data_drop. NULL: no memory. */
struct px_local_proc *px_tool_data_make(struct px_peer *peer);

/* The namespace with the data of a process: its job's, or else the record of what a connected tool
 * of this name has committed; of several such tools, the one that connected first. NULL: neither is
 * known. */
struct px_nspace *px_tool_data_or_job(struct px_server *s, const pmix_proc_t *proc);

/* The tool disconnects: gets that wait for its data end with PMIX_ERR_NOT_FOUND, and what it has
 * committed is freed. No effect for other peers. */
void px_tool_data_drop(struct px_peer *peer);

#endif
