/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONNECT_H
#define PX_SERVER_CONNECT_H

/* Connect and disconnect of processes (PMIx_Connect, PMIx_Disconnect; the Standard, chapter on
 * process management): handlers (px_handler) of the two commands. Loop thread. */

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* Connects the processes: the host decides; members of other namespaces then learn each other's
 * job information. The status of px_coll_handle. */
int px_handle_connect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
/* Ends a connection. Members get PMIX_ERR_INVALID_OPERATION if these processes are not
 * connected. */
int px_handle_disconnect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
