/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_H
#define PX_SERVER_MODEX_H

#include "src/server/state.h"

struct px_get;
struct px_local_proc;
struct px_server;

/* PMIx_server_dmodex_request: what the process posted for other nodes, now or when it commits; rank
 * WILDCARD: the job's information. fn is called on the loop thread, its data valid during the call.
 * Loop thread. */
void px_modex_serve(struct px_server *s, const pmix_proc_t *proc, pmix_dmodex_response_fn_t fn,
                    void *cbdata);

void px_dmodex_requests_committed(struct px_server *s, struct px_local_proc *rank);
void px_dmodex_requests_proc_departed(struct px_server *s, struct px_local_proc *rank);
void px_dmodex_requests_drop_all(struct px_server *s);

/* modex.c: asks the host for the target's data (rank WILDCARD: the job's). One that renews is the
 * get's own, others are shared. PMIX_ERR_NOT_FOUND when it cannot. */
int px_modex_start(struct px_server *s, const struct px_get *get, uint32_t rank);

#endif
