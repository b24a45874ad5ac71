/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_NODE_H
#define PX_BENCH_NODE_H

#include "daemon.h"

/* What the host of a node answers in bench/job: collectives with the other nodes, events to them,
 * published names, queries, tools and spawned jobs for itself. */

/* nspace: the job, which queries for namespaces are told of. exchange: gives what one node hands
 * in, gets what all have; NULL for one node. events: a socket for what the other nodes shall be
 * told and tell, -1 for one node. */
void node_start(const char *nspace, const char *hostname, fence_fn exchange, int events);
/* Waits until the jobs that were spawned have ended, and ends the server. */
void node_end(const char *nspace);

#endif
