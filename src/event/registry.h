/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_REGISTRY_H
#define PX_EVENT_REGISTRY_H

#include <pmix_common.h>

#include "src/loop/loop.h"

struct px_events;
struct px_handler;

/* The event handlers of this process and the order in which an event goes through them (Standard,
 * chapter on events: first, single-code, multi-code, default, last; before/after/prepend/append by
 * name). Role-neutral: knows nothing of peers. All functions run on the loop thread. */

/* One event, borrowed. */
struct px_event {
    pmix_status_t code;
    pmix_proc_t source;
    pmix_data_range_t range;
    const pmix_info_t *info;
    size_t ninfo;
};

/* Is the code among the n? Any thread. */
bool px_codes_have(const pmix_status_t *codes, size_t n, pmix_status_t code);

struct px_events *px_events_create(struct px_loop *loop);
void px_events_destroy(struct px_events *events); /* takes NULL; running chains are ended */

/* Adds a handler as the directives in info say. codes are copied, info is copied. 0 and *ret_id, or
 * PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM, PMIX_ERR_EVENT_REGISTRATION (a second first or last
 * one). A handler before or after a name that is not in its category is appended. */
int px_events_add(struct px_events *events, const pmix_status_t *codes, size_t ncodes,
                  const pmix_info_t *info, size_t ninfo, pmix_notification_fn_t handler,
                  size_t *ret_id);

/* The registration is complete: a handler sees events from now on, and those held back since
 * px_events_add. */
void px_events_ready(struct px_events *events, size_t id);

/* 0 or PMIX_ERR_BAD_PARAM. ret_codes/ret_ncodes (may be NULL): malloc'd codes that nobody here
 * wants any more; ret_default: the last default handler went. */
int px_events_remove(struct px_events *events, size_t id, pmix_status_t **ret_codes,
                     size_t *ret_ncodes, bool *ret_default);

/* Does any handler want this code (default handlers included)? */
bool px_events_wanted(const struct px_events *events, pmix_status_t code);

/* Does a handler name this code? Is there a default handler? */
bool px_events_named(const struct px_events *events, pmix_status_t code);
bool px_events_has_default(const struct px_events *events);

/* What servers are to be asked for: the codes that handlers name, each once, malloc'd; and whether
 * there is a default handler. Handlers of nothing but this process's own events (PMIX_RANGE of
 * PMIX_RANGE_PROC_LOCAL) are left out. 0 or PMIX_ERR_NOMEM. */
int px_events_codes(const struct px_events *events, pmix_status_t **ret, size_t *ret_n,
                    bool *ret_default);

/* The same, and tells what the handlers said: the status of the last, and for each a status under
 * its name followed by its results. No results: there was no handler. Results are borrowed for the
 * call. */
typedef void (*px_verdict_fn)(void *arg, pmix_status_t status, const pmix_info_t *results,
                              size_t nresults);

void px_handler_unref(struct px_handler *handler);

/* The one that is called after `handler`; NULL: the first. NULL: there is no further one. */
struct px_handler *px_handler_next(const struct px_events *events,
                                   const struct px_handler *handler);

/* Does the handler name the code? */
bool px_handler_names(const struct px_handler *handler, pmix_status_t code);

#endif
