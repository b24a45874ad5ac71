/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TERMINATION_H
#define PX_SERVER_TERMINATION_H

/* The end of processes, as reported by the host. */

struct px_event;
struct px_server;

/* Called with each event of the host. If it reports that processes have ended, gets and collectives
 * do not wait for those any more. Loop thread. */
void px_termination_event(struct px_server *s, const struct px_event *event);

/* Called with each event of the host before it is passed on. Reads what the processes that have
 * ended had sent, so that others learn of it before they learn of the end. Loop thread. */
void px_termination_drain(struct px_server *s, const struct px_event *event);

#endif
