/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_AUDIENCE_H
#define PX_SERVER_AUDIENCE_H

/* Whom an event is for: the range of the event, and what the user who has raised it may tell
 * others. Loop thread. */

#include "kept_events.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

struct px_peer;
struct px_server;

/* Whom an event is for. */
struct px_audience {
    const struct px_event *event;
    struct px_procs range; /* of PMIX_RANGE_CUSTOM: what PMIX_EVENT_CUSTOM_RANGE names; groups are
                              spelled out */
    struct px_proc_list named; /* those of a long range who may be here */
    bool listed;               /* `named` stands for the range */
    struct px_raiser by;
    const struct px_peer *judged; /* the peer that was asked last whether it may have the event */
    bool may;
    bool looked; /* at whether the range reaches beyond this server */
    bool beyond; /* it names one of a namespace that this server does not have */
};

/* Makes the audience of an event for many, so that to look whether a process belongs to it takes no
 * longer the more are named. Without memory a long range is empty. The event is borrowed. To be
 * ended with px_audience_fini. */
void px_audience_init(struct px_server *s, struct px_audience *to, const struct px_event *event,
                      struct px_raiser by);
void px_audience_fini(struct px_audience *to);

/* The audience of an event that one process is asked about; it owns nothing. */
struct px_audience px_audience_for_one(const struct px_event *event, struct px_raiser by);

/* True if the event's range includes the process. Ranges that reach beyond this server's clients
 * (session, global, local) include all of them. Events for the resource manager or for the process
 * that raised them (PMIX_RANGE_RM, PMIX_RANGE_PROC_LOCAL) are for no peer. */
bool px_audience_has(struct px_audience *to, const pmix_proc_t *proc);

/* True if the peer is among them, and may have what the user has raised. */
bool px_audience_has_peer(struct px_server *s, struct px_audience *to, const struct px_peer *peer);

#endif
