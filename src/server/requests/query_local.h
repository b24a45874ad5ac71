/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_LOCAL_H
#define PX_SERVER_QUERY_LOCAL_H

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* query_local.c: appends this server's own answer to one key, or to a whole query for attribute
 * support. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_PARTIAL_SUCCESS (attribute support), PMIX_ERR_NOMEM. */
int px_query_local(struct px_server *s, const pmix_proc_t *asker, const pmix_query_t *query,
                   const char *key, pmix_info_t **info, size_t *ninfo);

#endif
