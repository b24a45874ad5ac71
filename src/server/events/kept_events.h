/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_KEPT_EVENTS_H
#define PX_SERVER_KEPT_EVENTS_H

/* Events that are kept for those who register for them later. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/base/list.h"
#include "src/event/registry.h"

struct px_event_raiser;
struct px_server;

/* Who has raised an event: a client or tool of the user (-1: he is not known any more), or else the
 * host or this library. */
struct px_raiser {
    bool client;
    uid_t user;
};

/* One kept event; in s->kept_events, which owns it. */
struct px_kept_event {
    struct px_list link;
    struct px_list of_raiser; /* oldest first, too */
    struct px_event event;    /* one of the owners of event.shared */
    struct px_raiser by;
    struct px_event_raiser *raiser;
    size_t bytes;
};

/* Keeps a copy of an event, unless it forbids it (PMIX_EVENT_DO_NOT_CACHE) or is larger than all
 * the room (shmix_event_bytes). Beyond that, and pmix_max_events, the oldest event goes of the
 * process that has most, of the user who has most: nobody's events are pushed out by somebody who
 * has more. Without memory it is not kept, which is no error for its sender. */
void px_event_keep(struct px_server *s, const struct px_event *event, struct px_raiser by);

/* Frees a kept event. */
void px_event_unkeep(struct px_server *s, struct px_kept_event *kept);

/* Frees the kept events when the server stops. */
void px_events_drop_all(struct px_server *s);

#endif
