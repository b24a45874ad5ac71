/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_CHAIN_H
#define PX_EVENT_CHAIN_H

#include <stdbool.h>

#include "handler.h"

struct px_chain;
struct px_event;
struct px_events;
struct px_handler;

/* Starts the chains that were held for a handler that has become ready. */
void px_chain_release_held(struct px_events *events, struct px_handler *handler);
void px_chain_orphan_all(struct px_events *events);
void px_chain_destroy(struct px_chain *chain);

/* Runs the chain for a copy of the event, never from within the caller's own handler; `done` (may
 * be NULL) is called on the loop thread when the chain has ended. */
int px_events_deliver(struct px_events *events, const struct px_event *event,
                      void (*done)(void *arg), void *arg);

int px_events_ask(struct px_events *events, const struct px_event *event, px_verdict_fn verdict,
                  void *arg);

#endif
