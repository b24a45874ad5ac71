/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_CHAIN_H
#define PX_EVENT_CHAIN_H

/* Event chains: one event delivered to the handlers of this process that want it, one after the
 * other (Standard, chapter Event Notification). All functions run on the loop thread unless said
 * otherwise. */

#include "handler.h"

struct px_chain;
struct px_event;
struct px_events;
struct px_handler;

/* Starts the chains that were held for a handler that has become ready. */
void px_chain_release_held(struct px_events *events, struct px_handler *handler);

/* Detaches all chains from a registry that is about to be destroyed; see px_events_destroy. */
void px_chain_orphan_all(struct px_events *events);

/* Frees a chain that is in no list, and its references to handlers. Any thread. */
void px_chain_destroy(struct px_chain *chain);

/* Runs a chain for a copy of the event. Handlers are called from the loop later, never from within
 * this call. `done` (may be NULL) is called on the loop thread when the chain has ended, not if the
 * registry is destroyed first. 0 or PMIX_ERR_NOMEM (then there is no chain). */
int px_events_deliver(struct px_events *events, const struct px_event *event,
                      void (*done)(void *arg), void *arg);

/* Delivers an event of this library to handlers of this process only. affected: the process that it
 * is about (PMIX_EVENT_AFFECTED_PROC), or NULL. Without memory the event is lost. events may be
 * NULL: nothing happens. */
void px_events_raise(struct px_events *events, pmix_status_t code, const pmix_proc_t *source,
                     const pmix_proc_t *affected);

/* As px_events_deliver; at the end `verdict` is called with what the handlers returned, instead of
 * `done`. For events whose handlers decide something, such as an invitation to a group. */
int px_events_ask(struct px_events *events, const struct px_event *event, px_verdict_fn verdict,
                  void *arg);

#endif
