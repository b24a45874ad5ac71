/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REQUESTS_H
#define PX_SERVER_REQUESTS_H

#include "host_upcall.h"

struct px_in;
struct px_peer;
struct px_server;

/* Requests that are the host's to serve: an upcall is filled from a peer's message or from a call
 * of this process, then one of the px_upcall_ functions hands it to the host; each takes over the
 * upcall. Loop thread. */

struct px_upcall *px_request_create(struct px_server *s, const struct px_peer *peer, uint32_t tag);

/* Ends the reading of a request: adds the requester's ids and goes, or destroys the upcall and
 * returns rc. */
int px_request_go(struct px_upcall *up, const struct px_peer *peer, int rc,
                  void (*go)(struct px_upcall *up));
/* The same, without ids. */
int px_request_go_plain(struct px_upcall *up, int rc, void (*go)(struct px_upcall *up));

void px_upcall_log(struct px_upcall *up);         /* data; info: directives */
void px_upcall_alloc(struct px_upcall *up);       /* number: directive */
void px_upcall_job_control(struct px_upcall *up); /* procs; info: directives */
void px_upcall_monitor(struct px_upcall *up);     /* data[0]: monitor; code; info: directives */
void px_upcall_credential(struct px_upcall *up);
void px_upcall_validate(struct px_upcall *up); /* bytes */
void px_upcall_fabric(struct px_upcall *up);   /* number: operation */
void px_upcall_session(struct px_upcall *up);  /* number: session */
void px_upcall_resblock(struct px_upcall *up); /* number: directive; text: block; units */

int px_handle_log(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_alloc(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_job_control(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);
int px_handle_monitor(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_get_credential(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in);
int px_handle_validate(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

int px_handle_fabric_register(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in);
int px_handle_fabric_update(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);
int px_handle_distances(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

int px_handle_resblock(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_session(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
