/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_H
#define PX_SERVER_MODEX_H

/* Direct modex: the host's direct_modex upcall for data of other nodes, and
 * PMIx_server_dmodex_request for data of this one. Loop thread. */

#include "src/server/state.h"

#include "src/request/schema.h"

struct px_get;
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

/* The number of the upcall that the get can share (px_get.modex): that of one under way for its
 * process with the same directives, else a new one. 0 stands for the first upcall of a process; the
 * job's information (rank PMIX_RANK_WILDCARD) has no other. */
uint64_t px_modex_choose(struct px_server *s, const struct px_get *get, uint32_t rank);

/* Asks the host for the data of the get's target; rank PMIX_RANK_WILDCARD: for the job's
 * information. A get that renews data has an upcall of its own, those with the same px_get.modex
 * share one. The host may have
 * answered when this returns. 0, PMIX_ERR_NOT_FOUND (the host has no direct_modex) or
 * PMIX_ERR_NOMEM. */
int px_modex_start(struct px_server *s, const struct px_get *get, uint32_t rank);

#endif
