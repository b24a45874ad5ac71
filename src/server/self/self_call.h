/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_CALL_H
#define PX_SERVER_SELF_CALL_H

#include "src/server/requests/requests.h"

/* Requests of this process. Any thread. */

/* NULL when memory is out. */
struct px_upcall *px_self_create(struct px_ctx *ctx, const struct px_reply_to *reply_to);

/* Deep copies into the upcall (NULL: PMIX_ERR_NOMEM). 0 or PMIX_ERR_NOMEM. */
int px_self_copy_infos(struct px_upcall *up, const pmix_info_t *info, size_t ninfo);
int px_self_copy_procs(struct px_upcall *up, const pmix_proc_t *procs, size_t nprocs);
int px_self_copy_keys(struct px_upcall *up, char **keys);
int px_self_copy_bytes(struct px_upcall *up, const pmix_byte_object_t *bytes);

/* Takes over the upcall: has `go` called on the loop thread, or, when rc says that filling it
 * failed, destroys it and returns rc. identify: adds this process's user and group. PMIX_SUCCESS or
 * an error, and then go is not called. */
pmix_status_t px_self_post(struct px_upcall *up, int rc, bool identify,
                           void (*go)(struct px_upcall *up));

#endif
