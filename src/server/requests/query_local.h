/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_LOCAL_H
#define PX_SERVER_QUERY_LOCAL_H

/* Answers of this server to queries, without the host: about namespaces, groups, process sets,
 * local processes, and registered data. Loop thread. */

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* Appends this server's answer to one key of a query, or to a query for attribute support as a
 * whole, to the infos, which the caller owns. `asker` is the requester; queries without a
 * process are about it or its namespace. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_PARTIAL_SUCCESS
 * (attribute support only), PMIX_ERR_NOMEM. */
int px_query_local(struct px_server *s, const pmix_proc_t *asker, const pmix_query_t *query,
                   const char *key, pmix_info_t **info, size_t *ninfo);

#endif
