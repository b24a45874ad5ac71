/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_STAGES_H
#define PX_SERVER_STAGES_H

/* What happens in this server, for whoever watches: counts in the area that others read
 * (src/waits/area.h, pmix-shm top), and a trace (src/waits/trace.h), if the parameter
 * shmix_trace_fd names a file for it. Nothing depends on it. Processes that this server has no
 * record of, tools, are counted and not traced. Loop thread. */

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

struct px_coll;
struct px_peer;
struct px_server;

/* Adds to a count (enum px_waits_count, src/waits/counts.h). */
void px_stage_count(const struct px_server *s, unsigned which, int64_t change);
/* A message has come, or is sent; or an event is. */
void px_stage_received(const struct px_server *s, size_t bytes);
void px_stage_sent(const struct px_server *s, size_t bytes);
void px_stage_event_sent(const struct px_server *s, size_t bytes);

/* A connection has been admitted; it has been sent information of its job, the first time of which
 * ends PMIx_Init; it is closed. */
void px_stage_connected(const struct px_peer *peer);
void px_stage_informed(struct px_peer *peer);
void px_stage_gone(const struct px_peer *peer);
/* A commit has been served, which began at `since_ns` (px_stage_clock). */
void px_stage_committed(const struct px_peer *peer, uint64_t since_ns, pmix_status_t status);
/* So has PMIx_Finalize, which began at peer->stage_ns. */
void px_stage_finalized(const struct px_peer *peer);
/* The time, if somebody watches; else 0. */
uint64_t px_stage_clock(const struct px_server *s);

/* Of a collective: a process of this node has called, all have, the host is asked, it has ended. */
void px_stage_joined(const struct px_coll *coll, const pmix_proc_t *who);
void px_stage_closed(const struct px_coll *coll);
void px_stage_asked(const struct px_coll *coll);
void px_stage_over(const struct px_coll *coll, pmix_status_t status);

#endif
