/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_GIVING_H
#define PX_SERVER_MODEX_GIVING_H

/* Direct modex, the end that gives: PMIx_server_dmodex_request for data of this node. Loop thread.
 */

#include "src/server/state.h"

#include "src/request/schema.h"

struct px_local_proc;
struct px_server;

/* The arguments of PMIx_server_dmodex_request. */
struct px_dmodex_args {
    pmix_proc_t proc;
    struct px_completion to;
};

/* For px_server_start_call: gives the values that the process has committed for other nodes, at
 * once or when it commits; for PMIX_RANK_WILDCARD the job's information. They are the bytes of the
 * reply that the completion gets, exactly once, on the loop thread. `args` is a struct
 * px_dmodex_args, borrowed for the call. Statuses of the reply: PMIX_ERR_NOT_FOUND (not a process
 * of this node, or it has ended), PMIX_ERR_NOMEM, PMIX_ERR_LOST_CONNECTION (the server stops).
 * Always PMIX_SUCCESS. */
int px_modex_serve(struct px_server *s, void *args);

/* The process has committed: answers the requests that waited for it. */
void px_dmodex_requests_committed(struct px_server *s, struct px_local_proc *rank);

/* The process will not commit any more: ends its requests with PMIX_ERR_NOT_FOUND. */
void px_dmodex_requests_proc_departed(struct px_server *s, struct px_local_proc *rank);

/* The server stops: ends all requests with PMIX_ERR_LOST_CONNECTION. */
void px_dmodex_requests_drop_all(struct px_server *s);

#endif
