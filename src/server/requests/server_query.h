/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_H
#define PX_SERVER_QUERY_H

#include "requests.h"
#include "src/server/peers/dispatch.h"

struct px_in;
struct px_peer;
struct px_server;

/* Queries. Loop thread. */

/* The service (struct px_service). */
int px_query_prepare(struct px_upcall *up, struct px_peer *peer);
pmix_status_t px_query_call(struct px_upcall *up);
void px_query_answered(struct px_upcall *up);

/* Statuses of a host's query entry. Declined: it lacks this query. Unanswered: it may have answered
 * some keys, or none, and what it did not answer is the server's to answer. Other errors are about
 * the request as a whole. */
bool px_query_declined(pmix_status_t status);
bool px_query_unanswered(pmix_status_t status);

#endif
