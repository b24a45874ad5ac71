/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_AUDIENCE_H
#define PX_SERVER_AUDIENCE_H

/* Whom an event is for: the range of the event, and what the user who has raised it may tell
 * others. Loop thread. */

#include "kept_events.h"
#include "src/base/map.h"
#include "src/value/infos.h"
#include "src/value/proc_list.h"

struct px_peer;
struct px_server;

/* Those of a long range who may be here: peers of this server, or the server itself. Found by a
 * look at each name; that may be in parts, ahead of the event. Owned by the event's upcall, or on
 * the stack. */
struct px_named {
    struct px_procs range; /* the names: borrowed, of the event's infos */
    size_t next;           /* those before it have been looked at */
    uint64_t admitted;     /* px_server.admitted before the first one was */
    struct px_map tools;   /* namespaces of peers that are no registered processes */
    struct px_proc_list here;
};

/* Looks at a piece of the names of an event's range, for px_audience_init. *named (NULL at first)
 * becomes the caller's, to be freed with px_named_free. True if it has looked at some: no more is
 * to be done in this turn of the loop. False if all were looked at before, for a short range, and
 * when memory is out: *named may be NULL. */
bool px_named_ahead(struct px_server *s, const struct px_event *event, struct px_named **named);
/* Takes NULL. Any thread. */
void px_named_free(struct px_named *named);

/* Whom an event is for. */
struct px_audience {
    const struct px_event *event;
    struct px_procs range; /* of PMIX_RANGE_CUSTOM: what PMIX_EVENT_CUSTOM_RANGE names; groups are
                              spelled out */
    struct px_proc_list named; /* those of a long range who may be here */
    bool listed;               /* `named` stands for the range */
    struct px_raiser by;
    const struct px_peer
        *judged; /* the peer that was looked at last, whether it may have the event */
    bool may;
    bool many;              /* px_audience_init has made it, px_audience_fini will end it */
    struct px_map verdicts; /* kinds of peers that were looked at; only of many */
    bool looked;            /* at whether the range reaches beyond this server */
    bool beyond;            /* it names one of a namespace that this server does not have */
};

/* Makes the audience of an event for many, so that to look whether a process belongs to it takes no
 * longer the more are named. ahead: what px_named_ahead has found of it, or NULL; its names are
 * moved to the audience, unless the range is another one or a peer was admitted since; then all
 * names are looked at here. Without memory a long range is empty. The event is borrowed. To be
 * ended with px_audience_fini. */
void px_audience_init(struct px_server *s, struct px_audience *to, const struct px_event *event,
                      struct px_raiser by, struct px_named *ahead);
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
