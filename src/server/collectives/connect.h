/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONNECT_H
#define PX_SERVER_CONNECT_H

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* Loop thread. */

int px_handle_connect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_disconnect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
