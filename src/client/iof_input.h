/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_IOF_INPUT_H
#define PX_CLIENT_IOF_INPUT_H

/* The standard input of this process, which the library reads and pushes to other processes
 * (PMIx_IOF_push with PMIX_IOF_PUSH_STDIN) until its end. One piece is on its way at a time; the
 * next one is read when the host has taken it, so that the writer of our input is held back while
 * a target does not read. */

#include "src/context/context.h"
#include "src/request/schema.h"

struct px_session;

/* As px_role_ops.request: begins to read; bytes that the arguments have are pushed first. The
 * completion is ended when reading has begun; with PMIX_ERR_EXISTS if the input is being read
 * already. At the end of the input the targets are sent an empty piece with PMIX_IOF_COMPLETE, and
 * this process raises the event PMIX_ERR_IOF_COMPLETE; if a piece is refused, or the input cannot
 * be read, PMIX_ERR_IOF_FAILURE. A host that answers PMIX_ERR_IOF_COMPLETE wants no more, which is
 * no failure. Any thread. */
pmix_status_t px_client_push_input(struct px_session *session, const struct px_iof_push_args *args,
                                   const struct px_completion *to);

/* Stops reading: the application has pushed the end of the input itself (PMIX_IOF_COMPLETE), or
 * the session ends and all requests have been answered. Any thread. */
void px_client_end_input(struct px_session *session);

#endif
