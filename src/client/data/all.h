/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_ALL_H
#define PX_CLIENT_ALL_H

/* PMIx_Get without a key. */

#include <pmix.h>

struct px_get_request;
struct px_session;

/* Everything of one process that this process holds, as one value: an array of infos, handed out as
 * the request wants it. 0 with *value set or **value filled, PMIX_ERR_NOT_FOUND (nothing is here),
 * PMIX_ERR_NOMEM. Sends no message. Inside a read-side critical section. */
int px_client_get_all(struct px_session *session, const struct px_get_request *request,
                      pmix_value_t **value);

#endif
