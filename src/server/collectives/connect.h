/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONNECT_H
#define PX_SERVER_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

struct px_coll;
struct px_in;
struct px_peer;
struct px_reply_to;
struct px_server;

int px_handle_connect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_disconnect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

void px_connected_drop_all(struct px_server *s);
void px_connected_nspace_removed(struct px_server *s);

void px_connect_complete(struct px_server *s, struct px_coll *coll, bool remote);

/* Whether the set of a disconnect was connected, or is a family. */
bool px_connected(struct px_server *s, const struct px_coll *coll);

void px_connect_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                      int status);
void px_connect_finished(struct px_server *s, struct px_coll *coll, int status);

#endif
