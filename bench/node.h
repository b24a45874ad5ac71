/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_NODE_H
#define PX_BENCH_NODE_H

#include "daemon.h"

/* The host of one node in bench/job. It carries collectives and events to the other nodes; lookup
 * of published names, queries, tools and spawned jobs it serves for its own node. */

/* Starts the server of that node. nspace: the job, also the answer to PMIX_QUERY_NAMESPACES.
 * exchange: all-gather with the other nodes, called in a thread of the host; NULL for one node.
 * events: a SOCK_SEQPACKET socket on which this node's events are sent and those of others
 * received; -1 for one node. Ends the program on failure. */
void node_start(unsigned node, const char *nspace, const char *hostname, fence_fn exchange,
                int events);
/* Waits for the spawned jobs, then ends the server and the host's threads. */
void node_end(const char *nspace);

#endif
