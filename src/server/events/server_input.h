/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_INPUT_H
#define PX_SERVER_INPUT_H

/* Input for processes (PMIx_IOF_push), which the host takes. The host can hold a process back that
 * pushes: the answer to its last push is kept until the host lets the process continue, and its
 * library reads no more standard input before the answer. Loop thread. */

#include "src/server/requests/requests.h"

struct px_peer;
struct px_server;

/* Arguments of px_flow_control. */
struct px_flow_args {
    pmix_proc_t source; /* an empty namespace, and PMIX_RANK_WILDCARD, match any */
    bool pause;
};

/* Service of PMIx_IOF_push (struct px_service), its `call`: the host passes the input on to the
 * processes. Empty bytes are the end of the input. */
pmix_status_t px_push_call(struct px_upcall *up);

/* Its `done`: answers, or keeps the answer. PMIX_ERR_IOF_XOFF of the host is success, and holds
 * the process back that has pushed. */
void px_push_answered(struct px_upcall *up);

/* Holds processes back that push and that `source` covers, or lets them continue. args: struct
 * px_flow_args. 0 or PMIX_ERR_NOMEM. */
int px_flow_control(struct px_server *s, void *args);

/* Forgets what is held back of a peer. */
void px_pushes_peer_disconnected(struct px_server *s, const struct px_peer *peer);

/* Answers everything that is held back when the server stops. */
void px_pushes_drop_all(struct px_server *s);

#endif
