/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SPAWN_H
#define PX_SERVER_SPAWN_H

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;
struct px_upcall;

int px_handle_spawn(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

void px_upcall_spawn(struct px_upcall *up);

#endif
