/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_H
#define PX_CLIENT_QUERY_H

/* PMIx_Query_info of a client or a tool. */

#include "src/request/schema.h"

struct px_session;

/* Answers queries from what this process knows, and the rest by the server. As px_role_ops.request:
 * 0, and the completion is called once on the loop thread; or PMIX_ERR_NOT_SUPPORTED,
 * PMIX_ERR_NOT_FOUND, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, or no server (PMIX_ERR_UNREACH,
 * PMIX_ERR_LOST_CONNECTION). */
pmix_status_t px_client_query(struct px_session *session, const struct px_query_args *args,
                              const struct px_completion *to);

#endif
