/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_ALL_H
#define PX_CLIENT_ALL_H

#include <pmix.h>

struct px_get_request;
struct px_session;

/* Everything of one process that is here, as an array of infos, in the manner wanted. 0,
 * PMIX_ERR_NOT_FOUND, PMIX_ERR_NOMEM. Inside a read-side critical section. */
int px_client_get_all(struct px_session *session, const struct px_get_request *request,
                      pmix_value_t **value);

#endif
