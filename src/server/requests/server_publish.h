/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PUBLISH_H
#define PX_SERVER_PUBLISH_H

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;
struct px_upcall;

int px_handle_abort(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

int px_handle_publish(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_lookup(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_unpublish(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

void px_upcall_publish(struct px_upcall *up);
void px_upcall_lookup(struct px_upcall *up);
void px_upcall_unpublish(struct px_upcall *up);
void px_upcall_abort(struct px_upcall *up);

#endif
