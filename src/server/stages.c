/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* See stages.h. */

#include "stages.h"

#include <stdbool.h>

#include "src/base/clock.h"
#include "src/base/probe.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/peers/peer.h"
#include "src/server/collectives/tracker.h"
#include "src/server/state.h"
#include "src/waits/trace.h"
#include "src/waits/writer.h"

static bool traces(const struct px_server *s)
{
    return s->trace_fd >= 0;
}

uint64_t px_stage_clock(const struct px_server *s)
{
    return traces(s) ? px_clock_ns() : 0;
}

void px_stage_count(const struct px_server *s, unsigned which, int64_t change)
{
    if (s->waits) {
        px_waits_count(s->waits, (enum px_waits_count) which, change);
    }
}

void px_stage_received(const struct px_server *s, size_t bytes)
{
    px_stage_count(s, PX_WAITS_N_MESSAGES, 1);
    px_stage_count(s, PX_WAITS_BYTES_IN, (int64_t) bytes);
}

void px_stage_sent(const struct px_server *s, size_t bytes)
{
    px_stage_count(s, PX_WAITS_BYTES_OUT, (int64_t) bytes);
}

void px_stage_event_sent(const struct px_server *s, size_t bytes)
{
    px_stage_count(s, PX_WAITS_N_EVENTS, 1);
    px_stage_sent(s, bytes);
}

/* --- processes --- */

/* From since_ns (0: it is a moment) to now. */
static void trace_peer(const struct px_peer *peer, enum px_trace_kind kind, uint64_t since_ns,
                       int32_t number)
{
    const struct px_server *s = peer->server;
    uint64_t now = px_clock_ns();
    struct px_trace_record record = {.kind = (uint16_t) kind,
                                     .ns = since_ns ? since_ns : now,
                                     .until_ns = since_ns ? now : 0,
                                     .node = s->self.rank,
                                     .rank = peer->proc.rank,
                                     .number = number};

    px_trace_write(s->trace_fd, &record, peer->proc.nspace, NULL);
}

static bool is_traced(const struct px_peer *peer)
{
    return traces(peer->server) && peer->rank;
}

void px_stage_connected(const struct px_peer *peer)
{
    PX_PROBE(proc_connect, peer->proc.nspace, peer->proc.rank, peer->pid);
    px_stage_count(peer->server, PX_WAITS_N_CONNECTIONS, 1);
    if (is_traced(peer)) {
        trace_peer(peer, PX_TRACE_CONNECT, peer->stage_ns, (int32_t) peer->pid);
    }
}

void px_stage_informed(struct px_peer *peer)
{
    PX_PROBE(proc_inform, peer->proc.nspace, peer->proc.rank);
    if (is_traced(peer) && peer->stage_ns) {
        trace_peer(peer, PX_TRACE_INFORM, 0, 0);
        peer->stage_ns = 0;
    }
}

void px_stage_gone(const struct px_peer *peer)
{
    PX_PROBE(proc_gone, peer->proc.nspace, peer->proc.rank);
    px_stage_count(peer->server, PX_WAITS_N_CONNECTIONS, -1);
    if (is_traced(peer)) {
        trace_peer(peer, PX_TRACE_GONE, 0, 0);
    }
}

void px_stage_committed(const struct px_peer *peer, uint64_t since_ns, pmix_status_t status)
{
    PX_PROBE(proc_commit, peer->proc.nspace, peer->proc.rank, status);
    if (is_traced(peer)) {
        trace_peer(peer, PX_TRACE_COMMIT, since_ns, status);
    }
}

void px_stage_finalized(const struct px_peer *peer)
{
    PX_PROBE(proc_finalize, peer->proc.nspace, peer->proc.rank);
    if (is_traced(peer)) {
        trace_peer(peer, PX_TRACE_FINALIZE, peer->stage_ns, 0);
    }
}

/* --- collectives --- */

static void trace_coll(const struct px_coll *coll, enum px_trace_kind kind, const pmix_proc_t *who,
                       int32_t number)
{
    const struct px_server *s = coll->server;
    struct px_trace_record record = {.kind = (uint16_t) kind,
                                     .op = (uint16_t) px_open_waits_kind(coll),
                                     .ns = px_clock_ns(),
                                     .id = (uintptr_t) coll,
                                     .key = who ? px_open_waits_key(coll) : 0,
                                     .node = s->self.rank,
                                     .rank = who ? who->rank : 0,
                                     .number = number};

    px_trace_write(s->trace_fd, &record, who ? who->nspace : NULL, coll->name);
}

void px_stage_joined(const struct px_coll *coll, const pmix_proc_t *who)
{
    PX_PROBE(coll_join, coll, coll->ops->request->name, who->nspace, who->rank, coll->name);
    if (traces(coll->server)) {
        trace_coll(coll, PX_TRACE_JOIN, who, 0);
    }
}

void px_stage_closed(const struct px_coll *coll)
{
    PX_PROBE(coll_closed, coll);
    if (traces(coll->server)) {
        trace_coll(coll, PX_TRACE_CLOSED, NULL, 0);
    }
}

void px_stage_asked(const struct px_coll *coll)
{
    PX_PROBE(coll_ask, coll);
    if (traces(coll->server)) {
        trace_coll(coll, PX_TRACE_ASK, NULL, 0);
    }
}

void px_stage_over(const struct px_coll *coll, pmix_status_t status)
{
    PX_PROBE(coll_over, coll, status);
    px_stage_count(coll->server, PX_WAITS_N_COLLECTIVES, 1);
    if (traces(coll->server)) {
        trace_coll(coll, PX_TRACE_OVER, NULL, status);
    }
}
