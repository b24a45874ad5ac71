/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_REGISTRY_H
#define PX_EVENT_REGISTRY_H

/* The event handlers of this process, and the order in which an event goes through them (Standard,
 * chapter Event Notification): the one registered as first, handlers of a single code, of several
 * codes, default handlers, the one registered as last; within a category by before, after, prepend,
 * append, first or last in category. Role-neutral: knows nothing of peers. All functions run on the
 * loop thread. */

#include <stdint.h>

#include <pmix_common.h>

#include "src/loop/loop.h"

struct px_events; /* the registry; owned by the context */
struct px_handler;

/* One event: its code, the process that raised it, the range that was given with it, and its infos.
 * Borrowed for a call; a chain copies what it keeps. The range is not examined here: the caller
 * that delivers an event has decided that it is for this process. A source without a namespace is
 * none: the environment has not said who raised the event. */
struct px_event {
    pmix_status_t code;
    pmix_proc_t source;
    pmix_data_range_t range;
    const pmix_info_t *info;
    size_t ninfo;
    struct px_shared_infos *shared; /* owner of `info`; NULL: the caller lends it */
    /* Kept by a server and sent again for a new registration: it goes to that handler only, since
     * the others have had it; see px_events_replays_to. */
    bool replayed;
};

/* Receives the codes of a handler that was removed, by a deregistration or as a one-shot, and that
 * no other handler needs of a server; default_handler: it was the last default handler. The codes
 * are borrowed for the call; n may be 0. Loop thread. Not called by px_events_destroy. */
typedef void (*px_dropped_fn)(void *arg, const pmix_status_t *codes, size_t n,
                              bool default_handler);

/* An empty registry for the loop's process; `dropped` may be NULL. NULL: no memory. What handlers
 * were registered for beside codes is honoured here: affected processes, and the sources of
 * PMIX_RANGE and PMIX_EVENT_CUSTOM_RANGE, for which px_events_set_self says who this process is. */
struct px_events *px_events_create(struct px_loop *loop, px_dropped_fn dropped, void *arg);

/* The name of this process, borrowed until px_events_destroy; it may still change. */
void px_events_set_self(struct px_events *events, const pmix_proc_t *self);
/* A server has answered a registration: the kept events that follow are for this handler; or, where
 * all were registered again (at another server), for all that name codes or all that do not. */
#define PX_REPLAYS_TO_CODED   SIZE_MAX
#define PX_REPLAYS_TO_DEFAULT (SIZE_MAX - 1)
void px_events_replays_to(struct px_events *events, size_t id);

/* Frees the registry. Chains under way call no further handler and report no end; one whose handler
 * is still busy is freed when that handler completes. Takes NULL. */
void px_events_destroy(struct px_events *events);

/* Adds a handler as the directives in info say; ncodes 0: a default handler. What is needed of
 * codes and info is copied. Until px_events_ready its events are held back. 0 and *ret_id (never
 * 0), PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (NULL arguments, a directive with a wrong value, first and
 * last at once, PMIX_RANGE_CUSTOM without processes), PMIX_ERR_EVENT_REGISTRATION (there is a first
 * or last one already, overall or in its category). A handler to be placed before or after a name
 * that is not in its category is appended. The first and the last of a category stay so: a handler
 * to be placed before the first one follows it, one to be placed after the last one precedes it. */
int px_events_add(struct px_events *events, const pmix_status_t *codes, size_t ncodes,
                  const pmix_info_t *info, size_t ninfo, pmix_notification_fn_t handler,
                  size_t *ret_id);

/* The registration is acknowledged: the handler gets the events held back since px_events_add, each
 * in a chain of its own, and from now on takes part in all chains. An unknown id has no effect. */
void px_events_ready(struct px_events *events, size_t id);

/* Removes a handler; a chain that has yet to call it passes it over. The codes that no other
 * handler needs are reported to the registry's px_dropped_fn. 0 or PMIX_ERR_BAD_PARAM (unknown
 * id). */
int px_events_remove(struct px_events *events, size_t id);

/* True if a handler wants this code: one that names it, or a default handler. The processes that
 * handlers were registered for are not examined. */
bool px_events_wanted(const struct px_events *events, pmix_status_t code);

/* Whether a server was asked for the codes of a handler; after px_events_add it counts as asked. No
 * effect if the id is unknown, or if the handler is for this process's own events only (PMIX_RANGE
 * of PMIX_RANGE_PROC_LOCAL), for which no server is asked. */
void px_events_set_asked(struct px_events *events, size_t id, bool asked);

/* True if a handler for which a server was asked names this code, or has no codes. */
bool px_events_asked(const struct px_events *events, pmix_status_t code);
bool px_events_asked_default(const struct px_events *events);

/* What a server is to be asked for: the codes that handlers name, each once, malloc'd, the
 * caller's; and in *ret_default whether there is a default handler. Handlers of this process's own
 * events only do not count. 0 or PMIX_ERR_NOMEM. */
int px_events_codes(const struct px_events *events, pmix_status_t **ret, size_t *ret_n,
                    bool *ret_default);

/* Receives what the handlers of a chain returned (px_events_ask): the status of the last one, and
 * per handler an info with its status under its name, followed by its results. No results: no
 * handler was called. Results are borrowed for the call. Loop thread. */
typedef void (*px_verdict_fn)(void *arg, pmix_status_t status, const pmix_info_t *results,
                              size_t nresults);

/* Drops a reference to a handler; the last one frees it, and the chains held for it. Any thread. */
void px_handler_unref(struct px_handler *handler);

/* The handler that is called after `handler` (NULL: the first one); NULL: there is none.
 * Borrowed. */
struct px_handler *px_handler_next(const struct px_events *events,
                                   const struct px_handler *handler);

/* True if the handler was registered with this code. */
bool px_handler_names(const struct px_handler *handler, pmix_status_t code);

#endif
