/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_OWN_INPUT_H
#define PX_EVENT_OWN_INPUT_H

/* PMIx_IOF_push of any role, and the standard input of this process, which the library reads and
 * pushes to other processes (PMIX_IOF_PUSH_STDIN) until its end. One piece is on its way at a time;
 * the next one is read when the host has taken it, so that the writer of our input is held back
 * while a target does not read. */

#include "src/context/context.h"
#include "src/request/schema.h"

/* How the role hands bytes to the host that passes them on: as px_role_ops.request, with the
 * `where` of px_push_input. Any thread. */
typedef pmix_status_t (*px_push_fn)(void *where, const struct px_iof_push_args *args,
                                    const struct px_completion *to);

/* As px_role_ops.request. With PMIX_IOF_PUSH_STDIN it begins to read; bytes that the arguments have
 * are pushed first. The completion is ended when reading has begun; with PMIX_ERR_EXISTS if the
 * input is being read already. At the end of the input the targets are sent an empty piece with
 * PMIX_IOF_COMPLETE, and this process raises the event PMIX_ERR_IOF_COMPLETE; if a piece is
 * refused, or the input cannot be read, PMIX_ERR_IOF_FAILURE. A host that answers
 * PMIX_ERR_IOF_COMPLETE wants no more, which is no failure.
 *
 * With PMIX_IOF_COMPLETE reading ends, and the targets are sent the end; PMIX_OPERATION_SUCCEEDED
 * if none are named and there are no bytes: nobody is asked then, since a host that ends its input
 * so may not be able to answer any more. Any thread. */
pmix_status_t px_push_input(struct px_ctx *ctx, const struct px_iof_push_args *args,
                            px_push_fn push, void *where, const struct px_completion *to);

/* Ends an input that is pushed to `where`, which has been lost and is about to be freed, with
 * PMIX_ERR_IOF_FAILURE. Loop thread. */
void px_input_lost(struct px_ctx *ctx, const void *where);

/* Stops reading: the role ends. Any thread. */
void px_input_stop(struct px_ctx *ctx);

#endif
