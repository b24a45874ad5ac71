/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_JOB_REQUEST_H
#define PX_SERVER_JOB_REQUEST_H

/* Handlers (px_handler) of a client's first and last request. */

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* PX_CMD_REQ: answers with the namespace and the descriptor of its segment, or its job information.
 * 0, PMIX_ERR_NOT_FOUND (a refresh of an unknown namespace), PMIX_ERR_NOMEM, or the status of
 * unpacking. */
int px_handle_req(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

/* PX_CMD_FINALIZE: informs the host of a client (not of a tool) and answers PMIX_SUCCESS when the
 * host has answered. The end of the connection is no loss after that. 0 or PMIX_ERR_NOMEM. */
int px_handle_finalize(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
