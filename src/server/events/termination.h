/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TERMINATION_H
#define PX_SERVER_TERMINATION_H

struct px_event;
struct px_server;

/* The host has raised an event: if it says that processes have ended, nobody waits for those any
 * more. */
void px_termination_event(struct px_server *s, const struct px_event *event);

#endif
