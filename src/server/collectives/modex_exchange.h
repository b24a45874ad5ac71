/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_EXCHANGE_H
#define PX_SERVER_MODEX_EXCHANGE_H

/* The exchange of committed data between the servers of a job (modex): encoding this server's
 * contribution, and storing those of others. Used by fences, direct modex and groups. Loop
 * thread.
 *
 * A server that has missed data needs a resync: the next contribution to a fence asks all others
 * to send everything again (px_server.resync_needed). */

#include "src/server/state.h"

/* Encodes the data that local processes among procs have committed with a number above `since`,
 * as one modex blob. The caller frees *ret; NULL and 0 if there is none. For a fence
 * (`ask_resync`) the blob is never omitted, because a host may carry fences with and without
 * data in different ways, and all nodes have to agree; it also asks the others to resend
 * everything if this server needs a resync. 0 or PMIX_ERR_NOMEM. */
int px_modex_encode(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, uint64_t since,
                    bool ask_resync, char **ret, size_t *ret_len);

/* Stores all contributions in `data`; parts that are here already are passed over.
 * *ret_self_echo, if not NULL: our own contribution was among them and no server asks for a
 * resync; untouched after an error. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_UNPACK_FAILURE. After an error the namespaces that were read are marked for a resync. */
int px_modex_decode(struct px_server *s, const char *data, size_t len, bool *ret_self_echo);

/* Data of other servers may be missing here: the next fence asks all to send everything again. */
void px_modex_request_resync(struct px_server *s);

#endif
