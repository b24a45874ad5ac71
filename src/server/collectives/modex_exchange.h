/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_EXCHANGE_H
#define PX_SERVER_MODEX_EXCHANGE_H

#include "src/server/state.h"

/* What the servers of a job give each other of what processes have posted. Loop thread. */

/* The contribution of this server: what its local processes among procs have posted with a number
 * above `since`; when that is nothing, NULL and 0. A fence's contribution (`ask_resync`) also asks
 * the others to send everything again, if need be, and is never nothing: a host may carry fences
 * with data in another way than those without, and the nodes have to agree. The bytes are the
 * caller's. 0 or PMIX_ERR_NOMEM. */
int px_modex_encode(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, uint64_t since,
                    bool ask_resync, char **ret, size_t *ret_len);

/* Stores what came back, all contributions; what has been here before is passed over. *ret_echo:
 * our own contribution was among them, so the host has carried it, and nobody asks for everything;
 * may be NULL. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_UNPACK_FAILURE. */
int px_modex_decode(struct px_server *s, const char *data, size_t len, bool *ret_self_echo);

/* Something that others have sent has not arrived here: they will be asked to send everything
 * again. */
void px_modex_request_resync(struct px_server *s);

#endif
