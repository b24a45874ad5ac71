/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_H
#define PX_SERVER_MODEX_H

#include "src/server/priv.h"

/* PMIx_server_dmodex_request: what the process posted for other nodes, now or when it commits; rank
 * WILDCARD: the job's information. fn is called on the loop thread, its data valid during the call.
 * Loop thread. */
void px_modex_serve(struct px_server *s, const pmix_proc_t *proc, pmix_dmodex_response_fn_t fn,
                    void *cbdata);

#endif
