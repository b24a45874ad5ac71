/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_PROCESS_END_H
#define PX_EVENT_PROCESS_END_H

/* Events by which a host reports that processes have ended. Any thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

struct px_event;

/* In such an event: a client has raised it, no host. Its server adds this mark (a PMIX_BOOL, true),
 * which stays with the event wherever it is passed on. Of other processes it says nothing. */
#define PX_KEY_END_BY_CLIENT "shmix.end.by.client"

/* All codes that report the end of a process. */
extern const pmix_status_t px_end_codes[];
extern const size_t px_n_end_codes;

/* True if the code is one of them. */
bool px_event_is_end(pmix_status_t code);

/* Calls fn for each process that has ended by such an event: those of PMIX_EVENT_AFFECTED_PROC and
 * PMIX_EVENT_AFFECTED_PROCS; without any, the source of the event. Of an event that a client has
 * raised (PX_KEY_END_BY_CLIENT) only for the source. A rank may be PMIX_RANK_WILDCARD. */
void px_event_each_ended(const struct px_event *event,
                         void (*fn)(void *arg, const pmix_proc_t *proc), void *arg);

#endif
