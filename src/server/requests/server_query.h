/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_H
#define PX_SERVER_QUERY_H

/* The query service: the host answers first, the server answers the keys that the host did not.
 * Loop thread. */

#include "requests.h"
#include "src/server/peers/dispatch.h"

struct px_in;
struct px_peer;
struct px_query_work;
struct px_server;

/* Prepare of the service: adds the requester's user and group to the qualifiers of each query. 0
 * or PMIX_ERR_NOMEM. */
int px_query_prepare(struct px_upcall *up, struct px_peer *peer);
/* Call of the service: passes the queries to the host, except queries for attribute support
 * only. PMIX_ERR_BAD_PARAM for a malformed query. */
pmix_status_t px_query_call(struct px_upcall *up);
/* Part of the service: adds this server's answers to those of the host, as many as a turn of the
 * loop is good for. */
bool px_query_go_on(struct px_upcall *up);
/* Done of the service: replies. */
void px_query_answered(struct px_upcall *up);

/* Ends the work on an answer, and frees it. Takes NULL. */
void px_query_work_free(struct px_query_work *work);

/* True if the status of a host's query function says that it does not answer such queries at
 * all. PMIX_ERR_NOT_SUPPORTED and PMIX_ERR_NOT_IMPLEMENTED. */
bool px_query_declined(pmix_status_t status);
/* True if the host may have left keys unanswered, so that the server answers these. Every other
 * status but PMIX_SUCCESS concerns the request as a whole and is passed on. */
bool px_query_unanswered(pmix_status_t status);

#endif
