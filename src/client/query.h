/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_H
#define PX_CLIENT_QUERY_H

#include "src/request/schema.h"

struct px_session;

/* A query: what can be answered here is, the rest by the server. As px_role_ops.request. */
pmix_status_t px_client_query(struct px_session *session, const struct px_query_args *args,
                              const struct px_completion *to);

#endif
