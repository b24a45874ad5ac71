/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_EXCHANGE_H
#define PX_SERVER_EXCHANGE_H

#include "priv.h"

/* What the servers of a job give each other of what processes have posted. Loop thread. */

/* The piece of this server: what its local processes among procs have posted with a number above
 * `since`; when that is nothing, NULL and 0. A fence's piece (`ask`) also asks the others to send
 * everything again, if need be, and is never nothing: a host may carry fences with data in another
 * way than those without, and the nodes have to agree. The bytes are the caller's. 0 or
 * PMIX_ERR_NOMEM. */
int px_share_pack(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, uint64_t since,
                  bool ask, char **ret, size_t *ret_len);

/* Stores what came back, all pieces; what has been here before is passed over. *ret_echo: our own
 * piece was among them, so the host has carried it, and nobody asks for everything; may be NULL. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_UNPACK_FAILURE. */
int px_share_store(struct px_server *s, const char *data, size_t len, bool *ret_echo);

/* Something that others have sent has not arrived here: they will be asked to send everything
 * again. */
void px_share_missed(struct px_server *s);

#endif
